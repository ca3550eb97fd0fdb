/* SPDX-License-Identifier: Apache-2.0
 * restore.c: tests of what the disk may say: what was written comes back, and what was not is refused with a sentence.
 * That a store comes back whole is tests/property/restored.c; any bytes are fuzz/disk.c's. */
#include "thermodyn/restore.h"

#include <math.h>

#include "persist.h"
#include "suites.h"
#include "thermodyn/journal.h"
#include "world.h"

#define ROWS_MAX 16
#define ROW_BYTES_MAX 4096

typedef struct stored_row {
    td_space space;
    size_t key_len;
    size_t value_len;
    uint8_t key[TD_DISK_KEY_BYTES_MAX];
    uint8_t value[ROW_BYTES_MAX];
} stored_row;

static td_world world;
static stored_row rows[ROWS_MAX];
static size_t row_count;

static int keep(void *context, td_space space, td_slice key, const td_slice *parts, size_t part_count)
{
    (void)context;
    ck_assert_uint_lt(row_count, ROWS_MAX);
    stored_row *row = &rows[row_count++];
    row->space = space;
    row->key_len = key.len;
    row->value_len = 0;
    memcpy(row->key, key.ptr, key.len);
    for (size_t i = 0; i < part_count; i++) {
        ck_assert_uint_le(row->value_len + parts[i].len, ROW_BYTES_MAX);
        if (parts[i].len > 0) memcpy(row->value + row->value_len, parts[i].ptr, parts[i].len);
        row->value_len += parts[i].len;
    }
    return 0;
}

static td_store_options journalled(void)
{
    td_store_options options = world_options();
    options.has_journal = true;
    return options;
}

static void setup(void)
{
    world_init_with(&world, journalled());
    row_count = 0;
}

static void teardown(void)
{
    world_done(&world);
}

/* All that has changed. */
static void write_rows(void)
{
    static const td_journal_sink sink = {NULL, keep, NULL, NULL, NULL};
    td_journal *journal = td_store_get_journal(world.store);
    td_journal_batch *batch = td_journal_take(journal, SIZE_MAX);
    ck_assert_ptr_nonnull(batch);
    ck_assert_int_eq(td_journal_write(journal, batch, &sink), 0);
    td_journal_settle(journal, batch);
}

static stored_row *row_of(td_space space)
{
    for (size_t i = row_count; i-- > 0;) {
        if (rows[i].space == space) return &rows[i];
    }
    ck_abort_msg("there is no row of space %d", space);
}

/* In the order of spaces; of a document there may be several, of which the last one holds. */
static td_restored add_rows(td_restore *restore)
{
    td_restored restored = TD_RESTORED;
    for (int space = 0; restored == TD_RESTORED && space < TD_SPACE_COUNT; space++) {
        bool is_document = space == TD_SPACE_TABLES || space == TD_SPACE_STREAMS;
        for (size_t i = 0; restored == TD_RESTORED && i < row_count; i++) {
            if (rows[i].space != (td_space)space) continue;
            if (is_document && &rows[i] != row_of((td_space)space)) continue;
            restored = td_restore_add(restore, (td_space)space, td_slice_of(rows[i].key, rows[i].key_len),
                                      td_slice_of(rows[i].value, rows[i].value_len));
        }
    }
    return restored == TD_RESTORED ? td_restore_finish(restore) : restored;
}

/* The world's store ends, and is what its rows say. */
static void restart(void)
{
    td_store_options options = journalled();
    write_rows();
    td_store_free(world.store);
    world.store = world.call.store = td_store_new(&options);
    td_restore *restore = td_restore_new(world.store, world.call.now_us);
    ck_assert_msg(add_rows(restore) == TD_RESTORED, "%s", td_restore_get_sentence(restore));
    td_restore_free(restore);
}

static void check_is_refused(const char *sentence)
{
    td_store_options options = journalled();
    td_store *store = td_store_new(&options);
    td_restore *restore = td_restore_new(store, world.call.now_us);
    ck_assert_int_eq(add_rows(restore), TD_RESTORE_DAMAGED);
    ck_assert_str_eq(td_restore_get_sentence(restore), sentence);
    td_restore_free(restore);
    td_store_free(store);
}

START_TEST(maxima_that_are_none_come_back)
{
    make_table(&world, "T", KEY("pk", S), .on_demand_max = MAXIMA(-1, 7));
    restart();
    td_table_info info = describe(&world);
    ck_assert_int_eq(info.spec.on_demand_max.rate[TD_READ], -1);
    ck_assert_int_eq(info.spec.on_demand_max.rate[TD_WRITE], 7);
}
END_TEST

START_TEST(an_image_without_the_streams_key_is_refused)
{
    make_table(&world, "T", KEY("pk", S), .stream = TD_STREAM_NEW_AND_OLD_IMAGES);
    put(&world, S("pk", "a"));
    write_rows();
    stored_row *record = row_of(TD_SPACE_CHANGES);
    record->value[record->value_len - 3] ^= 1; /* the type of "pk" */
    record->value[record->value_len - 5] ^= 1; /* and its name */
    char sentence[64];
    snprintf(sentence, sizeof sentence, "a record of stream %u is damaged", record->key[TD_PERSIST_NUMBER_BYTES - 1]);
    check_is_refused(sentence);
}
END_TEST

static bool takes_instant(int64_t value)
{
    td_buf document;
    td_bucket bucket = {.last_us = 0};
    const td_persist_rows members = td_persist__bucket_rows;
    td_buf_init(&document, 64);
    td_doc__put_number(&document, 4, value); /* last_us */
    bool is_taken = td_doc__read_rows(td_buf_contents(&document), members.rows, members.count, &bucket);
    td_buf_done(&document);
    return is_taken;
}

static bool takes_real(double value)
{
    td_buf document;
    td_growth_peak peak;
    const td_persist_rows members = td_persist__peak_rows;
    td_buf_init(&document, 64);
    td_doc__put_real(&document, 2, value); /* rate */
    bool is_taken = td_doc__read_rows(td_buf_contents(&document), members.rows, members.count, &peak);
    td_buf_done(&document);
    return is_taken;
}

START_TEST(instants_and_reals_have_bounds)
{
    ck_assert(takes_instant(0) && takes_instant(WORLD_START_US) && !takes_instant(TD_NEVER));
    ck_assert(takes_instant(TD_NEVER / 2 + TD_US_PER_S)); /* what falls due a second after the end of the clock */
    ck_assert(!takes_instant(-1) && !takes_instant(INT64_MIN));
    ck_assert(takes_real(0) && takes_real(1e12));
    ck_assert(!takes_real(-1) && !takes_real((double)NAN) && !takes_real((double)INFINITY));
}
END_TEST

TCase *restore_tests(void)
{
    TCase *tests = tcase_create("restore");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, maxima_that_are_none_come_back);
    tcase_add_test(tests, an_image_without_the_streams_key_is_refused);
    tcase_add_test(tests, instants_and_reals_have_bounds);
    return tests;
}
