/* SPDX-License-Identifier: Apache-2.0
 * given.h: documents and contexts in one line: in both, single quotes stand for double ones. */
#ifndef THERMODYN_TESTS_IAM_GIVEN_H
#define THERMODYN_TESTS_IAM_GIVEN_H

#include <check.h>

#include "iam/callers.h"
#include "iam/policy_private.h"

#define ACCOUNT "000000000000"

void given_setup(void);
void given_teardown(void);

td_arena *given_arena(void);
td_slice given_text(const char *quoted);
const td_json *given_json(const char *quoted); /* fails the test when it is no JSON */

/* NULL: *ret_fault says why. */
td_iam_policy *given_try_policy(td_iam_kind kind, const char *quoted, td_iam_fault *ret_fault);
td_iam_policy *given_policy(td_iam_kind kind, const char *quoted);

/* {'key': 'value', 'other': ['one', 'two']} */
void given_context(const char *quoted, td_iam_request *request);

td_iam_caller given_caller(const char *arn);

#endif
