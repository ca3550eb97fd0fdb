/* SPDX-License-Identifier: Apache-2.0
 * iso_time.c: dates by the proleptic Gregorian calendar: days since the epoch from year, month, day, and back.
 * (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms".) */
#include "iso_time.h"

#include <stdio.h>

#define DAY_S INT64_C(86400)

typedef struct scanner {
    td_slice text;
    size_t at;
    bool has_failed;
} scanner;

static int64_t days_from(int64_t year, int64_t month, int64_t day);
static int64_t take_digits(scanner *it, size_t count);
static bool take_byte(scanner *it, uint8_t byte);
static int64_t take_fraction_us(scanner *it);
static int64_t take_zone_s(scanner *it);
static int64_t in_range(scanner *it, int64_t value, int64_t least, int64_t most);

bool td_iso_time_parse(td_slice text, td_time_us *ret_time)
{
    static const uint8_t lengths[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    scanner it = {.text = text};
    int64_t year = in_range(&it, take_digits(&it, 4), 1970, 9999);
    if (!take_byte(&it, '-')) it.has_failed = true;
    int64_t month = in_range(&it, take_digits(&it, 2), 1, 12);
    if (!take_byte(&it, '-')) it.has_failed = true;
    bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    int64_t last = it.has_failed ? 31 : lengths[month - 1] - (month == 2 && !is_leap);
    int64_t day = in_range(&it, take_digits(&it, 2), 1, last);
    int64_t seconds = 0;
    int64_t fraction_us = 0;
    if (!it.has_failed && it.at < text.len) {
        if (!take_byte(&it, 'T') && !take_byte(&it, ' ')) it.has_failed = true;
        int64_t hour = in_range(&it, take_digits(&it, 2), 0, 23);
        if (!take_byte(&it, ':')) it.has_failed = true;
        seconds = hour * 3600 + 60 * in_range(&it, take_digits(&it, 2), 0, 59);
        if (take_byte(&it, ':')) {
            seconds += in_range(&it, take_digits(&it, 2), 0, 60);
            fraction_us = take_fraction_us(&it);
        }
        seconds -= take_zone_s(&it);
    }
    if (it.has_failed || it.at < text.len) return false;
    *ret_time = (days_from(year, month, day) * DAY_S + seconds) * TD_US_PER_S + fraction_us;
    return true;
}

td_slice td_iso_time_print(td_time_us time, char ret_text[TD_ISO_TIME_BYTES])
{
    TD_ASSERT(time >= 0);
    int64_t seconds = time / TD_US_PER_S;
    int64_t days = seconds / DAY_S + 719468;
    int64_t era = days / 146097;
    int64_t day_of_era = days - era * 146097;
    int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int64_t shifted = (5 * day_of_year + 2) / 153; /* March is the first month */
    int64_t day = day_of_year - (153 * shifted + 2) / 5 + 1;
    int64_t month = shifted < 10 ? shifted + 3 : shifted - 9;
    int64_t year = year_of_era + era * 400 + (month <= 2);
    int64_t ms = time % TD_US_PER_S / TD_US_PER_MS;
    int len = snprintf(ret_text, TD_ISO_TIME_BYTES, "%04d-%02d-%02dT%02d:%02d:%02d", (int)(year % 10000), (int)month,
                       (int)day, (int)(seconds % DAY_S / 3600), (int)(seconds % 3600 / 60), (int)(seconds % 60));
    if (ms > 0) len += snprintf(ret_text + len, TD_ISO_TIME_BYTES - (size_t)len, ".%03d", (int)ms);
    len += snprintf(ret_text + len, TD_ISO_TIME_BYTES - (size_t)len, "Z");
    return td_slice_of(ret_text, (size_t)len);
}

static int64_t days_from(int64_t year, int64_t month, int64_t day)
{
    int64_t shifted_year = year - (month <= 2);
    int64_t era = shifted_year / 400;
    int64_t year_of_era = shifted_year - era * 400;
    int64_t day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
    int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    return era * 146097 + day_of_era - 719468;
}

static int64_t take_digits(scanner *it, size_t count)
{
    int64_t value = 0;
    for (size_t i = 0; i < count; i++) {
        if (it->at == it->text.len || it->text.ptr[it->at] < '0' || it->text.ptr[it->at] > '9') {
            it->has_failed = true;
            return 0;
        }
        value = value * 10 + (it->text.ptr[it->at++] - '0');
    }
    return value;
}

static bool take_byte(scanner *it, uint8_t byte)
{
    if (it->at == it->text.len || it->text.ptr[it->at] != byte) return false;
    it->at++;
    return true;
}

/* What is finer than microseconds is cut off. */
static int64_t take_fraction_us(scanner *it)
{
    if (!take_byte(it, '.')) return 0;
    int64_t value = 0;
    int64_t weight = TD_US_PER_S;
    size_t first = it->at;
    while (it->at < it->text.len && it->text.ptr[it->at] >= '0' && it->text.ptr[it->at] <= '9') {
        weight /= 10;
        value += weight * (it->text.ptr[it->at++] - '0');
    }
    if (it->at == first) it->has_failed = true;
    return value;
}

static int64_t take_zone_s(scanner *it)
{
    if (it->at == it->text.len || take_byte(it, 'Z')) return 0;
    bool is_behind = take_byte(it, '-');
    if (!is_behind && !take_byte(it, '+')) it->has_failed = true;
    int64_t hours = in_range(it, take_digits(it, 2), 0, 23);
    (void)take_byte(it, ':');
    int64_t seconds = hours * 3600 + 60 * in_range(it, take_digits(it, 2), 0, 59);
    return is_behind ? -seconds : seconds;
}

static int64_t in_range(scanner *it, int64_t value, int64_t least, int64_t most)
{
    if (value >= least && value <= most) return value;
    it->has_failed = true;
    return least;
}
