/* SPDX-License-Identifier: Apache-2.0
 * main.c: runs the scenarios of throttling.md §5.2. */
#include "scenario.h"

int main(void)
{
    Suite *suite = suite_create("scenario");
    suite_add_tcase(suite, placement_scenarios());
    suite_add_tcase(suite, burst_scenarios());
    suite_add_tcase(suite, era_scenarios());
    suite_add_tcase(suite, growth_scenarios());
    suite_add_tcase(suite, hot_key_scenarios());
    suite_add_tcase(suite, index_scenarios());
    suite_add_tcase(suite, insights_scenarios());
    suite_add_tcase(suite, limit_scenarios());
    suite_add_tcase(suite, size_scenarios());
    suite_add_tcase(suite, split_scenarios());
    suite_add_tcase(suite, transaction_scenarios());
    suite_add_tcase(suite, batch_scenarios());
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
