/* SPDX-License-Identifier: Apache-2.0
 * criterion.h: what a run may fail on, and whether an answer of GET /_thermodyn/advice does.
 *
 *   criteria  = criterion { "," criterion } ;
 *   criterion = name [ ">" number ] ;              (* blanks may stand around both *)
 *   name      = kind of advice | severity | measure ;
 *   number    = digits [ "." digits ] ;
 *
 * Of a kind, or of a severity and what is severer, the number is how many pieces of advice are too few to fail: 0 when
 * absent. Measures: criterion.def. Each criterion is judged for each table and index by itself. Threads: any. */
#ifndef THERMODYN_REPORT_CRITERION_H
#define THERMODYN_REPORT_CRITERION_H

#include "base/json_doc.h"
#include "control/advice.h"

typedef enum td_measure {
#define TD_MEASURE(id, name, number, meaning) TD_MEASURE_##id,
#include "report/criterion.def"
#undef TD_MEASURE
    TD_MEASURE_COUNT
} td_measure;

typedef enum td_criterion_type { TD_CRITERION_KIND, TD_CRITERION_SEVERITY, TD_CRITERION_MEASURE } td_criterion_type;

typedef struct td_criterion {
    td_slice text; /* as it was given, without blanks around it */
    td_criterion_type type;
    int which;    /* a td_advice_kind, td_advice_severity or td_measure */
    double limit; /* it holds above */
} td_criterion;

typedef struct td_criteria {
    td_criterion *items;
    uint32_t count;
} td_criteria;

/* NULL: there are none. false: the sentence says what is wrong; "" when it is memory. */
TD_MUST_USE bool td_criteria_read(const char *text, td_arena *arena, td_criteria *ret_criteria,
                                  char reterr_sentence[512]);

/* One criterion of one table or index. */
typedef struct td_finding {
    const td_criterion *criterion;
    td_slice resource;
    bool holds; /* that is bad */
    double figure;
    td_slice text; /* what was found, in sentences */
} td_finding;

typedef struct td_findings {
    td_finding *items; /* by resource, then by criterion */
    uint32_t count;
    uint32_t held;
} td_findings;

/* false: no memory. The answer is an object. */
TD_MUST_USE bool td_criteria_judge(const td_criteria *criteria, const td_json_node *answer, td_arena *arena,
                                   td_findings *ret_findings);

/* Appends one line with those that hold; nothing when none does. */
void td_findings_summarize(const td_findings *findings, td_buf *line);

/* For --help: the option, and what may stand there. */
void td_criteria_print_help(void);

#endif
