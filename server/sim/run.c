/* SPDX-License-Identifier: Apache-2.0
 * run.c: see run.h. The innermost loop runs between two instants at which anything else happens than operations. */
#include "run.h"

#include <stdio.h>

#define OPERATIONS_BETWEEN_PROGRESS 8192

typedef struct run {
    const td_sim_run_options *options;
    td_sim_scenario *scenario;
    td_sim_world world;
    td_sim_record record;
    td_sim_stream streams[TD_SIM_LOADS_MAX];
    uint32_t places[TD_SIM_LOADS_MAX]; /* of the streams */
    uint32_t stream_count;
    uint64_t streams_before; /* of earlier phases: each stream has randomness of its own */
    uint64_t sent;
    double expected; /* operations of the whole run */
} run;

static bool run_all(run *it, char *sentence);
static bool run_phase(run *it, uint32_t phase, td_time_us begins_us, td_time_us ends_us);
static bool begin_streams(run *it, const td_sim_phase *phase, td_time_us begins_us);
static void end_streams(run *it);
static void run_actions(run *it, const td_sim_phase *phase, td_time_us begins_us, uint32_t *next_action);
static void run_until(run *it, td_time_us until_us);
static void send(run *it, uint32_t stream);
static double expected_operations(const run *it);

bool td_sim__run(td_sim_scenario *scenario, const td_sim_run_options *options, td_sim_record *ret_record,
                 char reterr_sentence[TD_SIM_FAULT_BYTES])
{
    static const char no_memory[] = "out of memory";
    td_arena arena;
    td_arena_init(&arena, SIZE_MAX);
    run *it = td_arena_alloc_zero(&arena, sizeof *it);
    bool is_done = false;
    memcpy(reterr_sentence, no_memory, sizeof no_memory);
    if (it != NULL) {
        it->options = options;
        it->scenario = scenario;
        is_done = run_all(it, reterr_sentence);
        if (is_done) *ret_record = it->record;
    }
    td_arena_done(&arena);
    return is_done;
}

static bool run_all(run *it, char *sentence)
{
    const td_sim_run_options *options = it->options;
    td_sim_scale scale = {.factor = options->scale};
    bool is_good = td_sim__world_init(&it->world, it->scenario, scale, sentence);
    bool has_record = is_good && td_sim__record_init(&it->record, it->scenario, options->duration_us,
                                                     options->bucket_us, options->scale);
    is_good = is_good && has_record;
    if (is_good) it->expected = expected_operations(it);
    td_time_us begins_us = it->scenario->start_us;
    td_time_us ends_us = begins_us + options->duration_us;
    for (uint32_t i = 0; is_good && i < it->record.phase_count; i++) {
        td_time_us phase_ends_us = begins_us + it->scenario->phases[i].duration_us;
        is_good = run_phase(it, i, begins_us, phase_ends_us < ends_us ? phase_ends_us : ends_us);
        begins_us = phase_ends_us;
    }
    if (is_good) {
        if (it->record.bucket < it->record.bucket_count) td_sim__record_end_bucket(&it->record, &it->world);
        td_sim__record_finish(&it->record, &it->world);
    } else if (has_record) {
        td_sim__record_done(&it->record);
    }
    td_sim__world_done(&it->world);
    return is_good;
}

static bool run_phase(run *it, uint32_t phase, td_time_us begins_us, td_time_us ends_us)
{
    const td_sim_phase *about = &it->scenario->phases[phase];
    td_sim_record *record = &it->record;
    bool is_good = begin_streams(it, about, begins_us);
    td_sim__record_begin_phase(record, phase, &it->world);
    uint32_t next_action = 0;
    while (is_good && it->world.now_us < ends_us) {
        run_actions(it, about, begins_us, &next_action);
        td_time_us bucket_ends_us = record->start_us + td_sim__bucket_end_us(record, record->bucket);
        td_time_us until_us = bucket_ends_us < ends_us ? bucket_ends_us : ends_us;
        if (next_action < about->action_count && begins_us + about->actions[next_action].at_us < until_us) {
            until_us = begins_us + about->actions[next_action].at_us;
        }
        run_until(it, until_us);
        if (until_us == bucket_ends_us) td_sim__record_end_bucket(record, &it->world);
    }
    td_sim__record_end_phase(record, &it->world);
    end_streams(it);
    return is_good;
}

static bool begin_streams(run *it, const td_sim_phase *phase, td_time_us begins_us)
{
    bool is_good = true;
    for (uint32_t i = 0; i < phase->load_count && is_good; i++) {
        td_sim_load *load = &phase->loads[i];
        td_slice table = it->scenario->tables[load->table].spec.name;
        it->places[i] = td_sim__record_find(&it->record, table, load->index);
        /* A local index is its table. */
        if (it->places[i] == UINT32_MAX) it->places[i] = td_sim__record_find(&it->record, table, TD_LIT(""));
        td_sim_stream *stream = &it->streams[it->stream_count++];
        is_good = td_sim__stream_init(stream, it->scenario, load, it->streams_before + i);
        if (is_good) td_sim__stream_begin(stream, begins_us, phase->duration_us, it->options->scale);
    }
    it->streams_before += phase->load_count;
    return is_good;
}

static void end_streams(run *it)
{
    for (uint32_t i = 0; i < it->stream_count; i++)
        td_sim__stream_done(&it->streams[i]);
    it->stream_count = 0;
}

/* Those that are due by now. */
static void run_actions(run *it, const td_sim_phase *phase, td_time_us begins_us, uint32_t *next_action)
{
    while (*next_action < phase->action_count && begins_us + phase->actions[*next_action].at_us <= it->world.now_us) {
        const td_sim_action *action = &phase->actions[(*next_action)++];
        char outcome[TD_SIM_FAULT_BYTES];
        td_sim__world_move_to(&it->world, it->world.now_us);
        bool is_done = td_sim__world_act(&it->world, action, outcome);
        td_sim__record_action(&it->record, &it->world, action, is_done, outcome);
    }
}

/* Operations before that instant; the world stands at it afterwards. */
static void run_until(run *it, td_time_us until_us)
{
    for (;;) {
        uint32_t first = UINT32_MAX;
        td_time_us first_us = until_us;
        for (uint32_t i = 0; i < it->stream_count; i++) {
            if (it->streams[i].next_us >= first_us) continue;
            first = i;
            first_us = it->streams[i].next_us;
        }
        td_sim__world_move_to(&it->world, first_us);
        if (first == UINT32_MAX) return;
        send(it, first);
    }
}

static void send(run *it, uint32_t stream)
{
    td_sim_outcome outcome = td_sim__stream_send(&it->streams[stream], &it->world);
    td_sim__record_count(&it->record, it->places[stream], &outcome, &it->world);
    td_sim__stream_step(&it->streams[stream]);
    if (++it->sent % OPERATIONS_BETWEEN_PROGRESS != 0) return;
    double share = it->expected > 0 ? (double)it->sent / it->expected : 0;
    td_sim__progress_show(it->options->progress, share < 1 ? share : 1, it->world.now_us - it->record.start_us,
                          it->record.duration_us, it->sent);
}

static double expected_operations(const run *it)
{
    double sum = 0;
    td_time_us begun_us = 0;
    for (uint32_t i = 0; i < it->record.phase_count; i++) {
        const td_sim_phase *phase = &it->scenario->phases[i];
        double duration_s = (double)phase->duration_us / (double)TD_US_PER_S;
        double left_s = (double)(it->options->duration_us - begun_us) / (double)TD_US_PER_S;
        double part = left_s < duration_s ? left_s / duration_s : 1;
        for (uint32_t j = 0; j < phase->load_count; j++) {
            const td_sim_load *load = &phase->loads[j];
            double until = load->from_per_s + (load->to_per_s - load->from_per_s) * part;
            sum += td_sim__arrival_total(load->from_per_s, until, duration_s * part) * it->options->scale;
        }
        begun_us += phase->duration_us;
    }
    return sum;
}
