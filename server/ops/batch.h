/* SPDX-License-Identifier: Apache-2.0
 * batch.h: what the operations on many items share: members of structures inside of a request, what tables consumed,
 * elements that are given back. Private to server/ops. */
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

/* ---- unprocessed.c: elements of a batch that are given back ------------------------------------------------------ */

typedef struct td_ops_unprocessed {
    uint32_t throttled_count; /* elements */
    td_message message;       /* of the throttle that is told when there was nothing else */
    td_throttle_reason reason;
    td_throttle reasons;      /* all that are different, with their tables */
    uint32_t reasons_max;     /* room in `reasons` */
    uint32_t failed_count;    /* elements that found no memory */
    td_error failure;         /* of the last of them */
} td_ops_unprocessed;

bool td_ops__is_throttle(td_status status);

/* Is the element, as it stands in the request, struck by a fault rule and given back for it? */
TD_MUST_USE td_status td_ops__strike(td_request *request, const td_json *element, td_ops_unprocessed *unprocessed,
                                     bool *ret_is_struck);

/* An element's operation has failed: TD_OK when it is given back, for a throttle or for want of memory; anything else
 * is the whole batch's failure. */
TD_MUST_USE td_status td_ops__give_back(td_request *request, td_status status, const td_error *error,
                                        td_ops_unprocessed *unprocessed);

/* The exception of a batch of which nothing was processed: no memory for any, or all were throttled (throttling.md
 * §3.5). */
TD_MUST_USE td_status td_ops__check_processed(td_request *request, const td_ops_unprocessed *unprocessed,
                                              uint32_t element_count, bool is_write);

#endif
