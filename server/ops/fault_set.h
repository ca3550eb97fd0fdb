/* SPDX-License-Identifier: Apache-2.0
 * fault_set.h: a rule and the list of rules, as the files of faults see them. Private to server/ops.
 *
 * A rule is an immutable, counted block: a request that one of them has struck holds it until its end, whoever removes
 * it meanwhile. What changes (counts, randomness) stands in the list, under its lock. */
#ifndef THERMODYN_OPS_FAULT_SET_H
#define THERMODYN_OPS_FAULT_SET_H

#include <pthread.h>

#include "ops/dispatch.h"
#include "thermodyn/capacity.h"
#include "thermodyn/rng.h"
#include "thermodyn/status.h"
#include "thermodyn/value.h"

#define TD_FAULT_OPERATION_WORDS 2
#define TD_FAULT_KEY_PARTS_MAX 2 /* a table's key has no more */
#define TD_FAULT_KEY_NAME_BYTES_MAX 255

/* A row of fault_errors.def. */
typedef struct td_fault_error {
    td_status status;
    td_message message;
    const char *code; /* among CancellationReasons; "": none */
} td_fault_error;

const td_fault_error *td_fault__error_find(td_slice name);    /* by __type; NULL: unknown */
const td_fault_error *td_fault__error_of_code(td_slice code); /* NULL: no such code */
bool td_fault__reason_find(td_slice name, td_throttle_reason *ret_reason, bool *ret_is_of_index);
const char *td_fault__reason_name(const td_throttle_reason *reason, bool is_of_index);

typedef enum td_fault_kind {
    TD_FAULT_ERROR,
    TD_FAULT_LATENCY,
    TD_FAULT_DROP_BEFORE,
    TD_FAULT_DROP_AFTER,
    TD_FAULT_UNPROCESSED,
} td_fault_kind;

typedef struct td_fault_key {
    td_slice name;
    td_slice text;  /* the value as it was sent */
    td_value value; /* S, N or B */
} td_fault_key;

typedef struct td_fault_rule {
    atomic_uint references;
    td_arena arena; /* of all that the rule points to */

    td_slice scope;             /* empty: of any */
    bool has_operations;        /* false: any */
    bool is_operation_list;     /* how it was sent */
    const td_operation **named; /* in the order in which they were sent */
    uint32_t named_count;
    uint64_t operations[TD_FAULT_OPERATION_WORDS]; /* bits, by the row of operations.def */
    td_slice table_as_sent;                        /* name or ARN */
    td_slice table;                                /* empty: any */
    td_slice index;                                /* empty: any or none */
    td_fault_key keys[TD_FAULT_KEY_PARTS_MAX];
    uint32_t key_count; /* 0: any or none */

    td_fault_kind kind;
    const td_fault_error *error; /* ERROR */
    bool has_message;
    td_slice message;
    bool has_reason;
    bool is_reason_of_index;
    td_throttle_reason reason; /* its index: `error_index` */
    td_slice error_index;      /* empty: see fault_error.c */
    td_slice *reasons;         /* TransactionCanceledException: codes, by action; none: those of what matches */
    uint32_t reason_count;
    uint32_t min_ms; /* LATENCY */
    uint32_t max_ms;

    double probability;
    uint64_t skip;
    bool has_times;
    uint64_t times;
    bool has_seed;
    uint64_t seed;
} td_fault_rule;

static inline bool td_fault__names_operation(const td_fault_rule *rule, size_t row)
{
    return !rule->has_operations || (rule->operations[row / 64] >> (row % 64) & 1) != 0;
}

/* ---- fault_rule.c ---- */

/* The caller owns one reference. NULL: wrong, or no memory; reterr_sentence says why. */
TD_MUST_USE td_fault_rule *td_fault__rule_read(const td_json_node *json, td_slice scope,
                                               char reterr_sentence[TD_FAULT_SENTENCE_BYTES]);
td_fault_rule *td_fault__rule_ref(td_fault_rule *rule);
void td_fault__rule_unref(td_fault_rule *rule);

/* ---- fault_show.c ---- */

/* The rule's definition, with all defaults, as members of `object`. */
void td_fault__rule_write(const td_fault_rule *rule, uint64_t seed, td_json_build *build, td_json_node *object);

/* ---- fault.c: the list ---- */

/* A rule in force. */
typedef struct td_fault_entry {
    td_fault_rule *rule;
    uint64_t number; /* its id is "f-<number>" */
    uint64_t seed;   /* the rule's, or one that was drawn for it */
    td_rng rng;
    uint64_t matched;
    uint64_t injected;
} td_fault_entry;

struct td_fault_set {
    pthread_mutex_t lock;
    td_rng seeds; /* for rules that name none */
    uint64_t first_seed;
    uint64_t next_number;
    uint32_t count;
    td_fault_entry entries[TD_LIMIT_FAULT_RULES_MAX];
    uint32_t initial_count;
    td_fault_rule *initial[TD_LIMIT_FAULT_RULES_MAX]; /* of the configuration: references of their own */
};

/* Counts a match and decides by skip, times and probability. The caller holds the lock. */
TD_MUST_USE bool td_fault__fires_locked(td_fault_entry *entry);

/* Uniform in the rule's range, whole milliseconds. The caller holds the lock. */
uint32_t td_fault__draw_latency_locked(td_fault_entry *entry);

#endif
