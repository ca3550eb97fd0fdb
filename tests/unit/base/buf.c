/* SPDX-License-Identifier: Apache-2.0
 * buf.c: tests of storage/base/buf.c. */
#include "thermodyn/buf.h"

#include "support/failing_memory.h"
#include "thermodyn/memory.h"

#include "suites.h"

START_TEST(buf_keeps_what_is_appended_in_order)
{
    td_buf buf;
    td_buf_init(&buf, 10000);
    for (int i = 0; i < 500; i++) {
        td_buf_append_lit(&buf, "ab");
        td_buf_append_byte(&buf, 'c');
        td_buf_append_format(&buf, "%03d", i);
    }
    ck_assert(!td_buf_has_failed(&buf));
    ck_assert_uint_eq(buf.len, 3000);
    ck_assert(td_slice_equal(td_slice_of(buf.data + 2994, 6), TD_LIT("abc499")));
    td_buf_done(&buf);
}
END_TEST

START_TEST(buf_takes_exactly_its_limit)
{
    td_buf buf;
    td_buf_init(&buf, 6);
    td_buf_append_lit(&buf, "abc");
    td_buf_append_format(&buf, "%d", 123);
    ck_assert(!td_buf_has_failed(&buf));
    ck_assert(td_slice_equal(td_buf_contents(&buf), TD_LIT("abc123")));
    td_buf_append_lit(&buf, "");
    ck_assert(!td_buf_has_failed(&buf));
    td_buf_append_byte(&buf, 'x');
    ck_assert(td_buf_has_failed(&buf));
    td_buf_done(&buf);
}
END_TEST

START_TEST(buf_failure_sticks_until_it_is_cleared)
{
    td_buf buf;
    td_buf_init(&buf, 4);
    td_buf_append_format(&buf, "%s", "abcde");
    ck_assert(td_buf_has_failed(&buf));
    td_buf_append_byte(&buf, 'a');
    ck_assert_ptr_null(td_buf_reserve(&buf, 1));
    ck_assert_uint_eq(buf.len, 0);
    td_buf_clear(&buf);
    td_buf_append_lit(&buf, "abcd");
    ck_assert(!td_buf_has_failed(&buf));
    td_buf_done(&buf);
}
END_TEST

START_TEST(buf_reserve_then_commit_adds_what_was_written)
{
    td_buf buf;
    td_buf_init(&buf, 1000);
    uint8_t *place = td_buf_reserve(&buf, 100);
    ck_assert_ptr_nonnull(place);
    memcpy(place, "xyz", 3);
    td_buf_commit(&buf, 3);
    ck_assert(td_slice_equal(td_buf_contents(&buf), TD_LIT("xyz")));
    ck_assert_ptr_null(td_buf_reserve(&buf, SIZE_MAX));
    td_buf_done(&buf);
}
END_TEST

START_TEST(buf_detach_moves_the_memory_out)
{
    td_buf buf;
    td_buf_init(&buf, 100);
    td_buf_append_lit(&buf, "mine");
    size_t len = 0;
    uint8_t *data = td_buf_detach(&buf, &len);
    ck_assert(td_slice_equal(td_slice_of(data, len), TD_LIT("mine")));
    ck_assert_uint_eq(buf.len, 0);
    ck_assert_ptr_null(buf.data);
    td_free(data);
    td_buf_append_lit(&buf, "next");
    ck_assert(td_slice_equal(td_buf_contents(&buf), TD_LIT("next")));
    td_buf_done(&buf);
}
END_TEST

START_TEST(buf_fails_when_the_system_has_no_memory)
{
    td_buf buf;
    td_buf_init(&buf, 100000);
    td_buf_append_lit(&buf, "kept");
    failing_memory_fail_at(1);
    td_buf_append_format(&buf, "%5000d", 1);
    ck_assert(td_buf_has_failed(&buf));
    failing_memory_fail_at(0);
    ck_assert(td_slice_equal(td_buf_contents(&buf), TD_LIT("kept")));
    td_buf_done(&buf);
}
END_TEST

Suite *buf_suite(void)
{
    Suite *suite = suite_create("buf");
    TCase *tests = tcase_create("buf");
    tcase_add_test(tests, buf_keeps_what_is_appended_in_order);
    tcase_add_test(tests, buf_takes_exactly_its_limit);
    tcase_add_test(tests, buf_failure_sticks_until_it_is_cleared);
    tcase_add_test(tests, buf_reserve_then_commit_adds_what_was_written);
    tcase_add_test(tests, buf_detach_moves_the_memory_out);
    tcase_add_test(tests, buf_fails_when_the_system_has_no_memory);
    suite_add_tcase(suite, tests);
    return suite;
}
