/* SPDX-License-Identifier: Apache-2.0
 * resource_policy.c: tests of policies of tables and streams: revisions, what is expected of them, and their end. */
#include "thermodyn/resource_policy.h"

#include "suites.h"
#include "world.h"

static td_world world;
static const td_policy_place of_table = {.is_stream = false};

static void setup(void)
{
    world_init(&world);
    make_table(&world, "T", KEY("pk", S));
}

static void teardown(void)
{
    world_done(&world);
}

static td_status try_put_policy(const char *text, const char *expected, int64_t *ret_revision)
{
    return td_resource_policy_put(&world.call, of_table, td_slice_of_cstr(text), td_slice_of_cstr(expected),
                                  ret_revision, &world.fixture.error);
}

static int64_t put_policy(const char *text)
{
    int64_t revision = 0;
    ck_assert_int_eq(try_put_policy(text, "", &revision), TD_OK);
    return revision;
}

static td_resource_policy get_policy(void)
{
    td_resource_policy policy;
    ck_assert_int_eq(td_resource_policy_get(&world.call, of_table, &policy, &world.fixture.error), TD_OK);
    return policy;
}

START_TEST(a_revision_is_the_instant_of_the_change_and_always_rises)
{
    int64_t first = put_policy("a");
    ck_assert_int_eq(first, WORLD_START_US / TD_US_PER_MS);
    ck_assert_int_eq(put_policy("a"), first);
    ck_assert_int_eq(put_policy("b"), first + 1); /* in the same instant */
    world_move(&world, 1);
    ck_assert_int_eq(put_policy("a"), first + 1000);
    ck_assert(td_slice_equal(get_policy().text, TD_LIT("a")));
}
END_TEST

START_TEST(a_deletion_tells_what_it_removed_and_leaves_a_revision)
{
    ck_assert_int_eq(put_policy(""), 0); /* there never was any */
    int64_t first = put_policy("a");
    ck_assert_int_eq(put_policy(""), first);
    ck_assert_int_eq(put_policy(""), first + 1);
    ck_assert_int_eq(get_policy().revision, first + 1);
    ck_assert_uint_eq(get_policy().text.len, 0);
}
END_TEST

START_TEST(what_is_expected_must_be_there)
{
    int64_t revision = 0;
    REFUSED(
        &world, try_put_policy("a", "5", &revision), TD_POLICY_NOT_FOUND,
        "Resource-based policy not found for the provided ResourceArn: Requested update for policy with revision id "
        "5, but table T has no associated policy.");
    ck_assert_int_eq(try_put_policy("a", "NO_POLICY", &revision), TD_OK);
    REFUSED(
        &world, try_put_policy("b", "NO_POLICY", &revision), TD_POLICY_NOT_FOUND,
        "Resource-based policy not found for the provided ResourceArn: Requested policy update expecting none to be "
        "present for table T, but a policy exists with revision id 1790000000000.");
    REFUSED(
        &world, try_put_policy("", "5", &revision), TD_POLICY_NOT_FOUND,
        "Resource-based policy not found for the provided ResourceArn: Requested update for policy with revision id "
        "5, but the policy associated to target table T has revision id 1790000000000.");
    ck_assert_int_eq(try_put_policy("b", "1790000000000", &revision), TD_OK);
    ck_assert_int_eq(try_put_policy("", "1790000000001", &revision), TD_OK);
    REFUSED(
        &world, try_put_policy("c", "1790000000002", &revision), TD_POLICY_NOT_FOUND,
        "Resource-based policy not found for the provided ResourceArn: Requested update for policy with revision id "
        "1790000000002, but the policy associated to target table T has revision id 1790000000002.");
    ck_assert_int_eq(try_put_policy("c", "NO_POLICY", &revision), TD_OK);
}
END_TEST

START_TEST(a_policy_goes_with_its_table)
{
    td_table_info info;
    (void)put_policy("a");
    ck_assert_int_eq(td_table_delete(&world.call, &info, &world.fixture.error), TD_OK);
    td_resource_policy policy;
    ck_assert_int_eq(td_resource_policy_get(&world.call, of_table, &policy, &world.fixture.error),
                     TD_RESOURCE_NOT_FOUND);
    make_table(&world, "T", KEY("pk", S));
    ck_assert_int_eq(get_policy().revision, 0);
}
END_TEST

START_TEST(a_table_is_created_with_its_policy)
{
    make_table(&world, "U", KEY("pk", S), .policy = TD_LIT("u"));
    ck_assert(td_slice_equal(get_policy().text, TD_LIT("u")));
    ck_assert_int_eq(get_policy().revision, WORLD_START_US / TD_US_PER_MS);
}
END_TEST

START_TEST(a_stream_has_one_of_its_own)
{
    make_table(&world, "S", KEY("pk", S), .stream = TD_STREAM_KEYS_ONLY);
    td_policy_place place = {.is_stream = true, .label_us = WORLD_START_US};
    td_resource_policy policy;
    int64_t revision = 0;
    td_error *error = &world.fixture.error;
    ck_assert_int_eq(td_resource_policy_put(&world.call, place, TD_LIT("s"), td_slice_of(NULL, 0), &revision, error),
                     TD_OK);
    ck_assert_int_eq(td_resource_policy_get(&world.call, place, &policy, error), TD_OK);
    ck_assert(td_slice_equal(policy.text, TD_LIT("s")));
    ck_assert_uint_eq(get_policy().text.len, 0);
    place.label_us++;
    ck_assert_int_eq(td_resource_policy_get(&world.call, place, &policy, error), TD_RESOURCE_NOT_FOUND);
}
END_TEST

TCase *resource_policy_tests(void)
{
    TCase *tests = tcase_create("resource policy");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, a_revision_is_the_instant_of_the_change_and_always_rises);
    tcase_add_test(tests, a_deletion_tells_what_it_removed_and_leaves_a_revision);
    tcase_add_test(tests, what_is_expected_must_be_there);
    tcase_add_test(tests, a_policy_goes_with_its_table);
    tcase_add_test(tests, a_table_is_created_with_its_policy);
    tcase_add_test(tests, a_stream_has_one_of_its_own);
    return tests;
}
