/* SPDX-License-Identifier: Apache-2.0
 * insights_live.c: Contributor Insights while traffic flows: workers write, read and are throttled, others read
 * reports, and one switches the insights of a second table off, on and from mode to mode. For ThreadSanitizer; and the
 * reports of the table that is left alone say in the end what the workers were told, to the unit.
 *
 *   TD_INSIGHTS_STEPS   steps a thread (default 1000: eight minutes of the clock; three hours are kept) */
#include <check.h>

#include "thermodyn/insights.h"
#include "thermodyn/read.h"
#include "thermodyn/table.h"
#include "thermodyn/write.h"

#include "random.h"
#include "threads.h"

#define WORKERS 3
#define READERS 2
#define SWITCHERS 1
#define PARTIES (WORKERS + READERS + SWITCHERS)
#define STEP_US 100000 /* minutes close on the way */
#define KEYS 40        /* more than a report tells of, so that contributors are displaced */
#define STEADY "T"     /* its insights stay on */
#define SWITCHED "S"
#define UNITS_PER_S 2 /* provisioned: a part of the load is throttled */
#define REPORT_MINUTES 180

/* What a worker was told of the steady table. */
typedef struct worker {
    td_units written;
    td_units read;
    uint64_t throttled;
} worker;

static td_time_us started_us;

static void create_provisioned(party *it, const char *table)
{
    td_attribute_definition definition = {TD_LIT("pk"), TD_TYPE_S};
    td_call call = call_of(it, table);
    td_table_spec spec = {.name = call.table,
                          .definitions = &definition,
                          .definition_count = 1,
                          .key = {.hash_count = 1, .parts = {{TD_LIT("pk"), TD_TYPE_S}}},
                          .billing = TD_BILLING_PROVISIONED,
                          .throughput = {.rate = {[TD_READ] = UNITS_PER_S, [TD_WRITE] = UNITS_PER_S}}};
    td_table_info info;
    ck_assert_int_eq(td_table_create(&call, &spec, &info, &it->error), TD_OK);
}

static td_insights_info switch_insights(party *it, const char *table, bool is_enabled, td_insights_mode mode)
{
    td_call call = call_of(it, table);
    td_insights_info info = {.created_us = 0};
    td_status status = td_insights_update(&call, TD_LIT(""), is_enabled, mode, &info, &it->error);
    expect(it, status == TD_OK, "insights are switched");
    return info;
}

/* Half of all accesses are of one key. */
static void access_item(party *it, const char *table, worker *own)
{
    static const char keys[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMN";
    _Static_assert(sizeof(keys) == KEYS + 1, "a letter is a key");
    bool is_write = td_rng_below(&it->rng, 2) == 0;
    uint64_t at = td_rng_below(&it->rng, 2) == 0 ? 0 : td_rng_below(&it->rng, KEYS);
    td_attribute key = {.name = TD_LIT("pk"), .value = {.type = TD_TYPE_S, .bytes = td_slice_of(&keys[at], 1)}};
    td_call call = call_of(it, table);
    td_status status;
    if (is_write) {
        td_write write = {.kind = TD_WRITE_PUT, .attributes = &key, .attribute_count = 1};
        td_write_result result;
        status = td_write_item(&call, &write, &result, &it->error);
        if (status == TD_OK) own->written += result.consumed.table;
    } else {
        td_get get = {.key = &key, .key_count = 1, .is_consistent = true};
        td_get_result result;
        status = td_get_item(&call, &get, &result, &it->error);
        if (status == TD_OK) own->read += result.consumed.table;
    }
    expect(it, status == TD_OK || it->error.throttle != NULL, "an item is accessed, or throttled");
    if (status != TD_OK) own->throttled++;
}

static void work(party *it, uint64_t number)
{
    worker unheeded = {.throttled = 0};
    (void)number;
    access_item(it, STEADY, it->own);
    td_arena_reset(&it->arena);
    it->error = (td_error){.arena = &it->arena};
    access_item(it, SWITCHED, &unheeded);
}

static void work_along(party *it)
{
    party_take_steps(it, work);
}

static td_insights_result report(party *it, const char *table, td_time_us created_us, td_insight_rule rule,
                                 td_insights_report *ret_report)
{
    td_call call = call_of(it, table);
    td_insights_request request = {.created_us = created_us,
                                   .rule = rule,
                                   .from_us = started_us / TD_SERIES_MINUTE_US * TD_SERIES_MINUTE_US,
                                   .period_us = TD_SERIES_MINUTE_US,
                                   .period_count = REPORT_MINUTES,
                                   .limit = 25};
    return td_insights_report_rule(&call, &request, ret_report);
}

/* Every rule that is listed; one may be gone before it is read. */
static void look(party *it, uint64_t number)
{
    td_call call = call_of(it, "");
    td_insights_info *infos = NULL;
    uint32_t count = 0;
    (void)number;
    expect(it, td_insights_list(&call, &infos, &count), "insights are listed");
    for (uint32_t i = 0; i < count; i++) {
        bool is_steady = td_slice_equal(infos[i].table, TD_LIT(STEADY));
        for (int rule = 0; rule < TD_INSIGHT_RULE_COUNT; rule++) {
            if ((infos[i].rules >> rule & 1) == 0) continue;
            td_insights_report told;
            td_insights_result result =
                report(it, is_steady ? STEADY : SWITCHED, infos[i].created_us, (td_insight_rule)rule, &told);
            expect(it, result == TD_INSIGHTS_OK || (result == TD_INSIGHTS_NO_RULE && !is_steady), "a rule is read");
            if (result != TD_INSIGHTS_OK) continue;
            td_units sum = 0;
            for (uint32_t k = 0; k < told.contributor_count; k++)
                sum += told.contributors[k].amount;
            expect(it, sum <= told.total, "contributors have no more than all of them together");
        }
    }
}

static void look_along(party *it)
{
    party_take_steps(it, look);
}

static void switch_about(party *it, uint64_t number)
{
    if (number % 10 != 0) return;
    bool is_enabled = td_rng_below(&it->rng, 3) > 0;
    bool is_whole = td_rng_below(&it->rng, 2) == 0;
    td_insights_mode mode = is_whole ? TD_INSIGHTS_ACCESSED_AND_THROTTLED : TD_INSIGHTS_THROTTLED;
    (void)switch_insights(it, SWITCHED, is_enabled, mode);
}

static void switch_along(party *it)
{
    party_take_steps(it, switch_about);
}

START_TEST(reports_that_are_read_while_traffic_flows_come_out_exactly)
{
    static worker owned[WORKERS];
    party parties[PARTIES];
    party teller;
    world shared;
    world_open(&shared, TD_ENFORCE_ON, number_from_env("TD_INSIGHTS_STEPS", 1000), STEP_US);
    party_init(&teller, &shared, PARTIES, NULL);
    started_us = atomic_load(&shared.now_us);
    create_provisioned(&teller, STEADY);
    create_provisioned(&teller, SWITCHED);
    td_time_us rules_of_us = switch_insights(&teller, STEADY, true, TD_INSIGHTS_ACCESSED_AND_THROTTLED).created_us;
    for (uint32_t i = 0; i < PARTIES; i++) {
        party_init(&parties[i], &shared, i, i < WORKERS ? &owned[i] : NULL);
        party_start(&parties[i], i < WORKERS ? work_along : i < WORKERS + READERS ? look_along : switch_along);
    }
    parties_join(parties, PARTIES);

    worker sum = {.throttled = 0};
    for (uint32_t i = 0; i < WORKERS; i++) {
        sum.written += owned[i].written;
        sum.read += owned[i].read;
        sum.throttled += owned[i].throttled;
    }
    td_insights_report consumed;
    td_insights_report throttled;
    ck_assert(!has_failed(&teller));
    ck_assert_int_eq(report(&teller, STEADY, rules_of_us, TD_INSIGHT_PKC, &consumed), TD_INSIGHTS_OK);
    ck_assert_int_eq(report(&teller, STEADY, rules_of_us, TD_INSIGHT_PKT, &throttled), TD_INSIGHTS_OK);
    ck_assert_int_eq(consumed.total, 3 * sum.written + sum.read);
    ck_assert_int_eq(throttled.total, (td_units)sum.throttled * TD_UNITS_ONE);
    ck_assert_uint_gt(sum.throttled, 0);
    ck_assert(td_slice_equal(consumed.contributors[0].keys[0], TD_LIT("a")));
    for (uint32_t i = 0; i < PARTIES; i++)
        party_done(&parties[i]);
    party_done(&teller);
    world_close(&shared);
}
END_TEST

int main(void)
{
    return run_one_test("insights live", reports_that_are_read_while_traffic_flows_come_out_exactly);
}
