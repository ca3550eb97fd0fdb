/* SPDX-License-Identifier: Apache-2.0
 * heat_columns.h: how much of one metric was used, by slice of the hash space and by column of time, at four widths.
 *
 *   now ─▶ [open 1 s] ─closes▶ [open 10 s] ─closes▶ [open 1 min] ─closes▶ [open 10 min]      64 plain cells each
 *               │                   │                    │                     │
 *            120 closed         180 closed           240 closed            144 closed        packed, in rings
 *           (two minutes)      (half an hour)       (four hours)            (a day)
 *
 * A closed column is also added to the open one that it lies in, so an access costs one addition, whatever the number
 * of widths; a reader of one width adds what the narrower open ones have not handed on yet.
 * Invariants: at every width, what is kept sums up to what was added since the oldest column kept.
 * Threads: the owner's lock. */
#ifndef THERMODYN_CAPACITY_HEAT_COLUMNS_H
#define THERMODYN_CAPACITY_HEAT_COLUMNS_H

#include "thermodyn/base.h"

/* Slices of the hash space: one for each of a word's bits, and enough to tell apart the partitions of a table of tens
 * of thousands of units; what is finer than a slice is told by the hottest keys. */
#define TD_HEAT_ROWS 64
#define TD_HEAT_ROW_SHIFT 58
#define TD_HEAT_WIDTHS 4
#define TD_HEAT_COLUMNS_MAX (120 + 180 + 240 + 144) /* closed ones, of all widths */

typedef struct td_heat_width {
    int64_t seconds; /* a multiple of the one before */
    uint32_t count;  /* closed columns that are kept */
} td_heat_width;

extern const td_heat_width td_heat_widths[TD_HEAT_WIDTHS];

typedef struct td_heat_column {
    int64_t number; /* since the epoch, in its width; below 0: none yet */
    td_units rows[TD_HEAT_ROWS];
} td_heat_column;

typedef struct td_heat_packed td_heat_packed;

typedef struct td_heat_columns {
    td_heat_column open[TD_HEAT_WIDTHS];
    td_heat_packed *closed[TD_HEAT_COLUMNS_MAX]; /* the ring of each width behind that of the one before */
} td_heat_columns;

void td_heat_columns_init(td_heat_columns *columns);
void td_heat_columns_done(td_heat_columns *columns);

/* The second that is added to from now on; not before the last one. false: there was no memory to keep a column that
 * closed. */
bool td_heat_columns_turn(td_heat_columns *columns, int64_t second);

static inline uint32_t td_heat_row_of(uint64_t hash)
{
    return (uint32_t)(hash >> TD_HEAT_ROW_SHIFT);
}

static inline void td_heat_columns_add(td_heat_columns *columns, uint32_t row, td_units amount)
{
    columns->open[0].rows[row] += amount;
}

/* The same, spread evenly over the rows from `row` to `last`, which may be the same. */
void td_heat_columns_spread(td_heat_columns *columns, uint32_t row, uint32_t last, td_units amount);

/* Adds up columns of a width into cells[row * column_count + column]: `merged` of them make one, and 64 / row_count
 * slices one row. */
typedef struct td_heat_window {
    uint32_t width; /* of td_heat_widths */
    int64_t from;   /* number of the first column */
    uint32_t merged;
    uint32_t column_count; /* after merging */
    uint32_t row_count;    /* a power of two, at most TD_HEAT_ROWS */
} td_heat_window;

void td_heat_columns_read(const td_heat_columns *columns, const td_heat_window *window, td_units *cells);

uint64_t td_heat_columns_bytes(const td_heat_columns *columns); /* of what is packed */

#endif
