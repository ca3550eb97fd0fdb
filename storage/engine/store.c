/* SPDX-License-Identifier: Apache-2.0
 * store.c: the engine's handle: made, freed, emptied.
 * Not here: tables by name (catalog.c), what falls due (due.c), settings (settings.c). */
#include "thermodyn/store.h"

#include <stdatomic.h>

#include "thermodyn/memory.h"

#include "catalog.h"
#include "settings.h"
#include "streams.h"

static void init_lock(pthread_rwlock_t *lock);
static void unref_table(void *table);
static void unref_stream(void *stream);

td_store *td_store_new(const td_store_options *options)
{
    td_store *store = td_alloc_zero(sizeof *store);
    if (store == NULL) return NULL;
    store->options = *options;
    store->settings = options->capacity;
    store->tables = td_btree_new(NULL);
    store->streams = td_btree_new(NULL);
    bool has_due = td_due__init(&store->due);
    bool has_tokens = td_tokens__init(&store->tokens);
    td_archive__init(&store->archive);
    store->journal = options->has_journal ? td_journal__new(store) : NULL;
    bool has_journal = store->journal != NULL || !options->has_journal;
    if (store->tables == NULL || store->streams == NULL || !has_due || !has_tokens || !has_journal) {
        td_journal__free(store->journal);
        if (has_due) td_due__done(&store->due);
        if (has_tokens) td_tokens__done(&store->tokens);
        td_archive__done(&store->archive);
        td_btree_free(store->tables, NULL);
        td_btree_free(store->streams, NULL);
        td_free(store);
        return NULL;
    }
    td_rng_init(&store->rng, options->seed);
    init_lock(&store->lock);
    td_settings__note_quotas(store, 0);
    return store;
}

void td_store_free(td_store *store)
{
    if (store == NULL) return;
    td_due__done(&store->due); /* its entries refer to tables and streams */
    td_journal__free(store->journal); /* likewise */
    td_snapshots__free_all(store->snapshots.first);
    td_tokens__done(&store->tokens);
    td_btree_free(store->tables, unref_table);
    td_btree_free(store->streams, unref_stream);
    td_archive__done(&store->archive);
    td_history_done(&store->quotas);
    pthread_rwlock_destroy(&store->lock);
    td_free(store);
}

void td_store_drop_all(td_store *store)
{
    td_tokens__forget_all(&store->tokens);
    td_journal__mark_tokens_dropped(store);
    for (;;) {
        td_catalog__write_lock(store);
        td_btree_cursor first = td_btree_first(store->tables);
        td_table *table = td_btree_is_end(first) ? NULL : td_btree_value(first);
        if (table != NULL) td_catalog__remove_locked(store, table, 0);
        td_catalog__unlock(store);
        if (table == NULL) break;
        td_table__unref(table);
    }
    td_catalog__write_lock(store);
    td_streams__drop_all_locked(store);
    td_catalog__unlock(store);
    td_archive__clear(&store->archive);
}

void td_store_drop(td_store *store, td_slice scope, td_slice table_name)
{
    td_catalog__write_lock(store);
    td_table *table = td_catalog__find_locked(store, scope, table_name);
    if (table != NULL) td_catalog__remove_locked(store, table, 0);
    td_streams__drop_locked(store, scope, table_name);
    td_catalog__unlock(store);
    if (table != NULL) td_table__unref(table);
}

/* Writers first: requests read the catalogue without a pause, and none of them takes the lock twice. */
uint64_t td_store_take_memory_refusals(td_store *store)
{
    return atomic_exchange(&store->memory_refusals, 0);
}

bool td_store__has_room(const td_store *store, int64_t more_bytes)
{
    int64_t max_bytes = store->options.memory_max_bytes;
    return max_bytes == 0 || td_memory_in_use() <= max_bytes - more_bytes;
}

td_status td_store__check_room(td_store *store, int64_t more_bytes, td_error *error)
{
    if (td_store__has_room(store, more_bytes)) return TD_OK;
    atomic_fetch_add(&store->memory_refusals, 1);
    return TD_RAISE(error, TD_MSG_MEMORY_FULL, td_error_int(error, store->options.memory_max_bytes / (1024 * 1024)));
}

static void init_lock(pthread_rwlock_t *lock)
{
    pthread_rwlockattr_t attributes;
    int error = pthread_rwlockattr_init(&attributes);
    TD_ASSERT(error == 0);
    error = pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    TD_ASSERT(error == 0);
    error = pthread_rwlock_init(lock, &attributes);
    TD_ASSERT(error == 0);
    pthread_rwlockattr_destroy(&attributes);
}

static void unref_table(void *table)
{
    td_table__unref(table);
}

static void unref_stream(void *stream)
{
    td_stream__unref(stream);
}
