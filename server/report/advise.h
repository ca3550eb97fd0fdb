/* SPDX-License-Identifier: Apache-2.0
 * advise.h: `thermodyn advise`: asks a running server what its traffic says of the key design, and tells it. */
#ifndef THERMODYN_REPORT_ADVISE_H
#define THERMODYN_REPORT_ADVISE_H

#include "base/json_doc.h"

/* The arguments behind "advise". Answers the exit code: see ask.h. */
int td_advise(int argc, char **argv);

typedef struct td_advise_style {
    uint32_t columns; /* lines are broken at that width */
    bool has_colour;
} td_advise_style;

/* Appends the report of an answer of GET /_thermodyn/advice. false: it is not one. */
TD_MUST_USE bool td_advise_report(const td_json_node *answer, td_advise_style style, td_buf *report);

#endif
