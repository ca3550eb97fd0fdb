/* SPDX-License-Identifier: Apache-2.0
 * expires.c: time that passes in a run, and items that expire meanwhile, by the attribute "dies".
 *
 * The rule (expiry.h): a number of whole seconds, its fraction cut off, not more than five years old; the item goes at
 * that instant, or at once when the instant was over as it was written. The store's delay is none. */
#include "run.h"

#include <stdio.h>
#include <stdlib.h>

#include "thermodyn/expiry.h"
#include "thermodyn/number.h"

#define AHEAD_S 60
#define BEHIND_S 10
#define SIX_YEARS_S (INT64_C(6) * 366 * 24 * 3600)

static td_slice expiry_name(void);
static bool find_due(const model_run *run, const td_item *item, td_time_us *ret_due_us);
static const td_item *find_first_due(const model_run *run, td_time_us *ret_due_us);

void run_pass_time(model_run *run)
{
    td_store_run_due(run->store, run->now_us);
    td_time_us due_us = 0;
    const td_item *expired = find_first_due(run, &due_us);
    while (expired != NULL) {
        past_note(&run->past, due_us, expired, NULL);
        model_swap(&run->model, expired, NULL);
        expired = find_first_due(run, &due_us);
    }
    run->passed_us = run->now_us;
}

void run_change_expiry(model_run *run)
{
    td_call call = run_call(run);
    CHECK_RUN(run, td_expiry_update(&call, !run->has_expiry, expiry_name(), &run->error) == TD_OK);
    run->has_expiry = !run->has_expiry;
    td_expiry_info info;
    CHECK_RUN(run, td_expiry_describe(&call, &info, &run->error) == TD_OK);
    CHECK_RUN(run, info.is_enabled == run->has_expiry);
}

td_attribute run_make_instant(model_run *run)
{
    td_attribute attribute = {expiry_name(), {.type = TD_TYPE_N}};
    int64_t seconds = run->now_us / TD_US_PER_S + (int64_t)td_rng_below(&run->rng, AHEAD_S) - BEHIND_S;
    uint64_t pick = td_rng_below(&run->rng, 20);
    if (pick == 0) seconds -= SIX_YEARS_S;
    if (pick == 1) attribute.value.type = TD_TYPE_S;
    char text[32];
    snprintf(text, sizeof text, "%" PRId64 "%s", seconds, pick < 5 ? ".75" : "");
    td_number number;
    ck_assert(td_number_parse(td_slice_of_cstr(text), &number) == TD_NUMBER_OK);
    td_slice payload = attribute.value.type == TD_TYPE_S ? td_slice_of_cstr(text) : td_number_slice(&number);
    ck_assert(td_arena_copy(&run->arena, payload, &attribute.value.bytes));
    return attribute;
}

static td_slice expiry_name(void)
{
    return TD_LIT("dies");
}

/* The item that goes first of those that were to go by now, or NULL. */
static const td_item *find_first_due(const model_run *run, td_time_us *ret_due_us)
{
    const td_item *first = NULL;
    td_time_us first_us = run->now_us;
    for (size_t i = 0; run->has_expiry && i < run->model.count; i++) {
        td_time_us due_us;
        if (!find_due(run, run->model.items[i], &due_us) || due_us > first_us) continue;
        first = run->model.items[i];
        first_us = due_us;
    }
    *ret_due_us = first_us;
    return first;
}

/* false: it stays. */
static bool find_due(const model_run *run, const td_item *item, td_time_us *ret_due_us)
{
    td_stored value;
    if (!td_item_find(item, expiry_name(), &value) || value.type != TD_TYPE_N) return false;
    char text[TD_NUMBER_TEXT_MAX + 1];
    text[td_number_print(value.bytes, text)] = '\0';
    int64_t seconds = strtoll(text, NULL, 10);
    if (seconds <= run->start_us / TD_US_PER_S - SIX_YEARS_S / 2) return false;
    *ret_due_us = seconds * TD_US_PER_S;
    if (*ret_due_us < run->passed_us) *ret_due_us = run->passed_us;
    return true;
}
