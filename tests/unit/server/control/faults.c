/* SPDX-License-Identifier: Apache-2.0
 * faults.c: tests of /_thermodyn/faults and of the file of --faults: what is added, listed, removed and refused.
 * What rules do to requests is in unit/ops/fault.c. */
#include "control/control.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "suites.h"
#include "unit/ops/ask.h"

static ask_server server;
static td_arena arena;
static td_buf reply;
static td_control_reply outcome;

static void setup(void)
{
    ask_setup(&server);
    td_arena_init(&arena, (size_t)4 * 1024 * 1024);
    td_buf_init(&reply, (size_t)1024 * 1024);
}

static void teardown(void)
{
    ask_teardown(&server);
    td_arena_done(&arena);
    td_buf_done(&reply);
}

/* The answer's JSON with ' for ". */
static const char *call(const char *method, const char *path, const char *body)
{
    static char text[8192];
    size_t len = strlen(body);
    ck_assert_uint_lt(len, sizeof(text));
    for (size_t i = 0; i <= len; i++)
        text[i] = body[i] == '\'' ? '"' : body[i];
    td_control_request request = {.method = td_slice_of_cstr(method),
                                  .path = td_slice_of_cstr(path),
                                  .query = TD_LIT(""),
                                  .body = td_slice_of(text, len)};
    td_arena_reset(&arena);
    outcome = td_control_handle(&server.service, &request, &arena, &reply);
    td_buf_append_byte(&reply, 0);
    for (uint8_t *at = reply.data; *at != 0; at++) {
        if (*at == '"') *at = '\'';
    }
    return (const char *)reply.data;
}

static const char *post(const char *body)
{
    return call("POST", "/_thermodyn/faults", body);
}
static const char *list(void)
{
    return call("GET", "/_thermodyn/faults", "");
}

#define RULE_1                                                                                                         \
    "'match':{'operation':'PutItem','table':'TTT','index':'i','key':{'pk':{'N':'1.0'},'sk':{'B':'AAE='}}},"            \
    "'inject':{'error':'ThrottlingException','message':'m','reason':'IndexWriteKeyRangeThroughputExceeded',"           \
    "'index':'g'},'probability':0.5,'skip':1,'times':3,'seed':42"
#define RULE_2                                                                                                         \
    "'match':{'operation':['GetItem','Scan']},'inject':{'latency_ms':{'min':5,'max':50}},'probability':1,'skip':0,"    \
    "'seed':1"
#define RULE_3 "'match':{},'inject':{'drop_connection':'before'},'probability':1,'skip':0,'seed':2"
#define RULE_4 "'match':{},'inject':{'drop_connection':'after'},'probability':1,'skip':0,'seed':3"
#define RULE_5 "'match':{},'inject':{'unprocessed':true},'probability':1,'skip':0,'seed':4"
#define RULE_6                                                                                                         \
    "'match':{},'inject':{'error':'TransactionCanceledException','reasons':['None','TransactionConflict']},"           \
    "'probability':1,'skip':0,'seed':5"

static const char *const rules[] = {RULE_1, RULE_2, RULE_3, RULE_4, RULE_5, RULE_6};

START_TEST(a_rule_is_answered_as_it_was_sent)
{
    char sent[1024];
    char expected[1024];
    (void)snprintf(sent, sizeof(sent), "{%s}", rules[_i]);
    (void)snprintf(expected, sizeof(expected), "{'id':'f-1',%s,'matched':0,'injected':0}", rules[_i]);
    ck_assert_str_eq(post(sent), expected);
    ck_assert_int_eq(outcome.http_status, 200);
    (void)snprintf(expected, sizeof(expected), "{'rules':[{'id':'f-1',%s,'matched':0,'injected':0}]}", rules[_i]);
    ck_assert_str_eq(list(), expected);
}
END_TEST

START_TEST(rules_are_removed_one_by_one_or_all)
{
    ck_assert_str_eq(list(), "{'rules':[]}");
    for (size_t i = 2; i < 5; i++) {
        char sent[256];
        (void)snprintf(sent, sizeof(sent), "{%s}", rules[i]);
        post(sent);
    }
    ck_assert_str_eq(call("DELETE", "/_thermodyn/faults/f-2", ""), "{'removed':1}");
    ck_assert_str_eq(list(), "{'rules':[{'id':'f-1'," RULE_3 ",'matched':0,'injected':0},{'id':'f-3'," RULE_5
                             ",'matched':0,'injected':0}]}");
    ck_assert_str_eq(call("DELETE", "/_thermodyn/faults/f-2", ""), "{'error':'there is no fault rule \\'f-2\\''}");
    ck_assert_int_eq(outcome.http_status, 404);
    ck_assert_str_eq(call("DELETE", "/_thermodyn/faults", ""), "{'removed':2}");
    ck_assert_str_eq(call("DELETE", "/_thermodyn/faults", ""), "{'removed':0}");
    call("PUT", "/_thermodyn/faults", "");
    ck_assert_int_eq(outcome.http_status, 405);
    ck_assert_str_eq(outcome.allow, "GET, POST, DELETE");
}
END_TEST

START_TEST(counts_are_told)
{
    post("{'match':{'operation':'ListTables'},'inject':{'error':'InternalServerError'},'skip':1,'times':1,'seed':1}");
    for (int i = 0; i < 3; i++)
        ask(&server, "ListTables", "{}");
    ck_assert_ptr_nonnull(strstr(list(), "'matched':3,'injected':1}"));
}
END_TEST

START_TEST(no_more_rules_are_kept_than_the_limit)
{
    for (int i = 0; i < TD_LIMIT_FAULT_RULES_MAX; i++)
        post("{'inject':{'unprocessed':true}}");
    ck_assert_int_eq(outcome.http_status, 200);
    ck_assert_str_eq(post("{'inject':{'unprocessed':true}}"),
                     "{'error':'there are 100 rules already, and no more are kept'}");
    ck_assert_int_eq(outcome.http_status, 400);
}
END_TEST

typedef struct refusal {
    const char *body;
    const char *sentence;
} refusal;

#define KINDS "'inject' must have exactly one of 'error', 'latency_ms', 'drop_connection' and 'unprocessed'"
#define VALUES "'match.key': an attribute's value must be {'S': …}, {'N': …} or {'B': …}"
#define OF_ERROR(members) "{'inject':{'error':" members "}}"

static const refusal refusals[] = {
    {"", "a rule needs a body: {'match': …, 'inject': …}"},
    {"{", "the body is not one JSON document"},
    {"[]", "the body must be a JSON object"},
    {"{}", "a rule needs 'inject': what it does"},
    {"{'match':{}}", "a rule needs 'inject': what it does"},
    {"{'id':'f-1','inject':{'unprocessed':true}}", "unknown member 'id'"},
    {"{'match':[],'inject':{'unprocessed':true}}", "'match' must be an object"},
    {"{'inject':1}", "'inject' must be an object"},
    {"{'inject':{}}", KINDS},
    {"{'inject':{'unprocessed':true,'drop_connection':'after'}}", KINDS},
    {"{'inject':{'unprocessed':true,'delay':1}}", "unknown member 'inject.delay'"},
    {"{'match':{'tables':'a'},'inject':{'unprocessed':true}}", "unknown member 'match.tables'"},
    {"{'match':{'operation':1},'inject':{'unprocessed':true}}",
     "'match.operation' must be an operation's name, or a list of such names"},
    {"{'match':{'operation':[1]},'inject':{'unprocessed':true}}",
     "'match.operation' must be an operation's name, or a list of such names"},
    {"{'match':{'operation':[]},'inject':{'unprocessed':true}}", "'match.operation' must name an operation"},
    {"{'match':{'operation':'Put'},'inject':{'unprocessed':true}}", "there is no operation 'Put' to match"},
    {"{'match':{'operation':['Scan','Scan']},'inject':{'drop_connection':'after'}}",
     "'match.operation' names Scan twice"},
    {"{'match':{'table':1},'inject':{'unprocessed':true}}", "'match.table' must be a text"},
    {"{'match':{'table':''},'inject':{'unprocessed':true}}", "'match.table' must not be empty"},
    {"{'match':{'table':'arn:x'},'inject':{'unprocessed':true}}", "'match.table' must be a table's name or its ARN"},
    {"{'match':{'index':''},'inject':{'unprocessed':true}}", "'match.index' must not be empty"},
    {"{'match':{'key':{}},'inject':{'unprocessed':true}}", "'match.key' must hold an attribute of the key"},
    {"{'match':{'key':{'a':{'S':'x'},'b':{'S':'x'},'c':{'S':'x'}}},'inject':{'unprocessed':true}}",
     "'match.key' holds more than 2 attributes"},
    {"{'match':{'key':{'a':'x'}},'inject':{'unprocessed':true}}", VALUES},
    {"{'match':{'key':{'a':{}}},'inject':{'unprocessed':true}}", VALUES},
    {"{'match':{'key':{'a':{'S':'x','N':'1'}}},'inject':{'unprocessed':true}}", VALUES},
    {"{'match':{'key':{'a':{'BOOL':true}}},'inject':{'unprocessed':true}}", VALUES},
    {"{'match':{'key':{'a':{'N':1}}},'inject':{'unprocessed':true}}", VALUES},
    {"{'match':{'key':{'a':{'N':'x'}}},'inject':{'unprocessed':true}}", "'match.key': 'x' is no number of the service"},
    {"{'match':{'key':{'a':{'B':'x'}}},'inject':{'unprocessed':true}}", "'match.key': a binary value must be base64"},
    {"{'match':{'key':{'a':{'S':''}}},'inject':{'unprocessed':true}}", "'match.key' must not be empty"},
    {"{'match':{'key':{'':{'S':'x'}}},'inject':{'unprocessed':true}}",
     "'match.key': an attribute's name must have 1 to 255 bytes"},
    {OF_ERROR("1"), "'inject.error' must be a text"},
    {OF_ERROR("'NoSuchException'"), "the service has no error 'NoSuchException'"},
    {OF_ERROR("''"), "the service has no error ''"},
    {OF_ERROR("'ResourceNotFoundException','reason':'TableReadAccountLimitExceeded'"),
     "'inject.reason' belongs to a throttle, which ResourceNotFoundException is not"},
    {OF_ERROR("'ThrottlingException','reason':'TooMuch'"), "the service has no throttling reason 'TooMuch'"},
    {OF_ERROR("'ThrottlingException','index':'i'"), "'inject.index' belongs to a 'reason'"},
    {OF_ERROR("'ThrottlingException','reason':'TableReadAccountLimitExceeded','index':'i'"),
     "'inject.index' belongs to a 'reason' that is of an index"},
    {OF_ERROR("'ThrottlingException','reasons':['None']"), "'inject.reasons' belongs to TransactionCanceledException"},
    {OF_ERROR("'TransactionCanceledException','reasons':[]"), "'inject.reasons' must name a code"},
    {OF_ERROR("'TransactionCanceledException','reasons':['None',1]"),
     "'inject.reasons' must be codes of cancellation, such as 'None' and 'TransactionConflict'"},
    {OF_ERROR("'TransactionCanceledException','reasons':['TransactionConflictException']"),
     "'inject.reasons' must be codes of cancellation, such as 'None' and 'TransactionConflict'"},
    {"{'inject':{'unprocessed':true,'message':'x'}}", "'inject.message' belongs to an 'error'"},
    {"{'inject':{'unprocessed':false}}", "'inject.unprocessed' must be true"},
    {"{'inject':{'unprocessed':1}}", "'inject.unprocessed' must be true or false"},
    {"{'match':{'operation':'PutItem'},'inject':{'unprocessed':true}}",
     "'inject.unprocessed' is for BatchGetItem and BatchWriteItem alone"},
    {"{'inject':{'drop_connection':'during'}}", "'inject.drop_connection' must be 'before' or 'after'"},
    {"{'inject':{'latency_ms':5}}", "'inject.latency_ms' must be an object"},
    {"{'inject':{'latency_ms':{'min':5}}}", "'inject.latency_ms' needs 'min' and 'max'"},
    {"{'inject':{'latency_ms':{'min':5,'max':4}}}", "'inject.latency_ms': 'min' must not be above 'max'"},
    {"{'inject':{'latency_ms':{'min':-1,'max':4}}}", "'inject.latency_ms.min' must be a whole number from 0 to 60000"},
    {"{'inject':{'latency_ms':{'min':1,'max':60001}}}",
     "'inject.latency_ms.max' must be a whole number from 0 to 60000"},
    {"{'inject':{'unprocessed':true},'probability':1.5}", "'probability' must be a number from 0 to 1"},
    {"{'inject':{'unprocessed':true},'probability':'1'}", "'probability' must be a number"},
    {"{'inject':{'unprocessed':true},'skip':-1}", "'skip' must be a whole number from 0 to 9007199254740992"},
    {"{'inject':{'unprocessed':true},'times':0.5}", "'times' must be a whole number from 0 to 9007199254740992"},
    {"{'inject':{'unprocessed':true},'seed':null}", "'seed' must be a number"},
};

START_TEST(a_bad_rule_is_refused_with_one_sentence_and_not_added)
{
    char expected[512];
    char *to = expected + snprintf(expected, sizeof(expected), "{'error':'");
    for (const char *at = refusals[_i].sentence; *at != '\0'; at++) {
        bool is_quote = *at == '\'' && strncmp(at, "'s ", 3) != 0; /* the answer shows " as \' */
        if (is_quote) *to++ = '\\';
        *to++ = *at;
    }
    memcpy(to, "'}", 3);
    ck_assert_str_eq(post(refusals[_i].body), expected);
    ck_assert_int_eq(outcome.http_status, 400);
    ck_assert_str_eq(list(), "{'rules':[]}");
}
END_TEST

START_TEST(long_texts_are_refused)
{
    char body[6000];
    for (size_t len = TD_LIMIT_FAULT_TEXT_BYTES_MAX; len <= TD_LIMIT_FAULT_TEXT_BYTES_MAX + 1; len++) {
        int used = snprintf(body, sizeof(body), "{'inject':{'error':'InternalServerError','message':'");
        memset(body + used, 'x', len);
        memcpy(body + used + len, "'}}", 4);
        post(body);
        ck_assert_int_eq(outcome.http_status, len == TD_LIMIT_FAULT_TEXT_BYTES_MAX ? 200 : 400);
    }
    ck_assert_str_eq((const char *)reply.data, "{'error':'\\'inject.message\\' is longer than 4096 bytes'}");
}
END_TEST

/* ---- the file ---------------------------------------------------------------------------------------------------- */

static bool load(const char *text, char reterr_sentence[TD_FAULT_SENTENCE_BYTES])
{
    char path[] = "/tmp/thermodyn-faults-XXXXXX";
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    for (const char *at = text; *at != '\0'; at++)
        ck_assert_int_eq(write(fd, *at == '\'' ? "\"" : at, 1), 1);
    close(fd);
    bool is_loaded = td_faults_load(server.service.faults, path, reterr_sentence);
    unlink(path);
    char *found = strstr(reterr_sentence, path);
    if (found != NULL) memmove(found, found + strlen(path), strlen(found + strlen(path)) + 1);
    return is_loaded;
}

START_TEST(a_reset_puts_the_rules_of_the_file_back)
{
    char sentence[TD_FAULT_SENTENCE_BYTES] = "";
    ck_assert(load("[{" RULE_3 "},{'match':{'operation':'ListTables'},'inject':{'error':'InternalServerError'},"
                   "'seed':1,'times':1}]",
                   sentence));
    call("DELETE", "/_thermodyn/faults/f-1", "");
    ask(&server, "ListTables", "{}");
    ck_assert_int_eq(server.http_status, 500);
    post("{'inject':{'unprocessed':true}}");
    call("POST", "/_thermodyn/reset", "{'tables':[]}");
    ck_assert_ptr_nonnull(strstr(list(), "'f-3'"));
    call("POST", "/_thermodyn/reset", "");
    ck_assert_str_eq(list(), "{'rules':[{'id':'f-1'," RULE_3
                             ",'matched':0,'injected':0},{'id':'f-2','match':{'operation':'ListTables'},"
                             "'inject':{'error':'InternalServerError'},'probability':1,'skip':0,'times':1,'seed':1,"
                             "'matched':0,'injected':0}]}");
}
END_TEST

START_TEST(a_bad_file_is_refused_with_its_place)
{
    static const refusal files[] = {
        {"{}", " must be a JSON list of fault rules"},
        {"", " must be a JSON list of fault rules"},
        {"[{" RULE_3 "},{'inject':{}}]", ": rule 2: \"inject\" must have exactly one of \"error\", \"latency_ms\", "
                                         "\"drop_connection\" and \"unprocessed\""},
        {"[1]", ": rule 1: a rule must be an object"},
    };
    for (size_t i = 0; i < TD_COUNT_OF(files); i++) {
        char sentence[TD_FAULT_SENTENCE_BYTES] = "";
        ck_assert(!load(files[i].body, sentence));
        ck_assert_str_eq(sentence, files[i].sentence);
    }
    char sentence[TD_FAULT_SENTENCE_BYTES] = "";
    ck_assert(!td_faults_load(server.service.faults, "/no/such/file", sentence));
    ck_assert_str_eq(sentence, "the file of fault rules /no/such/file cannot be read: No such file or directory");
}
END_TEST

Suite *faults_suite(void)
{
    Suite *suite = suite_create("faults");
    TCase *tests = tcase_create("faults");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_loop_test(tests, a_rule_is_answered_as_it_was_sent, 0, (int)TD_COUNT_OF(rules));
    tcase_add_test(tests, rules_are_removed_one_by_one_or_all);
    tcase_add_test(tests, counts_are_told);
    tcase_add_test(tests, no_more_rules_are_kept_than_the_limit);
    tcase_add_loop_test(tests, a_bad_rule_is_refused_with_one_sentence_and_not_added, 0, (int)TD_COUNT_OF(refusals));
    tcase_add_test(tests, long_texts_are_refused);
    tcase_add_test(tests, a_reset_puts_the_rules_of_the_file_back);
    tcase_add_test(tests, a_bad_file_is_refused_with_its_place);
    suite_add_tcase(suite, tests);
    return suite;
}
