/* SPDX-License-Identifier: Apache-2.0
 * memory.c: every allocation on the way of a request fails once: each time the request ends in a status, without a
 * leak. */
#include "support/failing_memory.h"
#include "wire/decode.h"
#include "wire/envelope.h"
#include "wire/shape.h"

#include "suites.h"

/* The arena asks for memory seldom; a small chunk's worth of waste before each step makes it ask often. */
enum { ARENA_BYTES_MAX = 1 << 24, WASTE_BYTES = 4096 };

typedef struct trial {
    td_arena arena;
    td_error error;
    td_buf buf;
} trial;

static td_status waste(trial *t)
{
    if (td_arena_alloc(&t->arena, WASTE_BYTES) == NULL) return TD_RAISE(&t->error, TD_MSG_OUT_OF_MEMORY);
    return TD_OK;
}

static td_status put_item(trial *t, td_slice body)
{
    td_json *root;
    td_members members;
    td_attribute *attributes;
    uint32_t count;
    td_expr_marks marks;
    const td_shape *shape = td_shape_find(TD_LIT("PutItem"));
    TD_TRY(td_json_parse(body, &t->arena, &root, &t->error));
    TD_TRY(waste(t));
    TD_TRY(td_shape_bind(shape, root, &members, &t->error));
    TD_TRY(waste(t));
    TD_TRY(td_shape_check(shape, root, &t->error));
    TD_TRY(waste(t));
    TD_TRY(td_decode_attributes(members.at[TD_MEMBER_Item], &t->arena, &attributes, &count, &t->error));
    TD_TRY(waste(t));
    TD_TRY(td_decode_marks(members.at[TD_MEMBER_ExpressionAttributeNames],
                           members.at[TD_MEMBER_ExpressionAttributeValues], &t->arena, &marks, &t->error));
    td_json_write_attributes(&t->buf, attributes, count);
    return TD_OK;
}

static td_status run(td_slice body, bool *ret_is_written)
{
    trial t = {.error = {.arena = &t.arena}};
    td_arena_init(&t.arena, ARENA_BYTES_MAX);
    td_buf_init(&t.buf, ARENA_BYTES_MAX);
    td_status status = put_item(&t, body);
    if (status != TD_OK) {
        td_arn_context context = {TD_LIT("us-east-1"), TD_LIT("000000000000"), TD_LIT("T")};
        td_error_write(&t.buf, &t.error, &context);
    }
    *ret_is_written = !td_buf_has_failed(&t.buf);
    td_buf_done(&t.buf);
    td_arena_done(&t.arena);
    return status;
}

/* The expected status without a failure; with one, that or want of memory, or a reply that could not be written. */
static void check_body(td_slice body, td_status expected)
{
    for (uint64_t nth = 1;; nth++) {
        bool is_written;
        failing_memory_fail_at(nth);
        td_status status = run(body, &is_written);
        bool has_failed = failing_memory_has_failed();
        failing_memory_fail_at(0);
        if (!has_failed) {
            ck_assert_int_eq(status, expected);
            ck_assert(is_written);
            return;
        }
        ck_assert(status == TD_OUT_OF_MEMORY || status == expected);
        ck_assert(status == TD_OUT_OF_MEMORY || !is_written || expected != TD_OK);
    }
}

START_TEST(a_request_ends_cleanly_wherever_memory_runs_out)
{
    td_buf body;
    td_buf_init(&body, ARENA_BYTES_MAX);
    td_buf_append_lit(&body, "{\"TableName\":\"abc\",\"ExpressionAttributeNames\":{\"#a\":\"b\"},"
                             "\"ExpressionAttributeValues\":{\":v\":{\"N\":\"1\"}},\"Item\":{");
    for (int i = 0; i < 100; i++) {
        td_buf_append_format(&body, "%s\"k\\n%d\":{\"L\":[{\"B\":\"AAAA\"},{\"NS\":[\"1\",\"2\"]}]}", i > 0 ? "," : "",
                             i);
    }
    td_buf_append_lit(&body, "}}");
    check_body(td_buf_contents(&body), TD_OK);
    td_buf_done(&body);
}
END_TEST

START_TEST(a_refusal_ends_cleanly_wherever_memory_runs_out)
{
    check_body(TD_LIT("{\"TableName\":\"\",\"ReturnValues\":\"X\"}"), TD_VALIDATION);
    check_body(TD_LIT("{\"TableName\":[]}"), TD_SERIALIZATION);
    check_body(TD_LIT("{\"TableName\":\"abc\",\"Item\":[]}"), TD_SERIALIZATION);
    check_body(TD_LIT("{\"TableName\":\"abc\",\"Item\":{\"a\":{\"SS\":[\"a\",\"a\"]}}}"), TD_VALIDATION);
    check_body(TD_LIT("{"), TD_SERIALIZATION);
}
END_TEST

TCase *memory_tests(void)
{
    TCase *tests = tcase_create("memory");
    tcase_add_test(tests, a_request_ends_cleanly_wherever_memory_runs_out);
    tcase_add_test(tests, a_refusal_ends_cleanly_wherever_memory_runs_out);
    return tests;
}
