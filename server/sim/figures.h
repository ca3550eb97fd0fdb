/* SPDX-License-Identifier: MIT
 * figures.h: numbers, times and texts as reports show them. Threads: any. */
#ifndef THERMODYN_SIM_FIGURES_H
#define THERMODYN_SIM_FIGURES_H

#include "thermodyn/buf.h"

#define TD_SIM_FIGURE_BYTES 48

const char *td_sim__grouped(uint64_t number, char ret_text[TD_SIM_FIGURE_BYTES]); /* "1,234,567" */
const char *td_sim__short(double number, char ret_text[TD_SIM_FIGURE_BYTES]);     /* "950", "12.3k", "1.24M" */
const char *td_sim__duration(td_time_us us, char ret_text[TD_SIM_FIGURE_BYTES]);  /* "1 h 30 min", "45 s" */
const char *td_sim__clock(td_time_us us, char ret_text[TD_SIM_FIGURE_BYTES]);     /* "0:10:00" */
double td_sim__percent(uint64_t part, uint64_t whole);                            /* of nothing: 0 */

/* Text in HTML, and as a field of a CSV file. */
void td_sim__append_html(td_buf *buf, td_slice text);
void td_sim__append_csv(td_buf *buf, td_slice text);

/* The least of 1, 2 and 5 times a power of ten with which at most `parts` steps reach `max`. */
double td_sim__nice_step(double max, int parts);

#endif
