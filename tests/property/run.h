/* SPDX-License-Identifier: Apache-2.0
 * run.h: one seeded run of random operations on the engine and on the model side by side.
 *
 * A step is one operation; it ends the test, with the seed and the step in its message, when the two answer
 * differently: in status, items, order, pages or units. */
#ifndef THERMODYN_TESTS_PROPERTY_RUN_H
#define THERMODYN_TESTS_PROPERTY_RUN_H

#include <check.h>
#include <inttypes.h>

#include "thermodyn/read.h"
#include "thermodyn/store.h"
#include "thermodyn/write.h"

#include "model.h"
#include "past.h"
#include "random.h"
#include "specs.h"

/* What operations were told that they consumed. */
typedef struct run_units {
    td_slice index; /* empty: the table with its local indexes */
    td_units units[TD_DIRECTION_COUNT];
} run_units;

typedef struct model_run {
    uint64_t seed;
    uint32_t step;
    td_rng rng;
    td_store *store;
    td_arena arena; /* of the step */
    td_error error;
    td_time_us start_us;
    td_time_us now_us;
    td_time_us passed_us; /* up to when the store has done what fell due */
    bool has_expiry;      /* of items, by their attribute "dies" */
    run_units told[1 + TD_LIMIT_GLOBAL_INDEXES_MAX];
    uint32_t told_count;
    spec_table table;
    model_table model;
    past past;
} model_run;

#define CHECK_RUN(run_, condition)                                                                                     \
    ck_assert_msg(condition, "seed %" PRIu64 ", step %" PRIu32 ": %s (status %d, \"%.*s\")", (run_)->seed,             \
                  (run_)->step, #condition, (int)(run_)->error.status, (int)(run_)->error.text.len,                    \
                  (const char *)(run_)->error.text.ptr)

void run_init(model_run *run, uint64_t seed, size_t spec_number);
/* The same with readers that lag: always when they may. The lags are `past.h`'s. */
void run_init_lagging(model_run *run, uint64_t seed, size_t spec_number);
/* The same with a journal: what changes can be kept (restored.c). */
void run_init_journaled(model_run *run, uint64_t seed, size_t spec_number);
void run_done(model_run *run);
void run_begin_step(model_run *run);
td_call run_call(model_run *run);

/* What falls due until now, on both sides: items expire. */
void run_pass_time(model_run *run);

/* The model changes with the engine: as model_swap. */
void run_swap(model_run *run, const td_item *old_item, td_item *new_item);

/* What a read of the table (NULL) or index must see: the model, or the past one. */
const model_table *run_seen(model_run *run, const td_index_spec *index, bool is_consistent);

/* One random operation each (writes.c, reads.c, transacts.c). */
void run_write(model_run *run);
void run_transact_write(model_run *run);
void run_batch_write(model_run *run); /* puts and deletes, each checked before any is done */
void run_get(model_run *run);
void run_transact_get(model_run *run);
void run_query(model_run *run);
void run_scan(model_run *run);
void run_scan_index(model_run *run, const td_index_spec *index); /* NULL: the table */

/* The whole table and every index, by scan, and what DescribeTable counts; and heat maps. */
void run_check_everything(model_run *run);
void run_check_contents(model_run *run); /* but for heat maps */

/* Accounts of what was consumed (account.c): told; charged without a word to a write whose condition failed, with the
 * new item as far as it was made; of an index that goes. Heat maps must show the same. */
void run_count(model_run *run, td_direction direction, const td_consumed *consumed);
void run_count_failed_write(model_run *run, const td_item *old_item, const td_item *new_item, td_units factor);
void run_forget_units(model_run *run, td_slice index);
void run_check_heat(model_run *run);

/* Removes a random global index, or brings back one that is missing. */
void run_change_indexes(model_run *run);

/* Switches time to live on or off; and the attribute that says when an item expires, or cannot. */
void run_change_expiry(model_run *run);
td_attribute run_make_instant(model_run *run);

/* Asks for ever more partitions: `quarter` of the run is 1 to 3. */
void run_grow(model_run *run, uint64_t quarter);
uint32_t run_count_partitions(model_run *run); /* of the table and its global indexes */

/* A random key of the table's schema, sorted; and attributes for a whole item. */
uint32_t run_make_key(model_run *run, td_attribute ret_key[2]);
uint32_t run_make_item(model_run *run, td_attribute *ret_attributes, uint32_t capacity);

/* A random write, and what must become of it: TD_OK, CONDITIONAL_CHECK_FAILED, or VALIDATION for a put whose item does
 * not fit the indexes. The new item is a reference of the caller's; NULL: none. */
void run_make_write(model_run *run, td_write *ret_write);
td_status run_judge_write(model_run *run, const td_write *write, const td_item *old_item, td_item **ret_new_item);

/* Equal in all parts, index entries in any order. */
bool consumed_equal(const td_consumed *a, const td_consumed *b);

#endif
