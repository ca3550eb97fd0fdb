/* SPDX-License-Identifier: Apache-2.0
 * parameters.h: what stands behind the "?" of a call, checked. */
#ifndef THERMODYN_CONTROL_PARAMETERS_H
#define THERMODYN_CONTROL_PARAMETERS_H

#include "thermodyn/heat.h"

#include "control_private.h"

typedef struct td_control_parameter {
    const char *name;
    td_slice value; /* set by td_control__read_parameters; empty: absent */
} td_control_parameter;

/* Binds them; ?scope= is everybody's. 200, or the status of a refusal: one that is unknown, empty or there twice. */
TD_MUST_USE int td_control__read_parameters(td_control_call *call, td_control_parameter *parameters, size_t count);

/* A whole number within [min, max]; absent: *value stays. */
TD_MUST_USE int td_control__read_whole(td_control_call *call, const td_control_parameter *parameter, int64_t min,
                                       int64_t max, int64_t *value);

/* One of the words, by its place; absent: *choice stays. */
TD_MUST_USE int td_control__read_choice(td_control_call *call, const td_control_parameter *parameter,
                                        const char *const *words, size_t count, int *choice);

/* "table" must be there. */
TD_MUST_USE int td_control__read_table(td_control_call *call, const td_control_parameter *parameter);

/* By td_heat_metric. */
extern const char *const td_control__metric_names[TD_HEAT_METRIC_COUNT];

/* The subject's members that heat maps and hottest keys begin with. */
void td_control__put_subject(td_control_call *call, td_slice table, td_slice index, td_heat_metric metric);

/* The status of a result: 200 for TD_HEAT_OK. */
TD_MUST_USE int td_control__heat_status(td_control_call *call, td_heat_result result, td_slice table, td_slice index);

/* A whole or broken number of units, as JSON. */
void td_control__write_units(td_buf *buf, td_units units);

#endif
