/* SPDX-License-Identifier: MIT
 * stored.h: the canonical encoding of attributes, inside an item's block and in durable records.
 *
 *   attributes   (name value)…                     names strictly ascending
 *   name         length bytes
 *   value        tag, then by type:
 *     S N B      length bytes                      N: encoded number
 *     SS NS BS   count length (length bytes)…      at least one member, strictly ascending
 *     L          count length value…
 *     M          count length (name value)…        names strictly ascending
 *     BOOL NULL  nothing: true and false have a tag each
 *
 * Counts and lengths are unsigned LEB128 in their shortest form; a container's length is that of its contents, so that
 * it is skipped without being read. Hence equal attributes have equal bytes. */
#ifndef TD_VALUE_STORED_H
#define TD_VALUE_STORED_H

#include "thermodyn/item.h"

/* A value's tag is its type, but for the two truths. */
enum { TD_STORED_TAG_FALSE = TD_TYPE_BOOL, TD_STORED_TAG_TRUE = TD_TYPE_COUNT, TD_STORED_TAG_COUNT };

/* The length of the encoding of sorted attributes. */
uint64_t td_stored__measure(const td_attribute *attributes, uint32_t count);

/* Encodes sorted attributes so that they end right before `end`; the room is what td_stored__measure says. Answers
 * where they begin. */
uint8_t *td_stored__write(const td_attribute *attributes, uint32_t count, uint8_t *end);

/* Reads, or steps over, the value at `at`; answers where the next one begins. The bytes are trusted. */
const uint8_t *td_stored__read(const uint8_t *at, td_stored *ret_value);
const uint8_t *td_stored__skip(const uint8_t *at);

/* Are these foreign bytes a canonical encoding? If so, *ret_count is the number of attributes (stored_check.c). */
TD_MUST_USE bool td_stored__check(td_slice bytes, uint32_t *ret_count);

#endif
