/* SPDX-License-Identifier: Apache-2.0
 * meter.c: counting. A usage window is a ring of seconds: recording clears what it jumps over, so that every slot is
 * of the last minute, or zero, and reading needs no clean-up.
 *
 * Invariants: a slot holds the units of the one second s with second - 61 < s <= second that maps to it. */
#include "meter.h"

static td_units sum_of(const td_usage *usage, int64_t first, int64_t last);
static int64_t second_of(td_time_us now_us);
static size_t place_of(int64_t second);

void td_consumed_init(td_consumed *consumed)
{
    consumed->table = 0;
    consumed->index_count = 0;
}

void td_consumed_add_index(td_consumed *consumed, td_slice name, bool is_global, td_units units)
{
    TD_ASSERT(units >= 0);
    if (units == 0) return;
    for (uint32_t i = 0; i < consumed->index_count; i++) {
        if (!td_slice_equal(consumed->indexes[i].name, name)) continue;
        consumed->indexes[i].units += units;
        return;
    }
    TD_ASSERT(consumed->index_count < TD_INDEXES_MAX);
    consumed->indexes[consumed->index_count++] =
        (td_consumed_index){.name = name, .is_global = is_global, .units = units};
}

void td_usage_add(td_usage *usage, td_time_us now_us, td_units units)
{
    TD_ASSERT(units >= 0);
    int64_t second = second_of(now_us);
    if (second < usage->second) second = usage->second; /* time never moves back */
    int64_t skipped = second - usage->second;
    if (skipped > TD_USAGE_SLOTS) skipped = TD_USAGE_SLOTS;
    for (int64_t i = 0; i < skipped; i++)
        usage->seconds[place_of(second - i)] = 0;
    usage->second = second;
    usage->seconds[place_of(second)] += units;
}

td_units td_usage_last_second(const td_usage *usage, td_time_us now_us)
{
    return td_usage_last(usage, now_us, 1);
}

td_units td_usage_last(const td_usage *usage, td_time_us now_us, uint32_t seconds)
{
    TD_ASSERT(seconds <= TD_USAGE_SECONDS);
    int64_t second = second_of(now_us);
    return sum_of(usage, second - seconds, second - 1);
}

td_units td_usage_last_minute(const td_usage *usage, td_time_us now_us)
{
    int64_t second = second_of(now_us);
    return sum_of(usage, second - TD_USAGE_SECONDS + 1, second);
}

void td_throttle_tally_add(td_throttle_tally *tally, td_direction direction, td_limit_kind kind)
{
    tally->counts[direction][kind]++;
}

/* Of the seconds from first to last that the ring holds; whoever has rested costs nothing. */
static td_units sum_of(const td_usage *usage, int64_t first, int64_t last)
{
    if (first <= usage->second - TD_USAGE_SLOTS) first = usage->second - TD_USAGE_SLOTS + 1;
    if (last > usage->second) last = usage->second;
    if (first > last) return 0;
    size_t place = place_of(first);
    td_units sum = 0;
    for (int64_t second = first; second <= last; second++) {
        sum += usage->seconds[place];
        place = place + 1 == TD_USAGE_SLOTS ? 0 : place + 1;
    }
    return sum;
}

static int64_t second_of(td_time_us now_us)
{
    return now_us / TD_US_PER_S;
}

static size_t place_of(int64_t second)
{
    int64_t rest = second % TD_USAGE_SLOTS;
    return (size_t)(rest < 0 ? rest + TD_USAGE_SLOTS : rest);
}
