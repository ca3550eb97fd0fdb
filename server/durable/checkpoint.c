/* SPDX-License-Identifier: Apache-2.0
 * checkpoint.c: what is sealed of the log into the maps of the disk, in a thread of its own, so that groups go on being
 * written meanwhile.
 *
 * A step is what many groups come to, in the order of keys: a key that was written often is written once. It is
 * committed with the number of its last group, so that it does not matter where an end of the process finds it.
 * Sweeps come with the last step, when no key is put any more that they are to remove. */
#include "durable_private.h"

#include <errno.h>

#define STEP_BYTES ((uint64_t)16 << 20)
#define STEP_CHANGES 32768 /* each may touch a page of its own in the disk's trees, kept in memory until the end */
#define STEP_IS_FULL (-1)
#define RETRY_US TD_US_PER_S

typedef struct checkpoint_step {
    td_changes *changes;
    uint64_t number; /* of the last group in it */
    bool is_last;
} checkpoint_step;

static int write_sealed(td_durable *it, bool has_sealed);
static void *run(void *durable);
static void pause_locked(td_durable *it);
static int commit_step(td_durable *it, bool has_sealed, checkpoint_step *step);
static int add_group(void *context, uint64_t number, td_slice bytes);
static int commit(td_durable *it, const checkpoint_step *step);
static int put_kept(td_disk *disk, td_durable_kept kept);

/* What there is no memory for is tried once more, as a group is. */
int td_durable__checkpoint(td_durable *it, bool has_sealed)
{
    int error = write_sealed(it, has_sealed);
    if (error == ENOMEM) error = write_sealed(it, has_sealed);
    if (error != 0) atomic_fetch_add(&it->failures, 1);
    return error;
}

static int write_sealed(td_durable *it, bool has_sealed)
{
    checkpoint_step step = {.changes = td_changes_new()};
    int error = step.changes == NULL ? ENOMEM : 0;
    while (error == 0 && !step.is_last)
        error = commit_step(it, has_sealed, &step);
    td_changes_free(step.changes);
    if (error == 0 && has_sealed) td_redo_empty(it->redo);
    return error;
}

int td_durable__start_checkpoints(td_durable *it)
{
    return pthread_create(&it->checkpointer, NULL, run, it);
}

/* What was sealed stays in the log when it cannot be written now. */
void td_durable__end_checkpoints(td_durable *it)
{
    pthread_mutex_lock(&it->lock);
    it->is_ending = true;
    pthread_cond_broadcast(&it->changed);
    pthread_mutex_unlock(&it->lock);
    pthread_join(it->checkpointer, NULL);
    int error = it->has_sealed ? td_durable__checkpoint(it, true) : 0;
    if (error == 0 && td_redo_can_turn(it->redo)) {
        it->needs_log = false;
        td_redo_turn(it->redo);
        error = td_durable__checkpoint(it, true);
    }
    atomic_store(&it->checkpoint_error, error);
}

static void *run(void *durable)
{
    td_durable *it = durable;
    pthread_mutex_lock(&it->lock);
    while (!it->is_ending) {
        bool has_sealed = it->has_sealed;
        if (!has_sealed && it->sweeps.first == NULL) {
            pthread_cond_wait(&it->changed, &it->lock);
            continue;
        }
        it->is_awaited = false;
        pthread_mutex_unlock(&it->lock);
        int error = td_durable__checkpoint(it, has_sealed);
        td_durable__tell(it, &it->checkpoint_error, error);
        pthread_mutex_lock(&it->lock);
        it->checkpoints++;
        pthread_cond_broadcast(&it->changed);
        if (error != 0) pause_locked(it);
        if (error != 0 || !has_sealed) continue;
        it->has_sealed = false;
        td_durable__join_sweeps(&it->sweeps, &it->sealed_sweeps);
        td_journal_wake(it->journal); /* the log may be due to turn again */
    }
    pthread_mutex_unlock(&it->lock);
    return NULL;
}

/* Until it is tried again: at once when somebody waits for it. */
static void pause_locked(td_durable *it)
{
    int64_t until_us = td_monotonic_us() + RETRY_US;
    struct timespec until = {.tv_sec = until_us / TD_US_PER_S, .tv_nsec = until_us % TD_US_PER_S * 1000};
    while (!it->is_ending && !it->is_awaited && pthread_cond_timedwait(&it->changed, &it->lock, &until) == 0) {
    }
}

/* A map that was too small is larger the second time. */
static int commit_step(td_durable *it, bool has_sealed, checkpoint_step *step)
{
    td_changes_clear(step->changes);
    step->number = it->kept;
    int error = has_sealed ? td_redo_read(it->redo, it->kept, add_group, step) : 0;
    step->is_last = error == 0;
    if (error != 0 && error != STEP_IS_FULL) return error;
    td_changes_sort(step->changes);
    error = commit(it, step);
    return error == 0 ? 0 : commit(it, step);
}

static int add_group(void *context, uint64_t number, td_slice bytes)
{
    checkpoint_step *step = context;
    bool is_full = td_changes_bytes(step->changes) >= STEP_BYTES || td_changes_count(step->changes) >= STEP_CHANGES;
    if (is_full) return STEP_IS_FULL;
    step->number = number;
    return td_changes_add(step->changes, bytes);
}

static int commit(td_durable *it, const checkpoint_step *step)
{
    bool is_swept = false;
    td_durable_kept kept = {step->number, it->needs_log || !step->is_last};
    int error = td_disk_begin(it->disk);
    if (error == 0) error = td_changes_write(step->changes, it->disk);
    if (error == 0 && step->is_last) error = td_durable__sweep_some(it, &is_swept);
    if (error == 0) error = put_kept(it->disk, kept);
    if (error == 0) error = td_disk_commit(it->disk);
    if (error != 0) {
        td_disk_abort(it->disk);
        return error;
    }
    it->kept = step->number;
    if (is_swept) td_durable__drop_first_sweep(&it->sweeps);
    atomic_store(&it->disk_bytes, td_disk_bytes(it->disk));
    return 0;
}

static int put_kept(td_disk *disk, td_durable_kept kept)
{
    td_slice part = td_slice_of(&kept, sizeof kept);
    return td_disk_put(disk, TD_SPACE_META, TD_LIT(TD_DURABLE_KEPT), &part, 1);
}
