/* SPDX-License-Identifier: Apache-2.0
 * set.h: scalars and sets of them from JSON. Private to server/wire. */
#ifndef THERMODYN_WIRE_SET_H
#define THERMODYN_WIRE_SET_H

#include "wire/json.h"

/* The payload of a scalar, or of a member of the set of it: S borrowed, N encoded, B raw. */
TD_MUST_USE td_status td_set__decode_payload(const td_json *json, td_type type, td_arena *arena, td_slice *ret_bytes,
                                             td_error *error);

/* SS, NS, BS: not empty, without duplicates, sorted. */
TD_MUST_USE td_status td_set__decode(const td_json *json, td_type type, td_arena *arena, td_value *ret_value,
                                     td_error *error);

#endif
