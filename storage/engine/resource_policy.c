/* SPDX-License-Identifier: Apache-2.0
 * resource_policy.c: policies of tables and streams: kept, found, replaced.
 * Source:   captures of PutResourcePolicy, GetResourcePolicy and DeleteResourcePolicy of October 2026; moto's tests,
 *           which ran against the service.
 * Not here: what a policy says (server/iam). */
#include "thermodyn/resource_policy.h"

#include "thermodyn/memory.h"

#include "attached.h"
#include "catalog.h"
#include "streams.h"

#define NO_POLICY TD_LIT("NO_POLICY")

static td_status change_locked(const td_call *call, td_attached *attached, td_slice text, td_slice expected,
                               int64_t *ret_revision, bool *ret_is_changed, td_error *error);
static td_status check_expected(const td_call *call, const td_attached *attached, td_slice expected, td_error *error);
static td_status show(const td_call *call, const td_attached *attached, td_resource_policy *ret_policy,
                      td_error *error);

bool td_attached__set(td_attached *attached, td_slice text, int64_t revision)
{
    uint8_t *copy = text.len == 0 ? NULL : td_alloc(text.len);
    if (text.len > 0 && copy == NULL) return false;
    if (text.len > 0) memcpy(copy, text.ptr, text.len);
    td_free(attached->text);
    *attached = (td_attached){.text = copy, .len = text.len, .revision = revision};
    return true;
}

void td_attached__done(td_attached *attached)
{
    td_free(attached->text);
}

td_status td_resource_policy_get(const td_call *call, td_policy_place place, td_resource_policy *ret_policy,
                                 td_error *error)
{
    td_status status = TD_OK;
    if (place.is_stream) {
        td_stream *stream = td_streams__find(call, place.label_us);
        if (stream == NULL) return TD_RAISE(error, TD_MSG_RESOURCE_NOT_FOUND);
        td_stream__lock(stream);
        status = show(call, &stream->policy, ret_policy, error);
        td_stream__unlock(stream);
        td_stream__unref(stream);
        return status;
    }
    td_table *table = td_catalog__find(call->store, call->scope, call->table);
    if (table == NULL) return TD_RAISE(error, TD_MSG_TABLE_NOT_FOUND, call->table);
    td_table__lock(table);
    status = show(call, &table->policy, ret_policy, error);
    td_table__unlock(table);
    td_table__unref(table);
    return status;
}

td_status td_resource_policy_put(const td_call *call, td_policy_place place, td_slice text, td_slice expected,
                                 int64_t *ret_revision, td_error *error)
{
    TD_TRY(td_journal__begin(call, error));
    td_status status = TD_OK;
    bool is_changed = false;
    if (place.is_stream) {
        td_stream *stream = td_streams__find(call, place.label_us);
        if (stream == NULL) return TD_RAISE(error, TD_MSG_RESOURCE_NOT_FOUND);
        td_stream__lock(stream);
        status = change_locked(call, &stream->policy, text, expected, ret_revision, &is_changed, error);
        if (is_changed) td_journal__mark_stream(stream);
        td_stream__unlock(stream);
        td_stream__unref(stream);
        return status;
    }
    td_table *table = td_catalog__find(call->store, call->scope, call->table);
    if (table == NULL) return TD_RAISE(error, TD_MSG_TABLE_NOT_FOUND, call->table);
    td_table__lock(table);
    if (table->status == TD_TABLE_DELETING) {
        status = TD_RAISE(error, TD_MSG_TABLE_IS_DELETED, call->table);
    } else {
        status = change_locked(call, &table->policy, text, expected, ret_revision, &is_changed, error);
    }
    if (is_changed) td_journal__mark_table(table);
    td_table__unlock(table);
    td_table__unref(table);
    return status;
}

static td_status change_locked(const td_call *call, td_attached *attached, td_slice text, td_slice expected,
                               int64_t *ret_revision, bool *ret_is_changed, td_error *error)
{
    TD_TRY(check_expected(call, attached, expected, error));
    if (td_slice_equal(td_slice_of(attached->text, attached->len), text)) {
        *ret_revision = attached->revision;
        return TD_OK;
    }
    int64_t revision = call->now_us / TD_US_PER_MS;
    if (revision <= attached->revision) revision = attached->revision + 1;
    *ret_revision = text.len == 0 ? attached->revision : revision;
    if (!td_attached__set(attached, text, revision)) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    *ret_is_changed = true;
    return TD_OK;
}

static td_status check_expected(const td_call *call, const td_attached *attached, td_slice expected, td_error *error)
{
    if (expected.len == 0) return TD_OK;
    td_slice revision = td_error_int(error, attached->revision);
    if (td_slice_equal(expected, NO_POLICY)) {
        if (attached->len == 0) return TD_OK;
        return TD_RAISE(error, TD_MSG_POLICY_UNEXPECTED, call->table, revision);
    }
    if (attached->revision == 0) return TD_RAISE(error, TD_MSG_POLICY_EXPECTED, expected, call->table);
    if (attached->len > 0 && td_slice_equal(expected, revision)) return TD_OK;
    return TD_RAISE(error, TD_MSG_POLICY_OTHER_REVISION, expected, call->table, revision);
}

static td_status show(const td_call *call, const td_attached *attached, td_resource_policy *ret_policy, td_error *error)
{
    ret_policy->revision = attached->revision;
    bool is_copied = td_arena_copy(call->arena, td_slice_of(attached->text, attached->len), &ret_policy->text);
    return is_copied ? TD_OK : TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
}
