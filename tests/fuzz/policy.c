/* SPDX-License-Identifier: Apache-2.0
 * policy.c: any exception policy is read or refused with a sentence; what is read is written as what reads the same. */
#include <stdio.h>

#include "fuzz/fuzz.h"
#include "thermodyn/capacity.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    td_slice input = fuzz_copy(data, size);
    td_capacity_patch patch = {.has_enforce = false};
    const char *fault = NULL;
    bool is_read = td_policy_parse(&patch, input, &fault);
    TD_ASSERT(is_read || fault != NULL);
    for (uint32_t cell = 0; is_read && cell < TD_POLICY_CELL_COUNT; cell++) {
        td_policy_row row;
        if (!td_policy_get_row(&patch.settings.policy, cell, &row)) continue;
        char text[160];
        int len = snprintf(text, sizeof(text), "%s/%s=%s", row.reason, row.billing, row.answer);
        td_capacity_patch again = {.has_enforce = false};
        TD_ASSERT(td_policy_parse(&again, td_slice_of(text, (size_t)len), &fault));
        td_policy_row same;
        TD_ASSERT(again.has_answer[cell] && td_policy_get_row(&again.settings.policy, cell, &same));
        TD_ASSERT(strcmp(same.answer, row.answer) == 0);
    }
    fuzz_done(input);
    return 0;
}
