/* SPDX-License-Identifier: Apache-2.0
 * report.h: a finished run as text, as CSV files and as one HTML page. The same record gives the same bytes.
 * Threads: any. */
#ifndef THERMODYN_SIM_REPORT_H
#define THERMODYN_SIM_REPORT_H

#include "page/plot.h"
#include "record.h"
#include "thermodyn/buf.h"

/* A table of phases and places, and below it what was not split, and the hottest keys. */
void td_sim__write_summary(const td_sim_record *record, td_buf *buf);

/* One file of a directory: a place's rows, or (place == record->place_count) what happened.
 * "Orders.csv", "Orders.by-status.csv", "events.csv". */
void td_sim__write_csv(const td_sim_record *record, uint32_t place, td_buf *buf);
void td_sim__csv_name(const td_sim_record *record, uint32_t place, td_buf *buf);

/* A page without anything from outside: it opens from a file, in light and dark. */
void td_sim__write_html(const td_sim_record *record, td_buf *buf);

/* The pictures of the page. */
void td_sim__draw_load(const td_sim_record *record, const td_sim_place *place, td_buf *buf);
void td_sim__draw_partitions(const td_sim_record *record, uint32_t place, td_buf *buf);
void td_sim__draw_balance(const td_sim_record *record, const td_sim_place *place, td_buf *buf);
void td_sim__draw_heat(const td_sim_record *record, const td_sim_place *place, td_buf *buf);

/* Upon a picture of the whole run: a line where a phase begins, and its name when there is room for it. */
void td_sim__draw_phases(const td_sim_record *record, const td_page_plot *plot);

#endif
