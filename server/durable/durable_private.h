/* SPDX-License-Identifier: Apache-2.0
 * durable_private.h: what the thread and those who ask share. */
#ifndef THERMODYN_DURABLE_PRIVATE_H
#define THERMODYN_DURABLE_PRIVATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "durable/durable.h"
#include "thermodyn/journal.h"

/* Keys that nothing refers to any more, removed some at a time. */
typedef struct td_durable_sweep {
    struct td_durable_sweep *next;
    td_space space;
    uint16_t from_len;
    uint16_t to_len;
    uint8_t from[TD_DISK_KEY_BYTES_MAX];
    uint8_t to[TD_DISK_KEY_BYTES_MAX + 1]; /* a key, and the byte that is all that follows upon it */
} td_durable_sweep;

typedef struct td_durable_sweeps {
    td_durable_sweep *first;
    td_durable_sweep *last;
} td_durable_sweeps;

struct td_durable {
    td_durable_options options;
    td_journal *journal;
    td_disk *disk; /* the thread's, once it runs */
    pthread_t thread;
    bool is_running;
    td_durable_watch watch;
    bool (*loaded_hook)(void *context); /* NULL: there is none */
    void *loaded_context;
    bool (*ready)(void *context);
    void *ready_context;
    char failure[TD_DISK_SENTENCE_BYTES]; /* "": none; written before the thread ends */
    bool is_complete;                     /* the last commit took everything */
    bool is_doubted;                      /* it is read to be checked */

    atomic_bool is_ready;
    atomic_bool is_stopping;
    atomic_bool is_touched;
    atomic_bool is_idle;          /* nothing waits to be written */
    _Atomic int64_t behind_us;    /* monotonic: what is not settled yet is not older; while it is not idle */
    atomic_int error;             /* 0: the last attempt succeeded */
    _Atomic uint64_t loaded;
    _Atomic uint64_t to_load;
    _Atomic uint64_t commits;
    _Atomic uint64_t failures;
    _Atomic uint64_t disk_bytes;
    _Atomic int64_t commit_us;

    /* the thread's */
    td_durable_sweeps sweeps;     /* that are due */
    td_durable_sweeps new_sweeps; /* of the transaction that is being written */
    int64_t checkpoint_us;        /* monotonic: when balances are written next; 0: nobody has touched them */
};

/* load.c. 0: all is in the store; else `failure` says why not. */
TD_MUST_USE bool td_durable__load(td_durable *durable);

/* writer.c: until it is stopped. */
void td_durable__write(td_durable *durable);

/* sweep.c */
TD_MUST_USE bool td_durable__add_sweep(td_durable_sweeps *sweeps, td_space space, td_slice from, td_slice to);
void td_durable__join_sweeps(td_durable_sweeps *sweeps, td_durable_sweeps *more);
void td_durable__drop_sweeps(td_durable_sweeps *sweeps);
/* Removes some keys in the open transaction. *ret_is_done: the first sweep is through, and to be dropped once that is
 * committed. */
TD_MUST_USE int td_durable__sweep_some(td_durable *durable, bool *ret_is_done);

/* clock.c: the clock as the directory has it. */
void td_durable__restore_clock(td_durable *durable, td_slice document);
TD_MUST_USE int td_durable__put_clock(td_durable *durable);
#define TD_DURABLE_CLOCK "clock" /* its name in TD_SPACE_META */

#endif
