/* SPDX-License-Identifier: Apache-2.0
 * request.c: any JSON as the body of every operation: it is refused with a text, or its values decode and are written
 * as they are read. */
#include "wire/decode.h"
#include "wire/shape.h"

#include "fuzz/fuzz.h"
#include "thermodyn/text.h"

enum { ARENA_BYTES_MAX = 256 << 20, SMALL_BYTES_MAX = 1024, BUF_BYTES_MAX = 64 << 20 };

static const char *const operations[] = {"CreateTable",       "UpdateTable",  "DescribeTable",  "DeleteTable",
                                         "ListTables",        "PutItem",      "GetItem",        "UpdateItem",
                                         "DeleteItem",        "Query",        "Scan",           "DescribeLimits",
                                         "DescribeEndpoints", "BatchGetItem", "BatchWriteItem", "TransactGetItems",
                                         "TransactWriteItems"};

/* What is decoded, written and decoded again is the same. */
static void check_attributes(const td_json *json, td_arena *arena, td_error *error)
{
    td_attribute *attributes;
    uint32_t count;
    if (json == NULL || td_decode_attributes(json, arena, &attributes, &count, error) != TD_OK) return;
    td_buf buf;
    td_buf_init(&buf, BUF_BYTES_MAX);
    td_json_write_attributes(&buf, attributes, count);
    TD_ASSERT(!td_buf_has_failed(&buf));

    td_json *root;
    td_attribute *again;
    uint32_t count_again;
    TD_ASSERT(td_json_parse(td_buf_contents(&buf), arena, &root, error) == TD_OK);
    TD_ASSERT(td_decode_attributes(root, arena, &again, &count_again, error) == TD_OK);
    TD_ASSERT(count == count_again);
    for (uint32_t i = 0; i < count; i++) {
        TD_ASSERT(td_slice_equal(attributes[i].name, again[i].name));
        TD_ASSERT(td_value_equal(&attributes[i].value, &again[i].value));
    }
    td_buf_done(&buf);
}

/* What a tree is written as is written again the same. */
static void check_tree(const td_json *json, td_arena *arena)
{
    td_error error = {.arena = arena};
    td_buf first;
    td_buf second;
    td_json *root;
    td_buf_init(&first, BUF_BYTES_MAX);
    td_buf_init(&second, BUF_BYTES_MAX);
    td_json_write_tree(&first, json);
    TD_ASSERT(!td_buf_has_failed(&first));
    TD_ASSERT(td_json_parse(td_buf_contents(&first), arena, &root, &error) == TD_OK);
    td_json_write_tree(&second, root);
    TD_ASSERT(td_slice_equal(td_buf_contents(&first), td_buf_contents(&second)));
    td_buf_done(&first);
    td_buf_done(&second);
}

static void check_operation(const char *name, const td_json *root, td_wording wording, td_arena *arena)
{
    td_error error = {.arena = arena, .wording = wording, .value_wording = wording};
    const td_shape *shape = td_shape_find(td_slice_of_cstr(name));
    td_members members;
    td_status status = td_shape_bind(shape, root, &members, &error);
    if (status == TD_OK) status = td_shape_check(shape, root, &error);
    TD_ASSERT(status == TD_OK || status == TD_SERIALIZATION || status == TD_VALIDATION);
    TD_ASSERT(td_utf8_is_valid(error.text));
    if (status != TD_OK) return;

    td_expr_marks marks;
    status = td_decode_marks(members.at[TD_MEMBER_ExpressionAttributeNames],
                             members.at[TD_MEMBER_ExpressionAttributeValues], arena, &marks, &error);
    TD_ASSERT(status == TD_OK || status == TD_VALIDATION);
    check_attributes(members.at[TD_MEMBER_Item], arena, &error);
    check_attributes(members.at[TD_MEMBER_Key], arena, &error);
    check_attributes(members.at[TD_MEMBER_ExclusiveStartKey], arena, &error);
}

/* Each operation where the tree has memory, and what is said of it may have too little. */
static void check_small(td_slice body)
{
    td_arena tree;
    td_arena arena;
    td_error error = {.arena = &tree};
    td_json *root;
    td_arena_init(&tree, ARENA_BYTES_MAX);
    bool is_json = td_json_parse(body, &tree, &root, &error) == TD_OK;
    for (size_t i = 0; i < TD_COUNT_OF(operations) && is_json; i++) {
        td_members members;
        const td_shape *shape = td_shape_find(td_slice_of_cstr(operations[i]));
        td_arena_init(&arena, fuzz_small_limit(body, SMALL_BYTES_MAX));
        error = (td_error){.arena = &arena};
        td_status status = td_shape_bind(shape, root, &members, &error);
        if (status == TD_OK) status = td_shape_check(shape, root, &error);
        TD_ASSERT(status == TD_OK || status == TD_SERIALIZATION || status == TD_VALIDATION ||
                  status == TD_OUT_OF_MEMORY);
        td_arena_done(&arena);
    }
    td_arena_done(&tree);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    td_slice body = fuzz_copy(data, size);
    td_arena arena;
    td_arena_init(&arena, ARENA_BYTES_MAX);
    td_error error = {.arena = &arena};
    td_json *root;
    if (td_json_parse(body, &arena, &root, &error) == TD_OK) {
        check_tree(root, &arena);
        for (size_t i = 0; i < TD_COUNT_OF(operations); i++) {
            check_operation(operations[i], root, TD_WORDING_CLASSIC, &arena);
            check_operation(operations[i], root, TD_WORDING_CURRENT, &arena);
        }
    }
    td_arena_done(&arena);
    check_small(body);
    fuzz_done(body);
    return 0;
}
