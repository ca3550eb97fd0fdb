/* SPDX-License-Identifier: Apache-2.0
 * concurrent.c: several threads write, read and change tables of one store, and the sums come out exactly.
 *
 * Every thread counts up shared counters, writes and reads back items of its own, reads pages of the table and of its
 * index, creates and deletes tables, changes indexes and settings, and looks on.
 *
 *   TD_CONCURRENT_STEPS   steps a thread (default 10000) */
#include <check.h>
#include <inttypes.h>
#include <stdio.h>

#include "thermodyn/heat.h"
#include "thermodyn/observe.h"
#include "thermodyn/read.h"
#include "thermodyn/rng.h"
#include "thermodyn/store.h"
#include "thermodyn/table.h"
#include "thermodyn/write.h"

#include "random.h"
#include "threads.h"

#define THREADS 4
#define COUNTERS 8
#define OWN_KEYS 50
#define STEP_US 500

/* What a party has done: its own in `party`. */
typedef struct deeds {
    uint64_t added[COUNTERS];
    int64_t own_versions[OWN_KEYS]; /* last written; 0: none */
} deeds;

static void work(party *it);
static void step(party *it, uint64_t number);
static void count_up(party *it);
static void write_own(party *it);
static void read_own(party *it);
static void read_page(party *it);
static void come_and_go(party *it);
static void look_on(party *it);
static td_attribute string_attribute(const char *name, const char *text);
static td_status put(party *it, const char *key, const char *kind, int64_t version);
static int64_t read_number(party *it, const char *key, const char *name);
static uint64_t count_entries(party *it, const char *index);
static void delete_own(party *it);

START_TEST(sums_are_exact_after_threads_have_worked_on_one_store)
{
    static deeds done[THREADS];
    party workers[THREADS];
    party teller; /* sets up, and counts at the end */
    world shared;
    world_open(&shared, TD_ENFORCE_OBSERVE, number_from_env("TD_CONCURRENT_STEPS", 10000), STEP_US);
    party_init(&teller, &shared, THREADS, NULL);
    create_table(&teller, "shared", "by-kind", "kind");

    for (uint32_t i = 0; i < THREADS; i++) {
        party_init(&workers[i], &shared, i, &done[i]);
        party_start(&workers[i], work);
    }
    parties_join(workers, THREADS);

    uint64_t own_items = 0;
    for (uint32_t i = 0; i < THREADS; i++) {
        for (uint32_t key = 0; key < OWN_KEYS; key++)
            own_items += done[i].own_versions[key] != 0;
    }
    uint64_t counters = 0;
    for (uint32_t counter = 0; counter < COUNTERS; counter++) {
        uint64_t expected = 0;
        for (uint32_t i = 0; i < THREADS; i++)
            expected += done[i].added[counter];
        char key[32];
        snprintf(key, sizeof key, "counter-%" PRIu32, counter);
        ck_assert_int_eq(read_number(&teller, key, "n"), (int64_t)expected);
        counters += expected != 0;
    }
    ck_assert_uint_eq(count_entries(&teller, ""), own_items + counters);
    ck_assert_uint_eq(count_entries(&teller, "by-kind"), own_items); /* counters have no kind */
    ck_assert_msg(teller.failure[0] == '\0', "%s", teller.failure);

    for (uint32_t i = 0; i < THREADS; i++)
        party_done(&workers[i]);
    party_done(&teller);
    world_close(&shared);
}
END_TEST

int main(void)
{
    return run_one_test("concurrent", sums_are_exact_after_threads_have_worked_on_one_store);
}

static void work(party *it)
{
    party_take_steps(it, step);
}

static void step(party *it, uint64_t number)
{
    (void)number;
    uint64_t pick = td_rng_below(&it->rng, 100);
    if (pick < 35)
        count_up(it);
    else if (pick < 55)
        write_own(it);
    else if (pick < 60)
        delete_own(it);
    else if (pick < 80)
        read_own(it);
    else if (pick < 92)
        read_page(it);
    else if (pick < 95)
        come_and_go(it);
    else if (pick < 97)
        change_index(it, "shared", "kind");
    else
        look_on(it);
}

static void count_up(party *it)
{
    deeds *done = it->own;
    uint64_t counter = td_rng_below(&it->rng, COUNTERS);
    char name[32];
    snprintf(name, sizeof name, "counter-%" PRIu64, counter);
    td_attribute key = string_attribute("pk", name);
    td_number one = td_number_from_int64(1);
    td_expr_value value = {.mark = TD_LIT(":one"), .value = {.type = TD_TYPE_N, .bytes = td_number_slice(&one)}};
    td_expr_marks marks = {.values = &value, .value_count = 1};
    td_update *update = NULL;
    td_status status = td_update_compile(TD_LIT("ADD n :one"), &marks, &it->arena, &update, &it->error);
    expect(it, status == TD_OK, "the update compiles");
    if (status != TD_OK) return;
    td_write write = {.kind = TD_WRITE_UPDATE, .attributes = &key, .attribute_count = 1, .update = update};
    td_call call = call_of(it, "shared");
    td_write_result result;
    expect(it, td_write_item(&call, &write, &result, &it->error) == TD_OK, "a counter counts up");
    done->added[counter]++;
}

static void write_own(party *it)
{
    deeds *done = it->own;
    uint64_t number = td_rng_below(&it->rng, OWN_KEYS);
    int64_t version = done->own_versions[number] + 1;
    char key[48];
    snprintf(key, sizeof key, "own-%" PRIu32 "-%" PRIu64, it->number, number);
    const char *kinds[] = {"red", "green", "blue"};
    expect(it, put(it, key, kinds[td_rng_below(&it->rng, 3)], version) == TD_OK, "an item of its own is written");
    done->own_versions[number] = version;
}

static void delete_own(party *it)
{
    deeds *done = it->own;
    uint64_t number = td_rng_below(&it->rng, OWN_KEYS);
    char name[48];
    snprintf(name, sizeof name, "own-%" PRIu32 "-%" PRIu64, it->number, number);
    td_attribute key = string_attribute("pk", name);
    td_write write = {.kind = TD_WRITE_DELETE, .attributes = &key, .attribute_count = 1};
    td_call call = call_of(it, "shared");
    td_write_result result;
    td_status status = td_write_item(&call, &write, &result, &it->error);
    expect(it, status == TD_OK && (result.old_item != NULL) == (done->own_versions[number] != 0), "it is deleted");
    done->own_versions[number] = 0;
}

static void read_own(party *it)
{
    const deeds *done = it->own;
    uint64_t number = td_rng_below(&it->rng, OWN_KEYS);
    char key[48];
    snprintf(key, sizeof key, "own-%" PRIu32 "-%" PRIu64, it->number, number);
    expect(it, read_number(it, key, "version") == done->own_versions[number], "what was written last is read");
}

/* A page of a query or scan; every item in it is whole. */
static void read_page(party *it)
{
    td_key_range range = {.hash_parts = {TD_LIT("green")}, .kind = TD_RANGE_ALL};
    td_page_request request = {.limit = (uint32_t)td_rng_below(&it->rng, 20)};
    uint64_t pick = td_rng_below(&it->rng, 3);
    if (pick > 0) request.index = pick == 1 ? TD_LIT("by-kind") : TD_LIT("fleeting");
    if (pick > 0) request.range = &range;
    td_call call = call_of(it, "shared");
    td_page page;
    td_status status = td_read_page(&call, &request, &page, &it->error);
    bool may_be_gone = pick == 2; /* the index comes and goes */
    expect(it, status == TD_OK || (may_be_gone && (status == TD_VALIDATION || status == TD_RESOURCE_NOT_FOUND)),
           "a page is read");
    for (uint32_t i = 0; status == TD_OK && i < page.count; i++) {
        td_stored kind;
        bool has_kind = td_item_find(page.items[i], TD_LIT("kind"), &kind);
        if (request.range != NULL) expect(it, has_kind && td_slice_equal(kind.bytes, TD_LIT("green")), "it is green");
    }
}

/* A table that all threads create and delete under one name. */
static void come_and_go(party *it)
{
    td_call call = call_of(it, "fleeting");
    td_table_spec spec = table_by_pk(call.table);
    td_table_info info;
    td_status status = td_table_create(&call, &spec, &info, &it->error);
    expect(it, status == TD_OK || status == TD_RESOURCE_IN_USE, "a table is created, or is there");
    status = td_table_describe(&call, &info, &it->error);
    expect(it, status == TD_OK || status == TD_RESOURCE_NOT_FOUND, "it is described, or gone");
    td_attribute item = string_attribute("pk", "some");
    td_write write = {.kind = TD_WRITE_PUT, .attributes = &item, .attribute_count = 1};
    td_call data_call = call;
    td_write_result result;
    status = td_write_item(&data_call, &write, &result, &it->error);
    expect(it, status == TD_OK || status == TD_RESOURCE_NOT_FOUND, "it is written to, or gone");
    status = td_table_delete(&call, &info, &it->error);
    expect(it, status == TD_OK || status == TD_RESOURCE_NOT_FOUND || status == TD_RESOURCE_IN_USE,
           "it is deleted, or gone");
}

static void look_on(party *it)
{
    td_call call = call_of(it, "shared");
    td_table_view view;
    expect(it, td_observe_table(&call, &view), "the table is observed");
    td_throttle_count *counts;
    uint32_t count;
    expect(it, td_observe_take_throttles(it->world->store, &it->arena, &counts, &count), "throttles are taken");
    td_heatmap_request map_request = {.metric = TD_HEAT_WRITE, .columns = 20};
    td_heatmap map;
    expect(it, td_heat_map(&call, &map_request, &map) == TD_HEAT_OK, "a heat map is seen");
    td_hot_keys_request keys_request = {.metric = TD_HEAT_READ};
    td_hot_keys keys;
    expect(it, td_heat_hot_keys(&call, &keys_request, &keys) == TD_HEAT_OK, "hottest keys are seen");
    td_slice *names;
    bool has_more;
    td_status status = td_table_list(&call, TD_LIT(""), 10, &names, &count, &has_more);
    expect(it, status == TD_OK && count >= 1, "tables are listed");

    td_capacity_patch patch = {.has_value[TD_CAPACITY_burst_window] = true};
    patch.settings.values[TD_CAPACITY_burst_window] = 1 + (double)td_rng_below(&it->rng, 600);
    td_slice table = td_rng_below(&it->rng, 2) == 0 ? TD_LIT("") : TD_LIT("shared");
    expect(it, td_store_patch_capacity(it->world->store, call.now_us, TD_LIT(""), table, &patch), "settings change");
    td_capacity_settings settings;
    expect(it, td_store_get_capacity(it->world->store, TD_LIT(""), table, &settings), "settings are read");
    if (td_rng_below(&it->rng, 4) == 0) expect(it, td_capacity_reset(&call), "buckets are reset");
    if (td_rng_below(&it->rng, 8) == 0) td_store_reset_settings(it->world->store, call.now_us);
}

static td_attribute string_attribute(const char *name, const char *text)
{
    return (td_attribute){td_slice_of_cstr(name), {.type = TD_TYPE_S, .bytes = td_slice_of_cstr(text)}};
}

static td_status put(party *it, const char *key, const char *kind, int64_t version)
{
    td_number number = td_number_from_int64(version);
    td_attribute attributes[] = {
        string_attribute("kind", kind),
        string_attribute("pk", key),
        {TD_LIT("version"), {.type = TD_TYPE_N, .bytes = td_number_slice(&number)}},
    };
    td_write write = {.kind = TD_WRITE_PUT, .attributes = attributes, .attribute_count = 3};
    td_call call = call_of(it, "shared");
    td_write_result result;
    return td_write_item(&call, &write, &result, &it->error);
}

/* The number attribute of an item; 0: no item. */
static int64_t read_number(party *it, const char *key, const char *name)
{
    td_attribute attribute = string_attribute("pk", key);
    td_get get = {.key = &attribute, .key_count = 1, .is_consistent = true};
    td_call call = call_of(it, "shared");
    td_get_result result;
    td_status status = td_get_item(&call, &get, &result, &it->error);
    expect(it, status == TD_OK, "an item is read");
    td_stored value;
    int64_t number = 0;
    if (status != TD_OK || result.item == NULL || !td_item_find(result.item, td_slice_of_cstr(name), &value)) return 0;
    expect(it, td_number_to_int64(value.bytes, &number), "it is a whole number");
    return number;
}

/* Of the shared table or one of its indexes, by one scan. */
static uint64_t count_entries(party *it, const char *index)
{
    td_page_request request = {.index = td_slice_of_cstr(index)};
    td_call call = call_of(it, "shared");
    td_page page;
    td_status status = td_read_page(&call, &request, &page, &it->error);
    expect(it, status == TD_OK, "the table is scanned");
    return status == TD_OK ? page.count : 0;
}
