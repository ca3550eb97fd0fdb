/* SPDX-License-Identifier: Apache-2.0
 * policy.c: tests of what settings make of the exceptions of throttles. The defaults are tested with admission.c. */
#include "capacity/policy.h"

#include <stdio.h>

#include "suites.h"

#define PTEE "ProvisionedThroughputExceededException"
#define MISSPELT "a cell must be one of the 16 throttling reasons"
#define NO_CELL "a limit of on-demand has no cell /PROVISIONED"
#define NO_ANSWER "a cell's answer must be " PTEE
#define NO_PAIR "it must be a list of REASON=EXCEPTION"

static uint32_t count_marked(const td_capacity_patch *patch)
{
    uint32_t count = 0;
    for (uint32_t cell = 0; cell < TD_POLICY_CELL_COUNT; cell++)
        count += patch->has_answer[cell];
    return count;
}

static td_message message_of(const td_capacity_patch *patch, const td_throttle_reason *reason, td_billing_mode billing)
{
    return td_policy__message(&patch->settings.policy, reason, billing);
}

START_TEST(every_cell_is_written_as_it_is_read)
{
    td_capacity_patch patch = {.has_enforce = false};
    uint32_t count = 0;
    for (uint32_t cell = 0; cell < TD_POLICY_CELL_COUNT; cell++) {
        for (int answer = TD_ANSWER_DEFAULT; answer < TD_ANSWER_COUNT; answer++) {
            td_exception_policy policy = {{0}};
            policy.answers[cell] = (uint8_t)answer;
            td_policy_row row;
            if (!td_policy_get_row(&policy, cell, &row)) continue;
            count += answer == TD_ANSWER_DEFAULT;
            char text[160];
            snprintf(text, sizeof text, " %s/%s = %s ,", row.reason, row.billing, row.answer);
            memset(&patch, 0, sizeof patch);
            const char *fault = NULL;
            ck_assert_msg(td_policy_parse(&patch, td_slice_of_cstr(text), &fault), "%s: %s", text, fault);
            ck_assert_uint_eq(count_marked(&patch), 1);
            ck_assert(patch.has_answer[cell]);
            td_policy_row again;
            ck_assert(td_policy_get_row(&patch.settings.policy, cell, &again));
            ck_assert_str_eq(again.answer, row.answer);
            if (answer != TD_ANSWER_DEFAULT) ck_assert_int_eq(patch.settings.policy.answers[cell], answer);
        }
    }
    ck_assert_uint_eq(count, 20); /* 4 provisioned, 8 key range, 4 account, 4 on-demand maximum */
}
END_TEST

START_TEST(a_reason_alone_means_both_modes)
{
    td_capacity_patch patch = {.has_enforce = false};
    const char *fault;
    ck_assert(td_policy_parse(&patch, TD_LIT("TableReadKeyRangeThroughputExceeded=RequestLimitExceeded"), &fault));
    ck_assert_uint_eq(count_marked(&patch), 2);
    td_throttle_reason reason = {.kind = TD_LIMITED_BY_KEY_RANGE, .direction = TD_READ};
    ck_assert_int_eq(message_of(&patch, &reason, TD_BILLING_PROVISIONED), TD_MSG_ACCOUNT_LIMIT_EXCEEDED);
    ck_assert_int_eq(message_of(&patch, &reason, TD_BILLING_ON_DEMAND), TD_MSG_ACCOUNT_LIMIT_EXCEEDED);
    reason.direction = TD_WRITE;
    ck_assert_int_eq(message_of(&patch, &reason, TD_BILLING_ON_DEMAND), TD_MSG_CAPACITY_EXCEEDED);
}
END_TEST

/* The field report that makes the cell worth a setting: throttling.md §3.3, DLC443. */
START_TEST(an_exception_has_the_text_that_fits_its_cell)
{
    td_capacity_patch patch = {.has_enforce = false};
    const char *fault;
    static const char text[] = "TableReadKeyRangeThroughputExceeded/PAY_PER_REQUEST=" PTEE
                               ",IndexReadKeyRangeThroughputExceeded/PAY_PER_REQUEST=" PTEE
                               ",IndexWriteAccountLimitExceeded=RequestLimitExceeded"
                               ",IndexWriteProvisionedThroughputExceeded=ThrottlingException,";
    ck_assert(td_policy_parse(&patch, td_slice_of_cstr(text), &fault));
    td_throttle_reason reason = {.kind = TD_LIMITED_BY_KEY_RANGE, .direction = TD_READ};
    ck_assert_int_eq(message_of(&patch, &reason, TD_BILLING_ON_DEMAND), TD_MSG_TABLE_THROUGHPUT_EXCEEDED);
    reason.index = TD_LIT("ix");
    ck_assert_int_eq(message_of(&patch, &reason, TD_BILLING_ON_DEMAND), TD_MSG_INDEX_THROUGHPUT_EXCEEDED);
    reason.direction = TD_WRITE;
    reason.kind = TD_LIMITED_BY_ACCOUNT;
    ck_assert_int_eq(message_of(&patch, &reason, TD_BILLING_ON_DEMAND), TD_MSG_ACCOUNT_LIMIT_EXCEEDED);
    reason.kind = TD_LIMITED_BY_PROVISIONED;
    ck_assert_int_eq(message_of(&patch, &reason, TD_BILLING_PROVISIONED), TD_MSG_INDEX_CAPACITY_EXCEEDED);
}
END_TEST

static const struct {
    const char *text;
    const char *fault;
} faults[] = {
    {"x", NO_PAIR},
    {",", NO_PAIR},
    {"TableReadKeyRangeThroughputExceeded", NO_PAIR},
    {"=M1", MISSPELT},
    {"TableReadKeyRange=M1", MISSPELT},
    {"TableReadKeyRangeThroughputExceeded/ON_DEMAND=M1", MISSPELT},
    {"TableReadKeyRangeThroughputExceeded/=M1", MISSPELT},
    {"TableReadProvisionedThroughputExceeded/PAY_PER_REQUEST=M1", NO_CELL},
    {"TableReadMaxOnDemandThroughputExceeded/PROVISIONED=M5", NO_CELL},
    {"TableReadAccountLimitExceeded/PROVISIONED=M6", NO_CELL},
    {"TableReadKeyRangeThroughputExceeded=M7", NO_ANSWER},
    {"TableReadKeyRangeThroughputExceeded=", NO_ANSWER},
    {"TableReadKeyRangeThroughputExceeded=Throttling=Exception", NO_ANSWER},
    {"TableReadKeyRangeThroughputExceeded=M1,TableReadKeyRangeThroughputExceeded=throttlingexception", NO_ANSWER},
};

START_TEST(bad_cells_are_one_clear_sentence)
{
    td_capacity_patch patch = {.has_enforce = false};
    const char *fault = NULL;
    ck_assert(!td_policy_parse(&patch, td_slice_of_cstr(faults[_i].text), &fault));
    ck_assert_msg(strncmp(fault, faults[_i].fault, strlen(faults[_i].fault)) == 0, "%s: %s", faults[_i].text, fault);
}
END_TEST

START_TEST(no_text_marks_nothing)
{
    td_capacity_patch patch = {.has_enforce = false};
    const char *fault;
    ck_assert(td_policy_parse(&patch, td_slice_of(NULL, 0), &fault));
    ck_assert(td_policy_parse(&patch, TD_LIT("  \t"), &fault));
    ck_assert_uint_eq(count_marked(&patch), 0);
}
END_TEST

TCase *policy_tests(void)
{
    TCase *tests = tcase_create("policy");
    tcase_add_test(tests, every_cell_is_written_as_it_is_read);
    tcase_add_test(tests, a_reason_alone_means_both_modes);
    tcase_add_test(tests, an_exception_has_the_text_that_fits_its_cell);
    tcase_add_loop_test(tests, bad_cells_are_one_clear_sentence, 0, (int)TD_COUNT_OF(faults));
    tcase_add_test(tests, no_text_marks_nothing);
    return tests;
}
