/* SPDX-License-Identifier: Apache-2.0
 * cloudwatch_form.c: any bytes are a form or are refused; a form is read by the shape of any operation, and what comes
 * out is checked like any other input. */
#include "cloudwatch/form.h"

#include "cloudwatch/cloudwatch_private.h"
#include "fuzz/fuzz.h"

enum { ARENA_BYTES_MAX = 64 << 20 };

static const td_slice operations[] = {
#define TD_CW_OPERATION(name, handler) TD_LIT_INIT(#name),
#include "cloudwatch/operations.def"
#undef TD_CW_OPERATION
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    td_slice body = fuzz_copy(data, size);
    td_arena arena;
    td_arena_init(&arena, ARENA_BYTES_MAX);
    td_cw_form form;
    if (td_cw_form_parse(body, &arena, &form) == TD_CW_FORM_OK) {
        for (uint32_t i = 1; i < form.count; i++)
            TD_ASSERT(td_slice_compare(form.pairs[i - 1].key, form.pairs[i].key) <= 0);
        for (size_t i = 0; i < TD_COUNT_OF(operations); i++) {
            const td_cw_shape *shape = td_cw_shape_find(operations[i]);
            td_json *root;
            if (td_cw_form_build(&form, shape, &arena, &root) != TD_CW_FORM_OK) continue;
            td_cw_call call = {.arena = &arena};
            if (td_cw__check(&call, shape, root) != TD_CW_OK) {
                TD_ASSERT(call.text.len > 0);
                continue;
            }
            TD_ASSERT(td_cw_time(root, "StartTime") >= 0);
            TD_ASSERT(td_cw_int(root, "Period", 1) >= 1);
        }
    }
    td_arena_done(&arena);
    fuzz_done(body);
    return 0;
}
