/* SPDX-License-Identifier: Apache-2.0
 * given.c: documents and contexts in one line. */
#include "given.h"

static td_arena arena;

void given_setup(void)
{
    td_arena_init(&arena, (size_t)64 << 20);
}

void given_teardown(void)
{
    td_arena_done(&arena);
}

td_arena *given_arena(void)
{
    return &arena;
}

td_slice given_text(const char *quoted)
{
    td_slice copy;
    ck_assert(td_arena_copy(&arena, td_slice_of_cstr(quoted), &copy));
    for (size_t i = 0; i < copy.len; i++) {
        if (copy.ptr[i] == '\'') ((uint8_t *)copy.ptr)[i] = '"';
    }
    return copy;
}

const td_json *given_json(const char *quoted)
{
    td_error error = {.arena = &arena};
    td_json *json = NULL;
    ck_assert_msg(td_json_parse(given_text(quoted), &arena, &json, &error) == TD_OK, "no JSON: %s", quoted);
    return json;
}

td_iam_policy *given_try_policy(td_iam_kind kind, const char *quoted, td_iam_fault *ret_fault)
{
    td_slice source = given_text(quoted);
    td_error error = {.arena = &arena};
    td_json *json = NULL;
    td_iam_policy *policy = NULL;
    ck_assert_msg(td_json_parse(source, &arena, &json, &error) == TD_OK, "no JSON: %s", quoted);
    return td_iam_compile(kind, source, json, &arena, &policy, ret_fault) ? policy : NULL;
}

td_iam_policy *given_policy(td_iam_kind kind, const char *quoted)
{
    td_iam_fault fault = {.kind = TD_IAM_FAULT_MEMORY};
    td_iam_policy *policy = given_try_policy(kind, quoted, &fault);
    ck_assert_msg(policy != NULL, "%s: %.*s", quoted, (int)fault.sentence.len, (const char *)fault.sentence.ptr);
    return policy;
}

void given_context(const char *quoted, td_iam_request *request)
{
    const td_json *json = given_json(quoted);
    td_iam_key *keys = td_arena_alloc_array(&arena, json->count, sizeof(*keys));
    ck_assert_ptr_nonnull(keys);
    for (uint32_t i = 0; i < json->count; i++) {
        const td_json *value = &json->children[i];
        bool is_list = value->type == TD_JSON_ARRAY;
        uint32_t count = is_list ? value->count : 1;
        td_slice *values = td_arena_alloc_array(&arena, count, sizeof(*values));
        ck_assert_ptr_nonnull(values);
        for (uint32_t k = 0; k < count; k++)
            values[k] = is_list ? value->children[k].text : value->text;
        keys[i] = (td_iam_key){value->name, values, count};
    }
    request->keys = keys;
    request->key_count = json->count;
}

td_iam_caller given_caller(const char *arn)
{
    td_iam_arn parts;
    td_slice text = td_slice_of_cstr(arn);
    ck_assert(td_iam__read_arn(text, &parts));
    return (td_iam_caller){.arn = text,
                           .principal = text,
                           .account = parts.account,
                           .is_root = td_slice_equal(parts.rest, TD_LIT("root"))};
}
