/* SPDX-License-Identifier: Apache-2.0
 * control.c: tests of the control endpoints in process, beside requests of the API on the same store.
 * Documents are written with ' for ". The clock is manual and starts at 2100-01-01 (see ask.h). */
#include "control/control.h"

#include <stdio.h>

#include "suites.h"
#include "unit/ops/ask.h"

#define YEAR_2100_MS "4102444800000"

static ask_server server;
static td_arena arena;
static td_buf reply;
static td_control_reply outcome;
static char body_text[1024];

static void setup(void)
{
    ask_setup(&server);
    td_arena_init(&arena, (size_t)1024 * 1024);
    td_buf_init(&reply, (size_t)1024 * 1024);
}

static void teardown(void)
{
    ask_teardown(&server);
    td_arena_done(&arena);
    td_buf_done(&reply);
}

/* "GET clock", "PUT clock {'mode':'manual'}" → the answer's JSON. */
static const char *control(const char *call)
{
    char path[256];
    size_t method_len = strcspn(call, " ");
    const char *name = call + method_len + 1;
    size_t name_len = strcspn(name, " ");
    size_t path_len = strcspn(name, " ?");
    snprintf(path, sizeof(path), "/_thermodyn/%.*s", (int)path_len, name);
    snprintf(body_text, sizeof(body_text), "%s", name[name_len] == '\0' ? "" : name + name_len + 1);
    for (char *at = body_text; *at != '\0'; at++) {
        if (*at == '\'') *at = '"';
    }
    td_control_request request = {.method = td_slice_of(call, method_len),
                                  .path = td_slice_of_cstr(path),
                                  .query = path_len < name_len
                                               ? td_slice_of(name + path_len + 1, name_len - path_len - 1)
                                               : TD_LIT(""),
                                  .body = td_slice_of_cstr(body_text)};
    td_arena_reset(&arena);
    outcome = td_control_handle(&server.service, &request, &arena, &reply);
    td_buf_append_byte(&reply, 0);
    for (uint8_t *at = reply.data; *at != 0; at++) {
        if (*at == '"') *at = '\'';
    }
    return (const char *)reply.data;
}

#define CHECK_CONTROL(call, expected)                                                                                  \
    do {                                                                                                               \
        ck_assert_str_eq(control(call), expected);                                                                     \
        ck_assert_int_eq(outcome.http_status, 200);                                                                    \
    } while (0)

#define CHECK_HAS(call, part)                                                                                          \
    do {                                                                                                               \
        const char *answer = control(call);                                                                            \
        ck_assert_msg(strstr(answer, part) != NULL, "%s\n  is:  %.1500s\n  not: %s", call, answer, part);              \
        ck_assert_int_eq(outcome.http_status, 200);                                                                    \
    } while (0)

static void create_provisioned(void)
{
    ask(&server, "CreateTable",
        "{'TableName':'TTT','AttributeDefinitions':[{'AttributeName':'pk','AttributeType':'S'}],"
        "'KeySchema':[{'AttributeName':'pk','KeyType':'HASH'}],"
        "'ProvisionedThroughput':{'ReadCapacityUnits':10,'WriteCapacityUnits':5}}");
    ck_assert_int_eq(server.http_status, 200);
}

START_TEST(health_counts_the_tables)
{
    CHECK_HAS("GET health", "{'status':'ok','version':'" TD_VERSION "','uptime_ms':");
    CHECK_HAS("GET health", "'tables':0}");
    create_provisioned();
    CHECK_HAS("GET health", "'tables':1}");
}
END_TEST

START_TEST(a_manual_clock_is_moved_by_advance_and_by_now)
{
    CHECK_CONTROL("GET clock", "{'mode':'manual','rate':1,'now':" YEAR_2100_MS "}");
    CHECK_CONTROL("POST clock/advance {'ms':1500}", "{'now':4102444801500}");
    CHECK_CONTROL("POST clock/advance {'ms':0}", "{'now':4102444801500}");
    CHECK_CONTROL("PUT clock {'mode':'manual','now':4102444802000}", "{'mode':'manual','rate':1,'now':4102444802000}");
    CHECK_HAS("PUT clock {'mode':'real','rate':60}", "{'mode':'real','rate':60,'now':41024448020");
}
END_TEST

START_TEST(advance_runs_what_falls_due_on_the_way)
{
    td_store_free(server.service.store);
    td_store_options options = {.seed = 1, .has_table_delays = true};
    td_capacity_settings_init(&options.capacity);
    server.service.store = td_store_new(&options);
    ck_assert_ptr_nonnull(server.service.store);
    create_provisioned();
    td_time_us due = td_store_next_due(server.service.store);
    ck_assert_int_gt(due, td_clock_now(server.service.clock));
    ck_assert_int_ne(due, TD_NEVER);
    control("POST clock/advance {'ms':86400000}");
    ck_assert_int_eq(outcome.http_status, 200);
    ck_assert_int_eq(td_store_next_due(server.service.store), TD_NEVER);
    const char *table = ask(&server, "DescribeTable", "{'TableName':'TTT'}");
    ck_assert_ptr_nonnull(strstr(table, "\"TableStatus\":\"ACTIVE\""));
}
END_TEST

START_TEST(capacity_is_named_as_in_the_table_of_settings)
{
    const char *answer = control("GET capacity");
    for (size_t i = 0; i < TD_CAPACITY_SETTING_COUNT; i++) {
        char member[80];
        snprintf(member, sizeof(member), "'%s':", td_capacity_rows[i].name);
        ck_assert_msg(strstr(answer, member) != NULL, "no %s in %s", member, answer);
    }
    ck_assert_ptr_nonnull(strstr(answer, "'enforce':'on'"));
}
END_TEST

START_TEST(patch_changes_the_server_or_one_table)
{
    create_provisioned();
    CHECK_HAS("PATCH capacity {'burst_window':7,'enforce':'observe','report_all_reasons':true}", "'burst_window':7,");
    CHECK_HAS("GET capacity", "'enforce':'observe'");
    CHECK_HAS("GET capacity", "'report_all_reasons':1,");
    CHECK_HAS("PATCH capacity {'table':'TTT','burst_window':9}", "{'table':'TTT','enforce':'observe',");
    CHECK_HAS("GET capacity?table=TTT", "'burst_window':9,");
    CHECK_HAS("GET capacity", "'burst_window':7,");
}
END_TEST

START_TEST(the_era_is_one_of_three)
{
    CHECK_HAS("GET capacity", "'era':'instant',");
    CHECK_HAS("PATCH capacity {'era':'static'}", "'era':'static',");
    create_provisioned();
    CHECK_HAS("PATCH capacity {'table':'TTT','era':'adaptive'}", "'era':'adaptive',");
    CHECK_HAS("GET capacity", "'era':'static',");
    CHECK_HAS("GET tables/TTT/partitions", "'write':{'rate':5,'balance':1500,'ceiling':1500,'throttled':0}}");
    CHECK_HAS("GET tables/TTT/partitions",
              "'write':{'cap':1000,'balance':1000,'consumed_1s':0,'throttled':0,"
              "'share':{'rate':5,'balance':1500,'ceiling':1500,'throttled':0}}");
}
END_TEST

START_TEST(the_exception_of_each_cell_is_shown_and_changed)
{
    CHECK_HAS("GET capacity", "'TableReadKeyRangeThroughputExceeded/PROVISIONED':"
                              "'ProvisionedThroughputExceededException',"
                              "'TableReadKeyRangeThroughputExceeded/PAY_PER_REQUEST':'ThrottlingException',");
    CHECK_HAS("PATCH capacity {'exception_policy':{'TableReadKeyRangeThroughputExceeded/PAY_PER_REQUEST':"
              "'ProvisionedThroughputExceededException','IndexWriteAccountLimitExceeded':'M6'}}",
              "'TableReadKeyRangeThroughputExceeded/PAY_PER_REQUEST':'ProvisionedThroughputExceededException',");
    CHECK_HAS("GET capacity", "'IndexWriteAccountLimitExceeded/PAY_PER_REQUEST':'RequestLimitExceeded',");
    CHECK_HAS("PATCH capacity {'exception_policy':{'TableReadKeyRangeThroughputExceeded':'M4'}}",
              "'TableReadKeyRangeThroughputExceeded/PAY_PER_REQUEST':'M4',"); /* not the text that would fit */
    CHECK_HAS("PATCH capacity {'exception_policy':{'TableReadKeyRangeThroughputExceeded':'default'}}",
              "'TableReadKeyRangeThroughputExceeded/PAY_PER_REQUEST':'ThrottlingException',");
    CHECK_HAS("GET capacity", "'IndexWriteAccountLimitExceeded/PAY_PER_REQUEST':'RequestLimitExceeded',");
}
END_TEST

START_TEST(the_seed_is_shown)
{
    CHECK_HAS("GET capacity", "'rng_seed':'1'");
}
END_TEST

START_TEST(members_beside_a_preset_win)
{
    CHECK_HAS("PATCH capacity {'duration_divisor':3,'preset':'laptop'}", "'capacity_scale':0.1,");
    CHECK_HAS("GET capacity", "'duration_divisor':3");
}
END_TEST

START_TEST(the_unit_test_preset_stops_the_clock)
{
    ck_assert(td_clock_set_real(server.service.clock, 1));
    control("PATCH capacity {'preset':'laptop'}");
    CHECK_HAS("GET clock", "'mode':'real'");
    control("PATCH capacity {'preset':'unit-test'}");
    CHECK_HAS("GET clock", "'mode':'manual'");
}
END_TEST

START_TEST(partitions_show_buckets_ranges_and_balance)
{
    create_provisioned();
    CHECK_HAS("GET tables/TTT/partitions",
              "{'table':'TTT','billing_mode':'PROVISIONED','buckets':[{'index':null,"
              "'read':{'rate':10,'balance':3000,'ceiling':3000,'throttled':0},"
              "'write':{'rate':5,'balance':1500,'ceiling':1500,'throttled':0}}],"
              "'partitions':[{'id':'p-0001','index':null,'hash_from':'0000000000000000','hash_to':'ffffffffffffffff',"
              "'sort_from':null,'sort_to':null,'parent':null,'created':" YEAR_2100_MS ",'items':0,'bytes':0,"
              "'read':{'cap':3000,");
    CHECK_HAS("GET tables/TTT/partitions", "'split':{'state':'none','veto':null,'done_at':null,'cause':null}}],"
                                           "'balance':{'bytes_cv':0,'read_cv':0,'write_cv':0}}");
}
END_TEST

START_TEST(tables_show_a_table_and_its_indexes_in_a_few_figures)
{
    CHECK_CONTROL("GET tables", "{'now':" YEAR_2100_MS ",'tables':[]}");
    create_provisioned();
    ask(&server, "PutItem", "{'TableName':'TTT','Item':{'pk':{'S':'a'}}}");
    CHECK_CONTROL("POST clock/advance {'ms':1000}", "{'now':4102444801000}");
    CHECK_CONTROL("GET tables",
                  "{'now':4102444801000,'tables':[{'table':'TTT','scope':'','billing_mode':'PROVISIONED','items':1,"
                  "'bytes':103,'partitions':1,'read':{'rate':10,'consumed_1s':0,'throttled':0},"
                  "'write':{'rate':5,'consumed_1s':1,'throttled':0},"
                  "'balance':{'bytes_cv':0,'read_cv':0,'write_cv':0},'indexes':[]}]}");
    CHECK_HAS("GET tables?scope=nobody/eu-west-1", "'tables':[]");
}
END_TEST

START_TEST(a_partition_is_split_by_request)
{
    create_provisioned();
    CHECK_HAS("POST tables/TTT/partitions/split {'id':'p-0001','index':null}",
              "{'table':'TTT','id':'p-0001','children':[{'id':'p-0002','index':null,"
              "'hash_from':'0000000000000000','hash_to':'7fffffffffffffff',");
    CHECK_HAS("GET tables/TTT/partitions", "{'id':'p-0003','index':null,'hash_from':'8000000000000000',"
                                           "'hash_to':'ffffffffffffffff','sort_from':null,'sort_to':null,"
                                           "'parent':'p-0001',");
    ask(&server, "PutItem", "{'TableName':'TTT','Item':{'pk':{'S':'2'}}}"); /* in the lower half */
    ck_assert_str_eq(control("POST tables/TTT/partitions/split {'id':'p-0002'}"),
                     "{'error':'the partition does not hold two keys to part'}");
    ck_assert_int_eq(outcome.http_status, 409);
    (void)control("POST tables/TTT/partitions/split {'id':'p-0001'}"); /* it is two now */
    ck_assert_int_eq(outcome.http_status, 404);
    (void)control("POST tables/TTT/partitions/split {'id':'p-0002','index':'gix'}");
    ck_assert_int_eq(outcome.http_status, 404);
}
END_TEST

START_TEST(a_cut_inside_a_collection_is_shown_as_a_sort_key)
{
    ask(&server, "CreateTable",
        "{'TableName':'TTT','AttributeDefinitions':[{'AttributeName':'pk','AttributeType':'S'},"
        "{'AttributeName':'sk','AttributeType':'S'}],'KeySchema':[{'AttributeName':'pk','KeyType':'HASH'},"
        "{'AttributeName':'sk','KeyType':'RANGE'}],"
        "'ProvisionedThroughput':{'ReadCapacityUnits':10,'WriteCapacityUnits':5}}");
    ask(&server, "PutItem", "{'TableName':'TTT','Item':{'pk':{'S':'a'},'sk':{'S':'first'}}}");
    ask(&server, "PutItem", "{'TableName':'TTT','Item':{'pk':{'S':'a'},'sk':{'S':'second'}}}");
    CHECK_HAS("POST tables/TTT/partitions/split {'id':'p-0001'}", "'sort_from':null,'sort_to':{'S':'second'},");
    CHECK_HAS("GET tables/TTT/partitions", "'sort_from':{'S':'second'},'sort_to':null,");
}
END_TEST

START_TEST(one_hot_partition_of_four_has_the_write_cv_of_that)
{
    ask_create_table(&server, NULL); /* on demand: four partitions */
    ask(&server, "PutItem", "{'TableName':'TTT','Item':{'pk':{'S':'a'}}}");
    ck_assert_int_eq(server.http_status, 200);
    CHECK_HAS("GET tables/TTT/partitions", "'billing_mode':'PAY_PER_REQUEST'");
    CHECK_HAS("GET tables/TTT/partitions", "'hash_from':'c000000000000000','hash_to':'ffffffffffffffff'");
    CHECK_HAS("GET tables/TTT/partitions", "'bytes_cv':1.73205080756887"); /* the root of 3: all in one of four */
    control("POST clock/advance {'ms':1000}");
    CHECK_HAS("GET tables/TTT/partitions", "'write_cv':1.73205080756887");
}
END_TEST

START_TEST(capacity_reset_fills_the_buckets)
{
    create_provisioned();
    ask(&server, "PutItem", "{'TableName':'TTT','Item':{'pk':{'S':'a'}}}");
    CHECK_HAS("GET tables/TTT/partitions", "'write':{'rate':5,'balance':1499,'ceiling':1500,'throttled':0}");
    CHECK_CONTROL("POST tables/TTT/capacity/reset", "{'table':'TTT'}");
    CHECK_HAS("GET tables/TTT/partitions", "'write':{'rate':5,'balance':1500,'ceiling':1500,'throttled':0}");
}
END_TEST

START_TEST(reset_drops_all_and_sets_clock_and_capacity_back)
{
    create_provisioned();
    control("PATCH capacity {'burst_window':7}");
    CHECK_CONTROL("POST reset", "{'dropped':1}");
    CHECK_HAS("GET clock", "'mode':'real'");
    CHECK_HAS("GET capacity", "'burst_window':300,");
    server.config.preset = TD_PRESET_UNIT_TEST;
    CHECK_CONTROL("POST reset {}", "{'dropped':0}");
    CHECK_HAS("GET clock", "'mode':'manual'");
}
END_TEST

START_TEST(reset_of_names_drops_those_alone)
{
    create_provisioned();
    CHECK_CONTROL("POST reset {'tables':['other']}", "{'dropped':0}");
    CHECK_CONTROL("POST reset {'tables':['other','TTT']}", "{'dropped':1}");
    CHECK_HAS("GET clock", "'mode':'manual'");
}
END_TEST

START_TEST(an_isolated_callers_tables_are_named_by_scope)
{
    server.config.isolate = true;
    create_provisioned();
    control("GET tables/TTT/partitions");
    ck_assert_int_eq(outcome.http_status, 404);
    CHECK_HAS("GET tables/TTT/partitions?scope=key/us-east-1", "{'table':'TTT',");
    CHECK_CONTROL("POST reset?scope=key/us-east-1 {'tables':['TTT']}", "{'dropped':1}");
}
END_TEST

typedef struct refusal {
    const char *call;
    int http_status;
    const char *sentence;
} refusal;

static const refusal refusals[] = {
    {"GET nothing", 404, "there is nothing at this path; GET /_thermodyn/ lists what there is"},
    {"GET tables//partitions", 404, "there is nothing at this path; GET /_thermodyn/ lists what there is"},
    {"POST health", 405, "this path knows GET only"},
    {"DELETE clock", 405, "this path knows GET, PUT only"},
    {"PUT clock", 400, "'mode' must be 'real' or 'manual'"},
    {"PUT clock [1]", 400, "the body must be a JSON object"},
    {"PUT clock {'mode'", 400, "the body is not one JSON document"},
    {"PUT clock {'mode':'real','mode':'real'}", 400, "the body names a member twice"},
    {"PUT clock {'mode':1}", 400, "'mode' must be a text"},
    {"PUT clock {'mode':'real','speed':2}", 400, "unknown member 'speed'"},
    {"PUT clock {'mode':'real','rate':0.001}", 400, "'rate' must be a number from 0.01 to 100000"},
    {"PUT clock {'mode':'real','now':1}", 400, "'now' belongs to the mode 'manual'"},
    {"PUT clock {'mode':'manual','rate':1}", 400, "'rate' belongs to the mode 'real'"},
    {"PUT clock {'mode':'manual','now':0.5}", 400, "'now' must be milliseconds since 1970, at most 253402300799999"},
    {"PUT clock {'mode':'manual','now':1000}", 400,
     "'now' is 1000, but the clock shows " YEAR_2100_MS " already and never goes back"},
    {"POST clock/advance", 400, "'ms' must be a whole number from 0 to 3155760000000"},
    {"POST clock/advance {'ms':-1}", 400, "'ms' must be a whole number from 0 to 3155760000000"},
    {"POST clock/advance {'ms':1.5}", 400, "'ms' must be a whole number from 0 to 3155760000000"},
    {"PATCH capacity {'bust_window':1}", 400, "unknown member 'bust_window'"},
    {"PATCH capacity {'burst_window':0}", 400, "'burst_window' must be a number from 0.001 to 86400"},
    {"PATCH capacity {'burst_window':'1'}", 400, "'burst_window' must be a number from 0.001 to 86400"},
    {"PATCH capacity {'enforce':'maybe'}", 400, "'enforce' must be 'on', 'off' or 'observe'"},
    {"PATCH capacity {'era':'modern'}", 400, "'era' must be 'static', 'adaptive' or 'instant'"},
    {"PATCH capacity {'era':2}", 400, "'era' must be 'static', 'adaptive' or 'instant'"},
    {"PATCH capacity {'rng_seed':1}", 400, "'rng_seed' is set when the server starts: --seed"},
    {"PATCH capacity {'exception_policy':'M1'}", 400,
     "'exception_policy' must be an object of cells and exceptions"},
    {"PATCH capacity {'exception_policy':{'TableReadKeyRange':'M1'}}", 400,
     "'exception_policy' has 'TableReadKeyRange', but a cell must be one of the 16 throttling reasons, such as "
     "TableReadKeyRangeThroughputExceeded, alone or with /PROVISIONED or /PAY_PER_REQUEST behind it"},
    {"PATCH capacity {'exception_policy':{'TableReadAccountLimitExceeded/PROVISIONED':'M6'}}", 400,
     "'exception_policy' has 'TableReadAccountLimitExceeded/PROVISIONED', but a limit of on-demand has no cell "
     "/PROVISIONED, and a limit of provisioned throughput none /PAY_PER_REQUEST"},
    {"PATCH capacity {'exception_policy':{'TableReadAccountLimitExceeded':6}}", 400,
     "'exception_policy' has 'TableReadAccountLimitExceeded', but a cell's answer must be "
     "ProvisionedThroughputExceededException, ThrottlingException, RequestLimitExceeded, M1 to M6, or default"},
    {"PATCH capacity {'ondemand_switches':17}", 400, "'ondemand_switches' must be a number from 1 to 16"},
    {"PATCH capacity {'preset':'fast'}", 400, "'preset' must be 'faithful', 'laptop' or 'unit-test'"},
    {"PATCH capacity {'table':7}", 400, "'table' must be a table's name"},
    {"PATCH capacity {'table':'none','burst_window':1}", 404, "there is no table 'none'"},
    {"GET capacity?table=none", 404, "there is no table 'none'"},
    {"GET tables/none/partitions", 404, "there is no table 'none'"},
    {"POST tables/none/capacity/reset", 404, "there is no table 'none'"},
    {"POST tables/none/capacity/reset {'x':1}", 400, "unknown member 'x'"},
    {"POST tables/none/partitions/split {'id':'p-0001'}", 404, "there is no table 'none'"},
    {"POST tables/none/partitions/split", 400, "'id' must name a partition"},
    {"POST tables/none/partitions/split {'id':1}", 400, "'id' must be a text"},
    {"POST reset {'tables':'a'}", 400, "'tables' must be a list"},
    {"POST reset {'tables':[1]}", 400, "'tables' must be a list of table names"},
};

START_TEST(what_is_wrong_is_one_clear_sentence)
{
    char wanted[512];
    snprintf(wanted, sizeof(wanted), "{'error':'%s'}", refusals[_i].sentence);
    char got[512];
    size_t len = 0;
    for (const char *at = control(refusals[_i].call); *at != '\0' && len + 1 < sizeof(got); at++) {
        if (*at != '\\') got[len++] = *at; /* of \" in the sentence */
    }
    got[len] = '\0';
    ck_assert_str_eq(got, wanted);
    ck_assert_int_eq(outcome.http_status, refusals[_i].http_status);
}
END_TEST

START_TEST(a_wrong_member_changes_nothing)
{
    control("PATCH capacity {'burst_window':7,'enforce':'observe','unknown':1}");
    ck_assert_int_eq(outcome.http_status, 400);
    CHECK_HAS("GET capacity", "'burst_window':300,");
    CHECK_HAS("GET capacity", "'enforce':'on'");
    create_provisioned();
    control("POST reset {'tables':['TTT',1]}");
    ck_assert_int_eq(outcome.http_status, 400);
    CHECK_HAS("GET health", "'tables':1}");
}
END_TEST

Suite *control_suite(void)
{
    Suite *suite = suite_create("control");
    TCase *tests = tcase_create("endpoints");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, health_counts_the_tables);
    tcase_add_test(tests, a_manual_clock_is_moved_by_advance_and_by_now);
    tcase_add_test(tests, advance_runs_what_falls_due_on_the_way);
    tcase_add_test(tests, capacity_is_named_as_in_the_table_of_settings);
    tcase_add_test(tests, patch_changes_the_server_or_one_table);
    tcase_add_test(tests, the_era_is_one_of_three);
    tcase_add_test(tests, the_exception_of_each_cell_is_shown_and_changed);
    tcase_add_test(tests, the_seed_is_shown);
    tcase_add_test(tests, members_beside_a_preset_win);
    tcase_add_test(tests, the_unit_test_preset_stops_the_clock);
    tcase_add_test(tests, partitions_show_buckets_ranges_and_balance);
    tcase_add_test(tests, tables_show_a_table_and_its_indexes_in_a_few_figures);
    tcase_add_test(tests, a_partition_is_split_by_request);
    tcase_add_test(tests, a_cut_inside_a_collection_is_shown_as_a_sort_key);
    tcase_add_test(tests, one_hot_partition_of_four_has_the_write_cv_of_that);
    tcase_add_test(tests, capacity_reset_fills_the_buckets);
    tcase_add_test(tests, reset_drops_all_and_sets_clock_and_capacity_back);
    tcase_add_test(tests, reset_of_names_drops_those_alone);
    tcase_add_test(tests, an_isolated_callers_tables_are_named_by_scope);
    tcase_add_loop_test(tests, what_is_wrong_is_one_clear_sentence, 0, TD_COUNT_OF(refusals));
    tcase_add_test(tests, a_wrong_member_changes_nothing);
    suite_add_tcase(suite, tests);
    return suite;
}
