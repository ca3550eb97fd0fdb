/* SPDX-License-Identifier: Apache-2.0
 * insights.h: Contributor Insights of a table or a global index: switched on and off, and the reports of its rules.
 *
 * A rule counts, by the minute and by key, from the instant at which the insights are ENABLED:
 *   PKC SKC  consumed units, writes three times: a key at the maximum of its partition for a minute has 180,000
 *   PKT SKT  throttled operations
 * by the partition key (PK…) or by partition and sort key (SK…). As on the service, Queries count once, under their
 * partition key; writes of a table that a global index throttles, and statements of PartiQL, do not count
 * (throttling.md §4.2). A Scan has no key, and does not count either.
 * Threads: any; one lock of a table at a time. */
#ifndef THERMODYN_INSIGHTS_H
#define THERMODYN_INSIGHTS_H

#include "thermodyn/buf.h"
#include "thermodyn/series.h"
#include "thermodyn/status.h"
#include "thermodyn/store.h"
#include "thermodyn/value.h"

/* In the order in which the service lists them. */
typedef enum td_insight_rule {
    TD_INSIGHT_PKC,
    TD_INSIGHT_PKT,
    TD_INSIGHT_SKC,
    TD_INSIGHT_SKT,
    TD_INSIGHT_RULE_COUNT,
} td_insight_rule;

typedef enum td_insights_mode { TD_INSIGHTS_ACCESSED_AND_THROTTLED, TD_INSIGHTS_THROTTLED } td_insights_mode;

typedef enum td_insights_status {
    TD_INSIGHTS_DISABLED,
    TD_INSIGHTS_ENABLING,
    TD_INSIGHTS_ENABLED,
    TD_INSIGHTS_DISABLING,
} td_insights_status;

/* Insights of one resource. */
typedef struct td_insights_info {
    td_slice table;
    td_slice index; /* empty: the table */
    td_insights_status status;
    td_insights_mode mode;
    bool was_ever;         /* they were enabled at some time; else nothing below is said */
    td_time_us changed_us; /* when the status changed last */
    td_time_us
        created_us; /* of the rules, whole milliseconds: their names end with it; no two of a table's are alike */
    uint32_t rules; /* 1 << td_insight_rule of each that there is */
} td_insights_info;

/* The answer says ENABLING or DISABLING. What is enabled and is enabled again keeps its rules and counts.
 * Errors: RESOURCE_NOT_FOUND, with the control plane's texts. */
TD_MUST_USE td_status td_insights_update(const td_call *call, td_slice index, bool is_enabled, td_insights_mode mode,
                                         td_insights_info *ret_info, td_error *error);
TD_MUST_USE td_status td_insights_describe(const td_call *call, td_slice index, td_insights_info *ret_info,
                                           td_error *error);

/* Resources of the call's scope whose insights are not DISABLED, in the order of tables' names, a table's before its
 * indexes'; with call->table of that table alone. false: no memory. */
TD_MUST_USE bool td_insights_list(const td_call *call, td_insights_info **ret_infos, uint32_t *ret_count);

/* The name of a rule that there is: "DynamoDBContributorInsights-PKC-<table>-<milliseconds since the epoch>". */
void td_insights_rule_name(const td_insights_info *info, td_insight_rule rule, td_buf *buf);

/* ---- reports ----------------------------------------------------------------------------------------------------- */

typedef struct td_insights_request {
    td_slice index; /* empty: the table */
    td_time_us created_us;
    td_insight_rule rule;
    td_time_us from_us; /* beginning of a minute; three hours are kept */
    td_time_us period_us;
    uint32_t period_count;
    uint32_t limit;     /* contributors */
    bool is_by_maximum; /* ordered by the greatest period, not by the sum */
} td_insights_request;

/* Amounts are milli-units, or throttles × TD_UNITS_ONE: lower bounds, exact while a minute has few contributors. */
typedef struct td_contributor {
    td_slice *keys; /* attributes as texts: strings, numbers, base64; NULL: too long to keep, and of no item now */
    td_units amount;
    td_units *points; /* by period; 0: it did not appear */
} td_contributor;

typedef struct td_contributor_point {
    td_statistic samples; /* of all contributors, by access */
    td_units max;         /* of one contributor */
    double unique;        /* contributors, about */
} td_contributor_point;

typedef struct td_insights_report {
    td_slice *labels; /* names of the key attributes */
    uint32_t label_count;
    td_units total;
    double unique;
    td_contributor *contributors; /* the greatest first */
    uint32_t contributor_count;
    td_contributor_point *points; /* by period */
} td_insights_report;

typedef enum td_insights_result { TD_INSIGHTS_OK, TD_INSIGHTS_NO_RULE, TD_INSIGHTS_NO_MEMORY } td_insights_result;

TD_MUST_USE td_insights_result td_insights_report_rule(const td_call *call, const td_insights_request *request,
                                                       td_insights_report *ret_report);

#endif
