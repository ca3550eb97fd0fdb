/* SPDX-License-Identifier: Apache-2.0
 * heat.c: GetItem or PutItem of the engine alone, with heat recorded or not.
 *
 *   bench_heat get|put even|hot on|off OPERATIONS     runs so many: for a count of instructions
 *   bench_heat get|put even|hot compare OPERATIONS    rounds of so many, on and off in turn; prints both medians in ns
 *
 * Keys are spread evenly over the items (nearly each access takes another's counter), or all one. */
#include <stdio.h>
#include <stdlib.h>

#include "thermodyn/read.h"
#include "thermodyn/rng.h"
#include "thermodyn/write.h"

#include "engine.h"

#define ITEMS 20000
#define ROUNDS 31

typedef struct bench {
    bench_engine engine;
    td_rng rng;
    bool is_put;
    bool is_even;
} bench;

static void record(bench *it, bool is_on)
{
    td_capacity_patch patch = {.has_value = {[TD_CAPACITY_record_heat] = true}};
    patch.settings.values[TD_CAPACITY_record_heat] = is_on;
    bool is_set = td_store_patch_capacity(it->engine.store, it->engine.now_us, TD_LIT(""), TD_LIT(""), &patch);
    bench_must(is_set, "no settings");
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
    td_call call = bench_call(&it->engine);
    if (is_put) {
        td_write write = {.kind = TD_WRITE_PUT, .attributes = attributes, .attribute_count = 3};
        td_write_result result;
        bench_must(td_write_item(&call, &write, &result, &it->engine.error) == TD_OK, "a put failed");
    } else {
        td_get get = {.key = attributes + 1, .key_count = 2};
        td_get_result result;
        bool is_got = td_get_item(&call, &get, &result, &it->engine.error) == TD_OK;
        bench_must(is_got && result.item != NULL, "a get failed");
    }
    td_arena_reset(&it->engine.arena);
}

static void run_many(bench *it, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        run(it, it->is_put, it->is_even ? (uint32_t)td_rng_below(&it->rng, ITEMS) : 0);
}

static void compare(bench *it, uint64_t count)
{
    double ns[2][ROUNDS];
    for (int i = 0; i < 2 * ROUNDS; i++) {
        record(it, i % 2 == 1);
        double from_ns = bench_ns(CLOCK_THREAD_CPUTIME_ID);
        run_many(it, count);
        ns[i % 2][i / 2] = (bench_ns(CLOCK_THREAD_CPUTIME_ID) - from_ns) / (double)count;
    }
    printf("off %.1f on %.1f\n", bench_median(ns[0], ROUNDS), bench_median(ns[1], ROUNDS));
}

int main(int argc, char **argv)
{
    bench_must(argc == 5, "usage: bench_heat get|put even|hot on|off|compare OPERATIONS");
    bench it = {.is_put = strcmp(argv[1], "put") == 0, .is_even = strcmp(argv[2], "even") == 0};
    uint64_t count = strtoull(argv[4], NULL, 10);
    bench_open_sorted(&it.engine);
    td_rng_init(&it.rng, 1);
    record(&it, strcmp(argv[3], "on") == 0);
    for (uint32_t i = 0; i < ITEMS; i++)
        run(&it, true, i);
    if (strcmp(argv[3], "compare") == 0)
        compare(&it, count);
    else
        run_many(&it, count);
    bench_close(&it.engine);
    return 0;
}
