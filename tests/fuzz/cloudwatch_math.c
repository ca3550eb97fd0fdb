/* SPDX-License-Identifier: Apache-2.0
 * cloudwatch_math.c: any text is an expression of metric math or is refused with a sentence; its values are finite. */
#include "cloudwatch/metric_math.h"

#include <math.h>

#include "fuzz/fuzz.h"

enum { ARENA_BYTES_MAX = 64 << 20, POINTS = 4 };

static const td_cw_window window = {.period_us = TD_CW_MINUTE_US, .count = POINTS};

/* The lines a and b, which have points here and there. */
static td_cw_status find_lines(td_cw_call *call, uint32_t first, uint32_t count, td_cw_value *ret_value)
{
    td_cw_line *lines = td_arena_alloc_array(call->arena, count, sizeof *lines);
    if (lines == NULL) return TD_CW_RAISE(call, TD_CW_MSG_OUT_OF_MEMORY);
    for (uint32_t i = 0; i < count; i++) {
        if (!td_cw_line_init(&lines[i], &window, TD_LIT("line"), call->arena)) {
            return TD_CW_RAISE(call, TD_CW_MSG_OUT_OF_MEMORY);
        }
        for (uint32_t j = 0; j < POINTS; j++) {
            lines[i].is_there[j] = (j + first + i) % 3 != 0;
            lines[i].values[j] = (double)(j * 7 + i) - 5;
        }
    }
    *ret_value = (td_cw_value){.kind = TD_CW_LINES, .lines = lines, .count = count, .is_array = count != 1};
    return TD_CW_OK;
}

static td_cw_status find(td_cw_names *names, td_cw_call *call, td_slice id, td_cw_value *ret_value)
{
    if (id.len != 1 || id.ptr[0] > 'b') return TD_CW_RAISE(call, TD_CW_MSG_MATH_ID, names->id, id);
    return find_lines(call, id.ptr[0] == 'b', 1, ret_value);
}

static td_cw_status find_metrics(td_cw_names *names, td_cw_call *call, td_slice part, td_cw_value *ret_value)
{
    (void)names;
    return find_lines(call, 0, part.len == 0 ? 2 : 0, ret_value);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    td_slice text = fuzz_copy(data, size);
    td_arena arena;
    td_arena_init(&arena, ARENA_BYTES_MAX);
    td_cw_call call = {.arena = &arena};
    td_cw_names names = {.find = find, .find_metrics = find_metrics, .id = TD_LIT("e")};
    td_cw_value value;
    if (td_cw_math_eval(&call, text, &names, &value) != TD_CW_OK) {
        TD_ASSERT(call.text.len > 0);
    } else if (value.kind == TD_CW_LINES) {
        for (uint32_t i = 0; i < value.count; i++) {
            for (uint32_t j = 0; j < POINTS; j++)
                TD_ASSERT(!value.lines[i].is_there[j] || isfinite(value.lines[i].values[j]));
        }
    }
    td_arena_done(&arena);
    fuzz_done(text);
    return 0;
}
