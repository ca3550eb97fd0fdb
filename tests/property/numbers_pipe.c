/* SPDX-License-Identifier: Apache-2.0
 * numbers_pipe.c: answers an oracle's questions about numbers, a line each (numbers_oracle.py).
 *
 *   a TAB b  →  number(a) TAB number(b) TAB order TAB a + b TAB a - b
 *
 * number: encoding in hex, text, size, int64 or "-", joined by ":", or the fault's name. Order: <, = or > of the bytes.
 * What depends on a number that was refused is "-". Whatever is printed is read again and must be the same number. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "thermodyn/number.h"

enum { LINE_BYTES_MAX = 1024 };

static const char *const FAULT_NAMES[] = {
    [TD_NUMBER_OK] = "OK",
    [TD_NUMBER_NOT_NUMERIC] = "NOT_NUMERIC",
    [TD_NUMBER_OVERFLOW] = "OVERFLOW",
    [TD_NUMBER_UNDERFLOW] = "UNDERFLOW",
    [TD_NUMBER_TOO_MANY_DIGITS] = "TOO_MANY_DIGITS",
};

static void put_number(td_number_fault fault, const td_number *number);
static void put_answers(td_slice a, td_slice b);

int main(void)
{
    char line[LINE_BYTES_MAX];
    while (fgets(line, sizeof line, stdin)) {
        size_t len = strlen(line);
        char *tab = strchr(line, '\t'), *end = line + len - 1;
        if (!tab || *end != '\n') return EXIT_FAILURE;
        put_answers(td_slice_of(line, (size_t)(tab - line)), td_slice_of(tab + 1, (size_t)(end - tab - 1)));
    }
    return EXIT_SUCCESS;
}

static void put_answers(td_slice a, td_slice b)
{
    td_number left, right, sum, difference;
    td_number_fault left_fault = td_number_parse(a, &left), right_fault = td_number_parse(b, &right);
    put_number(left_fault, &left);
    putchar('\t');
    put_number(right_fault, &right);
    if (left_fault != TD_NUMBER_OK || right_fault != TD_NUMBER_OK) {
        puts("\t-\t-\t-");
        return;
    }
    int order = td_slice_compare(td_number_slice(&left), td_number_slice(&right));
    printf("\t%c\t", order < 0 ? '<' : order > 0 ? '>' : '=');
    put_number(td_number_add(td_number_slice(&left), td_number_slice(&right), &sum), &sum);
    putchar('\t');
    put_number(td_number_subtract(td_number_slice(&left), td_number_slice(&right), &difference), &difference);
    putchar('\n');
}

static void put_number(td_number_fault fault, const td_number *number)
{
    if (fault != TD_NUMBER_OK) {
        fputs(FAULT_NAMES[fault], stdout);
        return;
    }
    char text[TD_NUMBER_TEXT_MAX];
    td_slice encoded = td_number_slice(number);
    td_slice printed = td_slice_of(text, td_number_print(encoded, text));
    td_number again;
    TD_ASSERT(td_number_is_valid(encoded));
    TD_ASSERT(td_number_parse(printed, &again) == TD_NUMBER_OK);
    TD_ASSERT(td_slice_equal(td_number_slice(&again), encoded));

    for (size_t i = 0; i < encoded.len; i++)
        printf("%02x", encoded.ptr[i]);
    printf(":%.*s:%" PRIu32 ":", (int)printed.len, text, td_number_size(encoded));
    int64_t integer = 0;
    if (!td_number_to_int64(encoded, &integer)) {
        putchar('-');
        return;
    }
    td_number from_integer = td_number_from_int64(integer);
    TD_ASSERT(td_slice_equal(td_number_slice(&from_integer), encoded));
    printf("%" PRId64, integer);
}
