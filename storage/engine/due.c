/* SPDX-License-Identifier: MIT
 * due.c: the queue of due changes of tables, and what each does.
 *
 * Model:    throttling.md §2.6: how long the service takes to create, change and delete a table (capacity.def names the
 *           durations). Without table delays nothing is ever queued.
 * Not here: when a change is asked for and may be (table.c, update.c). */
#include "due.h"

#include <stdatomic.h>

#include "thermodyn/memory.h"

#include "catalog.h"

typedef struct td_due_entry {
    td_table *table;
    td_due_kind kind;
} td_due_entry;

typedef void run_function(td_table *table, td_time_us due_us);

static td_due_entry *pop(td_due_queue *queue, td_time_us now_us, td_time_us *ret_due_us);
static void run_table_created(td_table *table, td_time_us due_us);
static void run_table_updated(td_table *table, td_time_us due_us);
static void run_table_deleted(td_table *table, td_time_us due_us);
static void run_index_changed(td_table *table, td_time_us due_us);
static void free_entry(td_due_entry *entry);

static run_function *const runs[TD_DUE_KIND_COUNT] = {
    [TD_DUE_TABLE_CREATED] = run_table_created,
    [TD_DUE_TABLE_UPDATED] = run_table_updated,
    [TD_DUE_TABLE_DELETED] = run_table_deleted,
    [TD_DUE_INDEX_CHANGED] = run_index_changed,
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
    td_due_entry *entry = td_alloc(sizeof *entry);
    if (entry == NULL) return false;
    *entry = (td_due_entry){.table = td_table__ref(table), .kind = kind};
    pthread_mutex_lock(&queue->lock);
    bool is_queued = td_heap_push(queue->heap, due_us, entry);
    atomic_store_explicit(&queue->next_us, td_heap_next_due(queue->heap), memory_order_release);
    pthread_mutex_unlock(&queue->lock);
    if (!is_queued) free_entry(entry);
    return is_queued;
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
        runs[entry->kind](entry->table, due_us);
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

static void run_table_created(td_table *table, td_time_us due_us)
{
    (void)due_us;
    td_table__lock(table);
    if (!table->is_gone) {
        TD_ASSERT(table->status == TD_TABLE_CREATING);
        table->status = TD_TABLE_ACTIVE;
        for (uint32_t i = 0; i < table->resource_count; i++)
            table->resources[i]->status = TD_TABLE_ACTIVE;
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
        if (table->status == TD_TABLE_UPDATING && !table->has_index_change) table->status = TD_TABLE_ACTIVE;
    }
    td_table__unlock(table);
}

static void run_table_deleted(td_table *table, td_time_us due_us)
{
    (void)due_us;
    td_catalog__write_lock(table->store);
    bool is_present = !table->is_gone;
    if (is_present) td_catalog__remove_locked(table->store, table);
    td_catalog__unlock(table->store);
    if (is_present) td_table__unref(table);
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
                is_done = td_table__remove_index_locked(table, i) && is_done;
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

static void free_entry(td_due_entry *entry)
{
    td_table__unref(entry->table);
    td_free(entry);
}
