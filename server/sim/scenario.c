/* SPDX-License-Identifier: Apache-2.0
 * scenario.c: the document as a whole: its head, and the lists of tables and phases; see scenario.h. */
#include "scenario.h"

#include <stdio.h>
#include <stdlib.h>

#define START_US INT64_C(1767268800000000) /* 2026-01-01 12:00:00 UTC: far from the end of its day */

static void read_head(td_sim_reader *reader, const td_json_node *root, td_sim_scenario *scenario);
static void read_story(td_sim_reader *reader, const td_json_node *root, td_sim_scenario *scenario);
static td_time_us read_start(td_sim_reader *reader, const td_json_node *root);
static void read_tables(td_sim_reader *reader, const td_json_node *root, td_sim_scenario *scenario);
static void read_fills(td_sim_reader *reader, const td_json_node *tables, td_sim_scenario *scenario);
static void read_phases(td_sim_reader *reader, const td_json_node *root, td_sim_scenario *scenario);
static void read_phase(td_sim_reader *reader, const td_json_node *node, const td_sim_scenario *scenario,
                       td_sim_phase *phase);
static void read_loads(td_sim_reader *reader, const td_json_node *node, const td_sim_scenario *scenario,
                       td_sim_phase *phase);
static void read_actions(td_sim_reader *reader, const td_json_node *node, const td_sim_scenario *scenario,
                         td_sim_phase *phase);
static void sort_actions(td_sim_phase *phase);
static const td_json_node *find_list(td_sim_reader *reader, const td_json_node *object, const char *name,
                                     uint32_t count_min, uint32_t count_max, uint32_t *ret_count);

bool td_sim__scenario_read(td_sim_reader *reader, td_slice text, td_sim_scenario *ret_scenario)
{
    *ret_scenario = (td_sim_scenario){.seed = 1};
    const char *fault = NULL;
    const td_json_node *root = td_json_doc_parse(text, reader->arena, &fault);
    if (root == NULL) {
        td_sim__refuse(reader, NULL, "%s", fault);
        return false;
    }
    if (!td_sim__check_object(reader, root, "name story seed start table_delays capacity tables phases")) return false;
    read_head(reader, root, ret_scenario);
    read_tables(reader, root, ret_scenario);
    read_phases(reader, root, ret_scenario);
    if (td_sim__scenario_duration_us(ret_scenario) > TD_SIM_DURATION_MAX) {
        td_sim__refuse(reader, "phases", "must last 31 days at most");
    }
    return !reader->has_failed;
}

td_time_us td_sim__scenario_duration_us(const td_sim_scenario *scenario)
{
    td_time_us sum_us = 0;
    for (uint32_t i = 0; i < scenario->phase_count; i++)
        sum_us += scenario->phases[i].duration_us;
    return sum_us;
}

uint32_t td_sim__find_table(td_sim_reader *reader, const td_sim_scenario *scenario, td_slice name)
{
    for (uint32_t i = 0; i < scenario->table_count; i++) {
        if (td_slice_equal(scenario->tables[i].spec.name, name)) return i;
    }
    td_sim__refuse(reader, "table", "there is no table \"%.*s\" in \"tables\"", TD_SHOWN(name));
    return 0;
}

const td_index_spec *td_sim__find_index(const td_table_spec *spec, td_slice name)
{
    for (uint32_t i = 0; i < spec->index_count; i++) {
        if (td_slice_equal(spec->indexes[i].name, name)) return &spec->indexes[i];
    }
    return NULL;
}

td_type td_sim__type_of(const td_table_spec *spec, td_slice attribute)
{
    for (uint32_t i = 0; i < spec->definition_count; i++) {
        if (td_slice_equal(spec->definitions[i].name, attribute)) return spec->definitions[i].type;
    }
    return TD_TYPE_S;
}

static void read_head(td_sim_reader *reader, const td_json_node *root, td_sim_scenario *scenario)
{
    scenario->name = td_sim__read_text(reader, root, "name", true);
    read_story(reader, root, scenario);
    scenario->seed = (uint64_t)td_sim__read_int(reader, root, "seed", 1, 0, INT64_C(9007199254740991));
    scenario->start_us = read_start(reader, root);
    scenario->has_table_delays = td_sim__read_bool(reader, root, "table_delays", true);
    const td_json_node *capacity = td_sim__find(reader, root, "capacity", false);
    if (capacity == NULL) return;
    size_t outside = td_sim__enter(reader, "capacity");
    td_sim__read_settings(reader, capacity, &scenario->preset, &scenario->patch);
    td_sim__leave(reader, outside);
}

/* A text, or a list of texts: one a paragraph. */
static void read_story(td_sim_reader *reader, const td_json_node *root, td_sim_scenario *scenario)
{
    const td_json_node *story = td_sim__find(reader, root, "story", false);
    if (story == NULL) return;
    bool is_list = td_json_node_get_type(story) == TD_JSON_NODE_ARRAY;
    scenario->story_count = is_list ? td_sim__count(story) : 1;
    scenario->story = td_sim__alloc_array(reader, scenario->story_count, sizeof *scenario->story);
    if (scenario->story == NULL) return;
    size_t outside = td_sim__enter(reader, "story");
    uint32_t at = 0;
    const td_json_node *paragraph = is_list ? td_json_node_first(story) : story;
    for (; paragraph != NULL; paragraph = is_list ? td_json_node_next(paragraph) : NULL) {
        size_t inside = is_list ? td_sim__enter_at(reader, at) : reader->path_len;
        scenario->story[at++] = td_sim__text_of(reader, paragraph);
        td_sim__leave(reader, inside);
    }
    td_sim__leave(reader, outside);
}

/* "2026-11-13T12:00:00Z". */
static td_time_us read_start(td_sim_reader *reader, const td_json_node *root)
{
    td_slice text = td_sim__read_text(reader, root, "start", false);
    if (text.len == 0) return START_US;
    int year = 0;
    int month = 0;
    int day = 0;
    int hour = 0;
    int minute = 0;
    int second = 0;
    char end = 0;
    int found = sscanf(td_sim__copy_cstr(reader, text), "%4d-%2d-%2dT%2d:%2d:%2d%c", &year, &month, &day, &hour,
                       &minute, &second, &end);
    bool is_date = found == 7 && year >= 2000 && year <= 9999 && month >= 1 && month <= 12 && day >= 1 && day <= 31;
    bool is_time = hour >= 0 && hour < 24 && minute >= 0 && minute < 60 && second >= 0 && second < 60 && end == 'Z';
    if (!is_date || !is_time || text.len != 20) {
        td_sim__refuse(reader, "start", "must be an instant such as \"2026-11-13T12:00:00Z\"");
        return START_US;
    }
    int64_t shifted_year = month <= 2 ? year - 1 : year;
    int64_t era_year = shifted_year % 400;
    int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    int64_t day_of_era = era_year * 365 + era_year / 4 - era_year / 100 + day_of_year;
    int64_t days = shifted_year / 400 * 146097 + day_of_era - 719468;
    return (days * 86400 + hour * 3600 + minute * 60 + second) * TD_US_PER_S;
}

static void read_tables(td_sim_reader *reader, const td_json_node *root, td_sim_scenario *scenario)
{
    uint32_t count = 0;
    const td_json_node *tables = find_list(reader, root, "tables", 1, TD_SIM_TABLES_MAX, &count);
    scenario->tables = td_sim__alloc_array(reader, count, sizeof *scenario->tables);
    if (tables == NULL || scenario->tables == NULL) return;
    size_t outside = td_sim__enter(reader, "tables");
    const td_json_node *table = td_json_node_first(tables);
    for (; table != NULL && !reader->has_failed; table = td_json_node_next(table)) {
        size_t inside = td_sim__enter_at(reader, scenario->table_count);
        td_table_spec *spec = &scenario->tables[scenario->table_count].spec;
        td_sim__read_table(reader, table, spec);
        for (uint32_t i = 0; i < scenario->table_count; i++) {
            if (!td_slice_equal(scenario->tables[i].spec.name, spec->name)) continue;
            td_sim__refuse(reader, "name", "another table has this name");
        }
        scenario->table_count++;
        td_sim__leave(reader, inside);
    }
    read_fills(reader, tables, scenario);
    td_sim__leave(reader, outside);
}

/* When all tables are known. */
static void read_fills(td_sim_reader *reader, const td_json_node *tables, td_sim_scenario *scenario)
{
    uint32_t at = 0;
    const td_json_node *table = td_json_node_first(tables);
    for (; table != NULL && !reader->has_failed; table = td_json_node_next(table), at++) {
        const td_json_node *fill = td_sim__find(reader, table, "fill", false);
        if (fill == NULL) continue;
        size_t inside = td_sim__enter_at(reader, at);
        size_t deeper = td_sim__enter(reader, "fill");
        td_sim__read_fill(reader, fill, scenario, &scenario->tables[at]);
        td_sim__leave(reader, deeper);
        td_sim__leave(reader, inside);
    }
}

static void read_phases(td_sim_reader *reader, const td_json_node *root, td_sim_scenario *scenario)
{
    uint32_t count = 0;
    const td_json_node *phases = find_list(reader, root, "phases", 1, TD_SIM_PHASES_MAX, &count);
    scenario->phases = td_sim__alloc_array(reader, count, sizeof *scenario->phases);
    if (phases == NULL || scenario->phases == NULL) return;
    size_t outside = td_sim__enter(reader, "phases");
    const td_json_node *phase = td_json_node_first(phases);
    for (; phase != NULL && !reader->has_failed; phase = td_json_node_next(phase)) {
        size_t inside = td_sim__enter_at(reader, scenario->phase_count);
        read_phase(reader, phase, scenario, &scenario->phases[scenario->phase_count++]);
        td_sim__leave(reader, inside);
    }
    td_sim__leave(reader, outside);
}

static void read_phase(td_sim_reader *reader, const td_json_node *node, const td_sim_scenario *scenario,
                       td_sim_phase *phase)
{
    if (!td_sim__check_object(reader, node, "name duration load actions")) return;
    phase->name = td_sim__read_text(reader, node, "name", false);
    phase->duration_us = td_sim__read_duration(reader, node, "duration", -1, TD_SIM_DURATION_MAX);
    if (phase->duration_us < TD_US_PER_S) td_sim__refuse(reader, "duration", "must be a second or more");
    read_loads(reader, node, scenario, phase);
    read_actions(reader, node, scenario, phase);
}

static void read_loads(td_sim_reader *reader, const td_json_node *node, const td_sim_scenario *scenario,
                       td_sim_phase *phase)
{
    if (td_sim__find(reader, node, "load", false) == NULL) return;
    uint32_t count = 0;
    const td_json_node *loads = find_list(reader, node, "load", 0, TD_SIM_LOADS_MAX, &count);
    phase->loads = td_sim__alloc_array(reader, count, sizeof *phase->loads);
    if (loads == NULL || phase->loads == NULL) return;
    size_t outside = td_sim__enter(reader, "load");
    const td_json_node *load = td_json_node_first(loads);
    for (; load != NULL && !reader->has_failed; load = td_json_node_next(load)) {
        size_t inside = td_sim__enter_at(reader, phase->load_count);
        td_sim__read_load(reader, load, scenario, &phase->loads[phase->load_count++]);
        td_sim__leave(reader, inside);
    }
    td_sim__leave(reader, outside);
}

static void read_actions(td_sim_reader *reader, const td_json_node *node, const td_sim_scenario *scenario,
                         td_sim_phase *phase)
{
    if (td_sim__find(reader, node, "actions", false) == NULL) return;
    uint32_t count = 0;
    const td_json_node *actions = find_list(reader, node, "actions", 0, 1000, &count);
    phase->actions = td_sim__alloc_array(reader, count, sizeof *phase->actions);
    if (actions == NULL || phase->actions == NULL) return;
    size_t outside = td_sim__enter(reader, "actions");
    const td_json_node *action = td_json_node_first(actions);
    for (; action != NULL && !reader->has_failed; action = td_json_node_next(action)) {
        size_t inside = td_sim__enter_at(reader, phase->action_count);
        td_sim_action *read = &phase->actions[phase->action_count++];
        td_sim__read_action(reader, action, scenario, read);
        if (read->at_us >= phase->duration_us) td_sim__refuse(reader, "at", "lies behind the end of its phase");
        td_sim__leave(reader, inside);
    }
    td_sim__leave(reader, outside);
    sort_actions(phase);
}

/* By time; those of one instant keep their order. They are few. */
static void sort_actions(td_sim_phase *phase)
{
    for (uint32_t i = 1; i < phase->action_count; i++) {
        td_sim_action moved = phase->actions[i];
        uint32_t at = i;
        for (; at > 0 && phase->actions[at - 1].at_us > moved.at_us; at--)
            phase->actions[at] = phase->actions[at - 1];
        phase->actions[at] = moved;
    }
}

/* NULL: refused. */
static const td_json_node *find_list(td_sim_reader *reader, const td_json_node *object, const char *name,
                                     uint32_t count_min, uint32_t count_max, uint32_t *ret_count)
{
    const td_json_node *list = td_sim__find(reader, object, name, true);
    if (list == NULL) return NULL;
    uint32_t count = td_json_node_get_type(list) == TD_JSON_NODE_ARRAY ? td_sim__count(list) : UINT32_MAX;
    if (count < count_min || count > count_max) {
        td_sim__refuse(reader, name, "must be a list of %u to %u elements", count_min, count_max);
        return NULL;
    }
    *ret_count = count;
    return list;
}
