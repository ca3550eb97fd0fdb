/* SPDX-License-Identifier: Apache-2.0
 * write_check.c: the checks of a put or a delete without the write: what a batch asks of all of its elements first.
 * Not here:   the checks of a write that is made (write.c), which asks again, since the table may have changed. */
#include "thermodyn/write.h"

#include "access.h"
#include "catalog.h"
#include "keys_check.h"

#define KEY_BYTES_MAX ((size_t)1 << 16)

static td_status check(const td_schema *schema, const td_write *write, td_error *error);
static bool encode_key(const td_call *call, const td_schema *schema, const td_write *write, td_slice *ret_key);

td_status td_write_check(const td_call *call, const td_write *write, td_slice *ret_key, td_error *error)
{
    TD_ASSERT(write->kind != TD_WRITE_UPDATE);
    td_access access;
    TD_TRY(td_access__open(call, &access, error));
    td_status status = check(access.schema, write, error);
    if (status == TD_OK && !encode_key(call, access.schema, write, ret_key)) {
        status = TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    }
    td_access__close(&access);
    return status;
}

static td_status check(const td_schema *schema, const td_write *write, td_error *error)
{
    const td_attribute *attributes = write->attributes;
    uint32_t count = write->attribute_count;
    if (write->kind == TD_WRITE_DELETE) return td_keys__check_lookup(&schema->key, attributes, count, error);
    if (td_attributes_size(attributes, count) > TD_LIMIT_ITEM_BYTES_MAX) return TD_RAISE(error, TD_MSG_ITEM_TOO_LARGE);
    return td_keys__check_item(schema, attributes, count, write->words_keys_as_lookup, error);
}

static bool encode_key(const td_call *call, const td_schema *schema, const td_write *write, td_slice *ret_key)
{
    td_slice parts[TD_KEY_PARTS_MAX];
    bool has_key = td_key_parts_of_attributes(&schema->key, write->attributes, write->attribute_count, parts);
    TD_ASSERT(has_key);
    td_buf key;
    td_buf_init(&key, KEY_BYTES_MAX);
    td_key_append(&key, &schema->key, parts, call->store->options.placement);
    bool is_made = !td_buf_has_failed(&key) && td_arena_copy(call->arena, td_buf_contents(&key), ret_key);
    td_buf_done(&key);
    return is_made;
}
