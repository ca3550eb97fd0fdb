/* SPDX-License-Identifier: Apache-2.0
 * config.c: tests of the options: flags, environment, precedence, DynamoDB Local's command line, and the sentences. */
#include "config_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "suites.h"

#define WORDS_MAX 16

static td_config config;
static td_buf says;

static void setup(void) { td_buf_init(&says, (size_t)1024 * 1024); }

static void teardown(void)
{
    td_buf_done(&says);
    td_config_done(&config);
}

/* Loads a command line, its words parted by blanks, and an environment likewise. */
static td_config_outcome load(const char *line, const char *environment)
{
    static char texts[2][1024];
    char *words[2][WORDS_MAX + 1];
    const char *given[2] = {line, environment};
    int counts[2];
    for (int i = 0; i < 2; i++) {
        int count = 0;
        snprintf(texts[i], sizeof(texts[i]), "%s", given[i]);
        char *rest = texts[i];
        for (char *word = strsep(&rest, " "); word != NULL && count < WORDS_MAX; word = strsep(&rest, " ")) {
            if (*word != '\0') words[i][count++] = word;
        }
        words[i][count] = NULL;
        counts[i] = count;
    }
    td_buf_clear(&says);
    td_config_done(&config);
    return td_config__load(counts[0], words[0], words[1], &config, &says);
}

static const char *sentence(void)
{
    td_buf_append_byte(&says, 0);
    return (const char *)says.data;
}

#define CHECK_RUNS(line, environment) ck_assert_msg(load(line, environment) == TD_CONFIG_RUN, "%s", sentence())

START_TEST(without_options_all_is_default)
{
    CHECK_RUNS("thermodyn", "HOME=/ PATH=/bin");
    ck_assert_int_eq(config.port, 8000);
    ck_assert_str_eq(config.host, "127.0.0.1");
    ck_assert_str_eq(config.account, "000000000000");
    ck_assert_str_eq(config.cors_origins, "*");
    ck_assert_int_eq(config.messages, TD_MESSAGES_MAJORITY);
    ck_assert(!config.isolate);
    ck_assert_int_eq(config.index_lag_ms, 0);
    ck_assert_double_eq(config.stale_reads, 0);
    ck_assert_int_eq(config.capacity.enforce, TD_ENFORCE_ON);
    for (size_t i = 0; i < TD_CAPACITY_SETTING_COUNT; i++) {
        ck_assert_double_eq(config.capacity.values[i], td_capacity_rows[i].default_value);
    }
}
END_TEST

START_TEST(a_value_stands_behind_the_flag_or_behind_its_equals_sign)
{
    CHECK_RUNS("thermodyn --port 1234 --host=::1 --log-level debug --capacity-scale=0.5 --burst-window 7"
               " --stale-reads 0.25",
               "");
    ck_assert_int_eq(config.port, 1234);
    ck_assert_str_eq(config.host, "::1");
    ck_assert_int_eq(config.log_level, 3);
    ck_assert_double_eq(config.capacity.values[TD_CAPACITY_capacity_scale], 0.5);
    ck_assert_double_eq(config.capacity.values[TD_CAPACITY_burst_window], 7);
    ck_assert_double_eq(config.stale_reads, 0.25);
}
END_TEST

START_TEST(a_switch_alone_means_on)
{
    CHECK_RUNS("thermodyn --isolate --table-delays off --port 1", "");
    ck_assert(config.isolate);
    ck_assert(!config.table_delays);
    CHECK_RUNS("thermodyn --isolate=no", "");
    ck_assert(!config.isolate);
}
END_TEST

START_TEST(lists_may_be_repeated_or_parted_by_commas)
{
    CHECK_RUNS("thermodyn --allow-host a,b --allow-host c", "THERMODYN_ALLOW_HOST=weaker");
    ck_assert_str_eq(config.allow_host, "a,b,c");
    CHECK_RUNS("thermodyn --cors-origins http://x", "");
    ck_assert_str_eq(config.cors_origins, "http://x");
}
END_TEST

START_TEST(flags_win_over_the_environment_and_that_over_the_file)
{
    char path[] = "/tmp/thermodyn-config-XXXXXX";
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    static const char text[] = "port = 1\nthreads = 2\nidle_timeout = 3\n";
    ck_assert_int_eq(write(fd, text, sizeof(text) - 1), sizeof(text) - 1);
    close(fd);
    char line[128];
    snprintf(line, sizeof(line), "thermodyn --port 11 --config %s", path);
    CHECK_RUNS(line, "THERMODYN_PORT=21 THERMODYN_THREADS=22");
    ck_assert_int_eq(config.port, 11);
    ck_assert_int_eq(config.threads, 22);
    ck_assert_int_eq(config.idle_timeout, 3);
    snprintf(line, sizeof(line), "THERMODYN_CONFIG=%s", path);
    CHECK_RUNS("thermodyn", line);
    ck_assert_int_eq(config.port, 1);
    unlink(path);
}
END_TEST

START_TEST(a_preset_gives_what_is_not_given_by_itself)
{
    CHECK_RUNS("thermodyn --preset laptop", "");
    ck_assert_double_eq(config.capacity.values[TD_CAPACITY_duration_divisor], 60);
    CHECK_RUNS("thermodyn --preset laptop --enforce observe", "THERMODYN_DURATION_DIVISOR=2");
    ck_assert_double_eq(config.capacity.values[TD_CAPACITY_duration_divisor], 2);
    ck_assert_double_eq(config.capacity.values[TD_CAPACITY_capacity_scale], 0.1);
    ck_assert_int_eq(config.capacity.enforce, TD_ENFORCE_OBSERVE);
    ck_assert_int_eq(config.preset, TD_PRESET_LAPTOP);
}
END_TEST

START_TEST(dynamodb_local_command_lines_are_understood)
{
    CHECK_RUNS("thermodyn -Djava.library.path=./DynamoDBLocal_lib -jar DynamoDBLocal.jar -sharedDb -inMemory "
               "-port 1234 -cors http://a,http://b -delayTransientStatuses -disableTelemetry", "");
    ck_assert_int_eq(config.port, 1234);
    ck_assert_str_eq(config.cors_origins, "http://a,http://b");
    ck_assert(config.table_delays);
    ck_assert_str_eq(config.data_dir, "");
    CHECK_RUNS("thermodyn -Xmx1g -dbPath ./data -optimizeDbBeforeStartup", "");
    ck_assert_str_eq(config.data_dir, "./data");
    CHECK_RUNS("thermodyn -inMemory", "THERMODYN_DATA_DIR=./data");
    ck_assert_str_eq(config.data_dir, "");
    ck_assert_int_eq(load("thermodyn -inMemory -dbPath ./data", ""), TD_CONFIG_INVALID);
    ck_assert_int_eq(load("thermodyn -dbPath ./data -inMemory", ""), TD_CONFIG_INVALID);
    ck_assert_int_eq(load("thermodyn -dbPath ./data -dbPath ./other", ""), TD_CONFIG_INVALID);
    ck_assert_int_eq(load("thermodyn -port 99999", ""), TD_CONFIG_INVALID);
    ck_assert_int_eq(load("thermodyn -help", ""), TD_CONFIG_PRINTED);
}
END_TEST

START_TEST(what_kubernetes_puts_into_the_environment_is_not_for_us)
{
    CHECK_RUNS("thermodyn", "THERMODYN_PORT=tcp://10.0.0.1:8000 THERMODYN_SERVICE_HOST=10.0.0.1");
    ck_assert_int_eq(config.port, 8000);
}
END_TEST

START_TEST(the_era_and_the_exceptions_of_throttles_are_options)
{
    CHECK_RUNS("thermodyn --era static --preset laptop --exception-policy TableReadKeyRangeThroughputExceeded=M1 "
               "--exception-policy IndexWriteAccountLimitExceeded/PAY_PER_REQUEST=RequestLimitExceeded",
               "THERMODYN_ERA=adaptive");
    ck_assert_int_eq(config.capacity.era, TD_ERA_STATIC);
    ck_assert_double_eq(config.capacity.values[TD_CAPACITY_capacity_scale], 0.1);
    uint32_t count = 0;
    for (uint32_t cell = 0; cell < TD_POLICY_CELL_COUNT; cell++)
        count += config.capacity.policy.answers[cell] != TD_ANSWER_DEFAULT;
    ck_assert_uint_eq(count, 3); /* one in both modes, one in one */
    CHECK_RUNS("thermodyn", "");
    ck_assert_int_eq(config.capacity.era, TD_ERA_INSTANT);
}
END_TEST

typedef struct wrong_line {
    const char *line;
    const char *environment;
    const char *sentence;
} wrong_line;

static const wrong_line wrong_lines[] = {
    {"thermodyn --port abc", "", "--port is \"abc\", but must be a whole number from 0 to 65535"},
    {"thermodyn --port=65536", "", "--port is \"65536\", but must be a whole number from 0 to 65535"},
    {"thermodyn --port=", "", "--port is \"\", but must be a whole number from 0 to 65535"},
    {"thermodyn --port", "", "--port needs a value: PORT"},
    {"thermodyn -port", "", "-port needs a value"},
    {"thermodyn --messages new", "", "--messages is \"new\", but must be one of classic, majority, 2026"},
    {"thermodyn --isolate=maybe", "", "--isolate is \"maybe\", but must be on or off"},
    {"thermodyn --burst-window 1e9", "", "--burst-window is \"1e9\", but must be a number from 0.001 to 86400"},
    {"thermodyn --burst-window nan", "", "--burst-window is \"nan\", but must be a number from 0.001 to 86400"},
    {"thermodyn --stale-reads 1.5", "", "--stale-reads is \"1.5\", but must be a number from 0 to 1"},
    {"thermodyn --stale-reads-ms 0", "", "--stale-reads-ms is \"0\", but must be a whole number from 1 to 86400000"},
    {"thermodyn --index-lag-ms -1", "", "--index-lag-ms is \"-1\", but must be a whole number from 0 to 86400000"},
    {"thermodyn --account 12", "", "account is \"12\", but must be 12 digits"},
    {"thermodyn --seed 9223372036854775808", "",
     "--seed is \"9223372036854775808\", but must be a whole number from 0 to 9223372036854775808"},
    {"thermodyn --era modern", "", "--era is \"modern\", but must be one of static, adaptive, instant"},
    {"thermodyn --exception-policy M1", "",
     "exception_policy is \"M1\": it must be a list of REASON=EXCEPTION parted by commas"},
    {"thermodyn", "THERMODYN_EXCEPTION_POLICY=TableReadAccountLimitExceeded=M7",
     "exception_policy is \"TableReadAccountLimitExceeded=M7\": a cell's answer must be "
     "ProvisionedThroughputExceededException, ThrottlingException, RequestLimitExceeded, M1 to M6, or default"},
    {"thermodyn --prot 1", "", "unknown option --prot; did you mean --port?"},
    {"thermodyn --table-delay=on", "", "unknown option --table-delay; did you mean --table-delays?"},
    {"thermodyn -inmemory", "", "unknown option -inmemory; see thermodyn --help"},
    {"thermodyn --quite-another-thing", "", "unknown option --quite-another-thing; see thermodyn --help"},
    {"thermodyn start", "", "unexpected argument \"start\"; see thermodyn --help"},
    {"check FOLDER", "", "unexpected argument \"FOLDER\"; see thermodyn --help"},
    {"dump FOLDER OTHER", "", "unexpected argument \"OTHER\"; see thermodyn --help"},
    {"thermodyn", "THERMODYN_THREADS=0", "THERMODYN_THREADS is \"0\", but must be a whole number from 1 to 64"},
    {"thermodyn --threads 2", "THERMODYN_THREADS=x",
     "THERMODYN_THREADS is \"x\", but must be a whole number from 1 to 64"},
    {"thermodyn --config /nonexistent/file", "",
     "the configuration file /nonexistent/file cannot be read: No such file or directory"},
};

START_TEST(wrong_options_are_one_clear_sentence)
{
    const wrong_line *wrong = &wrong_lines[_i];
    ck_assert_int_eq(load(wrong->line, wrong->environment), TD_CONFIG_INVALID);
    ck_assert_str_eq(sentence(), wrong->sentence);
}
END_TEST

START_TEST(commands_have_operands_among_their_options)
{
    ck_assert_int_eq(load("dump FOLDER --data-dir DIR", ""), TD_CONFIG_RUN);
    ck_assert_str_eq(config.dump_to, "FOLDER");
    ck_assert_str_eq(config.data_dir, "DIR");
    ck_assert_int_eq(load("load --data-dir DIR one two --init three", "THERMODYN_INIT=four"), TD_CONFIG_RUN);
    ck_assert_str_eq(config.init, "one,two,three");
    ck_assert_str_eq(config.dump_to, "");
}
END_TEST

START_TEST(help_names_every_option_and_its_default)
{
    ck_assert_int_eq(load("thermodyn --no-such-thing --help", ""), TD_CONFIG_PRINTED);
    const char *help = sentence();
    for (size_t i = 0; i < TD_CONFIG_OPTION_COUNT; i++) {
        td_config_option option = td_config__option_at(i);
        char flag[80];
        int len = snprintf(flag, sizeof(flag), "  --%s ", option.name);
        for (int at = 0; at < len; at++) {
            if (flag[at] == '_') flag[at] = '-';
        }
        ck_assert_msg(strstr(help, flag) != NULL, "--help does not name %s", option.name);
    }
    ck_assert_ptr_nonnull(strstr(help, "port to listen on; 0 takes a free one (8000)"));
}
END_TEST

START_TEST(version_is_the_projects)
{
    ck_assert_int_eq(load("thermodyn --version", ""), TD_CONFIG_PRINTED);
    ck_assert_str_eq(sentence(), "thermodyn " TD_VERSION "\n");
}
END_TEST

Suite *config_suite(void)
{
    Suite *suite = suite_create("config");
    TCase *tests = tcase_create("options");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, without_options_all_is_default);
    tcase_add_test(tests, a_value_stands_behind_the_flag_or_behind_its_equals_sign);
    tcase_add_test(tests, a_switch_alone_means_on);
    tcase_add_test(tests, lists_may_be_repeated_or_parted_by_commas);
    tcase_add_test(tests, flags_win_over_the_environment_and_that_over_the_file);
    tcase_add_test(tests, a_preset_gives_what_is_not_given_by_itself);
    tcase_add_test(tests, dynamodb_local_command_lines_are_understood);
    tcase_add_test(tests, what_kubernetes_puts_into_the_environment_is_not_for_us);
    tcase_add_test(tests, the_era_and_the_exceptions_of_throttles_are_options);
    tcase_add_loop_test(tests, wrong_options_are_one_clear_sentence, 0, TD_COUNT_OF(wrong_lines));
    tcase_add_test(tests, commands_have_operands_among_their_options);
    tcase_add_test(tests, help_names_every_option_and_its_default);
    tcase_add_test(tests, version_is_the_projects);
    suite_add_tcase(suite, tests);
    return suite;
}
