/* SPDX-License-Identifier: Apache-2.0
 * disk_store.c: looks at all of a store: what is counted is what is found. */
#include "fuzz/disk_store.h"

#include "thermodyn/expiry.h"
#include "thermodyn/insights.h"
#include "thermodyn/observe.h"
#include "thermodyn/read.h"
#include "thermodyn/recovery.h"
#include "thermodyn/resource_policy.h"
#include "thermodyn/stream.h"
#include "thermodyn/tag.h"

enum { ARENA_BYTES_MAX = 256 << 20, LIST_MAX = 1000 };

/* Attributes of an item by their names. false: it lacks one. */
static bool find_key(const td_item *item, const td_slice *names, uint32_t count, td_arena *arena, td_attribute *ret_key)
{
    td_attribute *attributes = NULL;
    uint32_t attribute_count = 0;
    uint32_t found = 0;
    TD_ASSERT(td_item_decode(item, arena, &attributes, &attribute_count) == TD_OK);
    for (uint32_t i = 0; i < attribute_count; i++) {
        for (uint32_t k = 0; k < count; k++) {
            if (td_slice_equal(attributes[i].name, names[k])) ret_key[found++] = attributes[i];
        }
    }
    return found == count;
}

/* Counts what a Scan finds. Buckets may be empty, as the disk says: then it ends before. */
static bool scan(const td_call *call, td_slice index, uint64_t *ret_count)
{
    td_error error = {.arena = call->arena};
    td_attribute start_key[2 * TD_KEY_PARTS_MAX];
    td_page_request request = {.index = index};
    td_page page;
    *ret_count = 0;
    do {
        if (td_read_page(call, &request, &page, &error) != TD_OK) return false;
        *ret_count += page.count;
        if (page.last == NULL) return true;
        TD_ASSERT(page.key_name_count <= TD_COUNT_OF(start_key));
        bool has_key = find_key(page.last, page.key_names, page.key_name_count, call->arena, start_key);
        TD_ASSERT(has_key);
        request.start_key = start_key;
        request.start_key_count = page.key_name_count;
    } while (page.last != NULL);
    return true;
}

static void check_index(const td_call *call, const td_resource_overview *seen, const td_table_view *view)
{
    uint64_t items = 0;
    uint64_t bytes = 0;
    uint32_t partitions = 0;
    uint64_t scanned = 0;
    for (uint32_t i = 0; i < view->partition_count; i++) {
        const td_partition_view *partition = &view->partitions[i];
        if (!td_slice_equal(partition->index, seen->index)) continue;
        items += partition->items;
        bytes += partition->bytes;
        partitions++;
    }
    TD_ASSERT(items == seen->items);
    TD_ASSERT(bytes == seen->bytes);
    TD_ASSERT(partitions == seen->partition_count);
    if (scan(call, seen->index, &scanned)) TD_ASSERT(scanned == items);
}

static void check_table(td_call *call, const td_table_overview *seen)
{
    td_error error = {.arena = call->arena};
    td_table_info info;
    td_table_view view;
    td_expiry_info expiry;
    td_insights_info insights;
    td_recovery recovery;
    td_resource_policy policy;
    td_tag *tags = NULL;
    uint32_t tag_count = 0;
    td_capacity_settings settings;
    call->scope = seen->scope;
    call->table = seen->table;
    bool is_there = td_observe_table(call, &view);
    TD_ASSERT(is_there);
    TD_ASSERT(td_table_describe(call, &info, &error) == TD_OK);
    TD_ASSERT(td_expiry_describe(call, &expiry, &error) == TD_OK);
    TD_ASSERT(td_insights_describe(call, td_slice_of(NULL, 0), &insights, &error) == TD_OK);
    TD_ASSERT(td_recovery_describe(call, &recovery, &error) == TD_OK);
    (void)td_resource_policy_get(call, (td_policy_place){.label_us = 0}, &policy, &error);
    TD_ASSERT(td_tag_list(call, &tags, &tag_count, &error) == TD_OK);
    is_there = td_store_get_capacity(call->store, call->scope, call->table, &settings);
    TD_ASSERT(is_there);
    TD_ASSERT(info.item_count == seen->resources[0].items);
    for (uint32_t i = 0; i < seen->resource_count; i++)
        check_index(call, &seen->resources[i], &view);
    for (uint32_t i = 0; i < info.index_count; i++) {
        uint64_t scanned = 0;
        bool is_whole = scan(call, info.indexes[i].spec.name, &scanned);
        TD_ASSERT(!is_whole || scanned == info.indexes[i].item_count);
    }
}

static void read_shard(const td_call *call, td_time_us label_us, const td_shard_info *shard)
{
    td_error error = {.arena = call->arena};
    td_shard_iterator iterator;
    td_changes changes;
    td_status status = td_stream_iterate(call, label_us, td_slice_of_cstr(shard->id), TD_ITERATE_TRIM_HORIZON,
                                         td_slice_of(NULL, 0), &iterator, &error);
    TD_ASSERT(status == TD_OK);
    do {
        TD_ASSERT(td_stream_read(call, &iterator, LIST_MAX, &changes, &error) == TD_OK);
        iterator = changes.next;
    } while (changes.has_next && changes.count > 0);
}

static void check_streams(td_call *call)
{
    td_error error = {.arena = call->arena};
    td_stream_ref *streams = NULL;
    uint32_t count = 0;
    bool has_more = false;
    call->table = td_slice_of(NULL, 0);
    TD_ASSERT(td_stream_list(call, NULL, LIST_MAX, &streams, &count, &has_more) == TD_OK);
    for (uint32_t i = 0; i < count; i++) {
        td_stream_info info;
        call->table = streams[i].table;
        td_status status =
            td_stream_describe(call, streams[i].label_us, td_slice_of(NULL, 0), LIST_MAX, &info, &error);
        TD_ASSERT(status == TD_OK);
        for (uint32_t k = 0; k < info.shard_count; k++)
            read_shard(call, info.label_us, &info.shards[k]);
    }
}

void disk_store_check(td_store *store, td_time_us now_us)
{
    td_arena arena;
    td_arena_init(&arena, ARENA_BYTES_MAX);
    td_call call = {.store = store, .arena = &arena, .now_us = now_us, .region = TD_LIT("us-east-1")};
    td_table_overview *tables = NULL;
    uint32_t count = 0;
    bool is_seen = td_observe_tables(store, now_us, &arena, &tables, &count);
    TD_ASSERT(is_seen);
    TD_ASSERT(count == td_store_table_count(store));
    check_streams(&call);
    for (uint32_t i = 0; i < count; i++) {
        check_table(&call, &tables[i]);
        check_streams(&call);
    }
    td_arena_done(&arena);
}
