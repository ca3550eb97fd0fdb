/* SPDX-License-Identifier: Apache-2.0
 * wording.c: the table of cohorts and groups (wording.def), and the envelope that a cohort puts around texts.
 * Not here: the texts (messages_*.def); what a cohort makes of member constraints (wire/faults.c). */
#include "wording.h"

#include "base/config.h"

#define TD_IN_ENVELOPE(class) (1U << TD_MESSAGE_CLASS_##class)

typedef enum cohort_name {
#define TD_COHORT(name, texts, values, classes) COHORT_##name,
#include "wording.def"
    COHORT_COUNT
} cohort_name;

static const td_cohort cohorts[COHORT_COUNT] = {
#define TD_COHORT(name, texts, values, classes) {TD_WORDING_##texts, TD_WORDING_##values, classes},
#include "wording.def"
};

static const cohort_name groups[TD_GROUP_COUNT][TD_MESSAGES_COUNT] = {
#define TD_OPERATION_GROUP(name, classic, majority, newest)                                                            \
    [TD_GROUP_##name] = {[TD_MESSAGES_CLASSIC] = COHORT_##classic,                                                     \
                         [TD_MESSAGES_MAJORITY] = COHORT_##majority,                                                   \
                         [TD_MESSAGES_2026] = COHORT_##newest},
#include "wording.def"
};

const td_cohort *td_cohort_of(td_operation_group group, int messages)
{
    TD_ASSERT(group < TD_GROUP_COUNT);
    TD_ASSERT(messages >= 0 && messages < TD_MESSAGES_COUNT);
    return &cohorts[groups[group][messages]];
}

void td_cohort_finish(const td_cohort *cohort, td_error *error)
{
    if (error->status != TD_VALIDATION) return;
    uint32_t class = 1U << td_message_get_class(error->message);
    if ((cohort->enveloped & class) == 0) return;
    td_slice text = error->text;
    (void)TD_RAISE(error, TD_MSG_ONE_ERROR_DETECTED, text);
}
