/* SPDX-License-Identifier: Apache-2.0
 * iso_time.h: instants in ISO 8601, as the query protocol has them: 2026-11-30T12:38:00Z. Threads: any. */
#ifndef THERMODYN_CLOUDWATCH_ISO_TIME_H
#define THERMODYN_CLOUDWATCH_ISO_TIME_H

#include "thermodyn/base.h"

#define TD_ISO_TIME_BYTES 32

/* Date, or date and time with optional seconds and fraction; then Z, ±hh:mm or ±hhmm, or nothing, which is Z. From 1970
 * to 9999. */
TD_MUST_USE bool td_iso_time_parse(td_slice text, td_time_us *ret_time);

/* To the second, or to the millisecond where there are some. */
td_slice td_iso_time_print(td_time_us time, char ret_text[TD_ISO_TIME_BYTES]);

#endif
