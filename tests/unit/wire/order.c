/* SPDX-License-Identifier: Apache-2.0
 * order.c: holds the rows of shapes.def to the order of the service's hash maps. */
#include "shapes.h"

#include "suites.h"

enum { BUCKETS_OF_SETS = 32, MEMBERS_OF_SMALL_MAPS = 12 };

/* String.hashCode of ASCII text. */
static uint32_t java_hash(td_slice text, bool has_small_start)
{
    uint32_t hash = 0;
    for (size_t i = 0; i < text.len; i++) {
        uint8_t byte = i == 0 && has_small_start ? text.ptr[i] | 0x20 : text.ptr[i];
        hash = hash * 31 + byte;
    }
    return hash;
}

/* HashMap mixes the upper half in before it takes the bucket. */
static uint32_t bucket_of_member(td_slice name, uint32_t buckets)
{
    uint32_t hash = java_hash(name, true);
    return (hash ^ hash >> 16) & (buckets - 1);
}

static void check_words(td_slice set)
{
    uint32_t previous = 0;
    for (size_t at = 0; at < set.len;) {
        size_t end = at;
        while (end < set.len && set.ptr[end] != ',')
            end++;
        td_slice word = td_slice_of(set.ptr + at, end - at);
        uint32_t bucket = java_hash(word, false) & (BUCKETS_OF_SETS - 1);
        ck_assert_msg(previous <= bucket, "%.*s stands too late in [%.*s]", (int)word.len, (const char *)word.ptr,
                      (int)set.len, (const char *)set.ptr);
        previous = bucket;
        at = end + 2;
    }
}

static void check_shape(const td_shape *shape, bool has_unlisted)
{
    check_words(shape->enumeration);
    if (shape->element != NULL) check_shape(shape->element, false);
    uint32_t buckets = shape->field_count > MEMBERS_OF_SMALL_MAPS || has_unlisted ? 32 : 16;
    uint32_t previous = 0;
    for (uint32_t i = 0; i < shape->field_count; i++) {
        td_slice name = shape->fields[i].name;
        uint32_t bucket = bucket_of_member(name, buckets);
        ck_assert_msg(previous <= bucket, "%.*s stands too late in %.*s", (int)name.len, (const char *)name.ptr,
                      (int)shape->java_name.len, (const char *)shape->java_name.ptr);
        previous = bucket;
        check_shape(shape->fields[i].shape, false);
    }
}

START_TEST(rows_stand_in_the_order_of_the_services_maps)
{
    static const char *const operations[] = {
        "CreateTable", "DescribeTable", "DeleteTable", "ListTables", "PutItem", "GetItem", "UpdateItem", "DeleteItem",
        "Query", "Scan", "BatchGetItem", "BatchWriteItem", "TransactGetItems", "TransactWriteItems",
        "UpdateTimeToLive", "TagResource", "UntagResource", "ListTagsOfResource", "ListStreams", "DescribeStream",
        "GetShardIterator", "GetRecords", "UpdateContinuousBackups", "ListBackups", "ListExports", "ListImports",
        "UpdateContributorInsights", "DescribeContributorInsights", "ListContributorInsights", "ListGlobalTables"};
    for (size_t i = 0; i < TD_COUNT_OF(operations); i++) {
        const td_shape *shape = td_shape_find(td_slice_of_cstr(operations[i]));
        ck_assert_ptr_nonnull(shape);
        check_shape(shape, false);
    }
    /* Members of replicas are not listed, but take it past the size of a small map. */
    check_shape(td_shape_find(TD_LIT("UpdateTable")), true);
}
END_TEST

TCase *order_tests(void)
{
    TCase *tests = tcase_create("order");
    tcase_add_test(tests, rows_stand_in_the_order_of_the_services_maps);
    return tests;
}
