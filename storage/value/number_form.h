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

/* An encoding as it lies: its pairs are read where they are. */
typedef struct td_number_view {
    bool negative;
    int exponent;
    uint32_t count;
    const uint8_t *encoded_pairs;
} td_number_view;

enum {
    TD_NUMBER_ZERO = 0x80,
    TD_NUMBER_EXPONENT_BIAS = 0xC0,
    TD_NUMBER_NEGATIVE_END = 0x66, /* greater than any negative pair: the shorter of two negatives is the greater one */
    TD_NUMBER_NEGATIVE_PAIR_BASE = 101,
    TD_NUMBER_POSITIVE_PAIR_BASE = 1,
};

/* The encoding is valid. */
static inline td_number_view td_number__view(td_slice encoded)
{
    TD_ASSERT(encoded.len >= 1);
    TD_ASSERT(encoded.len <= TD_NUMBER_BYTES_MAX);
    uint8_t first = encoded.ptr[0];
    bool is_negative = first < TD_NUMBER_ZERO;
    bool has_end = is_negative && encoded.ptr[encoded.len - 1] == TD_NUMBER_NEGATIVE_END;
    return (td_number_view){.negative = is_negative,
                            .exponent = (uint8_t)(is_negative ? ~first : first) - TD_NUMBER_EXPONENT_BIAS,
                            .count = (uint32_t)encoded.len - 1 - has_end,
                            .encoded_pairs = encoded.ptr + 1};
}

/* 0 to 99. */
static inline int td_number__pair(const td_number_view *view, uint32_t at)
{
    int encoded = view->encoded_pairs[at];
    return view->negative ? TD_NUMBER_NEGATIVE_PAIR_BASE - encoded : encoded - TD_NUMBER_POSITIVE_PAIR_BASE;
}

/* The encoding is valid. */
void td_number__unpack(td_slice encoded, td_number_form *ret_form);
/* The form keeps its invariants and the number's range. */
void td_number__pack(const td_number_form *form, td_number *ret_number);
/* How many decimal digits stand between the first and the last that is not 0. */
uint32_t td_number__digit_count(const uint8_t *pairs, uint32_t count);

#endif
