/* SPDX-License-Identifier: Apache-2.0
 * report.c: the command line of `thermodyn report`: what it asks, where the report goes, and its exit code. */
#include "report.h"

#include <errno.h>
#include <stdio.h>

#include "ask.h"

#define REPORT_BYTES_MAX ((size_t)256 << 20)

typedef struct report_format {
    const char *name;
    const char *ending; /* of a file that is written so when no format is given */
    bool (*write)(const td_report *report, td_buf *buf);
    bool has_pictures;
} report_format;

/* The first one unless something else is asked for. */
static const report_format formats[] = {{"html", ".html", td_report_write_html, true},
                                        {"markdown", ".md", td_report_write_markdown, false},
                                        {"junit", ".xml", td_report_write_junit, false},
                                        {"json", ".json", td_report_write_json, false}};

static int report(td_ask *ask);
static const report_format *find_format(td_ask *ask);
static bool gather(td_ask *ask, const report_format *format, td_report *it);
static bool get(void *context, td_slice target, td_arena *arena, const td_json_node **ret_answer);
static bool write_out(td_ask *ask, const report_format *format, const td_report *it);
static void print_help(void);

int td_report_command(int argc, char **argv)
{
    return td_ask_run(argc, argv, report, print_help);
}

static int report(td_ask *ask)
{
    td_report it = {.from_ms = 0};
    const report_format *format = find_format(ask);
    if (format == NULL || !td_criteria_read(ask->values[TD_ASK_FAIL_ON], &ask->arena, &it.criteria, ask->sentence)) {
        return td_ask_fail(ask);
    }
    if (format->write == td_report_write_junit && it.criteria.count == 0) {
        snprintf(ask->sentence, sizeof(ask->sentence),
                 "--format junit needs --fail-on: its test cases are the criteria, as in --fail-on throttle,hot-key");
        return td_ask_fail(ask);
    }
    if (!gather(ask, format, &it) || !write_out(ask, format, &it)) return td_ask_fail(ask);
    td_buf line;
    td_buf_init(&line, REPORT_BYTES_MAX);
    td_findings_summarize(&it.findings, &line);
    if (line.len > 0) fwrite(line.data, 1, line.len, stderr);
    td_buf_done(&line);
    return it.findings.held > 0 ? TD_ASK_FOUND : TD_ASK_FINE;
}

static const report_format *find_format(td_ask *ask)
{
    const char *name = ask->values[TD_ASK_FORMAT];
    const char *output = ask->values[TD_ASK_OUTPUT] == NULL ? "" : ask->values[TD_ASK_OUTPUT];
    for (size_t i = 0; i < TD_COUNT_OF(formats); i++) {
        size_t len = strlen(formats[i].ending);
        bool has_ending = strlen(output) >= len && strcmp(output + strlen(output) - len, formats[i].ending) == 0;
        if (name == NULL ? has_ending : strcmp(name, formats[i].name) == 0) return &formats[i];
    }
    if (name == NULL) return &formats[0];
    snprintf(ask->sentence, sizeof(ask->sentence), "--format is \"%.100s\", but must be html, markdown, junit or json",
             name);
    return NULL;
}

/* The questions of one report. */
typedef struct asking {
    td_ask *ask;
    td_buf text; /* of the last answer */
} asking;

static bool gather(td_ask *ask, const report_format *format, td_report *it)
{
    asking questions = {.ask = ask};
    td_buf target;
    td_slice question = TD_LIT("");
    td_slice endpoint;
    const td_json_node *advice = NULL;
    td_buf_init(&target, REPORT_BYTES_MAX);
    td_buf_init(&questions.text, 0);
    td_buf_append_lit(&target, "/_thermodyn/advice?detail=partitions");
    td_ask_append_question(ask, &target);
    bool is_ipv6 = strchr(ask->client.host, ':') != NULL;
    bool is_gathered = get(&questions, td_buf_contents(&target), &ask->arena, &advice) &&
                       td_arena_format(&ask->arena, &endpoint, "%s://%s%s%s:%d",
                       ask->client.is_tls ? "https" : "http", is_ipv6 ? "[" : "", ask->client.host,
                                       is_ipv6 ? "]" : "", ask->client.port) &&
                       td_criteria_judge(&it->criteria, advice, &ask->arena, &it->findings);
    if (is_gathered && ask->values[TD_ASK_SCOPE] != NULL) {
        td_buf_clear(&target);
        td_buf_append_byte(&target, '?');
        td_ask_append_parameter(&target, "scope", ask->values[TD_ASK_SCOPE]);
        is_gathered =
            td_arena_format(&ask->arena, &question, "%.*s", (int)target.len - 1, (const char *)target.data + 1);
    }
    if (is_gathered) {
        const char *window = ask->values[TD_ASK_WINDOW];
        it->endpoint = endpoint;
        td_report_source source = {.get = get,
                                   .context = &questions,
                                   .question = (const char *)question.ptr,
                                   .window = window == NULL ? "" : window};
        is_gathered = td_report_gather(&source, advice, format->has_pictures, &ask->arena, it);
    }
    td_buf_done(&target);
    td_buf_done(&questions.text);
    return is_gathered;
}

static bool get(void *context, td_slice target, td_arena *arena, const td_json_node **ret_answer)
{
    asking *it = context;
    td_buf_done(&it->text);
    return td_ask_get(it->ask, target, arena, &it->text, ret_answer);
}

/* Written whole or not at all as far as can be seen: a file that cannot be closed is a failure. */
static bool write_out(td_ask *ask, const report_format *format, const td_report *it)
{
    const char *output = ask->values[TD_ASK_OUTPUT];
    td_buf buf;
    td_buf_init(&buf, REPORT_BYTES_MAX);
    bool is_written = format->write(it, &buf);
    if (is_written) {
        bool has_file = output != NULL && strcmp(output, "-") != 0;
        FILE *file = has_file ? fopen(output, "we") : stdout;
        is_written = file != NULL && fwrite(buf.data, 1, buf.len, file) == buf.len && fflush(file) == 0;
        int error = errno;
        if (has_file && file != NULL && fclose(file) != 0 && is_written) {
            is_written = false;
            error = errno;
        }
        if (!is_written) {
            snprintf(ask->sentence, sizeof(ask->sentence), "%.300s cannot be written: %s",
                     has_file ? output : "the report", strerror(error));
        }
    }
    td_buf_done(&buf);
    return is_written;
}

static void print_help(void)
{
    fputs(
        "usage: thermodyn report [OPTION]...\n\n"
        "Asks the running server what the last hour's traffic did to its partitions: what was consumed and throttled,\n"
        "which partitions and keys are hot, what was split, and what to do about it. For the end of a test run.\n\n",
        stdout);
    fputs(td_ask_help, stdout);
    puts("  --format FORMAT    html (one page with heat maps), markdown (a job summary), junit (a test case for each\n"
         "                     criterion of --fail-on and table), json. Else by the ending of FILE, else html\n"
         "  --output FILE      instead of standard output");
    td_criteria_print_help();
    puts("\nexit code: 0 nothing that --fail-on names; 1 something that it names; 2 wrong arguments, or no server");
}
