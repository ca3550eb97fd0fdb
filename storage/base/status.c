/* SPDX-License-Identifier: Apache-2.0
 * status.c: the tables of outcomes and messages, and the one place where a user's error becomes text.
 * Not here: which error a check raises (its caller); how an error is put on the wire (server/wire/error.c). */
#include "thermodyn/status.h"

#define TD_SAME NULL

typedef struct status_row {
    const char *prefix;
    const char *type;
    int http_status;
} status_row;

typedef struct message_row {
    td_status status;
    td_message_class class;
    const char *name;
    const char *classic;
    const char *current; /* NULL: as classic */
} message_row;

static const status_row statuses[TD_STATUS_COUNT] = {
#define TD_STATUS(name, prefix, type, http_status) {prefix, type, http_status},
#include "thermodyn/status.def"
#undef TD_STATUS
};

static const message_row messages[TD_MESSAGE_COUNT] = {
#define TD_MESSAGE(id, status, class, classic, current) {TD_##status, TD_MESSAGE_CLASS_##class, #id, classic, current},
#include "thermodyn/messages.def"
#undef TD_MESSAGE
};

/* A place of its own: equal literals may share one, and an empty text is no lost one. */
static const uint8_t lost[1];
const td_slice td_error_lost = {lost, 0};

static bool is_throttle(td_status status);
static bool expand(td_arena *arena, const char *pattern, const td_slice *args, size_t arg_count, td_slice *ret_text);
static bool is_mark(const char *at);

td_status td_error_raise(td_error *error, td_message message, const td_slice *args, size_t arg_count)
{
    TD_ASSERT(error != NULL);
    TD_ASSERT(message < TD_MESSAGE_COUNT);
    bool is_of_value = messages[message].class == TD_MESSAGE_CLASS_VALUE;
    const char *pattern = td_message_text(message, is_of_value ? error->value_wording : error->wording);
    td_slice text = td_slice_of_cstr(pattern);
    if (arg_count > 0 && !expand(error->arena, pattern, args, arg_count, &text)) {
        message = TD_MSG_OUT_OF_MEMORY;
        text = td_slice_of_cstr(messages[message].classic);
    }
    error->status = messages[message].status;
    error->message = message;
    error->text = text;
    /* Details may be set before the raise or after it, but those of another kind of failure do not survive. */
    if (error->status != TD_CONDITIONAL_CHECK_FAILED) error->item = NULL;
    if (!is_throttle(error->status)) error->throttle = NULL;
    return error->status;
}

td_slice td_error_int(td_error *error, int64_t value)
{
    td_slice text;
    return td_arena_format(error->arena, &text, "%lld", (long long)value) ? text : td_error_lost;
}

const char *td_status_prefix(td_status status)
{
    TD_ASSERT(status < TD_STATUS_COUNT);
    return statuses[status].prefix;
}

const char *td_status_type(td_status status)
{
    TD_ASSERT(status < TD_STATUS_COUNT);
    return statuses[status].type;
}

int td_status_http(td_status status)
{
    TD_ASSERT(status < TD_STATUS_COUNT);
    return statuses[status].http_status;
}

td_message_class td_message_get_class(td_message message)
{
    TD_ASSERT(message < TD_MESSAGE_COUNT);
    return messages[message].class;
}

const char *td_message_name(td_message message)
{
    TD_ASSERT(message < TD_MESSAGE_COUNT);
    return messages[message].name;
}

const char *td_message_text(td_message message, td_wording wording)
{
    TD_ASSERT(message < TD_MESSAGE_COUNT);
    const message_row *row = &messages[message];
    return wording == TD_WORDING_CURRENT && row->current != NULL ? row->current : row->classic;
}

static bool is_throttle(td_status status)
{
    return status == TD_PROVISIONED_THROUGHPUT_EXCEEDED || status == TD_THROTTLING ||
           status == TD_REQUEST_LIMIT_EXCEEDED;
}

/* Measures in a first walk and writes in a second: one allocation of the exact size. A mark without an argument is a
 * bug of the caller; an argument without a mark is not, since the two wordings of a message may use different ones. */
static bool expand(td_arena *arena, const char *pattern, const td_slice *args, size_t arg_count, td_slice *ret_text)
{
    size_t len = 0;
    for (const char *at = pattern; *at != '\0'; at++) {
        if (is_mark(at)) {
            size_t arg = (size_t)(at[1] - '0');
            TD_ASSERT(arg < arg_count);
            if (args[arg].ptr == td_error_lost.ptr) return false;
            len += args[arg].len;
            at += 2;
        } else {
            len++;
        }
    }
    uint8_t *text = td_arena_alloc(arena, len);
    if (text == NULL) return false;
    *ret_text = td_slice_of(text, len);
    for (const char *at = pattern; *at != '\0'; at++) {
        if (is_mark(at)) {
            td_slice arg = args[at[1] - '0'];
            if (arg.len > 0) memcpy(text, arg.ptr, arg.len);
            text += arg.len;
            at += 2;
        } else {
            *text++ = (uint8_t)*at;
        }
    }
    TD_ASSERT(text == ret_text->ptr + len);
    return true;
}

/* {0} to {9}, and nothing else in braces: patterns of the service model, such as {3,255}, stay as they are. */
static bool is_mark(const char *at)
{
    return at[0] == '{' && at[1] >= '0' && at[1] <= '9' && at[2] == '}';
}
