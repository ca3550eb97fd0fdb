/* SPDX-License-Identifier: Apache-2.0
 * sample.h: a server that is a list of answers: the first whose target begins with `target` is given.
 * JSON is written with ' for "; \' is an apostrophe. */
#ifndef THERMODYN_TESTS_UNIT_REPORT_SAMPLE_H
#define THERMODYN_TESTS_UNIT_REPORT_SAMPLE_H

#include "report.h"

typedef struct sample_answer {
    const char *target;
    const char *json; /* NULL: the question fails */
} sample_answer;

typedef struct sample {
    td_arena arena;
    const sample_answer *answers;
    uint32_t answer_count;
    char asked[16384]; /* the targets, a line each */
    td_report report;
} sample;

void sample_setup(sample *it);
void sample_teardown(sample *it);

const td_json_node *sample_parse(sample *it, const char *json);

/* Gathers, with those criteria, from the answers, of which the first is the advice. false: a question failed. */
bool sample_gather(sample *it, const sample_answer *answers, uint32_t count, const char *criteria);

/* Two tables: "orders" with a global index "by<day>", a hot key of nasty letters, a split within the run, a veto;
 * "idle" without traffic. The run took 20 s of an hour. */
extern const sample_answer sample_orders[];
extern const uint32_t sample_orders_count;

#define CHECK_HAS(text, part)                                                                                          \
    ck_assert_msg(strstr((const char *)(text), part) != NULL, "is:  %.3000s\nnot: %s", (const char *)(text), part)
#define CHECK_HAS_NOT(text, part)                                                                                      \
    ck_assert_msg(strstr((const char *)(text), part) == NULL, "is:  %.3000s\nhas: %s", (const char *)(text), part)

#endif
