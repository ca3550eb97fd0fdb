/* SPDX-License-Identifier: Apache-2.0
 * item_keys.c: tests of keys read off items, against the keys that storage/value/key.c encodes. */
#include "item_keys.h"

#include "schema.h"
#include "suites.h"
#include "support/build.h"

/* Parts that encodings are about: zeros, what zeros are written with, and beginnings of each other. */
static const td_slice parts[] = {
    TD_LIT_INIT("a"),        TD_LIT_INIT("a\0"),       TD_LIT_INIT("a\0\xff"),    TD_LIT_INIT("a\0\xff\xff"),
    TD_LIT_INIT("a\0\0"),    TD_LIT_INIT("\0"),        TD_LIT_INIT("\0\0\0"),     TD_LIT_INIT("\xff"),
    TD_LIT_INIT("abcdefgh"), TD_LIT_INIT("abcdefghi"), TD_LIT_INIT("abcd\0efgh"), TD_LIT_INIT("abcdefgX"),
};

enum { PARTS = TD_COUNT_OF(parts), KEYS = PARTS * PARTS, KEY_BYTES = 128 };

/* Items of every pair of parts, with the encodings of their keys. */
typedef struct key_items {
    td_arena arena;
    td_schema *schema;
    td_item_keys *keys;
    td_item *items[KEYS];
    td_slice encoded[KEYS];
} key_items;

typedef struct key_shape {
    const char *hash;
    const char *range;
    bool is_wide; /* more attributes than are walked over */
} key_shape;

static const key_shape shapes[] = {{"pk", "sk", false}, {"z", "a", false}, {"pk", "sk", true}, {"pk", NULL, false}};

static td_item *item_with(key_items *it, const key_shape *shape, td_slice hash, td_slice range)
{
    td_given given[24] = {B_OF(shape->hash, hash), S("address", "somewhere"), NULL_("m"), BOOL("q", true),
                          L("list", N("", "1"))};
    uint32_t count = 5;
    if (shape->range != NULL) given[count++] = B_OF(shape->range, range);
    static const char *const more[] = {"b1", "b2", "b3", "n1", "n2", "n3", "x1", "x2", "x3", "x4", "x5"};
    for (size_t i = 0; shape->is_wide && i < TD_COUNT_OF(more); i++)
        given[count++] = N(more[i], "7");
    given[count] = (td_given){.type = TD_TYPE_COUNT};
    return td_given_make_item(&it->arena, given);
}

static void make_items(key_items *it, const key_shape *shape)
{
    td_attribute_definition definitions[2] = {{td_slice_of_cstr(shape->hash), TD_TYPE_B}};
    td_table_spec spec = {.name = TD_LIT("T"), .definitions = definitions, .definition_count = 1};
    spec.key = (td_key_schema){.hash_count = 1, .parts = {{td_slice_of_cstr(shape->hash), TD_TYPE_B}}};
    if (shape->range != NULL) {
        definitions[spec.definition_count++] = (td_attribute_definition){td_slice_of_cstr(shape->range), TD_TYPE_B};
        spec.key.range_count = 1;
        spec.key.parts[1] = (td_key_part){td_slice_of_cstr(shape->range), TD_TYPE_B};
    }
    td_arena_init(&it->arena, (size_t)1 << 24);
    it->schema = td_schema__new(td_slice_of(NULL, 0), &spec);
    ck_assert_ptr_nonnull(it->schema);
    it->keys = td_item_keys__new(it->schema, TD_PLACEMENT_SERVICE);
    ck_assert_ptr_nonnull(it->keys);
    td_buf buf;
    td_buf_init(&buf, KEY_BYTES);
    for (size_t i = 0; i < KEYS; i++) {
        td_slice key[] = {parts[i / PARTS], parts[i % PARTS]};
        it->items[i] = item_with(it, shape, key[0], key[1]);
        td_buf_clear(&buf);
        td_key_append(&buf, &spec.key, key, TD_PLACEMENT_SERVICE);
        ck_assert(!td_buf_has_failed(&buf));
        ck_assert(td_arena_copy(&it->arena, td_buf_contents(&buf), &it->encoded[i]));
    }
    td_buf_done(&buf);
}

static void free_items(key_items *it)
{
    td_item_keys__free(it->keys);
    td_schema__unref(it->schema);
    td_arena_done(&it->arena);
}

static size_t common_of(td_slice a, td_slice b)
{
    size_t common = 0;
    while (common < a.len && common < b.len && a.ptr[common] == b.ptr[common])
        common++;
    return common;
}

static int sign_of(int order)
{
    return (order > 0) - (order < 0);
}

static void check_order(const key_items *it, size_t item, td_slice key)
{
    const td_btree_source *source = &it->keys->source;
    size_t common = SIZE_MAX;
    int order = source->compare(source, it->items[item], key, &common);
    ck_assert_int_eq(sign_of(order), sign_of(td_slice_compare(it->encoded[item], key)));
    ck_assert_uint_eq(common, common_of(it->encoded[item], key));
}

START_TEST(item_key_is_in_the_order_of_its_encoding)
{
    key_items it;
    make_items(&it, &shapes[_i]);
    for (size_t i = 0; i < KEYS; i++) {
        for (size_t k = 0; k < KEYS; k++)
            check_order(&it, i, it.encoded[k]);
    }
    free_items(&it);
}
END_TEST

/* A bound may end anywhere, and may be followed by anything. */
START_TEST(item_key_is_in_order_to_every_beginning_of_a_key)
{
    key_items it;
    make_items(&it, &shapes[_i]);
    for (size_t i = 0; i < KEYS; i++) {
        size_t other = i * 31 % KEYS;
        for (size_t len = 0; len <= it.encoded[other].len; len++)
            check_order(&it, i, td_slice_of(it.encoded[other].ptr, len));
        for (size_t len = 0; len <= it.encoded[i].len; len++) {
            uint8_t bytes[KEY_BYTES + 1];
            memcpy(bytes, it.encoded[i].ptr, len);
            bytes[len] = (uint8_t)(len % 2 == 0 ? 0 : 0xff);
            check_order(&it, i, td_slice_of(bytes, len + 1));
        }
    }
    free_items(&it);
}
END_TEST

START_TEST(item_key_is_made_from_any_byte_on)
{
    key_items it;
    make_items(&it, &shapes[_i]);
    const td_btree_source *source = &it.keys->source;
    for (size_t i = 0; i < KEYS; i++) {
        td_slice encoded = it.encoded[i];
        for (size_t from = 0; from <= encoded.len; from++) {
            td_btree_room room;
            memset(room.bytes, 0xA5, KEY_BYTES);
            td_slice made = source->make(source, it.items[i], from, &room);
            ck_assert_uint_eq(made.len, encoded.len);
            ck_assert_int_eq(memcmp(made.ptr + from, encoded.ptr + from, encoded.len - from), 0);
        }
        ck_assert_uint_eq(source->weigh(it.items[i]), td_item_size(it.items[i]));
    }
    free_items(&it);
}
END_TEST

TCase *item_keys_tests(void)
{
    TCase *tests = tcase_create("item keys");
    tcase_set_timeout(tests, 60);
    tcase_add_loop_test(tests, item_key_is_in_the_order_of_its_encoding, 0, (int)TD_COUNT_OF(shapes));
    tcase_add_loop_test(tests, item_key_is_in_order_to_every_beginning_of_a_key, 0, (int)TD_COUNT_OF(shapes));
    tcase_add_loop_test(tests, item_key_is_made_from_any_byte_on, 0, (int)TD_COUNT_OF(shapes));
    return tests;
}
