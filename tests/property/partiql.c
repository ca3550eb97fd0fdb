/* SPDX-License-Identifier: Apache-2.0
 * partiql.c: a random condition, written as a filter expression and as PartiQL, finds the same items in the same order
 * of the same table, page by page, for the same units.
 *
 * The condition filters scans and queries of a table, of a local and of a global index. TD_SEED repeats a run,
 * TD_PROPERTY_ROUNDS makes it longer. */
#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "wire/json.h"

#include "asked.h"
#include "random.h"

enum { ROUNDS = 1500, ITEMS = 120, COLLECTIONS = 4, DEPTH_MAX = 3, PAGES_MAX = 200 };

/* A value on the wire and as a literal; NULL: it has none. */
typedef struct operand {
    const char *json;
    const char *literal;
    td_type type;
} operand;

static const operand strings[] = {
    {"{\"S\":\"\"}", "''", TD_TYPE_S},          {"{\"S\":\"a\"}", "'a'", TD_TYPE_S},
    {"{\"S\":\"ab\"}", "'ab'", TD_TYPE_S},      {"{\"S\":\"b\"}", "'b'", TD_TYPE_S},
    {"{\"S\":\"it's\"}", "'it''s'", TD_TYPE_S},
};
static const operand numbers[] = {
    {"{\"N\":\"-1.5\"}", "-1.5", TD_TYPE_N}, {"{\"N\":\"0\"}", "0", TD_TYPE_N},     {"{\"N\":\"1\"}", "1.0", TD_TYPE_N},
    {"{\"N\":\"2\"}", "2", TD_TYPE_N},       {"{\"N\":\"100\"}", "1e2", TD_TYPE_N},
};
static const operand others[] = {
    {"{\"B\":\"YQ==\"}", NULL, TD_TYPE_B},
    {"{\"B\":\"YWI=\"}", NULL, TD_TYPE_B},
    {"{\"BOOL\":true}", "true", TD_TYPE_BOOL},
    {"{\"BOOL\":false}", "false", TD_TYPE_BOOL},
    {"{\"NULL\":true}", "null", TD_TYPE_NULL},
    {"{\"SS\":[\"a\",\"b\"]}", "<<'b', 'a'>>", TD_TYPE_SS},
    {"{\"NS\":[\"1\",\"2\"]}", "<<1, 2>>", TD_TYPE_NS},
    {"{\"BS\":[\"YQ==\"]}", NULL, TD_TYPE_BS},
    {"{\"L\":[{\"N\":\"1\"},{\"S\":\"a\"}]}", "[1, 'a']", TD_TYPE_L},
    {"{\"M\":{\"x\":{\"N\":\"1\"}}}", "{'x': 1}", TD_TYPE_M},
};
static const char *const paths[] = {"a", "b", "c", "m.x", "m.y", "l[0]", "l[1]", "zz"};

static asked_server server;
static td_rng rng;

/* Both forms of one condition, and the values that they name. */
typedef struct two_forms {
    td_buf filter;
    td_buf where;
    td_buf values;     /* of the filter: ":v0":{…},… */
    td_buf parameters; /* of WHERE: {…},… */
    uint32_t value_count;
} two_forms;

static const operand *random_operand(void)
{
    if (random_chance(&rng, 40)) return &strings[td_rng_below(&rng, TD_COUNT_OF(strings))];
    if (random_chance(&rng, 50)) return &numbers[td_rng_below(&rng, TD_COUNT_OF(numbers))];
    return &others[td_rng_below(&rng, TD_COUNT_OF(others))];
}

/* ---- writing both forms ------------------------------------------------------------------------------------------ */

static void write_both(two_forms *forms, const char *text)
{
    td_buf_append(&forms->filter, td_slice_of_cstr(text));
    td_buf_append(&forms->where, td_slice_of_cstr(text));
}

static void write_value(two_forms *forms, const operand *value)
{
    td_buf_append_format(&forms->filter, ":v%u", forms->value_count);
    td_buf_append_format(&forms->values, "%s\":v%u\":%s", forms->value_count > 0 ? "," : "", forms->value_count,
                         value->json);
    forms->value_count++;
    if (value->literal != NULL && random_chance(&rng, 50)) {
        td_buf_append(&forms->where, td_slice_of_cstr(value->literal));
        return;
    }
    td_buf_append_lit(&forms->where, "?");
    td_buf_append_format(&forms->parameters, "%s%s", forms->parameters.len > 0 ? "," : "", value->json);
}

static const char *random_path(void)
{
    return paths[td_rng_below(&rng, TD_COUNT_OF(paths))];
}

static void write_comparison(two_forms *forms)
{
    static const char *const signs[] = {" = ", " <> ", " < ", " <= ", " > ", " >= "};
    size_t sign = td_rng_below(&rng, TD_COUNT_OF(signs));
    const operand *value = random_operand();
    while (sign > 1 && !td_type_is_scalar(value->type))
        value = random_operand();
    const char *path = random_path();
    bool is_unequal = sign == 1; /* PartiQL's does not hold of a missing attribute */
    if (is_unequal) td_buf_append_format(&forms->filter, "(attribute_exists(%s) AND ", path);
    write_both(forms, path);
    write_both(forms, signs[sign]);
    write_value(forms, value);
    if (is_unequal) td_buf_append_lit(&forms->filter, ")");
}

static void write_between(two_forms *forms)
{
    const operand *pool = random_chance(&rng, 50) ? strings : numbers;
    size_t low = td_rng_below(&rng, TD_COUNT_OF(numbers));
    size_t high = low + td_rng_below(&rng, TD_COUNT_OF(numbers) - low);
    write_both(forms, random_path());
    write_both(forms, " BETWEEN ");
    write_value(forms, &pool[low]);
    write_both(forms, " AND ");
    write_value(forms, &pool[high]);
}

static void write_in(two_forms *forms)
{
    write_both(forms, random_path());
    write_both(forms, " IN (");
    uint64_t count = 1 + td_rng_below(&rng, 3);
    for (uint64_t i = 0; i < count; i++) {
        if (i > 0) write_both(forms, ", ");
        write_value(forms, random_operand());
    }
    write_both(forms, ")");
}

static void write_function(two_forms *forms)
{
    const char *path = random_path();
    const operand *text = &strings[td_rng_below(&rng, TD_COUNT_OF(strings))];
    const operand *number = &numbers[td_rng_below(&rng, TD_COUNT_OF(numbers))];
    switch (td_rng_below(&rng, 7)) {
    case 0: write_both(forms, "begins_with("); break;
    case 1: write_both(forms, "contains("); break;
    case 2:
        write_both(forms, "size(");
        write_both(forms, path);
        write_both(forms, ") > ");
        write_value(forms, number);
        return;
    case 3:
        td_buf_append_format(&forms->filter, "attribute_not_exists(%s)", path);
        td_buf_append_format(&forms->where, "%s IS MISSING", path);
        return;
    case 4:
        td_buf_append_format(&forms->filter, "attribute_exists(%s)", path);
        td_buf_append_format(&forms->where, random_chance(&rng, 50) ? "%s IS NOT MISSING" : "attribute_exists(%s)",
                             path);
        return;
    case 5: {
        static const operand null_type = {"{\"S\":\"NULL\"}", "'NULL'", TD_TYPE_S};
        write_both(forms, "attribute_type(");
        text = &null_type;
        break;
    }
    default: write_comparison(forms); return;
    }
    write_both(forms, path);
    write_both(forms, ", ");
    write_value(forms, text);
    write_both(forms, ")");
}

static void write_condition(two_forms *forms, uint32_t depth);

static void write_part(two_forms *forms, uint32_t depth)
{
    bool is_composite = depth > 0 && random_chance(&rng, 40);
    if (is_composite) write_both(forms, "(");
    write_condition(forms, is_composite ? depth : 0);
    if (is_composite) write_both(forms, ")");
}

static void write_condition(two_forms *forms, uint32_t depth)
{
    if (depth == 0) {
        if (random_chance(&rng, 15)) write_both(forms, "NOT ");
        switch (td_rng_below(&rng, 4)) {
        case 0: write_between(forms); return;
        case 1: write_in(forms); return;
        case 2: write_function(forms); return;
        default: write_comparison(forms); return;
        }
    }
    const char *joint = random_chance(&rng, 50) ? " AND " : " OR ";
    write_part(forms, depth - 1);
    write_both(forms, joint);
    write_part(forms, depth - 1);
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

static void put_items(void)
{
    td_buf body;
    td_buf_init(&body, 1 << 16);
    for (int i = 0; i < ITEMS; i++) {
        td_buf_clear(&body);
        td_buf_append_format(&body, "{\"TableName\":\"TTT\",\"Item\":{\"pk\":{\"S\":\"p%d\"},\"sk\":{\"N\":\"%d\"}",
                             i % COLLECTIONS, i);
        td_buf_append_format(&body, ",\"r\":{\"N\":\"%d\"}", (int)td_rng_below(&rng, 10));
        if (random_chance(&rng, 70)) td_buf_append_format(&body, ",\"g\":{\"S\":\"g%d\"}", i % 3);
        for (const char *name = "abc"; *name != '\0'; name++) {
            if (random_chance(&rng, 70)) td_buf_append_format(&body, ",\"%c\":%s", *name, random_operand()->json);
        }
        if (random_chance(&rng, 60)) td_buf_append_format(&body, ",\"m\":{\"M\":{\"x\":%s}}", random_operand()->json);
        if (random_chance(&rng, 60)) td_buf_append_format(&body, ",\"l\":{\"L\":[%s]}", random_operand()->json);
        if (random_chance(&rng, 10)) td_buf_append_format(&body, ",\"pad\":{\"S\":\"%05000d\"}", i);
        td_buf_append_lit(&body, "}}");
        (void)asked_surely(&server, "PutItem", td_buf_contents(&body));
    }
    td_buf_done(&body);
}

static void setup(void)
{
    uint64_t seed = number_from_env("TD_SEED", td_rng_system_seed());
    printf("seed %" PRIu64 "\n", seed);
    td_rng_init(&rng, seed);
    asked_init(&server, seed);
    (void)asked_surely(
        &server, "CreateTable",
        TD_LIT("{\"TableName\":\"TTT\",\"BillingMode\":\"PAY_PER_REQUEST\",\"AttributeDefinitions\":["
               "{\"AttributeName\":\"pk\",\"AttributeType\":\"S\"},{\"AttributeName\":\"sk\",\"AttributeType\":\"N\"},"
               "{\"AttributeName\":\"g\",\"AttributeType\":\"S\"},{\"AttributeName\":\"r\",\"AttributeType\":\"N\"}],"
               "\"KeySchema\":[{\"AttributeName\":\"pk\",\"KeyType\":\"HASH\"},"
               "{\"AttributeName\":\"sk\",\"KeyType\":\"RANGE\"}],"
               "\"LocalSecondaryIndexes\":[{\"IndexName\":\"local\",\"KeySchema\":["
               "{\"AttributeName\":\"pk\",\"KeyType\":\"HASH\"},{\"AttributeName\":\"r\",\"KeyType\":\"RANGE\"}],"
               "\"Projection\":{\"ProjectionType\":\"ALL\"}}],"
               "\"GlobalSecondaryIndexes\":[{\"IndexName\":\"global\",\"KeySchema\":["
               "{\"AttributeName\":\"g\",\"KeyType\":\"HASH\"},{\"AttributeName\":\"sk\",\"KeyType\":\"RANGE\"}],"
               "\"Projection\":{\"ProjectionType\":\"ALL\"}}]}"));
    (void)asked_surely(&server, "DescribeTable", TD_LIT("{\"TableName\":\"TTT\"}"));
    put_items();
}

static void teardown(void)
{
    asked_done(&server);
}

/* ---- reading ------------------------------------------------------------------------------------------------------
 */

/* Where and how a round reads. */
typedef struct reading {
    const char *index; /* NULL: the table */
    const char *hash;  /* NULL: a scan */
    const char *range;
    char hash_json[32];
    char hash_literal[16];
    const char *range_sign; /* NULL: the whole collection */
    int range_value;
    bool is_consistent;
    bool is_backward;
    uint64_t limit; /* 0: none */
} reading;

static reading random_reading(void)
{
    static const struct {
        const char *index;
        const char *hash;
        const char *range;
    } places[] = {{NULL, "pk", "sk"}, {"local", "pk", "r"}, {"global", "g", "sk"}};
    static const char *const signs[] = {"<", "<=", ">", ">="};
    size_t place = td_rng_below(&rng, TD_COUNT_OF(places));
    reading it = {.index = places[place].index};
    it.is_consistent = place < 2 && random_chance(&rng, 50);
    if (random_chance(&rng, 60)) it.limit = 1 + td_rng_below(&rng, 25);
    if (random_chance(&rng, 40)) return it;
    it.hash = places[place].hash;
    it.range = places[place].range;
    char letter = place == 2 ? 'g' : 'p';
    int number = (int)td_rng_below(&rng, COLLECTIONS);
    (void)snprintf(it.hash_json, sizeof(it.hash_json), "{\"S\":\"%c%d\"}", letter, number);
    (void)snprintf(it.hash_literal, sizeof(it.hash_literal), "'%c%d'", letter, number);
    if (random_chance(&rng, 50)) it.range_sign = signs[td_rng_below(&rng, TD_COUNT_OF(signs))];
    it.range_value = (int)td_rng_below(&rng, place == 1 ? 10 : ITEMS);
    it.is_backward = random_chance(&rng, 30);
    return it;
}

static void write_plain(td_buf *body, const reading *it, const two_forms *forms, td_slice start)
{
    td_buf_append_format(body,
                         "{\"TableName\":\"TTT\",\"ReturnConsumedCapacity\":\"INDEXES\",\"FilterExpression\":\"%.*s\"",
                         (int)forms->filter.len, (const char *)forms->filter.data);
    bool has_values = forms->value_count > 0;
    if (has_values || it->hash != NULL) {
        td_buf_append_format(body, ",\"ExpressionAttributeValues\":{%.*s", (int)forms->values.len,
                             (const char *)forms->values.data);
        if (it->hash != NULL) td_buf_append_format(body, "%s\":h\":%s", has_values ? "," : "", it->hash_json);
        if (it->range_sign != NULL) td_buf_append_format(body, ",\":r\":{\"N\":\"%d\"}", it->range_value);
        td_buf_append_lit(body, "}");
    }
    if (it->hash != NULL) td_buf_append_format(body, ",\"KeyConditionExpression\":\"%s = :h", it->hash);
    if (it->range_sign != NULL) td_buf_append_format(body, " AND %s %s :r", it->range, it->range_sign);
    if (it->hash != NULL) td_buf_append_lit(body, "\"");
    if (it->is_backward) td_buf_append_lit(body, ",\"ScanIndexForward\":false");
    if (it->index != NULL) td_buf_append_format(body, ",\"IndexName\":\"%s\"", it->index);
    if (it->is_consistent) td_buf_append_lit(body, ",\"ConsistentRead\":true");
    if (it->limit > 0) td_buf_append_format(body, ",\"Limit\":%d", (int)it->limit);
    if (start.len > 0) {
        td_buf_append_format(body, ",\"ExclusiveStartKey\":%.*s", (int)start.len, (const char *)start.ptr);
    }
    td_buf_append_lit(body, "}");
}

static void write_statement(td_buf *body, const reading *it, const two_forms *forms, td_slice token)
{
    td_buf_append_lit(body, "{\"ReturnConsumedCapacity\":\"INDEXES\",\"Statement\":\"SELECT * FROM \\\"TTT\\\"");
    if (it->index != NULL) td_buf_append_format(body, ".\\\"%s\\\"", it->index);
    td_buf_append_lit(body, " WHERE ");
    if (it->hash != NULL) td_buf_append_format(body, "%s = %s AND ", it->hash, it->hash_literal);
    if (it->range_sign != NULL) td_buf_append_format(body, "%s %s %d AND ", it->range, it->range_sign, it->range_value);
    td_buf_append_format(body, "(%.*s)", (int)forms->where.len, (const char *)forms->where.data);
    if (it->hash != NULL && it->is_backward) td_buf_append_format(body, " ORDER BY %s DESC", it->range);
    td_buf_append_lit(body, "\"");
    if (forms->parameters.len > 0) {
        td_buf_append_format(body, ",\"Parameters\":[%.*s]", (int)forms->parameters.len,
                             (const char *)forms->parameters.data);
    }
    if (it->is_consistent) td_buf_append_lit(body, ",\"ConsistentRead\":true");
    if (it->limit > 0) td_buf_append_format(body, ",\"Limit\":%d", (int)it->limit);
    if (token.len > 0) td_buf_append_format(body, ",\"NextToken\":%.*s", (int)token.len, (const char *)token.ptr);
    td_buf_append_lit(body, "}");
}

/* A member of an answer as text, in a buffer; empty: it is not there. */
static void take_member(td_slice answer, const char *name, td_buf *text)
{
    td_arena arena;
    td_error error = {.arena = &arena};
    td_json *root = NULL;
    td_arena_init(&arena, TD_LIMIT_REQUEST_ARENA_BYTES_MAX);
    td_buf_clear(text);
    ck_assert_int_eq(td_json_parse(answer, &arena, &root, &error), TD_OK);
    const td_json *member = td_json_find(root, td_slice_of_cstr(name));
    if (member != NULL) td_json_write_tree(text, member);
    ck_assert(!td_buf_has_failed(text));
    td_arena_done(&arena);
}

/* What both say of one page. */
typedef struct page_texts {
    td_buf items, key, units, token;
} page_texts;

static void init_texts(page_texts *texts)
{
    td_buf *all[] = {&texts->items, &texts->key, &texts->units, &texts->token};
    for (size_t i = 0; i < TD_COUNT_OF(all); i++)
        td_buf_init(all[i], TD_LIMIT_REPLY_BYTES_MAX);
}

static void done_texts(page_texts *texts)
{
    td_buf *all[] = {&texts->items, &texts->key, &texts->units, &texts->token};
    for (size_t i = 0; i < TD_COUNT_OF(all); i++)
        td_buf_done(all[i]);
}

static void take_page(td_slice answer, page_texts *texts)
{
    take_member(answer, "Items", &texts->items);
    take_member(answer, "LastEvaluatedKey", &texts->key);
    take_member(answer, "ConsumedCapacity", &texts->units);
    take_member(answer, "NextToken", &texts->token);
}

/* Printed here, since check's messages have a limit. */
static void check_equal(const char *what, const td_buf *plain, const td_buf *statement, const td_buf *body)
{
    if (td_slice_equal(td_buf_contents(plain), td_buf_contents(statement))) return;
    printf("%.*s\nplain:     %.*s\nstatement: %.*s\n", (int)body->len, (const char *)body->data, (int)plain->len,
           (const char *)plain->data, (int)statement->len, (const char *)statement->data);
    (void)fflush(stdout);
    ck_abort_msg("other %s", what);
}

static void check_pages(const reading *it, const two_forms *forms)
{
    page_texts plain;
    page_texts statement;
    td_buf body;
    init_texts(&plain);
    init_texts(&statement);
    td_buf_init(&body, 1 << 20);
    for (int page = 0; page == 0 || plain.key.len > 0; page++) {
        ck_assert_int_lt(page, PAGES_MAX);
        td_buf_clear(&body);
        write_plain(&body, it, forms, td_buf_contents(&plain.key));
        take_page(asked_surely(&server, it->hash == NULL ? "Scan" : "Query", td_buf_contents(&body)), &plain);
        td_buf_clear(&body);
        write_statement(&body, it, forms, td_buf_contents(&statement.token));
        take_page(asked_surely(&server, "ExecuteStatement", td_buf_contents(&body)), &statement);
        check_equal("items", &plain.items, &statement.items, &body);
        check_equal("units", &plain.units, &statement.units, &body);
        check_equal("key", &plain.key, &statement.key, &body);
        ck_assert_int_eq(statement.token.len > 0, statement.key.len > 0);
    }
    td_buf_done(&body);
    done_texts(&plain);
    done_texts(&statement);
}

START_TEST(a_condition_finds_the_same_as_filter_and_as_where)
{
    uint64_t rounds = number_from_env("TD_PROPERTY_ROUNDS", ROUNDS);
    for (uint64_t round = 0; round < rounds; round++) {
        two_forms forms = {.value_count = 0};
        td_buf *all[] = {&forms.filter, &forms.where, &forms.values, &forms.parameters};
        for (size_t i = 0; i < TD_COUNT_OF(all); i++)
            td_buf_init(all[i], 1 << 16);
        write_condition(&forms, (uint32_t)td_rng_below(&rng, DEPTH_MAX + 1));
        reading it = random_reading();
        check_pages(&it, &forms);
        for (size_t i = 0; i < TD_COUNT_OF(all); i++)
            td_buf_done(all[i]);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("PartiQL");
    TCase *tests = tcase_create("PartiQL");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_set_timeout(tests, 0);
    tcase_add_test(tests, a_condition_finds_the_same_as_filter_and_as_where);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
