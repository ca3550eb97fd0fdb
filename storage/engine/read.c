/* SPDX-License-Identifier: Apache-2.0
 * read.c: GetItem: one key, one item.
 * Not here: pages of Query and Scan (page.c). */
#include "thermodyn/read.h"

#include "access.h"
#include "catalog.h"
#include "keys_check.h"
#include "pressure.h"

#define KEY_BYTES_MAX ((size_t)1 << 16)

/* An encoded key and the length of its collection's prefix. */
typedef struct lookup {
    td_buf key;
    size_t collection_len;
} lookup;

static td_status prepare(const td_access *access, const td_call *call, const td_get *get, lookup *it, td_error *error);
static td_status get_locked(const td_access *access, const td_call *call, const td_get *get, const lookup *it,
                            td_item **ret_item, td_get_result *ret_result, td_error *error);
static uint32_t find_partition_locked(const td_access *access, td_slice key);
static void unref_item(void *item);

td_status td_get_item(const td_call *call, const td_get *get, td_get_result *ret_result, td_error *error)
{
    for (;;) {
        td_access access;
        TD_TRY(td_access__open(call, &access, error));
        lookup it;
        td_buf_init(&it.key, KEY_BYTES_MAX);
        td_status status = prepare(&access, call, get, &it, error);
        bool is_stale = false;
        td_item *item = NULL;
        if (status == TD_OK) {
            is_stale = !td_access__lock(&access);
            if (!is_stale) {
                status = get_locked(&access, call, get, &it, &item, ret_result, error);
                td_table__unlock(access.table);
            }
        }
        td_buf_done(&it.key);
        td_access__close(&access);
        if (is_stale) continue;
        if (status != TD_OK) return status;
        if (item != NULL && !td_arena_defer(call->arena, unref_item, item)) {
            td_item_unref(item);
            return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
        }
        ret_result->item = item;
        return TD_OK;
    }
}

td_status td_get_check(const td_call *call, const td_get *get, uint32_t *ret_partition, td_error *error)
{
    for (;;) {
        td_access access;
        TD_TRY(td_access__open(call, &access, error));
        lookup it;
        td_buf_init(&it.key, KEY_BYTES_MAX);
        td_status status = prepare(&access, call, get, &it, error);
        bool is_stale = false;
        if (status == TD_OK) {
            is_stale = !td_access__lock(&access);
            if (!is_stale) {
                *ret_partition = find_partition_locked(&access, td_buf_contents(&it.key));
                td_table__unlock(access.table);
            }
        }
        td_buf_done(&it.key);
        td_access__close(&access);
        if (!is_stale) return status;
    }
}

static td_status prepare(const td_access *access, const td_call *call, const td_get *get, lookup *it, td_error *error)
{
    const td_key_schema *schema = &access->schema->key;
    TD_TRY(td_keys__check_lookup(schema, get->key, get->key_count, error));
    td_slice parts[TD_KEY_PARTS_MAX];
    bool has_key = td_key_parts_of_attributes(schema, get->key, get->key_count, parts);
    TD_ASSERT(has_key);
    it->collection_len = td_key_append(&it->key, schema, parts, call->store->options.placement);
    return td_buf_has_failed(&it->key) ? TD_RAISE(error, TD_MSG_OUT_OF_MEMORY) : TD_OK;
}

/* Admits, finds and charges. The item comes with a reference of the caller's. */
static td_status get_locked(const td_access *access, const td_call *call, const td_get *get, const lookup *it,
                            td_item **ret_item, td_get_result *ret_result, td_error *error)
{
    td_slice key = td_buf_contents(&it->key);
    td_table *table = access->table;
    td_resource *base = table->resources[0];
    ret_result->partition = find_partition_locked(access, key);
    td_partition *partition = base->partitions[ret_result->partition];
    td_admission admission;
    td_admission_init(&admission, &table->settings, table->billing);
    admission.is_statement = call->is_statement;
    td_pressure__wake_locked(table, call->now_us);
    td_admission_target *target = td_resource__add_target(base, partition, td_slice_of(NULL, 0), TD_READ, &admission);
    target->is_eventual = !get->is_consistent;
    target->key = key;
    target->collection_len = (uint32_t)it->collection_len;
    target->offered = td_units_of_read(0, get->is_consistent);
    if (!td_admission_ask(&admission, call->now_us)) return td_admission_raise(&admission, error);
    bool lags = false;
    if (!td_lag__begin_read(base, get->is_consistent, call->now_us, &lags)) {
        return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    }

    void **place = td_btree_find(td_lag__view(&partition->trees[0], lags), key);
    td_item *item = place == NULL ? NULL : *place;
    ret_result->is_left = item != NULL && get->has_bytes_max && td_item_size(item) > get->bytes_max;
    if (ret_result->is_left) item = NULL;
    *ret_item = item == NULL ? NULL : td_item_ref(item);
    td_consumed_init(&ret_result->consumed);
    ret_result->consumed.table = td_units_of_read(item == NULL ? 0 : td_item_size(item), get->is_consistent);
    td_admission_charge(&admission, target, ret_result->consumed.table);
    return TD_OK;
}

static uint32_t find_partition_locked(const td_access *access, td_slice key)
{
    return td_resource__find_partition_at(access->table->resources[0], key);
}

static void unref_item(void *item)
{
    td_item_unref(item);
}
