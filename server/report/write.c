/* SPDX-License-Identifier: Apache-2.0
 * write.c: numbers, dates and names as all formats of a report show them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "page/figures.h"
#include "report.h"

#define DATE_MS_MAX 253402300799999.0 /* the end of the year 9999 */

const char *const td_report__metric_titles[TD_HEAT_METRIC_COUNT] = {[TD_HEAT_READ] = "Hottest keys by reads",
                                                                    [TD_HEAT_WRITE] = "Hottest keys by writes",
                                                                    [TD_HEAT_THROTTLE] = "Most throttled keys"};

const char *td_report__date(double ms, char ret_text[TD_REPORT_TEXT_BYTES])
{
    time_t second = (time_t)(fmin(fmax(ms, 0), DATE_MS_MAX) / 1000);
    struct tm parts;
    gmtime_r(&second, &parts);
    strftime(ret_text, TD_REPORT_TEXT_BYTES, "%Y-%m-%d %H:%M:%S UTC", &parts);
    return ret_text;
}

const char *td_report__window(const td_report *report, char ret_text[TD_REPORT_TEXT_BYTES])
{
    double seconds = (report->to_ms - report->from_ms) / 1000;
    bool is_short = seconds < 120;
    snprintf(ret_text, TD_REPORT_TEXT_BYTES, "%.4g %s", is_short ? seconds : seconds / 60,
             is_short ? "seconds" : "minutes");
    return ret_text;
}

const char *td_report__number(double number, char ret_text[TD_REPORT_TEXT_BYTES])
{
    _Static_assert(TD_REPORT_TEXT_BYTES >= TD_PAGE_FIGURE_BYTES, "grouped numbers fit");
    double shown = fmin(fmax(number, 0), 1e15);
    if (shown < 10 && shown != round(shown)) {
        snprintf(ret_text, TD_REPORT_TEXT_BYTES, "%.1f", fmax(shown, 0.1));
        return ret_text;
    }
    return td_page_grouped((uint64_t)llround(shown), ret_text);
}

const char *td_report__bounds(const td_report_key *key, char ret_text[TD_REPORT_TEXT_BYTES])
{
    char least[TD_REPORT_TEXT_BYTES];
    char most[TD_REPORT_TEXT_BYTES];
    td_report__number(key->count - key->error, least);
    td_report__number(key->count, most);
    bool is_exact = strcmp(least, most) == 0;
    snprintf(ret_text, TD_REPORT_TEXT_BYTES, "%.24s%s%.24s", is_exact ? "" : least, is_exact ? "" : " to ", most);
    return ret_text;
}

double td_report_share_of(td_slice hash)
{
    char digits[17] = "";
    if (hash.len == 0 || hash.len >= sizeof(digits)) return 0;
    memcpy(digits, hash.ptr, hash.len);
    return ldexp((double)strtoull(digits, NULL, 16), -64);
}

const char *td_report__range(const td_report_partition *partition, char ret_text[TD_REPORT_TEXT_BYTES])
{
    snprintf(ret_text, TD_REPORT_TEXT_BYTES, "%.4g to %.4g %%", td_report_share_of(partition->hash_from) * 100,
             td_report_share_of(partition->hash_to) * 100);
    return ret_text;
}

double td_report__units(const td_report_partition *partition)
{
    return partition->units[TD_READ] + partition->units[TD_WRITE];
}

double td_report__sum(const td_report_counts *counts)
{
    double sum = 0;
    for (uint32_t i = 0; i < counts->count; i++) {
        sum += counts->items[i].count;
    }
    return sum;
}

double td_report__unevenness(const td_report_resource *resource)
{
    return fmax(resource->sides[TD_READ].partition_cv, resource->sides[TD_WRITE].partition_cv);
}

const char *td_report__mode(const td_report_resource *resource)
{
    return resource->is_on_demand ? "on-demand" : "provisioned";
}
