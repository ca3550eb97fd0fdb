/* SPDX-License-Identifier: Apache-2.0
 * heat.h: what was used, where in the key space and when: heat maps and hottest keys of a table or a global index.
 * Everything answered lives in the call's arena. Threads: any. */
#ifndef THERMODYN_HEAT_H
#define THERMODYN_HEAT_H

#include "thermodyn/item.h"
#include "thermodyn/key.h"
#include "thermodyn/store.h"

typedef enum td_heat_metric { TD_HEAT_READ, TD_HEAT_WRITE, TD_HEAT_THROTTLE, TD_HEAT_METRIC_COUNT } td_heat_metric;

/* ---- heat map -------------------------------------------------------------------------------------------------- */

typedef struct td_heatmap_request {
    td_slice index; /* empty: the table */
    td_heat_metric metric;
    td_time_us from_us; /* 0: an hour back, or the first access; a day is kept, and the finer the less far back */
    td_time_us to_us;   /* 0: now */
    uint32_t columns;   /* wanted at most; 0: what suits */
    uint32_t rows;      /* wanted at most; 0: what suits */
} td_heatmap_request;

/* Cell [row][column] at cells[row * column_count + column]: milli-units, or requests throttled × TD_UNITS_ONE. */
typedef struct td_heatmap {
    td_time_us from_us; /* of the first column */
    td_time_us to_us;   /* end of the last column */
    td_time_us column_us;
    uint32_t column_count;
    uint32_t row_count; /* equal slices of the hash space */
    uint64_t *row_from; /* first eight bytes of the lowest hash of each row; a row ends where the next begins */
    td_units *cells;
    td_units max;
    uint64_t lost; /* times that something went unrecorded for want of memory, ever */
} td_heatmap;

typedef enum td_heat_result { TD_HEAT_OK, TD_HEAT_NO_TABLE, TD_HEAT_NO_INDEX, TD_HEAT_NO_MEMORY } td_heat_result;

TD_MUST_USE td_heat_result td_heat_map(const td_call *call, const td_heatmap_request *request, td_heatmap *ret_map);

/* ---- hottest keys ---------------------------------------------------------------------------------------------- */

typedef struct td_hot_keys_request {
    td_slice index;
    td_heat_metric metric;
    bool by_full_key;     /* partition key and sort key; else by partition key alone */
    uint32_t limit;       /* 0: 10 */
    td_time_us window_us; /* back from now, in whole minutes; 0: what is kept, an hour */
} td_hot_keys_request;

typedef struct td_hot_key {
    td_attribute *attributes; /* partition key, then (by_full_key) sort key, which pages of a Query do not have; NULL:
                               * the key was too long to keep, and no item has it any more */
    uint32_t attribute_count;
    td_key_hash hash;
    char partition[16]; /* as td_partition_view's id */
    td_units amount;    /* in the window: an upper bound */
    td_units error;     /* amount - error is a lower bound */
    double share;       /* of all traffic of the metric in the window, at least */
    td_units peak;      /* the most in one second that it was asked for, as far as it was seen */
    bool is_over_limit; /* its peak is beyond what one partition serves, whatever its neighbours do; of throttles: the
                         * peak of its reads or writes */
} td_hot_key;

typedef struct td_hot_keys {
    td_time_us from_us;
    td_time_us to_us;
    td_units total;   /* of the metric in the window */
    td_units rest;    /* what a key that is not listed has at most */
    td_hot_key *keys; /* the surest first: by amount - error */
    uint32_t count;
    uint64_t lost;
} td_hot_keys;

TD_MUST_USE td_heat_result td_heat_hot_keys(const td_call *call, const td_hot_keys_request *request,
                                            td_hot_keys *ret_keys);

#endif
