/* SPDX-License-Identifier: Apache-2.0
 * key.c: tests of what the engine says of keys that do not fit. */
#include "suites.h"
#include "world.h"

#define INVALID "One or more parameter values were invalid: "
#define NOT_VALID "One or more parameter values are not valid. "
#define MISMATCH "The provided key element does not match the schema"

static const char *text_of(td_world *world, char letter, size_t len)
{
    char *text = td_arena_alloc(world->call.arena, len + 1);
    ck_assert_ptr_nonnull(text);
    memset(text, letter, len);
    text[len] = '\0';
    return text;
}

static void make_indexed_table(td_world *world)
{
    world_init(world);
    make_table(world, "T", KEY("pk", S, "sk", N), INDEXES(GLOBAL("zix", KEY("gh", N)), GLOBAL("aix", KEY("gs", S))));
}

START_TEST(puts_are_told_what_their_key_lacks)
{
    td_world world;
    make_indexed_table(&world);
    REFUSED(&world, try_put(&world, N("sk", "1")), TD_VALIDATION, INVALID "Missing the key pk in the item");
    REFUSED(&world, try_put(&world, S("pk", "a")), TD_VALIDATION, INVALID "Missing the key sk in the item");
    REFUSED(&world, try_put(&world, N("pk", "1"), N("sk", "1")), TD_VALIDATION,
            INVALID "Type mismatch for key pk expected: S actual: N");
    REFUSED(&world, try_put(&world, S("pk", "a"), L("sk", S("", "x"))), TD_VALIDATION,
            INVALID "Type mismatch for key sk expected: N actual: L");
    REFUSED(&world, try_put(&world, S("pk", ""), N("sk", "1")), TD_VALIDATION,
            NOT_VALID "The AttributeValue for a key attribute cannot contain an empty string value. Key: pk");
    world_done(&world);
}
END_TEST

START_TEST(batch_puts_word_keys_as_look_ups_do)
{
    td_world world;
    make_indexed_table(&world);
    td_given_attributes given = attributes_of(world.call.arena, N("pk", "1"), N("sk", "1"));
    td_write write = {.kind = TD_WRITE_PUT,
                      .attributes = given.attributes,
                      .attribute_count = given.count,
                      .words_keys_as_lookup = true};
    td_write_result result;
    REFUSED(&world, run_write(&world, &write, &result), TD_VALIDATION, MISMATCH);
    world_done(&world);
}
END_TEST

START_TEST(look_ups_need_exactly_the_key)
{
    td_world world;
    make_indexed_table(&world);
    REFUSED(&world, try_delete(&world, S("pk", "a")), TD_VALIDATION, MISMATCH);
    REFUSED(&world, try_delete(&world, S("pk", "a"), S("sk", "1")), TD_VALIDATION, MISMATCH);
    REFUSED(&world, try_delete(&world, S("pk", "a"), N("sk", "1"), N("x", "1")), TD_VALIDATION, MISMATCH);
    REFUSED(&world, try_delete(&world, S("pk", "a"), N("kk", "1")), TD_VALIDATION, MISMATCH);
    REFUSED(&world, try_delete(&world, S("pk", ""), N("sk", "1")), TD_VALIDATION,
            NOT_VALID "The AttributeValue for a key attribute cannot contain an empty string value. Key: pk");
    world_done(&world);
}
END_TEST

START_TEST(key_values_have_a_greatest_size)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", S, "sk", S));
    put(&world, S("pk", text_of(&world, 'p', 2048)), S("sk", text_of(&world, 's', 1024)));
    REFUSED(&world, try_put(&world, S("pk", text_of(&world, 'p', 2049)), S("sk", "s")), TD_VALIDATION,
            INVALID "Size of hashkey has exceeded the maximum size limit of2048 bytes");
    REFUSED(&world, try_put(&world, S("pk", "p"), S("sk", text_of(&world, 's', 1025))), TD_VALIDATION,
            INVALID "Aggregated size of all range keys has exceeded the size limit of 1024 bytes");
    world_done(&world);
}
END_TEST

START_TEST(the_first_bad_index_key_by_name_is_told)
{
    td_world world;
    make_indexed_table(&world);
    REFUSED(&world, try_put(&world, S("pk", "a"), N("sk", "1"), S("gh", "x"), N("gs", "1")), TD_VALIDATION,
            INVALID "Type mismatch for Index Key gs Expected: S Actual: N IndexName: aix");
    REFUSED(&world, try_put(&world, S("pk", "a"), N("sk", "1"), S("gh", "x")), TD_VALIDATION,
            INVALID "Type mismatch for Index Key gh Expected: N Actual: S IndexName: zix");
    REFUSED(&world, try_put(&world, S("pk", "a"), N("sk", "1"), S("gs", "")), TD_VALIDATION,
            NOT_VALID "A value specified for a secondary index key is not supported. The AttributeValue for a key "
                      "attribute cannot contain an empty string value. IndexName: aix, IndexKey: gs");
    put(&world, S("pk", "a"), N("sk", "1"));
    world_done(&world);
}
END_TEST

START_TEST(updates_leave_the_key_alone)
{
    td_world world;
    make_indexed_table(&world);
    REFUSED(&world, try_update(&world, "SET pk = :v", VALUES(S(":v", "b")), S("pk", "a"), N("sk", "1")), TD_VALIDATION,
            INVALID "Cannot update attribute pk. This attribute is part of the key");
    REFUSED(&world, try_update(&world, "SET gh = :v", VALUES(S(":v", "b")), S("pk", "a"), N("sk", "1")), TD_VALIDATION,
            INVALID "Type mismatch for Index Key gh Expected: N Actual: S IndexName: zix");
    REFUSED(&world, try_update(&world, "SET gs = :v", VALUES(S(":v", "")), S("pk", "a"), N("sk", "1")), TD_VALIDATION,
            NOT_VALID "The update expression attempted to update a secondary index key to a value that is not "
                      "supported. The AttributeValue for a key attribute cannot contain an empty string value.");
    ck_assert_ptr_null(get(&world, S("pk", "a"), N("sk", "1")));
    world_done(&world);
}
END_TEST

/* The key that the check of a put or delete answers. */
static td_status check(td_world *world, td_write_kind kind, td_given_attributes given, td_slice *ret_key)
{
    td_write write = {
        .kind = kind, .attributes = given.attributes, .attribute_count = given.count, .words_keys_as_lookup = true};
    return td_write_check(&world->call, &write, ret_key, &world->fixture.error);
}
#define CHECKED(world, kind, key, ...) check((world), (kind), attributes_of((world)->call.arena, __VA_ARGS__), (key))

START_TEST(writes_are_checked_without_being_made)
{
    td_world world;
    make_indexed_table(&world);
    td_slice put_key;
    td_slice delete_key;
    td_slice other_key;
    ck_assert_int_eq(CHECKED(&world, TD_WRITE_PUT, &put_key, S("pk", "a"), N("sk", "1.0"), S("x", "y")), TD_OK);
    ck_assert_int_eq(CHECKED(&world, TD_WRITE_DELETE, &delete_key, N("sk", "1"), S("pk", "a")), TD_OK);
    ck_assert_int_eq(CHECKED(&world, TD_WRITE_DELETE, &other_key, N("sk", "2"), S("pk", "a")), TD_OK);
    ck_assert(td_slice_equal(put_key, delete_key));
    ck_assert(!td_slice_equal(put_key, other_key));
    ck_assert_ptr_null(get(&world, S("pk", "a"), N("sk", "1")));

    REFUSED(&world, CHECKED(&world, TD_WRITE_PUT, &put_key, S("pk", "a")), TD_VALIDATION, MISMATCH);
    REFUSED(&world, CHECKED(&world, TD_WRITE_DELETE, &put_key, S("pk", "a"), N("sk", "1"), S("x", "y")), TD_VALIDATION,
            MISMATCH);
    REFUSED(&world, CHECKED(&world, TD_WRITE_PUT, &put_key, S("pk", "a"), N("sk", "1"), N("gs", "1")), TD_VALIDATION,
            INVALID "Type mismatch for Index Key gs Expected: S Actual: N IndexName: aix");
    world_done(&world);
}
END_TEST

TCase *key_tests(void)
{
    TCase *tests = tcase_create("key");
    tcase_add_test(tests, puts_are_told_what_their_key_lacks);
    tcase_add_test(tests, batch_puts_word_keys_as_look_ups_do);
    tcase_add_test(tests, look_ups_need_exactly_the_key);
    tcase_add_test(tests, key_values_have_a_greatest_size);
    tcase_add_test(tests, the_first_bad_index_key_by_name_is_told);
    tcase_add_test(tests, updates_leave_the_key_alone);
    tcase_add_test(tests, writes_are_checked_without_being_made);
    return tests;
}
