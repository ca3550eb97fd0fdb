/* SPDX-License-Identifier: Apache-2.0
 * config_file.c: tests of the configuration file, and of the sample file against the table of options. */
#include "config_private.h"

#include <stdio.h>

#include "suites.h"

static td_config config;
static td_config_reader reader;
static td_buf says;

static void setup(void)
{
    memset(&config, 0, sizeof(config));
    td_arena_init(&config.texts, (size_t)1024 * 1024);
    td_buf_init(&says, (size_t)1024 * 1024);
    reader = (td_config_reader){.config = &config, .says = &says};
    ck_assert(td_config__set_defaults(&reader));
}

static void teardown(void)
{
    td_config_done(&config);
    td_buf_done(&says);
}

static bool read_text(const char *text) { return td_config__read_text(&reader, "f", td_slice_of_cstr(text)); }

START_TEST(lines_comments_and_blanks_are_read)
{
    ck_assert(read_text("# a comment\n\n  port = 1234 # behind a blank\r\n\thost=::1\n"
                        "allow_host = a#b\nlog-level=warn"));
    ck_assert_int_eq(config.port, 1234);
    ck_assert_str_eq(config.host, "::1");
    ck_assert_str_eq(config.allow_host, "a#b");
    ck_assert_int_eq(config.log_level, 1);
}
END_TEST

START_TEST(lists_may_stand_on_several_lines)
{
    ck_assert(read_text("allow_host = a\nallow_host = b,c\n"));
    ck_assert_str_eq(config.allow_host, "a,b,c");
}
END_TEST

typedef struct wrong_text {
    const char *text;
    const char *sentence;
} wrong_text;

static const wrong_text wrong_texts[] = {
    {"port 1", "f:1: a line must be \"name = value\""},
    {"\n\nport = x", "f:3: port is \"x\", but must be a whole number from 0 to 65535"},
    {"prot = 1", "f:1: unknown option prot; did you mean port?"},
    {"= 1", "f:1: unknown option "},
    {"port = 1\nport = 2", "f:2: port is given twice"},
    {"config = other", "f:1: a configuration file cannot name another"},
    {"host = a\001b", "f:1: the line holds a control character"},
    {"threads =", "f:1: threads is \"\", but must be a whole number from 1 to 64"},
};

START_TEST(a_wrong_line_is_named_with_its_place)
{
    ck_assert(!read_text(wrong_texts[_i].text));
    td_buf_append_byte(&says, 0);
    ck_assert_str_eq((const char *)says.data, wrong_texts[_i].sentence);
}
END_TEST

/* Written by `thermodyn --print-config`; it stays true to config.def and capacity.def. */
/* Is the file what the table of options gives? */
static void check_file(const char *path, void (*write)(td_buf *buf), const char *how)
{
    td_buf wanted;
    td_buf_init(&wanted, (size_t)1024 * 1024);
    write(&wanted);
    td_buf_append_byte(&wanted, 0);
    static char text[65536];
    FILE *file = fopen(path, "re");
    ck_assert_ptr_nonnull(file);
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    fclose(file);
    bool is_equal = strcmp(text, (const char *)wanted.data) == 0;
    td_buf_done(&wanted);
    ck_assert_msg(is_equal, "%s is out of date: write it anew with thermodyn %s", path, how);
}

START_TEST(the_files_that_are_written_from_the_table_are_up_to_date)
{
    check_file(SAMPLE_FILE, td_config__write_sample, "--print-config");
    check_file(REFERENCE_FILE, td_config__write_reference, "--print-reference");
}
END_TEST

START_TEST(the_sample_with_its_options_uncommented_gives_the_defaults)
{
    td_buf sample;
    td_buf_init(&sample, (size_t)1024 * 1024);
    td_config__write_sample(&sample);
    uint32_t options = 0;
    for (size_t i = 0; i + 1 < sample.len; i++) {
        bool starts_line = i == 0 || sample.data[i - 1] == '\n';
        if (!starts_line || sample.data[i] != '#' || sample.data[i + 1] == ' ') continue;
        sample.data[i] = ' ';
        options++;
    }
    td_config defaults = config;
    bool is_read = td_config__read_text(&reader, "sample", td_buf_contents(&sample));
    td_buf_append_byte(&says, 0);
    ck_assert_msg(is_read, "%s", (const char *)says.data);
    ck_assert_uint_eq(options, TD_CONFIG_OPTION_COUNT - 1); /* all but `config` itself */
    ck_assert_int_eq(config.port, defaults.port);
    ck_assert_str_eq(config.host, defaults.host);
    ck_assert_mem_eq(&config.capacity, &defaults.capacity, sizeof(config.capacity));
    td_buf_done(&sample);
}
END_TEST

Suite *config_file_suite(void)
{
    Suite *suite = suite_create("config_file");
    TCase *tests = tcase_create("file");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, lines_comments_and_blanks_are_read);
    tcase_add_test(tests, lists_may_stand_on_several_lines);
    tcase_add_loop_test(tests, a_wrong_line_is_named_with_its_place, 0, TD_COUNT_OF(wrong_texts));
    tcase_add_test(tests, the_files_that_are_written_from_the_table_are_up_to_date);
    tcase_add_test(tests, the_sample_with_its_options_uncommented_gives_the_defaults);
    suite_add_tcase(suite, tests);
    return suite;
}
