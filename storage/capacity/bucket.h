/* SPDX-License-Identifier: Apache-2.0
 * bucket.h: a token bucket in exact integers: the one thing that limits a rate.
 *
 *   balance ──refill: rate × time──▶ at most the ceiling (rate × window)
 *           ◀──take: what a request has consumed── below zero is a debt, which is waited out
 *
 * A bucket is open while its balance is above zero; what a request costs is known only afterwards, so the last request
 * that an open bucket admits may take more than is left (throttling.md §6.2).
 * Units:   balances in nano-units (1e9 = one capacity unit), rates in milli-units a second: microseconds × rate is
 *          nano-units without any division, so no instant and no order of calls loses or gains anything.
 * Invariants: -TD_BUCKET_NANO_MAX <= balance <= ceiling <= TD_BUCKET_NANO_MAX; last_us never decreases.
 * Threads: none of its own; whoever embeds a bucket locks it. */
#ifndef THERMODYN_CAPACITY_BUCKET_H
#define THERMODYN_CAPACITY_BUCKET_H

#include "thermodyn/base.h"
#include "thermodyn/observe.h"

#define TD_BUCKET_NANO_PER_UNIT INT64_C(1000000000)
#define TD_BUCKET_NANO_MAX INT64_C(4000000000000000000) /* 4e9 units: half of what an int64_t holds */

/* All fields are private but `throttled`; the struct is open so that it can be embedded. */
typedef struct td_bucket {
    int64_t balance_nano;
    int64_t ceiling_nano;
    int64_t rate_milli; /* milli-units a second; below 0: unlimited */
    td_time_us last_us; /* when the balance was last brought up to date */
    uint64_t throttled; /* requests refused because of it; counted by admission */
} td_bucket;

/* `rate` units a second, of which `window_s` seconds can be saved up; `fill` (0 to 1) of that is there at the start. */
void td_bucket_init(td_bucket *bucket, td_time_us now_us, double rate, double window_s, double fill);

/* A bucket that is always open and that nothing is taken from. */
void td_bucket_init_unlimited(td_bucket *bucket, td_time_us now_us);
bool td_bucket_is_unlimited(const td_bucket *bucket);

/* Brings the balance up to date. An instant before the last one changes nothing. */
void td_bucket_refill(td_bucket *bucket, td_time_us now_us);

/* Of the balance as it was last brought up to date. */
bool td_bucket_is_open(const td_bucket *bucket);

/* Takes units >= 0, on credit if need be, from the balance as it was last brought up to date. */
void td_bucket_take(td_bucket *bucket, td_units units);
void td_bucket_take_nano(td_bucket *bucket, int64_t nano);

/* Another rate from now on: the balance stays (credited at the old rate until now), cut to the new ceiling.
 * A bucket that was unlimited is then full. */
void td_bucket_set_rate(td_bucket *bucket, td_time_us now_us, double rate, double window_s);

/* As at td_bucket_init with this fill; the count of throttles starts anew. */
void td_bucket_reset(td_bucket *bucket, td_time_us now_us, double fill);

/* Another balance, cut to what the bucket holds; not of one that is unlimited. */
void td_bucket_set_balance(td_bucket *bucket, td_time_us now_us, double nano);

/* How it stands at an instant, the bucket unchanged. Unlimited: rate -1, balance and ceiling 0. */
td_bucket_view td_bucket_get_view(const td_bucket *bucket, td_time_us now_us);

#endif
