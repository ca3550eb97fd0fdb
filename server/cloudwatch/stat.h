/* SPDX-License-Identifier: Apache-2.0
 * stat.h: statistics of CloudWatch by their names, and from the samples of a period.
 *
 *   SampleCount Average Sum Minimum Maximum                    plain
 *   p99.9                                                      the value that 99.9 % of the samples do not exceed
 *   tm90 TM(10%:90%) TM(:90%) TM(150:1000) IQM                 mean of the samples between the bounds
 *   wm90 …                                                     mean, with those beyond the bounds counted as the bound
 *   tc90 … ts90 …                                              number and sum of the samples between the bounds
 *   PR(:300) PR(100:2000)                                      percentage of the samples between the bounds
 *
 * A lower bound does not belong to what it bounds, an upper one does; tm90 is TM(:90%), IQM TM(25%:75%).
 * Source: AWS, "CloudWatch statistics definitions".
 * Private to server/cloudwatch. Threads: any. */
#ifndef THERMODYN_CLOUDWATCH_STAT_H
#define THERMODYN_CLOUDWATCH_STAT_H

#include "thermodyn/statistic.h"

typedef enum td_cw_stat_kind {
    TD_CW_SAMPLE_COUNT,
    TD_CW_AVERAGE,
    TD_CW_SUM,
    TD_CW_MINIMUM,
    TD_CW_MAXIMUM,
    TD_CW_PERCENTILE, /* `high` */
    TD_CW_TRIMMED_MEAN,
    TD_CW_WINSORIZED_MEAN,
    TD_CW_TRIMMED_COUNT,
    TD_CW_TRIMMED_SUM,
    TD_CW_PERCENTILE_RANK,
} td_cw_stat_kind;

typedef struct td_cw_stat {
    td_cw_stat_kind kind;
    bool is_by_value; /* bounds are values of the metric; otherwise percentages of the samples */
    double low;
    double high;
} td_cw_stat;

/* false: it is no statistic's name. */
TD_MUST_USE bool td_cw_stat_parse(td_slice text, td_cw_stat *ret_stat);

/* Of how samples are spread: what requests name ExtendedStatistics. */
static inline bool td_cw_stat_is_extended(const td_cw_stat *stat)
{
    return stat->kind >= TD_CW_PERCENTILE;
}

/* Of samples that count `scale` to a unit of the metric. false: there is no sample that it could be of, or how they are
 * spread is not known. */
TD_MUST_USE bool td_cw_stat_of(const td_samples *samples, const td_cw_stat *stat, double scale, double *ret_value);

#endif
