/* SPDX-License-Identifier: Apache-2.0
 * writer.c: batch after batch from the journal to the log, and the log, when it is long or old, to the checkpoint.
 *
 * A batch stays in hand until it is in the log: what fails is written again, once a second, and the changes behind it
 * wait in the journal. They are few: while the disk fails, writes are refused. */
#include "durable_private.h"

#include <errno.h>

#define BATCH_BYTES ((size_t)16 << 20)
#define GROUP_BYTES_MAX ((size_t)1 << 30)
#define GROUP_BYTES_KEPT ((size_t)4 << 20) /* of memory, for the next one */
#define RETRY_US TD_US_PER_S
#define BALANCES_US (5 * TD_US_PER_S) /* from the first traffic to its balances on the disk */
#define IDLE_US (3600 * TD_US_PER_S)

/* A batch is left to grow for GATHER_US when the one before it had GATHER_CHANGES or more: that many come at a time,
 * and fewer and larger groups cost less than the wait. Whoever writes alone does not wait. */
#define GATHER_US 100
#define GATHER_CHANGES 4

/* The log turns when it has so much, or its first group is that old. While the other part is being written to the maps
 * it grows; at the limit, groups wait. */
#define TURN_BYTES ((uint64_t)16 << 20)
#define TURN_US (10 * TD_US_PER_S)
#define LOG_BYTES_MAX ((uint64_t)64 << 20)

static bool begin(td_durable *it);
static void write_until_stopped(td_durable *it);
static td_journal_batch *take(td_durable *it);
static void wait_for_work(td_durable *it);
static void mark_balances(td_durable *it);
static bool commit(td_durable *it, td_journal_batch *batch);
static int write_once(td_durable *it, const td_journal_batch *batch);
static int wait_for_room(td_durable *it);
static void turn_when_due(td_durable *it);
static int put(void *context, td_space space, td_slice key, const td_slice *parts, size_t part_count);
static int remove_key(void *context, td_space space, td_slice key);
static int clear(void *context, td_space space);
static int sweep(void *context, td_space space, td_slice from, td_slice to);

void td_durable__write(td_durable *it)
{
    it->is_complete = false;
    td_buf_init(&it->group, GROUP_BYTES_MAX);
    if (begin(it)) {
        write_until_stopped(it);
        td_durable__end_checkpoints(it);
    }
    td_buf_done(&it->group);
}

/* What was found in the log goes to the maps first. Before they say that they need the log it is there, and before
 * anything is in it that they do not have, they say so. */
static bool begin(td_durable *it)
{
    it->needs_log = true;
    for (;;) {
        int error = td_redo_make(it->redo);
        if (error == 0) error = td_durable__checkpoint(it, true);
        if (error == 0) td_redo_start(it->redo);
        if (error == 0) error = td_durable__start_checkpoints(it);
        td_durable__tell(it, &it->log_error, error);
        if (error == 0 || atomic_load(&it->is_stopping)) return error == 0;
        td_journal_pause(it->journal, RETRY_US);
    }
}

static void write_until_stopped(td_durable *it)
{
    td_journal_batch *batch = NULL;
    for (;;) {
        bool is_stopping = atomic_load(&it->is_stopping);
        if (is_stopping) td_journal_mark_all(it->options.store, td_clock_now(it->options.clock));
        mark_balances(it);
        if (batch == NULL) batch = take(it);
        bool is_committed = (batch == NULL && !is_stopping) || commit(it, batch);
        if (is_committed) batch = NULL;
        it->is_complete = is_committed && td_journal_settled(it->journal) == td_journal_last(it->journal);
        if (is_stopping && (it->is_complete || !is_committed)) return;
        turn_when_due(it);
        if (!is_committed)
            td_journal_pause(it->journal, RETRY_US);
        else
            wait_for_work(it);
    }
}

/* NULL: nothing has changed. */
static td_journal_batch *take(td_durable *it)
{
    uint64_t settled = td_journal_settled(it->journal);
    bool gathers = settled - it->settled_before >= GATHER_CHANGES;
    it->settled_before = settled;
    if (gathers && td_journal_wait(it->journal, 0)) td_journal_pause(it->journal, GATHER_US);
    return td_journal_take(it->journal, BATCH_BYTES);
}

static void wait_for_work(td_durable *it)
{
    int64_t now_us = td_monotonic_us();
    int64_t until_us = now_us + IDLE_US;
    if (it->balances_us > 0 && it->balances_us < until_us) until_us = it->balances_us;
    bool turns_later = it->turn_us > now_us; /* else it cannot yet, and the checkpoint wakes us when it can */
    if (turns_later && it->turn_us < until_us) until_us = it->turn_us;
    if (until_us <= now_us || atomic_load(&it->is_stopping)) return;
    (void)td_journal_wait(it->journal, until_us - now_us);
}

static void mark_balances(td_durable *it)
{
    int64_t now_us = td_monotonic_us();
    if (it->balances_us == 0 && atomic_load(&it->is_touched)) it->balances_us = now_us + BALANCES_US;
    if (it->balances_us == 0 || it->balances_us > now_us) return;
    it->balances_us = 0;
    atomic_store(&it->is_touched, false);
    td_journal_mark_all(it->options.store, td_clock_now(it->options.clock));
}

/* NULL: there is nothing but the clock. What there is no memory for is tried once more before anybody is told. */
static bool commit(td_durable *it, td_journal_batch *batch)
{
    int64_t begun_us = td_monotonic_us();
    int error = write_once(it, batch);
    if (error == ENOMEM) error = write_once(it, batch);
    if (error == 0) {
        int64_t took_us = td_monotonic_us() - begun_us;
        if (batch != NULL) td_journal_settle(it->journal, batch);
        atomic_fetch_add(&it->commits, 1);
        atomic_fetch_add(&it->commits_us, took_us);
    } else {
        atomic_fetch_add(&it->failures, 1);
    }
    td_durable__tell(it, &it->log_error, error);
    return error == 0;
}

static int write_once(td_durable *it, const td_journal_batch *batch)
{
    td_journal_sink sink = {it, put, remove_key, clear, sweep};
    td_redo_begin(&it->group);
    int error = batch == NULL ? 0 : td_journal_write(it->journal, batch, &sink);
    td_durable__put_clock(it);
    if (error == 0 && td_buf_has_failed(&it->group)) error = ENOMEM;
    if (error == 0) error = wait_for_room(it);
    if (error == 0) error = td_redo_append(it->redo, &it->group);
    if (error == 0) atomic_fetch_add(&it->group_bytes, it->group.len);
    if (it->group.capacity > GROUP_BYTES_KEPT) {
        td_buf_done(&it->group);
        td_buf_init(&it->group, GROUP_BYTES_MAX);
    }
    if (error == 0)
        td_durable__join_sweeps(&it->open_sweeps, &it->new_sweeps);
    else
        td_durable__drop_sweeps(&it->new_sweeps);
    return error;
}

/* What an earlier checkpoint failed with does not count: there is one for whoever waits. */
static int wait_for_room(td_durable *it)
{
    turn_when_due(it);
    if (td_redo_bytes(it->redo) < LOG_BYTES_MAX || !td_redo_can_turn(it->redo)) return 0;
    int error = 0;
    pthread_mutex_lock(&it->lock);
    uint64_t checkpoints = it->checkpoints;
    it->is_awaited = true;
    pthread_cond_broadcast(&it->changed);
    while (it->has_sealed && error == 0) {
        pthread_cond_wait(&it->changed, &it->lock);
        if (it->checkpoints > checkpoints) error = atomic_load(&it->checkpoint_error);
    }
    pthread_mutex_unlock(&it->lock);
    if (error == 0) turn_when_due(it);
    return error;
}

static void turn_when_due(td_durable *it)
{
    uint64_t bytes = td_redo_bytes(it->redo);
    int64_t now_us = td_monotonic_us();
    if (bytes == 0) return;
    if (it->turn_us == 0) it->turn_us = now_us + TURN_US;
    if ((bytes < TURN_BYTES && now_us < it->turn_us) || !td_redo_can_turn(it->redo)) return;
    pthread_mutex_lock(&it->lock);
    if (!it->has_sealed) {
        td_redo_turn(it->redo);
        it->turn_us = 0;
        it->has_sealed = true;
        td_durable__join_sweeps(&it->sealed_sweeps, &it->open_sweeps);
        pthread_cond_broadcast(&it->changed);
    }
    pthread_mutex_unlock(&it->lock);
}

static int put(void *context, td_space space, td_slice key, const td_slice *parts, size_t part_count)
{
    td_durable *it = context;
    td_changes_encode_put(&it->group, space, key, parts, part_count);
    return 0;
}

static int remove_key(void *context, td_space space, td_slice key)
{
    td_durable *it = context;
    td_changes_encode_remove(&it->group, space, key);
    return 0;
}

static int clear(void *context, td_space space)
{
    td_durable *it = context;
    td_changes_encode_clear(&it->group, space);
    return 0;
}

static int sweep(void *context, td_space space, td_slice from, td_slice to)
{
    td_durable *it = context;
    return td_durable__add_sweep(&it->new_sweeps, space, from, to) ? 0 : ENOMEM;
}
