/* SPDX-License-Identifier: Apache-2.0
 * world.c: the fixture of the engine's tests. */
#include "world.h"

#include <string.h>

void world_init(td_world *world)
{
    world_init_with(world, world_options());
}

void world_init_with(td_world *world, td_store_options options)
{
    memset(world, 0, sizeof *world);
    td_fixture_init(&world->fixture);
    world->store = td_store_new(&options);
    ck_assert_ptr_nonnull(world->store);
    world->call = (td_call){
        .store = world->store,
        .arena = &world->fixture.arena,
        .now_us = WORLD_START_US,
        .region = TD_LIT("eu-west-1"),
    };
}

void world_done(td_world *world)
{
    td_arena_reset(&world->fixture.arena);
    td_store_free(world->store);
    td_fixture_done(&world->fixture);
}

td_store_options world_options(void)
{
    td_store_options options = {.placement = TD_PLACEMENT_SERVICE, .seed = 1};
    td_capacity_settings_init(&options.capacity);
    return options;
}

void world_move(td_world *world, double seconds)
{
    world->call.now_us += (td_time_us)(seconds * 1e6 + 0.5);
    td_store_run_due(world->store, world->call.now_us);
}

void world_use(td_world *world, const char *table)
{
    world->call.table = td_slice_of_cstr(table);
}

void world_forget(td_world *world)
{
    td_arena_reset(&world->fixture.arena);
}

td_key_schema key_of_parts(const char *hash, td_type hash_type, const char *range, td_type range_type)
{
    td_key_schema key = {.hash_count = 1};
    key.parts[0] = (td_key_part){.name = td_slice_of_cstr(hash), .type = hash_type};
    if (range != NULL) {
        key.range_count = 1;
        key.parts[1] = (td_key_part){.name = td_slice_of_cstr(range), .type = range_type};
    }
    return key;
}

static void define(td_table_spec *spec, const td_key_schema *key)
{
    for (uint32_t i = 0; i < td_key_part_count(key); i++) {
        bool is_known = false;
        for (uint32_t k = 0; k < spec->definition_count; k++) {
            is_known = is_known || td_slice_equal(spec->definitions[k].name, key->parts[i].name);
        }
        if (is_known) continue;
        td_attribute_definition *definition = &spec->definitions[spec->definition_count++];
        *definition = (td_attribute_definition){.name = key->parts[i].name, .type = key->parts[i].type};
    }
}

td_status try_make_table(td_world *world, const char *table, td_table_spec spec)
{
    td_attribute_definition definitions[64];
    spec.name = td_slice_of_cstr(table);
    spec.definitions = definitions;
    spec.billing = spec.throughput.rate[TD_READ] > 0 ? TD_BILLING_PROVISIONED : TD_BILLING_ON_DEMAND;
    define(&spec, &spec.key);
    for (uint32_t i = 0; i < spec.index_count; i++)
        define(&spec, &spec.indexes[i].key);
    world_use(world, table);
    td_table_info info;
    return td_table_create(&world->call, &spec, &info, &world->fixture.error);
}

td_table_info describe(td_world *world)
{
    td_table_info info;
    ck_assert_int_eq(td_table_describe(&world->call, &info, &world->fixture.error), TD_OK);
    return info;
}

const td_index_info *find_index(const td_table_info *info, const char *index)
{
    for (uint32_t i = 0; i < info->index_count; i++) {
        if (td_slice_equal(info->indexes[i].spec.name, td_slice_of_cstr(index))) return &info->indexes[i];
    }
    ck_abort_msg("no index %s", index);
    return NULL;
}

td_status run_write(td_world *world, const td_write *write, td_write_result *ret_result)
{
    td_status status = td_write_item(&world->call, write, ret_result, &world->fixture.error);
    if (status == TD_OK) {
        world->consumed = ret_result->consumed;
        world->collection_bytes = ret_result->collection_bytes;
    }
    return status;
}

td_status try_write(td_world *world, td_write_kind kind, td_given_attributes attributes, const char *condition)
{
    td_write write = {.kind = kind, .attributes = attributes.attributes, .attribute_count = attributes.count};
    if (condition != NULL) {
        td_condition *compiled = NULL;
        ck_assert_int_eq(td_condition_compile(TD_EXPR_CONDITION, td_slice_of_cstr(condition), NULL,
                                              &world->fixture.arena, &compiled, &world->fixture.error),
                         TD_OK);
        write.condition = compiled;
    }
    td_write_result result;
    return run_write(world, &write, &result);
}

td_status try_write_update(td_world *world, const char *text, const td_given *values, td_given_attributes key)
{
    td_given_attributes given = td_given_make_attributes(&world->fixture.arena, values);
    td_expr_marks marks = {.values = td_arena_alloc_zero(&world->fixture.arena, 8 * sizeof(td_expr_value)),
                           .value_count = given.count};
    ck_assert_ptr_nonnull(marks.values);
    ck_assert_uint_le(given.count, 8);
    for (uint32_t i = 0; i < given.count; i++) {
        marks.values[i] = (td_expr_value){.mark = given.attributes[i].name, .value = given.attributes[i].value};
    }
    td_update *compiled = NULL;
    ck_assert_int_eq(
        td_update_compile(td_slice_of_cstr(text), &marks, &world->fixture.arena, &compiled, &world->fixture.error),
        TD_OK);
    td_write write = {
        .kind = TD_WRITE_UPDATE, .attributes = key.attributes, .attribute_count = key.count, .update = compiled};
    td_write_result result;
    return run_write(world, &write, &result);
}

const td_item *get_item(td_world *world, td_given_attributes key)
{
    td_get asked = {.key = key.attributes, .key_count = key.count, .is_consistent = true};
    td_get_result result;
    ck_assert_int_eq(td_get_item(&world->call, &asked, &result, &world->fixture.error), TD_OK);
    world->consumed = result.consumed;
    return result.item;
}

td_key_range range_of(td_world *world, td_given hash)
{
    td_value value = value_of(&world->fixture.arena, hash);
    return (td_key_range){.hash_parts = {value.bytes}};
}

td_page read_page(td_world *world, td_page_request request)
{
    td_page page;
    td_status status = td_read_page(&world->call, &request, &page, &world->fixture.error);
    if (status != TD_OK) ck_abort_msg("page: %s", error_text(world));
    world->consumed = page.consumed;
    return page;
}

const char *show_page(td_world *world, const td_page *page, const char *attribute)
{
    td_arena *arena = &world->fixture.arena;
    td_slice text = TD_LIT("");
    for (uint32_t i = 0; i < page->count; i++) {
        td_stored stored;
        td_slice shown = TD_LIT("-");
        char number[TD_NUMBER_TEXT_MAX];
        if (td_item_find(page->items[i], td_slice_of_cstr(attribute), &stored)) {
            shown = stored.bytes;
            if (stored.type == TD_TYPE_N) shown = td_slice_of(number, td_number_print(stored.bytes, number));
        }
        ck_assert(td_arena_format(arena, &text, "%.*s%s%.*s", (int)text.len, (const char *)text.ptr, i == 0 ? "" : " ",
                                  (int)shown.len, (const char *)shown.ptr));
    }
    ck_assert(td_arena_format(arena, &text, "%.*s", (int)text.len, (const char *)text.ptr));
    return (const char *)text.ptr;
}

td_given_attributes last_key(td_world *world, const td_page *page)
{
    td_arena *arena = &world->fixture.arena;
    ck_assert_ptr_nonnull(page->last);
    td_attribute *attributes = td_arena_alloc_array(arena, page->key_name_count, sizeof *attributes);
    ck_assert_ptr_nonnull(attributes);
    uint32_t count = page->key_name_count;
    for (uint32_t i = 0; i < count; i++) {
        td_stored stored;
        ck_assert(td_item_find(page->last, page->key_names[i], &stored));
        attributes[i].name = page->key_names[i];
        ck_assert_int_eq(td_stored_decode(&stored, arena, &attributes[i].value), TD_OK);
    }
    td_value_sort_attributes(attributes, &count);
    return (td_given_attributes){.attributes = attributes, .count = count};
}

td_units index_units(const td_consumed *consumed, const char *index)
{
    for (uint32_t i = 0; i < consumed->index_count; i++) {
        if (td_slice_equal(consumed->indexes[i].name, td_slice_of_cstr(index))) return consumed->indexes[i].units;
    }
    return -1;
}

const char *error_text(td_world *world)
{
    td_slice copy;
    td_slice text = world->fixture.error.text;
    ck_assert(td_arena_format(&world->fixture.arena, &copy, "%.*s", (int)text.len, (const char *)text.ptr));
    return (const char *)copy.ptr;
}
