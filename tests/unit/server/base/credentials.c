/* SPDX-License-Identifier: Apache-2.0
 * credentials.c: tests of who may sign: files in the form of AWS's shared credentials, and the environment. */
#include "base/credentials.h"

#include <stdlib.h>

#include "suites.h"

static td_credentials *credentials;
static td_buf says;

static void setup(void)
{
    td_buf_init(&says, 4096);
    credentials = td_credentials_new();
    ck_assert_ptr_nonnull(credentials);
    unsetenv("AWS_ACCESS_KEY_ID");
    unsetenv("AWS_SECRET_ACCESS_KEY");
    unsetenv("AWS_SESSION_TOKEN");
}

static void teardown(void)
{
    td_credentials_free(credentials);
    td_buf_done(&says);
}

static void check_says(const char *sentence)
{
    td_buf_append_byte(&says, '\0');
    ck_assert_str_eq((const char *)says.data, sentence);
    td_buf_clear(&says);
}

static void check_credential(const td_credentials *of, const char *key, const char *secret, const char *token)
{
    const td_credential *found = td_credentials_find(of, td_slice_of_cstr(key));
    ck_assert_ptr_nonnull(found);
    ck_assert(td_slice_equal(found->access_key, td_slice_of_cstr(key)));
    ck_assert(td_slice_equal(found->secret_key, td_slice_of_cstr(secret)));
    ck_assert(td_slice_equal(found->token, td_slice_of_cstr(token)));
}

static bool read_text(const char *text)
{
    return td_credentials__read_text(credentials, "keys", td_slice_of_cstr(text), &says);
}

START_TEST(profiles_are_read)
{
    ck_assert(read_text("# who may\n"
                        "[default]\r\n"
                        "aws_access_key_id = AKIDONE\n"
                        "aws_secret_access_key=one=/+ two\n"
                        "\n"
                        "  [ci]  \n"
                        "region = eu-west-1\n"
                        "; a session\n"
                        "aws_access_key_id\t=\tASIATWO\n"
                        "aws_secret_access_key = two\n"
                        "aws_session_token = token\n"
                        "[role]\n"
                        "role_arn = arn:aws:iam::123456789012:role/x"));
    check_credential(credentials, "AKIDONE", "one=/+ two", "");
    check_credential(credentials, "ASIATWO", "two", "token");
    ck_assert_ptr_null(td_credentials_find(credentials, TD_LIT("AKID")));
    ck_assert_ptr_null(td_credentials_find(credentials, TD_LIT("")));
}
END_TEST

START_TEST(wrong_files_are_told)
{
    ck_assert(!read_text("[a]\nwhatever\n"));
    check_says("keys:2: a line must be \"[profile]\" or \"name = value\"");
    ck_assert(!read_text("[a]\naws_access_key_id = AKID\n[b]\n"));
    check_says("the access key AKID has no secret key");
    ck_assert(!read_text("[a]\naws_access_key_id = K\naws_secret_access_key = s\n"
                         "[b]\naws_access_key_id = K\naws_secret_access_key = t\n"));
    check_says("the access key K is given twice");
    ck_assert_ptr_null(td_credentials_load("/nowhere/at/all", &says));
    check_says("the credentials file /nowhere/at/all cannot be read: No such file or directory");
}
END_TEST

START_TEST(the_environment_names_one)
{
    setenv("AWS_ACCESS_KEY_ID", "AKIDENV", 1);
    ck_assert_ptr_null(td_credentials_load("", &says));
    check_says("the access key AKIDENV has no secret key");
    setenv("AWS_SECRET_ACCESS_KEY", "secret", 1);
    setenv("AWS_SESSION_TOKEN", "token", 1);
    td_credentials *loaded = td_credentials_load("", &says);
    ck_assert_ptr_nonnull(loaded);
    check_credential(loaded, "AKIDENV", "secret", "token");
    td_credentials_free(loaded);
}
END_TEST

START_TEST(nobody_is_an_error)
{
    ck_assert_ptr_null(td_credentials_load("", &says));
    check_says("auth = sigv4 wants somebody who may sign: give --credentials FILE, or AWS_ACCESS_KEY_ID and "
               "AWS_SECRET_ACCESS_KEY in the environment");
}
END_TEST

Suite *credentials_suite(void)
{
    Suite *suite = suite_create("credentials");
    TCase *tests = tcase_create("credentials");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, profiles_are_read);
    tcase_add_test(tests, wrong_files_are_told);
    tcase_add_test(tests, the_environment_names_one);
    tcase_add_test(tests, nobody_is_an_error);
    suite_add_tcase(suite, tests);
    return suite;
}
