/* SPDX-License-Identifier: Apache-2.0
 * metric.h: a metric by its name and dimensions, and its samples by period. Three kinds of sources:
 *
 *   SERIES    what tables and indexes consumed, throttled and provisioned   thermodyn/metrics.h
 *   REQUESTS  latencies, errors, returned items, throttled requests         metrics/metrics.h
 *   GAUGES    quotas and their use, progress of indexes                     gauges.def
 *
 * Private to server/cloudwatch. Threads: any. */
#ifndef THERMODYN_CLOUDWATCH_METRIC_H
#define THERMODYN_CLOUDWATCH_METRIC_H

#include "cloudwatch_private.h"
#include "metrics/metrics.h"
#include "thermodyn/metrics.h"
#include "thermodyn/table.h"

/* Gauges are kept in millionths: percentages have fractions. */
#define TD_CW_GAUGE_SCALE 1e6

typedef enum td_cw_source { TD_CW_SERIES, TD_CW_REQUESTS, TD_CW_GAUGES } td_cw_source;

typedef enum td_cw_gauge {
#define TD_CW_GAUGE(id, name, unit, of) TD_CW_GAUGE_##id,
#include "cloudwatch/gauges.def"
#undef TD_CW_GAUGE
    TD_CW_GAUGE_COUNT
} td_cw_gauge;

typedef enum td_cw_gauge_of { TD_CW_OF_INDEX, TD_CW_OF_ACCOUNT } td_cw_gauge_of;

typedef enum td_cw_dimension {
    TD_CW_TABLE_NAME,
    TD_CW_INDEX_NAME,
    TD_CW_OPERATION_NAME,
    TD_CW_OPERATION_TYPE,
    TD_CW_VERB,
    TD_CW_SOURCE_NAME, /* Customer, or GlobalTable, which nothing here is */
    TD_CW_DIMENSION_COUNT,
} td_cw_dimension;

extern const td_slice td_cw_dimension_names[TD_CW_DIMENSION_COUNT];

typedef struct td_cw_metric {
    td_cw_source source;
    uint32_t id; /* of the source's own enum */
    td_slice name;
    td_slice dimensions[TD_CW_DIMENSION_COUNT]; /* empty: it has none of that name */
} td_cw_metric;

/* false: there is no such metric, so nothing was ever recorded of it. `dimensions` NULL: none. */
TD_MUST_USE bool td_cw_metric_find(td_slice name_space, td_slice name, const td_json *dimensions,
                                   td_cw_metric *ret_metric);

const char *td_cw_metric_unit(const td_cw_metric *metric);

/* How much of a sample is one of that unit. */
double td_cw_metric_scale(const td_cw_metric *metric);

/* The samples of each period, in the call's arena. NULL: no memory. */
TD_MUST_USE td_samples *td_cw_metric_read(const td_cw_call *call, const td_cw_metric *metric,
                                          const td_cw_window *window);

/* ---- metric_list.c ---- */

/* Every metric of the call's scope that has or had samples. false: no memory. */
TD_MUST_USE bool td_cw_metric_list(const td_cw_call *call, td_cw_metric **ret_metrics, uint32_t *ret_count);

/* What tells requests of one operation of PartiQL apart, as a dimension; empty: nothing does. */
td_slice td_cw_kind_name(td_metrics_kind kind, td_cw_dimension *ret_dimension);

/* ---- gauge.c ---- */
td_slice td_cw_gauge_name(td_cw_gauge gauge);
const char *td_cw_gauge_unit(td_cw_gauge gauge);
td_cw_gauge_of td_cw_gauge_is_of(td_cw_gauge gauge);

/* An index has it, since its table is being given it. false: it has not, or there is no memory. */
TD_MUST_USE bool td_cw_gauge_of_index(const td_cw_call *call, td_cw_gauge gauge, td_slice table, td_slice index,
                                      double *ret_value, td_time_us *ret_since_us);

/* Adds a sample for each five minutes to the point of its period, in 1 / TD_CW_GAUGE_SCALE. */
void td_cw_gauge_read(const td_cw_call *call, const td_cw_metric *metric, const td_series_window *window,
                      td_samples *points);

#endif
