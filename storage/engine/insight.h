/* SPDX-License-Identifier: Apache-2.0
 * insight.h: the Contributor Insights that a resource has, or had.
 * Threads: the table's lock. */
#ifndef THERMODYN_ENGINE_INSIGHT_H
#define THERMODYN_ENGINE_INSIGHT_H

#include "thermodyn/insights.h"

#include "capacity/contributors.h"

struct td_resource;

typedef struct td_insights {
    bool is_on;                    /* enabled, or on the way to it */
    td_insights_mode mode;         /* the last */
    td_time_us created_us;         /* of the rules that there are, or were last */
    td_time_us settled_us;         /* when the last change is, or was, complete */
    td_contributors *contributors; /* NULL: not on */
} td_insights;

void td_insights__free(td_insights *insights); /* NULL is allowed */

/* The rules that insights of the resource have: 1 << td_insight_rule of each. */
uint32_t td_insights__rules(const struct td_resource *resource, td_insights_mode mode);

/* The state at an instant; `status` of what was never enabled is DISABLED. */
td_insights_status td_insights__status(const td_insights *insights, td_time_us now_us);

#endif
