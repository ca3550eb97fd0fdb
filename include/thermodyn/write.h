/* SPDX-License-Identifier: Apache-2.0
 * write.h: PutItem, UpdateItem, DeleteItem: the one write path (storage/engine/write.c):
 * keys → route → find → condition → new item → indexes → admit → swap → charge. What an index will cost is known only
 * when the new item is, hence the place of admission; nothing is told, changed or charged unless it passes. A failed
 * condition is charged, as the service does (throttling.md §1.3).
 * Threads: any. */
#ifndef THERMODYN_WRITE_H
#define THERMODYN_WRITE_H

#include "thermodyn/expr.h"
#include "thermodyn/store.h"

typedef enum td_write_kind { TD_WRITE_PUT, TD_WRITE_UPDATE, TD_WRITE_DELETE } td_write_kind;

typedef struct td_write {
    td_write_kind kind;
    const td_attribute *attributes; /* PUT: the item; UPDATE, DELETE: the key. Sorted */
    uint32_t attribute_count;
    const td_update *update;        /* UPDATE; NULL: an upsert of the bare key */
    const td_condition *condition;  /* NULL: none */
    bool wants_item_on_failure;     /* ReturnValuesOnConditionCheckFailure ALL_OLD */
    bool words_keys_as_lookup;      /* PUT: a missing or mistyped key is told as a look-up's, as BatchWriteItem does */
} td_write;

typedef struct td_write_result {
    const td_item *old_item; /* NULL: there was none. Borrowed until the arena's reset, like the next */
    const td_item *new_item; /* NULL: there is none now */
    td_consumed consumed;
    int64_t collection_bytes; /* of the item's collection; -1: the table has no local index */
} td_write_result;

/* Errors: RESOURCE_NOT_FOUND; VALIDATION for keys (put-shaped or look-up-shaped texts), index keys, sizes, run-time
 * faults of the update; CONDITIONAL_CHECK_FAILED; the throttles. */
TD_MUST_USE td_status td_write_item(const td_call *call, const td_write *write, td_write_result *ret_result,
                                    td_error *error);

/* What td_write_item checks of a put or a delete before it meets the item: for a batch, which is refused as a whole
 * before it writes anything. *ret_key tells the item from others of its table; it lives in the call's arena. */
TD_MUST_USE td_status td_write_check(const td_call *call, const td_write *write, td_slice *ret_key, td_error *error);

#endif
