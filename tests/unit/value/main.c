/* SPDX-License-Identifier: Apache-2.0
 * main.c: runs the tests of storage/value. */
#include "suites.h"

int main(void)
{
    Suite *suite = suite_create("value");
    suite_add_tcase(suite, number_tests());
    suite_add_tcase(suite, value_tests());
    suite_add_tcase(suite, size_tests());
    suite_add_tcase(suite, item_tests());
    suite_add_tcase(suite, stored_tests());
    suite_add_tcase(suite, key_tests());
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
