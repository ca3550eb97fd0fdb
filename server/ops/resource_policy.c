/* SPDX-License-Identifier: Apache-2.0
 * resource_policy.c: PutResourcePolicy, GetResourcePolicy, DeleteResourcePolicy, and the ResourcePolicy of CreateTable.
 *
 * Order of checks: the ARN, the document, then whether there is such a table or stream (captures of October 2026, as
 *                  all texts here). A policy that keeps its author from putting the next one wants to be confirmed.
 * Model:    a change holds at once. The service takes seconds to show it, minutes to enforce it, and refuses another
 *           one for fifteen seconds.
 * Not here: what policies say (server/iam), and asking them (authorize.c). */
#include "thermodyn/resource_policy.h"

#include <inttypes.h>
#include <stdio.h>

#include "authorize.h"
#include "ops.h"

#define POLICY_BYTES_MAX ((size_t)1024 * 1024) /* in the form that is kept: account numbers grow to ARNs */
#define VERSION_PART "{\"Version\":"

static td_status open_resource(td_request *request, td_policy_place *ret_place);
static td_status reword(td_request *request, td_policy_place place, td_status status);
static td_status check_lock_out(td_request *request, const td_iam_policy *policy);
static td_status raise_fault(td_request *request, const td_iam_fault *fault);
static void write_revision(td_ops_object *answer, int64_t revision);
static td_status answer_revision(td_request *request, int64_t revision);
static td_slice expected_revision(const td_request *request);

td_status td_ops__put_resource_policy(td_request *request)
{
    td_policy_place place;
    td_slice text;
    td_iam_policy *policy = NULL;
    int64_t revision = 0;
    TD_TRY(open_resource(request, &place));
    TD_TRY(td_ops__read_policy(request, td_ops__get(request, TD_MEMBER_Policy),
                               place.is_stream ? TD_IAM_STREAM : TD_IAM_TABLE, &text, &policy));
    TD_TRY(check_lock_out(request, policy));
    TD_TRY(reword(
        request, place,
        td_resource_policy_put(&request->call, place, text, expected_revision(request), &revision, &request->error)));
    return answer_revision(request, revision);
}

/* Of a document without a Version the service shows the one that holds then. */
td_status td_ops__get_resource_policy(td_request *request)
{
    td_policy_place place;
    td_resource_policy policy;
    td_slice arn = td_ops__text(td_ops__get(request, TD_MEMBER_ResourceArn));
    TD_TRY(open_resource(request, &place));
    TD_TRY(reword(request, place, td_resource_policy_get(&request->call, place, &policy, &request->error)));
    if (policy.text.len == 0) return TD_RAISE(&request->error, TD_MSG_POLICY_NOT_FOUND, arn);
    if (!td_slice_has_prefix(policy.text, TD_LIT(VERSION_PART)) &&
        !td_arena_format(request->arena, &policy.text, VERSION_PART "\"2008-10-17\",%.*s", (int)policy.text.len - 1,
                         (const char *)policy.text.ptr + 1)) {
        return TD_RAISE(&request->error, TD_MSG_OUT_OF_MEMORY);
    }
    td_ops_object answer = td_ops__open(request->reply);
    td_ops__member_string(&answer, TD_LIT("Policy"), policy.text);
    write_revision(&answer, policy.revision);
    td_ops__close(&answer);
    return TD_OK;
}

td_status td_ops__delete_resource_policy(td_request *request)
{
    td_policy_place place;
    int64_t revision = 0;
    TD_TRY(open_resource(request, &place));
    TD_TRY(reword(request, place,
                  td_resource_policy_put(&request->call, place, td_slice_of(NULL, 0), expected_revision(request),
                                         &revision, &request->error)));
    return answer_revision(request, revision);
}

td_status td_ops__read_policy(td_request *request, const td_json *json, td_iam_kind kind, td_slice *ret_text,
                              td_iam_policy **ret_policy)
{
    *ret_text = td_slice_of(NULL, 0);
    if (json == NULL) return TD_OK;
    td_error *error = &request->error;
    td_slice source = json->text;
    if (source.len > TD_LIMIT_RESOURCE_POLICY_BYTES_MAX) {
        return TD_RAISE(error, TD_MSG_POLICY_TOO_LARGE, td_error_int(error, TD_LIMIT_RESOURCE_POLICY_BYTES_MAX));
    }
    td_json *document = NULL;
    td_error fault_of_json = *error;
    td_status status = td_json_parse(source, request->arena, &document, &fault_of_json);
    if (status == TD_OUT_OF_MEMORY) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    if (status != TD_OK) return TD_RAISE(error, TD_MSG_POLICY_INVALID, TD_LIT("This policy contains invalid Json"));
    td_iam_policy *policy = NULL;
    td_iam_fault fault;
    if (!td_iam_compile(kind, source, document, request->arena, &policy, &fault)) return raise_fault(request, &fault);

    td_buf canonical;
    td_buf_init(&canonical, POLICY_BYTES_MAX);
    td_iam_write_canonical(&canonical, document);
    bool is_kept =
        !td_buf_has_failed(&canonical) && td_arena_copy(request->arena, td_buf_contents(&canonical), ret_text);
    td_buf_done(&canonical);
    if (!is_kept) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    if (ret_policy != NULL) *ret_policy = policy;
    return TD_OK;
}

static td_status raise_fault(td_request *request, const td_iam_fault *fault)
{
    switch (fault->kind) {
    case TD_IAM_FAULT_MEMORY: return TD_RAISE(&request->error, TD_MSG_OUT_OF_MEMORY);
    case TD_IAM_FAULT_DOCUMENT: return TD_RAISE(&request->error, TD_MSG_POLICY_INVALID, fault->sentence);
    case TD_IAM_FAULT_PRINCIPAL: return TD_RAISE(&request->error, TD_MSG_POLICY_PRINCIPAL_INVALID);
    case TD_IAM_FAULT_UNBOUNDED: return TD_RAISE(&request->error, TD_MSG_POLICY_UNBOUNDED);
    }
    TD_UNREACHABLE("faults are of these kinds");
}

/* The table becomes the call's. Region and account of an ARN are not looked at, as elsewhere. */
static td_status open_resource(td_request *request, td_policy_place *ret_place)
{
    td_slice arn = td_ops__text(td_ops__get(request, TD_MEMBER_ResourceArn));
    td_error *error = &request->error;
    if (!td_slice_has_prefix(arn, TD_LIT("arn:"))) return TD_RAISE(error, TD_MSG_RESOURCE_ARN_NO_ARN, arn);
    if (memmem(arn.ptr, arn.len, "/index/", 7) != NULL) return TD_RAISE(error, TD_MSG_POLICY_OF_INDEX, arn);
    *ret_place = (td_policy_place){.is_stream = memmem(arn.ptr, arn.len, "/stream/", 8) != NULL};
    td_stream_ref stream = {.label_us = 0};
    td_status status = ret_place->is_stream ? td_ops__parse_stream_arn(request, arn, &stream)
                                            : td_table_name_parse(arn, &stream.table, error);
    if (status == TD_OUT_OF_MEMORY) return status;
    if (status != TD_OK) return TD_RAISE(error, TD_MSG_RESOURCE_ARN_FOREIGN, arn);
    request->call.table = stream.table;
    ret_place->label_us = stream.label_us;
    return TD_OK;
}

/* The engine knows no ARNs: a stream that it does not find is named here, after its table. */
static td_status reword(td_request *request, td_policy_place place, td_status status)
{
    td_error *error = &request->error;
    if (status != TD_RESOURCE_NOT_FOUND || !place.is_stream) return status;
    td_table_info info;
    TD_TRY(td_table_describe(&request->call, &info, error));
    char label[TD_OPS_STREAM_LABEL_BYTES];
    return TD_RAISE(error, TD_MSG_POLICY_STREAM_NOT_FOUND, td_ops__stream_label(place.label_us, label),
                    request->call.table);
}

static td_status check_lock_out(td_request *request, const td_iam_policy *policy)
{
    if (td_ops__is_true(td_ops__get(request, TD_MEMBER_ConfirmRemoveSelfResourceAccess))) return TD_OK;
    td_iam_caller caller;
    TD_TRY(td_ops__identify_caller(request, &caller));
    const td_iam_request put = {.caller = &caller,
                                .account = td_slice_of_cstr(request->service->config->account),
                                .action = TD_LIT("dynamodb:PutResourcePolicy"),
                                .resource = td_ops__text(td_ops__get(request, TD_MEMBER_ResourceArn))};
    return td_iam_denies(policy, &put) ? TD_RAISE(&request->error, TD_MSG_POLICY_LOCKS_OUT) : TD_OK;
}

static td_slice expected_revision(const td_request *request)
{
    return td_ops__text(td_ops__get(request, TD_MEMBER_ExpectedRevisionId));
}

static void write_revision(td_ops_object *answer, int64_t revision)
{
    char text[24];
    int len = snprintf(text, sizeof(text), "%" PRId64, revision);
    td_ops__member_string(answer, TD_LIT("RevisionId"), td_slice_of(text, (size_t)len));
}

static td_status answer_revision(td_request *request, int64_t revision)
{
    td_ops_object answer = td_ops__open(request->reply);
    if (revision != 0) write_revision(&answer, revision);
    td_ops__close(&answer);
    return TD_OK;
}
