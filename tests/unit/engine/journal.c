/* SPDX-License-Identifier: Apache-2.0
 * journal.c: tests of what is queued for the disk, with a door that counts and may fail. That a store comes back whole
 * is tests/property/restored.c. */
#include "thermodyn/journal.h"

#include <errno.h>

#include "suites.h"
#include "thermodyn/clock.h"
#include "thermodyn/expiry.h"
#include "thermodyn/tag.h"
#include "thermodyn/txn.h"
#include "world.h"

typedef struct td_door {
    uint32_t puts[TD_SPACE_COUNT];
    uint32_t removals[TD_SPACE_COUNT];
    uint32_t sweeps;
    int error; /* of the put after `good` further ones; 0: none fails */
    uint32_t good;
} td_door;

static td_world world;
static td_journal *journal;
static td_door door;

static int door_put(void *context, td_space space, td_slice key, const td_slice *parts, size_t part_count)
{
    (void)context;
    (void)parts;
    (void)part_count;
    ck_assert_uint_le(key.len, TD_DISK_KEY_BYTES_MAX);
    if (door.error != 0 && door.good-- == 0) return door.error;
    door.puts[space]++;
    return 0;
}

static int door_remove(void *context, td_space space, td_slice key)
{
    (void)context;
    (void)key;
    door.removals[space]++;
    return 0;
}

static int door_clear(void *context, td_space space)
{
    (void)context;
    (void)space;
    return 0;
}

static int door_sweep(void *context, td_space space, td_slice from, td_slice to)
{
    (void)context;
    (void)space;
    ck_assert_int_lt(td_slice_compare(from, to), 0);
    door.sweeps++;
    return 0;
}

static const td_journal_sink sink = {NULL, door_put, door_remove, door_clear, door_sweep};

static void setup(void)
{
    td_store_options options = world_options();
    options.has_journal = true;
    world_init_with(&world, options);
    journal = td_store_get_journal(world.store);
    make_table(&world, "T", KEY("pk", S));
    door = (td_door){.error = 0};
}

static void teardown(void)
{
    world_done(&world);
}

/* Writes one batch of about so many bytes. false: there was nothing. */
static bool write_batch(size_t bytes)
{
    td_journal_batch *batch = td_journal_take(journal, bytes);
    if (batch == NULL) return false;
    ck_assert_int_eq(td_journal_write(journal, batch, &sink), 0);
    td_journal_settle(journal, batch);
    return true;
}

static void write_all(void)
{
    while (write_batch(SIZE_MAX))
        continue;
    ck_assert_uint_eq(td_journal_settled(journal), td_journal_last(journal));
}

START_TEST(a_store_without_a_journal_has_none)
{
    td_world plain;
    world_init(&plain);
    ck_assert_ptr_null(td_store_get_journal(plain.store));
    world_done(&plain);
}
END_TEST

START_TEST(each_change_is_written_once)
{
    write_all();
    ck_assert_uint_eq(door.puts[TD_SPACE_TABLES], 1);
    ck_assert_uint_eq(door.puts[TD_SPACE_META], 1);
    put(&world, S("pk", "a"));
    put(&world, S("pk", "b"));
    ck_assert_uint_eq(td_journal_last(journal) - td_journal_settled(journal), 2);
    write_all();
    ck_assert_uint_eq(door.puts[TD_SPACE_ITEMS], 2);
    put(&world, S("pk", "a")); /* changes nothing */
    ck_assert(!write_batch(SIZE_MAX));
    erase(&world, S("pk", "a"));
    erase(&world, S("pk", "missing"));
    write_all();
    ck_assert_uint_eq(door.removals[TD_SPACE_ITEMS], 1);
    ck_assert_uint_eq(door.puts[TD_SPACE_TABLES], 1); /* a document that is the same is not written again */
}
END_TEST

START_TEST(the_oldest_change_is_known_until_it_is_settled)
{
    write_all();
    ck_assert_int_eq(td_journal_oldest_us(journal), 0);
    put(&world, S("pk", "a"));
    int64_t first_us = td_journal_oldest_us(journal);
    ck_assert_int_gt(first_us, 0);
    td_journal_batch *batch = td_journal_take(journal, SIZE_MAX);
    while (td_monotonic_us() == first_us)
        continue;
    int64_t between_us = td_monotonic_us();
    put(&world, S("pk", "b"));
    ck_assert_int_eq(td_journal_oldest_us(journal), first_us); /* of the batch, though nobody waits for it */
    ck_assert_int_eq(td_journal_write(journal, batch, &sink), 0);
    td_journal_settle(journal, batch);
    ck_assert_int_ge(td_journal_oldest_us(journal), between_us);
    put(&world, S("pk", "c"));
    put(&world, S("pk", "d"));
    ck_assert(write_batch(1));
    ck_assert_int_ge(td_journal_oldest_us(journal), between_us); /* of what the batch has left */
    write_all();
    ck_assert_int_eq(td_journal_oldest_us(journal), 0);
}
END_TEST

START_TEST(a_batch_has_whole_groups_alone)
{
    write_all();
    td_action actions[4] = {{.table = TD_LIT("T")}, {.table = TD_LIT("T")}, {.table = TD_LIT("T")},
                                     {.table = TD_LIT("T")}};
    static const char *const keys[] = {"a", "b", "c", "d"};
    for (int i = 0; i < 4; i++) {
        td_given_attributes item = attributes_of(&world.fixture.arena, S("pk", keys[i]));
        actions[i].write = (td_write){
            .kind = TD_WRITE_PUT, .attributes = item.attributes, .attribute_count = item.count};
    }
    td_transact_write request = {.actions = actions, .count = 4, .token = TD_LIT("token"), .fingerprint = 1};
    td_transact_write_result result;
    put(&world, S("pk", "before"));
    ck_assert_int_eq(td_transact_write_items(&world.call, &request, &result, &world.fixture.error), TD_OK);
    put(&world, S("pk", "after"));
    ck_assert(write_batch(1));
    ck_assert_uint_eq(door.puts[TD_SPACE_ITEMS], 1);
    uint64_t settled = td_journal_settled(journal);
    ck_assert(write_batch(1));
    ck_assert_uint_eq(door.puts[TD_SPACE_ITEMS], 5);
    ck_assert_uint_eq(door.puts[TD_SPACE_TOKENS], 1);
    ck_assert_uint_eq(td_journal_settled(journal), settled + 1);
    ck_assert(write_batch(1));
    ck_assert_uint_eq(door.puts[TD_SPACE_ITEMS], 6);
    ck_assert(!write_batch(1));
}
END_TEST

START_TEST(a_batch_that_failed_is_written_again)
{
    put(&world, S("pk", "a"));
    put(&world, S("pk", "b"));
    td_journal_batch *batch = td_journal_take(journal, SIZE_MAX);
    for (uint32_t good = 0; good < 4; good++) { /* settings, table, two items */
        door.error = ENOSPC;
        door.good = good;
        ck_assert_int_eq(td_journal_write(journal, batch, &sink), ENOSPC);
        ck_assert_uint_eq(td_journal_settled(journal), 0);
    }
    door = (td_door){.error = 0};
    ck_assert_int_eq(td_journal_write(journal, batch, &sink), 0);
    td_journal_settle(journal, batch);
    ck_assert_uint_eq(door.puts[TD_SPACE_TABLES], 1);
    ck_assert_uint_eq(door.puts[TD_SPACE_ITEMS], 2);
    ck_assert_uint_eq(td_journal_settled(journal), td_journal_last(journal));
}
END_TEST

START_TEST(while_the_disk_fails_nothing_is_changed)
{
    put(&world, S("pk", "a"), N("n", "1"));
    uint64_t last = td_journal_last(journal);
    td_error *error = &world.fixture.error;
    td_tag tag = {TD_LIT("k"), TD_LIT("v")};
    td_table_info info;
    td_journal_set_failing(journal, true);
    ck_assert_int_eq(try_put(&world, S("pk", "a"), N("n", "2")), TD_INTERNAL_SERVER_ERROR);
    ck_assert_int_eq(try_delete(&world, S("pk", "a")), TD_INTERNAL_SERVER_ERROR);
    ck_assert_int_eq(try_make_table(&world, "U", SPEC(KEY("pk", S))), TD_INTERNAL_SERVER_ERROR);
    world_use(&world, "T");
    ck_assert_int_eq(td_tag_put(&world.call, &tag, 1, error), TD_INTERNAL_SERVER_ERROR);
    ck_assert_int_eq(td_table_delete(&world.call, &info, error), TD_INTERNAL_SERVER_ERROR);
    ck_assert_int_eq(td_expiry_update(&world.call, true, TD_LIT("ttl"), error), TD_INTERNAL_SERVER_ERROR);
    ck_assert_uint_eq(td_journal_last(journal), last);
    ck_assert_uint_eq(describe(&world).item_count, 1);
    td_journal_set_failing(journal, false);
    put(&world, S("pk", "a"), N("n", "2"));
}
END_TEST

START_TEST(items_expire_when_the_disk_is_well_again)
{
    td_error *error = &world.fixture.error;
    ck_assert_int_eq(td_expiry_update(&world.call, true, TD_LIT("ttl"), error), TD_OK);
    put(&world, S("pk", "a"), N("ttl", "1790000010"));
    td_journal_set_failing(journal, true);
    world_move(&world, 20);
    ck_assert_uint_eq(describe(&world).item_count, 1);
    td_journal_set_failing(journal, false);
    world_move(&world, 2);
    ck_assert_uint_eq(describe(&world).item_count, 0);
}
END_TEST

START_TEST(a_dropped_table_takes_its_items_with_it)
{
    put(&world, S("pk", "a"));
    write_all();
    td_table_info info;
    ck_assert_int_eq(td_table_delete(&world.call, &info, &world.fixture.error), TD_OK);
    write_all();
    ck_assert_uint_eq(door.removals[TD_SPACE_TABLES], 1);
    ck_assert_uint_eq(door.sweeps, 1);
}
END_TEST

START_TEST(a_call_that_may_change_something_says_so)
{
    bool has_written = false;
    world.call.has_written = &has_written;
    (void)describe(&world);
    ck_assert(!has_written);
    ck_assert_int_eq(try_delete(&world, S("pk", "missing")), TD_OK);
    ck_assert(has_written);
}
END_TEST

TCase *journal_tests(void)
{
    TCase *tests = tcase_create("journal");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, a_store_without_a_journal_has_none);
    tcase_add_test(tests, each_change_is_written_once);
    tcase_add_test(tests, the_oldest_change_is_known_until_it_is_settled);
    tcase_add_test(tests, a_batch_has_whole_groups_alone);
    tcase_add_test(tests, a_batch_that_failed_is_written_again);
    tcase_add_test(tests, while_the_disk_fails_nothing_is_changed);
    tcase_add_test(tests, items_expire_when_the_disk_is_well_again);
    tcase_add_test(tests, a_dropped_table_takes_its_items_with_it);
    tcase_add_test(tests, a_call_that_may_change_something_says_so);
    return tests;
}
