/* SPDX-License-Identifier: Apache-2.0
 * tags.c: TagResource and UntagResource, whose answers are empty, ListTagsOfResource, and the Tags of CreateTable.
 *
 * Model: the ARN and the list are looked at in turn: whether there is an ARN, whether it is one, whether it names
 *        something that the caller may touch, whether there is a list, whether the ARN is a table's. A request is all
 *        or nothing. An unknown table of another account is "not authorized"; to ListTagsOfResource so is one of the
 *        account 000000000000, which no caller of the service has: here it is only the default.
 *        Keys and values are letters, digits, blanks and _.:/=+-@; what is not ASCII is taken for letters. */
#include "thermodyn/text.h"

#include "ops.h"

#define TABLE_NAME_LEN_MIN 3
#define NO_ACCOUNT "000000000000"

enum { TAG_KEY_UNITS_MAX = 128, TAG_VALUE_UNITS_MAX = 256 };

/* A row for each operation. */
typedef struct tag_operation {
    td_slice name;
    td_slice list;             /* as messages write the required list; empty: none */
    td_message table_unknown;  /* {0}: the ARN */
    bool is_denied_no_account; /* an unknown table of NO_ACCOUNT is another's */
} tag_operation;

static const tag_operation tag_resource = {
    .name = TD_LIT_INIT("TagResource"), .list = TD_LIT_INIT("tags"), .table_unknown = TD_MSG_RESOURCE_ARN_NOT_FOUND};
static const tag_operation untag_resource = {.name = TD_LIT_INIT("UntagResource"),
                                             .list = TD_LIT_INIT("tagKeys"),
                                             .table_unknown = TD_MSG_UNTAGGED_ARN_NOT_FOUND};
static const tag_operation list_tags = {.name = TD_LIT_INIT("ListTagsOfResource"),
                                        .table_unknown = TD_MSG_RESOURCE_ARN_NOT_FOUND,
                                        .is_denied_no_account = true};

static td_status open_resource(td_request *request, const tag_operation *operation, const td_json *list);
static td_status reword(td_request *request, const tag_operation *operation, td_status status);
static td_status check_tag_key(td_request *request, const td_json *key);
static td_status check_tag_value(td_request *request, const td_json *value);

td_status td_ops__tag_resource(td_request *request)
{
    const td_json *list = td_ops__get(request, TD_MEMBER_Tags);
    const td_tag *tags = NULL;
    uint32_t count = 0;
    TD_TRY(open_resource(request, &tag_resource, list));
    if (list->count == 0) return TD_RAISE(&request->error, TD_MSG_TAGS_EMPTY);
    TD_TRY(td_ops__read_tags(request, list, &tags, &count));
    return reword(request, &tag_resource, td_tag_put(&request->call, tags, count, &request->error));
}

td_status td_ops__untag_resource(td_request *request)
{
    const td_json *list = td_ops__get(request, TD_MEMBER_TagKeys);
    TD_TRY(open_resource(request, &untag_resource, list));
    if (list->count == 0) return TD_RAISE(&request->error, TD_MSG_TAG_KEYS_EMPTY);
    td_slice *keys = td_arena_alloc_array(request->arena, list->count, sizeof(*keys));
    if (keys == NULL) return TD_RAISE(&request->error, TD_MSG_OUT_OF_MEMORY);
    for (uint32_t i = 0; i < list->count; i++) {
        TD_TRY(check_tag_key(request, &list->children[i]));
        keys[i] = list->children[i].text;
    }
    if (list->count > TD_LIMIT_TAGS_MAX) return TD_RAISE(&request->error, TD_MSG_TAG_COUNT_EXCEEDED);
    return reword(request, &untag_resource, td_tag_remove(&request->call, keys, list->count, &request->error));
}

td_status td_ops__list_tags_of_resource(td_request *request)
{
    td_tag *tags = NULL;
    uint32_t count = 0;
    TD_TRY(open_resource(request, &list_tags, NULL));
    TD_TRY(reword(request, &list_tags, td_tag_list(&request->call, &tags, &count, &request->error)));
    td_ops_object answer = td_ops__open(request->reply);
    td_ops__name(&answer, TD_LIT("Tags"));
    td_buf_append_byte(answer.buf, '[');
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0) td_buf_append_byte(answer.buf, ',');
        td_ops_object tag = td_ops__open(answer.buf);
        td_ops__member_string(&tag, TD_LIT("Key"), tags[i].key);
        td_ops__member_string(&tag, TD_LIT("Value"), tags[i].value);
        td_ops__close(&tag);
    }
    td_buf_append_byte(answer.buf, ']');
    td_ops__close(&answer);
    return TD_OK;
}

/* ---- whose tags ---- */

/* Five colons, and a slash behind them. */
static bool has_parts_of_arn(td_slice text)
{
    uint32_t colons = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (colons >= 5 && text.ptr[i] == '/') return true;
        if (text.ptr[i] == ':') colons++;
    }
    return false;
}

static td_status refuse_caller(td_request *request, const tag_operation *operation, td_slice resource)
{
    td_slice partition = td_arn_partition(request->call.region);
    td_slice caller;
    if (!td_arena_format(request->arena, &caller, "arn:%.*s:iam::%s:root", (int)partition.len,
                         (const char *)partition.ptr, request->service->config->account)) {
        return TD_RAISE(&request->error, TD_MSG_OUT_OF_MEMORY);
    }
    return TD_RAISE(&request->error, TD_MSG_ACCESS_DENIED, caller, operation->name, resource);
}

/* The table of ResourceArn becomes the call's. */
static td_status open_resource(td_request *request, const tag_operation *operation, const td_json *list)
{
    td_error *error = &request->error;
    const td_json *json = td_ops__get(request, TD_MEMBER_ResourceArn);
    if (json == NULL) return TD_RAISE(error, TD_MSG_RESOURCE_ARN_MISSING);
    td_slice arn = json->text;
    if (arn.len == 0) return refuse_caller(request, operation, TD_LIT("*"));
    if (memchr(arn.ptr, ':', arn.len) == NULL) return TD_RAISE(error, TD_MSG_RESOURCE_ARN_NO_ARN, arn);
    if (!has_parts_of_arn(arn)) return refuse_caller(request, operation, arn);
    if (operation->list.len > 0 && list == NULL) {
        td_slice text;
        if (!td_arena_format(request->arena, &text,
                             "Value null at '%.*s' failed to satisfy constraint: Member must not be null",
                             (int)operation->list.len, (const char *)operation->list.ptr)) {
            return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
        }
        return TD_RAISE(error, TD_MSG_MEMBER_CONSTRAINTS, TD_LIT("1"), TD_LIT(""), text);
    }
    TD_TRY(td_table_name_parse(arn, &request->call.table, error));
    if (request->call.table.len >= TABLE_NAME_LEN_MIN && td_slice_has_prefix(arn, TD_LIT("arn:"))) return TD_OK;
    return TD_RAISE(error, TD_MSG_TABLE_ARN_INVALID, arn);
}

/* The ARN's fifth part. */
static td_slice account_of(td_slice arn)
{
    size_t start = 0;
    size_t end = 0;
    for (uint32_t colons = 0; end < arn.len; end++) {
        if (arn.ptr[end] != ':') continue;
        if (++colons == 5) break;
        start = end + 1;
    }
    return td_slice_of(arn.ptr + start, end - start);
}

static td_status reword(td_request *request, const tag_operation *operation, td_status status)
{
    if (status != TD_RESOURCE_NOT_FOUND) return status;
    td_slice arn = td_ops__text(td_ops__get(request, TD_MEMBER_ResourceArn));
    td_slice account = account_of(arn);
    bool is_ours = td_slice_equal(account, td_slice_of_cstr(request->service->config->account));
    if (operation->is_denied_no_account && td_slice_equal(account, TD_LIT(NO_ACCOUNT))) is_ours = false;
    if (!is_ours) return refuse_caller(request, operation, arn);
    return TD_RAISE(&request->error, operation->table_unknown, arn);
}

/* ---- what a tag may be ---- */

static bool has_only_tag_characters(td_slice text)
{
    for (size_t i = 0; i < text.len; i++) {
        uint8_t byte = text.ptr[i];
        bool is_letter = (byte | 0x20) >= 'a' && (byte | 0x20) <= 'z';
        bool is_digit = byte >= '0' && byte <= '9';
        if (is_letter || is_digit || byte >= 0x80 || (byte != '\0' && strchr(" _.:/=+-@", byte) != NULL)) continue;
        return false;
    }
    return true;
}

static td_status check_tag_key(td_request *request, const td_json *key)
{
    td_slice text = td_ops__text(key);
    bool is_valid = text.len > 0 && td_utf8_utf16_units(text) <= TAG_KEY_UNITS_MAX && has_only_tag_characters(text);
    if (is_valid) return TD_OK;
    return TD_RAISE(&request->error, TD_MSG_TAG_KEY_INVALID, key == NULL ? TD_LIT("null") : text);
}

static td_status check_tag_value(td_request *request, const td_json *value)
{
    td_slice text = td_ops__text(value);
    bool is_valid = value != NULL && td_utf8_utf16_units(text) <= TAG_VALUE_UNITS_MAX && has_only_tag_characters(text);
    if (is_valid) return TD_OK;
    return TD_RAISE(&request->error, TD_MSG_TAG_VALUE_INVALID, value == NULL ? TD_LIT("null") : text);
}

td_status td_ops__read_tags(td_request *request, const td_json *list, const td_tag **ret_tags, uint32_t *ret_count)
{
    td_error *error = &request->error;
    *ret_tags = NULL;
    *ret_count = 0;
    if (list == NULL || list->count == 0) return TD_OK;
    td_tag *tags = td_arena_alloc_array(request->arena, list->count, sizeof(*tags));
    td_slice *keys = td_arena_alloc_array(request->arena, list->count, sizeof(*keys));
    if (tags == NULL || keys == NULL) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    for (uint32_t i = 0; i < list->count; i++) {
        const td_json *key = td_json_find(&list->children[i], TD_LIT("Key"));
        const td_json *value = td_json_find(&list->children[i], TD_LIT("Value"));
        TD_TRY(check_tag_key(request, key));
        TD_TRY(check_tag_value(request, value));
        if (td_slice_has_prefix(key->text, TD_LIT("aws:"))) return TD_RAISE(error, TD_MSG_TAG_KEY_RESERVED, key->text);
        tags[i] = (td_tag){key->text, value->text};
        keys[i] = key->text;
    }
    const td_slice *twice = td_ops__sort_and_find_duplicate(keys, list->count);
    if (twice != NULL) return TD_RAISE(error, TD_MSG_TAG_KEY_TWICE, *twice);
    if (list->count > TD_LIMIT_TAGS_MAX) return TD_RAISE(error, TD_MSG_TAG_COUNT_EXCEEDED);
    *ret_tags = tags;
    *ret_count = list->count;
    return TD_OK;
}
