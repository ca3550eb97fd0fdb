/* SPDX-License-Identifier: Apache-2.0
 * txn_tables.h: the tables of one transaction, and what became of its actions.
 *
 *     td_txn__open(&txn, call, names, count, error)
 *     … prepare each action with its table's schema; a fault goes into txn.errors[i] …
 *     td_txn__settle_prepared(&txn, error)   no action twice, no fault
 *     if (!td_txn__lock(&txn)) → close, open, prepare again: a schema was swapped meanwhile
 *     …
 *     td_txn__unlock(&txn)
 *     td_txn__close(&txn)
 *
 * Locks are taken in the order of the tables' names (a transaction has one scope), one a table: no two transactions
 * wait for each other. */
#ifndef THERMODYN_ENGINE_TXN_TABLES_H
#define THERMODYN_ENGINE_TXN_TABLES_H

#include "thermodyn/txn.h"

#include "access.h"

typedef struct td_txn_table {
    td_call call; /* the transaction's, with this table */
    td_access access;
} td_txn_table;

typedef struct td_txn {
    const td_call *call;
    uint32_t count;       /* of actions */
    uint8_t *table_of;    /* by action: position in `tables` */
    td_slice *keys;       /* by action: the encoded key, set by the caller; empty: it has none */
    td_error *errors;     /* by action: TD_OK while nothing is wrong */
    td_txn_table *tables; /* in the order of their first action */
    uint32_t table_count;
    uint8_t *lock_order; /* positions in `tables`, by name */
} td_txn;

/* `names`: the table of each action. RESOURCE_NOT_FOUND: one of them is not there; nothing is left open then. */
TD_MUST_USE td_status td_txn__open(td_txn *txn, const td_call *call, const td_slice *names, uint32_t count,
                                   td_error *error);
void td_txn__close(td_txn *txn);

/* Takes all locks when every schema is still its table's; else none, and answers false. */
TD_MUST_USE bool td_txn__lock(td_txn *txn);
void td_txn__unlock(td_txn *txn);

static inline td_txn_table *td_txn__table(const td_txn *txn, uint32_t action)
{
    return &txn->tables[txn->table_of[action]];
}

/* After an action was prepared: passes on what fails the request as a whole (empty key values, items too large). */
TD_MUST_USE td_status td_txn__check_prepared(const td_txn *txn, uint32_t action, td_error *error);
/* After all were: no two on one item, and the faults that cancel. */
TD_MUST_USE td_status td_txn__settle_prepared(const td_txn *txn, td_error *error);

/* Forgets the faults, for others that go before them. */
void td_txn__clear_errors(td_txn *txn, const td_error *error);
bool td_txn__has_error(const td_txn *txn, td_status status); /* of this status; TD_OK: of any */

/* TRANSACTION_CANCELED with the actions' errors as reasons. */
TD_MUST_USE td_status td_txn__cancel(const td_txn *txn, td_error *error);
/* The same when the errors are throttles: the account's limit is an exception of its own. */
TD_MUST_USE td_status td_txn__refuse(const td_txn *txn, td_error *error);

/* Entries of `ret_tables` for all tables, with nothing consumed. NULL: no memory. */
TD_MUST_USE td_table_consumed *td_txn__new_consumed(const td_txn *txn, bool is_read);

#endif
