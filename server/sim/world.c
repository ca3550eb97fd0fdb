/* SPDX-License-Identifier: Apache-2.0
 * world.c: see world.h.
 * Filling: items are put at a hundred a second (times capacity_scale) before the scenario begins, while nothing is
 *          enforced; afterwards the buckets are as on the first day. So a fill neither throttles nor heats anything. */
#include "world.h"

#include <stdio.h>

#include "request.h"
#include "thermodyn/partition.h"

#define FILL_PER_S 100
#define REQUEST_BYTES_MAX (64u << 20)
#define SETTLE_ROUNDS_MAX 100000

static void set_options(const td_sim_scenario *scenario, td_sim_scale scale, td_store_options *options);
static bool create_tables(td_sim_world *world, char *sentence);
static bool is_active(td_sim_world *world, td_slice table);
static bool wait_until_active(td_sim_world *world, char *sentence);
static bool fill_tables(td_sim_world *world, char *sentence);
static bool fill_table(td_sim_world *world, uint32_t table, char *sentence);
static void enforce(td_sim_world *world, td_enforce enforcement);
static uint64_t count_fills(const td_sim_scenario *scenario);
static td_time_us fill_gap_us(const td_sim_scenario *scenario, double scale);
static td_time_us creation_us(const td_sim_scenario *scenario, td_time_us gap_us);
static void say_error(const td_error *error, char *sentence);
static bool split(td_sim_world *world, const td_sim_action *action, char *outcome);

bool td_sim__world_init(td_sim_world *world, const td_sim_scenario *scenario, td_sim_scale scale,
                        char reterr_sentence[TD_SIM_FAULT_BYTES])
{
    td_store_options options;
    set_options(scenario, scale, &options);
    td_time_us gap_us = fill_gap_us(scenario, options.capacity.values[TD_CAPACITY_capacity_scale]);
    *world = (td_sim_world){.scenario = scenario,
                            .store = td_store_new(&options),
                            .now_us = creation_us(scenario, gap_us),
                            .fill_gap_us = gap_us};
    td_arena_init(&world->arena, REQUEST_BYTES_MAX);
    world->error.arena = &world->arena;
    if (world->store == NULL) {
        snprintf(reterr_sentence, TD_SIM_FAULT_BYTES, "out of memory");
        return false;
    }
    if (!create_tables(world, reterr_sentence) || !wait_until_active(world, reterr_sentence)) return false;
    if (!fill_tables(world, reterr_sentence)) return false;
    TD_ASSERT(world->now_us <= scenario->start_us);
    td_sim__world_move_to(world, scenario->start_us);
    for (uint32_t i = 0; i < scenario->table_count; i++) {
        td_call call = td_sim__world_call(world, scenario->tables[i].spec.name);
        bool is_there = td_capacity_reset(&call);
        TD_ASSERT(is_there);
    }
    return true;
}

void td_sim__world_done(td_sim_world *world)
{
    td_arena_done(&world->arena);
    if (world->store != NULL) td_store_free(world->store);
}

td_call td_sim__world_call(td_sim_world *world, td_slice table)
{
    return (td_call){.store = world->store,
                     .arena = &world->arena,
                     .now_us = world->now_us,
                     .region = TD_LIT("us-east-1"),
                     .table = table};
}

bool td_sim__world_act(td_sim_world *world, const td_sim_action *action, char ret_outcome[TD_SIM_FAULT_BYTES])
{
    ret_outcome[0] = '\0';
    td_call call = td_sim__world_call(world, action->table);
    bool is_done = true;
    switch (action->kind) {
    case TD_SIM_UPDATE_TABLE: {
        td_table_info info;
        is_done = td_table_update(&call, &action->change, &info, &world->error) == TD_OK;
        if (!is_done) say_error(&world->error, ret_outcome);
        return is_done;
    }
    case TD_SIM_SET_CAPACITY:
        is_done = td_store_patch_capacity(world->store, world->now_us, call.scope, action->table, action->patch);
        TD_ASSERT(is_done);
        return true;
    case TD_SIM_SPLIT: return split(world, action, ret_outcome);
    }
    TD_UNREACHABLE("a kind of action");
}

static void set_options(const td_sim_scenario *scenario, td_sim_scale scale, td_store_options *options)
{
    *options = (td_store_options){
        .placement = TD_PLACEMENT_SERVICE, .seed = scenario->seed, .has_table_delays = scenario->has_table_delays};
    td_capacity_settings *settings = &options->capacity;
    td_capacity_settings_init(settings);
    const td_capacity_patch *patch = scenario->patch;
    if (patch != NULL) {
        if (patch->has_enforce) settings->enforce = patch->settings.enforce;
        if (patch->has_era) settings->era = patch->settings.era;
        for (size_t i = 0; i < TD_CAPACITY_SETTING_COUNT; i++) {
            if (patch->has_value[i]) settings->values[i] = patch->settings.values[i];
        }
        for (size_t i = 0; i < TD_POLICY_CELL_COUNT; i++) {
            if (patch->has_answer[i]) settings->policy.answers[i] = patch->settings.policy.answers[i];
        }
    }
    if (scale.factor == 1) return;
    settings->values[TD_CAPACITY_capacity_scale] *= scale.factor;
    settings->values[TD_CAPACITY_scale_provisioned] = 1;
}

static bool create_tables(td_sim_world *world, char *sentence)
{
    const td_sim_scenario *scenario = world->scenario;
    for (uint32_t i = 0; i < scenario->table_count; i++) {
        const td_table_spec *spec = &scenario->tables[i].spec;
        td_sim__world_move_to(world, world->now_us);
        td_call call = td_sim__world_call(world, spec->name);
        td_table_info info;
        if (td_table_create(&call, spec, &info, &world->error) == TD_OK) continue;
        char reason[TD_SIM_FAULT_BYTES / 2];
        say_error(&world->error, reason);
        snprintf(sentence, TD_SIM_FAULT_BYTES, "tables[%u]: the engine refuses the table: %s", (unsigned)i, reason);
        return false;
    }
    return true;
}

static bool wait_until_active(td_sim_world *world, char *sentence)
{
    const td_sim_scenario *scenario = world->scenario;
    for (uint32_t i = 0; i < scenario->table_count; i++) {
        const td_slice name = scenario->tables[i].spec.name;
        for (int round = 0; !is_active(world, name); round++) {
            td_time_us due_us = td_store_next_due(world->store);
            if (round == SETTLE_ROUNDS_MAX || due_us > scenario->start_us) {
                snprintf(sentence, TD_SIM_FAULT_BYTES, "tables[%u]: does not become ACTIVE before the scenario starts",
                         (unsigned)i);
                return false;
            }
            td_sim__world_move_to(world, due_us > world->now_us ? due_us : world->now_us);
        }
    }
    return true;
}

static bool is_active(td_sim_world *world, td_slice table)
{
    td_call call = td_sim__world_call(world, table);
    td_table_info info;
    return td_table_describe(&call, &info, &world->error) == TD_OK && info.status == TD_TABLE_ACTIVE;
}

static bool fill_tables(td_sim_world *world, char *sentence)
{
    const td_sim_scenario *scenario = world->scenario;
    td_capacity_settings settings;
    bool is_there = td_store_get_capacity(world->store, TD_LIT(""), TD_LIT(""), &settings);
    TD_ASSERT(is_there);
    enforce(world, TD_ENFORCE_OFF);
    for (uint32_t i = 0; i < scenario->table_count; i++) {
        if (scenario->tables[i].fill != NULL && !fill_table(world, i, sentence)) return false;
    }
    enforce(world, settings.enforce);
    return true;
}

static bool fill_table(td_sim_world *world, uint32_t table, char *sentence)
{
    const td_sim_table *it = &world->scenario->tables[table];
    td_sim_stream stream;
    bool is_filled = td_sim__stream_init(&stream, world->scenario, it->fill, UINT32_MAX - table);
    if (!is_filled) snprintf(sentence, TD_SIM_FAULT_BYTES, "out of memory");
    td_time_us began_us = world->now_us;
    for (uint64_t i = 0; i < it->fill_count && is_filled; i++) {
        td_sim__world_move_to(world, began_us + (td_time_us)i * world->fill_gap_us);
        td_sim_outcome outcome = td_sim__stream_send(&stream, world);
        is_filled = outcome.status == TD_OK;
        if (is_filled) continue;
        char reason[TD_SIM_FAULT_BYTES / 2];
        say_error(&world->error, reason);
        snprintf(sentence, TD_SIM_FAULT_BYTES, "tables[%u].fill: %s", (unsigned)table, reason);
    }
    td_sim__stream_done(&stream);
    return is_filled;
}

static void enforce(td_sim_world *world, td_enforce enforcement)
{
    td_capacity_patch patch = {.has_enforce = true, .settings.enforce = enforcement};
    bool is_there = td_store_patch_capacity(world->store, world->now_us, TD_LIT(""), TD_LIT(""), &patch);
    TD_ASSERT(is_there);
}

static uint64_t count_fills(const td_sim_scenario *scenario)
{
    uint64_t items = 0;
    for (uint32_t i = 0; i < scenario->table_count; i++)
        items += scenario->tables[i].fill_count;
    return items;
}

/* Never so wide that a fill would begin before time does. */
static td_time_us fill_gap_us(const td_sim_scenario *scenario, double scale)
{
    td_time_us gap_us = (td_time_us)((double)TD_US_PER_S / (FILL_PER_S * scale)) + 1;
    td_time_us widest_us = scenario->start_us / 2 / (td_time_us)(count_fills(scenario) + 1);
    return gap_us < widest_us ? gap_us : widest_us;
}

/* Early enough for tables to become ACTIVE, and for their fills one after the other. */
static td_time_us creation_us(const td_sim_scenario *scenario, td_time_us gap_us)
{
    return scenario->start_us - 86400 * TD_US_PER_S - (td_time_us)count_fills(scenario) * gap_us;
}

static void say_error(const td_error *error, char *sentence)
{
    snprintf(sentence, TD_SIM_FAULT_BYTES / 2, "%.*s", (int)error->text.len, (const char *)error->text.ptr);
}

static bool split(td_sim_world *world, const td_sim_action *action, char *outcome)
{
    td_call call = td_sim__world_call(world, action->table);
    td_split_veto veto = TD_VETO_NONE;
    switch (td_partition_split(&call, action->index, action->partition, &veto)) {
    case TD_SPLIT_DONE: return true;
    case TD_SPLIT_NO_TABLE: snprintf(outcome, TD_SIM_FAULT_BYTES, "there is no such table or index"); break;
    case TD_SPLIT_NO_PARTITION: snprintf(outcome, TD_SIM_FAULT_BYTES, "there is no such partition"); break;
    case TD_SPLIT_VETOED: snprintf(outcome, TD_SIM_FAULT_BYTES, "vetoed: %s", td_split_veto_name(veto)); break;
    case TD_SPLIT_NO_MEMORY: snprintf(outcome, TD_SIM_FAULT_BYTES, "out of memory"); break;
    }
    return false;
}
