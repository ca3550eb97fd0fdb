/* SPDX-License-Identifier: MIT
 * capacity.h: what a request consumed, what a throttle says, and the settings of the emulation.
 *
 * The model is throttling.md §6: admission asks every bucket that a request touches for a balance above zero, in one
 * fixed order, and the exact units are taken from all of them afterwards; a balance may go below zero. One accountant
 * (storage/capacity/meter.c) feeds ConsumedCapacity, the buckets and the counters. */
#ifndef THERMODYN_CAPACITY_H
#define THERMODYN_CAPACITY_H

#include "thermodyn/base.h"
#include "thermodyn/limits.h"

typedef enum td_direction { TD_READ, TD_WRITE, TD_DIRECTION_COUNT } td_direction;
typedef enum td_billing_mode { TD_BILLING_PROVISIONED, TD_BILLING_ON_DEMAND } td_billing_mode;
typedef enum td_enforce { TD_ENFORCE_ON, TD_ENFORCE_OFF, TD_ENFORCE_OBSERVE } td_enforce;

#define TD_INDEXES_MAX (TD_LIMIT_LOCAL_INDEXES_MAX + TD_LIMIT_GLOBAL_INDEXES_MAX)

/* ---- consumed -------------------------------------------------------------------------------------------------- */

typedef struct td_consumed_index {
    td_slice name; /* borrowed until the reset of the request's arena */
    bool is_global;
    td_units units;
} td_consumed_index;

/* An index that was not touched has no entry; the total is the table's units plus all entries. */
typedef struct td_consumed {
    td_units table;
    uint32_t index_count;
    td_consumed_index indexes[TD_INDEXES_MAX];
} td_consumed;

td_units td_consumed_total(const td_consumed *consumed);

/* Bytes → units (throttling.md §1.2, §1.3), before any transactional factor. Zero bytes cost the minimum. */
td_units td_units_of_read(uint64_t bytes, bool is_consistent);
td_units td_units_of_write(uint64_t bytes);

/* ---- throttles ------------------------------------------------------------------------------------------------- */

typedef enum td_limit_kind {
    TD_LIMITED_BY_PROVISIONED,
    TD_LIMITED_BY_KEY_RANGE,
    TD_LIMITED_BY_ACCOUNT,
    TD_LIMITED_BY_MAX_ON_DEMAND,
    TD_LIMIT_KIND_COUNT
} td_limit_kind;

/* Which limit refused a request: the error's `throttle`. More than one only with report_all_reasons. */
typedef struct td_throttle_reason {
    td_limit_kind kind;
    td_direction direction;
    td_slice index; /* the global index's name; empty: the table */
    td_slice table; /* in the error of a batch: the table's name; empty: the request's */
} td_throttle_reason;

typedef struct td_throttle {
    uint32_t count;
    td_throttle_reason *reasons; /* in the order of the checks; borrowed until the reset of the error's arena */
} td_throttle;

/* "TableWriteKeyRangeThroughputExceeded", … (throttling.md §3.2) */
const char *td_throttle_reason_name(const td_throttle_reason *reason);

/* ---- settings -------------------------------------------------------------------------------------------------- */

typedef enum td_capacity_setting {
#define TD_CAPACITY(name, default_value, min, max, meaning) TD_CAPACITY_##name,
#include "thermodyn/capacity.def"
#undef TD_CAPACITY
    TD_CAPACITY_SETTING_COUNT
} td_capacity_setting;

typedef struct td_capacity_settings {
    td_enforce enforce;
    double values[TD_CAPACITY_SETTING_COUNT]; /* by td_capacity_setting */
} td_capacity_settings;

/* The rows of capacity.def, for configuration, control and documents. */
typedef struct td_capacity_row {
    const char *name;
    double default_value;
    double min;
    double max;
    const char *meaning;
} td_capacity_row;

extern const td_capacity_row td_capacity_rows[TD_CAPACITY_SETTING_COUNT];

/* Sets those of a preset, "faithful", "laptop" or "unit-test" (throttling.md §6.5); false: no such preset.
 * (That unit-test also stops the clock is the caller's business.) */
TD_MUST_USE bool td_capacity_settings_preset(td_capacity_settings *settings, td_slice preset);
void td_capacity_settings_init(td_capacity_settings *settings); /* defaults */

/* A partial change. */
typedef struct td_capacity_patch {
    bool has_enforce;
    bool has_value[TD_CAPACITY_SETTING_COUNT];
    td_capacity_settings settings; /* only the marked members count */
} td_capacity_patch;

#endif
