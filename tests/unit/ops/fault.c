/* SPDX-License-Identifier: Apache-2.0
 * fault.c: tests of fault rules in process: which requests they match, when they fire, and what is answered then.
 * Bad rules, and the endpoints themselves, are in server/control/faults.c; what happens to connections is in
 * tests/transport. */
#include "fault.h"

#include <stdio.h>

#include "thermodyn/rng.h"

#include "ask.h"
#include "fault_set.h"
#include "suites.h"

#define PUT_A "{'TableName':'TTT','Item':{'pk':{'S':'a'}}}"
#define GET_A "{'TableName':'TTT','Key':{'pk':{'S':'a'}}}"
#define CONFLICT "{'error':'TransactionConflictException'}"
#define CONFLICTS "TransactionConflictException: Transaction is ongoing for the item"

static ask_server server;

static void setup(void)
{
    ask_setup(&server);
    ask_create_table(&server, NULL);
}

static void teardown(void)
{
    ask_teardown(&server);
}

static void add_rule(const char *json)
{
    char sentence[TD_FAULT_SENTENCE_BYTES] = "";
    const char *fault = NULL;
    td_arena_reset(&server.arena);
    const td_json_node *rule = td_json_doc_parse(td_slice_of_cstr(ask_quoted(&server, json)), &server.arena, &fault);
    ck_assert_msg(rule != NULL, "%s: %s", json, fault);
    bool is_added = td_faults_add(server.service.faults, rule, TD_LIT(""), NULL, NULL, sentence);
    ck_assert_msg(is_added, "%s: %s", json, sentence);
}

static const td_fault_entry *entry(uint32_t at)
{
    ck_assert_uint_lt(at, server.service.faults->set->count);
    return &server.service.faults->set->entries[at];
}

#define CHECK_COUNTS(at, expected_matched, expected_injected)                                                          \
    do {                                                                                                               \
        ck_assert_uint_eq(entry(at)->matched, (expected_matched));                                                     \
        ck_assert_uint_eq(entry(at)->injected, (expected_injected));                                                   \
    } while (0)

/* ---- matching ---------------------------------------------------------------------------------------------------- */

typedef struct match_row {
    const char *match;
    const char *operation;
    const char *body;
    bool fits;
} match_row;

static const match_row match_rows[] = {
    {"{}", "PutItem", PUT_A, true},
    {"{}", "ListTables", "{}", true},
    {"{'operation':'PutItem'}", "PutItem", PUT_A, true},
    {"{'operation':'GetItem'}", "PutItem", PUT_A, false},
    {"{'operation':['GetItem','PutItem']}", "PutItem", PUT_A, true},
    {"{'operation':['GetItem','ListStreams']}", "PutItem", PUT_A, false},
    {"{'table':'TTT'}", "PutItem", PUT_A, true},
    {"{'table':'TTT'}", "Query",
     "{'TableName':'TTT','KeyConditionExpression':'pk = :p','ExpressionAttributeValues':{':p':{'S':'a'}}}", true},
    {"{'table':'TT'}", "PutItem", PUT_A, false},
    {"{'table':'TTT'}", "ListTables", "{}", false},
    {"{'table':'arn:aws:dynamodb:us-east-1:000000000000:table/TTT'}", "PutItem", PUT_A, true},
    {"{'table':'TTT'}", "GetItem",
     "{'TableName':'arn:aws:dynamodb:us-east-1:000000000000:table/TTT','Key':{'pk':{'S':'a'}}}", true},
    {"{'table':'TTT'}", "ListTagsOfResource", "{'ResourceArn':'arn:aws:dynamodb:us-east-1:000000000000:table/TTT'}",
     true},
    {"{'table':'TT'}", "ListTagsOfResource", "{'ResourceArn':'arn:aws:dynamodb:us-east-1:000000000000:table/TTT'}",
     false},
    {"{'index':'i'}", "Scan", "{'TableName':'TTT','IndexName':'iii'}", false},
    {"{'index':'iii'}", "Scan", "{'TableName':'TTT','IndexName':'iii'}", true},
    {"{'index':'iii'}", "Scan", "{'TableName':'TTT'}", false},
    {"{'index':'iii'}", "PutItem", PUT_A, false},
    {"{'key':{'pk':{'S':'a'}}}", "PutItem", PUT_A, true},
    {"{'key':{'pk':{'S':'b'}}}", "PutItem", PUT_A, false},
    {"{'key':{'pk':{'B':'YQ=='}}}", "PutItem", PUT_A, false},
    {"{'key':{'pk':{'S':'a'},'sk':{'S':'b'}}}", "PutItem", PUT_A, false},
    {"{'key':{'pk':{'S':'a'}}}", "GetItem", GET_A, true},
    {"{'key':{'pk':{'S':'a'}}}", "DeleteItem", GET_A, true},
    {"{'key':{'pk':{'S':'a'}}}", "UpdateItem", GET_A, true},
    {"{'key':{'n':{'N':'1.0'}}}", "PutItem", "{'TableName':'TTT','Item':{'pk':{'S':'a'},'n':{'N':'10e-1'}}}", true},
    {"{'key':{'n':{'N':'1.0'}}}", "PutItem", "{'TableName':'TTT','Item':{'pk':{'S':'a'},'n':{'N':'1.01'}}}", false},
    {"{'key':{'b':{'B':'AAE='}}}", "PutItem", "{'TableName':'TTT','Item':{'pk':{'S':'a'},'b':{'B':'AAE='}}}", true},
    {"{'key':{'n':{'N':'1'}}}", "PutItem", "{'TableName':'TTT','Item':{'pk':{'S':'a'},'n':{'N':'x'}}}", false},
    {"{'key':{'pk':{'S':'a'}}}", "Scan", "{'TableName':'TTT'}", false},
    {"{'key':{'pk':{'S':'a'}}}", "Query",
     "{'TableName':'TTT','KeyConditionExpression':'pk = :p','ExpressionAttributeValues':{':p':{'S':'a'}}}", false},
};

START_TEST(a_rule_matches_what_all_of_its_members_say)
{
    const match_row *row = &match_rows[_i];
    char rule[512];
    (void)snprintf(rule, sizeof(rule), "{'match':%s,'inject':" CONFLICT "}", row->match);
    add_rule(rule);
    bool is_struck = strcmp(ask_error(&server, row->operation, row->body), CONFLICTS) == 0;
    ck_assert_msg(is_struck == row->fits, "%s, %s %s: %s", row->match, row->operation, row->body, server.text);
    CHECK_COUNTS(0, row->fits ? 1 : 0, row->fits ? 1 : 0);
}
END_TEST

START_TEST(what_the_service_model_forbids_is_refused_before_any_rule)
{
    add_rule("{'inject':" CONFLICT "}");
    ask_error(&server, "PutItem", "{'TableName':'TTT'}");
    CHECK_COUNTS(0, 0, 0);
}
END_TEST

START_TEST(a_server_without_rules_is_as_one_that_never_had_any)
{
    add_rule("{'inject':" CONFLICT "}");
    ck_assert_uint_eq(td_faults_remove_all(server.service.faults), 1);
    CHECK_ANSWER(&server, "PutItem", PUT_A, "{}");
    ck_assert(!td_faults_are_set(server.service.faults));
    ck_assert(!td_faults_are_set(NULL));
}
END_TEST

/* ---- when -------------------------------------------------------------------------------------------------------- */

/* 'x': struck, '.': passed. */
static const char *ask_often(int count)
{
    static char pattern[128];
    ck_assert_int_lt(count, (int)sizeof(pattern));
    for (int i = 0; i < count; i++) {
        ask(&server, "PutItem", PUT_A);
        pattern[i] = server.http_status == 200 ? '.' : 'x';
    }
    pattern[count] = '\0';
    return pattern;
}

START_TEST(the_first_matches_are_skipped_and_then_as_many_as_times_are_struck)
{
    add_rule("{'match':{'operation':'PutItem'},'inject':" CONFLICT ",'skip':2,'times':3}");
    ck_assert_str_eq(ask_often(8), "..xxx...");
    CHECK_COUNTS(0, 8, 3);
}
END_TEST

START_TEST(never_is_never_and_no_times_is_none)
{
    add_rule("{'inject':" CONFLICT ",'probability':0}");
    add_rule("{'inject':" CONFLICT ",'times':0}");
    ck_assert_str_eq(ask_often(20), "....................");
    CHECK_COUNTS(0, 20, 0);
    CHECK_COUNTS(1, 20, 0);
}
END_TEST

/* The draws are xoshiro256** of the seed, one a match that is not skipped: the pattern is part of the contract. */
START_TEST(a_seed_gives_one_sequence)
{
    char expected[65];
    td_rng rng;
    td_rng_init(&rng, 42);
    for (int i = 0; i < 64; i++)
        expected[i] = td_rng_unit(&rng) < 0.25 ? 'x' : '.';
    expected[64] = '\0';
    for (int round = 0; round < 2; round++) {
        td_faults_remove_all(server.service.faults);
        add_rule("{'inject':" CONFLICT ",'probability':0.25,'seed':42}");
        ck_assert_str_eq(ask_often(64), expected);
    }
    td_faults_remove_all(server.service.faults);
    add_rule("{'inject':" CONFLICT ",'probability':0.25,'seed':43}");
    ck_assert_str_ne(ask_often(64), expected);
    td_faults_remove_all(server.service.faults);
    add_rule("{'inject':" CONFLICT ",'probability':0.25,'seed':42,'skip':3}");
    expected[61] = '\0';
    ck_assert_str_eq(ask_often(64) + 3, expected);
}
END_TEST

START_TEST(rules_without_a_seed_differ_and_a_reset_repeats_them)
{
    add_rule("{'inject':" CONFLICT ",'probability':0.5}");
    add_rule("{'inject':" CONFLICT ",'probability':0.5}");
    ck_assert_uint_ne(entry(0)->seed, entry(1)->seed);
    uint64_t first = entry(0)->seed;
    td_faults_reset(server.service.faults);
    add_rule("{'inject':" CONFLICT "}");
    ck_assert_uint_eq(entry(0)->seed, first);
    ck_assert_uint_eq(entry(0)->number, 1);
}
END_TEST

/* The fate of one request, without its answer. */
static td_fate fate_of(const char *operation, const char *body)
{
    char target[128];
    (void)snprintf(target, sizeof(target), "DynamoDB_20120810.%s", operation);
    td_envelope envelope = {.target = td_slice_of_cstr(target),
                            .authorization = TD_LIT("AWS4-HMAC-SHA256 Credential=key/21000101/us-east-1/dynamodb/"
                                                    "aws4_request, SignedHeaders=host, Signature=x"),
                            .date = TD_LIT("21000101T000000Z"),
                            .content_type = TD_LIT("application/x-amz-json-1.0")};
    td_fate fate;
    td_arena_reset(&server.arena);
    server.http_status = td_dispatch_fated(&server.service, &envelope, td_slice_of_cstr(ask_quoted(&server, body)),
                                           &server.arena, &server.reply, NULL, &fate);
    return fate;
}

START_TEST(a_latency_is_drawn_within_its_range_and_follows_from_the_seed)
{
    add_rule("{'inject':{'latency_ms':{'min':5,'max':50}},'seed':7}");
    td_rng rng;
    td_rng_init(&rng, 7);
    for (int i = 0; i < 200; i++) {
        ck_assert(td_rng_unit(&rng) < 1);
        uint32_t expected = 5 + (uint32_t)td_rng_below(&rng, 46);
        ck_assert_uint_eq(fate_of("PutItem", PUT_A).delay_ms, expected);
        ck_assert_int_eq(server.http_status, 200);
    }
}
END_TEST

START_TEST(latencies_add_up_to_their_limit_and_go_with_what_comes_later)
{
    add_rule("{'inject':{'latency_ms':{'min':10,'max':10}}}");
    add_rule("{'inject':{'latency_ms':{'min':32,'max':32}}}");
    ck_assert_uint_eq(fate_of("PutItem", PUT_A).delay_ms, 42);
    add_rule("{'match':{'operation':'GetItem'},'inject':{'latency_ms':{'min':60000,'max':60000}}}");
    ck_assert_uint_eq(fate_of("GetItem", GET_A).delay_ms, TD_LIMIT_FAULT_LATENCY_MS_MAX);
    add_rule("{'match':{'operation':'PutItem'},'inject':" CONFLICT "}");
    add_rule("{'inject':{'latency_ms':{'min':1000,'max':1000}}}");
    ck_assert_uint_eq(fate_of("PutItem", PUT_A).delay_ms, 42); /* what comes after the error is not asked */
    ck_assert_int_eq(server.http_status, 400);
    CHECK_COUNTS(4, 0, 0);
}
END_TEST

START_TEST(the_first_error_that_fires_is_answered)
{
    add_rule("{'inject':{'error':'InternalServerError'},'times':1,'skip':1}");
    add_rule("{'inject':" CONFLICT ",'times':1}");
    CHECK_ERROR(&server, "PutItem", PUT_A, CONFLICTS);
    CHECK_ERROR(&server, "PutItem", PUT_A,
                "InternalServerError: The request processing has failed because of an unknown error, exception or "
                "failure.");
    ck_assert_int_eq(server.http_status, 500);
    CHECK_ANSWER(&server, "PutItem", PUT_A, "{}");
    CHECK_COUNTS(0, 3, 1);
    CHECK_COUNTS(1, 2, 1);
}
END_TEST

START_TEST(dropped_before_is_not_done_and_dropped_after_is)
{
    add_rule("{'match':{'operation':'PutItem'},'inject':{'drop_connection':'before'},'times':1}");
    ck_assert(fate_of("PutItem", PUT_A).is_dropped);
    ck_assert_uint_eq(server.reply.len, 0);
    CHECK_ANSWER(&server, "GetItem", GET_A, "{}");
    add_rule("{'match':{'operation':'PutItem'},'inject':{'drop_connection':'after'},'times':1}");
    ck_assert(fate_of("PutItem", PUT_A).is_dropped);
    ck_assert(!fate_of("GetItem", GET_A).is_dropped);
    CHECK_ANSWER(&server, "GetItem", GET_A, "{'Item':{'pk':{'S':'a'}}}");
}
END_TEST

START_TEST(a_transaction_whose_answer_is_lost_is_done_once_with_its_token)
{
    static const char add_one[] =
        "{'ClientRequestToken':'t','TransactItems':[{'Update':{'TableName':'TTT','Key':{'pk':{'S':'a'}},"
        "'UpdateExpression':'ADD n :one','ExpressionAttributeValues':{':one':{'N':'1'}}}}]}";
    add_rule("{'match':{'operation':'TransactWriteItems'},'inject':{'drop_connection':'after'},'times':1}");
    ck_assert(fate_of("TransactWriteItems", add_one).is_dropped);
    ck_assert(!fate_of("TransactWriteItems", add_one).is_dropped);
    CHECK_ANSWER(&server, "GetItem", GET_A, "{'Item':{'n':{'N':'1'},'pk':{'S':'a'}}}");
}
END_TEST

/* ---- errors ------------------------------------------------------------------------------------------------------ */

START_TEST(every_error_that_can_be_named_is_answered_under_its_name)
{
    static const char *const names[] = {
#define TD_FAULT_ERROR(status, message, code) #status,
#include "fault_errors.def"
#undef TD_FAULT_ERROR
    };
    static const td_status statuses[] = {
#define TD_FAULT_ERROR(status, message, code) TD_##status,
#include "fault_errors.def"
#undef TD_FAULT_ERROR
    };
    char rule[256];
    const char *type = td_status_type(statuses[_i]);
    (void)snprintf(rule, sizeof(rule), "{'inject':{'error':'%s','message':'words'}}", type);
    add_rule(rule);
    const char *text = ask(&server, "GetItem", GET_A);
    char expected[256];
    (void)snprintf(expected, sizeof(expected), "{\"__type\":\"%s%s\"", td_status_prefix(statuses[_i]), type);
    ck_assert_msg(strncmp(text, expected, strlen(expected)) == 0, "%s: %s", names[_i], text);
    ck_assert_msg(strstr(text, "essage\":\"words\"") != NULL, "%s: %s", names[_i], text);
    ck_assert_int_eq(server.http_status, td_status_http(statuses[_i]));
}
END_TEST

START_TEST(every_status_but_success_can_be_injected)
{
    for (int i = TD_OK + 1; i < TD_STATUS_COUNT; i++) {
        const char *type = td_status_type((td_status)i);
        ck_assert_msg(td_fault__error_find(td_slice_of_cstr(type)) != NULL, "%s has no row", type);
    }
}
END_TEST

typedef struct shape_row {
    const char *inject;
    const char *operation;
    const char *body;
    const char *answer;
} shape_row;

#define ARN "arn:aws:dynamodb:us-east-1:000000000000:table/TTT"
#define DYNAMODB "com.amazonaws.dynamodb.v20120810#"
#define M1                                                                                                             \
    "The level of configured provisioned throughput for the table was exceeded. Consider increasing your "             \
    "provisioning level with the UpdateTable API."
#define M2                                                                                                             \
    "The level of configured provisioned throughput for one or more global secondary indexes of the table was "        \
    "exceeded. Consider increasing your provisioning level for the under-provisioned global secondary indexes with "   \
    "the UpdateTable API"
#define M3                                                                                                             \
    "Throughput exceeds the current capacity of your table or index. DynamoDB is automatically scaling your table or " \
    "index so please try again shortly. If exceptions persist, check if you have a hot key: "                          \
    "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html"
#define M4                                                                                                             \
    "Throughput exceeds the current capacity for one or more global secondary indexes. DynamoDB is automatically "     \
    "scaling your index so please try again shortly."
#define M5 "Throughput exceeds the maximum OnDemandThroughput configured on table or index"
#define M6                                                                                                             \
    "Throughput exceeds the current throughput limit for your account. To request a limit increase, contact AWS "      \
    "Support at https://aws.amazon.com/support"

static const shape_row shape_rows[] = {
    {"{'error':'ProvisionedThroughputExceededException'}", "PutItem", PUT_A,
     "{'__type':'" DYNAMODB "ProvisionedThroughputExceededException','message':'" M1 "','ThrottlingReasons':[{'reason':"
     "'TableWriteProvisionedThroughputExceeded','resource':'" ARN "'}]}"},
    {"{'error':'ProvisionedThroughputExceededException','reason':'TableReadKeyRangeThroughputExceeded'}", "GetItem",
     GET_A,
     "{'__type':'" DYNAMODB "ProvisionedThroughputExceededException','message':'" M1 "','ThrottlingReasons':[{'reason':"
     "'TableReadKeyRangeThroughputExceeded','resource':'" ARN "'}]}"},
    {"{'error':'ProvisionedThroughputExceededException','reason':'IndexWriteProvisionedThroughputExceeded',"
     "'index':'other'}",
     "PutItem", PUT_A,
     "{'__type':'" DYNAMODB "ProvisionedThroughputExceededException','message':'" M2 "','ThrottlingReasons':[{'reason':"
     "'IndexWriteProvisionedThroughputExceeded','resource':'" ARN "/index/other'}]}"},
    {"{'error':'ProvisionedThroughputExceededException','reason':'IndexWriteProvisionedThroughputExceeded'}", "PutItem",
     PUT_A,
     "{'__type':'" DYNAMODB "ProvisionedThroughputExceededException','message':'" M2 "','ThrottlingReasons':[{'reason':"
     "'IndexWriteProvisionedThroughputExceeded','resource':'" ARN "/index/global'}]}"},
    {"{'error':'ThrottlingException'}", "GetItem", GET_A,
     "{'__type':'com.amazon.coral.availability#ThrottlingException','message':'" M3 "','throttlingReasons':[{'reason':"
     "'TableReadKeyRangeThroughputExceeded','resource':'" ARN "'}]}"},
    {"{'error':'ThrottlingException'}", "Scan", "{'TableName':'TTT','IndexName':'global'}",
     "{'__type':'com.amazon.coral.availability#ThrottlingException','message':'" M3 "','throttlingReasons':[{'reason':"
     "'IndexReadKeyRangeThroughputExceeded','resource':'" ARN "/index/global'}]}"},
    {"{'error':'ThrottlingException'}", "Scan", "{'TableName':'TTT','IndexName':'local'}",
     "{'__type':'com.amazon.coral.availability#ThrottlingException','message':'" M3 "','throttlingReasons':[{'reason':"
     "'TableReadKeyRangeThroughputExceeded','resource':'" ARN "'}]}"},
    {"{'error':'ThrottlingException','reason':'IndexWriteKeyRangeThroughputExceeded'}", "PutItem", PUT_A,
     "{'__type':'com.amazon.coral.availability#ThrottlingException','message':'" M4 "','throttlingReasons':[{'reason':"
     "'IndexWriteKeyRangeThroughputExceeded','resource':'" ARN "/index/global'}]}"},
    {"{'error':'ThrottlingException','reason':'TableWriteMaxOnDemandThroughputExceeded'}", "PutItem", PUT_A,
     "{'__type':'com.amazon.coral.availability#ThrottlingException','message':'" M5 "','throttlingReasons':[{'reason':"
     "'TableWriteMaxOnDemandThroughputExceeded','resource':'" ARN "'}]}"},
    {"{'error':'RequestLimitExceeded'}", "PutItem", PUT_A,
     "{'__type':'" DYNAMODB "RequestLimitExceeded','message':'" M6 "','ThrottlingReasons':[{'reason':"
     "'TableWriteAccountLimitExceeded','resource':'" ARN "'}]}"},
    {"{'error':'ThrottlingException','message':'Rate exceeded'}", "ListTables", "{}",
     "{'__type':'com.amazon.coral.availability#ThrottlingException','message':'Rate exceeded'}"},
    {"{'error':'ConditionalCheckFailedException','message':''}", "PutItem", PUT_A,
     "{'__type':'" DYNAMODB "ConditionalCheckFailedException'}"},
    {"{'error':'TransactionInProgressException'}", "TransactWriteItems", "{'TransactItems':[{'Put':" PUT_A "}]}",
     "{'__type':'" DYNAMODB "TransactionInProgressException','Message':'Transaction from previous request is still in "
     "progress'}"},
    {"{'error':'ItemCollectionSizeLimitExceededException'}", "PutItem", PUT_A,
     "{'__type':'" DYNAMODB "ItemCollectionSizeLimitExceededException','message':'Collection size exceeded.'}"},
    {"{'error':'ServiceUnavailable'}", "PutItem", PUT_A,
     "{'__type':'com.amazon.coral.service#ServiceUnavailable','message':'This error was injected by a fault rule'}"},
    {"{'error':'TransactionCanceledException'}", "TransactWriteItems",
     "{'TransactItems':[{'Put':" PUT_A "},{'Delete':{'TableName':'UUU','Key':{'pk':{'S':'a'}}}}]}",
     "{'__type':'" DYNAMODB "TransactionCanceledException','Message':'Transaction cancelled, please refer cancellation "
     "reasons for specific reasons [TransactionConflict, None]','CancellationReasons':[{'Code':'TransactionConflict',"
     "'Message':'Transaction is ongoing for the item'},{'Code':'None'}]}"},
    {"{'error':'TransactionCanceledException','reasons':['None','ConditionalCheckFailed','ThrottlingError']}",
     "TransactWriteItems", "{'TransactItems':[{'Put':" PUT_A "},{'Put':" PUT_A "}]}",
     "{'__type':'" DYNAMODB "TransactionCanceledException','Message':'Transaction cancelled, please refer cancellation "
     "reasons for specific reasons [None, ConditionalCheckFailed]','CancellationReasons':[{'Code':'None'},"
     "{'Code':'ConditionalCheckFailed','Message':'The conditional request failed'}]}"},
};

START_TEST(an_error_has_the_shape_that_the_service_gives_it)
{
    const shape_row *row = &shape_rows[_i];
    ask(&server, "DeleteTable", "{'TableName':'TTT'}");
    ask_create_indexed_table(&server);
    char rule[512];
    (void)snprintf(rule, sizeof(rule), "{'match':{'table':'TTT'},'inject':%s}", row->inject);
    if (strcmp(row->operation, "ListTables") == 0) (void)snprintf(rule, sizeof(rule), "{'inject':%s}", row->inject);
    add_rule(rule);
    const char *text = ask(&server, row->operation, row->body);
    ck_assert_str_eq(text, ask_quoted(&server, row->answer));
}
END_TEST

/* ---- elements ---------------------------------------------------------------------------------------------------- */

#define BATCH_PUT(key) "{'PutRequest':{'Item':{'pk':{'S':'" key "'}}}}"
#define BATCH_DELETE(key) "{'DeleteRequest':{'Key':{'pk':{'S':'" key "'}}}}"
#define WRITE_THREE "{'RequestItems':{'TTT':[" BATCH_PUT("a") "," BATCH_PUT("b") "," BATCH_DELETE("c") "]}}"
#define GET_TWO "{'RequestItems':{'TTT':{'Keys':[{'pk':{'S':'a'}},{'pk':{'S':'b'}}],'ConsistentRead':true}}}"

START_TEST(elements_of_a_key_are_left_unprocessed)
{
    add_rule("{'match':{'operation':['BatchWriteItem','BatchGetItem'],'key':{'pk':{'S':'b'}}},"
             "'inject':{'unprocessed':true}}");
    CHECK_ANSWER(&server, "BatchWriteItem", WRITE_THREE, "{'UnprocessedItems':{'TTT':[" BATCH_PUT("b") "]}}");
    CHECK_ANSWER(&server, "BatchGetItem", GET_TWO,
                 "{'Responses':{'TTT':[{'pk':{'S':'a'}}]},'UnprocessedKeys':{'TTT':{'ConsistentRead':true,'Keys':"
                 "[{'pk':{'S':'b'}}]}}}");
    CHECK_ANSWER(&server, "GetItem", "{'TableName':'TTT','Key':{'pk':{'S':'b'}}}", "{}");
    CHECK_COUNTS(0, 2, 2);
}
END_TEST

START_TEST(a_batch_may_be_left_unprocessed_whole)
{
    add_rule("{'match':{'table':'TTT'},'inject':{'unprocessed':true},'times':3}");
    CHECK_ANSWER(&server, "BatchWriteItem", WRITE_THREE,
                 "{'UnprocessedItems':{'TTT':[" BATCH_PUT("a") "," BATCH_PUT("b") "," BATCH_DELETE("c") "]}}");
    CHECK_ANSWER(&server, "BatchWriteItem", WRITE_THREE, "{'UnprocessedItems':{}}");
    CHECK_COUNTS(0, 6, 3);
}
END_TEST

START_TEST(a_throttle_by_key_leaves_the_element_and_fails_a_batch_of_nothing_else)
{
    add_rule("{'match':{'key':{'pk':{'S':'a'}}},'inject':{'error':'ProvisionedThroughputExceededException'}}");
    CHECK_ANSWER(&server, "BatchWriteItem", WRITE_THREE, "{'UnprocessedItems':{'TTT':[" BATCH_PUT("a") "]}}");
    ask(&server, "BatchGetItem", "{'RequestItems':{'TTT':{'Keys':[{'pk':{'S':'a'}}]}}}");
    ck_assert_str_eq(server.text,
                     ask_quoted(&server, "{'__type':'" DYNAMODB "ProvisionedThroughputExceededException','message':"
                                         "'" M1 "','ThrottlingReasons':[{'reason':"
                                         "'TableReadProvisionedThroughputExceeded','resource':'" ARN "'}]}"));
}
END_TEST

START_TEST(another_error_by_key_fails_the_batch)
{
    add_rule("{'match':{'key':{'pk':{'S':'b'}}},'inject':{'error':'InternalServerError','message':'m'}}");
    CHECK_ERROR(&server, "BatchWriteItem", WRITE_THREE, "InternalServerError: m");
    CHECK_ANSWER(&server, "GetItem", GET_A, "{}");
    CHECK_COUNTS(0, 1, 1);
}
END_TEST

START_TEST(an_error_by_key_is_a_reason_of_cancellation)
{
    static const char two[] = "{'TransactItems':[{'Put':" PUT_A "},{'Put':{'TableName':'TTT','Item':"
                              "{'pk':{'S':'b'}}}}]}";
    add_rule("{'match':{'key':{'pk':{'S':'b'}}},'inject':{'error':'ThrottlingException'},'times':1}");
    ask(&server, "TransactWriteItems", two);
    ck_assert_str_eq(server.text,
                     ask_quoted(&server, "{'__type':'" DYNAMODB "TransactionCanceledException','Message':'Transaction "
                                         "cancelled, please refer cancellation reasons for specific reasons [None, "
                                         "ThrottlingError]','CancellationReasons':[{'Code':'None'},{'Code':"
                                         "'ThrottlingError','Message':'" M3 "'}]}"));
    CHECK_ANSWER(&server, "GetItem", GET_A, "{}");
    CHECK_ANSWER(&server, "TransactWriteItems", two, "{}");
    add_rule("{'match':{'key':{'pk':{'S':'b'}}},'inject':{'error':'InternalServerError','message':'m'}}");
    CHECK_ERROR(&server, "TransactGetItems", "{'TransactItems':[{'Get':{'TableName':'TTT','Key':{'pk':{'S':'b'}}}}]}",
                "InternalServerError: m");
}
END_TEST

START_TEST(without_a_key_a_transaction_fails_with_the_error_itself)
{
    add_rule("{'match':{'table':'TTT'},'inject':" CONFLICT "}");
    CHECK_ERROR(&server, "TransactWriteItems", "{'TransactItems':[{'Put':" PUT_A "}]}", CONFLICTS);
}
END_TEST

START_TEST(an_element_is_decided_by_the_first_rule_that_fires)
{
    add_rule("{'match':{'key':{'pk':{'S':'a'}}},'inject':" CONFLICT ",'times':1}");
    add_rule("{'match':{'key':{'pk':{'S':'a'}}},'inject':{'error':'ThrottlingException'}}");
    static const char one[] = "{'TransactItems':[{'Get':{'TableName':'TTT','Key':{'pk':{'S':'a'}}}}]}";
    CHECK_ERROR(&server, "TransactGetItems", one,
                "TransactionCanceledException: Transaction cancelled, please refer cancellation reasons for specific "
                "reasons [TransactionConflict]");
    CHECK_COUNTS(1, 0, 0);
    CHECK_ERROR(&server, "TransactGetItems", one,
                "TransactionCanceledException: Transaction cancelled, please refer cancellation reasons for specific "
                "reasons [ThrottlingError]");
}
END_TEST

START_TEST(a_malformed_batch_is_refused_whatever_the_rules_say)
{
    add_rule("{'match':{'operation':'BatchWriteItem'},'inject':{'unprocessed':true}}");
    add_rule("{'match':{'operation':'TransactWriteItems','key':{'pk':{'S':'a'}}},'inject':" CONFLICT "}");
    CHECK_ERROR(&server, "TransactWriteItems", "{'TransactItems':[{'Put':" PUT_A ",'Delete':" GET_A "}]}",
                "ValidationException: TransactItems can only contain one of Check, Put, Update or Delete");
    CHECK_ERROR(&server, "BatchWriteItem", "{'RequestItems':{'none':[" BATCH_PUT("a") "]}}",
                "ResourceNotFoundException: Requested resource not found");
}
END_TEST

START_TEST(a_rule_may_be_of_one_scope)
{
    server.config.isolate = true;
    const char *fault = NULL;
    char sentence[TD_FAULT_SENTENCE_BYTES] = "";
    const td_json_node *rule =
        td_json_doc_parse(td_slice_of_cstr(ask_quoted(&server, "{'inject':" CONFLICT "}")), &server.arena, &fault);
    ck_assert(td_faults_add(server.service.faults, rule, TD_LIT("other/us-east-1"), NULL, NULL, sentence));
    CHECK_ANSWER(&server, "ListTables", "{}", "{'TableNames':[]}");
    server.access_key = "other";
    CHECK_ERROR(&server, "ListTables", "{}", CONFLICTS);
}
END_TEST

TCase *fault_tests(void)
{
    TCase *tests = tcase_create("fault");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_loop_test(tests, a_rule_matches_what_all_of_its_members_say, 0, (int)TD_COUNT_OF(match_rows));
    tcase_add_test(tests, what_the_service_model_forbids_is_refused_before_any_rule);
    tcase_add_test(tests, a_server_without_rules_is_as_one_that_never_had_any);
    tcase_add_test(tests, the_first_matches_are_skipped_and_then_as_many_as_times_are_struck);
    tcase_add_test(tests, never_is_never_and_no_times_is_none);
    tcase_add_test(tests, a_seed_gives_one_sequence);
    tcase_add_test(tests, rules_without_a_seed_differ_and_a_reset_repeats_them);
    tcase_add_test(tests, a_latency_is_drawn_within_its_range_and_follows_from_the_seed);
    tcase_add_test(tests, latencies_add_up_to_their_limit_and_go_with_what_comes_later);
    tcase_add_test(tests, the_first_error_that_fires_is_answered);
    tcase_add_test(tests, dropped_before_is_not_done_and_dropped_after_is);
    tcase_add_test(tests, a_transaction_whose_answer_is_lost_is_done_once_with_its_token);
    int error_count = 0;
#define TD_FAULT_ERROR(status, message, code) error_count++;
#include "fault_errors.def"
#undef TD_FAULT_ERROR
    tcase_add_loop_test(tests, every_error_that_can_be_named_is_answered_under_its_name, 0, error_count);
    tcase_add_test(tests, every_status_but_success_can_be_injected);
    tcase_add_loop_test(tests, an_error_has_the_shape_that_the_service_gives_it, 0, (int)TD_COUNT_OF(shape_rows));
    tcase_add_test(tests, elements_of_a_key_are_left_unprocessed);
    tcase_add_test(tests, a_batch_may_be_left_unprocessed_whole);
    tcase_add_test(tests, a_throttle_by_key_leaves_the_element_and_fails_a_batch_of_nothing_else);
    tcase_add_test(tests, another_error_by_key_fails_the_batch);
    tcase_add_test(tests, an_error_by_key_is_a_reason_of_cancellation);
    tcase_add_test(tests, without_a_key_a_transaction_fails_with_the_error_itself);
    tcase_add_test(tests, an_element_is_decided_by_the_first_rule_that_fires);
    tcase_add_test(tests, a_malformed_batch_is_refused_whatever_the_rules_say);
    tcase_add_test(tests, a_rule_may_be_of_one_scope);
    return tests;
}
