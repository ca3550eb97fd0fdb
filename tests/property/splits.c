/* SPDX-License-Identifier: Apache-2.0
 * splits.c: random writes and reads while partitions are split: by hand, by plan, for size and for growth.
 *
 * Many short runs of the model test's steps on its tables, with a split before nearly every one of them. After each
 * step the partitions of every resource cover the key space without gap or overlap, each of its trees has exactly the
 * keys of its range, and there are as many items as the model has; what reads answer the steps compare. A run of the
 * same seed leaves the same bytes.
 *
 *   TD_SPLITS_SEED   the first seed of the runs (default 1; a failure names its seed)
 *   TD_SPLITS_RUNS   how many (default 10000) */
#include "thermodyn/observe.h"
#include "thermodyn/stream.h"

#include "catalog.h"
#include "ranges.h"
#include "run.h"
#include "split.h"

#define STEPS_MAX 9
#define LAG_STEP_US (60 * TD_US_PER_S)
#define AGAIN_EVERY 16 /* runs, of which one is repeated */
#define SHARDS_MAX 400
#define PARTITIONS_MAX 120 /* of a resource: beyond that it is not split any more */

static model_run it;

static uint64_t run_once(uint64_t seed);
static void limit_bytes(model_run *run);
static td_time_us enable_stream(model_run *run);
static void split_something(model_run *run);
static void split_by_hand(model_run *run);
static void plan(model_run *run);
static td_slice pick_bound(model_run *run, const td_resource *resource, uint8_t *bytes, size_t room);
static void use(model_run *run);
static void check_ranges(model_run *run);
static void check_resource(model_run *run, const td_resource *resource, const td_table_view *view, td_slice index);
static void check_partition(model_run *run, const td_resource *resource, uint32_t at);
static void check_cover(model_run *run, const td_partition_view *before, const td_partition_view *after);
static void check_shards(model_run *run, td_time_us label_us);
static uint64_t digest_of(model_run *run);

static td_table *open_table(model_run *run)
{
    td_table *table = td_catalog__find(run->store, TD_LIT(""), run->table.spec.name);
    CHECK_RUN(run, table != NULL);
    return table;
}

START_TEST(nothing_is_lost_or_doubled_whatever_is_split)
{
    uint64_t first = number_from_env("TD_SPLITS_SEED", 1);
    uint64_t count = number_from_env("TD_SPLITS_RUNS", 10000);
    for (uint64_t seed = first; seed < first + count; seed++) {
        uint64_t digest = run_once(seed);
        if (seed % AGAIN_EVERY == 0) ck_assert_uint_eq(run_once(seed), digest);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("splits");
    TCase *tests = tcase_create("splits");
    tcase_set_timeout(tests, 0);
    tcase_add_test(tests, nothing_is_lost_or_doubled_whatever_is_split);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}

static uint64_t run_once(uint64_t seed)
{
    size_t spec = seed % SPEC_COUNT;
    bool is_lagging = seed % 7 == 0;
    if (is_lagging)
        run_init_lagging(&it, seed, spec);
    else
        run_init(&it, seed, spec);
    td_time_us label_us = random_chance(&it.rng, 30) ? enable_stream(&it) : 0;
    limit_bytes(&it);
    uint64_t steps = 1 + td_rng_below(&it.rng, STEPS_MAX);
    for (uint64_t i = 0; i < steps; i++) {
        if (is_lagging) it.now_us += (td_time_us)td_rng_below(&it.rng, LAG_STEP_US); /* else nothing is ever shown */
        run_begin_step(&it);
        split_something(&it);
        use(&it);
        check_ranges(&it);
    }
    run_begin_step(&it);
    if (seed % 32 == 0) run_check_everything(&it);
    if (label_us != 0) check_shards(&it, label_us);
    uint64_t digest = digest_of(&it);
    run_done(&it);
    return digest;
}

/* So little that partitions are full now and then. Not with local indexes, where it bounds collections too: the model
 * knows no bound. */
static void limit_bytes(model_run *run)
{
    bool has_local = false;
    for (uint32_t i = 0; i < run->table.spec.index_count; i++)
        has_local = has_local || !run->table.spec.indexes[i].is_global;
    if (has_local || random_chance(&run->rng, 30)) return;
    td_capacity_patch patch = {
        .has_value = {[TD_CAPACITY_partition_bytes] = true, [TD_CAPACITY_split_duration] = true}};
    patch.settings.values[TD_CAPACITY_partition_bytes] = 1024 + (double)td_rng_below(&run->rng, 3000);
    patch.settings.values[TD_CAPACITY_split_duration] = (double)td_rng_below(&run->rng, 5);
    CHECK_RUN(run, td_store_patch_capacity(run->store, run->now_us, TD_LIT(""), TD_LIT(""), &patch));
}

/* The label of the stream. */
static td_time_us enable_stream(model_run *run)
{
    td_call call = run_call(run);
    td_table_change change = {.has_stream = true, .stream = TD_STREAM_KEYS_ONLY};
    td_table_info info;
    CHECK_RUN(run, td_table_update(&call, &change, &info, &run->error) == TD_OK);
    return info.stream_enabled_us;
}

static void split_something(model_run *run)
{
    uint64_t pick = td_rng_below(&run->rng, 100);
    if (pick < 40)
        split_by_hand(run);
    else if (pick < 75)
        plan(run);
    else if (pick < 78)
        run_grow(run, 1);
}

static void split_by_hand(model_run *run)
{
    td_call call = run_call(run);
    td_table_view view;
    CHECK_RUN(run, td_observe_table(&call, &view));
    const td_partition_view *picked = &view.partitions[td_rng_below(&run->rng, view.partition_count)];
    if (picked->items < 2 && random_chance(&run->rng, 80)) {
        picked = &view.partitions[td_rng_below(&run->rng, view.partition_count)];
    }
    td_split_veto veto = TD_VETO_NONE;
    td_split_answer answer = td_partition_split(&call, picked->index, td_slice_of_cstr(picked->id), &veto);
    td_table_view after;
    CHECK_RUN(run, td_observe_table(&call, &after));
    CHECK_RUN(run, answer == TD_SPLIT_DONE || answer == TD_SPLIT_VETOED);
    CHECK_RUN(run, (answer == TD_SPLIT_VETOED) == (veto != TD_VETO_NONE));
    CHECK_RUN(run, after.partition_count == view.partition_count + (answer == TD_SPLIT_DONE));
}

static void plan(model_run *run)
{
    td_table *table = open_table(run);
    uint8_t bytes[64];
    td_table__lock(table);
    uint32_t number = (uint32_t)td_rng_below(&run->rng, table->resource_count);
    const td_resource *resource = table->resources[number];
    td_slice bound = pick_bound(run, resource, bytes, sizeof bytes);
    td_time_us due_us = run->now_us + (td_time_us)td_rng_below(&run->rng, 4 * TD_US_PER_S);
    uint32_t planned = td_split__count_planned(resource);
    bool is_planned = resource->partition_count < PARTITIONS_MAX &&
                      td_split__plan_locked(table, number, bound, TD_SPLIT_FOR_HEAT, due_us);
    CHECK_RUN(run, td_split__count_planned(resource) == planned + is_planned);
    td_table__unlock(table);
    td_table__unref(table);
}

/* A key that is there, or the beginning of one, or any hash. */
static td_slice pick_bound(model_run *run, const td_resource *resource, uint8_t *bytes, size_t room)
{
    uint32_t at = (uint32_t)td_rng_below(&run->rng, resource->partition_count);
    const td_btree *entries = resource->partitions[at]->trees[0].entries;
    if (td_btree_count(entries) == 0 || random_chance(&run->rng, 10)) {
        return td_partition__key_of_hash(td_rng_next(&run->rng), bytes);
    }
    td_btree_cursor cursor = td_btree_first(entries);
    for (uint64_t skipped = td_rng_below(&run->rng, td_btree_count(entries)); skipped > 0; skipped--)
        td_btree_next(&cursor);
    td_btree_room own;
    td_slice key = td_btree_read_key(cursor, &own);
    size_t len = key.len;
    if (random_chance(&run->rng, 50)) len = 8 + td_rng_below(&run->rng, key.len - 7);
    if (len > room) len = room;
    memcpy(bytes, key.ptr, len);
    return td_slice_of(bytes, len);
}

static void use(model_run *run)
{
    uint64_t pick = td_rng_below(&run->rng, 100);
    for (uint64_t writes = td_rng_below(&run->rng, 4); writes > 0; writes--) {
        run_write(run);
        run->error = (td_error){.arena = &run->arena};
    }
    if (pick < 10)
        run_transact_write(run);
    else if (pick < 20)
        run_get(run);
    else if (pick < 25)
        run_transact_get(run);
    else if (pick < 75)
        run_query(run);
    else if (pick < 95 || run->seed % 32 != 0)
        run_scan(run);
    else
        run_change_indexes(run);
}

/* ---- after a step ---- */

static void check_ranges(model_run *run)
{
    td_call call = run_call(run);
    td_table_view view;
    CHECK_RUN(run, td_observe_table(&call, &view));
    td_table *table = open_table(run);
    td_table__lock(table);
    CHECK_RUN(run, td_resource__count_entries(table->resources[0], 0) == run->model.count);
    for (uint32_t i = 0; i < table->resource_count; i++) {
        td_slice index = i == 0 ? TD_LIT("") : td_schema__global(table->schema, i - 1)->spec.name;
        check_resource(run, table->resources[i], &view, index);
    }
    td_table__unlock(table);
    td_table__unref(table);
}

static void check_resource(model_run *run, const td_resource *resource, const td_table_view *view, td_slice index)
{
    const td_partition_view *before = NULL;
    uint32_t seen = 0;
    for (uint32_t i = 0; i < view->partition_count; i++) {
        const td_partition_view *partition = &view->partitions[i];
        if (!td_slice_equal(partition->index, index)) continue;
        check_cover(run, before, partition);
        before = partition;
        seen++;
    }
    CHECK_RUN(run, seen == resource->partition_count);
    static const td_key_hash last = {
        {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}};
    CHECK_RUN(run, memcmp(&before->hash_to, &last, sizeof last) == 0);
    for (uint32_t i = 0; i < resource->partition_count; i++)
        check_partition(run, resource, i);
}

/* Every key of every tree is found in this partition and in no other; sums are those of the entries. */
static void check_partition(model_run *run, const td_resource *resource, uint32_t at)
{
    const td_partition *partition = resource->partitions[at];
    uint8_t bytes[8];
    td_slice bound = td_partition__bound(partition, bytes);
    CHECK_RUN(run, resource->bounds[at] == partition->hash_from);
    CHECK_RUN(run, td_resource__find_partition_at(resource, bound) == at);
    uint64_t storage_bytes = 0;
    for (uint32_t tree = 0; tree < partition->tree_count; tree++) {
        const td_btree *entries = partition->trees[tree].entries;
        uint64_t count = 0;
        uint64_t weight = 0;
        for (td_btree_cursor cursor = td_btree_first(entries); !td_btree_is_end(cursor); td_btree_next(&cursor)) {
            td_btree_room room;
            td_slice key = td_btree_read_key(cursor, &room);
            CHECK_RUN(run, td_slice_compare(key, bound) >= 0);
            CHECK_RUN(run, td_resource__find_partition_at(resource, key) == at);
            count++;
            weight += td_item_size(td_btree_value(cursor));
        }
        CHECK_RUN(run, td_btree_count(entries) == count);
        CHECK_RUN(run, td_btree_weight(entries) == weight);
        storage_bytes += weight + count * TD_ENTRY_OVERHEAD_BYTES;
    }
    CHECK_RUN(run, td_partition__storage_bytes(partition) == storage_bytes);
}

/* One begins where the other ends: at the next hash, or within one that both have. */
static void check_cover(model_run *run, const td_partition_view *before, const td_partition_view *after)
{
    td_key_hash next = {{0}};
    if (before != NULL) {
        bool shares_hash = memcmp(&before->hash_to, &after->hash_from, sizeof next) == 0;
        CHECK_RUN(run, before->sort_to == after->sort_from);
        if (shares_hash) return;
        CHECK_RUN(run, after->sort_from == NULL);
        next = before->hash_to;
        size_t i = sizeof next.bytes;
        while (i > 0 && ++next.bytes[i - 1] == 0)
            i--;
    }
    CHECK_RUN(run, memcmp(&next, &after->hash_from, sizeof next) == 0);
}

/* A shard is open for each partition, and no parent of another is. */
static void check_shards(model_run *run, td_time_us label_us)
{
    td_call call = run_call(run);
    td_stream_info info;
    CHECK_RUN(run, td_stream_describe(&call, label_us, TD_LIT(""), SHARDS_MAX, &info, &run->error) == TD_OK);
    CHECK_RUN(run, !info.has_more);
    uint32_t open = 0;
    for (uint32_t i = 0; i < info.shard_count; i++) {
        open += info.shards[i].sequence_last[0] == '\0';
        for (uint32_t k = 0; k < info.shard_count; k++) {
            bool is_parent = strcmp(info.shards[k].parent, info.shards[i].id) == 0;
            CHECK_RUN(run, !is_parent || (info.shards[i].sequence_last[0] != '\0' && k > i));
        }
    }
    td_table_view view;
    CHECK_RUN(run, td_observe_table(&call, &view));
    uint32_t partitions = 0;
    for (uint32_t i = 0; i < view.partition_count; i++)
        partitions += view.partitions[i].index.len == 0;
    CHECK_RUN(run, open == partitions);
}

/* Of all that can be seen of the partitions, and of all that is in them. */
static uint64_t digest_of(model_run *run)
{
    td_call call = run_call(run);
    td_table_view view;
    CHECK_RUN(run, td_observe_table(&call, &view));
    td_buf dump;
    td_buf_init(&dump, 64u << 20);
    for (uint32_t i = 0; i < view.partition_count; i++) {
        const td_partition_view *partition = &view.partitions[i];
        td_buf_append_format(&dump, "%s %s %" PRId64 " %" PRIu64 " %" PRIu64 " %d %d;", partition->id,
                             partition->parent, partition->created_us, partition->items, partition->bytes,
                             (int)partition->veto, (int)partition->is_splitting);
        td_buf_append(&dump, td_slice_of(partition->hash_from.bytes, sizeof partition->hash_from));
        td_buf_append(&dump, td_slice_of(partition->hash_to.bytes, sizeof partition->hash_to));
        if (partition->sort_from != NULL) td_buf_append(&dump, partition->sort_from->bytes);
    }
    td_table *table = open_table(run);
    td_table__lock(table);
    for (uint32_t i = 0; i < table->resource_count; i++) {
        for (uint32_t k = 0; k < table->resources[i]->partition_count; k++) {
            const td_btree *entries = table->resources[i]->partitions[k]->trees[0].entries;
            for (td_btree_cursor at = td_btree_first(entries); !td_btree_is_end(at); td_btree_next(&at)) {
                td_btree_room room;
                td_buf_append(&dump, td_btree_read_key(at, &room));
                td_buf_append(&dump, td_item_bytes(td_btree_value(at)));
            }
        }
    }
    td_table__unlock(table);
    td_table__unref(table);
    CHECK_RUN(run, !td_buf_has_failed(&dump));
    uint64_t digest = td_hash64(td_buf_contents(&dump));
    td_buf_done(&dump);
    return digest;
}
