/* SPDX-License-Identifier: Apache-2.0
 * admission.c: asking the buckets of a request, charging them, and the exception when one is closed.
 *
 * Model:    throttling.md §6.2 (order of the checks, nothing taken on refusal).
 * Not here: which targets a request has (storage/engine); how buckets count (bucket.c); which exception (policy.c). */
#include "admission.h"

#include "policy.h"

#define NANO_PER_MILLI INT64_C(1000000)

static const td_limit_kind check_order[] = {
    TD_LIMITED_BY_MAX_ON_DEMAND,
    TD_LIMITED_BY_ACCOUNT,
    TD_LIMITED_BY_PROVISIONED,
    TD_LIMITED_BY_KEY_RANGE,
};
_Static_assert(TD_COUNT_OF(check_order) == TD_LIMIT_KIND_COUNT, "every limit has its place in the order");

static void refill_all(td_admission *admission);
static void ask_targets(td_admission *admission);
static bool is_listed(const td_admission *admission, const td_throttle_reason *reason);
static bool has_refused(const td_admission *admission, const td_admission_target *target);
static bool is_lagging(const td_admission *admission, const td_admission_target *target, const td_bucket *bucket);
static void enter_refusal(const td_admission *admission, const td_admission_target *target, td_limit_kind kind,
                          bool is_event);
static void add_refusal(const td_admission *admission, const td_admission_target *target, bool is_first);
static void add_contributor(const td_admission *admission, const td_admission_target *target);
static td_heat_access access_of(const td_admission_target *target, td_units units);
static void add_demand(const td_admission *admission, const td_admission_target *target, td_units units);
static td_throttle *copy_reasons(const td_admission *admission, td_arena *arena);

void td_admission_init(td_admission *admission, const td_capacity_settings *settings, td_billing_mode billing)
{
    admission->settings = settings;
    admission->enforce = settings->enforce;
    admission->reports_all = settings->values[TD_CAPACITY_report_all_reasons] != 0;
    admission->ec_factor_milli = (uint32_t)(settings->values[TD_CAPACITY_ec_read_factor] * 1000 + 0.5);
    admission->is_statement = false;
    admission->billing = billing;
    admission->now_us = 0;
    admission->target_count = 0;
    admission->reason_count = 0;
}

td_admission_target *td_admission_add(td_admission *admission, td_slice index, td_direction direction)
{
    TD_ASSERT(admission->target_count < TD_ADMISSION_TARGETS_MAX);
    td_admission_target *target = &admission->targets[admission->target_count++];
    *target = (td_admission_target){.index = index, .direction = direction};
    return target;
}

bool td_admission_ask(td_admission *admission, td_time_us now_us)
{
    admission->now_us = now_us;
    admission->reason_count = 0;
    refill_all(admission);
    if (admission->enforce == TD_ENFORCE_OFF) return true;
    ask_targets(admission);
    if (admission->reason_count == 0 || admission->enforce == TD_ENFORCE_OBSERVE) return true;
    /* A partition that is open is asked for as much as the closed one: the request was meant for both. */
    for (uint32_t i = 0; i < admission->target_count; i++)
        add_demand(admission, &admission->targets[i], admission->targets[i].offered);
    return false;
}

void td_admission_charge(const td_admission *admission, const td_admission_target *target, td_units units)
{
    for (size_t kind = 0; kind < TD_LIMIT_KIND_COUNT; kind++) {
        td_bucket *bucket = target->limits[kind];
        if (bucket == NULL) continue;
        if (kind == TD_LIMITED_BY_KEY_RANGE && target->is_eventual)
            td_bucket_take_nano(bucket, units * NANO_PER_MILLI * 1000 / admission->ec_factor_milli);
        else
            td_bucket_take(bucket, units);
    }
    if (target->ledger != NULL) {
        td_ledger_add(target->ledger, admission->now_us, target->direction, units, target->is_continued);
    }
    if (target->usage != NULL) td_usage_add(target->usage, admission->now_us, units);
    if (target->heat != NULL) {
        td_heat_access access = access_of(target, units);
        td_heat_add(target->heat, admission->now_us, &access);
    }
    if (target->contributors != NULL) {
        td_heat_access access = access_of(target, units);
        td_contributors_add(target->contributors, admission->now_us, &access);
    }
    add_demand(admission, target, units);
}

td_status td_admission_raise(const td_admission *admission, td_error *error)
{
    TD_ASSERT(admission->reason_count > 0);
    td_throttle *throttle = copy_reasons(admission, error->arena);
    if (throttle == NULL) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    td_status status = TD_RAISE(error, admission->message);
    if (status != TD_OUT_OF_MEMORY) error->throttle = throttle;
    return status;
}

static void refill_all(td_admission *admission)
{
    for (uint32_t i = 0; i < admission->target_count; i++) {
        for (size_t kind = 0; kind < TD_LIMIT_KIND_COUNT; kind++) {
            td_bucket *bucket = admission->targets[i].limits[kind];
            if (bucket != NULL) td_bucket_refill(bucket, admission->now_us);
        }
    }
}

/* A reason is listed and counted once a request, though both partitions of a moving index entry may be closed. */
static void ask_targets(td_admission *admission)
{
    for (uint32_t i = 0; i < admission->target_count; i++) {
        const td_admission_target *target = &admission->targets[i];
        uint32_t count_before = admission->reason_count;
        for (size_t j = 0; j < TD_COUNT_OF(check_order); j++) {
            td_bucket *bucket = target->limits[check_order[j]];
            if (bucket == NULL || td_bucket_is_open(bucket) || is_lagging(admission, target, bucket)) continue;
            td_throttle_reason reason = {
                .kind = check_order[j], .direction = target->direction, .index = target->index};
            if (is_listed(admission, &reason)) continue;
            if (admission->reason_count == 0) {
                admission->message = td_policy__message(&admission->settings->policy, &reason, admission->billing);
            }
            bool is_event = !has_refused(admission, target);
            admission->reasons[admission->reason_count++] = reason;
            bucket->throttled++;
            if (target->ledger != NULL) enter_refusal(admission, target, reason.kind, is_event);
            if (target->tally != NULL) td_throttle_tally_add(target->tally, reason.direction, reason.kind);
            if (target->heat != NULL) add_refusal(admission, target, admission->reason_count == count_before + 1);
            if (target->contributors != NULL && is_event) add_contributor(admission, target);
            if (!admission->reports_all) return;
        }
    }
}

/* Writes of a global index may run ahead of it by gsi_backlog seconds of its rate: it catches up with them. */
static bool is_lagging(const td_admission *admission, const td_admission_target *target, const td_bucket *bucket)
{
    const double *values = admission->settings->values;
    if (target->index.len == 0 || target->direction != TD_WRITE || values[TD_CAPACITY_gsi_backlog] == 0) return false;
    double backlog_s = values[TD_CAPACITY_gsi_backlog] / values[TD_CAPACITY_duration_divisor];
    double backlog_nano = (double)bucket->rate_milli * backlog_s * (double)TD_US_PER_S;
    return (double)bucket->balance_nano + backlog_nano > 0;
}

static bool is_listed(const td_admission *admission, const td_throttle_reason *reason)
{
    for (uint32_t i = 0; i < admission->reason_count; i++) {
        const td_throttle_reason *other = &admission->reasons[i];
        if (other->kind == reason->kind && other->direction == reason->direction &&
            td_slice_equal(other->index, reason->index))
            return true;
    }
    return false;
}

/* Whether the target's resource has, in this direction. */
static bool has_refused(const td_admission *admission, const td_admission_target *target)
{
    for (uint32_t i = 0; i < admission->reason_count; i++) {
        const td_throttle_reason *reason = &admission->reasons[i];
        if (reason->direction == target->direction && td_slice_equal(reason->index, target->index)) return true;
    }
    return false;
}

/* One operation is one throttle event of a resource, however many causes it has. */
static void enter_refusal(const td_admission *admission, const td_admission_target *target, td_limit_kind kind,
                          bool is_event)
{
    if (is_event) td_ledger_add_event(target->ledger, admission->now_us, target->direction);
    td_ledger_add_cause(target->ledger, admission->now_us, target->direction, kind);
}

/* However many limits are closed, the units are turned away once, and not at all when it is only observed. */
static void add_refusal(const td_admission *admission, const td_admission_target *target, bool is_first)
{
    bool is_turned_away = is_first && admission->enforce == TD_ENFORCE_ON;
    td_heat_access access = access_of(target, is_turned_away ? target->offered : 0);
    td_heat_add_refused(target->heat, admission->now_us, &access);
}

/* Writes of a global index are caused by those of its table: Contributor Insights do not count their throttles. */
static void add_contributor(const td_admission *admission, const td_admission_target *target)
{
    if (target->index.len > 0 && target->direction == TD_WRITE) return;
    td_heat_access access = access_of(target, 0);
    td_contributors_add_refused(target->contributors, admission->now_us, &access);
}

static td_heat_access access_of(const td_admission_target *target, td_units units)
{
    return (td_heat_access){.key = target->key,
                            .collection_len = target->collection_len,
                            .is_range = target->is_range,
                            .hash_to = target->hash_to,
                            .direction = target->direction,
                            .units = units};
}

/* In units of the partition's cap, which an eventually consistent read may take less of. */
static void add_demand(const td_admission *admission, const td_admission_target *target, td_units units)
{
    if (target->demand == NULL) return;
    td_demand_access access = {.key = target->key,
                               .collection_len = target->collection_len,
                               .direction = target->direction,
                               .units = target->is_eventual ? units * 1000 / admission->ec_factor_milli : units};
    td_demand_add(target->demand, &access);
}

/* The index names are copied too: their table may go away before the answer is written. */
static td_throttle *copy_reasons(const td_admission *admission, td_arena *arena)
{
    td_throttle *throttle = td_arena_alloc(arena, sizeof *throttle);
    if (throttle == NULL) return NULL;
    throttle->count = admission->reason_count;
    throttle->reasons = td_arena_alloc_array(arena, throttle->count, sizeof *throttle->reasons);
    if (throttle->reasons == NULL) return NULL;
    for (uint32_t i = 0; i < throttle->count; i++) {
        throttle->reasons[i] = admission->reasons[i];
        if (!td_arena_copy(arena, admission->reasons[i].index, &throttle->reasons[i].index)) return NULL;
    }
    return throttle;
}
