/* SPDX-License-Identifier: Apache-2.0
 * suites.h: the test cases of storage/engine, one a file. */
#ifndef THERMODYN_TESTS_UNIT_ENGINE_SUITES_H
#define THERMODYN_TESTS_UNIT_ENGINE_SUITES_H

#include <check.h>

TCase *backfill_tests(void);
TCase *bounds_tests(void);
TCase *delay_tests(void);
TCase *expiry_tests(void);
TCase *get_tests(void);
TCase *heat_tests(void);
TCase *insights_tests(void);
TCase *index_tests(void);
TCase *journal_tests(void);
TCase *key_tests(void);
TCase *lag_tests(void);
TCase *memory_tests(void);
TCase *metered_tests(void);
TCase *observe_tests(void);
TCase *page_tests(void);
TCase *paging_tests(void);
TCase *pressure_tests(void);
TCase *resource_tests(void);
TCase *restore_tests(void);
TCase *item_keys_tests(void);
TCase *settings_tests(void);
TCase *snapshot_tests(void);
TCase *split_tests(void);
TCase *share_tests(void);
TCase *start_key_tests(void);
TCase *stream_tests(void);
TCase *table_tests(void);
TCase *tag_tests(void);
TCase *resource_policy_tests(void);
TCase *token_tests(void);
TCase *txn_read_tests(void);
TCase *txn_tests(void);
TCase *update_tests(void);
TCase *warm_tests(void);
TCase *write_tests(void);

#endif
