/* SPDX-License-Identifier: Apache-2.0
 * metric_math_functions.c: the functions of metric math, as rows of functions.def. */
#include <math.h>

#include "metric_math.h"

#define TD_CW_FUNCTION(name, least, most, apply)                                                                       \
    static td_cw_status apply(td_cw_call *call, const td_cw_names *names, const td_cw_function *function,              \
                              td_cw_value *args, uint32_t count, td_cw_value *ret_value);
#include "functions.def"
#undef TD_CW_FUNCTION

enum {
#define TD_CW_FUNCTION(name, least, most, apply) FUNCTION_##name,
#include "functions.def"
#undef TD_CW_FUNCTION
    FUNCTION_COUNT
};

static const td_cw_function functions[FUNCTION_COUNT] = {
#define TD_CW_FUNCTION(name, least, most, apply) [FUNCTION_##name] = {TD_LIT_INIT(#name), least, most, apply},
#include "functions.def"
#undef TD_CW_FUNCTION
};

static td_cw_status copy_lines(td_cw_call *call, const td_cw_value *from, td_cw_value *ret_value);
static td_cw_status wrong(td_cw_call *call, const td_cw_names *names, const td_cw_function *function);
static double fold_line(int function, const td_cw_line *line, bool *ret_has_points);
static void follow(int function, const td_cw_line *from, td_cw_line *to);
static void fill_line(td_cw_line *line, double value);
static void fill_repeat(td_cw_line *line);
static void fill_linear(td_cw_line *line);
static int id_of(const td_cw_function *function);

const td_cw_function *td_cw_function_find(td_slice name)
{
    for (size_t i = 0; i < FUNCTION_COUNT; i++) {
        if (td_slice_equal(functions[i].name, name)) return &functions[i];
    }
    return NULL;
}

/* ABS, CEIL, FLOOR: of a scalar, or of each point. */
static td_cw_status apply_to_points(td_cw_call *call, const td_cw_names *names, const td_cw_function *function,
                                    td_cw_value *args, uint32_t count, td_cw_value *ret_value)
{
    TD_ASSERT(count == 1);
    double (*compute)(double) = id_of(function) == FUNCTION_ABS    ? fabs
                                : id_of(function) == FUNCTION_CEIL ? ceil
                                                                   : floor;
    if (args[0].kind == TD_CW_WORD) return wrong(call, names, function);
    if (args[0].kind == TD_CW_SCALAR) {
        *ret_value = (td_cw_value){.kind = TD_CW_SCALAR, .scalar = compute(args[0].scalar)};
        return TD_CW_OK;
    }
    TD_CW_TRY(copy_lines(call, &args[0], ret_value));
    for (uint32_t i = 0; i < ret_value->count; i++) {
        td_cw_line *line = &ret_value->lines[i];
        for (uint32_t j = 0; j < line->window->count; j++)
            line->values[j] = compute(line->values[j]);
    }
    return TD_CW_OK;
}

/* SUM, AVG, MIN, MAX: one series to a scalar, an array to a series of what its series have at each time. */
static td_cw_status apply_fold(td_cw_call *call, const td_cw_names *names, const td_cw_function *function,
                               td_cw_value *args, uint32_t count, td_cw_value *ret_value)
{
    TD_ASSERT(count == 1);
    const td_cw_value *from = &args[0];
    if (from->kind != TD_CW_LINES || from->count == 0) return wrong(call, names, function);
    bool has_points = false;
    if (!from->is_array) {
        *ret_value = (td_cw_value){.kind = TD_CW_SCALAR};
        ret_value->scalar = fold_line(id_of(function), &from->lines[0], &has_points);
        return TD_CW_OK;
    }
    const td_cw_window *window = from->lines[0].window;
    td_cw_line *line = td_arena_alloc(call->arena, sizeof *line);
    double *values = td_arena_alloc_array(call->arena, from->count, sizeof *values);
    bool *are_there = td_arena_alloc_array(call->arena, from->count, sizeof *are_there);
    if (line == NULL || values == NULL || are_there == NULL || !td_cw_line_init(line, window, names->id, call->arena)) {
        return TD_CW_RAISE(call, TD_CW_MSG_OUT_OF_MEMORY);
    }
    const td_cw_window across = {.count = from->count};
    for (uint32_t i = 0; i < window->count; i++) {
        for (uint32_t j = 0; j < from->count; j++) {
            if (from->lines[j].window->period_us != window->period_us) {
                return TD_CW_RAISE(call, TD_CW_MSG_MATH_PERIODS, names->id);
            }
            values[j] = from->lines[j].values[i];
            are_there[j] = from->lines[j].is_there[i];
        }
        td_cw_line at = {.window = &across, .values = values, .is_there = are_there};
        line->values[i] = fold_line(id_of(function), &at, &line->is_there[i]);
    }
    *ret_value = (td_cw_value){.kind = TD_CW_LINES, .lines = line, .count = 1};
    return TD_CW_OK;
}

/* RATE, DIFF, RUNNING_SUM: from point to point. */
static td_cw_status apply_to_lines(td_cw_call *call, const td_cw_names *names, const td_cw_function *function,
                                   td_cw_value *args, uint32_t count, td_cw_value *ret_value)
{
    TD_ASSERT(count == 1);
    if (args[0].kind != TD_CW_LINES) return wrong(call, names, function);
    TD_CW_TRY(copy_lines(call, &args[0], ret_value));
    for (uint32_t i = 0; i < ret_value->count; i++)
        follow(id_of(function), &args[0].lines[i], &ret_value->lines[i]);
    return TD_CW_OK;
}

/* FILL(series, number), FILL(series, REPEAT), FILL(series, LINEAR) */
static td_cw_status apply_fill(td_cw_call *call, const td_cw_names *names, const td_cw_function *function,
                               td_cw_value *args, uint32_t count, td_cw_value *ret_value)
{
    TD_ASSERT(count == 2);
    bool is_repeat = args[1].kind == TD_CW_WORD && td_slice_equal(args[1].word, TD_LIT("REPEAT"));
    bool is_linear = args[1].kind == TD_CW_WORD && td_slice_equal(args[1].word, TD_LIT("LINEAR"));
    bool is_right = args[0].kind == TD_CW_LINES && (is_repeat || is_linear || args[1].kind == TD_CW_SCALAR);
    if (!is_right) return wrong(call, names, function);
    TD_CW_TRY(copy_lines(call, &args[0], ret_value));
    for (uint32_t i = 0; i < ret_value->count; i++) {
        td_cw_line *line = &ret_value->lines[i];
        if (is_repeat)
            fill_repeat(line);
        else if (is_linear)
            fill_linear(line);
        else
            fill_line(line, args[1].scalar);
    }
    return TD_CW_OK;
}

static td_cw_status apply_count(td_cw_call *call, const td_cw_names *names, const td_cw_function *function,
                                td_cw_value *args, uint32_t count, td_cw_value *ret_value)
{
    TD_ASSERT(count == 1);
    if (args[0].kind != TD_CW_LINES) return wrong(call, names, function);
    *ret_value = (td_cw_value){.kind = TD_CW_SCALAR, .scalar = args[0].count};
    return TD_CW_OK;
}

static td_cw_status apply_period(td_cw_call *call, const td_cw_names *names, const td_cw_function *function,
                                 td_cw_value *args, uint32_t count, td_cw_value *ret_value)
{
    TD_ASSERT(count == 1);
    if (args[0].kind != TD_CW_LINES || args[0].count == 0) return wrong(call, names, function);
    *ret_value =
        (td_cw_value){.kind = TD_CW_SCALAR, .scalar = (double)(args[0].lines[0].window->period_us / TD_US_PER_S)};
    return TD_CW_OK;
}

static td_cw_status copy_lines(td_cw_call *call, const td_cw_value *from, td_cw_value *ret_value)
{
    td_cw_value copy = *from;
    copy.lines = td_arena_alloc_array(call->arena, from->count, sizeof *copy.lines);
    if (copy.lines == NULL) return TD_CW_RAISE(call, TD_CW_MSG_OUT_OF_MEMORY);
    for (uint32_t i = 0; i < from->count; i++) {
        const td_cw_line *line = &from->lines[i];
        if (!td_cw_line_init(&copy.lines[i], line->window, line->label, call->arena)) {
            return TD_CW_RAISE(call, TD_CW_MSG_OUT_OF_MEMORY);
        }
        memcpy(copy.lines[i].values, line->values, line->window->count * sizeof *line->values);
        memcpy(copy.lines[i].is_there, line->is_there, line->window->count * sizeof *line->is_there);
    }
    *ret_value = copy;
    return TD_CW_OK;
}

static td_cw_status wrong(td_cw_call *call, const td_cw_names *names, const td_cw_function *function)
{
    return TD_CW_RAISE(call, TD_CW_MSG_MATH_ARGUMENTS, names->id, function->name);
}

static double fold_line(int function, const td_cw_line *line, bool *ret_has_points)
{
    double value = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < line->window->count; i++) {
        if (!line->is_there[i]) continue;
        double point = line->values[i];
        if (count == 0)
            value = point;
        else if (function == FUNCTION_MIN)
            value = fmin(value, point);
        else if (function == FUNCTION_MAX)
            value = fmax(value, point);
        else
            value += point;
        count++;
    }
    *ret_has_points = count > 0;
    return function == FUNCTION_AVG && count > 0 ? value / count : value;
}

/* The first point has none before it: no rate and no difference. */
static void follow(int function, const td_cw_line *from, td_cw_line *to)
{
    double sum = 0;
    uint32_t before = UINT32_MAX;
    for (uint32_t i = 0; i < from->window->count; i++) {
        if (!from->is_there[i]) continue;
        sum += from->values[i];
        to->values[i] = sum;
        if (function != FUNCTION_RUNNING_SUM) {
            to->is_there[i] = before != UINT32_MAX;
            double change = before == UINT32_MAX ? 0 : from->values[i] - from->values[before];
            double seconds = (double)(i - before) * (double)from->window->period_us / (double)TD_US_PER_S;
            to->values[i] = function == FUNCTION_RATE ? change / seconds : change;
        }
        before = i;
    }
}

static void fill_line(td_cw_line *line, double value)
{
    for (uint32_t i = 0; i < line->window->count; i++) {
        if (line->is_there[i]) continue;
        line->values[i] = value;
        line->is_there[i] = true;
    }
}

/* With the latest point before. */
static void fill_repeat(td_cw_line *line)
{
    for (uint32_t i = 1; i < line->window->count; i++) {
        if (line->is_there[i] || !line->is_there[i - 1]) continue;
        line->values[i] = line->values[i - 1];
        line->is_there[i] = true;
    }
}

/* On the way between two points; at the ends nothing is known. */
static void fill_linear(td_cw_line *line)
{
    uint32_t before = UINT32_MAX;
    for (uint32_t i = 0; i < line->window->count; i++) {
        if (!line->is_there[i]) continue;
        for (uint32_t j = before == UINT32_MAX ? i : before + 1; j < i; j++) {
            double part = (double)(j - before) / (double)(i - before);
            line->values[j] = line->values[before] + part * (line->values[i] - line->values[before]);
            line->is_there[j] = true;
        }
        before = i;
    }
}

static int id_of(const td_cw_function *function)
{
    return (int)(function - functions);
}
