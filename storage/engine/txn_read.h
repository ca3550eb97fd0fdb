/* SPDX-License-Identifier: Apache-2.0
 * txn_read.h: the reading side of transactions. */
#ifndef THERMODYN_ENGINE_TXN_READ_H
#define THERMODYN_ENGINE_TXN_READ_H

#include "thermodyn/txn.h"

/* A transactional item costs twice what it costs alone. Source: AWS "Capacity management for transactions". */
#define TD_TRANSACTION_FACTOR ((td_units)2)

/* The answer to a transaction that was done before under the same token: it changes nothing, and costs the reading of
 * the items as they were then. `sizes`: of the larger image of each action's item. */
TD_MUST_USE td_status td_txn__repeat(const td_call *call, const td_transact_write *request, const uint32_t *sizes,
                                     td_transact_write_result *ret_result, td_error *error);

#endif
