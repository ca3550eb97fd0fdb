/* SPDX-License-Identifier: Apache-2.0
 * sweep.c: what is left of tables and shards that are gone, removed in steps, so that no commit takes long. One that
 * was not through when the process ended is found again when the directory is read (load.c). */
#include "durable_private.h"

#include <errno.h>

#include "thermodyn/memory.h"

#define STEP_KEYS 2048

bool td_durable__add_sweep(td_durable_sweeps *sweeps, td_space space, td_slice from, td_slice to)
{
    td_durable_sweep *sweep = td_alloc_zero(sizeof *sweep);
    if (sweep == NULL) return false;
    TD_ASSERT(from.len <= sizeof sweep->from);
    TD_ASSERT(to.len <= sizeof sweep->to);
    sweep->space = space;
    sweep->from_len = (uint16_t)from.len;
    sweep->to_len = (uint16_t)to.len;
    if (from.len > 0) memcpy(sweep->from, from.ptr, from.len);
    if (to.len > 0) memcpy(sweep->to, to.ptr, to.len);
    td_durable__join_sweeps(sweeps, &(td_durable_sweeps){sweep, sweep});
    return true;
}

void td_durable__join_sweeps(td_durable_sweeps *sweeps, td_durable_sweeps *more)
{
    if (more->first == NULL) return;
    if (sweeps->last == NULL)
        sweeps->first = more->first;
    else
        sweeps->last->next = more->first;
    sweeps->last = more->last;
    *more = (td_durable_sweeps){NULL, NULL};
}

void td_durable__drop_sweeps(td_durable_sweeps *sweeps)
{
    while (sweeps->first != NULL)
        td_durable__drop_first_sweep(sweeps);
}

void td_durable__drop_first_sweep(td_durable_sweeps *sweeps)
{
    td_durable_sweep *sweep = sweeps->first;
    sweeps->first = sweep->next;
    if (sweeps->first == NULL) sweeps->last = NULL;
    td_free(sweep);
}

int td_durable__sweep_some(td_durable *durable, bool *ret_is_done)
{
    const td_durable_sweep *sweep = durable->sweeps.first;
    *ret_is_done = false;
    if (sweep == NULL) return 0;
    uint32_t removed = 0;
    int error = td_disk_remove_range(durable->disk, sweep->space, td_slice_of(sweep->from, sweep->from_len),
                                     td_slice_of(sweep->to, sweep->to_len), STEP_KEYS, &removed);
    *ret_is_done = error == 0 && removed < STEP_KEYS;
    return error;
}
