/* SPDX-License-Identifier: Apache-2.0
 * read.h: GetItem, Query and Scan. Items are borrowed until the reset of the call's arena: the page holds references,
 * and filters run after the table's lock has been given back.
 * Threads: any. */
#ifndef THERMODYN_READ_H
#define THERMODYN_READ_H

#include "thermodyn/expr.h"
#include "thermodyn/store.h"

typedef struct td_get {
    const td_attribute *key; /* sorted; checked against the schema: "The provided key element does not match …" */
    uint32_t key_count;
    bool is_consistent;
    bool has_bytes_max;
    uint32_t bytes_max; /* a larger item is left where it is, and costs what none costs: batches that had their fill */
} td_get;

typedef struct td_get_result {
    const td_item *item; /* NULL: none */
    bool is_left;        /* there is one, but larger than bytes_max */
    td_consumed consumed;
    uint32_t partition;  /* position of the key's partition in its table: batches read 1 MB from one at most */
} td_get_result;

TD_MUST_USE td_status td_get_item(const td_call *call, const td_get *get, td_get_result *ret_result, td_error *error);

/* What td_get_item checks of the key before it looks for the item, and where it will look: for a batch, which is
 * refused as a whole before it reads anything. The partition may be split before the item is got. */
TD_MUST_USE td_status td_get_check(const td_call *call, const td_get *get, uint32_t *ret_partition, td_error *error);

/* Query when `range` is given, else Scan. */
typedef struct td_page_request {
    td_slice index;               /* empty: the table */
    const td_key_range *range;    /* Query: fitted to the table's or index's schema */
    bool is_backward;             /* Query: ScanIndexForward false */
    uint32_t segment;             /* Scan */
    uint32_t total_segments;      /* Scan; 0: one segment */
    bool is_consistent;
    bool needs_whole_items;       /* a local index is to answer attributes that it does not project: they are fetched
                                   * from the table, and charged */
    const td_condition *filter;   /* NULL: none */
    uint32_t limit;               /* items evaluated; 0: none */
    const td_attribute *start_key; /* ExclusiveStartKey, sorted; checked here (its texts differ
                                    * between Query and Scan). NULL: from the start */
    uint32_t start_key_count;
} td_page_request;

typedef struct td_page {
    const td_item **items;     /* those that pass the filter, in order */
    uint32_t count;
    uint32_t scanned_count;    /* evaluated */
    const td_item *last;       /* the last one evaluated when there may be more: its keys are the LastEvaluatedKey */
    const td_slice *key_names; /* attributes of LastEvaluatedKey: the table's key, then the index's */
    uint32_t key_name_count;
    td_consumed consumed;
} td_page;

/* Does the request's starting key look like one of the table or index: the right number of attributes, and a Query's
 * partition key or a scanned index's key among them? The service asks this before it fits a Query's key condition to
 * the schema, and the rest afterwards, hence apart; td_read_page asks everything.
 * Used of the request: index, start_key. Errors: RESOURCE_NOT_FOUND, VALIDATION. */
TD_MUST_USE td_status td_start_key_check(const td_call *call, const td_page_request *request, bool is_query,
                                         td_error *error);

/* Is the starting key a key of the table and index, and does the query or segment hold it? The service asks this once
 * a Query's key condition fits the schema, before it looks at projections and filters.
 * Used of the request: index, range or segment, start_key. Errors: RESOURCE_NOT_FOUND, VALIDATION. */
TD_MUST_USE td_status td_start_key_check_place(const td_call *call, const td_page_request *request, td_error *error);

/* One page: up to `limit` items or 1 MB evaluated. A page that runs into a throttled partition ends there when it has
 * evaluated something, else it is the exception. */
TD_MUST_USE td_status td_read_page(const td_call *call, const td_page_request *request, td_page *ret_page,
                                   td_error *error);

/* The same page in slices (TD_LIMIT_PAGE_SLICE_…), so that neither the table nor the caller's thread is kept from
 * others for longer: a page of 1 MB is some thirty of them.
 *
 *     TD_TRY(td_paging_begin(&call, &request, &paging, &error));
 *     while (!td_paging_is_whole(paging)) {
 *         TD_TRY(td_paging_step(paging, &page));
 *         … page.items and page.count are those of this slice, page.scanned_count what it has come to
 *     }
 *     … only the last step has filled in the rest of the page
 *
 * Anything may happen to the table between two steps, as between two pages: what is there from the first step to the
 * last is met once. A page whose table or index goes meanwhile ends where it is.
 * Errors: those of td_read_page.
 * Memory: call, request and error must live as long as the paging, which lives until the reset of the call's arena. The
 *         items are borrowed until the next step, `last` until that reset. */
typedef struct td_paging td_paging;
TD_MUST_USE td_status td_paging_begin(const td_call *call, const td_page_request *request, td_paging **ret_paging,
                                    td_error *error);
TD_MUST_USE td_status td_paging_step(td_paging *paging, td_page *ret_page);
bool td_paging_is_whole(const td_paging *paging);

#endif
