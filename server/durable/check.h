/* SPDX-License-Identifier: Apache-2.0
 * check.h: `thermodyn check`: is a data directory sound? Threads: one. */
#ifndef THERMODYN_DURABLE_CHECK_H
#define THERMODYN_DURABLE_CHECK_H

#include "thermodyn/key.h"

/* Prints one line: what the directory holds, or on standard error what is wrong. Changes nothing. false: it is damaged,
 * cannot be read, or is in use. */
TD_MUST_USE bool td_durable_check_directory(const char *path, td_placement placement);

#endif
