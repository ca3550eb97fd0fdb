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

void td_number__unpack(td_slice encoded, td_number_form *ret_form)
{
    td_number_view view = td_number__view(encoded);
    ret_form->negative = view.negative;
    ret_form->exponent = view.exponent;
    ret_form->count = view.count;
    for (uint32_t i = 0; i < view.count; i++)
        ret_form->pairs[i] = (uint8_t)td_number__pair(&view, i);
}

void td_number__pack(const td_number_form *form, td_number *ret_number)
{
    uint32_t count = form->count;
    TD_ASSERT(count <= TD_NUMBER_PAIRS_MAX);
    uint8_t *bytes = ret_number->bytes;
    if (count == 0) {
        bytes[0] = TD_NUMBER_ZERO;
        ret_number->len = 1;
        return;
    }
    TD_ASSERT(form->exponent >= -64 && form->exponent <= 63);
    uint8_t first = (uint8_t)(TD_NUMBER_EXPONENT_BIAS + form->exponent);
    if (form->negative) {
        bytes[0] = (uint8_t)~first;
        for (uint32_t i = 0; i < count; i++)
            bytes[1 + i] = (uint8_t)(TD_NUMBER_NEGATIVE_PAIR_BASE - form->pairs[i]);
        ret_number->len = (uint8_t)(1 + count);
        if (count < TD_NUMBER_PAIRS_MAX) bytes[ret_number->len++] = TD_NUMBER_NEGATIVE_END;
    } else {
        bytes[0] = first;
        for (uint32_t i = 0; i < count; i++)
            bytes[1 + i] = (uint8_t)(form->pairs[i] + TD_NUMBER_POSITIVE_PAIR_BASE);
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
    bool has_no_end = encoded.ptr[0] < TD_NUMBER_ZERO && encoded.ptr[encoded.len - 1] != TD_NUMBER_NEGATIVE_END;
    return (uint32_t)encoded.len + has_no_end;
}

bool td_number_is_valid(td_slice encoded)
{
    if (encoded.len == 0 || encoded.len > 1 + TD_NUMBER_PAIRS_MAX) return false;
    if (encoded.len == 1) return encoded.ptr[0] == TD_NUMBER_ZERO;
    td_number_view view = td_number__view(encoded);
    if (view.count == 0) return false;
    bool has_end = view.negative && encoded.ptr[encoded.len - 1] == TD_NUMBER_NEGATIVE_END;
    if (view.negative && has_end != (view.count < TD_NUMBER_PAIRS_MAX)) return false;
    uint8_t pairs[TD_NUMBER_PAIRS_MAX];
    for (uint32_t i = 0; i < view.count; i++) {
        int pair = td_number__pair(&view, i);
        if (pair < 0 || pair > 99) return false;
        pairs[i] = (uint8_t)pair;
    }
    return pairs[0] != 0 && pairs[view.count - 1] != 0 &&
           td_number__digit_count(pairs, view.count) <= TD_LIMIT_NUMBER_DIGITS_MAX;
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
