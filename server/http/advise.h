/* SPDX-License-Identifier: MIT
 * advise.h: `thermodyn advise`: asks a running server what its traffic says of the key design, and tells it. */
#ifndef THERMODYN_HTTP_ADVISE_H
#define THERMODYN_HTTP_ADVISE_H

#include "base/json_doc.h"

/* Exit codes. */
enum {
    TD_ADVISE_FINE = 0,  /* nothing that --fail-on names */
    TD_ADVISE_FOUND = 1, /* something that --fail-on names */
    TD_ADVISE_FAILED = 2 /* wrong arguments, or no server that answers */
};

/* The arguments behind "advise". Answers the exit code. */
int td_advise(int argc, char **argv);

typedef struct td_advise_style {
    uint32_t columns; /* lines are broken at that width */
    bool has_colour;
} td_advise_style;

/* Appends the report of an answer of GET /_thermodyn/advice. false: it is not one. */
TD_MUST_USE bool td_advise_report(const td_json_node *answer, td_advise_style style, td_buf *report);

#endif
