/* SPDX-License-Identifier: Apache-2.0
 * next_token.c: any text as the NextToken of a statement, and any bytes behind what makes a token the statement's own;
 * what it says goes into a token that reads back as the same. */
#include "fuzz/fuzz.h"
#include "ops/statement.h"
#include "thermodyn/text.h"

enum { ARENA_BYTES_MAX = 1 << 20, SMALL_BYTES_MAX = 512, TOKEN_BYTES_MAX = 16384, OWN_BYTES = 9 };

static void check_again(td_request *request, const td_ops_position *position)
{
    td_ops_position again;
    td_slice names[64];
    td_slice token;
    td_json json = {.type = TD_JSON_STRING};
    if (position->start_key_count > TD_COUNT_OF(names)) return;
    for (uint32_t i = 0; i < position->start_key_count; i++)
        names[i] = position->start_key[i].name;
    td_item *item = position->start_key == NULL ? NULL : td_item_new(position->start_key, position->start_key_count);
    TD_ASSERT(td_ops__format_token(request, position->turn, item, names, position->start_key_count, &token) == TD_OK);
    json.text = token;
    request->members.at[TD_MEMBER_NextToken] = &json;
    TD_ASSERT(td_ops__read_token(request, &again) == TD_OK);
    TD_ASSERT(again.turn == position->turn && again.start_key_count == position->start_key_count);
    td_item_unref(item);
}

static void check(td_request *request, td_slice text)
{
    td_json json = {.type = TD_JSON_STRING, .text = text};
    td_ops_position position;
    request->members.at[TD_MEMBER_NextToken] = &json;
    td_status status = td_ops__read_token(request, &position);
    TD_ASSERT(status == TD_OK || request->error.text.len > 0);
    if (status == TD_OK) check_again(request, &position);

    /* The same where there may be too little memory. */
    td_arena arena;
    td_request small = *request;
    td_arena_init(&arena, fuzz_small_limit(text, 2 * text.len + SMALL_BYTES_MAX));
    small.arena = small.error.arena = &arena;
    small.members.at[TD_MEMBER_NextToken] = &json;
    td_status status_again = td_ops__read_token(&small, &position);
    TD_ASSERT(status_again == status || status_again == TD_OUT_OF_MEMORY);
    td_arena_done(&arena);
}

/* The beginning of a token of this statement, then these bytes. */
static void check_own(td_request *request, td_slice rest)
{
    td_slice token;
    uint8_t bytes[TOKEN_BYTES_MAX + 64];
    uint8_t text[2 * sizeof(bytes)];
    size_t len = 0;
    TD_ASSERT(td_ops__format_token(request, 0, NULL, NULL, 0, &token) == TD_OK);
    TD_ASSERT(td_base64_decode(token, bytes, &len));
    if (rest.len > 0) memcpy(bytes + OWN_BYTES, rest.ptr, rest.len);
    check(request, td_slice_of(text, td_base64_encode(td_slice_of(bytes, OWN_BYTES + rest.len), text)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    td_slice copy = fuzz_copy(data, size);
    td_json statement = {.type = TD_JSON_STRING, .text = TD_LIT_INIT("SELECT * FROM T")};
    td_arena arena;
    td_arena_init(&arena, ARENA_BYTES_MAX);
    td_request request = {.arena = &arena};
    request.error.arena = &arena;
    request.members.at[TD_MEMBER_Statement] = &statement;
    if (size <= TOKEN_BYTES_MAX) check_own(&request, copy);
    if (size <= TOKEN_BYTES_MAX && td_utf8_is_valid(copy)) check(&request, copy);
    td_arena_done(&arena);
    fuzz_done(copy);
    return 0;
}
