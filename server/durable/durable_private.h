/* SPDX-License-Identifier: Apache-2.0
 * durable_private.h: what the thread and those who ask share. */
#ifndef THERMODYN_DURABLE_PRIVATE_H
#define THERMODYN_DURABLE_PRIVATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "durable/durable.h"
#include "thermodyn/changes.h"
#include "thermodyn/journal.h"
#include "thermodyn/redo.h"

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

typedef enum td_durable_trouble {
    TD_DURABLE_IS_WELL,
    TD_DURABLE_LAGS,    /* a checkpoint failed: the log has to hold what comes */
    TD_DURABLE_REFUSES, /* a group failed, or found no room */
} td_durable_trouble;

/* What the maps say of the log. */
typedef struct td_durable_kept {
    uint64_t number;    /* of the last group that they have */
    uint64_t needs_log; /* 0: after an orderly end, when there is no later one */
} td_durable_kept;
_Static_assert(sizeof(td_durable_kept) == 16, "stored as it is");

struct td_durable {
    td_durable_options options;
    td_journal *journal;
    td_disk *disk;        /* the loader's, then the checkpoint's */
    td_redo *redo;        /* the writer's, and the checkpoint's where it is sealed */
    uint64_t kept;        /* number of the last group that the disk's maps have: as the disk */
    bool needs_log;       /* what the maps say next: there may be later ones; as the disk */
    pthread_t thread;
    bool is_running;
    td_durable_watch watch;
    bool (*loaded_hook)(void *context); /* NULL: there is none */
    void *loaded_context;
    bool (*ready)(void *context);
    void *ready_context;
    char failure[TD_DISK_SENTENCE_BYTES]; /* "": none; written before the thread ends */
    bool is_complete;                     /* the last commit took everything */
    uint64_t settled_before;              /* when the last batch was taken */
    bool is_doubted;                      /* it is read to be checked */
    uint64_t counts[TD_SPACE_COUNT];      /* of entries that were loaded */

    atomic_bool is_ready;
    atomic_bool is_stopping;
    atomic_bool is_touched;
    atomic_int log_error;        /* 0: the last group was taken */
    atomic_int checkpoint_error; /* 0: the last checkpoint succeeded */
    _Atomic uint64_t loaded;
    _Atomic uint64_t to_load;
    _Atomic uint64_t commits;
    _Atomic uint64_t failures;
    _Atomic uint64_t disk_bytes; /* of the maps */
    _Atomic uint64_t group_bytes; /* of all commits */
    _Atomic int64_t commits_us;   /* that all commits took */

    /* the writer's */
    td_buf group;
    td_durable_sweeps new_sweeps;  /* of the group that is being written */
    td_durable_sweeps open_sweeps; /* of the groups since the last turn */
    int64_t balances_us;           /* monotonic: when they are written next; 0: nobody has touched them */
    int64_t turn_us;               /* monotonic: when the log turns at the latest; 0: there is nothing in it */

    /* the checkpoint's */
    pthread_t checkpointer;
    td_durable_sweeps sweeps; /* that are due */

    pthread_mutex_t lock;
    pthread_cond_t changed; /* any of these */
    /* guarded by lock */
    bool has_sealed; /* a part of the log: the checkpoint's to be written */
    bool is_awaited; /* by the writer, whose log is full */
    bool is_ending;  /* the checkpoint's thread */
    uint64_t checkpoints; /* that have ended, well or not */
    td_durable_trouble told;
    td_durable_sweeps sealed_sweeps; /* due when that is written */
};

/* durable.c: the directory, read and not changed yet. */
TD_MUST_USE bool td_durable__open(td_durable *durable, td_disk_mode mode, char reterr_sentence[TD_DISK_SENTENCE_BYTES]);
/* One of the two errors is that now: what that comes to is said in the server's log when it changes. */
void td_durable__tell(td_durable *durable, atomic_int *error, int value);

/* checkpoint.c: what is sealed of the log, if anything, and some of the sweeps, into the maps. */
TD_MUST_USE int td_durable__checkpoint(td_durable *durable, bool has_sealed);
TD_MUST_USE int td_durable__start_checkpoints(td_durable *durable); /* in a thread, whenever something is sealed */
void td_durable__end_checkpoints(td_durable *durable);              /* after the last one */
#define TD_DURABLE_KEPT "log" /* the name of a td_durable_kept in TD_SPACE_META */

/* load.c. 0: all is in the store; else `failure` says why not. */
TD_MUST_USE bool td_durable__load(td_durable *durable);

/* ahead.c: reads the space in a thread of its own, so that it is at hand when the loader comes to it, which says now
 * and then how much it has loaded by then, in bytes of values. Between start and end the disk is not written. */
typedef struct td_durable_ahead {
    td_disk_cursor *cursor; /* the thread's; NULL: there is none */
    pthread_t thread;
    uint64_t read_bytes; /* the thread's: as loaded_bytes, when it is there */
    pthread_mutex_t lock;
    pthread_cond_t moved;
    uint64_t loaded_bytes; /* guarded by lock; UINT64_MAX: the loader is through */
} td_durable_ahead;
/* Without memory or a thread it does not begin; the others do nothing then. */
void td_durable__start_ahead(td_durable_ahead *ahead, td_disk *disk, td_space space, uint64_t loaded_bytes);
void td_durable__move_ahead(td_durable_ahead *ahead, uint64_t loaded_bytes);
void td_durable__end_ahead(td_durable_ahead *ahead);

/* writer.c: until it is stopped. */
void td_durable__write(td_durable *durable);

/* sweep.c */
TD_MUST_USE bool td_durable__add_sweep(td_durable_sweeps *sweeps, td_space space, td_slice from, td_slice to);
void td_durable__join_sweeps(td_durable_sweeps *sweeps, td_durable_sweeps *more);
void td_durable__drop_sweeps(td_durable_sweeps *sweeps);
/* Removes some keys in the open transaction. *ret_is_done: the first sweep is through, and to be dropped once that is
 * committed. */
TD_MUST_USE int td_durable__sweep_some(td_durable *durable, bool *ret_is_done);
void td_durable__drop_first_sweep(td_durable_sweeps *sweeps);

/* clock.c: the clock as the directory has it. */
void td_durable__restore_clock(td_durable *durable, td_slice document);
void td_durable__put_clock(td_durable *durable); /* into the group */
#define TD_DURABLE_CLOCK "clock" /* its name in TD_SPACE_META */

#endif
