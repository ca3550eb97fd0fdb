/* SPDX-License-Identifier: Apache-2.0
 * engine.c: a store without a network, and figures. */
#include "engine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define START_US INT64_C(1790000000000000)
#define US_A_REQUEST 10

static int compare(const void *a, const void *b);

void bench_must(bool holds, const char *what)
{
    if (holds) return;
    (void)fprintf(stderr, "%s: %s\n", program_invocation_short_name, what);
    exit(1);
}

void bench_open(bench_engine *engine, const td_table_spec *spec)
{
    td_store_options options = {.seed = 1};
    td_capacity_settings_init(&options.capacity);
    /* No limit is reached: a refusal would be another operation. */
    static const td_capacity_setting limits[] = {TD_CAPACITY_partition_read_cap, TD_CAPACITY_partition_write_cap,
                                                 TD_CAPACITY_table_read_quota, TD_CAPACITY_table_write_quota};
    for (size_t i = 0; i < TD_COUNT_OF(limits); i++)
        options.capacity.values[limits[i]] = 1e9;
    *engine = (bench_engine){.store = td_store_new(&options), .now_us = START_US};
    bench_must(engine->store != NULL, "no memory");
    td_arena_init(&engine->arena, (size_t)1 << 20);
    engine->error = (td_error){.arena = &engine->arena};
    td_table_info info;
    td_call call = bench_call(engine);
    bench_must(td_table_create(&call, spec, &info, &engine->error) == TD_OK, "no table");
    bool is_described = td_table_describe(&call, &info, &engine->error) == TD_OK;
    bench_must(is_described && info.status == TD_TABLE_ACTIVE, "no active table");
}

void bench_open_sorted(bench_engine *engine)
{
    td_attribute_definition definitions[] = {{TD_LIT("pk"), TD_TYPE_S}, {TD_LIT("sk"), TD_TYPE_S}};
    td_table_spec spec = {
        .name = TD_LIT("Bench"),
        .billing = TD_BILLING_ON_DEMAND,
        .definitions = definitions,
        .definition_count = TD_COUNT_OF(definitions),
        .key = {.hash_count = 1, .range_count = 1, .parts = {{TD_LIT("pk"), TD_TYPE_S}, {TD_LIT("sk"), TD_TYPE_S}}}};
    bench_open(engine, &spec);
}

void bench_close(bench_engine *engine)
{
    td_arena_done(&engine->arena);
    td_store_free(engine->store);
}

td_call bench_call(bench_engine *engine)
{
    engine->now_us += US_A_REQUEST;
    return (td_call){
        .store = engine->store, .arena = &engine->arena, .now_us = engine->now_us, .table = TD_LIT("Bench")};
}

double bench_ns(clockid_t clock)
{
    struct timespec at;
    (void)clock_gettime(clock, &at);
    return (double)at.tv_sec * 1e9 + (double)at.tv_nsec;
}

double bench_median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare);
    return values[count / 2];
}

static int compare(const void *a, const void *b)
{
    double left = *(const double *)a;
    double right = *(const double *)b;
    return (left > right) - (left < right);
}
