/* SPDX-License-Identifier: Apache-2.0
 * table.c: tests of creating, describing, listing and deleting tables. */
#include "thermodyn/table.h"

#include "suites.h"
#include "world.h"

START_TEST(create_answers_creating_and_describe_active)
{
    td_world world;
    world_init(&world);
    td_attribute_definition definitions[] = {{TD_LIT("pk"), TD_TYPE_S}, {TD_LIT("gh"), TD_TYPE_N}};
    td_index_spec index = GLOBAL("gix", KEY("gh", N));
    td_table_spec spec = SPEC(KEY("pk", S), .billing = TD_BILLING_ON_DEMAND, .name = TD_LIT("T"),
                              .definitions = definitions, .definition_count = 2, .indexes = &index, .index_count = 1);
    td_table_info created;
    world_use(&world, "T");
    ck_assert_int_eq(td_table_create(&world.call, &spec, &created, &world.fixture.error), TD_OK);
    ck_assert_int_eq(created.status, TD_TABLE_CREATING);
    ck_assert_int_eq(created.indexes[0].status, TD_TABLE_CREATING);
    ck_assert_int_eq(created.billing_changed_us, 0);

    td_table_info described = describe(&world);
    ck_assert_int_eq(described.status, TD_TABLE_ACTIVE);
    ck_assert_int_eq(described.indexes[0].status, TD_TABLE_ACTIVE);
    ck_assert_int_eq(described.billing_changed_us, WORLD_START_US);
    ck_assert_str_eq(described.table_id, created.table_id);
    ck_assert_uint_eq(strlen(described.table_id), 36);
    ck_assert_int_eq(described.spec.warm.rate[TD_READ], 12000);
    ck_assert_int_eq(described.spec.warm.rate[TD_WRITE], 4000);
    ck_assert_uint_eq(described.spec.definition_count, 2);
    ck_assert_int_eq(td_store_next_due(world.store), TD_NEVER);
    world_done(&world);
}
END_TEST

START_TEST(a_name_is_taken_once)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", S));
    td_table_info first = describe(&world);
    REFUSED(&world, try_make_table(&world, "T", SPEC(KEY("pk", S))), TD_RESOURCE_IN_USE, "Table already exists: T");
    ck_assert_str_eq(describe(&world).table_id, first.table_id);
    world_done(&world);
}
END_TEST

START_TEST(scopes_do_not_see_each_other)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", S));
    world.call.scope = TD_LIT("other");
    td_table_info info;
    REFUSED(&world, td_table_describe(&world.call, &info, &world.fixture.error), TD_RESOURCE_NOT_FOUND,
            "Requested resource not found: Table: T not found");
    make_table(&world, "T", KEY("pk", N));
    ck_assert_int_eq(describe(&world).spec.key.parts[0].type, TD_TYPE_N);
    ck_assert_uint_eq(td_store_table_count(world.store), 2);
    td_store_drop(world.store, TD_LIT(""), TD_LIT("T"));
    ck_assert_uint_eq(td_store_table_count(world.store), 1);
    ck_assert_int_eq(describe(&world).spec.key.parts[0].type, TD_TYPE_N);
    world_done(&world);
}
END_TEST

START_TEST(a_scope_may_have_any_length)
{
    td_world world;
    world_init(&world);
    char *scope = td_arena_alloc(world.call.arena, 5000);
    ck_assert_ptr_nonnull(scope);
    memset(scope, 's', 5000);
    world.call.scope = td_slice_of(scope, 5000);
    make_table(&world, "T", KEY("pk", S));
    put(&world, S("pk", "a"));
    world.call.scope = td_slice_of(scope, 4999);
    td_table_info info;
    ck_assert_int_eq(td_table_describe(&world.call, &info, &world.fixture.error), TD_RESOURCE_NOT_FOUND);
    td_store_drop(world.store, td_slice_of(scope, 5000), TD_LIT("T"));
    ck_assert_uint_eq(td_store_table_count(world.store), 0);
    world_done(&world);
}
END_TEST

static const char *list(td_world *world, const char *after, uint32_t limit, bool *ret_has_more)
{
    td_slice *names = NULL;
    uint32_t count = 0;
    ck_assert_int_eq(td_table_list(&world->call, td_slice_of_cstr(after), limit, &names, &count, ret_has_more), TD_OK);
    td_slice text = TD_LIT("");
    for (uint32_t i = 0; i < count; i++) {
        ck_assert(td_arena_format(world->call.arena, &text, "%.*s[%.*s]", (int)text.len, (const char *)text.ptr,
                                  (int)names[i].len, (const char *)names[i].ptr));
    }
    return count == 0 ? "" : (const char *)text.ptr;
}

START_TEST(list_goes_by_names_of_the_scope)
{
    td_world world;
    world_init(&world);
    static const char *const names[] = {"b", "a", "B", "ab", "c"};
    for (size_t i = 0; i < TD_COUNT_OF(names); i++)
        make_table(&world, names[i], KEY("pk", S));
    world.call.scope = TD_LIT("a");
    make_table(&world, "hidden", KEY("pk", S));
    world.call.scope = TD_LIT("");
    bool has_more = true;
    ck_assert_str_eq(list(&world, "", 100, &has_more), "[B][a][ab][b][c]");
    ck_assert(!has_more);
    ck_assert_str_eq(list(&world, "", 2, &has_more), "[B][a]");
    ck_assert(has_more);
    ck_assert_str_eq(list(&world, "a", 2, &has_more), "[ab][b]");
    ck_assert(has_more);
    ck_assert_str_eq(list(&world, "aa", 3, &has_more), "[ab][b][c]");
    ck_assert(!has_more);
    ck_assert_str_eq(list(&world, "c", 3, &has_more), "");
    ck_assert(!has_more);
    world_done(&world);
}
END_TEST

START_TEST(deleted_tables_are_gone)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", S), PROVISIONED(5, 5));
    put(&world, S("pk", "a"));
    td_table_info info;
    ck_assert_int_eq(td_table_delete(&world.call, &info, &world.fixture.error), TD_OK);
    ck_assert_int_eq(info.status, TD_TABLE_DELETING);
    ck_assert_uint_eq(info.item_count, 1);
    REFUSED(&world, td_table_delete(&world.call, &info, &world.fixture.error), TD_RESOURCE_NOT_FOUND,
            "Requested resource not found: Table: T not found");
    REFUSED(&world, try_put(&world, S("pk", "a")), TD_RESOURCE_NOT_FOUND, "Requested resource not found");
    make_table(&world, "T", KEY("pk", S));
    ck_assert_ptr_null(get(&world, S("pk", "a")));
    world_done(&world);
}
END_TEST

START_TEST(protected_tables_stay)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", S), .has_deletion_protection = true);
    td_table_info info;
    REFUSED(&world, td_table_delete(&world.call, &info, &world.fixture.error), TD_VALIDATION,
            "Resource cannot be deleted as it is currently protected against deletion. "
            "Disable deletion protection first.");
    ck_assert_int_eq(describe(&world).status, TD_TABLE_ACTIVE);
    world_done(&world);
}
END_TEST

START_TEST(drop_all_empties_the_store)
{
    td_world world;
    world_init(&world);
    make_table(&world, "A", KEY("pk", S), .has_deletion_protection = true);
    make_table(&world, "B", KEY("pk", S));
    td_store_drop_all(world.store);
    ck_assert_uint_eq(td_store_table_count(world.store), 0);
    td_store_drop(world.store, TD_LIT(""), TD_LIT("A"));
    world_done(&world);
}
END_TEST

START_TEST(quotas_bound_what_is_provisioned)
{
    td_world world;
    world_init(&world);
    REFUSED(&world, try_make_table(&world, "T", SPEC(KEY("pk", S), PROVISIONED(1, 45000))), TD_LIMIT_EXCEEDED,
            "The requested WriteCapacityUnits, 45000, is above the per table maximum for the account in eu-west-1. "
            "Per table maximum: 40000. Refer to the Amazon DynamoDB Developer Guide for current limits and how to "
            "request higher limits.");
    make_table(&world, "A", KEY("pk", S), PROVISIONED(40000, 1));
    make_table(&world, "B", KEY("pk", S), PROVISIONED(39000, 1));
    REFUSED(&world, try_make_table(&world, "T", SPEC(KEY("pk", S), PROVISIONED(1001, 1))), TD_LIMIT_EXCEEDED,
            "This request would have caused the ReadCapacityUnits limit to be exceeded for the account in eu-west-1. "
            "Current ReadCapacityUnits reserved by the account: 79000. Limit: 80000. Requested: 1001. Refer to the "
            "Amazon DynamoDB Developer Guide for current limits and how to request higher limits.");
    make_table(&world, "C", KEY("pk", S), PROVISIONED(1000, 1));
    world_use(&world, "A");
    td_table_info info;
    ck_assert_int_eq(td_table_delete(&world.call, &info, &world.fixture.error), TD_OK);
    make_table(&world, "D", KEY("pk", S), PROVISIONED(40000, 1));
    world_done(&world);
}
END_TEST

START_TEST(warm_throughput_starts_where_the_mode_does)
{
    td_world world;
    world_init(&world);
    REFUSED(&world, try_make_table(&world, "T", SPEC(KEY("pk", S), .warm = UNITS(11999, 4000))), TD_VALIDATION,
            "One or more parameter values were invalid: Requested ReadUnitsPerSecond for WarmThroughput for table is "
            "lower than initial throughput for OnDemand. See: https://docs.aws.amazon.com/amazondynamodb/latest/"
            "developerguide/on-demand-capacity-mode.html#on-demand-capacity-mode-initial");
    make_table(&world, "T", KEY("pk", S), .warm = UNITS(12000, 16000));
    td_table_view view;
    ck_assert(td_observe_table(&world.call, &view));
    ck_assert_uint_eq(view.partition_count, 16);
    world_done(&world);
}
END_TEST

START_TEST(keys_are_found_by_index)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", S, "sk", S),
               INDEXES(LOCAL("lix", KEY("pk", S, "lk", N), .projection = TD_PROJECT_KEYS_ONLY),
                       GLOBAL("gix", KEY("gh", B), INCLUDING(TD_LIT("z"), TD_LIT("a")))));
    td_keys keys;
    ck_assert_int_eq(td_table_find_keys(&world.call, TD_LIT(""), &keys, &world.fixture.error), TD_OK);
    ck_assert_ptr_null(keys.index);
    ck_assert_int_eq(keys.table->range_count, 1);
    ck_assert_int_eq(td_table_find_keys(&world.call, TD_LIT("gix"), &keys, &world.fixture.error), TD_OK);
    ck_assert(keys.is_global);
    ck_assert_int_eq(keys.index->parts[0].type, TD_TYPE_B);
    ck_assert_uint_eq(keys.non_key_attribute_count, 2);
    CHECK_SLICE(&world.fixture.arena, keys.non_key_attributes[0], "z");
    REFUSED(&world, td_table_find_keys(&world.call, TD_LIT("nix"), &keys, &world.fixture.error), TD_VALIDATION,
            "The table does not have the specified index: nix");
    td_store_drop_all(world.store);
    ck_assert_int_eq(keys.table->range_count, 1); /* borrowed until the arena's reset */
    world_done(&world);
}
END_TEST

START_TEST(a_seed_gives_the_same_table_ids)
{
    char ids[2][37];
    for (int i = 0; i < 2; i++) {
        td_world world;
        world_init(&world);
        make_table(&world, "T", KEY("pk", S));
        memcpy(ids[i], describe(&world).table_id, sizeof ids[i]);
        world_done(&world);
    }
    ck_assert_str_eq(ids[0], ids[1]);
}
END_TEST

TCase *table_tests(void)
{
    TCase *tests = tcase_create("table");
    tcase_add_test(tests, create_answers_creating_and_describe_active);
    tcase_add_test(tests, a_name_is_taken_once);
    tcase_add_test(tests, scopes_do_not_see_each_other);
    tcase_add_test(tests, a_scope_may_have_any_length);
    tcase_add_test(tests, list_goes_by_names_of_the_scope);
    tcase_add_test(tests, deleted_tables_are_gone);
    tcase_add_test(tests, protected_tables_stay);
    tcase_add_test(tests, drop_all_empties_the_store);
    tcase_add_test(tests, quotas_bound_what_is_provisioned);
    tcase_add_test(tests, warm_throughput_starts_where_the_mode_does);
    tcase_add_test(tests, keys_are_found_by_index);
    tcase_add_test(tests, a_seed_gives_the_same_table_ids);
    return tests;
}
