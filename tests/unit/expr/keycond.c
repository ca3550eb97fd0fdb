/* SPDX-License-Identifier: Apache-2.0
 * keycond.c: tests of key conditions, alone and against schemas. */
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

#define OPERATOR(name) "Invalid operator used in KeyConditionExpression: " name
#define FIRST(name)                                                                                                    \
    "Invalid condition in KeyConditionExpression: " name " operator must have the key attribute as its first operand"
#define NESTED "Invalid KeyConditionExpression: KeyConditionExpressions cannot contain nested operations"
#define MANY "Invalid condition in KeyConditionExpression: Multiple attribute names used in one condition"
#define INSIDE "Invalid KeyConditionExpression: KeyConditionExpressions cannot have conditions on nested attributes"
#define NO_KEY "Invalid condition in KeyConditionExpression: No key attribute specified"
#define TWICE "Invalid KeyConditionExpression: KeyConditionExpressions must only contain one condition per key"
#define TYPE_OF(name, type)                                                                                            \
    "Invalid KeyConditionExpression: Incorrect operand type for operator or function; operator or function: " name     \
    ", operand type: " type

START_TEST(what_a_key_condition_may_not_have)
{
    static const bag_row rows[] = {
        {"a > b and size(b) > c or a > c", OPERATOR("OR")},
        {"a in (b, size(c), e)", OPERATOR("IN")},
        {"attribute_exists(a)", OPERATOR("attribute_exists")},
        {"attribute_type(a, :tS)", OPERATOR("attribute_type")},
        {"contains(a.e, b)", OPERATOR("contains")},
        {"not a > b", OPERATOR("NOT")},
        {"a <> b", OPERATOR("<>")},
        {":s between size(b) and size(a) and b > :s", FIRST("BETWEEN")},
        {"begins_with(:s, b) and a > :s", FIRST("begins_with")},
        {"size(b) > a AND a.b > b AND b > c", NESTED},
        {"a > size(b.e)", NESTED},
        {"a between size(b) and size(a)", NESTED},
        {"b > a.b", MANY},
        {"b between c[1] and e", MANY},
        {"a between b and size(a)", MANY},
        {"begins_with(a, b)", MANY},
        {"b.e > a AND c.e > e.f", INSIDE},
        {"b[0] > a", INSIDE},
        {":s2 > :s AND a < :s", NO_KEY},
        {":n > b AND :n < :n2", NO_KEY},
        {"b > :n AND b < :n and c = :n and e = :n", TWICE},
        {"(a > :n and b > :n) and (b > :n and c > :n)", TWICE},
        {"pk = :s AND begins_with(sk, :n)", TYPE_OF("begins_with", "N")},
        {"pk = :s AND :t >= sk", TYPE_OF(">=", "BOOL")},
        {"begins_with(sk, :n) AND pk = :missing", TYPE_OF("begins_with", "N")},
        {"(a = :s AND (b = :s2))", "ok"},
        {"a = :t", "ok"},
    };
    bag_check(&fixture, TD_EXPR_KEY_CONDITION, "", rows, TD_COUNT_OF(rows));
}
END_TEST

static td_key_schema schema_of(uint8_t hash_count, uint8_t range_count, const char *const *names, td_type last)
{
    td_key_schema schema = {.hash_count = hash_count, .range_count = range_count};
    for (uint32_t i = 0; i < td_key_part_count(&schema); i++)
        schema.parts[i] = (td_key_part){td_slice_of_cstr(names[i]), TD_TYPE_S};
    schema.parts[td_key_part_count(&schema) - 1].type = last;
    return schema;
}

static const char *const pk_sk[] = {"pk", "sk"};
static const char *const parts[] = {"h1", "h2", "r1", "r2", "r3"};

static td_status bind(const char *text, const td_key_schema *schema, td_key_range *ret_range)
{
    td_key_condition *condition;
    td_status status =
        td_key_condition_compile(td_slice_of_cstr(text), bag_marks(arena), arena, &condition, &fixture.error);
    ck_assert_msg(status == TD_OK, "%s: %s", text, bag_error(&fixture));
    return td_key_condition_bind(condition, schema, ret_range, &fixture.error);
}

typedef struct row {
    const char *text;
    const char *outcome;
} row;

static void check_refused(const td_key_schema *schema, const row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        td_key_range range;
        td_status status = bind(rows[i].text, schema, &range);
        const char *outcome = status == TD_OK ? "ok" : bag_error(&fixture);
        ck_assert_msg(strcmp(outcome, rows[i].outcome) == 0, "%s\n  answers %s\n   wanted %s", rows[i].text, outcome,
                      rows[i].outcome);
    }
}

#define MISSED(name) "Query condition missed key schema element: " name
#define SCHEMA_TYPE "One or more parameter values were invalid: Condition parameter type does not match schema type"
#define NOT_SUPPORTED "Query key condition not supported"
#define EMPTY(kind, name)                                                                                              \
    "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty " kind \
    " value. Key: " name

START_TEST(a_key_condition_fits_the_schema_or_says_why_not)
{
    static const row rows[] = {
        {"pk = :s", "ok"},
        {":s = pk AND :n2 > sk", "ok"},
        {"sk = :n", MISSED("pk")},
        {"attr = :s", MISSED("pk")},
        {"pk = :s AND zz = :s", MISSED("sk")},
        {"pk = :n", SCHEMA_TYPE},
        {"pk > :n", SCHEMA_TYPE},
        {"pk > :s", NOT_SUPPORTED},
        {"begins_with(pk, :s)", NOT_SUPPORTED},
        {"pk BETWEEN :s AND :s2", NOT_SUPPORTED},
        {"pk = :s AND sk = :s", SCHEMA_TYPE},
        {"pk = :s AND sk = :t", SCHEMA_TYPE},
        {"pk = :s AND begins_with(sk, :s)", SCHEMA_TYPE},
        {"pk = :empty", EMPTY("string", "pk")},
        {"pk = :s AND sk > :n AND extra = :s",
         "The number of query conditions (3) exceeds the number of key attributes defined in the schema (2)"},
        {"pk = :s OR sk = :n", OPERATOR("OR")},
    };
    td_key_schema schema = schema_of(1, 1, pk_sk, TD_TYPE_N);
    check_refused(&schema, rows, TD_COUNT_OF(rows));
    static const row hash_rows[] = {{"pk = :s", "ok"}, {"pk = :s AND b = :s", NOT_SUPPORTED}, {"b = :s", MISSED("pk")}};
    td_key_schema hash_only = schema_of(1, 0, pk_sk, TD_TYPE_S);
    check_refused(&hash_only, hash_rows, TD_COUNT_OF(hash_rows));
}
END_TEST

START_TEST(several_attributes_need_equalities_without_a_gap)
{
    static const row rows[] = {
        {"h1 = :s AND h2 = :s2", "ok"},
        {"r2 < :s AND h2 = :s AND r1 = :s AND h1 = :s", "ok"},
        {"h2 = :s", MISSED("h1")},
        {"h1 = :s", MISSED("h2")},
        {"h1 = :s AND h2 > :s", NOT_SUPPORTED},
        {"h1 = :s AND h2 = :s AND r2 = :s",
         "RANGE key attributes r1 must have equality conditions specified in the query because a condition is present "
         "on key attribute r2"},
        {"h1 = :s AND h2 = :s AND r1 > :s AND r2 = :s",
         "RANGE key attributes r1 must have equality conditions specified in the query because a condition is present "
         "on key attribute r2"},
        {"h1 = :s AND h2 = :s AND r3 = :n",
         "RANGE key attributes r1, r2 must have equality conditions specified in the query because a condition is "
         "present on key attribute r3"},
        {"h1 = :s AND h2 = :s AND zz = :s", MISSED("r1")},
    };
    td_key_schema schema = schema_of(2, 3, parts, TD_TYPE_N);
    check_refused(&schema, rows, TD_COUNT_OF(rows));
}
END_TEST

START_TEST(a_bound_condition_is_a_range)
{
    td_key_schema schema = schema_of(1, 1, pk_sk, TD_TYPE_S);
    static const struct {
        const char *text;
        td_range_kind kind;
    } rows[] = {
        {"pk = :s AND sk < :s2", TD_RANGE_LESS},
        {"pk = :s AND :s2 > sk", TD_RANGE_LESS},
        {"pk = :s AND sk <= :s2", TD_RANGE_LESS_EQUAL},
        {":s2 <= sk AND pk = :s", TD_RANGE_GREATER_EQUAL},
        {"pk = :s AND sk > :s2", TD_RANGE_GREATER},
        {"pk = :s AND sk >= :s2", TD_RANGE_GREATER_EQUAL},
        {"pk = :s AND begins_with(sk, :s2)", TD_RANGE_BEGINS_WITH},
    };
    td_key_range range;
    for (size_t i = 0; i < TD_COUNT_OF(rows); i++) {
        ck_assert_int_eq(bind(rows[i].text, &schema, &range), TD_OK);
        ck_assert_int_eq(range.kind, rows[i].kind);
        ck_assert_uint_eq(range.equal_count, 0);
        CHECK_SLICE(arena, range.hash_parts[0], "a");
        CHECK_SLICE(arena, range.low, "b");
    }
    ck_assert_int_eq(bind("pk = :s AND sk BETWEEN :s AND :s2", &schema, &range), TD_OK);
    ck_assert_int_eq(range.kind, TD_RANGE_BETWEEN);
    CHECK_SLICE(arena, range.low, "a");
    CHECK_SLICE(arena, range.high, "b");
    ck_assert_int_eq(bind("sk = :s2 AND pk = :s", &schema, &range), TD_OK);
    ck_assert_int_eq(range.kind, TD_RANGE_ALL);
    ck_assert_uint_eq(range.equal_count, 1);
    CHECK_SLICE(arena, range.equal_parts[0], "b");
}
END_TEST

START_TEST(the_current_wording_counts_conditions_on_a_hash_key_as_well)
{
    td_key_schema schema = schema_of(1, 0, pk_sk, TD_TYPE_S);
    td_key_range range;
    fixture.error.wording = TD_WORDING_CURRENT;
    ck_assert_int_eq(bind("pk = :s AND b = :s", &schema, &range), TD_VALIDATION);
    ck_assert_str_eq(
        bag_error(&fixture),
        "The number of query conditions (2) exceeds the number of key attributes defined in the schema (1)");
}
END_TEST

TCase *keycond_tests(void)
{
    TCase *tests = tcase_create("keycond");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, what_a_key_condition_may_not_have);
    tcase_add_test(tests, a_key_condition_fits_the_schema_or_says_why_not);
    tcase_add_test(tests, several_attributes_need_equalities_without_a_gap);
    tcase_add_test(tests, a_bound_condition_is_a_range);
    tcase_add_test(tests, the_current_wording_counts_conditions_on_a_hash_key_as_well);
    return tests;
}
