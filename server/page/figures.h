/* SPDX-License-Identifier: Apache-2.0
 * figures.h: numbers, times and texts as reports show them. Threads: any. */
#ifndef THERMODYN_PAGE_FIGURES_H
#define THERMODYN_PAGE_FIGURES_H

#include "thermodyn/buf.h"

#define TD_PAGE_FIGURE_BYTES 48

const char *td_page_grouped(uint64_t number, char ret_text[TD_PAGE_FIGURE_BYTES]); /* "1,234,567" */
const char *td_page_short(double number, char ret_text[TD_PAGE_FIGURE_BYTES]);     /* "950", "12.3k", "1.24M" */
const char *td_page_duration(td_time_us us, char ret_text[TD_PAGE_FIGURE_BYTES]);  /* "1 h 30 min", "45 s" */
const char *td_page_clock(td_time_us us, char ret_text[TD_PAGE_FIGURE_BYTES]);     /* "0:10:00" */
double td_page_percent(uint64_t part, uint64_t whole);                             /* of nothing: 0 */

/* Text in HTML, also within quotation marks: a character that markup may not hold becomes U+FFFD. */
void td_page_append_html(td_buf *buf, td_slice text);

#endif
