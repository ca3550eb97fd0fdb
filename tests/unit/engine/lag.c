/* SPDX-License-Identifier: Apache-2.0
 * lag.c: tests of readers that lag: what they see, when, and who never does. */
#include "lag.h"

#include "actions.h"
#include "resource.h"
#include "suites.h"
#include "thermodyn/expiry.h"
#include "world.h"

#define LAG_US (2 * TD_US_PER_S)

/* Global indexes lag by two seconds, and so does that share of the eventually consistent reads of the table. */
static void init_with_lag(td_world *world, double share)
{
    td_store_options options = world_options();
    options.index_lag_us = LAG_US;
    options.stale_reads_us = LAG_US;
    options.stale_reads_share = share;
    world_init_with(world, options);
}

static void make_indexed_table(td_world *world)
{
    make_table(world, "T", KEY("pk", S, "sk", N), PROVISIONED(1000, 1000),
               INDEXES(LOCAL("lix", KEY("pk", S, "lk", N), .projection = TD_PROJECT_KEYS_ONLY),
                       GLOBAL("gix", KEY("gh", S), .projection = TD_PROJECT_KEYS_ONLY, .throughput = UNITS(1000, 1000)),
                       GLOBAL("all", KEY("gh", S), .throughput = UNITS(1000, 1000))));
}

/* What an eventually consistent read of the item says of an attribute: "-" without it, "" without an item. */
static const char *see(td_world *world, td_given_attributes key, const char *attribute)
{
    td_get asked = {.key = key.attributes, .key_count = key.count};
    td_get_result result;
    ck_assert_int_eq(td_get_item(&world->call, &asked, &result, &world->fixture.error), TD_OK);
    world->consumed = result.consumed;
    td_page page = {.items = &result.item, .count = result.item != NULL};
    return show_page(world, &page, attribute);
}

static const char *see_index(td_world *world, const char *index, const char *attribute)
{
    td_page page = read_page(world, (td_page_request){.index = td_slice_of_cstr(index), .needs_whole_items = true});
    return show_page(world, &page, attribute);
}

#define KEY_OF(...) attributes_of(&world.fixture.arena, __VA_ARGS__)

START_TEST(an_index_shows_a_write_when_its_lag_is_over)
{
    td_world world;
    init_with_lag(&world, 0);
    make_indexed_table(&world);
    put(&world, S("pk", "a"), N("sk", "1"), S("gh", "g"));
    ck_assert_str_eq(see_index(&world, "gix", "sk"), "");
    ck_assert_str_eq(see(&world, KEY_OF(S("pk", "a"), N("sk", "1")), "gh"), "g"); /* the table does not lag */
    world_move(&world, 1.999999);
    ck_assert_str_eq(see_index(&world, "gix", "sk"), "");
    world_move(&world, 0.000001);
    ck_assert_str_eq(see_index(&world, "gix", "sk"), "1");
    world_done(&world);
}
END_TEST

START_TEST(an_index_keeps_what_is_changed_or_deleted_for_as_long)
{
    td_world world;
    init_with_lag(&world, 0);
    make_indexed_table(&world);
    put(&world, S("pk", "a"), N("sk", "1"), S("gh", "g"), S("v", "old"));
    world_move(&world, 2);
    put(&world, S("pk", "a"), N("sk", "1"), S("gh", "g"), S("v", "new"));
    ck_assert_str_eq(see_index(&world, "all", "v"), "old");
    world_move(&world, 1);
    update(&world, "SET gh = :h", VALUES(S(":h", "moved")), S("pk", "a"), N("sk", "1"));
    world_move(&world, 1);
    ck_assert_str_eq(see_index(&world, "all", "v"), "new");
    ck_assert_str_eq(see_index(&world, "all", "gh"), "g");
    erase(&world, S("pk", "a"), N("sk", "1"));
    world_move(&world, 1);
    ck_assert_str_eq(see_index(&world, "all", "gh"), "moved");
    ck_assert_str_eq(see_index(&world, "gix", "gh"), "moved");
    world_move(&world, 1);
    ck_assert_str_eq(see_index(&world, "all", "gh"), "");
    ck_assert_str_eq(see_index(&world, "gix", "gh"), "");
    world_done(&world);
}
END_TEST

START_TEST(stale_reads_see_the_table_and_its_local_indexes_as_they_were)
{
    td_world world;
    init_with_lag(&world, 1);
    make_indexed_table(&world);
    put(&world, S("pk", "a"), N("sk", "1"), N("lk", "1"), S("v", "old"));
    ck_assert_str_eq(see(&world, KEY_OF(S("pk", "a"), N("sk", "1")), "v"), "");
    world_move(&world, 2);
    put(&world, S("pk", "a"), N("sk", "1"), N("lk", "5"), S("v", "new"));
    put(&world, S("pk", "a"), N("sk", "2"), N("lk", "2"), S("v", "other"));
    ck_assert_str_eq(see(&world, KEY_OF(S("pk", "a"), N("sk", "1")), "v"), "old");
    ck_assert_str_eq(see_index(&world, "", "v"), "old");
    ck_assert_str_eq(see_index(&world, "lix", "v"), "old"); /* fetched from the table of the same instant */
    erase(&world, S("pk", "a"), N("sk", "2"));
    world_move(&world, 2);
    ck_assert_str_eq(see(&world, KEY_OF(S("pk", "a"), N("sk", "1")), "v"), "new");
    ck_assert_str_eq(see_index(&world, "lix", "v"), "new");
    world_done(&world);
}
END_TEST

START_TEST(consistent_reads_never_lag)
{
    td_world world;
    init_with_lag(&world, 1);
    make_indexed_table(&world);
    put(&world, S("pk", "a"), N("sk", "1"), N("lk", "1"));
    ck_assert_ptr_nonnull(get(&world, S("pk", "a"), N("sk", "1")));
    ck_assert_uint_eq(read_page(&world, (td_page_request){.is_consistent = true}).count, 1);
    ck_assert_uint_eq(read_page(&world, (td_page_request){.index = TD_LIT("lix"), .is_consistent = true}).count, 1);
    td_transact_get_result got;
    OK(transact_get(&world, &got, GET("T", S("pk", "a"), N("sk", "1"))));
    ck_assert_ptr_nonnull(got.items[0]);
    world_done(&world);
}
END_TEST

START_TEST(writes_and_their_conditions_never_lag)
{
    td_world world;
    init_with_lag(&world, 1);
    make_table(&world, "T", KEY("pk", S));
    put(&world, S("pk", "a"), N("n", "1"));
    td_status status = try_write(&world, TD_WRITE_PUT, KEY_OF(S("pk", "a")), "attribute_not_exists(pk)");
    ck_assert_int_eq(status, TD_CONDITIONAL_CHECK_FAILED);
    update(&world, "ADD n :one", VALUES(N(":one", "1")), S("pk", "a"));
    update(&world, "ADD n :one", VALUES(N(":one", "1")), S("pk", "a"));
    world_move(&world, 2);
    ck_assert_str_eq(see(&world, KEY_OF(S("pk", "a")), "n"), "3");
    world_done(&world);
}
END_TEST

START_TEST(a_transaction_is_shown_as_one)
{
    td_world world;
    init_with_lag(&world, 1);
    make_indexed_table(&world);
    put(&world, S("pk", "a"), N("sk", "1"), S("gh", "g"));
    world_move(&world, 1);
    OK(transact(&world, PUT("T", S("pk", "a"), N("sk", "2"), S("gh", "g")), ERASE("T", S("pk", "a"), N("sk", "1")),
                PUT("T", S("pk", "a"), N("sk", "3"), N("lk", "3"))));
    world_move(&world, 1);
    ck_assert_str_eq(see_index(&world, "", "sk"), "1");
    world_move(&world, 1);
    ck_assert_str_eq(see_index(&world, "", "sk"), "2 3");
    ck_assert_str_eq(see_index(&world, "gix", "sk"), "2");
    ck_assert_str_eq(see_index(&world, "lix", "sk"), "3");
    world_done(&world);
}
END_TEST

START_TEST(a_stale_read_costs_what_it_saw)
{
    td_world world;
    init_with_lag(&world, 1);
    make_table(&world, "T", KEY("pk", S), PROVISIONED(100, 100),
               INDEXES(GLOBAL("all", KEY("gh", S), .throughput = UNITS(100, 100))));
    put(&world, S("pk", "a"), S("gh", "g"), filling(&world, 9000));
    world_move(&world, 2);
    put(&world, S("pk", "a"), S("gh", "g"));
    (void)see(&world, KEY_OF(S("pk", "a")), "gh");
    ck_assert_int_eq(world.consumed.table, 1500);
    (void)see_index(&world, "all", "gh");
    ck_assert_int_eq(index_units(&world.consumed, "all"), 1500);
    world_move(&world, 2);
    (void)see(&world, KEY_OF(S("pk", "a")), "gh");
    ck_assert_int_eq(world.consumed.table, 500);
    world_done(&world);
}
END_TEST

START_TEST(pages_go_on_from_items_that_are_gone)
{
    td_world world;
    init_with_lag(&world, 1);
    make_indexed_table(&world);
    for (int i = 1; i <= 5; i++) {
        char number[4];
        snprintf(number, sizeof number, "%d", i);
        put(&world, S("pk", "a"), N("sk", number), S("gh", "g"));
    }
    world_move(&world, 2);
    td_key_range range = range_of(&world, S("", "a"));
    td_page_request request = {.range = &range, .limit = 2};
    td_page page = read_page(&world, request);
    ck_assert_str_eq(show_page(&world, &page, "sk"), "1 2");
    ck_assert_uint_eq(page.scanned_count, 2);
    erase(&world, S("pk", "a"), N("sk", "2"));
    erase(&world, S("pk", "a"), N("sk", "4"));
    td_given_attributes last = last_key(&world, &page);
    request.start_key = last.attributes;
    request.start_key_count = last.count;
    page = read_page(&world, request);
    ck_assert_str_eq(show_page(&world, &page, "sk"), "3 4");
    last = last_key(&world, &page);
    request.start_key = last.attributes;
    world_move(&world, 2);
    page = read_page(&world, request);
    ck_assert_str_eq(show_page(&world, &page, "sk"), "5");
    world_done(&world);
}
END_TEST

/* Two hundred reads of an item that has just been written, as a text of s (stale) and n (new). */
static void draw(td_world *world, const char *table, char ret_drawn[201])
{
    world_use(world, table);
    td_given_attributes key = attributes_of(&world->fixture.arena, S("pk", "a"));
    for (int i = 0; i < 200; i++)
        ret_drawn[i] = see(world, key, "pk")[0] == '\0' ? 's' : 'n';
    ret_drawn[200] = '\0';
}

START_TEST(the_share_is_drawn_by_seed_and_table_alone)
{
    char drawn[3][201];
    for (int run = 0; run < 2; run++) {
        td_world world;
        init_with_lag(&world, 0.25);
        if (run == 1) {
            make_table(&world, "before", KEY("pk", S));
            draw(&world, "before", drawn[2]);
        }
        make_table(&world, "T", KEY("pk", S));
        put(&world, S("pk", "a"));
        draw(&world, "T", drawn[run]);
        make_table(&world, "U", KEY("pk", S));
        put(&world, S("pk", "a"));
        draw(&world, "U", drawn[2]);
        world_done(&world);
    }
    ck_assert_str_eq(drawn[0], drawn[1]);
    ck_assert_str_ne(drawn[0], drawn[2]);
    int stale = 0;
    for (int i = 0; i < 200; i++)
        stale += drawn[0][i] == 's';
    ck_assert_int_ge(stale, 30);
    ck_assert_int_le(stale, 70);
}
END_TEST

/* Of the items 0 … 299 the first ones are seen, by scans and each in its own partition. */
static void check_shown(td_world *world, int count)
{
    static const char *const indexes[] = {"", "lix", "gix", "all"};
    for (size_t i = 0; i < TD_COUNT_OF(indexes); i++) {
        td_page_request request = {.index = td_slice_of_cstr(indexes[i])};
        ck_assert_uint_eq(read_page(world, request).count, (uint32_t)count);
    }
    for (int i = 0; i < 300; i++) {
        char name[8];
        snprintf(name, sizeof name, "%d", i);
        td_given_attributes key = attributes_of(&world->fixture.arena, S("pk", name), N("sk", "1"));
        td_key_range range = range_of(world, S("", name));
        td_page_request request = {.index = TD_LIT("all"), .range = &range};
        ck_assert_str_eq(see(world, key, "pk"), i < count ? name : "");
        ck_assert_uint_eq(read_page(world, request).count, i < count ? 1 : 0);
    }
}

START_TEST(a_split_keeps_what_is_shown_and_what_is_not_yet)
{
    td_world world;
    init_with_lag(&world, 1);
    make_indexed_table(&world);
    for (int i = 0; i < 300; i++) {
        char name[8];
        snprintf(name, sizeof name, "%d", i);
        if (i == 200) world_move(&world, 2);
        put(&world, S("pk", name), N("sk", "1"), N("lk", "1"), S("gh", name));
    }
    td_table_change change = {.has_throughput = true, .throughput = UNITS(1000, 4000)};
    td_index_change of_index = {.action = TD_INDEX_UPDATE,
                                .spec = GLOBAL("all", KEY("gh", S), .throughput = UNITS(1000, 4000)),
                                .has_throughput = true};
    change.indexes = &of_index;
    change.index_count = 1;
    td_table_info info;
    ck_assert_int_eq(td_table_update(&world.call, &change, &info, &world.fixture.error), TD_OK);
    td_table_view view;
    ck_assert(td_observe_table(&world.call, &view));
    ck_assert_uint_eq(view.partition_count, 8 + 2 + 8); /* the table's, those of "gix" and of "all" */
    check_shown(&world, 200);
    world_move(&world, 2);
    check_shown(&world, 300);
    world_done(&world);
}
END_TEST

START_TEST(a_new_index_has_what_is_older_than_it)
{
    td_world world;
    init_with_lag(&world, 0);
    make_table(&world, "T", KEY("pk", S));
    put(&world, S("pk", "a"), S("gh", "g"));
    td_attribute_definition definition = {TD_LIT("gh"), TD_TYPE_S};
    td_index_change make = {.action = TD_INDEX_CREATE, .spec = GLOBAL("new", KEY("gh", S))};
    td_table_change change = {.definitions = &definition, .definition_count = 1, .indexes = &make, .index_count = 1};
    td_table_info info;
    ck_assert_int_eq(td_table_update(&world.call, &change, &info, &world.fixture.error), TD_OK);
    put(&world, S("pk", "b"), S("gh", "g"));
    erase(&world, S("pk", "a"));
    ck_assert_str_eq(see_index(&world, "new", "pk"), "a");
    world_move(&world, 2);
    ck_assert_str_eq(see_index(&world, "new", "pk"), "b");
    put(&world, S("pk", "c"), S("gh", "g"));
    make.action = TD_INDEX_DELETE; /* with a change that is not shown yet */
    ck_assert_int_eq(td_table_update(&world.call, &change, &info, &world.fixture.error), TD_OK);
    world_done(&world);
}
END_TEST

START_TEST(expired_items_stay_in_sight_for_the_lag)
{
    td_world world;
    init_with_lag(&world, 1);
    make_table(&world, "T", KEY("pk", S), INDEXES(GLOBAL("gix", KEY("gh", S))));
    ck_assert_int_eq(td_expiry_update(&world.call, true, TD_LIT("t"), &world.fixture.error), TD_OK);
    put(&world, S("pk", "a"), S("gh", "g"), N("t", "1790000010"));
    world_move(&world, 11.9);
    ck_assert_ptr_null(get(&world, S("pk", "a")));
    ck_assert_str_eq(see(&world, KEY_OF(S("pk", "a")), "pk"), "a");
    ck_assert_str_eq(see_index(&world, "gix", "pk"), "a");
    world_move(&world, 0.1);
    ck_assert_str_eq(see(&world, KEY_OF(S("pk", "a")), "pk"), "");
    ck_assert_str_eq(see_index(&world, "gix", "pk"), "");
    world_done(&world);
}
END_TEST

START_TEST(a_new_table_of_the_same_name_has_no_past)
{
    td_world world;
    init_with_lag(&world, 1);
    make_table(&world, "T", KEY("pk", S));
    put(&world, S("pk", "a"));
    td_store_drop(world.store, TD_LIT(""), TD_LIT("T"));
    make_table(&world, "T", KEY("pk", S));
    world_move(&world, 2);
    ck_assert_str_eq(see(&world, KEY_OF(S("pk", "a")), "pk"), "");
    world_done(&world);
}
END_TEST

/* ---- the queue itself ---- */

typedef struct lagging {
    td_fixture fixture;
    td_resource *resource;
    td_time_us now_us;
} lagging;

static void open_lagging(lagging *it)
{
    td_capacity_settings settings;
    td_capacity_settings_init(&settings);
    td_capacity_effect effect = td_capacity_get_effect(&settings);
    td_resource_options options = {
        .tree_count = 2, .billing = TD_BILLING_ON_DEMAND, .lag = {.delay_us = LAG_US, .share = 1}};
    td_fixture_init(&it->fixture);
    it->now_us = WORLD_START_US;
    it->resource = td_resource__new(&options, &effect, it->now_us);
    ck_assert_ptr_nonnull(it->resource);
}

static void close_lagging(lagging *it)
{
    td_resource__unref(it->resource);
    td_fixture_done(&it->fixture);
}

/* A write of two keys of one partition, as of an item and its entry. */
static void change_both(lagging *it, uint8_t first_byte, td_item *item)
{
    uint8_t key[16] = {first_byte};
    td_late_change *changes[2];
    for (uint32_t tree = 0; tree < 2; tree++) {
        td_slice bytes = td_slice_of(key, sizeof key);
        ck_assert(td_lag__reserve(it->resource, tree, bytes, it->now_us, &changes[tree]));
    }
    for (uint32_t tree = 0; tree < 2; tree++)
        td_lag__commit(it->resource, &changes[tree], item);
}

/* Entries that lagging readers find in each tree, which must be alike. */
static uint64_t count_shown(lagging *it)
{
    bool lags = false;
    ck_assert(td_lag__begin_read(it->resource, false, it->now_us, &lags));
    ck_assert(lags);
    uint64_t counts[2] = {0, 0};
    for (uint32_t i = 0; i < it->resource->partition_count; i++) {
        for (uint32_t tree = 0; tree < 2; tree++)
            counts[tree] += td_btree_count(td_lag__view(&it->resource->partitions[i]->trees[tree], true));
    }
    ck_assert_uint_eq(counts[0], counts[1]);
    return counts[0];
}

START_TEST(a_clock_that_was_read_too_early_does_not_disturb_the_order)
{
    lagging it;
    open_lagging(&it);
    change_both(&it, 1, item_of(&it.fixture.arena, S("pk", "a")));
    it.now_us -= 5;
    change_both(&it, 1, NULL); /* the same key: shown before the other, it would find nothing */
    it.now_us += LAG_US;
    ck_assert_uint_eq(count_shown(&it), 0);
    it.now_us += 4;
    ck_assert_uint_eq(count_shown(&it), 0);
    it.now_us += 1;
    ck_assert_uint_eq(count_shown(&it), 0);
    ck_assert_ptr_null(it.resource->lag->first);
    close_lagging(&it);
}
END_TEST

START_TEST(a_queue_that_holds_too_much_shows_whole_writes_early)
{
    lagging it;
    open_lagging(&it);
    td_item *item = item_of(&it.fixture.arena, S("pk", "a"));
    for (uint8_t i = 1; i <= 3; i++) {
        change_both(&it, i, item);
        it.now_us += 1;
    }
    ck_assert_uint_eq(count_shown(&it), 0);
    td_lag *lag = it.resource->lag;
    uint64_t filling_bytes = TD_LIMIT_LAG_BYTES_MAX - lag->bytes + 1; /* the first of two changes makes it fit again */
    lag->bytes += filling_bytes;
    ck_assert_uint_eq(count_shown(&it), 1);
    lag->bytes -= filling_bytes;
    it.now_us += LAG_US;
    ck_assert_uint_eq(count_shown(&it), 3);
    ck_assert_uint_eq(lag->bytes, 0);
    close_lagging(&it);
}
END_TEST

START_TEST(without_a_lag_nothing_is_kept)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", S), INDEXES(GLOBAL("gix", KEY("gh", S))));
    put(&world, S("pk", "a"), S("gh", "g"));
    ck_assert_str_eq(see(&world, KEY_OF(S("pk", "a")), "pk"), "a");
    ck_assert_str_eq(see_index(&world, "gix", "pk"), "a");
    td_lag_options options = td_lag__of_table(&(td_store_options){.stale_reads_us = LAG_US}, TD_LIT("T"));
    ck_assert_int_eq(options.delay_us, 0); /* a time without a share */
    world_done(&world);
}
END_TEST

TCase *lag_tests(void)
{
    TCase *tests = tcase_create("lag");
    tcase_add_test(tests, an_index_shows_a_write_when_its_lag_is_over);
    tcase_add_test(tests, an_index_keeps_what_is_changed_or_deleted_for_as_long);
    tcase_add_test(tests, stale_reads_see_the_table_and_its_local_indexes_as_they_were);
    tcase_add_test(tests, consistent_reads_never_lag);
    tcase_add_test(tests, writes_and_their_conditions_never_lag);
    tcase_add_test(tests, a_transaction_is_shown_as_one);
    tcase_add_test(tests, a_stale_read_costs_what_it_saw);
    tcase_add_test(tests, pages_go_on_from_items_that_are_gone);
    tcase_add_test(tests, the_share_is_drawn_by_seed_and_table_alone);
    tcase_add_test(tests, a_split_keeps_what_is_shown_and_what_is_not_yet);
    tcase_add_test(tests, a_new_index_has_what_is_older_than_it);
    tcase_add_test(tests, expired_items_stay_in_sight_for_the_lag);
    tcase_add_test(tests, a_new_table_of_the_same_name_has_no_past);
    tcase_add_test(tests, a_clock_that_was_read_too_early_does_not_disturb_the_order);
    tcase_add_test(tests, a_queue_that_holds_too_much_shows_whole_writes_early);
    tcase_add_test(tests, without_a_lag_nothing_is_kept);
    return tests;
}
