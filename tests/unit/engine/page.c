/* SPDX-License-Identifier: Apache-2.0
 * page.c: tests of Query and Scan: order, ranges, limits, prices, resuming. */
#include "suites.h"
#include "world.h"

static td_page query(td_world *world, td_key_range range)
{
    return read_page(world, (td_page_request){.range = &range, .is_consistent = true});
}

static void make_sorted_table(td_world *world)
{
    world_init(world);
    make_table(world, "T", KEY("pk", S, "sk", S),
               INDEXES(LOCAL("lix", KEY("pk", S, "lk", N), .projection = TD_PROJECT_KEYS_ONLY)));
    static const char *const sort_keys[] = {"a", "ab", "abc", "b", "c"};
    for (size_t i = 0; i < TD_COUNT_OF(sort_keys); i++) {
        char number[8];
        snprintf(number, sizeof number, "%d", 10 - (int)i);
        put(world, S("pk", "p"), S("sk", sort_keys[i]), N("lk", number), S("x", "unprojected"));
    }
    put(world, S("pk", "o"), S("sk", "z"));
    put(world, S("pk", "q"), S("sk", "0"));
}

/* Source: throttling.md, Appendix A: the order in which the service scans these keys. */
START_TEST(scan_goes_by_the_services_hash)
{
    td_world world;
    world_init(&world);
    make_table(&world, "S", KEY("k", S));
    static const char *const strings[] = {"0", "1", "2", "3",       "4",     "5",    "6",
                                          "7", "8", "9", "aardman", "hello", "zapf", "äáöü"};
    for (size_t i = 0; i < TD_COUNT_OF(strings); i++)
        put(&world, S("k", strings[i]));
    td_page page = read_page(&world, (td_page_request){0});
    ck_assert_str_eq(show_page(&world, &page, "k"), "2 8 9 1 6 hello 0 5 4 äáöü aardman 7 3 zapf");
    make_table(&world, "N", KEY("k", N));
    static const char *const numbers[] = {"0", "1", "2", "3",     "4",     "5",        "6",
                                          "7", "8", "9", "-0.09", "999.9", "0.012345", "-999.9"};
    for (size_t i = 0; i < TD_COUNT_OF(numbers); i++)
        put(&world, N("k", numbers[i]));
    page = read_page(&world, (td_page_request){0});
    ck_assert_str_eq(show_page(&world, &page, "k"), "7 999.9 8 3 2 -999.9 9 4 -0.09 6 1 0 0.012345 5");
    world_done(&world);
}
END_TEST

START_TEST(query_keeps_to_its_range)
{
    td_world world;
    make_sorted_table(&world);
    static const struct {
        td_range_kind kind;
        const char *low;
        const char *high;
        const char *expected;
    } cases[] = {
        {TD_RANGE_ALL, "", "", "a ab abc b c"},
        {TD_RANGE_LESS, "ab", "", "a"},
        {TD_RANGE_LESS_EQUAL, "ab", "", "a ab"},
        {TD_RANGE_GREATER, "ab", "", "abc b c"},
        {TD_RANGE_GREATER_EQUAL, "ab", "", "ab abc b c"},
        {TD_RANGE_BETWEEN, "ab", "b", "ab abc b"},
        {TD_RANGE_BETWEEN, "aa", "aa", ""},
        {TD_RANGE_BEGINS_WITH, "ab", "", "ab abc"},
        {TD_RANGE_BEGINS_WITH, "", "", "a ab abc b c"},
        {TD_RANGE_LESS, "a", "", ""},
        {TD_RANGE_GREATER, "c", "", ""},
    };
    for (size_t i = 0; i < TD_COUNT_OF(cases); i++) {
        td_key_range range = range_of(&world, S("", "p"));
        range.kind = cases[i].kind;
        range.low = td_slice_of_cstr(cases[i].low);
        range.high = td_slice_of_cstr(cases[i].high);
        td_page page = query(&world, range);
        ck_assert_str_eq(show_page(&world, &page, "sk"), cases[i].expected);
        ck_assert_ptr_null(page.last);
        td_page_request backward = {.range = &range, .is_backward = true};
        td_page reversed = read_page(&world, backward);
        ck_assert_uint_eq(reversed.count, page.count);
        for (uint32_t k = 0; k < page.count; k++) {
            ck_assert_ptr_eq(reversed.items[k], page.items[page.count - 1 - k]);
        }
    }
    td_key_range range = range_of(&world, S("", "p"));
    range.equal_count = 1;
    range.equal_parts[0] = TD_LIT("ab");
    td_page page = query(&world, range);
    ck_assert_str_eq(show_page(&world, &page, "sk"), "ab");
    world_done(&world);
}
END_TEST

START_TEST(a_local_index_sorts_by_its_own_key)
{
    td_world world;
    make_sorted_table(&world);
    td_key_range range = range_of(&world, S("", "p"));
    td_page page = read_page(&world, (td_page_request){.index = TD_LIT("lix"), .range = &range});
    ck_assert_str_eq(show_page(&world, &page, "lk"), "6 7 8 9 10");
    ck_assert_str_eq(show_page(&world, &page, "x"), "- - - - -");
    ck_assert_int_eq(page.consumed.table, 0);
    ck_assert_int_eq(index_units(&page.consumed, "lix"), 500);

    page = read_page(&world, (td_page_request){.index = TD_LIT("lix"), .range = &range, .needs_whole_items = true});
    ck_assert_str_eq(show_page(&world, &page, "sk"), "c b abc ab a");
    ck_assert_str_eq(show_page(&world, &page, "x"), "unprojected unprojected unprojected unprojected unprojected");
    ck_assert_int_eq(page.consumed.table, 5 * 500);
    ck_assert_int_eq(index_units(&page.consumed, "lix"), 500);
    world_done(&world);
}
END_TEST

/* Walks all pages of a request, each of `limit` items, and joins what they show. */
static const char *walk(td_world *world, td_page_request request, uint32_t limit, const char *attribute)
{
    td_slice text = TD_LIT("");
    request.limit = limit;
    for (int pages = 0; pages < 100; pages++) {
        td_page page = read_page(world, request);
        ck_assert_uint_le(page.count, limit);
        ck_assert(td_arena_format(world->call.arena, &text, "%.*s%s|", (int)text.len, (const char *)text.ptr,
                                  show_page(world, &page, attribute)));
        if (page.last == NULL) return (const char *)text.ptr;
        td_given_attributes start = last_key(world, &page);
        request.start_key = start.attributes;
        request.start_key_count = start.count;
    }
    ck_abort_msg("the pages do not end");
    return NULL;
}

START_TEST(pages_follow_each_other_without_loss)
{
    td_world world;
    make_sorted_table(&world);
    td_key_range range = range_of(&world, S("", "p"));
    td_page_request forward = {.range = &range};
    td_page_request backward = {.range = &range, .is_backward = true};
    td_page_request local = {.range = &range, .index = TD_LIT("lix")};
    ck_assert_str_eq(walk(&world, forward, 2, "sk"), "a ab|abc b|c|");
    ck_assert_str_eq(walk(&world, backward, 2, "sk"), "c b|abc ab|a|");
    ck_assert_str_eq(walk(&world, local, 3, "lk"), "6 7 8|9 10|");
    ck_assert_str_eq(walk(&world, forward, 5, "sk"), "a ab abc b c||"); /* a full page says that there may be more */
    ck_assert_str_eq(walk(&world, forward, 6, "sk"), "a ab abc b c|");
    td_page whole = read_page(&world, (td_page_request){0});
    ck_assert_uint_eq(whole.count, 7);
    for (uint32_t limit = 1; limit < 9; limit++) {
        const char *joined = walk(&world, (td_page_request){0}, limit, "sk");
        uint32_t items = 0;
        for (const char *at = joined; *at != '\0'; at++)
            items += *at >= '0' && *at <= 'z';
        ck_assert_uint_eq(items, 1 + 2 + 3 + 1 + 1 + 1 + 1);
    }
    world_done(&world);
}
END_TEST

START_TEST(a_page_ends_with_the_item_that_reaches_a_megabyte)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", S, "sk", N));
    size_t len = 262144 - 7 - 1;
    char *text = td_arena_alloc(world.call.arena, len);
    ck_assert_ptr_nonnull(text);
    memset(text, 'x', len);
    for (int i = 1; i <= 6; i++) {
        char number[8];
        snprintf(number, sizeof number, "%d", i);
        world_move(&world, 1);
        put(&world, S("pk", "p"), N("sk", number), S_OF("d", td_slice_of(text, len)));
    }
    ck_assert_uint_eq(td_item_size(get(&world, S("pk", "p"), N("sk", "1"))), 262144);
    td_key_range range = range_of(&world, S("", "p"));
    td_page page = query(&world, range);
    ck_assert_uint_eq(page.count, 4);
    ck_assert_ptr_eq(page.last, page.items[3]);
    ck_assert_int_eq(page.consumed.table, 256 * TD_UNITS_ONE);
    td_given_attributes start = last_key(&world, &page);
    page = read_page(&world,
                     (td_page_request){.range = &range, .start_key = start.attributes, .start_key_count = start.count});
    ck_assert_str_eq(show_page(&world, &page, "sk"), "5 6");
    ck_assert_ptr_null(page.last);
    ck_assert_int_eq(page.consumed.table, 64 * TD_UNITS_ONE);
    world_done(&world);
}
END_TEST

START_TEST(filters_are_paid_and_counted)
{
    td_world world;
    make_sorted_table(&world);
    td_condition *filter = NULL;
    ck_assert_int_eq(td_condition_compile(TD_EXPR_FILTER, TD_LIT("attribute_not_exists(lk)"), NULL, world.call.arena,
                                          &filter, &world.fixture.error),
                     TD_OK);
    td_page page = read_page(&world, (td_page_request){.filter = filter});
    ck_assert_uint_eq(page.scanned_count, 7);
    ck_assert_uint_eq(page.count, 2);
    td_key_range range = range_of(&world, S("", "p"));
    page = read_page(&world, (td_page_request){.range = &range, .filter = filter, .limit = 3});
    ck_assert_uint_eq(page.scanned_count, 3);
    ck_assert_uint_eq(page.count, 0);
    ck_assert_ptr_nonnull(page.last);
    world_done(&world);
}
END_TEST

START_TEST(empty_partitions_cost_their_visit)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", S));
    td_page page = read_page(&world, (td_page_request){0});
    ck_assert_int_eq(page.consumed.table, 4 * 500);
    page = read_page(&world, (td_page_request){.segment = 1, .total_segments = 2, .is_consistent = true});
    ck_assert_int_eq(page.consumed.table, 2 * 1000);
    make_table(&world, "P", KEY("pk", S), PROVISIONED(1, 1));
    page = read_page(&world, (td_page_request){0});
    ck_assert_int_eq(page.consumed.table, 500);
    world_done(&world);
}
END_TEST

START_TEST(segments_share_the_table_out)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", N));
    for (int i = 0; i < 200; i++) {
        char number[8];
        snprintf(number, sizeof number, "%d", i);
        put(&world, N("pk", number));
    }
    static const uint32_t totals[] = {1, 2, 3, 5, 64, 5000};
    for (size_t i = 0; i < TD_COUNT_OF(totals); i++) {
        uint32_t count = 0;
        for (uint32_t segment = 0; segment < totals[i]; segment++) {
            world_move(&world, 1);
            td_page_request request = {.segment = segment, .total_segments = totals[i]};
            count += read_page(&world, request).count;
            if (segment % 64 == 63) world_forget(&world);
        }
        ck_assert_uint_eq(count, 200);
    }
    world_done(&world);
}
END_TEST

START_TEST(a_page_ends_where_a_partition_is_throttled)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", S));
    static const char *const keys[] = {"2", "8", "hello", "zapf"}; /* hashes 29…, 3f…, 8f…, d7…: partitions 0 0 2 3 */
    for (size_t i = 0; i < TD_COUNT_OF(keys); i++)
        put(&world, S("pk", keys[i]));
    for (int i = 0; i < 3000; i++) {
        (void)get(&world, S("pk", "hello"));
        if (i % 256 == 0) world_forget(&world);
    }
    td_page page = read_page(&world, (td_page_request){0});
    ck_assert_str_eq(show_page(&world, &page, "pk"), "2 8");
    ck_assert_ptr_eq(page.last, page.items[1]);
    td_given_attributes start = last_key(&world, &page);
    td_page_request next = {.start_key = start.attributes, .start_key_count = start.count};
    ck_assert_int_eq(td_read_page(&world.call, &next, &page, &world.fixture.error), TD_THROTTLING);
    world_move(&world, 1);
    page = read_page(&world, next);
    ck_assert_str_eq(show_page(&world, &page, "pk"), "hello zapf");
    world_done(&world);
}
END_TEST

START_TEST(a_global_index_is_charged_for_its_reads)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", S), PROVISIONED(1, 1),
               INDEXES(GLOBAL("gix", KEY("gh", S, "gr", N), .throughput = UNITS(10, 10))));
    put(&world, S("pk", "b"), S("gh", "g"), N("gr", "1"));
    put(&world, S("pk", "a"), S("gh", "g"), N("gr", "2"));
    td_key_range range = range_of(&world, S("", "g"));
    td_page page = read_page(&world, (td_page_request){.index = TD_LIT("gix"), .range = &range});
    ck_assert_str_eq(show_page(&world, &page, "pk"), "b a");
    ck_assert_int_eq(page.consumed.table, 0);
    ck_assert_int_eq(index_units(&page.consumed, "gix"), 500);
    ck_assert_uint_eq(page.key_name_count, 3);
    CHECK_SLICE(world.call.arena, page.key_names[0], "pk");
    CHECK_SLICE(world.call.arena, page.key_names[1], "gh");
    td_table_view view;
    ck_assert(td_observe_table(&world.call, &view));
    ck_assert_double_eq(view.resources[0].bucket[TD_READ].balance, 300);
    ck_assert_double_eq(view.resources[1].bucket[TD_READ].balance, 2999.5);
    td_page_request consistent = {.index = TD_LIT("gix"), .range = &range, .is_consistent = true};
    REFUSED(&world, td_read_page(&world.call, &consistent, &page, &world.fixture.error), TD_VALIDATION,
            "Consistent reads are not supported on global secondary indexes");
    world_done(&world);
}
END_TEST

START_TEST(pages_hold_their_items)
{
    td_world world;
    make_sorted_table(&world);
    td_page page = read_page(&world, (td_page_request){0});
    td_store_drop_all(world.store);
    ck_assert_uint_eq(page.count, 7);
    ck_assert_uint_gt(td_item_size(page.items[6]), 0);
    world_done(&world);
}
END_TEST

TCase *page_tests(void)
{
    TCase *tests = tcase_create("page");
    tcase_add_test(tests, scan_goes_by_the_services_hash);
    tcase_add_test(tests, query_keeps_to_its_range);
    tcase_add_test(tests, a_local_index_sorts_by_its_own_key);
    tcase_add_test(tests, pages_follow_each_other_without_loss);
    tcase_add_test(tests, a_page_ends_with_the_item_that_reaches_a_megabyte);
    tcase_add_test(tests, filters_are_paid_and_counted);
    tcase_add_test(tests, empty_partitions_cost_their_visit);
    tcase_add_test(tests, segments_share_the_table_out);
    tcase_add_test(tests, a_page_ends_where_a_partition_is_throttled);
    tcase_add_test(tests, a_global_index_is_charged_for_its_reads);
    tcase_add_test(tests, pages_hold_their_items);
    return tests;
}
