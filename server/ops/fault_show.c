/* SPDX-License-Identifier: Apache-2.0
 * fault_show.c: a fault rule as its document: what was sent, with the defaults filled in. Adding what is written here
 * gives the same rule. */
#include "fault_set.h"

static void write_match(const td_fault_rule *rule, td_json_build *build, td_json_node *match);
static void write_inject(const td_fault_rule *rule, td_json_build *build, td_json_node *inject);
static void write_error(const td_fault_rule *rule, td_json_build *build, td_json_node *inject);

void td_fault__rule_write(const td_fault_rule *rule, uint64_t seed, td_json_build *build, td_json_node *object)
{
    if (rule->scope.len > 0) td_json_put_text(build, object, "scope", rule->scope);
    write_match(rule, build, td_json_put_object(build, object, "match"));
    write_inject(rule, build, td_json_put_object(build, object, "inject"));
    td_json_put_number(build, object, "probability", rule->probability);
    td_json_put_int(build, object, "skip", (int64_t)rule->skip);
    if (rule->has_times) td_json_put_int(build, object, "times", (int64_t)rule->times);
    td_json_put_int(build, object, "seed", (int64_t)seed);
}

static void write_match(const td_fault_rule *rule, td_json_build *build, td_json_node *match)
{
    if (rule->has_operations && !rule->is_operation_list) {
        td_json_put_text(build, match, "operation", rule->named[0]->name);
    } else if (rule->has_operations) {
        td_json_node *list = td_json_put_array(build, match, "operation");
        for (uint32_t i = 0; i < rule->named_count; i++)
            td_json_put_text(build, list, NULL, rule->named[i]->name);
    }
    if (rule->table.len > 0) td_json_put_text(build, match, "table", rule->table_as_sent);
    if (rule->index.len > 0) td_json_put_text(build, match, "index", rule->index);
    if (rule->key_count == 0) return;
    td_json_node *key = td_json_put_object(build, match, "key");
    for (uint32_t i = 0; i < rule->key_count; i++) {
        char name[TD_FAULT_KEY_NAME_BYTES_MAX + 1];
        td_slice part = rule->keys[i].name;
        TD_ASSERT(part.len < sizeof(name));
        memcpy(name, part.ptr, part.len);
        name[part.len] = '\0';
        td_json_node *value = td_json_put_object(build, key, name);
        td_json_put_text(build, value, td_type_name(rule->keys[i].value.type), rule->keys[i].text);
    }
}

static void write_inject(const td_fault_rule *rule, td_json_build *build, td_json_node *inject)
{
    td_json_node *latency = NULL;
    switch (rule->kind) {
    case TD_FAULT_ERROR: write_error(rule, build, inject); break;
    case TD_FAULT_LATENCY:
        latency = td_json_put_object(build, inject, "latency_ms");
        td_json_put_int(build, latency, "min", rule->min_ms);
        td_json_put_int(build, latency, "max", rule->max_ms);
        break;
    case TD_FAULT_DROP_BEFORE: td_json_put_text(build, inject, "drop_connection", TD_LIT("before")); break;
    case TD_FAULT_DROP_AFTER: td_json_put_text(build, inject, "drop_connection", TD_LIT("after")); break;
    case TD_FAULT_UNPROCESSED: td_json_put_bool(build, inject, "unprocessed", true); break;
    }
}

static void write_error(const td_fault_rule *rule, td_json_build *build, td_json_node *inject)
{
    td_json_put_text(build, inject, "error", td_slice_of_cstr(td_status_type(rule->error->status)));
    if (rule->has_message) td_json_put_text(build, inject, "message", rule->message);
    if (rule->has_reason) {
        const char *reason = td_fault__reason_name(&rule->reason, rule->is_reason_of_index);
        td_json_put_text(build, inject, "reason", td_slice_of_cstr(reason));
    }
    if (rule->error_index.len > 0) td_json_put_text(build, inject, "index", rule->error_index);
    if (rule->reason_count == 0) return;
    td_json_node *reasons = td_json_put_array(build, inject, "reasons");
    for (uint32_t i = 0; i < rule->reason_count; i++)
        td_json_put_text(build, reasons, NULL, rule->reasons[i]);
}
