/* SPDX-License-Identifier: Apache-2.0
 * split.c: tests of splits: planned, for size, by request, and what forbids them. */
#include "split.h"

#include <stdlib.h>

#include "actions.h"
#include "catalog.h"
#include "suites.h"
#include "support/failing_memory.h"
#include "world.h"

#define HALF UINT64_C(0x8000000000000000)

/* A table of one partition that is full with so many bytes. */
static void init_with_bytes(td_world *world, double partition_bytes)
{
    td_store_options options = world_options();
    options.capacity.values[TD_CAPACITY_partition_bytes] = partition_bytes;
    options.capacity.enforce = TD_ENFORCE_OFF;
    world_init_with(world, options);
}

static void put_many(td_world *world, int count)
{
    for (int i = 0; i < count; i++) {
        char key[16];
        snprintf(key, sizeof key, "key-%d", i);
        put(world, S("pk", key));
    }
}

static bool plan_at(td_world *world, uint64_t hash, double seconds)
{
    td_table *table = td_catalog__find(world->store, world->call.scope, world->call.table);
    uint8_t bytes[8];
    td_slice bound = td_partition__key_of_hash(hash, bytes);
    td_time_us due_us = world->call.now_us + (td_time_us)(seconds * 1e6);
    td_table__lock(table);
    bool is_planned = td_split__plan_locked(table, 0, bound, TD_SPLIT_FOR_HEAT, due_us);
    td_table__unlock(table);
    td_table__unref(table);
    return is_planned;
}

static td_table_view observe(td_world *world)
{
    td_table_view view;
    ck_assert(td_observe_table(&world->call, &view));
    return view;
}

static uint64_t count_items(const td_table_view *view)
{
    uint64_t items = 0;
    for (uint32_t i = 0; i < view->partition_count; i++)
        items += view->partitions[i].items;
    return items;
}

static td_split_answer split_by_id(td_world *world, const char *index, const char *id, td_split_veto *ret_veto)
{
    return td_partition_split(&world->call, td_slice_of_cstr(index), td_slice_of_cstr(id), ret_veto);
}

START_TEST(a_planned_split_comes_when_it_is_due)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", S), PROVISIONED(1000, 500));
    put_many(&world, 200);
    ck_assert(plan_at(&world, HALF, 300));
    ck_assert(!plan_at(&world, HALF / 2, 300)); /* it is being split already */
    td_table_view view = observe(&world);
    ck_assert_uint_eq(view.partition_count, 1);
    ck_assert(view.partitions[0].is_splitting);
    ck_assert_int_eq(view.partitions[0].split_done_us, world.call.now_us + 300 * TD_US_PER_S);
    ck_assert_int_eq(view.partitions[0].split_cause, TD_SPLIT_FOR_HEAT);
    world_move(&world, 299.5);
    ck_assert_uint_eq(observe(&world).partition_count, 1);

    world_move(&world, 0.5);
    view = observe(&world);
    ck_assert_uint_eq(view.partition_count, 2);
    ck_assert_str_eq(view.partitions[0].id, "p-0002");
    ck_assert_str_eq(view.partitions[1].id, "p-0003");
    for (int i = 0; i < 2; i++) {
        ck_assert_str_eq(view.partitions[i].parent, "p-0001");
        ck_assert_int_eq(view.partitions[i].created_us, world.call.now_us);
        ck_assert_double_eq(view.partitions[i].cap[TD_WRITE].balance, 1000);
        ck_assert_double_eq(view.partitions[i].consumed_minute[TD_WRITE], 0);
        ck_assert(!view.partitions[i].is_splitting);
    }
    ck_assert_uint_eq(view.partitions[1].hash_from.bytes[0], 0x80);
    ck_assert_uint_eq(view.partitions[0].hash_to.bytes[0], 0x7F);
    ck_assert_uint_eq(count_items(&view), 200);
    world_move(&world, 3600); /* the puts are no traffic any more either */
    ck_assert_int_eq(td_store_next_due(world.store), TD_NEVER);
    world_done(&world);
}
END_TEST

START_TEST(a_plan_needs_a_bound_inside_its_partition)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", S)); /* four partitions */
    ck_assert(!plan_at(&world, 0, 1));
    ck_assert(!plan_at(&world, HALF, 1));
    ck_assert(plan_at(&world, HALF + 1, 1));
    world_move(&world, 1);
    td_table_view view = observe(&world);
    ck_assert_uint_eq(view.partition_count, 5);
    ck_assert_uint_eq(td_key_hash_prefix(&view.partitions[2].hash_to), HALF);
    world_done(&world);
}
END_TEST

START_TEST(a_plan_passes_to_the_half_that_it_is_about)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", S), PROVISIONED(1000, 500));
    ck_assert(plan_at(&world, HALF + HALF / 2, 10));
    td_table_change change = {.has_throughput = true, .throughput = UNITS(1000, 1500)};
    td_table_info info;
    ck_assert_int_eq(td_table_update(&world.call, &change, &info, &world.fixture.error), TD_OK);
    td_table_view view = observe(&world);
    ck_assert_uint_eq(view.partition_count, 2);
    ck_assert(!view.partitions[0].is_splitting);
    ck_assert(view.partitions[1].is_splitting);
    world_move(&world, 10);
    view = observe(&world);
    ck_assert_uint_eq(view.partition_count, 3);
    ck_assert_str_eq(view.partitions[2].parent, "p-0003");
    world_done(&world);
}
END_TEST

START_TEST(a_plan_that_growth_has_fulfilled_is_none)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", S), PROVISIONED(1000, 500));
    ck_assert(plan_at(&world, HALF, 10));
    td_table_change change = {.has_throughput = true, .throughput = UNITS(1000, 1500)};
    td_table_info info;
    ck_assert_int_eq(td_table_update(&world.call, &change, &info, &world.fixture.error), TD_OK);
    world_move(&world, 10);
    ck_assert_uint_eq(observe(&world).partition_count, 2);
    world_done(&world);
}
END_TEST

START_TEST(plans_go_with_what_they_are_about)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", S), PROVISIONED(1000, 500),
               INDEXES(GLOBAL("gix", KEY("gh", S), .throughput = UNITS(1, 1))));
    td_table *table = td_catalog__find(world.store, world.call.scope, world.call.table);
    uint8_t bytes[8];
    td_slice bound = td_partition__key_of_hash(HALF, bytes);
    td_table__lock(table);
    ck_assert(td_split__plan_locked(table, 1, bound, TD_SPLIT_FOR_HEAT, world.call.now_us + TD_US_PER_S));
    ck_assert_uint_eq(td_split__count_planned(table->resources[1]), 1);
    td_table__unlock(table);
    td_table__unref(table);
    ck_assert(plan_at(&world, HALF, 2));
    td_index_change removal = {.action = TD_INDEX_DELETE, .spec.name = TD_LIT("gix")};
    td_table_change change = {.indexes = &removal, .index_count = 1};
    td_table_info info;
    ck_assert_int_eq(td_table_update(&world.call, &change, &info, &world.fixture.error), TD_OK);
    world_move(&world, 1);
    ck_assert_uint_eq(observe(&world).partition_count, 1);
    world_move(&world, 1);
    ck_assert_uint_eq(observe(&world).partition_count, 2);

    ck_assert(plan_at(&world, HALF / 2, 1));
    ck_assert_int_eq(td_table_delete(&world.call, &info, &world.fixture.error), TD_OK);
    world_move(&world, 1);
    world_move(&world, 3600); /* the puts are no traffic any more either */
    ck_assert_int_eq(td_store_next_due(world.store), TD_NEVER);
    world_done(&world);
}
END_TEST

START_TEST(a_split_without_memory_is_tried_again)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", S), PROVISIONED(1000, 500));
    put_many(&world, 200);
    ck_assert(plan_at(&world, HALF, 1));
    double waited = 0;
    for (uint64_t nth = 1; observe(&world).partition_count == 1; nth++) {
        failing_memory_fail_at(nth);
        world_move(&world, 1);
        failing_memory_fail_at(0);
        td_table_view view = observe(&world);
        ck_assert_uint_eq(count_items(&view), 200);
        waited++;
        ck_assert_double_lt(waited, 30);
    }
    ck_assert_double_gt(waited, 4);
    world_done(&world);
}
END_TEST

START_TEST(a_full_partition_is_split_in_the_middle_of_its_bytes)
{
    td_world world;
    init_with_bytes(&world, 100000);
    make_table(&world, "T", KEY("pk", S), PROVISIONED(10, 10));
    put_many(&world, 800); /* about 108 bytes each */
    ck_assert(!observe(&world).partitions[0].is_splitting);
    put_many(&world, 1000);
    td_table_view view = observe(&world);
    ck_assert(view.partitions[0].is_splitting);
    ck_assert_int_eq(view.partitions[0].split_cause, TD_SPLIT_FOR_SIZE);
    world_move(&world, 300);
    view = observe(&world);
    ck_assert_uint_eq(view.partition_count, 2);
    ck_assert_uint_eq(view.partitions[0].items + view.partitions[1].items, 1000);
    int64_t difference = (int64_t)view.partitions[0].bytes - (int64_t)view.partitions[1].bytes;
    ck_assert_int_le(llabs(difference), 220);
    ck_assert(!view.partitions[0].is_splitting && !view.partitions[1].is_splitting);
    world_done(&world);
}
END_TEST

START_TEST(halves_that_are_still_too_large_are_split_again)
{
    td_world world;
    init_with_bytes(&world, 1e6);
    make_table(&world, "T", KEY("pk", S), PROVISIONED(10, 10));
    put_many(&world, 1000);
    td_capacity_patch patch = {.has_value[TD_CAPACITY_partition_bytes] = true};
    patch.settings.values[TD_CAPACITY_partition_bytes] = 30000;
    ck_assert(td_store_patch_capacity(world.store, world.call.now_us, world.call.scope, TD_LIT("T"), &patch));
    world_move(&world, 300);
    ck_assert_uint_eq(observe(&world).partition_count, 2);
    world_move(&world, 300);
    ck_assert_uint_eq(observe(&world).partition_count, 4);
    world_move(&world, 300);
    ck_assert_uint_eq(observe(&world).partition_count, 4);
    world_move(&world, 3600); /* the puts are no traffic any more either */
    ck_assert_int_eq(td_store_next_due(world.store), TD_NEVER);
    world_done(&world);
}
END_TEST

START_TEST(a_new_index_may_be_too_large_for_its_partitions)
{
    td_world world;
    init_with_bytes(&world, 20000);
    make_table(&world, "T", KEY("pk", S), PROVISIONED(10, 10));
    put_many(&world, 150);
    td_attribute_definition definitions[] = {{TD_LIT("pk"), TD_TYPE_S}};
    td_index_change made = {.action = TD_INDEX_CREATE,
                            .spec = GLOBAL("gix", KEY("pk", S), .projection = TD_PROJECT_ALL),
                            .has_throughput = true};
    made.spec.throughput = UNITS(1, 1);
    td_table_change change = {.indexes = &made, .index_count = 1, .definitions = definitions, .definition_count = 1};
    td_capacity_patch patch = {.has_value[TD_CAPACITY_partition_bytes] = true};
    patch.settings.values[TD_CAPACITY_partition_bytes] = 15000;
    td_table_info info;
    ck_assert(td_store_patch_capacity(world.store, world.call.now_us, world.call.scope, TD_LIT("T"), &patch));
    ck_assert_int_eq(td_table_update(&world.call, &change, &info, &world.fixture.error), TD_OK);
    world_move(&world, 300);
    td_table_view view = observe(&world);
    ck_assert_uint_eq(view.partition_count, 2 + 2);
    CHECK_SLICE(world.call.arena, view.partitions[3].index, "gix");
    ck_assert_uint_eq(view.partitions[2].items + view.partitions[3].items, 150);
    world_done(&world);
}
END_TEST

START_TEST(a_collection_may_lie_in_several_partitions)
{
    td_world world;
    init_with_bytes(&world, 20000);
    make_table(&world, "T", KEY("pk", S, "sk", N), PROVISIONED(10, 10));
    for (int i = 0; i < 200; i++) {
        char number[16];
        snprintf(number, sizeof number, "%d", i);
        put(&world, S("pk", "one"), N("sk", number));
    }
    world_move(&world, 300);
    td_table_view view = observe(&world);
    ck_assert_uint_eq(view.partition_count, 2);
    ck_assert_mem_eq(&view.partitions[0].hash_to, &view.partitions[1].hash_from, sizeof(td_key_hash));
    ck_assert_ptr_null(view.partitions[0].sort_from);
    ck_assert_ptr_null(view.partitions[1].sort_to);
    ck_assert_ptr_eq(view.partitions[0].sort_to, view.partitions[1].sort_from);
    ck_assert_int_eq(view.partitions[1].sort_from->type, TD_TYPE_N);
    int64_t sort_from = 0;
    ck_assert(td_number_to_int64(view.partitions[1].sort_from->bytes, &sort_from));
    ck_assert_int_eq(sort_from, 100);

    td_key_range range = range_of(&world, S("pk", "one"));
    td_page page = read_page(&world, (td_page_request){.range = &range});
    ck_assert_uint_eq(page.count, 200);
    td_given_attributes start = {0};
    td_page_request request = {.range = &range, .limit = 3, .is_backward = true};
    for (int i = 199; i >= 0; i -= 3) {
        page = read_page(&world, request);
        td_stored sort_key;
        ck_assert(td_item_find(page.items[0], TD_LIT("sk"), &sort_key));
        int64_t number = -1;
        ck_assert(td_number_to_int64(sort_key.bytes, &number));
        ck_assert_int_eq(number, i);
        if (page.last == NULL) break;
        start = last_key(&world, &page);
        request.start_key = start.attributes;
        request.start_key_count = start.count;
    }
    td_number fifty = td_number_from_int64(50);
    range.kind = TD_RANGE_LESS;
    range.low = td_number_slice(&fifty);
    page = read_page(&world, (td_page_request){.range = &range, .is_consistent = true});
    ck_assert_uint_eq(page.count, 50);
    ck_assert_int_eq(page.consumed.table, TD_UNITS_ONE); /* one partition was visited */
    world_done(&world);
}
END_TEST

START_TEST(a_local_index_holds_a_collection_together)
{
    td_world world;
    init_with_bytes(&world, 10000);
    make_table(&world, "T", KEY("pk", S, "sk", N), PROVISIONED(10, 10),
               INDEXES(LOCAL("lix", KEY("pk", S, "l", N), .projection = TD_PROJECT_KEYS_ONLY)));
    td_status status = TD_OK;
    int count = 0;
    for (; status == TD_OK; count++) {
        char number[16];
        snprintf(number, sizeof number, "%d", count);
        status = try_put(&world, S("pk", "one"), N("sk", number), N("l", "1"));
        if (status == TD_OK) ck_assert_int_le(world.collection_bytes, 10000);
    }
    ck_assert_int_eq(status, TD_ITEM_COLLECTION_SIZE_LIMIT_EXCEEDED);
    ck_assert_str_eq(error_text(&world), "Collection size exceeded.");
    ck_assert_int_gt(count, 30);
    put(&world, S("pk", "one"), N("sk", "0"));              /* it loses its entry in the index */
    put(&world, S("pk", "one"), N("sk", "0"), N("l", "1")); /* and there is room for it again */
    erase(&world, S("pk", "one"), N("sk", "1"));

    for (int i = 0; i < 4; i++) {
        char number[16];
        snprintf(number, sizeof number, "%d", i);
        put(&world, S("pk", "two"), N("sk", number));
    }
    world_move(&world, 300);
    td_table_view view = observe(&world);
    ck_assert_uint_eq(view.partition_count, 2); /* between the two collections */
    ck_assert_ptr_null(view.partitions[1].sort_from);
    ck_assert_mem_ne(&view.partitions[0].hash_to, &view.partitions[1].hash_from, sizeof(td_key_hash));
    world_done(&world);
}
END_TEST

START_TEST(a_full_collection_with_a_local_index_is_vetoed)
{
    td_world world;
    init_with_bytes(&world, 1e6);
    make_table(&world, "T", KEY("pk", S, "sk", N), PROVISIONED(10, 10),
               INDEXES(LOCAL("lix", KEY("pk", S, "l", N), .projection = TD_PROJECT_KEYS_ONLY)));
    for (int i = 0; i < 100; i++) {
        char number[16];
        snprintf(number, sizeof number, "%d", i);
        put(&world, S("pk", "one"), N("sk", number), N("l", "1"));
    }
    td_capacity_patch patch = {.has_value[TD_CAPACITY_partition_bytes] = true};
    patch.settings.values[TD_CAPACITY_partition_bytes] = 10000;
    ck_assert(td_store_patch_capacity(world.store, world.call.now_us, world.call.scope, TD_LIT("T"), &patch));
    put(&world, S("pk", "one"), N("sk", "0"));
    td_table_view view = observe(&world);
    ck_assert(!view.partitions[0].is_splitting);
    ck_assert_str_eq(td_split_veto_name(view.partitions[0].veto), "local index");
    td_split_veto veto = TD_VETO_NONE;
    ck_assert_int_eq(split_by_id(&world, "", "p-0001", &veto), TD_SPLIT_VETOED);
    ck_assert_int_eq(veto, TD_VETO_LOCAL_INDEX);

    td_split_event *events = NULL;
    uint32_t count = 0;
    ck_assert(td_partition_take_events(world.store, world.call.arena, &events, &count));
    ck_assert_uint_eq(count, 1);
    ck_assert_int_eq(events[0].veto, TD_VETO_LOCAL_INDEX);
    ck_assert_int_eq(events[0].cause, TD_SPLIT_FOR_SIZE);
    ck_assert_str_eq(events[0].partition, "p-0001");
    ck_assert_str_eq(events[0].children[0], "");
    world_done(&world);
}
END_TEST

START_TEST(a_collection_is_bounded_in_transactions_too)
{
    td_world world;
    init_with_bytes(&world, 1024);
    make_table(&world, "T", KEY("pk", S, "sk", S),
               INDEXES(LOCAL("lix", KEY("pk", S, "l", N), .projection = TD_PROJECT_KEYS_ONLY)));
    CANCELED(transact(&world, PUT("T", S("pk", "a"), S("sk", "a")),
                      PUT("T", S("pk", "b"), S("sk", "b"), filling(&world, 1000))),
             "None | ItemCollectionSizeLimitExceeded: Collection size exceeded.");
    ck_assert_ptr_null(get(&world, S("pk", "a"), S("sk", "a")));
    world_done(&world);
}
END_TEST

START_TEST(a_partition_is_split_by_request)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", S), PROVISIONED(10, 10),
               INDEXES(GLOBAL("gix", KEY("gh", S), .throughput = UNITS(1, 1))));
    td_split_veto veto = TD_VETO_NONE;
    ck_assert_int_eq(split_by_id(&world, "", "p-0002", &veto), TD_SPLIT_NO_PARTITION);
    ck_assert_int_eq(split_by_id(&world, "", "p-1", &veto), TD_SPLIT_NO_PARTITION);
    ck_assert_int_eq(split_by_id(&world, "none", "p-0001", &veto), TD_SPLIT_NO_PARTITION);
    ck_assert_int_eq(split_by_id(&world, "", "p-0001", &veto), TD_SPLIT_DONE); /* nothing in it: in the middle */
    ck_assert_int_eq(split_by_id(&world, "gix", "p-0001", &veto), TD_SPLIT_DONE);
    put(&world, S("pk", "2")); /* hash 29…: the lower half */
    ck_assert_int_eq(split_by_id(&world, "", "p-0002", &veto), TD_SPLIT_VETOED);
    ck_assert_int_eq(veto, TD_VETO_TOO_SMALL);
    td_table_view view = observe(&world);
    ck_assert_uint_eq(view.partition_count, 4);
    ck_assert_str_eq(view.partitions[1].id, "p-0003");
    ck_assert_uint_eq(td_key_hash_prefix(&view.partitions[1].hash_from), HALF);

    td_split_event *events = NULL;
    uint32_t count = 0;
    ck_assert(td_partition_take_events(world.store, world.call.arena, &events, &count));
    ck_assert_uint_eq(count, 2);
    CHECK_SLICE(world.call.arena, events[0].table, "T");
    CHECK_SLICE(world.call.arena, events[1].index, "gix");
    ck_assert_str_eq(td_split_cause_name(events[0].cause), "request");
    ck_assert_str_eq(events[0].children[0], "p-0002");
    ck_assert_str_eq(events[0].children[1], "p-0003");
    ck_assert(td_partition_take_events(world.store, world.call.arena, &events, &count));
    ck_assert_uint_eq(count, 0);
    world_use(&world, "none");
    ck_assert_int_eq(split_by_id(&world, "", "p-0001", &veto), TD_SPLIT_NO_TABLE);
    world_done(&world);
}
END_TEST

TCase *split_tests(void)
{
    TCase *tests = tcase_create("split");
    tcase_add_test(tests, a_planned_split_comes_when_it_is_due);
    tcase_add_test(tests, a_plan_needs_a_bound_inside_its_partition);
    tcase_add_test(tests, a_plan_passes_to_the_half_that_it_is_about);
    tcase_add_test(tests, a_plan_that_growth_has_fulfilled_is_none);
    tcase_add_test(tests, plans_go_with_what_they_are_about);
    tcase_add_test(tests, a_split_without_memory_is_tried_again);
    tcase_add_test(tests, a_full_partition_is_split_in_the_middle_of_its_bytes);
    tcase_add_test(tests, halves_that_are_still_too_large_are_split_again);
    tcase_add_test(tests, a_new_index_may_be_too_large_for_its_partitions);
    tcase_add_test(tests, a_collection_may_lie_in_several_partitions);
    tcase_add_test(tests, a_local_index_holds_a_collection_together);
    tcase_add_test(tests, a_full_collection_with_a_local_index_is_vetoed);
    tcase_add_test(tests, a_collection_is_bounded_in_transactions_too);
    tcase_add_test(tests, a_partition_is_split_by_request);
    return tests;
}
