/* SPDX-License-Identifier: MIT
 * stream.c: a consumer of a stream sees every change of each item exactly once and in order, whatever happens.
 *
 * Several writers put, delete and transact on the same items, some of which expire, while hours pass (shards are
 * succeeded) and the table's throughput is raised (partitions double, shards split). A consumer follows the lineage:
 * it reads a shard when the shard's parent is read to its end. It keeps an image of the table made of the records
 * alone; each record's old image must be what it has, and in the end it must have the table.
 * A thread must not use check's assertions (they leave it by longjmp): it notes its first failure.
 *
 *   TD_STREAM_STEPS   steps a writer (default 4000) */
#include <check.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "thermodyn/expiry.h"
#include "thermodyn/read.h"
#include "thermodyn/rng.h"
#include "thermodyn/stream.h"
#include "thermodyn/txn.h"

#include "random.h"

#define WRITERS 3
#define KEYS 200
#define SHARDS_MAX 512
#define STEP_BYTES_MAX (16u << 20)
#define START_US INT64_C(1794571200000000)
#define RUN_US (20 * 3600 * TD_US_PER_S) /* of virtual time, in all: several lives of a shard, none of a record */

static const int64_t raised_rates[] = {1500, 3000, 6000}; /* 2, 4, 8 partitions */

typedef struct shared_state {
    td_store *store;
    td_time_us label_us;
    td_time_us step_us;
    _Atomic td_time_us now_us;
    _Atomic uint32_t writers_left;
    uint64_t steps;
} shared_state;

typedef struct party {
    shared_state *shared;
    uint32_t number;
    td_rng rng;
    td_arena arena;
    td_error error;
    char failure[256]; /* the first; empty: none */
} party;

typedef struct followed_shard {
    char id[TD_SHARD_ID_MAX];
    char parent[TD_SHARD_ID_MAX];
    td_shard_iterator at;
    bool is_started;
    bool is_read;
} followed_shard;

typedef struct consumer {
    party it;
    followed_shard shards[SHARDS_MAX];
    uint32_t shard_count;
    td_item *items[KEYS];                  /* by records alone; a reference each */
    char sequences[KEYS][TD_SEQUENCE_MAX]; /* of the last record of each */
    uint64_t records;
    uint64_t expiries;
} consumer;

static void party_init(party *it, shared_state *shared, uint32_t number);
static void make_table(party *it);
static void *write_along(void *context);
static void write_one(party *it);
static void transact(party *it);
static void raise_throughput(party *it, int64_t rate);
static void *follow(void *context);
static bool read_what_is_there(consumer *it);
static void list_shards(consumer *it);
static bool may_read(const consumer *it, const followed_shard *shard);
static bool read_shard(consumer *it, followed_shard *shard);
static void take(consumer *it, const td_change *change);
static const td_item *get(party *it, uint32_t key);
static void expect(party *it, bool holds, const char *what);
static td_call call_of(party *it);
static td_time_us now_of(const party *it);

START_TEST(a_consumer_sees_every_change_once_and_in_order)
{
    static party writers[WRITERS];
    static consumer reader;
    shared_state shared = {.now_us = START_US, .steps = number_from_env("TD_STREAM_STEPS", 4000)};
    shared.step_us = RUN_US / (td_time_us)(WRITERS * shared.steps);
    shared.writers_left = WRITERS;
    td_store_options options = {.placement = TD_PLACEMENT_SERVICE, .seed = 1};
    td_capacity_settings_init(&options.capacity);
    options.capacity.enforce = TD_ENFORCE_OFF;
    shared.store = td_store_new(&options);
    ck_assert_ptr_nonnull(shared.store);
    memset(&reader, 0, sizeof reader);
    party_init(&reader.it, &shared, WRITERS);
    make_table(&reader.it);
    ck_assert_msg(reader.it.failure[0] == '\0', "%s", reader.it.failure);

    pthread_t threads[WRITERS + 1];
    for (uint32_t i = 0; i < WRITERS; i++) {
        party_init(&writers[i], &shared, i);
        ck_assert_int_eq(pthread_create(&threads[i], NULL, write_along, &writers[i]), 0);
    }
    ck_assert_int_eq(pthread_create(&threads[WRITERS], NULL, follow, &reader), 0);
    for (uint32_t i = 0; i <= WRITERS; i++)
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);

    for (uint32_t i = 0; i < WRITERS; i++)
        ck_assert_msg(writers[i].failure[0] == '\0', "writer %" PRIu32 ": %s", i, writers[i].failure);
    ck_assert_msg(reader.it.failure[0] == '\0', "consumer: %s", reader.it.failure);
    for (uint32_t key = 0; key < KEYS; key++) {
        const td_item *item = get(&reader.it, key);
        bool is_same =
            (item == NULL) == (reader.items[key] == NULL) && (item == NULL || td_item_equal(item, reader.items[key]));
        ck_assert_msg(is_same, "the records of item %" PRIu32 " do not end with what the table has", key);
        td_item_unref(reader.items[key]);
    }
    ck_assert_uint_gt(reader.records, shared.steps);
    ck_assert_uint_gt(reader.expiries, 0);
    ck_assert_uint_ge(reader.shard_count, 1 + 2 + 4 + 8 + 8); /* the splits, and a life of eight */

    for (uint32_t i = 0; i < WRITERS; i++)
        td_arena_done(&writers[i].arena);
    td_arena_done(&reader.it.arena);
    td_store_free(shared.store);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("stream");
    TCase *tests = tcase_create("stream");
    tcase_set_timeout(tests, 0);
    tcase_add_test(tests, a_consumer_sees_every_change_once_and_in_order);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}

static void party_init(party *it, shared_state *shared, uint32_t number)
{
    *it = (party){.shared = shared, .number = number};
    td_rng_init(&it->rng, number + 1);
    td_arena_init(&it->arena, STEP_BYTES_MAX);
    it->error.arena = &it->arena;
}

static void make_table(party *it)
{
    td_attribute_definition definition = {TD_LIT("pk"), TD_TYPE_S};
    td_call call = call_of(it);
    td_table_spec spec = {.name = call.table,
                          .definitions = &definition,
                          .definition_count = 1,
                          .key = {.hash_count = 1, .parts = {{TD_LIT("pk"), TD_TYPE_S}}},
                          .billing = TD_BILLING_PROVISIONED,
                          .throughput = {{[TD_READ] = 100, [TD_WRITE] = 100}},
                          .stream = TD_STREAM_NEW_AND_OLD_IMAGES};
    td_table_info info;
    expect(it, td_table_create(&call, &spec, &info, &it->error) == TD_OK, "the table is created");
    it->shared->label_us = info.stream_enabled_us;
    expect(it, td_expiry_update(&call, true, TD_LIT("t"), &it->error) == TD_OK, "time to live is enabled");
}

/* ---- writers ---- */

static void *write_along(void *context)
{
    party *it = context;
    uint64_t steps = it->shared->steps;
    for (uint64_t i = 0; i < steps && it->failure[0] == '\0'; i++) {
        td_arena_reset(&it->arena);
        it->error = (td_error){.arena = &it->arena};
        td_time_us now_us = atomic_fetch_add(&it->shared->now_us, it->shared->step_us) + it->shared->step_us;
        if (td_store_next_due(it->shared->store) <= now_us) td_store_run_due(it->shared->store, now_us);
        for (size_t k = 0; k < TD_COUNT_OF(raised_rates) && it->number == 0; k++) {
            if (i == steps * (k + 1) / 8) raise_throughput(it, raised_rates[k]);
        }
        if (td_rng_below(&it->rng, 10) == 0)
            transact(it);
        else
            write_one(it);
    }
    atomic_fetch_sub(&it->shared->writers_left, 1);
    return NULL;
}

/* An item of one of the keys: its writer and a random number, and in one of four an instant within two hours. */
typedef struct made_item {
    char key[16];
    td_number value;
    td_number instant;
    td_attribute attributes[3];
    uint32_t count;
} made_item;

static void make_item(party *it, made_item *ret_item)
{
    td_time_us now_s = now_of(it) / TD_US_PER_S;
    snprintf(ret_item->key, sizeof ret_item->key, "%" PRIu64, td_rng_below(&it->rng, KEYS));
    ret_item->value = td_number_from_int64((int64_t)td_rng_below(&it->rng, 20)); /* some puts change nothing */
    ret_item->instant = td_number_from_int64(now_s + (int64_t)td_rng_below(&it->rng, 7200));
    td_attribute *attribute = ret_item->attributes;
    *attribute++ = (td_attribute){TD_LIT("pk"), {.type = TD_TYPE_S, .bytes = td_slice_of_cstr(ret_item->key)}};
    if (td_rng_below(&it->rng, 4) == 0) {
        *attribute++ = (td_attribute){TD_LIT("t"), {.type = TD_TYPE_N, .bytes = td_number_slice(&ret_item->instant)}};
    }
    *attribute++ = (td_attribute){TD_LIT("v"), {.type = TD_TYPE_N, .bytes = td_number_slice(&ret_item->value)}};
    ret_item->count = (uint32_t)(attribute - ret_item->attributes);
}

static td_write write_of(party *it, const made_item *item)
{
    bool is_delete = td_rng_below(&it->rng, 4) == 0;
    return (td_write){.kind = is_delete ? TD_WRITE_DELETE : TD_WRITE_PUT,
                      .attributes = item->attributes,
                      .attribute_count = is_delete ? 1 : item->count};
}

static void write_one(party *it)
{
    made_item item;
    make_item(it, &item);
    td_write write = write_of(it, &item);
    td_call call = call_of(it);
    td_write_result result;
    expect(it, td_write_item(&call, &write, &result, &it->error) == TD_OK, "an item is written");
}

static void transact(party *it)
{
    made_item items[3];
    td_action actions[3] = {0};
    uint32_t count = 0;
    td_call call = call_of(it);
    while (count < 3) {
        make_item(it, &items[count]);
        bool is_new = true;
        for (uint32_t i = 0; i < count; i++)
            is_new = is_new && strcmp(items[i].key, items[count].key) != 0;
        if (!is_new) continue;
        actions[count] = (td_action){.table = call.table, .write = write_of(it, &items[count])};
        count++;
    }
    td_transact_write request = {.actions = actions, .count = count};
    td_transact_write_result result;
    expect(it, td_transact_write_items(&call, &request, &result, &it->error) == TD_OK, "items are transacted");
}

static void raise_throughput(party *it, int64_t rate)
{
    td_table_change change = {.has_throughput = true, .throughput = {{[TD_READ] = 100, [TD_WRITE] = rate}}};
    td_call call = call_of(it);
    td_table_info info;
    expect(it, td_table_update(&call, &change, &info, &it->error) == TD_OK, "the throughput is raised");
}

/* ---- the consumer ---- */

static void *follow(void *context)
{
    consumer *it = context;
    bool is_last = false;
    while (it->it.failure[0] == '\0') {
        bool is_over = atomic_load(&it->it.shared->writers_left) == 0;
        bool has_read = read_what_is_there(it);
        if (is_last && !has_read) break;
        is_last = is_over; /* once more: what was written before it was over may have made shards readable */
    }
    for (uint32_t i = 0; i < it->shard_count; i++)
        expect(&it->it, it->shards[i].is_started, "every shard is read");
    return NULL;
}

static bool read_what_is_there(consumer *it)
{
    bool has_read = false;
    list_shards(it);
    for (uint32_t i = 0; i < it->shard_count && it->it.failure[0] == '\0'; i++) {
        followed_shard *shard = &it->shards[i];
        if (!shard->is_read && may_read(it, shard)) has_read = read_shard(it, shard) || has_read;
    }
    return has_read;
}

/* Adds those that have been made since. */
static void list_shards(consumer *it)
{
    for (;;) {
        td_arena_reset(&it->it.arena);
        td_slice after = it->shard_count == 0 ? TD_LIT("") : td_slice_of_cstr(it->shards[it->shard_count - 1].id);
        td_call call = call_of(&it->it);
        td_stream_info info;
        td_status status = td_stream_describe(&call, it->it.shared->label_us, after, 10, &info, &it->it.error);
        expect(&it->it, status == TD_OK, "the stream is described");
        if (status != TD_OK) return;
        for (uint32_t i = 0; i < info.shard_count; i++) {
            expect(&it->it, it->shard_count < SHARDS_MAX, "there is room for the shards");
            if (it->shard_count == SHARDS_MAX) return;
            followed_shard *shard = &it->shards[it->shard_count++];
            *shard = (followed_shard){.is_read = false};
            memcpy(shard->id, info.shards[i].id, sizeof shard->id);
            memcpy(shard->parent, info.shards[i].parent, sizeof shard->parent);
        }
        if (!info.has_more) return;
    }
}

static bool may_read(const consumer *it, const followed_shard *shard)
{
    if (shard->parent[0] == '\0') return true;
    for (uint32_t i = 0; i < it->shard_count; i++) {
        if (strcmp(it->shards[i].id, shard->parent) == 0) return it->shards[i].is_read;
    }
    return false;
}

/* Was there anything, records or the end? */
static bool read_shard(consumer *it, followed_shard *shard)
{
    party *reader = &it->it;
    td_arena_reset(&reader->arena);
    td_call call = call_of(reader);
    if (!shard->is_started) {
        td_status status = td_stream_iterate(&call, reader->shared->label_us, td_slice_of_cstr(shard->id),
                                             TD_ITERATE_TRIM_HORIZON, TD_LIT(""), &shard->at, &reader->error);
        expect(reader, status == TD_OK, "there is an iterator");
        shard->is_started = true;
    }
    td_changes changes;
    uint32_t limit = 1 + (uint32_t)td_rng_below(&reader->rng, 50);
    td_status status = td_stream_read(&call, &shard->at, limit, &changes, &reader->error);
    expect(reader, status == TD_OK, "records are read");
    if (status != TD_OK) return false;
    expect(reader, changes.count <= limit, "no more records than were asked for");
    for (uint32_t i = 0; i < changes.count; i++)
        take(it, &changes.changes[i]);
    shard->at = changes.next;
    shard->is_read = !changes.has_next;
    return changes.count > 0 || shard->is_read;
}

static void take(consumer *it, const td_change *change)
{
    td_stored stored;
    char text[16] = {0};
    bool has_key = td_item_find(change->keys_of, TD_LIT("pk"), &stored) && stored.bytes.len < sizeof text;
    expect(&it->it, has_key, "a record has a key");
    if (!has_key) return;
    memcpy(text, stored.bytes.ptr, stored.bytes.len);
    uint32_t key = (uint32_t)strtoul(text, NULL, 10);
    td_item *known = it->items[key];
    const td_item *old_image = change->old_image;
    bool is_known = (known == NULL) == (old_image == NULL) && (known == NULL || td_item_equal(known, old_image));
    expect(&it->it, is_known, "the old image is what the records before have made");
    td_change_kind kind = old_image == NULL           ? TD_CHANGE_INSERT
                          : change->new_image == NULL ? TD_CHANGE_REMOVE
                                                      : TD_CHANGE_MODIFY;
    expect(&it->it, change->kind == kind, "the kind is that of the images");
    bool differs = kind != TD_CHANGE_MODIFY || !td_item_equal(old_image, change->new_image);
    expect(&it->it, differs, "a record tells of a change");
    expect(&it->it, strcmp(it->sequences[key], change->sequence) < 0, "an item's sequence numbers rise");
    memcpy(it->sequences[key], change->sequence, sizeof change->sequence);

    td_item_unref(known);
    td_item *new_image = (td_item *)(uintptr_t)change->new_image; /* the count is all that changes */
    it->items[key] = new_image == NULL ? NULL : td_item_ref(new_image);
    it->records++;
    it->expiries += change->is_expiry;
}

/* ---- both ---- */

static const td_item *get(party *it, uint32_t key)
{
    char text[16];
    snprintf(text, sizeof text, "%" PRIu32, key);
    td_attribute attribute = {TD_LIT("pk"), {.type = TD_TYPE_S, .bytes = td_slice_of_cstr(text)}};
    td_get asked = {.key = &attribute, .key_count = 1, .is_consistent = true};
    td_call call = call_of(it);
    td_get_result result;
    ck_assert_int_eq(td_get_item(&call, &asked, &result, &it->error), TD_OK);
    return result.item;
}

static void expect(party *it, bool holds, const char *what)
{
    if (holds || it->failure[0] != '\0') return;
    snprintf(it->failure, sizeof it->failure, "%s: status %d, \"%.*s\"", what, (int)it->error.status,
             (int)it->error.text.len, (const char *)it->error.text.ptr);
}

static td_call call_of(party *it)
{
    return (td_call){.store = it->shared->store,
                     .arena = &it->arena,
                     .now_us = now_of(it),
                     .region = TD_LIT("us-east-1"),
                     .table = TD_LIT("T")};
}

static td_time_us now_of(const party *it)
{
    return atomic_load(&it->shared->now_us);
}
