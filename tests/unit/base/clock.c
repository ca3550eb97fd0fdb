/* SPDX-License-Identifier: Apache-2.0
 * clock.c: tests of storage/base/clock.c. None of them waits: what takes real time is bounded, not measured. */
#include "thermodyn/clock.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "suites.h"

START_TEST(clock_starts_at_wall_time)
{
    td_clock *clock = td_clock_new();
    td_clock_state state = td_clock_get_state(clock);
    ck_assert_int_eq(state.mode, TD_CLOCK_REAL);
    ck_assert(state.rate == 1.0);
    int64_t apart_s = state.now_us / TD_US_PER_S - (int64_t)time(NULL);
    ck_assert_int_le(apart_s < 0 ? -apart_s : apart_s, 2);
    ck_assert_int_le(state.now_us, td_clock_now(clock));
    td_clock_free(clock);
    td_clock_free(NULL);
}
END_TEST

START_TEST(clock_stands_still_in_manual_mode)
{
    td_clock *clock = td_clock_new();
    td_clock_set_manual(clock);
    td_time_us start_us = td_clock_now(clock);
    for (int i = 0; i < 1000; i++)
        ck_assert_int_eq(td_clock_now(clock), start_us);
    ck_assert(td_clock_move_to(clock, start_us + 5));
    ck_assert_int_eq(td_clock_now(clock), start_us + 5);
    ck_assert(!td_clock_move_to(clock, start_us + 4));
    ck_assert(!td_clock_move_to(clock, TD_NEVER));
    ck_assert_int_eq(td_clock_now(clock), start_us + 5);
    td_clock_free(clock);
}
END_TEST

START_TEST(clock_moves_by_hand_in_manual_mode_only)
{
    td_clock *clock = td_clock_new();
    ck_assert(!td_clock_move_to(clock, td_clock_now(clock) + TD_US_PER_S));
    td_clock_free(clock);
}
END_TEST

START_TEST(clock_goes_on_from_where_it_stood)
{
    td_clock *clock = td_clock_new();
    td_clock_set_manual(clock);
    td_time_us far_us = td_clock_now(clock) + 1000000 * TD_US_PER_S;
    ck_assert(td_clock_move_to(clock, far_us));
    ck_assert(td_clock_set_real(clock, 1.0));
    td_time_us now_us = td_clock_now(clock);
    ck_assert_int_ge(now_us, far_us);
    ck_assert_int_lt(now_us, far_us + 60 * TD_US_PER_S);
    td_clock_free(clock);
}
END_TEST

START_TEST(clock_runs_at_its_rate)
{
    td_clock *clock = td_clock_new();
    ck_assert(td_clock_set_real(clock, 100000.0));
    td_time_us start_us = td_clock_now(clock);
    int64_t real_start_us = td_monotonic_us();
    int64_t real_passed_us = 0;
    while (real_passed_us < 1000)
        real_passed_us = td_monotonic_us() - real_start_us;
    td_time_us passed_us = td_clock_now(clock) - start_us;
    ck_assert_int_ge(passed_us, (real_passed_us - 100) * 100000); /* a loop's last turn lies between the readings */
    td_clock_free(clock);
}
END_TEST

START_TEST(clock_refuses_rates_out_of_range)
{
    static const double rates[] = {0, -1, 0.009, 100001, NAN, INFINITY};
    td_clock *clock = td_clock_new();
    for (size_t i = 0; i < TD_COUNT_OF(rates); i++)
        ck_assert(!td_clock_set_real(clock, rates[i]));
    ck_assert(td_clock_get_state(clock).rate == 1.0);
    ck_assert(td_clock_set_real(clock, 0.01));
    ck_assert(td_clock_get_state(clock).rate == 0.01);
    td_clock_free(clock);
}
END_TEST

START_TEST(clock_keeps_its_rate_in_manual_mode_and_loses_it_at_reset)
{
    td_clock *clock = td_clock_new();
    ck_assert(td_clock_set_real(clock, 60));
    td_clock_set_manual(clock);
    ck_assert(td_clock_get_state(clock).rate == 60.0);
    ck_assert(td_clock_move_to(clock, td_clock_now(clock) + 1000000 * TD_US_PER_S));
    td_clock_reset(clock);
    td_clock_state state = td_clock_get_state(clock);
    ck_assert_int_eq(state.mode, TD_CLOCK_REAL);
    ck_assert(state.rate == 1.0);
    ck_assert_int_lt(state.now_us / TD_US_PER_S, (int64_t)time(NULL) + 1000);
    td_clock_free(clock);
}
END_TEST

START_TEST(clock_says_how_long_until_an_instant)
{
    td_clock *clock = td_clock_new();
    td_time_us now_us = td_clock_now(clock);
    ck_assert_int_eq(td_clock_real_us_until(clock, now_us - 1), 0);
    ck_assert_int_eq(td_clock_real_us_until(clock, TD_NEVER), INT64_MAX);
    int64_t wait_us = td_clock_real_us_until(clock, now_us + 1000 * TD_US_PER_S);
    ck_assert(wait_us > 900 * TD_US_PER_S && wait_us <= 1000 * TD_US_PER_S + 1);
    ck_assert(td_clock_set_real(clock, 10));
    wait_us = td_clock_real_us_until(clock, td_clock_now(clock) + 10000 * TD_US_PER_S);
    ck_assert(wait_us > 900 * TD_US_PER_S && wait_us <= 1000 * TD_US_PER_S + 1);
    td_clock_set_manual(clock);
    ck_assert_int_eq(td_clock_real_us_until(clock, td_clock_now(clock) + 1), INT64_MAX);
    ck_assert_int_eq(td_clock_real_us_until(clock, td_clock_now(clock)), 0);
    td_clock_free(clock);
}
END_TEST

typedef struct reader {
    const td_clock *clock;
    atomic_bool *is_over;
    bool went_back;
} reader;

static void *read_until_over(void *argument)
{
    reader *self = argument;
    td_time_us previous_us = 0;
    while (!atomic_load(self->is_over)) {
        td_time_us now_us = td_clock_now(self->clock);
        self->went_back = self->went_back || now_us < previous_us;
        previous_us = now_us;
    }
    return NULL;
}

START_TEST(clock_never_goes_back_for_readers_while_it_is_set)
{
    enum { READERS = 3, CHANGES = 3000 };
    static const double rates[] = {100000, 0.01, 1, 1000};
    td_clock *clock = td_clock_new();
    atomic_bool is_over = false;
    reader readers[READERS];
    pthread_t threads[READERS];
    for (int i = 0; i < READERS; i++) {
        readers[i] = (reader){.clock = clock, .is_over = &is_over};
        ck_assert_int_eq(pthread_create(&threads[i], NULL, read_until_over, &readers[i]), 0);
    }
    td_time_us previous_us = 0;
    bool went_back = false;
    for (int i = 0; i < CHANGES; i++) {
        if (i % 5 == 4)
            td_clock_set_manual(clock);
        else
            went_back = !td_clock_set_real(clock, rates[i % 5]) || went_back;
        td_time_us now_us = td_clock_now(clock);
        went_back = went_back || now_us < previous_us;
        previous_us = now_us;
    }
    atomic_store(&is_over, true);
    for (int i = 0; i < READERS; i++) {
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
        ck_assert(!readers[i].went_back);
    }
    ck_assert(!went_back);
    td_clock_free(clock);
}
END_TEST

Suite *clock_suite(void)
{
    Suite *suite = suite_create("clock");
    TCase *tests = tcase_create("clock");
    tcase_add_test(tests, clock_starts_at_wall_time);
    tcase_add_test(tests, clock_stands_still_in_manual_mode);
    tcase_add_test(tests, clock_moves_by_hand_in_manual_mode_only);
    tcase_add_test(tests, clock_goes_on_from_where_it_stood);
    tcase_add_test(tests, clock_runs_at_its_rate);
    tcase_add_test(tests, clock_refuses_rates_out_of_range);
    tcase_add_test(tests, clock_keeps_its_rate_in_manual_mode_and_loses_it_at_reset);
    tcase_add_test(tests, clock_says_how_long_until_an_instant);
    tcase_add_test(tests, clock_never_goes_back_for_readers_while_it_is_set);
    suite_add_tcase(suite, tests);
    return suite;
}
