/* SPDX-License-Identifier: MIT
 * admission.c: asking the buckets of a request, charging them, and the exception when one is closed.
 *
 * Model:    throttling.md §6.2 (order of the checks, nothing taken on refusal), §3.2 (names), §3.3 (exceptions).
 * Not here: which targets a request has (storage/engine); how buckets count (bucket.c). */
#include "admission.h"

#define NANO_PER_MILLI INT64_C(1000000)

static const td_limit_kind check_order[] = {
    TD_LIMITED_BY_MAX_ON_DEMAND,
    TD_LIMITED_BY_ACCOUNT,
    TD_LIMITED_BY_PROVISIONED,
    TD_LIMITED_BY_KEY_RANGE,
};
_Static_assert(TD_COUNT_OF(check_order) == TD_LIMIT_KIND_COUNT, "every limit has its place in the order");

/* Which message, and so which exception, speaks for a limit: the first row that fits. */
enum { ON_TABLE = 1, ON_INDEX = 2, ANYWHERE = ON_TABLE | ON_INDEX };
enum { READING = 1 << TD_READ, WRITING = 1 << TD_WRITE, ANY_WAY = READING | WRITING };
enum {
    PROVISIONED = 1 << TD_BILLING_PROVISIONED,
    ON_DEMAND = 1 << TD_BILLING_ON_DEMAND,
    ANY_MODE = PROVISIONED | ON_DEMAND
};

typedef struct policy {
    td_limit_kind kind;
    unsigned places;
    unsigned ways;
    unsigned modes;
    td_message message;
} policy;

static const policy policies[] = {
    {TD_LIMITED_BY_PROVISIONED, ON_TABLE, ANY_WAY, ANY_MODE, TD_MSG_TABLE_THROUGHPUT_EXCEEDED},
    {TD_LIMITED_BY_PROVISIONED, ON_INDEX, ANY_WAY, ANY_MODE, TD_MSG_INDEX_THROUGHPUT_EXCEEDED},
    {TD_LIMITED_BY_KEY_RANGE, ON_INDEX, WRITING, ANY_MODE, TD_MSG_INDEX_CAPACITY_EXCEEDED},
    {TD_LIMITED_BY_KEY_RANGE, ON_INDEX, READING, PROVISIONED, TD_MSG_INDEX_THROUGHPUT_EXCEEDED},
    {TD_LIMITED_BY_KEY_RANGE, ON_TABLE, ANY_WAY, PROVISIONED, TD_MSG_TABLE_THROUGHPUT_EXCEEDED},
    {TD_LIMITED_BY_KEY_RANGE, ANYWHERE, ANY_WAY, ON_DEMAND, TD_MSG_CAPACITY_EXCEEDED},
    {TD_LIMITED_BY_MAX_ON_DEMAND, ANYWHERE, ANY_WAY, ANY_MODE, TD_MSG_ON_DEMAND_MAX_EXCEEDED},
    {TD_LIMITED_BY_ACCOUNT, ON_INDEX, WRITING, ANY_MODE, TD_MSG_INDEX_CAPACITY_EXCEEDED},
    {TD_LIMITED_BY_ACCOUNT, ANYWHERE, ANY_WAY, ANY_MODE, TD_MSG_ACCOUNT_LIMIT_EXCEEDED},
};

typedef const char *reason_names[TD_DIRECTION_COUNT];

static const reason_names table_reasons[TD_LIMIT_KIND_COUNT] = {
    [TD_LIMITED_BY_PROVISIONED] = {"TableReadProvisionedThroughputExceeded", "TableWriteProvisionedThroughputExceeded"},
    [TD_LIMITED_BY_KEY_RANGE] = {"TableReadKeyRangeThroughputExceeded", "TableWriteKeyRangeThroughputExceeded"},
    [TD_LIMITED_BY_ACCOUNT] = {"TableReadAccountLimitExceeded", "TableWriteAccountLimitExceeded"},
    [TD_LIMITED_BY_MAX_ON_DEMAND] = {"TableReadMaxOnDemandThroughputExceeded",
                                     "TableWriteMaxOnDemandThroughputExceeded"},
};

static const reason_names index_reasons[TD_LIMIT_KIND_COUNT] = {
    [TD_LIMITED_BY_PROVISIONED] = {"IndexReadProvisionedThroughputExceeded", "IndexWriteProvisionedThroughputExceeded"},
    [TD_LIMITED_BY_KEY_RANGE] = {"IndexReadKeyRangeThroughputExceeded", "IndexWriteKeyRangeThroughputExceeded"},
    [TD_LIMITED_BY_ACCOUNT] = {"IndexReadAccountLimitExceeded", "IndexWriteAccountLimitExceeded"},
    [TD_LIMITED_BY_MAX_ON_DEMAND] = {"IndexReadMaxOnDemandThroughputExceeded",
                                     "IndexWriteMaxOnDemandThroughputExceeded"},
};

static void refill_all(td_admission *admission);
static void ask_targets(td_admission *admission);
static bool is_listed(const td_admission *admission, const td_throttle_reason *reason);
static td_message message_for(const td_throttle_reason *reason, td_billing_mode billing);
static td_throttle *copy_reasons(const td_admission *admission, td_arena *arena);

void td_admission_init(td_admission *admission, const td_capacity_settings *settings, td_billing_mode billing)
{
    admission->enforce = settings->enforce;
    admission->reports_all = settings->values[TD_CAPACITY_report_all_reasons] != 0;
    admission->ec_factor_milli = (uint32_t)(settings->values[TD_CAPACITY_ec_read_factor] * 1000 + 0.5);
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
    return admission->reason_count == 0 || admission->enforce == TD_ENFORCE_OBSERVE;
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
    if (target->usage != NULL) td_usage_add(target->usage, admission->now_us, units);
}

td_status td_admission_raise(const td_admission *admission, td_error *error)
{
    TD_ASSERT(admission->reason_count > 0);
    td_throttle *throttle = copy_reasons(admission, error->arena);
    if (throttle == NULL) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    td_status status = TD_RAISE(error, message_for(&admission->reasons[0], admission->billing));
    if (status != TD_OUT_OF_MEMORY) error->throttle = throttle;
    return status;
}

const char *td_throttle_reason_name(const td_throttle_reason *reason)
{
    const reason_names *names = reason->index.len == 0 ? table_reasons : index_reasons;
    return names[reason->kind][reason->direction];
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
        for (size_t j = 0; j < TD_COUNT_OF(check_order); j++) {
            td_bucket *bucket = target->limits[check_order[j]];
            if (bucket == NULL || td_bucket_is_open(bucket)) continue;
            td_throttle_reason reason = {
                .kind = check_order[j], .direction = target->direction, .index = target->index};
            if (is_listed(admission, &reason)) continue;
            admission->reasons[admission->reason_count++] = reason;
            bucket->throttled++;
            if (target->tally != NULL) td_throttle_tally_add(target->tally, reason.direction, reason.kind);
            if (!admission->reports_all) return;
        }
    }
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

static td_message message_for(const td_throttle_reason *reason, td_billing_mode billing)
{
    unsigned place = reason->index.len == 0 ? ON_TABLE : ON_INDEX;
    unsigned way = 1U << reason->direction;
    unsigned mode = 1U << billing;
    for (size_t i = 0; i < TD_COUNT_OF(policies); i++) {
        const policy *row = &policies[i];
        bool fits = (row->places & place) != 0 && (row->ways & way) != 0 && (row->modes & mode) != 0;
        if (fits && row->kind == reason->kind) return row->message;
    }
    TD_ASSERT(false && "every limit has a policy");
    return TD_MSG_CAPACITY_EXCEEDED;
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
