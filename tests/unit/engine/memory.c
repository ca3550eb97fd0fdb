/* SPDX-License-Identifier: Apache-2.0
 * memory.c: each request with each of its allocations failing once: a clean status, nothing lost, nothing half done. */
#include "actions.h"
#include "suites.h"
#include "support/failing_memory.h"
#include "thermodyn/expiry.h"
#include "thermodyn/memory.h"
#include "thermodyn/snapshot.h"
#include "thermodyn/stream.h"
#include "world.h"

#define ALLOCATIONS_MAX 2000

typedef td_status step_function(td_world *world);

/* With a lag: reads that lag find the first changes due in 30 seconds and have them to show. */
static void init(td_world *world, bool has_lag)
{
    td_store_options options = world_options();
    options.index_lag_us = has_lag ? 30 * TD_US_PER_S : 0;
    options.stale_reads_us = 30 * TD_US_PER_S;
    options.stale_reads_share = has_lag ? 1 : 0;
    options.capacity.values[TD_CAPACITY_record_heat] = 0; /* without memory a request goes on unrecorded: heat.c */
    world_init_with(world, options);
}

static td_status keep_snapshot(td_world *world)
{
    td_snapshot_info info;
    td_slice busy;
    td_snapshot_result result = td_snapshot_keep(&world->call, TD_LIT("seed"), &info, &busy);
    ck_assert(result == TD_SNAPSHOT_OK || result == TD_SNAPSHOT_NO_MEMORY);
    return result == TD_SNAPSHOT_OK ? TD_OK : TD_OUT_OF_MEMORY;
}

static td_status restore_snapshot(td_world *world)
{
    td_snapshot_info info;
    td_snapshot_result result = td_snapshot_restore(&world->call, TD_LIT("first"), &info);
    ck_assert(result == TD_SNAPSHOT_OK || result == TD_SNAPSHOT_NO_MEMORY);
    return result == TD_SNAPSHOT_OK ? TD_OK : TD_OUT_OF_MEMORY;
}

static td_status list_snapshots(td_world *world)
{
    td_snapshot_info *infos;
    uint32_t count;
    return td_snapshot_list(&world->call, &infos, &count) ? TD_OK : TD_OUT_OF_MEMORY;
}

/* Two snapshots with changes of all kinds behind each: requests note theirs, and going back has much to do. */
static void keep_some(td_world *world)
{
    td_snapshot_info info;
    td_slice busy;
    td_table_info table;
    make_table(world, "gone", KEY("pk", S), .stream = TD_STREAM_NEW_IMAGE);
    put(world, S("pk", "p"));
    world_use(world, "T");
    ck_assert_int_eq(td_snapshot_keep(&world->call, TD_LIT("first"), &info, &busy), TD_SNAPSHOT_OK);
    put(world, S("pk", "p"), N("sk", "2"), N("lk", "1"), S("gh", "g"), S("a", "B"), N("t", "1790000001"));
    erase(world, S("pk", "p"), N("sk", "0"));
    world_use(world, "gone");
    ck_assert_int_eq(td_table_delete(&world->call, &table, &world->fixture.error), TD_OK);
    make_table(world, "later", KEY("pk", S));
    ck_assert_int_eq(td_snapshot_keep(&world->call, TD_LIT("second"), &info, &busy), TD_SNAPSHOT_OK);
    world_use(world, "T");
    put(world, S("pk", "p"), N("sk", "0"), N("lk", "7"), S("gh", "i"), S("a", "C"), N("t", "1790000002"));
    erase(world, S("pk", "p"), N("sk", "2"));
}

/* What was written before cost other units than the steps do: the first sample that differs needs memory, without which
 * requests go on and percentiles are unknown (statistic.c). */
static void make_full_table(td_world *world, bool has_snapshots)
{
    char long_text[3000];
    memset(long_text, 'x', sizeof long_text);
    long_text[sizeof long_text - 1] = '\0';
    td_tag tag = {TD_LIT("key"), TD_LIT("value")};
    make_table(world, "plain", KEY("pk", S));
    put(world, S("pk", "p"), N("t", "1790000001"));
    make_table(world, "T", KEY("pk", S, "sk", N), .stream = TD_STREAM_NEW_AND_OLD_IMAGES, .tags = &tag, .tag_count = 1,
               INDEXES(LOCAL("lix", KEY("pk", S, "lk", N), .projection = TD_PROJECT_KEYS_ONLY),
                       GLOBAL("gix", KEY("gh", S)), GLOBAL("inc", KEY("gh", S), INCLUDING(TD_LIT("a")))));
    ck_assert_int_eq(td_expiry_update(&world->call, true, TD_LIT("t"), &world->fixture.error), TD_OK);
    put(world, S("pk", "o"), N("sk", "1"), S("gh", "g"), S("a", "A"));
    put(world, S("pk", "o"), N("sk", "1"), S("gh", "g"), S("a", long_text));
    ck_assert_int_eq(try_delete(world, S("pk", "o"), N("sk", "1")), TD_OK);
    put(world, S("pk", "p"), N("sk", "1"), N("lk", "1"), S("gh", "g"), S("a", "A"), N("t", "1790000001"));
    if (has_snapshots) keep_some(world);
}

/* Of all shards. */
static uint32_t count_records(td_world *world)
{
    td_stream_info info;
    td_error *error = &world->fixture.error;
    td_time_us label_us = describe(world).stream_enabled_us;
    ck_assert_int_eq(td_stream_describe(&world->call, label_us, TD_LIT(""), 100, &info, error), TD_OK);
    uint32_t count = 0;
    for (uint32_t i = 0; i < info.shard_count; i++) {
        td_shard_iterator from;
        td_changes changes;
        td_slice shard = td_slice_of_cstr(info.shards[i].id);
        ck_assert_int_eq(
            td_stream_iterate(&world->call, label_us, shard, TD_ITERATE_TRIM_HORIZON, TD_LIT(""), &from, error), TD_OK);
        ck_assert_int_eq(td_stream_read(&world->call, &from, 100, &changes, error), TD_OK);
        count += changes.count;
    }
    return count;
}

/* Items, entries and records by count, of a table that is ready for the next change: what must not differ after a
 * failure. */
static const char *show_counts(td_world *world)
{
    world_use(world, "T");
    td_table_info info = describe(world);
    td_slice text;
    ck_assert_int_eq(info.status, TD_TABLE_ACTIVE);
    ck_assert(td_arena_format(world->call.arena, &text, "%u records %llu/%llu", count_records(world),
                              (unsigned long long)info.item_count, (unsigned long long)info.size_bytes));
    for (uint32_t i = 0; i < info.index_count; i++) {
        ck_assert(td_arena_format(world->call.arena, &text, "%.*s %llu/%llu", (int)text.len, (const char *)text.ptr,
                                  (unsigned long long)info.indexes[i].item_count,
                                  (unsigned long long)info.indexes[i].size_bytes));
    }
    return (const char *)text.ptr;
}

static td_status put_new(td_world *world)
{
    return try_put(world, S("pk", "q"), N("sk", "1"), N("lk", "1"), S("gh", "g"), S("a", "A"), N("t", "1790000000"));
}

static td_status put_moving(td_world *world)
{
    return try_put(world, S("pk", "p"), N("sk", "1"), N("lk", "2"), S("gh", "h"), S("a", "B"), N("t", "1790000000"));
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
    td_given_attributes added = attributes_of(world->call.arena, S("pk", "q"), N("sk", "1"), N("lk", "1"), S("gh", "g"),
                                              S("a", "A"), N("t", "1790000000"));
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

/* Later, so that reads that lag have something to show first, but within the minute: without memory the one before is
 * lost to the metrics, and no request fails (metered.c). */
static td_status scan_global(td_world *world)
{
    td_page page;
    td_page_request request = {.index = TD_LIT("gix")};
    world->call.now_us += 39 * TD_US_PER_S;
    TD_TRY(td_read_page(&world->call, &request, &page, &world->fixture.error));
    ck_assert_uint_eq(page.count, 1);
    return TD_OK;
}

static td_status create_table(td_world *world)
{
    td_index_spec indexes[] = {GLOBAL("gix", KEY("gh", S))};
    td_attribute_definition definitions[] = {{TD_LIT("pk"), TD_TYPE_S}, {TD_LIT("gh"), TD_TYPE_S}};
    td_tag tag = {TD_LIT("key"), TD_LIT("value")};
    td_table_spec spec = SPEC(KEY("pk", S), .billing = TD_BILLING_ON_DEMAND, .name = TD_LIT("U"), .tags = &tag,
                              .tag_count = 1, .stream = TD_STREAM_NEW_IMAGE, .definitions = definitions,
                              .definition_count = 2, .indexes = indexes, .index_count = 1);
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

static td_status enable_stream(td_world *world)
{
    world_use(world, "plain");
    td_table_change change = {.has_stream = true, .stream = TD_STREAM_NEW_IMAGE};
    td_table_info info;
    td_status status = td_table_update(&world->call, &change, &info, &world->fixture.error);
    if (status != TD_OK) ck_assert_int_eq(describe(world).stream_enabled_us, 0);
    return status;
}

static td_status enable_expiry(td_world *world)
{
    world_use(world, "plain");
    td_status status = td_expiry_update(&world->call, true, TD_LIT("t"), &world->fixture.error);
    td_expiry_info info;
    if (status != TD_OK) {
        ck_assert_int_eq(td_expiry_describe(&world->call, &info, &world->fixture.error), TD_OK);
        ck_assert(!info.is_enabled);
    }
    return status;
}

static td_status read_stream(td_world *world)
{
    td_error *error = &world->fixture.error;
    td_time_us label_us = world->call.now_us; /* of a table that has just been made */
    td_stream_ref *streams;
    uint32_t count;
    bool has_more;
    td_stream_info info;
    td_shard_iterator from;
    td_changes changes;
    TD_TRY(td_stream_list(&world->call, NULL, 10, &streams, &count, &has_more));
    TD_TRY(td_stream_describe(&world->call, label_us, TD_LIT(""), 100, &info, error));
    td_slice shard = td_slice_of_cstr(info.shards[0].id);
    TD_TRY(td_stream_iterate(&world->call, label_us, shard, TD_ITERATE_TRIM_HORIZON, TD_LIT(""), &from, error));
    return td_stream_read(&world->call, &from, 100, &changes, error);
}

static td_status put_and_list_tags(td_world *world)
{
    td_tag tag = {TD_LIT("another"), TD_LIT("value")};
    td_tag *tags;
    uint32_t count;
    TD_TRY(td_tag_put(&world->call, &tag, 1, &world->fixture.error));
    return td_tag_list(&world->call, &tags, &count, &world->fixture.error);
}

/* When all is shown, readers that lag see what is there. */
static void check_readers_have_caught_up(td_world *world)
{
    world_use(world, "T");
    td_table_info info = describe(world);
    ck_assert_uint_eq(read_page(world, (td_page_request){.limit = 0}).count, info.item_count);
    for (uint32_t i = 0; i < info.index_count; i++) {
        td_page_request request = {.index = info.indexes[i].spec.name};
        ck_assert_uint_eq(read_page(world, request).count, info.indexes[i].item_count);
    }
}

/* After the reset the arena has its first chunk for what the test itself builds: only the engine's allocations fail. */
static void fail_each_allocation(step_function *step, bool has_lag, bool has_snapshots)
{
    for (uint64_t nth = 1; nth < ALLOCATIONS_MAX; nth++) {
        td_world world;
        init(&world, has_lag);
        make_full_table(&world, has_snapshots);
        char before[256];
        snprintf(before, sizeof before, "%s", show_counts(&world));
        world_forget(&world);
        failing_memory_fail_at(nth);
        td_status status = step(&world);
        bool has_failed = failing_memory_has_failed();
        failing_memory_fail_at(0);
        bool is_made_all_the_same = step == change_throughput && status == TD_INTERNAL_SERVER_ERROR;
        ck_assert(status == (has_failed ? TD_OUT_OF_MEMORY : TD_OK) || (has_failed && is_made_all_the_same));
        if (has_failed) ck_assert_str_eq(show_counts(&world), before);
        world_move(&world, 5 * 3600.0); /* items expire, shards close: what was reserved in vain would be noticed */
        check_readers_have_caught_up(&world);
        world_done(&world);
        if (!has_failed) return;
    }
    ck_abort_msg("more allocations than a step may have");
}

START_TEST(a_failed_allocation_leaves_no_trace)
{
    static step_function *const steps[] = {put_new,         put_moving,        update_moving,    delete_old,
                                           transact_moving, transact_reading,  scan_local,       scan_global,
                                           create_table,    change_throughput, make_index,       enable_stream,
                                           enable_expiry,   read_stream,       put_and_list_tags};
    for (size_t i = 0; i < TD_COUNT_OF(steps); i++)
        fail_each_allocation(steps[i], _i == 1, false);
}
END_TEST

START_TEST(nor_does_one_where_snapshots_are_held)
{
    static step_function *const steps[] = {put_new,    put_moving,      update_moving, delete_old,
                                           transact_moving, keep_snapshot, restore_snapshot, list_snapshots};
    for (size_t i = 0; i < TD_COUNT_OF(steps); i++)
        fail_each_allocation(steps[i], _i == 1, true);
}
END_TEST

/* What is refused is what grows the data, and only while it is there. */
START_TEST(past_the_limit_data_may_shrink_and_be_read_but_not_grow)
{
    td_world world;
    td_store_options options = world_options();
    td_memory_start_counting();
    options.memory_max_bytes = td_memory_in_use() + 4 * 1024 * 1024;
    world_init_with(&world, options);
    make_table(&world, "T", KEY("pk", S));
    char key[16];
    char text[30001];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    td_status status = TD_OK;
    int count = 0;
    for (; status == TD_OK; count++) {
        ck_assert_int_lt(count, 300);
        snprintf(key, sizeof key, "%d", count);
        status = try_put(&world, S("pk", key), S("text", text));
        world_move(&world, 1); /* capacity comes back */
        world_forget(&world);
    }
    ck_assert_int_eq(status, TD_OUT_OF_MEMORY);
    ck_assert_int_gt(count, 50);
    status = try_put(&world, S("pk", "more"), S("text", text));
    ck_assert_int_eq(world.fixture.error.message, TD_MSG_MEMORY_FULL);
    text[sizeof text - 2] = '\0';
    ck_assert_int_eq(try_put(&world, S("pk", "0"), S("text", text)), TD_OK); /* a little smaller than it was */
    ck_assert_ptr_nonnull(get(&world, S("pk", "1")));
    ck_assert_int_eq(try_make_table(&world, "U", SPEC(KEY("pk", S))), TD_OUT_OF_MEMORY);
    world_use(&world, "T");
    for (int i = 0; i < count; i++) {
        snprintf(key, sizeof key, "%d", i);
        erase(&world, S("pk", key));
        world_move(&world, 1);
        world_forget(&world);
    }
    put(&world, S("pk", "more"), S("text", text));
    world_done(&world);
}
END_TEST

/* What a deletion would leave in memory counts. */
START_TEST(past_the_limit_a_snapshot_keeps_nothing_more)
{
    td_world world;
    td_store_options options = world_options();
    td_memory_start_counting();
    options.memory_max_bytes = td_memory_in_use() + 2 * 1024 * 1024;
    options.capacity.enforce = TD_ENFORCE_OFF;
    world_init_with(&world, options);
    make_table(&world, "T", KEY("pk", S));
    put(&world, S("pk", "first"));
    put(&world, S("pk", "second"));
    ck_assert_int_eq(keep_snapshot(&world), TD_OK);
    erase(&world, S("pk", "first"));
    char key[16];
    td_status status = TD_OK;
    for (int i = 0; status == TD_OK; i++) {
        ck_assert_int_lt(i, 100000);
        snprintf(key, sizeof key, "%d", i);
        status = try_put(&world, S("pk", key));
        world_forget(&world);
    }
    ck_assert_int_eq(try_delete(&world, S("pk", "second")), TD_OUT_OF_MEMORY);
    ck_assert_int_eq(try_delete(&world, S("pk", "0")), TD_OK); /* noted when it was put */
    ck_assert_int_eq(keep_snapshot(&world), TD_OUT_OF_MEMORY);
    ck_assert_uint_eq(td_snapshot_remove(world.store, TD_LIT("seed")), 1);
    ck_assert_int_eq(try_delete(&world, S("pk", "second")), TD_OK);
    world_done(&world);
}
END_TEST

TCase *memory_tests(void)
{
    TCase *tests = tcase_create("memory");
    tcase_set_timeout(tests, 60);
    tcase_add_loop_test(tests, a_failed_allocation_leaves_no_trace, 0, 2); /* without a lag, and with one */
    tcase_add_loop_test(tests, nor_does_one_where_snapshots_are_held, 0, 2);
    tcase_add_test(tests, past_the_limit_data_may_shrink_and_be_read_but_not_grow);
    tcase_add_test(tests, past_the_limit_a_snapshot_keeps_nothing_more);
    return tests;
}
