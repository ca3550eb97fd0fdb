/* SPDX-License-Identifier: Apache-2.0
 * assert.c: where a broken invariant ends: its text on standard error, then abort, so that a core shows the place. */
#include "thermodyn/base.h"

#include <stdio.h>
#include <stdlib.h>

void td_assert_failed(const char *expr, const char *file, int line)
{
    (void)fprintf(stderr, "%s:%d: assertion failed: %s\n", file, line, expr);
    abort();
}
