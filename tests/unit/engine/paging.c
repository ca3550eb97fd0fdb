/* SPDX-License-Identifier: Apache-2.0
 * paging.c: tests of pages in slices: they are the page, whatever happens between two of them, and are charged as it
 * is. */
#include "suites.h"
#include "thermodyn/metrics.h"
#include "thermodyn/partition.h"
#include "world.h"

#define ITEMS 1000
#define PARTITIONS (3 * TD_LIMIT_PAGE_SLICE_STEPS_MAX)

static td_world world;

static void setup(void)
{
    world_init(&world);
}

static void teardown(void)
{
    world_done(&world);
}

/* Four partitions, ten items to a partition key; every tenth item passes the filter. */
static void make_items(void)
{
    make_table(&world, "T", KEY("pk", N, "sk", N));
    for (int i = 0; i < ITEMS; i++) {
        char pk[8];
        char sk[8];
        (void)snprintf(pk, sizeof(pk), "%d", i / 10);
        (void)snprintf(sk, sizeof(sk), "%d", i % 10);
        put(&world, N("pk", pk), N("sk", sk), S("x", i % 10 == 3 ? "yes" : "no"));
        if (i % 50 == 0) world_move(&world, 1);
    }
}

static td_condition *compile(const char *text)
{
    td_condition *condition = NULL;
    static td_expr_value value; /* the program points to it */
    value = (td_expr_value){.mark = TD_LIT(":x"), .value = {.type = TD_TYPE_S, .bytes = TD_LIT("yes")}};
    td_expr_marks marks = {.values = &value, .value_count = 1};
    ck_assert_int_eq(td_condition_compile(TD_EXPR_FILTER, td_slice_of_cstr(text), &marks, world.call.arena, &condition,
                                          &world.fixture.error),
                     TD_OK);
    return condition;
}

static td_paging *begin(const td_page_request *request)
{
    td_paging *paging = NULL;
    ck_assert_int_eq(td_paging_begin(&world.call, request, &paging, &world.fixture.error), TD_OK);
    return paging;
}

static td_page step(td_paging *paging)
{
    td_page page = {0};
    ck_assert(!td_paging_is_whole(paging));
    ck_assert_int_eq(td_paging_step(paging, &page), TD_OK);
    return page;
}

static td_units consumed_since_start(void)
{
    td_samples point = {0};
    td_metered metered = {.table = world.call.table};
    td_series_window window = {.now_us = world.call.now_us,
                               .from_us = WORLD_START_US - WORLD_START_US % TD_SERIES_MINUTE_US,
                               .period_us = 60 * TD_SERIES_MINUTE_US,
                               .count = 1};
    bool is_known = td_store_read_metric(world.store, &metered, TD_METRIC_CONSUMED_READ, &window, &point);
    return is_known ? point.statistic.sum : 0;
}

/* Reads the page once whole and once in slices. */
static void check_slices(td_page_request request, uint32_t slices_min)
{
    td_units before = consumed_since_start();
    td_page whole = read_page(&world, request);
    td_units price = consumed_since_start() - before;
    td_paging *paging = begin(&request);
    uint32_t slices = 0;
    uint32_t found = 0;
    uint32_t scanned_before = 0;
    td_page page = {0};
    while (!td_paging_is_whole(paging)) {
        page = step(paging);
        slices++;
        ck_assert_uint_le(page.scanned_count - scanned_before, TD_LIMIT_PAGE_SLICE_STEPS_MAX);
        scanned_before = page.scanned_count;
        for (uint32_t i = 0; i < page.count; i++, found++) {
            ck_assert_uint_lt(found, whole.count);
            ck_assert_ptr_eq(page.items[i], whole.items[found]);
        }
    }
    ck_assert_uint_ge(slices, slices_min);
    ck_assert_uint_eq(found, whole.count);
    ck_assert_uint_eq(page.scanned_count, whole.scanned_count);
    ck_assert_ptr_eq(page.last, whole.last);
    ck_assert_int_eq(page.consumed.table, whole.consumed.table);
    ck_assert_int_eq(consumed_since_start() - before, 2 * price);
    ck_assert_int_eq(td_consumed_total(&page.consumed), price);
}

START_TEST(slices_are_the_page)
{
    make_items();
    td_key_range range = range_of(&world, N("", "7"));
    td_condition *filter = compile("x = :x");
    check_slices((td_page_request){0}, 8);
    check_slices((td_page_request){.is_consistent = true, .limit = 300}, 3);
    check_slices((td_page_request){.filter = filter}, 8);
    check_slices((td_page_request){.filter = filter, .limit = 257}, 3);
    check_slices((td_page_request){.segment = 1, .total_segments = 3}, 2);
    check_slices((td_page_request){.range = &range}, 1);
}
END_TEST

START_TEST(large_items_end_a_slice_by_their_bytes)
{
    make_table(&world, "T", KEY("pk", S, "sk", N));
    static char text[10000];
    memset(text, 'x', sizeof(text));
    for (int i = 0; i < 40; i++) {
        char sk[8];
        (void)snprintf(sk, sizeof(sk), "%d", i);
        world_move(&world, 1);
        put(&world, S("pk", "p"), N("sk", sk), S_OF("d", td_slice_of(text, sizeof(text))));
    }
    td_key_range range = range_of(&world, S("", "p"));
    check_slices((td_page_request){.range = &range}, 6);
    check_slices((td_page_request){.range = &range, .is_backward = true, .is_consistent = true}, 6);
}
END_TEST

START_TEST(a_slice_visits_so_many_partitions)
{
    td_store_options options = world_options();
    options.capacity.values[TD_CAPACITY_ondemand_initial_partitions] = PARTITIONS;
    world_done(&world);
    world_init_with(&world, options);
    make_table(&world, "T", KEY("pk", S, "sk", N));
    check_slices((td_page_request){0}, 3);
    put(&world, S("pk", "p"), N("sk", "1"));
    check_slices((td_page_request){0}, 3);
    td_page page = read_page(&world, (td_page_request){0});
    ck_assert_uint_eq(page.count, 1);
    ck_assert_int_eq(page.consumed.table, PARTITIONS * 500);
}
END_TEST

/* Half of the items stay; the others go, come back or are there twice as large, ahead of the walk and behind it; and
 * partitions are divided, between items and within a partition key. */
START_TEST(what_stays_is_met_once_whatever_happens_between_two_slices)
{
    make_items();
    td_page_request request = {.is_consistent = true};
    td_paging *paging = begin(&request);
    static uint32_t met[ITEMS];
    memset(met, 0, sizeof(met));
    td_units before = consumed_since_start();
    td_page page = {0};
    for (int round = 0; !td_paging_is_whole(paging); round++) {
        page = step(paging);
        for (uint32_t i = 0; i < page.count; i++) {
            td_stored pk;
            td_stored sk;
            int64_t key[2] = {0, 0};
            ck_assert(td_item_find(page.items[i], TD_LIT("pk"), &pk) && td_number_to_int64(pk.bytes, &key[0]));
            ck_assert(td_item_find(page.items[i], TD_LIT("sk"), &sk) && td_number_to_int64(sk.bytes, &key[1]));
            met[key[0] * 10 + key[1]]++;
        }
        for (int i = round % 2; i < ITEMS; i += 50) {
            char number[8];
            (void)snprintf(number, sizeof(number), "%d", i / 10);
            if (round % 3 == 0)
                erase(&world, N("pk", number), N("sk", "1"));
            else
                put(&world, N("pk", number), N("sk", round % 3 == 1 ? "1" : "5"), S("y", "changed"));
        }
        td_table_view view;
        td_split_veto veto;
        ck_assert(td_observe_table(&world.call, &view));
        td_slice id = td_slice_of_cstr(view.partitions[(size_t)round % view.partition_count].id);
        ck_assert_int_eq(td_partition_split(&world.call, TD_LIT(""), id, &veto), TD_SPLIT_DONE);
        world_move(&world, 1);
    }
    for (int i = 0; i < ITEMS; i++) {
        bool is_changing = i % 10 == 1 || i % 10 == 5;
        ck_assert_uint_le(met[i], 1);
        if (!is_changing) ck_assert_uint_eq(met[i], 1);
    }
    ck_assert_ptr_null(page.last);
    ck_assert_int_eq(consumed_since_start() - before, page.consumed.table);
}
END_TEST

static void change_index(td_index_change change)
{
    td_attribute_definition definition = {TD_LIT("x"), TD_TYPE_S};
    td_table_change update = {.definitions = &definition, .definition_count = 1, .indexes = &change, .index_count = 1};
    td_table_info info;
    ck_assert_int_eq(td_table_update(&world.call, &update, &info, &world.fixture.error), TD_OK);
    (void)describe(&world);
}

START_TEST(a_page_goes_on_when_its_table_is_updated)
{
    make_items();
    td_page_request request = {0};
    td_paging *paging = begin(&request);
    (void)step(paging);
    change_index((td_index_change){.action = TD_INDEX_CREATE, .spec = GLOBAL("gix", KEY("x", S))});
    td_page page = {0};
    while (!td_paging_is_whole(paging))
        page = step(paging);
    ck_assert_uint_eq(page.scanned_count, ITEMS);
    ck_assert_ptr_null(page.last);
}
END_TEST

START_TEST(a_page_ends_where_its_table_goes)
{
    make_items();
    td_page_request request = {0};
    td_paging *paging = begin(&request);
    td_page page = step(paging);
    uint32_t scanned = page.scanned_count;
    td_store_drop_all(world.store);
    page = step(paging);
    ck_assert(td_paging_is_whole(paging));
    ck_assert_uint_eq(page.count, 0);
    ck_assert_uint_eq(page.scanned_count, scanned);
    ck_assert_ptr_nonnull(page.last);
    td_stored value;
    ck_assert(td_item_find(page.last, page.key_names[1], &value));
}
END_TEST

/* And so does that of an index, whatever there is of its name by then. */
START_TEST(a_page_ends_where_its_index_goes)
{
    make_items();
    td_index_change make = {.action = TD_INDEX_CREATE, .spec = GLOBAL("gix", KEY("x", S))};
    change_index(make);
    td_page_request request = {.index = TD_LIT("gix")};
    td_paging *paging = begin(&request);
    td_page page = step(paging);
    ck_assert(!td_paging_is_whole(paging));
    change_index((td_index_change){.action = TD_INDEX_DELETE, .spec = {.name = TD_LIT("gix")}});
    make.spec.key = KEY("x", S, "sk", N);
    change_index(make);
    page = step(paging);
    ck_assert(td_paging_is_whole(paging));
    ck_assert_uint_eq(page.count, 0);
    ck_assert_ptr_nonnull(page.last);
    ck_assert_uint_eq(page.key_name_count, 3);
}
END_TEST

START_TEST(a_page_that_is_given_up_gives_everything_back)
{
    make_items();
    td_page_request request = {.filter = compile("x = :x")};
    td_paging *paging = begin(&request);
    (void)step(paging); /* what it holds goes with the arena: the leak checker looks */
    td_store_drop_all(world.store);
}
END_TEST

TCase *paging_tests(void)
{
    TCase *tests = tcase_create("paging");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, slices_are_the_page);
    tcase_add_test(tests, large_items_end_a_slice_by_their_bytes);
    tcase_add_test(tests, a_slice_visits_so_many_partitions);
    tcase_add_test(tests, what_stays_is_met_once_whatever_happens_between_two_slices);
    tcase_add_test(tests, a_page_goes_on_when_its_table_is_updated);
    tcase_add_test(tests, a_page_ends_where_its_table_goes);
    tcase_add_test(tests, a_page_ends_where_its_index_goes);
    tcase_add_test(tests, a_page_that_is_given_up_gives_everything_back);
    return tests;
}
