/* SPDX-License-Identifier: Apache-2.0
 * iam.c: any document is a policy or is refused with a sentence; the form in which a policy is kept is a policy whose
 * form is itself, and decides alike. */
#include "fuzz/fuzz.h"
#include "iam/policy.h"

#define BYTES_MAX ((size_t)16 * 1024 * 1024)
#define SMALL_BYTES_MAX ((size_t)16 * 1024)

static td_iam_policy *compile(td_iam_kind kind, td_slice source, td_arena *arena, td_json **ret_json)
{
    td_error error = {.arena = arena};
    td_iam_policy *policy = NULL;
    td_iam_fault fault;
    if (td_json_parse(source, arena, ret_json, &error) != TD_OK) return NULL;
    if (td_iam_compile(kind, source, *ret_json, arena, &policy, &fault)) return policy;
    TD_ASSERT(fault.kind == TD_IAM_FAULT_MEMORY || fault.sentence.len > 0);
    TD_ASSERT(fault.offset <= source.len);
    return NULL;
}

static td_iam_verdict decide(td_iam_policy *own, const td_iam_policy *of_resource)
{
    static const td_slice values[] = {TD_LIT_INIT("alice"), TD_LIT_INIT("10"), TD_LIT_INIT("10.1.2.3"),
                                      TD_LIT_INIT("2026-11-30T00:00:00Z")};
    static const td_iam_key keys[] = {
        {TD_LIT_INIT("dynamodb:LeadingKeys"), values, 2}, {TD_LIT_INIT("aws:username"), values, 1},
        {TD_LIT_INIT("aws:EpochTime"), values + 1, 1},    {TD_LIT_INIT("aws:SourceIp"), values + 2, 1},
        {TD_LIT_INIT("aws:CurrentTime"), values + 3, 1},  {TD_LIT_INIT("aws:TagKeys"), values, 0}};
    const td_iam_caller caller = {.arn = TD_LIT("arn:aws:iam::000000000000:user/alice"),
                                  .principal = TD_LIT("arn:aws:iam::000000000000:user/alice"),
                                  .account = TD_LIT("000000000000"),
                                  .policies = &own,
                                  .policy_count = own != NULL};
    const td_iam_request request = {.caller = &caller,
                                    .account = TD_LIT("000000000000"),
                                    .action = TD_LIT("dynamodb:GetItem"),
                                    .resource = TD_LIT("arn:aws:dynamodb:us-east-1:000000000000:table/T"),
                                    .keys = keys,
                                    .key_count = TD_COUNT_OF(keys)};
    return td_iam_decide(&request, of_resource);
}

static void check_form(td_iam_kind kind, td_slice source, td_arena *arena)
{
    td_json *json = NULL;
    td_iam_policy *policy = compile(kind, source, arena, &json);
    if (policy == NULL) return;
    td_iam_verdict verdict = decide(NULL, policy);
    td_buf forms[2];
    td_slice from = source;
    for (size_t i = 0; i < TD_COUNT_OF(forms); i++) {
        td_buf_init(&forms[i], BYTES_MAX);
        policy = compile(kind, from, arena, &json);
        TD_ASSERT(policy != NULL);
        TD_ASSERT(decide(NULL, policy) == verdict);
        td_iam_write_canonical(&forms[i], json);
        TD_ASSERT(!td_buf_has_failed(&forms[i]));
        from = td_buf_contents(&forms[i]);
    }
    TD_ASSERT(td_slice_equal(td_buf_contents(&forms[0]), td_buf_contents(&forms[1])));
    for (size_t i = 0; i < TD_COUNT_OF(forms); i++)
        td_buf_done(&forms[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    td_slice input = fuzz_copy(data, size);
    td_arena arena;
    td_arena_init(&arena, BYTES_MAX);
    td_json *json = NULL;
    td_iam_policy *policy = compile(TD_IAM_IDENTITY, input, &arena, &json);
    if (policy != NULL) (void)decide(policy, NULL);
    check_form(TD_IAM_TABLE, input, &arena);
    check_form(TD_IAM_STREAM, input, &arena);
    td_arena_done(&arena);

    td_arena_init(&arena, fuzz_small_limit(input, SMALL_BYTES_MAX)); /* which may be too little memory */
    (void)compile(TD_IAM_TABLE, input, &arena, &json);
    td_arena_done(&arena);
    fuzz_done(input);
    return 0;
}
