/* SPDX-License-Identifier: Apache-2.0
 * unprocessed.c: elements of a batch that are given back, and a batch of which nothing else is left.
 * Model: some throttled elements are given back unprocessed and no reason is told; when there were no others, the batch
 *        fails like one of them: like one that exceeded provisioned throughput, if there is one, and with the reasons
 *        of all. A partition's limit is no matter of provisioned throughput to BatchWriteItem (throttling.md §3.5). */
#include "batch.h"
#include "fault_ask.h"

#define REASONS_START 4

static td_status note_throttle(td_request *request, td_ops_unprocessed *unprocessed, const td_error *error);
static td_status raise_throttled(td_request *request, const td_ops_unprocessed *unprocessed, bool is_write);
static bool is_noted(const td_ops_unprocessed *unprocessed, const td_throttle_reason *reason);
static bool add_reason(td_arena *arena, td_ops_unprocessed *unprocessed, const td_throttle_reason *reason);

bool td_ops__is_throttle(td_status status)
{
    return status == TD_PROVISIONED_THROUGHPUT_EXCEEDED || status == TD_THROTTLING ||
           status == TD_REQUEST_LIMIT_EXCEEDED;
}

td_status td_ops__strike(td_request *request, const td_json *element, td_ops_unprocessed *unprocessed,
                         bool *ret_is_struck)
{
    const td_fault_element *fault = td_ops__find_fault(request, element);
    *ret_is_struck = fault != NULL;
    return fault == NULL || fault->error == NULL ? TD_OK : note_throttle(request, unprocessed, fault->error);
}

td_status td_ops__give_back(td_request *request, td_status status, const td_error *error,
                            td_ops_unprocessed *unprocessed)
{
    TD_ASSERT(status != TD_OK);
    if (td_ops__is_throttle(status)) return note_throttle(request, unprocessed, error);
    if (status == TD_OUT_OF_MEMORY) {
        unprocessed->failed_count++;
        unprocessed->failure = *error;
        return TD_OK;
    }
    request->error = *error;
    return status;
}

td_status td_ops__check_processed(td_request *request, const td_ops_unprocessed *unprocessed, uint32_t element_count,
                                  bool is_write)
{
    if (unprocessed->failed_count == element_count) {
        request->error = unprocessed->failure;
        return TD_OUT_OF_MEMORY;
    }
    return unprocessed->throttled_count < element_count ? TD_OK : raise_throttled(request, unprocessed, is_write);
}

static td_status note_throttle(td_request *request, td_ops_unprocessed *unprocessed, const td_error *error)
{
    const td_throttle *throttle = error->throttle;
    TD_ASSERT(throttle != NULL && throttle->count > 0);
    bool is_first = unprocessed->throttled_count == 0;
    bool is_provisioned = throttle->reasons[0].kind == TD_LIMITED_BY_PROVISIONED;
    if (is_first || (is_provisioned && unprocessed->reason.kind != TD_LIMITED_BY_PROVISIONED)) {
        unprocessed->message = error->message;
        unprocessed->reason = throttle->reasons[0];
    }
    unprocessed->throttled_count++;
    for (uint32_t i = 0; i < throttle->count; i++) {
        td_throttle_reason reason = throttle->reasons[i];
        reason.table = request->call.table;
        if (is_noted(unprocessed, &reason)) continue;
        if (!add_reason(request->arena, unprocessed, &reason)) return TD_RAISE(&request->error, TD_MSG_OUT_OF_MEMORY);
    }
    return TD_OK;
}

static bool is_noted(const td_ops_unprocessed *unprocessed, const td_throttle_reason *reason)
{
    for (uint32_t i = 0; i < unprocessed->reasons.count; i++) {
        const td_throttle_reason *other = &unprocessed->reasons.reasons[i];
        if (other->kind == reason->kind && other->direction == reason->direction &&
            td_slice_equal(other->index, reason->index) && td_slice_equal(other->table, reason->table)) {
            return true;
        }
    }
    return false;
}

static bool add_reason(td_arena *arena, td_ops_unprocessed *unprocessed, const td_throttle_reason *reason)
{
    td_throttle *all = &unprocessed->reasons;
    if (all->count == unprocessed->reasons_max) {
        uint32_t room = all->count == 0 ? REASONS_START : 2 * all->count;
        td_throttle_reason *grown = td_arena_alloc_array(arena, room, sizeof(*grown));
        if (grown == NULL) return false;
        if (all->count > 0) memcpy(grown, all->reasons, all->count * sizeof(*grown));
        all->reasons = grown;
        unprocessed->reasons_max = room;
    }
    all->reasons[all->count++] = *reason;
    return true;
}

static td_status raise_throttled(td_request *request, const td_ops_unprocessed *unprocessed, bool is_write)
{
    td_message message = unprocessed->message;
    if (is_write && unprocessed->reason.kind == TD_LIMITED_BY_KEY_RANGE) {
        message = unprocessed->reason.index.len > 0 ? TD_MSG_INDEX_CAPACITY_EXCEEDED : TD_MSG_CAPACITY_EXCEEDED;
    }
    td_throttle *reasons = td_arena_alloc(request->arena, sizeof(*reasons));
    if (reasons == NULL) return TD_RAISE(&request->error, TD_MSG_OUT_OF_MEMORY);
    *reasons = unprocessed->reasons;
    td_status status = TD_RAISE(&request->error, message);
    if (status != TD_OUT_OF_MEMORY) request->error.throttle = reasons;
    return status;
}
