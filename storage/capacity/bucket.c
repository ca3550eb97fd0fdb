/* SPDX-License-Identifier: Apache-2.0
 * bucket.c: token buckets in exact integers.
 *
 * Model:    throttling.md §6.1 and §6.2: lazy refill from the clock, open above zero, debt allowed.
 * Not here: which buckets a request asks, and in which order (admission.c); what a request costs (units.c). */
#include "bucket.h"

#include <math.h>

#define RATE_MILLI_MAX INT64_C(1000000000000000) /* 1e12 units a second: above every setting */
#define NANO_PER_MILLI INT64_C(1000000)

static int64_t milli_of_rate(double rate);
static int64_t ceiling_of(int64_t rate_milli, double window_s);
static int64_t filled(int64_t ceiling_nano, double fill);

void td_bucket_init(td_bucket *bucket, td_time_us now_us, double rate, double window_s, double fill)
{
    int64_t rate_milli = milli_of_rate(rate);
    int64_t ceiling_nano = ceiling_of(rate_milli, window_s);
    *bucket = (td_bucket){
        .balance_nano = filled(ceiling_nano, fill),
        .ceiling_nano = ceiling_nano,
        .rate_milli = rate_milli,
        .last_us = now_us,
    };
}

void td_bucket_init_unlimited(td_bucket *bucket, td_time_us now_us)
{
    *bucket = (td_bucket){.rate_milli = -1, .last_us = now_us};
}

bool td_bucket_is_unlimited(const td_bucket *bucket)
{
    return bucket->rate_milli < 0;
}

void td_bucket_refill(td_bucket *bucket, td_time_us now_us)
{
    if (now_us <= bucket->last_us) return;
    int64_t elapsed_us = now_us - bucket->last_us;
    bucket->last_us = now_us;
    if (td_bucket_is_unlimited(bucket)) return;

    int64_t missing_nano = bucket->ceiling_nano - bucket->balance_nano; /* at most 2 * TD_BUCKET_NANO_MAX: it fits */
    int64_t gain_nano = 0;
    bool is_huge = __builtin_mul_overflow(elapsed_us, bucket->rate_milli, &gain_nano);
    bool is_full = is_huge || gain_nano >= missing_nano;
    bucket->balance_nano = is_full ? bucket->ceiling_nano : bucket->balance_nano + gain_nano;
}

bool td_bucket_is_open(const td_bucket *bucket)
{
    return bucket->balance_nano > 0 || td_bucket_is_unlimited(bucket);
}

void td_bucket_take(td_bucket *bucket, td_units units)
{
    int64_t nano = 0;
    if (__builtin_mul_overflow(units, NANO_PER_MILLI, &nano)) nano = TD_BUCKET_NANO_MAX;
    td_bucket_take_nano(bucket, nano);
}

void td_bucket_take_nano(td_bucket *bucket, int64_t nano)
{
    TD_ASSERT(nano >= 0);
    TD_ASSERT(bucket->balance_nano <= bucket->ceiling_nano);
    if (td_bucket_is_unlimited(bucket)) return;
    int64_t credit_nano = bucket->balance_nano + TD_BUCKET_NANO_MAX; /* down to the deepest debt */
    bucket->balance_nano -= nano < credit_nano ? nano : credit_nano;
}

void td_bucket_set_rate(td_bucket *bucket, td_time_us now_us, double rate, double window_s)
{
    bool was_unlimited = td_bucket_is_unlimited(bucket);
    td_bucket_refill(bucket, now_us);
    bucket->rate_milli = milli_of_rate(rate);
    bucket->ceiling_nano = ceiling_of(bucket->rate_milli, window_s);
    if (was_unlimited || bucket->balance_nano > bucket->ceiling_nano) bucket->balance_nano = bucket->ceiling_nano;
}

void td_bucket_reset(td_bucket *bucket, td_time_us now_us, double fill)
{
    td_bucket_refill(bucket, now_us);
    bucket->balance_nano = filled(bucket->ceiling_nano, fill);
    bucket->throttled = 0;
}

void td_bucket_set_balance(td_bucket *bucket, td_time_us now_us, double nano)
{
    TD_ASSERT(!td_bucket_is_unlimited(bucket));
    td_bucket_refill(bucket, now_us);
    double least = -(double)TD_BUCKET_NANO_MAX;
    bool is_full = nano >= (double)bucket->ceiling_nano;
    bucket->balance_nano = is_full ? bucket->ceiling_nano : nano <= least ? -TD_BUCKET_NANO_MAX : (int64_t)nano;
}

td_bucket_view td_bucket_get_view(const td_bucket *bucket, td_time_us now_us)
{
    td_bucket then = *bucket;
    td_bucket_refill(&then, now_us);
    if (td_bucket_is_unlimited(&then)) return (td_bucket_view){.rate = -1, .throttled = then.throttled};
    return (td_bucket_view){
        .rate = (double)then.rate_milli / (double)TD_UNITS_ONE,
        .balance = (double)then.balance_nano / (double)TD_BUCKET_NANO_PER_UNIT,
        .ceiling = (double)then.ceiling_nano / (double)TD_BUCKET_NANO_PER_UNIT,
        .throttled = then.throttled,
    };
}

/* A rate above zero stays above zero, however far it is scaled down. */
static int64_t milli_of_rate(double rate)
{
    TD_ASSERT(rate >= 0);
    double milli = rate * (double)TD_UNITS_ONE;
    if (milli >= (double)RATE_MILLI_MAX) return RATE_MILLI_MAX;
    return rate > 0 && milli < 1 ? 1 : (int64_t)llround(milli);
}

static int64_t ceiling_of(int64_t rate_milli, double window_s)
{
    TD_ASSERT(window_s > 0);
    double window_us = window_s * (double)TD_US_PER_S;
    if (window_us < 1) window_us = 1;
    int64_t ceiling_nano = 0;
    bool is_huge = window_us >= (double)TD_BUCKET_NANO_MAX ||
                   __builtin_mul_overflow(rate_milli, (int64_t)llround(window_us), &ceiling_nano);
    return is_huge || ceiling_nano > TD_BUCKET_NANO_MAX ? TD_BUCKET_NANO_MAX : ceiling_nano;
}

/* Whole fills must not pass through a double, which cannot hold every ceiling. */
static int64_t filled(int64_t ceiling_nano, double fill)
{
    TD_ASSERT(fill >= 0);
    return fill >= 1 ? ceiling_nano : (int64_t)((double)ceiling_nano * fill);
}
