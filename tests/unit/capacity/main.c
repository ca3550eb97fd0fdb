/* SPDX-License-Identifier: Apache-2.0
 * main.c: runs the tests of storage/capacity. */
#include "suites.h"

int main(void)
{
    Suite *suite = suite_create("capacity");
    suite_add_tcase(suite, units_tests());
    suite_add_tcase(suite, bucket_tests());
    suite_add_tcase(suite, admission_tests());
    suite_add_tcase(suite, policy_tests());
    suite_add_tcase(suite, meter_tests());
    suite_add_tcase(suite, statistic_tests());
    suite_add_tcase(suite, series_tests());
    suite_add_tcase(suite, history_tests());
    suite_add_tcase(suite, ledger_tests());
    suite_add_tcase(suite, sizing_tests());
    suite_add_tcase(suite, heat_tests());
    suite_add_tcase(suite, heat_sketch_tests());
    suite_add_tcase(suite, demand_tests());
    suite_add_tcase(suite, split_choice_tests());
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
