/* SPDX-License-Identifier: Apache-2.0
 * scenario_table.c: tables and indexes of a scenario, in a short form of CreateTable's parameters; see scenario.h. */
#include "scenario.h"

#define DEFINITIONS_MAX 64

static const char *const billing_names[] = {"provisioned", "on-demand"};
static const char *const projection_names[] = {"all", "keys_only"};
static const char *const type_names[] = {"S", "N", "B"};
static const td_type types[] = {TD_TYPE_S, TD_TYPE_N, TD_TYPE_B};

static void read_rates(td_sim_reader *reader, const td_json_node *node, td_billing_mode billing,
                       td_throughput *throughput, td_on_demand_max *on_demand_max, td_throughput *warm);
static void read_key(td_sim_reader *reader, const td_json_node *node, td_table_spec *spec, td_key_schema *key);
static void read_key_part(td_sim_reader *reader, const td_json_node *node, const char *name, td_table_spec *spec,
                          td_key_part *ret_part);
static void define(td_sim_reader *reader, const char *name, td_table_spec *spec, const td_key_part *part);
static void read_indexes(td_sim_reader *reader, const td_json_node *node, td_table_spec *spec);
static void read_index(td_sim_reader *reader, const td_json_node *node, td_table_spec *spec, td_index_spec *index);
static void read_projection(td_sim_reader *reader, const td_json_node *node, td_index_spec *index);
static void put_local_ones_first(td_table_spec *spec);

void td_sim__read_table(td_sim_reader *reader, const td_json_node *node, td_table_spec *ret_spec)
{
    if (!td_sim__check_object(reader, node,
                              "name partition_key sort_key billing throughput on_demand_maximum warm indexes fill")) {
        return;
    }
    ret_spec->name = td_sim__read_text(reader, node, "name", true);
    for (size_t i = 0; i < ret_spec->name.len; i++) {
        uint8_t c = ret_spec->name.ptr[i];
        bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
                        c == '-' || c == '.';
        if (!is_plain || ret_spec->name.len > 255) {
            td_sim__refuse(reader, "name", "must have 255 characters at most, of a-z, A-Z, 0-9, '_', '-' and '.'");
        }
    }
    ret_spec->billing = (td_billing_mode)td_sim__read_word(reader, node, "billing", billing_names, 2, -1);
    read_rates(reader, node, ret_spec->billing, &ret_spec->throughput, &ret_spec->on_demand_max, &ret_spec->warm);
    ret_spec->definitions = td_sim__alloc_array(reader, DEFINITIONS_MAX, sizeof *ret_spec->definitions);
    if (ret_spec->definitions == NULL) return;
    read_key(reader, node, ret_spec, &ret_spec->key);
    read_indexes(reader, node, ret_spec);
}

void td_sim__read_throughput(td_sim_reader *reader, const td_json_node *object, const char *name, int64_t min,
                             td_throughput *ret_throughput, bool *ret_is_given)
{
    *ret_is_given = false;
    const td_json_node *node = td_sim__find(reader, object, name, false);
    if (node == NULL) return;
    size_t outside = td_sim__enter(reader, name);
    if (td_sim__check_object(reader, node, "read write")) {
        static const char *const directions[TD_DIRECTION_COUNT] = {[TD_READ] = "read", [TD_WRITE] = "write"};
        for (int i = 0; i < TD_DIRECTION_COUNT; i++) {
            ret_throughput->rate[i] =
                td_sim__read_int(reader, node, directions[i], min > 0 ? min : 0, min, TD_THROUGHPUT_RATE_MAX);
        }
        *ret_is_given = true;
    }
    td_sim__leave(reader, outside);
}

static void read_rates(td_sim_reader *reader, const td_json_node *node, td_billing_mode billing,
                       td_throughput *throughput, td_on_demand_max *on_demand_max, td_throughput *warm)
{
    bool is_provisioned = billing == TD_BILLING_PROVISIONED;
    bool is_given = false;
    td_sim__read_throughput(reader, node, "throughput", 1, throughput, &is_given);
    if (is_given && !is_provisioned) td_sim__refuse(reader, "throughput", "only provisioned tables have it");
    if (!is_given && is_provisioned) td_sim__refuse(reader, "throughput", "is missing");
    td_throughput maximum = {.rate = {0}};
    td_sim__read_throughput(reader, node, "on_demand_maximum", 0, &maximum, &is_given);
    if (is_given && is_provisioned) td_sim__refuse(reader, "on_demand_maximum", "only on-demand tables have it");
    memcpy(on_demand_max->rate, maximum.rate, sizeof maximum.rate);
    td_sim__read_throughput(reader, node, "warm", 0, warm, &is_given);
}

static void read_key(td_sim_reader *reader, const td_json_node *node, td_table_spec *spec, td_key_schema *key)
{
    if (td_sim__find(reader, node, "partition_key", true) == NULL) return;
    read_key_part(reader, node, "partition_key", spec, &key->parts[0]);
    key->hash_count = 1;
    if (td_sim__find(reader, node, "sort_key", false) == NULL) return;
    read_key_part(reader, node, "sort_key", spec, &key->parts[1]);
    key->range_count = 1;
    if (td_slice_equal(key->parts[0].name, key->parts[1].name)) {
        td_sim__refuse(reader, "sort_key", "is the partition key already");
    }
}

/* "pk", or {"name": "pk", "type": "N"}. */
static void read_key_part(td_sim_reader *reader, const td_json_node *node, const char *name, td_table_spec *spec,
                          td_key_part *ret_part)
{
    const td_json_node *part = td_json_node_find(node, name);
    ret_part->type = TD_TYPE_S;
    if (td_json_node_get_type(part) == TD_JSON_NODE_TEXT) {
        ret_part->name = td_sim__read_text(reader, node, name, true);
    } else {
        size_t outside = td_sim__enter(reader, name);
        if (td_sim__check_object(reader, part, "name type")) {
            ret_part->name = td_sim__read_text(reader, part, "name", true);
            ret_part->type = types[td_sim__read_word(reader, part, "type", type_names, 3, 0)];
        }
        td_sim__leave(reader, outside);
    }
    if (ret_part->name.len > 255) td_sim__refuse(reader, name, "must have a name of 255 bytes at most");
    if (!reader->has_failed) define(reader, name, spec, ret_part);
}

/* An attribute may be part of several keys, with one type. */
static void define(td_sim_reader *reader, const char *name, td_table_spec *spec, const td_key_part *part)
{
    for (uint32_t i = 0; i < spec->definition_count; i++) {
        if (!td_slice_equal(spec->definitions[i].name, part->name)) continue;
        if (spec->definitions[i].type != part->type) {
            td_sim__refuse(reader, name, "\"%.*s\" has another type elsewhere in the table", TD_SHOWN(part->name));
        }
        return;
    }
    if (spec->definition_count == DEFINITIONS_MAX) {
        td_sim__refuse(reader, name, "the table has more than %d key attributes", DEFINITIONS_MAX);
        return;
    }
    spec->definitions[spec->definition_count++] = (td_attribute_definition){.name = part->name, .type = part->type};
}

static void read_indexes(td_sim_reader *reader, const td_json_node *node, td_table_spec *spec)
{
    const td_json_node *indexes = td_sim__find(reader, node, "indexes", false);
    if (indexes == NULL) return;
    uint32_t count = td_json_node_get_type(indexes) == TD_JSON_NODE_ARRAY ? td_sim__count(indexes) : UINT32_MAX;
    if (count > TD_INDEXES_MAX) {
        td_sim__refuse(reader, "indexes", "must be a list of %d indexes at most", TD_INDEXES_MAX);
        return;
    }
    spec->indexes = td_sim__alloc_array(reader, count, sizeof *spec->indexes);
    if (spec->indexes == NULL) return;
    size_t outside = td_sim__enter(reader, "indexes");
    for (const td_json_node *index = td_json_node_first(indexes); index != NULL; index = td_json_node_next(index)) {
        size_t inside = td_sim__enter_at(reader, spec->index_count);
        td_index_spec read = {.is_global = true};
        read_index(reader, index, spec, &read);
        if (td_sim__find_index(spec, read.name) != NULL) td_sim__refuse(reader, "name", "another index has this name");
        spec->indexes[spec->index_count++] = read;
        td_sim__leave(reader, inside);
    }
    td_sim__leave(reader, outside);
    uint32_t local_count = 0;
    for (uint32_t i = 0; i < spec->index_count; i++)
        local_count += spec->indexes[i].is_global ? 0 : 1;
    if (local_count > TD_LIMIT_LOCAL_INDEXES_MAX || spec->index_count - local_count > TD_LIMIT_GLOBAL_INDEXES_MAX) {
        td_sim__refuse(reader, "indexes", "must be %d local and %d global ones at most", TD_LIMIT_LOCAL_INDEXES_MAX,
                       TD_LIMIT_GLOBAL_INDEXES_MAX);
    }
    put_local_ones_first(spec);
}

static void read_index(td_sim_reader *reader, const td_json_node *node, td_table_spec *spec, td_index_spec *index)
{
    if (!td_sim__check_object(reader, node,
                              "name local partition_key sort_key projection throughput on_demand_maximum warm")) {
        return;
    }
    index->name = td_sim__read_text(reader, node, "name", true);
    index->is_global = !td_sim__read_bool(reader, node, "local", false);
    if (index->is_global) {
        read_rates(reader, node, spec->billing, &index->throughput, &index->on_demand_max, &index->warm);
        read_key(reader, node, spec, &index->key);
    } else {
        static const char *const own[] = {"partition_key", "throughput", "on_demand_maximum", "warm"};
        for (size_t i = 0; i < TD_COUNT_OF(own); i++) {
            if (td_json_node_find(node, own[i]) == NULL) continue;
            td_sim__refuse(reader, own[i], "a local index has none of its own: it is the table's");
        }
        if (td_sim__find(reader, node, "sort_key", true) != NULL) {
            index->key = (td_key_schema){.hash_count = 1, .range_count = 1, .parts = {spec->key.parts[0]}};
            read_key_part(reader, node, "sort_key", spec, &index->key.parts[1]);
        }
        if (spec->key.range_count == 0) {
            td_sim__refuse(reader, "local", "a table without a sort key has no local indexes");
        }
    }
    read_projection(reader, node, index);
}

/* "all", "keys_only", or a list of attributes. */
static void read_projection(td_sim_reader *reader, const td_json_node *node, td_index_spec *index)
{
    const td_json_node *list = td_sim__find(reader, node, "projection", false);
    if (list == NULL || td_json_node_get_type(list) != TD_JSON_NODE_ARRAY) {
        index->projection =
            (td_projection_type)td_sim__read_word(reader, node, "projection", projection_names, 2, TD_PROJECT_ALL);
        return;
    }
    index->projection = TD_PROJECT_INCLUDE;
    uint32_t count = td_sim__count(list);
    if (count == 0 || count > TD_LIMIT_PROJECTED_ATTRIBUTES_MAX) {
        td_sim__refuse(reader, "projection", "must be \"all\", \"keys_only\" or a list of 1 to %d attributes",
                       TD_LIMIT_PROJECTED_ATTRIBUTES_MAX);
        return;
    }
    index->non_key_attributes = td_sim__alloc_array(reader, count, sizeof *index->non_key_attributes);
    if (index->non_key_attributes == NULL) return;
    size_t outside = td_sim__enter(reader, "projection");
    for (const td_json_node *name = td_json_node_first(list); name != NULL; name = td_json_node_next(name)) {
        size_t inside = td_sim__enter_at(reader, index->non_key_attribute_count);
        index->non_key_attributes[index->non_key_attribute_count++] = td_sim__text_of(reader, name);
        td_sim__leave(reader, inside);
    }
    td_sim__leave(reader, outside);
}

/* As the engine wants them; each kind keeps its order. */
static void put_local_ones_first(td_table_spec *spec)
{
    for (uint32_t i = 1; i < spec->index_count; i++) {
        td_index_spec moved = spec->indexes[i];
        uint32_t at = i;
        for (; at > 0 && !moved.is_global && spec->indexes[at - 1].is_global; at--)
            spec->indexes[at] = spec->indexes[at - 1];
        spec->indexes[at] = moved;
    }
}
