/* SPDX-License-Identifier: Apache-2.0
 * main.c: runs the tests of storage/expr. */
#include "suites.h"

int main(void)
{
    Suite *suite = suite_create("expr");
    suite_add_tcase(suite, lex_tests());
    suite_add_tcase(suite, syntax_tests());
    suite_add_tcase(suite, faults_tests());
    suite_add_tcase(suite, condition_tests());
    suite_add_tcase(suite, update_faults_tests());
    suite_add_tcase(suite, update_tests());
    suite_add_tcase(suite, projection_tests());
    suite_add_tcase(suite, keycond_tests());
    suite_add_tcase(suite, legacy_tests());
    suite_add_tcase(suite, marks_tests());
    suite_add_tcase(suite, memory_tests());
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
