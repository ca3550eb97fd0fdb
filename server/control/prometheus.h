/* SPDX-License-Identifier: Apache-2.0
 * prometheus.h: all that Prometheus is told, docs/metrics.md in the same order. Threads: any. */
#ifndef THERMODYN_CONTROL_PROMETHEUS_H
#define THERMODYN_CONTROL_PROMETHEUS_H

#include "ops/dispatch.h"

#define TD_PROMETHEUS_TYPE "text/plain; version=0.0.4; charset=utf-8"

/* Writes into `reply` (cleared first). false: no memory, or more than an answer may have. */
TD_MUST_USE bool td_prometheus_write(td_service *service, td_arena *arena, td_buf *reply);

/* ---- prometheus_tables.c ---- */
TD_MUST_USE bool td_prometheus__write_tables(td_service *service, td_arena *arena, td_buf *reply);

#endif
