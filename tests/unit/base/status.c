/* SPDX-License-Identifier: Apache-2.0
 * status.c: tests of storage/base/status.c, and of every row of messages.def and status.def. */
#include "thermodyn/status.h"

#include "support/failing_memory.h"
#include "thermodyn/text.h"

#include "suites.h"

static td_arena arena;
static td_error error;

static void set_up(void)
{
    td_arena_init(&arena, 1024 * 1024);
    error = (td_error){.arena = &arena, .wording = TD_WORDING_CLASSIC};
}

static void tear_down(void)
{
    td_arena_done(&arena);
}

/* The highest mark of a text, or -1; fails on a brace with one digit that nothing closes. */
static int highest_mark(const char *text)
{
    int highest = -1;
    for (const char *at = strchr(text, '{'); at != NULL; at = strchr(at + 1, '{')) {
        if (at[1] < '0' || at[1] > '9' || at[2] != '}') continue;
        if (at[1] - '0' > highest) highest = at[1] - '0';
    }
    return highest;
}

START_TEST(every_status_has_its_wire_columns)
{
    td_status status = (td_status)_i;
    int http = td_status_http(status);
    if (status == TD_OK) {
        ck_assert_int_eq(http, 200);
        return;
    }
    bool is_known = http == 400 || http == 421 || http == 500 || http == 503;
    ck_assert_msg(is_known, "%s answers %d", td_status_type(status), http);
    ck_assert_uint_gt(strlen(td_status_type(status)), 0);
    const char *prefix = td_status_prefix(status);
    ck_assert(prefix[0] != '\0' && prefix[strlen(prefix) - 1] == '#');
}
END_TEST

START_TEST(every_message_is_well_formed_in_both_wordings)
{
    td_message message = (td_message)_i;
    const char *name = td_message_name(message);
    for (int wording = TD_WORDING_CLASSIC; wording <= TD_WORDING_CURRENT; wording++) {
        const char *text = td_message_text(message, (td_wording)wording);
        ck_assert_ptr_nonnull(text);
        ck_assert_msg(td_utf8_is_valid(td_slice_of_cstr(text)), "%s is no UTF-8", name);
        ck_assert_msg(strstr(text, "%s") == NULL && strstr(text, "%d") == NULL, "%s has a mark of printf", name);
        /* Marks are counted from {0} without a gap, so that a row's arguments can be read off its text. */
        for (int mark = 0; wording == TD_WORDING_CLASSIC && mark < highest_mark(text); mark++) {
            char written[] = {'{', (char)('0' + mark), '}', '\0'};
            ck_assert_msg(strstr(text, written) != NULL, "%s skips %s", name, written);
        }
    }
    ck_assert_int_le(td_message_get_class(message), TD_MESSAGE_CLASS_DATA);
}
END_TEST

START_TEST(every_message_is_raised_with_its_arguments_in_place)
{
    td_message message = (td_message)_i;
    static const td_slice args[] = {
        TD_LIT_INIT("<A>"), TD_LIT_INIT("<B>"), TD_LIT_INIT("<C>"), TD_LIT_INIT("<D>"), TD_LIT_INIT("<E>"),
        TD_LIT_INIT("<F>"), TD_LIT_INIT("<G>"), TD_LIT_INIT("<H>"), TD_LIT_INIT("<I>"), TD_LIT_INIT("<J>"),
    };
    for (int wording = TD_WORDING_CLASSIC; wording <= TD_WORDING_CURRENT; wording++) {
        error.wording = error.value_wording = (td_wording)wording;
        int highest = highest_mark(td_message_text(message, error.wording));
        td_status status = td_error_raise(&error, message, args, (size_t)(highest + 1));
        ck_assert_int_ne(status, TD_OK);
        ck_assert_int_eq(error.status, status);
        ck_assert_int_eq(error.message, message);
        td_slice raised;
        ck_assert(td_arena_format(&arena, &raised, "%.*s", (int)error.text.len, (const char *)error.text.ptr));
        ck_assert_int_eq(highest_mark((const char *)raised.ptr), -1);
        if (highest >= 0) ck_assert_ptr_nonnull(strstr((const char *)raised.ptr, "<A>"));
    }
}
END_TEST

START_TEST(raise_builds_the_exact_text)
{
    td_status status = TD_RAISE(&error, TD_MSG_MEMBER_CONSTRAINTS, TD_LIT("2"), TD_LIT("s"), TD_LIT("x; y"));
    ck_assert_int_eq(status, TD_VALIDATION);
    ck_assert(td_slice_equal(error.text, TD_LIT("2 validation errors detected: x; y")));
    status = TD_RAISE(&error, TD_MSG_MEMBER_CONSTRAINTS, td_error_int(&error, 1), TD_LIT(""), TD_LIT("{0}"));
    ck_assert(td_slice_equal(error.text, TD_LIT("1 validation error detected: {0}")));
}
END_TEST

START_TEST(raise_without_arguments_needs_no_memory)
{
    failing_memory_fail_at(1);
    ck_assert_int_eq(TD_RAISE(&error, TD_MSG_RESOURCE_NOT_FOUND), TD_RESOURCE_NOT_FOUND);
    ck_assert(!failing_memory_has_failed());
    failing_memory_fail_at(0);
    ck_assert(td_slice_equal(error.text, TD_LIT("Requested resource not found")));
}
END_TEST

START_TEST(raise_with_a_lost_argument_answers_out_of_memory_and_an_empty_one_is_not_lost)
{
    ck_assert_int_eq(TD_RAISE(&error, TD_MSG_TABLE_NOT_FOUND, td_error_lost), TD_OUT_OF_MEMORY);
    ck_assert_int_eq(TD_RAISE(&error, TD_MSG_TABLE_NOT_FOUND, TD_LIT("")), TD_RESOURCE_NOT_FOUND);
    ck_assert_int_eq(TD_RAISE(&error, TD_MSG_TABLE_NOT_FOUND, td_slice_of(NULL, 0)), TD_RESOURCE_NOT_FOUND);
}
END_TEST

START_TEST(raise_answers_out_of_memory_when_the_text_finds_no_room)
{
    failing_memory_fail_at(1);
    td_status status = TD_RAISE(&error, TD_MSG_MEMBER_CONSTRAINTS, TD_LIT("1"), TD_LIT(""), TD_LIT("x"));
    failing_memory_fail_at(0);
    ck_assert_int_eq(status, TD_OUT_OF_MEMORY);
    ck_assert_int_eq(error.message, TD_MSG_OUT_OF_MEMORY);
    ck_assert_uint_gt(error.text.len, 0);
}
END_TEST

START_TEST(raise_of_another_kind_drops_the_details_of_an_earlier_one)
{
    error.item = (const struct td_item *)(const void *)&arena;
    error.throttle = (const struct td_throttle *)(const void *)&arena;
    ck_assert_int_eq(TD_RAISE(&error, TD_MSG_RESOURCE_NOT_FOUND), TD_RESOURCE_NOT_FOUND);
    ck_assert_ptr_null(error.item);
    ck_assert_ptr_null(error.throttle);
}
END_TEST

Suite *status_suite(void)
{
    Suite *suite = suite_create("status");
    TCase *tests = tcase_create("status");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_loop_test(tests, every_status_has_its_wire_columns, 0, TD_STATUS_COUNT);
    tcase_add_loop_test(tests, every_message_is_well_formed_in_both_wordings, 0, TD_MESSAGE_COUNT);
    tcase_add_loop_test(tests, every_message_is_raised_with_its_arguments_in_place, 0, TD_MESSAGE_COUNT);
    tcase_add_test(tests, raise_builds_the_exact_text);
    tcase_add_test(tests, raise_without_arguments_needs_no_memory);
    tcase_add_test(tests, raise_with_a_lost_argument_answers_out_of_memory_and_an_empty_one_is_not_lost);
    tcase_add_test(tests, raise_answers_out_of_memory_when_the_text_finds_no_room);
    tcase_add_test(tests, raise_of_another_kind_drops_the_details_of_an_earlier_one);
    suite_add_tcase(suite, tests);
    return suite;
}
