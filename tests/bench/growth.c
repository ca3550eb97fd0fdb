/* SPDX-License-Identifier: Apache-2.0
 * growth.c: what GetItem, a Query of ten items, PutItem and DeleteItem of the engine alone take as a table grows, and
 * how much memory it has.
 *
 *   bench_growth ITEMS_MAX OPERATIONS      a line at 10,000 items, and at ten times as many up to ITEMS_MAX
 *
 * Items are those of tests/bench/run: 302 bytes by DynamoDB's rule, ten to a partition key. Keys are drawn evenly, and
 * each item that is got is read to its end, as an answer would. A time is the least of some rounds: what the program
 * takes without what else the machine does. In the end all items are deleted, and the memory that is left is told. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "thermodyn/memory.h"
#include "thermodyn/read.h"
#include "thermodyn/rng.h"
#include "thermodyn/store.h"
#include "thermodyn/table.h"
#include "thermodyn/write.h"

#define ITEMS_FIRST 10000
#define ITEMS_PER_KEY 10
#define ROUNDS 7
#define START_US INT64_C(1790000000000000)
#define US_A_REQUEST 10
#define NOTE_BYTES 190

typedef struct bench {
    td_store *store;
    td_arena arena;
    td_error error;
    td_rng rng;
    td_time_us now_us;
    uint64_t idle_bytes;
    uint64_t read; /* of all items: so that reading them is not left out */
} bench;

typedef enum operation { GET, QUERY, PUT, DELETE } operation;

static td_call call_of(bench *it)
{
    it->now_us += US_A_REQUEST;
    return (td_call){.store = it->store, .arena = &it->arena, .now_us = it->now_us, .table = TD_LIT("Bench")};
}

static void must(bool holds, const char *what)
{
    if (holds) return;
    fprintf(stderr, "bench_growth: %s\n", what);
    exit(1);
}

static uint64_t resident_bytes(void)
{
    unsigned long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    must(file != NULL && fscanf(file, "%*s %llu", &pages) == 1, "no /proc/self/statm");
    (void)fclose(file);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void open_store(bench *it)
{
    td_store_options options = {.seed = 1};
    td_capacity_settings_init(&options.capacity);
    /* No limit is reached: a refusal would be another operation. */
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
    it->idle_bytes = resident_bytes();
}

static td_value text_of(const char *text, int len)
{
    must(len > 0, "no text");
    return (td_value){.type = TD_TYPE_S, .bytes = td_slice_of(text, (size_t)len)};
}

static void read_item(bench *it, const td_item *item)
{
    td_slice bytes = td_item_bytes(item);
    for (size_t i = 0; i + sizeof(uint64_t) <= bytes.len; i += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, bytes.ptr + i, sizeof word);
        it->read += word;
    }
}

static void query(bench *it, const td_call *call, td_slice pk)
{
    td_key_range range = {.hash_parts = {pk}};
    td_page_request request = {.range = &range};
    td_page page;
    must(td_read_page(call, &request, &page, &it->error) == TD_OK && page.count == ITEMS_PER_KEY, "a query failed");
    for (uint32_t i = 0; i < page.count; i++)
        read_item(it, page.items[i]);
}

static void run(bench *it, operation what, uint64_t number)
{
    char pk[32];
    char sk[16];
    static const char note[NOTE_BYTES] = {'n'};
    static const td_slice colours[] = {{(const uint8_t *)"blue", 4}, {(const uint8_t *)"green", 5},
                                       {(const uint8_t *)"red", 3}};
    td_value pk_value = text_of(pk, snprintf(pk, sizeof pk, "customer#%06llu",
                                             (unsigned long long)(number / ITEMS_PER_KEY)));
    td_value sk_value = text_of(sk, snprintf(sk, sizeof sk, "order#%04u", (unsigned)(number % ITEMS_PER_KEY)));
    td_attribute place[] = {{TD_LIT("city"), text_of("Springfield", 11)}, {TD_LIT("zip"), text_of("12345", 5)}};
    td_attribute attributes[] = {
        {TD_LIT("address"), {.type = TD_TYPE_M, .count = 2, .attributes = place}},
        {TD_LIT("note"), text_of(note, NOTE_BYTES)},
        {TD_LIT("pk"), pk_value},
        {TD_LIT("sk"), sk_value},
        {TD_LIT("status"), text_of("shipped", 7)},
        {TD_LIT("tags"), {.type = TD_TYPE_SS, .count = 3, .members = (td_slice *)(uintptr_t)colours}},
        {TD_LIT("total"), text_of("123", 3)},
        {TD_LIT("visits"), text_of("0", 1)},
    };
    td_call call = call_of(it);
    if (what == GET) {
        td_get get = {.key = attributes + 2, .key_count = 2};
        td_get_result result;
        must(td_get_item(&call, &get, &result, &it->error) == TD_OK && result.item != NULL, "a get failed");
        read_item(it, result.item);
    } else if (what == QUERY) {
        query(it, &call, pk_value.bytes);
    } else {
        bool is_put = what == PUT;
        td_write write = {.kind = is_put ? TD_WRITE_PUT : TD_WRITE_DELETE,
                          .attributes = is_put ? attributes : attributes + 2,
                          .attribute_count = is_put ? TD_COUNT_OF(attributes) : 2};
        td_write_result result;
        must(td_write_item(&call, &write, &result, &it->error) == TD_OK, "a write failed");
        must(is_put || result.old_item != NULL, "nothing was there to delete");
    }
    td_arena_reset(&it->arena);
}

/* Nanoseconds of CPU an operation, of random ones; a deleted item is put back outside the time that is taken. */
static double measure(bench *it, operation what, uint64_t items, uint64_t operations)
{
    double least = 0;
    uint64_t *numbers = malloc(operations * sizeof *numbers);
    must(numbers != NULL, "no memory");
    for (int round = 0; round < ROUNDS; round++) {
        /* Each item once: a step that has no factor in common with a power of ten. */
        uint64_t first = td_rng_below(&it->rng, items);
        for (uint64_t i = 0; i < operations; i++)
            numbers[i] = (first + i * UINT64_C(7368787)) % items;
        struct timespec from;
        struct timespec to;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
        for (uint64_t i = 0; i < operations; i++)
            run(it, what, numbers[i]);
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
        for (uint64_t i = 0; what == DELETE && i < operations; i++)
            run(it, PUT, numbers[i]);
        double taken = (double)(to.tv_sec - from.tv_sec) * 1e9 + (double)(to.tv_nsec - from.tv_nsec);
        if (round == 0 || taken < least) least = taken;
    }
    free(numbers);
    return least / (double)operations;
}

int main(int argc, char **argv)
{
    must(argc == 3, "usage: bench_growth ITEMS_MAX OPERATIONS");
    uint64_t items_max = strtoull(argv[1], NULL, 10);
    uint64_t operations = strtoull(argv[2], NULL, 10);
    must(operations <= ITEMS_FIRST, "more operations than items");
    bench it = {.read = 0};
    open_store(&it);
    printf("%10s%10s%10s%10s%10s%16s\n", "items", "get ns", "query ns", "put ns", "delete ns", "bytes an item");
    uint64_t loaded = 0;
    for (uint64_t items = ITEMS_FIRST; items <= items_max; items *= 10) {
        for (; loaded < items; loaded++)
            run(&it, PUT, loaded);
        double bytes = (double)(resident_bytes() - it.idle_bytes) / (double)items;
        double get_ns = measure(&it, GET, items, operations);
        double query_ns = measure(&it, QUERY, items, operations);
        double put_ns = measure(&it, PUT, items, operations);
        double delete_ns = measure(&it, DELETE, items, operations);
        printf("%10llu%10.0f%10.0f%10.0f%10.0f%16.1f\n", (unsigned long long)items, get_ns, query_ns, put_ns, delete_ns,
               bytes);
        (void)fflush(stdout);
    }
    for (uint64_t i = 0; i < loaded; i++)
        run(&it, DELETE, i * UINT64_C(7368787) % loaded);
    td_memory_give_back();
    printf("all deleted: %.1f MB more than before the first (checksum %llx)\n",
           ((double)resident_bytes() - (double)it.idle_bytes) / 1e6, (unsigned long long)it.read);
    td_arena_done(&it.arena);
    td_store_free(it.store);
    return 0;
}
