/* SPDX-License-Identifier: Apache-2.0
 * threads.h: several threads on one store, for ThreadSanitizer and for sums that must come out exactly.
 *
 * A world is a store and a clock that its parties move: each step of a party is `step_us` later than the one that was
 * begun before it, by whichever party, and what falls due on the way is run first. A party is a thread, or the test's
 * own when it sets up and counts. It must not use check's assertions while others run (they leave the thread by
 * longjmp): it notes its first failure, and ends; the test asserts that there is none. */
#ifndef THERMODYN_TESTS_PROPERTY_THREADS_H
#define THERMODYN_TESTS_PROPERTY_THREADS_H

#include <check.h>
#include <pthread.h>
#include <stdatomic.h>

#include "thermodyn/rng.h"
#include "thermodyn/store.h"
#include "thermodyn/table.h"

typedef struct world {
    td_store *store;
    td_time_us step_us;
    uint64_t steps; /* of a party */
    _Atomic td_time_us now_us;
} world;

typedef struct party {
    world *world;
    uint32_t number; /* from 0; also the seed of what it does */
    td_rng rng;
    td_arena arena; /* of the step */
    td_error error;
    char failure[256]; /* the first; empty: none */
    void *own;         /* what the test keeps of it */
    pthread_t thread;
    void (*body)(struct party *it);
} party;

void world_open(world *it, td_enforce enforce, uint64_t steps, td_time_us step_us);
void world_close(world *it);

/* zero-filled or new. own may be NULL. */
void party_init(party *it, world *shared, uint32_t number, void *own);
void party_done(party *it);

/* Runs the body in a thread of its own. */
void party_start(party *it, void (*body)(party *it));

/* Waits for the end of all of them, and fails the test with the first thing that one has noted. */
void parties_join(party *parties, uint32_t count);

/* For bodies: takes steps, numbered from 0, until they are done or something has failed. */
void party_take_steps(party *it, void (*step)(party *it, uint64_t number));

/* Notes what does not hold, with the error of the last request. */
void expect(party *it, bool holds, const char *what);
bool has_failed(const party *it);

td_call call_of(party *it, const char *table);

/* A table on demand by the string "pk", and no more. The name is borrowed. */
td_table_spec table_by_pk(td_slice name);

/* Creates such a table, with a global index by a string attribute; it is ACTIVE. index may be NULL: none. */
void create_table(party *it, const char *table, const char *index, const char *attribute);

/* Swaps the table's schema under whoever uses it: adds or removes a second index, "fleeting", by a string attribute
 * that another index goes by. */
void change_index(party *it, const char *table, const char *attribute);

/* Runs a suite of these tests, or of one; the exit code of a program. */
int run_tests(const char *name, const TTest *const *tests, size_t count);
int run_one_test(const char *name, const TTest *test);

#endif
