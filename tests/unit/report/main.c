/* SPDX-License-Identifier: Apache-2.0
 * main.c: runs the suites of server/report. */
#include <check.h>
#include <stdlib.h>

#include "suites.h"

int main(void)
{
    SRunner *runner = srunner_create(criterion_suite());
    srunner_add_suite(runner, gather_suite());
    srunner_add_suite(runner, write_suite());
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
