/* SPDX-License-Identifier: Apache-2.0
 * policy.c: which exception, with which text, speaks for a limit: the defaults, and what settings make of them.
 *
 *   cell    limit × (table, index) × (read, write) × (provisioned, on-demand), numbered in that order
 *   answer  M1 … M6: a message, which has its exception
 *
 * Model:    throttling.md §3.2 (names of the reasons), §3.3 (the defaults). Sources and observations of the service
 *           disagree about some cells, so each can be changed.
 * Not here: which limit refused a request (admission.c); a batch whose elements were all refused (server/ops). */
#include "policy.h"

enum { ON_TABLE = 1, ON_INDEX = 2, ANYWHERE = ON_TABLE | ON_INDEX };
enum { READING = 1 << TD_READ, WRITING = 1 << TD_WRITE, ANY_WAY = READING | WRITING };
enum {
    PROVISIONED = 1 << TD_BILLING_PROVISIONED,
    ON_DEMAND = 1 << TD_BILLING_ON_DEMAND,
    ANY_MODE = PROVISIONED | ON_DEMAND
};

/* Which answer a group of cells has: the first row that fits. */
typedef struct rule {
    td_limit_kind kind;
    unsigned places;
    unsigned ways;
    unsigned modes;
    td_throttle_answer answer;
} rule;

static const rule rules[] = {
    {TD_LIMITED_BY_PROVISIONED, ON_TABLE, ANY_WAY, ANY_MODE, TD_ANSWER_M1},
    {TD_LIMITED_BY_PROVISIONED, ON_INDEX, ANY_WAY, ANY_MODE, TD_ANSWER_M2},
    {TD_LIMITED_BY_KEY_RANGE, ON_INDEX, WRITING, ANY_MODE, TD_ANSWER_M4},
    {TD_LIMITED_BY_KEY_RANGE, ON_INDEX, READING, PROVISIONED, TD_ANSWER_M2},
    {TD_LIMITED_BY_KEY_RANGE, ON_TABLE, ANY_WAY, PROVISIONED, TD_ANSWER_M1},
    {TD_LIMITED_BY_KEY_RANGE, ANYWHERE, ANY_WAY, ON_DEMAND, TD_ANSWER_M3},
    {TD_LIMITED_BY_MAX_ON_DEMAND, ANYWHERE, ANY_WAY, ANY_MODE, TD_ANSWER_M5},
    {TD_LIMITED_BY_ACCOUNT, ON_INDEX, WRITING, ANY_MODE, TD_ANSWER_M4},
    {TD_LIMITED_BY_ACCOUNT, ANYWHERE, ANY_WAY, ANY_MODE, TD_ANSWER_M6},
};

typedef struct voice {
    const char *name;
    const char *exception;
    td_message message;
} voice;

#define PROVISIONED_EXCEEDED "ProvisionedThroughputExceededException"
#define THROTTLING "ThrottlingException"
#define LIMIT_EXCEEDED "RequestLimitExceeded"

static const voice voices[TD_ANSWER_COUNT] = {
    [TD_ANSWER_DEFAULT] = {"default", NULL, TD_MSG_CAPACITY_EXCEEDED},
    [TD_ANSWER_M1] = {"M1", PROVISIONED_EXCEEDED, TD_MSG_TABLE_THROUGHPUT_EXCEEDED},
    [TD_ANSWER_M2] = {"M2", PROVISIONED_EXCEEDED, TD_MSG_INDEX_THROUGHPUT_EXCEEDED},
    [TD_ANSWER_M3] = {"M3", THROTTLING, TD_MSG_CAPACITY_EXCEEDED},
    [TD_ANSWER_M4] = {"M4", THROTTLING, TD_MSG_INDEX_CAPACITY_EXCEEDED},
    [TD_ANSWER_M5] = {"M5", THROTTLING, TD_MSG_ON_DEMAND_MAX_EXCEEDED},
    [TD_ANSWER_M6] = {"M6", LIMIT_EXCEEDED, TD_MSG_ACCOUNT_LIMIT_EXCEEDED},
};

/* By limit, place and direction: the first three digits of a cell's number. */
#define REASON_COUNT (TD_POLICY_CELL_COUNT / 2)
static const char *const reasons[REASON_COUNT] = {
    "TableReadProvisionedThroughputExceeded", "TableWriteProvisionedThroughputExceeded",
    "IndexReadProvisionedThroughputExceeded", "IndexWriteProvisionedThroughputExceeded",
    "TableReadKeyRangeThroughputExceeded",    "TableWriteKeyRangeThroughputExceeded",
    "IndexReadKeyRangeThroughputExceeded",    "IndexWriteKeyRangeThroughputExceeded",
    "TableReadAccountLimitExceeded",          "TableWriteAccountLimitExceeded",
    "IndexReadAccountLimitExceeded",          "IndexWriteAccountLimitExceeded",
    "TableReadMaxOnDemandThroughputExceeded", "TableWriteMaxOnDemandThroughputExceeded",
    "IndexReadMaxOnDemandThroughputExceeded", "IndexWriteMaxOnDemandThroughputExceeded",
};
static const char *const modes[] = {
    [TD_BILLING_PROVISIONED] = "PROVISIONED", [TD_BILLING_ON_DEMAND] = "PAY_PER_REQUEST"};

#define FAULT_REASON                                                                                                   \
    "a cell must be one of the 16 throttling reasons, such as TableReadKeyRangeThroughputExceeded, alone or with "     \
    "/PROVISIONED or /PAY_PER_REQUEST behind it"
#define FAULT_MODE                                                                                                     \
    "a limit of on-demand has no cell /PROVISIONED, and a limit of provisioned throughput none /PAY_PER_REQUEST"
#define FAULT_ANSWER                                                                                                   \
    "a cell's answer must be " PROVISIONED_EXCEEDED ", " THROTTLING ", " LIMIT_EXCEEDED ", M1 to M6, or default"
#define FAULT_PAIR "it must be a list of REASON=EXCEPTION parted by commas"

static uint32_t reason_number(const td_throttle_reason *reason);
static td_throttle_answer answer_of(const td_exception_policy *policy, uint32_t cell);
static td_throttle_answer fitting_answer(uint32_t cell, const char *exception);
static bool exists(uint32_t cell);
static bool find_answer(uint32_t cell, td_slice name, td_throttle_answer *ret_answer);
static td_slice trim(td_slice text);
static size_t find_byte(td_slice text, uint8_t byte);

const char *td_throttle_reason_name(const td_throttle_reason *reason)
{
    return reasons[reason_number(reason)];
}

td_message td_policy__message(const td_exception_policy *policy, const td_throttle_reason *reason,
                              td_billing_mode billing)
{
    return voices[answer_of(policy, 2 * reason_number(reason) + (uint32_t)billing)].message;
}

bool td_policy_set(td_capacity_patch *patch, td_slice cell, td_slice answer, const char **ret_fault)
{
    size_t slash = find_byte(cell, '/');
    td_slice mode = slash == cell.len ? td_slice_of(NULL, 0) : td_slice_of(cell.ptr + slash + 1, cell.len - slash - 1);
    uint32_t reason = 0;
    while (reason < REASON_COUNT && !td_slice_equal(td_slice_of(cell.ptr, slash), td_slice_of_cstr(reasons[reason])))
        reason++;
    bool is_marked = false;
    *ret_fault = FAULT_REASON;
    for (uint32_t billing = 0; reason < REASON_COUNT && billing < TD_COUNT_OF(modes); billing++) {
        uint32_t at = 2 * reason + billing;
        if (slash < cell.len && !td_slice_equal(mode, td_slice_of_cstr(modes[billing]))) continue;
        *ret_fault = FAULT_MODE;
        if (!exists(at)) continue;
        td_throttle_answer found;
        *ret_fault = FAULT_ANSWER;
        if (!find_answer(at, answer, &found)) return false;
        patch->has_answer[at] = true;
        patch->settings.policy.answers[at] = (uint8_t)found;
        is_marked = true;
    }
    return is_marked;
}

bool td_policy_parse(td_capacity_patch *patch, td_slice text, const char **ret_fault)
{
    while (trim(text).len > 0) {
        size_t comma = find_byte(text, ',');
        td_slice pair = td_slice_of(text.ptr, comma);
        size_t equals = find_byte(pair, '=');
        *ret_fault = FAULT_PAIR;
        if (equals == pair.len) return false;
        td_slice answer = td_slice_of(pair.ptr + equals + 1, pair.len - equals - 1);
        if (!td_policy_set(patch, trim(td_slice_of(pair.ptr, equals)), trim(answer), ret_fault)) return false;
        size_t used = comma < text.len ? comma + 1 : comma;
        text = td_slice_of(text.ptr + used, text.len - used);
    }
    return true;
}

bool td_policy_get_row(const td_exception_policy *policy, uint32_t cell, td_policy_row *ret_row)
{
    TD_ASSERT(cell < TD_POLICY_CELL_COUNT);
    if (!exists(cell)) return false;
    td_throttle_answer answer = answer_of(policy, cell);
    const char *exception = voices[answer].exception;
    bool fits = fitting_answer(cell, exception) == answer;
    *ret_row = (td_policy_row){reasons[cell / 2], modes[cell % 2], fits ? exception : voices[answer].name};
    return true;
}

static uint32_t reason_number(const td_throttle_reason *reason)
{
    uint32_t place = reason->index.len == 0 ? 0 : 1;
    return ((uint32_t)reason->kind * 2 + place) * 2 + (uint32_t)reason->direction;
}

static td_throttle_answer answer_of(const td_exception_policy *policy, uint32_t cell)
{
    if (policy->answers[cell] != TD_ANSWER_DEFAULT) return (td_throttle_answer)policy->answers[cell];
    unsigned mode = 1U << cell % 2;
    unsigned way = 1U << cell / 2 % 2;
    unsigned place = 1U << cell / 4 % 2;
    for (size_t i = 0; i < TD_COUNT_OF(rules); i++) {
        const rule *row = &rules[i];
        bool fits = (row->places & place) != 0 && (row->ways & way) != 0 && (row->modes & mode) != 0;
        if (fits && row->kind == (td_limit_kind)(cell / 8)) return row->answer;
    }
    TD_ASSERT(false && "every limit has a rule");
    return TD_ANSWER_M3;
}

/* The text of an exception that speaks of what the cell is about. */
static td_throttle_answer fitting_answer(uint32_t cell, const char *exception)
{
    bool is_index = cell / 4 % 2 == 1;
    bool is_write = cell / 2 % 2 == 1;
    if (strcmp(exception, LIMIT_EXCEEDED) == 0) return TD_ANSWER_M6;
    if (strcmp(exception, PROVISIONED_EXCEEDED) == 0) return is_index ? TD_ANSWER_M2 : TD_ANSWER_M1;
    if (cell / 8 == TD_LIMITED_BY_MAX_ON_DEMAND) return TD_ANSWER_M5;
    return is_index && is_write ? TD_ANSWER_M4 : TD_ANSWER_M3;
}

static bool exists(uint32_t cell)
{
    bool is_provisioned = cell % 2 == TD_BILLING_PROVISIONED;
    switch ((td_limit_kind)(cell / 8)) {
    case TD_LIMITED_BY_PROVISIONED: return is_provisioned;
    case TD_LIMITED_BY_KEY_RANGE: return true;
    case TD_LIMITED_BY_ACCOUNT:
    case TD_LIMITED_BY_MAX_ON_DEMAND: return !is_provisioned;
    case TD_LIMIT_KIND_COUNT: break;
    }
    return false;
}

static bool find_answer(uint32_t cell, td_slice name, td_throttle_answer *ret_answer)
{
    for (int i = 0; i < TD_ANSWER_COUNT; i++) {
        const voice *row = &voices[i];
        if (td_slice_equal(name, td_slice_of_cstr(row->name))) {
            *ret_answer = (td_throttle_answer)i;
            return true;
        }
        if (row->exception == NULL || !td_slice_equal(name, td_slice_of_cstr(row->exception))) continue;
        *ret_answer = fitting_answer(cell, row->exception);
        return true;
    }
    return false;
}

static td_slice trim(td_slice text)
{
    while (text.len > 0 && (text.ptr[0] == ' ' || text.ptr[0] == '\t'))
        text = td_slice_of(text.ptr + 1, text.len - 1);
    while (text.len > 0 && (text.ptr[text.len - 1] == ' ' || text.ptr[text.len - 1] == '\t'))
        text.len--;
    return text;
}

/* The byte's position, or the length. */
static size_t find_byte(td_slice text, uint8_t byte)
{
    size_t at = 0;
    while (at < text.len && text.ptr[at] != byte)
        at++;
    return at;
}
