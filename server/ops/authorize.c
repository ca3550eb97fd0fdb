/* SPDX-License-Identifier: Apache-2.0
 * authorize.c: what a request needs permission for, and the refusal.
 *
 *   a request on one table, index or stream   its own name on that resource
 *   a batch of items                          its own name on each table, of all its keys there
 *   a transaction                             GetItem, PutItem, UpdateItem, DeleteItem, ConditionCheckItem
 *   a statement                               PartiQLSelect, PartiQLInsert, PartiQLUpdate, PartiQLDelete
 *   tags and a policy at creation             TagResource, PutResourcePolicy besides
 *
 * Order of checks: behind the members of the request, before all that its operation checks: a table that is not there
 *                  is not told to whom it would not be shown. What cannot be read here the operation refuses.
 * Source: Service Authorization Reference, "Actions, resources, and condition keys for Amazon DynamoDB"; IAM User
 *         Guide, "Troubleshoot access denied error messages". */
#include "authorize.h"

#include "thermodyn/resource_policy.h"

#include "fault_ask.h"
#include "statement.h"

static td_status authorize_targets(td_request *request, const td_iam_caller *caller, const td_fault_targets *targets);
static td_status authorize_statements(td_request *request, const td_iam_caller *caller,
                                      const td_fault_targets *targets);
static td_status authorize_creation(td_request *request, const td_iam_caller *caller, const td_access *access);
static td_status ask(td_request *request, const td_iam_caller *caller, const td_access *access);
static td_slice action_of(const td_request *request, const td_fault_target *target);
static td_status name_resource(td_request *request, const td_access *access, td_slice *ret_arn);
static td_status find_policy(td_request *request, const td_access *access, td_iam_policy **ret_policy);
static td_slice find_suffix(const td_request *request);

td_status td_ops__identify_caller(td_request *request, td_iam_caller *ret_caller)
{
    const td_service *service = request->service;
    td_slice account = td_slice_of_cstr(service->config->account);
    bool is_found = service->callers == NULL ? td_iam_identify_root(account, request->arena, ret_caller)
                                             : td_iam_callers_identify(service->callers, request->identity.access_key,
                                                                       request->arena, ret_caller);
    return is_found ? TD_OK : TD_RAISE(&request->error, TD_MSG_OUT_OF_MEMORY);
}

td_status td_ops__authorize(td_request *request)
{
    td_iam_caller caller;
    td_fault_targets targets;
    TD_TRY(td_ops__identify_caller(request, &caller));
    TD_TRY(td_fault__find_targets(request, request->operation, &targets));
    if (targets.form == TD_FORM_STATEMENTS) return authorize_statements(request, &caller, &targets);
    return authorize_targets(request, &caller, &targets);
}

static bool is_batch_of_items(td_operation_form form)
{
    return form == TD_FORM_GETS || form == TD_FORM_WRITES;
}

static td_access access_to(const td_request *request, const td_fault_target *target)
{
    td_access access = {
        .action = action_of(request, target), .table = target->table, .targets = target, .target_count = 1};
    if (target->statement != NULL) access.index = target->statement->index;
    if (request->operation->form == TD_FORM_PAGE)
        access.index = td_ops__text(td_ops__get(request, TD_MEMBER_IndexName));
    if (request->operation->form == TD_FORM_TABLE) access.suffix = find_suffix(request);
    return access;
}

/* Keys of a batch are asked for together when they share a table and its parameters. */
static bool is_asked_with(const td_fault_target *first, const td_fault_target *next)
{
    return td_slice_equal(first->table, next->table) && first->structure == next->structure;
}

/* Else the operation refuses: a name that is none, a statement that cannot be read, an action that is not one. */
static bool names_anything(const td_request *request, const td_access *access)
{
    td_operation_form form = request->operation->form;
    if (form == TD_FORM_ACCOUNT || form == TD_FORM_GLOBAL_TABLE) return true;
    return access->action.len > 0 && access->table.len > 0;
}

static td_status authorize_targets(td_request *request, const td_iam_caller *caller, const td_fault_targets *targets)
{
    td_access access = {.target_count = 0};
    for (uint32_t i = 0; i < targets->count; i += access.target_count) {
        access = access_to(request, &targets->at[i]);
        if (!names_anything(request, &access)) continue;
        while (is_batch_of_items(targets->form) && i + access.target_count < targets->count &&
               is_asked_with(&targets->at[i], &targets->at[i + access.target_count])) {
            access.target_count++;
        }
        TD_TRY(ask(request, caller, &access));
    }
    bool is_of_table = targets->form == TD_FORM_TABLE && names_anything(request, &access);
    return is_of_table ? authorize_creation(request, caller, &access) : TD_OK;
}

/* Operations without these members ask for nothing more; those that are named so have asked already. */
static td_status authorize_creation(td_request *request, const td_iam_caller *caller, const td_access *access)
{
    static const struct {
        td_member member;
        td_slice action;
    } parts[] = {{TD_MEMBER_Tags, TD_LIT_INIT("TagResource")},
                 {TD_MEMBER_ResourcePolicy, TD_LIT_INIT("PutResourcePolicy")}};
    for (size_t i = 0; i < TD_COUNT_OF(parts); i++) {
        td_access part = *access;
        part.action = parts[i].action;
        bool is_asked = td_slice_equal(access->action, part.action);
        if (td_ops__has(request, parts[i].member) && !is_asked) TD_TRY(ask(request, caller, &part));
    }
    return TD_OK;
}

/* A statement that is not allowed fails on its own. */
static td_status authorize_statements(td_request *request, const td_iam_caller *caller, const td_fault_targets *targets)
{
    td_fault_plan plan = {.count = 0};
    uint32_t given = request->faults == NULL ? 0 : request->faults->count;
    plan.elements = td_arena_alloc_array(request->arena, targets->count + given, sizeof(*plan.elements));
    td_fault_plan *made = td_arena_alloc(request->arena, sizeof(*made));
    if (plan.elements == NULL || made == NULL) return TD_RAISE(&request->error, TD_MSG_OUT_OF_MEMORY);
    td_error own = request->error;
    for (uint32_t i = 0; i < targets->count; i++) {
        const td_access access = access_to(request, &targets->at[i]);
        td_status status = names_anything(request, &access) ? ask(request, caller, &access) : TD_OK;
        if (status == TD_OK) continue;
        if (status != TD_ACCESS_DENIED) return status;
        td_error *error = td_arena_alloc(request->arena, sizeof(*error));
        if (error == NULL) return TD_RAISE(&request->error, TD_MSG_OUT_OF_MEMORY);
        *error = request->error;
        request->error = own;
        plan.elements[plan.count++] = (td_fault_element){.json = targets->at[i].json, .error = error};
    }
    if (given > 0) memcpy(plan.elements + plan.count, request->faults->elements, given * sizeof(*plan.elements));
    plan.count += given;
    *made = plan;
    if (plan.count > 0) request->faults = made;
    return TD_OK;
}

/* ---- one thing --------------------------------------------------------------------------------------------------- */

static td_status refuse(td_request *request, const td_iam_request *asked, td_iam_verdict verdict)
{
    static const td_message messages[] = {
        [TD_IAM_DENIED_BY_IDENTITY] = TD_MSG_POLICY_DENIES,
        [TD_IAM_DENIED_BY_RESOURCE] = TD_MSG_POLICY_OF_RESOURCE_DENIES,
        [TD_IAM_NOT_ALLOWED_BY_IDENTITY] = TD_MSG_POLICY_ALLOWS_NOT,
        [TD_IAM_NOT_ALLOWED_BY_RESOURCE] = TD_MSG_POLICY_OF_RESOURCE_ALLOWS_NOT,
    };
    return TD_RAISE(&request->error, messages[verdict], asked->caller->arn, asked->action, asked->resource);
}

static td_status ask(td_request *request, const td_iam_caller *caller, const td_access *access)
{
    td_iam_policy *policy = NULL;
    td_iam_request asked = {.caller = caller, .account = td_slice_of_cstr(request->service->config->account)};
    if (!td_arena_format(request->arena, &asked.action, "dynamodb:%.*s", (int)access->action.len,
                         (const char *)access->action.ptr)) {
        return TD_RAISE(&request->error, TD_MSG_OUT_OF_MEMORY);
    }
    TD_TRY(name_resource(request, access, &asked.resource));
    TD_TRY(find_policy(request, access, &policy));
    TD_TRY(td_ops__gather_context(request, access, &asked.keys, &asked.key_count));
    td_iam_verdict verdict = td_iam_decide(&asked, policy);
    return verdict == TD_IAM_ALLOWED ? TD_OK : refuse(request, &asked, verdict);
}

static td_slice action_of(const td_request *request, const td_fault_target *target)
{
    static const td_slice of_statements[] = {[TD_STATEMENT_SELECT] = TD_LIT_INIT("PartiQLSelect"),
                                             [TD_STATEMENT_INSERT] = TD_LIT_INIT("PartiQLInsert"),
                                             [TD_STATEMENT_UPDATE] = TD_LIT_INIT("PartiQLUpdate"),
                                             [TD_STATEMENT_DELETE] = TD_LIT_INIT("PartiQLDelete"),
                                             [TD_STATEMENT_EXISTS] = TD_LIT_INIT("PartiQLSelect")};
    td_operation_form form = request->operation->form;
    if (target->statement != NULL) return of_statements[target->statement->kind];
    return form < TD_FORM_TRANSACTED_GETS ? request->operation->name : target->action;
}

static td_status name_resource(td_request *request, const td_access *access, td_slice *ret_arn)
{
    td_slice region = request->call.region;
    td_slice partition = td_arn_partition(region);
    const char *account = request->service->config->account;
    td_slice global = td_ops__text(td_ops__get(request, TD_MEMBER_GlobalTableName));
    bool is_made = true;
    if (request->operation->form == TD_FORM_ACCOUNT) {
        *ret_arn = TD_LIT("*");
    } else if (request->operation->form == TD_FORM_GLOBAL_TABLE) {
        is_made =
            td_arena_format(request->arena, ret_arn, "arn:%.*s:dynamodb::%s:global-table/%.*s", (int)partition.len,
                            (const char *)partition.ptr, account, (int)global.len, (const char *)global.ptr);
    } else {
        const char *index_part = access->index.len > 0 ? "/index/" : "";
        is_made = td_arena_format(
            request->arena, ret_arn, "arn:%.*s:dynamodb:%.*s:%s:table/%.*s%s%.*s%.*s", (int)partition.len,
            (const char *)partition.ptr, (int)region.len, (const char *)region.ptr, account, (int)access->table.len,
            (const char *)access->table.ptr, index_part, (int)access->index.len, (const char *)access->index.ptr,
            (int)access->suffix.len, (const char *)access->suffix.ptr);
    }
    return is_made ? TD_OK : TD_RAISE(&request->error, TD_MSG_OUT_OF_MEMORY);
}

/* "/stream/…" of the ARN that stands for a table, or of that in a shard iterator. */
static td_slice find_suffix(const td_request *request)
{
    static const td_member arns[] = {TD_MEMBER_ResourceArn, TD_MEMBER_StreamArn, TD_MEMBER_ShardIterator};
    for (size_t i = 0; i < TD_COUNT_OF(arns); i++) {
        td_slice arn = td_ops__text(td_ops__get(request, arns[i]));
        const uint8_t *mark = arn.len == 0 ? NULL : memmem(arn.ptr, arn.len, "/stream/", 8);
        if (mark == NULL) continue;
        td_slice suffix = td_slice_of(mark, (size_t)(arn.ptr + arn.len - mark));
        const uint8_t *end = memchr(suffix.ptr, '|', suffix.len);
        return end == NULL ? suffix : td_slice_of(suffix.ptr, (size_t)(end - suffix.ptr));
    }
    return td_slice_of(NULL, 0);
}

/* The policy of the table or stream; NULL: there is none, or no such resource. It was compiled when it was put, and is
 * again for the request: few tables have one, and no memory has to be shared. */
static td_status find_policy(td_request *request, const td_access *access, td_iam_policy **ret_policy)
{
    *ret_policy = NULL;
    if (access->table.len == 0 || request->operation->form == TD_FORM_ACCOUNT) return TD_OK;
    td_call call = request->call;
    td_policy_place place = {.is_stream = access->suffix.len > 0};
    td_resource_policy policy;
    td_error error = td_ops__new_error(request);
    call.table = access->table;
    if (place.is_stream) {
        td_slice arn;
        td_stream_ref stream;
        td_error own = request->error;
        TD_TRY(name_resource(request, access, &arn));
        td_status status = td_ops__parse_stream_arn(request, arn, &stream);
        if (status == TD_OUT_OF_MEMORY) return status;
        request->error = own;
        if (status != TD_OK) return TD_OK;
        place.label_us = stream.label_us;
    }
    td_status status = td_resource_policy_get(&call, place, &policy, &error);
    if (status == TD_OUT_OF_MEMORY) return TD_RAISE(&request->error, TD_MSG_OUT_OF_MEMORY);
    if (status != TD_OK || policy.text.len == 0) return TD_OK;
    td_json *document = NULL;
    td_iam_fault fault;
    status = td_json_parse(policy.text, request->arena, &document, &error);
    bool is_compiled = status == TD_OK && td_iam_compile(place.is_stream ? TD_IAM_STREAM : TD_IAM_TABLE, policy.text,
                                                         document, request->arena, ret_policy, &fault);
    return is_compiled ? TD_OK : TD_RAISE(&request->error, TD_MSG_OUT_OF_MEMORY);
}
