/* SPDX-License-Identifier: Apache-2.0
 * callers.h: who stands behind an access key, and which policies he has: the file of --policies.
 *
 *   { "AccessKeys": { "AKIDALICE": { "Arn": "arn:aws:iam::000000000000:user/alice",
 *                                    "UserId": "AIDALICE",
 *                                    "Tags": { "tenant": "t1" },
 *                                    "Context": { "www.amazon.com:user_id": "alice", "aws:SourceIp": "10.1.2.3" },
 *                                    "Policies": [ { "Version": "2012-10-17", "Statement": […] }, "tenant.json" ] },
 *                     "*": { … } } }
 * Every member may be left out. "*" is any key that has no entry of its own; a key without either has no policies. A
 * policy is a document, or the name of a file that holds one, beside this one. The root user of the account needs none.
 * Threads: loaded once; then read by any. */
#ifndef THERMODYN_IAM_CALLERS_H
#define THERMODYN_IAM_CALLERS_H

#include "iam/policy.h"

typedef struct td_iam_callers td_iam_callers;

/* `account`: of the server. NULL: `says` holds a sentence that names what is wrong, and where. */
TD_MUST_USE td_iam_callers *td_iam_callers_load(const char *path, const char *account, td_buf *says);
void td_iam_callers_free(td_iam_callers *callers);

/* The same of a text; `path` is for sentences, and for the folder of files that it names. */
TD_MUST_USE td_iam_callers *td_iam_callers_read(const char *path, td_slice text, const char *account, td_buf *says);

/* Who signs with the key. What is not the callers' own lives in the arena. false: no memory. */
TD_MUST_USE bool td_iam_callers_identify(const td_iam_callers *callers, td_slice access_key, td_arena *arena,
                                         td_iam_caller *ret_caller);

/* The root user of that account, in the arena. false: no memory. */
TD_MUST_USE bool td_iam_identify_root(td_slice account, td_arena *arena, td_iam_caller *ret_caller);

#endif
