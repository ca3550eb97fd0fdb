/* SPDX-License-Identifier: Apache-2.0
 * snapshot_restore.c: going back to a snapshot: which tables there are, what they are, and their items, at once.
 *
 *   the catalogue's lock      the path to the snapshot; the tables that are, were, or are noted on the way
 *   the locks of all of them  all that can fail → trees → catalogue, faces, streams → the disk's queue
 *
 * Streams: closed shards are never opened again and records never taken back, since consumers hold positions in them: a
 * stream that is still enabled goes on, without records of what going back changed; one that was disabled since is
 * enabled anew, under another label.
 * Transactions' tokens are forgotten: what they stand for may be undone.
 * Not here: how trees go back (reroot.c), what a table's face is (face.c). */
#include <stdlib.h>

#include "thermodyn/memory.h"

#include "catalog.h"
#include "face.h"
#include "item_keys.h"
#include "persist.h"
#include "plan.h"
#include "reroot.h"
#include "streams.h"

/* A table that has a part in it. */
typedef struct participant {
    td_table *table;
    const td_face *face; /* what it will be; NULL: it will not be */
    bool was_gone;
    bool has_new_name; /* it has a place in the catalogue, which there was not */
    bool is_stream_made;
    td_attached policy;  /* a copy of the face's, then what the table had */
    td_stream *previous; /* with is_stream_made: the table's before it */
    td_stream *closing;  /* with is_stream_made: which is enabled yet; NULL: none */
} participant;

typedef struct restoring {
    td_store *store;
    td_time_us now_us;
    td_snapshot *target;
    td_snapshot **path; /* from the current one to the target */
    uint32_t path_len;
    participant *participants; /* in the order of their locks */
    uint32_t count;
    td_table **tables; /* of all of them, for the journal */
    td_reroot reroot;
    td_trail *fresh; /* for the target */
    td_journal_group group;
    td_trail *over;        /* of commit */
    td_snapshot *removed;  /* likewise */
} restoring;

static bool find_path(restoring *it);
static bool find_participants(restoring *it);
static void add_participant(restoring *it, td_table *table, const td_face *face);
static int compare_participants(const void *a, const void *b);
static void merge_participants(restoring *it);
static bool prepare_locked(restoring *it);
static bool prepare_table_locked(restoring *it, participant *one);
static bool prepare_stream_locked(restoring *it, participant *one);
static void cancel_locked(restoring *it);
static bool keep_on_disk_locked(restoring *it);
static bool keep_all_items_locked(restoring *it, td_table *table);
static bool keep_item(restoring *it, const td_table *table, td_slice key, td_item *item);
static void commit_locked(restoring *it);
static void take_in_locked(restoring *it, participant *one);
static void take_out_locked(restoring *it, participant *one);
static void settle_stream_locked(restoring *it, participant *one);
static void **place_of(const restoring *it, const td_table *table);
static bool is_in_target(const restoring *it, const td_table *table);
static void finish(restoring *it);

td_snapshot_result td_snapshot_restore(const td_call *call, td_slice name, td_snapshot_info *ret_info)
{
    td_store *store = call->store;
    if (store->journal != NULL && td_journal_is_failing(store->journal)) return TD_SNAPSHOT_RECORD_FAILS;
    restoring it = {.store = store, .now_us = call->now_us};
    td_catalog__write_lock(store);
    it.target = td_snapshots__find(&store->snapshots, name);
    bool is_found = it.target != NULL;
    bool is_done =
        is_found && td_snapshots__tell(it.target, call->arena, ret_info) && find_path(&it) && find_participants(&it);
    if (is_done) {
        for (uint32_t i = 0; i < it.count; i++)
            td_table__lock(it.participants[i].table);
        is_done = prepare_locked(&it);
        if (is_done) commit_locked(&it);
        for (uint32_t i = 0; i < it.count; i++)
            td_table__unlock(it.participants[i].table);
    }
    td_catalog__unlock(store);
    if (is_done) {
        ret_info->changes = ret_info->changed_bytes = 0;
        td_tokens__forget_all(&store->tokens);
        td_journal__mark_tokens_dropped(store);
    }
    finish(&it);
    return is_done ? TD_SNAPSHOT_OK : is_found ? TD_SNAPSHOT_NO_MEMORY : TD_SNAPSHOT_UNKNOWN;
}

static bool find_path(restoring *it)
{
    for (td_snapshot *at = it->target; at != NULL; at = at->parent)
        it->path_len++;
    it->path = td_alloc(it->path_len * sizeof(td_snapshot *));
    if (it->path == NULL) return false;
    uint32_t to = it->path_len;
    for (td_snapshot *at = it->target; at != NULL; at = at->parent)
        it->path[--to] = at;
    TD_ASSERT(it->path[0] == it->store->snapshots.current);
    return true;
}

/* With a reference each. */
static bool find_participants(restoring *it)
{
    td_btree *tables = it->store->tables;
    size_t room = td_btree_count(tables) + it->target->face_count;
    for (uint32_t i = 0; i < it->path_len; i++) {
        for (const td_trail *trail = it->path[i]->trails; trail != NULL; trail = trail->next)
            room++;
    }
    if (room == 0) return true;
    it->participants = td_alloc(room * sizeof *it->participants);
    it->tables = td_alloc(room * sizeof(td_table *));
    if (it->participants == NULL || it->tables == NULL) return false;
    for (td_btree_cursor at = td_btree_first(tables); !td_btree_is_end(at); td_btree_next(&at))
        add_participant(it, td_btree_value(at), NULL);
    for (uint32_t i = 0; i < it->target->face_count; i++)
        add_participant(it, it->target->faces[i]->table, it->target->faces[i]);
    for (uint32_t i = 0; i < it->path_len; i++) {
        for (const td_trail *trail = it->path[i]->trails; trail != NULL; trail = trail->next)
            add_participant(it, trail->table, NULL);
    }
    qsort(it->participants, it->count, sizeof *it->participants, compare_participants);
    merge_participants(it);
    return true;
}

static void add_participant(restoring *it, td_table *table, const td_face *face)
{
    it->participants[it->count++] = (participant){.table = table, .face = face, .was_gone = table->is_gone};
}

/* By name, as a transaction takes the locks of its tables; one that is gone may have the name of another. */
static int compare_participants(const void *a, const void *b)
{
    const participant *left = a;
    const participant *right = b;
    int order = td_slice_compare(left->table->schema->scope, right->table->schema->scope);
    if (order == 0) order = td_slice_compare(left->table->schema->table, right->table->schema->table);
    if (order != 0 || left->table == right->table) return order;
    return (uintptr_t)left->table < (uintptr_t)right->table ? -1 : 1;
}

static void merge_participants(restoring *it)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < it->count; i++) {
        const participant *one = &it->participants[i];
        bool is_same = count > 0 && it->participants[count - 1].table == one->table;
        if (!is_same) it->participants[count++] = *one;
        if (is_same && one->face != NULL) it->participants[count - 1].face = one->face;
    }
    it->count = count;
    for (uint32_t i = 0; i < count; i++)
        it->tables[i] = td_table__ref(it->participants[i].table);
}

/* false: no memory, and no trace. */
static bool prepare_locked(restoring *it)
{
    bool is_ready = td_snapshots__make_trails(it->target->faces, it->target->face_count, &it->fresh);
    for (uint32_t i = 0; i < it->count && is_ready; i++)
        is_ready = it->participants[i].face == NULL || prepare_table_locked(it, &it->participants[i]);
    if (is_ready && td_reroot__prepare(&it->reroot, it->path, it->path_len)) {
        if (keep_on_disk_locked(it)) return true;
        td_reroot__cancel(&it->reroot);
    }
    cancel_locked(it);
    return false;
}

static bool prepare_table_locked(restoring *it, participant *one)
{
    td_expiry *expiry = one->face->expiry;
    bool is_queued = !one->was_gone && expiry == one->table->expiry; /* in its time, at least */
    if (expiry != NULL && !td_expiry__queue_soon(one->table, expiry, is_queued, it->now_us)) return false;
    const td_attached *policy = &one->face->policy;
    if (!td_attached__set(&one->policy, td_slice_of(policy->text, policy->len), policy->revision)) return false;
    if (!prepare_stream_locked(it, one)) return false;
    for (uint32_t i = 0; i < one->face->resource_count; i++) {
        if (!td_lag__flush(one->face->resources[i].resource)) return false;
    }
    if (!one->was_gone) return true;
    uint8_t bytes[TD_CATALOG_KEY_MAX];
    const td_schema *schema = one->table->schema;
    void **place =
        td_btree_insert(it->store->tables, td_catalog__key(schema->scope, schema->table, bytes), &one->has_new_name);
    return place != NULL;
}

static bool prepare_stream_locked(restoring *it, participant *one)
{
    td_table *table = one->table;
    td_resource *base = table->resources[0];
    td_stream *enabled = base->stream;
    if (one->face->view == TD_STREAM_NONE || (enabled != NULL && enabled->view == one->face->view)) return true;
    one->closing = enabled;
    one->previous = table->stream;
    base->stream = NULL;
    one->is_stream_made = td_streams__enable_locked(table, one->face->view, it->now_us);
    if (!one->is_stream_made) base->stream = enabled;
    return one->is_stream_made;
}

static void cancel_locked(restoring *it)
{
    for (uint32_t i = 0; i < it->count; i++) {
        participant *one = &it->participants[i];
        if (one->is_stream_made) {
            td_streams__cancel_locked(one->table, one->previous);
            one->table->resources[0]->stream = one->closing;
        }
        if (!one->has_new_name) continue;
        uint8_t bytes[TD_CATALOG_KEY_MAX];
        const td_schema *schema = one->table->schema;
        (void)td_btree_remove(it->store->tables, td_catalog__key(schema->scope, schema->table, bytes));
    }
}

/* What the disk is to have of the items: one group, so that it has all of it or nothing. Of a table that had gone it
 * may have nothing. */
static bool keep_on_disk_locked(restoring *it)
{
    if (it->store->journal == NULL) return true;
    bool is_kept = true;
    for (uint32_t i = 0; i < it->count && is_kept; i++) {
        const participant *one = &it->participants[i];
        if (one->face != NULL && one->was_gone) is_kept = keep_all_items_locked(it, one->table);
    }
    const td_trail *trail = NULL;
    bool is_wanted = false;
    for (uint64_t i = 0; i < it->reroot.count && is_kept; i++) {
        const td_reroot_note *note = &it->reroot.notes[i];
        if (note->trail != trail) {
            trail = note->trail;
            is_wanted = is_in_target(it, trail->table);
        }
        if (!note->is_first || !is_wanted || !td_reroot__is_of_table(note)) continue;
        is_kept = keep_item(it, trail->table, note->key, note->after == TD_PAST_NOTHING ? NULL : note->after);
    }
    if (!is_kept) td_journal__drop(&it->group);
    return is_kept;
}

static bool keep_all_items_locked(restoring *it, td_table *table)
{
    const td_resource *base = table->resources[0];
    td_btree_room room;
    for (uint32_t i = 0; i < base->partition_count; i++) {
        td_btree_cursor at = td_btree_first(base->partitions[i]->trees[0].entries);
        for (; !td_btree_is_end(at); td_btree_next(&at)) {
            if (!keep_item(it, table, td_btree_read_key(at, &room), td_btree_value(at))) return false;
        }
    }
    return true;
}

static bool keep_item(restoring *it, const td_table *table, td_slice key, td_item *item)
{
    td_journal_entry *entry = td_journal__add(&it->group, TD_SPACE_ITEMS, td_persist__item_key_bytes(key), 0);
    if (entry == NULL) return false;
    td_persist__item_key(table->record_number, key, td_journal__key(entry));
    if (item != NULL) td_journal__put(entry, item, NULL);
    return true;
}

static void commit_locked(restoring *it)
{
    if (it->store->journal != NULL) {
        td_journal__append_with_tables(it->store->journal, &it->group, it->tables, it->count);
    }
    it->over = td_reroot__commit(&it->reroot, &it->store->snapshots, it->fresh);
    it->fresh = NULL;
    for (uint32_t i = 0; i < it->count; i++) {
        if (it->participants[i].face != NULL) take_in_locked(it, &it->participants[i]);
    }
    for (uint32_t i = 0; i < it->count; i++) {
        participant *one = &it->participants[i];
        if (one->face == NULL && !one->was_gone) take_out_locked(it, one);
    }
    it->removed = td_snapshots__settle(&it->store->snapshots);
}

static void take_in_locked(restoring *it, participant *one)
{
    td_table *table = one->table;
    if (one->was_gone) {
        table->is_gone = false;
        while (table->split_plans != NULL)
            td_split_plan__free(table->split_plans);
        table->split_due_us = TD_NEVER;
        table->is_under_pressure = false;
        for (uint32_t i = 0; i < one->face->resource_count; i++)
            td_resource__forget_past(one->face->resources[i].resource);
        *place_of(it, table) = td_table__ref(table); /* in the place of one of that name, if there is one */
    } else {
        td_due__forget_changes(&it->store->due, table);
    }
    td_face__put_on_locked(one->face, &one->policy, it->now_us);
    settle_stream_locked(it, one);
    td_catalog__reserve_locked(it->store, table);
}

/* The catalogue's reference is given back, which is not the last. */
static void take_out_locked(restoring *it, participant *one)
{
    td_table *table = one->table;
    td_catalog__retire_locked(it->store, table, it->now_us);
    uint8_t bytes[TD_CATALOG_KEY_MAX];
    td_slice key = td_catalog__key(table->schema->scope, table->schema->table, bytes);
    if (*td_btree_find(it->store->tables, key) == table) (void)td_btree_remove(it->store->tables, key);
    td_table__unref(table);
}

static void settle_stream_locked(restoring *it, participant *one)
{
    if (one->is_stream_made) {
        if (one->closing != NULL) td_stream__close(one->closing, TD_STREAM_DISABLED, it->now_us);
        td_stream__unref(one->previous);
    } else if (one->face->view == TD_STREAM_NONE) {
        td_streams__disable_locked(one->table, TD_STREAM_DISABLED, it->now_us);
    }
    /* A reset drops streams. */
    td_stream *latest = one->table->stream;
    if (latest != NULL && !td_streams__is_present_locked(it->store, latest)) {
        one->table->stream = NULL;
        td_stream__unref(latest);
    }
    td_streams__settle_locked(one->table);
}

static void **place_of(const restoring *it, const td_table *table)
{
    uint8_t bytes[TD_CATALOG_KEY_MAX];
    void **place =
        td_btree_find(it->store->tables, td_catalog__key(table->schema->scope, table->schema->table, bytes));
    TD_ASSERT(place != NULL);
    return place;
}

static bool is_in_target(const restoring *it, const td_table *table)
{
    for (uint32_t i = 0; i < it->target->face_count; i++) {
        if (it->target->faces[i]->table == table) return true;
    }
    return false;
}

/* Without locks: what is over may be large. */
static void finish(restoring *it)
{
    td_reroot__done(&it->reroot);
    td_trail__free_all(it->over);
    td_trail__free_all(it->fresh);
    td_snapshots__free_all(it->removed);
    for (uint32_t i = 0; i < it->count && it->tables != NULL; i++) {
        td_attached__done(&it->participants[i].policy);
        td_table__unref(it->tables[i]);
    }
    td_free((void *)it->tables);
    td_free(it->participants);
    td_free((void *)it->path);
}
