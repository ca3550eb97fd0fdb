/* SPDX-License-Identifier: Apache-2.0
 * disk.c: tests of the door to LMDB, on a directory of each test's own. */
#include "thermodyn/disk.h"

#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "suites.h"

static char folder[64];
static char sentence[TD_DISK_SENTENCE_BYTES];
static td_disk *disk;

static void open_disk(void)
{
    disk = td_disk_open(folder, TD_DISK_KEEP, sentence);
    ck_assert_msg(disk != NULL, "%s", sentence);
}

static void setup(void)
{
    snprintf(folder, sizeof folder, "/tmp/thermodyn-disk-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    open_disk();
}

static void remove_file(const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    unlink(path);
}

static void teardown(void)
{
    td_disk_close(disk);
    remove_file("data.mdb");
    remove_file("lock");
    rmdir(folder);
}

static void put(td_space space, const char *key, const char *value)
{
    td_slice part = td_slice_of_cstr(value);
    ck_assert_int_eq(td_disk_put(disk, space, td_slice_of_cstr(key), &part, 1), 0);
}

static void begin(void)
{
    ck_assert_int_eq(td_disk_begin(disk), 0);
}

static void commit(void)
{
    ck_assert_int_eq(td_disk_commit(disk), 0);
}

/* "a=1 b=2 " from the key on. */
static const char *show(td_space space, const char *from)
{
    static char text[1024];
    size_t len = 0;
    td_disk_cursor *cursor = NULL;
    td_slice key;
    td_slice value;
    ck_assert_int_eq(td_disk_walk(disk, space, td_slice_of_cstr(from), &cursor), 0);
    text[0] = '\0';
    int error = td_disk_next(cursor, &key, &value);
    for (; error == 0; error = td_disk_next(cursor, &key, &value)) {
        len += (size_t)snprintf(text + len, sizeof text - len, "%.*s=%.*s ", (int)key.len, (const char *)key.ptr,
                                (int)value.len, (const char *)value.ptr);
    }
    ck_assert_int_eq(error, TD_DISK_END);
    td_disk_cursor_free(cursor);
    return text;
}

START_TEST(what_was_committed_is_there_in_the_order_of_keys)
{
    td_slice parts[] = {TD_LIT("x"), TD_LIT(""), TD_LIT("yz")};
    begin();
    put(TD_SPACE_ITEMS, "b", "2");
    put(TD_SPACE_ITEMS, "a", "1");
    put(TD_SPACE_TABLES, "t", "0");
    ck_assert_int_eq(td_disk_put(disk, TD_SPACE_ITEMS, TD_LIT("c"), parts, TD_COUNT_OF(parts)), 0);
    commit();
    td_disk_close(disk);
    open_disk();
    ck_assert_str_eq(show(TD_SPACE_ITEMS, ""), "a=1 b=2 c=xyz ");
    ck_assert_str_eq(show(TD_SPACE_ITEMS, "aa"), "b=2 c=xyz ");
    ck_assert_str_eq(show(TD_SPACE_TABLES, ""), "t=0 ");
    ck_assert_uint_eq(td_disk_count(disk, TD_SPACE_ITEMS), 3);
    ck_assert_uint_gt(td_disk_bytes(disk), 0);
}
END_TEST

START_TEST(what_was_not_committed_is_not_there)
{
    begin();
    put(TD_SPACE_ITEMS, "a", "1");
    commit();
    begin();
    put(TD_SPACE_ITEMS, "a", "2");
    put(TD_SPACE_ITEMS, "b", "2");
    td_disk_abort(disk);
    ck_assert_str_eq(show(TD_SPACE_ITEMS, ""), "a=1 ");
    begin();
    put(TD_SPACE_ITEMS, "a", "3");
    td_disk_close(disk);
    open_disk();
    ck_assert_str_eq(show(TD_SPACE_ITEMS, ""), "a=1 ");
}
END_TEST

START_TEST(keys_are_removed_by_one_and_by_range)
{
    begin();
    for (char key = 'a'; key <= 'j'; key++)
        put(TD_SPACE_ITEMS, (char[]){key, '\0'}, "1");
    ck_assert_int_eq(td_disk_remove(disk, TD_SPACE_ITEMS, TD_LIT("b")), 0);
    ck_assert_int_eq(td_disk_remove(disk, TD_SPACE_ITEMS, TD_LIT("missing")), 0);
    uint32_t removed = 0;
    ck_assert_int_eq(td_disk_remove_range(disk, TD_SPACE_ITEMS, TD_LIT("c"), TD_LIT("g"), 3, &removed), 0);
    ck_assert_uint_eq(removed, 3);
    ck_assert_int_eq(td_disk_remove_range(disk, TD_SPACE_ITEMS, TD_LIT("c"), TD_LIT("g"), 3, &removed), 0);
    ck_assert_uint_eq(removed, 1);
    commit();
    ck_assert_str_eq(show(TD_SPACE_ITEMS, ""), "a=1 g=1 h=1 i=1 j=1 ");
    begin();
    ck_assert_int_eq(td_disk_remove_range(disk, TD_SPACE_ITEMS, TD_LIT("i"), TD_LIT(""), 100, &removed), 0);
    ck_assert_uint_eq(removed, 2);
    ck_assert_int_eq(td_disk_remove_range(disk, TD_SPACE_CHANGES, TD_LIT(""), TD_LIT(""), 100, &removed), 0);
    ck_assert_uint_eq(removed, 0);
    commit();
    ck_assert_str_eq(show(TD_SPACE_ITEMS, ""), "a=1 g=1 h=1 ");
    begin();
    ck_assert_int_eq(td_disk_clear(disk, TD_SPACE_ITEMS), 0);
    commit();
    ck_assert_str_eq(show(TD_SPACE_ITEMS, ""), "");
}
END_TEST

START_TEST(a_range_of_many_keys_goes_in_steps)
{
    char key[16];
    begin();
    for (int i = 0; i < 5000; i++) {
        snprintf(key, sizeof key, "%05d", i);
        put(TD_SPACE_ITEMS, key, "some value of an item");
    }
    commit();
    uint32_t removed = 0;
    uint32_t total = 0;
    do {
        begin();
        int error = td_disk_remove_range(disk, TD_SPACE_ITEMS, TD_LIT("01000"), TD_LIT("04000"), 700, &removed);
        ck_assert_int_eq(error, 0);
        commit();
        total += removed;
    } while (removed == 700);
    ck_assert_uint_eq(total, 3000);
    ck_assert_uint_eq(td_disk_count(disk, TD_SPACE_ITEMS), 2000);
}
END_TEST

START_TEST(the_longest_key_and_a_long_value_fit)
{
    static char key[TD_DISK_KEY_BYTES_MAX];
    static char value[1 << 20];
    memset(key, 'k', sizeof key);
    memset(value, 'v', sizeof value);
    td_slice part = td_slice_of(value, sizeof value);
    begin();
    ck_assert_int_eq(td_disk_put(disk, TD_SPACE_ITEMS, td_slice_of(key, sizeof key), &part, 1), 0);
    commit();
    td_disk_cursor *cursor = NULL;
    td_slice found_key;
    td_slice found;
    ck_assert_int_eq(td_disk_walk(disk, TD_SPACE_ITEMS, td_slice_of(key, sizeof key), &cursor), 0);
    ck_assert_int_eq(td_disk_next(cursor, &found_key, &found), 0);
    ck_assert(td_slice_equal(found, part));
    td_disk_cursor_free(cursor);
}
END_TEST

/* flock's locks belong to the open file: the same process is refused as another would be. */
START_TEST(a_directory_is_one_users)
{
    ck_assert_ptr_null(td_disk_open(folder, TD_DISK_KEEP, sentence));
    ck_assert_ptr_nonnull(strstr(sentence, "another process is using it"));
    ck_assert_ptr_nonnull(strstr(sentence, folder));
}
END_TEST

START_TEST(what_is_to_be_read_has_to_be_there)
{
    ck_assert_ptr_null(td_disk_open("/tmp/thermodyn-is-not-there", TD_DISK_READ, sentence));
    ck_assert_ptr_nonnull(strstr(sentence, "No such file"));
    td_disk_close(disk);
    disk = td_disk_open(folder, TD_DISK_READ, sentence);
    ck_assert_msg(disk != NULL, "%s", sentence);
    ck_assert_int_eq(td_disk_begin(disk), EROFS);
    ck_assert_str_eq(show(TD_SPACE_ITEMS, ""), "");
}
END_TEST

START_TEST(a_file_of_something_else_is_refused)
{
    char path[128];
    td_disk_close(disk);
    snprintf(path, sizeof path, "%s/data.mdb", folder);
    FILE *file = fopen(path, "w");
    for (int i = 0; i < 1000; i++)
        fputs("something else", file);
    fclose(file);
    disk = td_disk_open(folder, TD_DISK_KEEP, sentence);
    ck_assert_ptr_null(disk);
    ck_assert_ptr_nonnull(strstr(sentence, "not one of thermodyn's"));
}
END_TEST

TCase *disk_tests(void)
{
    TCase *tests = tcase_create("disk");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, what_was_committed_is_there_in_the_order_of_keys);
    tcase_add_test(tests, what_was_not_committed_is_not_there);
    tcase_add_test(tests, keys_are_removed_by_one_and_by_range);
    tcase_add_test(tests, a_range_of_many_keys_goes_in_steps);
    tcase_add_test(tests, the_longest_key_and_a_long_value_fit);
    tcase_add_test(tests, a_directory_is_one_users);
    tcase_add_test(tests, what_is_to_be_read_has_to_be_there);
    tcase_add_test(tests, a_file_of_something_else_is_refused);
    return tests;
}
