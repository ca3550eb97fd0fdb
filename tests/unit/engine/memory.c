/* SPDX-License-Identifier: MIT
 * memory.c: each request with each of its allocations failing once: a clean status, nothing lost, nothing half done. */
#include "actions.h"
#include "suites.h"
#include "support/failing_memory.h"
#include "world.h"

#define ALLOCATIONS_MAX 2000

typedef td_status step_function(td_world *world);

static void make_full_table(td_world *world)
{
    make_table(world, "T", KEY("pk", S, "sk", N),
               INDEXES(LOCAL("lix", KEY("pk", S, "lk", N), .projection = TD_PROJECT_KEYS_ONLY),
                       GLOBAL("gix", KEY("gh", S)), GLOBAL("inc", KEY("gh", S), INCLUDING(TD_LIT("a")))));
    put(world, S("pk", "p"), N("sk", "1"), N("lk", "1"), S("gh", "g"), S("a", "A"));
}

/* Items and entries by count, of a table that is ready for the next change: what must not differ after a failure. */
static const char *show_counts(td_world *world)
{
    world_use(world, "T");
    td_table_info info = describe(world);
    td_slice text;
    ck_assert_int_eq(info.status, TD_TABLE_ACTIVE);
    ck_assert(td_arena_format(world->call.arena, &text, "%llu/%llu", (unsigned long long)info.item_count,
                              (unsigned long long)info.size_bytes));
    for (uint32_t i = 0; i < info.index_count; i++) {
        ck_assert(td_arena_format(world->call.arena, &text, "%.*s %llu/%llu", (int)text.len, (const char *)text.ptr,
                                  (unsigned long long)info.indexes[i].item_count,
                                  (unsigned long long)info.indexes[i].size_bytes));
    }
    return (const char *)text.ptr;
}

static td_status put_new(td_world *world)
{
    return try_put(world, S("pk", "q"), N("sk", "1"), N("lk", "1"), S("gh", "g"), S("a", "A"));
}

static td_status put_moving(td_world *world)
{
    return try_put(world, S("pk", "p"), N("sk", "1"), N("lk", "2"), S("gh", "h"), S("a", "B"));
}

static td_status update_moving(td_world *world)
{
    return try_update(world, "SET lk = :l, gh = :g", VALUES(N(":l", "5"), S(":g", "i")), S("pk", "p"), N("sk", "1"));
}

static td_status delete_old(td_world *world)
{
    return try_delete(world, S("pk", "p"), N("sk", "1"));
}

static td_status transact_moving(td_world *world)
{
    td_given_attributes moved =
        attributes_of(world->call.arena, S("pk", "p"), N("sk", "1"), N("lk", "2"), S("gh", "h"), S("a", "B"));
    td_given_attributes added =
        attributes_of(world->call.arena, S("pk", "q"), N("sk", "1"), N("lk", "1"), S("gh", "g"), S("a", "A"));
    td_given_attributes absent = attributes_of(world->call.arena, S("pk", "r"), N("sk", "1"));
    const td_action actions[] = {make_action(world, TD_WRITE_PUT, "T", NULL, moved),
                                 make_action(world, TD_WRITE_PUT, "T", NULL, added),
                                 make_action(world, TD_WRITE_DELETE, "T", NULL, absent)};
    return run_actions(world, "token", 1, actions, TD_COUNT_OF(actions));
}

static td_status transact_reading(td_world *world)
{
    td_given_attributes key = attributes_of(world->call.arena, S("pk", "p"), N("sk", "1"));
    td_transact_get get = make_get("T", key);
    td_transact_get_result result;
    return run_gets(world, &result, &get, 1);
}

static td_status scan_local(td_world *world)
{
    td_page page;
    td_page_request request = {.index = TD_LIT("lix"), .needs_whole_items = true};
    return td_read_page(&world->call, &request, &page, &world->fixture.error);
}

static td_status create_table(td_world *world)
{
    td_index_spec indexes[] = {GLOBAL("gix", KEY("gh", S))};
    td_attribute_definition definitions[] = {{TD_LIT("pk"), TD_TYPE_S}, {TD_LIT("gh"), TD_TYPE_S}};
    td_table_spec spec = SPEC(KEY("pk", S), .billing = TD_BILLING_ON_DEMAND, .name = TD_LIT("U"),
                              .definitions = definitions, .definition_count = 2, .indexes = indexes, .index_count = 1);
    td_table_info info;
    td_status status = td_table_create(&world->call, &spec, &info, &world->fixture.error);
    if (status == TD_OK) td_store_drop(world->store, TD_LIT(""), TD_LIT("U"));
    return status;
}

static td_status change_throughput(td_world *world)
{
    td_table_change change = {.has_billing = true,
                              .billing = TD_BILLING_ON_DEMAND,
                              .has_warm = true,
                              .warm = UNITS(12000, 16000),
                              .has_encryption = true,
                              .encryption = {true, true, TD_LIT("key")}};
    td_table_info info;
    return td_table_update(&world->call, &change, &info, &world->fixture.error);
}

static td_status make_index(td_world *world)
{
    td_index_change make = {.action = TD_INDEX_CREATE, .spec = GLOBAL("new", KEY("gh", S))};
    td_attribute_definition definition = {TD_LIT("gh"), TD_TYPE_S};
    td_table_change change = {.definitions = &definition, .definition_count = 1, .indexes = &make, .index_count = 1};
    td_table_info info;
    return td_table_update(&world->call, &change, &info, &world->fixture.error);
}

/* After the reset the arena has its first chunk for what the test itself builds: only the engine's allocations fail. */
static void fail_each_allocation(step_function *step)
{
    for (uint64_t nth = 1; nth < ALLOCATIONS_MAX; nth++) {
        td_world world;
        world_init(&world);
        make_full_table(&world);
        char before[256];
        snprintf(before, sizeof before, "%s", show_counts(&world));
        world_forget(&world);
        failing_memory_fail_at(nth);
        td_status status = step(&world);
        bool has_failed = failing_memory_has_failed();
        failing_memory_fail_at(0);
        ck_assert_int_eq(status, has_failed ? TD_OUT_OF_MEMORY : TD_OK);
        if (has_failed) ck_assert_str_eq(show_counts(&world), before);
        world_done(&world);
        if (!has_failed) return;
    }
    ck_abort_msg("more allocations than a step may have");
}

START_TEST(a_failed_allocation_leaves_no_trace)
{
    static step_function *const steps[] = {put_new,           put_moving,       update_moving, delete_old,
                                           transact_moving,   transact_reading, scan_local,    create_table,
                                           change_throughput, make_index};
    for (size_t i = 0; i < TD_COUNT_OF(steps); i++)
        fail_each_allocation(steps[i]);
}
END_TEST

TCase *memory_tests(void)
{
    TCase *tests = tcase_create("memory");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, a_failed_allocation_leaves_no_trace);
    return tests;
}
