/* SPDX-License-Identifier: MIT
 * html_chart.h: the frame of a picture over time: a plot with its axes, as SVG. Colours are classes of the page's style
 * sheet, so that a picture follows light and dark. Threads: any. */
#ifndef THERMODYN_SIM_HTML_CHART_H
#define THERMODYN_SIM_HTML_CHART_H

#include "record.h"

#define TD_SIM_CHART_WIDTH 960
#define TD_SIM_PLOT_LEFT 62
#define TD_SIM_PLOT_RIGHT 944
#define TD_SIM_PLOT_TOP 22

typedef struct td_sim_chart {
    const td_sim_record *record;
    td_buf *buf;
    double bottom; /* of the plot */
    double max;    /* of the vertical axis */
} td_sim_chart;

/* Opens the picture: frame, horizontal lines with their values, `unit` above them. */
void td_sim__chart_begin(td_sim_chart *chart, const td_sim_record *record, td_buf *buf, const char *label, int height,
                         double max, const char *unit);
/* Time axis, phases' borders and names; closes the picture. */
void td_sim__chart_end(td_sim_chart *chart);

double td_sim__chart_x(const td_sim_chart *chart, td_time_us at_us);
double td_sim__chart_y(const td_sim_chart *chart, double value);

/* Appends a coordinate with one decimal at most. */
void td_sim__chart_number(td_buf *buf, double value);

/* The path of a stair with one step for each bucket: `value_of(context, bucket)`. It begins with 'M', or with 'L' when
 * it goes on from another path; backwards: from the last bucket to the first. */
void td_sim__chart_stair(const td_sim_chart *chart, bool is_backward,
                         double (*value_of)(const void *context, uint32_t bucket), const void *context);

#endif
