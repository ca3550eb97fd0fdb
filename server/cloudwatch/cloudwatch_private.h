/* SPDX-License-Identifier: Apache-2.0
 * cloudwatch_private.h: one request while it is handled: what handlers get.
 *
 * Handlers answer TD_CW_OK, or what td_cw__raise answered; nothing that they have written counts then. */
#ifndef THERMODYN_CLOUDWATCH_CLOUDWATCH_PRIVATE_H
#define THERMODYN_CLOUDWATCH_CLOUDWATCH_PRIVATE_H

#include "cloudwatch.h"
#include "shapes.h"
#include "writer.h"

#define TD_CW_NAMESPACE "AWS/DynamoDB"
#define TD_CW_POINTS_MAX 1440
#define TD_CW_MINUTE_US (60 * TD_US_PER_S)

typedef enum td_cw_status {
    TD_CW_OK,
#define TD_CW_ERROR(id, code, shape, http_status) TD_CW_##id,
#include "cloudwatch/errors.def"
#undef TD_CW_ERROR
    TD_CW_STATUS_COUNT
} td_cw_status;

typedef enum td_cw_message {
#define TD_CW_MESSAGE(id, error, text) TD_CW_MSG_##id,
#include "cloudwatch/messages.def"
#undef TD_CW_MESSAGE
    TD_CW_MESSAGE_COUNT
} td_cw_message;

typedef struct td_cw_call {
    td_service *service;
    td_arena *arena;
    td_slice scope; /* as td_call's */
    td_slice region;
    td_time_us now_us;
    const td_json *input; /* checked */
    td_cw_writer out;
    td_cw_status status; /* of what was raised */
    td_slice text;
} td_cw_call;

typedef td_cw_status (*td_cw_handler)(td_cw_call *call);

#define TD_CW_OPERATION(name, handler) td_cw_status handler(td_cw_call *call);
#include "cloudwatch/operations.def"
#undef TD_CW_OPERATION

#define TD_CW_TRY(expr)                                                                                                \
    do {                                                                                                               \
        td_cw_status td_cw_try_status = (expr);                                                                        \
        if (td_cw_try_status != TD_CW_OK) return td_cw_try_status;                                                     \
    } while (0)

/* ---- error.c ---- */
td_cw_status td_cw__raise(td_cw_call *call, td_cw_message message, const td_slice *args, size_t arg_count);
#define TD_CW_RAISE(call, message, ...)                                                                                \
    td_cw__raise((call), (message), (const td_slice[]){{NULL, 0}, ##__VA_ARGS__} + 1,                                  \
                 TD_COUNT_OF(((const td_slice[]){{NULL, 0}, ##__VA_ARGS__})) - 1)
td_slice td_cw__int_text(td_cw_call *call, int64_t value); /* for an argument */
td_slice td_cw__grouped(td_cw_call *call, int64_t value);  /* 1,440 */
td_slice td_cw_shown(td_slice text);                       /* what of a user's text may stand in a message */
const char *td_cw__code(td_cw_status status);
const char *td_cw__shape_name(td_cw_status status);
int td_cw__http_status(td_cw_status status);

/* ---- check.c ---- */
TD_MUST_USE td_cw_status td_cw__check(td_cw_call *call, const td_cw_shape *shape, const td_json *root);

/* ---- window.c: times of a request ---- */

/* StartTime, rounded down to its minute, and EndTime by `period_s`, which is valid. */
typedef struct td_cw_window {
    td_time_us from_us;
    td_time_us period_us; /* whole minutes: what is finer does not exist */
    uint32_t count;
    bool has_spreads; /* extended statistics are asked for */
} td_cw_window;

bool td_cw__is_period(int64_t period_s);
/* *ret_count may exceed what a window can have; false: the start is not before the end. */
TD_MUST_USE bool td_cw__span(td_time_us start_us, td_time_us end_us, int64_t period_s, td_cw_window *ret_window,
                             int64_t *ret_count);

/* An offset as a NextToken; td_cw__read_token answers 0 for an absent one. */
TD_MUST_USE td_cw_status td_cw__read_token(td_cw_call *call, int64_t *ret_offset);
void td_cw__write_token(td_cw_call *call, int64_t offset);

#endif
