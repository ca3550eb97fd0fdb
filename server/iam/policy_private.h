/* SPDX-License-Identifier: Apache-2.0
 * policy_private.h: what compile.c makes and decide.c walks. Private to server/iam. */
#ifndef THERMODYN_IAM_POLICY_PRIVATE_H
#define THERMODYN_IAM_POLICY_PRIVATE_H

#include "iam/policy.h"

/* ---- patterns (pattern.c) ---------------------------------------------------------------------------------------- */

typedef enum td_iam_piece_kind {
    TD_IAM_PIECE_TEXT,
    TD_IAM_PIECE_ONE,      /* ? */
    TD_IAM_PIECE_MANY,     /* * */
    TD_IAM_PIECE_VARIABLE, /* ${text} or ${text, 'otherwise'}: the one value of that key, in which * is no wildcard */
} td_iam_piece_kind;

typedef struct td_iam_piece {
    td_iam_piece_kind kind;
    bool stays_within; /* ONE, MANY: a part of an ARN, and pass no colon */
    bool has_otherwise;
    td_slice text;
    td_slice otherwise;
} td_iam_piece;

typedef struct td_iam_pattern {
    td_slice source;
    td_iam_piece *pieces;
    uint32_t count;
} td_iam_pattern;

typedef struct td_iam_syntax {
    bool has_wildcards;
    bool has_variables;
    bool is_arn; /* wildcards stay within the parts of an ARN */
} td_iam_syntax;

/* false: no memory. */
TD_MUST_USE bool td_iam__pattern(td_slice source, td_iam_syntax syntax, td_arena *arena, td_iam_pattern *ret_pattern);
bool td_iam__pattern_matches(const td_iam_pattern *pattern, const td_iam_request *request, bool ignores_case,
                             td_slice text);

/* Names of keys are the same in any case. NULL: the request has no such key. */
const td_iam_key *td_iam__find_key(const td_iam_request *request, td_slice name);
bool td_iam__equal_in_any_case(td_slice a, td_slice b);

/* ---- conditions (condition.c) ------------------------------------------------------------------------------------ */

typedef enum td_iam_comparison {
    TD_IAM_COMPARE_NULL,
    TD_IAM_COMPARE_STRING,
    TD_IAM_COMPARE_ANY_CASE,
    TD_IAM_COMPARE_LIKE,
    TD_IAM_COMPARE_ARN,
    TD_IAM_COMPARE_BOOL,
    TD_IAM_COMPARE_IP,
    TD_IAM_COMPARE_NUMBER,
    TD_IAM_COMPARE_DATE,
} td_iam_comparison;

/* Which sides of an order fulfil a comparison of numbers or dates. */
enum { TD_IAM_LESS = 1, TD_IAM_EQUAL = 2, TD_IAM_GREATER = 4 };

typedef struct td_iam_operator {
    td_slice name;
    td_iam_comparison comparison;
    uint8_t orders;
    bool is_negated;
} td_iam_operator;

typedef enum td_iam_quantifier { TD_IAM_OF_ONE, TD_IAM_FOR_ALL, TD_IAM_FOR_ANY } td_iam_quantifier;

typedef struct td_iam_test {
    const td_iam_operator *rule;
    td_iam_quantifier quantifier;
    bool if_exists;
    td_slice key;
    td_iam_pattern *values;
    uint32_t count;
} td_iam_test;

/* "ForAllValues:StringLikeIfExists". false: there is no such operator. */
TD_MUST_USE bool td_iam__read_operator(td_slice name, td_iam_test *ret_test);
td_iam_syntax td_iam__syntax_of(const td_iam_operator *rule);
bool td_iam__test_holds(const td_iam_test *test, const td_iam_request *request);

/* ---- statements -------------------------------------------------------------------------------------------------- */

typedef enum td_iam_principal_kind {
    TD_IAM_EVERYBODY,
    TD_IAM_ACCOUNT, /* text: its number */
    TD_IAM_ARN,
    TD_IAM_SOMEBODY_ELSE, /* a service, a federation: none who calls here */
} td_iam_principal_kind;

typedef struct td_iam_principal {
    td_iam_principal_kind kind;
    td_slice text;
} td_iam_principal;

typedef struct td_iam_patterns {
    td_iam_pattern *at;
    uint32_t count;
    bool is_negated; /* NotAction, NotResource */
} td_iam_patterns;

typedef struct td_iam_statement {
    bool is_deny;
    bool has_negated_principals;
    td_iam_principal *principals; /* of a resource's policy */
    uint32_t principal_count;
    td_iam_patterns actions;
    td_iam_patterns resources;
    td_iam_test *tests; /* all must hold */
    uint32_t test_count;
} td_iam_statement;

struct td_iam_policy {
    td_iam_kind kind;
    td_iam_statement *statements;
    uint32_t count;
};

/* Where it stands in the source that it was read from, as far as that can be told. */
size_t td_iam__offset_of(td_slice source, const td_json *json);

/* ---- principals, shared by compile.c and canonical.c ------------------------------------------------------------- */

bool td_iam__is_account(td_slice text); /* twelve digits */

/* arn:partition:service:region:account:rest. false: it is none. */
typedef struct td_iam_arn {
    td_slice partition;
    td_slice service;
    td_slice region;
    td_slice account;
    td_slice rest;
} td_iam_arn;
TD_MUST_USE bool td_iam__read_arn(td_slice text, td_iam_arn *ret_arn);

#endif
