/* SPDX-License-Identifier: Apache-2.0
 * wording.c: tests of the choice of wording by operation. */
#include "ask.h"
#include "suites.h"

static ask_server server;

static void setup(void)
{
    ask_setup(&server);
}
static void teardown(void)
{
    ask_teardown(&server);
}

static const td_cohort *cohort_of(const char *operation, int messages)
{
    const td_operation *row = td_operation_find(TD_API_DYNAMODB, td_slice_of_cstr(operation));
    ck_assert_ptr_nonnull(row);
    return td_cohort_of(row->group, messages);
}

/* 'o': old, 'n': new, 'v': new but for values, 'e': new, in the envelope. */
static char letter_of(const td_cohort *cohort)
{
    if (cohort->wording == TD_WORDING_CLASSIC) return 'o';
    if (cohort->value_wording == TD_WORDING_CLASSIC) return 'v';
    return (cohort->enveloped & (1U << TD_MESSAGE_CLASS_REQUEST)) != 0 ? 'e' : 'n';
}

START_TEST(each_profile_gives_each_group_its_state)
{
    static const struct {
        const char *operation;
        const char *letters; /* classic, majority, 2026 */
    } rows[] = {
        {"PutItem", "oee"},
        {"UpdateItem", "oee"},
        {"DeleteItem", "oee"},
        {"BatchGetItem", "onn"},
        {"Scan", "oon"},
        {"BatchWriteItem", "oov"},
        {"Query", "onn"},
        {"TransactWriteItems", "oon"},
        {"TransactGetItems", "oon"},
        {"GetItem", "onn"},
        {"CreateTable", "onn"},
        {"UpdateTimeToLive", "onn"},
    };
    for (size_t i = 0; i < TD_COUNT_OF(rows); i++) {
        for (int messages = TD_MESSAGES_CLASSIC; messages <= TD_MESSAGES_2026; messages++) {
            char found = letter_of(cohort_of(rows[i].operation, messages));
            ck_assert_msg(found == rows[i].letters[messages], "%s under %d: %c", rows[i].operation, messages, found);
        }
    }
}
END_TEST

START_TEST(classic_has_the_older_text_of_everything)
{
    for (int group = 0; group < TD_GROUP_COUNT; group++) {
        const td_cohort *cohort = td_cohort_of((td_operation_group)group, TD_MESSAGES_CLASSIC);
        ck_assert_int_eq(cohort->wording, TD_WORDING_CLASSIC);
        ck_assert_int_eq(cohort->value_wording, TD_WORDING_CLASSIC);
        ck_assert_uint_eq(cohort->enveloped & (1U << TD_MESSAGE_CLASS_REQUEST), 0);
    }
}
END_TEST

START_TEST(no_cohort_decorates_what_needs_the_table)
{
    for (int group = 0; group < TD_GROUP_COUNT; group++) {
        for (int messages = TD_MESSAGES_CLASSIC; messages <= TD_MESSAGES_2026; messages++) {
            uint32_t enveloped = td_cohort_of((td_operation_group)group, messages)->enveloped;
            ck_assert_uint_eq(enveloped & (1U << TD_MESSAGE_CLASS_DATA), 0);
            ck_assert_uint_eq(enveloped & (1U << TD_MESSAGE_CLASS_CONSTRAINT), 0); /* has its own */
        }
    }
}
END_TEST

START_TEST(envelope_is_put_around_a_text_once)
{
    const td_cohort *cohort = cohort_of("PutItem", TD_MESSAGES_MAJORITY);
    td_error error = {.arena = &server.arena, .wording = cohort->wording, .value_wording = cohort->value_wording};
    (void)TD_RAISE(&error, TD_MSG_RETURN_VALUES_OLD_ONLY);
    td_cohort_finish(cohort, &error);
    td_cohort_finish(cohort, &error);
    td_slice text = TD_LIT("1 validation error detected: ReturnValues can only be ALL_OLD or NONE");
    ck_assert(td_slice_equal(error.text, text));
    ck_assert_int_eq(error.status, TD_VALIDATION);
}
END_TEST

START_TEST(majority_words_a_batch_as_it_is_worded_by_its_group)
{
    server.config.messages = TD_MESSAGES_MAJORITY;
    static const ask_refusal refusals[] = {
        {"BatchGetItem", "{'RequestItems':{}}",
         "ValidationException: 1 validation error detected: Value at 'RequestItems' failed to satisfy constraint: "
         "Member must have length greater than or equal to 1"},
        {"BatchWriteItem", "{'RequestItems':{}}",
         "ValidationException: The requestItems parameter is required for BatchWriteItem"},
    };
    CHECK_REFUSALS(&server, refusals);
}
END_TEST

TCase *wording_tests(void)
{
    TCase *tests = tcase_create("wording");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, each_profile_gives_each_group_its_state);
    tcase_add_test(tests, classic_has_the_older_text_of_everything);
    tcase_add_test(tests, no_cohort_decorates_what_needs_the_table);
    tcase_add_test(tests, envelope_is_put_around_a_text_once);
    tcase_add_test(tests, majority_words_a_batch_as_it_is_worded_by_its_group);
    return tests;
}
