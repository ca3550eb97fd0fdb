/* SPDX-License-Identifier: Apache-2.0
 * stat.c: statistics of a period from what is kept of its samples.
 *
 * Bounds, be they values or percentages, become ranks: places in the row of all samples from small to great, of which
 * those from `from` to `to` are meant; a sample at a bound may be meant in part. The samples of a bucket stand in the
 * row as so many times their mean. */
#include "stat.h"

#include <math.h>

#define DIGITS_MAX 15       /* of a number, which a double holds exactly */
#define FRACTION_MAX 10     /* digits behind the point */
#define RANK_TOLERANCE 1e-9 /* 99.9 % of 1,000 samples are 999 */

/* Samples that count as alike. */
typedef struct piece {
    double count;
    double value;
} piece;

typedef struct ranks {
    double from;
    double to;
} ranks;

static bool parse_single(td_slice text, td_cw_stat *stat);
static bool parse_bounds(td_slice text, td_cw_stat *stat);
static bool parse_bound(td_slice text, double absent, double *ret_bound, bool *ret_is_percent);
static bool parse_number(td_slice text, double *ret_number);
static bool find_prefix(td_slice text, bool is_single, td_cw_stat_kind *ret_kind, td_slice *ret_rest);
static bool extended_of(const td_samples *samples, const td_cw_stat *stat, double scale, double *ret_value);
static ranks ranks_of(const td_samples *samples, const td_cw_stat *stat, double scale);
static double sum_between(const td_samples *samples, ranks between, double scale);
static double value_at(const td_samples *samples, double rank, double scale);
static uint32_t piece_count(const td_samples *samples);
static piece piece_at(const td_samples *samples, uint32_t at, double scale);

bool td_cw_stat_parse(td_slice text, td_cw_stat *ret_stat)
{
    static const td_slice names[] = {
        [TD_CW_SAMPLE_COUNT] = TD_LIT_INIT("SampleCount"),
        [TD_CW_AVERAGE] = TD_LIT_INIT("Average"),
        [TD_CW_SUM] = TD_LIT_INIT("Sum"),
        [TD_CW_MINIMUM] = TD_LIT_INIT("Minimum"),
        [TD_CW_MAXIMUM] = TD_LIT_INIT("Maximum"),
    };
    for (size_t i = 0; i < TD_COUNT_OF(names); i++) {
        *ret_stat = (td_cw_stat){.kind = (td_cw_stat_kind)i};
        if (td_slice_equal(names[i], text)) return true;
    }
    *ret_stat = (td_cw_stat){.kind = TD_CW_TRIMMED_MEAN, .low = 25, .high = 75};
    if (td_slice_equal(text, TD_LIT("IQM"))) return true;
    return parse_single(text, ret_stat) || parse_bounds(text, ret_stat);
}

bool td_cw_stat_of(const td_samples *samples, const td_cw_stat *stat, double scale, double *ret_value)
{
    const td_statistic *all = &samples->statistic;
    if (all->count == 0) return false;
    switch (stat->kind) {
    case TD_CW_SAMPLE_COUNT: *ret_value = (double)all->count; return true;
    case TD_CW_AVERAGE: *ret_value = (double)all->sum / scale / (double)all->count; return true;
    case TD_CW_SUM: *ret_value = (double)all->sum / scale; return true;
    case TD_CW_MINIMUM: *ret_value = (double)all->min / scale; return true;
    case TD_CW_MAXIMUM: *ret_value = (double)all->max / scale; return true;
    case TD_CW_PERCENTILE:
    case TD_CW_TRIMMED_MEAN:
    case TD_CW_WINSORIZED_MEAN:
    case TD_CW_TRIMMED_COUNT:
    case TD_CW_TRIMMED_SUM:
    case TD_CW_PERCENTILE_RANK:
        return td_samples_is_spread_known(samples) && extended_of(samples, stat, scale, ret_value);
    }
    TD_UNREACHABLE("statistics are of these kinds");
}

/* p99.9, tm90 */
static bool parse_single(td_slice text, td_cw_stat *stat)
{
    td_slice rest;
    stat->is_by_value = false;
    stat->low = 0;
    return find_prefix(text, true, &stat->kind, &rest) && parse_number(rest, &stat->high) && stat->high <= 100;
}

/* TM(10%:90%), PR(:300): one of the bounds may be absent. */
static bool parse_bounds(td_slice text, td_cw_stat *stat)
{
    td_slice rest;
    if (!find_prefix(text, false, &stat->kind, &rest)) return false;
    if (rest.len < 3 || rest.ptr[0] != '(' || rest.ptr[rest.len - 1] != ')') return false;
    const uint8_t *colon = memchr(rest.ptr, ':', rest.len);
    if (colon == NULL) return false;
    td_slice low = td_slice_of(rest.ptr + 1, (size_t)(colon - rest.ptr) - 1);
    td_slice high = td_slice_of(colon + 1, rest.len - low.len - 3);
    bool is_low_percent = false;
    bool is_high_percent = false;
    if (low.len + high.len == 0 || !parse_bound(low, -1, &stat->low, &is_low_percent)) return false;
    if (!parse_bound(high, HUGE_VAL, &stat->high, &is_high_percent)) return false;
    if (low.len > 0 && high.len > 0 && is_low_percent != is_high_percent) return false;
    stat->is_by_value = !is_low_percent && !is_high_percent;
    if (stat->is_by_value) return stat->low < stat->high;
    if (stat->low < 0) stat->low = 0;
    if (high.len == 0) stat->high = 100;
    return stat->kind != TD_CW_PERCENTILE_RANK && stat->high <= 100 && stat->low < stat->high;
}

static bool parse_bound(td_slice text, double absent, double *ret_bound, bool *ret_is_percent)
{
    *ret_bound = absent;
    *ret_is_percent = text.len > 0 && text.ptr[text.len - 1] == '%';
    return text.len == 0 || parse_number(td_slice_of(text.ptr, text.len - *ret_is_percent), ret_bound);
}

/* Digits, and as many behind a point as the service takes. */
static bool parse_number(td_slice text, double *ret_number)
{
    double digits = 0;
    double one = 1;
    size_t point = text.len;
    if (text.len > DIGITS_MAX + 1) return false;
    for (size_t i = 0; i < text.len; i++) {
        uint8_t byte = text.ptr[i];
        if (byte == '.' && point == text.len) {
            point = i;
            continue;
        }
        if (byte < '0' || byte > '9') return false;
        digits = digits * 10 + (byte - '0');
        if (point < text.len) one *= 10;
    }
    *ret_number = digits / one;
    bool has_fraction = point < text.len;
    size_t fraction_len = has_fraction ? text.len - point - 1 : 0;
    return point > 0 && fraction_len <= FRACTION_MAX && (!has_fraction || fraction_len > 0);
}

/* Those of a single bound are small letters, those of two capital ones. */
static bool find_prefix(td_slice text, bool is_single, td_cw_stat_kind *ret_kind, td_slice *ret_rest)
{
    static const struct {
        td_slice single;
        td_slice bounded;
        td_cw_stat_kind kind;
    } prefixes[] = {
        {TD_LIT_INIT("p"), {NULL, 0}, TD_CW_PERCENTILE},
        {TD_LIT_INIT("tm"), TD_LIT_INIT("TM"), TD_CW_TRIMMED_MEAN},
        {TD_LIT_INIT("wm"), TD_LIT_INIT("WM"), TD_CW_WINSORIZED_MEAN},
        {TD_LIT_INIT("tc"), TD_LIT_INIT("TC"), TD_CW_TRIMMED_COUNT},
        {TD_LIT_INIT("ts"), TD_LIT_INIT("TS"), TD_CW_TRIMMED_SUM},
        {{NULL, 0}, TD_LIT_INIT("PR"), TD_CW_PERCENTILE_RANK},
    };
    for (size_t i = 0; i < TD_COUNT_OF(prefixes); i++) {
        td_slice prefix = is_single ? prefixes[i].single : prefixes[i].bounded;
        if (prefix.len == 0 || !td_slice_has_prefix(text, prefix)) continue;
        *ret_kind = prefixes[i].kind;
        *ret_rest = td_slice_of(text.ptr + prefix.len, text.len - prefix.len);
        return true;
    }
    return false;
}

static bool extended_of(const td_samples *samples, const td_cw_stat *stat, double scale, double *ret_value)
{
    double all = (double)samples->statistic.count;
    ranks between = ranks_of(samples, stat, scale);
    double count = between.to - between.from;
    double sum = sum_between(samples, between, scale);
    switch (stat->kind) {
    case TD_CW_SAMPLE_COUNT:
    case TD_CW_AVERAGE:
    case TD_CW_SUM:
    case TD_CW_MINIMUM:
    case TD_CW_MAXIMUM: break;
    case TD_CW_PERCENTILE: *ret_value = value_at(samples, ceil(between.to - RANK_TOLERANCE), scale); return true;
    case TD_CW_TRIMMED_MEAN: *ret_value = sum / count; return count > 0;
    case TD_CW_WINSORIZED_MEAN: {
        double low = stat->is_by_value ? stat->low : value_at(samples, between.from, scale);
        double high = stat->is_by_value ? stat->high : value_at(samples, between.to, scale);
        if (between.from > 0) sum += between.from * low;
        if (between.to < all) sum += (all - between.to) * high;
        *ret_value = sum / all;
        return true;
    }
    case TD_CW_TRIMMED_COUNT: *ret_value = count; return true;
    case TD_CW_TRIMMED_SUM: *ret_value = sum; return true;
    case TD_CW_PERCENTILE_RANK: *ret_value = 100 * count / all; return true;
    }
    TD_UNREACHABLE("the others need no spread");
}

static ranks ranks_of(const td_samples *samples, const td_cw_stat *stat, double scale)
{
    double all = (double)samples->statistic.count;
    if (!stat->is_by_value) return (ranks){all * stat->low / 100, all * stat->high / 100};
    ranks between = {0, 0};
    for (uint32_t i = 0; i < piece_count(samples); i++) {
        piece it = piece_at(samples, i, scale);
        if (it.value <= stat->low) between.from += it.count;
        if (it.value <= stat->high) between.to += it.count;
    }
    return between;
}

static double sum_between(const td_samples *samples, ranks between, double scale)
{
    double sum = 0;
    double below = 0;
    for (uint32_t i = 0; i < piece_count(samples); i++) {
        piece it = piece_at(samples, i, scale);
        double count = fmin(below + it.count, between.to) - fmax(below, between.from);
        if (count > 0) sum += count * it.value;
        below += it.count;
    }
    return sum;
}

/* The least and the greatest are known as they were. */
static double value_at(const td_samples *samples, double rank, double scale)
{
    if (rank <= 1) return (double)samples->statistic.min / scale;
    double below = 0;
    for (uint32_t i = 0; i < piece_count(samples); i++) {
        piece it = piece_at(samples, i, scale);
        below += it.count;
        if (below >= rank && rank < (double)samples->statistic.count) return it.value;
    }
    return (double)samples->statistic.max / scale;
}

static uint32_t piece_count(const td_samples *samples)
{
    return samples->statistic.min == samples->statistic.max ? 1 : samples->spread->count;
}

static piece piece_at(const td_samples *samples, uint32_t at, double scale)
{
    const td_statistic *all = &samples->statistic;
    if (all->min == all->max) return (piece){(double)all->count, (double)all->min / scale};
    const td_spread_bucket *bucket = &samples->spread->buckets[at];
    uint64_t count = td_spread_bucket_count(bucket);
    double sum = (double)td_spread_bucket_sum(bucket);
    return (piece){(double)count, count == 0 ? 0 : sum / (double)count / scale};
}
