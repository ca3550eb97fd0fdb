/* SPDX-License-Identifier: Apache-2.0
 * metric_math.h: metric math: the expressions of GetMetricData.
 *
 *   expression = term { ("+" | "-") term }
 *   term       = factor { ("*" | "/") factor }
 *   factor     = "-" factor | power
 *   power      = primary [ "^" factor ]
 *   primary    = number | text | id | function "(" [ expression { "," expression } ] ")" | "(" expression ")"
 *              | "[" expression { "," expression } "]"
 *
 * Values are scalars, time series and arrays of time series; operators work element by element, a scalar with each
 * point, a series with each of an array's. A point that one side lacks, or that is divided by zero, is none. Functions:
 * functions.def. Source: AWS, "Using math expressions with CloudWatch metrics". Private to server/cloudwatch. */
#ifndef THERMODYN_CLOUDWATCH_METRIC_MATH_H
#define THERMODYN_CLOUDWATCH_METRIC_MATH_H

#include "cloudwatch_private.h"

#define TD_CW_MATH_DEPTH_MAX 64

/* One figure over time. */
typedef struct td_cw_line {
    td_slice label;
    const td_cw_window *window;
    double *values; /* window->count */
    bool *is_there; /* likewise */
} td_cw_line;

typedef enum td_cw_value_kind { TD_CW_SCALAR, TD_CW_LINES, TD_CW_WORD } td_cw_value_kind;

typedef struct td_cw_value {
    td_cw_value_kind kind;
    bool is_array; /* LINES: also of one */
    double scalar;
    td_slice word; /* a text, or a name that stands for one: REPEAT */
    td_cw_line *lines;
    uint32_t count;
} td_cw_value;

/* What an expression may name: asks for the value of a query's Id, and for all metrics whose Id has a text in it. */
typedef struct td_cw_names td_cw_names;
struct td_cw_names {
    td_cw_status (*find)(td_cw_names *names, td_cw_call *call, td_slice id, td_cw_value *ret_value);
    td_cw_status (*find_metrics)(td_cw_names *names, td_cw_call *call, td_slice part, td_cw_value *ret_value);
    td_slice id;    /* of the expression, for errors */
    uint32_t depth; /* of expressions that name each other */
};

TD_MUST_USE td_cw_status td_cw_math_eval(td_cw_call *call, td_slice text, td_cw_names *names, td_cw_value *ret_value);

/* A line of the window without points. false: no memory. */
TD_MUST_USE bool td_cw_line_init(td_cw_line *line, const td_cw_window *window, td_slice label, td_arena *arena);

/* ---- metric_math_functions.c ---- */
typedef struct td_cw_function {
    td_slice name;
    uint8_t least; /* arguments */
    uint8_t most;
    td_cw_status (*apply)(td_cw_call *call, const td_cw_names *names, const struct td_cw_function *function,
                          td_cw_value *args, uint32_t count, td_cw_value *ret_value);
} td_cw_function;

const td_cw_function *td_cw_function_find(td_slice name); /* NULL: unknown */

#endif
