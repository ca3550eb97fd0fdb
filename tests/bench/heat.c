/* SPDX-License-Identifier: Apache-2.0
 * heat.c: GetItem or PutItem of the engine alone, with heat recorded or not.
 *
 *   bench_heat get|put even|hot on|off OPERATIONS     runs so many: for a count of instructions
 *   bench_heat get|put even|hot compare OPERATIONS    rounds of so many, on and off in turn; prints both medians in ns
 *
 * Keys are spread evenly over the items (nearly each access takes another's counter), or all one. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "thermodyn/read.h"
#include "thermodyn/rng.h"
#include "thermodyn/store.h"
#include "thermodyn/table.h"
#include "thermodyn/write.h"

#define ITEMS 20000
#define ROUNDS 31
#define START_US INT64_C(1790000000000000)
#define US_A_REQUEST 10

typedef struct bench {
    td_store *store;
    td_arena arena;
    td_error error;
    td_rng rng;
    td_time_us now_us;
    bool is_put;
    bool is_even;
} bench;

static td_call call_of(bench *it)
{
    it->now_us += US_A_REQUEST;
    return (td_call){.store = it->store, .arena = &it->arena, .now_us = it->now_us, .table = TD_LIT("Bench")};
}

static void must(bool holds, const char *what)
{
    if (holds) return;
    fprintf(stderr, "bench_heat: %s\n", what);
    exit(1);
}

static void open_store(bench *it)
{
    td_store_options options = {.seed = 1};
    td_capacity_settings_init(&options.capacity);
    /* No limit is reached: a refusal would be recorded as well. */
    static const td_capacity_setting limits[] = {TD_CAPACITY_partition_read_cap, TD_CAPACITY_partition_write_cap,
                                                 TD_CAPACITY_table_read_quota, TD_CAPACITY_table_write_quota};
    for (size_t i = 0; i < TD_COUNT_OF(limits); i++)
        options.capacity.values[limits[i]] = 1e9;
    it->store = td_store_new(&options);
    must(it->store != NULL, "no memory");
    td_arena_init(&it->arena, (size_t)1 << 20);
    it->error = (td_error){.arena = &it->arena};
    td_rng_init(&it->rng, 1);
    it->now_us = START_US;
    td_attribute_definition definitions[] = {{TD_LIT("pk"), TD_TYPE_S}, {TD_LIT("sk"), TD_TYPE_S}};
    td_table_spec spec = {
        .name = TD_LIT("Bench"),
        .billing = TD_BILLING_ON_DEMAND,
        .definitions = definitions,
        .definition_count = 2,
        .key = {.hash_count = 1, .range_count = 1, .parts = {{TD_LIT("pk"), TD_TYPE_S}, {TD_LIT("sk"), TD_TYPE_S}}}};
    td_table_info info;
    td_call call = call_of(it);
    must(td_table_create(&call, &spec, &info, &it->error) == TD_OK, "no table");
    must(td_table_describe(&call, &info, &it->error) == TD_OK && info.status == TD_TABLE_ACTIVE, "no active table");
}

static void record(bench *it, bool is_on)
{
    td_capacity_patch patch = {.has_value = {[TD_CAPACITY_record_heat] = true}};
    patch.settings.values[TD_CAPACITY_record_heat] = is_on;
    must(td_store_patch_capacity(it->store, it->now_us, TD_LIT(""), TD_LIT(""), &patch), "no settings");
}

static void run(bench *it, bool is_put, uint32_t number)
{
    char pk[24];
    char sk[24];
    static const char note[200] = {'n'};
    int pk_len = snprintf(pk, sizeof pk, "customer#%06u", number / 10);
    int sk_len = snprintf(sk, sizeof sk, "order#%04u", number % 10);
    td_attribute attributes[] = {
        {TD_LIT("note"), {.type = TD_TYPE_B, .bytes = td_slice_of(note, sizeof note)}},
        {TD_LIT("pk"), {.type = TD_TYPE_S, .bytes = td_slice_of(pk, (size_t)pk_len)}},
        {TD_LIT("sk"), {.type = TD_TYPE_S, .bytes = td_slice_of(sk, (size_t)sk_len)}},
    };
    td_call call = call_of(it);
    if (is_put) {
        td_write write = {.kind = TD_WRITE_PUT, .attributes = attributes, .attribute_count = 3};
        td_write_result result;
        must(td_write_item(&call, &write, &result, &it->error) == TD_OK, "a put failed");
    } else {
        td_get get = {.key = attributes + 1, .key_count = 2};
        td_get_result result;
        must(td_get_item(&call, &get, &result, &it->error) == TD_OK && result.item != NULL, "a get failed");
    }
    td_arena_reset(&it->arena);
}

static void run_many(bench *it, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        run(it, it->is_put, it->is_even ? (uint32_t)td_rng_below(&it->rng, ITEMS) : 0);
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

static void compare(bench *it, uint64_t count)
{
    double ns[2][ROUNDS];
    for (int i = 0; i < 2 * ROUNDS; i++) {
        struct timespec from;
        struct timespec to;
        record(it, i % 2 == 1);
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
        run_many(it, count);
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
        double taken = (double)(to.tv_sec - from.tv_sec) * 1e9 + (double)(to.tv_nsec - from.tv_nsec);
        ns[i % 2][i / 2] = taken / (double)count;
    }
    for (int i = 0; i < 2; i++)
        qsort(ns[i], ROUNDS, sizeof(double), compare_doubles);
    printf("off %.1f on %.1f\n", ns[0][ROUNDS / 2], ns[1][ROUNDS / 2]);
}

int main(int argc, char **argv)
{
    must(argc == 5, "usage: bench_heat get|put even|hot on|off|compare OPERATIONS");
    bench it = {.is_put = strcmp(argv[1], "put") == 0, .is_even = strcmp(argv[2], "even") == 0};
    uint64_t count = strtoull(argv[4], NULL, 10);
    open_store(&it);
    record(&it, strcmp(argv[3], "on") == 0);
    for (uint32_t i = 0; i < ITEMS; i++)
        run(&it, true, i);
    if (strcmp(argv[3], "compare") == 0)
        compare(&it, count);
    else
        run_many(&it, count);
    td_arena_done(&it.arena);
    td_store_free(it.store);
    return 0;
}
