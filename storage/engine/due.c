/* SPDX-License-Identifier: Apache-2.0
 * due.c: the queue of due changes of tables, and what each does.
 *
 * Model:    throttling.md §2.6: how long the service takes to create, change and delete a table (capacity.def names the
 *           durations). Without table delays nothing is ever queued.
 * Not here: when a change is asked for and may be (table.c, update.c). */
#include "due.h"

#include <stdatomic.h>

#include "thermodyn/memory.h"

#include "catalog.h"
#include "expiry.h"
#include "pressure.h"
#include "split.h"
#include "streams.h"

typedef struct td_due_entry {
    td_table *table;   /* NULL: of a stream */
    td_stream *stream; /* NULL: of a table */
    td_due_kind kind;
} td_due_entry;

typedef void run_function(td_table *table, td_time_us due_us);

static td_due_entry *pop(td_due_queue *queue, td_time_us now_us, td_time_us *ret_due_us);
static void run_table_created(td_table *table, td_time_us due_us);
static void run_table_updated(td_table *table, td_time_us due_us);
static void run_table_deleted(td_table *table, td_time_us due_us);
static void run_warm_raised(td_table *table, td_time_us due_us);
static void run_index_changed(td_table *table, td_time_us due_us);
static void run_shards_rolled(td_table *table, td_time_us due_us);
static void run_stream_trimmed(td_store *store, td_stream *stream, td_time_us due_us);
static void run_of_table(const td_due_entry *entry, td_time_us due_us);
static bool push(td_due_queue *queue, td_time_us due_us, const td_due_entry *entry);
static void forget(td_due_queue *queue, bool (*is_among)(void *entry, void *context), void *context);
static bool is_of_table(void *entry, void *table);
static bool is_change_of_table(void *entry, void *table);
static bool is_of_stream(void *entry, void *stream);
static void free_entry(td_due_entry *entry);
static void release(const td_due_entry *entry);

static run_function *const runs[TD_DUE_KIND_COUNT] = {
    [TD_DUE_TABLE_CREATED] = run_table_created, [TD_DUE_TABLE_UPDATED] = run_table_updated,
    [TD_DUE_TABLE_DELETED] = run_table_deleted, [TD_DUE_WARM_RAISED] = run_warm_raised,
    [TD_DUE_SPLIT] = td_split__run_due,         [TD_DUE_PRESSURE] = td_pressure__run_due,
    [TD_DUE_INDEX_CHANGED] = run_index_changed, [TD_DUE_ITEMS_EXPIRED] = td_expiry__run_due,
    [TD_DUE_SHARDS_ROLLED] = run_shards_rolled,
};

bool td_due__init(td_due_queue *queue)
{
    queue->heap = td_heap_new();
    if (queue->heap == NULL) return false;
    atomic_init(&queue->next_us, TD_NEVER);
    int error = pthread_mutex_init(&queue->run_lock, NULL);
    TD_ASSERT(error == 0);
    error = pthread_mutex_init(&queue->lock, NULL);
    TD_ASSERT(error == 0);
    return true;
}

void td_due__done(td_due_queue *queue)
{
    td_due_entry *entry = td_heap_pop(queue->heap);
    while (entry != NULL) {
        free_entry(entry);
        entry = td_heap_pop(queue->heap);
    }
    td_heap_free(queue->heap);
    pthread_mutex_destroy(&queue->lock);
    pthread_mutex_destroy(&queue->run_lock);
}

bool td_due__push(td_due_queue *queue, td_time_us due_us, td_due_kind kind, td_table *table)
{
    return push(queue, due_us, &(td_due_entry){.table = td_table__ref(table), .kind = kind});
}

bool td_due__push_stream(td_due_queue *queue, td_time_us due_us, td_stream *stream)
{
    return push(queue, due_us, &(td_due_entry){.stream = td_stream__ref(stream), .kind = TD_DUE_STREAM_TRIMMED});
}

void td_due__forget_table(td_due_queue *queue, td_table *table)
{
    forget(queue, is_of_table, table);
}

void td_due__forget_changes(td_due_queue *queue, td_table *table)
{
    forget(queue, is_change_of_table, table);
}

void td_due__forget_stream(td_due_queue *queue, td_stream *stream)
{
    forget(queue, is_of_stream, stream);
}

td_time_us td_store_next_due(const td_store *store)
{
    return atomic_load_explicit(&store->due.next_us, memory_order_acquire);
}

void td_store_run_due(td_store *store, td_time_us now_us)
{
    if (td_store_next_due(store) > now_us) return;
    pthread_mutex_lock(&store->due.run_lock);
    td_time_us due_us = 0;
    td_due_entry *entry = pop(&store->due, now_us, &due_us);
    while (entry != NULL) {
        if (entry->stream != NULL)
            run_stream_trimmed(store, entry->stream, due_us);
        else
            run_of_table(entry, due_us);
        free_entry(entry);
        entry = pop(&store->due, now_us, &due_us);
    }
    pthread_mutex_unlock(&store->due.run_lock);
}

static td_due_entry *pop(td_due_queue *queue, td_time_us now_us, td_time_us *ret_due_us)
{
    pthread_mutex_lock(&queue->lock);
    td_time_us due_us = td_heap_next_due(queue->heap);
    td_due_entry *entry = due_us <= now_us ? td_heap_pop(queue->heap) : NULL;
    atomic_store_explicit(&queue->next_us, td_heap_next_due(queue->heap), memory_order_release);
    pthread_mutex_unlock(&queue->lock);
    *ret_due_us = due_us;
    return entry;
}

/* Items that expire are kept for themselves. */
static void run_of_table(const td_due_entry *entry, td_time_us due_us)
{
    runs[entry->kind](entry->table, due_us);
    if (entry->kind != TD_DUE_ITEMS_EXPIRED) td_journal__mark_table(entry->table);
}

static void run_table_created(td_table *table, td_time_us due_us)
{
    (void)due_us;
    td_table__lock(table);
    if (!table->is_gone && table->status == TD_TABLE_CREATING) {
        table->status = TD_TABLE_ACTIVE;
        for (uint32_t i = 0; i < table->resource_count; i++)
            table->resources[i]->status = TD_TABLE_ACTIVE;
        td_streams__settle_locked(table);
    }
    td_table__unlock(table);
}

/* The account has reserved the throughput since it was asked for. A lack of memory for more partitions leaves the table
 * with those that it has: it serves less, and loses nothing. */
static void run_table_updated(td_table *table, td_time_us due_us)
{
    td_table__lock(table);
    if (!table->is_gone) {
        (void)td_table__apply_throughput_locked(table, due_us);
        td_streams__settle_locked(table);
        if (table->status == TD_TABLE_UPDATING && !table->has_index_change) table->status = TD_TABLE_ACTIVE;
    }
    td_table__unlock(table);
}

static void run_table_deleted(td_table *table, td_time_us due_us)
{
    td_catalog__write_lock(table->store);
    td_table__lock(table);
    bool is_present = !table->is_gone && table->status == TD_TABLE_DELETING; /* else a snapshot was restored */
    td_table__unlock(table);
    if (is_present) td_catalog__remove_locked(table->store, table, due_us);
    td_catalog__unlock(table->store);
    if (is_present) td_table__unref(table);
}

/* Those whose time has come: each raise has an entry of its own. As above where there is no memory for partitions. */
static void run_warm_raised(td_table *table, td_time_us due_us)
{
    td_table__lock(table);
    for (uint32_t i = 0; !table->is_gone && i < table->resource_count; i++) {
        td_resource *resource = table->resources[i];
        if (!resource->has_next_warm || resource->warm_due_us > due_us) continue;
        td_resource__take_warm(resource);
        uint32_t needed = td_resource__partitions_needed(resource, table->billing, &table->effect);
        bool is_complete = td_resource__grow(resource, needed, &table->effect, due_us);
        (void)is_complete;
    }
    td_table__unlock(table);
}

/* An index that finds no memory to be removed waits for the next attempt with the state that it has. */
static void run_index_changed(td_table *table, td_time_us due_us)
{
    td_catalog__write_lock(table->store);
    td_table__lock(table);
    if (!table->is_gone) {
        bool is_done = true;
        for (uint32_t i = table->resource_count; i-- > 1;) {
            td_resource *resource = table->resources[i];
            if (resource->status == TD_TABLE_CREATING) {
                resource->status = TD_TABLE_ACTIVE;
                resource->is_backfilling = false;
            } else if (resource->status == TD_TABLE_DELETING) {
                is_done = td_table__remove_index_locked(table, i, due_us) && is_done;
            }
        }
        if (is_done) {
            table->has_index_change = false;
            if (table->status == TD_TABLE_UPDATING && !table->is_throughput_changing) table->status = TD_TABLE_ACTIVE;
            td_catalog__reserve_locked(table->store, table);
        } else if (!td_due__push(&table->store->due, due_us + TD_US_PER_S, TD_DUE_INDEX_CHANGED, table)) {
            table->has_index_change = false; /* the next DeleteIndex tries again */
        }
    }
    td_table__unlock(table);
    td_catalog__unlock(table->store);
}

static void run_shards_rolled(td_table *table, td_time_us due_us)
{
    td_table__lock(table);
    td_stream *stream = table->resources[0]->stream;
    /* An entry of a stream that was disabled meanwhile may come in the time of the next one. */
    if (!table->is_gone && stream != NULL && stream->roll_due_us == due_us) {
        stream->roll_due_us = td_stream__roll(stream, due_us);
        if (!td_due__push(&table->store->due, stream->roll_due_us, TD_DUE_SHARDS_ROLLED, table)) {
            stream->roll_due_us = TD_NEVER; /* the shards stay open until the stream is disabled */
        }
    }
    td_table__unlock(table);
}

/* Under the catalogue's lock, so that a stream that is dropped meanwhile is not queued again. One that finds no memory
 * to be queued goes early when it is closed; when it is enabled its shards keep within their bounds. */
static void run_stream_trimmed(td_store *store, td_stream *stream, td_time_us due_us)
{
    td_time_us next_us = td_stream__trim(stream, due_us);
    td_catalog__write_lock(store);
    bool is_present = td_streams__is_present_locked(store, stream);
    bool is_queued = is_present && next_us != TD_NEVER && td_due__push_stream(&store->due, next_us, stream);
    bool is_over = is_present && !is_queued && td_stream__is_closed(stream);
    if (is_over) td_streams__remove_locked(store, stream);
    td_catalog__unlock(store);
    if (is_over) td_stream__unref(stream);
}

/* Owns the entry's reference also when there is no memory. */
static bool push(td_due_queue *queue, td_time_us due_us, const td_due_entry *entry)
{
    td_due_entry *copy = td_alloc(sizeof *copy);
    if (copy == NULL) {
        release(entry);
        return false;
    }
    *copy = *entry;
    pthread_mutex_lock(&queue->lock);
    bool is_queued = td_heap_push(queue->heap, due_us, copy);
    atomic_store_explicit(&queue->next_us, td_heap_next_due(queue->heap), memory_order_release);
    pthread_mutex_unlock(&queue->lock);
    if (!is_queued) free_entry(copy);
    return is_queued;
}

static void forget(td_due_queue *queue, bool (*is_among)(void *entry, void *context), void *context)
{
    pthread_mutex_lock(&queue->lock);
    td_heap_remove(queue->heap, is_among, context);
    atomic_store_explicit(&queue->next_us, td_heap_next_due(queue->heap), memory_order_release);
    pthread_mutex_unlock(&queue->lock);
}

static bool is_change_of_table(void *entry, void *table)
{
    const td_due_entry *asked = entry;
    return asked->kind <= TD_DUE_INDEX_CHANGED && is_of_table(entry, table);
}

static bool is_of_table(void *entry, void *table)
{
    td_due_entry *asked = entry;
    if (asked->table != table) return false;
    free_entry(asked);
    return true;
}

static bool is_of_stream(void *entry, void *stream)
{
    td_due_entry *asked = entry;
    if (asked->stream != stream) return false;
    free_entry(asked);
    return true;
}

static void free_entry(td_due_entry *entry)
{
    release(entry);
    td_free(entry);
}

static void release(const td_due_entry *entry)
{
    if (entry->table != NULL) td_table__unref(entry->table);
    td_stream__unref(entry->stream);
}
