/* SPDX-License-Identifier: Apache-2.0
 * policy.h: policies in IAM's JSON: a document becomes a program once, and a program is asked of one caller, one action
 * and one resource at a time.
 *
 *   JSON ─compile─► statements: effect, principals, actions, resources, tests     ─decide─► a verdict
 *
 * Evaluation is IAM's: a Deny that applies outweighs every Allow, and what nothing allows is denied. Within the account
 * an Allow of the caller's policies or of the resource's is enough; a caller of another account needs both. An Allow of
 * a resource's for an account as a whole leaves it to the account's own policies.
 * A program lives in the arena that it was compiled in, borrows from its source, and is read-only. Threads: any. */
#ifndef THERMODYN_IAM_POLICY_H
#define THERMODYN_IAM_POLICY_H

#include "wire/json.h"

typedef struct td_iam_policy td_iam_policy;

/* What a policy is attached to. */
typedef enum td_iam_kind { TD_IAM_IDENTITY, TD_IAM_TABLE, TD_IAM_STREAM } td_iam_kind;

typedef enum td_iam_fault_kind {
    TD_IAM_FAULT_MEMORY,
    TD_IAM_FAULT_DOCUMENT,  /* `sentence`: what IAM says of the document */
    TD_IAM_FAULT_PRINCIPAL, /* somebody who cannot be */
    TD_IAM_FAULT_UNBOUNDED, /* everybody is allowed */
} td_iam_fault_kind;

typedef struct td_iam_fault {
    td_iam_fault_kind kind;
    td_slice sentence; /* in the arena */
    size_t offset;     /* where in the source */
} td_iam_fault;

/* `document` was read from `source`, which must live as long as the program. */
TD_MUST_USE bool td_iam_compile(td_iam_kind kind, td_slice source, const td_json *document, td_arena *arena,
                                td_iam_policy **ret_policy, td_iam_fault *reterr_fault);

/* Line and column of a place, both from 1. */
void td_iam_locate(td_slice source, size_t offset, unsigned *ret_line, unsigned *ret_column);

/* The one form in which the service keeps and shows a policy of a resource: no blanks, members in a fixed order, a list
 * of one as its element, an account as its root user, no principal twice. The document compiles. */
void td_iam_write_canonical(td_buf *buf, const td_json *document);

/* ---- deciding ---------------------------------------------------------------------------------------------------- */

/* A key of the context of a request. No value at all is not the same as no such key to ForAllValues and Null. */
typedef struct td_iam_key {
    td_slice name;
    const td_slice *values;
    uint32_t count;
} td_iam_key;

typedef struct td_iam_caller {
    td_slice arn;       /* as messages name him */
    td_slice principal; /* as policies name him: of a session, the role's ARN; else the same */
    td_slice account;
    bool is_root;           /* of his account: no policy of his own is asked */
    const td_iam_key *keys; /* of the context */
    uint32_t key_count;
    td_iam_policy *const *policies;
    uint32_t policy_count;
} td_iam_caller;

typedef struct td_iam_request {
    const td_iam_caller *caller;
    td_slice account;       /* that the resource belongs to */
    td_slice action;        /* "dynamodb:GetItem" */
    td_slice resource;      /* an ARN, or "*" */
    const td_iam_key *keys; /* of the context, besides the caller's, which come first */
    uint32_t key_count;
} td_iam_request;

typedef enum td_iam_verdict {
    TD_IAM_ALLOWED,
    TD_IAM_DENIED_BY_IDENTITY, /* explicitly */
    TD_IAM_DENIED_BY_RESOURCE,
    TD_IAM_NOT_ALLOWED_BY_IDENTITY, /* nothing allows it */
    TD_IAM_NOT_ALLOWED_BY_RESOURCE, /* the caller is of another account */
} td_iam_verdict;

/* `of_resource`: the resource's policy; NULL: it has none. */
td_iam_verdict td_iam_decide(const td_iam_request *request, const td_iam_policy *of_resource);

/* Does the policy alone deny it explicitly? */
bool td_iam_denies(const td_iam_policy *policy, const td_iam_request *request);

#endif
