/* SPDX-License-Identifier: Apache-2.0
 * main.c: runs the suites of server/base. */
#include <check.h>
#include <stdlib.h>

#include "suites.h"

int main(void)
{
    SRunner *runner = srunner_create(config_suite());
    srunner_add_suite(runner, config_file_suite());
    srunner_add_suite(runner, credentials_suite());
    srunner_add_suite(runner, json_doc_suite());
    srunner_add_suite(runner, log_suite());
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
