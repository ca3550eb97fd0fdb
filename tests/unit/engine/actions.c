/* SPDX-License-Identifier: Apache-2.0
 * actions.c: transactions for the engine's tests. */
#include "actions.h"

td_transact_write_result wrote;

static td_condition *compile(td_world *world, const char *text)
{
    if (text == NULL) return NULL;
    td_condition *condition = NULL;
    ck_assert_int_eq(td_condition_compile(TD_EXPR_CONDITION, td_slice_of_cstr(text), NULL, world->call.arena,
                                          &condition, &world->fixture.error),
                     TD_OK);
    return condition;
}

td_action make_action(td_world *world, td_write_kind kind, const char *table, const char *condition,
                      td_given_attributes attributes)
{
    return (td_action){.table = td_slice_of_cstr(table),
                       .write = {.kind = kind,
                                 .attributes = attributes.attributes,
                                 .attribute_count = attributes.count,
                                 .condition = compile(world, condition)}};
}

td_action make_check(td_world *world, const char *table, const char *condition, td_given_attributes key)
{
    td_action action = make_action(world, TD_WRITE_PUT, table, condition, key); /* the kind does not matter */
    action.is_check = true;
    return action;
}

td_action make_update(td_world *world, const char *table, const char *text, const td_given *values,
                      td_given_attributes key)
{
    td_given_attributes given = td_given_make_attributes(world->call.arena, values);
    td_expr_value *kept = td_arena_alloc_array(world->call.arena, given.count, sizeof *kept);
    ck_assert_ptr_nonnull(kept);
    for (uint32_t i = 0; i < given.count; i++)
        kept[i] = (td_expr_value){.mark = given.attributes[i].name, .value = given.attributes[i].value};
    td_expr_marks marks = {.values = kept, .value_count = given.count};
    td_update *update = NULL;
    ck_assert_int_eq(
        td_update_compile(td_slice_of_cstr(text), &marks, world->call.arena, &update, &world->fixture.error), TD_OK);
    td_action action = make_action(world, TD_WRITE_UPDATE, table, NULL, key);
    action.write.update = update;
    return action;
}

td_action with_item_on_failure(td_action action)
{
    action.write.wants_item_on_failure = true;
    return action;
}

td_status run_actions(td_world *world, const char *token, uint64_t fingerprint, const td_action *actions, size_t count)
{
    td_transact_write request = {
        .actions = actions, .count = (uint32_t)count, .token = td_slice_of_cstr(token), .fingerprint = fingerprint};
    world->fixture.error = (td_error){.arena = world->call.arena};
    return td_transact_write_items(&world->call, &request, &wrote, &world->fixture.error);
}

td_transact_get make_get(const char *table, td_given_attributes key)
{
    return (td_transact_get){.table = td_slice_of_cstr(table), .key = key.attributes, .key_count = key.count};
}

td_status run_gets(td_world *world, td_transact_get_result *ret_result, const td_transact_get *gets, size_t count)
{
    world->fixture.error = (td_error){.arena = world->call.arena};
    return td_transact_get_items(&world->call, gets, (uint32_t)count, ret_result, &world->fixture.error);
}

const char *show_reasons(td_world *world)
{
    const td_cancellations *cancellations = world->fixture.error.cancellations;
    ck_assert_ptr_nonnull(cancellations);
    td_slice text = TD_LIT("");
    for (uint32_t i = 0; i < cancellations->count; i++) {
        const td_cancellation *reason = &cancellations->reasons[i];
        ck_assert(td_arena_format(world->call.arena, &text, "%.*s%s%.*s%s%.*s", (int)text.len, (const char *)text.ptr,
                                  i == 0 ? "" : " | ", (int)reason->code.len, (const char *)reason->code.ptr,
                                  reason->text.len == 0 ? "" : ": ", (int)reason->text.len,
                                  (const char *)reason->text.ptr));
    }
    return (const char *)text.ptr;
}

const char *show_consumed(td_world *world, const td_table_consumed *tables, uint32_t count)
{
    td_arena *arena = world->call.arena;
    td_slice text = TD_LIT("");
    for (uint32_t i = 0; i < count; i++) {
        const td_consumed *consumed = &tables[i].consumed;
        ck_assert(td_arena_format(arena, &text, "%.*s%s%.*s %g", (int)text.len, (const char *)text.ptr,
                                  i == 0 ? "" : ", ", (int)tables[i].table.len, (const char *)tables[i].table.ptr,
                                  (double)consumed->table / TD_UNITS_ONE));
        for (uint32_t j = 0; j < consumed->index_count; j++) {
            td_slice name = consumed->indexes[j].name;
            ck_assert(td_arena_format(arena, &text, "%.*s+%.*s %g", (int)text.len, (const char *)text.ptr,
                                      (int)name.len, (const char *)name.ptr,
                                      (double)consumed->indexes[j].units / TD_UNITS_ONE));
        }
    }
    return (const char *)text.ptr;
}

td_given filling(td_world *world, size_t bytes)
{
    size_t len = bytes - (sizeof "pkad" - 1);
    char *text = td_arena_alloc(world->call.arena, len);
    ck_assert_ptr_nonnull(text);
    memset(text, 'x', len);
    return S_OF("d", td_slice_of(text, len));
}

double balance(td_world *world, const char *table, td_direction direction)
{
    td_call call = world->call;
    call.table = td_slice_of_cstr(table);
    td_table_view view;
    ck_assert(td_observe_table(&call, &view));
    return view.resources[0].bucket[direction].balance;
}
