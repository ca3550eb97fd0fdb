/* SPDX-License-Identifier: Apache-2.0
 * meter.h: what a request counts as in the metrics. Private to server/ops.
 *
 * A request on one table needs no word of its handler. One on several tells its elements: for each a table and, where
 * the answer does not say it, how it ended. */
#ifndef THERMODYN_OPS_METER_H
#define THERMODYN_OPS_METER_H

#include "ops/dispatch.h"
#include "thermodyn/partiql.h"

/* Takes note of an element's (or a batch's) table; the name lives in the request's arena. Without memory the request is
 * missing in the figures of that table. */
void td_ops__note_table(td_request *request, td_slice table, td_status status);

/* The statement that is the request. */
void td_ops__note_statement(td_request *request, td_statement_kind statement);

/* The items in a page that is answered. */
void td_ops__note_returned(td_request *request, uint32_t items);

/* Into the recorder; `status` is the answer's, operation NULL: none was found. */
void td_ops__meter(td_request *request, const td_operation *operation, td_status status, td_metrics_recorder *recorder,
                   int64_t latency_us);

#endif
