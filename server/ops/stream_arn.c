/* SPDX-License-Identifier: Apache-2.0
 * stream_arn.c: names of streams: arn:…:table/<table>/stream/<label>. The label is the instant at which the stream was
 * enabled, as 2026-11-30T09:47:23.425.
 * Not here: whether there is such a stream. Region and account of an ARN are not looked at, as in those of tables. */
#include <stdio.h>
#include <time.h>

#include "ops.h"

#define STREAM_PART "/stream/"
#define LABEL_LEN 23

static bool is_table_name(td_slice text);
static bool parse_label(td_slice text, td_time_us *ret_label_us);

td_slice td_ops__stream_label(td_time_us label_us, char ret_label[TD_OPS_STREAM_LABEL_BYTES])
{
    time_t seconds = (time_t)(label_us / TD_US_PER_S);
    int milliseconds = (int)(label_us % TD_US_PER_S / TD_US_PER_MS);
    struct tm utc;
    if (gmtime_r(&seconds, &utc) == NULL) return TD_LIT("");
    size_t len = strftime(ret_label, TD_OPS_STREAM_LABEL_BYTES, "%Y-%m-%dT%H:%M:%S", &utc);
    len += (size_t)snprintf(ret_label + len, TD_OPS_STREAM_LABEL_BYTES - len, ".%03d", milliseconds);
    return td_slice_of(ret_label, len);
}

td_status td_ops__stream_arn(td_request *request, td_slice table, td_time_us label_us, td_slice *ret_arn)
{
    char text[TD_OPS_STREAM_LABEL_BYTES];
    td_slice label = td_ops__stream_label(label_us, text);
    td_slice region = request->call.region;
    td_slice partition = td_arn_partition(region);
    if (!td_arena_format(request->arena, ret_arn, "arn:%.*s:dynamodb:%.*s:%s:table/%.*s" STREAM_PART "%.*s",
                         (int)partition.len, (const char *)partition.ptr, (int)region.len, (const char *)region.ptr,
                         request->service->config->account, (int)table.len, (const char *)table.ptr, (int)label.len,
                         (const char *)label.ptr)) {
        return TD_RAISE(&request->error, TD_MSG_OUT_OF_MEMORY);
    }
    return TD_OK;
}

td_status td_ops__parse_stream_arn(td_request *request, td_slice arn, td_stream_ref *ret_stream)
{
    td_error *error = &request->error;
    size_t part_len = sizeof(STREAM_PART) - 1;
    const uint8_t *part = arn.len == 0 ? NULL : memmem(arn.ptr, arn.len, STREAM_PART, part_len);
    if (part == NULL || !td_slice_has_prefix(arn, TD_LIT("arn:"))) {
        return TD_RAISE(error, TD_MSG_STREAM_ARN_INVALID, arn);
    }
    size_t table_len = (size_t)(part - arn.ptr);
    td_stream_ref stream;
    td_status status = td_table_name_parse(td_slice_of(arn.ptr, table_len), &stream.table, error);
    if (status == TD_OUT_OF_MEMORY) return status;
    td_slice label = td_slice_of(part + part_len, arn.len - table_len - part_len);
    if (status != TD_OK || !is_table_name(stream.table) || !parse_label(label, &stream.label_us)) {
        return TD_RAISE(error, TD_MSG_STREAM_ARN_INVALID, arn);
    }
    *ret_stream = stream;
    return TD_OK;
}

static bool is_table_name(td_slice text)
{
    for (size_t i = 0; i < text.len; i++) {
        uint8_t byte = text.ptr[i];
        bool is_letter = (byte | 0x20) >= 'a' && (byte | 0x20) <= 'z';
        if (!is_letter && !(byte >= '0' && byte <= '9') && byte != '_' && byte != '.' && byte != '-') return false;
    }
    return text.len > 0;
}

/* The number that the digits of `text` write; false: there is something else. */
static bool parse_digits(const char *text, size_t len, int *ret_number)
{
    int number = 0;
    for (size_t i = 0; i < len; i++) {
        if (text[i] < '0' || text[i] > '9') return false;
        number = number * 10 + (text[i] - '0');
    }
    *ret_number = number;
    return true;
}

/* What reads as a label is one when it is written the same way again: so there is no 30th of February. */
static bool parse_label(td_slice text, td_time_us *ret_label_us)
{
    if (text.len != LABEL_LEN) return false;
    const char *at = (const char *)text.ptr;
    struct tm utc = {0};
    int milliseconds = 0;
    if (!parse_digits(at, 4, &utc.tm_year) || !parse_digits(at + 5, 2, &utc.tm_mon) ||
        !parse_digits(at + 8, 2, &utc.tm_mday) || !parse_digits(at + 11, 2, &utc.tm_hour) ||
        !parse_digits(at + 14, 2, &utc.tm_min) || !parse_digits(at + 17, 2, &utc.tm_sec) ||
        !parse_digits(at + 20, 3, &milliseconds)) {
        return false;
    }
    utc.tm_year -= 1900;
    utc.tm_mon -= 1;
    td_time_us label_us = timegm(&utc) * TD_US_PER_S + milliseconds * TD_US_PER_MS;
    char written[TD_OPS_STREAM_LABEL_BYTES];
    if (label_us < 0 || !td_slice_equal(td_ops__stream_label(label_us, written), text)) return false;
    *ret_label_us = label_us;
    return true;
}
