/* SPDX-License-Identifier: Apache-2.0
 * sort.h: a stable sort that needs no memory. */
#ifndef TD_VALUE_SORT_H
#define TD_VALUE_SORT_H

#include "thermodyn/base.h"

#define TD_VALUE_SORT_ELEMENT_BYTES_MAX 64

/* Orders elements by the td_slice that each begins with. Stable. Elements are a multiple of 16 bytes. What is sorted
 * already costs one comparison an element; else n log n comparisons and n log² n moves. */
void td_value__sort(void *base, uint32_t count, size_t element_bytes);

#endif
