/* SPDX-License-Identifier: Apache-2.0
 * main.c: runs the tests of server/iam. */
#include "suites.h"

int main(void)
{
    Suite *suite = suite_create("iam");
    suite_add_tcase(suite, pattern_tests());
    suite_add_tcase(suite, condition_tests());
    suite_add_tcase(suite, decide_tests());
    suite_add_tcase(suite, document_tests());
    suite_add_tcase(suite, callers_tests());
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
