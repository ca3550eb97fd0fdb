/* SPDX-License-Identifier: Apache-2.0
 * durable.c: the life of a data directory, and what others ask of it.
 * Not here: reading it (load.c), writing it (writer.c). */
#include "durable_private.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "thermodyn/memory.h"

static void *run(void *durable);
static bool read_kept(td_durable *durable, char *reterr_sentence);
static td_durable_trouble look(const td_durable *durable, int *ret_error);
static void say(const td_durable *durable, td_durable_trouble trouble, int error);

td_durable *td_durable_open(const td_durable_options *options, char reterr_sentence[TD_DISK_SENTENCE_BYTES])
{
    td_durable *durable = td_alloc_zero(sizeof *durable);
    if (durable == NULL) {
        snprintf(reterr_sentence, TD_DISK_SENTENCE_BYTES, "out of memory");
        return NULL;
    }
    durable->options = *options;
    durable->is_complete = true;
    if (td_durable__open(durable, TD_DISK_KEEP, reterr_sentence)) return durable;
    td_durable_free(durable);
    return NULL;
}

bool td_durable__open(td_durable *durable, td_disk_mode mode, char reterr_sentence[TD_DISK_SENTENCE_BYTES])
{
    const char *path = durable->options.path;
    pthread_condattr_t attributes;
    int error = pthread_mutex_init(&durable->lock, NULL);
    TD_ASSERT(error == 0);
    error = pthread_condattr_init(&attributes);
    TD_ASSERT(error == 0);
    error = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    TD_ASSERT(error == 0);
    error = pthread_cond_init(&durable->changed, &attributes);
    TD_ASSERT(error == 0);
    pthread_condattr_destroy(&attributes);
    durable->journal = td_store_get_journal(durable->options.store);
    TD_ASSERT(durable->journal != NULL);
    durable->disk = td_disk_open(path, mode, reterr_sentence);
    if (durable->disk == NULL || !read_kept(durable, reterr_sentence)) return false;
    durable->redo = td_redo_open(path, durable->kept, durable->needs_log, reterr_sentence);
    return durable->redo != NULL;
}

void td_durable_free(td_durable *durable)
{
    if (durable == NULL) return;
    TD_ASSERT(!durable->is_running);
    td_durable__drop_sweeps(&durable->sweeps);
    td_durable__drop_sweeps(&durable->sealed_sweeps);
    td_durable__drop_sweeps(&durable->open_sweeps);
    td_durable__drop_sweeps(&durable->new_sweeps);
    td_redo_free(durable->redo);
    td_disk_close(durable->disk);
    pthread_cond_destroy(&durable->changed);
    pthread_mutex_destroy(&durable->lock);
    td_free(durable);
}

void td_durable_set_watch(td_durable *durable, td_durable_watch watch)
{
    TD_ASSERT(!durable->is_running);
    durable->watch = watch;
}

void td_durable_set_loaded(td_durable *durable, bool (*loaded)(void *context), void *context)
{
    TD_ASSERT(!durable->is_running);
    durable->loaded_hook = loaded;
    durable->loaded_context = context;
}

/* A file that has reached the largest size that the process may write is an error to be told, not the process's end. */
bool td_durable_start(td_durable *durable, bool (*ready)(void *context), void *context)
{
    signal(SIGXFSZ, SIG_IGN);
    durable->ready = ready;
    durable->ready_context = context;
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are the first worker's */
    durable->is_running = pthread_create(&durable->thread, NULL, run, durable) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return durable->is_running;
}

void td_durable_stop(td_durable *durable)
{
    if (!durable->is_running) return;
    atomic_store(&durable->is_stopping, true);
    td_journal_wake(durable->journal);
    pthread_join(durable->thread, NULL);
    durable->is_running = false;
    if (durable->is_complete || durable->failure[0] != '\0') return;
    snprintf(durable->failure, sizeof durable->failure, "the data directory %.256s did not take the last changes: %s",
             durable->options.path, td_disk_error(atomic_load(&durable->log_error)));
}

const char *td_durable_get_failure(const td_durable *durable)
{
    return durable->failure[0] == '\0' ? NULL : durable->failure;
}

bool td_durable_is_ready(const td_durable *durable)
{
    return atomic_load_explicit(&durable->is_ready, memory_order_acquire);
}

void td_durable_touch(td_durable *durable)
{
    if (atomic_load_explicit(&durable->is_touched, memory_order_relaxed)) return;
    if (!atomic_exchange(&durable->is_touched, true)) td_journal_wake(durable->journal);
}

td_durable_state td_durable_check(td_durable *durable, uint64_t *ret_number)
{
    *ret_number = td_journal_last(durable->journal);
    return td_durable_check_number(durable, *ret_number);
}

td_durable_state td_durable_check_number(td_durable *durable, uint64_t number)
{
    if (td_journal_settled(durable->journal) >= number) return TD_DURABLE_SETTLED;
    if (atomic_load(&durable->log_error) != 0) return TD_DURABLE_FAILING;
    if (!durable->options.is_async) return TD_DURABLE_PENDING;
    int64_t oldest_us = td_journal_oldest_us(durable->journal);
    bool is_late = oldest_us != 0 && td_monotonic_us() - oldest_us > durable->options.bound_us;
    return is_late ? TD_DURABLE_PENDING : TD_DURABLE_SETTLED;
}

td_durable_view td_durable_get_view(const td_durable *durable)
{
    int error = 0;
    bool is_failing = look(durable, &error) == TD_DURABLE_REFUSES;
    return (td_durable_view){
        .is_ready = td_durable_is_ready(durable),
        .is_failing = is_failing,
        .is_async = durable->options.is_async,
        .error = error,
        .loaded = atomic_load(&durable->loaded),
        .to_load = atomic_load(&durable->to_load),
        .commits = atomic_load(&durable->commits),
        .failures = atomic_load(&durable->failures),
        .pending = td_journal_last(durable->journal) - td_journal_settled(durable->journal),
        .disk_bytes = atomic_load(&durable->disk_bytes) + td_redo_disk_bytes(durable->redo),
        .log_bytes = td_redo_held_bytes(durable->redo),
        .group_bytes = atomic_load(&durable->group_bytes),
        .commits_us = atomic_load(&durable->commits_us),
    };
}

void td_durable__tell(td_durable *durable, atomic_int *error, int value)
{
    atomic_store(error, value);
    pthread_mutex_lock(&durable->lock);
    int now = 0;
    td_durable_trouble trouble = look(durable, &now);
    bool has_changed = trouble != durable->told;
    durable->told = trouble;
    if (has_changed) td_journal_set_failing(durable->journal, trouble == TD_DURABLE_REFUSES);
    pthread_mutex_unlock(&durable->lock);
    if (has_changed) say(durable, trouble, now);
    durable->watch.told(durable->watch.context);
}

/* A log that fails comes before a checkpoint that does: it keeps answers waiting. */
static td_durable_trouble look(const td_durable *durable, int *ret_error)
{
    *ret_error = atomic_load(&durable->log_error);
    if (*ret_error != 0) return TD_DURABLE_REFUSES;
    *ret_error = atomic_load(&durable->checkpoint_error);
    return *ret_error != 0 ? TD_DURABLE_LAGS : TD_DURABLE_IS_WELL;
}

static void say(const td_durable *durable, td_durable_trouble trouble, int error)
{
    static const char *const sentences[] = {
        [TD_DURABLE_IS_WELL] = "the data directory can be written again",
        [TD_DURABLE_LAGS] = "data.mdb does not take what is in the log: writes go on until that is full",
        [TD_DURABLE_REFUSES] = "the data directory cannot be written: writes are refused until it can",
    };
    td_log_field fields[2] = {TD_LOG_TEXT("path", td_slice_of_cstr(durable->options.path))};
    if (error != 0) fields[1] = TD_LOG_TEXT("error", td_slice_of_cstr(td_disk_error(error)));
    td_log_write(durable->options.log, error != 0 ? TD_LOG_ERROR : TD_LOG_INFO, sentences[trouble], fields,
                 error != 0 ? 2 : 1);
}

static bool read_kept(td_durable *durable, char *reterr_sentence)
{
    td_disk_cursor *cursor = NULL;
    td_slice key;
    td_slice value;
    int error = td_disk_walk(durable->disk, TD_SPACE_META, TD_LIT(TD_DURABLE_KEPT), &cursor);
    if (error == 0) error = td_disk_next(cursor, &key, &value);
    td_durable_kept kept = {.number = 0};
    bool is_there = error == 0 && td_slice_equal(key, TD_LIT(TD_DURABLE_KEPT)) && value.len == sizeof kept;
    if (is_there) memcpy(&kept, value.ptr, sizeof kept);
    durable->kept = kept.number;
    durable->needs_log = kept.needs_log != 0;
    td_disk_cursor_free(cursor);
    if (error == 0 || error == TD_DISK_END) return true;
    snprintf(reterr_sentence, TD_DISK_SENTENCE_BYTES, "the data directory %.256s cannot be used: %.200s",
             durable->options.path, td_disk_error(error));
    return false;
}

static void *run(void *context)
{
    td_durable *durable = context;
    bool is_loaded = td_durable__load(durable);
    if (is_loaded && durable->loaded_hook != NULL && !durable->loaded_hook(durable->loaded_context)) {
        is_loaded = false;
        snprintf(durable->failure, sizeof durable->failure, "the server cannot start on the data directory %.256s",
                 durable->options.path);
    }
    if (is_loaded) {
        atomic_store_explicit(&durable->is_ready, true, memory_order_release);
        durable->watch.told(durable->watch.context);
        is_loaded = durable->ready(durable->ready_context);
    }
    if (is_loaded)
        td_durable__write(durable);
    else if (!atomic_load(&durable->is_stopping))
        kill(getpid(), SIGTERM);
    return NULL;
}
