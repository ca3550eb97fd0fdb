/* SPDX-License-Identifier: Apache-2.0
 * main.c: runs the tests of server/cloudwatch. */
#include "suites.h"

int main(void)
{
    Suite *suite = suite_create("cloudwatch");
    suite_add_tcase(suite, protocols_tests());
    suite_add_tcase(suite, errors_tests());
    suite_add_tcase(suite, form_tests());
    suite_add_tcase(suite, cbor_tests());
    suite_add_tcase(suite, times_tests());
    suite_add_tcase(suite, stat_tests());
    suite_add_tcase(suite, math_tests());
    suite_add_tcase(suite, metrics_tests());
    suite_add_tcase(suite, memory_tests());
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
