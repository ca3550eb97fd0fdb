/* SPDX-License-Identifier: Apache-2.0
 * key.c: tests of keys: the service's placement, order, freedom from prefixes. Source of the placement's vectors:
 * throttling.md, Appendix A. */
#include "thermodyn/key.h"

#include <stdlib.h>

#include "support/build.h"
#include "thermodyn/rng.h"

#include "suites.h"

enum { KEY_BYTES_MAX = 4096 };

static td_fixture fixture;
static td_arena *const arena = &fixture.arena;

static void setup(void) { td_fixture_init(&fixture); }
static void teardown(void) { td_fixture_done(&fixture); }

static uint64_t place(td_slice part, td_placement placement)
{
    td_key_hash hash = td_key_hash_of(&part, 1, placement);
    return td_key_hash_prefix(&hash);
}

static uint64_t place_text(const char *text) { return place(td_slice_of_cstr(text), TD_PLACEMENT_SERVICE); }
static uint64_t place_number(const char *text) { return place(number_of(arena, text), TD_PLACEMENT_SERVICE); }

typedef struct placed {
    const char *text;
    uint64_t at;
} placed;

static int compare_placed(const void *a, const void *b)
{
    uint64_t left = ((const placed *)a)->at, right = ((const placed *)b)->at;
    return (left > right) - (left < right);
}

/* The keys' texts in the order of a Scan. */
static const char *scan_order(const char *const *keys, size_t count, uint64_t (*place_cb)(const char *text))
{
    placed *all = td_arena_alloc_array(arena, count, sizeof *all);
    ck_assert_ptr_nonnull(all);
    for (size_t i = 0; i < count; i++)
        all[i] = (placed){keys[i], place_cb(keys[i])};
    qsort(all, count, sizeof *all, compare_placed);
    td_slice text = {NULL, 0};
    td_buf buf;
    td_buf_init(&buf, KEY_BYTES_MAX);
    for (size_t i = 0; i < count; i++)
        td_buf_append_format(&buf, i == 0 ? "%s" : " %s", all[i].text);
    ck_assert(td_arena_copy(arena, td_buf_contents(&buf), &text));
    td_buf_done(&buf);
    return show_slice(arena, text);
}

START_TEST(text_keys_stand_where_the_service_puts_them)
{
    ck_assert_uint_eq(place_text("2"), 0x29cbed30d64324c3);
    ck_assert_uint_eq(place_text("8"), 0x3f9a10fcc171d01e);
    ck_assert_uint_eq(place_text("hello"), 0x8f051e5595141045);
    ck_assert_uint_eq(place_text("äáöü"), 0xafc23a431bf63913);
    ck_assert_uint_eq(place_text("zapf"), 0xd70254e726be4cf6);
    ck_assert_uint_eq(place_text("ACTIVE"), 0x4dabc3c5ce87c120);
    ck_assert_uint_eq(place_text("US"), 0x02b1dacea6fbebbc);
    ck_assert_uint_eq(place_text("OPS_LOG"), 0x736863f685ebeb14);
}
END_TEST

START_TEST(number_keys_stand_where_the_service_puts_them)
{
    ck_assert_uint_eq(place_number("7"), 0x0275cc144e4fe61c);
    ck_assert_uint_eq(place_number("999.9"), 0x0c9cee4bb390281a);
    ck_assert_uint_eq(place_number("0"), 0xce212d751674ab5d);
    ck_assert_uint_eq(place_number("-0.09"), 0x8c55317bc6963088);
    ck_assert_uint_eq(place_number("-999.9"), 0x68b143a8ec5ab66d);
    ck_assert_uint_eq(place_number("0.012345"), 0xcf6f3ae98f0311a7);
}
END_TEST

START_TEST(keys_lie_in_the_segments_of_the_service)
{
    enum { SEGMENT_SHIFT = 52 }; /* 4096 segments: the top 12 bits */
    ck_assert_uint_eq(place_text("3635") >> SEGMENT_SHIFT, 0);
    ck_assert_uint_eq(place_text("228") >> SEGMENT_SHIFT, 0);
    ck_assert_uint_eq(place_text("1668") >> SEGMENT_SHIFT, 1);
    ck_assert_uint_eq(place_text("3435") >> SEGMENT_SHIFT, 4);
    ck_assert_uint_eq(place_number("251") >> SEGMENT_SHIFT, 1);
    ck_assert_uint_eq(place_number("2388") >> SEGMENT_SHIFT, 4095);
}
END_TEST

START_TEST(a_scan_meets_keys_in_the_order_of_the_service)
{
    static const char *const texts[] = {"0", "1", "2", "3",       "4",     "5",    "6",
                                        "7", "8", "9", "aardman", "hello", "zapf", "äáöü"};
    ck_assert_str_eq(scan_order(texts, TD_COUNT_OF(texts), place_text),
                     "\"2 8 9 1 6 hello 0 5 4 äáöü aardman 7 3 zapf\"");
    static const char *const numbers[] = {"0", "1", "2", "3",     "4",     "5",        "6",
                                          "7", "8", "9", "-0.09", "999.9", "0.012345", "-999.9"};
    ck_assert_str_eq(scan_order(numbers, TD_COUNT_OF(numbers), place_number),
                     "\"7 999.9 8 3 2 -999.9 9 4 -0.09 6 1 0 0.012345 5\"");
}
END_TEST

START_TEST(keys_share_partitions_as_published)
{
    static const struct {
        const char *prefix;
        uint32_t first, partitions, counts[11];
    } cases[] = {
        {"bestseller-product_", 1, 4, {4, 5, 0, 1}},
        {"bestseller-product_", 1, 11, {3, 0, 1, 1, 4, 0, 0, 0, 0, 1, 0}},
        {"HOT#", 0, 4, {3, 0, 5, 2}},
        {"HOT#", 0, 11, {1, 1, 1, 0, 0, 2, 1, 1, 2, 0, 1}},
    };
    for (size_t i = 0; i < TD_COUNT_OF(cases); i++) {
        uint32_t counts[11] = {0};
        for (uint32_t key = cases[i].first; key < cases[i].first + 10; key++) {
            td_slice text;
            ck_assert(td_arena_format(arena, &text, "%s%u", cases[i].prefix, key));
            uint64_t at = place(text, TD_PLACEMENT_SERVICE);
            counts[(uint32_t)(((unsigned __int128)at * cases[i].partitions) >> 64)]++;
        }
        for (uint32_t partition = 0; partition < cases[i].partitions; partition++)
            ck_assert_msg(counts[partition] == cases[i].counts[partition], "%s: %u keys in partition %u of %u",
                          cases[i].prefix, counts[partition], partition, cases[i].partitions);
    }
}
END_TEST

START_TEST(several_parts_do_not_trade_bytes)
{
    static const td_placement placements[] = {TD_PLACEMENT_SERVICE, TD_PLACEMENT_XXH3};
    for (size_t i = 0; i < TD_COUNT_OF(placements); i++) {
        const td_slice one[] = {TD_LIT("ab"), TD_LIT("c")}, other[] = {TD_LIT("a"), TD_LIT("bc")};
        td_key_hash first = td_key_hash_of(one, 2, placements[i]), second = td_key_hash_of(other, 2, placements[i]);
        ck_assert_mem_ne(first.bytes, second.bytes, TD_KEY_HASH_BYTES);
        second = td_key_hash_of(one, 2, placements[i]);
        ck_assert_mem_eq(first.bytes, second.bytes, TD_KEY_HASH_BYTES);
    }
}
END_TEST

START_TEST(the_other_placement_is_xxh3_of_128_bits)
{
    /* XXH3_128bits of nothing: 99aa06d3014798d86001c324468d497f, published with the library. */
    ck_assert_uint_eq(place(TD_LIT(""), TD_PLACEMENT_XXH3), 0x99aa06d3014798d8);
    ck_assert_uint_ne(place(TD_LIT("a"), TD_PLACEMENT_XXH3), place(TD_LIT("a"), TD_PLACEMENT_SERVICE));
}
END_TEST

START_TEST(a_key_is_hash_and_closed_parts)
{
    td_key_schema schema = {
        .hash_count = 1, .range_count = 1, .parts = {{TD_LIT("pk"), TD_TYPE_S}, {TD_LIT("sk"), TD_TYPE_B}}};
    const td_slice parts[] = {TD_LIT("ab"), TD_LIT("\0x\0\0")};
    td_buf buf;
    td_buf_init(&buf, KEY_BYTES_MAX);
    td_key_append(&buf, &schema, parts, TD_PLACEMENT_SERVICE);
    td_slice key = td_buf_contents(&buf);
    td_key_hash hash = td_key_hash_of(parts, 1, TD_PLACEMENT_SERVICE);
    ck_assert_uint_gt(key.len, TD_KEY_HASH_BYTES);
    ck_assert_mem_eq(key.ptr, hash.bytes, TD_KEY_HASH_BYTES);
    CHECK_SLICE(arena, td_slice_of(key.ptr + TD_KEY_HASH_BYTES, key.len - TD_KEY_HASH_BYTES),
                "ab\0\0\0\xffx\0\xff\0\xff\0\0");
    td_buf_clear(&buf);
    td_key_append_collection(&buf, parts, 1, TD_PLACEMENT_SERVICE);
    ck_assert_uint_eq(buf.len, TD_KEY_HASH_BYTES + 4);
    td_buf_done(&buf);
}
END_TEST

static td_slice random_part(td_rng *rng)
{
    static const uint8_t alphabet[] = {0x00, 0x00, 0x01, 'a', 0xfe, 0xff};
    size_t len = (size_t)(td_rng_next(rng) % 5);
    uint8_t *bytes = td_arena_alloc(arena, len);
    ck_assert_ptr_nonnull(bytes);
    for (size_t i = 0; i < len; i++)
        bytes[i] = alphabet[td_rng_next(rng) % sizeof alphabet];
    return td_slice_of(bytes, len);
}

static td_slice key_of_parts(td_slice first, td_slice second)
{
    td_slice key = {NULL, 0};
    td_buf buf;
    td_buf_init(&buf, KEY_BYTES_MAX);
    td_key_append_part(&buf, first);
    td_key_append_part(&buf, second);
    ck_assert(td_arena_copy(arena, td_buf_contents(&buf), &key));
    td_buf_done(&buf);
    return key;
}

START_TEST(parts_of_a_key_read_back)
{
    static const td_slice texts[] = {TD_LIT_INIT(""), TD_LIT_INIT("ab"), TD_LIT_INIT("\0"), TD_LIT_INIT("\0\0x\0"),
                                     TD_LIT_INIT("\xff\0\xff")};
    td_key_schema schema = {
        .hash_count = 1, .range_count = 1, .parts = {{TD_LIT("pk"), TD_TYPE_B}, {TD_LIT("sk"), TD_TYPE_B}}};
    td_buf key;
    td_buf part;
    td_buf_init(&key, KEY_BYTES_MAX);
    td_buf_init(&part, KEY_BYTES_MAX);
    for (size_t i = 0; i < TD_COUNT_OF(texts) * TD_COUNT_OF(texts); i++) {
        const td_slice parts[] = {texts[i / TD_COUNT_OF(texts)], texts[i % TD_COUNT_OF(texts)]};
        td_buf_clear(&key);
        size_t collection_len = td_key_append(&key, &schema, parts, TD_PLACEMENT_SERVICE);
        td_slice whole = td_buf_contents(&key);
        ck_assert_uint_eq(td_key_length_of_parts(whole, 1), collection_len);
        ck_assert_uint_eq(td_key_length_of_parts(whole, 2), whole.len);
        size_t at = TD_KEY_HASH_BYTES;
        for (size_t k = 0; k < TD_COUNT_OF(parts); k++) {
            td_buf_clear(&part);
            ck_assert(td_key_read_part(whole, &at, &part));
            ck_assert(td_slice_equal(td_buf_contents(&part), parts[k]));
        }
        ck_assert_uint_eq(at, whole.len);
        ck_assert(!td_key_read_part(whole, &at, NULL));
        at = collection_len;
        ck_assert(!td_key_read_part(td_slice_of(whole.ptr, whole.len - 1), &at, NULL));
    }
    td_buf_done(&key);
    td_buf_done(&part);
}
END_TEST

static int sign(int order) { return (order > 0) - (order < 0); }

START_TEST(keys_keep_the_order_of_their_parts_and_none_begins_another)
{
    td_rng rng;
    td_rng_init(&rng, 7);
    for (int i = 0; i < 20000; i++) {
        td_slice a1 = random_part(&rng), a2 = random_part(&rng), b1 = random_part(&rng), b2 = random_part(&rng);
        td_slice a = key_of_parts(a1, a2), b = key_of_parts(b1, b2);
        int order = td_slice_compare(a1, b1);
        if (order == 0) order = td_slice_compare(a2, b2);
        ck_assert_int_eq(sign(td_slice_compare(a, b)), sign(order));
        if (order != 0) ck_assert(!td_slice_has_prefix(a, b));
        td_arena_reset(arena);
    }
}
END_TEST

START_TEST(an_open_part_begins_exactly_what_begins_with_it)
{
    td_rng rng;
    td_rng_init(&rng, 8);
    for (int i = 0; i < 20000; i++) {
        td_slice part = random_part(&rng), prefix = random_part(&rng);
        td_buf closed, open;
        td_buf_init(&closed, KEY_BYTES_MAX);
        td_buf_init(&open, KEY_BYTES_MAX);
        td_key_append_part(&closed, part);
        td_key_append_open_part(&open, prefix);
        ck_assert_msg(td_slice_has_prefix(td_buf_contents(&closed), td_buf_contents(&open)) ==
                          td_slice_has_prefix(part, prefix),
                      "%s, %s", show_slice(arena, part), show_slice(arena, prefix));
        td_buf_done(&closed);
        td_buf_done(&open);
        td_arena_reset(arena);
    }
}
END_TEST

START_TEST(parts_come_from_items_and_attributes_of_the_right_types)
{
    const td_key_schema schema = {
        .hash_count = 1, .range_count = 1, .parts = {{TD_LIT("pk"), TD_TYPE_S}, {TD_LIT("sk"), TD_TYPE_N}}};
    td_given_attributes fine = attributes_of(arena, S("pk", "a"), N("sk", "7"), S("x", "y"));
    td_given_attributes missing = attributes_of(arena, S("pk", "a"));
    td_given_attributes mistyped = attributes_of(arena, S("pk", "a"), S("sk", "7"));
    td_slice parts[TD_KEY_PARTS_MAX];
    ck_assert(td_key_parts_of_attributes(&schema, fine.attributes, fine.count, parts));
    CHECK_SLICE(arena, parts[0], "a");
    CHECK_SLICE(arena, parts[1], "\xc1\x08");
    ck_assert(!td_key_parts_of_attributes(&schema, missing.attributes, missing.count, parts));
    ck_assert(!td_key_parts_of_attributes(&schema, mistyped.attributes, mistyped.count, parts));

    ck_assert(td_key_parts_of_item(&schema, item_of(arena, S("pk", "b"), N("sk", "7"), S("x", "y")), parts));
    CHECK_SLICE(arena, parts[0], "b");
    CHECK_SLICE(arena, parts[1], "\xc1\x08");
    ck_assert(!td_key_parts_of_item(&schema, item_of(arena, S("pk", "a")), parts));
    ck_assert(!td_key_parts_of_item(&schema, item_of(arena, S("pk", "a"), S("sk", "7")), parts));
    CHECK_SLICE(arena, parts[0], "b"); /* a failure leaves the parts alone */

    ck_assert_int_eq(td_key_find_part(&schema, TD_LIT("pk")), 0);
    ck_assert_int_eq(td_key_find_part(&schema, TD_LIT("sk")), 1);
    ck_assert_int_eq(td_key_find_part(&schema, TD_LIT("x")), -1);
}
END_TEST

TCase *key_tests(void)
{
    TCase *tests = tcase_create("key");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, text_keys_stand_where_the_service_puts_them);
    tcase_add_test(tests, number_keys_stand_where_the_service_puts_them);
    tcase_add_test(tests, keys_lie_in_the_segments_of_the_service);
    tcase_add_test(tests, a_scan_meets_keys_in_the_order_of_the_service);
    tcase_add_test(tests, keys_share_partitions_as_published);
    tcase_add_test(tests, several_parts_do_not_trade_bytes);
    tcase_add_test(tests, the_other_placement_is_xxh3_of_128_bits);
    tcase_add_test(tests, a_key_is_hash_and_closed_parts);
    tcase_add_test(tests, parts_of_a_key_read_back);
    tcase_add_test(tests, keys_keep_the_order_of_their_parts_and_none_begins_another);
    tcase_add_test(tests, an_open_part_begins_exactly_what_begins_with_it);
    tcase_add_test(tests, parts_come_from_items_and_attributes_of_the_right_types);
    return tests;
}
