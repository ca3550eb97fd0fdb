/* SPDX-License-Identifier: Apache-2.0
 * metered_live.c: workers that write, record and drop tables while others read every figure there is: for
 * ThreadSanitizer, and for sums that must come out exactly once all is quiet.
 *
 *   TD_METERED_STEPS   steps a thread (default 1000; beyond 6000 the first dropped tables are forgotten) */
#include <check.h>
#include <stdio.h>

#include "metrics/metrics.h"
#include "thermodyn/metrics.h"
#include "thermodyn/table.h"
#include "thermodyn/write.h"

#include "random.h"
#include "threads.h"

#define WORKERS 3
#define READERS 2
#define STEP_US 100000 /* minutes close on the way */
#define TABLE "T"
#define OPERATION 7

/* What a worker was told, in milli-units, and how often. */
typedef struct worker {
    td_metrics_recorder *recorder;
    td_units units;
    uint64_t writes;
    uint64_t latencies_us;
} worker;

static td_metrics *metrics;

static void write_item(party *it, const char *table)
{
    worker *own = it->own;
    td_attribute key = {.name = TD_LIT("pk"), .value = {.type = TD_TYPE_S, .bytes = TD_LIT("a key")}};
    td_call call = call_of(it, table);
    td_write write = {.kind = TD_WRITE_PUT, .attributes = &key, .attribute_count = 1};
    td_write_result result;
    expect(it, td_write_item(&call, &write, &result, &it->error) == TD_OK, "an item is written");
    int64_t latency_us = (int64_t)td_rng_below(&it->rng, 1000);
    td_metrics_table about = {.name = call.table};
    td_metrics_request request = {
        .operation = OPERATION, .now_us = call.now_us, .latency_us = latency_us, .tables = &about, .table_count = 1};
    td_metrics_record(own->recorder, &request);
    own->units += result.consumed.table;
    own->writes++;
    own->latencies_us += (uint64_t)latency_us;
}

/* Now and then a table of its own comes, is used, and goes. */
static void work(party *it, uint64_t number)
{
    write_item(it, TABLE);
    if (number % 20 != 0) return;
    char table[32];
    (void)snprintf(table, sizeof(table), "own-%u-%u", it->number, (unsigned)(number / 20 % 50));
    create_table(it, table, NULL, NULL);
    write_item(it, table);
    td_store_drop(it->world->store, TD_LIT(""), td_slice_of_cstr(table));
}

static void work_along(party *it)
{
    party_take_steps(it, work);
}

static td_series_window whole_run(const party *it)
{
    td_time_us now_us = it->world->now_us;
    return (td_series_window){.now_us = now_us,
                              .from_us = now_us / TD_SERIES_MINUTE_US * TD_SERIES_MINUTE_US - 86400 * TD_US_PER_S,
                              .period_us = 2 * 86400 * TD_US_PER_S,
                              .count = 1,
                              .has_spreads = true};
}

static td_units consumed(party *it, const td_metered *of)
{
    td_samples point = {0};
    td_series_window window = whole_run(it);
    bool is_known = td_store_read_metric(it->world->store, of, TD_METRIC_CONSUMED_WRITE, &window, &point);
    expect(it, is_known || point.statistic.count == 0, "what is not known has nothing");
    td_units sum = point.statistic.sum;
    td_samples_done(&point);
    return sum;
}

static void look(party *it, uint64_t number)
{
    (void)number;
    td_store *store = it->world->store;
    td_metered *metered;
    td_metrics_entry *entries;
    td_table_totals *tables;
    uint32_t count = 0;
    uint32_t left_out;
    expect(it, td_store_list_metered(store, &it->arena, &metered, &count), "what is metered is listed");
    for (uint32_t i = 0; i < count && i < 10; i++)
        (void)consumed(it, &metered[i]);
    expect(it, td_store_view_totals(store, it->world->now_us, 100, &it->arena, &tables, &count, &left_out),
           "totals are seen");
    expect(it, td_metrics_list(metrics, &it->arena, &entries, &count), "entries are listed");
    td_series_window window = whole_run(it);
    for (uint32_t i = 0; i < count && i < 10; i++) {
        td_samples point = {0};
        expect(it, td_metrics_read(metrics, &entries[i], TD_REQUEST_METRIC_LATENCY, &window, &point),
               "an entry that was listed is read");
        expect(it, td_samples_is_spread_known(&point), "and how its samples are spread");
        td_samples_done(&point);
    }
    td_metrics_totals *totals = td_arena_alloc(&it->arena, sizeof(*totals));
    expect(it, totals != NULL, "there is memory");
    td_metrics_sum(metrics, totals);
}

static void look_along(party *it)
{
    party_take_steps(it, look);
}

static td_statistic latencies(party *it)
{
    td_samples all = {0};
    td_metrics_entry *entries = NULL;
    uint32_t count = 0;
    td_series_window window = whole_run(it);
    ck_assert(td_metrics_list(metrics, &it->arena, &entries, &count));
    for (uint32_t i = 0; i < count; i++)
        ck_assert(td_metrics_read(metrics, &entries[i], TD_REQUEST_METRIC_LATENCY, &window, &all));
    uint64_t spread = 0;
    for (uint32_t i = 0; all.spread != NULL && i < all.spread->count; i++)
        spread += td_spread_bucket_count(&all.spread->buckets[i]);
    if (all.statistic.min < all.statistic.max) ck_assert_uint_eq(spread, all.statistic.count);
    td_statistic statistic = all.statistic;
    td_samples_done(&all);
    return statistic;
}

START_TEST(figures_that_are_read_while_they_are_made_come_out_exactly)
{
    static worker owned[WORKERS];
    party parties[WORKERS + READERS];
    party teller;
    world shared;
    world_open(&shared, TD_ENFORCE_OFF, number_from_env("TD_METERED_STEPS", 1000), STEP_US);
    metrics = td_metrics_new(WORKERS);
    ck_assert_ptr_nonnull(metrics);
    party_init(&teller, &shared, WORKERS + READERS, NULL);
    create_table(&teller, TABLE, NULL, NULL);
    for (uint32_t i = 0; i < WORKERS + READERS; i++) {
        if (i < WORKERS) owned[i].recorder = td_metrics_get_recorder(metrics, i);
        party_init(&parties[i], &shared, i, i < WORKERS ? &owned[i] : NULL);
        party_start(&parties[i], i < WORKERS ? work_along : look_along);
    }
    parties_join(parties, WORKERS + READERS);

    worker sum = {0};
    for (uint32_t i = 0; i < WORKERS; i++) {
        sum.units += owned[i].units;
        sum.writes += owned[i].writes;
        sum.latencies_us += owned[i].latencies_us;
    }
    td_metered *metered;
    uint32_t count;
    td_units found = 0;
    ck_assert(td_store_list_metered(shared.store, &teller.arena, &metered, &count));
    for (uint32_t i = 0; i < count; i++)
        found += consumed(&teller, &metered[i]);
    ck_assert_int_eq(found, sum.units);
    td_statistic latency = latencies(&teller);
    ck_assert_uint_eq(latency.count, sum.writes);
    ck_assert_int_eq(latency.sum, (int64_t)sum.latencies_us);
    for (uint32_t i = 0; i < WORKERS + READERS; i++)
        party_done(&parties[i]);
    party_done(&teller);
    td_metrics_free(metrics);
    world_close(&shared);
}
END_TEST

int main(void)
{
    return run_one_test("metered live", figures_that_are_read_while_they_are_made_come_out_exactly);
}
