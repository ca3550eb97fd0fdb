/* SPDX-License-Identifier: Apache-2.0
 * placement.c: Scan order, segments and partitions are the service's: throttling.md §2.2 and Appendix A, whose vectors
 * were measured there. */
#include "scenario.h"

#include <stdio.h>

#define SEGMENTS 4096

static scenario it;

static void teardown(void)
{
    scenario_close(&it);
}

static td_number number_from(const char *text)
{
    td_number number;
    ck_assert_int_eq(td_number_parse(td_slice_of_cstr(text), &number), TD_NUMBER_OK);
    return number;
}

static void put_key(td_type type, const char *text)
{
    td_number number;
    td_slice payload = td_slice_of_cstr(text);
    if (type == TD_TYPE_N) {
        number = number_from(text);
        payload = td_number_slice(&number);
    }
    td_attribute attribute = {TD_LIT("pk"), {.type = type, .bytes = payload}};
    td_call call = scenario_call(&it);
    td_write write = {.kind = TD_WRITE_PUT, .attributes = &attribute, .attribute_count = 1};
    td_write_result result;
    ck_assert_int_eq(td_write_item(&call, &write, &result, &it.error), TD_OK);
}

/* The keys of a scan, in order, joined by blanks; pages of `limit`. */
static void scan_keys(uint32_t limit, uint32_t segment, uint32_t total_segments, char ret_keys[256])
{
    td_call call = scenario_call(&it);
    td_page_request request = {.limit = limit, .segment = segment, .total_segments = total_segments};
    td_attribute start;
    size_t len = 0;
    ret_keys[0] = '\0';
    td_page page;
    do {
        ck_assert_int_eq(td_read_page(&call, &request, &page, &it.error), TD_OK);
        for (uint32_t i = 0; i < page.count; i++) {
            td_stored key;
            ck_assert(td_item_find(page.items[i], TD_LIT("pk"), &key));
            char text[TD_NUMBER_TEXT_MAX];
            td_slice shown = key.bytes;
            if (key.type == TD_TYPE_N) shown = td_slice_of(text, td_number_print(key.bytes, text));
            len += (size_t)snprintf(ret_keys + len, 256 - len, "%s%.*s", len == 0 ? "" : " ", (int)shown.len,
                                    (const char *)shown.ptr);
            ck_assert_uint_lt(len, 256);
        }
        if (page.last == NULL) return;
        td_stored last;
        ck_assert(td_item_find(page.last, TD_LIT("pk"), &last));
        start = (td_attribute){TD_LIT("pk"), {.type = last.type, .bytes = last.bytes}};
        request.start_key = &start;
        request.start_key_count = 1;
    } while (true);
}

typedef struct order_case {
    td_type type;
    const char *keys[19];
    const char *order;
} order_case;

static const order_case order_cases[] = {
    {TD_TYPE_S,
     {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "aardman", "hello", "zapf", "äáöü"},
     "2 8 9 1 6 hello 0 5 4 äáöü aardman 7 3 zapf"},
    {TD_TYPE_N,
     {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "-0.09", "999.9", "0.012345", "-999.9"},
     "7 999.9 8 3 2 -999.9 9 4 -0.09 6 1 0 0.012345 5"},
};

START_TEST(scan_order_is_the_order_of_the_service)
{
    const order_case *row = &order_cases[_i];
    scenario_open(&it, &(scenario_setup){.key_type = row->type});
    for (size_t i = 0; row->keys[i] != NULL; i++)
        put_key(row->type, row->keys[i]);
    for (uint32_t limit = 0; limit <= 15; limit++) {
        char keys[256];
        scan_keys(limit, 0, 0, keys);
        ck_assert_str_eq(keys, row->order);
    }
}
END_TEST

typedef struct segment_case {
    td_type type;
    const char *key;
    uint32_t segment; /* of SEGMENTS */
} segment_case;

static const segment_case segment_cases[] = {
    {TD_TYPE_S, "3635", 0}, {TD_TYPE_S, "228", 0}, {TD_TYPE_S, "1668", 1},
    {TD_TYPE_S, "3435", 4}, {TD_TYPE_N, "251", 1}, {TD_TYPE_N, "2388", 4095},
};

START_TEST(a_key_lies_in_the_segment_of_the_service)
{
    const segment_case *row = &segment_cases[_i];
    scenario_open(&it, &(scenario_setup){.key_type = row->type});
    put_key(row->type, row->key);
    for (uint32_t step = 0; step < 12; step++) {
        uint32_t segment = (row->segment + step * 409) % SEGMENTS;
        char keys[256];
        scan_keys(0, segment, SEGMENTS, keys);
        ck_assert_str_eq(keys, step == 0 ? row->key : "");
    }
}
END_TEST

START_TEST(segments_of_any_number_hold_each_key_once)
{
    static const uint32_t totals[] = {1, 2, 3, 7, 100, 4096, 5000};
    scenario_open(&it, &(scenario_setup){.key_type = TD_TYPE_S});
    for (int i = 0; i < 20; i++) {
        char key[16];
        snprintf(key, sizeof key, "%d", i);
        put_key(TD_TYPE_S, key);
    }
    uint32_t total = totals[_i];
    uint32_t found = 0;
    for (uint32_t segment = 0; segment < total; segment++) {
        td_arena_reset(&it.arena);
        td_call call = scenario_call(&it);
        td_page_request request = {.segment = segment, .total_segments = total};
        td_page page;
        ck_assert_int_eq(td_read_page(&call, &request, &page, &it.error), TD_OK);
        found += page.count;
    }
    ck_assert_uint_eq(found, 20);
}
END_TEST

typedef struct partition_case {
    const char *format_start;
    int first;
    uint32_t partitions;
    uint32_t keys[11]; /* of ten, by partition */
} partition_case;

static const partition_case partition_cases[] = {
    {"bestseller-product_", 1, 4, {4, 5, 0, 1}},
    {"bestseller-product_", 1, 11, {3, 0, 1, 1, 4, 0, 0, 0, 0, 1, 0}},
    {"HOT#", 0, 4, {3, 0, 5, 2}},
    {"HOT#", 0, 11, {1, 1, 1, 0, 0, 2, 1, 1, 2, 0, 1}},
};

START_TEST(keys_lie_in_the_partitions_of_the_specification)
{
    const partition_case *row = &partition_cases[_i];
    bool is_on_demand = row->partitions == 4;
    scenario_open(&it, &(scenario_setup){.read = is_on_demand ? 0 : 3000, .written = is_on_demand ? 0 : 10000});
    for (int i = 0; i < 10; i++) {
        char key[64];
        snprintf(key, sizeof key, "%s%d", row->format_start, row->first + i);
        ck_assert_int_eq(scenario_put(&it, key, NULL, 0), TD_OK);
    }
    td_table_view view = scenario_observe(&it);
    ck_assert_uint_eq(view.partition_count, row->partitions);
    for (uint32_t i = 0; i < row->partitions; i++)
        ck_assert_uint_eq(view.partitions[i].items, row->keys[i]);
}
END_TEST

TCase *placement_scenarios(void)
{
    TCase *tests = tcase_create("placement");
    tcase_add_checked_fixture(tests, NULL, teardown);
    tcase_set_timeout(tests, 0);
    tcase_add_loop_test(tests, scan_order_is_the_order_of_the_service, 0, (int)TD_COUNT_OF(order_cases));
    tcase_add_loop_test(tests, a_key_lies_in_the_segment_of_the_service, 0, (int)TD_COUNT_OF(segment_cases));
    tcase_add_loop_test(tests, segments_of_any_number_hold_each_key_once, 0, 7);
    tcase_add_loop_test(tests, keys_lie_in_the_partitions_of_the_specification, 0, (int)TD_COUNT_OF(partition_cases));
    return tests;
}
