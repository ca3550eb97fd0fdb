/* SPDX-License-Identifier: Apache-2.0
 * admission.h: whether a request may run, and what it is charged.
 *
 * A request touches targets: a target is one partition of the table or of one global index, in one direction. The
 * engine adds them, the table's first, then the indexes' in schema order (an index entry that moves is two targets),
 * hangs in the buckets that are in force, asks once, runs the operation and charges each target:
 *
 *     td_admission_init(&admission, &settings, billing);
 *     td_admission_target *target = td_admission_add(&admission, index, TD_WRITE);
 *     target->limits[TD_LIMITED_BY_PROVISIONED] = &resource->bucket[TD_WRITE];
 *     target->limits[TD_LIMITED_BY_KEY_RANGE] = &partition->cap[TD_WRITE];
 *     target->tally = &resource->tally;
 *     if (!td_admission_ask(&admission, now_us)) return td_admission_raise(&admission, error);
 *     …
 *     td_admission_charge(&admission, target, units);
 *
 * A bucket of a global index that is written counts as open while its debt is within gsi_backlog seconds of its rate.
 * Order of the checks (throttling.md §6.2): per target the on-demand maximum, the account's table quota, the table's
 * (index's) provisioned throughput, the partition's cap. Nothing is taken unless the whole request is admitted.
 * Threads: the caller holds the lock that guards the buckets. */
#ifndef THERMODYN_CAPACITY_ADMISSION_H
#define THERMODYN_CAPACITY_ADMISSION_H

#include "thermodyn/capacity.h"
#include "thermodyn/status.h"

#include "capacity/bucket.h"
#include "capacity/contributors.h"
#include "capacity/demand.h"
#include "capacity/heat.h"
#include "capacity/ledger.h"
#include "capacity/meter.h"

/* The most that one request touches: the table, and two partitions of each global index. */
#define TD_ADMISSION_TARGETS_MAX (1 + 2 * TD_LIMIT_GLOBAL_INDEXES_MAX)
#define TD_ADMISSION_REASONS_MAX (TD_ADMISSION_TARGETS_MAX * TD_LIMIT_KIND_COUNT)

typedef struct td_admission_target {
    td_slice index; /* the global index's name; empty: the table. Borrowed */
    td_direction direction;
    bool is_eventual;                       /* an eventually consistent read: see ec_read_factor */
    td_bucket *limits[TD_LIMIT_KIND_COUNT]; /* by td_limit_kind; NULL: not in force */
    td_throttle_tally *tally;               /* the resource's; NULL: throttles are not counted */
    td_ledger *ledger;                      /* the resource's; NULL: not recorded */
    bool is_continued;                      /* belongs to one sample with what the operation took of it before */
    td_usage *usage;                        /* the partition's, of this direction; NULL: not recorded */
    td_heat *heat;                          /* the resource's; NULL: not recorded */
    td_contributors *contributors;          /* the resource's; NULL: not counted */
    td_demand *demand;                      /* the partition's; NULL: not recorded */
    td_slice key;            /* what is accessed, encoded, or (is_range) where it begins; empty: unknown. Borrowed */
    uint32_t collection_len; /* of the key: hash and partition key; 0: a Scan, which knows places alone */
    bool is_range;           /* a page of a Query or Scan, not one item */
    uint64_t hash_to;        /* of a Scan: the last place that it searches */
    td_units offered;        /* what it will cost as far as it is known before: what a refusal turns away */
} td_admission_target;

typedef struct td_admission {
    const td_capacity_settings *settings; /* borrowed until the last ask */
    td_enforce enforce;
    bool reports_all;         /* report_all_reasons */
    bool is_statement;        /* of PartiQL: Contributor Insights do not count it */
    uint32_t ec_factor_milli; /* ec_read_factor, 1000 = 1 */
    td_billing_mode billing;
    td_time_us now_us; /* of the last ask */
    uint32_t target_count;
    uint32_t reason_count; /* of the last ask; above 0 although it passed: observed only */
    td_message message;    /* of the first reason, when there is one */
    td_admission_target targets[TD_ADMISSION_TARGETS_MAX];
    td_throttle_reason reasons[TD_ADMISSION_REASONS_MAX];
} td_admission;

/* Touches no more than the head of the struct: it may be reused at once for the next request. */
void td_admission_init(td_admission *admission, const td_capacity_settings *settings, td_billing_mode billing);

/* A target without limits; valid as long as the admission. */
td_admission_target *td_admission_add(td_admission *admission, td_slice index, td_direction direction);

/* Brings the buckets up to date and asks them in order. false: refused, `reasons` says why (the first limit, or all of
 * them with report_all_reasons), the buckets and tallies of those reasons have counted it. With enforce "off" nothing
 * is asked; with "observe" it is counted and passes. */
TD_MUST_USE bool td_admission_ask(td_admission *admission, td_time_us now_us);

/* Takes what was consumed from all buckets of a target and records its usage; after an ask that passed.
 * An eventually consistent read takes units / ec_read_factor from the partition's cap. */
void td_admission_charge(const td_admission *admission, const td_admission_target *target, td_units units);

/* The exception of a refused request by the policy in force at the ask (policy.c); its reasons are in the error's
 * arena. */
TD_MUST_USE td_status td_admission_raise(const td_admission *admission, td_error *error);

#endif
