/* SPDX-License-Identifier: Apache-2.0
 * batch.h: what the operations on many items share: members of structures inside of a request, what tables consumed,
 * elements that were throttled. Private to server/ops. */
#ifndef THERMODYN_OPS_BATCH_H
#define THERMODYN_OPS_BATCH_H

#include "thermodyn/txn.h"

#include "ops.h"

/* ---- inner.c: structures inside of a request --------------------------------------------------------------------- */

/* Members of a structure inside of the request. */
typedef struct td_ops_inner {
    td_member members[8];
    uint32_t count;
} td_ops_inner;

/* Of a table in BatchGetItem, a Get, an Update, and the other writes of a transaction: what their shapes have. */
extern const td_ops_inner td_ops__table_members;
extern const td_ops_inner td_ops__get_members;
extern const td_ops_inner td_ops__update_members;
extern const td_ops_inner td_ops__write_members;

/* Puts the structure's members in the places of the request's own, so that everything of ops.h that reads members reads
 * these; the request's own are saved by the caller. `structure` is a checked object. */
void td_ops__enter(td_request *request, const td_ops_inner *inner, const td_json *structure);

/* The entries of RequestItems, by table, in order, without those that a later one of the same name replaces. Each has
 * an element at least, hence no more of them than `elements_max`. */
TD_MUST_USE td_status td_ops__list_entries(td_request *request, td_slice operation, uint32_t elements_max,
                                           const td_json ***ret_entries, uint32_t *ret_count);

/* ---- consumed.c: answers by table -------------------------------------------------------------------------------- */

/* Which member the units stand in beside CapacityUnits: transactions tell reads from writes. */
typedef enum td_ops_split { TD_SPLIT_NONE, TD_SPLIT_READ, TD_SPLIT_WRITE } td_ops_split;

/* One ConsumedCapacity; wanted is not NONE. `table` is its name or ARN as it was sent. */
void td_ops__write_capacity(td_buf *buf, td_ops_capacity wanted, td_slice table, const td_consumed *consumed,
                            td_ops_split split);

/* The same with units that belong to no part of it and count in the total alone. */
void td_ops__write_capacity_with(td_buf *buf, td_ops_capacity wanted, td_slice table, const td_consumed *consumed,
                                 td_units unplaced, td_ops_split split);

/* A table as the name of a member, as it was sent. */
void td_ops__name_table(td_ops_object *object, td_slice table);

/* Adds the part to the sum, index by index. */
void td_ops__add_consumed(td_consumed *sum, const td_consumed *part);

/* One ItemCollectionMetrics: the collection of the item (or key) with those attributes. `hash`: its partition key
 * attribute. */
void td_ops__write_collection(td_buf *buf, const td_attribute *attributes, uint32_t count, td_slice hash,
                              int64_t collection_bytes);

/* Does the request ask for ItemCollectionMetrics? */
bool td_ops__wants_collections(const td_request *request);

/* ---- throttled.c: elements of a batch that were throttled -------------------------------------------------------- */

typedef struct td_ops_throttled {
    uint32_t count;       /* elements */
    td_message message;   /* of the one that is told when there was nothing else */
    td_throttle_reason reason;
    td_throttle reasons;  /* all that are different, with their tables */
    uint32_t reasons_max; /* room in `reasons` */
} td_ops_throttled;

bool td_ops__is_throttle(td_status status);

/* Takes note of an element's throttle; the error is the one that its operation has raised. */
TD_MUST_USE td_status td_ops__note_throttle(td_request *request, td_ops_throttled *throttled, const td_error *error);

/* The exception of a batch whose elements were all throttled (throttling.md §3.5). */
TD_MUST_USE td_status td_ops__raise_throttled(td_request *request, const td_ops_throttled *throttled, bool is_write);

#endif
