/* SPDX-License-Identifier: Apache-2.0
 * scenario_load.c: streams of operations: how many, which, on which keys; see scenario.h. */
#include <stdlib.h>

#include "scenario.h"

#define RATE_MAX 1e6
#define FILL_MAX 10000000
#define LOAD_MEMBERS "table index rate arrivals retry operations consistent size limit keys sort_keys attributes"

const char *const td_sim_operation_names[TD_SIM_OPERATION_COUNT] = {
    [TD_SIM_PUT] = "put",       [TD_SIM_GET] = "get",     [TD_SIM_UPDATE] = "update",
    [TD_SIM_DELETE] = "delete", [TD_SIM_QUERY] = "query", [TD_SIM_SCAN] = "scan"};

static void read_index(td_sim_reader *reader, const td_json_node *node, const td_table_spec *spec, td_sim_load *load);
static void read_rate(td_sim_reader *reader, const td_json_node *node, td_sim_load *load);
static void read_operations(td_sim_reader *reader, const td_json_node *node, td_sim_load *load);
static void read_size(td_sim_reader *reader, const td_json_node *node, td_sim_load *load);
static void read_fields(td_sim_reader *reader, const td_json_node *node, const td_table_spec *spec, td_sim_load *load);
static void read_key(td_sim_reader *reader, const td_json_node *node, const char *member, const td_key_part *part,
                     bool is_needed, td_sim_load *load);
static void read_attribute(td_sim_reader *reader, const td_json_node *node, const td_table_spec *spec,
                           td_sim_load *load);
static int compare_fields(const void *a, const void *b);

void td_sim__read_load(td_sim_reader *reader, const td_json_node *node, const td_sim_scenario *scenario,
                       td_sim_load *ret_load)
{
    static const char *const arrivals[] = {"even", "poisson"};
    if (!td_sim__check_object(reader, node, LOAD_MEMBERS)) return;
    ret_load->table = td_sim__find_table(reader, scenario, td_sim__read_text(reader, node, "table", true));
    const td_table_spec *spec = &scenario->tables[ret_load->table].spec;
    read_index(reader, node, spec, ret_load);
    read_rate(reader, node, ret_load);
    ret_load->is_poisson = td_sim__read_word(reader, node, "arrivals", arrivals, 2, 0) == 1;
    ret_load->retries = td_sim__read_bool(reader, node, "retry", false);
    read_operations(reader, node, ret_load);
    ret_load->is_consistent = td_sim__read_bool(reader, node, "consistent", false);
    const td_index_spec *index = td_sim__find_index(spec, ret_load->index);
    if (ret_load->is_consistent && index != NULL && index->is_global) {
        td_sim__refuse(reader, "consistent", "a global index has no consistent reads");
    }
    ret_load->limit = (uint32_t)td_sim__read_int(reader, node, "limit", 0, 1, 1000000);
    read_size(reader, node, ret_load);
    read_fields(reader, node, spec, ret_load);
}

void td_sim__read_fill(td_sim_reader *reader, const td_json_node *node, const td_sim_scenario *scenario,
                       td_sim_table *table)
{
    if (!td_sim__check_object(reader, node, "count size keys sort_keys attributes")) return;
    (void)td_sim__find(reader, node, "count", true);
    table->fill_count = (uint64_t)td_sim__read_int(reader, node, "count", 1, 1, FILL_MAX);
    table->fill = td_sim__alloc_array(reader, 1, sizeof *table->fill);
    if (table->fill == NULL) return;
    table->fill->table = (uint32_t)(table - scenario->tables);
    table->fill->weights[TD_SIM_PUT] = 1;
    read_size(reader, node, table->fill);
    read_fields(reader, node, &table->spec, table->fill);
}

static void read_index(td_sim_reader *reader, const td_json_node *node, const td_table_spec *spec, td_sim_load *load)
{
    load->index = td_sim__read_text(reader, node, "index", false);
    if (load->index.len > 0 && td_sim__find_index(spec, load->index) == NULL) {
        td_sim__refuse(reader, "index", "the table has no index \"%.*s\"", TD_SHOWN(load->index));
    }
}

/* Operations a second: a number, or {"from": …, "to": …} for a straight line. */
static void read_rate(td_sim_reader *reader, const td_json_node *node, td_sim_load *load)
{
    const td_json_node *rate = td_sim__find(reader, node, "rate", true);
    if (rate == NULL) return;
    size_t outside = td_sim__enter(reader, "rate");
    if (td_json_node_get_type(rate) != TD_JSON_NODE_OBJECT) {
        load->from_per_s = td_sim__number_of(reader, rate, 0, RATE_MAX);
        load->to_per_s = load->from_per_s;
    } else if (td_sim__check_object(reader, rate, "from to")) {
        (void)td_sim__find(reader, rate, "from", true);
        (void)td_sim__find(reader, rate, "to", true);
        load->from_per_s = td_sim__read_number(reader, rate, "from", 0, 0, RATE_MAX);
        load->to_per_s = td_sim__read_number(reader, rate, "to", 0, 0, RATE_MAX);
    }
    td_sim__leave(reader, outside);
}

/* "put", or {"put": 3, "get": 1}. */
static void read_operations(td_sim_reader *reader, const td_json_node *node, td_sim_load *load)
{
    const td_json_node *operations = td_sim__find(reader, node, "operations", true);
    if (operations == NULL) return;
    double sum = 0;
    if (td_json_node_get_type(operations) != TD_JSON_NODE_OBJECT) {
        load->weights[td_sim__read_word(reader, node, "operations", td_sim_operation_names, TD_SIM_OPERATION_COUNT,
                                        -1)] = 1;
        sum = 1;
    } else {
        size_t outside = td_sim__enter(reader, "operations");
        if (!td_sim__check_object(reader, operations, "put get update delete query scan")) return;
        for (int i = 0; i < TD_SIM_OPERATION_COUNT; i++) {
            load->weights[i] = td_sim__read_number(reader, operations, td_sim_operation_names[i], 0, 0, 1e9);
            sum += load->weights[i];
        }
        td_sim__leave(reader, outside);
    }
    if (!(sum > 0)) td_sim__refuse(reader, "operations", "must have a weight above 0");
    for (int i = 0; i < TD_SIM_OPERATION_COUNT; i++) {
        bool reads_many = i == TD_SIM_QUERY || i == TD_SIM_SCAN;
        if (load->index.len == 0 || reads_many || load->weights[i] <= 0) continue;
        td_sim__refuse(reader, "operations", "an index takes \"query\" and \"scan\" only");
    }
}

/* Bytes of an item: a number, or {"min": …, "max": …}. */
static void read_size(td_sim_reader *reader, const td_json_node *node, td_sim_load *load)
{
    const td_json_node *size = td_sim__find(reader, node, "size", false);
    if (size == NULL) return;
    if (td_json_node_get_type(size) != TD_JSON_NODE_OBJECT) {
        load->size_bytes_min = (uint32_t)td_sim__read_int(reader, node, "size", 0, 1, TD_LIMIT_ITEM_BYTES_MAX);
        load->size_bytes_max = load->size_bytes_min;
        return;
    }
    size_t outside = td_sim__enter(reader, "size");
    if (td_sim__check_object(reader, size, "min max")) {
        (void)td_sim__find(reader, size, "min", true);
        (void)td_sim__find(reader, size, "max", true);
        load->size_bytes_min = (uint32_t)td_sim__read_int(reader, size, "min", 0, 1, TD_LIMIT_ITEM_BYTES_MAX);
        load->size_bytes_max =
            (uint32_t)td_sim__read_int(reader, size, "max", 0, load->size_bytes_min, TD_LIMIT_ITEM_BYTES_MAX);
    }
    td_sim__leave(reader, outside);
}

/* An index that is read needs its partition key alone; a scan needs none. */
static void read_fields(td_sim_reader *reader, const td_json_node *node, const td_table_spec *spec, td_sim_load *load)
{
    load->fields = td_sim__alloc_array(reader, TD_SIM_FIELDS_MAX, sizeof *load->fields);
    if (load->fields == NULL) return;
    const td_index_spec *index = load->index.len == 0 ? NULL : td_sim__find_index(spec, load->index);
    const td_key_schema *key = index == NULL ? &spec->key : &index->key;
    double others = 0;
    double items = 0;
    for (int i = 0; i < TD_SIM_OPERATION_COUNT; i++) {
        others += i == TD_SIM_SCAN ? 0 : load->weights[i];
        items += i == TD_SIM_SCAN || i == TD_SIM_QUERY ? 0 : load->weights[i];
    }
    read_key(reader, node, "keys", &key->parts[0], others > 0, load);
    if (key->range_count > 0) {
        read_key(reader, node, "sort_keys", &key->parts[1], items > 0, load);
    } else if (td_sim__find(reader, node, "sort_keys", false) != NULL) {
        td_sim__refuse(reader, "sort_keys", "the table has no sort key");
    }
    const td_json_node *attributes = td_sim__find(reader, node, "attributes", false);
    if (attributes == NULL) return;
    size_t outside = td_sim__enter(reader, "attributes");
    if (td_json_node_get_type(attributes) != TD_JSON_NODE_OBJECT) {
        td_sim__refuse(reader, NULL, "must be an object of attributes and their distributions");
    }
    const td_json_node *attribute = reader->has_failed ? NULL : td_json_node_first(attributes);
    for (; attribute != NULL && !reader->has_failed; attribute = td_json_node_next(attribute)) {
        read_attribute(reader, attribute, spec, load);
    }
    td_sim__leave(reader, outside);
    qsort(load->fields, load->field_count, sizeof *load->fields, compare_fields);
}

static void read_key(td_sim_reader *reader, const td_json_node *node, const char *member, const td_key_part *part,
                     bool is_needed, td_sim_load *load)
{
    const td_json_node *source = td_sim__find(reader, node, member, is_needed);
    if (source == NULL) return;
    size_t outside = td_sim__enter(reader, member);
    td_sim_field *field = &load->fields[load->field_count++];
    *field = (td_sim_field){.name = part->name, .share = 1, .is_key = true};
    td_sim__source_read(reader, source, part->type, &field->source);
    td_sim__leave(reader, outside);
    qsort(load->fields, load->field_count, sizeof *load->fields, compare_fields);
}

/* A distribution may have a "share": the part of the items that have the attribute. */
static void read_attribute(td_sim_reader *reader, const td_json_node *node, const td_table_spec *spec,
                           td_sim_load *load)
{
    td_slice name = TD_LIT("");
    if (!td_arena_copy(reader->arena, td_json_node_name(node), &name)) td_sim__refuse_memory(reader);
    size_t outside = td_sim__enter(reader, td_sim__copy_cstr(reader, td_json_shown(name)));
    bool is_known = td_slice_equal(name, TD_LIT("pad")) || name.len == 0;
    for (uint32_t i = 0; i < load->field_count; i++)
        is_known = is_known || td_slice_equal(load->fields[i].name, name);
    if (is_known)
        td_sim__refuse(reader, NULL, "is a key, which has a member of its own, or \"pad\", which fills items up");
    if (load->field_count == TD_SIM_FIELDS_MAX) {
        td_sim__refuse(reader, NULL, "is one attribute too many; %d are allowed, keys included", TD_SIM_FIELDS_MAX);
    }
    if (!reader->has_failed) {
        td_sim_field *field = &load->fields[load->field_count++];
        *field = (td_sim_field){.name = name, .share = 1};
        if (td_json_node_get_type(node) == TD_JSON_NODE_OBJECT) {
            field->share = td_sim__read_number(reader, node, "share", 1, 0, 1);
        }
        td_sim__source_read(reader, node, td_sim__type_of(spec, name), &field->source);
    }
    td_sim__leave(reader, outside);
}

static int compare_fields(const void *a, const void *b)
{
    return td_slice_compare(((const td_sim_field *)a)->name, ((const td_sim_field *)b)->name);
}
