/* SPDX-License-Identifier: Apache-2.0
 * criterion_help.c: what --help says of criteria. */
#include "criterion.h"

#include <stdio.h>

static void print_line(const char *name, const char *meaning, const char *more)
{
    printf("    %-20s %s%s\n", name, meaning, more);
}

void td_criteria_print_help(void)
{
    static const char *const meanings[TD_ADVICE_KIND_COUNT] = {
#define TD_ADVICE(kind, name, meaning) [TD_ADVICE_##kind] = meaning,
#include "control/advice.def"
#undef TD_ADVICE
    };
    fputs("  --fail-on WHAT     exit with 1 if this holds of a table or index; more than once, or parted by commas.\n"
          "                     NAME>NUMBER: if it is more than that. Measures:\n",
          stdout);
#define TD_MEASURE(id, name, number, meaning) print_line(name, meaning, (number) < 0 ? "; needs a number" : "");
#include "criterion.def"
#undef TD_MEASURE
    puts("                     pieces of advice: a severity (warning, problem) or more, or a kind:");
    for (td_advice_kind kind = 0; kind < TD_ADVICE_KIND_COUNT; kind++)
        print_line(td_advice_kind_name(kind), meanings[kind], "");
}
