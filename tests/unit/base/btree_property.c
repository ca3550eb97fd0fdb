/* SPDX-License-Identifier: Apache-2.0
 * btree_property.c: seeded runs of the ordered tree against a sorted array that does the same the plain way; of a tree
 * that keeps its keys, and of one that reads them off its values. */
#include <stdio.h>
#include <stdlib.h>

#include "thermodyn/btree.h"
#include "thermodyn/memory.h"
#include "thermodyn/rng.h"

#include "btree_check.h"
#include "suites.h"

enum { KEY_BYTES_MAX = 48, MODEL_MAX = 4096 };

typedef struct model_entry {
    size_t len;
    uint8_t key[KEY_BYTES_MAX];
    void *value;
    uint32_t weight;
} model_entry;

typedef struct sorted_array {
    model_entry entries[MODEL_MAX];
    size_t count;
} sorted_array;

/* How a run draws its keys: each shape strains another part of the nodes. */
typedef enum key_shape {
    SHAPE_SHORT,     /* 0 to 3 bytes of a small alphabet: prefixes of each other, NUL bytes, the empty key */
    SHAPE_HASHED,    /* 16 random bytes and a short rest, as items of many partition keys */
    SHAPE_CLUSTERED, /* one of three long prefixes, then a number: item collections */
    SHAPE_RISING,    /* one prefix and a number that rises, as time-ordered sort keys */
    SHAPE_COUNT
} key_shape;

/* What a tree with a source holds. */
typedef struct told_value {
    uint32_t weight;
    size_t len;
    uint8_t key[];
} told_value;

static int compare_told(const td_btree_source *source, const void *value, td_slice key, size_t *ret_common);
static td_slice make_told(const td_btree_source *source, const void *value, size_t from, td_btree_room *room);
static uint32_t weigh_told(const void *value);

static const td_btree_source told = {.compare = compare_told, .make = make_told, .weigh = weigh_told};

static const char *const shape_names[SHAPE_COUNT] = {"short", "hashed", "clustered", "rising"};

static size_t draw_key(td_rng *rng, key_shape shape, uint64_t step, uint8_t *ret_key);
static size_t model_cut(const sorted_array *model, td_slice bound, bool with_equal, bool with_under);
static void model_put(sorted_array *model, td_slice key, void *value, uint32_t weight);
static void model_remove(sorted_array *model, size_t at);
static void compare_seeks(const td_btree *tree, const sorted_array *model, td_slice bound);
static void compare_walks(const td_btree *tree, const sorted_array *model);
static void compare_weights(const td_btree *tree, const sorted_array *model, uint64_t each, uint64_t target);
static void run_steps(uint64_t seed, key_shape shape, const td_btree_source *source);
static void split_once(uint64_t seed, key_shape shape, const td_btree_source *source, size_t entries);
static void *new_value(const td_btree_source *source, td_slice key, uint32_t weight, uint64_t number);
static void free_value(const td_btree_source *source, void *value);

static td_slice key_of(const model_entry *entry)
{
    return td_slice_of(entry->key, entry->len);
}

START_TEST(btree_agrees_with_a_sorted_array)
{
    key_shape shape = (key_shape)(_i % SHAPE_COUNT);
    uint64_t seed = 1 + (uint64_t)_i;
    const td_btree_source *source = _i / SHAPE_COUNT % 2 == 0 ? NULL : &told;
    (void)printf("btree: seed %llu, %s keys%s\n", (unsigned long long)seed, shape_names[shape],
                 source == NULL ? "" : ", read off the values");
    run_steps(seed, shape, source);
}
END_TEST

START_TEST(btree_split_moves_exactly_the_keys_from_the_bound_on)
{
    static const size_t sizes[] = {0, 1, 2, 63, 64, 65, 200, 1000, 4000};
    key_shape shape = (key_shape)(_i % SHAPE_COUNT);
    const td_btree_source *source = _i / SHAPE_COUNT == 0 ? NULL : &told;
    for (size_t i = 0; i < TD_COUNT_OF(sizes); i++) {
        for (uint64_t seed = 0; seed < 4; seed++)
            split_once(seed, shape, source, sizes[i]);
    }
}
END_TEST

Suite *btree_property_suite(void)
{
    Suite *suite = suite_create("btree properties");
    TCase *tests = tcase_create("btree properties");
    tcase_set_timeout(tests, 60);
    tcase_add_loop_test(tests, btree_agrees_with_a_sorted_array, 0, 4 * SHAPE_COUNT);
    tcase_add_loop_test(tests, btree_split_moves_exactly_the_keys_from_the_bound_on, 0, 2 * SHAPE_COUNT);
    suite_add_tcase(suite, tests);
    return suite;
}

/* Grows for a while, then shrinks to nothing, so that splits, merges and balances all happen at every level. */
static void run_steps(uint64_t seed, key_shape shape, const td_btree_source *source)
{
    enum { STEPS = 9000 };
    td_rng rng;
    td_rng_init(&rng, seed);
    td_btree *tree = td_btree_new(source);
    sorted_array *expected = td_alloc_zero(sizeof *expected);
    ck_assert_ptr_nonnull(tree);
    ck_assert_ptr_nonnull(expected);
    uint64_t empty_bytes = td_btree_memory_bytes(tree);
    for (uint64_t step = 0; step < STEPS || expected->count > 0; step++) {
        uint8_t bytes[KEY_BYTES_MAX];
        td_slice key = td_slice_of(bytes, draw_key(&rng, shape, step, bytes));
        bool grows = step < STEPS && td_rng_below(&rng, 100) < (step < STEPS / 2 ? 80 : 40);
        size_t at = model_cut(expected, key, false, false);
        bool is_known = at < expected->count && td_slice_equal(key_of(&expected->entries[at]), key);
        if (grows && (is_known || expected->count < MODEL_MAX)) {
            uint32_t weight = (uint32_t)td_rng_below(&rng, 1000);
            void *value = new_value(source, key, weight, step + 1);
            void *old = NULL;
            ck_assert(td_btree_put(tree, key, value, weight, &old));
            ck_assert(old == (is_known ? expected->entries[at].value : NULL));
            free_value(source, old);
            model_put(expected, key, value, weight);
        } else {
            if (!is_known && expected->count > 0) { /* most drawn keys are absent: take a near one */
                at = at == expected->count ? at - 1 : at;
                memcpy(bytes, expected->entries[at].key, expected->entries[at].len);
                key = td_slice_of(bytes, expected->entries[at].len);
                is_known = true;
            }
            void *removed = td_btree_remove(tree, key);
            ck_assert(removed == (is_known ? expected->entries[at].value : NULL));
            free_value(source, removed);
            if (is_known) model_remove(expected, at);
        }
        uint8_t bound[KEY_BYTES_MAX];
        compare_seeks(tree, expected, td_slice_of(bound, draw_key(&rng, shape, step, bound)));
        if (step % 509 != 0) continue;
        check_btree(tree);
        compare_walks(tree, expected);
        compare_weights(tree, expected, td_rng_below(&rng, 2) * 100, td_rng_below(&rng, 1 + expected->count * 500));
    }
    ck_assert_uint_eq(td_btree_count(tree), 0);
    ck_assert_uint_eq(td_btree_memory_bytes(tree), empty_bytes);
    td_btree_free(tree, NULL);
    td_free(expected);
}

static void split_once(uint64_t seed, key_shape shape, const td_btree_source *source, size_t entries)
{
    td_rng rng;
    td_rng_init(&rng, seed);
    td_btree *left = td_btree_new(source);
    sorted_array *expected = td_alloc_zero(sizeof *expected);
    ck_assert_ptr_nonnull(left);
    ck_assert_ptr_nonnull(expected);
    uint8_t bytes[KEY_BYTES_MAX];
    for (size_t i = 0; i < entries; i++) {
        td_slice key = td_slice_of(bytes, draw_key(&rng, shape, i, bytes));
        uint32_t weight = (uint32_t)td_rng_below(&rng, 1000);
        void *value = new_value(source, key, weight, i + 1);
        void *old = NULL;
        ck_assert(td_btree_put(left, key, value, weight, &old));
        free_value(source, old);
        model_put(expected, key, value, weight);
    }
    /* Seed 0 cuts before everything; the others anywhere, or behind the greatest key. */
    td_slice bound = td_slice_of(bytes, seed == 0 ? 0 : draw_key(&rng, shape, entries / 2, bytes));
    if (seed == 3) bound = TD_LIT("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff");
    td_btree *right = td_btree_new_upper(left);
    ck_assert_ptr_nonnull(right);
    td_btree_split(left, bound, right);
    check_btree(left);
    check_btree(right);
    size_t cut = model_cut(expected, bound, false, false);
    ck_assert_uint_eq(td_btree_count(left), cut);
    ck_assert_uint_eq(td_btree_count(right), expected->count - cut);
    td_btree_room room;
    td_btree_cursor cursor = td_btree_first(left);
    for (size_t i = 0; i < expected->count; i++) {
        if (i == cut) {
            ck_assert(td_btree_is_end(cursor));
            cursor = td_btree_first(right);
        }
        ck_assert(td_slice_equal(td_btree_read_key(cursor, &room), key_of(&expected->entries[i])));
        ck_assert(td_btree_value(cursor) == expected->entries[i].value);
        td_btree_next(&cursor);
    }
    /* Both go on as trees: what was moved can be removed down to nothing. */
    for (size_t i = 0; i < expected->count; i++) {
        ck_assert(td_btree_remove(i < cut ? left : right, key_of(&expected->entries[i])) == expected->entries[i].value);
        free_value(source, expected->entries[i].value);
    }
    ck_assert_uint_eq(td_btree_memory_bytes(left), td_btree_memory_bytes(right));
    td_btree_free(left, NULL);
    td_btree_free(right, NULL);
    td_free(expected);
}

static size_t draw_key(td_rng *rng, key_shape shape, uint64_t step, uint8_t *ret_key)
{
    static const uint8_t alphabet[] = {0, 1, 'a', 0xff};
    size_t len = 0;
    switch (shape) {
    case SHAPE_SHORT:
        len = td_rng_below(rng, 6);
        for (size_t i = 0; i < len; i++)
            ret_key[i] = alphabet[td_rng_below(rng, sizeof alphabet)];
        return len;
    case SHAPE_HASHED:
        for (; len < 16; len++)
            ret_key[len] = (uint8_t)td_rng_next(rng);
        len += td_rng_below(rng, 5);
        memset(ret_key + 16, 'k', len - 16);
        return len;
    case SHAPE_CLUSTERED: {
        memset(ret_key, 'A' + (int)td_rng_below(rng, 3), 20);
        unsigned number = (unsigned)td_rng_below(rng, 3000);
        size_t digits = (size_t)snprintf((char *)ret_key + 20, KEY_BYTES_MAX - 20, "%u", number);
        return 20 + (td_rng_below(rng, 20) == 0 ? 0 : digits);
    }
    case SHAPE_RISING:
        memset(ret_key, 'R', 20);
        return 20 + (size_t)snprintf((char *)ret_key + 20, KEY_BYTES_MAX - 20, "%08llu", (unsigned long long)step);
    case SHAPE_COUNT: break;
    }
    ck_abort_msg("no such shape");
    return 0;
}

/* How many entries lie before the bound, counted with those equal to it and those under it as asked. */
static size_t model_cut(const sorted_array *model, td_slice bound, bool with_equal, bool with_under)
{
    size_t low = 0;
    size_t high = model->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        td_slice key = key_of(&model->entries[middle]);
        int order = td_slice_compare(key, bound);
        bool is_before = order < 0 || (with_equal && order == 0) || (with_under && td_slice_has_prefix(key, bound));
        if (is_before)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void model_put(sorted_array *model, td_slice key, void *value, uint32_t weight)
{
    size_t at = model_cut(model, key, false, false);
    model_entry *entry = &model->entries[at];
    if (at == model->count || !td_slice_equal(key_of(entry), key)) {
        ck_assert(model->count < MODEL_MAX);
        memmove(entry + 1, entry, (model->count - at) * sizeof *entry);
        model->count++;
        entry->len = key.len;
        if (key.len > 0) memcpy(entry->key, key.ptr, key.len);
    }
    entry->value = value;
    entry->weight = weight;
}

static void model_remove(sorted_array *model, size_t at)
{
    model->count--;
    memmove(&model->entries[at], &model->entries[at + 1], (model->count - at) * sizeof model->entries[0]);
}

static void compare_seeks(const td_btree *tree, const sorted_array *model, td_slice bound)
{
    static const struct {
        td_btree_seek seek;
        bool with_equal, with_under, is_backward;
    } cases[] = {
        {TD_SEEK_FIRST_AT_OR_AFTER, false, false, false}, {TD_SEEK_FIRST_AFTER, true, false, false},
        {TD_SEEK_FIRST_PAST, true, true, false},          {TD_SEEK_LAST_BEFORE, false, false, true},
        {TD_SEEK_LAST_AT_OR_BEFORE, true, false, true},   {TD_SEEK_LAST_UNDER, true, true, true},
    };
    td_btree_room room;
    for (size_t i = 0; i < TD_COUNT_OF(cases); i++) {
        size_t cut = model_cut(model, bound, cases[i].with_equal, cases[i].with_under);
        td_btree_cursor cursor = td_btree_seek_key(tree, bound, cases[i].seek);
        bool is_end = cases[i].is_backward ? cut == 0 : cut == model->count;
        if (td_btree_is_end(cursor) != is_end) ck_abort_msg("seek %zu is wrong about the end", i);
        if (is_end) continue;
        const model_entry *entry = &model->entries[cases[i].is_backward ? cut - 1 : cut];
        td_slice key = td_btree_read_key(cursor, &room);
        if (!td_slice_equal(key, key_of(entry))) ck_abort_msg("seek %zu finds another key", i);
        ck_assert(td_btree_value(cursor) == entry->value);
    }
    size_t at = model_cut(model, bound, false, false);
    bool is_known = at < model->count && td_slice_equal(key_of(&model->entries[at]), bound);
    void **found = td_btree_find(tree, bound);
    ck_assert((found != NULL) == is_known);
    ck_assert(!is_known || *found == model->entries[at].value);
}

static void compare_walks(const td_btree *tree, const sorted_array *model)
{
    ck_assert_uint_eq(td_btree_count(tree), model->count);
    td_btree_room room;
    td_btree_cursor cursor = td_btree_first(tree);
    for (size_t i = 0; i < model->count; i++, td_btree_next(&cursor))
        ck_assert(td_slice_equal(td_btree_read_key(cursor, &room), key_of(&model->entries[i])));
    ck_assert(td_btree_is_end(cursor));
    cursor = td_btree_last(tree);
    for (size_t i = model->count; i > 0; i--, td_btree_previous(&cursor))
        ck_assert(td_slice_equal(td_btree_read_key(cursor, &room), key_of(&model->entries[i - 1])));
    ck_assert(td_btree_is_end(cursor));
}

static void compare_weights(const td_btree *tree, const sorted_array *model, uint64_t each, uint64_t target)
{
    uint64_t before = 0;
    size_t at = 0;
    while (at < model->count && before + model->entries[at].weight + each <= target)
        before += model->entries[at++].weight + each;
    uint64_t found = UINT64_MAX;
    td_btree_cursor cursor = td_btree_seek_weight(tree, each, target, &found);
    ck_assert_uint_eq(found, before);
    ck_assert_int_eq(td_btree_is_end(cursor), at == model->count);
    if (at == model->count) return;
    td_btree_room room;
    ck_assert(td_slice_equal(td_btree_read_key(cursor, &room), key_of(&model->entries[at])));
    ck_assert(td_btree_weight_before(tree, td_btree_read_key(cursor, &room), each) == before);
}

static void *new_value(const td_btree_source *source, td_slice key, uint32_t weight, uint64_t number)
{
    if (source == NULL) return (void *)(uintptr_t)number;
    told_value *value = td_alloc(sizeof *value + key.len);
    ck_assert_ptr_nonnull(value);
    value->weight = weight;
    value->len = key.len;
    if (key.len > 0) memcpy(value->key, key.ptr, key.len);
    return value;
}

static void free_value(const td_btree_source *source, void *value)
{
    if (source != NULL) td_free(value);
}

static int compare_told(const td_btree_source *source, const void *value, td_slice key, size_t *ret_common)
{
    (void)source;
    const told_value *it = value;
    size_t common = 0;
    while (common < it->len && common < key.len && it->key[common] == key.ptr[common])
        common++;
    *ret_common = common;
    return td_slice_compare(td_slice_of(it->key, it->len), key);
}

/* What nobody asked for is wrong. */
static td_slice make_told(const td_btree_source *source, const void *value, size_t from, td_btree_room *room)
{
    (void)source;
    const told_value *it = value;
    ck_assert(from <= it->len);
    memset(room->bytes, 0xA5, from);
    memcpy(room->bytes + from, it->key + from, it->len - from);
    return td_slice_of(room->bytes, it->len);
}

static uint32_t weigh_told(const void *value)
{
    return ((const told_value *)value)->weight;
}
