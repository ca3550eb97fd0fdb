/* SPDX-License-Identifier: Apache-2.0
 * main.c: runs the tests of storage/engine. */
#include "suites.h"

int main(void)
{
    Suite *suite = suite_create("engine");
    suite_add_tcase(suite, resource_tests());
    suite_add_tcase(suite, item_keys_tests());
    suite_add_tcase(suite, bounds_tests());
    suite_add_tcase(suite, table_tests());
    suite_add_tcase(suite, update_tests());
    suite_add_tcase(suite, delay_tests());
    suite_add_tcase(suite, backfill_tests());
    suite_add_tcase(suite, key_tests());
    suite_add_tcase(suite, journal_tests());
    suite_add_tcase(suite, restore_tests());
    suite_add_tcase(suite, warm_tests());
    suite_add_tcase(suite, write_tests());
    suite_add_tcase(suite, index_tests());
    suite_add_tcase(suite, get_tests());
    suite_add_tcase(suite, page_tests());
    suite_add_tcase(suite, paging_tests());
    suite_add_tcase(suite, pressure_tests());
    suite_add_tcase(suite, start_key_tests());
    suite_add_tcase(suite, lag_tests());
    suite_add_tcase(suite, observe_tests());
    suite_add_tcase(suite, heat_tests());
    suite_add_tcase(suite, insights_tests());
    suite_add_tcase(suite, settings_tests());
    suite_add_tcase(suite, split_tests());
    suite_add_tcase(suite, share_tests());
    suite_add_tcase(suite, txn_tests());
    suite_add_tcase(suite, txn_read_tests());
    suite_add_tcase(suite, token_tests());
    suite_add_tcase(suite, stream_tests());
    suite_add_tcase(suite, expiry_tests());
    suite_add_tcase(suite, tag_tests());
    suite_add_tcase(suite, snapshot_tests());
    suite_add_tcase(suite, resource_policy_tests());
    suite_add_tcase(suite, metered_tests());
    suite_add_tcase(suite, memory_tests());
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
