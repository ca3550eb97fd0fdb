/* SPDX-License-Identifier: Apache-2.0
 * changes.c: tests of changes as bytes, and of what many of them come to: walked over a directory, and written into it,
 * they are what was done one by one. */
#include "thermodyn/changes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "suites.h"
#include "thermodyn/rng.h"

#define KEYS 30
#define ROUNDS 60
#define SHOWN_BYTES 4096

static char folder[64];
static td_disk *disk;
static td_changes *changes;
static td_buf bytes;

static void setup(void)
{
    char sentence[TD_DISK_SENTENCE_BYTES];
    snprintf(folder, sizeof folder, "/tmp/thermodyn-changes-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    disk = td_disk_open(folder, TD_DISK_KEEP, sentence);
    ck_assert_msg(disk != NULL, "%s", sentence);
    changes = td_changes_new();
    ck_assert_ptr_nonnull(changes);
    td_buf_init(&bytes, SIZE_MAX);
}

static void teardown(void)
{
    char path[128];
    td_buf_done(&bytes);
    td_changes_free(changes);
    td_disk_close(disk);
    snprintf(path, sizeof path, "%s/data.mdb", folder);
    unlink(path);
    snprintf(path, sizeof path, "%s/lock", folder);
    unlink(path);
    rmdir(folder);
}

static void put(td_space space, const char *key, const char *value)
{
    td_slice part = td_slice_of_cstr(value);
    td_changes_encode_put(&bytes, space, td_slice_of_cstr(key), &part, 1);
}

static void remove_key(td_space space, const char *key)
{
    td_changes_encode_remove(&bytes, space, td_slice_of_cstr(key));
}

static void add(void)
{
    ck_assert(!td_buf_has_failed(&bytes));
    ck_assert_int_eq(td_changes_add(changes, td_buf_contents(&bytes)), 0);
    td_buf_clear(&bytes);
}

/* "a=1 b=2 " of a space from a key on. */
static const char *show(td_space space, const char *from)
{
    static char text[SHOWN_BYTES];
    size_t len = 0;
    td_changes_cursor *cursor = NULL;
    td_slice key;
    td_slice value;
    ck_assert_int_eq(td_changes_walk(changes, disk, space, td_slice_of_cstr(from), &cursor), 0);
    text[0] = '\0';
    int error = td_changes_next(cursor, &key, &value);
    for (; error == 0; error = td_changes_next(cursor, &key, &value)) {
        len += (size_t)snprintf(text + len, sizeof text - len, "%.*s=%.*s ", (int)key.len, (const char *)key.ptr,
                                (int)value.len, (const char *)value.ptr);
        ck_assert_uint_lt(len, sizeof text);
    }
    ck_assert_int_eq(error, TD_DISK_END);
    td_changes_cursor_free(cursor);
    return text;
}

static void write_changes(void)
{
    ck_assert_int_eq(td_disk_begin(disk), 0);
    ck_assert_int_eq(td_changes_write(changes, disk), 0);
    ck_assert_int_eq(td_disk_commit(disk), 0);
    td_changes_clear(changes);
    td_changes_sort(changes);
}

START_TEST(the_last_word_on_each_key_counts)
{
    td_slice parts[] = {TD_LIT("x"), TD_LIT(""), TD_LIT("yz")};
    put(TD_SPACE_ITEMS, "b", "1");
    put(TD_SPACE_ITEMS, "a", "1");
    put(TD_SPACE_TABLES, "b", "table");
    add();
    put(TD_SPACE_ITEMS, "b", "2");
    remove_key(TD_SPACE_ITEMS, "a");
    td_changes_encode_put(&bytes, TD_SPACE_ITEMS, TD_LIT("c"), parts, TD_COUNT_OF(parts));
    put(TD_SPACE_ITEMS, "with the same 7 bytes, 1", "");
    put(TD_SPACE_ITEMS, "with the same 7 bytes, 2", "");
    add();
    td_changes_sort(changes);
    ck_assert_uint_eq(td_changes_count(changes), 6);
    static const char expected[] = "b=2 c=xyz with the same 7 bytes, 1= with the same 7 bytes, 2= ";
    ck_assert_str_eq(show(TD_SPACE_ITEMS, ""), expected);
    ck_assert_str_eq(show(TD_SPACE_ITEMS, "bb"), expected + 4);
    ck_assert_str_eq(show(TD_SPACE_TABLES, "a"), "b=table ");
    ck_assert_str_eq(show(TD_SPACE_STREAMS, ""), "");
    write_changes();
    ck_assert_uint_eq(td_changes_count(changes), 0);
    ck_assert_str_eq(show(TD_SPACE_ITEMS, ""), expected);
    ck_assert_str_eq(show(TD_SPACE_TABLES, ""), "b=table ");
}
END_TEST

START_TEST(changes_hide_what_the_disk_has)
{
    for (char key = 'a'; key <= 'f'; key++)
        put(TD_SPACE_ITEMS, (char[]){key, '\0'}, "disk");
    add();
    td_changes_sort(changes);
    write_changes();
    remove_key(TD_SPACE_ITEMS, "a");
    put(TD_SPACE_ITEMS, "c", "log");
    remove_key(TD_SPACE_ITEMS, "d");
    remove_key(TD_SPACE_ITEMS, "missing");
    put(TD_SPACE_ITEMS, "g", "log");
    add();
    td_changes_sort(changes);
    ck_assert_str_eq(show(TD_SPACE_ITEMS, ""), "b=disk c=log e=disk f=disk g=log ");
    ck_assert_str_eq(show(TD_SPACE_ITEMS, "d"), "e=disk f=disk g=log ");
    td_changes_clear(changes);
    put(TD_SPACE_ITEMS, "a", "before");
    td_changes_encode_clear(&bytes, TD_SPACE_ITEMS);
    put(TD_SPACE_ITEMS, "b", "after");
    add();
    td_changes_sort(changes);
    ck_assert_str_eq(show(TD_SPACE_ITEMS, ""), "b=after ");
    write_changes();
    ck_assert_str_eq(show(TD_SPACE_ITEMS, ""), "b=after ");
}
END_TEST

typedef struct model {
    uint64_t values[TD_SPACE_COUNT][KEYS]; /* 0: it is not there */
} model;

static const char *key_of(uint64_t number)
{
    static char key[32];
    snprintf(key, sizeof key, "%s-%02llu", number % 3 == 0 ? "a longer name" : "k", (unsigned long long)number);
    return key;
}

static void change_at_random(model *expected, td_rng *rng, uint64_t value)
{
    char text[32];
    td_space space = td_rng_next(rng) % 4 == 0 ? TD_SPACE_TABLES : TD_SPACE_ITEMS;
    uint64_t key = td_rng_next(rng) % KEYS;
    uint64_t kind = td_rng_next(rng) % 40;
    if (kind == 0) {
        td_changes_encode_clear(&bytes, space);
        memset(expected->values[space], 0, sizeof expected->values[space]);
    } else if (kind < 15) {
        remove_key(space, key_of(key));
        expected->values[space][key] = 0;
    } else {
        snprintf(text, sizeof text, "%llu", (unsigned long long)value);
        put(space, key_of(key), text);
        expected->values[space][key] = value;
    }
}

static void check_is(const model *expected, td_space space)
{
    static char text[SHOWN_BYTES];
    size_t len = 0;
    text[0] = '\0';
    for (int is_short = 0; is_short < 2; is_short++) { /* the longer names come first */
        for (uint64_t key = 0; key < KEYS; key++) {
            if ((key % 3 != 0) != (is_short == 1) || expected->values[space][key] == 0) continue;
            len += (size_t)snprintf(text + len, sizeof text - len, "%s=%llu ", key_of(key),
                                    (unsigned long long)expected->values[space][key]);
        }
    }
    ck_assert_str_eq(show(space, ""), text);
}

START_TEST(walked_and_written_they_are_what_was_done)
{
    model expected = {{{0}}};
    td_rng rng;
    td_rng_init(&rng, 1);
    uint64_t value = 0;
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t groups = td_rng_next(&rng) % 4;
        for (uint64_t i = 0; i < groups; i++) {
            uint64_t count = td_rng_next(&rng) % 12;
            for (uint64_t at = 0; at < count; at++)
                change_at_random(&expected, &rng, ++value);
            add();
        }
        td_changes_sort(changes);
        check_is(&expected, TD_SPACE_ITEMS);
        check_is(&expected, TD_SPACE_TABLES);
        write_changes();
        check_is(&expected, TD_SPACE_ITEMS);
        check_is(&expected, TD_SPACE_TABLES);
    }
}
END_TEST

START_TEST(bytes_that_are_no_changes_are_refused)
{
    put(TD_SPACE_ITEMS, "key", "value");
    remove_key(TD_SPACE_ITEMS, "key");
    td_slice whole = td_buf_contents(&bytes);
    size_t first = 8 + 3 + 5;
    for (size_t len = 1; len < whole.len; len++) {
        td_changes_clear(changes);
        ck_assert_int_eq(td_changes_add(changes, td_slice_of(whole.ptr, len)), len == first ? 0 : EBADMSG);
    }
    for (size_t at = 0; at < 2; at++) { /* the kind, the space */
        td_changes_clear(changes);
        bytes.data[at] += 100;
        ck_assert_int_eq(td_changes_add(changes, whole), EBADMSG);
        bytes.data[at] -= 100;
    }
    td_changes_clear(changes);
    ck_assert_int_eq(td_changes_add(changes, whole), 0);
}
END_TEST

TCase *changes_tests(void)
{
    TCase *tests = tcase_create("changes");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, the_last_word_on_each_key_counts);
    tcase_add_test(tests, changes_hide_what_the_disk_has);
    tcase_add_test(tests, walked_and_written_they_are_what_was_done);
    tcase_add_test(tests, bytes_that_are_no_changes_are_refused);
    return tests;
}
