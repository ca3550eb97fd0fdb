/* SPDX-License-Identifier: Apache-2.0
 * criterion.c: see criterion.h. */
#include "criterion.h"

#include <math.h>
#include <stdio.h>

#include "ask.h"
#include "page/figures.h"

#define DIGITS_MAX 15 /* a double tells them all apart */
#define SUMMARY_NAMES_MAX 8
#define TEXT_BYTES_MAX ((size_t)1 << 20)

static const char *const measure_names[TD_MEASURE_COUNT] = {
#define TD_MEASURE(id, name, number, meaning) [TD_MEASURE_##id] = name,
#include "criterion.def"
#undef TD_MEASURE
};

static const double measure_numbers[TD_MEASURE_COUNT] = {
#define TD_MEASURE(id, name, number, meaning) [TD_MEASURE_##id] = number,
#include "criterion.def"
#undef TD_MEASURE
};

static bool read_criterion(td_slice word, td_criterion *ret_criterion, char reterr_sentence[512]);
static bool find_name(td_slice name, td_criterion *criterion);
static bool read_number(td_slice text, double *ret_number);
static void judge(const td_criterion *criterion, const td_json_node *answer, const td_json_node *resource, td_buf *text,
                  td_finding *finding);

/* ---- reading ---- */

static td_slice trimmed(td_slice text)
{
    while (text.len > 0 && text.ptr[0] == ' ') {
        text = td_slice_of(text.ptr + 1, text.len - 1);
    }
    while (text.len > 0 && text.ptr[text.len - 1] == ' ') {
        text.len--;
    }
    return text;
}

bool td_criteria_read(const char *text, td_arena *arena, td_criteria *ret_criteria, char reterr_sentence[512])
{
    *ret_criteria = (td_criteria){.count = 0};
    reterr_sentence[0] = '\0';
    if (text == NULL) return true;
    size_t room = 1;
    for (const char *at = text; *at != '\0'; at++) {
        room += *at == ',';
    }
    ret_criteria->items = td_arena_alloc_array(arena, room, sizeof(*ret_criteria->items));
    if (ret_criteria->items == NULL) return false;
    for (const char *at = text;; at++) {
        size_t len = strcspn(at, ",");
        td_criterion *criterion = &ret_criteria->items[ret_criteria->count++];
        if (!read_criterion(trimmed(td_slice_of(at, len)), criterion, reterr_sentence)) return false;
        at += len;
        if (*at == '\0') return true;
    }
}

static bool read_criterion(td_slice word, td_criterion *ret_criterion, char reterr_sentence[512])
{
    const uint8_t *sign = word.len == 0 ? NULL : memchr(word.ptr, '>', word.len);
    td_slice name = sign == NULL ? word : trimmed(td_slice_of(word.ptr, (size_t)(sign - word.ptr)));
    *ret_criterion = (td_criterion){.text = word};
    if (!find_name(name, ret_criterion)) {
        snprintf(reterr_sentence, 512, "there is no criterion \"%.*s\" to fail on; --help lists them", TD_SHOWN(name));
        return false;
    }
    if (sign == NULL && ret_criterion->limit < 0) {
        snprintf(reterr_sentence, 512, "the criterion \"%.*s\" needs a number, as in \"%.*s>0.3\"", TD_SHOWN(name),
                 TD_SHOWN(name));
        return false;
    }
    if (sign == NULL) return true;
    td_slice number = trimmed(td_slice_of(sign + 1, (size_t)(word.ptr + word.len - sign - 1)));
    if (read_number(number, &ret_criterion->limit)) return true;
    snprintf(reterr_sentence, 512, "behind \"%.*s>\" must be a number as 12 or 0.3, and not \"%.*s\"", TD_SHOWN(name),
             TD_SHOWN(number));
    return false;
}

static bool find_name(td_slice name, td_criterion *criterion)
{
    td_advice_kind kind;
    td_advice_severity severity;
    for (int measure = 0; measure < TD_MEASURE_COUNT; measure++) {
        if (!td_slice_equal(name, td_slice_of_cstr(measure_names[measure]))) continue;
        criterion->type = TD_CRITERION_MEASURE;
        criterion->which = measure;
        criterion->limit = measure_numbers[measure];
        return true;
    }
    if (td_advice_kind_find(name, &kind)) {
        criterion->type = TD_CRITERION_KIND;
        criterion->which = (int)kind;
        return true;
    }
    if (td_advice_severity_find(name, &severity)) {
        criterion->type = TD_CRITERION_SEVERITY;
        criterion->which = (int)severity;
        return true;
    }
    return false;
}

static bool read_number(td_slice text, double *ret_number)
{
    double value = 0;
    double scale = 1;
    size_t digits = 0;
    bool has_point = false;
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '.' && !has_point && digits > 0 && i + 1 < text.len) {
            has_point = true;
            continue;
        }
        if (text.ptr[i] < '0' || text.ptr[i] > '9' || ++digits > DIGITS_MAX) return false;
        value = value * 10 + (text.ptr[i] - '0');
        if (has_point) scale *= 10;
    }
    *ret_number = value / scale;
    return digits > 0;
}

/* ---- judging ---- */

bool td_criteria_judge(const td_criteria *criteria, const td_json_node *answer, td_arena *arena,
                       td_findings *ret_findings)
{
    size_t resources = 0;
    const td_json_node *first = td_ask_first(answer, "resources");
    for (const td_json_node *at = first; at != NULL; at = td_json_node_next(at)) {
        resources++;
    }
    *ret_findings =
        (td_findings){.items = td_arena_alloc_array(arena, resources * criteria->count, sizeof(*ret_findings->items))};
    if (ret_findings->items == NULL) return false;
    td_buf text;
    td_buf_init(&text, TEXT_BYTES_MAX);
    bool is_judged = true;
    for (const td_json_node *at = first; at != NULL; at = td_json_node_next(at)) {
        for (uint32_t i = 0; i < criteria->count && is_judged; i++) {
            td_finding *finding = &ret_findings->items[ret_findings->count++];
            *finding = (td_finding){.criterion = &criteria->items[i]};
            td_buf_clear(&text);
            judge(&criteria->items[i], answer, at, &text, finding);
            ret_findings->held += finding->holds;
            is_judged = !td_buf_has_failed(&text) && td_arena_copy(arena, td_buf_contents(&text), &finding->text) &&
                        td_arena_copy(arena, td_ask_text(at, "resource"), &finding->resource);
        }
    }
    td_buf_done(&text);
    return is_judged;
}

/* Pieces of advice on the resource that the criterion means, and their sentences. */
static double count_advice(const td_criterion *criterion, const td_json_node *answer, td_slice resource, td_buf *text)
{
    double count = 0;
    for (const td_json_node *at = td_ask_first(answer, "advice"); at != NULL; at = td_json_node_next(at)) {
        td_advice_kind kind = TD_ADVICE_KIND_COUNT;
        td_advice_severity severity = TD_ADVICE_SEVERITY_COUNT;
        if (!td_slice_equal(resource, td_ask_text(at, "resource"))) continue;
        bool is_meant =
            criterion->type == TD_CRITERION_KIND
                ? td_advice_kind_find(td_ask_text(at, "kind"), &kind) && (int)kind == criterion->which
                : td_advice_severity_find(td_ask_text(at, "severity"), &severity) && (int)severity >= criterion->which;
        if (!is_meant) continue;
        if (count++ > 0) td_buf_append_byte(text, ' ');
        td_buf_append(text, td_ask_text(at, "text"));
    }
    if (count == 0) td_buf_append_lit(text, "There is no such advice.");
    return count;
}

/* Of reads or writes, whichever has the greater; where there are too few units to say anything it is 0. */
static double measure_side(const td_json_node *resource, const char *name, const char **ret_side)
{
    double most = 0;
    static const char *const sides[] = {"read", "write"};
    *ret_side = NULL;
    for (size_t i = 0; i < TD_COUNT_OF(sides); i++) {
        const td_json_node *side = td_json_node_find(resource, sides[i]);
        double figure = td_ask_number(side, name);
        if (td_ask_number(side, "units") < TD_ADVICE_UNITS_MIN || (*ret_side != NULL && figure <= most)) continue;
        most = figure;
        *ret_side = sides[i];
    }
    return most;
}

static double measure(td_measure what, const td_json_node *resource, td_buf *text)
{
    const char *side = NULL;
    double figure = 0;
    char number[TD_PAGE_FIGURE_BYTES];
    switch (what) {
    case TD_MEASURE_THROTTLE:
        figure = td_ask_number(resource, "throttled");
        td_buf_append_format(text, "%s request%s refused.", td_page_grouped((uint64_t)fmax(figure, 0), number),
                             figure == 1 ? " was" : "s were");
        return figure;
    case TD_MEASURE_UNEVENNESS:
        figure = measure_side(resource, "partition_cv", &side);
        if (side != NULL) {
            td_buf_append_format(text,
                                 "The %s units of its %.0f partitions vary by %.2f (standard deviation over mean).",
                                 side, td_ask_number(resource, "partitions"), figure);
        }
        break;
    case TD_MEASURE_TOP_KEY:
        figure = measure_side(resource, "top_share_min", &side);
        if (side != NULL) {
            td_buf_append_format(text, "The hottest key has %.1f %% of the %s units.", figure * 100, side);
        }
        break;
    case TD_MEASURE_COUNT: break;
    }
    if (side == NULL) {
        td_buf_append_format(text, "Less than %.0f units each way were used: too little to say.", TD_ADVICE_UNITS_MIN);
    }
    return figure;
}

static void judge(const td_criterion *criterion, const td_json_node *answer, const td_json_node *resource, td_buf *text,
                  td_finding *finding)
{
    switch (criterion->type) {
    case TD_CRITERION_KIND:
    case TD_CRITERION_SEVERITY:
        finding->figure = count_advice(criterion, answer, td_ask_text(resource, "resource"), text);
        break;
    case TD_CRITERION_MEASURE: finding->figure = measure((td_measure)criterion->which, resource, text); break;
    }
    finding->holds = finding->figure > criterion->limit;
}

/* ---- telling ---- */

void td_findings_summarize(const td_findings *findings, td_buf *line)
{
    uint32_t told = 0;
    if (findings->held == 0) return;
    td_buf_append_lit(line, "thermodyn: what --fail-on names was found: ");
    for (uint32_t i = 0; i < findings->count && told < SUMMARY_NAMES_MAX; i++) {
        const td_finding *finding = &findings->items[i];
        if (!finding->holds) continue;
        td_buf_append_format(line, "%s%.*s of %.*s", told++ == 0 ? "" : ", ", TD_SHOWN(finding->criterion->text),
                             TD_SHOWN(finding->resource));
    }
    if (findings->held > told) td_buf_append_format(line, ", and %u more", findings->held - told);
    td_buf_append_byte(line, '\n');
}
