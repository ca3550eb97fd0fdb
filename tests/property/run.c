/* SPDX-License-Identifier: Apache-2.0
 * run.c: life of a model run, its random keys and items, and the comparison of everything. */
#include "run.h"

#include "thermodyn/observe.h"

#define STEP_BYTES_MAX (64u << 20)
#define START_US INT64_C(1794571200000000)

static void init(model_run *run, uint64_t seed, size_t spec_number, bool is_lagging, bool has_journal);
static void settle(model_run *run);
static void describe(model_run *run, td_table_info *ret_info);
static void create_table(model_run *run);
static void check_index_info(model_run *run, const td_index_info *info);
static size_t find_global(model_run *run);

void run_init(model_run *run, uint64_t seed, size_t spec_number)
{
    init(run, seed, spec_number, false, false);
}

void run_init_lagging(model_run *run, uint64_t seed, size_t spec_number)
{
    init(run, seed, spec_number, true, false);
}

void run_init_journaled(model_run *run, uint64_t seed, size_t spec_number)
{
    init(run, seed, spec_number, false, true);
}

void run_done(model_run *run)
{
    td_arena_done(&run->arena);
    model_done(&run->model);
    past_done(&run->past);
    td_store_free(run->store);
}

void run_begin_step(model_run *run)
{
    td_arena_reset(&run->arena);
    run->error = (td_error){.arena = &run->arena};
    run->step++;
    run->now_us += (td_time_us)td_rng_below(&run->rng, 2 * TD_US_PER_S);
    if (random_chance(&run->rng, 20)) run->now_us = past_next_border(&run->past, &run->rng, run->now_us);
    run_pass_time(run);
}

td_call run_call(model_run *run)
{
    return (td_call){.store = run->store,
                     .arena = &run->arena,
                     .now_us = run->now_us,
                     .region = TD_LIT("us-east-1"),
                     .table = run->table.spec.name};
}

void run_swap(model_run *run, const td_item *old_item, td_item *new_item)
{
    past_note(&run->past, run->now_us, old_item, new_item);
    model_swap(&run->model, old_item, new_item);
}

const model_table *run_seen(model_run *run, const td_index_spec *index, bool is_consistent)
{
    past_view *view = index != NULL && index->is_global ? &run->past.index : &run->past.table;
    if (is_consistent || view->lag_us == 0) return &run->model;
    return past_see(&run->past, view, run->now_us);
}

uint32_t run_make_key(model_run *run, td_attribute ret_key[2])
{
    const td_key_schema *schema = &run->table.spec.key;
    uint32_t count = td_key_part_count(schema);
    for (uint32_t i = 0; i < count; i++) {
        const td_key_part *part = &schema->parts[i];
        td_slice payload = random_key(&run->rng, part->type, &run->arena);
        ret_key[i] = (td_attribute){part->name, {.type = part->type, .bytes = payload}};
    }
    return count; /* "pk" sorts before "sk" */
}

uint32_t run_make_item(model_run *run, td_attribute *ret_attributes, uint32_t capacity)
{
    static const td_key_part index_keys[] = {{TD_LIT_INIT("gk"), TD_TYPE_S},
                                             {TD_LIT_INIT("gs"), TD_TYPE_N},
                                             {TD_LIT_INIT("gb"), TD_TYPE_B},
                                             {TD_LIT_INIT("l"), TD_TYPE_N}};
    static const td_slice others[] = {TD_LIT_INIT("a"), TD_LIT_INIT("b")};
    ck_assert(capacity >= 3 + TD_COUNT_OF(index_keys) + TD_COUNT_OF(others));
    uint32_t count = run_make_key(run, ret_attributes);
    for (size_t i = 0; i < TD_COUNT_OF(index_keys); i++) {
        if (random_chance(&run->rng, 40)) continue; /* sparse */
        td_type type = index_keys[i].type;
        if (random_chance(&run->rng, 1)) type = type == TD_TYPE_S ? TD_TYPE_N : TD_TYPE_S;
        td_slice payload = random_key(&run->rng, type, &run->arena);
        ret_attributes[count++] = (td_attribute){index_keys[i].name, {.type = type, .bytes = payload}};
    }
    for (size_t i = 0; i < TD_COUNT_OF(others); i++) {
        if (random_chance(&run->rng, 50))
            ret_attributes[count++] = (td_attribute){others[i], random_value(&run->rng, 2, &run->arena)};
    }
    if (run->has_expiry && random_chance(&run->rng, 50)) ret_attributes[count++] = run_make_instant(run);
    td_value_sort_attributes(ret_attributes, &count);
    return count;
}

void run_change_indexes(model_run *run)
{
    td_table_spec *spec = &run->table.spec;
    size_t number = find_global(run);
    if (number == spec->index_count) return;
    td_index_spec removed = spec->indexes[number];
    td_index_change change = {.action = TD_INDEX_DELETE, .spec.name = removed.name};
    td_table_change update = {.indexes = &change,
                              .index_count = 1,
                              .definitions = spec->definitions,
                              .definition_count = spec->definition_count};
    td_call call = run_call(run);
    td_table_info info;
    CHECK_RUN(run, td_table_update(&call, &update, &info, &run->error) == TD_OK);
    run_forget_units(run, removed.name);
    memmove(&spec->indexes[number], &spec->indexes[number + 1],
            (spec->index_count - number - 1) * sizeof *spec->indexes);
    spec->index_count--;
    settle(run);
    for (int i = 0; i < 20; i++) {
        run_begin_step(run);
        run_write(run);
    }

    change = (td_index_change){
        .action = TD_INDEX_CREATE, .spec = removed, .has_throughput = spec->billing == TD_BILLING_PROVISIONED};
    call = run_call(run);
    CHECK_RUN(run, td_table_update(&call, &update, &info, &run->error) == TD_OK);
    settle(run);
    spec->indexes[spec->index_count++] = removed;
    describe(run, &info);
    CHECK_RUN(run, info.index_count == spec->index_count);
    run->now_us += run->past.index.lag_us; /* it begins with what is there now, and lags from then on */
}

void run_grow(model_run *run, uint64_t quarter)
{
    double cap = 5.0 / (double)quarter; /* of a provisioned table's ten units */
    td_capacity_patch patch = {0};
    static const td_capacity_setting caps[] = {TD_CAPACITY_partition_read_cap, TD_CAPACITY_partition_write_cap};
    for (size_t i = 0; i < TD_COUNT_OF(caps); i++) {
        patch.has_value[caps[i]] = true;
        patch.settings.values[caps[i]] = cap;
    }
    patch.has_value[TD_CAPACITY_ondemand_initial_partitions] = true;
    patch.settings.values[TD_CAPACITY_ondemand_initial_partitions] = (double)(4 << quarter);
    CHECK_RUN(run, td_store_patch_capacity(run->store, run->now_us, TD_LIT(""), TD_LIT(""), &patch));
}

uint32_t run_count_partitions(model_run *run)
{
    td_call call = run_call(run);
    td_table_view view;
    CHECK_RUN(run, td_observe_table(&call, &view));
    return view.partition_count;
}

void run_check_everything(model_run *run)
{
    run_check_contents(run);
    run_check_heat(run);
}

void run_check_contents(model_run *run)
{
    td_table_info info;
    describe(run, &info);
    uint64_t bytes = 0;
    for (size_t i = 0; i < run->model.count; i++)
        bytes += td_item_size(run->model.items[i]) + 100;
    CHECK_RUN(run, info.item_count == run->model.count);
    CHECK_RUN(run, info.size_bytes == bytes);
    CHECK_RUN(run, info.index_count == run->table.spec.index_count);
    for (uint32_t i = 0; i < info.index_count; i++)
        check_index_info(run, &info.indexes[i]);
    for (uint32_t i = 0; i <= info.index_count; i++)
        run_scan_index(run, i == 0 ? NULL : &run->table.spec.indexes[i - 1]);
}

bool consumed_equal(const td_consumed *a, const td_consumed *b)
{
    if (a->table != b->table || a->index_count != b->index_count) return false;
    for (uint32_t i = 0; i < a->index_count; i++) {
        uint32_t j = 0;
        while (j < b->index_count && !td_slice_equal(a->indexes[i].name, b->indexes[j].name))
            j++;
        if (j == b->index_count || a->indexes[i].units != b->indexes[j].units ||
            a->indexes[i].is_global != b->indexes[j].is_global)
            return false;
    }
    return true;
}

static void init(model_run *run, uint64_t seed, size_t spec_number, bool is_lagging, bool has_journal)
{
    *run = (model_run){.seed = seed, .start_us = START_US, .now_us = START_US, .passed_us = START_US};
    td_rng_init(&run->rng, seed);
    spec_table_init(&run->table, spec_number);
    model_init(&run->model, &run->table.spec);
    td_arena_init(&run->arena, STEP_BYTES_MAX);
    run->error.arena = &run->arena;

    td_store_options options = {.placement = TD_PLACEMENT_SERVICE, .seed = seed, .has_journal = has_journal};
    if (is_lagging) {
        past_init(&run->past, &run->table.spec);
        options.index_lag_us = run->past.index.lag_us;
        options.stale_reads_us = run->past.table.lag_us;
        options.stale_reads_share = 1;
    }
    td_capacity_settings_init(&options.capacity);
    options.capacity.enforce = TD_ENFORCE_OFF;
    run->store = td_store_new(&options);
    ck_assert(run->store != NULL);
    create_table(run);
}

/* Waits until the table and its indexes are ACTIVE. */
static void settle(model_run *run)
{
    bool is_settled = false;
    for (int tries = 0; tries < 20; tries++) {
        td_table_info info;
        describe(run, &info);
        is_settled = info.status == TD_TABLE_ACTIVE;
        for (uint32_t i = 0; i < info.index_count; i++)
            is_settled = is_settled && info.indexes[i].status == TD_TABLE_ACTIVE && !info.indexes[i].is_backfilling;
        if (is_settled) return;
        td_time_us due_us = td_store_next_due(run->store);
        if (due_us != TD_NEVER && due_us > run->now_us) run->now_us = due_us;
        run_pass_time(run);
    }
    CHECK_RUN(run, is_settled);
}

static void describe(model_run *run, td_table_info *ret_info)
{
    td_call call = run_call(run);
    CHECK_RUN(run, td_table_describe(&call, ret_info, &run->error) == TD_OK);
}

static void create_table(model_run *run)
{
    td_call call = run_call(run);
    td_table_info info;
    CHECK_RUN(run, td_table_create(&call, &run->table.spec, &info, &run->error) == TD_OK);
    settle(run);
}

static void check_index_info(model_run *run, const td_index_info *info)
{
    bool is_known = false;
    for (uint32_t i = 0; i < run->table.spec.index_count; i++) {
        const td_index_spec *index = &run->table.spec.indexes[i];
        if (!td_slice_equal(index->name, info->spec.name)) continue;
        is_known = true;
        size_t count;
        model_entry *entries = model_list(&run->model, index, NULL, &run->arena, &count);
        uint64_t bytes = 0;
        for (size_t j = 0; j < count; j++)
            bytes += td_item_size(entries[j].shown) + 100;
        CHECK_RUN(run, info->item_count == count);
        CHECK_RUN(run, info->size_bytes == bytes);
    }
    CHECK_RUN(run, is_known);
}

/* The number of a random global index, or the count of indexes. */
static size_t find_global(model_run *run)
{
    const td_table_spec *spec = &run->table.spec;
    for (uint32_t tries = 0; spec->index_count > 0 && tries < 20; tries++) {
        size_t number = td_rng_below(&run->rng, spec->index_count);
        if (spec->indexes[number].is_global) return number;
    }
    return spec->index_count;
}
