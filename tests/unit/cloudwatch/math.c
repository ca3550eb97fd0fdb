/* SPDX-License-Identifier: Apache-2.0
 * math.c: tests of metric math, on two lines of four points: a = 1, -, 3, 8 and b = 2, 4, -, 0 (- is no point). */
#include <math.h>
#include <stdio.h>

#include "cloudwatch/metric_math.h"
#include "suites.h"

enum { POINTS = 4 };

static td_arena arena;
static td_cw_call call;
static td_cw_line lines[2];
static const td_cw_window window = {.period_us = TD_CW_MINUTE_US, .count = POINTS};
static const td_cw_window other_window = {.period_us = 5 * TD_CW_MINUTE_US, .count = 1};
static td_cw_line coarse;

static void setup(void)
{
    static const double values[2][POINTS] = {{1, NAN, 3, 8}, {2, 4, NAN, 0}};
    td_arena_init(&arena, 1 << 20);
    call = (td_cw_call){.arena = &arena};
    for (size_t i = 0; i < 2; i++) {
        ck_assert(td_cw_line_init(&lines[i], &window, i == 0 ? TD_LIT("A") : TD_LIT("B"), &arena));
        for (size_t j = 0; j < POINTS; j++) {
            lines[i].is_there[j] = !isnan(values[i][j]);
            if (lines[i].is_there[j]) lines[i].values[j] = values[i][j];
        }
    }
    ck_assert(td_cw_line_init(&coarse, &other_window, TD_LIT("C"), &arena));
}
static void teardown(void)
{
    td_arena_done(&arena);
}

static td_cw_status find(td_cw_names *names, td_cw_call *caller, td_slice id, td_cw_value *ret_value)
{
    if (td_slice_equal(id, TD_LIT("c"))) {
        *ret_value = (td_cw_value){.kind = TD_CW_LINES, .lines = &coarse, .count = 1};
        return TD_CW_OK;
    }
    if (id.len != 1 || id.ptr[0] > 'b') return TD_CW_RAISE(caller, TD_CW_MSG_MATH_ID, names->id, id);
    *ret_value = (td_cw_value){.kind = TD_CW_LINES, .lines = &lines[id.ptr[0] - 'a'], .count = 1};
    return TD_CW_OK;
}

static td_cw_status find_metrics(td_cw_names *names, td_cw_call *caller, td_slice part, td_cw_value *ret_value)
{
    (void)names;
    (void)caller;
    *ret_value = (td_cw_value){.kind = TD_CW_LINES, .is_array = true, .lines = lines, .count = part.len == 0 ? 2 : 0};
    return TD_CW_OK;
}

/* "1 - 3 8; 2 4 - 0": points of lines; "=5": a scalar; else the error's text. */
static const char *show(const char *text)
{
    static char shown[512];
    td_cw_names names = {.find = find, .find_metrics = find_metrics, .id = TD_LIT("e")};
    td_cw_value value;
    size_t len = 0;
    shown[0] = '\0';
    if (td_cw_math_eval(&call, td_slice_of_cstr(text), &names, &value) != TD_CW_OK) {
        (void)snprintf(shown, sizeof shown, "%.*s", (int)call.text.len, (const char *)call.text.ptr);
        return shown;
    }
    if (value.kind == TD_CW_SCALAR) (void)snprintf(shown, sizeof shown, "=%g", value.scalar);
    if (value.kind == TD_CW_WORD) return "a word";
    for (uint32_t i = 0; value.kind == TD_CW_LINES && i < value.count; i++) {
        for (uint32_t j = 0; j < value.lines[i].window->count; j++) {
            const char *before = j > 0 ? " " : i > 0 ? "; " : "";
            len += (size_t)(value.lines[i].is_there[j]
                                ? snprintf(shown + len, sizeof shown - len, "%s%g", before, value.lines[i].values[j])
                                : snprintf(shown + len, sizeof shown - len, "%s-", before));
        }
    }
    return shown;
}

static const struct {
    const char *text;
    const char *result;
} rows[] = {
    {"1+2*3", "=7"},
    {"(1+2)*3", "=9"},
    {"2^3^2", "=512"},
    {"-2^2", "=-4"},
    {"7-2-1", "=4"},
    {"8/2/2", "=2"},
    {"--3", "=3"},
    {" 1 + .5 ", "=1.5"},
    {"a", "1 - 3 8"},
    {"a+b", "3 - - 8"},
    {"a*2", "2 - 6 16"},
    {"1-a", "0 - -2 -7"},
    {"a/b", "0.5 - - -"}, /* divided by zero: no point */
    {"METRICS()", "1 - 3 8; 2 4 - 0"},
    {"METRICS()*10", "10 - 30 80; 20 40 - 0"},
    {"METRICS()+a", "2 - 6 16; 3 - - 8"},
    {"METRICS()-METRICS()", "0 - 0 0; 0 0 - 0"},
    {"METRICS('x')+a", ""},
    {"SUM(a)", "=12"},
    {"AVG(a)", "=4"},
    {"MIN(a)", "=1"},
    {"MAX(a)", "=8"},
    {"SUM(METRICS())", "3 4 3 8"},
    {"AVG([a,b])", "1.5 4 3 4"},
    {"MIN([a,b])", "1 4 3 0"},
    {"MAX([a,b])", "2 4 3 8"},
    {"METRIC_COUNT([a,b,a])", "=3"},
    {"PERIOD(a)", "=60"},
    {"SUM(a)/PERIOD(a)", "=0.2"},
    {"DIFF(a)", "- - 2 5"},
    {"RATE(a)", "- - 0.0166667 0.0833333"},
    {"RUNNING_SUM(a)", "1 - 4 12"},
    {"FILL(a,0)", "1 0 3 8"},
    {"FILL(a,REPEAT)", "1 1 3 8"},
    {"FILL(a,LINEAR)", "1 2 3 8"},
    {"FILL(b,REPEAT)", "2 4 4 0"},
    {"FILL(METRICS(),-1)", "1 -1 3 8; 2 4 -1 0"},
    {"ABS(-a)", "1 - 3 8"},
    {"CEIL(a/2)", "1 - 2 4"},
    {"FLOOR(-1.5)", "=-2"},
    {"1/0", "Error in expression 'e' [Syntax error at '']."},
    {"", "Error in expression 'e' [Syntax error at '']."},
    {"a b", "Error in expression 'e' [Syntax error at 'b']."},
    {"a +", "Error in expression 'e' [Syntax error at '']."},
    {"(a", "Error in expression 'e' [Syntax error at '']."},
    {"[a,1]", "Error in expression 'e' [Syntax error at '']."},
    {"1.2.3", "Error in expression 'e' [Syntax error at '']."},
    {"'x", "Error in expression 'e' [Syntax error at 'x']."},
    {"a + 'x'", "Error in expression 'e' [Syntax error at '']."},
    {"d", "Error in expression 'e' [Id d is not found]."},
    {"sum(a)", "Error in expression 'e' [Function sum is not supported]."},
    {"SEARCH('x')", "Error in expression 'e' [Function SEARCH is not supported]."},
    {"SUM(a,b)", "Error in expression 'e' [Wrong arguments for function SUM]."},
    {"SUM(1)", "Error in expression 'e' [Wrong arguments for function SUM]."},
    {"SUM(METRICS('x'))", "Error in expression 'e' [Wrong arguments for function SUM]."},
    {"FILL(a,MORE)", "Error in expression 'e' [Wrong arguments for function FILL]."},
    {"METRICS(a)", "Error in expression 'e' [Wrong arguments for function METRICS]."},
    {"a+c", "Error in expression 'e' [The time series have different periods]."},
    {"SUM([a,c])", "Error in expression 'e' [The time series have different periods]."},
    {"[a,b]+[a]", "Error in expression 'e' [Arrays of time series have different lengths]."},
};

START_TEST(expressions_have_values)
{
    ck_assert_msg(strcmp(show(rows[_i].text), rows[_i].result) == 0, "%s: %s", rows[_i].text, show(rows[_i].text));
}
END_TEST

START_TEST(nesting_has_a_limit)
{
    char text[2048];
    for (size_t i = 0; i < 3; i++) {
        memset(text, "(-^"[i], 100);
        memcpy(text + 100, "1", 2);
        if (i == 2) {
            for (size_t j = 0; j < 100; j++)
                memcpy(text + 2 * j, "1^", 2);
            memcpy(text + 200, "1", 2);
        }
        ck_assert_str_eq(show(text), "Error in expression 'e' [It is nested too deeply].");
    }
}
END_TEST

TCase *math_tests(void)
{
    TCase *tests = tcase_create("math");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_loop_test(tests, expressions_have_values, 0, (int)TD_COUNT_OF(rows));
    tcase_add_test(tests, nesting_has_a_limit);
    return tests;
}
