/* SPDX-License-Identifier: Apache-2.0
 * error.c: errors.def and messages.def as tables; texts are built in the request's arena. */
#include "cloudwatch_private.h"

#define SHOWN_BYTES 100

typedef struct status_row {
    const char *code;
    const char *shape;
    int http_status;
} status_row;

static const status_row statuses[TD_CW_STATUS_COUNT] = {
    [TD_CW_OK] = {"", "", 200},
#define TD_CW_ERROR(id, code, shape, http_status) [TD_CW_##id] = {code, shape, http_status},
#include "errors.def"
#undef TD_CW_ERROR
};

static const struct {
    td_cw_status status;
    const char *text;
} messages[TD_CW_MESSAGE_COUNT] = {
#define TD_CW_MESSAGE(id, error, text) [TD_CW_MSG_##id] = {TD_CW_##error, text},
#include "messages.def"
#undef TD_CW_MESSAGE
};

static size_t text_size(const char *text, const td_slice *args, size_t arg_count);
static bool is_mark(const char *at, size_t arg_count);

td_cw_status td_cw__raise(td_cw_call *call, td_cw_message message, const td_slice *args, size_t arg_count)
{
    const char *text = messages[message].text;
    call->status = messages[message].status;
    uint8_t *bytes = td_arena_alloc(call->arena, text_size(text, args, arg_count));
    if (bytes == NULL) {
        call->status = TD_CW_INTERNAL;
        call->text = td_slice_of_cstr(messages[TD_CW_MSG_OUT_OF_MEMORY].text);
        return call->status;
    }
    size_t len = 0;
    for (const char *at = text; *at != '\0'; at++) {
        if (!is_mark(at, arg_count)) {
            bytes[len++] = (uint8_t)*at;
            continue;
        }
        td_slice arg = args[at[1] - '0'];
        if (arg.len > 0) memcpy(bytes + len, arg.ptr, arg.len);
        len += arg.len;
        at += 2;
    }
    call->text = td_slice_of(bytes, len);
    return call->status;
}

td_slice td_cw__int_text(td_cw_call *call, int64_t value)
{
    td_slice text;
    return td_arena_format(call->arena, &text, "%lld", (long long)value) ? text : TD_LIT("");
}

td_slice td_cw__grouped(td_cw_call *call, int64_t value)
{
    td_slice digits = td_cw__int_text(call, value);
    uint8_t *bytes = td_arena_alloc(call->arena, digits.len + digits.len / 3);
    if (bytes == NULL) return TD_LIT("");
    size_t len = 0;
    for (size_t i = 0; i < digits.len; i++) {
        if (i > 0 && (digits.len - i) % 3 == 0) bytes[len++] = ',';
        bytes[len++] = digits.ptr[i];
    }
    return td_slice_of(bytes, len);
}

/* At most so many bytes, cut between characters. */
td_slice td_cw_shown(td_slice text)
{
    size_t len = text.len < SHOWN_BYTES ? text.len : SHOWN_BYTES;
    while (len > 0 && len < text.len && (text.ptr[len] & 0xC0) == 0x80)
        len--;
    return td_slice_of(text.ptr, len);
}

const char *td_cw__code(td_cw_status status)
{
    return statuses[status].code;
}

const char *td_cw__shape_name(td_cw_status status)
{
    return statuses[status].shape;
}

int td_cw__http_status(td_cw_status status)
{
    return statuses[status].http_status;
}

static size_t text_size(const char *text, const td_slice *args, size_t arg_count)
{
    size_t size = strlen(text);
    for (const char *at = text; *at != '\0'; at++) {
        if (is_mark(at, arg_count)) size += args[at[1] - '0'].len;
    }
    return size;
}

/* "{0}": of an argument that there is. */
static bool is_mark(const char *at, size_t arg_count)
{
    return at[0] == '{' && at[1] >= '0' && at[1] <= '9' && at[2] == '}' && (size_t)(at[1] - '0') < arg_count;
}
