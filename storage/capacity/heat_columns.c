/* SPDX-License-Identifier: Apache-2.0
 * heat_columns.c: columns of time, open ones plain and closed ones packed: only the rows that were used, in four bytes
 * where they all fit.
 *
 * Sizes: an open column is 520 bytes and there are four; a closed one is 24 bytes and four for each row in use, so a
 * hot key's costs 28 and one of uniform traffic 280. */
#include "heat_columns.h"

#include "thermodyn/memory.h"

#define NO_COLUMN INT64_C(-1)

const td_heat_width td_heat_widths[TD_HEAT_WIDTHS] = {{1, 120}, {10, 180}, {60, 240}, {600, 144}};

/* The cells of the rows whose bit is set, lowest first. */
struct td_heat_packed {
    int64_t number;
    uint64_t rows;
    bool is_wide; /* a cell is two words, low one first; else one */
    uint32_t cells[];
};

static bool turn_width(td_heat_columns *columns, uint32_t width, int64_t second);
static bool keep(td_heat_columns *columns, uint32_t width);
static td_heat_packed *pack(const td_heat_column *column);
static uint32_t words_of(const td_heat_packed *packed);
static td_heat_packed *const *ring_of(const td_heat_columns *columns, uint32_t width);
static void read_open(const td_heat_column *column, uint32_t width, const td_heat_window *window, td_units *cells);
static void read_packed(const td_heat_packed *packed, const td_heat_window *window, td_units *cells);
static td_units *cell_of(const td_heat_window *window, int64_t number, uint32_t row, td_units *cells);

void td_heat_columns_init(td_heat_columns *columns)
{
    memset(columns, 0, sizeof *columns);
    for (uint32_t width = 0; width < TD_HEAT_WIDTHS; width++)
        columns->open[width].number = NO_COLUMN;
}

void td_heat_columns_done(td_heat_columns *columns)
{
    for (uint32_t i = 0; i < TD_HEAT_COLUMNS_MAX; i++)
        td_free(columns->closed[i]);
}

bool td_heat_columns_turn(td_heat_columns *columns, int64_t second)
{
    TD_ASSERT(second >= columns->open[0].number);
    return turn_width(columns, 0, second);
}

void td_heat_columns_spread(td_heat_columns *columns, uint32_t row, uint32_t last, td_units amount)
{
    TD_ASSERT(row <= last);
    TD_ASSERT(last < TD_HEAT_ROWS);
    td_units count = last - row + 1;
    td_units left = amount % count;
    for (uint32_t i = row; i <= last; i++) {
        columns->open[0].rows[i] += amount / count + (left > 0);
        left -= left > 0;
    }
}

void td_heat_columns_read(const td_heat_columns *columns, const td_heat_window *window, td_units *cells)
{
    TD_ASSERT(window->width < TD_HEAT_WIDTHS);
    TD_ASSERT(window->row_count > 0 && TD_HEAT_ROWS % window->row_count == 0);
    td_heat_packed *const *ring = ring_of(columns, window->width);
    memset(cells, 0, (size_t)window->row_count * window->column_count * sizeof *cells);
    for (uint32_t i = 0; i < td_heat_widths[window->width].count; i++) {
        if (ring[i] != NULL) read_packed(ring[i], window, cells);
    }
    for (uint32_t width = 0; width <= window->width; width++)
        read_open(&columns->open[width], width, window, cells);
}

uint64_t td_heat_columns_bytes(const td_heat_columns *columns)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < TD_HEAT_COLUMNS_MAX; i++) {
        const td_heat_packed *packed = columns->closed[i];
        if (packed != NULL) bytes += sizeof *packed + words_of(packed) * sizeof *packed->cells;
    }
    return bytes;
}

/* Closes the open column unless the second lies in it, wherever that second is: a gap of a year is one step. */
static bool turn_width(td_heat_columns *columns, uint32_t width, int64_t second)
{
    td_heat_column *open = &columns->open[width];
    int64_t number = second / td_heat_widths[width].seconds;
    if (open->number == number) return true;
    bool is_kept = true;
    if (open->number != NO_COLUMN) {
        is_kept = keep(columns, width);
        if (width + 1 < TD_HEAT_WIDTHS) {
            int64_t closed_second = open->number * td_heat_widths[width].seconds;
            is_kept = turn_width(columns, width + 1, closed_second) && is_kept;
            for (uint32_t row = 0; row < TD_HEAT_ROWS; row++)
                columns->open[width + 1].rows[row] += open->rows[row];
        }
        memset(open->rows, 0, sizeof open->rows);
    }
    open->number = number;
    return is_kept;
}

/* Without memory the column that the place held is let go all the same: it is too old to be kept. */
static bool keep(td_heat_columns *columns, uint32_t width)
{
    const td_heat_column *open = &columns->open[width];
    td_heat_packed **place = (td_heat_packed **)ring_of(columns, width) + open->number % td_heat_widths[width].count;
    td_free(*place);
    *place = pack(open);
    return *place != NULL;
}

static td_heat_packed *pack(const td_heat_column *column)
{
    td_heat_packed head = {.number = column->number};
    for (uint32_t row = 0; row < TD_HEAT_ROWS; row++) {
        if (column->rows[row] == 0) continue;
        TD_ASSERT(column->rows[row] > 0);
        head.rows |= UINT64_C(1) << row;
        head.is_wide = head.is_wide || column->rows[row] > UINT32_MAX;
    }
    td_heat_packed *packed = td_alloc(sizeof head + words_of(&head) * sizeof *packed->cells);
    if (packed == NULL) return NULL;
    memcpy(packed, &head, sizeof head);
    uint32_t *at = packed->cells;
    for (uint32_t row = 0; row < TD_HEAT_ROWS; row++) {
        if (column->rows[row] == 0) continue;
        *at++ = (uint32_t)column->rows[row];
        if (head.is_wide) *at++ = (uint32_t)(column->rows[row] >> 32);
    }
    return packed;
}

static uint32_t words_of(const td_heat_packed *packed)
{
    return (uint32_t)__builtin_popcountll(packed->rows) * (packed->is_wide ? 2 : 1);
}

static td_heat_packed *const *ring_of(const td_heat_columns *columns, uint32_t width)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < width; i++)
        at += td_heat_widths[i].count;
    return columns->closed + at;
}

static void read_open(const td_heat_column *column, uint32_t width, const td_heat_window *window, td_units *cells)
{
    if (column->number == NO_COLUMN) return;
    int64_t number = column->number * td_heat_widths[width].seconds / td_heat_widths[window->width].seconds;
    for (uint32_t row = 0; row < TD_HEAT_ROWS; row++) {
        td_units *cell = cell_of(window, number, row, cells);
        if (cell == NULL) return;
        *cell += column->rows[row];
    }
}

static void read_packed(const td_heat_packed *packed, const td_heat_window *window, td_units *cells)
{
    const uint32_t *at = packed->cells;
    for (uint64_t rows = packed->rows; rows != 0; rows &= rows - 1) {
        uint32_t row = (uint32_t)__builtin_ctzll(rows);
        td_units amount = *at++;
        if (packed->is_wide) amount |= (td_units)*at++ << 32;
        td_units *cell = cell_of(window, packed->number, row, cells);
        if (cell == NULL) return;
        *cell += amount;
    }
}

/* NULL: the column is not in the window. */
static td_units *cell_of(const td_heat_window *window, int64_t number, uint32_t row, td_units *cells)
{
    int64_t column = number - window->from;
    if (column < 0 || column / window->merged >= window->column_count) return NULL;
    uint32_t shown_row = row / (TD_HEAT_ROWS / window->row_count);
    return &cells[(size_t)shown_row * window->column_count + (size_t)(column / window->merged)];
}
