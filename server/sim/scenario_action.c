/* SPDX-License-Identifier: Apache-2.0
 * scenario_action.c: what happens at an instant of a phase: UpdateTable, other settings of the emulation, a split; and
 * the settings that a scenario begins with. See scenario.h. */
#include "base/capacity_doc.h"
#include "scenario.h"

static void read_update(td_sim_reader *reader, const td_json_node *node, const td_sim_scenario *scenario,
                        td_sim_action *action);
static void read_index_updates(td_sim_reader *reader, const td_json_node *node, td_table_change *change);
static void read_rates(td_sim_reader *reader, const td_json_node *node, bool *has_throughput, td_throughput *throughput,
                       bool *has_maximum, td_on_demand_max *maximum, bool *has_warm, td_throughput *warm);
static void read_capacity(td_sim_reader *reader, const td_json_node *node, const td_sim_scenario *scenario,
                          td_sim_action *action);
static void read_split(td_sim_reader *reader, const td_json_node *node, const td_sim_scenario *scenario,
                       td_sim_action *action);
static td_slice read_table_name(td_sim_reader *reader, const td_json_node *node, const td_sim_scenario *scenario);
static void read_members(td_sim_reader *reader, const td_json_node *node, const char *beside, td_slice *ret_preset,
                         td_capacity_patch **ret_patch);
static td_slice label_of(td_sim_reader *reader, const char *verb, td_slice table);

void td_sim__read_action(td_sim_reader *reader, const td_json_node *node, const td_sim_scenario *scenario,
                         td_sim_action *ret_action)
{
    if (!td_sim__check_object(reader, node, "at label update_table capacity split")) return;
    ret_action->at_us = td_sim__read_duration(reader, node, "at", -1, TD_SIM_DURATION_MAX);
    static const char *const names[] = {"update_table", "capacity", "split"};
    void (*const readers[])(td_sim_reader *, const td_json_node *, const td_sim_scenario *,
                            td_sim_action *) = {read_update, read_capacity, read_split};
    int found = 0;
    for (size_t i = 0; i < TD_COUNT_OF(names); i++) {
        const td_json_node *member = td_sim__find(reader, node, names[i], false);
        if (member == NULL) continue;
        found++;
        size_t outside = td_sim__enter(reader, names[i]);
        readers[i](reader, member, scenario, ret_action);
        td_sim__leave(reader, outside);
    }
    if (found != 1) td_sim__refuse(reader, NULL, "must have one of update_table, capacity and split");
    td_slice label = td_sim__read_text(reader, node, "label", false);
    if (label.len > 0) ret_action->label = label;
}

void td_sim__read_settings(td_sim_reader *reader, const td_json_node *node, td_slice *ret_preset,
                           td_capacity_patch **ret_patch)
{
    read_members(reader, node, NULL, ret_preset, ret_patch);
}

static void read_update(td_sim_reader *reader, const td_json_node *node, const td_sim_scenario *scenario,
                        td_sim_action *action)
{
    static const char *const billing_names[] = {"provisioned", "on-demand"};
    if (!td_sim__check_object(reader, node, "table billing throughput on_demand_maximum warm indexes")) return;
    action->kind = TD_SIM_UPDATE_TABLE;
    action->table = read_table_name(reader, node, scenario);
    td_table_change *change = &action->change;
    change->has_billing = td_sim__find(reader, node, "billing", false) != NULL;
    change->billing = (td_billing_mode)td_sim__read_word(reader, node, "billing", billing_names, 2, 0);
    read_rates(reader, node, &change->has_throughput, &change->throughput, &change->has_on_demand_max,
               &change->on_demand_max, &change->has_warm, &change->warm);
    read_index_updates(reader, node, change);
    action->label = label_of(reader, "UpdateTable", action->table);
}

static void read_index_updates(td_sim_reader *reader, const td_json_node *node, td_table_change *change)
{
    const td_json_node *indexes = td_sim__find(reader, node, "indexes", false);
    if (indexes == NULL) return;
    uint32_t count = td_json_node_get_type(indexes) == TD_JSON_NODE_ARRAY ? td_sim__count(indexes) : UINT32_MAX;
    if (count > TD_LIMIT_GLOBAL_INDEXES_MAX) {
        td_sim__refuse(reader, "indexes", "must be a list of %d indexes at most", TD_LIMIT_GLOBAL_INDEXES_MAX);
        return;
    }
    td_index_change *changes = td_sim__alloc_array(reader, count, sizeof *changes);
    if (changes == NULL) return;
    size_t outside = td_sim__enter(reader, "indexes");
    for (const td_json_node *index = td_json_node_first(indexes); index != NULL; index = td_json_node_next(index)) {
        size_t inside = td_sim__enter_at(reader, change->index_count);
        td_index_change *it = &changes[change->index_count++];
        if (td_sim__check_object(reader, index, "name throughput on_demand_maximum warm")) {
            it->action = TD_INDEX_UPDATE;
            it->spec.is_global = true;
            it->spec.name = td_sim__read_text(reader, index, "name", true);
            read_rates(reader, index, &it->has_throughput, &it->spec.throughput, &it->has_on_demand_max,
                       &it->spec.on_demand_max, &it->has_warm, &it->spec.warm);
        }
        td_sim__leave(reader, inside);
    }
    td_sim__leave(reader, outside);
    change->indexes = changes;
}

static void read_rates(td_sim_reader *reader, const td_json_node *node, bool *has_throughput, td_throughput *throughput,
                       bool *has_maximum, td_on_demand_max *maximum, bool *has_warm, td_throughput *warm)
{
    td_sim__read_throughput(reader, node, "throughput", 1, throughput, has_throughput);
    td_throughput read = {.rate = {0}};
    td_sim__read_throughput(reader, node, "on_demand_maximum", -1, &read, has_maximum);
    memcpy(maximum->rate, read.rate, sizeof read.rate);
    td_sim__read_throughput(reader, node, "warm", 0, warm, has_warm);
}

/* As PATCH /_thermodyn/capacity takes it. */
static void read_capacity(td_sim_reader *reader, const td_json_node *node, const td_sim_scenario *scenario,
                          td_sim_action *action)
{
    action->kind = TD_SIM_SET_CAPACITY;
    td_slice preset;
    read_members(reader, node, "table", &preset, &action->patch);
    if (!reader->has_failed && td_json_node_find(node, "table") != NULL) {
        action->table = read_table_name(reader, node, scenario);
    }
    action->label = label_of(reader, "new settings", action->table);
}

static void read_split(td_sim_reader *reader, const td_json_node *node, const td_sim_scenario *scenario,
                       td_sim_action *action)
{
    if (!td_sim__check_object(reader, node, "table index partition")) return;
    action->kind = TD_SIM_SPLIT;
    action->table = read_table_name(reader, node, scenario);
    action->index = td_sim__read_text(reader, node, "index", false);
    action->partition = td_sim__read_text(reader, node, "partition", true);
    action->label = label_of(reader, "split", action->table);
}

static td_slice read_table_name(td_sim_reader *reader, const td_json_node *node, const td_sim_scenario *scenario)
{
    td_slice name = td_sim__read_text(reader, node, "table", true);
    if (!reader->has_failed) (void)td_sim__find_table(reader, scenario, name);
    return name;
}

/* Settings; `beside`: another member that may stand among them, or NULL. */
static void read_members(td_sim_reader *reader, const td_json_node *node, const char *beside, td_slice *ret_preset,
                         td_capacity_patch **ret_patch)
{
    *ret_preset = TD_LIT("");
    *ret_patch = td_sim__alloc_array(reader, 1, sizeof **ret_patch);
    if (*ret_patch == NULL) return;
    if (td_json_node_get_type(node) != TD_JSON_NODE_OBJECT) {
        td_sim__refuse(reader, NULL, "must be an object of settings, as PATCH /_thermodyn/capacity takes it");
        return;
    }
    char sentence[TD_CAPACITY_DOC_SENTENCE_BYTES] = "";
    td_slice preset = TD_LIT("");
    if (!td_capacity_doc_read_preset(node, *ret_patch, &preset, sentence)) {
        td_sim__refuse(reader, "preset", "%s", sentence);
        return;
    }
    if (!td_arena_copy(reader->arena, preset, ret_preset)) td_sim__refuse_memory(reader);
    const td_json_node *member = td_json_node_first(node);
    for (; member != NULL && !reader->has_failed; member = td_json_node_next(member)) {
        td_slice name = td_json_node_name(member);
        if (beside != NULL && td_slice_equal(name, td_slice_of_cstr(beside))) continue;
        switch (td_capacity_doc_read_member(member, *ret_patch, sentence)) {
        case TD_CAPACITY_DOC_TAKEN: break;
        case TD_CAPACITY_DOC_WRONG: td_sim__refuse(reader, td_sim__copy_cstr(reader, name), "%s", sentence); break;
        case TD_CAPACITY_DOC_UNKNOWN:
            td_sim__refuse(reader, NULL, "there is no setting \"%.*s\" (thermodyn --help lists them)", TD_SHOWN(name));
            break;
        }
    }
}

static td_slice label_of(td_sim_reader *reader, const char *verb, td_slice table)
{
    td_slice label = TD_LIT("");
    if (!td_arena_format(reader->arena, &label, "%s%s%.*s", verb, table.len == 0 ? "" : " ", (int)table.len,
                         (const char *)table.ptr)) {
        td_sim__refuse_memory(reader);
    }
    return label;
}
