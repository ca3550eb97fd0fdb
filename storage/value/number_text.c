/* SPDX-License-Identifier: Apache-2.0
 * number_text.c: numbers from text and to text.
 *
 * Model:    messages.md §4, "Numbers and sizes": the accepted forms, the ranges, zero checked by its written exponent,
 *           texts printed in full. The grammar is checked to its end before any range; magnitude before digits.
 * Not here: the encoding (number.c). */
#include "thermodyn/number.h"

#include "thermodyn/limits.h"

#include "number_form.h"

/* Significant digits as they are met: zeros wait until another digit shows that they are not at the end. */
typedef struct digit_run {
    uint8_t digits[TD_LIMIT_NUMBER_DIGITS_MAX + 2]; /* from index 1; zeros around, for the halves of outer pairs */
    size_t count;
    size_t pending_zeros;
    bool too_many;
} digit_run;

_Static_assert(TD_LIMIT_NUMBER_DIGITS_MAX + 2 == 2 * TD_NUMBER_PAIRS_MAX, "a run fills the pairs exactly");

static size_t scan_digits(td_slice text, size_t at, digit_run *run, size_t *first_at);
static bool scan_exponent(td_slice text, size_t at, int64_t *ret_exponent);
static td_number_fault check_magnitude(int64_t decimal_exponent);
static void pair_up(const digit_run *run, int decimal_exponent, td_number_form *ret_form);
static char *print_pairs(char *out, const td_number_view *view, uint32_t from, uint32_t to);
static char *print_zeros(char *out, size_t count);
static char *print_integer(char *out, const td_number_view *view, uint32_t integer_pairs);

td_number_fault td_number_parse(td_slice text, td_number *ret_number)
{
    digit_run run = {.count = 0};
    size_t first_at = SIZE_MAX; /* of the first digit that is not 0 */
    size_t at = text.len > 0 && (text.ptr[0] == '-' || text.ptr[0] == '+');
    bool is_negative = at > 0 && text.ptr[0] == '-';

    size_t integer_at = at;
    size_t integer_end = at = scan_digits(text, at, &run, &first_at);
    size_t digit_count = integer_end - integer_at;
    if (at < text.len && text.ptr[at] == '.') {
        at = scan_digits(text, at + 1, &run, &first_at);
        digit_count += at - integer_end - 1;
    }
    int64_t exponent = 0;
    if (digit_count == 0) return TD_NUMBER_NOT_NUMERIC;
    if (at < text.len && !scan_exponent(text, at, &exponent)) return TD_NUMBER_NOT_NUMERIC;

    bool is_zero = first_at == SIZE_MAX;
    /* Places from the first digit to the units; behind the point, which is no place itself, they are negative. */
    if (!is_zero) exponent += (int64_t)integer_end - (int64_t)first_at - (first_at < integer_end ? 1 : 0);
    td_number_fault fault = check_magnitude(exponent);
    if (fault != TD_NUMBER_OK) return fault;
    if (run.too_many) return TD_NUMBER_TOO_MANY_DIGITS;
    td_number_form form = {.negative = is_negative};
    if (!is_zero) pair_up(&run, (int)exponent, &form);
    td_number__pack(&form, ret_number);
    return TD_NUMBER_OK;
}

size_t td_number_print(td_slice encoded, char ret_text[TD_NUMBER_TEXT_MAX])
{
    td_number_view view = td_number__view(encoded);
    uint32_t integer_pairs = view.exponent > 0 ? (uint32_t)view.exponent : 0;
    char *out = ret_text;
    if (view.negative) *out++ = '-';
    if (integer_pairs == 0 || view.count == 0) {
        *out++ = '0';
    } else {
        out = print_integer(out, &view, integer_pairs);
    }
    if (view.count > integer_pairs) {
        *out++ = '.';
        if (view.exponent < 0) out = print_zeros(out, (size_t)-view.exponent * 2);
        out = print_pairs(out, &view, integer_pairs, view.count);
        if (out[-1] == '0') out--;
    }
    TD_ASSERT(out - ret_text <= TD_NUMBER_TEXT_MAX);
    return (size_t)(out - ret_text);
}

/* Reads digits from `at` on into the run and answers where they end. */
static size_t scan_digits(td_slice text, size_t at, digit_run *run, size_t *first_at)
{
    for (; at < text.len; at++) {
        uint8_t digit = (uint8_t)(text.ptr[at] - '0');
        if (digit > 9) break;
        if (digit == 0) {
            run->pending_zeros++;
            continue;
        }
        if (*first_at == SIZE_MAX) {
            *first_at = at;
            run->pending_zeros = 0;
        }
        run->count += run->pending_zeros;
        run->pending_zeros = 0;
        if (run->count >= TD_LIMIT_NUMBER_DIGITS_MAX)
            run->too_many = true;
        else
            run->digits[1 + run->count] = digit;
        run->count++;
    }
    return at;
}

/* (e|E)[+-]digits up to the text's end; false: not of that form, or the exponent leaves 64 bits. */
static bool scan_exponent(td_slice text, size_t at, int64_t *ret_exponent)
{
    if (text.ptr[at] != 'e' && text.ptr[at] != 'E') return false;
    at++;
    bool is_negative = at < text.len && text.ptr[at] == '-';
    if (at < text.len && (text.ptr[at] == '-' || text.ptr[at] == '+')) at++;
    if (at == text.len) return false;
    int64_t value = 0;
    for (; at < text.len; at++) {
        uint8_t digit = (uint8_t)(text.ptr[at] - '0');
        if (digit > 9) return false;
        if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, digit, &value)) return false;
    }
    /* Past any range, yet far enough from the ends of 64 bits that a text's places can be added to it. */
    const int64_t bound = INT64_MAX / 2;
    if (value > bound) value = bound;
    *ret_exponent = is_negative ? -value : value;
    return true;
}

static td_number_fault check_magnitude(int64_t decimal_exponent)
{
    if (decimal_exponent > TD_NUMBER_DECIMAL_EXPONENT_MAX) return TD_NUMBER_OVERFLOW;
    if (decimal_exponent < TD_NUMBER_DECIMAL_EXPONENT_MIN) return TD_NUMBER_UNDERFLOW;
    return TD_NUMBER_OK;
}

/* Pairs are aligned on the decimal point: a first digit in an even place stands alone in its pair. */
static void pair_up(const digit_run *run, int decimal_exponent, td_number_form *ret_form)
{
    int places = decimal_exponent + 1;
    int is_odd = places & 1;
    const uint8_t *digits = run->digits + (is_odd ? 0 : 1);
    ret_form->exponent = (places + is_odd) / 2;
    ret_form->count = (uint32_t)(run->count + (size_t)is_odd + 1) / 2;
    for (uint32_t i = 0; i < ret_form->count; i++)
        ret_form->pairs[i] = (uint8_t)(digits[2 * i] * 10 + digits[2 * i + 1]);
}

static char *print_pairs(char *out, const td_number_view *view, uint32_t from, uint32_t to)
{
    static const char texts[] = "00010203040506070809" "10111213141516171819" "20212223242526272829"
                                "30313233343536373839" "40414243444546474849" "50515253545556575859"
                                "60616263646566676869" "70717273747576777879" "80818283848586878889"
                                "90919293949596979899";
    for (uint32_t i = from; i < to; i++, out += 2)
        memcpy(out, texts + 2 * (ptrdiff_t)td_number__pair(view, i), 2);
    return out;
}

static char *print_zeros(char *out, size_t count)
{
    memset(out, '0', count);
    return out + count;
}

/* The pairs before the point, without a leading zero, filled up with zeros to the units. */
static char *print_integer(char *out, const td_number_view *view, uint32_t integer_pairs)
{
    uint32_t count = view->count < integer_pairs ? view->count : integer_pairs;
    int first = td_number__pair(view, 0);
    if (first < 10) *out++ = (char)('0' + first);
    out = print_pairs(out, view, first < 10, count);
    return integer_pairs > count ? print_zeros(out, (size_t)(integer_pairs - count) * 2) : out;
}
