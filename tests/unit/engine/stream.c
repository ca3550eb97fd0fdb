/* SPDX-License-Identifier: Apache-2.0
 * stream.c: tests of change records: what is recorded, in which shard, for how long, and who can still read it. */
#include "actions.h"
#include "suites.h"
#include "thermodyn/stream.h"
#include "world.h"

#define HOUR 3600.0

static td_time_us label_of(td_world *world)
{
    return describe(world).stream_enabled_us;
}

static td_stream_info describe_stream(td_world *world, td_time_us label_us)
{
    td_stream_info info;
    td_status status =
        td_stream_describe(&world->call, label_us, td_slice_of(NULL, 0), 1000, &info, &world->fixture.error);
    if (status != TD_OK) ck_abort_msg("describe: %s", error_text(world));
    return info;
}

static td_status try_iterate(td_world *world, td_time_us label_us, const char *shard, td_iterator_kind kind,
                             const char *sequence, td_shard_iterator *ret_iterator)
{
    return td_stream_iterate(&world->call, label_us, td_slice_of_cstr(shard), kind, td_slice_of_cstr(sequence),
                             ret_iterator, &world->fixture.error);
}

static td_shard_iterator iterate(td_world *world, td_time_us label_us, const char *shard, td_iterator_kind kind,
                                 const char *sequence)
{
    td_shard_iterator iterator;
    td_status status = try_iterate(world, label_us, shard, kind, sequence, &iterator);
    if (status != TD_OK) ck_abort_msg("iterate: %s", error_text(world));
    return iterator;
}

static td_changes read_on(td_world *world, const td_shard_iterator *iterator, uint32_t limit)
{
    td_changes changes;
    td_status status = td_stream_read(&world->call, iterator, limit, &changes, &world->fixture.error);
    if (status != TD_OK) ck_abort_msg("read: %s", error_text(world));
    return changes;
}

static td_changes read_shard(td_world *world, td_time_us label_us, const char *shard)
{
    td_shard_iterator iterator = iterate(world, label_us, shard, TD_ITERATE_TRIM_HORIZON, "");
    return read_on(world, &iterator, 1000);
}

/* All records, shard by shard: "INSERT KEY OLD NEW; …" with the attribute "v" of the images, "-" for none. */
static const char *show_stream(td_world *world, td_time_us label_us)
{
    static const char *const kinds[] = {"INSERT", "MODIFY", "REMOVE"};
    td_arena *arena = &world->fixture.arena;
    td_stream_info info = describe_stream(world, label_us);
    td_slice text = TD_LIT("");
    for (uint32_t s = 0; s < info.shard_count; s++) {
        td_changes changes = read_shard(world, label_us, info.shards[s].id);
        for (uint32_t i = 0; i < changes.count; i++) {
            const td_change *change = &changes.changes[i];
            const td_item *images[] = {change->old_image, change->new_image};
            td_slice shown[] = {TD_LIT("-"), TD_LIT("-")};
            td_stored key;
            td_stored value;
            ck_assert(td_item_find(change->keys_of, TD_LIT("pk"), &key));
            for (int k = 0; k < 2; k++) {
                if (images[k] == NULL) continue;
                shown[k] = td_item_find(images[k], TD_LIT("v"), &value) ? value.bytes : TD_LIT("?");
            }
            ck_assert(td_arena_format(arena, &text, "%.*s%s%s %.*s %.*s %.*s", (int)text.len, (const char *)text.ptr,
                                      text.len == 0 ? "" : "; ", kinds[change->kind], (int)key.bytes.len,
                                      (const char *)key.bytes.ptr, (int)shown[0].len, (const char *)shown[0].ptr,
                                      (int)shown[1].len, (const char *)shown[1].ptr));
        }
    }
    ck_assert(td_arena_format(arena, &text, "%.*s", (int)text.len, (const char *)text.ptr));
    return (const char *)text.ptr;
}

static uint32_t count_records(td_world *world, td_time_us label_us)
{
    td_stream_info info = describe_stream(world, label_us);
    uint32_t count = 0;
    for (uint32_t i = 0; i < info.shard_count; i++)
        count += read_shard(world, label_us, info.shards[i].id).count;
    return count;
}

static td_status try_set_stream(td_world *world, td_stream_view view)
{
    td_table_change change = {.has_stream = true, .stream = view};
    td_table_info info;
    return td_table_update(&world->call, &change, &info, &world->fixture.error);
}

/* One partition: one shard. */
static void init_with_stream(td_world *world, td_stream_view view)
{
    world_init(world);
    make_table(world, "T", KEY("pk", S), PROVISIONED(10, 10), .stream = view);
}

START_TEST(a_transaction_records_its_changes_in_order)
{
    td_world world;
    init_with_stream(&world, TD_STREAM_NEW_AND_OLD_IMAGES);
    put(&world, S("pk", "a"), S("v", "1"));
    ck_assert_int_eq(transact(&world, PUT("T", S("pk", "c"), S("v", "2")), ERASE("T", S("pk", "a")),
                              CHECK("T", "attribute_not_exists(pk)", S("pk", "z")),
                              PUT("T", S("pk", "b"), S("v", "3")), ERASE("T", S("pk", "y"))),
                     TD_OK);
    const char *all = "INSERT a - 1; INSERT c - 2; REMOVE a 1 -; INSERT b - 3";
    ck_assert_str_eq(show_stream(&world, label_of(&world)), all);
    ck_assert_int_eq(transact(&world, ERASE("T", S("pk", "b")), CHECK("T", "attribute_exists(pk)", S("pk", "z"))),
                     TD_TRANSACTION_CANCELED);
    ck_assert_str_eq(show_stream(&world, label_of(&world)), all);
    world_done(&world);
}
END_TEST

START_TEST(each_change_of_an_item_is_recorded_in_order)
{
    td_world world;
    init_with_stream(&world, TD_STREAM_NEW_AND_OLD_IMAGES);
    put(&world, S("pk", "a"), S("v", "1"));
    put(&world, S("pk", "a"), S("v", "2"));
    update(&world, "SET v = :v", VALUES(S(":v", "3")), S("pk", "a"));
    update(&world, "SET v = :v", VALUES(S(":v", "1")), S("pk", "b"));
    erase(&world, S("pk", "a"));
    ck_assert_str_eq(show_stream(&world, label_of(&world)),
                     "INSERT a - 1; MODIFY a 1 2; MODIFY a 2 3; INSERT b - 1; REMOVE a 3 -");
    world_done(&world);
}
END_TEST

START_TEST(a_write_that_changes_nothing_leaves_no_record)
{
    td_world world;
    init_with_stream(&world, TD_STREAM_NEW_AND_OLD_IMAGES);
    put(&world, S("pk", "a"), S("v", "1"), SS("s", TD_LIT("x"), TD_LIT("y")));
    put(&world, S("pk", "a"), SS("s", TD_LIT("y"), TD_LIT("x")), S("v", "1"));
    update(&world, "SET v = :v", VALUES(S(":v", "1")), S("pk", "a"));
    update(&world, "REMOVE nothing", VALUES(), S("pk", "a"));
    erase(&world, S("pk", "missing"));
    td_given_attributes again = attributes_of(&world.fixture.arena, S("pk", "a"), S("v", "2"));
    ck_assert_int_eq(try_write(&world, TD_WRITE_PUT, again, "attribute_not_exists(pk)"), TD_CONDITIONAL_CHECK_FAILED);
    ck_assert_str_eq(show_stream(&world, label_of(&world)), "INSERT a - 1");
    world_done(&world);
}
END_TEST

START_TEST(a_view_shows_its_images_and_counts_them)
{
    static const struct {
        td_stream_view view;
        const char *shown;
        uint64_t sizes[3]; /* key 3 bytes, old 13, new 14 */
    } rows[] = {
        {TD_STREAM_KEYS_ONLY, "INSERT a - -; MODIFY a - -; REMOVE a - -", {3, 3, 3}},
        {TD_STREAM_NEW_IMAGE, "INSERT a - 123456789; MODIFY a - 1234567890; REMOVE a - -", {16, 17, 3}},
        {TD_STREAM_OLD_IMAGE, "INSERT a - -; MODIFY a 123456789 -; REMOVE a 1234567890 -", {3, 16, 17}},
        {TD_STREAM_NEW_AND_OLD_IMAGES,
         "INSERT a - 123456789; MODIFY a 123456789 1234567890; REMOVE a 1234567890 -",
         {16, 30, 17}},
    };
    for (size_t i = 0; i < TD_COUNT_OF(rows); i++) {
        td_world world;
        init_with_stream(&world, rows[i].view);
        put(&world, S("pk", "a"), S("v", "123456789"));
        put(&world, S("pk", "a"), S("v", "1234567890"));
        erase(&world, S("pk", "a"));
        td_time_us label_us = label_of(&world);
        ck_assert_str_eq(show_stream(&world, label_us), rows[i].shown);
        td_stream_info info = describe_stream(&world, label_us);
        ck_assert_int_eq(info.view, rows[i].view);
        td_changes changes = read_shard(&world, label_us, info.shards[0].id);
        ck_assert_int_eq(changes.view, rows[i].view);
        for (uint32_t k = 0; k < 3; k++)
            ck_assert_uint_eq(changes.changes[k].size_bytes, rows[i].sizes[k]);
        world_done(&world);
    }
}
END_TEST

START_TEST(the_size_of_a_key_counts_names_and_values_of_all_its_parts)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", S, "sk", N), PROVISIONED(10, 10), .stream = TD_STREAM_KEYS_ONLY);
    put(&world, S("pk", "abc"), N("sk", "1234"), S("v", "1"));
    td_stream_info info = describe_stream(&world, label_of(&world));
    td_changes changes = read_shard(&world, info.label_us, info.shards[0].id);
    ck_assert_uint_eq(changes.changes[0].size_bytes, 2 + 3 + 2 + 3);
    ck_assert_uint_eq(changes.key_name_count, 2);
    CHECK_SLICE(&world.fixture.arena, changes.key_names[1], "sk");
    world_done(&world);
}
END_TEST

START_TEST(sequence_numbers_rise_and_event_ids_stay)
{
    td_world world;
    init_with_stream(&world, TD_STREAM_KEYS_ONLY);
    put(&world, S("pk", "a"));
    world_move(&world, 1.5);
    put(&world, S("pk", "b"));
    td_stream_info info = describe_stream(&world, label_of(&world));
    td_changes first = read_shard(&world, info.label_us, info.shards[0].id);
    td_changes again = read_shard(&world, info.label_us, info.shards[0].id);
    ck_assert_uint_eq(first.count, 2);
    ck_assert_uint_eq(strlen(first.changes[0].sequence), 21);
    ck_assert_str_lt(info.shards[0].sequence_first, first.changes[0].sequence);
    ck_assert_str_lt(first.changes[0].sequence, first.changes[1].sequence);
    ck_assert_uint_eq(strlen(first.changes[0].event_id), 32);
    ck_assert_str_ne(first.changes[0].event_id, first.changes[1].event_id);
    ck_assert_str_eq(first.changes[0].event_id, again.changes[0].event_id);
    ck_assert_int_eq(first.changes[0].at_us, WORLD_START_US);
    ck_assert_int_eq(first.changes[1].at_us, WORLD_START_US + 1500000);
    ck_assert(!first.changes[0].is_expiry);
    world_done(&world);
}
END_TEST

START_TEST(a_new_stream_has_an_open_shard_for_each_partition)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", S), .stream = TD_STREAM_NEW_IMAGE);
    td_table_view view;
    ck_assert(td_observe_table(&world.call, &view));
    td_stream_info info = describe_stream(&world, label_of(&world));
    ck_assert_uint_eq(info.shard_count, view.partition_count);
    ck_assert_uint_gt(info.shard_count, 1);
    ck_assert_int_eq(info.status, TD_STREAM_ENABLED);
    for (uint32_t i = 0; i < info.shard_count; i++) {
        const td_shard_info *shard = &info.shards[i];
        ck_assert_uint_eq(strlen(shard->id), 37);
        ck_assert_int_eq(strncmp(shard->id, "shardId-00000001790000000000-", 29), 0);
        ck_assert_str_eq(shard->parent, "");
        ck_assert_str_eq(shard->sequence_last, "");
        for (uint32_t k = 0; k < i; k++)
            ck_assert_str_ne(shard->id, info.shards[k].id);
    }
    world_done(&world);
}
END_TEST

START_TEST(a_shard_is_succeeded_after_four_hours)
{
    td_world world;
    init_with_stream(&world, TD_STREAM_NEW_IMAGE);
    td_time_us label_us = label_of(&world);
    put(&world, S("pk", "a"), S("v", "1"));
    world_move(&world, 4 * HOUR - 0.001);
    ck_assert_uint_eq(describe_stream(&world, label_us).shard_count, 1);
    world_move(&world, 0.001);
    put(&world, S("pk", "a"), S("v", "2"));
    td_stream_info info = describe_stream(&world, label_us);
    ck_assert_uint_eq(info.shard_count, 2);
    ck_assert_str_eq(info.shards[1].parent, info.shards[0].id);
    ck_assert_str_eq(info.shards[1].sequence_last, "");
    td_changes old = read_shard(&world, label_us, info.shards[0].id);
    ck_assert_uint_eq(old.count, 1);
    ck_assert(!old.has_next);
    ck_assert_str_eq(info.shards[0].sequence_last, old.changes[0].sequence);
    td_changes new = read_shard(&world, label_us, info.shards[1].id);
    ck_assert_uint_eq(new.count, 1);
    ck_assert(new.has_next);
    ck_assert_str_lt(old.changes[0].sequence, info.shards[1].sequence_first);
    world_done(&world);
}
END_TEST

START_TEST(a_clock_that_jumps_rolls_shards_at_their_own_instants)
{
    td_world world;
    init_with_stream(&world, TD_STREAM_NEW_IMAGE);
    world_move(&world, 12.5 * HOUR);
    td_stream_info info = describe_stream(&world, label_of(&world));
    ck_assert_uint_eq(info.shard_count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        unsigned long long ms = (unsigned long long)WORLD_START_US / 1000 + i * 4ull * 3600 * 1000;
        char prefix[40];
        snprintf(prefix, sizeof prefix, "shardId-%020llu-", ms);
        ck_assert_int_eq(strncmp(info.shards[i].id, prefix, strlen(prefix)), 0);
        ck_assert_str_eq(info.shards[i].parent, i == 0 ? "" : info.shards[i - 1].id);
    }
    world_done(&world);
}
END_TEST

START_TEST(the_shards_of_a_split_name_the_one_that_was_split)
{
    td_world world;
    init_with_stream(&world, TD_STREAM_NEW_IMAGE);
    td_time_us label_us = label_of(&world);
    for (int i = 0; i < 10; i++) {
        char key[8];
        snprintf(key, sizeof key, "k%d", i);
        put(&world, S("pk", key), S("v", "1"));
    }
    td_table_change change = {.has_throughput = true, .throughput = UNITS(10, 1500)};
    td_table_info table;
    ck_assert_int_eq(td_table_update(&world.call, &change, &table, &world.fixture.error), TD_OK);
    td_stream_info info = describe_stream(&world, label_us);
    ck_assert_uint_eq(info.shard_count, 3);
    for (uint32_t i = 1; i < 3; i++)
        ck_assert_str_eq(info.shards[i].parent, info.shards[0].id);
    ck_assert_str_ne(info.shards[0].sequence_last, "");
    for (int i = 0; i < 10; i++) {
        char key[8];
        snprintf(key, sizeof key, "k%d", i);
        put(&world, S("pk", key), S("v", "2"));
    }
    uint32_t counts[3];
    for (uint32_t i = 0; i < 3; i++)
        counts[i] = read_shard(&world, label_us, info.shards[i].id).count;
    ck_assert_uint_eq(counts[0], 10);
    ck_assert_uint_eq(counts[1] + counts[2], 10);
    ck_assert_uint_gt(counts[1], 0);
    ck_assert_uint_gt(counts[2], 0);
    world_done(&world);
}
END_TEST

START_TEST(records_are_trimmed_after_a_day)
{
    td_world world;
    init_with_stream(&world, TD_STREAM_NEW_IMAGE);
    td_time_us label_us = label_of(&world);
    td_shard_info shard = describe_stream(&world, label_us).shards[0];
    put(&world, S("pk", "a"), S("v", "1"));
    td_shard_iterator old = iterate(&world, label_us, shard.id, TD_ITERATE_TRIM_HORIZON, "");
    char sequence[TD_SEQUENCE_MAX];
    snprintf(sequence, sizeof sequence, "%s", read_on(&world, &old, 1).changes[0].sequence);
    world_move(&world, 3 * HOUR);
    put(&world, S("pk", "a"), S("v", "2"));
    world_move(&world, 21 * HOUR - 1);
    ck_assert_str_eq(show_stream(&world, label_us), "INSERT a - 1; MODIFY a - 2");
    world_move(&world, 1);
    ck_assert_str_eq(show_stream(&world, label_us), "MODIFY a - 2");
    td_changes changes;
    REFUSED(&world, td_stream_read(&world.call, &old, 10, &changes, &world.fixture.error), TD_TRIMMED_DATA_ACCESS,
            "The data you are trying to access has been trimmed");
    td_shard_iterator again;
    REFUSED(&world, try_iterate(&world, label_us, shard.id, TD_ITERATE_AFTER_SEQUENCE, sequence, &again),
            TD_TRIMMED_DATA_ACCESS, "The data you are trying to access has been trimmed");
    world_move(&world, 4 * HOUR); /* a day after it was closed the shard goes too */
    ck_assert_str_eq(show_stream(&world, label_us), "");
    REFUSED(&world, try_iterate(&world, label_us, shard.id, TD_ITERATE_TRIM_HORIZON, "", &again), TD_RESOURCE_NOT_FOUND,
            "Requested resource not found: Shard does not exist");
    td_stream_info info = describe_stream(&world, label_us);
    ck_assert_uint_eq(info.shard_count, 7);
    ck_assert_str_eq(info.shards[0].parent, ""); /* it was trimmed */
    world_done(&world);
}
END_TEST

START_TEST(a_disabled_stream_is_read_until_it_is_trimmed)
{
    td_world world;
    init_with_stream(&world, TD_STREAM_NEW_IMAGE);
    td_time_us label_us = label_of(&world);
    put(&world, S("pk", "a"), S("v", "1"));
    ck_assert_int_eq(try_set_stream(&world, TD_STREAM_NONE), TD_OK);
    put(&world, S("pk", "a"), S("v", "2"));
    td_table_info table = describe(&world);
    ck_assert_int_eq(table.spec.stream, TD_STREAM_NONE);
    ck_assert_int_eq(table.stream_enabled_us, label_us);
    td_stream_info info = describe_stream(&world, label_us);
    ck_assert_int_eq(info.status, TD_STREAM_DISABLED);
    ck_assert_str_ne(info.shards[0].sequence_last, "");
    ck_assert_str_eq(show_stream(&world, label_us), "INSERT a - 1");
    world_move(&world, 24 * HOUR - 1);
    ck_assert_uint_eq(count_records(&world, label_us), 1);
    world_move(&world, 1);
    REFUSED(&world, td_stream_describe(&world.call, label_us, TD_LIT(""), 1, &info, &world.fixture.error),
            TD_RESOURCE_NOT_FOUND, "Requested resource not found");
    ck_assert_int_eq(td_store_next_due(world.store), TD_NEVER);
    world_done(&world);
}
END_TEST

START_TEST(a_stream_is_enabled_and_disabled_once)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", S), PROVISIONED(10, 10));
    ck_assert_int_eq(describe(&world).stream_enabled_us, 0);
    REFUSED(&world, try_set_stream(&world, TD_STREAM_NONE), TD_VALIDATION,
            "Table has no stream to disable: TableName: T");
    ck_assert_int_eq(try_set_stream(&world, TD_STREAM_NEW_IMAGE), TD_OK);
    REFUSED(&world, try_set_stream(&world, TD_STREAM_KEYS_ONLY), TD_VALIDATION,
            "Table already has an enabled stream: TableName: T");
    ck_assert_int_eq(try_set_stream(&world, TD_STREAM_NONE), TD_OK);
    REFUSED(&world, try_set_stream(&world, TD_STREAM_NONE), TD_VALIDATION,
            "Table has no stream to disable: TableName: T");
    world_done(&world);
}
END_TEST

START_TEST(each_enabling_makes_another_stream)
{
    td_world world;
    init_with_stream(&world, TD_STREAM_NEW_IMAGE);
    td_time_us first_us = label_of(&world);
    put(&world, S("pk", "a"), S("v", "1"));
    ck_assert_int_eq(try_set_stream(&world, TD_STREAM_NONE), TD_OK);
    ck_assert_int_eq(try_set_stream(&world, TD_STREAM_OLD_IMAGE), TD_OK); /* at the same instant */
    td_time_us second_us = label_of(&world);
    ck_assert_int_eq(second_us, first_us + 1000);
    put(&world, S("pk", "a"), S("v", "2"));
    ck_assert_str_eq(show_stream(&world, first_us), "INSERT a - 1");
    ck_assert_str_eq(show_stream(&world, second_us), "MODIFY a 1 -");
    /* Whatever the first one left in the queue does not roll the second one's shards. */
    world_move(&world, 5 * HOUR);
    ck_assert_uint_eq(describe_stream(&world, first_us).shard_count, 1);
    ck_assert_uint_eq(describe_stream(&world, second_us).shard_count, 2);
    world_done(&world);
}
END_TEST

START_TEST(a_stream_outlives_its_table_for_a_day)
{
    td_world world;
    init_with_stream(&world, TD_STREAM_NEW_IMAGE);
    td_time_us label_us = label_of(&world);
    put(&world, S("pk", "a"), S("v", "1"));
    td_table_info info;
    ck_assert_int_eq(td_table_delete(&world.call, &info, &world.fixture.error), TD_OK);
    ck_assert_str_eq(show_stream(&world, label_us), "INSERT a - 1");
    ck_assert_int_eq(describe_stream(&world, label_us).status, TD_STREAM_DISABLED);
    make_table(&world, "T", KEY("pk", S), .stream = TD_STREAM_NEW_IMAGE);
    ck_assert_int_gt(label_of(&world), label_us);
    td_stream_ref *streams;
    uint32_t count;
    bool has_more;
    ck_assert_int_eq(td_stream_list(&world.call, NULL, 10, &streams, &count, &has_more), TD_OK);
    ck_assert_uint_eq(count, 2);
    ck_assert_int_eq(streams[0].label_us, label_us);
    world_move(&world, 24 * HOUR);
    ck_assert_int_eq(td_stream_list(&world.call, NULL, 10, &streams, &count, &has_more), TD_OK);
    ck_assert_uint_eq(count, 1);
    world_done(&world);
}
END_TEST

START_TEST(what_is_dropped_leaves_no_stream_and_nothing_due)
{
    for (int drops_all = 0; drops_all < 2; drops_all++) {
        td_world world;
        init_with_stream(&world, TD_STREAM_NEW_IMAGE);
        put(&world, S("pk", "a"), S("v", "1"));
        if (drops_all == 1)
            td_store_drop_all(world.store);
        else
            td_store_drop(world.store, TD_LIT(""), TD_LIT("T"));
        td_stream_ref *streams;
        uint32_t count;
        bool has_more;
        ck_assert_int_eq(td_stream_list(&world.call, NULL, 10, &streams, &count, &has_more), TD_OK);
        ck_assert_uint_eq(count, 0);
        ck_assert_int_eq(td_store_next_due(world.store), TD_NEVER);
        world_done(&world);
    }
}
END_TEST

START_TEST(an_iterator_stands_where_it_was_asked_to)
{
    td_world world;
    init_with_stream(&world, TD_STREAM_NEW_IMAGE);
    td_time_us label_us = label_of(&world);
    const char *shard = describe_stream(&world, label_us).shards[0].id;
    td_shard_iterator latest = iterate(&world, label_us, shard, TD_ITERATE_LATEST, "");
    for (int i = 0; i < 3; i++)
        put(&world, S("pk", "a"), N("n", i == 0 ? "0" : i == 1 ? "1" : "2"));
    td_changes all = read_on(&world, &latest, 10);
    ck_assert_uint_eq(all.count, 3);
    td_shard_iterator at = iterate(&world, label_us, shard, TD_ITERATE_AT_SEQUENCE, all.changes[1].sequence);
    ck_assert_uint_eq(read_on(&world, &at, 10).count, 2);
    td_shard_iterator after = iterate(&world, label_us, shard, TD_ITERATE_AFTER_SEQUENCE, all.changes[1].sequence);
    td_changes last = read_on(&world, &after, 10);
    ck_assert_uint_eq(last.count, 1);
    ck_assert_str_eq(last.changes[0].sequence, all.changes[2].sequence);
    latest = iterate(&world, label_us, shard, TD_ITERATE_LATEST, "");
    ck_assert_uint_eq(read_on(&world, &latest, 10).count, 0);
    const char *first = describe_stream(&world, label_us).shards[0].sequence_first;
    at = iterate(&world, label_us, shard, TD_ITERATE_AT_SEQUENCE, first);
    ck_assert_uint_eq(read_on(&world, &at, 10).count, 3);
    world_done(&world);
}
END_TEST

START_TEST(a_place_that_is_none_is_refused)
{
    static const char *const sequences[] = {
        "000000000000000000000",
        "100000000000000000000",
        "100000000000000000003",
        "12345678901234567890a",
        "199999999999999999999",
        "1000000000000000000010",
        "",
    };
    td_world world;
    init_with_stream(&world, TD_STREAM_NEW_IMAGE);
    td_time_us label_us = label_of(&world);
    put(&world, S("pk", "a"));
    const char *shard = describe_stream(&world, label_us).shards[0].id;
    td_shard_iterator iterator;
    for (size_t i = 0; i < TD_COUNT_OF(sequences); i++) {
        ck_assert_msg(try_iterate(&world, label_us, shard, TD_ITERATE_AT_SEQUENCE, sequences[i], &iterator) ==
                          TD_VALIDATION,
                      "\"%s\"", sequences[i]);
    }
    static const char *const shards[] = {"", "shardId-", "shardId-00000001790000000000-00000000",
                                         "shardId-00000001790000000000-0000000000000000000000000000000000000000000"};
    for (size_t i = 0; i < TD_COUNT_OF(shards); i++) {
        REFUSED(&world, try_iterate(&world, label_us, shards[i], TD_ITERATE_LATEST, "", &iterator),
                TD_RESOURCE_NOT_FOUND, "Requested resource not found: Shard does not exist");
    }
    REFUSED(&world, try_iterate(&world, label_us + 1000, shard, TD_ITERATE_LATEST, "", &iterator),
            TD_RESOURCE_NOT_FOUND, "Requested resource not found");
    world_done(&world);
}
END_TEST

START_TEST(a_read_ends_at_its_limit_or_at_a_megabyte)
{
    td_world world;
    init_with_stream(&world, TD_STREAM_NEW_IMAGE);
    td_time_us label_us = label_of(&world);
    const char *shard = describe_stream(&world, label_us).shards[0].id;
    char *large = td_arena_alloc(&world.fixture.arena, 300001);
    memset(large, 'x', 300000);
    large[300000] = '\0';
    td_capacity_patch patch = {.has_enforce = true, .settings.enforce = TD_ENFORCE_OFF};
    ck_assert(td_store_patch_capacity(world.store, WORLD_START_US, TD_LIT(""), TD_LIT(""), &patch));
    for (int i = 0; i < 5; i++) {
        char key[8];
        snprintf(key, sizeof key, "%d", i);
        put(&world, S("pk", key), S("v", large));
    }
    td_shard_iterator iterator = iterate(&world, label_us, shard, TD_ITERATE_TRIM_HORIZON, "");
    td_changes changes = read_on(&world, &iterator, 2);
    ck_assert_uint_eq(changes.count, 2);
    ck_assert(changes.has_next);
    changes = read_on(&world, &iterator, 1000);
    ck_assert_uint_eq(changes.count, 3);
    changes = read_on(&world, &changes.next, 1000);
    ck_assert_uint_eq(changes.count, 2);
    changes = read_on(&world, &changes.next, 1000);
    ck_assert_uint_eq(changes.count, 0);
    ck_assert(changes.has_next);
    world_done(&world);
}
END_TEST

START_TEST(streams_are_listed_page_by_page)
{
    td_world world;
    world_init(&world);
    static const char *const names[] = {"a.b", "a", "b"};
    for (size_t i = 0; i < TD_COUNT_OF(names); i++)
        make_table(&world, names[i], KEY("pk", S), .stream = TD_STREAM_NEW_IMAGE);
    world_use(&world, "a");
    ck_assert_int_eq(try_set_stream(&world, TD_STREAM_NONE), TD_OK);
    world_move(&world, 1);
    ck_assert_int_eq(try_set_stream(&world, TD_STREAM_NEW_IMAGE), TD_OK);
    world_use(&world, "");
    td_stream_ref after = {.label_us = 0};
    const char *expected[] = {"a", "a", "a.b", "b"};
    td_time_us last_us = 0;
    for (uint32_t i = 0; i < 4; i++) {
        td_stream_ref *streams;
        uint32_t count;
        bool has_more;
        ck_assert_int_eq(td_stream_list(&world.call, &after, 1, &streams, &count, &has_more), TD_OK);
        ck_assert_uint_eq(count, 1);
        ck_assert(td_slice_equal(streams[0].table, td_slice_of_cstr(expected[i])));
        ck_assert_int_eq(has_more, i < 3);
        if (i == 1) ck_assert_int_gt(streams[0].label_us, last_us);
        last_us = streams[0].label_us;
        after = streams[0];
    }
    world_use(&world, "a");
    td_stream_ref *streams;
    uint32_t count;
    bool has_more;
    ck_assert_int_eq(td_stream_list(&world.call, NULL, 10, &streams, &count, &has_more), TD_OK);
    ck_assert_uint_eq(count, 2);
    world.call.scope = TD_LIT("elsewhere");
    ck_assert_int_eq(td_stream_list(&world.call, NULL, 10, &streams, &count, &has_more), TD_OK);
    ck_assert_uint_eq(count, 0);
    world_done(&world);
}
END_TEST

START_TEST(shards_are_described_page_by_page)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", S), .stream = TD_STREAM_NEW_IMAGE);
    td_stream_info all = describe_stream(&world, label_of(&world));
    td_slice after = TD_LIT("");
    for (uint32_t i = 0; i < all.shard_count; i++) {
        td_stream_info info;
        ck_assert_int_eq(td_stream_describe(&world.call, all.label_us, after, 1, &info, &world.fixture.error), TD_OK);
        ck_assert_uint_eq(info.shard_count, 1);
        ck_assert_str_eq(info.shards[0].id, all.shards[i].id);
        ck_assert_int_eq(info.has_more, i + 1 < all.shard_count);
        after = td_slice_of_cstr(info.shards[0].id);
    }
    world_done(&world);
}
END_TEST

START_TEST(with_table_delays_a_stream_is_being_enabled_and_disabled)
{
    td_world world;
    td_store_options options = world_options();
    options.has_table_delays = true;
    world_init_with(&world, options);
    make_table(&world, "T", KEY("pk", S), .stream = TD_STREAM_NEW_IMAGE);
    td_time_us label_us = label_of(&world);
    ck_assert_int_eq(describe_stream(&world, label_us).status, TD_STREAM_ENABLING);
    world_move(&world, 10);
    ck_assert_int_eq(describe_stream(&world, label_us).status, TD_STREAM_ENABLED);
    ck_assert_int_eq(try_set_stream(&world, TD_STREAM_NONE), TD_OK);
    ck_assert_int_eq(describe_stream(&world, label_us).status, TD_STREAM_DISABLING);
    world_move(&world, 60);
    ck_assert_int_eq(describe_stream(&world, label_us).status, TD_STREAM_DISABLED);
    world_done(&world);
}
END_TEST

START_TEST(a_shard_keeps_no_more_than_its_bound)
{
    td_world world;
    init_with_stream(&world, TD_STREAM_NEW_IMAGE);
    td_time_us label_us = label_of(&world);
    const char *shard = describe_stream(&world, label_us).shards[0].id;
    char *large = td_arena_alloc(&world.fixture.arena, 400001);
    memset(large, 'x', 400000);
    large[400000] = '\0';
    td_capacity_patch patch = {.has_enforce = true, .settings.enforce = TD_ENFORCE_OFF};
    ck_assert(td_store_patch_capacity(world.store, WORLD_START_US, TD_LIT(""), TD_LIT(""), &patch));
    td_arena_mark mark = td_arena_get_mark(&world.fixture.arena);
    for (uint32_t i = 0; i < TD_LIMIT_SHARD_BYTES_MAX / 400000 + 20; i++) {
        large[i % 400000] = 'y';
        put(&world, S("pk", "a"), S("v", large));
        td_arena_rewind(&world.fixture.arena, mark);
    }
    td_shard_iterator iterator = iterate(&world, label_us, shard, TD_ITERATE_TRIM_HORIZON, "");
    td_changes changes = read_on(&world, &iterator, 1);
    ck_assert_uint_eq(changes.count, 1);
    ck_assert_str_gt(changes.changes[0].sequence, "100000000000000000010");
    world_done(&world);
}
END_TEST

TCase *stream_tests(void)
{
    TCase *tests = tcase_create("stream");
    tcase_add_test(tests, each_change_of_an_item_is_recorded_in_order);
    tcase_add_test(tests, a_transaction_records_its_changes_in_order);
    tcase_add_test(tests, a_write_that_changes_nothing_leaves_no_record);
    tcase_add_test(tests, a_view_shows_its_images_and_counts_them);
    tcase_add_test(tests, the_size_of_a_key_counts_names_and_values_of_all_its_parts);
    tcase_add_test(tests, sequence_numbers_rise_and_event_ids_stay);
    tcase_add_test(tests, a_new_stream_has_an_open_shard_for_each_partition);
    tcase_add_test(tests, a_shard_is_succeeded_after_four_hours);
    tcase_add_test(tests, a_clock_that_jumps_rolls_shards_at_their_own_instants);
    tcase_add_test(tests, the_shards_of_a_split_name_the_one_that_was_split);
    tcase_add_test(tests, records_are_trimmed_after_a_day);
    tcase_add_test(tests, a_disabled_stream_is_read_until_it_is_trimmed);
    tcase_add_test(tests, a_stream_is_enabled_and_disabled_once);
    tcase_add_test(tests, each_enabling_makes_another_stream);
    tcase_add_test(tests, a_stream_outlives_its_table_for_a_day);
    tcase_add_test(tests, what_is_dropped_leaves_no_stream_and_nothing_due);
    tcase_add_test(tests, an_iterator_stands_where_it_was_asked_to);
    tcase_add_test(tests, a_place_that_is_none_is_refused);
    tcase_add_test(tests, a_read_ends_at_its_limit_or_at_a_megabyte);
    tcase_add_test(tests, streams_are_listed_page_by_page);
    tcase_add_test(tests, shards_are_described_page_by_page);
    tcase_add_test(tests, with_table_delays_a_stream_is_being_enabled_and_disabled);
    tcase_add_test(tests, a_shard_keeps_no_more_than_its_bound);
    return tests;
}
