/* SPDX-License-Identifier: Apache-2.0
 * decide.c: what policies say to one caller, one action and one resource.
 * Source: IAM User Guide, "Policy evaluation logic" and "AWS JSON policy elements: Principal". */
#include "policy_private.h"

/* What a policy says, from the weakest to the strongest. */
typedef enum effect {
    SILENT,
    DELEGATES, /* allows the caller's account, whose own policies decide */
    ALLOWS,
    DENIES,
} effect;

static effect evaluate(const td_iam_policy *policy, const td_iam_request *request);
static effect evaluate_statement(const td_iam_policy *policy, const td_iam_statement *statement,
                                 const td_iam_request *request);

td_iam_verdict td_iam_decide(const td_iam_request *request, const td_iam_policy *of_resource)
{
    const td_iam_caller *caller = request->caller;
    effect of_identity = caller->is_root ? ALLOWS : SILENT;
    for (uint32_t i = 0; i < caller->policy_count && !caller->is_root; i++) {
        effect said = evaluate(caller->policies[i], request);
        if (said > of_identity) of_identity = said;
    }
    if (of_identity == DENIES) return TD_IAM_DENIED_BY_IDENTITY;
    effect said = of_resource == NULL ? SILENT : evaluate(of_resource, request);
    if (said == DENIES) return TD_IAM_DENIED_BY_RESOURCE;
    if (td_slice_equal(caller->account, request->account)) {
        return of_identity == ALLOWS || said == ALLOWS ? TD_IAM_ALLOWED : TD_IAM_NOT_ALLOWED_BY_IDENTITY;
    }
    if (of_identity != ALLOWS) return TD_IAM_NOT_ALLOWED_BY_IDENTITY;
    return said >= DELEGATES ? TD_IAM_ALLOWED : TD_IAM_NOT_ALLOWED_BY_RESOURCE;
}

bool td_iam_denies(const td_iam_policy *policy, const td_iam_request *request)
{
    return evaluate(policy, request) == DENIES;
}

static effect evaluate(const td_iam_policy *policy, const td_iam_request *request)
{
    effect strongest = SILENT;
    for (uint32_t i = 0; i < policy->count && strongest < DENIES; i++) {
        effect said = evaluate_statement(policy, &policy->statements[i], request);
        if (said > strongest) strongest = said;
    }
    return strongest;
}

static bool is_among(const td_iam_patterns *patterns, const td_iam_request *request, bool ignores_case, td_slice text)
{
    bool is_found = false;
    for (uint32_t i = 0; i < patterns->count && !is_found; i++)
        is_found = td_iam__pattern_matches(&patterns->at[i], request, ignores_case, text);
    return is_found != patterns->is_negated;
}

/* How the statement's principals name the caller: not at all (SILENT), by his account, or himself. */
static effect name_caller(const td_iam_statement *statement, const td_iam_caller *caller)
{
    effect found = SILENT;
    for (uint32_t i = 0; i < statement->principal_count && found < ALLOWS; i++) {
        const td_iam_principal *principal = &statement->principals[i];
        switch (principal->kind) {
        case TD_IAM_EVERYBODY: found = ALLOWS; break;
        case TD_IAM_ACCOUNT:
            if (td_slice_equal(principal->text, caller->account)) found = caller->is_root ? ALLOWS : DELEGATES;
            break;
        case TD_IAM_ARN:
            if (td_slice_equal(principal->text, caller->arn) || td_slice_equal(principal->text, caller->principal)) {
                found = ALLOWS;
            }
            break;
        case TD_IAM_SOMEBODY_ELSE: break;
        }
    }
    if (!statement->has_negated_principals) return found;
    return found == SILENT ? ALLOWS : SILENT;
}

static effect evaluate_statement(const td_iam_policy *policy, const td_iam_statement *statement,
                                 const td_iam_request *request)
{
    if (!is_among(&statement->actions, request, true, request->action)) return SILENT;
    if (!is_among(&statement->resources, request, false, request->resource)) return SILENT;
    effect named = policy->kind == TD_IAM_IDENTITY ? ALLOWS : name_caller(statement, request->caller);
    if (named == SILENT) return SILENT;
    for (uint32_t i = 0; i < statement->test_count; i++) {
        if (!td_iam__test_holds(&statement->tests[i], request)) return SILENT;
    }
    return statement->is_deny ? DENIES : named;
}
