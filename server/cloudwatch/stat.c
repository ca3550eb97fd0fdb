/* SPDX-License-Identifier: MIT
 * stat.c: statistics of a period from what is kept of it. */
#include "metric.h"

static bool is_percentile(td_slice text);

bool td_cw_stat_parse(td_slice text, td_cw_stat_kind *ret_kind)
{
    static const td_slice names[] = {
        [TD_CW_SAMPLE_COUNT] = TD_LIT_INIT("SampleCount"),
        [TD_CW_AVERAGE] = TD_LIT_INIT("Average"),
        [TD_CW_SUM] = TD_LIT_INIT("Sum"),
        [TD_CW_MINIMUM] = TD_LIT_INIT("Minimum"),
        [TD_CW_MAXIMUM] = TD_LIT_INIT("Maximum"),
    };
    for (size_t i = 0; i < TD_COUNT_OF(names); i++) {
        if (!td_slice_equal(names[i], text)) continue;
        *ret_kind = (td_cw_stat_kind)i;
        return true;
    }
    *ret_kind = TD_CW_PERCENTILE;
    return is_percentile(text);
}

bool td_cw_stat_of(const td_cw_point *point, td_cw_stat_kind kind, double *ret_value)
{
    if (point->count <= 0) return false;
    switch (kind) {
    case TD_CW_SAMPLE_COUNT: *ret_value = point->count; return true;
    case TD_CW_AVERAGE: *ret_value = point->sum / point->count; return true;
    case TD_CW_SUM: *ret_value = point->sum; return true;
    case TD_CW_MINIMUM: *ret_value = point->min; return true;
    case TD_CW_MAXIMUM: *ret_value = point->max; return true;
    case TD_CW_PERCENTILE: *ret_value = point->max; return point->min >= point->max;
    }
    TD_UNREACHABLE("statistics are of these kinds");
}

/* p0 to p100, with digits behind a point. */
static bool is_percentile(td_slice text)
{
    if (text.len < 2 || text.len > 15 || text.ptr[0] != 'p') return false;
    size_t at = 1;
    int whole = 0;
    while (at < text.len && text.ptr[at] >= '0' && text.ptr[at] <= '9' && whole <= 100)
        whole = whole * 10 + text.ptr[at++] - '0';
    bool has_fraction = false;
    size_t point = at;
    if (at > 1 && at < text.len && text.ptr[at] == '.') {
        for (at++; at < text.len && text.ptr[at] >= '0' && text.ptr[at] <= '9'; at++)
            has_fraction |= text.ptr[at] != '0';
    }
    bool is_whole = at == text.len && point > 1 && (point == text.len || at > point + 1);
    return is_whole && (whole < 100 || (whole == 100 && !has_fraction));
}
