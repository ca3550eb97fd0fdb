/* SPDX-License-Identifier: Apache-2.0
 * main.c: runs the tests of storage/partiql. */
#include "suites.h"

int main(void)
{
    Suite *suite = suite_create("partiql");
    suite_add_tcase(suite, syntax_tests());
    suite_add_tcase(suite, faults_tests());
    suite_add_tcase(suite, print_tests());
    suite_add_tcase(suite, generated_tests());
    suite_add_tcase(suite, where_tests());
    suite_add_tcase(suite, update_tests());
    suite_add_tcase(suite, literals_tests());
    suite_add_tcase(suite, keys_tests());
    suite_add_tcase(suite, order_tests());
    suite_add_tcase(suite, memory_tests());
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
