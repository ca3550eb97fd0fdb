/* SPDX-License-Identifier: Apache-2.0
 * advise_report.c: the answer of GET /_thermodyn/advice for readers: a table of resources, then the sentences, the
 * severest first.
 * Names of keys are what users stored: no control character of theirs reaches the terminal. */
#include "advise.h"

#include <math.h>
#include <stdio.h>

#include "ask.h"

#define NAME_COLUMNS_MIN 20
#define NAME_COLUMNS_MAX 60

static void write_table(const td_json_node *resources, td_buf *report);
static bool write_advice(const td_json_node *advice, td_advise_style style, td_buf *report);
static void write_wrapped(td_slice text, uint32_t indent, uint32_t columns, td_buf *report);

bool td_advise_report(const td_json_node *answer, td_advise_style style, td_buf *report)
{
    if (td_json_node_get_type(answer) != TD_JSON_NODE_OBJECT) return false;
    const td_json_node *resources = td_json_node_find(answer, "resources");
    const td_json_node *list = td_json_node_find(answer, "advice");
    const td_json_node *from = td_json_node_find(answer, "from");
    const td_json_node *to = td_json_node_find(answer, "to");
    const td_json_node *factor = td_json_node_find(answer, "factor");
    if (resources == NULL || list == NULL || from == NULL || to == NULL || factor == NULL) return false;
    if (td_json_node_first(resources) == NULL) {
        td_buf_append_lit(report, "There are no tables.\n");
        return !td_buf_has_failed(report);
    }
    double minutes = (td_json_node_number(to) - td_json_node_number(from)) / 60000;
    td_buf_append_format(report, "Traffic of the last %.4g minute%s", minutes, minutes == 1 ? "" : "s");
    if (td_json_node_number(factor) != 1) {
        td_buf_append_format(report, ", judged as if it were %.15g times as much", td_json_node_number(factor));
    }
    td_buf_append_lit(report, "\n\n");
    write_table(resources, report);
    bool is_written = true;
    for (const td_json_node *at = td_json_node_first(list); at != NULL && is_written; at = td_json_node_next(at)) {
        is_written = write_advice(at, style, report);
    }
    return is_written && !td_buf_has_failed(report);
}

/* Of text: characters, where a control character counts for the mark that stands for it. */
static uint32_t columns_of(td_slice text)
{
    uint32_t count = 0;
    for (size_t i = 0; i < text.len; i++) {
        count += (text.ptr[i] & 0xc0) != 0x80;
    }
    return count;
}

/* C0, DEL and C1 (C2 80 to C2 9F) become "?". */
static void append_shown(td_slice text, td_buf *report)
{
    for (size_t i = 0; i < text.len; i++) {
        bool is_c1 = text.ptr[i] == 0xc2 && i + 1 < text.len && text.ptr[i + 1] < 0xa0;
        if (is_c1) i++;
        bool is_control = is_c1 || text.ptr[i] < 0x20 || text.ptr[i] == 0x7f;
        td_buf_append_byte(report, is_control ? '?' : text.ptr[i]);
    }
}

/* "1,400", right in its column. */
static void append_whole(double value, int width, td_buf *report)
{
    char digits[32];
    char text[64];
    int len = snprintf(digits, sizeof(digits), "%.0f", value > 0 && value < 1 ? 1 : fmin(fmax(round(value), 0), 1e15));
    int used = 0;
    for (int i = 0; i < len; i++) {
        if (i > 0 && (len - i) % 3 == 0) text[used++] = ',';
        text[used++] = digits[i];
    }
    td_buf_append_format(report, "%*.*s", width, used, text);
}

static void write_table(const td_json_node *resources, td_buf *report)
{
    uint32_t width = NAME_COLUMNS_MIN;
    for (const td_json_node *at = td_json_node_first(resources); at != NULL; at = td_json_node_next(at)) {
        uint32_t wanted = columns_of(td_ask_text(at, "resource"));
        if (wanted > width) width = wanted < NAME_COLUMNS_MAX ? wanted : NAME_COLUMNS_MAX;
    }
    td_buf_append_format(report, "%-*s  mode         partitions  reads/s peak  writes/s peak  throttled\n", (int)width,
                         "table or index");
    for (const td_json_node *at = td_json_node_first(resources); at != NULL; at = td_json_node_next(at)) {
        td_slice name = td_ask_text(at, "resource");
        bool is_on_demand = td_slice_equal(td_ask_text(at, "billing_mode"), TD_LIT("PAY_PER_REQUEST"));
        append_shown(name, report);
        for (uint32_t column = columns_of(name); column < width; column++) {
            td_buf_append_byte(report, ' ');
        }
        td_buf_append_format(report, "  %-11s", is_on_demand ? "on-demand" : "provisioned");
        append_whole(td_ask_number(at, "partitions"), 12, report);
        append_whole(td_ask_number(td_json_node_find(at, "read"), "peak"), 14, report);
        append_whole(td_ask_number(td_json_node_find(at, "write"), "peak"), 15, report);
        append_whole(td_ask_number(at, "throttled"), 11, report);
        td_buf_append_byte(report, '\n');
    }
}

static bool write_advice(const td_json_node *advice, td_advise_style style, td_buf *report)
{
    td_slice severity = td_ask_text(advice, "severity");
    if (severity.len == 0) return false;
    const char *colour = "";
    if (style.has_colour) {
        colour = td_slice_equal(severity, TD_LIT("problem"))   ? "\033[1;31m"
                 : td_slice_equal(severity, TD_LIT("warning")) ? "\033[1;33m"
                                                               : "\033[1m";
    }
    td_buf_append_format(report, "\n%s", colour);
    append_shown(severity, report);
    if (style.has_colour) td_buf_append_lit(report, "\033[0m");
    td_buf_append_lit(report, "  ");
    append_shown(td_ask_text(advice, "kind"), report);
    td_buf_append_lit(report, "  ");
    append_shown(td_ask_text(advice, "resource"), report);
    td_buf_append_byte(report, '\n');
    write_wrapped(td_ask_text(advice, "text"), 4, style.columns, report);
    return true;
}

/* Breaks at blanks; a word that is longer than a line stands alone. */
static void write_wrapped(td_slice text, uint32_t indent, uint32_t columns, td_buf *report)
{
    uint32_t column = 0;
    while (text.len > 0) {
        const uint8_t *blank = memchr(text.ptr, ' ', text.len);
        td_slice word = td_slice_of(text.ptr, blank == NULL ? text.len : (size_t)(blank - text.ptr));
        uint32_t width = columns_of(word);
        if (column > 0 && column + 1 + width > columns) {
            td_buf_append_byte(report, '\n');
            column = 0;
        }
        td_buf_append_format(report, "%*s", column == 0 ? (int)indent : 1, "");
        column += (column == 0 ? indent : 1) + width;
        append_shown(word, report);
        size_t step = blank == NULL ? word.len : word.len + 1;
        text = td_slice_of(text.ptr + step, text.len - step);
    }
    td_buf_append_byte(report, '\n');
}
