/* SPDX-License-Identifier: Apache-2.0
 * number_form.h: a number taken apart, between its encoding and what is done with it.
 *
 *   value = ± 0.p0p1p2… × 100^exponent        p: base-100 pairs
 *
 * Invariants: count is 0 for zero alone; else pairs[0] and pairs[count - 1] are not 0. */
#ifndef TD_VALUE_NUMBER_FORM_H
#define TD_VALUE_NUMBER_FORM_H

#include "thermodyn/number.h"

enum {
    TD_NUMBER_PAIRS_MAX = 20,             /* 38 digits that begin and end in the middle of a pair */
    TD_NUMBER_DECIMAL_EXPONENT_MAX = 125, /* of the first digit */
    TD_NUMBER_DECIMAL_EXPONENT_MIN = -130,
};

typedef struct td_number_form {
    bool negative;
    int exponent;   /* pairs before the decimal point; may be negative */
    uint32_t count; /* pairs */
    uint8_t pairs[TD_NUMBER_PAIRS_MAX];
} td_number_form;

/* The encoding is valid. */
void td_number__unpack(td_slice encoded, td_number_form *ret_form);
/* The form keeps its invariants and the number's range. */
void td_number__pack(const td_number_form *form, td_number *ret_number);
/* How many decimal digits stand between the first and the last that is not 0. */
uint32_t td_number__digit_count(const uint8_t *pairs, uint32_t count);

#endif
