/* SPDX-License-Identifier: Apache-2.0
 * request.c: see request.h. */
#include "request.h"

#define PAD_NAME TD_LIT("pad")

static bool is_write(td_sim_operation operation)
{
    return operation == TD_SIM_PUT || operation == TD_SIM_UPDATE || operation == TD_SIM_DELETE;
}

static void draw_operation(td_sim_stream *stream, td_time_us now_us);
static bool prepare_operations(td_sim_stream *stream);
static void draw_fields(td_sim_stream *stream, td_time_us now_us, bool with_attributes);
static void pad_item(td_sim_stream *stream);
static td_status put(td_sim_stream *stream, td_sim_world *world, td_sim_outcome *outcome);
static td_status update(td_sim_stream *stream, td_sim_world *world, td_sim_outcome *outcome);
static td_status delete_item(td_sim_stream *stream, td_sim_world *world, td_sim_outcome *outcome);
static td_status get(td_sim_stream *stream, td_sim_world *world, td_sim_outcome *outcome);
static td_status query(td_sim_stream *stream, td_sim_world *world, td_sim_outcome *outcome);
static td_status scan(td_sim_stream *stream, td_sim_world *world, td_sim_outcome *outcome);
static td_status write_item(td_sim_stream *stream, td_sim_world *world, const td_write *write, td_sim_outcome *outcome);
static td_status keep_place(td_sim_stream *stream, td_sim_world *world, const td_page *page);

bool td_sim__stream_init(td_sim_stream *stream, const td_sim_scenario *scenario, td_sim_load *load, uint64_t number)
{
    *stream = (td_sim_stream){.load = load, .table = scenario->tables[load->table].spec.name, .next_us = TD_NEVER};
    uint64_t seed = scenario->seed ^ (number + 1) * UINT64_C(0x9e3779b97f4a7c15);
    td_rng_init(&stream->rng, seed);
    td_arena_init(&stream->arena, SIZE_MAX);
    td_arena_init(&stream->cursor, SIZE_MAX);
    stream->values = td_arena_alloc_array(&stream->arena, (size_t)load->field_count + 1, TD_SIM_VALUE_BYTES);
    stream->attributes = td_arena_alloc_array(&stream->arena, (size_t)load->field_count + 1, sizeof(td_attribute));
    stream->pad = td_arena_alloc_zero(&stream->arena, load->size_bytes_max);
    bool is_ready = stream->values != NULL && stream->attributes != NULL && stream->pad != NULL;
    for (uint32_t i = 0; i < load->field_count && is_ready; i++)
        is_ready = td_sim__source_prepare(&load->fields[i].source, seed + i, &stream->arena);
    return is_ready && prepare_operations(stream);
}

void td_sim__stream_done(td_sim_stream *stream)
{
    td_arena_done(&stream->cursor);
    td_arena_done(&stream->arena);
}

void td_sim__stream_begin(td_sim_stream *stream, td_time_us begins_us, td_time_us duration_us, double scale)
{
    const td_sim_load *load = stream->load;
    stream->begins_us = begins_us;
    td_sim__arrival_init(&stream->arrival, load->from_per_s * scale, load->to_per_s * scale,
                         (double)duration_us / (double)TD_US_PER_S, load->is_poisson, &stream->rng);
    td_time_us after_us = td_sim__arrival_next_us(&stream->arrival);
    stream->next_us = after_us == TD_NEVER ? TD_NEVER : begins_us + after_us;
}

td_sim_outcome td_sim__stream_send(td_sim_stream *stream, td_sim_world *world)
{
    static td_status (*const senders[TD_SIM_OPERATION_COUNT])(td_sim_stream *, td_sim_world *, td_sim_outcome *) = {
        [TD_SIM_PUT] = put,     [TD_SIM_GET] = get,  [TD_SIM_UPDATE] = update, [TD_SIM_DELETE] = delete_item,
        [TD_SIM_QUERY] = query, [TD_SIM_SCAN] = scan};
    if (!stream->is_retry) draw_operation(stream, world->now_us);
    td_sim_outcome outcome = {.direction = is_write(stream->drawn) ? TD_WRITE : TD_READ};
    outcome.status = senders[stream->drawn](stream, world, &outcome);
    stream->is_retry = stream->load->retries && world->error.throttle != NULL;
    return outcome;
}

static void draw_operation(td_sim_stream *stream, td_time_us now_us)
{
    stream->drawn =
        stream->has_several ? (td_sim_operation)td_sim__alias_draw(&stream->operations, &stream->rng) : stream->only;
    draw_fields(stream, now_us, stream->drawn == TD_SIM_PUT || stream->drawn == TD_SIM_UPDATE);
}

static bool prepare_operations(td_sim_stream *stream)
{
    uint32_t kinds = 0;
    for (int i = 0; i < TD_SIM_OPERATION_COUNT; i++) {
        if (stream->load->weights[i] <= 0) continue;
        kinds++;
        stream->only = (td_sim_operation)i;
    }
    TD_ASSERT(kinds > 0);
    stream->has_several = kinds > 1;
    return kinds == 1 ||
           td_sim__alias_init(&stream->operations, stream->load->weights, TD_SIM_OPERATION_COUNT, &stream->arena);
}

/* The item's attributes, sorted, and its key among them; what is no key only when it is written. */
static void draw_fields(td_sim_stream *stream, td_time_us now_us, bool with_attributes)
{
    const td_sim_load *load = stream->load;
    stream->attribute_count = 0;
    stream->key_count = 0;
    for (uint32_t i = 0; i < load->field_count; i++) {
        td_sim_field *field = &load->fields[i];
        if (!field->is_key && !with_attributes) continue;
        if (field->share < 1 && td_rng_unit(&stream->rng) >= field->share) continue;
        uint8_t *bytes = stream->values + (size_t)i * TD_SIM_VALUE_BYTES;
        size_t len = td_sim__source_draw(&field->source, &stream->rng, now_us, bytes);
        td_attribute attribute = {.name = field->name,
                                  .value = {.type = field->source.type, .bytes = td_slice_of(bytes, len)}};
        stream->attributes[stream->attribute_count++] = attribute;
        if (field->is_key) stream->key[stream->key_count++] = attribute;
    }
    if (with_attributes && load->size_bytes_max > 0) pad_item(stream);
}

static void pad_item(td_sim_stream *stream)
{
    const td_sim_load *load = stream->load;
    uint64_t size = load->size_bytes_min;
    if (load->size_bytes_max > size) size += td_rng_below(&stream->rng, load->size_bytes_max - size + 1);
    uint64_t has = td_attributes_size(stream->attributes, stream->attribute_count) + PAD_NAME.len;
    if (size <= has) return;
    uint32_t at = stream->attribute_count++;
    for (; at > 0 && td_slice_compare(stream->attributes[at - 1].name, PAD_NAME) > 0; at--)
        stream->attributes[at] = stream->attributes[at - 1];
    stream->attributes[at] = (td_attribute){
        .name = PAD_NAME, .value = {.type = TD_TYPE_B, .bytes = td_slice_of(stream->pad, (size_t)(size - has))}};
}

static td_status put(td_sim_stream *stream, td_sim_world *world, td_sim_outcome *outcome)
{
    td_write write = {
        .kind = TD_WRITE_PUT, .attributes = stream->attributes, .attribute_count = stream->attribute_count};
    return write_item(stream, world, &write, outcome);
}

/* Sets whatever is no key. */
static td_status update(td_sim_stream *stream, td_sim_world *world, td_sim_outcome *outcome)
{
    td_legacy_update changes[TD_SIM_FIELDS_MAX + 1];
    uint32_t count = 0;
    for (uint32_t i = 0; i < stream->attribute_count; i++) {
        const td_attribute *attribute = &stream->attributes[i];
        if (td_value_find(stream->key, stream->key_count, attribute->name) != NULL) continue;
        changes[count++] =
            (td_legacy_update){.attribute = attribute->name, .action = TD_LEGACY_PUT, .value = &attribute->value};
    }
    td_update *program = NULL;
    if (count > 0) TD_TRY(td_update_of_legacy(changes, count, &world->arena, &program, &world->error));
    td_write write = {
        .kind = TD_WRITE_UPDATE, .attributes = stream->key, .attribute_count = stream->key_count, .update = program};
    return write_item(stream, world, &write, outcome);
}

static td_status delete_item(td_sim_stream *stream, td_sim_world *world, td_sim_outcome *outcome)
{
    td_write write = {.kind = TD_WRITE_DELETE, .attributes = stream->key, .attribute_count = stream->key_count};
    return write_item(stream, world, &write, outcome);
}

static td_status write_item(td_sim_stream *stream, td_sim_world *world, const td_write *write, td_sim_outcome *outcome)
{
    td_call call = td_sim__world_call(world, stream->table);
    td_write_result *result = &stream->result.written;
    TD_TRY(td_write_item(&call, write, result, &world->error));
    outcome->consumed = &result->consumed;
    return TD_OK;
}

static td_status get(td_sim_stream *stream, td_sim_world *world, td_sim_outcome *outcome)
{
    td_call call = td_sim__world_call(world, stream->table);
    td_get wanted = {.key = stream->key, .key_count = stream->key_count, .is_consistent = stream->load->is_consistent};
    td_get_result *result = &stream->result.got;
    TD_TRY(td_get_item(&call, &wanted, result, &world->error));
    outcome->consumed = &result->consumed;
    return TD_OK;
}

/* The whole collection of the partition key, or as much of it as a page or the limit holds. */
static td_status query(td_sim_stream *stream, td_sim_world *world, td_sim_outcome *outcome)
{
    const td_sim_load *load = stream->load;
    td_call call = td_sim__world_call(world, stream->table);
    td_keys keys;
    TD_TRY(td_table_find_keys(&call, load->index, &keys, &world->error));
    const td_key_schema *schema = keys.index == NULL ? keys.table : keys.index;
    const td_value *value = td_value_find(stream->key, stream->key_count, schema->parts[0].name);
    TD_ASSERT(value != NULL);
    td_key_range range = {.hash_parts = {value->bytes}, .kind = TD_RANGE_ALL};
    td_page_request request = {
        .index = load->index, .range = &range, .is_consistent = load->is_consistent, .limit = load->limit};
    td_page *page = &stream->result.page;
    TD_TRY(td_read_page(&call, &request, page, &world->error));
    outcome->consumed = &page->consumed;
    return TD_OK;
}

/* Page after page, and from the start again. */
static td_status scan(td_sim_stream *stream, td_sim_world *world, td_sim_outcome *outcome)
{
    const td_sim_load *load = stream->load;
    td_call call = td_sim__world_call(world, stream->table);
    td_page_request request = {.index = load->index,
                               .is_consistent = load->is_consistent,
                               .limit = load->limit,
                               .start_key = stream->start_key,
                               .start_key_count = stream->start_key_count};
    td_page *page = &stream->result.page;
    TD_TRY(td_read_page(&call, &request, page, &world->error));
    outcome->consumed = &page->consumed;
    return keep_place(stream, world, page);
}

static td_status keep_place(td_sim_stream *stream, td_sim_world *world, const td_page *page)
{
    td_arena_reset(&stream->cursor);
    stream->start_key = NULL;
    stream->start_key_count = 0;
    if (page->last == NULL) return TD_OK;
    td_attribute *key = td_arena_alloc_array(&stream->cursor, page->key_name_count, sizeof *key);
    uint32_t count = 0;
    for (uint32_t i = 0; i < page->key_name_count && key != NULL; i++) {
        td_stored stored;
        if (!td_item_find(page->last, page->key_names[i], &stored)) continue;
        key[count].name = TD_LIT("");
        key[count].value = (td_value){.type = stored.type};
        bool is_kept = td_arena_copy(&stream->cursor, page->key_names[i], &key[count].name) &&
                       td_arena_copy(&stream->cursor, stored.bytes, &key[count].value.bytes);
        if (!is_kept) return TD_RAISE(&world->error, TD_MSG_OUT_OF_MEMORY);
        count++;
    }
    if (key == NULL) return TD_RAISE(&world->error, TD_MSG_OUT_OF_MEMORY);
    td_value_sort_attributes(key, &count);
    stream->start_key = key;
    stream->start_key_count = count;
    return TD_OK;
}
