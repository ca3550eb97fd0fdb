/* SPDX-License-Identifier: Apache-2.0
 * error.c: tests of error documents and ARNs. */
#include "thermodyn/txn.h"
#include "wire/envelope.h"

#include "suites.h"

static td_fixture fixture;
static td_arena *const arena = &fixture.arena;
static td_buf buf;

static const td_arn_context context = {TD_LIT_INIT("us-east-1"), TD_LIT_INIT("000000000000"), TD_LIT_INIT("Orders")};

static void setup(void)
{
    td_fixture_init(&fixture);
    td_buf_init(&buf, 1 << 16);
}

static void teardown(void)
{
    td_buf_done(&buf);
    td_fixture_done(&fixture);
}

#define CHECK_WRITTEN(expected)                                                                                        \
    do {                                                                                                               \
        CHECK_SLICE(arena, td_buf_contents(&buf), expected);                                                           \
        td_buf_clear(&buf);                                                                                            \
    } while (0)

START_TEST(documents_carry_type_and_message)
{
    td_error error = {.arena = arena, .status = TD_VALIDATION, .text = TD_LIT("a \"b\"")};
    td_error_write(&buf, &error, &context);
    CHECK_WRITTEN("{\"__type\":\"com.amazon.coral.validate#ValidationException\",\"message\":\"a \\\"b\\\"\"}");
    error.status = TD_RESOURCE_NOT_FOUND;
    td_error_write(&buf, &error, &context);
    CHECK_WRITTEN("{\"__type\":\"com.amazonaws.dynamodb.v20120810#ResourceNotFoundException\","
                  "\"message\":\"a \\\"b\\\"\"}");
}
END_TEST

START_TEST(older_layers_write_a_capital)
{
    td_error error = {.arena = arena, .status = TD_SERIALIZATION, .text = TD_LIT("x")};
    td_error_write(&buf, &error, &context);
    CHECK_WRITTEN("{\"__type\":\"com.amazon.coral.service#SerializationException\",\"Message\":\"x\"}");
    error.status = TD_TRANSACTION_CANCELED;
    td_error_write(&buf, &error, &context);
    CHECK_WRITTEN("{\"__type\":\"com.amazonaws.dynamodb.v20120810#TransactionCanceledException\",\"Message\":\"x\"}");
}
END_TEST

START_TEST(an_empty_text_is_no_member)
{
    td_error error = {.arena = arena};
    ck_assert_int_eq(TD_RAISE(&error, TD_MSG_OPERATION_UNKNOWN), TD_UNKNOWN_OPERATION);
    td_error_write(&buf, &error, &context);
    CHECK_WRITTEN("{\"__type\":\"com.amazon.coral.service#UnknownOperationException\"}");
}
END_TEST

START_TEST(a_failed_condition_may_show_the_item)
{
    td_error error = {.arena = arena, .status = TD_CONDITIONAL_CHECK_FAILED, .text = TD_LIT("x")};
    error.item = item_of(arena, S("pk", "a"));
    td_error_write(&buf, &error, &context);
    CHECK_WRITTEN("{\"__type\":\"com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException\",\"message\":\"x\","
                  "\"Item\":{\"pk\":{\"S\":\"a\"}}}");
}
END_TEST

START_TEST(throttles_list_their_reasons)
{
    td_throttle_reason reasons[] = {
        {.kind = TD_LIMITED_BY_KEY_RANGE, .direction = TD_WRITE},
        {.kind = TD_LIMITED_BY_PROVISIONED, .direction = TD_READ, .index = TD_LIT_INIT("ByDate")},
    };
    td_throttle throttle = {1, reasons};
    td_error error = {
        .arena = arena, .status = TD_PROVISIONED_THROUGHPUT_EXCEEDED, .text = TD_LIT("x"), .throttle = &throttle};
    td_error_write(&buf, &error, &context);
    CHECK_WRITTEN("{\"__type\":\"com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException\","
                  "\"message\":\"x\",\"ThrottlingReasons\":[{\"reason\":\"TableWriteKeyRangeThroughputExceeded\","
                  "\"resource\":\"arn:aws:dynamodb:us-east-1:000000000000:table/Orders\"}]}");
    throttle.count = 2;
    error.status = TD_THROTTLING;
    td_error_write(&buf, &error, &context);
    CHECK_WRITTEN("{\"__type\":\"com.amazon.coral.availability#ThrottlingException\","
                  "\"message\":\"x\",\"throttlingReasons\":[{\"reason\":\"TableWriteKeyRangeThroughputExceeded\","
                  "\"resource\":\"arn:aws:dynamodb:us-east-1:000000000000:table/Orders\"},"
                  "{\"reason\":\"IndexReadProvisionedThroughputExceeded\","
                  "\"resource\":\"arn:aws:dynamodb:us-east-1:000000000000:table/Orders/index/ByDate\"}]}");
}
END_TEST

START_TEST(arns_have_the_regions_partition)
{
    static const struct {
        const char *region;
        const char *expected;
    } cases[] = {
        {"eu-west-1", "arn:aws:dynamodb:eu-west-1:1:table/T/index/I"},
        {"cn-north-1", "arn:aws-cn:dynamodb:cn-north-1:1:table/T/index/I"},
        {"us-gov-west-1", "arn:aws-us-gov:dynamodb:us-gov-west-1:1:table/T/index/I"},
    };
    for (size_t i = 0; i < TD_COUNT_OF(cases); i++) {
        td_arn_context other = {td_slice_of_cstr(cases[i].region), TD_LIT("1"), TD_LIT("T")};
        td_arn_write_index(&buf, &other, TD_LIT("I"));
        ck_assert(td_slice_equal(td_buf_contents(&buf), td_slice_of_cstr(cases[i].expected)));
        td_buf_clear(&buf);
    }
}
END_TEST

START_TEST(table_names_may_be_arns)
{
    td_slice name;
    ck_assert_int_eq(td_table_name_parse(TD_LIT("Orders"), &name, &fixture.error), TD_OK);
    CHECK_SLICE(arena, name, "Orders");
    td_slice arn = TD_LIT("arn:aws:dynamodb:us-east-1:000000000000:table/Orders");
    ck_assert_int_eq(td_table_name_parse(arn, &name, &fixture.error), TD_OK);
    CHECK_SLICE(arena, name, "Orders");
}
END_TEST

START_TEST(other_arns_are_refused)
{
    static const char *const arns[] = {
        "arn:",
        "arn:aws:dynamodb:us-east-1:000000000000:table",
        "arn:aws:dynamodb:us-east-1:000000000000:table/",
        "arn:aws:s3:us-east-1:000000000000:table/Orders",
        "arn:aws:dynamodb::000000000000:table/Orders",
        "arn:aws:dynamodb:us-east-1::table/Orders",
        "arn:aws:dynamodb:us-east-1:000000000000:index/Orders",
        "arn:aws:dynamodb:us-east-1:000000000000:table/Orders/index/I",
        "arn:aws:dynamodb:us-east-1:000000000000:table/Orders:x",
        "arn:aws:dynamodb:us-east-1:0:0:table/Orders",
    };
    for (size_t i = 0; i < TD_COUNT_OF(arns); i++) {
        td_slice name;
        ck_assert_int_eq(td_table_name_parse(td_slice_of_cstr(arns[i]), &name, &fixture.error), TD_VALIDATION);
        ck_assert_ptr_nonnull(strstr(error_text(&fixture), arns[i]));
    }
}
END_TEST

START_TEST(reasons_of_a_batch_name_their_tables)
{
    td_throttle_reason reasons[] = {
        {.kind = TD_LIMITED_BY_PROVISIONED, .direction = TD_WRITE, .table = TD_LIT_INIT("Lines")},
    };
    td_throttle throttle = {1, reasons};
    td_error error = {.arena = arena, .status = TD_PROVISIONED_THROUGHPUT_EXCEEDED, .throttle = &throttle};
    td_error_write(&buf, &error, &context);
    CHECK_WRITTEN("{\"__type\":\"com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException\","
                  "\"ThrottlingReasons\":[{\"reason\":\"TableWriteProvisionedThroughputExceeded\","
                  "\"resource\":\"arn:aws:dynamodb:us-east-1:000000000000:table/Lines\"}]}");
}
END_TEST

START_TEST(a_cancelled_transaction_lists_every_action)
{
    const td_attribute name = {TD_LIT("pk"), {.type = TD_TYPE_S, .bytes = TD_LIT("a")}};
    td_item *item = td_item_new(&name, 1);
    ck_assert_ptr_nonnull(item);
    td_cancellation reasons[] = {
        {.code = TD_LIT_INIT("None")},
        {.code = TD_LIT_INIT("ConditionalCheckFailed"), .text = TD_LIT_INIT("\"no\""), .item = item},
    };
    td_cancellations cancellations = {TD_COUNT_OF(reasons), reasons};
    td_error error = {
        .arena = arena, .status = TD_TRANSACTION_CANCELED, .text = TD_LIT("x"), .cancellations = &cancellations};
    td_error_write(&buf, &error, &context);
    td_item_unref(item);
    CHECK_WRITTEN("{\"__type\":\"com.amazonaws.dynamodb.v20120810#TransactionCanceledException\",\"Message\":\"x\","
                  "\"CancellationReasons\":[{\"Code\":\"None\"},{\"Code\":\"ConditionalCheckFailed\","
                  "\"Message\":\"\\\"no\\\"\",\"Item\":{\"pk\":{\"S\":\"a\"}}}]}");
}
END_TEST

TCase *error_tests(void)
{
    TCase *tests = tcase_create("error");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, documents_carry_type_and_message);
    tcase_add_test(tests, older_layers_write_a_capital);
    tcase_add_test(tests, an_empty_text_is_no_member);
    tcase_add_test(tests, a_failed_condition_may_show_the_item);
    tcase_add_test(tests, throttles_list_their_reasons);
    tcase_add_test(tests, reasons_of_a_batch_name_their_tables);
    tcase_add_test(tests, a_cancelled_transaction_lists_every_action);
    tcase_add_test(tests, arns_have_the_regions_partition);
    tcase_add_test(tests, table_names_may_be_arns);
    tcase_add_test(tests, other_arns_are_refused);
    return tests;
}
