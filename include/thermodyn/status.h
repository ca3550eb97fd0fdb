/* SPDX-License-Identifier: Apache-2.0
 * status.h: how a function says that it could not do what was asked.
 *
 * td_status is TD_OK or the kind of the failure (status.def). A user's error carries DynamoDB's exact words: the place
 * that finds it names a row of messages.def and its arguments, and td_error_raise builds the text in the request's
 * arena. No text is written anywhere else.
 * Threads: one request's error belongs to one thread. */
#ifndef THERMODYN_STATUS_H
#define THERMODYN_STATUS_H

#include "thermodyn/arena.h"
#include "thermodyn/base.h"

typedef enum td_status {
#define TD_STATUS(name, prefix, type, http_status) TD_##name,
#include "thermodyn/status.def"
#undef TD_STATUS
    TD_STATUS_COUNT
} td_status;

typedef enum td_message {
#define TD_MESSAGE(id, status, class, classic, current) TD_MSG_##id,
#include "thermodyn/messages.def"
#undef TD_MESSAGE
    TD_MESSAGE_COUNT
} td_message;

/* Which of a message's texts is used: the choice of an operation's cohort (server/ops/wording.def). */
typedef enum td_wording { TD_WORDING_CLASSIC, TD_WORDING_CURRENT } td_wording;

typedef enum td_message_class {
    TD_MESSAGE_CLASS_CONSTRAINT,
    TD_MESSAGE_CLASS_REQUEST,
    TD_MESSAGE_CLASS_SELECT,
    TD_MESSAGE_CLASS_VALUE,
    TD_MESSAGE_CLASS_DATA,
} td_message_class;

struct td_cancellations;
struct td_item;
struct td_throttle;

/* What a failed call says. Zero-initialise, set arena and wordings, pass it down; the first failure fills the rest. */
typedef struct td_error {
    td_arena *arena;                    /* where texts and details are built; set by the owner */
    td_wording wording;                 /* set by the owner */
    td_wording value_wording;           /* of messages of class VALUE; set by the owner */
    td_status status;                   /* TD_OK until something is raised */
    td_message message;                 /* the row of messages.def */
    td_slice text;                      /* the finished text; borrowed until the arena's reset */
    const struct td_item *item;         /* CONDITIONAL_CHECK_FAILED: the item as it was, when asked for; or NULL */
    const struct td_throttle *throttle; /* throttles: which limit, on what (capacity.h); or NULL */
    const struct td_cancellations *cancellations; /* TRANSACTION_CANCELED: the reasons (txn.h); or NULL */
} td_error;

/* Fills the error from a row of messages.def and answers the row's status (OUT_OF_MEMORY when the text finds no room).
 * A later raise replaces an earlier one. */
td_status td_error_raise(td_error *error, td_message message, const td_slice *args, size_t arg_count);

/* TD_RAISE(error, TD_MSG_X) or TD_RAISE(error, TD_MSG_X, slice, slice, …): `return TD_RAISE(…);` */
#define TD_RAISE(error, message, ...)                                                                                  \
    td_error_raise((error), (message), (const td_slice[]){{NULL, 0}, ##__VA_ARGS__} + 1,                               \
                   TD_COUNT_OF(((const td_slice[]){{NULL, 0}, ##__VA_ARGS__})) - 1)

/* Stands for an argument of TD_RAISE that found no memory: what is raised then is OUT_OF_MEMORY. */
extern const td_slice td_error_lost;

/* The decimal text of an integer in the error's arena, for an argument of TD_RAISE; or td_error_lost. */
td_slice td_error_int(td_error *error, int64_t value);

/* The wire columns of status.def. */
const char *td_status_prefix(td_status status);
const char *td_status_type(td_status status);
int td_status_http(td_status status);

td_message_class td_message_get_class(td_message message);
const char *td_message_name(td_message message);                        /* "EXPR_EMPTY" */
const char *td_message_text(td_message message, td_wording wording);    /* with its {0} marks */

#endif
