/* SPDX-License-Identifier: Apache-2.0
 * query.c: tests of Query and Scan. */
#include <stdio.h>

#include "ask.h"
#include "suites.h"

static ask_server server;

static void setup(void) { ask_setup(&server); }
static void teardown(void) { ask_teardown(&server); }

#define INVALID "ValidationException: One or more parameter values were invalid: "
#define OF_A "'TableName':'TTT','KeyConditionExpression':'pk = :p','ExpressionAttributeValues':{':p':{'S':'a'}}"
#define OF_GLOBAL                                                                                                      \
    "'TableName':'TTT','IndexName':'global','KeyConditionExpression':'g = :g',"                                        \
    "'ExpressionAttributeValues':{':g':{'S':'x'}}"
#define OF_LOCAL                                                                                                       \
    "'TableName':'TTT','IndexName':'local','KeyConditionExpression':'pk = :p',"                                        \
    "'ExpressionAttributeValues':{':p':{'S':'a'}}"

/* Three items of one collection in the indexed table: sk 1 to 3, l falling, all of g "x". */
static void fill(void)
{
    ask_create_indexed_table(&server);
    for (int i = 1; i <= 3; i++) {
        char body[256];
        (void)snprintf(body, sizeof(body),
                       "{'TableName':'TTT','Item':{'pk':{'S':'a'},'sk':{'S':'%d'},'l':{'N':'%d'},'g':{'S':'x'},"
                       "'i':{'N':'%d'},'o':{'N':'%d'}}}", i, 9 - i, i, i);
        ask(&server, "PutItem", body);
        ck_assert_msg(server.http_status == 200, "%s", server.text);
    }
}

START_TEST(collection_is_paged)
{
    fill();
    CHECK_ANSWER(&server, "Query", "{" OF_A ",'ProjectionExpression':'sk','Limit':2}",
                 "{'Items':[{'sk':{'S':'1'}},{'sk':{'S':'2'}}],'Count':2,'ScannedCount':2,"
                 "'LastEvaluatedKey':{'pk':{'S':'a'},'sk':{'S':'2'}}}");
    CHECK_ANSWER(&server, "Query",
                 "{" OF_A ",'ProjectionExpression':'sk','Limit':2,"
                 "'ExclusiveStartKey':{'pk':{'S':'a'},'sk':{'S':'2'}}}",
                 "{'Items':[{'sk':{'S':'3'}}],'Count':1,'ScannedCount':1}");
    CHECK_ANSWER(&server, "Query", "{" OF_A ",'ProjectionExpression':'sk','ScanIndexForward':false,'Limit':1}",
                 "{'Items':[{'sk':{'S':'3'}}],'Count':1,'ScannedCount':1,"
                 "'LastEvaluatedKey':{'pk':{'S':'a'},'sk':{'S':'3'}}}");
}
END_TEST

START_TEST(count_has_no_items_and_filters_are_counted_apart)
{
    fill();
    CHECK_ANSWER(&server, "Query", "{" OF_A ",'Select':'COUNT'}", "{'Count':3,'ScannedCount':3}");
    CHECK_ANSWER(&server, "Query",
                 "{'TableName':'TTT','KeyConditionExpression':'pk = :p','FilterExpression':'o > :o',"
                 "'ExpressionAttributeValues':{':p':{'S':'a'},':o':{'N':'2'}},'ProjectionExpression':'o'}",
                 "{'Items':[{'o':{'N':'3'}}],'Count':1,'ScannedCount':3}");
    CHECK_ANSWER(&server, "Scan", "{'TableName':'TTT','Select':'COUNT','FilterExpression':'o = :o',"
                                  "'ExpressionAttributeValues':{':o':{'N':'2'}}}",
                 "{'Count':1,'ScannedCount':3}");
}
END_TEST

START_TEST(global_index_answers_what_it_projects)
{
    fill();
    CHECK_ANSWER(&server, "Query", "{" OF_GLOBAL ",'Limit':1,'ReturnConsumedCapacity':'INDEXES'}",
                 "{'Items':[{'g':{'S':'x'},'i':{'N':'2'},'pk':{'S':'a'},'sk':{'S':'2'}}],'Count':1,'ScannedCount':1,"
                 "'LastEvaluatedKey':{'pk':{'S':'a'},'sk':{'S':'2'},'g':{'S':'x'}},"
                 "'ConsumedCapacity':{'TableName':'TTT','CapacityUnits':0.5,'Table':{'CapacityUnits':0.0},"
                 "'GlobalSecondaryIndexes':{'global':{'CapacityUnits':0.5}}}}");
    static const ask_refusal refusals[] = {
        {"Query", "{" OF_GLOBAL ",'ConsistentRead':true}",
         "ValidationException: Consistent reads are not supported on global secondary indexes"},
        {"Query", "{" OF_GLOBAL ",'Select':'ALL_ATTRIBUTES'}",
         INVALID "Select type ALL_ATTRIBUTES is not supported for global secondary index global because its projection "
                 "type is not ALL"},
        {"Query", "{" OF_GLOBAL ",'ProjectionExpression':'o, i, l'}",
         INVALID "Global secondary index global does not project [l, o]"},
        {"Query", "{" OF_GLOBAL ",'FilterExpression':'o = l'}",
         INVALID "Secondary index global does not project one or more filter attributes: [l, o]"},
        {"Query", "{" OF_GLOBAL ",'FilterExpression':'g = i'}",
         "ValidationException: Filter Expression can only contain non-primary key attributes: Primary key "
         "attribute: g"},
        {"Scan", "{'TableName':'TTT','IndexName':'nope'}",
         "ValidationException: The table does not have the specified index: nope"},
    };
    CHECK_REFUSALS(&server, refusals);
}
END_TEST

START_TEST(local_index_fetches_what_it_does_not_project)
{
    fill();
    CHECK_ANSWER(&server, "Query", "{" OF_LOCAL ",'Limit':1}",
                 "{'Items':[{'l':{'N':'6'},'pk':{'S':'a'},'sk':{'S':'3'}}],'Count':1,'ScannedCount':1,"
                 "'LastEvaluatedKey':{'pk':{'S':'a'},'sk':{'S':'3'},'l':{'N':'6'}}}");
    CHECK_ANSWER(&server, "Query",
                 "{" OF_LOCAL ",'ProjectionExpression':'o','ConsistentRead':true,'ReturnConsumedCapacity':'INDEXES'}",
                 "{'Items':[{'o':{'N':'3'}},{'o':{'N':'2'}},{'o':{'N':'1'}}],'Count':3,'ScannedCount':3,"
                 "'ConsumedCapacity':{'TableName':'TTT','CapacityUnits':4.0,'Table':{'CapacityUnits':3.0},"
                 "'LocalSecondaryIndexes':{'local':{'CapacityUnits':1.0}}}}");
}
END_TEST

START_TEST(query_without_a_sort_key_has_one_page)
{
    ask_create_table(&server, NULL);
    ask(&server, "PutItem", "{'TableName':'TTT','Item':{'pk':{'S':'a'}}}");
    CHECK_ANSWER(&server, "Query", "{" OF_A ",'Limit':1}", "{'Items':[{'pk':{'S':'a'}}],'Count':1,'ScannedCount':1}");
    CHECK_ERROR(&server, "Query", "{" OF_A ",'ExclusiveStartKey':{'pk':{'S':'a'}}}",
                "ValidationException: The provided starting key is invalid: ExclusiveStartKey cannot be used in a "
                "Query of a table without a RANGE key");
    CHECK_ANSWER(&server, "Scan", "{'TableName':'TTT','Limit':1}",
                 "{'Items':[{'pk':{'S':'a'}}],'Count':1,'ScannedCount':1,'LastEvaluatedKey':{'pk':{'S':'a'}}}");
}
END_TEST

START_TEST(faults_are_found_in_the_services_order)
{
    ask_create_indexed_table(&server);
    static const ask_refusal refusals[] = {
        {"Query", "{'TableName':'none','Select':'SPECIFIC_ATTRIBUTES','AttributesToGet':['a','a'],"
                  "'ConditionalOperator':'OR','KeyConditions':{},'QueryFilter':{},'FilterExpression':''}",
         "ValidationException: Can not use both expression and non-expression parameters in the same request: "
         "Non-expression parameters: {AttributesToGet, QueryFilter, ConditionalOperator} "
         "Expression parameters: {FilterExpression}"},
        {"Query", "{'TableName':'none','ExpressionAttributeValues':{}}",
         "ValidationException: ExpressionAttributeValues can only be specified when using expressions: "
         "FilterExpression and KeyConditionExpression are null"},
        {"Query", "{'TableName':'none','AttributesToGet':['a','a'],'ExclusiveStartKey':{'a':{}}}",
         INVALID "Duplicate value in attribute name: a"},
        {"Query", "{'TableName':'none','ExclusiveStartKey':{'a':{}}}",
         "ValidationException: The provided starting key is invalid: Supplied AttributeValue is empty, must contain "
         "exactly one of the supported datatypes"},
        {"Query", "{'TableName':'none','ExclusiveStartKey':{'a':{'N':'x'}}}",
         "ValidationException: The parameter cannot be converted to a numeric value: x"},
        {"Query", "{'TableName':'none'}",
         "ValidationException: Either the KeyConditions or KeyConditionExpression parameter must be specified in the "
         "request."},
        {"Query", "{'TableName':'none','KeyConditionExpression':'','FilterExpression':'',"
                  "'Select':'SPECIFIC_ATTRIBUTES'}",
         "ValidationException: Invalid KeyConditionExpression: The expression can not be empty;"},
        {"Query", "{" OF_A ",'Select':'SPECIFIC_ATTRIBUTES'}",
         "ValidationException: 1 validation error detected: Must specify the AttributesToGet or ProjectionExpression "
         "when choosing to get SPECIFIC_ATTRIBUTES"},
        {"Query", "{" OF_A ",'Select':'COUNT','ProjectionExpression':'a'}",
         "ValidationException: 1 validation error detected: Cannot specify the ProjectionExpression when choosing "
         "to get "
         "only the Count"},
        {"Query", "{" OF_A ",'Select':'ALL_PROJECTED_ATTRIBUTES'}",
         "ValidationException: 1 validation error detected: ALL_PROJECTED_ATTRIBUTES can be used only when Querying "
         "using an IndexName"},
        {"Query", "{'TableName':'TTT','KeyConditionExpression':'sk = :p','ExpressionAttributeValues':{':p':{'S':'a'}},"
                  "'FilterExpression':'pk = :p'}",
         "ValidationException: Query condition missed key schema element: pk"},
        {"Query", "{'TableName':'TTT','KeyConditionExpression':'sk = :p','ExpressionAttributeValues':{':p':{'S':'a'}},"
                  "'ExclusiveStartKey':{'pk':{'S':'a'}}}",
         "ValidationException: The provided starting key is invalid"},
        {"Query", "{" OF_A ",'FilterExpression':'g[0] = :p','ProjectionExpression':'pk.x'}",
         "ValidationException: Key attributes must be scalars; list random access '[]' and map lookup '.' are not "
         "allowed: Key: pk"},
        {"Query", "{" OF_A ",'FilterExpression':'g[0] = :p'}",
         "ValidationException: Key attributes must be scalars; list random access '[]' and map lookup '.' are not "
         "allowed: IndexKey: g"},
        {"Scan", "{'TableName':'none','Select':'SPECIFIC_ATTRIBUTES'}",
         "ValidationException: Must specify the AttributesToGet or ProjectionExpression when choosing to get "
         "SPECIFIC_ATTRIBUTES"},
        {"Scan", "{'TableName':'none','Segment':0,'FilterExpression':''}",
         "ValidationException: The TotalSegments parameter is required but was not present in the request when Segment "
         "parameter is present"},
        {"Scan", "{'TableName':'none','TotalSegments':1}",
         "ValidationException: The Segment parameter is required but was not present in the request when parameter "
         "TotalSegments is present"},
        {"Scan", "{'TableName':'none','TotalSegments':5,'Segment':5}",
         "ValidationException: The Segment parameter is zero-based and must be less than parameter TotalSegments: "
         "Segment: 5 is not less than TotalSegments: 5"},
        {"Scan", "{'TableName':'none'}", "ResourceNotFoundException: Requested resource not found"},
    };
    CHECK_REFUSALS(&server, refusals);
}
END_TEST

START_TEST(segments_share_the_table)
{
    ask_create_table(&server, NULL);
    for (int i = 0; i < 20; i++) {
        char body[128];
        (void)snprintf(body, sizeof(body), "{'TableName':'TTT','Item':{'pk':{'S':'%d'}}}", i);
        ask(&server, "PutItem", body);
    }
    int total = 0;
    for (int segment = 0; segment < 3; segment++) {
        char body[128];
        int count = -1;
        (void)snprintf(body, sizeof(body), "{'TableName':'TTT','Segment':%d,'TotalSegments':3,'Select':'COUNT'}",
                       segment);
        ck_assert_int_eq(sscanf(ask(&server, "Scan", body), "{\"Count\":%d", &count), 1);
        ck_assert_int_gt(count, 0);
        total += count;
    }
    ck_assert_int_eq(total, 20);
}
END_TEST

static bool has_part(td_slice text, td_slice part)
{
    return memmem(text.ptr, text.len, part.ptr, part.len) != NULL;
}

/* What a worker does with a long page: it handles others between two steps. */
START_TEST(a_page_lets_others_go_first)
{
    ask_create_table(&server, "N");
    char body[256];
    for (int i = 0; i < 300; i++) {
        (void)snprintf(body, sizeof(body), "{'TableName':'TTT','Item':{'pk':{'S':'a'},'sk':{'N':'%d'}}}", i);
        ask(&server, "PutItem", body);
    }
    td_arena arena;
    td_buf reply;
    td_arena_init(&arena, TD_LIMIT_REQUEST_ARENA_BYTES_MAX);
    td_buf_init(&reply, TD_LIMIT_REPLY_BYTES_MAX);
    td_request page;
    td_envelope envelope = {.target = TD_LIT("DynamoDB_20120810.Query"),
                            .authorization = TD_LIT("AWS4-HMAC-SHA256 Credential=key/21000101/us-east-1/dynamodb/"
                                                    "aws4_request, SignedHeaders=host, Signature=x"),
                            .date = TD_LIT("21000101T000000Z"),
                            .content_type = TD_LIT("application/x-amz-json-1.0")};
    td_slice quoted;
    ck_assert(td_arena_copy(&arena, td_slice_of_cstr(ask_quoted(&server, "{" OF_A "}")), &quoted));
    bool is_finished = td_dispatch_begin(&page, &server.service, &envelope, quoted, &arena, &reply, NULL);
    ck_assert(!is_finished);
    ask(&server, "DeleteItem", "{'TableName':'TTT','Key':{'pk':{'S':'a'},'sk':{'N':'0'}}}");
    ask(&server, "DeleteItem", "{'TableName':'TTT','Key':{'pk':{'S':'a'},'sk':{'N':'299'}}}");
    ck_assert_int_eq(server.http_status, 200);
    while (!is_finished)
        is_finished = td_dispatch_go_on(&page);
    ck_assert_int_eq(page.http_status, 200);
    td_slice text = td_buf_contents(&reply);
    ck_assert(has_part(text, TD_LIT("{\"N\":\"0\"}")));
    ck_assert(!has_part(text, TD_LIT("{\"N\":\"299\"}")));
    ck_assert(has_part(text, TD_LIT("],\"Count\":299,\"ScannedCount\":299}")));
    td_arena_done(&arena);
    td_buf_done(&reply);
}
END_TEST

TCase *query_tests(void)
{
    TCase *tests = tcase_create("query");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, collection_is_paged);
    tcase_add_test(tests, a_page_lets_others_go_first);
    tcase_add_test(tests, count_has_no_items_and_filters_are_counted_apart);
    tcase_add_test(tests, global_index_answers_what_it_projects);
    tcase_add_test(tests, local_index_fetches_what_it_does_not_project);
    tcase_add_test(tests, query_without_a_sort_key_has_one_page);
    tcase_add_test(tests, faults_are_found_in_the_services_order);
    tcase_add_test(tests, segments_share_the_table);
    return tests;
}
