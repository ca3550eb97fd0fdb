/* SPDX-License-Identifier: Apache-2.0
 * capacity_doc.h: settings of the emulation as members of a JSON object: the rows of capacity.def, `enforce`, `era`,
 * `exception_policy`, and `preset`, which sets every row while members beside it win. PATCH /_thermodyn/capacity and
 * the scenarios of the simulator take them alike.
 * Threads: any. */
#ifndef THERMODYN_BASE_CAPACITY_DOC_H
#define THERMODYN_BASE_CAPACITY_DOC_H

#include "base/json_doc.h"
#include "thermodyn/capacity.h"

#define TD_CAPACITY_DOC_SENTENCE_BYTES 512

extern const char *const td_enforce_names[3]; /* by td_enforce */
extern const char *const td_era_names[3];     /* by td_era */

typedef enum td_capacity_doc_result {
    TD_CAPACITY_DOC_TAKEN,
    TD_CAPACITY_DOC_UNKNOWN, /* no setting has this name */
    TD_CAPACITY_DOC_WRONG,   /* the sentence says what is wrong with the value */
} td_capacity_doc_result;

/* The object's `preset`, to be read before its other members. *ret_preset: its name; empty: there is none.
 * false: reterr_sentence says what is wrong. */
TD_MUST_USE bool td_capacity_doc_read_preset(const td_json_node *object, td_capacity_patch *patch,
                                             td_slice *ret_preset,
                                             char reterr_sentence[TD_CAPACITY_DOC_SENTENCE_BYTES]);

/* One other member; `preset` is TAKEN without effect. */
TD_MUST_USE td_capacity_doc_result td_capacity_doc_read_member(const td_json_node *member, td_capacity_patch *patch,
                                                               char reterr_sentence[TD_CAPACITY_DOC_SENTENCE_BYTES]);

#endif
