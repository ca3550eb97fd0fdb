/* SPDX-License-Identifier: Apache-2.0
 * throttled.c: a batch whose elements were throttled.
 * Model: some throttled elements are given back unprocessed and no reason is told; when there were no others, the batch
 *        fails like one of them: like one that exceeded provisioned throughput, if there is one, and with the reasons
 *        of all. A partition's limit is no matter of provisioned throughput to BatchWriteItem (throttling.md §3.5). */
#include "batch.h"

#define REASONS_START 4

static bool is_noted(const td_ops_throttled *throttled, const td_throttle_reason *reason);
static bool add_reason(td_arena *arena, td_ops_throttled *throttled, const td_throttle_reason *reason);

bool td_ops__is_throttle(td_status status)
{
    return status == TD_PROVISIONED_THROUGHPUT_EXCEEDED || status == TD_THROTTLING ||
           status == TD_REQUEST_LIMIT_EXCEEDED;
}

td_status td_ops__note_throttle(td_request *request, td_ops_throttled *throttled, const td_error *error)
{
    const td_throttle *throttle = error->throttle;
    TD_ASSERT(throttle != NULL && throttle->count > 0);
    bool is_first = throttled->count == 0;
    bool is_provisioned = throttle->reasons[0].kind == TD_LIMITED_BY_PROVISIONED;
    if (is_first || (is_provisioned && throttled->reason.kind != TD_LIMITED_BY_PROVISIONED)) {
        throttled->message = error->message;
        throttled->reason = throttle->reasons[0];
    }
    throttled->count++;
    for (uint32_t i = 0; i < throttle->count; i++) {
        td_throttle_reason reason = throttle->reasons[i];
        reason.table = request->call.table;
        if (is_noted(throttled, &reason)) continue;
        if (!add_reason(request->arena, throttled, &reason)) return TD_RAISE(&request->error, TD_MSG_OUT_OF_MEMORY);
    }
    return TD_OK;
}

static bool is_noted(const td_ops_throttled *throttled, const td_throttle_reason *reason)
{
    for (uint32_t i = 0; i < throttled->reasons.count; i++) {
        const td_throttle_reason *other = &throttled->reasons.reasons[i];
        if (other->kind == reason->kind && other->direction == reason->direction &&
            td_slice_equal(other->index, reason->index) && td_slice_equal(other->table, reason->table)) {
            return true;
        }
    }
    return false;
}

static bool add_reason(td_arena *arena, td_ops_throttled *throttled, const td_throttle_reason *reason)
{
    td_throttle *all = &throttled->reasons;
    if (all->count == throttled->reasons_max) {
        uint32_t room = all->count == 0 ? REASONS_START : 2 * all->count;
        td_throttle_reason *grown = td_arena_alloc_array(arena, room, sizeof(*grown));
        if (grown == NULL) return false;
        if (all->count > 0) memcpy(grown, all->reasons, all->count * sizeof(*grown));
        all->reasons = grown;
        throttled->reasons_max = room;
    }
    all->reasons[all->count++] = *reason;
    return true;
}

td_status td_ops__raise_throttled(td_request *request, const td_ops_throttled *throttled, bool is_write)
{
    td_message message = throttled->message;
    if (is_write && throttled->reason.kind == TD_LIMITED_BY_KEY_RANGE) {
        message = throttled->reason.index.len > 0 ? TD_MSG_INDEX_CAPACITY_EXCEEDED : TD_MSG_CAPACITY_EXCEEDED;
    }
    td_throttle *reasons = td_arena_alloc(request->arena, sizeof(*reasons));
    if (reasons == NULL) return TD_RAISE(&request->error, TD_MSG_OUT_OF_MEMORY);
    *reasons = throttled->reasons;
    td_status status = TD_RAISE(&request->error, message);
    if (status != TD_OUT_OF_MEMORY) request->error.throttle = reasons;
    return status;
}
