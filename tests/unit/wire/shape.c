/* SPDX-License-Identifier: Apache-2.0
 * shape.c: tests of the check of types, of binding, and of the constraints of the service model. */
#include "wire/shape.h"

#include <stdio.h>

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

/* A request and what the service says to it. */
typedef struct request_case {
    const char *operation;
    const char *body;
    const char *text; /* NULL: the request passes */
} request_case;

static td_status check_request(const char *operation, td_slice body, td_members *ret_members)
{
    const td_shape *shape = td_shape_find(td_slice_of_cstr(operation));
    ck_assert_ptr_nonnull(shape);
    const td_json *root = json_of(&fixture, body);
    td_status status = td_shape_bind(shape, root, ret_members, &fixture.error);
    return status == TD_OK ? td_shape_check(shape, root, &fixture.error) : status;
}

static void check_cases(const request_case *cases, size_t count, td_status expected)
{
    for (size_t i = 0; i < count; i++) {
        td_members members;
        fixture.error.status = TD_OK;
        fixture.error.text = TD_LIT("");
        td_status status = check_request(cases[i].operation, td_slice_of_cstr(cases[i].body), &members);
        const char *expected_text = cases[i].text == NULL ? "" : cases[i].text;
        ck_assert_msg(strcmp(error_text(&fixture), expected_text) == 0, "%s %s\n  expected: %s\n  actual:   %s",
                      cases[i].operation, cases[i].body, expected_text, error_text(&fixture));
        ck_assert_int_eq(status, cases[i].text == NULL ? TD_OK : expected);
    }
}

#define AT " failed to satisfy constraint: Member must "
#define ONE "1 validation error detected: "
#define ENUM "satisfy enum value set: "
#define PATTERN "satisfy regular expression pattern: [a-zA-Z0-9_.-]+"
#define ATTRIBUTE_MAP "java.util.Map<java.lang.String, com.amazonaws.dynamodb.v20120810.AttributeValue>"
#define CLASS "class com.amazonaws.dynamodb.v20120810."

/* ---- types ---- */

START_TEST(wrong_types_are_told_by_what_was_found_and_where)
{
    static const request_case cases[] = {
        {"PutItem", "{\"TableName\":true}", "TRUE_VALUE cannot be converted to String"},
        {"PutItem", "{\"TableName\":false}", "FALSE_VALUE cannot be converted to String"},
        {"PutItem", "{\"TableName\":23}", "NUMBER_VALUE cannot be converted to String"},
        {"PutItem", "{\"TableName\":-2147483648}", "NUMBER_VALUE cannot be converted to String"},
        {"PutItem", "{\"TableName\":34.56}", "DECIMAL_VALUE cannot be converted to String"},
        {"PutItem", "{\"TableName\":1e2}", "DECIMAL_VALUE cannot be converted to String"},
        {"PutItem", "{\"TableName\":[]}", "Unrecognized collection type class java.lang.String"},
        {"PutItem", "{\"TableName\":{}}", "Start of structure or map found where not expected"},
        {"Query", "{\"Limit\":\"23\"}", "STRING_VALUE cannot be converted to Integer"},
        {"Query", "{\"Limit\":true}", "TRUE_VALUE cannot be converted to Integer"},
        {"Query", "{\"Limit\":[]}", "Unrecognized collection type class java.lang.Integer"},
        {"Query", "{\"Limit\":{}}", "Start of structure or map found where not expected"},
        {"Query", "{\"ConsistentRead\":\"23\"}", "Unexpected token received from parser"},
        {"Query", "{\"ConsistentRead\":1}", "NUMBER_VALUE cannot be converted to Boolean"},
        {"Query", "{\"ConsistentRead\":[]}", "Unrecognized collection type class java.lang.Boolean"},
        {"CreateTable", "{\"ProvisionedThroughput\":{\"ReadCapacityUnits\":\"1\"}}",
         "STRING_VALUE cannot be converted to Long"},
        {"CreateTable", "{\"ProvisionedThroughput\":1}", "Unexpected field type"},
        {"CreateTable", "{\"ProvisionedThroughput\":[]}",
         "Unrecognized collection type " CLASS "ProvisionedThroughput"},
        {"CreateTable", "{\"KeySchema\":{}}", "Start of structure or map found where not expected"},
        {"CreateTable", "{\"KeySchema\":\"a\"}", "Unexpected field type"},
        {"CreateTable", "{\"KeySchema\":[true]}", "Unexpected value type in payload"},
        {"CreateTable", "{\"KeySchema\":[[]]}", "Unrecognized collection type " CLASS "KeySchemaElement"},
        {"CreateTable", "{\"KeySchema\":[{\"KeyType\":1}]}", "NUMBER_VALUE cannot be converted to String"},
        {"GetItem", "{\"ExpressionAttributeNames\":[]}",
         "Unrecognized collection type java.util.Map<java.lang.String, java.lang.String>"},
        {"GetItem", "{\"ExpressionAttributeNames\":{\"#a\":{}}}", "Start of structure or map found where not expected"},
        {"GetItem", "{\"AttributesToGet\":[1]}", "NUMBER_VALUE cannot be converted to String"},
        {"GetItem", "{\"TableName\":1,\"TableName\":\"abc\"}", "NUMBER_VALUE cannot be converted to String"},
    };
    check_cases(cases, TD_COUNT_OF(cases), TD_SERIALIZATION);
}
END_TEST

START_TEST(wrong_types_inside_attribute_values_are_told)
{
    static const request_case cases[] = {
        {"PutItem", "{\"Item\":23}", "Unexpected field type"},
        {"PutItem", "{\"Item\":[]}", "Unrecognized collection type " ATTRIBUTE_MAP},
        {"PutItem", "{\"Item\":{\"a\":\"b\"}}", "Unexpected value type in payload"},
        {"PutItem", "{\"Item\":{\"a\":[]}}", "Unrecognized collection type " CLASS "AttributeValue"},
        {"PutItem", "{\"Item\":{\"a\":{\"S\":1}}}", "NUMBER_VALUE cannot be converted to String"},
        {"PutItem", "{\"Item\":{\"a\":{\"N\":123}}}", "NUMBER_VALUE cannot be converted to String"},
        {"PutItem", "{\"Item\":{\"a\":{\"B\":1}}}", "only base-64-encoded strings are convertible to bytes"},
        {"PutItem", "{\"Item\":{\"a\":{\"B\":[]}}}", "Unrecognized collection type class java.nio.ByteBuffer"},
        {"PutItem", "{\"Item\":{\"a\":{\"B\":{}}}}", "Start of structure or map found where not expected"},
        {"PutItem", "{\"Item\":{\"a\":{\"B\":\"23456\"}}}",
         "Base64 encoded length is expected a multiple of 4 bytes but found: 5"},
        {"PutItem", "{\"Item\":{\"a\":{\"B\":\"=+/=\"}}}", "Invalid last non-pad Base64 character dectected"},
        {"PutItem", "{\"Item\":{\"a\":{\"B\":\"+/+=\"}}}", "Invalid last non-pad Base64 character dectected"},
        {"PutItem", "{\"Item\":{\"a\":{\"B\":\"A===\"}}}", "Invalid last non-pad Base64 character dectected"},
        {"PutItem", "{\"Item\":{\"a\":{\"B\":\"AA A\"}}}", "Invalid last non-pad Base64 character dectected"},
        {"PutItem", "{\"Item\":{\"a\":{\"BOOL\":\"maybe\"}}}", "Unexpected token received from parser"},
        {"PutItem", "{\"Item\":{\"a\":{\"NULL\":1.5}}}", "DECIMAL_VALUE cannot be converted to Boolean"},
        {"PutItem", "{\"Item\":{\"a\":{\"SS\":\"a\"}}}", "Unexpected field type"},
        {"PutItem", "{\"Item\":{\"a\":{\"SS\":{}}}}", "Start of structure or map found where not expected"},
        {"PutItem", "{\"Item\":{\"a\":{\"SS\":[1]}}}", "NUMBER_VALUE cannot be converted to String"},
        {"PutItem", "{\"Item\":{\"a\":{\"NS\":[[]]}}}", "Unrecognized collection type class java.lang.String"},
        {"PutItem", "{\"Item\":{\"a\":{\"BS\":[true]}}}", "only base-64-encoded strings are convertible to bytes"},
        {"PutItem", "{\"Item\":{\"a\":{\"L\":{}}}}", "Start of structure or map found where not expected"},
        {"PutItem", "{\"Item\":{\"a\":{\"L\":[1]}}}", "Unexpected value type in payload"},
        {"PutItem", "{\"Item\":{\"a\":{\"M\":[]}}}", "Unrecognized collection type " ATTRIBUTE_MAP},
        {"PutItem", "{\"Item\":{\"a\":{\"M\":{\"b\":[]}}}}", "Unrecognized collection type " CLASS "AttributeValue"},
        {"PutItem", "{\"Item\":{\"a\":{\"L\":[{\"M\":{\"b\":{\"BS\":[\"A\"]}}}]}}}",
         "Base64 encoded length is expected a multiple of 4 bytes but found: 1"},
        {"PutItem", "{\"Expected\":{\"a\":1}}", "Unexpected value type in payload"},
        {"PutItem", "{\"Expected\":{\"a\":{\"Value\":1}}}", "Unexpected field type"},
        {"PutItem", "{\"Expected\":{\"a\":{\"Value\":{\"S\":{}}}}}",
         "Start of structure or map found where not expected"},
    };
    check_cases(cases, TD_COUNT_OF(cases), TD_SERIALIZATION);
}
END_TEST

START_TEST(a_body_that_is_no_structure_is_refused)
{
    static const request_case cases[] = {
        {"ListTables", "[]", "Unrecognized collection type " CLASS "ListTablesInput"},
        {"ListTables", "\"a\"", "Unexpected value type in payload"},
        {"ListTables", "null", ""},
    };
    check_cases(cases, TD_COUNT_OF(cases), TD_SERIALIZATION);
}
END_TEST

START_TEST(members_are_bound_by_id)
{
    td_members members;
    ck_assert_int_eq(check_request("GetItem",
                                   TD_LIT("{\"Key\":{\"a\":{\"S\":\"\"}},\"Unknown\":[{}],\"TableName\":\"first\","
                                          "\"ConsistentRead\":null,\"TableName\":\"last\",\"Item\":5}"),
                                   &members),
                     TD_OK);
    CHECK_SLICE(arena, members.at[TD_MEMBER_TableName]->text, "last");
    ck_assert_uint_eq(members.at[TD_MEMBER_Key]->count, 1);
    ck_assert_ptr_null(members.at[TD_MEMBER_ConsistentRead]);
    ck_assert_ptr_null(members.at[TD_MEMBER_Item]);
}
END_TEST

START_TEST(unknown_operations_have_no_shape)
{
    ck_assert_ptr_null(td_shape_find(TD_LIT("PutItems")));
    ck_assert_ptr_null(td_shape_find(TD_LIT("")));
    ck_assert_ptr_nonnull(td_shape_find(TD_LIT("DescribeLimits")));
}
END_TEST

TCase *type_tests(void)
{
    TCase *tests = tcase_create("types");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, wrong_types_are_told_by_what_was_found_and_where);
    tcase_add_test(tests, wrong_types_inside_attribute_values_are_told);
    tcase_add_test(tests, a_body_that_is_no_structure_is_refused);
    tcase_add_test(tests, members_are_bound_by_id);
    tcase_add_test(tests, unknown_operations_have_no_shape);
    return tests;
}

/* ---- constraints ---- */

START_TEST(valid_requests_pass)
{
    static const request_case cases[] = {
        {"ListTables", "{}", NULL},
        {"ListTables", "{\"ExclusiveStartTableName\":null,\"Limit\":null}", NULL},
        {"ListTables", "{\"Limit\":100}", NULL},
        {"DescribeLimits", "{\"a\":1}", NULL},
        {"GetItem", "{\"TableName\":\"a\",\"Key\":{}}", NULL},
        {"GetItem", "{\"TableName\":\"arn:aws:dynamodb:us-east-1:000000000000:table/abc\",\"Key\":{}}", NULL},
        {"DescribeTable", "{\"TableName\":\"arn:aws:dynamodb:us-east-1:000000000000:table/abc\"}", NULL},
        {"GetItem", "{\"TableName\":\"\",\"TableName\":\"abc\",\"Key\":{}}", NULL},
        {"Query", "{\"TableName\":\"abc\",\"Limit\":1.9,\"ConsistentRead\":\"yes\"}", NULL},
    };
    check_cases(cases, TD_COUNT_OF(cases), TD_VALIDATION);
}
END_TEST

START_TEST(table_names_are_checked_as_each_plane_does)
{
    static const request_case cases[] = {
        {"PutItem", "{\"Item\":{}}", ONE "Value null at 'tableName'" AT "not be null"},
        {"PutItem", "{\"TableName\":null,\"Item\":{}}", ONE "Value null at 'tableName'" AT "not be null"},
        {"PutItem", "{\"TableName\":\"\",\"Item\":{}}",
         ONE "Value '' at 'tableName'" AT "have length greater than or equal to 1"},
        {"PutItem", "{\"TableName\":\"bad table!@#\",\"Item\":{}}",
         ONE "Value 'bad table!@#' at 'tableName'" AT PATTERN},
        {"Scan", "{\"TableName\":\"\xc3\xa9\"}", ONE "Value '\xc3\xa9' at 'tableName'" AT PATTERN},
        {"CreateTable", "{}", "The parameter 'TableName' is required but was not present in the request"},
        {"CreateTable",
         "{\"TableName\":\"ab\",\"AttributeDefinitions\":[],\"KeySchema\":[{\"AttributeName\":\"a\","
         "\"KeyType\":\"HASH\"}]}",
         ONE "Value 'ab' at 'tableName'" AT "have length greater than or equal to 3"},
        {"DescribeTable", "{}", "The parameter 'TableName' is required but was not present in the request"},
        {"DescribeTable", "{\"TableName\":\"a;\"}",
         "TableName must be at least 3 characters long and at most 255 characters long"},
        {"DeleteTable", "{\"TableName\":\"abc;\"}", ONE "Value 'abc;' at 'tableName'" AT PATTERN},
        {"ListTables", "{\"ExclusiveStartTableName\":\"a;\",\"Limit\":500}",
         "3 validation errors detected: Value '500' at 'limit'" AT
         "have value less than or equal to 100; Value 'a;' at 'exclusiveStartTableName'" AT PATTERN
         "; Value 'a;' at 'exclusiveStartTableName'" AT "have length greater than or equal to 3"},
    };
    check_cases(cases, TD_COUNT_OF(cases), TD_VALIDATION);
}
END_TEST

START_TEST(a_long_name_is_echoed_whole)
{
    char body[600];
    char expected[600];
    char name[257];
    memset(name, 'a', 256);
    name[256] = '\0';
    snprintf(body, sizeof(body), "{\"TableName\":\"%s\",\"Item\":{}}", name);
    snprintf(expected, sizeof(expected), ONE "Value '%s' at 'tableName'" AT "have length less than or equal to 255",
             name);
    request_case row = {"PutItem", body, expected};
    check_cases(&row, 1, TD_VALIDATION);
    body[strlen("{\"TableName\":\"")] = '\xc3'; /* one letter of two bytes: 255 units pass the length */
    body[strlen("{\"TableName\":\"") + 1] = '\xa9';
    td_members members;
    ck_assert_int_eq(check_request("PutItem", td_slice_of_cstr(body), &members), TD_VALIDATION);
    ck_assert_ptr_nonnull(strstr(error_text(&fixture), PATTERN));
    ck_assert_ptr_null(strstr(error_text(&fixture), "length"));
}
END_TEST

START_TEST(faults_are_joined_in_the_services_order)
{
    static const request_case cases[] = {
        {"PutItem",
         "{\"ReturnValues\":\"hi\",\"TableName\":\"abc;\",\"ReturnConsumedCapacity\":\"hi\","
         "\"ReturnItemCollectionMetrics\":\"hi\"}",
         "5 validation errors detected: Value 'hi' at 'returnValues'" AT ENUM
         "[ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW]; Value null at 'item'" AT
         "not be null; Value 'hi' at 'returnConsumedCapacity'" AT ENUM
         "[INDEXES, TOTAL, NONE]; Value 'hi' at 'returnItemCollectionMetrics'" AT ENUM
         "[SIZE, NONE]; Value 'abc;' at 'tableName'" AT PATTERN},
        {"UpdateItem", "{\"ReturnValues\":\"hi\",\"TableName\":\"\",\"ReturnConsumedCapacity\":\"hi\"}",
         "4 validation errors detected: Value 'hi' at 'returnConsumedCapacity'" AT ENUM
         "[INDEXES, TOTAL, NONE]; Value '' at 'tableName'" AT
         "have length greater than or equal to 1; Value 'hi' at 'returnValues'" AT ENUM
         "[ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW]; Value null at 'key'" AT "not be null"},
        {"GetItem", "{\"TableName\":\"abc;\",\"AttributesToGet\":[],\"ReturnConsumedCapacity\":\"\"}",
         "4 validation errors detected: Value '[]' at 'attributesToGet'" AT "have length greater than or equal to 1"
         "; Value '' at 'returnConsumedCapacity'" AT ENUM "[INDEXES, TOTAL, NONE]"
         "; Value null at 'key'" AT "not be null; Value 'abc;' at 'tableName'" AT PATTERN},
        {"Query",
         "{\"TableName\":\"abc\",\"QueryFilter\":{\"a\":{},\"b\":{\"ComparisonOperator\":\"INN\"}},"
         "\"ConditionalOperator\":\"AN\"}",
         "3 validation errors detected: Value null at 'queryFilter.a.member.comparisonOperator'" AT "not be null"
         "; Value 'INN' at 'queryFilter.b.member.comparisonOperator'" AT ENUM
         "[IN, NULL, BETWEEN, LT, NOT_CONTAINS, EQ, GT, NOT_NULL, NE, LE, BEGINS_WITH, GE, CONTAINS]"
         "; Value 'AN' at 'conditionalOperator'" AT ENUM "[OR, AND]"},
    };
    check_cases(cases, TD_COUNT_OF(cases), TD_VALIDATION);
}
END_TEST

START_TEST(nested_members_are_named_by_their_way)
{
    static const request_case cases[] = {
        {"CreateTable",
         "{\"TableName\":\"abc\",\"AttributeDefinitions\":[{},{\"AttributeName\":\"a\",\"AttributeType\":\"SS\"}],"
         "\"KeySchema\":[{\"AttributeName\":\"a\",\"KeyType\":\"HASH\"}]}",
         "3 validation errors detected: Value null at 'attributeDefinitions.1.member.attributeType'" AT "not be null"
         "; Value null at 'attributeDefinitions.1.member.attributeName'" AT "not be null"
         "; Value 'SS' at 'attributeDefinitions.2.member.attributeType'" AT ENUM "[B, N, S]"},
        {"CreateTable",
         "{\"TableName\":\"abc\",\"AttributeDefinitions\":[],\"KeySchema\":[{\"KeyType\":\"HASH\"},"
         "{\"AttributeName\":\"a\"},{\"AttributeName\":\"b\",\"KeyType\":\"RANGE\"}]}",
         "3 validation errors detected: Value '[KeySchemaElement(attributeName=null, keyType=HASH), "
         "KeySchemaElement(attributeName=a, keyType=null), KeySchemaElement(attributeName=b, keyType=RANGE)]' at "
         "'keySchema'" AT "have length less than or equal to 2; Value null at 'keySchema.1.member.attributeName'" AT
         "not be null; Value null at 'keySchema.2.member.keyType'" AT "not be null"},
        {"CreateTable",
         "{\"TableName\":\"abc\",\"AttributeDefinitions\":[],\"KeySchema\":[{\"AttributeName\":\"a\","
         "\"KeyType\":\"HASH\"}],\"ProvisionedThroughput\":{\"ReadCapacityUnits\":0,\"WriteCapacityUnits\":-1}}",
         "2 validation errors detected: Value '-1' at 'provisionedThroughput.writeCapacityUnits'" AT
         "have value greater than or equal to 1; Value '0' at 'provisionedThroughput.readCapacityUnits'" AT
         "have value greater than or equal to 1"},
        {"UpdateTable",
         "{\"TableName\":\"abc\",\"GlobalSecondaryIndexUpdates\":[{\"Update\":{\"IndexName\":\"a\","
         "\"ProvisionedThroughput\":{}}},{\"Delete\":{}}]}",
         "4 validation errors detected: Value 'a' at 'globalSecondaryIndexUpdates.1.member.update.indexName'" AT
         "have length greater than or equal to 3; Value null at "
         "'globalSecondaryIndexUpdates.1.member.update.provisionedThroughput.writeCapacityUnits'" AT
         "not be null; Value null at "
         "'globalSecondaryIndexUpdates.1.member.update.provisionedThroughput.readCapacityUnits'" AT
         "not be null; Value null at 'globalSecondaryIndexUpdates.2.member.delete.indexName'" AT "not be null"},
        {"CreateTable",
         "{\"TableName\":\"abc\",\"AttributeDefinitions\":[null],\"KeySchema\":[{\"AttributeName\":\"a\","
         "\"KeyType\":\"HASH\"}]}",
         ONE "Value null at 'attributeDefinitions.1.member'" AT "not be null"},
        {"GetItem", "{\"TableName\":\"abc\",\"Key\":{},\"ExpressionAttributeNames\":{\"#a\":null}}",
         ONE "Value null at 'expressionAttributeNames.#a.member'" AT "not be null"},
    };
    check_cases(cases, TD_COUNT_OF(cases), TD_VALIDATION);
}
END_TEST

START_TEST(no_more_than_ten_faults_are_listed)
{
    td_members members;
    ck_assert_int_eq(check_request("CreateTable",
                                   TD_LIT("{\"TableName\":\"abc\",\"AttributeDefinitions\":[{},{},{},{},{},{},{}]}"),
                                   &members),
                     TD_VALIDATION);
    const char *text = error_text(&fixture);
    ck_assert_ptr_nonnull(strstr(text, "10 validation errors detected: "));
    ck_assert_ptr_nonnull(strstr(text, "'attributeDefinitions.5.member.attributeType'"));
    ck_assert_ptr_null(strstr(text, "'attributeDefinitions.6"));
}
END_TEST

START_TEST(rebuilt_operations_leave_out_the_echo)
{
    static const request_case classic[] = {
        {"Query", "{\"TableName\":\"abc\",\"Limit\":0}",
         ONE "Value at 'Limit'" AT "have value greater than or equal to 1"},
        {"Query", "{\"TableName\":\"abc\",\"Limit\":0,\"Select\":\"X\"}",
         "2 validation errors detected: Value 'X' at 'select'" AT ENUM
         "[SPECIFIC_ATTRIBUTES, COUNT, ALL_ATTRIBUTES, ALL_PROJECTED_ATTRIBUTES]"
         "; Value '0' at 'limit'" AT "have value greater than or equal to 1"},
        {"Scan", "{\"TableName\":\"abc\",\"Limit\":0}",
         ONE "Value '0' at 'limit'" AT "have value greater than or equal to 1"},
        {"Scan", "{\"TableName\":\"abc\",\"Segment\":-1}",
         ONE "Value '-1' at 'segment'" AT "have value greater than or equal to 0"},
        {"Scan", "{\"TableName\":\"abc\",\"TotalSegments\":99999999999}",
         ONE "Value '2147483647' at 'totalSegments'" AT "have value less than or equal to 1000000"},
    };
    static const request_case current[] = {
        {"Scan", "{\"TableName\":\"abc\",\"Limit\":0}",
         ONE "Value at 'Limit'" AT "have value greater than or equal to 1"},
        {"Scan", "{\"TableName\":\"abc\",\"Segment\":-1}",
         ONE "Value at 'Segment'" AT "have value greater than or equal to 0"},
    };
    check_cases(classic, TD_COUNT_OF(classic), TD_VALIDATION);
    fixture.error.wording = TD_WORDING_CURRENT;
    check_cases(current, TD_COUNT_OF(current), TD_VALIDATION);
}
END_TEST

#define TABLE_KEYS                                                                                                     \
    " failed to satisfy constraint: Map keys must satisfy constraint: [Member must have length less than or equal to " \
    "255, Member must have length greater than or equal to 3, Member must " PATTERN "]"
#define TABLE_LISTS                                                                                                    \
    " failed to satisfy constraint: Map value must satisfy constraint: [Member must have length less than or equal "   \
    "to 25, Member must have length greater than or equal to 1]"
#define NO_NUMBERS ", iNT=null, dECIMAL=null, dOUBLE=null, "
#define NO_SETS "sS=null, nS=null, bS=null, iNTSET=null, dECIMALSET=null, dOUBLESET=null, "

START_TEST(keys_and_lengths_of_maps_are_told_of_the_map)
{
    static const request_case cases[] = {
        {"BatchWriteItem", "{\"RequestItems\":{\"abc\":[],\"abd\":[]}}",
         ONE "Value '{abc=[], abd=[]}' at 'requestItems'" TABLE_LISTS},
        {"BatchWriteItem", "{\"RequestItems\":{\"arn:aws:dynamodb:us-east-1:0:table/a\":[{}]}}", NULL},
        {"BatchWriteItem", "{\"RequestItems\":{\"ab\":[{\"DeleteRequest\":{\"Key\":{\"a\":{\"B\":\"AAE=\"}}}}]}}",
         ONE "Value '{ab=[WriteRequest(putRequest=null, deleteRequest=DeleteRequest(key={a=AttributeValue(s=null, "
             "n=null, b=java.nio.HeapByteBuffer[pos=0 lim=2 cap=2]" NO_NUMBERS NO_SETS
             "m=null, l=null, nULL=null, bOOL=null)}))]}' at 'requestItems'" TABLE_KEYS},
        {"BatchGetItem", "{\"RequestItems\":{\"abc\":{\"Keys\":[null]}}}",
         ONE "Value null at 'requestItems.abc.member.keys.1.member'" AT "not be null"},
        {"BatchGetItem", "{\"RequestItems\":{\"a;\":{\"Keys\":[{\"k\":{\"N\":\"1\"}}], \"ConsistentRead\": true}}}",
         ONE "Value '{\"a;\":{\"Keys\":[{\"k\":{\"N\":\"1\"}}],\"ConsistentRead\":true}}' at "
             "'requestItems'" TABLE_KEYS},
        {"BatchGetItem", "{\"RequestItems\":{\"abc\":{\"Keys\":[{}],\"AttributesToGet\":[]}}}",
         ONE "Value at 'RequestItems.abc.member.AttributesToGet'" AT "have length greater than or equal to 1"},
    };
    check_cases(cases, TD_COUNT_OF(cases), TD_VALIDATION);
}
END_TEST

START_TEST(classes_are_printed_in_their_own_order)
{
    static const request_case cases[] = {
        {"TransactWriteItems",
         "{\"TransactItems\":[{\"Put\":{\"TableName\":\"t\",\"Item\":{},\"ExpressionAttributeNames\":{\"#a\":\"b\"}}}"
         ",{\"Update\":{\"TableName\":\"t\",\"Key\":{},\"UpdateExpression\":\"u\"}}],\"ClientRequestToken\":\"\"}",
         ONE "Value '' at 'clientRequestToken'" AT "have length greater than or equal to 1"},
        {"TransactGetItems", "{\"TransactItems\":[{\"Get\":{\"TableName\":\"a;\",\"Key\":{}}}]}",
         ONE "Value 'a;' at 'transactItems.1.member.get.tableName'" AT PATTERN},
    };
    check_cases(cases, TD_COUNT_OF(cases), TD_VALIDATION);

    td_buf body;
    td_buf_init(&body, 1 << 16);
    td_buf_append_lit(&body, "{\"TransactItems\":[");
    for (int i = 0; i < 101; i++) {
        if (i > 0) td_buf_append_byte(&body, ',');
        td_buf_append_lit(&body, "{\"Get\":{\"TableName\":\"t\",\"Key\":{}}}");
    }
    td_buf_append_lit(&body, "]}");
    td_members members;
    ck_assert_int_eq(check_request("TransactGetItems", td_buf_contents(&body), &members), TD_VALIDATION);
    td_buf_done(&body);
    static const char start[] = ONE "Value '[TransactGetItem(get=Get(key={}, tableName=t, projectionExpression=null, "
                                    "expressionAttributeNames=null)), TransactGetItem(get=Get(";
    ck_assert_int_eq(strncmp(error_text(&fixture), start, strlen(start)), 0);
}
END_TEST

START_TEST(rebuilt_batches_and_transactions_leave_out_the_echo)
{
    static const request_case current[] = {
        {"TransactWriteItems", "{\"TransactItems\":[]}",
         ONE "Value at 'TransactItems'" AT "have length greater than or equal to 1"},
        {"BatchWriteItem", "{\"RequestItems\":{\"abc\":[]}}", ONE "Value '{abc=[]}' at 'requestItems'" TABLE_LISTS},
        {"BatchWriteItem",
         "{\"RequestItems\":{\"abc\":[{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}]}}",
         ONE "Value at 'RequestItems.abc.member'" AT "have length less than or equal to 25"},
    };
    fixture.error.wording = TD_WORDING_CURRENT;
    check_cases(current, TD_COUNT_OF(current), TD_VALIDATION);
}
END_TEST

#define RETURN_VALUES "[ALL_OLD, UPDATED_OLD, ALL_NEW, UPDATE_NEW, NONE]"
#define CAPACITY "Value 'x' at 'returnConsumedCapacity'" AT "satisfy enum value set: [INDEXES, TOTAL, NONE]"
#define UNNAMED "Failed to satisfy constraint: Member must satisfy enum value set: "

START_TEST(rebuilt_writes_tell_their_members_in_turn)
{
    static const request_case current[] = {
        {"PutItem", "{\"TableName\":\"\",\"Item\":{},\"ReturnValues\":\"x\"}",
         ONE "Value at 'TableName'" AT "have length greater than or equal to 1"},
        {"PutItem", "{\"TableName\":\"a;\",\"Item\":{},\"ReturnValues\":\"x\"}",
         ONE "Value 'a;' at 'tableName'" AT PATTERN},
        {"DeleteItem", "{\"TableName\":\"a\",\"Key\":{},\"ReturnValues\":\"x\",\"ReturnConsumedCapacity\":\"x\"}",
         "2 validation errors detected: " CAPACITY "; " UNNAMED RETURN_VALUES},
        {"UpdateItem", "{\"TableName\":\"a\",\"Key\":{},\"ReturnValues\":\"x\",\"ReturnConsumedCapacity\":\"x\"}",
         ONE UNNAMED RETURN_VALUES},
        {"UpdateItem",
         "{\"TableName\":\"a\",\"Key\":{},\"ReturnConsumedCapacity\":\"x\",\"ConditionalOperator\":\"x\"}",
         ONE CAPACITY},
        {"PutItem", "{\"TableName\":\"a\",\"Item\":{},\"ConditionalOperator\":\"x\"}", ONE UNNAMED "[ALL, OR]"},
        {"Query", "{\"TableName\":\"a\",\"ConditionalOperator\":\"x\",\"Select\":\"x\"}", UNNAMED "[ALL, OR]"},
    };
    fixture.error.wording = TD_WORDING_CURRENT;
    check_cases(current, TD_COUNT_OF(current), TD_VALIDATION);
}
END_TEST

START_TEST(missing_member_brings_the_older_form_back)
{
    static const request_case current[] = {
        {"UpdateItem", "{\"TableName\":\"\",\"ReturnValues\":\"x\",\"ReturnConsumedCapacity\":\"x\"}",
         "4 validation errors detected: " CAPACITY "; Value '' at 'tableName'" AT
         "have length greater than or equal to 1; "
         "Value 'x' at 'returnValues'" AT "satisfy enum value set: [ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW]; "
         "Value null at 'key'" AT "not be null"},
    };
    fixture.error.wording = TD_WORDING_CURRENT;
    check_cases(current, TD_COUNT_OF(current), TD_VALIDATION);
}
END_TEST

TCase *constraint_tests(void)
{
    TCase *tests = tcase_create("constraints");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, valid_requests_pass);
    tcase_add_test(tests, table_names_are_checked_as_each_plane_does);
    tcase_add_test(tests, a_long_name_is_echoed_whole);
    tcase_add_test(tests, faults_are_joined_in_the_services_order);
    tcase_add_test(tests, nested_members_are_named_by_their_way);
    tcase_add_test(tests, no_more_than_ten_faults_are_listed);
    tcase_add_test(tests, rebuilt_operations_leave_out_the_echo);
    tcase_add_test(tests, keys_and_lengths_of_maps_are_told_of_the_map);
    tcase_add_test(tests, classes_are_printed_in_their_own_order);
    tcase_add_test(tests, rebuilt_batches_and_transactions_leave_out_the_echo);
    tcase_add_test(tests, rebuilt_writes_tell_their_members_in_turn);
    tcase_add_test(tests, missing_member_brings_the_older_form_back);
    return tests;
}
