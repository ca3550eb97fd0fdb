/* SPDX-License-Identifier: Apache-2.0
 * main.c: runs the tests of server/ops. */
#include "suites.h"

int main(void)
{
    Suite *suite = suite_create("ops");
    suite_add_tcase(suite, dispatch_tests());
    suite_add_tcase(suite, wording_tests());
    suite_add_tcase(suite, tables_tests());
    suite_add_tcase(suite, update_table_tests());
    suite_add_tcase(suite, items_tests());
    suite_add_tcase(suite, query_tests());
    suite_add_tcase(suite, legacy_tests());
    suite_add_tcase(suite, batch_tests());
    suite_add_tcase(suite, transact_tests());
    suite_add_tcase(suite, streams_tests());
    suite_add_tcase(suite, features_tests());
    suite_add_tcase(suite, fault_tests());
    suite_add_tcase(suite, meter_tests());
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
