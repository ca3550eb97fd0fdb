/* SPDX-License-Identifier: Apache-2.0
 * statistic.h: what is kept of samples, of which there may be millions: their sum, number, least and greatest; and
 * where they differ, how they are spread over their range.
 *
 * Spread  Buckets, eight to a doubling of the value, of those that had samples, each with the number and the sum of
 *         them. What is told of a rank is the mean of the bucket that it falls into: at most an eighth off, as a rule
 *         3 %; and exact where few different values occur, as of units and items. (The sketch that the service's own
 *         agent sends, SEH1, has buckets that are a tenth wide.) Values below 0 do not occur.
 * Memory  16 bytes a bucket; of samples that are alike, nothing. */
#ifndef THERMODYN_STATISTIC_H
#define THERMODYN_STATISTIC_H

#include <stdatomic.h>

#include "thermodyn/base.h"

/* What the metrics of CloudWatch are: Sum, Minimum, Maximum, SampleCount. All zero: no sample. */
typedef struct td_statistic {
    uint64_t count;
    int64_t sum;
    int64_t min; /* without samples: 0, as max */
    int64_t max;
} td_statistic;

static inline void td_statistic_add(td_statistic *statistic, int64_t value)
{
    if (statistic->count == 0 || value < statistic->min) statistic->min = value;
    if (statistic->count == 0 || value > statistic->max) statistic->max = value;
    statistic->sum += value;
    statistic->count++;
}

void td_statistic_merge(td_statistic *statistic, const td_statistic *more);

/* The value does not differ from the samples before it. */
static inline bool td_statistic_is_like(const td_statistic *statistic, int64_t value)
{
    return statistic->count == 0 || (value == statistic->min && value == statistic->max);
}

/* ---- how samples are spread -------------------------------------------------------------------------------------- */

/* One thread counts, others may read meanwhile: its samples are found in it one field after the other. */
typedef struct td_spread_bucket {
    _Atomic uint64_t tally; /* number of samples, over TD_SPREAD_NUMBER_BITS with the bucket's place in the grid */
    _Atomic int64_t sum;
} td_spread_bucket;

#define TD_SPREAD_NUMBER_BITS 12

static inline uint64_t td_spread_bucket_count(const td_spread_bucket *bucket)
{
    return atomic_load_explicit(&bucket->tally, memory_order_relaxed) >> TD_SPREAD_NUMBER_BITS;
}

static inline int64_t td_spread_bucket_sum(const td_spread_bucket *bucket)
{
    return atomic_load_explicit(&bucket->sum, memory_order_relaxed);
}

typedef struct td_spread {
    uint32_t count; /* of buckets; some may be empty */
    uint32_t room;
    td_spread_bucket buckets[]; /* from small values to great ones */
} td_spread;

void td_spread_free(td_spread *spread); /* NULL is allowed */

/* Counts a sample that differs from some of those before it, whose spread this is, in buckets that are there: readers
 * need no lock against it. false: one is missing, and nothing was counted. */
bool td_spread_count(td_spread *spread, const td_statistic *before, int64_t value);

/* Makes the buckets that td_spread_count misses; nobody else may use the spread meanwhile. Without memory the spread is
 * given up: *spread is NULL and stays so. */
void td_spread_extend(td_spread **spread, const td_statistic *before, int64_t value);

/* No samples; the buckets stay, for the next ones. */
void td_spread_clear(td_spread *spread);

/* ---- both -------------------------------------------------------------------------------------------------------- */

typedef struct td_samples {
    td_statistic statistic;
    td_spread *spread; /* of samples that differ; NULL: they are alike, or how they are spread was not kept */
} td_samples;

void td_samples_done(td_samples *samples);
void td_samples_clear(td_samples *samples);

/* Neither fails: without memory how the samples are spread is no longer known. */
static inline void td_samples_add(td_samples *samples, int64_t value);
void td_samples_merge(td_samples *samples, const td_samples *more);

/* false: samples differ, and how they are spread is not known. */
static inline bool td_samples_is_spread_known(const td_samples *samples)
{
    return samples->statistic.min == samples->statistic.max || samples->spread != NULL;
}

void td_samples__spread(td_samples *samples, int64_t value);

static inline void td_samples_add(td_samples *samples, int64_t value)
{
    if (!td_statistic_is_like(&samples->statistic, value)) td_samples__spread(samples, value);
    td_statistic_add(&samples->statistic, value);
}

#endif
