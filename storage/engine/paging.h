/* SPDX-License-Identifier: Apache-2.0
 * paging.h: a page under way, as page.c (without the table's lock) and page_walk.c (under it) see it.
 *
 * A page is walked in slices. Between two of them nothing is held but references, and anything may happen to the table:
 * what is left of the page is its bounds, whose start is moved behind what was walked. */
#ifndef THERMODYN_ENGINE_PAGING_H
#define THERMODYN_ENGINE_PAGING_H

#include "thermodyn/read.h"

#include "access.h"
#include "bounds.h"

struct td_paging {
    const td_call *call;
    const td_page_request *request;
    td_error *error;
    bool keeps_items; /* those of all slices, to the end */
    bool is_open;     /* holds `access` and the buffers */
    td_access access;
    const td_index_schema *index; /* NULL: the table */
    uint32_t index_at;            /* in the schema */
    td_bounds bounds;             /* of what is still to be walked */
    uint32_t collection_len;      /* of the bounds; 0: a Scan */
    bool is_one_key;              /* the bounds are one whole key of what is read */

    /* what was found; each item with a reference */
    td_item **items; /* of the present slice; with keeps_items, behind those of the slices before */
    uint32_t count;
    uint32_t room;
    td_item *last; /* the last one evaluated; NULL: none was */

    uint32_t evaluated;
    uint32_t visited;     /* partitions */
    uint64_t bytes;       /* of the entries evaluated: what is priced */
    uint64_t page_bytes;  /* of what the page carries: what ends it */
    td_units walk_units;  /* charged so far */
    td_units fetch_units; /* likewise */
    bool is_whole;        /* the page has ended */
    bool is_stopped;      /* by limit, size or a throttle: there may be more */

    /* under the lock */
    td_resource *resource;     /* whose partitions are walked */
    uint32_t tree;             /* of each partition */
    uint32_t partition_number; /* of the present one; 0: none yet */
    bool lags;                 /* the whole page sees the lagging trees */
    bool fetches;              /* entries of a local index are exchanged for whole items */
    td_buf fetch_key;
    td_admission *admission;
    td_admission_target *target;  /* the present partition */
    uint8_t place[8];             /* where a Scan begins in it */
    uint32_t slice_steps;         /* entries evaluated and partitions entered in this slice */
    uint64_t slice_bytes;         /* that its entries carry */
    td_units slice_fetch_units;   /* not charged yet */
};

/* Walks the next slice and charges it; is_whole and is_stopped say how it ended. The items found are appended.
 * The caller holds the table's lock. */
TD_MUST_USE td_status td_paging__walk_locked(td_paging *paging);

#endif
