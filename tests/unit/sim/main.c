/* SPDX-License-Identifier: Apache-2.0
 * main.c: runs the tests of server/sim. */
#include "suites.h"

int main(void)
{
    Suite *suite = suite_create("sim");
    suite_add_tcase(suite, arrival_tests());
    suite_add_tcase(suite, reader_tests());
    suite_add_tcase(suite, run_tests());
    suite_add_tcase(suite, scenario_file_tests());
    suite_add_tcase(suite, source_tests());
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
