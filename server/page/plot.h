/* SPDX-License-Identifier: Apache-2.0
 * plot.h: the frame of a picture over time: a plot with its axes, as SVG. Colours are classes of the page's style
 * sheet (page.h), so that a picture follows light and dark. Threads: any. */
#ifndef THERMODYN_PAGE_PLOT_H
#define THERMODYN_PAGE_PLOT_H

#include "thermodyn/buf.h"

#define TD_PAGE_PLOT_WIDTH 960 /* of the picture */
#define TD_PAGE_PLOT_LEFT 62
#define TD_PAGE_PLOT_RIGHT 944
#define TD_PAGE_PLOT_TOP 22

typedef struct td_page_plot {
    td_buf *buf;
    td_time_us duration_us; /* that the time axis shows, from 0 */
    double bottom;          /* of the plot */
    double max;             /* of the vertical axis */
} td_page_plot;

/* Opens the picture: frame, horizontal lines with their values, `unit` above them. Label and unit are plain text. */
void td_page_plot_begin(td_page_plot *plot, td_buf *buf, td_time_us duration_us, const char *label, int height,
                        double max, const char *unit);
/* Time axis; closes the picture. */
void td_page_plot_end(const td_page_plot *plot);

double td_page_plot_x(const td_page_plot *plot, td_time_us at_us);
double td_page_plot_y(const td_page_plot *plot, double value);

/* Appends a coordinate with one decimal at most. */
void td_page_plot_number(td_buf *buf, double value);

/* The least of 1, 2 and 5 times a power of ten with which at most `parts` steps reach `max`. */
double td_page_nice_step(double max, int parts);

#endif
