/* SPDX-License-Identifier: Apache-2.0
 * wording.h: which of the service's wordings an operation answers with: the rows of wording.def. Threads: any. */
#ifndef THERMODYN_OPS_WORDING_H
#define THERMODYN_OPS_WORDING_H

#include "thermodyn/status.h"

/* Operations whose texts move together; a column of operations.def. */
typedef enum td_operation_group {
#define TD_OPERATION_GROUP(name, classic, majority, newest) TD_GROUP_##name,
#include "wording.def"
    TD_GROUP_COUNT
} td_operation_group;

/* A state of the service's rebuilding. */
typedef struct td_cohort {
    td_wording wording;       /* of all texts but */
    td_wording value_wording; /* those about attribute values */
    uint32_t enveloped;       /* bits by td_message_class: texts behind "1 validation error detected: " */
} td_cohort;

/* `messages`: the choice of the configuration (config.h). */
const td_cohort *td_cohort_of(td_operation_group group, int messages);

/* Puts the envelope around an error's text, where the cohort has it. */
void td_cohort_finish(const td_cohort *cohort, td_error *error);

#endif
