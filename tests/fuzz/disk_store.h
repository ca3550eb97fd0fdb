/* SPDX-License-Identifier: Apache-2.0
 * disk_store.h: what a store that was restored has to hold, whatever the disk had. */
#ifndef THERMODYN_TESTS_FUZZ_DISK_STORE_H
#define THERMODYN_TESTS_FUZZ_DISK_STORE_H

#include "thermodyn/store.h"

/* Partitions, pages and descriptions of each table agree, and streams are read to their end. */
void disk_store_check(td_store *store, td_time_us now_us);

#endif
