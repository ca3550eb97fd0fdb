/* SPDX-License-Identifier: Apache-2.0
 * scenarios.c: every scenario of conf/scenarios, its first minutes at a part of its rates: the summary is the one
 * that is kept in expected/, to the byte. What changes them on purpose rewrites them with ./expect. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim_test.h"
#include "suites.h"

#define SECONDS 720 /* the first splits come at 600 */
#define SCALE 0.004
#define FILES_MAX 64

static char names[FILES_MAX][64]; /* without ".json" */
static int name_count;

static int compare_names(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void find_scenarios(void)
{
    DIR *folder = opendir(SCENARIOS);
    if (folder == NULL) return;
    for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        size_t len = strlen(entry->d_name);
        if (len <= 5 || len >= sizeof names[0] || strcmp(entry->d_name + len - 5, ".json") != 0) continue;
        if (name_count == FILES_MAX) break;
        snprintf(names[name_count++], sizeof names[0], "%.*s", (int)(len - 5), entry->d_name);
    }
    closedir(folder);
    qsort(names, (size_t)name_count, sizeof names[0], compare_names);
}

static void read_file(const char *folder, const char *name, const char *ending, td_buf *buf)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s%s", folder, name, ending);
    FILE *file = fopen(path, "re");
    ck_assert_msg(file != NULL, "%s cannot be opened", path);
    char chunk[4096];
    for (size_t len = fread(chunk, 1, sizeof chunk, file); len > 0; len = fread(chunk, 1, sizeof chunk, file))
        td_buf_append(buf, td_slice_of(chunk, len));
    fclose(file);
    td_buf_append_byte(buf, '\0');
    ck_assert(!td_buf_has_failed(buf));
}

START_TEST(a_scenario_of_the_project_has_its_summary)
{
    td_buf expected;
    td_buf text;
    td_buf summary;
    td_buf_init(&expected, 1u << 20);
    td_buf_init(&text, 1u << 20);
    td_buf_init(&summary, 1u << 20);
    read_file(SCENARIOS, names[_i], ".json", &text);
    read_file(EXPECTED, names[_i], ".txt", &expected);
    sim_test it;
    td_arena_init(&it.arena, (size_t)256 << 20);
    td_sim__reader_init(&it.reader, &it.arena);
    bool is_read = td_sim__scenario_read(&it.reader, td_slice_of(text.data, text.len - 1), &it.scenario);
    ck_assert_msg(is_read, "%s: %s", names[_i], it.reader.sentence);
    ck_assert_msg(it.scenario.story_count > 0, "%s has no story", names[_i]);
    sim_test_run_read(&it, SECONDS, SCALE);
    td_sim__write_summary(&it.record, &summary);
    td_buf_append_byte(&summary, '\0');
    ck_assert_str_eq((const char *)summary.data, (const char *)expected.data);
    sim_test_close(&it);
    td_buf_done(&summary);
    td_buf_done(&text);
    td_buf_done(&expected);
}
END_TEST

START_TEST(there_are_scenarios)
{
    ck_assert_int_ge(name_count, 16);
}
END_TEST

TCase *scenario_file_tests(void)
{
    find_scenarios();
    TCase *tests = tcase_create("scenarios");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, there_are_scenarios);
    tcase_add_loop_test(tests, a_scenario_of_the_project_has_its_summary, 0, name_count);
    return tests;
}
