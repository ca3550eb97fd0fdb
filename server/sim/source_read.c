/* SPDX-License-Identifier: Apache-2.0
 * source_read.c: a scenario's text for a source; see source.h and sources.def. */
#include <stdio.h>

#include "source.h"
#include "thermodyn/number.h"
#include "thermodyn/text.h"

#define NESTED_MAX 4
#define TEXT_BYTES_MAX 200 /* of each prefix, suffix, separator, value: joined ones stay within TD_SIM_VALUE_BYTES */
#define PARTS_MAX 4
#define VALUES_MAX 100000

const char *const td_sim_source_names[TD_SIM_SOURCE_KIND_COUNT] = {
#define TD_SIM_SOURCE(kind, name, members, numbers) name,
#include "sources.def"
#undef TD_SIM_SOURCE
};

static const char *const members_of[TD_SIM_SOURCE_KIND_COUNT] = {
#define TD_SIM_SOURCE(kind, name, members, numbers) "distribution share " members,
#include "sources.def"
#undef TD_SIM_SOURCE
};

static const bool has_numbers[TD_SIM_SOURCE_KIND_COUNT] = {
#define TD_SIM_SOURCE(kind, name, members, numbers) numbers,
#include "sources.def"
#undef TD_SIM_SOURCE
};

static void read_source(td_sim_reader *reader, const td_json_node *node, uint32_t depth, td_sim_source *source);
static void read_kind(td_sim_reader *reader, const td_json_node *node, uint32_t depth, td_sim_source *source);
static void read_elements(td_sim_reader *reader, const td_json_node *node, int64_t absent, td_sim_source *source);
static void read_sequence(td_sim_reader *reader, const td_json_node *node, td_sim_source *source);
static void read_list(td_sim_reader *reader, const td_json_node *node, td_sim_source *source);
static void read_weights(td_sim_reader *reader, const td_json_node *node, td_sim_source *source);
static void read_sharded(td_sim_reader *reader, const td_json_node *node, uint32_t depth, td_sim_source *source);
static void read_join(td_sim_reader *reader, const td_json_node *node, uint32_t depth, td_sim_source *source);
static td_slice read_short_text(td_sim_reader *reader, const td_json_node *node, const char *name);
static td_slice read_payload(td_sim_reader *reader, const td_json_node *node, td_type type);
static size_t bytes_max(const td_sim_source *source);

void td_sim__source_read(td_sim_reader *reader, const td_json_node *node, td_type type, td_sim_source *ret_source)
{
    *ret_source = (td_sim_source){.type = type};
    read_source(reader, node, 0, ret_source);
    if (reader->has_failed) return;
    size_t bytes = bytes_max(ret_source);
    if (bytes > TD_SIM_VALUE_BYTES) {
        td_sim__refuse(reader, NULL, "gives values of up to %zu bytes; %d are allowed", bytes, TD_SIM_VALUE_BYTES);
    }
}

static void read_source(td_sim_reader *reader, const td_json_node *node, uint32_t depth, td_sim_source *source)
{
    if (depth > NESTED_MAX) {
        td_sim__refuse(reader, NULL, "is nested more than %d deep", NESTED_MAX);
        return;
    }
    if (td_json_node_get_type(node) != TD_JSON_NODE_OBJECT) {
        source->kind = TD_SIM_SINGLE;
        source->prefix = read_payload(reader, node, source->type);
        return;
    }
    source->kind = (td_sim_source_kind)td_sim__read_word(reader, node, "distribution", td_sim_source_names,
                                                         TD_SIM_SOURCE_KIND_COUNT, -1);
    if (!td_sim__check_object(reader, node, members_of[source->kind])) return;
    if (source->type == TD_TYPE_N && !has_numbers[source->kind]) {
        td_sim__refuse(reader, "distribution", "\"%s\" gives texts, but the attribute is a number",
                       td_sim_source_names[source->kind]);
    }
    source->prefix = read_short_text(reader, node, "prefix");
    source->suffix = read_short_text(reader, node, "suffix");
    if (source->type == TD_TYPE_N && source->prefix.len + source->suffix.len > 0) {
        td_sim__refuse(reader, NULL, "a number has no prefix and no suffix");
    }
    read_kind(reader, node, depth, source);
}

static void read_kind(td_sim_reader *reader, const td_json_node *node, uint32_t depth, td_sim_source *source)
{
    static const char *const formats[] = {"date", "hour", "minute", "timestamp"};
    static const char *const clocks[] = {"time", "count"};
    switch (source->kind) {
    case TD_SIM_SINGLE: {
        const td_json_node *value = td_sim__find(reader, node, "value", true);
        if (value != NULL) source->prefix = read_payload(reader, value, source->type);
        break;
    }
    case TD_SIM_UNIFORM: read_elements(reader, node, 0, source); break;
    case TD_SIM_ZIPF:
        read_elements(reader, node, 0, source);
        source->exponent = td_sim__read_number(reader, node, "s", 1, 0, 20);
        break;
    case TD_SIM_SEQUENCE: read_sequence(reader, node, source); break;
    case TD_SIM_LIST: read_list(reader, node, source); break;
    case TD_SIM_SHARDED: read_sharded(reader, node, depth, source); break;
    case TD_SIM_TIME:
        source->format = (td_sim_time_format)td_sim__read_word(reader, node, "format", formats, 4, TD_SIM_DATE);
        break;
    case TD_SIM_JOIN: read_join(reader, node, depth, source); break;
    case TD_SIM_INCREASING:
    case TD_SIM_DECREASING: source->is_of_time = td_sim__read_word(reader, node, "of", clocks, 2, 0) == 0; break;
    case TD_SIM_RANDOM:
    case TD_SIM_SOURCE_KIND_COUNT: break;
    }
}

/* `absent` 0: "n" must be there. */
static void read_elements(td_sim_reader *reader, const td_json_node *node, int64_t absent, td_sim_source *source)
{
    bool has_table = source->kind == TD_SIM_ZIPF;
    int64_t max = has_table ? TD_SIM_ELEMENTS_MAX : INT64_C(1000000000000);
    (void)td_sim__find(reader, node, "n", absent == 0);
    source->count = (uint64_t)td_sim__read_int(reader, node, "n", 1, 1, max);
    source->first = td_sim__read_int(reader, node, "first", has_table || absent == 0 ? 1 : 0,
                                     -INT64_C(1000000000000000), INT64_C(1000000000000000));
}

static void read_sequence(td_sim_reader *reader, const td_json_node *node, td_sim_source *source)
{
    static const char *const orders[] = {"natural", "hash", "shuffled"};
    source->order = (td_sim_order)td_sim__read_word(reader, node, "order", orders, 3, TD_SIM_ORDER_NATURAL);
    bool is_ordered = source->order != TD_SIM_ORDER_NATURAL;
    (void)td_sim__find(reader, node, "n", is_ordered);
    source->count = (uint64_t)td_sim__read_int(reader, node, "n", 0, is_ordered ? 1 : 0,
                                               is_ordered ? TD_SIM_ELEMENTS_MAX : INT64_C(1000000000000));
    source->first = td_sim__read_int(reader, node, "first", 1, 0, INT64_C(1000000000000000));
    source->run = (uint64_t)td_sim__read_int(reader, node, "run", 1, 1, INT64_C(1000000000000));
}

static void read_list(td_sim_reader *reader, const td_json_node *node, td_sim_source *source)
{
    const td_json_node *values = td_sim__find(reader, node, "values", true);
    if (values == NULL) return;
    uint32_t count = td_json_node_get_type(values) == TD_JSON_NODE_ARRAY ? td_sim__count(values) : 0;
    if (count == 0 || count > VALUES_MAX) {
        td_sim__refuse(reader, "values", "must be a list of 1 to %d values", VALUES_MAX);
        return;
    }
    source->value_count = count;
    source->values = td_sim__alloc_array(reader, count, sizeof *source->values);
    source->weights = td_sim__alloc_array(reader, count, sizeof *source->weights);
    if (reader->has_failed) return;
    size_t outside = td_sim__enter(reader, "values");
    uint32_t at = 0;
    for (const td_json_node *value = td_json_node_first(values); value != NULL; value = td_json_node_next(value)) {
        size_t inside = td_sim__enter_at(reader, at);
        source->weights[at] = 1;
        source->values[at++] = read_payload(reader, value, source->type);
        td_sim__leave(reader, inside);
    }
    td_sim__leave(reader, outside);
    read_weights(reader, node, source);
}

static void read_weights(td_sim_reader *reader, const td_json_node *node, td_sim_source *source)
{
    const td_json_node *weights = td_sim__find(reader, node, "weights", false);
    if (weights == NULL) return;
    bool is_list = td_json_node_get_type(weights) == TD_JSON_NODE_ARRAY;
    if (!is_list || td_sim__count(weights) != source->value_count) {
        td_sim__refuse(reader, "weights", "must be a list of %u numbers, one for each value", source->value_count);
        return;
    }
    size_t outside = td_sim__enter(reader, "weights");
    double sum = 0;
    uint32_t at = 0;
    for (const td_json_node *weight = td_json_node_first(weights); weight != NULL; weight = td_json_node_next(weight)) {
        size_t inside = td_sim__enter_at(reader, at);
        source->weights[at] = td_sim__number_of(reader, weight, 0, 1e12);
        sum += source->weights[at++];
        td_sim__leave(reader, inside);
    }
    if (!(sum > 0)) td_sim__refuse(reader, NULL, "must have a number above 0");
    td_sim__leave(reader, outside);
}

static void read_sharded(td_sim_reader *reader, const td_json_node *node, uint32_t depth, td_sim_source *source)
{
    static const char *const picks[] = {"random", "in turn"};
    bool has_separator = td_json_node_find(node, "separator") != NULL;
    source->separator = has_separator ? read_short_text(reader, node, "separator") : TD_LIT("#");
    source->is_round_robin = td_sim__read_word(reader, node, "pick", picks, 2, 0) == 1;
    (void)td_sim__find(reader, node, "shards", true);
    source->count = (uint64_t)td_sim__read_int(reader, node, "shards", 1, 1, 1000000);
    source->first = td_sim__read_int(reader, node, "first", 0, 0, 1000000);
    const td_json_node *base = td_sim__find(reader, node, "base", true);
    source->parts = td_sim__alloc_array(reader, 1, sizeof *source->parts);
    if (base == NULL || source->parts == NULL) return;
    source->part_count = 1;
    source->parts[0].type = source->type;
    size_t outside = td_sim__enter(reader, "base");
    read_source(reader, base, depth + 1, &source->parts[0]);
    td_sim__leave(reader, outside);
}

static void read_join(td_sim_reader *reader, const td_json_node *node, uint32_t depth, td_sim_source *source)
{
    bool has_separator = td_json_node_find(node, "separator") != NULL;
    source->separator = has_separator ? read_short_text(reader, node, "separator") : TD_LIT("#");
    const td_json_node *parts = td_sim__find(reader, node, "parts", true);
    if (parts == NULL) return;
    uint32_t count = td_json_node_get_type(parts) == TD_JSON_NODE_ARRAY ? td_sim__count(parts) : 0;
    if (count == 0 || count > PARTS_MAX) {
        td_sim__refuse(reader, "parts", "must be a list of 1 to %d distributions or values", PARTS_MAX);
        return;
    }
    source->parts = td_sim__alloc_array(reader, count, sizeof *source->parts);
    if (source->parts == NULL) return;
    source->part_count = count;
    size_t outside = td_sim__enter(reader, "parts");
    uint32_t at = 0;
    for (const td_json_node *part = td_json_node_first(parts); part != NULL; part = td_json_node_next(part)) {
        size_t inside = td_sim__enter_at(reader, at);
        source->parts[at].type = source->type;
        read_source(reader, part, depth + 1, &source->parts[at++]);
        td_sim__leave(reader, inside);
    }
    td_sim__leave(reader, outside);
}

static td_slice read_short_text(td_sim_reader *reader, const td_json_node *node, const char *name)
{
    td_slice text = td_sim__read_text(reader, node, name, false);
    if (text.len > TEXT_BYTES_MAX) td_sim__refuse(reader, name, "must have %d bytes at most", TEXT_BYTES_MAX);
    return text;
}

/* A text; or for a number attribute, a number, or a text with all of its digits. */
static td_slice read_payload(td_sim_reader *reader, const td_json_node *node, td_type type)
{
    td_json_node_type given = td_json_node_get_type(node);
    if (type != TD_TYPE_N) {
        if (given != TD_JSON_NODE_TEXT || td_json_node_text(node).len == 0) {
            td_sim__refuse(reader, NULL, "must be a text, or an object with a \"distribution\"");
            return TD_LIT("");
        }
        td_slice text = td_sim__text_of(reader, node);
        if (text.len > TEXT_BYTES_MAX) td_sim__refuse(reader, NULL, "must have %d bytes at most", TEXT_BYTES_MAX);
        return text;
    }
    char printed[40];
    td_slice text = given == TD_JSON_NODE_TEXT ? td_json_node_text(node) : TD_LIT("");
    if (given == TD_JSON_NODE_NUMBER) {
        int len = snprintf(printed, sizeof(printed), "%.15g", td_json_node_number(node));
        text = td_slice_of(printed, (size_t)len);
    }
    td_number number;
    if (td_number_parse(text, &number) != TD_NUMBER_OK) {
        td_sim__refuse(reader, NULL, "must be a number, or an object with a \"distribution\"");
        return TD_LIT("");
    }
    td_slice copy = TD_LIT("");
    if (!td_arena_copy(reader->arena, td_number_slice(&number), &copy)) td_sim__refuse_memory(reader);
    return copy;
}

static size_t bytes_max(const td_sim_source *source)
{
    size_t bytes = source->prefix.len + source->suffix.len + 32;
    for (uint32_t i = 0; i < source->value_count; i++) {
        if (source->values[i].len + 32 > bytes) bytes = source->values[i].len + 32;
    }
    for (uint32_t i = 0; i < source->part_count; i++)
        bytes += bytes_max(&source->parts[i]) + source->separator.len;
    return bytes;
}
