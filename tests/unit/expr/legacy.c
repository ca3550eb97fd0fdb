/* SPDX-License-Identifier: Apache-2.0
 * legacy.c: tests of the parameters from before expressions. */
#include "bag.h"
#include "suites.h"

static td_fixture fixture;
static td_arena *const arena = &fixture.arena;

static void setup(void)
{
    td_fixture_init(&fixture);
}
static void teardown(void)
{
    td_fixture_done(&fixture);
}

static td_legacy_condition given(const char *attribute, td_legacy_operator operator, const td_given * operands,
                                 uint32_t count)
{
    td_value *values = td_arena_alloc_array(arena, count, sizeof *values);
    ck_assert_ptr_nonnull(values);
    for (uint32_t i = 0; i < count; i++)
        values[i] = value_of(arena, operands[i]);
    return (td_legacy_condition){td_slice_of_cstr(attribute), operator, values, count};
}

#define GIVEN(attribute, operator, ...)                                                                                \
    given((attribute), (operator), (const td_given[]){__VA_ARGS__ __VA_OPT__(, ) NULL_("")},                           \
          TD_COUNT_OF(((const td_given[]){__VA_ARGS__ __VA_OPT__(, ) NULL_("")})) - 1)

static bool decide(const td_legacy_condition *conditions, uint32_t count, bool is_or, const td_item *item)
{
    td_condition *condition;
    ck_assert_int_eq(td_condition_of_legacy(conditions, count, is_or, arena, &condition, &fixture.error), TD_OK);
    return td_condition_holds(condition, item);
}

START_TEST(each_operator_decides_as_its_expression_does)
{
    td_item *item = item_of(arena, N("n", "5"), S("s", "abc"), SS("ss", TD_LIT("x")), L("l", S("", "x")));
    const struct {
        td_legacy_condition condition;
        bool holds;
    } rows[] = {
        {GIVEN("n", TD_LEGACY_EQ, N("", "5")), true},
        {GIVEN("n", TD_LEGACY_EQ, S("", "5")), false},
        {GIVEN("ss", TD_LEGACY_EQ, SS("", TD_LIT("x"))), true},
        {GIVEN("n", TD_LEGACY_NE, N("", "6")), true},
        {GIVEN("q", TD_LEGACY_NE, N("", "6")), true},
        {GIVEN("n", TD_LEGACY_LE, N("", "5")), true},
        {GIVEN("n", TD_LEGACY_LT, N("", "5")), false},
        {GIVEN("n", TD_LEGACY_GE, N("", "5")), true},
        {GIVEN("n", TD_LEGACY_GT, N("", "4")), true},
        {GIVEN("q", TD_LEGACY_GT, N("", "4")), false},
        {GIVEN("n", TD_LEGACY_NOT_NULL), true},
        {GIVEN("q", TD_LEGACY_NOT_NULL), false},
        {GIVEN("q", TD_LEGACY_NULL), true},
        {GIVEN("s", TD_LEGACY_CONTAINS, S("", "bc")), true},
        {GIVEN("ss", TD_LEGACY_CONTAINS, S("", "x")), true},
        {GIVEN("l", TD_LEGACY_CONTAINS, S("", "x")), true},
        {GIVEN("s", TD_LEGACY_NOT_CONTAINS, S("", "z")), true},
        {GIVEN("s", TD_LEGACY_NOT_CONTAINS, S("", "b")), false},
        {GIVEN("q", TD_LEGACY_NOT_CONTAINS, S("", "z")), false},
        {GIVEN("s", TD_LEGACY_BEGINS_WITH, S("", "ab")), true},
        {GIVEN("n", TD_LEGACY_IN, N("", "4"), N("", "5")), true},
        {GIVEN("n", TD_LEGACY_BETWEEN, N("", "4"), N("", "6")), true},
        {GIVEN("n", TD_LEGACY_BETWEEN, N("", "6"), N("", "7")), false},
    };
    for (size_t i = 0; i < TD_COUNT_OF(rows); i++)
        ck_assert_msg(decide(&rows[i].condition, 1, i % 2 == 0, item) == rows[i].holds, "row %zu", i);
}
END_TEST

START_TEST(conditions_are_joined_by_and_or_by_or)
{
    td_item *item = item_of(arena, N("n", "5"));
    td_legacy_condition both[] = {GIVEN("n", TD_LEGACY_EQ, N("", "5")), GIVEN("n", TD_LEGACY_GT, N("", "5"))};
    ck_assert(!decide(both, 2, false, item));
    ck_assert(decide(both, 2, true, item));
    ck_assert(decide(both, 0, false, item));
    ck_assert(decide(both, 0, true, NULL));
    td_condition *condition;
    ck_assert_int_eq(td_condition_of_legacy(both, 2, false, arena, &condition, &fixture.error), TD_OK);
    ck_assert(td_condition_uses(condition, TD_LIT("n")));
    ck_assert(!td_condition_uses(condition, TD_LIT("m")));
}
END_TEST

static const char *bind(const td_legacy_condition *conditions, uint32_t count, td_key_range *ret_range)
{
    td_key_schema schema = {
        .hash_count = 1, .range_count = 1, .parts = {{TD_LIT("pk"), TD_TYPE_S}, {TD_LIT("sk"), TD_TYPE_N}}};
    td_key_condition *condition;
    ck_assert_int_eq(td_key_condition_of_legacy(conditions, count, arena, &condition, &fixture.error), TD_OK);
    td_status status = td_key_condition_bind(condition, &schema, ret_range, &fixture.error);
    return status == TD_OK ? "ok" : bag_error(&fixture);
}

START_TEST(key_conditions_fit_a_schema)
{
    td_key_range range;
    td_legacy_condition pk = GIVEN("pk", TD_LEGACY_EQ, S("", "a"));
    td_legacy_condition fits[] = {GIVEN("sk", TD_LEGACY_BETWEEN, N("", "1"), N("", "2")), pk};
    ck_assert_str_eq(bind(fits, 2, &range), "ok");
    ck_assert_int_eq(range.kind, TD_RANGE_BETWEEN);
    ck_assert(td_slice_equal(range.low, number_of(arena, "1")));
    ck_assert(td_slice_equal(range.high, number_of(arena, "2")));
    td_legacy_condition refused[] = {pk, GIVEN("sk", TD_LEGACY_NULL)};
    ck_assert_str_eq(bind(refused, 2, &range), "Attempted conditional constraint is not an indexable operation");
    td_legacy_condition hash_in[] = {GIVEN("pk", TD_LEGACY_IN, S("", "a"))};
    ck_assert_str_eq(bind(hash_in, 1, &range), "Attempted conditional constraint is not an indexable operation");
    td_legacy_condition hash_less[] = {GIVEN("pk", TD_LEGACY_LT, S("", "a"))};
    ck_assert_str_eq(bind(hash_less, 1, &range), "Query key condition not supported");
}
END_TEST

typedef struct change {
    const char *attribute;
    td_legacy_action action;
    const td_given *value; /* NULL: none */
} change;

static const char *apply(const change *changes, uint32_t count, const td_item *item)
{
    td_legacy_update updates[4];
    for (uint32_t i = 0; i < count; i++) {
        td_value *value = td_arena_alloc(arena, sizeof *value);
        ck_assert_ptr_nonnull(value);
        if (changes[i].value != NULL) *value = value_of(arena, *changes[i].value);
        updates[i] = (td_legacy_update){td_slice_of_cstr(changes[i].attribute), changes[i].action,
                                        changes[i].value == NULL ? NULL : value};
    }
    td_given_attributes key = attributes_of(arena, S("pk", "k"));
    td_update *update;
    td_attribute *attributes;
    uint32_t attribute_count;
    ck_assert_int_eq(td_update_of_legacy(updates, count, arena, &update, &fixture.error), TD_OK);
    td_status status =
        td_update_apply(update, item, key.attributes, key.count, arena, &attributes, &attribute_count, &fixture.error);
    return status == TD_OK ? show_attributes(arena, attributes, attribute_count) : bag_error(&fixture);
}

START_TEST(attribute_updates_put_add_and_delete)
{
    td_item *item = item_of(arena, S("pk", "k"), N("n", "1"), SS("s", TD_LIT("a"), TD_LIT("b")), L("l", S("", "x")));
    const change changes[] = {{"q", TD_LEGACY_PUT, &S("", "new")},
                              {"n", TD_LEGACY_ADD, &N("", "9")},
                              {"s", TD_LEGACY_DELETE, &SS("", TD_LIT("a"))},
                              {"l", TD_LEGACY_ADD, &L("", S("", "y"))}};
    ck_assert_str_eq(apply(changes, 4, item), show_given(arena, S("pk", "k"), S("q", "new"), N("n", "10"),
                                                         SS("s", TD_LIT("b")), L("l", S("", "x"), S("", "y"))));
    const change removal[] = {{"s", TD_LEGACY_DELETE, NULL}, {"z", TD_LEGACY_DELETE, NULL}};
    ck_assert_str_eq(apply(removal, 2, item), show_given(arena, S("pk", "k"), N("n", "1"), L("l", S("", "x"))));
    ck_assert_str_eq(apply(NULL, 0, NULL), show_given(arena, S("pk", "k")));
    const change creation[] = {{"n", TD_LEGACY_ADD, &N("", "9")}, {"s", TD_LEGACY_DELETE, &SS("", TD_LIT("a"))}};
    ck_assert_str_eq(apply(creation, 2, NULL), show_given(arena, S("pk", "k"), N("n", "9")));
}
END_TEST

START_TEST(attribute_updates_of_another_type_have_their_own_text)
{
    td_item *item = item_of(arena, S("pk", "k"), N("n", "1"), SS("s", TD_LIT("a")));
    const change add[] = {{"n", TD_LEGACY_ADD, &SS("", TD_LIT("a"))}};
    ck_assert_str_eq(apply(add, 1, item), "Type mismatch for attribute to update");
    const change delete[] = {{"s", TD_LEGACY_DELETE, &NS("", TD_LIT("1"))}};
    ck_assert_str_eq(apply(delete, 1, item), "Type mismatch for attribute to update");
}
END_TEST

TCase *legacy_tests(void)
{
    TCase *tests = tcase_create("legacy");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, each_operator_decides_as_its_expression_does);
    tcase_add_test(tests, conditions_are_joined_by_and_or_by_or);
    tcase_add_test(tests, key_conditions_fit_a_schema);
    tcase_add_test(tests, attribute_updates_put_add_and_delete);
    tcase_add_test(tests, attribute_updates_of_another_type_have_their_own_text);
    return tests;
}
