/* SPDX-License-Identifier: Apache-2.0
 * stream.c: a consumer of a stream sees every change of each item exactly once and in order, whatever happens.
 *
 * Several writers put, delete and transact on the same items, some of which expire, while hours pass (shards are
 * succeeded) and the table's throughput is raised (partitions double, shards split). A consumer follows the lineage:
 * it reads a shard when the shard's parent is read to its end. It keeps an image of the table made of the records
 * alone; each record's old image must be what it has, and in the end it must have the table.
 *
 *   TD_STREAM_STEPS   steps a writer (default 4000) */
#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "thermodyn/expiry.h"
#include "thermodyn/read.h"
#include "thermodyn/rng.h"
#include "thermodyn/stream.h"
#include "thermodyn/txn.h"

#include "random.h"
#include "threads.h"

#define WRITERS 3
#define KEYS 200
#define SHARDS_MAX 512
#define TABLE "T"
#define RUN_US (20 * 3600 * TD_US_PER_S) /* of virtual time, in all: several lives of a shard, none of a record */

static const int64_t raised_rates[] = {1500, 3000, 6000}; /* 2, 4, 8 partitions */

typedef struct stream_state {
    td_time_us label_us;
    _Atomic uint32_t writers_left;
} stream_state;

typedef struct followed_shard {
    char id[TD_SHARD_ID_MAX];
    char parent[TD_SHARD_ID_MAX];
    td_shard_iterator at;
    bool is_started;
    bool is_read;
} followed_shard;

typedef struct consumer {
    party *reader; /* whose own it is */
    const stream_state *stream;
    followed_shard shards[SHARDS_MAX];
    uint32_t shard_count;
    td_item *items[KEYS];                  /* by records alone; a reference each */
    char sequences[KEYS][TD_SEQUENCE_MAX]; /* of the last record of each */
    uint64_t records;
    uint64_t expiries;
} consumer;

static td_time_us make_table(party *it);
static void write_along(party *it);
static void write_step(party *it, uint64_t number);
static void write_one(party *it);
static void transact(party *it);
static void raise_throughput(party *it, int64_t rate);
static void follow(party *reader);
static bool read_what_is_there(consumer *it);
static void list_shards(consumer *it);
static bool may_read(const consumer *it, const followed_shard *shard);
static bool read_shard(consumer *it, followed_shard *shard);
static void take(consumer *it, const td_change *change);
static const td_item *get(party *it, uint32_t key);

START_TEST(a_consumer_sees_every_change_once_and_in_order)
{
    static consumer seen;
    party parties[WRITERS + 1];
    party *reader = &parties[WRITERS];
    uint64_t steps = number_from_env("TD_STREAM_STEPS", 4000);
    world shared;
    world_open(&shared, TD_ENFORCE_OFF, steps, RUN_US / (td_time_us)(WRITERS * steps));
    party_init(reader, &shared, WRITERS, &seen);
    stream_state stream = {.label_us = make_table(reader), .writers_left = WRITERS};
    seen.reader = reader;
    seen.stream = &stream;
    ck_assert_msg(!has_failed(reader), "%s", reader->failure);

    for (uint32_t i = 0; i < WRITERS; i++) {
        party_init(&parties[i], &shared, i, &stream);
        party_start(&parties[i], write_along);
    }
    party_start(reader, follow);
    parties_join(parties, WRITERS + 1);

    for (uint32_t key = 0; key < KEYS; key++) {
        const td_item *item = get(reader, key);
        bool is_same =
            (item == NULL) == (seen.items[key] == NULL) && (item == NULL || td_item_equal(item, seen.items[key]));
        ck_assert_msg(is_same, "the records of item %" PRIu32 " do not end with what the table has", key);
        td_item_unref(seen.items[key]);
    }
    ck_assert_uint_gt(seen.records, steps);
    ck_assert_uint_gt(seen.expiries, 0);
    ck_assert_uint_ge(seen.shard_count, 1 + 2 + 4 + 8 + 8); /* the splits, and a life of eight */

    for (uint32_t i = 0; i <= WRITERS; i++)
        party_done(&parties[i]);
    world_close(&shared);
}
END_TEST

int main(void)
{
    return run_one_test("stream", a_consumer_sees_every_change_once_and_in_order);
}

/* The label of its stream. */
static td_time_us make_table(party *it)
{
    td_attribute_definition definition = {TD_LIT("pk"), TD_TYPE_S};
    td_call call = call_of(it, TABLE);
    td_table_spec spec = {.name = call.table,
                          .definitions = &definition,
                          .definition_count = 1,
                          .key = {.hash_count = 1, .parts = {{TD_LIT("pk"), TD_TYPE_S}}},
                          .billing = TD_BILLING_PROVISIONED,
                          .throughput = {{[TD_READ] = 100, [TD_WRITE] = 100}},
                          .stream = TD_STREAM_NEW_AND_OLD_IMAGES};
    td_table_info info;
    expect(it, td_table_create(&call, &spec, &info, &it->error) == TD_OK, "the table is created");
    expect(it, td_expiry_update(&call, true, TD_LIT("t"), &it->error) == TD_OK, "time to live is enabled");
    return info.stream_enabled_us;
}

/* ---- writers ---- */

static void write_along(party *it)
{
    stream_state *stream = it->own;
    party_take_steps(it, write_step);
    atomic_fetch_sub(&stream->writers_left, 1);
}

static void write_step(party *it, uint64_t number)
{
    for (size_t k = 0; k < TD_COUNT_OF(raised_rates) && it->number == 0; k++) {
        if (number == it->world->steps * (k + 1) / 8) raise_throughput(it, raised_rates[k]);
    }
    if (td_rng_below(&it->rng, 10) == 0)
        transact(it);
    else
        write_one(it);
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
    td_time_us now_s = call_of(it, TABLE).now_us / TD_US_PER_S;
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
    td_call call = call_of(it, TABLE);
    td_write_result result;
    expect(it, td_write_item(&call, &write, &result, &it->error) == TD_OK, "an item is written");
}

static void transact(party *it)
{
    made_item items[3];
    td_action actions[3] = {0};
    uint32_t count = 0;
    td_call call = call_of(it, TABLE);
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
    td_call call = call_of(it, TABLE);
    td_table_info info;
    expect(it, td_table_update(&call, &change, &info, &it->error) == TD_OK, "the throughput is raised");
}

/* ---- the consumer ---- */

static void follow(party *reader)
{
    consumer *it = reader->own;
    bool is_last = false;
    while (!has_failed(reader)) {
        bool is_over = atomic_load(&it->stream->writers_left) == 0;
        bool has_read = read_what_is_there(it);
        if (is_last && !has_read) break;
        is_last = is_over; /* once more: what was written before it was over may have made shards readable */
    }
    for (uint32_t i = 0; i < it->shard_count; i++)
        expect(reader, it->shards[i].is_started, "every shard is read");
}

static bool read_what_is_there(consumer *it)
{
    bool has_read = false;
    list_shards(it);
    for (uint32_t i = 0; i < it->shard_count && !has_failed(it->reader); i++) {
        followed_shard *shard = &it->shards[i];
        if (!shard->is_read && may_read(it, shard)) has_read = read_shard(it, shard) || has_read;
    }
    return has_read;
}

/* Adds those that have been made since. */
static void list_shards(consumer *it)
{
    for (;;) {
        td_arena_reset(&it->reader->arena);
        td_slice after = it->shard_count == 0 ? TD_LIT("") : td_slice_of_cstr(it->shards[it->shard_count - 1].id);
        td_call call = call_of(it->reader, TABLE);
        td_stream_info info;
        td_status status = td_stream_describe(&call, it->stream->label_us, after, 10, &info, &it->reader->error);
        expect(it->reader, status == TD_OK, "the stream is described");
        if (status != TD_OK) return;
        for (uint32_t i = 0; i < info.shard_count; i++) {
            expect(it->reader, it->shard_count < SHARDS_MAX, "there is room for the shards");
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
    party *reader = it->reader;
    td_arena_reset(&reader->arena);
    td_call call = call_of(reader, TABLE);
    if (!shard->is_started) {
        td_status status = td_stream_iterate(&call, it->stream->label_us, td_slice_of_cstr(shard->id),
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
    expect(it->reader, has_key, "a record has a key");
    if (!has_key) return;
    memcpy(text, stored.bytes.ptr, stored.bytes.len);
    uint32_t key = (uint32_t)strtoul(text, NULL, 10);
    td_item *known = it->items[key];
    const td_item *old_image = change->old_image;
    bool is_known = (known == NULL) == (old_image == NULL) && (known == NULL || td_item_equal(known, old_image));
    expect(it->reader, is_known, "the old image is what the records before have made");
    td_change_kind kind = old_image == NULL           ? TD_CHANGE_INSERT
                          : change->new_image == NULL ? TD_CHANGE_REMOVE
                                                      : TD_CHANGE_MODIFY;
    expect(it->reader, change->kind == kind, "the kind is that of the images");
    bool differs = kind != TD_CHANGE_MODIFY || !td_item_equal(old_image, change->new_image);
    expect(it->reader, differs, "a record tells of a change");
    expect(it->reader, strcmp(it->sequences[key], change->sequence) < 0, "an item's sequence numbers rise");
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
    td_call call = call_of(it, TABLE);
    td_get_result result;
    ck_assert_int_eq(td_get_item(&call, &asked, &result, &it->error), TD_OK);
    return result.item;
}
