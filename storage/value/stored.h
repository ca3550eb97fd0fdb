/* SPDX-License-Identifier: Apache-2.0
 * stored.h: writing and checking the canonical encoding, which thermodyn/stored.h describes and reads. */
#ifndef TD_VALUE_STORED_H
#define TD_VALUE_STORED_H

#include "thermodyn/stored.h"

/* The length of the encoding of sorted attributes. */
uint64_t td_stored__measure(const td_attribute *attributes, uint32_t count);

/* Encodes sorted attributes so that they end right before `end`; the room is what td_stored__measure says. Answers
 * where they begin. */
uint8_t *td_stored__write(const td_attribute *attributes, uint32_t count, uint8_t *end);

/* Are these foreign bytes a canonical encoding? If so, *ret_count is the number of attributes (stored_check.c). */
TD_MUST_USE bool td_stored__check(td_slice bytes, uint32_t *ret_count);

#endif
