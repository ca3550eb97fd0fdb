/* SPDX-License-Identifier: Apache-2.0
 * scenario.h: a store under load in virtual time.
 *
 * A scenario has one table and a clock that only the load moves. A flow is a stream of like requests at a fixed rate:
 * the n-th arrives exactly n/rate seconds after the run began. Flows of one run are merged by time, in the order in
 * which they are given when two arrive at once. Each second of the scenario counts what passed and what was throttled;
 * any other failure ends the test. */
#ifndef THERMODYN_TESTS_SCENARIO_SCENARIO_H
#define THERMODYN_TESTS_SCENARIO_SCENARIO_H

#include <check.h>

#include "thermodyn/observe.h"
#include "thermodyn/read.h"
#include "thermodyn/store.h"
#include "thermodyn/table.h"
#include "thermodyn/write.h"

#define SCENARIO_SECONDS_MAX 9600
#define SCENARIO_TABLE "Orders"
#define SCENARIO_INDEX "by-status"            /* partition key "status" (S), all attributes */
#define SCENARIO_LOCAL_INDEX "by-status-here" /* sort key "status", all attributes */

typedef struct scenario {
    td_store *store;
    td_arena arena;      /* of the request in hand */
    td_error error;      /* of the last request that failed; its text lives until the next request */
    td_time_us start_us; /* when the table was ACTIVE: second 0 */
    td_time_us now_us;
} scenario;

/* A table with the partition key "pk", and "at" (S) as the sort key of what has one. */
typedef struct scenario_setup {
    td_type key_type; /* S (0) or N */
    int64_t read;     /* provisioned units a second; 0 and 0: on-demand */
    int64_t written;
    int64_t max_written;  /* on-demand: MaxWriteRequestUnits; 0: none */
    int64_t warm_written; /* WriteUnitsPerSecond of the warm throughput; 0: not given */
    bool has_sort_key;
    bool has_local_index;
    bool has_index;
    bool has_index_sort_key;
    int64_t index_read;
    int64_t index_written;
    bool has_table_delays;
    td_time_us created_us;                /* 0: some day at 12:00 UTC */
    const td_capacity_settings *settings; /* NULL: the defaults */
} scenario_setup;

void scenario_open(scenario *it, const scenario_setup *setup);
void scenario_close(scenario *it);

td_call scenario_call(scenario *it);

/* The settings with one value changed. */
td_capacity_settings settings_with(td_capacity_setting setting, double value);

/* Runs what is due, moves the clock there, forgets the last request. */
void scenario_move_to(scenario *it, double second);

/* Single requests at the present instant. status NULL: not in the index. */
td_status scenario_put(scenario *it, const char *key, const char *status, size_t pad_bytes);
td_status scenario_get(scenario *it, const char *key, bool is_consistent);
td_status scenario_query_index(scenario *it, const char *status);
td_status scenario_update_throughput(scenario *it, int64_t read, int64_t written);

/* The view of the table now; borrowed until the next request. */
td_table_view scenario_observe(scenario *it);

/* The provisioned (or quota) bucket of the table or of the index. */
td_bucket_view scenario_bucket(scenario *it, bool is_index, td_direction direction);

/* Which of `count` equal partitions a string key lies in. */
uint32_t scenario_partition_of(const char *key, uint32_t count);

/* ---- flows ------------------------------------------------------------------------------------------------------ */

typedef struct scenario_flow scenario_flow;
struct scenario_flow {
    int64_t per_s;
    td_status (*send)(scenario *it, const scenario_flow *flow, uint64_t number);
    const char *key; /* for `send` */
    bool flag;       /* for `send` */

    uint64_t sent;
    uint32_t passed[SCENARIO_SECONDS_MAX]; /* by second of the scenario */
    uint32_t throttled[SCENARIO_SECONDS_MAX];
    td_time_us first_throttle_us; /* 0: none */
    td_status status;             /* of the last throttle */
    char reason[64];
    char resource[32]; /* the index's name; "": the table */
    char text[512];
};

void scenario_run(scenario *it, scenario_flow *flows, size_t count, uint32_t from_second, uint32_t to_second);

/* Sums over [from, to). */
uint32_t flow_passed(const scenario_flow *flow, uint32_t from_second, uint32_t to_second);
uint32_t flow_throttled(const scenario_flow *flow, uint32_t from_second, uint32_t to_second);

/* Ready-made `send`s: key is the partition key; or a prefix that the number is appended to (unique keys). */
td_status send_put(scenario *it, const scenario_flow *flow, uint64_t number);
/* flag: into the index, with the status "open" */
td_status send_unique_put(scenario *it, const scenario_flow *flow, uint64_t number);
td_status send_get(scenario *it, const scenario_flow *flow, uint64_t number);         /* flag: consistent */
td_status send_index_query(scenario *it, const scenario_flow *flow, uint64_t number); /* key: the status */

#define CHECK_LAST_THROTTLE(flow_, status_, reason_, text_start_)                                                      \
    do {                                                                                                               \
        ck_assert_int_eq((flow_)->status, (status_));                                                                  \
        ck_assert_str_eq((flow_)->reason, (reason_));                                                                  \
        ck_assert_msg(strncmp((flow_)->text, (text_start_), strlen(text_start_)) == 0, "%s", (flow_)->text);           \
    } while (0)

/* |actual - expected| <= tolerance */
#define CHECK_NEAR(actual, expected, tolerance)                                                                        \
    ck_assert_double_eq_tol((double)(actual), (double)(expected), (tolerance))

TCase *batch_scenarios(void);
TCase *burst_scenarios(void);
TCase *era_scenarios(void);
TCase *growth_scenarios(void);
TCase *hot_key_scenarios(void);
TCase *index_scenarios(void);
TCase *insights_scenarios(void);
TCase *limit_scenarios(void);
TCase *placement_scenarios(void);
TCase *size_scenarios(void);
TCase *split_scenarios(void);
TCase *transaction_scenarios(void);

#endif
