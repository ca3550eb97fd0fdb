/* SPDX-License-Identifier: Apache-2.0
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

/* ---- exception policy ------------------------------------------------------------------------------------------ */

/* The exceptions, with their texts, that a throttle may be told as: M1 … M6 of throttling.md §3.3. */
typedef enum td_throttle_answer {
    TD_ANSWER_DEFAULT, /* what §3.3 says of the cell */
    TD_ANSWER_M1,      /* ProvisionedThroughputExceededException, of the table */
    TD_ANSWER_M2,      /* ProvisionedThroughputExceededException, of an index */
    TD_ANSWER_M3,      /* ThrottlingException */
    TD_ANSWER_M4,      /* ThrottlingException, of an index that is written */
    TD_ANSWER_M5,      /* ThrottlingException, of an on-demand maximum */
    TD_ANSWER_M6,      /* RequestLimitExceeded */
    TD_ANSWER_COUNT
} td_throttle_answer;

/* A cell is a reason (a limit, of the table or of an index, in one direction) in one billing mode. */
#define TD_POLICY_CELL_COUNT (TD_LIMIT_KIND_COUNT * 2 * TD_DIRECTION_COUNT * 2)

typedef struct td_exception_policy {
    uint8_t answers[TD_POLICY_CELL_COUNT]; /* td_throttle_answer, by cell */
} td_exception_policy;

struct td_capacity_patch;

/* Marks the answer of a cell, or of a reason in both modes. `cell`: a reason's name, alone or with "/PROVISIONED" or
 * "/PAY_PER_REQUEST"; `answer`: the name of an exception (with the text that fits the cell), "M1" … "M6", or "default".
 * false: *ret_fault is what is wrong, a sentence with static life. */
TD_MUST_USE bool td_policy_set(struct td_capacity_patch *patch, td_slice cell, td_slice answer, const char **ret_fault);

/* The same for "cell=answer,cell=answer…"; blanks around the parts do not count. */
TD_MUST_USE bool td_policy_parse(struct td_capacity_patch *patch, td_slice text, const char **ret_fault);

/* One cell as it is written: {"TableReadKeyRangeThroughputExceeded", "PAY_PER_REQUEST", "ThrottlingException"}. */
typedef struct td_policy_row {
    const char *reason;
    const char *billing;
    const char *answer; /* an exception's name, or "M3" where that would mean another text; never "default" */
} td_policy_row;

/* false: in that mode the limit does not exist. */
TD_MUST_USE bool td_policy_get_row(const td_exception_policy *policy, uint32_t cell, td_policy_row *ret_row);

/* ---- settings -------------------------------------------------------------------------------------------------- */

typedef enum td_capacity_setting {
#define TD_CAPACITY(name, default_value, min, max, meaning) TD_CAPACITY_##name,
#include "thermodyn/capacity.def"
#undef TD_CAPACITY
    TD_CAPACITY_SETTING_COUNT
} td_capacity_setting;

/* How a table's provisioned throughput is shared by its partitions (throttling.md §2.5). On-demand knows no share. */
typedef enum td_era {
    TD_ERA_STATIC,   /* evenly; each keeps a burst of its own */
    TD_ERA_ADAPTIVE, /* likewise, and a partition that throttles while the table has room is boosted after a while */
    TD_ERA_INSTANT   /* one pool for all */
} td_era;

typedef struct td_capacity_settings {
    td_enforce enforce;
    td_era era;
    td_exception_policy policy;
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
    bool has_era;
    bool has_answer[TD_POLICY_CELL_COUNT];
    bool has_value[TD_CAPACITY_SETTING_COUNT];
    td_capacity_settings settings; /* only the marked members count */
} td_capacity_patch;

#endif
