/* SPDX-License-Identifier: Apache-2.0
 * main.c: runs the suites of server/control. */
#include <check.h>
#include <stdlib.h>

#include "suites.h"

int main(void)
{
    SRunner *runner = srunner_create(control_suite());
    srunner_add_suite(runner, advice_suite());
    srunner_add_suite(runner, advice_endpoint_suite());
    srunner_add_suite(runner, faults_suite());
    srunner_add_suite(runner, heat_suite());
    srunner_add_suite(runner, prometheus_suite());
    srunner_add_suite(runner, snapshots_suite());
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
