/* SPDX-License-Identifier: Apache-2.0
 * html_heat.c: a place's heat maps, with the phases upon them; see report.h. The picture itself: page/heat.h. */
#include "page/heat.h"
#include "report.h"

static double cap_of(const td_sim_record *record, td_heat_metric metric);

void td_sim__draw_heat(const td_sim_record *record, const td_sim_place *place, td_buf *buf)
{
    for (td_heat_metric metric = 0; metric < TD_HEAT_METRIC_COUNT; metric++) {
        const td_page_heat heat = {.metric = metric,
                                   .map = &place->heat[metric],
                                   .start_us = record->start_us,
                                   .duration_us = record->duration_us,
                                   .cap = cap_of(record, metric),
                                   .borders = place->borders,
                                   .border_count = place->border_count};
        if (heat.map->row_count == 0) continue;
        td_page_plot plot;
        td_page_heat_begin(&plot, &heat, buf);
        td_sim__draw_phases(record, &plot);
        td_page_heat_end(&plot);
    }
}

static double cap_of(const td_sim_record *record, td_heat_metric metric)
{
    if (metric == TD_HEAT_THROTTLE) return 0;
    return record->partition_caps[metric == TD_HEAT_READ ? TD_READ : TD_WRITE];
}
