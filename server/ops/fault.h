/* SPDX-License-Identifier: Apache-2.0
 * fault.h: rules that make requests fail, wait or lose their answers on demand (docs/control-api.md, "Faults").
 *
 * The rules of a server stand in one ordered list. dispatch.c asks them about every request, between the checks against
 * the service model and the operation itself; a server without rules pays one atomic read for that.
 * Each rule has a random sequence of its own, so that the same seed and the same requests give the same faults.
 * Threads: any. A lock of its own, under which no other lock is taken and nothing is written out. */
#ifndef THERMODYN_OPS_FAULT_H
#define THERMODYN_OPS_FAULT_H

#include <stdatomic.h>

#include "base/json_doc.h"

#define TD_FAULT_SENTENCE_BYTES 512

typedef struct td_fault_set td_fault_set; /* fault_set.h */

typedef struct td_faults {
    atomic_uint count; /* of rules in force */
    td_fault_set *set; /* private */
} td_faults;

/* What becomes of an answer that is written. */
typedef struct td_fate {
    uint32_t delay_ms; /* real milliseconds that it is held back; at most TD_LIMIT_FAULT_LATENCY_MS_MAX */
    bool is_dropped;   /* the connection is closed instead */
} td_fate;

/* `seed`: of the seeds of rules that name none. NULL: no memory. */
TD_MUST_USE td_faults *td_faults_new(uint64_t seed);
void td_faults_free(td_faults *faults); /* NULL is allowed */

static inline bool td_faults_are_set(const td_faults *faults)
{
    return faults != NULL && atomic_load_explicit(&faults->count, memory_order_acquire) > 0;
}

/* Reads a rule from a document and adds it behind the others; `scope`: whose requests it is about, empty: everybody's.
 * Writes the rule into the object `place` of `build` (may be NULL). false: reterr_sentence says what is wrong. */
TD_MUST_USE bool td_faults_add(td_faults *faults, const td_json_node *rule, td_slice scope, td_json_build *build,
                               td_json_node *place, char reterr_sentence[TD_FAULT_SENTENCE_BYTES]);

/* Adds the rules of a file, a JSON list, as those that the server is started with. false: reterr_sentence. */
TD_MUST_USE bool td_faults_load(td_faults *faults, const char *path, char reterr_sentence[TD_FAULT_SENTENCE_BYTES]);

/* All rules with their counts, in their order, into an array. */
void td_faults_list(td_faults *faults, td_json_build *build, td_json_node *array);

TD_MUST_USE bool td_faults_remove(td_faults *faults, td_slice id); /* false: there is none of that id */
uint32_t td_faults_remove_all(td_faults *faults);                  /* how many there were */

/* Back to the rules that the server was started with, as on its first request. */
void td_faults_reset(td_faults *faults);

#endif
