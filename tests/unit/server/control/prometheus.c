/* SPDX-License-Identifier: Apache-2.0
 * prometheus.c: tests of the text format, and of what a scrape says after known traffic. */
#include "control/prometheus.h"

#include <stdio.h>

#include "control/exposition.h"

#include "suites.h"
#include "unit/ops/ask.h"

static ask_server server;
static td_arena arena;
static td_buf reply;

static void setup(void)
{
    ask_setup(&server);
    server.config.metrics_tables = 10;
    server.service.metrics = td_metrics_new(1);
    ck_assert_ptr_nonnull(server.service.metrics);
    server.recorder = td_metrics_get_recorder(server.service.metrics, 0);
    td_arena_init(&arena, (size_t)4 * 1024 * 1024);
    td_buf_init(&reply, (size_t)1024 * 1024);
}

static void teardown(void)
{
    td_metrics_free(server.service.metrics);
    ask_teardown(&server);
    td_arena_done(&arena);
    td_buf_done(&reply);
}

static const char *scrape(void)
{
    td_arena_reset(&arena);
    ck_assert(td_prometheus_write(&server.service, &arena, &reply));
    td_buf_append_byte(&reply, 0);
    return (const char *)reply.data;
}

/* The line stands in the scrape; labels with ' for ". */
static void check_line(const char *line)
{
    char quoted[512] = "\n";
    size_t len = strlen(line);
    ck_assert_uint_lt(len + 3, sizeof(quoted));
    for (size_t i = 0; i < len; i++)
        quoted[1 + i] = line[i] == '\'' ? '"' : line[i];
    quoted[1 + len] = '\n';
    ck_assert_msg(strstr(scrape(), quoted) != NULL, "%s is not in %.6000s", line, (const char *)reply.data);
}

static bool shows(const char *part)
{
    return strstr(scrape(), part) != NULL;
}

static const char *written(void)
{
    td_buf_append_byte(&reply, 0);
    ck_assert(!td_buf_has_failed(&reply));
    return (const char *)reply.data;
}

START_TEST(labels_get_their_escapes_and_stay_utf8)
{
    td_exposition_begin(&reply, TD_LIT("name"), TD_LIT(""));
    td_exposition_label(&reply, TD_LIT("a"), TD_LIT("x\\y\"z\n"));
    td_exposition_label(&reply, TD_LIT("b"), TD_LIT("\xc3\xa4"));
    td_exposition_label(&reply, TD_LIT("c"), TD_LIT("\xff"));
    td_exposition_count(&reply, 18446744073709551615u);
    ck_assert_str_eq(written(), "name{a=\"x\\\\y\\\"z\\n\",b=\"\xc3\xa4\",c=\"?\"} 18446744073709551615\n");
}
END_TEST

START_TEST(a_sample_takes_labels_that_are_written_already)
{
    td_exposition_label(&reply, TD_LIT("table"), TD_LIT("T"));
    char labels[32];
    (void)snprintf(labels, sizeof(labels), "%.*s", (int)reply.len, (const char *)reply.data);
    ck_assert_str_eq(labels, "table=\"T\"");
    td_buf_clear(&reply);
    td_exposition_begin(&reply, TD_LIT("n"), td_slice_of_cstr(labels));
    td_exposition_count(&reply, 1);
    td_exposition_begin(&reply, TD_LIT("n"), td_slice_of_cstr(labels));
    td_exposition_label(&reply, TD_LIT("d"), TD_LIT("r"));
    td_exposition_count(&reply, 2);
    td_exposition_begin(&reply, TD_LIT("m"), TD_LIT(""));
    td_exposition_count(&reply, 3);
    ck_assert_str_eq(written(), "n{table=\"T\"} 1\nn{table=\"T\",d=\"r\"} 2\nm 3\n");
}
END_TEST

START_TEST(numbers_are_exact)
{
    static const struct {
        int64_t milli;
        const char *text;
    } rows[] = {{0, "n 0\n"},       {500, "n 0.5\n"},     {1000, "n 1\n"},
                {-1, "n -0.001\n"}, {12340, "n 12.34\n"}, {INT64_MIN, "n -9223372036854775.808\n"},
                {-2000, "n -2\n"},  {1001, "n 1.001\n"},  {INT64_MAX, "n 9223372036854775.807\n"}};
    for (size_t i = 0; i < TD_COUNT_OF(rows); i++) {
        td_buf_clear(&reply);
        td_exposition_begin(&reply, TD_LIT("n"), TD_LIT(""));
        td_exposition_milli(&reply, rows[i].milli);
        ck_assert_str_eq(written(), rows[i].text);
    }
}
END_TEST

START_TEST(a_scrape_says_what_happened)
{
    ask_create_indexed_table(&server);
    ask(&server, "PutItem", "{'TableName':'TTT','Item':{'pk':{'S':'a'},'sk':{'S':'b'},'g':{'S':'c'}}}");
    ask(&server, "GetItem", "{'TableName':'TTT','Key':{'pk':{'S':'a'},'sk':{'S':'b'}}}");
    ask(&server, "GetItem", "{'TableName':'none','Key':{'pk':{'S':'a'}}}");
    check_line("thermodyn_tables 1");
    check_line("thermodyn_tables_left_out 0");
    check_line("thermodyn_requests_total{operation='PutItem',code='200',error=''} 1");
    check_line("thermodyn_requests_total{operation='GetItem',code='400',error='ResourceNotFoundException'} 1");
    check_line("thermodyn_request_duration_seconds_bucket{operation='GetItem',le='+Inf'} 2");
    check_line("thermodyn_request_duration_seconds_count{operation='GetItem'} 2");
    check_line("thermodyn_consumed_capacity_units_total{table='TTT',direction='read'} 0.5");
    check_line("thermodyn_consumed_capacity_units_total{table='TTT',index='global',direction='write'} 1");
    check_line("thermodyn_throttles_total{table='TTT',direction='read',reason='TableReadAccountLimitExceeded'} 0");
    check_line("thermodyn_items{table='TTT',index='global'} 1");
    check_line("thermodyn_partitions{table='TTT'} 4");
    check_line("thermodyn_partition_splits_total{table='TTT',cause='heat'} 0");
    check_line("thermodyn_burst_balance_units{table='TTT',direction='write'} 39999");
    ck_assert(!shows("provisioned_capacity_units{"));
}
END_TEST

START_TEST(provisioned_tables_show_their_rates_and_limits)
{
    ask(&server, "CreateTable",
        "{'TableName':'PPP','ProvisionedThroughput':{'ReadCapacityUnits':5,'WriteCapacityUnits':6},"
        "'AttributeDefinitions':[{'AttributeName':'pk','AttributeType':'S'}],"
        "'KeySchema':[{'AttributeName':'pk','KeyType':'HASH'}]}");
    check_line("thermodyn_provisioned_capacity_units{table='PPP',direction='write'} 6");
    check_line("thermodyn_burst_ceiling_units{table='PPP',direction='read'} 1500");
    check_line("thermodyn_throttles_total{table='PPP',direction='read',"
               "reason='TableReadProvisionedThroughputExceeded'} 0");
    ck_assert(!shows("AccountLimit"));
}
END_TEST

START_TEST(tables_beyond_the_bound_are_counted_and_left_out)
{
    server.config.metrics_tables = 0;
    ask_create_table(&server, NULL);
    check_line("thermodyn_tables 1");
    check_line("thermodyn_tables_left_out 1");
    ck_assert(!shows("TTT"));
}
END_TEST

START_TEST(the_series_of_a_dropped_table_end)
{
    ask_create_table(&server, NULL);
    ask(&server, "PutItem", "{'TableName':'TTT','Item':{'pk':{'S':'a'}}}");
    ck_assert(shows("TTT"));
    ask(&server, "DeleteTable", "{'TableName':'TTT'}");
    ck_assert(!shows("TTT"));
    check_line("thermodyn_requests_total{operation='PutItem',code='200',error=''} 1");
}
END_TEST

START_TEST(statuses_that_look_alike_are_one_sample)
{
    td_metrics_request request = {.operation = 0, .status = TD_INTERNAL_SERVER_ERROR};
    td_metrics_record(server.recorder, &request);
    request.status = TD_OUT_OF_MEMORY;
    td_metrics_record(server.recorder, &request);
    check_line("thermodyn_requests_total{operation='PutItem',code='500',error='InternalServerError'} 2");
}
END_TEST

START_TEST(a_reply_without_room_is_refused)
{
    ask_create_table(&server, NULL);
    td_buf small;
    td_buf_init(&small, 1000);
    ck_assert(!td_prometheus_write(&server.service, &arena, &small));
    td_buf_done(&small);
}
END_TEST

Suite *prometheus_suite(void)
{
    Suite *suite = suite_create("prometheus");
    TCase *tests = tcase_create("prometheus");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, labels_get_their_escapes_and_stay_utf8);
    tcase_add_test(tests, a_sample_takes_labels_that_are_written_already);
    tcase_add_test(tests, numbers_are_exact);
    tcase_add_test(tests, a_scrape_says_what_happened);
    tcase_add_test(tests, provisioned_tables_show_their_rates_and_limits);
    tcase_add_test(tests, tables_beyond_the_bound_are_counted_and_left_out);
    tcase_add_test(tests, the_series_of_a_dropped_table_end);
    tcase_add_test(tests, statuses_that_look_alike_are_one_sample);
    tcase_add_test(tests, a_reply_without_room_is_refused);
    suite_add_tcase(suite, tests);
    return suite;
}
