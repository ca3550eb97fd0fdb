/* SPDX-License-Identifier: Apache-2.0
 * number.c: the encoding of numbers: packing, unpacking, validity, size, and integers.
 *
 * Model:      throttling.md, Appendix A. The first byte holds sign and exponent so that it decides most comparisons:
 *             00…7F negative, 80 zero (alone) or the smallest positives (longer), 80…FF positive.
 * Invariants: every number has one encoding; memcmp of encodings is the order of numbers.
 * Not here:   texts (number_text.c), arithmetic (number_sum.c). */
#include "thermodyn/number.h"

#include "thermodyn/limits.h"

#include "number_form.h"

enum {
    ZERO = 0x80,
    EXPONENT_BIAS = 0xC0,
    NEGATIVE_END = 0x66, /* greater than any negative pair: the shorter of two negatives is the greater one */
    NEGATIVE_PAIR_BASE = 101,
    POSITIVE_PAIR_BASE = 1,
};

static uint32_t count_pairs(td_slice encoded);

void td_number__unpack(td_slice encoded, td_number_form *ret_form)
{
    TD_ASSERT(encoded.len >= 1);
    TD_ASSERT(encoded.len <= TD_NUMBER_BYTES_MAX);
    uint8_t first = encoded.ptr[0];
    uint32_t count = count_pairs(encoded);
    ret_form->negative = first < ZERO;
    ret_form->count = count;
    if (ret_form->negative) {
        ret_form->exponent = (uint8_t)~first - EXPONENT_BIAS;
        for (uint32_t i = 0; i < count; i++)
            ret_form->pairs[i] = (uint8_t)(NEGATIVE_PAIR_BASE - encoded.ptr[1 + i]);
    } else {
        ret_form->exponent = first - EXPONENT_BIAS;
        for (uint32_t i = 0; i < count; i++)
            ret_form->pairs[i] = (uint8_t)(encoded.ptr[1 + i] - POSITIVE_PAIR_BASE);
    }
}

void td_number__pack(const td_number_form *form, td_number *ret_number)
{
    uint32_t count = form->count;
    TD_ASSERT(count <= TD_NUMBER_PAIRS_MAX);
    uint8_t *bytes = ret_number->bytes;
    if (count == 0) {
        bytes[0] = ZERO;
        ret_number->len = 1;
        return;
    }
    TD_ASSERT(form->exponent >= -64 && form->exponent <= 63);
    uint8_t first = (uint8_t)(EXPONENT_BIAS + form->exponent);
    if (form->negative) {
        bytes[0] = (uint8_t)~first;
        for (uint32_t i = 0; i < count; i++)
            bytes[1 + i] = (uint8_t)(NEGATIVE_PAIR_BASE - form->pairs[i]);
        ret_number->len = (uint8_t)(1 + count);
        if (count < TD_NUMBER_PAIRS_MAX) bytes[ret_number->len++] = NEGATIVE_END;
    } else {
        bytes[0] = first;
        for (uint32_t i = 0; i < count; i++)
            bytes[1 + i] = (uint8_t)(form->pairs[i] + POSITIVE_PAIR_BASE);
        ret_number->len = (uint8_t)(1 + count);
    }
}

uint32_t td_number__digit_count(const uint8_t *pairs, uint32_t count)
{
    if (count == 0) return 0;
    return 2 * count - (pairs[0] < 10) - (pairs[count - 1] % 10 == 0);
}

uint32_t td_number_size(td_slice encoded)
{
    /* The size counts a byte for a negative sign even where the encoding has no room for its end mark. */
    bool has_no_end = encoded.ptr[0] < ZERO && encoded.ptr[encoded.len - 1] != NEGATIVE_END;
    return (uint32_t)encoded.len + has_no_end;
}

bool td_number_is_valid(td_slice encoded)
{
    if (encoded.len == 0 || encoded.len > 1 + TD_NUMBER_PAIRS_MAX) return false;
    if (encoded.len == 1) return encoded.ptr[0] == ZERO;
    bool is_negative = encoded.ptr[0] < ZERO;
    uint32_t count = count_pairs(encoded);
    if (count == 0) return false;
    if (is_negative && (count < TD_NUMBER_PAIRS_MAX) != (encoded.ptr[encoded.len - 1] == NEGATIVE_END)) return false;
    uint8_t pairs[TD_NUMBER_PAIRS_MAX];
    for (uint32_t i = 0; i < count; i++) {
        int pair = is_negative ? NEGATIVE_PAIR_BASE - encoded.ptr[1 + i] : encoded.ptr[1 + i] - POSITIVE_PAIR_BASE;
        if (pair < 0 || pair > 99) return false;
        pairs[i] = (uint8_t)pair;
    }
    return pairs[0] != 0 && pairs[count - 1] != 0 && td_number__digit_count(pairs, count) <= TD_LIMIT_NUMBER_DIGITS_MAX;
}

td_number td_number_from_int64(int64_t value)
{
    enum { INT64_PAIRS = 10 };
    uint8_t pairs[INT64_PAIRS];
    uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;
    uint32_t at = INT64_PAIRS;
    for (; rest != 0; rest /= 100)
        pairs[--at] = (uint8_t)(rest % 100);
    td_number_form form = {.negative = value < 0, .exponent = (int)(INT64_PAIRS - at), .count = INT64_PAIRS - at};
    memcpy(form.pairs, pairs + at, form.count);
    while (form.count > 0 && form.pairs[form.count - 1] == 0)
        form.count--;
    td_number number;
    td_number__pack(&form, &number);
    return number;
}

bool td_number_to_int64(td_slice encoded, int64_t *ret_value)
{
    td_number_form form;
    td_number__unpack(encoded, &form);
    if (form.count == 0) {
        *ret_value = 0;
        return true;
    }
    if (form.exponent < (int)form.count) return false;
    int64_t value = 0;
    for (int i = 0; i < form.exponent; i++) {
        int pair = i < (int)form.count ? form.pairs[i] : 0;
        /* Built on the negative side, which reaches one further. */
        if (__builtin_mul_overflow(value, 100, &value) || __builtin_sub_overflow(value, pair, &value)) return false;
    }
    if (!form.negative && __builtin_sub_overflow(0, value, &value)) return false;
    *ret_value = value;
    return true;
}

static uint32_t count_pairs(td_slice encoded)
{
    bool has_end = encoded.ptr[0] < ZERO && encoded.ptr[encoded.len - 1] == NEGATIVE_END;
    return (uint32_t)encoded.len - 1 - has_end;
}
