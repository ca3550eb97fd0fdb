/* SPDX-License-Identifier: Apache-2.0
 * streams.c: streams by table and label.
 * Not here: what a stream holds (stream.c); describing and reading one (stream_read.c). */
#include "streams.h"

#include "due.h"

/* The key of the table, a zero, and the label: big-endian, so that the tree's order is that of time. */
#define STREAM_KEY_MAX (TD_CATALOG_KEY_MAX + 1 + 8)

typedef struct td_stream_key {
    uint8_t bytes[STREAM_KEY_MAX];
    size_t table_len; /* with the zero */
} td_stream_key;

static void drop_under(td_store *store, td_slice prefix);
static bool start_key(td_stream_key *key, td_slice scope, td_slice table_name);
static td_slice finish_key(td_stream_key *key, td_time_us label_us);
static td_slice table_part(const td_stream_key *key);
static td_slice table_of_key(td_slice key, td_slice scope);
static td_time_us label_of_key(td_slice key);
static td_time_us next_label(const td_store *store, td_stream_key *key, td_time_us now_us);

bool td_streams__enable_locked(td_table *table, td_stream_view view, td_time_us now_us)
{
    td_store *store = table->store;
    td_resource *base = table->resources[0];
    TD_ASSERT(view != TD_STREAM_NONE && base->stream == NULL);
    td_stream_key key;
    if (!start_key(&key, table->schema->scope, table->schema->table)) TD_ASSERT(false);
    td_time_us label_us = next_label(store, &key, now_us);
    td_stream *stream =
        td_stream__new(table->schema, table->id, label_us, view, base->partition_count, base->last_number);
    if (stream == NULL) return false;
    stream->journal = store->journal;
    stream->record_number = td_journal__new_number(store->journal);
    for (uint32_t i = 0; i < base->partition_count; i++)
        td_stream__open(stream, base->partitions[i]->number, now_us);

    bool is_new = false;
    void **place = td_btree_insert(store->streams, finish_key(&key, label_us), &is_new);
    if (place == NULL) {
        td_stream__unref(stream);
        return false;
    }
    TD_ASSERT(is_new);
    *place = td_stream__ref(stream); /* the catalogue's */
    td_stream *previous = table->stream;
    table->stream = stream; /* the table's own reference */
    base->stream = stream;
    if (store->options.has_table_delays) td_stream__set_status(stream, TD_STREAM_ENABLING);
    stream->roll_due_us = td_stream__roll(stream, now_us);
    bool is_queued = td_due__push(&store->due, stream->roll_due_us, TD_DUE_SHARDS_ROLLED, table) &&
                     td_due__push_stream(&store->due, td_stream__trim(stream, now_us), stream);
    if (!is_queued) {
        td_streams__cancel_locked(table, previous);
        return false;
    }
    return true;
}

void td_streams__cancel_locked(td_table *table, td_stream *previous)
{
    td_store *store = table->store;
    td_stream *stream = table->stream;
    td_streams__remove_locked(store, stream);
    td_due__forget_stream(&store->due, stream);
    table->resources[0]->stream = NULL;
    table->stream = previous;
    td_stream__unref(stream);
    td_stream__unref(stream);
}

void td_streams__disable_locked(td_table *table, td_stream_status status, td_time_us now_us)
{
    td_resource *base = table->resources[0];
    if (base->stream == NULL) return;
    td_stream__close(base->stream, status, now_us);
    base->stream = NULL;
}

td_stream *td_streams__find(const td_call *call, td_time_us label_us)
{
    td_stream_key key;
    if (!start_key(&key, call->scope, call->table)) return NULL;
    td_catalog__read_lock(call->store);
    void **place = td_btree_find(call->store->streams, finish_key(&key, label_us));
    td_stream *stream = place == NULL ? NULL : td_stream__ref(*place);
    td_catalog__unlock(call->store);
    return stream;
}

void td_streams__drop_locked(td_store *store, td_slice scope, td_slice table_name)
{
    td_stream_key key;
    if (start_key(&key, scope, table_name)) drop_under(store, table_part(&key));
}

void td_streams__drop_all_locked(td_store *store)
{
    drop_under(store, td_slice_of(NULL, 0));
}

void td_streams__settle_locked(td_table *table)
{
    td_stream *stream = table->stream;
    if (stream == NULL) return;
    td_stream__set_status(stream, td_streams__is_enabled(table) ? TD_STREAM_ENABLED : TD_STREAM_DISABLED);
}

bool td_streams__is_present_locked(const td_store *store, const td_stream *stream)
{
    td_stream_key key;
    if (!start_key(&key, stream->schema->scope, stream->schema->table)) TD_ASSERT(false);
    void **place = td_btree_find(store->streams, finish_key(&key, stream->label_us));
    return place != NULL && *place == stream;
}

void td_streams__remove_locked(td_store *store, td_stream *stream)
{
    td_stream_key key;
    if (!start_key(&key, stream->schema->scope, stream->schema->table)) TD_ASSERT(false);
    void *removed = td_btree_remove(store->streams, finish_key(&key, stream->label_us));
    TD_ASSERT(removed == stream);
    td_stream__lock(stream);
    stream->is_gone = true;
    td_journal__mark_stream(stream);
    td_stream__unlock(stream);
}

bool td_streams__put_locked(td_store *store, td_stream *stream)
{
    td_stream_key key;
    bool is_new = false;
    if (!start_key(&key, stream->schema->scope, stream->schema->table)) return false;
    void **place = td_btree_insert(store->streams, finish_key(&key, stream->label_us), &is_new);
    if (place == NULL || !is_new) return false;
    *place = stream;
    return true;
}

td_status td_stream_list(const td_call *call, const td_stream_ref *after, uint32_t limit, td_stream_ref **ret_streams,
                         uint32_t *ret_count, bool *ret_has_more)
{
    td_stream_key key;
    uint8_t bounds[TD_CATALOG_KEY_MAX];
    td_slice within = td_catalog__key(call->scope, call->table, bounds); /* of one scope, or of one table */
    *ret_count = 0;
    *ret_has_more = false;
    td_stream_ref *streams = td_arena_alloc_array(call->arena, limit, sizeof *streams);
    if (streams == NULL) return TD_OUT_OF_MEMORY;
    *ret_streams = streams;
    if (within.len == 0) return TD_OK;
    if (call->table.len > 0) {
        if (!start_key(&key, call->scope, call->table)) return TD_OK;
        within = table_part(&key);
    }
    td_stream_key from;
    bool has_start = after != NULL && after->table.len > 0 && start_key(&from, call->scope, after->table);
    td_slice scope = td_catalog__key(call->scope, td_slice_of(NULL, 0), (uint8_t[TD_CATALOG_KEY_MAX]){0});

    bool is_out_of_memory = false;
    td_catalog__read_lock(call->store);
    const td_btree *tree = call->store->streams;
    td_btree_cursor at = has_start && td_slice_compare(table_part(&from), within) >= 0
                             ? td_btree_seek_key(tree, finish_key(&from, after->label_us), TD_SEEK_FIRST_AFTER)
                             : td_btree_seek_key(tree, within, TD_SEEK_FIRST_AT_OR_AFTER);
    for (; !td_btree_is_end(at) && td_slice_has_prefix(td_btree_key(at), within); td_btree_next(&at)) {
        if (*ret_count == limit) {
            *ret_has_more = true;
            break;
        }
        td_stream_ref *found = &streams[*ret_count];
        found->label_us = label_of_key(td_btree_key(at));
        is_out_of_memory = !td_arena_copy(call->arena, table_of_key(td_btree_key(at), scope), &found->table);
        if (is_out_of_memory) break;
        ++*ret_count;
    }
    td_catalog__unlock(call->store);
    return is_out_of_memory ? TD_OUT_OF_MEMORY : TD_OK;
}

/* Drops the streams whose keys have that prefix. */
static void drop_under(td_store *store, td_slice prefix)
{
    for (;;) {
        td_btree_cursor at = td_btree_seek_key(store->streams, prefix, TD_SEEK_FIRST_AT_OR_AFTER);
        if (td_btree_is_end(at) || !td_slice_has_prefix(td_btree_key(at), prefix)) return;
        td_stream *stream = td_btree_value(at);
        td_streams__remove_locked(store, stream);
        td_due__forget_stream(&store->due, stream);
        td_stream__unref(stream);
    }
}

/* false: no table has such a name. */
static bool start_key(td_stream_key *key, td_slice scope, td_slice table_name)
{
    key->table_len = td_catalog__key(scope, table_name, key->bytes).len;
    if (key->table_len == 0) return false;
    key->bytes[key->table_len++] = 0;
    return true;
}

static td_slice finish_key(td_stream_key *key, td_time_us label_us)
{
    (void)td_partition__key_of_hash((uint64_t)label_us, key->bytes + key->table_len);
    return td_slice_of(key->bytes, key->table_len + 8);
}

static td_slice table_part(const td_stream_key *key)
{
    return td_slice_of(key->bytes, key->table_len);
}

static td_slice table_of_key(td_slice key, td_slice scope)
{
    TD_ASSERT(key.len > scope.len + 9);
    return td_slice_of(key.ptr + scope.len, key.len - scope.len - 9);
}

static td_time_us label_of_key(td_slice key)
{
    return (td_time_us)td_partition__hash_of_key(td_slice_of(key.ptr + key.len - 8, 8));
}

/* Labels are printed to the millisecond, and differ within a table's name. */
static td_time_us next_label(const td_store *store, td_stream_key *key, td_time_us now_us)
{
    td_time_us label_us = now_us - now_us % TD_US_PER_MS;
    td_btree_cursor last = td_btree_seek_key(store->streams, table_part(key), TD_SEEK_LAST_UNDER);
    if (td_btree_is_end(last) || !td_slice_has_prefix(td_btree_key(last), table_part(key))) return label_us;
    td_time_us last_us = label_of_key(td_btree_key(last));
    return label_us > last_us ? label_us : last_us + TD_US_PER_MS;
}
