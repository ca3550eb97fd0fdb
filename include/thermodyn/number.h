/* SPDX-License-Identifier: Apache-2.0
 * number.h: DynamoDB's numbers: exact decimals of 38 significant digits, magnitude 1E-130 to 9.99…E+125.
 *
 * A number has one form everywhere inside: its order-preserving encoding (spec: throttling.md, Appendix A), which is
 * canonical: two numbers are equal when their bytes are, and memcmp gives their order. It is the form of sort keys, of
 * the hash's input and of stored items; only arithmetic and printing look inside.
 *
 *   zero       80
 *   positive   0xC0 + ceil((exponent + 1) / 2), then one byte a base-100 pair, pair + 1
 *   negative   the complement of that first byte, then 101 - pair a byte, then 0x66 when there are fewer than 20 pairs
 * where the digits stand in pairs aligned on the decimal point and zeros at both ends are trimmed.
 * Threads: any; nothing allocates. */
#ifndef THERMODYN_NUMBER_H
#define THERMODYN_NUMBER_H

#include "thermodyn/base.h"

#define TD_NUMBER_BYTES_MAX 22  /* longest encoding */
#define TD_NUMBER_TEXT_MAX 192  /* longest printed text: 130 zeros and 38 digits, sign and point */

typedef enum td_number_fault {
    TD_NUMBER_OK,
    TD_NUMBER_NOT_NUMERIC,      /* not of the grammar, or empty, or an exponent past 64 bits */
    TD_NUMBER_OVERFLOW,
    TD_NUMBER_UNDERFLOW,
    TD_NUMBER_TOO_MANY_DIGITS,
} td_number_fault;

/* An encoded number by value. */
typedef struct td_number {
    uint8_t len;
    uint8_t bytes[TD_NUMBER_BYTES_MAX];
} td_number;

static inline td_slice td_number_slice(const td_number *number) { return td_slice_of(number->bytes, number->len); }

/* Text → number. Accepts [+-]digits[.digits][(e|E)[+-]digits] with at least one digit, `.5` and `5.` included; no
 * blanks. Zero is range-checked by its written exponent (messages.md §4). *ret_number is set on TD_NUMBER_OK alone. */
TD_MUST_USE td_number_fault td_number_parse(td_slice text, td_number *ret_number);

/* Prints in full, without an exponent, as the service does. Answers the length; the text has no NUL. */
size_t td_number_print(td_slice encoded, char ret_text[TD_NUMBER_TEXT_MAX]);

/* Exact sums and differences, never rounded. A result that needs more than 38 digits is OVERFLOW, as the service has it
 * (measured with 1e50 + 1); one out of range is OVERFLOW or UNDERFLOW. */
TD_MUST_USE td_number_fault td_number_add(td_slice a, td_slice b, td_number *ret_sum);
TD_MUST_USE td_number_fault td_number_subtract(td_slice a, td_slice b, td_number *ret_difference);

td_number td_number_from_int64(int64_t value);
/* false when it is no integer or does not fit. */
TD_MUST_USE bool td_number_to_int64(td_slice encoded, int64_t *ret_value);

/* Bytes that it counts for in an item's size (throttling.md §1.1). */
uint32_t td_number_size(td_slice encoded);

/* Is this a well-formed encoding? (for asserts and fuzzing) */
bool td_number_is_valid(td_slice encoded);

#endif
