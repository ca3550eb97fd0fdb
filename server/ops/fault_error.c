/* SPDX-License-Identifier: Apache-2.0
 * fault_error.c: the errors that rules can name (fault_errors.def), in the shape that the service gives them.
 *
 * Model: a throttle says which limit was exceeded and on what. Without a reason in the rule it is the limit that the
 *        exception stands for by default (throttling.md §3.3), of the index that a Query or Scan reads if that is a
 *        global one, else of the table. A reason of an index needs the index's name: the rule's, else the request's,
 *        else the table's first global index; a table without one gets the table's reason. */
#include "fault_error.h"

#include "ops.h"

static const td_fault_error errors[] = {
#define TD_FAULT_ERROR(status, message, code) {TD_##status, TD_MSG_##message, code},
#include "fault_errors.def"
#undef TD_FAULT_ERROR
};

static const td_slice any_index = TD_LIT_INIT("i"); /* reasons of indexes are told from the table's by having a name */

static td_message message_of(const td_fault_error *error, const td_throttle_reason *reason);
static td_throttle *new_throttle(const td_fault_rule *rule, const td_fault_place *place);
static td_slice find_read_index(const td_fault_place *place);
static td_slice find_index(const td_fault_rule *rule, const td_fault_place *place);

const td_fault_error *td_fault__error_find(td_slice name)
{
    for (size_t i = 0; i < TD_COUNT_OF(errors); i++) {
        if (td_slice_equal(name, td_slice_of_cstr(td_status_type(errors[i].status)))) return &errors[i];
    }
    return NULL;
}

const td_fault_error *td_fault__error_of_code(td_slice code)
{
    for (size_t i = 0; i < TD_COUNT_OF(errors) && code.len > 0; i++) {
        if (td_slice_equal(code, td_slice_of_cstr(errors[i].code))) return &errors[i];
    }
    return NULL;
}

bool td_fault__reason_find(td_slice name, td_throttle_reason *ret_reason, bool *ret_is_of_index)
{
    for (int at = 0; at < 2 * TD_LIMIT_KIND_COUNT * TD_DIRECTION_COUNT; at++) {
        td_throttle_reason reason = {.kind = (td_limit_kind)(at / 2 / TD_DIRECTION_COUNT),
                                     .direction = (td_direction)(at / 2 % TD_DIRECTION_COUNT)};
        if (!td_slice_equal(name, td_slice_of_cstr(td_fault__reason_name(&reason, at % 2 == 1)))) continue;
        *ret_reason = reason;
        *ret_is_of_index = at % 2 == 1;
        return true;
    }
    return false;
}

const char *td_fault__reason_name(const td_throttle_reason *reason, bool is_of_index)
{
    td_throttle_reason named = *reason;
    named.index = is_of_index ? any_index : TD_LIT("");
    return td_throttle_reason_name(&named);
}

td_status td_fault__raise(const td_fault_rule *rule, const td_fault_place *place, td_error *error)
{
    TD_ASSERT(rule->kind == TD_FAULT_ERROR);
    TD_ASSERT(rule->error->status != TD_TRANSACTION_CANCELED);
    td_throttle *throttle = new_throttle(rule, place);
    td_message message = message_of(rule->error, throttle == NULL ? NULL : throttle->reasons);
    td_status status = TD_RAISE(error, message);
    if (rule->has_message) error->text = rule->message;
    error->throttle = throttle;
    error->cancellations = NULL;
    return status;
}

/* throttling.md §3.3: throttles have a text for each limit. */
static td_message message_of(const td_fault_error *error, const td_throttle_reason *reason)
{
    if (reason == NULL) return error->message;
    bool is_of_index = reason->index.len > 0;
    if (error->status == TD_PROVISIONED_THROUGHPUT_EXCEEDED && is_of_index) return TD_MSG_INDEX_THROUGHPUT_EXCEEDED;
    if (error->status != TD_THROTTLING) return error->message;
    if (reason->kind == TD_LIMITED_BY_MAX_ON_DEMAND) return TD_MSG_ON_DEMAND_MAX_EXCEEDED;
    return is_of_index && reason->direction == TD_WRITE ? TD_MSG_INDEX_CAPACITY_EXCEEDED : error->message;
}

/* NULL: no throttle, or one without reasons, as of the control plane; or no memory, and then it goes without. */
static td_throttle *new_throttle(const td_fault_rule *rule, const td_fault_place *place)
{
    td_throttle_reason reason = {.direction = place->direction, .table = place->table};
    switch ((int)rule->error->status) {
    case TD_PROVISIONED_THROUGHPUT_EXCEEDED: reason.kind = TD_LIMITED_BY_PROVISIONED; break;
    case TD_THROTTLING: reason.kind = TD_LIMITED_BY_KEY_RANGE; break;
    case TD_REQUEST_LIMIT_EXCEEDED: reason.kind = TD_LIMITED_BY_ACCOUNT; break;
    default: return NULL;
    }
    if (rule->has_reason) {
        reason.kind = rule->reason.kind;
        reason.direction = rule->reason.direction;
        if (rule->is_reason_of_index) reason.index = find_index(rule, place);
    } else if (place->is_of_items) {
        reason.index = find_read_index(place);
    } else {
        return NULL;
    }
    td_throttle *throttle = td_arena_alloc(place->request->arena, sizeof(*throttle));
    td_throttle_reason *reasons = td_arena_alloc(place->request->arena, sizeof(*reasons));
    if (throttle == NULL || reasons == NULL) return NULL;
    *reasons = reason;
    *throttle = (td_throttle){.count = 1, .reasons = reasons};
    return throttle;
}

/* The global index that the request reads; local ones are the table's traffic. */
static td_slice find_read_index(const td_fault_place *place)
{
    td_call call = place->request->call;
    const td_json *json = place->request->members.at[TD_MEMBER_IndexName];
    if (json == NULL || json->type != TD_JSON_STRING) return TD_LIT("");
    td_error error = {.arena = place->request->arena};
    td_keys keys;
    call.table = place->table;
    bool is_global = td_table_find_keys(&call, json->text, &keys, &error) == TD_OK && keys.is_global;
    return is_global ? json->text : TD_LIT("");
}

static td_slice find_index(const td_fault_rule *rule, const td_fault_place *place)
{
    if (rule->error_index.len > 0) return rule->error_index;
    if (rule->index.len > 0) return rule->index;
    td_slice read = find_read_index(place);
    if (read.len > 0) return read;
    td_call call = place->request->call;
    td_error error = {.arena = place->request->arena};
    td_table_info info;
    call.table = place->table;
    if (place->table.len == 0 || td_table_describe(&call, &info, &error) != TD_OK) return TD_LIT("");
    for (uint32_t i = 0; i < info.index_count; i++) {
        if (info.indexes[i].spec.is_global) return info.indexes[i].spec.name;
    }
    return TD_LIT("");
}

/* ---- cancelled transactions -------------------------------------------------------------------------------------- */

td_cancellation td_fault__reason_of_code(const td_request *request, td_slice code)
{
    const td_fault_error *error = td_fault__error_of_code(code);
    if (error == NULL) return (td_cancellation){.code = TD_LIT("None")};
    const char *text = td_message_text(error->message, request->error.wording);
    return (td_cancellation){.code = td_slice_of_cstr(error->code), .text = td_slice_of_cstr(text)};
}

td_status td_fault__raise_canceled(td_request *request, td_cancellation *reasons, uint32_t count)
{
    td_error *error = &request->error;
    td_cancellations *cancellations = td_arena_alloc(request->arena, sizeof(*cancellations));
    td_slice *codes = td_arena_alloc_array(request->arena, count, sizeof(*codes));
    if (cancellations == NULL || codes == NULL) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    for (uint32_t i = 0; i < count; i++)
        codes[i] = reasons[i].code;
    *cancellations = (td_cancellations){.count = count, .reasons = reasons};
    td_slice joined = td_ops__join(request->arena, codes, count);
    td_status status = TD_RAISE(error, TD_MSG_TRANSACTION_CANCELED, joined);
    if (status == TD_TRANSACTION_CANCELED) error->cancellations = cancellations;
    return status;
}
