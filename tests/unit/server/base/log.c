/* SPDX-License-Identifier: Apache-2.0
 * log.c: tests of the log's lines, read back from a pipe that stands in for standard error. */
#include "log.h"

#include <stdio.h>
#include <unistd.h>

#include "suites.h"

static char lines[8192];
static int saved_stderr;
static int read_end;

static void begin_capture(void)
{
    int ends[2];
    saved_stderr = dup(STDERR_FILENO);
    ck_assert_int_eq(pipe(ends), 0);
    dup2(ends[1], STDERR_FILENO);
    close(ends[1]);
    read_end = ends[0];
}

/* What was written meanwhile. */
static const char *end_capture(void)
{
    dup2(saved_stderr, STDERR_FILENO);
    close(saved_stderr);
    ssize_t len = read(read_end, lines, sizeof(lines) - 1);
    close(read_end);
    lines[len > 0 ? len : 0] = '\0';
    return lines;
}

/* What one record looks like; without its time, which is 24 characters. */
static const char *written(td_log_level least, bool is_json, td_log_level level, td_slice table, int64_t count)
{
    begin_capture();
    td_log *log = td_log_new(least, is_json);
    ck_assert_ptr_nonnull(log);
    TD_LOG(log, level, "throttled", TD_LOG_TEXT("table", table), TD_LOG_NUMBER("count", count));
    td_log_free(log);
    const char *line = end_capture();
    return strlen(line) > 24 ? line + (is_json ? 33 : 24) : "";
}

START_TEST(a_text_line_has_level_event_and_fields)
{
    ck_assert_str_eq(written(TD_LOG_INFO, false, TD_LOG_INFO, TD_LIT("Orders"), -12),
                     " info  throttled table=Orders count=-12\n");
    ck_assert_str_eq(written(TD_LOG_INFO, false, TD_LOG_ERROR, TD_LIT("a b\n\"c"), 1),
                     " error throttled table=\"a b\\u000a\\\"c\" count=1\n");
    ck_assert_str_eq(written(TD_LOG_INFO, false, TD_LOG_WARN, TD_LIT(""), 1), " warn  throttled table=\"\" count=1\n");
}
END_TEST

START_TEST(a_json_line_is_json)
{
    ck_assert_str_eq(written(TD_LOG_INFO, true, TD_LOG_INFO, TD_LIT("Or\\ders"), 12),
                     "\",\"level\":\"info\",\"event\":\"throttled\",\"table\":\"Or\\\\ders\",\"count\":12}\n");
    ck_assert_str_eq(written(TD_LOG_INFO, true, TD_LOG_INFO, TD_LIT("\xff"), 12),
                     "\",\"level\":\"info\",\"event\":\"throttled\",\"table\":\"?\",\"count\":12}\n");
}
END_TEST

START_TEST(what_is_below_the_level_is_not_written)
{
    ck_assert_str_eq(written(TD_LOG_WARN, false, TD_LOG_INFO, TD_LIT("x"), 1), "");
}
END_TEST

START_TEST(a_record_that_is_too_long_loses_fields_and_stays_a_line)
{
    static uint8_t bytes[10000];
    memset(bytes, 'a', sizeof(bytes));
    ck_assert_str_eq(written(TD_LOG_INFO, true, TD_LOG_INFO, td_slice_of(bytes, sizeof(bytes)), 1),
                     "\",\"level\":\"info\",\"event\":\"throttled\"}\n");
}
END_TEST

static int count_of(const char *text, const char *part)
{
    int count = 0;
    for (const char *at = strstr(text, part); at != NULL; at = strstr(at + 1, part))
        count++;
    return count;
}

START_TEST(failures_are_written_ten_a_second_and_the_others_counted)
{
    static const struct {
        int64_t at_us;
        int count;
    } failures[] = {{5999999, 10}, {6000000, 12}, {6999999, 3}, {7000000, 2}, {9000000, 1}};
    begin_capture();
    td_log *log = td_log_new(TD_LOG_ERROR, false);
    ck_assert_ptr_nonnull(log);
    for (size_t i = 0; i < TD_COUNT_OF(failures); i++) {
        for (int n = 0; n < failures[i].count; n++)
            TD_LOG_FAILURE(log, failures[i].at_us, "request failed", TD_LOG_NUMBER("n", n));
    }
    td_log_free(log);
    const char *text = end_capture();
    ck_assert_int_eq(count_of(text, "error request failed"), 10 + TD_LOG_FAILURES_A_SECOND + 2 + 1);
    ck_assert_int_eq(count_of(text, "left_out"), 1);
    ck_assert_int_eq(count_of(text, " error request failed left_out=5 n=0\n"), 1);
}
END_TEST

Suite *log_suite(void)
{
    Suite *suite = suite_create("log");
    TCase *tests = tcase_create("lines");
    tcase_add_test(tests, a_text_line_has_level_event_and_fields);
    tcase_add_test(tests, a_json_line_is_json);
    tcase_add_test(tests, what_is_below_the_level_is_not_written);
    tcase_add_test(tests, a_record_that_is_too_long_loses_fields_and_stays_a_line);
    tcase_add_test(tests, failures_are_written_ten_a_second_and_the_others_counted);
    suite_add_tcase(suite, tests);
    return suite;
}
