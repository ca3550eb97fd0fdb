/* SPDX-License-Identifier: Apache-2.0
 * store.c: any bytes as a sequence of requests to a store, and to the naive model beside it (property/steps.h): they
 * answer the same. The first byte chooses the table, and whether readers lag. */
#include "property/steps.h"

#include <stdarg.h>
#include <stdio.h>

#include "fuzz/choices.h"
#include "fuzz/fuzz.h"

/* check's, by the linker's name: there is no test that could fail, the process ends. */
void __wrap__ck_assert_failed(const char *file, int line, const char *expression, const char *message, ...)
    __attribute__((noreturn, format(printf, 4, 5)));

void __wrap__ck_assert_failed(const char *file, int line, const char *expression, const char *message, ...)
{
    (void)fprintf(stderr, "%s:%d: %s: ", file, line, expression);
    if (message != NULL) {
        va_list args;
        va_start(args, message);
        (void)vfprintf(stderr, message, args);
        va_end(args);
    }
    (void)fputc('\n', stderr);
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) return 0;
    td_slice bytes = fuzz_copy(data + 1, size - 1);
    steps it = {.has_table = true};
    fuzz_choices_begin(&it.run.rng, bytes);
    if (data[0] / SPEC_COUNT % 4 == 0)
        run_init_lagging(&it.run, 0, data[0] % SPEC_COUNT);
    else
        run_init(&it.run, 0, data[0] % SPEC_COUNT);
    while (fuzz_choices_are_left())
        steps_take(&it);
    steps_check(&it);
    steps_done(&it);
    fuzz_done(bytes);
    return 0;
}
