/* SPDX-License-Identifier: Apache-2.0
 * keys.c: tests of what WHERE says of a key.
 * Source: messages.md §1.7, §4 "PartiQL"; public captures of the service. */
#include <stdio.h>

#include "given.h"
#include "suites.h"

static td_fixture fixture;

static void setup(void)
{
    td_fixture_init(&fixture);
}
static void teardown(void)
{
    td_fixture_done(&fixture);
}

static const td_key_schema composite = {
    .hash_count = 1, .range_count = 1, .parts = {{TD_LIT_INIT("pk"), TD_TYPE_S}, {TD_LIT_INIT("sk"), TD_TYPE_N}}};
static const td_key_schema simple = {.hash_count = 1, .parts = {{TD_LIT_INIT("pk"), TD_TYPE_S}}};

static const char *number_text(td_slice encoded)
{
    char text[TD_NUMBER_TEXT_MAX];
    td_slice copy;
    size_t len = td_number_print(encoded, text);
    ck_assert(td_arena_format(&fixture.arena, &copy, "%.*s%c", (int)len, text, '\0'));
    return (const char *)copy.ptr;
}

/* "a =1; b >=1 rest": the ranges with their hash, then what else there is to say. */
static const char *show_keys(const td_statement_keys *keys)
{
    static const char *const signs[] = {"", "<", "<=", ">", ">=", "..", "^"};
    td_buf text;
    td_slice copy;
    td_buf_init(&text, 1 << 16);
    td_buf_append(&text, keys->is_keyed ? TD_LIT("") : TD_LIT("scan"));
    for (uint32_t i = 0; i < keys->count; i++) {
        const td_key_range *range = &keys->ranges[i];
        td_buf_append_format(&text, "%s%.*s", i > 0 ? "; " : "", (int)range->hash_parts[0].len,
                             (const char *)range->hash_parts[0].ptr);
        if (range->equal_count > 0) td_buf_append_format(&text, " =%s", number_text(range->equal_parts[0]));
        if (range->kind == TD_RANGE_ALL) continue;
        td_buf_append_format(&text, " %s%s", signs[range->kind], number_text(range->low));
        if (range->kind == TD_RANGE_BETWEEN) td_buf_append_format(&text, ",%s", number_text(range->high));
    }
    td_buf_append(&text, keys->is_whole ? TD_LIT(" whole") : TD_LIT(""));
    td_buf_append(&text, keys->has_rest ? TD_LIT(" rest") : TD_LIT(""));
    td_buf_append(&text, keys->is_single_collection ? TD_LIT(" single") : TD_LIT(""));
    td_buf_append_byte(&text, '\0');
    ck_assert(td_arena_copy(&fixture.arena, td_buf_contents(&text), &copy));
    td_buf_done(&text);
    return (const char *)copy.ptr;
}

static const char *find(const char *where, const td_key_schema *schema)
{
    td_slice text;
    td_statement_keys keys;
    ck_assert(td_arena_format(&fixture.arena, &text, "SELECT * FROM T%s%s%c", where[0] == '\0' ? "" : " WHERE ", where,
                              '\0'));
    const td_statement *statement = given_statement(&fixture, (const char *)text.ptr);
    if (td_statement_find_keys(statement, schema, &fixture.arena, &keys, &fixture.error) != TD_OK)
        return given_error(&fixture);
    return show_keys(&keys);
}

static const given_row look_ups[] = {
    {"", "scan"},
    {"x = 1", "scan rest"},
    {"sk = 1", "scan rest"},
    {"pk = 'a'", "a single"},
    {"'a' = pk", "a single"},
    {"pk = 'a' AND sk = 1", "a =1 whole single"},
    {"sk = 1 AND (pk = 'a')", "a =1 whole single"},
    {"(sk = 1) AND pk = 'a' AND pk = 'a'", "a =1 whole single"},
    {"pk = 'a' AND sk = 1 AND pk = 'b'", "a =1 whole rest single"},
    {"pk = 'a' AND sk = 1 AND x = 1", "a =1 whole rest single"},
    {"(pk = 'a' AND sk > 1) AND x IS MISSING", "a >1 rest single"},
    {"pk = 'a' AND 1 < sk", "a >1 single"},
    {"pk = 'a' AND sk > 1 AND sk = 5", "a =5 whole rest single"},
    {"pk = 'a' AND sk BETWEEN 1 AND 5", "a ..1,5 single"},
    {"pk = 'a' AND sk NOT BETWEEN 1 AND 5", "a rest single"},
    {"pk = 'a' AND sk <> 1", "a rest single"},
    {"pk = 'a' AND sk IN (2, 1)", "a =1; a =2 whole single"},
    {"pk IN ['a'] AND sk IN [1]", "a =1 whole single"},
    {"(pk IN ['a']) AND pk = 'a' AND sk = 1", "a =1 whole single"},
    {"pk IN ['c'] AND pk = 'a' AND sk = 1", "c =1 whole rest single"},
    {"pk = 'a' OR x = 1", "scan rest"},
    {"NOT pk = 'a'", "scan rest"},
    {"NOT (NOT pk = 'a')", "scan rest"},
    {"pk > 'a'", "scan rest"},
    {"pk = x", "scan rest"},
    {"pk.x = 'a'", "scan rest"},
    {"pk IN ['c', 'a']", "a; c"},
    {"pk IN []", " whole"},
    {"pk IN ['b', 'a'] AND sk = 1", "a =1; b =1 whole"},
    {"pk IN ['b', 'a'] AND pk = 'a'", "a rest single"},
    {"pk = 'b' OR pk = 'a'", "a; b"},
    {"pk = 'a' AND sk = 2 OR pk = 'a' AND sk = 1", "a =1; a =2 whole single"},
    {"pk = 'a' AND sk < 2 OR pk = 'a' AND sk >= 2", "a <2; a >=2 single"},
    {"pk = 'a' AND sk > 1 OR pk = 'a' AND NOT sk = 5", "a rest single"},
    {"pk = 'a' AND sk <> 1 OR pk = 'a' AND sk > 0", "a rest single"},
    {"pk = 'a' AND sk > 1 OR pk = 'b' AND sk > 1", "a >1; b >1"},
    {"(pk = 'a' OR pk = 'b') AND sk = 1", "a =1; b =1 whole rest"},
    {"pk = 'a' OR (pk = 'b' AND (x = 1 OR y = 1))", "a; b rest"},
    {"pk = 'a' AND (sk = 1 OR sk = 2)", "a =1; a =2 whole rest single"},
    {"pk = 'a' AND (sk < 1 OR sk > 1 OR sk = 1)", "a <1; a =1; a >1 rest single"},
    {"pk = 'a' AND (sk <> 1 OR sk = 1)", "a rest single"},
    {"pk = 'a' AND (x = 1 OR y = 1)", "a rest single"},
    {"pk = 'a' AND (pk = 'b' OR x = 1)", "a rest single"},
    {"pk IN ['a', 'b'] AND (sk = 1 OR sk > 2 AND x = 1)", "a =1; a >2; b =1; b >2 rest"},
    {"pk IN ['a', 'a']", "Overlapping conditions with range keys are not supported in where clause"},
    {"pk = 'a' OR pk = 'a'", "Overlapping conditions with range keys are not supported in where clause"},
    {"pk = 'a' AND sk IN (1, 1.0)", "Overlapping conditions with range keys are not supported in where clause"},
    {"pk = 'a' AND (sk > 0 OR sk < 5)", "Overlapping conditions with range keys are not supported in where clause"},
    {"pk = 'a' AND (sk = 1 OR x = 2)", "Overlapping conditions with range keys are not supported in where clause"},
    {"(pk = 'a' AND x = 1) OR (pk = 'a' AND x = 2)",
     "Overlapping conditions with range keys are not supported in where clause"},
    {"pk = 'a' AND sk > 1 OR pk = 'a' AND sk > 5",
     "Overlapping conditions with range keys are not supported in where clause"},
    {"pk = 'a' AND sk = 1 OR pk = 'a' AND sk <= 1",
     "Overlapping conditions with range keys are not supported in where clause"},
    {"pk = 'a' AND sk BETWEEN 1 AND 3 OR pk = 'a' AND sk BETWEEN 3 AND 4",
     "Overlapping conditions with range keys are not supported in where clause"},
    {"pk = 1 OR pk = 'a'", "Key attribute's data type should match its data type in table's schema: Key pk"},
    {"pk = 'a' AND sk IN [1, 'x']", "Key attribute's data type should match its data type in table's schema: Key sk"},
    {"pk = ''", "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain "
                "an empty string value. Key: pk"},
};

START_TEST(where_gives_look_ups)
{
    for (size_t i = 0; i < TD_COUNT_OF(look_ups); i++) {
        const char *answer = find(look_ups[i].text, &composite);
        if (strcmp(answer, look_ups[i].expected) != 0)
            ck_abort_msg("%s\n  expected: %s\n  answered: %s", look_ups[i].text, look_ups[i].expected, answer);
    }
    ck_assert_str_eq(find("pk = 'a' AND sk = 1", &simple), "a whole rest single");
    ck_assert_str_eq(find("pk IN ('b', 'a')", &simple), "a; b whole");
}
END_TEST

/* Whatever the ranges leave out, WHERE does not hold for: asked of every key of a small space. */
START_TEST(ranges_leave_out_nothing_that_holds)
{
    static const char *const wheres[] = {
        "pk IN ['a', 'b'] AND sk > 1",
        "pk = 'a' AND sk < 1 OR pk = 'a' AND sk > 1 OR pk = 'b'",
        "(pk = 'a' OR pk = 'b') AND sk >= 2",
        "pk = 'a' AND sk BETWEEN 1 AND 2 AND sk <> 1 OR pk = 'c' AND NOT sk = 1",
        "pk = 'b' AND (x = 1 OR pk = 'b') AND 2 >= sk",
        "pk IN ['c', 'b'] AND (sk = 1 OR sk > 1 AND sk < 3 OR sk = 0)",
        "pk = 'a' AND (sk <> 1 OR sk = 1)",
        "pk = 'a' AND pk = 'b'",
    };
    static const char *const hashes[] = {"a", "b", "c"};
    static const char *const numbers[] = {"0", "1", "2", "3"};
    td_arena *arena = &fixture.arena;
    for (size_t i = 0; i < TD_COUNT_OF(wheres); i++) {
        td_slice text;
        td_statement_keys keys;
        ck_assert(td_arena_format(arena, &text, "SELECT * FROM T WHERE %s%c", wheres[i], '\0'));
        const td_statement *statement = given_statement(&fixture, (const char *)text.ptr);
        ck_assert_int_eq(td_statement_find_keys(statement, &composite, arena, &keys, &fixture.error), TD_OK);
        ck_assert(keys.is_keyed);
        for (size_t at = 0; at < TD_COUNT_OF(hashes) * TD_COUNT_OF(numbers); at++) {
            const char *hash = hashes[at % TD_COUNT_OF(hashes)];
            td_slice number = number_of(arena, numbers[at / TD_COUNT_OF(hashes)]);
            const td_item *item = item_of(arena, S("pk", hash), N("sk", numbers[at / TD_COUNT_OF(hashes)]));
            bool holds = td_condition_holds(statement->where, item);
            uint32_t covered = 0;
            for (uint32_t n = 0; n < keys.count; n++) {
                const td_key_range *range = &keys.ranges[n];
                int low = td_slice_compare(number, range->equal_count > 0 ? range->equal_parts[0] : range->low);
                bool fits = range->equal_count > 0               ? low == 0
                            : range->kind == TD_RANGE_ALL        ? true
                            : range->kind == TD_RANGE_LESS       ? low < 0
                            : range->kind == TD_RANGE_LESS_EQUAL ? low <= 0
                            : range->kind == TD_RANGE_GREATER    ? low > 0
                            : range->kind == TD_RANGE_GREATER_EQUAL
                                ? low >= 0
                                : low >= 0 && td_slice_compare(number, range->high) <= 0;
                covered += fits && td_slice_equal(range->hash_parts[0], td_slice_of_cstr(hash));
            }
            ck_assert_uint_le(covered, 1);
            ck_assert(covered == 1 || !holds);
        }
    }
}
END_TEST

START_TEST(a_write_names_one_item)
{
    static const struct {
        const char *where;
        bool is_one;
        bool has_rest;
    } rows[] = {
        {"pk = 'a' AND sk = 1", true, false},
        {"(pk = 'a' AND sk = 1) AND x = 1", true, true},
        {"pk = 'a' AND sk = 1 AND NOT (x = 1 OR y = 1)", true, true},
        {"pk IN ['a'] AND sk = 1", false, false},
        {"pk = 'a' AND sk = 1 AND pk = 'a'", true, false},
        {"pk = 'a'", false, false},
        {"sk = 1", false, false},
        {"pk = 'a' AND sk > 1", false, false},
        {"pk IN ['a', 'b'] AND sk = 1", false, false},
        {"pk = 'a' AND sk = 1 OR pk = 'b' AND sk = 1", false, false},
        {"NOT (NOT pk = 'a' AND NOT pk = 'b')", false, false},
    };
    td_arena *arena = &fixture.arena;
    for (size_t i = 0; i < TD_COUNT_OF(rows); i++) {
        td_slice text;
        td_attribute *key;
        bool has_rest = false;
        ck_assert(td_arena_format(arena, &text, "DELETE FROM T WHERE %s%c", rows[i].where, '\0'));
        const td_statement *statement = given_statement(&fixture, (const char *)text.ptr);
        td_status status = td_statement_find_key(statement, &composite, arena, &key, &has_rest, &fixture.error);
        if ((status == TD_OK) != rows[i].is_one || has_rest != rows[i].has_rest) ck_abort_msg("%s", rows[i].where);
        if (status != TD_OK)
            ck_assert_str_eq(given_error(&fixture),
                             "Where clause does not contain a mandatory equality on all key attributes");
        else
            CHECK_ATTRIBUTES(arena, key, 2, S("pk", "a"), N("sk", "1"));
    }
    td_attribute *key;
    bool has_rest;
    ck_assert_int_eq(td_statement_find_key(given_statement(&fixture, "DELETE FROM T"), &simple, arena, &key, &has_rest,
                                           &fixture.error),
                     TD_VALIDATION);
}
END_TEST

START_TEST(a_write_is_of_one_value_of_a_key)
{
    td_attribute *key;
    bool has_rest = false;
    const td_statement *statement = given_statement(&fixture, "DELETE FROM T WHERE pk = 'a' AND sk = 1 AND pk = 'b'");
    ck_assert_int_eq(td_statement_find_key(statement, &composite, &fixture.arena, &key, &has_rest, &fixture.error),
                     TD_VALIDATION);
    ck_assert_str_eq(given_error(&fixture), "Multiple conditions on same key pk. "
                                            "Only single item Update/Insert/Delete are supported");
    statement = given_statement(&fixture, "EXISTS(SELECT * FROM T WHERE pk = 'a' AND sk = 1 AND pk = 'b')");
    ck_assert_int_eq(td_statement_find_key(statement, &composite, &fixture.arena, &key, &has_rest, &fixture.error),
                     TD_OK);
    ck_assert(has_rest);
    CHECK_ATTRIBUTES(&fixture.arena, key, 2, S("pk", "a"), N("sk", "1"));
}
END_TEST

START_TEST(a_statement_has_fifty_reads_at_most)
{
    td_slice text;
    char values[64 * 6] = "";
    for (int count = 49, at = 0; count <= 51; count++) {
        for (; at < count; at++)
            (void)snprintf(values + strlen(values), 8, "%s'%d'", at > 0 ? "," : "", at);
        ck_assert(td_arena_format(&fixture.arena, &text, "pk IN [%s] AND sk = 1%c", values, '\0'));
        const char *answer = find((const char *)text.ptr, &composite);
        if (count <= 50)
            ck_assert_ptr_nonnull(strstr(answer, " whole"));
        else
            ck_assert_str_eq(answer, "Too many decomposed read operations for a given query.");
        ck_assert(td_arena_format(&fixture.arena, &text, "pk IN [%s] OR x = 1%c", values, '\0'));
        ck_assert_str_eq(find((const char *)text.ptr, &composite), "scan rest");
    }
}
END_TEST

START_TEST(a_key_of_several_attributes_is_never_keyed)
{
    td_key_schema several = composite;
    several.hash_count = 2;
    several.range_count = 0;
    ck_assert_str_eq(find("pk = 'a' AND sk = 1", &several), "scan rest");
}
END_TEST

TCase *keys_tests(void)
{
    TCase *tests = tcase_create("keys");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, where_gives_look_ups);
    tcase_add_test(tests, ranges_leave_out_nothing_that_holds);
    tcase_add_test(tests, a_write_names_one_item);
    tcase_add_test(tests, a_write_is_of_one_value_of_a_key);
    tcase_add_test(tests, a_statement_has_fifty_reads_at_most);
    tcase_add_test(tests, a_key_of_several_attributes_is_never_keyed);
    return tests;
}
