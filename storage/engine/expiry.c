/* SPDX-License-Identifier: Apache-2.0
 * expiry.c: time to live: which items expire when, and their deletion.
 *
 * Model:    AWS developer guide, "Using time to live (TTL)": the attribute is a top-level number of seconds since the
 *           epoch, and not more than five years old. A fraction is cut off. Deletions cost nothing.
 *           The store's ttl_delay_us stands between an instant and the deletion; for an item that had expired when it
 *           was written it counts from the write, unless an earlier deletion of the table takes it along.
 * Not here: the deletion itself (write.c). */
#include "expiry.h"

#include "thermodyn/memory.h"

#include "catalog.h"
#include "trail.h"
#include "walk.h"
#include "writing.h"

#define CHUNK_DELETIONS 64
#define AGE_MAX_S INT64_C(157784760) /* five years of 365.2425 days; Source: the same guide */
#define COOLDOWN_US (3600 * TD_US_PER_S)
/* Later instants never come; they would not fit in microseconds. */
#define INSTANT_MAX_S (TD_NEVER / TD_US_PER_S / 2)

/* An instant and the longest key of a table: two parts, each byte escaped, each part closed. */
#define KEY_BYTES_MAX (8 + TD_KEY_HASH_BYTES + 2 * (TD_LIMIT_PARTITION_KEY_BYTES_MAX + TD_LIMIT_SORT_KEY_BYTES_MAX) + 4)

typedef struct td_expiry_key {
    uint8_t bytes[KEY_BYTES_MAX];
} td_expiry_key;

typedef struct td_expiry_fill {
    uint64_t generation; /* of the expiry that is filled */
    td_time_us now_us;
} td_expiry_fill;

static td_status check_update(const td_table *table, bool is_enabled, td_slice attribute, td_time_us now_us,
                              td_error *error);
static td_walk_step add_item(td_table *table, td_slice key, td_item *item, void *context);
static bool queue_locked(td_table *table, td_time_us due_us);
static bool delete_some_locked(td_table *table, td_time_us due_us);
static bool find_instant(const td_expiry *expiry, const td_item *item, int64_t *ret_instant_s);
static bool note(const td_item_change *change);
static bool find_live_instant(const td_item_change *change, int64_t *ret_instant_s);
static bool has_same_instant(const td_item_change *change, int64_t instant_s);
static bool can_expire(int64_t instant_s, td_time_us now_us);
static bool whole_part(td_slice number, int64_t *ret_whole);
static td_slice key_of(td_expiry_key *key, int64_t instant_s, td_slice item_key);
static td_time_us due_of(const td_table *table, int64_t instant_s);
static td_time_us due_of_new(const td_table *table, int64_t instant_s, td_time_us now_us);

td_status td_expiry_update(const td_call *call, bool is_enabled, td_slice attribute, td_error *error)
{
    TD_TRY(td_journal__begin(call, error));
    td_table *table = td_catalog__find(call->store, call->scope, call->table);
    if (table == NULL) return TD_RAISE(error, TD_MSG_TABLE_NOT_FOUND, call->table);
    td_expiry *made = is_enabled ? td_expiry__new(attribute) : NULL;
    td_status status = is_enabled && made == NULL ? TD_RAISE(error, TD_MSG_OUT_OF_MEMORY) : TD_OK;
    td_table__lock(table);
    if (status == TD_OK) status = check_update(table, is_enabled, attribute, call->now_us, error);
    if (status == TD_OK) {
        td_expiry *replaced = table->expiry;
        table->expiry = made;
        made = replaced;
        table->expiry_generation++;
        table->expiry_changed_us = call->now_us;
    }
    td_table__unlock(table);
    td_expiry__unref(made); /* what is not in use, or no longer; outside of the lock, since it may be large */
    if (status == TD_OK && is_enabled && td_expiry__fill(table, call->now_us) != TD_OK) {
        status = TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    }
    td_journal__mark_table(table);
    td_table__unref(table);
    return status;
}

td_status td_expiry_describe(const td_call *call, td_expiry_info *ret_info, td_error *error)
{
    td_table *table = td_catalog__find(call->store, call->scope, call->table);
    if (table == NULL) return TD_RAISE(error, TD_MSG_TABLE_NOT_FOUND, call->table);
    td_expiry_info info = {.is_enabled = false};
    bool is_copied = true;
    td_table__lock(table);
    const td_expiry *expiry = table->expiry;
    if (expiry != NULL) {
        info.is_enabled = true;
        td_slice attribute = td_slice_of(expiry->attribute, expiry->attribute_len);
        is_copied = td_arena_copy(call->arena, attribute, &info.attribute);
    }
    td_table__unlock(table);
    td_table__unref(table);
    if (!is_copied) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    *ret_info = info;
    return TD_OK;
}

td_expiry *td_expiry__ref(td_expiry *expiry)
{
    (void)atomic_fetch_add_explicit(&expiry->references, 1, memory_order_relaxed);
    return expiry;
}

void td_expiry__unref(td_expiry *expiry)
{
    if (expiry == NULL) return;
    uint32_t before = atomic_fetch_sub_explicit(&expiry->references, 1, memory_order_acq_rel);
    TD_ASSERT(before > 0);
    if (before > 1) return;
    td_btree_free(expiry->instants, NULL);
    td_free(expiry);
}

bool td_expiry__reserve(const td_item_change *change)
{
    td_table *table = change->table;
    int64_t instant_s = 0;
    if (table->expiry->trail != NULL && !note(change)) return false;
    if (!find_live_instant(change, &instant_s) || has_same_instant(change, instant_s)) return true;
    if (!queue_locked(table, due_of_new(table, instant_s, change->now_us))) return false;
    td_expiry_key key;
    bool is_new = false;
    return td_btree_insert(table->expiry->instants, key_of(&key, instant_s, change->key), &is_new) != NULL;
}

void td_expiry__unreserve(const td_item_change *change)
{
    int64_t instant_s = 0;
    if (!find_live_instant(change, &instant_s) || has_same_instant(change, instant_s)) return;
    td_expiry_key key;
    (void)td_btree_remove(change->table->expiry->instants, key_of(&key, instant_s, change->key));
}

void td_expiry__commit(const td_item_change *change)
{
    const td_expiry *expiry = change->table->expiry;
    int64_t old_s = 0;
    int64_t new_s = 0;
    if (change->old_item == NULL || !find_instant(expiry, change->old_item, &old_s)) return;
    bool stays = change->new_item != NULL && find_instant(expiry, change->new_item, &new_s) && new_s == old_s;
    if (stays) return;
    td_expiry_key key;
    (void)td_btree_remove(expiry->instants, key_of(&key, old_s, change->key));
}

void td_expiry__run_due(td_table *table, td_time_us due_us)
{
    bool has_more = true;
    while (has_more) {
        td_table__lock(table);
        /* Another entry of the queue may have come before this one. */
        bool is_mine = !table->is_gone && table->expiry != NULL && table->expiry->queued_us == due_us;
        has_more = is_mine && delete_some_locked(table, due_us);
        td_table__unlock(table);
    }
}

/* The order of the first two is measured: both go before the cool-down, which is the service's own pace. */
static td_status check_update(const td_table *table, bool is_enabled, td_slice attribute, td_time_us now_us,
                              td_error *error)
{
    td_slice name = table->schema->table;
    if (table->is_gone) return TD_RAISE(error, TD_MSG_TABLE_NOT_FOUND, name);
    if (table->status == TD_TABLE_CREATING) return TD_RAISE(error, TD_MSG_TABLE_IS_CREATED, name);
    if (table->status == TD_TABLE_DELETING) return TD_RAISE(error, TD_MSG_TABLE_IS_DELETED, name);
    const td_expiry *expiry = table->expiry;
    if (expiry == NULL && !is_enabled) return TD_RAISE(error, TD_MSG_EXPIRY_IS_DISABLED);
    if (expiry != NULL) {
        td_slice current = td_slice_of(expiry->attribute, expiry->attribute_len);
        if (!td_slice_equal(current, attribute)) return TD_RAISE(error, TD_MSG_EXPIRY_IS_OF_OTHER_ATTRIBUTE, current);
        if (is_enabled) return TD_RAISE(error, TD_MSG_EXPIRY_IS_ENABLED);
    }
    bool is_soon = table->expiry_changed_us != 0 && now_us < table->expiry_changed_us + COOLDOWN_US;
    if (is_soon && table->store->options.has_table_delays) return TD_RAISE(error, TD_MSG_EXPIRY_CHANGED_TOO_OFTEN);
    return TD_OK;
}

td_expiry *td_expiry__new(td_slice attribute)
{
    td_expiry *expiry = td_alloc(sizeof *expiry + attribute.len);
    if (expiry == NULL) return NULL;
    atomic_init(&expiry->references, 1);
    expiry->trail = NULL;
    expiry->is_filling = false;
    expiry->instants = td_btree_new(NULL);
    expiry->queued_us = TD_NEVER;
    expiry->attribute_len = attribute.len;
    memcpy(expiry->attribute, attribute.ptr, attribute.len);
    if (expiry->instants != NULL) return expiry;
    td_free(expiry);
    return NULL;
}

td_status td_expiry__fill(td_table *table, td_time_us now_us)
{
    td_table__lock(table);
    td_expiry_fill filling = {.generation = table->expiry_generation, .now_us = now_us};
    if (table->expiry != NULL) table->expiry->is_filling = true;
    td_table__unlock(table);
    td_status status = td_walk__run(table, add_item, &filling);

    td_table__lock(table);
    td_expiry *expiry = table->expiry;
    if (!table->is_gone && expiry != NULL && table->expiry_generation == filling.generation) {
        expiry->is_filling = false;
        td_btree_cursor first = td_btree_first(expiry->instants);
        if (status == TD_OK && !td_btree_is_end(first)) {
            int64_t instant_s = (int64_t)td_partition__hash_of_key(td_btree_key(first));
            if (!queue_locked(table, due_of_new(table, instant_s, now_us))) status = TD_OUT_OF_MEMORY;
        }
        if (status != TD_OK) {
            td_expiry__unref(expiry);
            table->expiry = NULL;
            table->expiry_changed_us = 0;
        }
    }
    td_table__unlock(table);
    return status;
}

bool td_expiry__queue_soon(td_table *table, td_expiry *expiry, bool is_queued, td_time_us now_us)
{
    td_time_us due_us = now_us + table->store->options.ttl_delay_us;
    if (is_queued && expiry->queued_us <= due_us) return true;
    if (!td_due__push(&table->store->due, due_us, TD_DUE_ITEMS_EXPIRED, table)) return false;
    expiry->queued_us = due_us;
    return true;
}

static td_walk_step add_item(td_table *table, td_slice item_key, td_item *item, void *context)
{
    const td_expiry_fill *filling = context;
    if (table->expiry == NULL || table->expiry_generation != filling->generation) return TD_WALK_ENOUGH;
    int64_t instant_s = 0;
    if (!find_instant(table->expiry, item, &instant_s) || !can_expire(instant_s, filling->now_us)) return TD_WALK_ON;
    td_expiry_key key;
    bool is_new = false;
    void **place = td_btree_insert(table->expiry->instants, key_of(&key, instant_s, item_key), &is_new);
    return place == NULL ? TD_WALK_OUT_OF_MEMORY : TD_WALK_ON;
}

/* Makes sure that the queue comes at that instant or before. false: no memory. An entry for a later instant stays in
 * the queue, and finds then that it is not the one that is waited for. */
static bool queue_locked(td_table *table, td_time_us due_us)
{
    td_expiry *expiry = table->expiry;
    if (due_us >= expiry->queued_us) return true;
    if (!td_due__push(&table->store->due, due_us, TD_DUE_ITEMS_EXPIRED, table)) return false;
    expiry->queued_us = due_us;
    return true;
}

/* Are there more? When not, the next run is queued; it is also when memory is short, a second later. */
static bool delete_some_locked(td_table *table, td_time_us due_us)
{
    td_expiry *expiry = table->expiry;
    td_time_us next_us = TD_NEVER;
    for (int i = 0; i < CHUNK_DELETIONS; i++) {
        td_btree_cursor first = td_btree_first(expiry->instants);
        if (td_btree_is_end(first)) {
            expiry->queued_us = TD_NEVER;
            return false;
        }
        td_slice key = td_btree_key(first);
        td_time_us expires_us = due_of(table, (int64_t)td_partition__hash_of_key(key));
        if (expires_us > due_us) {
            next_us = expires_us;
            break;
        }
        td_expiry_key copy;
        size_t item_key_len = key.len - 8;
        memcpy(copy.bytes, key.ptr + 8, item_key_len);
        if (!td_writing__expire_locked(table, td_slice_of(copy.bytes, item_key_len), due_us)) {
            next_us = due_us + TD_US_PER_S;
            break;
        }
    }
    if (next_us == TD_NEVER) return true;
    expiry->queued_us = TD_NEVER;
    (void)queue_locked(table, next_us); /* without memory the next write of an instant queues */
    return false;
}

/* false: the item has no instant. */
static bool find_instant(const td_expiry *expiry, const td_item *item, int64_t *ret_instant_s)
{
    td_stored value;
    if (!td_item_find(item, td_slice_of(expiry->attribute, expiry->attribute_len), &value)) return false;
    return value.type == TD_TYPE_N && whole_part(value.bytes, ret_instant_s) && *ret_instant_s >= 0;
}

/* For a snapshot: whether the instants of both images are there. */
static bool note(const td_item_change *change)
{
    const td_expiry *expiry = change->table->expiry;
    const td_item *const images[] = {change->old_item, change->new_item};
    for (size_t i = 0; i < TD_COUNT_OF(images); i++) {
        int64_t instant_s = 0;
        if (images[i] == NULL || !find_instant(expiry, images[i], &instant_s)) continue;
        td_expiry_key bytes;
        td_slice key = key_of(&bytes, instant_s, change->key);
        bool is_there = td_btree_find(expiry->instants, key) != NULL;
        if (!td_trail__note_first(expiry->trail, 0, key, is_there ? TD_PAST_PLACE : TD_PAST_NOTHING)) return false;
    }
    return true;
}

/* Of the new item, when it can still expire. */
static bool find_live_instant(const td_item_change *change, int64_t *ret_instant_s)
{
    const td_expiry *expiry = change->table->expiry;
    if (change->new_item == NULL || !find_instant(expiry, change->new_item, ret_instant_s)) return false;
    return can_expire(*ret_instant_s, change->now_us);
}

static bool has_same_instant(const td_item_change *change, int64_t instant_s)
{
    int64_t old_s = 0;
    bool has_old = change->old_item != NULL && find_instant(change->table->expiry, change->old_item, &old_s);
    return has_old && old_s == instant_s;
}

static bool can_expire(int64_t instant_s, td_time_us now_us)
{
    return instant_s >= now_us / TD_US_PER_S - AGE_MAX_S && instant_s <= INSTANT_MAX_S;
}

/* false: out of range. */
static bool whole_part(td_slice number, int64_t *ret_whole)
{
    if (td_number_to_int64(number, ret_whole)) return true;
    char text[TD_NUMBER_TEXT_MAX];
    size_t len = td_number_print(number, text);
    int64_t whole = 0;
    if (len == 0 || text[0] == '-') return false;
    for (size_t i = 0; i < len && text[i] != '.'; i++) {
        if (__builtin_mul_overflow(whole, (int64_t)10, &whole)) return false;
        if (__builtin_add_overflow(whole, (int64_t)(text[i] - '0'), &whole)) return false;
    }
    *ret_whole = whole;
    return true;
}

static td_slice key_of(td_expiry_key *key, int64_t instant_s, td_slice item_key)
{
    TD_ASSERT(8 + item_key.len <= sizeof key->bytes);
    (void)td_partition__key_of_hash((uint64_t)instant_s, key->bytes);
    memcpy(key->bytes + 8, item_key.ptr, item_key.len);
    return td_slice_of(key->bytes, 8 + item_key.len);
}

static td_time_us due_of(const td_table *table, int64_t instant_s)
{
    return instant_s * TD_US_PER_S + table->store->options.ttl_delay_us;
}

/* Of an item that is written now. */
static td_time_us due_of_new(const td_table *table, int64_t instant_s, td_time_us now_us)
{
    td_time_us due_us = due_of(table, instant_s);
    td_time_us soonest_us = now_us + table->store->options.ttl_delay_us;
    return due_us > soonest_us ? due_us : soonest_us;
}
