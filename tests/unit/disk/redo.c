/* SPDX-License-Identifier: Apache-2.0
 * redo.c: tests of the log, on a directory of each test's own: what it holds after any end of its writer. */
#include "thermodyn/redo.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "suites.h"

#define BLOCK_BYTES 4096
#define HEAD_BYTES 32
#define GROUPS 3
#define ROOM_BYTES ((size_t)1 << 20) /* of a new file */

static char folder[64];
static char sentence[TD_REDO_SENTENCE_BYTES];
static td_redo *redo;
static td_buf group;
static size_t bytes_read; /* since it was set to 0 */

/* The system's, by the linker's name. */
ssize_t __real_pread(int fd, void *place, size_t len, off_t at);
ssize_t __wrap_pread(int fd, void *place, size_t len, off_t at);

ssize_t __wrap_pread(int fd, void *place, size_t len, off_t at)
{
    ssize_t got = __real_pread(fd, place, len, at);
    if (got > 0) bytes_read += (size_t)got;
    return got;
}

static const char *path_of(int number)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/log.%d", folder, number);
    return path;
}

static void open_redo(uint64_t kept)
{
    td_redo_free(redo);
    redo = td_redo_open(folder, kept, false, sentence);
    ck_assert_msg(redo != NULL, "%s", sentence);
}

/* Empties what it finds, as after a checkpoint. */
static void start_redo(uint64_t kept)
{
    open_redo(kept);
    td_redo_empty(redo);
    ck_assert_int_eq(td_redo_make(redo), 0);
    td_redo_start(redo);
}

static void setup(void)
{
    snprintf(folder, sizeof folder, "/tmp/thermodyn-redo-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    td_buf_init(&group, SIZE_MAX);
    redo = NULL;
    start_redo(0);
}

static void teardown(void)
{
    td_redo_free(redo);
    td_buf_done(&group);
    unlink(path_of(0));
    unlink(path_of(1));
    rmdir(folder);
}

static int try_append(td_slice text)
{
    td_redo_begin(&group);
    td_buf_append(&group, text);
    return td_redo_append(redo, &group);
}

static void append(const char *text)
{
    ck_assert_int_eq(try_append(td_slice_of_cstr(text)), 0);
}

static void append_long(char letter, size_t len)
{
    char *text = malloc(len);
    ck_assert_ptr_nonnull(text);
    memset(text, letter, len);
    ck_assert_int_eq(try_append(td_slice_of(text, len)), 0);
    free(text);
}

static int show_group(void *text, uint64_t number, td_slice bytes)
{
    td_buf_append_format(text, "%llu=%.*s ", (unsigned long long)number, (int)(bytes.len < 8 ? bytes.len : 8),
                         (const char *)bytes.ptr);
    return 0;
}

/* "1=one 2=two ", the first bytes of each. */
static const char *show(uint64_t after)
{
    static char shown[1024];
    td_buf text;
    td_buf_init(&text, sizeof shown);
    ck_assert_int_eq(td_redo_read(redo, after, show_group, &text), 0);
    snprintf(shown, sizeof shown, "%.*s", (int)text.len, (const char *)text.data);
    td_buf_done(&text);
    return shown;
}

/* What a writer leaves that ends there. */
static const char *show_found(uint64_t kept)
{
    open_redo(kept);
    return show(kept);
}

static void check_is_refused(uint64_t kept, const char *what)
{
    td_redo *opened = td_redo_open(folder, kept, true, sentence);
    ck_assert_ptr_null(opened);
    ck_assert_msg(strstr(sentence, what) != NULL, "%s", sentence);
}

static void overwrite(int number, size_t at, const void *bytes, size_t len)
{
    int fd = open(path_of(number), O_RDWR | O_CLOEXEC);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(pwrite(fd, bytes, len, (off_t)at), (ssize_t)len);
    close(fd);
}

static uint8_t byte_at(int number, size_t at)
{
    uint8_t byte = 0;
    int fd = open(path_of(number), O_RDONLY | O_CLOEXEC);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(pread(fd, &byte, 1, (off_t)at), 1);
    close(fd);
    return byte;
}

static void flip(int number, size_t at)
{
    uint8_t byte = byte_at(number, at) ^ 0x10;
    overwrite(number, at, &byte, 1);
}

START_TEST(groups_are_there_in_their_order)
{
    append("one");
    append("");
    append_long('x', 3 * BLOCK_BYTES);
    append("four");
    ck_assert_uint_eq(td_redo_last(redo), 4);
    ck_assert_uint_eq(td_redo_bytes(redo), 7 * BLOCK_BYTES);
    ck_assert_str_eq(show_found(0), "1=one 2= 3=xxxxxxxx 4=four ");
    ck_assert_uint_eq(td_redo_last(redo), 4);
    ck_assert_str_eq(show_found(2), "3=xxxxxxxx 4=four ");
    ck_assert_str_eq(show_found(4), "");
    ck_assert_str_eq(show_found(7), "");
    ck_assert_uint_eq(td_redo_last(redo), 7);
}
END_TEST

START_TEST(a_log_that_is_not_there_holds_nothing)
{
    unlink(path_of(0));
    unlink(path_of(1));
    ck_assert_str_eq(show_found(5), "");
    ck_assert_uint_eq(td_redo_last(redo), 5);
    ck_assert_uint_eq(td_redo_disk_bytes(redo), 0);
    ck_assert_int_ne(access(path_of(0), F_OK), 0);
}
END_TEST

START_TEST(a_log_that_is_missing_where_it_is_needed_is_told)
{
    append("one");
    td_redo_turn(redo);
    append("two");
    for (int i = 0; i < 2; i++) {
        char aside[160];
        snprintf(aside, sizeof aside, "%s/aside", folder);
        ck_assert_int_eq(rename(path_of(i), aside), 0);
        check_is_refused(0, "it is missing");
        ck_assert_ptr_nonnull(strstr(sentence, path_of(i)));
        ck_assert_int_eq(rename(aside, path_of(i)), 0);
    }
    ck_assert_str_eq(show_found(0), "1=one 2=two ");
}
END_TEST

/* Of a write that did not end any part may be there: here all from a byte on is missing, or is of an older filling. */
START_TEST(a_torn_tail_is_not_there_whatever_it_lacks)
{
    static const uint8_t zeros[BLOCK_BYTES];
    size_t len = HEAD_BYTES + BLOCK_BYTES + 100;
    for (int i = 0; i < 2; i++) {
        uint64_t before = td_redo_last(redo);
        char expected[64];
        snprintf(expected, sizeof expected, "%llu=one %llu=two ", (unsigned long long)before + 1,
                 (unsigned long long)before + 2);
        start_redo(before);
        append("one");
        append("two");
        append_long('x', len - HEAD_BYTES);
        for (size_t there = len; there-- > 0;) {
            overwrite(0, 2 * BLOCK_BYTES + there, i == 0 ? "\0" : "o", 1);
            bool is_near_an_edge = there < 100 || there > BLOCK_BYTES - 20;
            if (is_near_an_edge || there % 61 == 0) ck_assert_str_eq(show_found(before), expected);
        }
    }
    uint64_t kept = td_redo_last(redo);
    start_redo(kept);
    append_long('x', len - HEAD_BYTES);
    overwrite(0, 0, zeros, BLOCK_BYTES); /* blocks are not written in their order */
    ck_assert_str_eq(show_found(kept), "");
    ck_assert_int_eq(truncate(path_of(0), 10), 0);
    ck_assert_str_eq(show_found(kept), "");
}
END_TEST

START_TEST(a_damaged_group_that_others_follow_is_told)
{
    size_t len = HEAD_BYTES + 5;
    for (int i = 0; i < GROUPS; i++)
        append("group");
    for (size_t damaged = 0; damaged < GROUPS; damaged++) {
        for (size_t at = 0; at < len; at++) {
            flip(0, damaged * BLOCK_BYTES + at);
            if (damaged + 1 < GROUPS)
                check_is_refused(0, "a group of changes is damaged");
            else
                ck_assert_str_eq(show_found(0), "1=group 2=group ");
            ck_assert_str_eq(show_found(GROUPS), ""); /* the maps have it */
            flip(0, damaged * BLOCK_BYTES + at);
        }
    }
    flip(0, HEAD_BYTES);
    check_is_refused(2, "a group of changes is damaged"); /* the third cannot be reached */
    ck_assert_ptr_nonnull(strstr(sentence, folder));
}
END_TEST

START_TEST(what_becomes_damaged_meanwhile_is_told)
{
    append("one");
    append("two");
    ck_assert_str_eq(show_found(0), "1=one 2=two ");
    flip(0, BLOCK_BYTES + HEAD_BYTES);
    td_buf text;
    td_buf_init(&text, 100);
    ck_assert_int_eq(td_redo_read(redo, 0, show_group, &text), EBADMSG);
    td_buf_done(&text);
}
END_TEST

START_TEST(an_older_filling_is_not_there)
{
    for (int i = 0; i < 5; i++)
        append("old");
    td_redo_turn(redo);
    ck_assert_str_eq(show(3), "4=old 5=old ");
    td_redo_empty(redo);
    ck_assert_str_eq(show(0), "");
    append("six");
    td_redo_turn(redo);
    td_redo_empty(redo);
    ck_assert_str_eq(show_found(5), "6=six ");
    start_redo(6);
    append("seven");
    ck_assert_str_eq(show_found(6), "7=seven ");
    flip(0, HEAD_BYTES); /* torn, and behind it is what was before */
    ck_assert_str_eq(show_found(6), "");
    flip(0, HEAD_BYTES);
    flip(0, 8); /* not of that filling, nor of any */
    ck_assert_str_eq(show_found(6), "");
}
END_TEST

/* In each block a head, whose group goes on for so many bytes at most: none is whole. */
static void write_heads(size_t bytes_max)
{
    for (size_t at = 0; at < ROOM_BYTES; at += BLOCK_BYTES) {
        uint64_t rest = ROOM_BYTES - at - HEAD_BYTES;
        uint64_t head[] = {1, 1, 1000 + at, rest < bytes_max ? rest : bytes_max};
        overwrite(0, at, head, sizeof head);
    }
}

START_TEST(what_only_looks_like_groups_is_read_once_and_no_more)
{
    write_heads(100);
    bytes_read = 0;
    ck_assert_str_eq(show_found(0), "");
    ck_assert_uint_lt(bytes_read, 2 * ROOM_BYTES);
    write_heads(SIZE_MAX);
    bytes_read = 0;
    check_is_refused(0, "a group of changes is damaged");
    ck_assert_uint_lt(bytes_read, 3 * ROOM_BYTES);
}
END_TEST

START_TEST(the_files_take_turns)
{
    uint64_t kept = 0;
    for (int round = 0; round < 7; round++) {
        append("a");
        append("b");
        td_redo_turn(redo); /* the other one is sealed meanwhile */
        append("c");
        ck_assert_uint_eq(td_redo_held_bytes(redo), 3 * BLOCK_BYTES);
        char expected[64];
        snprintf(expected, sizeof expected, "%llu=a %llu=b ", (unsigned long long)kept + 1,
                 (unsigned long long)kept + 2);
        ck_assert_str_eq(show(kept), expected);
        if (round % 2 == 1) { /* it ends with both */
            size_t len = strlen(expected);
            snprintf(expected + len, sizeof expected - len, "%llu=c ", (unsigned long long)kept + 3);
            ck_assert_str_eq(show_found(kept), expected);
            ck_assert_str_eq(show_found(kept + 1), strchr(expected, ' ') + 1);
            start_redo(kept + 3);
        } else {
            td_redo_empty(redo);
            ck_assert_uint_eq(td_redo_held_bytes(redo), BLOCK_BYTES);
            td_redo_turn(redo);
            td_redo_empty(redo);
        }
        ck_assert_uint_eq(td_redo_held_bytes(redo), 0);
        kept += 3;
        ck_assert_uint_eq(td_redo_last(redo), kept);
    }
}
END_TEST

START_TEST(a_gap_is_told)
{
    append("one");
    append("two");
    td_redo_turn(redo);
    append("three");
    td_redo_empty(redo);
    td_redo_turn(redo);
    append("four");
    ck_assert_str_eq(show_found(2), "3=three 4=four ");
    ck_assert_str_eq(show_found(3), "4=four ");
    check_is_refused(1, "it does not begin where the data end");
}
END_TEST

START_TEST(a_failed_group_is_tried_again)
{
    struct rlimit before;
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    append("one");
    struct rlimit small = {2 * BLOCK_BYTES, before.rlim_max};
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
    static char text[2 * BLOCK_BYTES];
    memset(text, 'x', sizeof text);
    ck_assert_int_eq(try_append(td_slice_of(text, sizeof text)), EFBIG); /* a part of it was written */
    ck_assert(!td_redo_can_turn(redo));
    ck_assert_uint_eq(td_redo_last(redo), 1);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &before), 0);
    append("two");
    ck_assert(td_redo_can_turn(redo));
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
    ck_assert_int_eq(try_append(td_slice_of(text, sizeof text)), EFBIG);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, handler);
    ck_assert_str_eq(show_found(0), "1=one 2=two ");
}
END_TEST

START_TEST(a_file_grows_with_what_it_holds)
{
    uint64_t before = td_redo_disk_bytes(redo);
    append_long('x', (size_t)3 << 20);
    append("two");
    ck_assert_uint_gt(td_redo_disk_bytes(redo), before + ((uint64_t)1 << 20));
    uint64_t grown = td_redo_disk_bytes(redo);
    ck_assert_str_eq(show_found(0), "1=xxxxxxxx 2=two ");
    ck_assert_uint_eq(td_redo_disk_bytes(redo), grown);
}
END_TEST

START_TEST(a_file_that_is_begun_anew_gives_back_what_it_was_beyond_measure)
{
    append_long('x', (size_t)30 << 20);
    uint64_t grown = td_redo_disk_bytes(redo);
    td_redo_turn(redo);
    td_redo_empty(redo);
    append("two");
    ck_assert_uint_eq(td_redo_disk_bytes(redo), grown);
    td_redo_turn(redo);
    append("three");
    ck_assert_uint_lt(td_redo_disk_bytes(redo), (uint64_t)26 << 20);
    uint64_t shrunk = td_redo_disk_bytes(redo);
    ck_assert_str_eq(show_found(1), "2=two 3=three ");
    ck_assert_uint_eq(td_redo_disk_bytes(redo), shrunk);
}
END_TEST

TCase *redo_tests(void)
{
    TCase *tests = tcase_create("redo");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, groups_are_there_in_their_order);
    tcase_add_test(tests, a_log_that_is_not_there_holds_nothing);
    tcase_add_test(tests, a_log_that_is_missing_where_it_is_needed_is_told);
    tcase_add_test(tests, a_torn_tail_is_not_there_whatever_it_lacks);
    tcase_add_test(tests, a_damaged_group_that_others_follow_is_told);
    tcase_add_test(tests, what_becomes_damaged_meanwhile_is_told);
    tcase_add_test(tests, an_older_filling_is_not_there);
    tcase_add_test(tests, what_only_looks_like_groups_is_read_once_and_no_more);
    tcase_add_test(tests, the_files_take_turns);
    tcase_add_test(tests, a_gap_is_told);
    tcase_add_test(tests, a_failed_group_is_tried_again);
    tcase_add_test(tests, a_file_grows_with_what_it_holds);
    tcase_add_test(tests, a_file_that_is_begun_anew_gives_back_what_it_was_beyond_measure);
    return tests;
}
