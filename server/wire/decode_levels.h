/* SPDX-License-Identifier: Apache-2.0
 * decode_levels.h: attribute values with a limit of levels. Private to server/wire. */
#ifndef THERMODYN_WIRE_DECODE_LEVELS_H
#define THERMODYN_WIRE_DECODE_LEVELS_H

#include "thermodyn/limits.h"

#include "wire/decode.h"

/* Levels of lists and maps that pass. */
#define TD_LEVELS_OF_ITEM (TD_LIMIT_NESTING_LEVELS_MAX - 1)
/* Of expressions' values: the classic service takes 32 and refuses 40; where between is not known. The current one has
 * the limit of items. */
#define TD_LEVELS_OF_EXPRESSION_VALUE_CLASSIC 39

TD_MUST_USE td_status td_decode__value(const td_json *json, uint32_t levels_left, td_arena *arena, td_value *ret_value,
                                       td_error *error);

#endif
