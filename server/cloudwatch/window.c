/* SPDX-License-Identifier: Apache-2.0
 * window.c: StartTime, EndTime and Period as a row of periods; pages as offsets.
 *
 * Model: a start of less than 15 days ago is rounded down to its minute (AWS, GetMetricStatistics, StartTime); the end
 *        does not belong to the window. Nothing here has a resolution finer than a minute: shorter periods find one
 *        point a minute, as on the service. */
#include "cloudwatch_private.h"
#include "thermodyn/text.h"

#define MINUTE_S 60
#define TOKEN_BYTES_MAX 32

bool td_cw__is_period(int64_t period_s)
{
    static const int64_t fine[] = {1, 5, 10, 20, 30};
    for (size_t i = 0; i < TD_COUNT_OF(fine); i++) {
        if (period_s == fine[i]) return true;
    }
    return period_s > 0 && period_s % MINUTE_S == 0;
}

bool td_cw__span(td_time_us start_us, td_time_us end_us, int64_t period_s, td_cw_window *ret_window, int64_t *ret_count)
{
    if (start_us >= end_us) return false;
    td_time_us asked_us = period_s * TD_US_PER_S;
    td_time_us from_us = start_us / TD_CW_MINUTE_US * TD_CW_MINUTE_US;
    *ret_count = (end_us - start_us + asked_us - 1) / asked_us; /* a day is 1,440 minutes, whenever it begins */
    td_time_us period_us = period_s < MINUTE_S ? TD_CW_MINUTE_US : asked_us;
    int64_t count = (end_us - from_us + period_us - 1) / period_us;
    *ret_window = (td_cw_window){
        .from_us = from_us, .period_us = period_us, .count = count > UINT32_MAX ? UINT32_MAX : (uint32_t)count};
    return true;
}

td_cw_status td_cw__read_token(td_cw_call *call, int64_t *ret_offset)
{
    *ret_offset = 0;
    const td_json *token = td_cw_find(call->input, "NextToken");
    if (token == NULL) return TD_CW_OK;
    uint8_t bytes[TOKEN_BYTES_MAX];
    size_t len = 0;
    bool is_ours = token->text.len < TOKEN_BYTES_MAX && td_base64_decode(token->text, bytes, &len) &&
                   td_parse_int64(td_slice_of(bytes, len), ret_offset) && *ret_offset > 0;
    return is_ours ? TD_CW_OK : TD_CW_RAISE(call, TD_CW_MSG_NEXT_TOKEN, token->text);
}

void td_cw__write_token(td_cw_call *call, int64_t offset)
{
    td_slice digits = td_cw__int_text(call, offset);
    uint8_t text[TOKEN_BYTES_MAX];
    TD_ASSERT(td_base64_encoded_len(digits.len) <= sizeof text);
    td_cw_put_text(&call->out, "NextToken", td_slice_of(text, td_base64_encode(digits, text)));
}
