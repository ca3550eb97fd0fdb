/* SPDX-License-Identifier: Apache-2.0
 * advise.c: `thermodyn advise`: its question to the server, and its exit code.
 * Not here: what the report looks like (advise_report.c), and the advice itself (server/control/). */
#include "advise.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "thermodyn/text.h"

#include "ask.h"
#include "criterion.h"

#define REPORT_BYTES_MAX ((size_t)64 * 1024 * 1024)
#define COLUMNS_WITHOUT_TERMINAL 100
#define COLUMNS_MIN 40
#define COLUMNS_MAX 120

static int advise(td_ask *ask);
static int tell(td_ask *ask, const td_criteria *criteria, td_slice text, const td_json_node *answer);
static void print_help(void);

int td_advise(int argc, char **argv)
{
    return td_ask_run(argc, argv, advise, print_help);
}

static int advise(td_ask *ask)
{
    td_criteria criteria;
    const td_json_node *answer;
    td_buf target;
    td_buf text;
    if (!td_criteria_read(ask->values[TD_ASK_FAIL_ON], &ask->arena, &criteria, ask->sentence)) return td_ask_fail(ask);
    td_buf_init(&target, REPORT_BYTES_MAX);
    td_buf_append_lit(&target, "/_thermodyn/advice?");
    td_ask_append_question(ask, &target);
    bool is_answered = td_ask_get(ask, td_buf_contents(&target), &ask->arena, &text, &answer);
    int code = is_answered ? tell(ask, &criteria, td_buf_contents(&text), answer) : td_ask_fail(ask);
    td_buf_done(&target);
    td_buf_done(&text);
    return code;
}

static td_advise_style find_style(void)
{
    struct winsize size;
    int64_t columns = COLUMNS_WITHOUT_TERMINAL;
    bool is_terminal = isatty(STDOUT_FILENO) == 1;
    const char *given = getenv("COLUMNS");
    int64_t wanted;
    if (is_terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) columns = size.ws_col;
    if (given != NULL && td_parse_int64(td_slice_of_cstr(given), &wanted)) columns = wanted;
    if (columns < COLUMNS_MIN) columns = COLUMNS_MIN;
    if (columns > COLUMNS_MAX) columns = COLUMNS_MAX;
    const char *no_colour = getenv("NO_COLOR");
    return (td_advise_style){.columns = (uint32_t)columns,
                             .has_colour = is_terminal && (no_colour == NULL || no_colour[0] == '\0')};
}

static int tell(td_ask *ask, const td_criteria *criteria, td_slice text, const td_json_node *answer)
{
    td_buf report;
    td_findings findings;
    td_buf_init(&report, REPORT_BYTES_MAX);
    bool is_told = td_advise_report(answer, find_style(), &report);
    if (!is_told) snprintf(ask->sentence, sizeof(ask->sentence), "the server's answer is not understood");
    is_told = is_told && td_criteria_judge(criteria, answer, &ask->arena, &findings);
    if (is_told) {
        td_slice shown = ask->values[TD_ASK_JSON] != NULL ? text : td_buf_contents(&report);
        fwrite(shown.ptr, 1, shown.len, stdout);
        if (ask->values[TD_ASK_JSON] != NULL) fputc('\n', stdout);
        fflush(stdout);
        td_buf_clear(&report);
        td_findings_summarize(&findings, &report);
        if (report.len > 0) fwrite(report.data, 1, report.len, stderr);
    }
    td_buf_done(&report);
    if (!is_told) return td_ask_fail(ask);
    return findings.held > 0 ? TD_ASK_FOUND : TD_ASK_FINE;
}

static void print_help(void)
{
    fputs(
        "usage: thermodyn advise [OPTION]...\n\n"
        "Asks the running server what the traffic of the last hour says of its tables' key design: hot keys, how even\n"
        "keys and partitions are, what the load needs. It judges by the limits of the real service.\n\n",
        stdout);
    fputs(td_ask_help, stdout);
    puts("  --json             the server's answer instead of a report");
    td_criteria_print_help();
    puts("\nexit code: 0 nothing that --fail-on names; 1 something that it names; 2 wrong arguments, or no server");
}
