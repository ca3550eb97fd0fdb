/* SPDX-License-Identifier: Apache-2.0
 * resource.c: tests of partitions: how many there are, which a key belongs to, and that growth keeps every key. */
#include "resource.h"

#include <stdio.h>

#include "suites.h"
#include "support/build.h"

static td_capacity_effect default_effect(void)
{
    td_capacity_settings settings;
    td_capacity_settings_init(&settings);
    return td_capacity_get_effect(&settings);
}

static td_resource *resource_of(td_billing_mode billing, int64_t read, int64_t written)
{
    td_capacity_effect effect = default_effect();
    td_resource_options options = {
        .tree_count = 1, .billing = billing, .throughput = {{[TD_READ] = read, [TD_WRITE] = written}}};
    td_resource *resource = td_resource__new(&options, &effect, 0);
    ck_assert_ptr_nonnull(resource);
    return resource;
}

static uint32_t find_hash(const td_resource *resource, uint64_t hash)
{
    uint8_t bytes[8];
    return td_resource__find_partition_at(resource, td_partition__key_of_hash(hash, bytes));
}

/* Every range begins where the one before it ends, from the first hash to the last. */
static void check_ranges(const td_resource *resource)
{
    ck_assert_uint_eq(resource->partitions[0]->hash_from, 0);
    for (uint32_t i = 0; i < resource->partition_count; i++) {
        const td_partition *partition = resource->partitions[i];
        ck_assert_uint_eq(resource->bounds[i], partition->hash_from);
        ck_assert_uint_le(partition->hash_from, partition->hash_to);
        bool is_last = i + 1 == resource->partition_count;
        ck_assert_uint_eq(partition->hash_to + 1, is_last ? 0 : resource->partitions[i + 1]->hash_from);
    }
}

START_TEST(throughput_asks_for_partitions)
{
    static const struct {
        td_billing_mode billing;
        int64_t read;
        int64_t written;
        uint32_t count;
    } cases[] = {
        {TD_BILLING_PROVISIONED, 1, 1, 1},          {TD_BILLING_PROVISIONED, 1000, 500, 1},
        {TD_BILLING_PROVISIONED, 1000, 1000, 2},    {TD_BILLING_PROVISIONED, 5000, 2000, 4},
        {TD_BILLING_PROVISIONED, 10000, 10000, 14}, {TD_BILLING_ON_DEMAND, 0, 0, 4},
    };
    for (size_t i = 0; i < TD_COUNT_OF(cases); i++) {
        td_resource *resource = resource_of(cases[i].billing, cases[i].read, cases[i].written);
        ck_assert_uint_eq(resource->partition_count, cases[i].count);
        check_ranges(resource);
        td_resource__unref(resource);
    }
}
END_TEST

START_TEST(equal_ranges_hold_the_share_of_the_hash)
{
    for (int64_t written = 1000; written <= 9000; written += 1000) {
        td_resource *resource = resource_of(TD_BILLING_PROVISIONED, 1, written);
        uint32_t count = resource->partition_count;
        for (uint64_t step = 0; step < 1000; step++) {
            uint64_t hash = step * UINT64_C(18446744073709551) + step;
            uint32_t share = (uint32_t)(((unsigned __int128)hash * count) >> 64);
            ck_assert_uint_eq(find_hash(resource, hash), share);
        }
        ck_assert_uint_eq(find_hash(resource, UINT64_MAX), count - 1);
        for (uint32_t i = 1; i < count; i++) {
            ck_assert_uint_eq(find_hash(resource, resource->bounds[i]), i);
            ck_assert_uint_eq(find_hash(resource, resource->bounds[i] - 1), i - 1);
        }
        td_resource__unref(resource);
    }
}
END_TEST

START_TEST(growth_doubles_all_partitions)
{
    td_capacity_effect effect = default_effect();
    td_resource *resource = resource_of(TD_BILLING_PROVISIONED, 5000, 2000);
    ck_assert(td_resource__grow(resource, 5, &effect, 7));
    ck_assert_uint_eq(resource->partition_count, 8);
    check_ranges(resource);
    ck_assert_uint_eq(resource->partitions[0]->number, 5);
    ck_assert_uint_eq(resource->partitions[0]->parent, 1);
    ck_assert_uint_eq(resource->partitions[1]->number, 6);
    ck_assert_uint_eq(resource->partitions[1]->parent, 1);
    ck_assert_uint_eq(resource->partitions[7]->parent, 4);
    ck_assert_int_eq(resource->partitions[1]->created_us, 7);
    ck_assert(td_resource__grow(resource, 3, &effect, 8));
    ck_assert_uint_eq(resource->partition_count, 8); /* nothing is merged */
    td_resource__unref(resource);
}
END_TEST

START_TEST(growth_moves_each_item_with_its_range)
{
    td_fixture fixture;
    td_fixture_init(&fixture);
    td_capacity_effect effect = default_effect();
    td_resource *resource = resource_of(TD_BILLING_PROVISIONED, 1, 1);
    td_key_schema key = {.hash_count = 1, .parts = {{.name = TD_LIT_INIT("pk"), .type = TD_TYPE_S}}};
    uint64_t bytes = 0;
    td_buf encoded;
    td_buf_init(&encoded, 4096);
    for (int i = 0; i < 1000; i++) {
        char name[16];
        snprintf(name, sizeof name, "%d", i);
        td_item *item = item_of(&fixture.arena, S("pk", name));
        td_slice part = td_slice_of_cstr(name);
        td_buf_clear(&encoded);
        td_key_append(&encoded, &key, &part, TD_PLACEMENT_SERVICE);
        bool is_new = false;
        td_tree *tree = &resource->partitions[0]->trees[0];
        td_slice bytes_of_key = td_buf_contents(&encoded);
        void **place = td_btree_insert_weighing(tree->entries, bytes_of_key, td_item_size(item), &is_new);
        ck_assert_ptr_nonnull(place);
        *place = td_item_ref(item);
        bytes += td_item_size(item);
    }
    td_buf_done(&encoded);
    ck_assert(td_resource__grow(resource, 16, &effect, 0));
    ck_assert_uint_eq(resource->partition_count, 16);
    check_ranges(resource);
    ck_assert_uint_eq(td_resource__count_entries(resource, 0), 1000);
    ck_assert_uint_eq(td_resource__storage_bytes(resource, 0), bytes + 1000 * 100);
    for (uint32_t i = 0; i < 16; i++) {
        const td_partition *partition = resource->partitions[i];
        td_btree_cursor at = td_btree_first(partition->trees[0].entries);
        for (; !td_btree_is_end(at); td_btree_next(&at)) {
            ck_assert_uint_eq(td_resource__find_partition_at(resource, td_btree_key(at)), i);
        }
    }
    td_resource__unref(resource);
    td_fixture_done(&fixture);
}
END_TEST

TCase *resource_tests(void)
{
    TCase *tests = tcase_create("resource");
    tcase_add_test(tests, throughput_asks_for_partitions);
    tcase_add_test(tests, equal_ranges_hold_the_share_of_the_hash);
    tcase_add_test(tests, growth_doubles_all_partitions);
    tcase_add_test(tests, growth_moves_each_item_with_its_range);
    return tests;
}
