/* SPDX-License-Identifier: Apache-2.0
 * listing.c: a list of a thousand tables, asked for every second. */
#include "control_private.h"

#define LIST_BYTES_MAX ((size_t)64 << 20)

void td_control__begin_tables(td_buf *list)
{
    td_buf_init(list, LIST_BYTES_MAX);
    td_buf_append_byte(list, '[');
}

void td_control__next_table(td_buf *list)
{
    if (list->len > 1) td_buf_append_byte(list, ',');
}

/* Text that is put in as it stands ends with a zero. */
int td_control__answer_tables(td_control_call *call, td_buf *list, td_time_us now_us)
{
    td_buf_append(list, TD_LIT("]\0"));
    bool is_written = !td_buf_has_failed(list);
    if (is_written) {
        td_json_put_int(call->answer, call->answer->root, "now", now_us / TD_US_PER_MS);
        td_json_put_written(call->answer, call->answer->root, "tables", td_slice_of(list->data, list->len - 1));
    }
    td_buf_done(list);
    return is_written ? 200 : td_control__refuse_without_memory(call);
}
