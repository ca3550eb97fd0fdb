/* SPDX-License-Identifier: Apache-2.0
 * restored.c: a store that ends at any moment and is restored from the disk is the store that it was: in seeded random
 * runs against the naive model, with splits, a stream, settings, tokens and a snapshot. Before and after, all that can
 * be seen from outside is printed and compared.
 *
 *   TD_PROPERTY_SEED    the first seed (default 1; a failure names its seed)
 *   TD_PROPERTY_STEPS   steps a run (default 500) */
#include "kept.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "support/build.h"
#include "thermodyn/disk.h"
#include "thermodyn/expiry.h"
#include "thermodyn/insights.h"
#include "thermodyn/journal.h"
#include "thermodyn/observe.h"
#include "thermodyn/recovery.h"
#include "thermodyn/resource_policy.h"
#include "thermodyn/restore.h"
#include "thermodyn/stream.h"

#define RUNS_A_SPEC 2
#define BATCH_BYTES 20000
#define SHOWN_BYTES_MAX ((size_t)64 << 20)

typedef struct restored_run {
    model_run run;
    td_disk *disk;
    char folder[64];
    kept snapshot;
} restored_run;

static restored_run it;

static int put(void *context, td_space space, td_slice key, const td_slice *parts, size_t part_count)
{
    (void)context;
    return td_disk_put(it.disk, space, key, parts, part_count);
}

static int remove_key(void *context, td_space space, td_slice key)
{
    (void)context;
    return td_disk_remove(it.disk, space, key);
}

static int clear(void *context, td_space space)
{
    (void)context;
    return td_disk_clear(it.disk, space);
}

static int sweep(void *context, td_space space, td_slice from, td_slice to)
{
    (void)context;
    uint32_t removed = 0;
    return td_disk_remove_range(it.disk, space, from, to, UINT32_MAX, &removed);
}

/* All that has changed, or one batch of it, which at times is written twice. */
static void write_batches(bool is_all)
{
    static const td_journal_sink sink = {NULL, put, remove_key, clear, sweep};
    td_journal *journal = td_store_get_journal(it.run.store);
    if (random_chance(&it.run.rng, 30)) td_journal_mark_all(it.run.store, it.run.now_us);
    do {
        td_journal_batch *batch = td_journal_take(journal, BATCH_BYTES);
        if (batch == NULL) break;
        if (random_chance(&it.run.rng, 10)) {
            CHECK_RUN(&it.run, td_disk_begin(it.disk) == 0);
            CHECK_RUN(&it.run, td_journal_write(journal, batch, &sink) == 0);
            td_disk_abort(it.disk); /* as when the disk is full */
        }
        CHECK_RUN(&it.run, td_disk_begin(it.disk) == 0);
        CHECK_RUN(&it.run, td_journal_write(journal, batch, &sink) == 0);
        CHECK_RUN(&it.run, td_disk_commit(it.disk) == 0);
        td_journal_settle(journal, batch);
    } while (is_all);
    if (is_all) CHECK_RUN(&it.run, td_journal_settled(journal) == td_journal_last(journal));
}

static td_store *new_store(uint64_t seed)
{
    td_store_options options = {.placement = TD_PLACEMENT_SERVICE, .seed = seed, .has_journal = true};
    td_capacity_settings_init(&options.capacity);
    options.capacity.enforce = TD_ENFORCE_OFF;
    td_store *store = td_store_new(&options);
    ck_assert(store != NULL);
    return store;
}

static void restore(td_store *store)
{
    td_restore *restored = td_restore_new(store, it.run.now_us);
    ck_assert(restored != NULL);
    for (int space = 0; space < TD_SPACE_COUNT; space++) {
        td_disk_cursor *cursor = NULL;
        ck_assert_int_eq(td_disk_walk(it.disk, (td_space)space, td_slice_of(NULL, 0), &cursor), 0);
        td_slice key;
        td_slice value;
        while (td_disk_next(cursor, &key, &value) == 0) {
            td_restored told = td_restore_add(restored, (td_space)space, key, value);
            ck_assert_msg(told == TD_RESTORED || told == TD_RESTORE_ORPHAN, "seed %" PRIu64 ": space %d: %d %s",
                          it.run.seed, space, told, td_restore_get_sentence(restored));
        }
        td_disk_cursor_free(cursor);
    }
    ck_assert_msg(td_restore_finish(restored) == TD_RESTORED, "%s", td_restore_get_sentence(restored));
    td_restore_free(restored);
}

static void show_bucket(td_buf *buf, const td_bucket_view *bucket)
{
    td_buf_append_format(buf, " %.6f/%.6f@%.6f-%" PRIu64, bucket->balance, bucket->ceiling, bucket->rate,
                         bucket->throttled);
}

static void show_partitions(td_buf *buf, const td_table_view *view)
{
    for (uint32_t i = 0; i < view->resource_count; i++) {
        td_buf_append(buf, view->resources[i].index);
        for (int d = 0; d < TD_DIRECTION_COUNT; d++)
            show_bucket(buf, &view->resources[i].bucket[d]);
        td_buf_append_lit(buf, "\n");
    }
    for (uint32_t i = 0; i < view->partition_count; i++) {
        const td_partition_view *partition = &view->partitions[i];
        td_buf_append_format(buf,
                             "%s of %s at %" PRId64 ": %" PRIu64 " items, %" PRIu64
                             " bytes, veto %d, plan %d %d %" PRId64,
                             partition->id, partition->parent, partition->created_us, partition->items,
                             partition->bytes, partition->veto, partition->is_splitting, partition->split_cause,
                             partition->split_done_us);
        for (size_t k = 0; k < sizeof partition->hash_from.bytes; k++)
            td_buf_append_format(buf, " %02x-%02x", partition->hash_from.bytes[k], partition->hash_to.bytes[k]);
        if (partition->sort_from != NULL) {
            td_buf_append_format(buf, " from %s", show_value(&it.run.arena, partition->sort_from));
        }
        for (int d = 0; d < TD_DIRECTION_COUNT; d++) {
            show_bucket(buf, &partition->cap[d]);
            show_bucket(buf, &partition->share[d]);
        }
        td_buf_append_lit(buf, "\n");
    }
}

static void show_shard(td_buf *buf, td_time_us label_us, const td_shard_info *shard)
{
    td_call call = run_call(&it.run);
    td_buf_append_format(buf, "shard %s of %s, %s to %s\n", shard->id, shard->parent, shard->sequence_first,
                         shard->sequence_last);
    td_shard_iterator iterator;
    CHECK_RUN(&it.run, td_stream_iterate(&call, label_us, td_slice_of_cstr(shard->id), TD_ITERATE_TRIM_HORIZON,
                                         td_slice_of(NULL, 0), &iterator, &it.run.error) == TD_OK);
    for (;;) {
        td_changes changes;
        CHECK_RUN(&it.run, td_stream_read(&call, &iterator, 1000, &changes, &it.run.error) == TD_OK);
        for (uint32_t i = 0; i < changes.count; i++) {
            const td_change *change = &changes.changes[i];
            td_buf_append_format(buf, "%s %s %d %" PRId64 " %d %s\n", change->event_id, change->sequence, change->kind,
                                 change->at_us, change->is_expiry, show_item(&it.run.arena, change->new_image));
            td_buf_append_format(buf, "  was %s\n", show_item(&it.run.arena, change->old_image));
        }
        if (!changes.has_next || changes.count == 0) break;
        iterator = changes.next;
    }
}

static void show_streams(td_buf *buf)
{
    td_call call = run_call(&it.run);
    td_stream_ref *streams = NULL;
    uint32_t count = 0;
    bool has_more = false;
    CHECK_RUN(&it.run, td_stream_list(&call, NULL, 100, &streams, &count, &has_more) == TD_OK);
    for (uint32_t i = 0; i < count; i++) {
        td_stream_info info;
        CHECK_RUN(&it.run, td_stream_describe(&call, streams[i].label_us, td_slice_of(NULL, 0), 100000, &info,
                                              &it.run.error) == TD_OK);
        td_buf_append_format(buf, "stream %" PRId64 " %d %d\n", info.label_us, info.status, info.view);
        for (uint32_t k = 0; k < info.shard_count; k++)
            show_shard(buf, info.label_us, &info.shards[k]);
    }
}

static void show_policy(td_buf *buf, td_policy_place place)
{
    td_call call = run_call(&it.run);
    td_resource_policy policy;
    CHECK_RUN(&it.run, td_resource_policy_get(&call, place, &policy, &it.run.error) == TD_OK);
    td_buf_append_format(buf, "policy %" PRId64 " %s\n", policy.revision, show_slice(&it.run.arena, policy.text));
}

/* Of the table, and of its latest stream. */
static void show_policies(td_buf *buf, const td_table_info *info)
{
    show_policy(buf, (td_policy_place){.label_us = 0});
    if (info->stream_enabled_us != 0) show_policy(buf, (td_policy_place){true, info->stream_enabled_us});
}

static void change_policy(const td_call *call, const td_table_info *info)
{
    static const td_slice texts[] = {TD_LIT_INIT(""), TD_LIT_INIT("{}"), TD_LIT_INIT("{\"Statement\":[]}")};
    bool is_stream = info->stream_enabled_us != 0 && random_chance(&it.run.rng, 50);
    td_policy_place place = {is_stream, info->stream_enabled_us};
    int64_t revision = 0;
    td_slice text = texts[td_rng_below(&it.run.rng, TD_COUNT_OF(texts))];
    CHECK_RUN(&it.run, td_resource_policy_put(call, place, text, td_slice_of(NULL, 0), &revision, &it.run.error) ==
                           TD_OK);
}

static void show_table(td_buf *buf)
{
    td_call call = run_call(&it.run);
    td_table_info info;
    td_expiry_info expiry;
    td_recovery recovery;
    td_insights_info insights;
    td_tag *tags = NULL;
    uint32_t tag_count = 0;
    CHECK_RUN(&it.run, td_table_describe(&call, &info, &it.run.error) == TD_OK);
    CHECK_RUN(&it.run, td_expiry_describe(&call, &expiry, &it.run.error) == TD_OK);
    CHECK_RUN(&it.run, td_recovery_describe(&call, &recovery, &it.run.error) == TD_OK);
    CHECK_RUN(&it.run, td_insights_describe(&call, td_slice_of(NULL, 0), &insights, &it.run.error) == TD_OK);
    CHECK_RUN(&it.run, td_tag_list(&call, &tags, &tag_count, &it.run.error) == TD_OK);
    td_buf_append_format(
        buf, "%s at %" PRId64 ": status %d, billing %d %" PRId64 ", %" PRId64 "/%" PRId64 ", stream %d %" PRId64
             ", class %d, protected %d, %" PRIu64 " items, %" PRIu64 " bytes, decreases %" PRId64 " %" PRId64 "\n",
        info.table_id, info.created_us, info.status, info.spec.billing, info.billing_changed_us,
        info.spec.throughput.rate[0], info.spec.throughput.rate[1], info.spec.stream, info.stream_enabled_us,
        info.spec.table_class, info.spec.has_deletion_protection, info.item_count, info.size_bytes,
        info.history.decreases_today, info.history.last_increase_us);
    for (uint32_t i = 0; i < info.index_count; i++) {
        const td_index_info *index = &info.indexes[i];
        td_buf_append(buf, index->spec.name);
        td_buf_append_format(buf, ": global %d, projection %d+%u, status %d, warm %" PRId64 ", %" PRIu64 " items\n",
                             index->spec.is_global, index->spec.projection, index->spec.non_key_attribute_count,
                             index->status, index->spec.warm.rate[1], index->item_count);
    }
    td_buf_append_format(buf, "expiry %d %s, recovery %d %" PRId64 " %u, insights %d %" PRId64 "\n", expiry.is_enabled,
                         show_slice(&it.run.arena, expiry.is_enabled ? expiry.attribute : td_slice_of(NULL, 0)),
                         recovery.is_enabled, recovery.enabled_us, recovery.days, insights.status, insights.created_us);
    for (uint32_t i = 0; i < tag_count; i++)
        td_buf_append_format(buf, "tag %s %s\n", show_slice(&it.run.arena, tags[i].key),
                             show_slice(&it.run.arena, tags[i].value));
    show_policies(buf, &info);
    td_table_view view;
    CHECK_RUN(&it.run, td_observe_table(&call, &view));
    show_partitions(buf, &view);
    td_capacity_settings settings;
    CHECK_RUN(&it.run, td_store_get_capacity(it.run.store, call.scope, call.table, &settings));
    for (int i = 0; i < TD_CAPACITY_SETTING_COUNT; i++)
        td_buf_append_format(buf, "%s=%g ", td_capacity_rows[i].name, settings.values[i]);
}

static void show_everything(td_buf *buf)
{
    td_buf_init(buf, SHOWN_BYTES_MAX);
    td_store_run_due(it.run.store, it.run.now_us);
    show_table(buf);
    show_streams(buf);
    ck_assert(!td_buf_has_failed(buf));
    td_buf_append_byte(buf, '\0');
}

/* Tells the first line that differs. */
static void compare(char *before, char *after)
{
    while (*before != '\0' || *after != '\0') {
        size_t lens[] = {strcspn(before, "\n"), strcspn(after, "\n")};
        bool is_same = lens[0] == lens[1] && memcmp(before, after, lens[0]) == 0;
        ck_assert_msg(is_same, "seed %" PRIu64 ", step %" PRIu32 ": was \"%.*s\", is \"%.*s\"", it.run.seed,
                      it.run.step, (int)lens[0], before, (int)lens[1], after);
        before += lens[0] + (before[lens[0]] != '\0');
        after += lens[1] + (after[lens[1]] != '\0');
    }
}

/* The process ends, and another one begins. */
static void end_and_restore(void)
{
    td_buf before;
    td_buf after;
    show_everything(&before);
    td_journal_mark_all(it.run.store, it.run.now_us);
    write_batches(true);
    td_store_free(it.run.store);
    kept_forget(&it.snapshot);
    it.run.store = new_store(it.run.seed + it.run.step);
    restore(it.run.store);
    it.run.told_count = 0; /* heat maps begin anew */
    show_everything(&after);
    compare((char *)before.data, (char *)after.data);
    td_buf_done(&before);
    td_buf_done(&after);
    run_check_everything(&it.run);
}

static void change_settings(void)
{
    td_call call = run_call(&it.run);
    td_error *error = &it.run.error;
    td_table_change update = {.has_stream = true, .stream = TD_STREAM_NEW_AND_OLD_IMAGES};
    td_tag tag = {TD_LIT("step"), random_key(&it.run.rng, TD_TYPE_S, &it.run.arena)};
    td_expiry_info expiry;
    td_insights_info insights;
    td_recovery recovery;
    td_table_info info;
    switch (td_rng_below(&it.run.rng, 7)) {
    case 0:
        CHECK_RUN(&it.run, td_table_describe(&call, &info, error) == TD_OK);
        if (info.spec.stream != TD_STREAM_NONE) update.stream = TD_STREAM_NONE;
        CHECK_RUN(&it.run, td_table_update(&call, &update, &info, error) == TD_OK);
        break;
    case 1: CHECK_RUN(&it.run, td_tag_put(&call, &tag, 1, error) == TD_OK); break;
    case 2:
        CHECK_RUN(&it.run, td_expiry_describe(&call, &expiry, error) == TD_OK);
        CHECK_RUN(&it.run, td_expiry_update(&call, !expiry.is_enabled, TD_LIT("never"), error) == TD_OK);
        break;
    case 3:
        CHECK_RUN(&it.run, td_insights_update(&call, td_slice_of(NULL, 0), random_chance(&it.run.rng, 50),
                                              TD_INSIGHTS_THROTTLED, &insights, error) == TD_OK);
        break;
    case 4: CHECK_RUN(&it.run, td_recovery_update(&call, true, 1 + it.run.step % 35, &recovery, error) == TD_OK); break;
    case 5: {
        td_table_view view;
        td_split_veto veto;
        CHECK_RUN(&it.run, td_observe_table(&call, &view));
        const td_partition_view *partition = &view.partitions[td_rng_below(&it.run.rng, view.partition_count)];
        if (view.partition_count >= 200) break;
        td_split_answer answer = td_partition_split(&call, partition->index, td_slice_of_cstr(partition->id), &veto);
        CHECK_RUN(&it.run, answer == TD_SPLIT_DONE || answer == TD_SPLIT_VETOED);
        break;
    }
    case 6:
        CHECK_RUN(&it.run, td_table_describe(&call, &info, error) == TD_OK);
        change_policy(&call, &info);
        break;
    }
}

/* Keeps the state, or goes back to it, at times from where there is no table, which the disk may know or not. */
static void use_snapshot(void)
{
    td_slice name = TD_LIT("snapshot");
    if (!it.snapshot.is_kept) {
        kept_keep(&it.snapshot, &it.run, name, true);
        return;
    }
    bool has_table = random_chance(&it.run.rng, 60);
    if (!has_table) {
        td_call call = run_call(&it.run);
        td_table_info info;
        CHECK_RUN(&it.run, td_table_delete(&call, &info, &it.run.error) == TD_OK);
        if (random_chance(&it.run.rng, 50)) write_batches(random_chance(&it.run.rng, 50));
    }
    CHECK_RUN(&it.run, kept_go_back(&it.snapshot, &it.run, name, has_table));
}

static void open_folder(void)
{
    char sentence[TD_DISK_SENTENCE_BYTES];
    snprintf(it.folder, sizeof it.folder, "/tmp/thermodyn-restored-XXXXXX");
    ck_assert(mkdtemp(it.folder) != NULL);
    it.disk = td_disk_open(it.folder, TD_DISK_KEEP, sentence);
    ck_assert_msg(it.disk != NULL, "%s", sentence);
}

static void close_folder(void)
{
    char path[96];
    td_disk_close(it.disk);
    snprintf(path, sizeof path, "%s/data.mdb", it.folder);
    unlink(path);
    snprintf(path, sizeof path, "%s/lock", it.folder);
    unlink(path);
    rmdir(it.folder);
}

START_TEST(a_restored_store_is_the_store_that_was)
{
    uint64_t seed = number_from_env("TD_PROPERTY_SEED", 1) + (uint64_t)_i;
    uint64_t steps = number_from_env("TD_PROPERTY_STEPS", 500);
    open_folder();
    run_init_journaled(&it.run, seed, (size_t)_i % SPEC_COUNT);
    for (uint64_t i = 1; i <= steps; i++) {
        run_begin_step(&it.run);
        uint64_t pick = td_rng_below(&it.run.rng, 1000);
        if (i % (steps / 4 + 1) == 0) run_grow(&it.run, i / (steps / 4 + 1));
        if (pick < 700)
            run_write(&it.run);
        else if (pick < 800)
            run_transact_write(&it.run);
        else if (pick < 850)
            write_batches(false);
        else if (pick < 930)
            run_query(&it.run);
        else if (pick < 950)
            use_snapshot();
        else if (pick < 985)
            change_settings();
        else if (pick < 990)
            run_change_indexes(&it.run);
        else
            end_and_restore();
    }
    run_begin_step(&it.run);
    end_and_restore();
    run_done(&it.run);
    kept_forget(&it.snapshot);
    close_folder();
}
END_TEST

START_TEST(a_table_outlives_a_stream_that_was_trimmed)
{
    open_folder();
    run_init_journaled(&it.run, 1, 0);
    td_call call = run_call(&it.run);
    td_table_change update = {.has_stream = true, .stream = TD_STREAM_NEW_AND_OLD_IMAGES};
    td_table_info info;
    CHECK_RUN(&it.run, td_table_update(&call, &update, &info, &it.run.error) == TD_OK);
    update.stream = TD_STREAM_NONE;
    CHECK_RUN(&it.run, td_table_update(&call, &update, &info, &it.run.error) == TD_OK);
    write_batches(true);
    it.run.now_us += 25 * 3600 * TD_US_PER_S;
    td_store_run_due(it.run.store, it.run.now_us);
    write_batches(true);
    td_store_free(it.run.store);
    it.run.store = new_store(2);
    restore(it.run.store);
    call = run_call(&it.run);
    CHECK_RUN(&it.run, td_table_describe(&call, &info, &it.run.error) == TD_OK);
    run_done(&it.run);
    close_folder();
}
END_TEST

int main(void)
{
    TCase *cases = tcase_create("restored");
    tcase_set_timeout(cases, 300);
    tcase_add_loop_test(cases, a_restored_store_is_the_store_that_was, 0, RUNS_A_SPEC * SPEC_COUNT);
    tcase_add_test(cases, a_table_outlives_a_stream_that_was_trimmed);
    Suite *suite = suite_create("restored");
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
