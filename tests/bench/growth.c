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
#include <unistd.h>

#include "thermodyn/memory.h"
#include "thermodyn/read.h"
#include "thermodyn/rng.h"
#include "thermodyn/write.h"

#include "engine.h"

#define ITEMS_FIRST 10000
#define ITEMS_PER_KEY 10
#define ROUNDS 7
#define NOTE_BYTES 190

typedef struct bench {
    bench_engine engine;
    td_rng rng;
    uint64_t idle_bytes;
    uint64_t read; /* of all items: so that reading them is not left out */
} bench;

typedef enum operation { GET, QUERY, PUT, DELETE } operation;

static uint64_t resident_bytes(void)
{
    unsigned long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    bench_must(file != NULL && fscanf(file, "%*s %llu", &pages) == 1, "no /proc/self/statm");
    (void)fclose(file);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static td_value text_of(const char *text, int len)
{
    bench_must(len > 0, "no text");
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
    bool is_read = td_read_page(call, &request, &page, &it->engine.error) == TD_OK;
    bench_must(is_read && page.count == ITEMS_PER_KEY, "a query failed");
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
    td_call call = bench_call(&it->engine);
    if (what == GET) {
        td_get get = {.key = attributes + 2, .key_count = 2};
        td_get_result result;
        bool is_got = td_get_item(&call, &get, &result, &it->engine.error) == TD_OK;
        bench_must(is_got && result.item != NULL, "a get failed");
        read_item(it, result.item);
    } else if (what == QUERY) {
        query(it, &call, pk_value.bytes);
    } else {
        bool is_put = what == PUT;
        td_write write = {.kind = is_put ? TD_WRITE_PUT : TD_WRITE_DELETE,
                          .attributes = is_put ? attributes : attributes + 2,
                          .attribute_count = is_put ? TD_COUNT_OF(attributes) : 2};
        td_write_result result;
        bench_must(td_write_item(&call, &write, &result, &it->engine.error) == TD_OK, "a write failed");
        bench_must(is_put || result.old_item != NULL, "nothing was there to delete");
    }
    td_arena_reset(&it->engine.arena);
}

/* Nanoseconds of CPU an operation, of random ones; a deleted item is put back outside the time that is taken. */
static double measure(bench *it, operation what, uint64_t items, uint64_t operations)
{
    double least_ns = 0;
    uint64_t *numbers = malloc(operations * sizeof *numbers);
    bench_must(numbers != NULL, "no memory");
    for (int round = 0; round < ROUNDS; round++) {
        /* Each item once: a step that has no factor in common with a power of ten. */
        uint64_t first = td_rng_below(&it->rng, items);
        for (uint64_t i = 0; i < operations; i++)
            numbers[i] = (first + i * UINT64_C(7368787)) % items;
        double from_ns = bench_ns(CLOCK_THREAD_CPUTIME_ID);
        for (uint64_t i = 0; i < operations; i++)
            run(it, what, numbers[i]);
        double taken_ns = bench_ns(CLOCK_THREAD_CPUTIME_ID) - from_ns;
        for (uint64_t i = 0; what == DELETE && i < operations; i++)
            run(it, PUT, numbers[i]);
        if (round == 0 || taken_ns < least_ns) least_ns = taken_ns;
    }
    free(numbers);
    return least_ns / (double)operations;
}

int main(int argc, char **argv)
{
    bench_must(argc == 3, "usage: bench_growth ITEMS_MAX OPERATIONS");
    uint64_t items_max = strtoull(argv[1], NULL, 10);
    uint64_t operations = strtoull(argv[2], NULL, 10);
    bench_must(operations <= ITEMS_FIRST, "more operations than items");
    bench it = {.read = 0};
    bench_open_sorted(&it.engine);
    td_rng_init(&it.rng, 1);
    it.idle_bytes = resident_bytes();
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
    bench_close(&it.engine);
    return 0;
}
