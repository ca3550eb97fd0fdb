/* SPDX-License-Identifier: Apache-2.0
 * target.c: which operation of which API a request asks for.
 *
 * The header has exactly one dot: "DynamoDB_20120810.PutItem". Whatever else it is, the answer is the same. */
#include "wire/envelope.h"

typedef struct api_row {
    td_slice prefix;
    td_api api;
} api_row;

td_status td_target_parse(td_slice target, td_api *ret_api, td_slice *ret_operation, td_error *error)
{
    static const api_row apis[] = {
        {TD_LIT_INIT("DynamoDB_20120810."), TD_API_DYNAMODB},
        {TD_LIT_INIT("DynamoDBStreams_20120810."), TD_API_STREAMS},
    };
    for (size_t i = 0; i < TD_COUNT_OF(apis); i++) {
        if (!td_slice_has_prefix(target, apis[i].prefix)) continue;
        td_slice operation = td_slice_of(target.ptr + apis[i].prefix.len, target.len - apis[i].prefix.len);
        if (operation.len == 0 || memchr(operation.ptr, '.', operation.len) != NULL) break;
        *ret_api = apis[i].api;
        *ret_operation = operation;
        return TD_OK;
    }
    return TD_RAISE(error, TD_MSG_OPERATION_UNKNOWN);
}
