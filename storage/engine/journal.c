/* SPDX-License-Identifier: Apache-2.0
 * journal.c: the queue of groups and marks, and the batches that are taken from it.
 *
 * Invariants: `last` counts groups and marks; what a batch was taken with is at or before its number; a batch has the
 *             documents of all tables that its items belong to, as a table is marked before it gets any.
 * Not here:   what documents hold (persist_table.c, persist_stream.c); what a change leaves (change.c). */
#include "journal.h"

#include <errno.h>
#include <stdatomic.h>

#include "thermodyn/clock.h"
#include "thermodyn/map.h"
#include "thermodyn/memory.h"

#include "catalog.h"
#include "persist.h"

#define DOCUMENT_BYTES_MAX ((size_t)256 << 20)
#define ENTRIES_MAX 16384 /* of a batch: each may touch some pages of the disk's trees */

struct td_journal_entry {
    td_journal_entry *next;
    td_item *items[2];
    td_space space;
    uint32_t head_bytes;
    uint16_t key_bytes;
    bool is_put;     /* else the key goes */
    uint64_t number; /* of the group that ends with this one; 0: it goes on */
    uint8_t bytes[]; /* the key, then the head */
};

/* The writer's: there is one at a time. */
struct td_journal_batch {
    uint64_t number;
    td_journal_group group;
    td_table *tables; /* by next_in_batch */
    td_stream *streams;
    bool has_settings;
    bool drops_tokens;
    td_time_us tokens_until_us;
};

struct td_journal {
    td_store *store;
    _Atomic uint64_t last;
    _Atomic uint64_t settled;
    _Atomic uint32_t last_number;
    _Atomic int64_t first_us; /* monotonic: when the first change came that is in no batch; 0: there is none */
    _Atomic int64_t taken_us; /* likewise of the batch, until it is settled */
    atomic_bool is_failing;
    pthread_mutex_t lock;
    pthread_cond_t changed;

    /* guarded by lock */
    td_journal_group queue;
    td_table *marked_tables;
    td_stream *marked_streams;
    bool is_settings_marked;
    bool is_waiting;
    bool is_woken;
    bool drops_tokens;
    td_time_us tokens_until_us; /* those that were done before are over; 0: not looked at */

    td_journal_batch batch;
    bool is_taken;
};

static void lock(td_journal *journal);
static void unlock(td_journal *journal);
static void append_locked(td_journal *journal, td_journal_group *group);
static void mark_table_locked(td_journal *journal, td_table *table);
static void notice_locked(td_journal *journal);
static void wait_locked(td_journal *journal, int64_t timeout_us, bool ends_with_change);
static bool has_anything_locked(const td_journal *journal);
static td_journal_group cut_locked(td_journal *journal, size_t bytes);
static int write_table(td_table *table, td_buf *document, const td_journal_sink *sink);
static int write_table_locked(td_table *table, td_slice key, td_buf *document, const td_journal_sink *sink);
static int write_stream(td_store *store, td_stream *stream, td_buf *document, const td_journal_sink *sink);
static int write_stream_alone(td_stream *stream, td_buf *document, const td_journal_sink *sink);
static int write_settings(td_store *store, td_buf *document, const td_journal_sink *sink);
static int write_entry(const td_journal_entry *entry, const td_journal_sink *sink);
static int sweep_tokens(td_time_us until_us, const td_journal_sink *sink);
static int sweep_trimmed(const td_stream *stream, const td_journal_sink *sink);
static int put_document(td_space space, td_slice key, const td_buf *document, td_journal_mark *mark,
                        const td_journal_sink *sink);
static void free_entries(td_journal_group *group);
static void give_back(td_journal_batch *batch);

td_journal *td_journal__new(td_store *store)
{
    td_journal *journal = td_alloc_zero(sizeof *journal);
    if (journal == NULL) return NULL;
    journal->store = store;
    int error = pthread_mutex_init(&journal->lock, NULL);
    TD_ASSERT(error == 0);
    pthread_condattr_t attributes;
    error = pthread_condattr_init(&attributes);
    TD_ASSERT(error == 0);
    error = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    TD_ASSERT(error == 0);
    error = pthread_cond_init(&journal->changed, &attributes);
    TD_ASSERT(error == 0);
    pthread_condattr_destroy(&attributes);
    return journal;
}

void td_journal__free(td_journal *journal)
{
    if (journal == NULL) return;
    td_journal_batch rest = {.group = journal->queue, .tables = journal->marked_tables};
    for (td_table *table = rest.tables; table != NULL; table = table->mark.next)
        table->mark.next_in_batch = table->mark.next;
    rest.streams = journal->marked_streams;
    for (td_stream *stream = rest.streams; stream != NULL; stream = stream->mark.next)
        stream->mark.next_in_batch = stream->mark.next;
    give_back(&rest);
    if (journal->is_taken) give_back(&journal->batch);
    pthread_cond_destroy(&journal->changed);
    pthread_mutex_destroy(&journal->lock);
    td_free(journal);
}

td_journal *td_store_get_journal(td_store *store)
{
    return store->journal;
}

uint64_t td_journal_last(const td_journal *journal)
{
    return atomic_load_explicit(&journal->last, memory_order_acquire);
}

uint64_t td_journal_settled(const td_journal *journal)
{
    return atomic_load_explicit(&journal->settled, memory_order_acquire);
}

int64_t td_journal_oldest_us(const td_journal *journal)
{
    int64_t first_us = atomic_load(&journal->first_us);
    int64_t taken_us = atomic_load(&journal->taken_us);
    return taken_us != 0 ? taken_us : first_us;
}

td_journal_entry *td_journal__add(td_journal_group *group, td_space space, size_t key_bytes, size_t head_bytes)
{
    TD_ASSERT(key_bytes > 0 && key_bytes <= TD_DISK_KEY_BYTES_MAX);
    td_journal_entry *entry = td_alloc(sizeof *entry + key_bytes + head_bytes);
    if (entry == NULL) return NULL;
    *entry = (td_journal_entry){
        .space = space, .key_bytes = (uint16_t)key_bytes, .head_bytes = (uint32_t)head_bytes};
    td_journal_group one = {entry, entry};
    td_journal__join(group, &one);
    return entry;
}

void td_journal__drop(td_journal_group *group)
{
    free_entries(group);
}

uint8_t *td_journal__key(td_journal_entry *entry)
{
    return entry->bytes;
}

uint8_t *td_journal__head(td_journal_entry *entry)
{
    return entry->bytes + entry->key_bytes;
}

void td_journal__put(td_journal_entry *entry, td_item *first, td_item *second)
{
    TD_ASSERT(!entry->is_put);
    entry->is_put = true;
    entry->items[0] = first == NULL ? NULL : td_item_ref(first);
    entry->items[1] = second == NULL ? NULL : td_item_ref(second);
}

void td_journal__join(td_journal_group *group, td_journal_group *more)
{
    if (more->first == NULL) return;
    if (group->last == NULL)
        group->first = more->first;
    else
        group->last->next = more->first;
    group->last = more->last;
    *more = (td_journal_group){NULL, NULL};
}

void td_journal__append(td_journal *journal, td_journal_group *group)
{
    if (group->first == NULL) return;
    lock(journal);
    append_locked(journal, group);
    unlock(journal);
}

void td_journal__append_with_tables(td_journal *journal, td_journal_group *group, td_table **tables, uint32_t count)
{
    lock(journal);
    for (uint32_t i = 0; i < count; i++)
        mark_table_locked(journal, tables[i]);
    if (group->first != NULL) append_locked(journal, group);
    unlock(journal);
}

void td_journal__mark_table(td_table *table)
{
    td_journal *journal = table->store->journal;
    if (journal == NULL) return;
    lock(journal);
    mark_table_locked(journal, table);
    unlock(journal);
}

void td_journal__mark_stream(td_stream *stream)
{
    td_journal *journal = stream->journal;
    if (journal == NULL) return;
    lock(journal);
    if (!stream->mark.is_marked) {
        stream->mark.is_marked = true;
        stream->mark.next = journal->marked_streams;
        journal->marked_streams = td_stream__ref(stream);
    }
    notice_locked(journal);
    unlock(journal);
}

void td_journal__mark_settings(td_store *store)
{
    td_journal *journal = store->journal;
    if (journal == NULL) return;
    lock(journal);
    journal->is_settings_marked = true;
    notice_locked(journal);
    unlock(journal);
}

/* Those that stand in the queue go unwritten; the others are swept when the next batch is written. */
void td_journal__mark_tokens_dropped(td_store *store)
{
    td_journal *journal = store->journal;
    if (journal == NULL) return;
    lock(journal);
    for (td_journal_entry *entry = journal->queue.first; entry != NULL; entry = entry->next) {
        if (entry->space == TD_SPACE_TOKENS) entry->is_put = false;
    }
    journal->drops_tokens = true;
    notice_locked(journal);
    unlock(journal);
}

uint32_t td_journal__new_number(td_journal *journal)
{
    return journal == NULL ? 0 : atomic_fetch_add(&journal->last_number, 1) + 1;
}

void td_journal__take_number(td_journal *journal, uint32_t number)
{
    if (number > atomic_load(&journal->last_number)) atomic_store(&journal->last_number, number);
}

td_status td_journal__begin(const td_call *call, td_error *error)
{
    const td_journal *journal = call->store->journal;
    if (journal == NULL) return TD_OK;
    if (call->has_written != NULL) *call->has_written = true;
    return td_journal_is_failing(journal) ? TD_RAISE(error, TD_MSG_RECORD_FAILS) : TD_OK;
}

bool td_journal_wait(td_journal *journal, int64_t timeout_us)
{
    lock(journal);
    if (timeout_us > 0) wait_locked(journal, timeout_us, true);
    bool has_anything = has_anything_locked(journal);
    unlock(journal);
    return has_anything;
}

void td_journal_pause(td_journal *journal, int64_t timeout_us)
{
    lock(journal);
    wait_locked(journal, timeout_us, false);
    unlock(journal);
}

void td_journal_wake(td_journal *journal)
{
    lock(journal);
    journal->is_woken = true;
    pthread_cond_signal(&journal->changed);
    unlock(journal);
}

void td_journal_mark_all(td_store *store, td_time_us now_us)
{
    td_journal *journal = store->journal;
    td_catalog__read_lock(store);
    for (td_btree_cursor at = td_btree_first(store->tables); !td_btree_is_end(at); td_btree_next(&at))
        td_journal__mark_table(td_btree_value(at));
    td_catalog__unlock(store);
    lock(journal);
    journal->tokens_until_us = now_us - TD_LIMIT_TOKEN_SECONDS * TD_US_PER_S;
    unlock(journal);
}

td_journal_batch *td_journal_take(td_journal *journal, size_t bytes)
{
    TD_ASSERT(!journal->is_taken);
    td_journal_batch *batch = &journal->batch;
    lock(journal);
    journal->is_taken = has_anything_locked(journal);
    *batch = (td_journal_batch){
        .group = cut_locked(journal, bytes),
        .tables = journal->marked_tables,
        .streams = journal->marked_streams,
        .has_settings = journal->is_settings_marked,
        .drops_tokens = journal->drops_tokens,
        .tokens_until_us = journal->tokens_until_us,
    };
    if (journal->is_taken) { /* in this order: who asks for the oldest finds it in one of them */
        atomic_store(&journal->taken_us, atomic_load(&journal->first_us));
        if (journal->queue.first == NULL) atomic_store(&journal->first_us, 0);
    }
    batch->number = journal->queue.first == NULL ? td_journal_last(journal) : batch->group.last->number;
    journal->marked_tables = NULL;
    journal->marked_streams = NULL;
    journal->is_settings_marked = journal->drops_tokens = false;
    journal->tokens_until_us = 0;
    for (td_table *table = batch->tables; table != NULL; table = table->mark.next) {
        table->mark.is_marked = false;
        table->mark.next_in_batch = table->mark.next;
    }
    for (td_stream *stream = batch->streams; stream != NULL; stream = stream->mark.next) {
        stream->mark.is_marked = false;
        stream->mark.next_in_batch = stream->mark.next;
    }
    unlock(journal);
    return journal->is_taken ? batch : NULL;
}

/* Documents first: what an item belongs to is there before the item. */
int td_journal_write(td_journal *journal, const td_journal_batch *batch, const td_journal_sink *sink)
{
    td_buf document;
    td_buf_init(&document, DOCUMENT_BYTES_MAX);
    int error = batch->has_settings ? write_settings(journal->store, &document, sink) : 0;
    if (error == 0 && batch->drops_tokens) error = sink->clear(sink->context, TD_SPACE_TOKENS);
    if (error == 0 && batch->tokens_until_us > 0) error = sweep_tokens(batch->tokens_until_us, sink);
    for (td_table *table = batch->tables; error == 0 && table != NULL; table = table->mark.next_in_batch)
        error = write_table(table, &document, sink);
    for (td_stream *stream = batch->streams; error == 0 && stream != NULL; stream = stream->mark.next_in_batch)
        error = write_stream(journal->store, stream, &document, sink);
    for (td_journal_entry *entry = batch->group.first; error == 0 && entry != NULL; entry = entry->next)
        error = write_entry(entry, sink);
    td_buf_done(&document);
    return error;
}

void td_journal_settle(td_journal *journal, td_journal_batch *batch)
{
    TD_ASSERT(journal->is_taken && batch == &journal->batch);
    for (td_table *table = batch->tables; table != NULL; table = table->mark.next_in_batch)
        table->mark.settled_hash = table->mark.written_hash;
    for (td_stream *stream = batch->streams; stream != NULL; stream = stream->mark.next_in_batch) {
        stream->mark.settled_hash = stream->mark.written_hash;
        stream->swept_trims = stream->written_trims;
    }
    TD_ASSERT(batch->number >= td_journal_settled(journal));
    atomic_store_explicit(&journal->settled, batch->number, memory_order_release);
    atomic_store(&journal->taken_us, 0);
    give_back(batch);
    journal->is_taken = false;
}

void td_journal_set_failing(td_journal *journal, bool is_failing)
{
    atomic_store_explicit(&journal->is_failing, is_failing, memory_order_release);
}

bool td_journal_is_failing(const td_journal *journal)
{
    return atomic_load_explicit(&journal->is_failing, memory_order_acquire);
}

static void lock(td_journal *journal)
{
    int error = pthread_mutex_lock(&journal->lock);
    TD_ASSERT(error == 0);
}

static void unlock(td_journal *journal)
{
    int error = pthread_mutex_unlock(&journal->lock);
    TD_ASSERT(error == 0);
}

static void append_locked(td_journal *journal, td_journal_group *group)
{
    notice_locked(journal);
    group->last->number = td_journal_last(journal);
    td_journal__join(&journal->queue, group);
}

static void mark_table_locked(td_journal *journal, td_table *table)
{
    if (!table->mark.is_marked) {
        table->mark.is_marked = true;
        table->mark.next = journal->marked_tables;
        journal->marked_tables = td_table__ref(table);
    }
    notice_locked(journal);
}

/* Something has changed, and that has a number. */
static void notice_locked(td_journal *journal)
{
    (void)atomic_fetch_add_explicit(&journal->last, 1, memory_order_release);
    if (atomic_load_explicit(&journal->first_us, memory_order_relaxed) == 0)
        atomic_store(&journal->first_us, td_monotonic_us());
    if (journal->is_waiting) pthread_cond_signal(&journal->changed);
}

static void wait_locked(td_journal *journal, int64_t timeout_us, bool ends_with_change)
{
    int64_t until_us = td_monotonic_us() + timeout_us;
    struct timespec until = {.tv_sec = until_us / TD_US_PER_S, .tv_nsec = until_us % TD_US_PER_S * 1000};
    int error = 0;
    journal->is_waiting = ends_with_change;
    while (error == 0 && !journal->is_woken && !(ends_with_change && has_anything_locked(journal)))
        error = pthread_cond_timedwait(&journal->changed, &journal->lock, &until);
    journal->is_waiting = journal->is_woken = false;
}

static bool has_anything_locked(const td_journal *journal)
{
    return journal->queue.first != NULL || journal->marked_tables != NULL || journal->marked_streams != NULL ||
           journal->is_settings_marked || journal->drops_tokens;
}

/* The first groups of the queue. */
static td_journal_group cut_locked(td_journal *journal, size_t bytes)
{
    td_journal_group cut = {journal->queue.first, NULL};
    size_t taken = 0;
    uint32_t count = 0;
    for (td_journal_entry *entry = cut.first; entry != NULL; entry = entry->next) {
        taken += sizeof *entry + entry->key_bytes + entry->head_bytes;
        for (size_t i = 0; i < TD_COUNT_OF(entry->items); i++)
            taken += entry->items[i] == NULL ? 0 : td_item_memory_bytes(entry->items[i]);
        count++;
        if (entry->number == 0) continue;
        cut.last = entry;
        if (taken >= bytes || count >= ENTRIES_MAX) break;
    }
    if (cut.first == NULL) return cut;
    TD_ASSERT(cut.last != NULL); /* the queue ends with a group */
    journal->queue.first = cut.last->next;
    if (journal->queue.first == NULL) journal->queue.last = NULL;
    cut.last->next = NULL;
    return cut;
}

/* One that is gone takes its items with it. */
static int write_table(td_table *table, td_buf *document, const td_journal_sink *sink)
{
    uint8_t bytes[TD_PERSIST_NUMBER_BYTES];
    uint8_t end_bytes[TD_PERSIST_NUMBER_BYTES];
    td_slice key = td_persist__number(table->record_number, bytes);
    td_table__lock(table);
    bool is_gone = table->is_gone;
    int error = is_gone ? 0 : write_table_locked(table, key, document, sink);
    td_table__unlock(table);
    if (error != 0 || !is_gone) return error;
    table->mark.written_hash = 0; /* a snapshot may bring it back as it was */
    error = sink->remove(sink->context, TD_SPACE_TABLES, key);
    if (error != 0) return error;
    return sink->sweep(sink->context, TD_SPACE_ITEMS, key, td_persist__number(table->record_number + 1, end_bytes));
}

/* With its stream, whose shards are the partitions': no moment shows one without the other. */
static int write_table_locked(td_table *table, td_slice key, td_buf *document, const td_journal_sink *sink)
{
    td_buf_clear(document);
    td_persist__table_locked(table, document);
    int error = put_document(TD_SPACE_TABLES, key, document, &table->mark, sink);
    return error == 0 && table->stream != NULL ? write_stream_alone(table->stream, document, sink) : error;
}

/* A stream that its table still has is written with it. */
static int write_stream(td_store *store, td_stream *stream, td_buf *document, const td_journal_sink *sink)
{
    td_table *table = td_catalog__find(store, stream->schema->scope, stream->schema->table);
    bool is_written = false;
    int error = 0;
    if (table != NULL) {
        uint8_t bytes[TD_PERSIST_NUMBER_BYTES];
        td_table__lock(table);
        is_written = !table->is_gone && table->stream == stream;
        if (is_written) {
            error = write_table_locked(table, td_persist__number(table->record_number, bytes), document, sink);
        }
        td_table__unlock(table);
        td_table__unref(table);
    }
    return is_written ? error : write_stream_alone(stream, document, sink);
}

static int write_stream_alone(td_stream *stream, td_buf *document, const td_journal_sink *sink)
{
    uint8_t bytes[TD_PERSIST_NUMBER_BYTES];
    uint8_t end_bytes[TD_PERSIST_NUMBER_BYTES];
    td_slice key = td_persist__number(stream->record_number, bytes);
    td_buf_clear(document);
    td_stream__lock(stream);
    bool is_gone = stream->is_gone;
    if (!is_gone) td_persist__stream_locked(stream, document);
    stream->written_trims = stream->trims;
    int error = is_gone || stream->trims == stream->swept_trims ? 0 : sweep_trimmed(stream, sink);
    td_stream__unlock(stream);
    if (error != 0) return error;
    if (!is_gone) return put_document(TD_SPACE_STREAMS, key, document, &stream->mark, sink);
    error = sink->remove(sink->context, TD_SPACE_STREAMS, key);
    if (error != 0) return error;
    return sink->sweep(sink->context, TD_SPACE_CHANGES, key, td_persist__number(stream->record_number + 1, end_bytes));
}

/* What lies between the shards, and before what each of them still has. */
static int sweep_trimmed(const td_stream *stream, const td_journal_sink *sink)
{
    uint8_t from[TD_PERSIST_CHANGE_BYTES];
    uint8_t to[TD_PERSIST_CHANGE_BYTES];
    uint64_t number = 0;
    int error = 0;
    for (uint32_t i = 0; error == 0 && i < stream->shard_count; i++) {
        const td_shard *shard = stream->shards[i];
        error = sink->sweep(sink->context, TD_SPACE_CHANGES, td_persist__change(stream->record_number, number, 0, from),
                            td_persist__change(stream->record_number, shard->number, shard->horizon, to));
        number = shard->number + 1;
    }
    return error;
}

static int write_settings(td_store *store, td_buf *document, const td_journal_sink *sink)
{
    td_buf_clear(document);
    td_catalog__read_lock(store);
    td_persist__settings_locked(store, document);
    td_catalog__unlock(store);
    if (td_buf_has_failed(document)) return ENOMEM;
    td_slice contents = td_buf_contents(document);
    return sink->put(sink->context, TD_SPACE_META, TD_LIT(TD_PERSIST_SETTINGS), &contents, 1);
}

static int write_entry(const td_journal_entry *entry, const td_journal_sink *sink)
{
    td_slice key = td_slice_of(entry->bytes, entry->key_bytes);
    if (!entry->is_put) return sink->remove(sink->context, entry->space, key);
    td_slice parts[3] = {td_slice_of(entry->bytes + entry->key_bytes, entry->head_bytes)};
    for (size_t i = 0; i < TD_COUNT_OF(entry->items); i++) {
        if (entry->items[i] != NULL) parts[1 + i] = td_item_bytes(entry->items[i]);
    }
    return sink->put(sink->context, entry->space, key, parts, TD_COUNT_OF(parts));
}

static int sweep_tokens(td_time_us until_us, const td_journal_sink *sink)
{
    uint8_t bytes[8];
    td_slice until = td_partition__key_of_hash((uint64_t)until_us, bytes);
    return sink->sweep(sink->context, TD_SPACE_TOKENS, td_slice_of(NULL, 0), until);
}

static int put_document(td_space space, td_slice key, const td_buf *document, td_journal_mark *mark,
                        const td_journal_sink *sink)
{
    if (td_buf_has_failed(document)) return ENOMEM;
    td_slice contents = td_buf_contents(document);
    mark->written_hash = td_hash64(contents);
    if (mark->written_hash == mark->settled_hash) return 0;
    return sink->put(sink->context, space, key, &contents, 1);
}

static void free_entries(td_journal_group *group)
{
    td_journal_entry *entry = group->first;
    while (entry != NULL) {
        td_journal_entry *next = entry->next;
        for (size_t i = 0; i < TD_COUNT_OF(entry->items); i++)
            td_item_unref(entry->items[i]);
        td_free(entry);
        entry = next;
    }
    *group = (td_journal_group){NULL, NULL};
}

static void give_back(td_journal_batch *batch)
{
    free_entries(&batch->group);
    while (batch->tables != NULL) {
        td_table *table = batch->tables;
        batch->tables = table->mark.next_in_batch;
        td_table__unref(table);
    }
    while (batch->streams != NULL) {
        td_stream *stream = batch->streams;
        batch->streams = stream->mark.next_in_batch;
        td_stream__unref(stream);
    }
}
