/* SPDX-License-Identifier: Apache-2.0
 * contributors.h: what the rules of Contributor Insights count of one table or global index (insights.h).
 *
 *   admission ─charge: consumed units─▶ PKC, SKC ┐  by minute: a sketch of the greatest contributors (heat_sketch.h),
 *             └refuse: a throttle─────▶ PKT, SKT ┘  registers that estimate how many there are, samples
 *
 * Nothing is shared with the heat (heat.h): that is always on and counts all that the partitions do, these rules are
 * switched on, count three times what is written, and leave out what the service leaves out.
 * Memory: a rule takes 12 KB, and each minute with traffic at most 7 KB until it is three hours old.
 * Threads: the caller holds the table's lock. */
#ifndef THERMODYN_CAPACITY_CONTRIBUTORS_H
#define THERMODYN_CAPACITY_CONTRIBUTORS_H

#include "thermodyn/insights.h"

#include "capacity/heat.h"

#define TD_CONTRIBUTORS_MINUTES 180 /* closed ones that are kept */
#define TD_CONTRIBUTORS_REGISTERS 256
#define TD_CONTRIBUTORS_WRITE_WEIGHT 3 /* Source: AWS, "CloudWatch Contributor Insights for DynamoDB: how it works" */

typedef struct td_contributors td_contributors;

/* Registers of HyperLogLog. Source: Flajolet, Fusy, Gandouet, Meunier, "HyperLogLog" (2007): 256 err by 6.5 %. */
typedef struct td_contributor_registers {
    uint8_t ranks[TD_CONTRIBUTORS_REGISTERS];
} td_contributor_registers;

/* One minute of a rule. */
typedef struct td_contributors_minute {
    td_statistic samples;
    td_contributor_registers registers;
    td_heat_top *top;
} td_contributors_minute;

/* `rules`: 1 << td_insight_rule of each. NULL: no memory. */
TD_MUST_USE td_contributors *td_contributors_new(uint32_t rules);
void td_contributors_free(td_contributors *contributors); /* NULL is allowed */
/* Other rules: what is kept goes on counting. false: no memory, unchanged. */
TD_MUST_USE bool td_contributors_set_rules(td_contributors *contributors, uint32_t rules);

bool td_contributors_has_rule(const td_contributors *contributors, td_insight_rule rule);

/* Never fail: a minute that finds no memory when it closes is lost. */
void td_contributors_add(td_contributors *contributors, td_time_us now_us, const td_heat_access *access);
void td_contributors_add_refused(td_contributors *contributors, td_time_us now_us, const td_heat_access *access);

/* The minute since the epoch; one still open is copied to the arena. *ret_minute NULL: nothing, or no longer kept.
 * false: no memory. */
TD_MUST_USE bool td_contributors_read(const td_contributors *contributors, td_insight_rule rule, int64_t minute,
                                      td_arena *arena, const td_contributors_minute **ret_minute);

void td_contributor_registers_add(td_contributor_registers *registers, uint64_t hash);
void td_contributor_registers_merge(td_contributor_registers *registers, const td_contributor_registers *more);
double td_contributor_registers_estimate(const td_contributor_registers *registers);

#endif
