/* SPDX-License-Identifier: Apache-2.0
 * advice_private.h: what the rules of advice share: writing a piece of advice, and the words for numbers. */
#ifndef THERMODYN_CONTROL_ADVICE_PRIVATE_H
#define THERMODYN_CONTROL_ADVICE_PRIVATE_H

#include "advice.h"

typedef struct td_advice_case {
    const td_advice_question *question;
    const td_advice_resource *resource;
    td_advice_list *list;
} td_advice_case;

/* A piece of advice in the making: begin, say, add numbers, add. A failure sticks to the list. */
td_advice td_advice__begin(const td_advice_case *about, td_advice_kind kind, td_advice_severity severity);
/* Appends a sentence. */
void td_advice__say(const td_advice_case *about, td_advice *advice, const char *format, ...) TD_PRINTF(3, 4);
void td_advice__put(td_advice *advice, const char *name, double value);
void td_advice__put_text(const td_advice_case *about, td_advice *advice, const char *name, td_slice text);
void td_advice__add(const td_advice_case *about, const td_advice *advice);

/* "1,480", "3.3", "0.25": for sentences. Never NULL. */
const char *td_advice__shown(const td_advice_case *about, double value);
/* "54 %", "0.3 %", or "54 to 60 %" where the bounds differ in what is shown. */
const char *td_advice__shown_share(const td_advice_case *about, double min, double max);

/* "60 minutes", "minute", "2.5 seconds": behind "the last". */
const char *td_advice__shown_window(const td_advice_case *about);

double td_advice__cap(td_direction direction);
extern const char *const td_advice__words[TD_DIRECTION_COUNT];   /* "read", "write" */
extern const char *const td_advice__plurals[TD_DIRECTION_COUNT]; /* "reads", "writes" */

/* ---- the rules, in the order in which they speak ---- */

void td_advice__judge_throttles(const td_advice_case *about);
void td_advice__judge_keys(const td_advice_case *about, td_direction direction);
void td_advice__judge_evenness(const td_advice_case *about, td_direction direction);
void td_advice__judge_splits(const td_advice_case *about);
void td_advice__judge_capacity(const td_advice_case *about, td_direction direction);
void td_advice__judge_items(const td_advice_case *about);
void td_advice__judge_index(const td_advice_case *about);

#endif
