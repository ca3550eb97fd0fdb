/* SPDX-License-Identifier: Apache-2.0
 * recovery.h: point-in-time recovery of a table, as a setting: it is remembered and described, nothing is backed up.
 * Threads: any. */
#ifndef THERMODYN_RECOVERY_H
#define THERMODYN_RECOVERY_H

#include "thermodyn/store.h"

typedef struct td_recovery {
    bool is_enabled;
    td_time_us enabled_us; /* since when without a break; 0 when it is not enabled */
    uint32_t days;         /* RecoveryPeriodInDays; 0 when it is not enabled */
} td_recovery;

/* Enabling what is enabled keeps its instant and changes the days alone; disabling forgets both.
 * Errors: RESOURCE_NOT_FOUND (the caller words it). */
TD_MUST_USE td_status td_recovery_update(const td_call *call, bool is_enabled, uint32_t days, td_recovery *ret_recovery,
                                         td_error *error);
TD_MUST_USE td_status td_recovery_describe(const td_call *call, td_recovery *ret_recovery, td_error *error);

#endif
