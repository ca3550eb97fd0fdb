/* SPDX-License-Identifier: Apache-2.0
 * main.c: runs the tests of server/wire. */
#include "suites.h"

int main(void)
{
    Suite *suite = suite_create("wire");
    suite_add_tcase(suite, json_read_tests());
    suite_add_tcase(suite, json_write_tests());
    suite_add_tcase(suite, type_tests());
    suite_add_tcase(suite, constraint_tests());
    suite_add_tcase(suite, order_tests());
    suite_add_tcase(suite, decode_tests());
    suite_add_tcase(suite, marks_tests());
    suite_add_tcase(suite, auth_tests());
    suite_add_tcase(suite, sigv4_tests());
    suite_add_tcase(suite, error_tests());
    suite_add_tcase(suite, memory_tests());
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
