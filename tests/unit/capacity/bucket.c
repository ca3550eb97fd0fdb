/* SPDX-License-Identifier: Apache-2.0
 * bucket.c: tests of the token bucket: exact numbers, in virtual time. */
#include "capacity/bucket.h"

#include "suites.h"

#define START_US INT64_C(1790000000000000)

static td_time_us at(double seconds)
{
    return START_US + (td_time_us)(seconds * 1e6 + 0.5);
}

static td_bucket bucket_of(double rate, double window_s, double fill)
{
    td_bucket bucket;
    td_bucket_init(&bucket, START_US, rate, window_s, fill);
    return bucket;
}

/* One request of one unit: true when it is admitted. */
static bool request(td_bucket *bucket, td_time_us now_us)
{
    td_bucket_refill(bucket, now_us);
    if (!td_bucket_is_open(bucket)) return false;
    td_bucket_take(bucket, TD_UNITS_ONE);
    return true;
}

START_TEST(a_full_bucket_holds_its_window)
{
    td_bucket bucket = bucket_of(100, 300, 1);
    td_bucket_view view = td_bucket_get_view(&bucket, START_US);
    ck_assert_double_eq(view.rate, 100);
    ck_assert_double_eq(view.balance, 30000);
    ck_assert_double_eq(view.ceiling, 30000);
    ck_assert_uint_eq(view.throttled, 0);
}
END_TEST

START_TEST(an_empty_bucket_is_closed_and_opens_with_time)
{
    td_bucket bucket = bucket_of(1, 300, 0);
    ck_assert(!td_bucket_is_open(&bucket));
    td_bucket_refill(&bucket, START_US + 1);
    ck_assert(td_bucket_is_open(&bucket));
    ck_assert_int_eq(bucket.balance_nano, 1000); /* a microsecond at one unit a second */
}
END_TEST

START_TEST(a_partial_fill_is_that_part)
{
    td_bucket bucket = bucket_of(10, 300, 0.25);
    ck_assert_double_eq(td_bucket_get_view(&bucket, START_US).balance, 750);
}
END_TEST

START_TEST(refill_stops_at_the_ceiling)
{
    td_bucket bucket = bucket_of(7, 300, 0);
    td_bucket_refill(&bucket, at(299));
    ck_assert_double_eq(td_bucket_get_view(&bucket, at(299)).balance, 7 * 299);
    td_bucket_refill(&bucket, at(301));
    ck_assert_double_eq(td_bucket_get_view(&bucket, at(301)).balance, 7 * 300);
}
END_TEST

START_TEST(refill_is_the_same_in_one_step_and_in_many)
{
    td_bucket once = bucket_of(1.0 / 3, 300, 0);
    td_bucket often = once;
    td_bucket_refill(&once, at(10));
    for (td_time_us step = 1; step <= 10 * TD_US_PER_S; step += 37)
        td_bucket_refill(&often, START_US + step);
    td_bucket_refill(&often, at(10));
    ck_assert_int_eq(often.balance_nano, once.balance_nano);
    ck_assert_int_eq(once.balance_nano, INT64_C(3330000000)); /* rates are exact to a thousandth of a unit */
}
END_TEST

START_TEST(time_that_moves_back_changes_nothing)
{
    td_bucket bucket = bucket_of(10, 300, 0);
    td_bucket_refill(&bucket, at(5));
    td_bucket_refill(&bucket, at(1));
    ck_assert_int_eq(bucket.last_us, at(5));
    td_bucket_refill(&bucket, at(6));
    ck_assert_double_eq(td_bucket_get_view(&bucket, at(6)).balance, 60);
}
END_TEST

START_TEST(centuries_of_refill_do_not_overflow)
{
    td_bucket bucket = bucket_of(1e9, 86400, 0);
    td_bucket_refill(&bucket, INT64_MAX - 1);
    ck_assert_int_eq(bucket.balance_nano, bucket.ceiling_nano);
    ck_assert_int_eq(bucket.ceiling_nano, TD_BUCKET_NANO_MAX);
}
END_TEST

START_TEST(the_last_request_may_take_more_than_is_left)
{
    td_bucket bucket = bucket_of(5, 10, 1); /* balance 50 */
    td_bucket_take(&bucket, 100 * TD_UNITS_ONE);
    ck_assert_double_eq(td_bucket_get_view(&bucket, START_US).balance, -50);
    td_bucket_refill(&bucket, at(10));
    ck_assert(!td_bucket_is_open(&bucket)); /* exactly 0 */
    td_bucket_refill(&bucket, at(10) + 1);
    ck_assert(td_bucket_is_open(&bucket));
}
END_TEST

START_TEST(debt_has_a_floor)
{
    td_bucket bucket = bucket_of(1, 1, 1);
    for (int i = 0; i < 3; i++)
        td_bucket_take(&bucket, INT64_MAX / 2);
    ck_assert_int_eq(bucket.balance_nano, -TD_BUCKET_NANO_MAX);
    td_bucket_refill(&bucket, at(1));
    ck_assert_int_eq(bucket.balance_nano, -TD_BUCKET_NANO_MAX + TD_BUCKET_NANO_PER_UNIT);
}
END_TEST

START_TEST(a_new_rate_credits_the_old_one_until_now_and_keeps_the_balance)
{
    td_bucket bucket = bucket_of(100, 300, 0);
    td_bucket_set_rate(&bucket, at(10), 400, 300);
    td_bucket_view view = td_bucket_get_view(&bucket, at(10));
    ck_assert_double_eq(view.balance, 1000);
    ck_assert_double_eq(view.ceiling, 120000);
    ck_assert_double_eq(td_bucket_get_view(&bucket, at(11)).balance, 1400);
}
END_TEST

START_TEST(a_lower_rate_cuts_the_balance_to_its_ceiling)
{
    td_bucket bucket = bucket_of(100, 300, 1);
    td_bucket_set_rate(&bucket, at(0), 10, 300);
    ck_assert_double_eq(td_bucket_get_view(&bucket, at(0)).balance, 3000);
}
END_TEST

START_TEST(a_new_rate_keeps_a_debt)
{
    td_bucket bucket = bucket_of(1, 1, 1);
    td_bucket_take(&bucket, 101 * TD_UNITS_ONE);
    td_bucket_set_rate(&bucket, at(0), 1000, 1);
    ck_assert_double_eq(td_bucket_get_view(&bucket, at(0)).balance, -100);
    ck_assert_double_eq(td_bucket_get_view(&bucket, at(0.1)).balance, 0);
}
END_TEST

START_TEST(reset_fills_and_forgets)
{
    td_bucket bucket = bucket_of(10, 300, 1);
    td_bucket_take(&bucket, 9999 * TD_UNITS_ONE);
    bucket.throttled = 3;
    td_bucket_reset(&bucket, at(1), 1);
    td_bucket_view view = td_bucket_get_view(&bucket, at(1));
    ck_assert_double_eq(view.balance, 3000);
    ck_assert_uint_eq(view.throttled, 0);
}
END_TEST

START_TEST(a_balance_that_is_set_stays_within_the_bucket)
{
    td_bucket bucket;
    td_bucket_init(&bucket, 0, 10, 3, 0);
    td_bucket_set_balance(&bucket, 0, 12.5e9);
    ck_assert_double_eq(td_bucket_get_view(&bucket, 0).balance, 12.5);
    td_bucket_set_balance(&bucket, 0, 31e9);
    ck_assert_double_eq(td_bucket_get_view(&bucket, 0).balance, 30);
    td_bucket_set_balance(&bucket, 0, -7e9);
    ck_assert_double_eq(td_bucket_get_view(&bucket, 0).balance, -7);
    td_bucket_set_balance(&bucket, 0, -1e300);
    ck_assert_int_eq(bucket.balance_nano, -TD_BUCKET_NANO_MAX);
    td_bucket_set_balance(&bucket, TD_US_PER_S, 0); /* what comes in until then is not added */
    ck_assert_double_eq(td_bucket_get_view(&bucket, TD_US_PER_S).balance, 0);
}
END_TEST

START_TEST(an_unlimited_bucket_is_always_open)
{
    td_bucket bucket;
    td_bucket_init_unlimited(&bucket, START_US);
    td_bucket_take(&bucket, INT64_MAX / 2);
    td_bucket_refill(&bucket, at(1));
    ck_assert(td_bucket_is_open(&bucket));
    ck_assert_double_eq(td_bucket_get_view(&bucket, at(1)).rate, -1);
}
END_TEST

START_TEST(a_bucket_that_was_unlimited_becomes_limited_and_full)
{
    td_bucket bucket;
    td_bucket_init_unlimited(&bucket, START_US);
    td_bucket_set_rate(&bucket, at(1), 10, 300);
    ck_assert_double_eq(td_bucket_get_view(&bucket, at(1)).balance, 3000);
}
END_TEST

START_TEST(a_scaled_down_rate_is_never_nothing)
{
    td_bucket bucket = bucket_of(1e-6, 1, 0);
    td_bucket_refill(&bucket, at(1));
    ck_assert(td_bucket_is_open(&bucket));
}
END_TEST

START_TEST(a_view_leaves_the_bucket_alone)
{
    td_bucket bucket = bucket_of(10, 300, 0);
    ck_assert_double_eq(td_bucket_get_view(&bucket, at(2)).balance, 20);
    ck_assert_int_eq(bucket.balance_nano, 0);
    ck_assert_int_eq(bucket.last_us, START_US);
}
END_TEST

/* S1: 100 W full, 200 a second: the pool of 30,000 lasts exactly 300 s, then every second request passes. */
START_TEST(a_burst_at_twice_the_rate_lasts_300_seconds)
{
    td_bucket bucket = bucket_of(100, 300, 1);
    for (int i = 0; i < 300 * 200; i++)
        ck_assert_msg(request(&bucket, START_US + i * INT64_C(5000)), "refused at %d", i);
    int admitted = 0;
    for (int i = 300 * 200; i < 400 * 200; i++)
        admitted += request(&bucket, START_US + i * INT64_C(5000));
    ck_assert_int_eq(admitted, 100 * 100);
}
END_TEST

/* S3: the partition's cap of 1,000 and the table's pool of 100 W, 1,500 a second. */
START_TEST(a_cap_and_a_pool_together_give_the_published_curve)
{
    td_bucket pool = bucket_of(100, 300, 1);
    td_bucket cap = bucket_of(1000, 1, 1);
    int admitted[60] = {0};
    for (int i = 0; i < 60 * 1500; i++) {
        td_time_us now_us = START_US + i * TD_US_PER_S / 1500;
        td_bucket_refill(&pool, now_us);
        td_bucket_refill(&cap, now_us);
        if (!td_bucket_is_open(&pool) || !td_bucket_is_open(&cap)) continue;
        td_bucket_take(&pool, TD_UNITS_ONE);
        td_bucket_take(&cap, TD_UNITS_ONE);
        admitted[i / 1500]++;
    }
    int first_ten = 0;
    for (int second = 0; second < 10; second++)
        first_ten += admitted[second];
    ck_assert_int_eq(admitted[0], 1500);
    ck_assert_int_eq(first_ten, 11000);
    for (int second = 3; second < 32; second++)
        ck_assert_int_eq(admitted[second], 1000);
    for (int second = 34; second < 60; second++)
        ck_assert_int_eq(admitted[second], 100);
}
END_TEST

TCase *bucket_tests(void)
{
    TCase *tests = tcase_create("bucket");
    tcase_add_test(tests, a_full_bucket_holds_its_window);
    tcase_add_test(tests, an_empty_bucket_is_closed_and_opens_with_time);
    tcase_add_test(tests, a_partial_fill_is_that_part);
    tcase_add_test(tests, refill_stops_at_the_ceiling);
    tcase_add_test(tests, refill_is_the_same_in_one_step_and_in_many);
    tcase_add_test(tests, time_that_moves_back_changes_nothing);
    tcase_add_test(tests, centuries_of_refill_do_not_overflow);
    tcase_add_test(tests, the_last_request_may_take_more_than_is_left);
    tcase_add_test(tests, debt_has_a_floor);
    tcase_add_test(tests, a_new_rate_credits_the_old_one_until_now_and_keeps_the_balance);
    tcase_add_test(tests, a_lower_rate_cuts_the_balance_to_its_ceiling);
    tcase_add_test(tests, a_new_rate_keeps_a_debt);
    tcase_add_test(tests, reset_fills_and_forgets);
    tcase_add_test(tests, a_balance_that_is_set_stays_within_the_bucket);
    tcase_add_test(tests, an_unlimited_bucket_is_always_open);
    tcase_add_test(tests, a_bucket_that_was_unlimited_becomes_limited_and_full);
    tcase_add_test(tests, a_scaled_down_rate_is_never_nothing);
    tcase_add_test(tests, a_view_leaves_the_bucket_alone);
    tcase_add_test(tests, a_burst_at_twice_the_rate_lasts_300_seconds);
    tcase_add_test(tests, a_cap_and_a_pool_together_give_the_published_curve);
    return tests;
}
