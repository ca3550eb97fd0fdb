/* SPDX-License-Identifier: Apache-2.0
 * number_sum.c: exact sums and differences.
 *
 * Model: both numbers are laid out pair by pair over their common span, added with their signs, and carried. In a span
 *        of more than SPAN_MAX pairs the lower number begins at least two pairs below the other and its last pair
 *        stands alone, so that cancellation costs one pair at the top and the rest cannot be a number of 38 digits:
 *        the work is bounded.
 *        The service answers a sum that needs more than 38 digits, such as 1e50 + 1, with the text of an overflow. */
#include "thermodyn/number.h"

#include "thermodyn/limits.h"

#include "number_form.h"

enum { SPAN_MAX = TD_NUMBER_PAIRS_MAX + 2 };

static td_number_fault add_forms(const td_number_form *a, const td_number_form *b, td_number *ret_sum);
static void accumulate(int *cells, const td_number_form *form, int top_exponent);
static void carry(int *cells, int count);

td_number_fault td_number_add(td_slice a, td_slice b, td_number *ret_sum)
{
    td_number_form left, right;
    td_number__unpack(a, &left);
    td_number__unpack(b, &right);
    return add_forms(&left, &right, ret_sum);
}

td_number_fault td_number_subtract(td_slice a, td_slice b, td_number *ret_difference)
{
    td_number_form left, right;
    td_number__unpack(a, &left);
    td_number__unpack(b, &right);
    right.negative = !right.negative;
    return add_forms(&left, &right, ret_difference);
}

static td_number_fault add_forms(const td_number_form *a, const td_number_form *b, td_number *ret_sum)
{
    if (a->count == 0 || b->count == 0) {
        td_number__pack(a->count == 0 ? b : a, ret_sum);
        return TD_NUMBER_OK;
    }
    int top = a->exponent > b->exponent ? a->exponent : b->exponent;
    int a_end = a->exponent - (int)a->count, b_end = b->exponent - (int)b->count;
    int span = top - (a_end < b_end ? a_end : b_end);
    if (span > SPAN_MAX) return TD_NUMBER_OVERFLOW;

    int cells[1 + SPAN_MAX] = {0}; /* the first one takes the last carry */
    int count = 1 + span;
    accumulate(cells, a, top + 1);
    accumulate(cells, b, top + 1);
    carry(cells, count);
    bool is_negative = cells[0] < 0;
    if (is_negative) {
        for (int i = 0; i < count; i++)
            cells[i] = -cells[i];
        carry(cells, count);
    }

    int first = 0;
    while (first < count && cells[first] == 0)
        first++;
    while (count > first && cells[count - 1] == 0)
        count--;
    td_number_form sum = {.negative = is_negative, .exponent = top + 1 - first, .count = (uint32_t)(count - first)};
    if (sum.count > TD_NUMBER_PAIRS_MAX) return TD_NUMBER_OVERFLOW;
    for (uint32_t i = 0; i < sum.count; i++)
        sum.pairs[i] = (uint8_t)cells[first + (int)i];
    if (sum.count > 0) {
        int decimal_exponent = 2 * sum.exponent - (sum.pairs[0] < 10 ? 2 : 1);
        if (decimal_exponent > TD_NUMBER_DECIMAL_EXPONENT_MAX) return TD_NUMBER_OVERFLOW;
        if (decimal_exponent < TD_NUMBER_DECIMAL_EXPONENT_MIN) return TD_NUMBER_UNDERFLOW;
        if (td_number__digit_count(sum.pairs, sum.count) > TD_LIMIT_NUMBER_DIGITS_MAX) return TD_NUMBER_OVERFLOW;
    }
    td_number__pack(&sum, ret_sum);
    return TD_NUMBER_OK;
}

static void accumulate(int *cells, const td_number_form *form, int top_exponent)
{
    int at = top_exponent - form->exponent;
    for (uint32_t i = 0; i < form->count; i++)
        cells[at + (int)i] += form->negative ? -form->pairs[i] : form->pairs[i];
}

/* Brings every cell but the first into 0…99. */
static void carry(int *cells, int count)
{
    for (int i = count - 1; i > 0; i--) {
        int over = cells[i] < 0 ? (cells[i] - 99) / 100 : cells[i] / 100;
        cells[i] -= over * 100;
        cells[i - 1] += over;
    }
}
