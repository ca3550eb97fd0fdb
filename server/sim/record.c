/* SPDX-License-Identifier: Apache-2.0
 * record.c: counts by bucket and phase; see record.h.
 * An operation is counted in its bucket alone; phases and totals are given their part when a bucket or a phase ends.
 * Not here: splits and actions (record_events.c), heat (record_heat.c). */
#include "record.h"

#include "thermodyn/key.h"

#include "record_private.h"

#define BUCKETS_WANTED 1200

const char *const td_sim_cause_names[TD_SIM_CAUSE_COUNT] = {[TD_LIMITED_BY_PROVISIONED] = "provisioned throughput",
                                                            [TD_LIMITED_BY_KEY_RANGE] = "key range",
                                                            [TD_LIMITED_BY_ACCOUNT] = "account limit",
                                                            [TD_LIMITED_BY_MAX_ON_DEMAND] = "on-demand maximum",
                                                            [TD_SIM_BY_INDEX] = "by an index"};

static td_time_us suitable_bucket_us(td_time_us duration_us);
static bool make_places(td_sim_record *record);
static bool make_place(td_sim_record *record, td_sim_place *place, const td_table_spec *spec, td_slice index);
static uint32_t count_phases(const td_sim_record *record);
static void count_indexes(td_sim_record *record, uint32_t place, td_direction direction, const td_consumed *consumed);
static void count_throttle(td_sim_record *record, uint32_t place, td_sim_counts *counts,
                           const td_throttle_reason *reason);
static void observe(td_sim_record *record, td_sim_world *world, uint32_t place, td_sim_sample *ret_sample);
static void note_borders(td_sim_record *record, td_sim_place *place, const td_table_view *view, td_time_us now_us);
static void note_border(td_sim_record *record, td_sim_place *place, double share, td_time_us since_us);
static void give_to_phase(td_sim_record *record);
static void add(td_sim_counts *sum, const td_sim_counts *more);
static void subtract(td_sim_counts *from, const td_sim_counts *less);

bool td_sim__record_init(td_sim_record *record, const td_sim_scenario *scenario, td_time_us duration_us,
                         td_time_us bucket_us, double scale)
{
    *record = (td_sim_record){
        .scenario = scenario, .start_us = scenario->start_us, .duration_us = duration_us, .scale = scale};
    record->bucket_us = bucket_us > 0 ? bucket_us : suitable_bucket_us(duration_us);
    record->bucket_count = (uint32_t)((duration_us + record->bucket_us - 1) / record->bucket_us);
    TD_ASSERT(record->bucket_count <= TD_SIM_BUCKETS_MAX);
    record->phase_count = count_phases(record);
    td_arena_init(&record->arena, SIZE_MAX);
    record->events = td_arena_alloc_array(&record->arena, TD_SIM_EVENTS_MAX, sizeof *record->events);
    return record->events != NULL && make_places(record);
}

void td_sim__record_done(td_sim_record *record)
{
    td_arena_done(&record->arena);
}

uint32_t td_sim__record_find(const td_sim_record *record, td_slice table, td_slice index)
{
    for (uint32_t i = 0; i < record->place_count; i++) {
        const td_sim_place *place = &record->places[i];
        if (td_slice_equal(place->table, table) && td_slice_equal(place->index, index)) return i;
    }
    return UINT32_MAX;
}

void td_sim__record_count(td_sim_record *record, uint32_t place, const td_sim_outcome *outcome,
                          const td_sim_world *world)
{
    td_sim_counts *counts = &record->places[place].samples[record->bucket].counts;
    counts->offered++;
    if (outcome->status == TD_OK) {
        const td_consumed *consumed = outcome->consumed;
        bool is_index = record->places[place].index.len > 0;
        counts->accepted++;
        counts->consumed[outcome->direction] += is_index ? td_consumed_total(consumed) : consumed->table;
        if (consumed->index_count > 0 && !is_index) count_indexes(record, place, outcome->direction, consumed);
    } else if (world->error.throttle != NULL) {
        TD_ASSERT(world->error.throttle->count > 0);
        count_throttle(record, place, counts, &world->error.throttle->reasons[0]);
    } else {
        counts->failed++;
        if (record->first_failure.len == 0 &&
            !td_arena_copy(&record->arena, world->error.text, &record->first_failure)) {
            record->first_failure = TD_LIT("out of memory");
        }
    }
}

void td_sim__record_end_bucket(td_sim_record *record, td_sim_world *world)
{
    td_sim__record_take_events(record, world);
    give_to_phase(record);
    for (uint32_t i = 0; i < record->place_count; i++) {
        td_sim_place *place = &record->places[i];
        td_sim_sample *sample = &place->samples[record->bucket];
        observe(record, world, i, sample);
        add(&place->total, &sample->counts);
        place->given = (td_sim_counts){.offered = 0};
    }
    record->bucket++;
}

void td_sim__record_begin_phase(td_sim_record *record, uint32_t phase, td_sim_world *world)
{
    record->phase = phase;
    for (uint32_t i = 0; i < record->place_count; i++) {
        td_sim_sample sample;
        observe(record, world, i, &sample);
        record->places[i].phases[phase].partitions_before = sample.partitions;
    }
}

void td_sim__record_end_phase(td_sim_record *record, td_sim_world *world)
{
    td_sim__record_take_events(record, world);
    if (record->bucket < record->bucket_count) give_to_phase(record);
    for (uint32_t i = 0; i < record->place_count; i++) {
        td_sim_sample sample;
        observe(record, world, i, &sample);
        record->places[i].phases[record->phase].partitions_after = sample.partitions;
    }
}

uint64_t td_sim__throttled(const td_sim_counts *counts)
{
    uint64_t sum = 0;
    for (int i = 0; i < TD_SIM_CAUSE_COUNT; i++)
        sum += counts->throttled[i];
    return sum;
}

td_time_us td_sim__bucket_end_us(const td_sim_record *record, uint32_t bucket)
{
    td_time_us end_us = (bucket + 1) * record->bucket_us;
    return end_us < record->duration_us ? end_us : record->duration_us;
}

static td_time_us suitable_bucket_us(td_time_us duration_us)
{
    static const int widths_s[] = {1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600};
    for (size_t i = 0; i < TD_COUNT_OF(widths_s); i++) {
        if (duration_us / (widths_s[i] * TD_US_PER_S) <= BUCKETS_WANTED) return widths_s[i] * TD_US_PER_S;
    }
    TD_UNREACHABLE("a scenario lasts 31 days at most");
}

/* Each table, and its global indexes behind it. */
static bool make_places(td_sim_record *record)
{
    const td_sim_scenario *scenario = record->scenario;
    uint32_t count = 0;
    for (uint32_t i = 0; i < scenario->table_count; i++)
        count += 1 + scenario->tables[i].spec.index_count;
    record->places = td_arena_alloc_array(&record->arena, count, sizeof *record->places);
    if (record->places == NULL) return false;
    for (uint32_t i = 0; i < scenario->table_count; i++) {
        const td_table_spec *spec = &scenario->tables[i].spec;
        if (!make_place(record, &record->places[record->place_count++], spec, TD_LIT(""))) return false;
        for (uint32_t j = 0; j < spec->index_count; j++) {
            if (!spec->indexes[j].is_global) continue;
            if (!make_place(record, &record->places[record->place_count++], spec, spec->indexes[j].name)) return false;
        }
    }
    return true;
}

static bool make_place(td_sim_record *record, td_sim_place *place, const td_table_spec *spec, td_slice index)
{
    size_t sample_bytes = record->bucket_count * sizeof(td_sim_sample);
    size_t phase_bytes = record->scenario->phase_count * sizeof(td_sim_phase_sum);
    *place = (td_sim_place){.table = spec->name,
                            .index = index,
                            .billing = spec->billing,
                            .samples = td_arena_alloc_zero(&record->arena, sample_bytes),
                            .phases = td_arena_alloc_zero(&record->arena, phase_bytes)};
    return place->samples != NULL && place->phases != NULL;
}

static uint32_t count_phases(const td_sim_record *record)
{
    uint32_t count = 0;
    td_time_us begun_us = 0;
    for (; count < record->scenario->phase_count && begun_us < record->duration_us; count++)
        begun_us += record->scenario->phases[count].duration_us;
    return count;
}

/* The global indexes that took a write; what a local one costs is its table's. */
static void count_indexes(td_sim_record *record, uint32_t place, td_direction direction, const td_consumed *consumed)
{
    for (uint32_t i = 0; i < consumed->index_count; i++) {
        const td_consumed_index *index = &consumed->indexes[i];
        if (!index->is_global) {
            record->places[place].samples[record->bucket].counts.consumed[direction] += index->units;
            continue;
        }
        uint32_t at = td_sim__record_find(record, record->places[place].table, index->name);
        TD_ASSERT(at != UINT32_MAX);
        td_sim_counts *counts = &record->places[at].samples[record->bucket].counts;
        counts->offered++;
        counts->accepted++;
        counts->consumed[direction] += index->units;
    }
}

static void count_throttle(td_sim_record *record, uint32_t place, td_sim_counts *counts,
                           const td_throttle_reason *reason)
{
    const td_sim_place *it = &record->places[place];
    if (td_slice_equal(reason->index, it->index)) {
        counts->throttled[reason->kind]++;
        return;
    }
    counts->throttled[TD_SIM_BY_INDEX]++;
    uint32_t at = td_sim__record_find(record, it->table, reason->index);
    if (at == UINT32_MAX) return;
    td_sim_counts *theirs = &record->places[at].samples[record->bucket].counts;
    theirs->offered++;
    theirs->throttled[reason->kind]++;
}

static void observe(td_sim_record *record, td_sim_world *world, uint32_t place, td_sim_sample *ret_sample)
{
    td_sim_place *it = &record->places[place];
    td_arena_mark mark = td_arena_get_mark(&world->arena);
    td_call call = td_sim__world_call(world, it->table);
    td_table_view view;
    ret_sample->partitions = 0;
    memset(ret_sample->balance, 0, sizeof ret_sample->balance);
    if (td_observe_table(&call, &view)) {
        for (uint32_t i = 0; i < view.partition_count; i++)
            ret_sample->partitions += td_slice_equal(view.partitions[i].index, it->index) ? 1 : 0;
        for (uint32_t i = 0; i < view.resource_count; i++) {
            if (!td_slice_equal(view.resources[i].index, it->index)) continue;
            for (int j = 0; j < TD_DIRECTION_COUNT; j++)
                ret_sample->balance[j] = view.resources[i].bucket[j].balance;
        }
        if (ret_sample->partitions != it->border_count) note_borders(record, it, &view, world->now_us);
    }
    td_arena_rewind(&world->arena, mark);
}

/* A partition's lower end is a border; the lowest one's, at 0, is kept too, so that there are as many as partitions. */
static void note_borders(td_sim_record *record, td_sim_place *place, const td_table_view *view, td_time_us now_us)
{
    for (uint32_t i = 0; i < view->partition_count; i++) {
        if (!td_slice_equal(view->partitions[i].index, place->index)) continue;
        double share = (double)td_key_hash_prefix(&view->partitions[i].hash_from) / 18446744073709551616.0; /* 2^64 */
        note_border(record, place, share, now_us - record->start_us);
    }
}

/* Those inside an item collection lie at one place and are one. */
static void note_border(td_sim_record *record, td_sim_place *place, double share, td_time_us since_us)
{
    uint32_t low = 0;
    uint32_t high = place->border_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (place->borders[middle].share < share) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low < place->border_count && place->borders[low].share == share) return;
    if (place->border_count == place->border_room) {
        uint32_t room = place->border_room == 0 ? 64 : 2 * place->border_room;
        td_page_border *wider = td_arena_alloc_array(&record->arena, room, sizeof *wider);
        if (wider == NULL) return;
        if (place->border_count > 0) memcpy(wider, place->borders, place->border_count * sizeof *wider);
        place->borders = wider;
        place->border_room = room;
    }
    memmove(place->borders + low + 1, place->borders + low, (place->border_count - low) * sizeof *place->borders);
    place->borders[low] = (td_page_border){.share = share, .since_us = since_us};
    place->border_count++;
}

/* The phase in hand gets what the bucket in hand holds and no phase was given. */
static void give_to_phase(td_sim_record *record)
{
    for (uint32_t i = 0; i < record->place_count; i++) {
        td_sim_place *place = &record->places[i];
        const td_sim_counts *counts = &place->samples[record->bucket].counts;
        td_sim_counts *sum = &place->phases[record->phase].counts;
        add(sum, counts);
        subtract(sum, &place->given);
        place->given = *counts;
    }
}

static void add(td_sim_counts *sum, const td_sim_counts *more)
{
    sum->offered += more->offered;
    sum->accepted += more->accepted;
    sum->failed += more->failed;
    for (int i = 0; i < TD_SIM_CAUSE_COUNT; i++)
        sum->throttled[i] += more->throttled[i];
    for (int i = 0; i < TD_DIRECTION_COUNT; i++)
        sum->consumed[i] += more->consumed[i];
}

static void subtract(td_sim_counts *from, const td_sim_counts *less)
{
    from->offered -= less->offered;
    from->accepted -= less->accepted;
    from->failed -= less->failed;
    for (int i = 0; i < TD_SIM_CAUSE_COUNT; i++)
        from->throttled[i] -= less->throttled[i];
    for (int i = 0; i < TD_DIRECTION_COUNT; i++)
        from->consumed[i] -= less->consumed[i];
}
