/* SPDX-License-Identifier: Apache-2.0
 * splits_live.c: several threads write and read one table and its index while others split the partitions under them.
 *
 * Every writer has keys of its own in collections that all share. What it reads, item by item or page by page in either
 * direction, is exactly what it has written; in the end the table and the index hold what the writers have, once.
 *
 *   TD_SPLITS_STEPS   steps a thread (default 3000) */
#include <check.h>
#include <inttypes.h>
#include <stdio.h>

#include "thermodyn/observe.h"
#include "thermodyn/read.h"
#include "thermodyn/rng.h"
#include "thermodyn/stream.h"
#include "thermodyn/write.h"

#include "random.h"
#include "threads.h"

#define WRITERS 3
#define SPLITTERS 2
#define COLLECTIONS 3
#define OWN_KEYS 80
#define PARTITIONS_MAX 400 /* then enough has been split */
#define STEP_US 2000
#define TABLE "T"

static const char *const collections[COLLECTIONS] = {"hot", "warm", "cold"};

/* What a writer has in the table. */
typedef struct belongings {
    bool has[COLLECTIONS][OWN_KEYS];
    uint64_t count;
} belongings;

static void create(party *it);
static void write_along(party *it);
static void write_step(party *it, uint64_t number);
static void write_one(party *it);
static void read_one(party *it);
static void read_own(party *it);
static void split_along(party *it);
static void split_step(party *it, uint64_t number);
static bool find_key(party *it, const td_item *item, uint32_t *ret_key);
static void make_key(party *it, uint32_t collection, uint32_t key, char text[16], td_attribute ret_key[2]);
static uint64_t count_entries(party *it, const char *index);
static uint32_t count_partitions(party *it);
static td_attribute text_attribute(const char *name, const char *text);

START_TEST(no_item_is_lost_or_doubled_by_splits_under_load)
{
    static belongings owned[WRITERS];
    party parties[WRITERS + SPLITTERS];
    party teller;
    world shared;
    world_open(&shared, TD_ENFORCE_OBSERVE, number_from_env("TD_SPLITS_STEPS", 3000), STEP_US);
    party_init(&teller, &shared, WRITERS + SPLITTERS, NULL);
    create(&teller);
    uint32_t before = count_partitions(&teller);
    for (uint32_t i = 0; i < WRITERS + SPLITTERS; i++) {
        party_init(&parties[i], &shared, i, i < WRITERS ? &owned[i] : NULL);
        party_start(&parties[i], i < WRITERS ? write_along : split_along);
    }
    parties_join(parties, WRITERS + SPLITTERS);

    uint64_t expected = 0;
    for (uint32_t i = 0; i < WRITERS; i++)
        expected += owned[i].count;
    ck_assert_uint_eq(count_entries(&teller, ""), expected);
    ck_assert_uint_eq(count_entries(&teller, "gix"), expected);
    ck_assert_uint_gt(count_partitions(&teller), before + 20);
    ck_assert_msg(!has_failed(&teller), "%s", teller.failure);
    for (uint32_t i = 0; i < WRITERS + SPLITTERS; i++)
        party_done(&parties[i]);
    party_done(&teller);
    world_close(&shared);
}
END_TEST

int main(void)
{
    return run_one_test("splits live", no_item_is_lost_or_doubled_by_splits_under_load);
}

/* With a stream, and partitions that are full soon. */
static void create(party *it)
{
    td_attribute_definition definitions[] = {
        {TD_LIT("pk"), TD_TYPE_S}, {TD_LIT("sk"), TD_TYPE_S}, {TD_LIT("g"), TD_TYPE_S}};
    td_index_spec index = {.name = TD_LIT("gix"),
                           .is_global = true,
                           .key = {.hash_count = 1, .parts = {{TD_LIT("g"), TD_TYPE_S}}},
                           .projection = TD_PROJECT_ALL};
    td_call call = call_of(it, TABLE);
    td_table_spec spec = {
        .name = call.table,
        .definitions = definitions,
        .definition_count = TD_COUNT_OF(definitions),
        .key = {.hash_count = 1, .range_count = 1, .parts = {{TD_LIT("pk"), TD_TYPE_S}, {TD_LIT("sk"), TD_TYPE_S}}},
        .billing = TD_BILLING_ON_DEMAND,
        .indexes = &index,
        .index_count = 1,
        .stream = TD_STREAM_KEYS_ONLY};
    td_table_info info;
    expect(it, td_table_create(&call, &spec, &info, &it->error) == TD_OK, "the table is created");
    td_capacity_patch patch = {
        .has_value = {[TD_CAPACITY_partition_bytes] = true, [TD_CAPACITY_split_duration] = true}};
    patch.settings.values[TD_CAPACITY_partition_bytes] = 5000;
    patch.settings.values[TD_CAPACITY_split_duration] = 0.5;
    expect(it, td_store_patch_capacity(it->world->store, call.now_us, TD_LIT(""), call.table, &patch), "it is small");
}

/* ---- writers ---- */

static void write_along(party *it)
{
    party_take_steps(it, write_step);
}

static void write_step(party *it, uint64_t number)
{
    (void)number;
    uint64_t pick = td_rng_below(&it->rng, 100);
    if (pick < 60)
        write_one(it);
    else if (pick < 85)
        read_one(it);
    else
        read_own(it);
}

static void write_one(party *it)
{
    belongings *own = it->own;
    uint32_t collection = (uint32_t)td_rng_below(&it->rng, COLLECTIONS);
    uint32_t key = (uint32_t)td_rng_below(&it->rng, OWN_KEYS);
    bool *has = &own->has[collection][key];
    char text[16];
    td_attribute attributes[3] = {text_attribute("g", collections[td_rng_below(&it->rng, COLLECTIONS)])};
    make_key(it, collection, key, text, &attributes[1]);
    bool is_put = td_rng_below(&it->rng, 3) > 0;
    td_write write = {.kind = is_put ? TD_WRITE_PUT : TD_WRITE_DELETE,
                      .attributes = is_put ? attributes : &attributes[1],
                      .attribute_count = is_put ? 3 : 2};
    td_call call = call_of(it, TABLE);
    td_write_result result;
    expect(it, td_write_item(&call, &write, &result, &it->error) == TD_OK, "an item is written");
    expect(it, (result.old_item != NULL) == *has, "it takes the place of what was there");
    own->count = own->count + is_put - *has;
    *has = is_put;
}

static void read_one(party *it)
{
    const belongings *own = it->own;
    uint32_t collection = (uint32_t)td_rng_below(&it->rng, COLLECTIONS);
    uint32_t key = (uint32_t)td_rng_below(&it->rng, OWN_KEYS);
    char text[16];
    td_attribute attributes[2];
    make_key(it, collection, key, text, attributes);
    td_get get = {.key = attributes, .key_count = 2, .is_consistent = true};
    td_call call = call_of(it, TABLE);
    td_get_result result;
    expect(it, td_get_item(&call, &get, &result, &it->error) == TD_OK, "an item is read");
    expect(it, (result.item != NULL) == own->has[collection][key], "it is there when it was written");
}

/* All of its own of one collection, page by page. */
static void read_own(party *it)
{
    const belongings *own = it->own;
    uint32_t collection = (uint32_t)td_rng_below(&it->rng, COLLECTIONS);
    bool is_backward = td_rng_below(&it->rng, 2) == 0;
    char prefix[8];
    snprintf(prefix, sizeof prefix, "w%" PRIu32 "-", it->number);
    td_key_range range = {.hash_parts = {td_slice_of_cstr(collections[collection])},
                          .kind = TD_RANGE_BEGINS_WITH,
                          .low = td_slice_of_cstr(prefix)};
    td_page_request request = {
        .range = &range, .is_backward = is_backward, .limit = 1 + (uint32_t)td_rng_below(&it->rng, 30)};
    td_attribute start[2];
    char text[16];
    uint32_t next = 0; /* key, counted in the direction of the query */
    for (bool has_more = true; has_more && !has_failed(it);) {
        td_call call = call_of(it, TABLE);
        td_page page;
        expect(it, td_read_page(&call, &request, &page, &it->error) == TD_OK, "a page is read");
        if (has_failed(it)) return;
        for (uint32_t i = 0; i < page.count; i++) {
            uint32_t key = 0;
            expect(it, find_key(it, page.items[i], &key), "it is one of its own");
            uint32_t at = is_backward ? OWN_KEYS - 1 - key : key;
            expect(it, at >= next, "each comes once and in order");
            for (; next < at; next++)
                expect(it, !own->has[collection][is_backward ? OWN_KEYS - 1 - next : next], "none is left out");
            expect(it, own->has[collection][key], "it was written");
            next++;
        }
        has_more = page.last != NULL;
        uint32_t last = 0;
        if (has_more) expect(it, find_key(it, page.last, &last), "the last is one of its own");
        make_key(it, collection, last, text, start);
        request.start_key = start;
        request.start_key_count = 2;
    }
    for (; next < OWN_KEYS; next++)
        expect(it, !own->has[collection][is_backward ? OWN_KEYS - 1 - next : next], "none is left out at the end");
}

/* ---- splitters ---- */

static void split_along(party *it)
{
    party_take_steps(it, split_step);
}

static void split_step(party *it, uint64_t number)
{
    td_call call = call_of(it, TABLE);
    td_table_view view;
    if (number % 8 != 0) return;
    expect(it, td_observe_table(&call, &view), "the table is observed");
    td_split_event *events = NULL;
    uint32_t count = 0;
    if (number % 64 == 0) {
        expect(it, td_partition_take_events(it->world->store, &it->arena, &events, &count), "events are taken");
    }
    if (view.partition_count >= PARTITIONS_MAX) return;
    const td_partition_view *picked = &view.partitions[td_rng_below(&it->rng, view.partition_count)];
    td_split_veto veto = TD_VETO_NONE;
    td_split_answer answer = td_partition_split(&call, picked->index, td_slice_of_cstr(picked->id), &veto);
    expect(it, answer == TD_SPLIT_DONE || answer == TD_SPLIT_VETOED || answer == TD_SPLIT_NO_PARTITION,
           "a partition is split, or cannot be, or somebody else has");
}

/* ---- shared ---- */

static bool find_key(party *it, const td_item *item, uint32_t *ret_key)
{
    td_stored value;
    char text[16] = {0};
    uint32_t writer = 0;
    if (!td_item_find(item, TD_LIT("sk"), &value) || value.bytes.len >= sizeof text) return false;
    memcpy(text, value.bytes.ptr, value.bytes.len);
    return sscanf(text, "w%" SCNu32 "-%" SCNu32, &writer, ret_key) == 2 && writer == it->number && *ret_key < OWN_KEYS;
}

static void make_key(party *it, uint32_t collection, uint32_t key, char text[16], td_attribute ret_key[2])
{
    snprintf(text, 16, "w%" PRIu32 "-%03" PRIu32, it->number, key);
    ret_key[0] = text_attribute("pk", collections[collection]);
    ret_key[1] = text_attribute("sk", text);
}

static uint64_t count_entries(party *it, const char *index)
{
    td_page_request request = {.index = td_slice_of_cstr(index)};
    td_call call = call_of(it, TABLE);
    td_page page;
    td_status status = td_read_page(&call, &request, &page, &it->error);
    expect(it, status == TD_OK && page.last == NULL, "it is scanned in one page");
    return status == TD_OK ? page.count : 0;
}

static uint32_t count_partitions(party *it)
{
    td_call call = call_of(it, TABLE);
    td_table_view view = {0};
    expect(it, td_observe_table(&call, &view), "the table is observed");
    return view.partition_count;
}

static td_attribute text_attribute(const char *name, const char *text)
{
    return (td_attribute){td_slice_of_cstr(name), {.type = TD_TYPE_S, .bytes = td_slice_of_cstr(text)}};
}
