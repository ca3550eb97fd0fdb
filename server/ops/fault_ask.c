/* SPDX-License-Identifier: Apache-2.0
 * fault_ask.c: asks the rules about one request.
 *
 * Model: a request is about targets: one, or the elements of a batch or the actions of a transaction, each with a table
 *        and, where it is about one item, with its key. A rule whose effect is the element's (unprocessed; an error by
 *        key, where the service tells it of the element) is matched by each target on its own; any other rule once,
 *        by the request, when one of its targets fits.
 *        Rules are asked in their order. Latencies add up; the first error or dropped connection that fires decides the
 *        request, and an element is decided by the first rule that fires on it. Later rules are not asked any more.
 * Not here: the list and its draws (fault.c), the errors (fault_error.c), what a target is (fault_target.c). */
#include "fault_ask.h"

#include "batch.h"
#include "fault_error.h"
#include "fault_target.h"
#include "statement.h"

/* A rule that fired, for the log. */
typedef struct event {
    uint64_t number;
    td_fault_kind kind;
    uint32_t count;
} event;

typedef struct asking {
    td_request *request;
    const td_operation *operation;
    size_t row; /* of operations.def */
    td_fault_targets targets;
    td_fault_rule *decided_by; /* of the request: an error */
    bool is_over;
    event events[TD_LIMIT_FAULT_RULES_MAX];
    uint32_t event_count;
} asking;

static td_status ask_locked(asking *it, td_fault_entry *entry);
static void log_events(const asking *it);
static td_status conclude(asking *it);

td_status td_ops__ask_faults(td_request *request, const td_operation *operation)
{
    asking it = {.request = request, .operation = operation, .row = (size_t)(operation - td_operation_at(0))};
    TD_TRY(td_fault__find_targets(request, operation, &it.targets));
    td_fault_set *set = request->service->faults->set;
    td_status status = TD_OK;
    pthread_mutex_lock(&set->lock);
    for (uint32_t i = 0; i < set->count && status == TD_OK && !it.is_over; i++)
        status = ask_locked(&it, &set->entries[i]);
    pthread_mutex_unlock(&set->lock);
    log_events(&it);
    return status == TD_OK ? conclude(&it) : status;
}

const td_fault_element *td_ops__find_fault(const td_request *request, const td_json *json)
{
    const td_fault_plan *plan = request->faults;
    for (uint32_t i = 0; plan != NULL && i < plan->count; i++) {
        if (plan->elements[i].json == json) return &plan->elements[i];
    }
    return NULL;
}

td_status td_ops__cancel_by_faults(td_request *request, const td_json *actions)
{
    if (request->faults == NULL) return TD_OK;
    td_cancellation *reasons = td_arena_alloc_array(request->arena, actions->count, sizeof(*reasons));
    if (reasons == NULL) return TD_RAISE(&request->error, TD_MSG_OUT_OF_MEMORY);
    for (uint32_t i = 0; i < actions->count; i++) {
        const td_fault_element *fault = td_ops__find_fault(request, &actions->children[i]);
        reasons[i] = fault == NULL ? (td_cancellation){.code = TD_LIT("None")}
                                   : (td_cancellation){.code = fault->code, .text = fault->error->text};
    }
    return td_fault__raise_canceled(request, reasons, actions->count);
}

/* ---- matching ---------------------------------------------------------------------------------------------------- */

static bool fits_request(const asking *it, const td_fault_rule *rule);
static bool is_of_elements(const asking *it, const td_fault_rule *rule);
static td_status ask_elements_locked(asking *it, td_fault_entry *entry);
static td_status decide(asking *it, td_fault_rule *rule, td_fault_rule **ret_place);

static void note(asking *it, const td_fault_entry *entry)
{
    bool is_noted = it->event_count > 0 && it->events[it->event_count - 1].number == entry->number;
    if (!is_noted) it->events[it->event_count++] = (event){.number = entry->number, .kind = entry->rule->kind};
    it->events[it->event_count - 1].count++;
}

static td_status ask_locked(asking *it, td_fault_entry *entry)
{
    td_fault_rule *rule = entry->rule;
    td_fate *fate = &it->request->fate;
    if (!fits_request(it, rule)) return TD_OK;
    if (is_of_elements(it, rule)) return ask_elements_locked(it, entry);
    bool fits = false;
    for (uint32_t i = 0; i < it->targets.count && !fits; i++)
        fits = td_fault__fits(it->request, rule, &it->targets.at[i]);
    if (!fits || !td_fault__fires_locked(entry)) return TD_OK;
    note(it, entry);
    uint32_t room_ms = TD_LIMIT_FAULT_LATENCY_MS_MAX - fate->delay_ms;
    uint32_t latency_ms = 0;
    switch (rule->kind) {
    case TD_FAULT_LATENCY:
        latency_ms = td_fault__draw_latency_locked(entry);
        fate->delay_ms += latency_ms < room_ms ? latency_ms : room_ms;
        return TD_OK;
    case TD_FAULT_DROP_BEFORE: it->request->is_lost = true; break;
    case TD_FAULT_DROP_AFTER: break;
    case TD_FAULT_ERROR: it->is_over = true; return decide(it, rule, &it->decided_by);
    case TD_FAULT_UNPROCESSED: TD_UNREACHABLE("unprocessed is of elements");
    }
    fate->is_dropped = true;
    it->is_over = true;
    return TD_OK;
}

static bool fits_request(const asking *it, const td_fault_rule *rule)
{
    if (!td_fault__names_operation(rule, it->row)) return false;
    if (rule->scope.len > 0 && !td_slice_equal(rule->scope, it->request->call.scope)) return false;
    bool has_statements = it->targets.form >= TD_FORM_STATEMENT; /* which name their indexes themselves */
    if (rule->index.len > 0 && !has_statements &&
        !td_slice_equal(rule->index, td_ops__text(td_ops__get(it->request, TD_MEMBER_IndexName)))) {
        return false;
    }
    return rule->kind != TD_FAULT_UNPROCESSED || it->targets.form == TD_FORM_GETS ||
           it->targets.form == TD_FORM_WRITES;
}

/* Where the service tells the error of an element: a throttle in a batch, a reason of cancellation, the error of a
 * statement. */
static bool is_of_elements(const asking *it, const td_fault_rule *rule)
{
    if (rule->kind == TD_FAULT_UNPROCESSED) return true;
    if (rule->kind != TD_FAULT_ERROR || rule->key_count == 0) return false;
    if (td_fault__is_transaction(&it->targets)) return rule->error->code[0] != '\0';
    if (it->targets.form == TD_FORM_STATEMENTS) return td_ops__statement_code(rule->error->status).len > 0;
    return (it->targets.form == TD_FORM_GETS || it->targets.form == TD_FORM_WRITES) &&
           td_ops__is_throttle(rule->error->status);
}

static td_status ask_elements_locked(asking *it, td_fault_entry *entry)
{
    for (uint32_t i = 0; i < it->targets.count; i++) {
        td_fault_target *target = &it->targets.at[i];
        if (target->decided_by != NULL || !td_fault__fits(it->request, entry->rule, target)) continue;
        if (!td_fault__fires_locked(entry)) continue;
        note(it, entry);
        TD_TRY(decide(it, entry->rule, &target->decided_by));
    }
    return TD_OK;
}

static void release_rule(void *rule)
{
    td_fault__rule_unref(rule);
}

/* The request keeps the rule: its texts go into the answer. */
static td_status decide(asking *it, td_fault_rule *rule, td_fault_rule **ret_place)
{
    if (!td_arena_defer(it->request->arena, release_rule, td_fault__rule_ref(rule))) {
        td_fault__rule_unref(rule);
        return TD_RAISE(&it->request->error, TD_MSG_OUT_OF_MEMORY);
    }
    *ret_place = rule;
    return TD_OK;
}

static void log_events(const asking *it)
{
    static const char *const kinds[] = {[TD_FAULT_ERROR] = "error",
                                        [TD_FAULT_LATENCY] = "latency",
                                        [TD_FAULT_DROP_BEFORE] = "drop before",
                                        [TD_FAULT_DROP_AFTER] = "drop after",
                                        [TD_FAULT_UNPROCESSED] = "unprocessed"};
    td_log *log = it->request->service->log;
    if (log == NULL || !td_log_is_on(log, TD_LOG_DEBUG)) return;
    for (uint32_t i = 0; i < it->event_count; i++) {
        TD_LOG(log, TD_LOG_DEBUG, "fault injected", TD_LOG_NUMBER("rule", it->events[i].number),
               TD_LOG_TEXT("operation", it->operation->name),
               TD_LOG_TEXT("kind", td_slice_of_cstr(kinds[it->events[i].kind])),
               TD_LOG_NUMBER("count", it->events[i].count));
    }
}

/* ---- what becomes of it ------------------------------------------------------------------------------------------ */

static td_fault_place place_of(const asking *it, const td_fault_target *target)
{
    return (td_fault_place){.request = it->request,
                            .table = target->table,
                            .is_of_items = it->targets.is_of_items,
                            .direction = it->targets.direction};
}

/* Without codes in the rule: a conflict on what it matches, as the service tells it most often. */
static td_status cancel(const asking *it)
{
    const td_fault_rule *rule = it->decided_by;
    td_request *request = it->request;
    td_cancellation *reasons = td_arena_alloc_array(request->arena, it->targets.count, sizeof(*reasons));
    if (reasons == NULL) return TD_RAISE(&request->error, TD_MSG_OUT_OF_MEMORY);
    for (uint32_t i = 0; i < it->targets.count; i++) {
        td_slice code = TD_LIT("None");
        if (rule->reason_count == 0 && td_fault__fits(it->request, rule, &it->targets.at[i]))
            code = TD_LIT("TransactionConflict");
        if (i < rule->reason_count) code = rule->reasons[i];
        reasons[i] = td_fault__reason_of_code(request, code);
    }
    td_status status = td_fault__raise_canceled(request, reasons, it->targets.count);
    if (rule->has_message && status == TD_TRANSACTION_CANCELED) request->error.text = rule->message;
    return status;
}

static td_status conclude_element(const asking *it, const td_fault_target *target, td_fault_element *ret_element)
{
    const td_fault_rule *rule = target->decided_by;
    td_request *request = it->request;
    *ret_element = (td_fault_element){.json = target->json};
    if (rule->kind == TD_FAULT_UNPROCESSED) return TD_OK;
    td_error *error = td_arena_alloc(request->arena, sizeof(*error));
    if (error == NULL) return TD_RAISE(&request->error, TD_MSG_OUT_OF_MEMORY);
    *error = td_ops__new_error(request);
    td_fault_place place = place_of(it, target);
    td_status status = td_fault__raise(rule, &place, error);
    bool is_throttled = it->targets.form == TD_FORM_GETS || it->targets.form == TD_FORM_WRITES;
    bool needs_reason = is_throttled && error->throttle == NULL;
    if (status == TD_OUT_OF_MEMORY || needs_reason) return TD_RAISE(&request->error, TD_MSG_OUT_OF_MEMORY);
    ret_element->error = error;
    ret_element->code = td_slice_of_cstr(rule->error->code);
    return TD_OK;
}

static td_status conclude_elements(const asking *it)
{
    td_request *request = it->request;
    td_fault_plan *plan = NULL;
    for (uint32_t i = 0; i < it->targets.count; i++) {
        if (it->targets.at[i].decided_by == NULL) continue;
        if (plan == NULL) {
            plan = td_arena_alloc_zero(request->arena, sizeof(*plan));
            if (plan == NULL) return TD_RAISE(&request->error, TD_MSG_OUT_OF_MEMORY);
            plan->elements = td_arena_alloc_array(request->arena, it->targets.count, sizeof(*plan->elements));
            if (plan->elements == NULL) return TD_RAISE(&request->error, TD_MSG_OUT_OF_MEMORY);
        }
        TD_TRY(conclude_element(it, &it->targets.at[i], &plan->elements[plan->count++]));
    }
    request->faults = plan;
    return TD_OK;
}

static td_status conclude(asking *it)
{
    const td_fault_rule *rule = it->decided_by;
    if (rule == NULL) return conclude_elements(it);
    it->request->is_injected = true;
    if (rule->error->status == TD_TRANSACTION_CANCELED) return cancel(it);
    const td_fault_target *struck = it->targets.at;
    for (uint32_t i = 0; i < it->targets.count; i++) {
        if (!td_fault__fits(it->request, rule, &it->targets.at[i])) continue;
        struck = &it->targets.at[i];
        break;
    }
    td_fault_place place = place_of(it, struck);
    return td_fault__raise(rule, &place, &it->request->error);
}
