/* SPDX-License-Identifier: Apache-2.0
 * txn.h: TransactWriteItems and TransactGetItems: all or nothing over any number of tables.
 *
 * A transaction takes the locks of its tables in the order of their identity, asks every bucket that it touches,
 * decides every condition, and changes all or nothing. Requests that hold an item while another wants it wait for
 * microseconds and never fail: on this server two requests do not overlap long enough to conflict, so
 * TransactionConflictException comes from faults alone. A token that is still being worked on by another request is
 * TransactionInProgressException.
 * Units (throttling.md §1.3): twice those of the single operation for each item, also when the transaction is
 * cancelled by a condition; none when it is cancelled by a throttle, a key or an update's fault. Index arms cost as
 * outside of transactions.
 * Threads: any. */
#ifndef THERMODYN_TXN_H
#define THERMODYN_TXN_H

#include "thermodyn/write.h"

/* One action: a write of write.h, or a check of a condition alone. The call's `table` is its table's name. */
typedef struct td_action {
    td_slice table;
    bool is_check;  /* ConditionCheck: `write.attributes` is the key, `write.condition` is there */
    td_write write;
} td_action;

/* Why an action did not go through, as CancellationReasons shows it. */
typedef struct td_cancellation {
    td_slice code;       /* "None", "ConditionalCheckFailed", "ValidationError", "ProvisionedThroughputExceeded",
                          * "ThrottlingError", "ItemCollectionSizeLimitExceeded", "TransactionConflict" */
    td_slice text;       /* len 0: no Message */
    const td_item *item; /* ReturnValuesOnConditionCheckFailure; NULL: none */
} td_cancellation;

/* What the error of a cancelled transaction carries: the error's `cancellations`. One an action, in order. */
typedef struct td_cancellations {
    uint32_t count;
    td_cancellation *reasons;
} td_cancellations;

/* What one table's share consumed; tables in the order of their first action. */
typedef struct td_table_consumed {
    td_slice table;
    td_consumed consumed;  /* the transactional factor included */
    bool is_read;          /* a replay of a token: read units */
} td_table_consumed;

typedef struct td_table_collection {
    td_slice table;
    uint32_t action;          /* whose item's key names the collection */
    int64_t collection_bytes;
} td_table_collection;

typedef struct td_transact_write {
    const td_action *actions;
    uint32_t count;          /* 1 to 100 */
    td_slice token;          /* ClientRequestToken; empty: none. 36 bytes by the service model, 512 at most. Remembered
                              * for ten minutes of the server's clock once the transaction is done; a cancelled one
                              * frees it */
    uint64_t fingerprint;    /* of the request, but for what says how to answer: another one with the same token is
                              * IdempotentParameterMismatchException */
} td_transact_write;

typedef struct td_transact_write_result {
    td_table_consumed *tables;
    uint32_t table_count;
    td_table_collection *collections; /* of tables with local indexes, one a changed item */
    uint32_t collection_count;
} td_transact_write_result;

/* Errors: RESOURCE_NOT_FOUND and "multiple operations on one item" for the request as a whole; item sizes and empty
 * key values likewise (messages.md §2); TRANSACTION_CANCELED with error->cancellations; the token's errors. */
TD_MUST_USE td_status td_transact_write_items(const td_call *call, const td_transact_write *request,
                                              td_transact_write_result *ret_result, td_error *error);

typedef struct td_transact_get {
    td_slice table;
    const td_attribute *key;
    uint32_t key_count;
} td_transact_get;

typedef struct td_transact_get_result {
    const td_item **items; /* in order; NULL: none. Borrowed until the arena's reset */
    td_table_consumed *tables;
    uint32_t table_count;
} td_transact_get_result;

/* All items as of one instant. */
TD_MUST_USE td_status td_transact_get_items(const td_call *call, const td_transact_get *gets, uint32_t count,
                                            td_transact_get_result *ret_result, td_error *error);

#endif
