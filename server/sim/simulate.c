/* SPDX-License-Identifier: Apache-2.0
 * simulate.c: the subcommand: arguments, the scenario's file, the reports' files; see sim.h. */
#include "sim/sim.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "report.h"
#include "run.h"
#include "thermodyn/buf.h"
#include "thermodyn/text.h"

#define SCENARIO_BYTES_MAX ((size_t)16 << 20)
#define REPORT_BYTES_MAX ((size_t)1 << 30)
#define SCENARIO_ARENA_BYTES_MAX ((size_t)1 << 30)

static const char usage[] = "usage: thermodyn simulate SCENARIO.json [OPTION]...\n\n"
                            "Runs the load that the scenario describes against the engine in virtual time, and says "
                            "what was throttled and why.\n"
                            "docs/simulator.md describes scenarios; conf/scenarios/ holds some.\n\n"
                            "  --csv DIR        write a file of rows for each table and index, and events.csv\n"
                            "  --html FILE      write a page with the curves and heat maps\n"
                            "  --seed N         of all that is random, instead of the scenario's\n"
                            "  --until TIME     stop after so much virtual time: seconds, or \"15 min\", \"2 h\"\n"
                            "  --bucket TIME    width of a row and of a step of the curves\n"
                            "  --scale FACTOR   multiply all rates, those of partitions and quotas too: the same "
                            "picture from fewer operations\n"
                            "  --quiet          no summary, no progress\n"
                            "  --help           this\n";

typedef struct arguments {
    const char *scenario;
    const char *csv;
    const char *html;
    bool has_seed;
    int64_t seed;
    double until_s;  /* 0: to the end */
    double bucket_s; /* 0: as suits */
    double scale;
    bool is_quiet;
    bool is_help;
} arguments;

static bool read_arguments(int argc, char **argv, arguments *ret_arguments);
static bool read_argument(int argc, char **argv, int *at, arguments *args);
static bool read_time(const char *text, double *ret_seconds);
static int simulate(const arguments *args);
static int run_scenario(const arguments *args, td_sim_scenario *scenario);
static bool set_options(const arguments *args, const td_sim_scenario *scenario, td_sim_run_options *options);
static bool write_reports(const arguments *args, const td_sim_record *record);
static bool write_all_csv(const char *directory, const td_sim_record *record);
static bool read_file(const char *path, td_buf *buf);
static bool write_file(const char *path, const td_buf *buf);
static bool complain(const char *format, ...) TD_PRINTF(1, 2);

int td_sim_command(int argc, char **argv)
{
    arguments args;
    if (!read_arguments(argc, argv, &args)) return 2;
    if (!args.is_help) return simulate(&args);
    fputs(usage, stdout);
    return 0;
}

static bool read_arguments(int argc, char **argv, arguments *ret_arguments)
{
    *ret_arguments = (arguments){.scale = 1};
    for (int at = 0; at < argc; at++) {
        if (!read_argument(argc, argv, &at, ret_arguments)) return false;
    }
    if (ret_arguments->scenario != NULL || ret_arguments->is_help) return true;
    return complain("simulate needs a scenario's file; thermodyn simulate --help says more");
}

/* "--name VALUE" or "--name=VALUE"; *at stays at the last word that was read. */
static bool read_argument(int argc, char **argv, int *at, arguments *args)
{
    const char *word = argv[*at];
    if (word[0] != '-') {
        if (args->scenario != NULL) return complain("\"%s\": one scenario at a time", word);
        args->scenario = word;
        return true;
    }
    if (strcmp(word, "--help") == 0) return args->is_help = true;
    if (strcmp(word, "--quiet") == 0) return args->is_quiet = true;
    static const char *const names[] = {"--csv", "--html", "--seed", "--until", "--bucket", "--scale"};
    const char *equal = strchr(word, '=');
    size_t len = equal == NULL ? strlen(word) : (size_t)(equal - word);
    size_t name = 0;
    while (name < TD_COUNT_OF(names) && (strlen(names[name]) != len || strncmp(names[name], word, len) != 0)) {
        name++;
    }
    if (name == TD_COUNT_OF(names)) return complain("simulate has no option %.*s", (int)len, word);
    if (equal == NULL && *at + 1 == argc) return complain("%s needs a value", word);
    const char *value = equal == NULL ? argv[++*at] : equal + 1;
    char *end = NULL;
    switch (name) {
    case 0: args->csv = value; return true;
    case 1: args->html = value; return true;
    case 2:
        args->has_seed = true;
        if (td_parse_int64(td_slice_of_cstr(value), &args->seed) && args->seed >= 0) return true;
        return complain("--seed must be a whole number from 0 on, but is \"%s\"", value);
    case 3: return read_time(value, &args->until_s) || complain("--until must be a time, but is \"%s\"", value);
    case 4: return read_time(value, &args->bucket_s) || complain("--bucket must be a time, but is \"%s\"", value);
    default: break;
    }
    args->scale = strtod(value, &end);
    bool is_good = end != value && *end == '\0' && args->scale >= 0.0001 && args->scale <= 1000;
    return is_good || complain("--scale must be a number from 0.0001 to 1000, but is \"%s\"", value);
}

static bool read_time(const char *text, double *ret_seconds)
{
    char *end = NULL;
    double number = strtod(text, &end);
    if (end == text) return false;
    while (*end == ' ') {
        end++;
    }
    double one = strcmp(end, "") == 0 || strcmp(end, "s") == 0 ? 1
                 : strcmp(end, "min") == 0                     ? 60
                 : strcmp(end, "h") == 0                       ? 3600
                                                               : 0;
    *ret_seconds = number * one;
    return *ret_seconds >= 1 && *ret_seconds <= (double)TD_SIM_DURATION_MAX / (double)TD_US_PER_S;
}

static int simulate(const arguments *args)
{
    td_arena arena;
    td_buf text;
    td_arena_init(&arena, SCENARIO_ARENA_BYTES_MAX);
    td_buf_init(&text, SCENARIO_BYTES_MAX);
    td_sim_scenario scenario;
    td_sim_reader reader;
    td_sim__reader_init(&reader, &arena);
    int code = 2;
    if (read_file(args->scenario, &text)) {
        if (td_sim__scenario_read(&reader, td_buf_contents(&text), &scenario)) {
            code = run_scenario(args, &scenario);
        } else {
            complain("%s: %s", args->scenario, reader.sentence);
        }
    }
    td_buf_done(&text);
    td_arena_done(&arena);
    return code;
}

static int run_scenario(const arguments *args, td_sim_scenario *scenario)
{
    td_sim_progress progress;
    td_sim_run_options options = {.scale = args->scale, .progress = &progress};
    if (args->has_seed) scenario->seed = (uint64_t)args->seed;
    if (!set_options(args, scenario, &options)) return 2;
    td_sim__progress_init(&progress, args->is_quiet);
    td_sim_record record;
    char sentence[TD_SIM_FAULT_BYTES];
    bool is_run = td_sim__run(scenario, &options, &record, sentence);
    td_sim__progress_done(&progress);
    if (!is_run) {
        complain("%s: %s", args->scenario, sentence);
        return 1;
    }
    bool is_written = write_reports(args, &record);
    td_sim__record_done(&record);
    return is_written ? 0 : 1;
}

static bool set_options(const arguments *args, const td_sim_scenario *scenario, td_sim_run_options *options)
{
    options->duration_us = td_sim__scenario_duration_us(scenario);
    td_time_us until_us = (td_time_us)llround(args->until_s * (double)TD_US_PER_S);
    if (until_us > 0 && until_us < options->duration_us) options->duration_us = until_us;
    options->bucket_us = (td_time_us)llround(args->bucket_s * (double)TD_US_PER_S);
    if (options->bucket_us == 0 || options->duration_us / options->bucket_us < TD_SIM_BUCKETS_MAX) return true;
    return complain("--bucket gives more than %d rows; make it wider", TD_SIM_BUCKETS_MAX);
}

static bool write_reports(const arguments *args, const td_sim_record *record)
{
    td_buf buf;
    td_buf_init(&buf, REPORT_BYTES_MAX);
    bool is_written = true;
    if (!args->is_quiet) {
        td_sim__write_summary(record, &buf);
        is_written = !td_buf_has_failed(&buf) && fwrite(buf.data, 1, buf.len, stdout) == buf.len && fflush(stdout) == 0;
    }
    if (args->csv != NULL && !write_all_csv(args->csv, record)) is_written = false;
    if (args->html != NULL) {
        td_buf_clear(&buf);
        td_sim__write_html(record, &buf);
        if (!write_file(args->html, &buf)) is_written = false;
    }
    td_buf_done(&buf);
    return is_written;
}

static bool write_all_csv(const char *directory, const td_sim_record *record)
{
    if (mkdir(directory, 0777) != 0 && errno != EEXIST) {
        return complain("the directory %s cannot be made: %s", directory, strerror(errno));
    }
    td_buf rows;
    td_buf path;
    td_buf_init(&rows, REPORT_BYTES_MAX);
    td_buf_init(&path, 8192);
    bool is_written = true;
    for (uint32_t i = 0; i <= record->place_count && is_written; i++) {
        td_buf_clear(&rows);
        td_buf_clear(&path);
        td_buf_append_format(&path, "%s/", directory);
        td_sim__csv_name(record, i, &path);
        td_buf_append_byte(&path, '\0');
        td_sim__write_csv(record, i, &rows);
        is_written = !td_buf_has_failed(&path) && write_file((const char *)path.data, &rows);
    }
    td_buf_done(&path);
    td_buf_done(&rows);
    return is_written;
}

static bool read_file(const char *path, td_buf *buf)
{
    FILE *file = fopen(path, "re");
    if (file == NULL) return complain("%s cannot be opened: %s", path, strerror(errno));
    size_t len = 1;
    while (len > 0) {
        uint8_t *place = td_buf_reserve(buf, 65536);
        if (place == NULL) break;
        len = fread(place, 1, 65536, file);
        td_buf_commit(buf, len);
    }
    bool is_read = ferror(file) == 0 && !td_buf_has_failed(buf);
    fclose(file);
    return is_read || complain("%s cannot be read, or is larger than %zu MB", path, SCENARIO_BYTES_MAX >> 20);
}

static bool write_file(const char *path, const td_buf *buf)
{
    if (td_buf_has_failed(buf)) return complain("%s: out of memory", path);
    FILE *file = fopen(path, "we");
    bool is_written = file != NULL && fwrite(buf->data, 1, buf->len, file) == buf->len;
    if (file != NULL && fclose(file) != 0) is_written = false;
    return is_written || complain("%s cannot be written: %s", path, strerror(errno));
}

/* Answers false, so that a check says `good || complain(…)`. */
static bool complain(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("thermodyn: ", stderr);
    vfprintf(stderr, format, args);
    fputs("\n", stderr);
    va_end(args);
    return false;
}
