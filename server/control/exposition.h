/* SPDX-License-Identifier: Apache-2.0
 * exposition.h: Prometheus' text format 0.0.4, written without a format string: a scrape has ten thousands of lines.
 *
 *     td_exposition_family(buf, "thermodyn_items", TD_EXPOSITION_GAUGE, "Items, or entries of an index.");
 *     td_exposition_begin(buf, "thermodyn_items", labels);           thermodyn_items{table="A"
 *     td_exposition_label(buf, TD_LIT("direction"), TD_LIT("read")); ,direction="read"
 *     td_exposition_count(buf, 12);                                  } 12
 *
 * Source: https://prometheus.io/docs/instrumenting/exposition_formats/, "Text-based format". */
#ifndef THERMODYN_CONTROL_EXPOSITION_H
#define THERMODYN_CONTROL_EXPOSITION_H

#include "thermodyn/buf.h"

typedef enum td_exposition_type {
    TD_EXPOSITION_COUNTER,
    TD_EXPOSITION_GAUGE,
    TD_EXPOSITION_HISTOGRAM
} td_exposition_type;

/* HELP and TYPE; the samples of a family follow it at once. `help` needs no escapes. */
void td_exposition_family(td_buf *buf, td_slice name, td_exposition_type type, td_slice help);

/* A sample up to its labels; `labels` are some that are written already, without braces, or empty. */
void td_exposition_begin(td_buf *buf, td_slice name, td_slice labels);

/* One more; the value gets its escapes. What is no UTF-8 is shown as '?', since one such label fails the whole scrape.
 */
void td_exposition_label(td_buf *buf, td_slice name, td_slice value);

/* More that are written already, with at least one before them. */
void td_exposition_labels(td_buf *buf, td_slice labels);

/* The value, and the end of the line. */
void td_exposition_count(td_buf *buf, uint64_t value);
void td_exposition_milli(td_buf *buf, int64_t milli); /* thousandths */
void td_exposition_micro(td_buf *buf, int64_t micro); /* millionths */

#endif
