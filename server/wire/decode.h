/* SPDX-License-Identifier: Apache-2.0
 * decode.h: JSON of a checked request → values: attribute values with the service's own checks (exactly one type,
 * numbers, sets, NULL true, nesting), in the order in which the service finds them. Threads: any. */
#ifndef THERMODYN_WIRE_DECODE_H
#define THERMODYN_WIRE_DECODE_H

#include "thermodyn/expr.h"
#include "thermodyn/value.h"
#include "wire/json.h"

/* {"S":"…"} → value, finished (value.h). Errors: VALIDATION (messages.md §1.4), OUT_OF_MEMORY. */
TD_MUST_USE td_status td_decode_value(const td_json *json, td_arena *arena, td_value *ret_value, td_error *error);

/* {"name":{…},…} → sorted attributes: Item, Key, ExclusiveStartKey. */
TD_MUST_USE td_status td_decode_attributes(const td_json *json, td_arena *arena, td_attribute **ret_attributes,
                                           uint32_t *ret_count, td_error *error);

/* ExpressionAttributeNames and ExpressionAttributeValues (either may be NULL) → marks, with the checks of their keys
 * and, in the classic wording, the wrapper "ExpressionAttributeValues contains invalid value: … for key :v". */
TD_MUST_USE td_status td_decode_marks(const td_json *names, const td_json *values, td_arena *arena,
                                      td_expr_marks *ret_marks, td_error *error);

#endif
