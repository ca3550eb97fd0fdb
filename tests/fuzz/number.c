/* SPDX-License-Identifier: Apache-2.0
 * number.c: any text is a number or is refused; a number prints as itself, and sums can be undone. */
#include "thermodyn/number.h"

#include "fuzz/fuzz.h"

/* (a + b) - b is a, unless a range or the digits refuse the way. */
static void check_sum(td_slice a, td_slice b)
{
    td_number sum, back;
    if (td_number_add(a, b, &sum) != TD_NUMBER_OK) return;
    TD_ASSERT(td_number_is_valid(td_number_slice(&sum)));
    TD_ASSERT(td_number_subtract(td_number_slice(&sum), b, &back) == TD_NUMBER_OK);
    TD_ASSERT(td_slice_equal(td_number_slice(&back), a));
}

/* An integer within 64 bits is the same number again. */
static void check_integer(td_slice encoded)
{
    int64_t value;
    if (!td_number_to_int64(encoded, &value)) return;
    td_number again = td_number_from_int64(value);
    TD_ASSERT(td_slice_equal(td_number_slice(&again), encoded));
}

static bool parse(td_slice text, td_number *number)
{
    if (td_number_parse(text, number) != TD_NUMBER_OK) return false;
    td_slice encoded = td_number_slice(number);
    TD_ASSERT(td_number_is_valid(encoded));
    char printed[TD_NUMBER_TEXT_MAX];
    td_number again;
    TD_ASSERT(td_number_parse(td_slice_of(printed, td_number_print(encoded, printed)), &again) == TD_NUMBER_OK);
    TD_ASSERT(td_slice_equal(td_number_slice(&again), encoded));
    TD_ASSERT(td_number_size(encoded) <= TD_NUMBER_BYTES_MAX);
    check_integer(encoded);
    return true;
}

/* Two texts with a blank between them; the bytes themselves as an encoding, too. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *blank = size > 0 ? memchr(data, ' ', size) : NULL;
    size_t first = blank ? (size_t)(blank - data) : size;
    size_t skipped = first + (blank != NULL);
    td_slice left = fuzz_copy(data, first), right = fuzz_copy(data + skipped, size - skipped);
    td_number a, b;
    if (parse(left, &a) && parse(right, &b)) check_sum(td_number_slice(&a), td_number_slice(&b));
    if (td_number_is_valid(left)) {
        char printed[TD_NUMBER_TEXT_MAX];
        TD_ASSERT(td_number_parse(td_slice_of(printed, td_number_print(left, printed)), &a) == TD_NUMBER_OK);
        TD_ASSERT(td_slice_equal(td_number_slice(&a), left));
    }
    fuzz_done(left);
    fuzz_done(right);
    return 0;
}
