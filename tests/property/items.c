/* SPDX-License-Identifier: Apache-2.0
 * items.c: random attributes become items and come back: by tree, by steps, by bytes and by projection.
 *
 * TD_SEED repeats a run. */
#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/build.h"

#include "random.h"

enum { ROUNDS = 1000, ATTRIBUTES_MAX = 40, DEPTH_MAX = 4 };

static td_fixture fixture;
static td_arena *const arena = &fixture.arena;
static td_rng rng;

static void setup(void)
{
    uint64_t seed = number_from_env("TD_SEED", td_rng_system_seed());
    printf("seed %" PRIu64 "\n", seed);
    td_rng_init(&rng, seed);
    td_fixture_init(&fixture);
}

static void teardown(void) { td_fixture_done(&fixture); }

static td_given_attributes random_attributes(void)
{
    td_given_attributes made = {NULL, (uint32_t)td_rng_below(&rng, ATTRIBUTES_MAX)};
    made.attributes = td_arena_alloc_array(arena, made.count, sizeof *made.attributes);
    ck_assert_ptr_nonnull(made.attributes);
    for (uint32_t i = 0; i < made.count; i++) {
        td_slice name;
        ck_assert(td_arena_format(arena, &name, "%x", (unsigned)td_rng_below(&rng, 4 * ATTRIBUTES_MAX)));
        made.attributes[i] = (td_attribute){name, random_value(&rng, DEPTH_MAX, arena)};
    }
    td_value_sort_attributes(made.attributes, &made.count);
    return made;
}

static td_value as_map(td_given_attributes made)
{
    return (td_value){.type = TD_TYPE_M, .count = made.count, .attributes = made.attributes};
}

static td_item *item_from(td_given_attributes made)
{
    td_item *item = td_item_new(made.attributes, made.count);
    ck_assert_ptr_nonnull(item);
    ck_assert(td_item_ref_in(item, arena));
    td_item_unref(item);
    return item;
}

static void check_stored(td_stored stored, const td_value *value);

static void check_stored_members(td_stored set, const td_value *value)
{
    td_slice member;
    for (uint32_t i = 0; i < value->count; i++) {
        ck_assert(td_stored_next_member(&set, &member));
        ck_assert(td_slice_equal(member, value->members[i]));
    }
    ck_assert(!td_stored_next_member(&set, &member));
}

static void check_stored_contents(td_stored container, const td_value *value)
{
    td_slice name;
    td_stored child;
    for (uint32_t i = 0; i < value->count; i++) {
        if (value->type == TD_TYPE_L) {
            ck_assert(td_stored_next_element(&container, &child));
            check_stored(child, &value->elements[i]);
        } else {
            ck_assert(td_stored_next_attribute(&container, &name, &child));
            ck_assert(td_slice_equal(name, value->attributes[i].name));
            check_stored(child, &value->attributes[i].value);
        }
    }
    ck_assert_uint_eq(container.count, 0);
    ck_assert_uint_eq(container.bytes.len, 0);
}

/* The steps through the stored value meet the tree's parts, and its count says how many. */
static void check_stored(td_stored stored, const td_value *value)
{
    ck_assert_int_eq(stored.type, value->type);
    if (td_type_is_scalar(value->type)) {
        ck_assert(td_slice_equal(stored.bytes, value->bytes));
    } else if (value->type == TD_TYPE_BOOL) {
        ck_assert_int_eq(stored.boolean, value->boolean);
    } else if (value->type != TD_TYPE_NULL) {
        ck_assert_uint_eq(stored.count, value->count);
        if (td_type_is_set(value->type))
            check_stored_members(stored, value);
        else
            check_stored_contents(stored, value);
    }
}

START_TEST(an_item_comes_back_whichever_way_it_is_read)
{
    for (int round = 0; round < ROUNDS; round++) {
        td_given_attributes made = random_attributes();
        td_value map = as_map(made);
        td_item *item = item_from(made);
        ck_assert_uint_eq(td_item_size(item), td_attributes_size(made.attributes, made.count));
        check_stored(td_item_contents(item), &map);

        td_value decoded = {.type = TD_TYPE_M};
        ck_assert_int_eq(td_item_decode(item, arena, &decoded.attributes, &decoded.count), TD_OK);
        ck_assert_msg(td_value_equal(&map, &decoded), "%s\n%s", show_value(arena, &map), show_value(arena, &decoded));

        td_item *copy = td_item_from_bytes(td_item_bytes(item));
        ck_assert_ptr_nonnull(copy);
        ck_assert(td_item_equal(copy, item));
        ck_assert_uint_eq(td_item_size(copy), td_item_size(item));
        ck_assert_uint_eq(td_item_count(copy), td_item_count(item));
        td_item_unref(copy);

        for (uint32_t i = 0; i < made.count; i++) {
            td_stored found;
            ck_assert(td_item_find(item, made.attributes[i].name, &found));
            check_stored(found, &made.attributes[i].value);
        }
        td_arena_reset(arena);
    }
}
END_TEST

/* Changes one thing somewhere; the map stays sorted. */
static void change_one(td_given_attributes made)
{
    td_value *value = &made.attributes[td_rng_below(&rng, made.count)].value;
    *value = random_value(&rng, DEPTH_MAX, arena);
}

START_TEST(items_are_equal_exactly_when_their_attributes_are)
{
    uint32_t equal = 0, unequal = 0;
    for (int round = 0; round < ROUNDS; round++) {
        td_given_attributes made = random_attributes();
        td_item *item = item_from(made);
        td_given_attributes other = {NULL, made.count};
        ck_assert_int_eq(td_item_decode(item, arena, &other.attributes, &other.count), TD_OK);
        if (other.count > 0 && random_chance(&rng, 80)) change_one(other);
        td_value left = as_map(made), right = as_map(other);
        bool is_equal = td_value_equal(&left, &right);
        ck_assert_int_eq(td_item_equal(item, item_from(other)), is_equal);
        if (is_equal)
            equal++;
        else
            unequal++;
        td_arena_reset(arena);
    }
    ck_assert_uint_gt(equal, 0);
    ck_assert_uint_gt(unequal, 0);
}
END_TEST

START_TEST(a_projection_is_the_item_of_the_named_attributes)
{
    for (int round = 0; round < ROUNDS; round++) {
        td_given_attributes made = random_attributes(), wanted = {NULL, 0};
        td_slice names[2 * ATTRIBUTES_MAX];
        uint32_t name_count = 0;
        wanted.attributes = td_arena_alloc_array(arena, made.count, sizeof *wanted.attributes);
        ck_assert_ptr_nonnull(wanted.attributes);
        for (uint32_t i = 0; i < made.count; i++) {
            if (random_chance(&rng, 40)) continue;
            names[name_count++] = made.attributes[i].name;
            wanted.attributes[wanted.count++] = made.attributes[i];
        }
        for (uint32_t i = 0; i < 5; i++)
            names[name_count++] = random_key(&rng, TD_TYPE_S, arena);
        /* Random names that the item has after all are wanted too. */
        for (uint32_t i = name_count - 5; i < name_count; i++) {
            const td_value *value = td_value_find(made.attributes, made.count, names[i]);
            bool is_taken = td_value_find(wanted.attributes, wanted.count, names[i]) != NULL;
            if (value && !is_taken) wanted.attributes[wanted.count++] = (td_attribute){names[i], *value};
            td_value_sort_attributes(wanted.attributes, &wanted.count);
        }
        bool is_unique = td_value_sort_members(names, name_count);
        (void)is_unique; /* a name twice asks for the same */
        td_item *projected = td_item_project(item_from(made), names, name_count);
        ck_assert_ptr_nonnull(projected);
        ck_assert_str_eq(show_item(arena, projected), show_attributes(arena, wanted.attributes, wanted.count));
        ck_assert(td_item_equal(projected, item_from(wanted)));
        ck_assert_uint_eq(td_item_size(projected), td_attributes_size(wanted.attributes, wanted.count));
        td_item_unref(projected);
        td_arena_reset(arena);
    }
}
END_TEST

/* A byte that is changed gives another item, or none; never the same one, and never a wrong read. */
START_TEST(damaged_bytes_are_refused_or_are_another_item)
{
    for (int round = 0; round < ROUNDS; round++) {
        td_item *item = item_from(random_attributes());
        td_slice bytes = td_item_bytes(item);
        if (bytes.len > 0) {
            uint8_t *damaged = malloc(bytes.len); /* its own block, so that the sanitizer sees its end */
            ck_assert_ptr_nonnull(damaged);
            memcpy(damaged, bytes.ptr, bytes.len);
            damaged[td_rng_below(&rng, bytes.len)] ^= (uint8_t)(1 + td_rng_below(&rng, 255));
            td_item *other = td_item_from_bytes(td_slice_of(damaged, bytes.len - td_rng_below(&rng, 2)));
            if (other) {
                td_given_attributes again = {NULL, 0};
                ck_assert(!td_item_equal(item, other));
                ck_assert_int_eq(td_item_decode(other, arena, &again.attributes, &again.count), TD_OK);
                ck_assert(td_item_equal(other, item_from(again)));
            }
            td_item_unref(other);
            free(damaged);
        }
        td_arena_reset(arena);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("items");
    TCase *tests = tcase_create("items");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, an_item_comes_back_whichever_way_it_is_read);
    tcase_add_test(tests, items_are_equal_exactly_when_their_attributes_are);
    tcase_add_test(tests, a_projection_is_the_item_of_the_named_attributes);
    tcase_add_test(tests, damaged_bytes_are_refused_or_are_another_item);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
