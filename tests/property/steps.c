/* SPDX-License-Identifier: Apache-2.0
 * steps.c: random steps on tables and snapshots beside those on items. */
#include "steps.h"

#include "thermodyn/observe.h"
#include "thermodyn/snapshot.h"

#define PARTITIONS_MAX 60
#define LEAP_US (2 * 3600 * TD_US_PER_S)

static void keep(steps *it, size_t number);
static void go_back(steps *it, size_t number);
static void remove_some(steps *it, size_t number);
static void change_tables(steps *it);
static void use_table(steps *it);
static void split(steps *it);
static td_slice name_of(size_t number);
static void check_list(steps *it);

void steps_done(steps *it)
{
    for (size_t i = 0; i < STEPS_SNAPSHOTS; i++)
        kept_forget(&it->kept[i]);
    run_done(&it->run);
    *it = (steps){.has_table = false};
}

void steps_take(steps *it)
{
    td_rng *rng = &it->run.rng;
    uint64_t pick = td_rng_below(rng, 100);
    size_t number = td_rng_below(rng, STEPS_SNAPSHOTS);
    if (random_chance(rng, 1)) it->run.now_us += (td_time_us)td_rng_below(rng, LEAP_US);
    run_begin_step(&it->run);
    if (pick < 4)
        keep(it, number);
    else if (pick < 8)
        go_back(it, number);
    else if (pick < 9)
        remove_some(it, number);
    else if (pick < 10 || !it->has_table)
        change_tables(it);
    else
        use_table(it);
    if (pick >= 4 && pick < 8) steps_check(it);
}

void steps_check(steps *it)
{
    check_list(it);
    if (it->has_table) run_check_contents(&it->run);
    CHECK_RUN(&it->run, td_store_table_count(it->run.store) == it->has_table);
}

static void keep(steps *it, size_t number)
{
    kept_keep(&it->kept[number], &it->run, name_of(number), it->has_table);
}

static void go_back(steps *it, size_t number)
{
    it->restores += it->kept[number].is_kept;
    it->has_table = kept_go_back(&it->kept[number], &it->run, name_of(number), it->has_table);
}

static void remove_some(steps *it, size_t number)
{
    model_run *run = &it->run;
    bool is_all = random_chance(&run->rng, 5);
    uint32_t expected = 0;
    for (size_t i = 0; i < STEPS_SNAPSHOTS; i++) {
        if (is_all || i == number) expected += it->kept[i].is_kept;
    }
    CHECK_RUN(run, td_snapshot_remove(run->store, is_all ? TD_LIT("") : name_of(number)) == expected);
    for (size_t i = 0; i < STEPS_SNAPSHOTS; i++) {
        if (is_all || i == number) kept_forget(&it->kept[i]);
    }
}

/* Gone, or there anew, empty. */
static void change_tables(steps *it)
{
    model_run *run = &it->run;
    td_call call = run_call(run);
    td_table_info info;
    if (it->has_table) {
        CHECK_RUN(run, td_table_delete(&call, &info, &run->error) == TD_OK);
        kept_empty_model(run);
    } else {
        CHECK_RUN(run, td_table_create(&call, &run->table.spec, &info, &run->error) == TD_OK);
    }
    it->has_table = !it->has_table;
}

static void use_table(steps *it)
{
    model_run *run = &it->run;
    uint64_t pick = td_rng_below(&run->rng, 100);
    if (pick < 52)
        run_write(run);
    else if (pick < 64)
        run_transact_write(run);
    else if (pick < 68)
        run_batch_write(run);
    else if (pick < 72)
        run_get(run);
    else if (pick < 75)
        run_transact_get(run);
    else if (pick < 85)
        run_query(run);
    else if (pick < 88)
        run_scan(run);
    else if (pick < 92)
        run_change_indexes(run);
    else if (pick < 95)
        run_change_expiry(run);
    else
        split(it);
}

static void split(steps *it)
{
    model_run *run = &it->run;
    td_call call = run_call(run);
    td_table_view view;
    CHECK_RUN(run, td_observe_table(&call, &view));
    if (view.partition_count > PARTITIONS_MAX) return;
    const td_partition_view *picked = &view.partitions[td_rng_below(&run->rng, view.partition_count)];
    td_split_veto veto = TD_VETO_NONE;
    td_split_answer answer = td_partition_split(&call, picked->index, td_slice_of_cstr(picked->id), &veto);
    CHECK_RUN(run, answer == TD_SPLIT_DONE || answer == TD_SPLIT_VETOED);
}

static td_slice name_of(size_t number)
{
    static const char *const names[STEPS_SNAPSHOTS] = {"a", "b", "c", "d", "e", "f", "g"};
    return td_slice_of_cstr(names[number]);
}

static void check_list(steps *it)
{
    model_run *run = &it->run;
    td_call call = run_call(run);
    td_snapshot_info *infos = NULL;
    uint32_t count = 0;
    CHECK_RUN(run, td_snapshot_list(&call, &infos, &count));
    uint32_t at = 0;
    for (size_t i = 0; i < STEPS_SNAPSHOTS; i++) {
        if (!it->kept[i].is_kept) continue;
        CHECK_RUN(run, at < count && td_slice_equal(infos[at].name, name_of(i)));
        CHECK_RUN(run, infos[at].items == it->kept[i].count);
        at++;
    }
    CHECK_RUN(run, at == count);
}
