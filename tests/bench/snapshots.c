/* SPDX-License-Identifier: Apache-2.0
 * snapshots.c: what keeping a snapshot and going back to it take of the engine alone, by the size of the table and by
 * how many items have changed, and what a PutItem takes while one is held.
 *
 *   bench_snapshots ITEMS_MAX         a line at 1,000 items, and at ten times as many up to ITEMS_MAX
 *   bench_snapshots put ITEMS held    puts that many items over each other (or without `held`), for callgrind
 *
 * Items have some 250 bytes and one global index. A time is the median of some rounds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "thermodyn/snapshot.h"
#include "thermodyn/write.h"

#include "engine.h"

#define ITEMS_FIRST 1000
#define ROUNDS 51
#define NOTE_BYTES 200
#define PUT_KEYS 1000

static void open_store(bench_engine *it)
{
    td_attribute_definition definitions[] = {{TD_LIT("pk"), TD_TYPE_S}, {TD_LIT("status"), TD_TYPE_S}};
    td_index_spec index = {.name = TD_LIT("by-status"),
                           .is_global = true,
                           .key = {.hash_count = 1, .parts = {{TD_LIT("status"), TD_TYPE_S}}}};
    td_table_spec spec = {.name = TD_LIT("Bench"),
                          .billing = TD_BILLING_ON_DEMAND,
                          .definitions = definitions,
                          .definition_count = 2,
                          .key = {.hash_count = 1, .parts = {{TD_LIT("pk"), TD_TYPE_S}}},
                          .indexes = &index,
                          .index_count = 1};
    bench_open(it, &spec);
}

static void put(bench_engine *it, uint64_t number, const char *status)
{
    char pk[32];
    static const char note[NOTE_BYTES] = {'n'};
    int len = snprintf(pk, sizeof pk, "customer#%08llu", (unsigned long long)number);
    td_attribute attributes[] = {
        {TD_LIT("note"), {.type = TD_TYPE_S, .bytes = td_slice_of(note, sizeof note)}},
        {TD_LIT("pk"), {.type = TD_TYPE_S, .bytes = td_slice_of(pk, (size_t)len)}},
        {TD_LIT("status"), {.type = TD_TYPE_S, .bytes = td_slice_of_cstr(status)}},
    };
    td_write write = {.kind = TD_WRITE_PUT, .attributes = attributes, .attribute_count = TD_COUNT_OF(attributes)};
    td_call call = bench_call(it);
    td_write_result result;
    bench_must(td_write_item(&call, &write, &result, &it->error) == TD_OK, "no item");
    td_arena_reset(&it->arena);
}

static void keep(bench_engine *it)
{
    td_call call = bench_call(it);
    td_snapshot_info info;
    td_slice busy;
    bench_must(td_snapshot_keep(&call, TD_LIT("seed"), &info, &busy) == TD_SNAPSHOT_OK, "no snapshot");
    td_arena_reset(&it->arena);
}

static void go_back(bench_engine *it)
{
    td_call call = bench_call(it);
    td_snapshot_info info;
    bench_must(td_snapshot_restore(&call, TD_LIT("seed"), &info) == TD_SNAPSHOT_OK, "not gone back");
    td_arena_reset(&it->arena);
}

/* Of as many items that move in the index, spread over the table. */
static double time_going_back(bench_engine *it, uint64_t items, uint64_t changes)
{
    double times[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
        for (uint64_t i = 0; i < changes; i++)
            put(it, i * (items / changes), round % 2 == 0 ? "sent" : "paid");
        double from_ns = bench_ns(CLOCK_MONOTONIC);
        go_back(it);
        times[round] = (bench_ns(CLOCK_MONOTONIC) - from_ns) / 1e3;
    }
    return bench_median(times, ROUNDS);
}

static double time_keeping(bench_engine *it)
{
    double times[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
        double from_ns = bench_ns(CLOCK_MONOTONIC);
        keep(it);
        times[round] = (bench_ns(CLOCK_MONOTONIC) - from_ns) / 1e3;
    }
    return bench_median(times, ROUNDS);
}

static void measure(uint64_t items_max)
{
    bench_engine it;
    open_store(&it);
    printf("%10s %10s   restore after 0, 10, 1000 changes, microseconds\n", "items", "keep");
    uint64_t filled = 0;
    for (uint64_t items = ITEMS_FIRST; items <= items_max; items *= 10) {
        for (; filled < items; filled++)
            put(&it, filled, "new");
        double keep_us = time_keeping(&it);
        printf("%10llu %10.1f %10.1f %10.1f %10.1f\n", (unsigned long long)items, keep_us,
               time_going_back(&it, items, 0), time_going_back(&it, items, 10), time_going_back(&it, items, 1000));
        (void)fflush(stdout);
        (void)td_snapshot_remove(it.store, TD_LIT(""));
    }
    bench_close(&it);
}

/* Over the same keys again and again; held: each is noted once. */
static void put_many(uint64_t count, bool is_held)
{
    bench_engine it;
    open_store(&it);
    for (uint64_t i = 0; i < PUT_KEYS; i++)
        put(&it, i, "new");
    if (is_held) keep(&it);
    for (uint64_t i = 0; i < count; i++)
        put(&it, i % PUT_KEYS, "sent");
    bench_close(&it);
}

int main(int argc, char **argv)
{
    if (argc >= 3 && strcmp(argv[1], "put") == 0) {
        put_many(strtoull(argv[2], NULL, 10), argc == 4);
        return 0;
    }
    measure(argc == 2 ? strtoull(argv[1], NULL, 10) : 100000);
    return 0;
}
