/* SPDX-License-Identifier: Apache-2.0
 * expiry.h: time to live: items whose attribute holds an instant in the past are deleted.
 *
 * The attribute is a number of seconds since the epoch, top-level, not more than five years in the past (AWS
 * developer guide, "Using time to live"). An expired item stays readable until it is deleted, at its instant plus the
 * store's ttl_delay_us; the deletion costs no write units, and its stream record names the service as the one who did
 * it. Deletions are due in the engine's queue (store.h).
 * Threads: any. */
#ifndef THERMODYN_EXPIRY_H
#define THERMODYN_EXPIRY_H

#include "thermodyn/store.h"

typedef struct td_expiry_info {
    bool is_enabled;
    td_slice attribute; /* len 0 when not enabled */
} td_expiry_info;

/* UpdateTimeToLive. Errors: RESOURCE_NOT_FOUND; VALIDATION "TimeToLive is already enabled", "… already disabled", …
 * as the service. */
TD_MUST_USE td_status td_expiry_update(const td_call *call, bool is_enabled, td_slice attribute, td_error *error);
TD_MUST_USE td_status td_expiry_describe(const td_call *call, td_expiry_info *ret_info, td_error *error);

#endif
