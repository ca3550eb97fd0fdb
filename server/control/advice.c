/* SPDX-License-Identifier: Apache-2.0
 * advice.c: the judge's order of business, and how a piece of advice is written.
 * Not here: the rules (advice_keys.c, advice_evenness.c, advice_partitions.c, advice_capacity.c), the numbers they
 * judge by (advice_gather.c), and the endpoint (advice_answer.c). */
#include "advice_private.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

static const char *const kind_names[TD_ADVICE_KIND_COUNT] = {
#define TD_ADVICE(kind, name, meaning) [TD_ADVICE_##kind] = name,
#include "advice.def"
#undef TD_ADVICE
};

static const char *const severity_names[TD_ADVICE_SEVERITY_COUNT] = {
    [TD_ADVICE_INFO] = "info", [TD_ADVICE_WARNING] = "warning", [TD_ADVICE_PROBLEM] = "problem"};

const char *const td_advice__words[TD_DIRECTION_COUNT] = {[TD_READ] = "read", [TD_WRITE] = "write"};
const char *const td_advice__plurals[TD_DIRECTION_COUNT] = {[TD_READ] = "reads", [TD_WRITE] = "writes"};

static bool judge_traffic(const td_advice_case *about);

void td_advice_judge(const td_advice_question *question, const td_advice_resource *resource, td_advice_list *list)
{
    TD_ASSERT(question->factor > 0);
    TD_ASSERT(resource->partition_count > 0);
    const td_advice_case about = {.question = question, .resource = resource, .list = list};
    td_advice__judge_throttles(&about);
    if (judge_traffic(&about)) {
        for (td_direction direction = TD_READ; direction < TD_DIRECTION_COUNT; direction++) {
            if (resource->sides[direction].total <= 0) continue;
            td_advice__judge_keys(&about, direction);
            td_advice__judge_evenness(&about, direction);
            td_advice__judge_capacity(&about, direction);
        }
        td_advice__judge_items(&about);
        if (resource->index.len > 0) td_advice__judge_index(&about);
    }
    td_advice__judge_splits(&about);
}

/* false: there is nothing to judge. */
static bool judge_traffic(const td_advice_case *about)
{
    double reads = about->resource->sides[TD_READ].total;
    double writes = about->resource->sides[TD_WRITE].total;
    const char *window = td_advice__shown_window(about);
    if (reads <= 0 && writes <= 0) {
        td_advice nothing = td_advice__begin(about, TD_ADVICE_NO_TRAFFIC, TD_ADVICE_INFO);
        td_advice__say(about, &nothing, "Nothing %s in the last %s%s.",
                       about->question->is_recorded ? "was read or written" : "is known of what was read or written",
                       window, about->question->is_recorded ? "" : ": record_heat is off");
        td_advice__put(&nothing, "window_s", about->question->window_s);
        td_advice__add(about, &nothing);
        return false;
    }
    if (reads < TD_ADVICE_UNITS_MIN && writes < TD_ADVICE_UNITS_MIN) {
        td_advice little = td_advice__begin(about, TD_ADVICE_LITTLE_TRAFFIC, TD_ADVICE_INFO);
        td_advice__say(about, &little,
                       "Only %s read and %s write units were used in the last %s: too little to say how even "
                       "the keys are.",
                       td_advice__shown(about, reads), td_advice__shown(about, writes), window);
        td_advice__put(&little, "read_units", reads);
        td_advice__put(&little, "write_units", writes);
        td_advice__put(&little, "needed_units", TD_ADVICE_UNITS_MIN);
        td_advice__add(about, &little);
    }
    return true;
}

void td_advice_sort(td_advice_list *list)
{
    td_advice *sorted = td_arena_alloc_array(list->arena, list->count, sizeof(*sorted));
    if (sorted == NULL) {
        list->failed = true;
        return;
    }
    uint32_t count = 0;
    for (int severity = TD_ADVICE_SEVERITY_COUNT - 1; severity >= 0; severity--) {
        for (uint32_t i = 0; i < list->count; i++) {
            if ((int)list->items[i].severity == severity) sorted[count++] = list->items[i];
        }
    }
    TD_ASSERT(count == list->count);
    list->items = sorted;
    list->capacity = count;
}

const char *td_advice_kind_name(td_advice_kind kind)
{
    return kind_names[kind];
}
const char *td_advice_severity_name(td_advice_severity severity)
{
    return severity_names[severity];
}

bool td_advice_kind_find(td_slice name, td_advice_kind *ret_kind)
{
    for (int kind = 0; kind < TD_ADVICE_KIND_COUNT; kind++) {
        if (!td_slice_equal(name, td_slice_of_cstr(kind_names[kind]))) continue;
        *ret_kind = (td_advice_kind)kind;
        return true;
    }
    return false;
}

bool td_advice_severity_find(td_slice name, td_advice_severity *ret_severity)
{
    for (int severity = 0; severity < TD_ADVICE_SEVERITY_COUNT; severity++) {
        if (!td_slice_equal(name, td_slice_of_cstr(severity_names[severity]))) continue;
        *ret_severity = (td_advice_severity)severity;
        return true;
    }
    return false;
}

/* A resource may be gone when its advice is read. */
static td_slice kept(td_advice_list *list, td_slice text)
{
    td_slice copy = {NULL, 0};
    if (text.len > 0 && !td_arena_format(list->arena, &copy, "%.*s", (int)text.len, (const char *)text.ptr)) {
        list->failed = true;
    }
    return copy;
}

td_advice td_advice__begin(const td_advice_case *about, td_advice_kind kind, td_advice_severity severity)
{
    return (td_advice){.kind = kind,
                       .severity = severity,
                       .table = kept(about->list, about->resource->table),
                       .index = kept(about->list, about->resource->index)};
}

void td_advice__say(const td_advice_case *about, td_advice *advice, const char *format, ...)
{
    char sentence[4096]; /* a key has at most 2,048 bytes, and is shown in part */
    va_list args;
    va_start(args, format);
    int len = vsnprintf(sentence, sizeof(sentence), format, args);
    va_end(args);
    if (len < 0 || !td_arena_format(about->list->arena, &advice->text, "%.*s%s%s", (int)advice->text.len,
                                    advice->text.len == 0 ? "" : (const char *)advice->text.ptr,
                                    advice->text.len == 0 ? "" : " ", sentence)) {
        about->list->failed = true;
    }
}

void td_advice__put(td_advice *advice, const char *name, double value)
{
    TD_ASSERT(advice->number_count < TD_ADVICE_NUMBERS_MAX);
    advice->numbers[advice->number_count++] = (td_advice_number){.name = name, .value = value};
}

void td_advice__put_text(const td_advice_case *about, td_advice *advice, const char *name, td_slice text)
{
    TD_ASSERT(advice->number_count < TD_ADVICE_NUMBERS_MAX);
    advice->numbers[advice->number_count++] = (td_advice_number){.name = name, .text = kept(about->list, text)};
}

void td_advice__add(const td_advice_case *about, const td_advice *advice)
{
    td_advice_list *list = about->list;
    if (list->count == list->capacity) {
        uint32_t capacity = list->capacity == 0 ? 16 : list->capacity * 2;
        td_advice *grown = td_arena_alloc_array(list->arena, capacity, sizeof(*grown));
        if (grown == NULL) {
            list->failed = true;
            return;
        }
        if (list->count > 0) memcpy(grown, list->items, list->count * sizeof(*grown));
        list->items = grown;
        list->capacity = capacity;
    }
    list->items[list->count++] = *advice;
}

const char *td_advice__shown(const td_advice_case *about, double value)
{
    char digits[64];
    char *text = td_arena_alloc(about->list->arena, 96);
    if (text == NULL) {
        about->list->failed = true;
        return "?";
    }
    int decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
    int len = snprintf(digits, sizeof(digits), "%.*f", decimals, fmin(fmax(value, 0), 1e18));
    while (decimals > 0 && (digits[len - 1] == '0' || digits[len - 1] == '.')) {
        if (digits[--len] == '.') break;
    }
    size_t whole = 0;
    while ((int)whole < len && digits[whole] != '.') {
        whole++;
    }
    char *at = text;
    for (size_t i = 0; i < (size_t)len; i++) {
        if (i > 0 && i < whole && (whole - i) % 3 == 0) *at++ = ',';
        *at++ = digits[i];
    }
    *at = '\0';
    return text;
}

const char *td_advice__shown_share(const td_advice_case *about, double min, double max)
{
    int decimals = max < 0.0995 ? 1 : 0;
    char low[16];
    char high[16];
    td_slice text;
    snprintf(low, sizeof(low), "%.*f", decimals, fmin(fmax(min, 0), 1) * 100);
    snprintf(high, sizeof(high), "%.*f", decimals, fmin(fmax(max, 0), 1) * 100);
    bool is_exact = strcmp(low, high) == 0;
    if (!td_arena_format(about->list->arena, &text, "%s%s%s %%", low, is_exact ? "" : " to ", is_exact ? "" : high)) {
        about->list->failed = true;
        return "?";
    }
    return (const char *)text.ptr;
}

const char *td_advice__shown_window(const td_advice_case *about)
{
    td_slice text;
    double seconds = about->question->window_s;
    if (seconds == 60) return "minute";
    if (!td_arena_format(about->list->arena, &text, "%s %s",
                         td_advice__shown(about, seconds < 60 ? seconds : seconds / 60),
                         seconds < 60 ? "seconds" : "minutes")) {
        about->list->failed = true;
        return "?";
    }
    return (const char *)text.ptr;
}

double td_advice__cap(td_direction direction)
{
    return direction == TD_READ ? TD_ADVICE_READ_CAP : TD_ADVICE_WRITE_CAP;
}
