/* SPDX-License-Identifier: Apache-2.0
 * units.c: bytes into capacity units (throttling.md §1.2, §1.3).
 *
 * Not here: which bytes count for which operation (storage/engine), and the factor of transactions. */
#include "thermodyn/capacity.h"

#define READ_UNIT_BYTES UINT64_C(4096)
#define WRITE_UNIT_BYTES UINT64_C(1024)

static td_units whole_units(uint64_t bytes, uint64_t unit_bytes);

td_units td_units_of_read(uint64_t bytes, bool is_consistent)
{
    td_units units = whole_units(bytes, READ_UNIT_BYTES);
    return is_consistent ? units : units / 2;
}

td_units td_units_of_write(uint64_t bytes)
{
    return whole_units(bytes, WRITE_UNIT_BYTES);
}

td_units td_consumed_total(const td_consumed *consumed)
{
    td_units total = consumed->table;
    for (uint32_t i = 0; i < consumed->index_count; i++)
        total += consumed->indexes[i].units;
    return total;
}

static td_units whole_units(uint64_t bytes, uint64_t unit_bytes)
{
    uint64_t count = bytes / unit_bytes + (bytes % unit_bytes != 0);
    if (count == 0) count = 1; /* nothing found still costs the minimum */
    TD_ASSERT(count <= (uint64_t)(INT64_MAX / TD_UNITS_ONE));
    return (td_units)count * TD_UNITS_ONE;
}
