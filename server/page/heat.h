/* SPDX-License-Identifier: Apache-2.0
 * heat.h: a heat map as a figure of a page: time from left to right, the key space from top to bottom, and the borders
 * of partitions since they are there. Cells of one shade are one path, which keeps pages small. Threads: any. */
#ifndef THERMODYN_PAGE_HEAT_H
#define THERMODYN_PAGE_HEAT_H

#include "plot.h"
#include "thermodyn/heat.h"

/* A border between two partitions, and since when it is there: partitions are split, never merged. */
typedef struct td_page_border {
    double share;        /* of the key space that lies below it */
    td_time_us since_us; /* from the start of the picture; 0: always */
} td_page_border;

typedef struct td_page_heat {
    td_heat_metric metric;
    const td_heatmap *map;
    td_time_us start_us; /* where the picture begins */
    td_time_us duration_us;
    double cap; /* units a second that one partition serves; 0: there is no limit to compare with */
    const td_page_border *borders;
    uint32_t border_count;
} td_page_heat;

/* Between the two calls more may be drawn upon it. */
void td_page_heat_begin(td_page_plot *plot, const td_page_heat *heat, td_buf *buf);
void td_page_heat_end(const td_page_plot *plot);

#endif
