/* SPDX-License-Identifier: Apache-2.0
 * main.c: runs the tests of server/metrics. */
#include "suites.h"

int main(void)
{
    Suite *suite = suite_create("metrics");
    suite_add_tcase(suite, record_tests());
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
