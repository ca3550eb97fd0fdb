/* SPDX-License-Identifier: Apache-2.0
 * statement_token.c: NextToken: opaque text that says where a SELECT goes on.
 *
 *   version[1] ‖ fingerprint of the statement and its parameters[8] ‖ turn[4] ‖ key as a stored item, or nothing
 *   … in base64
 *
 * Model: the token belongs to the text and the parameters, and so to table and index; Limit and consistency may change
 *        from page to page (captured: floci, September 2026). What is in it is checked like a stored item from outside;
 *        whether the key is one of the table is checked where it is used. */
#include "statement.h"

#include "thermodyn/map.h"
#include "thermodyn/text.h"

enum { VERSION = 1, FINGERPRINT_AT = 1, TURN_AT = 9, KEY_AT = 13 };

static uint64_t fingerprint_of(const td_request *request);
static td_status read_key(td_request *request, td_slice bytes, td_ops_position *position);

td_status td_ops__read_token(td_request *request, td_ops_position *ret_position)
{
    *ret_position = (td_ops_position){.turn = 0};
    if (!td_ops__has(request, TD_MEMBER_NextToken)) return TD_OK;
    td_slice text = td_ops__text(td_ops__get(request, TD_MEMBER_NextToken));
    uint8_t *bytes = td_arena_alloc(request->arena, text.len / 4 * 3);
    if (bytes == NULL) return TD_RAISE(&request->error, TD_MSG_OUT_OF_MEMORY);
    size_t len = 0;
    if (!td_base64_decode(text, bytes, &len) || len < KEY_AT || bytes[0] != VERSION) {
        return TD_RAISE(&request->error, TD_MSG_NEXT_TOKEN_INVALID);
    }
    uint64_t fingerprint = fingerprint_of(request);
    if (memcmp(bytes + FINGERPRINT_AT, &fingerprint, sizeof(fingerprint)) != 0) {
        return TD_RAISE(&request->error, TD_MSG_NEXT_TOKEN_OF_OTHER_REQUEST);
    }
    memcpy(&ret_position->turn, bytes + TURN_AT, sizeof(ret_position->turn));
    if (len == KEY_AT) return TD_OK;
    return read_key(request, td_slice_of(bytes + KEY_AT, len - KEY_AT), ret_position);
}

static void release_item(void *item)
{
    td_item_unref(item);
}

static td_status read_key(td_request *request, td_slice bytes, td_ops_position *position)
{
    td_error *error = &request->error;
    if (!td_item_is_encoding(bytes)) return TD_RAISE(error, TD_MSG_NEXT_TOKEN_INVALID);
    td_item *item = td_item_from_bytes(bytes);
    if (item == NULL) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    if (!td_arena_defer(request->arena, release_item, item)) {
        td_item_unref(item);
        return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    }
    td_attribute *key = NULL;
    if (td_item_decode(item, request->arena, &key, &position->start_key_count) != TD_OK) {
        return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    }
    position->start_key = key;
    return TD_OK;
}

static uint64_t fingerprint_of(const td_request *request)
{
    const td_json *parameters = td_ops__get(request, TD_MEMBER_Parameters);
    const uint64_t words[] = {td_hash64(td_ops__text(td_ops__get(request, TD_MEMBER_Statement))),
                              parameters == NULL ? 0 : td_ops__fingerprint(parameters)};
    return td_hash64(td_slice_of(words, sizeof(words)));
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static td_status new_key(td_request *request, const td_item *last, const td_slice *names, uint32_t name_count,
                         td_item **ret_key)
{
    td_slice *sorted = td_arena_alloc_array(request->arena, name_count, sizeof(*sorted));
    if (sorted == NULL) return TD_RAISE(&request->error, TD_MSG_OUT_OF_MEMORY);
    memcpy(sorted, names, name_count * sizeof(*sorted));
    const td_slice *twice = td_ops__sort_and_find_duplicate(sorted, name_count);
    TD_ASSERT(twice == NULL);
    *ret_key = td_item_project(last, sorted, name_count);
    return *ret_key != NULL ? TD_OK : TD_RAISE(&request->error, TD_MSG_OUT_OF_MEMORY);
}

td_status td_ops__format_token(td_request *request, uint32_t turn, const td_item *last, const td_slice *names,
                               uint32_t name_count, td_slice *ret_token)
{
    td_item *key = NULL;
    if (last != NULL) TD_TRY(new_key(request, last, names, name_count, &key));
    td_slice key_bytes = key == NULL ? td_slice_of(NULL, 0) : td_item_bytes(key);
    size_t len = KEY_AT + key_bytes.len;
    uint8_t *bytes = td_arena_alloc(request->arena, len);
    uint8_t *text = td_arena_alloc(request->arena, td_base64_encoded_len(len));
    if (bytes != NULL && text != NULL) {
        uint64_t fingerprint = fingerprint_of(request);
        bytes[0] = VERSION;
        memcpy(bytes + FINGERPRINT_AT, &fingerprint, sizeof(fingerprint));
        memcpy(bytes + TURN_AT, &turn, sizeof(turn));
        if (key_bytes.len > 0) memcpy(bytes + KEY_AT, key_bytes.ptr, key_bytes.len);
        *ret_token = td_slice_of(text, td_base64_encode(td_slice_of(bytes, len), text));
    }
    td_item_unref(key);
    return bytes != NULL && text != NULL ? TD_OK : TD_RAISE(&request->error, TD_MSG_OUT_OF_MEMORY);
}
