/* SPDX-License-Identifier: Apache-2.0
 * plan.c: the list of planned splits.
 * Not here: when splits are planned, and carried out (split.c). */
#include "plan.h"

#include "thermodyn/memory.h"

#include "resource.h"

static void insert(td_split_plan **first, td_split_plan *plan);
static void take_out(td_split_plan *plan);

bool td_split_plan__new(td_split_plan **first, td_resource *resource, td_partition *partition, td_slice bound,
                        td_split_cause cause, td_time_us due_us)
{
    TD_ASSERT(partition->plan == NULL);
    td_split_plan *plan = td_alloc(sizeof *plan + bound.len);
    if (plan == NULL) return false;
    *plan = (td_split_plan){
        .partition = partition,
        .resource = resource,
        .cause = cause,
        .due_us = due_us,
        .bound_len = (uint32_t)bound.len,
    };
    if (bound.len > 0) memcpy(plan->bound, bound.ptr, bound.len);
    insert(first, plan);
    partition->plan = plan;
    resource->planned_count++;
    return true;
}

void td_split_plan__free(td_split_plan *plan)
{
    if (plan == NULL) return;
    take_out(plan);
    TD_ASSERT(plan->resource->planned_count > 0);
    plan->resource->planned_count--;
    if (plan->partition->plan == plan) plan->partition->plan = NULL;
    td_free(plan);
}

void td_split_plan__defer(td_split_plan **first, td_split_plan *plan, td_time_us due_us)
{
    take_out(plan);
    plan->due_us = due_us;
    insert(first, plan);
}

/* One without a bound of its own was about the whole: each half is looked at for itself. */
void td_split_plan__pass_on(td_partition *lower, td_partition *upper, td_slice bound)
{
    td_split_plan *plan = lower->plan;
    if (plan == NULL) return;
    int order = td_slice_compare(td_slice_of(plan->bound, plan->bound_len), bound);
    if (plan->bound_len == 0 || order == 0) {
        td_split_plan__free(plan);
    } else if (order > 0) {
        TD_ASSERT(upper->plan == NULL);
        lower->plan = NULL;
        upper->plan = plan;
        plan->partition = upper;
    }
}

/* Behind those that fall due at the same time. */
static void insert(td_split_plan **first, td_split_plan *plan)
{
    td_split_plan **at = first;
    while (*at != NULL && (*at)->due_us <= plan->due_us)
        at = &(*at)->next;
    plan->next = *at;
    plan->link = at;
    if (plan->next != NULL) plan->next->link = &plan->next;
    *at = plan;
}

static void take_out(td_split_plan *plan)
{
    TD_ASSERT(*plan->link == plan);
    *plan->link = plan->next;
    if (plan->next != NULL) plan->next->link = plan->link;
}
