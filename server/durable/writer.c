/* SPDX-License-Identifier: Apache-2.0
 * writer.c: batch after batch from the journal to the disk.
 *
 * A batch stays in hand until it is committed: what fails is written again, once a second, and the changes behind it
 * wait in the journal. They are few: while the disk fails, writes are refused. */
#include "durable_private.h"

#include <errno.h>

#define BATCH_BYTES ((size_t)16 << 20)
#define RETRY_US TD_US_PER_S
#define CHECKPOINT_US (5 * TD_US_PER_S) /* from the first traffic to its balances on the disk */
#define IDLE_US (3600 * TD_US_PER_S)

static void wait_for_work(td_durable *it);
static void mark_checkpoint(td_durable *it);
static bool commit(td_durable *it, td_journal_batch *batch);
static int write_once(td_durable *it, const td_journal_batch *batch);
static void tell_outcome(td_durable *it, int error);
static int put(void *context, td_space space, td_slice key, const td_slice *parts, size_t part_count);
static int remove_key(void *context, td_space space, td_slice key);
static int clear(void *context, td_space space);
static int sweep(void *context, td_space space, td_slice from, td_slice to);

/* The first commit tells whether the directory can be written at all. */
void td_durable__write(td_durable *it)
{
    td_journal_batch *batch = NULL;
    bool is_first = true;
    for (;;) {
        bool is_stopping = atomic_load(&it->is_stopping);
        if (is_stopping) td_journal_mark_all(it->options.store, td_clock_now(it->options.clock));
        mark_checkpoint(it);
        int64_t taken_us = td_monotonic_us();
        if (batch == NULL) batch = td_journal_take(it->journal, BATCH_BYTES);
        bool has_work = batch != NULL || it->sweeps.first != NULL || is_first || is_stopping;
        bool is_committed = !has_work || commit(it, batch);
        is_first = false;
        if (is_committed) atomic_store(&it->behind_us, taken_us);
        if (is_committed) batch = NULL;
        it->is_complete = is_committed && td_journal_settled(it->journal) == td_journal_last(it->journal);
        if (is_stopping && (it->is_complete || !is_committed)) return;
        if (!is_committed)
            td_journal_pause(it->journal, RETRY_US);
        else if (it->sweeps.first == NULL)
            wait_for_work(it);
    }
}

static void wait_for_work(td_durable *it)
{
    int64_t until_us = it->checkpoint_us > 0 ? it->checkpoint_us - td_monotonic_us() : IDLE_US;
    if (td_journal_wait(it->journal, 0) || until_us <= 0 || atomic_load(&it->is_stopping)) return;
    atomic_store(&it->is_idle, true);
    (void)td_journal_wait(it->journal, until_us);
    atomic_store(&it->behind_us, td_monotonic_us());
    atomic_store(&it->is_idle, false);
}

static void mark_checkpoint(td_durable *it)
{
    int64_t now_us = td_monotonic_us();
    if (it->checkpoint_us == 0 && atomic_load(&it->is_touched)) it->checkpoint_us = now_us + CHECKPOINT_US;
    if (it->checkpoint_us == 0 || it->checkpoint_us > now_us) return;
    it->checkpoint_us = 0;
    atomic_store(&it->is_touched, false);
    td_journal_mark_all(it->options.store, td_clock_now(it->options.clock));
}

/* NULL: there are only sweeps, or nothing but the clock. A map that was too small is larger the second time. */
static bool commit(td_durable *it, td_journal_batch *batch)
{
    int64_t begun_us = td_monotonic_us();
    int error = write_once(it, batch);
    if (error != 0) error = write_once(it, batch);
    if (error == 0) {
        if (batch != NULL) td_journal_settle(it->journal, batch);
        atomic_fetch_add(&it->commits, 1);
        atomic_store(&it->commit_us, td_monotonic_us() - begun_us);
        atomic_store(&it->disk_bytes, td_disk_bytes(it->disk));
    } else {
        atomic_fetch_add(&it->failures, 1);
    }
    tell_outcome(it, error);
    return error == 0;
}

static int write_once(td_durable *it, const td_journal_batch *batch)
{
    td_journal_sink sink = {it, put, remove_key, clear, sweep};
    bool is_swept = false;
    int error = td_disk_begin(it->disk);
    if (error == 0 && batch != NULL) error = td_journal_write(it->journal, batch, &sink);
    if (error == 0) error = td_durable__sweep_some(it, &is_swept);
    if (error == 0) error = td_durable__put_clock(it);
    if (error == 0) error = td_disk_commit(it->disk);
    if (error != 0) {
        td_disk_abort(it->disk);
        td_durable__drop_sweeps(&it->new_sweeps);
        return error;
    }
    if (is_swept) {
        td_durable_sweeps done = {it->sweeps.first, it->sweeps.first};
        it->sweeps.first = done.first->next;
        if (it->sweeps.first == NULL) it->sweeps.last = NULL;
        done.first->next = NULL;
        td_durable__drop_sweeps(&done);
    }
    td_durable__join_sweeps(&it->sweeps, &it->new_sweeps);
    return 0;
}

/* Said once when it begins, and once when it ends. */
static void tell_outcome(td_durable *it, int error)
{
    int before = atomic_exchange(&it->error, error);
    td_journal_set_failing(it->journal, error != 0);
    td_log *log = it->options.log;
    td_slice path = td_slice_of_cstr(it->options.path);
    if (error != 0 && before == 0) {
        TD_LOG(log, TD_LOG_ERROR, "the data directory cannot be written: writes are refused until it can",
               TD_LOG_TEXT("path", path), TD_LOG_TEXT("error", td_slice_of_cstr(td_disk_error(error))));
    } else if (error == 0 && before != 0) {
        TD_LOG(log, TD_LOG_INFO, "the data directory can be written again", TD_LOG_TEXT("path", path));
    }
    it->watch.told(it->watch.context);
}

static int put(void *context, td_space space, td_slice key, const td_slice *parts, size_t part_count)
{
    td_durable *it = context;
    return td_disk_put(it->disk, space, key, parts, part_count);
}

static int remove_key(void *context, td_space space, td_slice key)
{
    td_durable *it = context;
    return td_disk_remove(it->disk, space, key);
}

static int clear(void *context, td_space space)
{
    td_durable *it = context;
    return td_disk_clear(it->disk, space);
}

static int sweep(void *context, td_space space, td_slice from, td_slice to)
{
    td_durable *it = context;
    return td_durable__add_sweep(&it->new_sweeps, space, from, to) ? 0 : ENOMEM;
}
