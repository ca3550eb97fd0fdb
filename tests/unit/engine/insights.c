/* SPDX-License-Identifier: Apache-2.0
 * insights.c: tests of Contributor Insights: states, rules, what counts, and without memory. */
#include "thermodyn/insights.h"

#include "suites.h"
#include "support/failing_memory.h"
#include "world.h"

#define MINUTE_US (60 * TD_US_PER_S)
#define FIRST_MINUTE_US (WORLD_START_US / MINUTE_US * MINUTE_US)
#define MEMORY_FAILURES_MAX 200

static td_insights_info switch_to(td_world *world, const char *index, bool is_enabled, td_insights_mode mode)
{
    td_insights_info info;
    ck_assert_int_eq(
        td_insights_update(&world->call, td_slice_of_cstr(index), is_enabled, mode, &info, &world->fixture.error),
        TD_OK);
    return info;
}

static td_insights_info enable(td_world *world, const char *index)
{
    return switch_to(world, index, true, TD_INSIGHTS_ACCESSED_AND_THROTTLED);
}

static td_insights_info info_of(td_world *world, const char *index)
{
    td_insights_info info;
    ck_assert_int_eq(td_insights_describe(&world->call, td_slice_of_cstr(index), &info, &world->fixture.error), TD_OK);
    return info;
}

static td_insights_result try_report(td_world *world, const char *index, td_insight_rule rule, uint32_t minutes,
                                     td_insights_report *ret_report)
{
    td_insights_request request = {.index = td_slice_of_cstr(index),
                                   .created_us = info_of(world, index).created_us,
                                   .rule = rule,
                                   .from_us = FIRST_MINUTE_US,
                                   .period_us = MINUTE_US,
                                   .period_count = minutes,
                                   .limit = 10};
    return td_insights_report_rule(&world->call, &request, ret_report);
}

/* "a 3, b 1": the contributors' keys and amounts. */
static const char *show(td_world *world, const char *index, td_insight_rule rule)
{
    td_insights_report report;
    ck_assert_int_eq(try_report(world, index, rule, 5, &report), TD_INSIGHTS_OK);
    td_slice text = TD_LIT("");
    for (uint32_t i = 0; i < report.contributor_count; i++) {
        const td_contributor *contributor = &report.contributors[i];
        for (uint32_t j = 0; j < report.label_count; j++) {
            ck_assert(td_arena_format(world->call.arena, &text, "%.*s%s%.*s", (int)text.len, (const char *)text.ptr,
                                      i + j == 0 ? "" : (j > 0 ? "/" : ", "), (int)contributor->keys[j].len,
                                      (const char *)contributor->keys[j].ptr));
        }
        ck_assert(td_arena_format(world->call.arena, &text, "%.*s %g", (int)text.len, (const char *)text.ptr,
                                  (double)contributor->amount / (double)TD_UNITS_ONE));
    }
    return (const char *)text.ptr;
}

START_TEST(a_change_is_complete_after_the_services_time)
{
    td_world world;
    td_store_options options = world_options();
    options.has_table_delays = true;
    world_init_with(&world, options);
    make_table(&world, "T", KEY("pk", S));
    world_move(&world, 10);
    ck_assert_int_eq(info_of(&world, "").status, TD_INSIGHTS_DISABLED);
    ck_assert(!info_of(&world, "").was_ever);
    ck_assert_int_eq(enable(&world, "").status, TD_INSIGHTS_ENABLING);
    ck_assert_int_eq(info_of(&world, "").status, TD_INSIGHTS_ENABLING);
    world_move(&world, 3);
    ck_assert_int_eq(info_of(&world, "").status, TD_INSIGHTS_ENABLED);
    ck_assert_int_eq(info_of(&world, "").changed_us, world.call.now_us);
    ck_assert_int_eq(switch_to(&world, "", false, TD_INSIGHTS_THROTTLED).status, TD_INSIGHTS_DISABLING);
    ck_assert_int_eq(info_of(&world, "").status, TD_INSIGHTS_DISABLING);
    world_move(&world, 3);
    ck_assert_int_eq(info_of(&world, "").status, TD_INSIGHTS_DISABLED);
    ck_assert_uint_eq(info_of(&world, "").rules, 0);
    world_done(&world);
}
END_TEST

START_TEST(rules_follow_the_key_and_the_mode)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", S, "sk", N), INDEXES(GLOBAL("gix", KEY("gh", S))));
    ck_assert_uint_eq(enable(&world, "").rules, 0xF);
    td_insights_info throttled = switch_to(&world, "", true, TD_INSIGHTS_THROTTLED);
    ck_assert_uint_eq(throttled.rules, 1 << TD_INSIGHT_PKT | 1 << TD_INSIGHT_SKT);
    td_insights_info index = enable(&world, "gix");
    ck_assert_uint_eq(index.rules, 1 << TD_INSIGHT_PKC | 1 << TD_INSIGHT_PKT);
    ck_assert_int_ne(index.created_us, info_of(&world, "").created_us); /* their names differ in nothing else */
    td_insights_info *infos;
    uint32_t count;
    ck_assert(td_insights_list(&world.call, &infos, &count));
    ck_assert_uint_eq(count, 2);
    ck_assert_uint_eq(infos[0].index.len, 0);
    ck_assert(td_slice_equal(infos[1].index, TD_LIT("gix")));
    world_done(&world);
}
END_TEST

START_TEST(a_mode_keeps_the_counts_of_the_rules_that_stay)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", S));
    td_time_us created_us = enable(&world, "").created_us;
    put(&world, S("pk", "a"));
    ck_assert_int_eq(enable(&world, "").created_us, created_us);
    ck_assert_str_eq(show(&world, "", TD_INSIGHT_PKC), "a 3");
    (void)switch_to(&world, "", true, TD_INSIGHTS_THROTTLED);
    td_insights_report report;
    ck_assert_int_eq(try_report(&world, "", TD_INSIGHT_PKC, 1, &report), TD_INSIGHTS_NO_RULE);
    ck_assert_int_eq(try_report(&world, "", TD_INSIGHT_PKT, 1, &report), TD_INSIGHTS_OK);
    world_done(&world);
}
END_TEST

START_TEST(writes_count_three_times_and_queries_once)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", S, "sk", N), INDEXES(GLOBAL("gix", KEY("gh", S))));
    enable(&world, "");
    enable(&world, "gix");
    put(&world, S("pk", "a"), N("sk", "1"), S("gh", "g"));
    put(&world, S("pk", "b"), N("sk", "-2.5"));
    (void)get(&world, S("pk", "b"), N("sk", "-2.5"));
    td_key_range range = range_of(&world, S("pk", "b"));
    (void)read_page(&world, (td_page_request){.range = &range});
    ck_assert_str_eq(show(&world, "", TD_INSIGHT_PKC), "b 4.5, a 3");
    ck_assert_str_eq(show(&world, "", TD_INSIGHT_SKC), "b/-2.5 4, a/1 3"); /* a Query names no sort key */
    ck_assert_str_eq(show(&world, "gix", TD_INSIGHT_PKC), "g 3");
    (void)read_page(&world, (td_page_request){.range = NULL});
    ck_assert_str_eq(show(&world, "", TD_INSIGHT_PKC), "b 4.5, a 3"); /* a Scan has no key */
    world.call.is_statement = true;
    put(&world, S("pk", "a"), N("sk", "1"));
    ck_assert_str_eq(show(&world, "", TD_INSIGHT_PKC), "b 4.5, a 3");
    world_done(&world);
}
END_TEST

START_TEST(a_report_tells_minutes_apart)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", B));
    enable(&world, "");
    put(&world, B("pk", "\xff"));
    put(&world, B("pk", "\x01"));
    world_move(&world, 120);
    put(&world, B("pk", "\xff"));
    td_insights_report report;
    ck_assert_int_eq(try_report(&world, "", TD_INSIGHT_PKC, 3, &report), TD_INSIGHTS_OK);
    ck_assert_uint_eq(report.contributor_count, 2);
    const td_contributor *first = &report.contributors[0];
    ck_assert(td_slice_equal(first->keys[0], TD_LIT("/w==")));
    ck_assert_int_eq(first->amount, 6000);
    ck_assert_int_eq(first->points[0], 3000);
    ck_assert_int_eq(first->points[1], 0);
    ck_assert_int_eq(first->points[2], 3000);
    ck_assert_uint_eq(report.points[0].samples.count, 2);
    ck_assert_int_eq(report.points[0].max, 3000);
    ck_assert_double_eq(report.points[0].unique, 2);
    ck_assert_double_eq(report.unique, 2);
    world_move(&world, 3 * 3600 + 60);
    ck_assert_int_eq(try_report(&world, "", TD_INSIGHT_PKC, 3, &report), TD_INSIGHTS_OK);
    ck_assert_int_eq(report.total, 0); /* three hours are kept */
    world_done(&world);
}
END_TEST

START_TEST(many_contributors_are_estimated)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", S));
    enable(&world, "");
    char key[16];
    for (int i = 0; i < 5000; i++) {
        snprintf(key, sizeof key, "k%d", i);
        put(&world, S("pk", key));
        world_move(&world, 0.005);
        world_forget(&world);
    }
    td_insights_report report;
    ck_assert_int_eq(try_report(&world, "", TD_INSIGHT_PKC, 1, &report), TD_INSIGHTS_OK);
    ck_assert_int_eq(report.total, 15000000);
    ck_assert_double_eq_tol(report.unique, 5000, 1000); /* three times 6.5 % */
    world_done(&world);
}
END_TEST

START_TEST(without_memory_nothing_changes)
{
    for (uint64_t nth = 1;; nth++) {
        ck_assert_uint_lt(nth, MEMORY_FAILURES_MAX);
        td_world world;
        world_init(&world);
        make_table(&world, "T", KEY("pk", S, "sk", S));
        td_insights_info info;
        failing_memory_fail_at(nth);
        td_status status = td_insights_update(&world.call, td_slice_of(NULL, 0), true,
                                              TD_INSIGHTS_ACCESSED_AND_THROTTLED, &info, &world.fixture.error);
        bool has_failed = failing_memory_has_failed();
        failing_memory_fail_at(0);
        ck_assert(has_failed == (status != TD_OK));
        if (has_failed) ck_assert_int_eq(info_of(&world, "").status, TD_INSIGHTS_DISABLED);
        world_done(&world);
        if (!has_failed) break;
    }
}
END_TEST

TCase *insights_tests(void)
{
    TCase *tests = tcase_create("insights");
    tcase_add_test(tests, a_change_is_complete_after_the_services_time);
    tcase_add_test(tests, rules_follow_the_key_and_the_mode);
    tcase_add_test(tests, a_mode_keeps_the_counts_of_the_rules_that_stay);
    tcase_add_test(tests, writes_count_three_times_and_queries_once);
    tcase_add_test(tests, a_report_tells_minutes_apart);
    tcase_add_test(tests, many_contributors_are_estimated);
    tcase_add_test(tests, without_memory_nothing_changes);
    return tests;
}
