/* SPDX-License-Identifier: Apache-2.0
 * limits.h: the constants of limits.def as TD_LIMIT_…, and the table for tests and documents. */
#ifndef THERMODYN_LIMITS_H
#define THERMODYN_LIMITS_H

enum {
#define TD_LIMIT(name, value, unit, source) TD_LIMIT_##name = (value),
#include "thermodyn/limits.def"
#undef TD_LIMIT
};

#endif
