/* SPDX-License-Identifier: MIT
 * sort.c: a stable sort in place: sorted runs by insertion, then merges by rotation.
 *
 * Model:    Kim and Kutzner, "Stable Minimum Storage Merging by Symmetric Comparisons" (2004). libc's qsort is neither
 *           stable nor free of the system's allocator, and a merge with scratch memory could fail, which callers that
 *           sort in place have no use for.
 * Bounds:   the recursion halves its range, so it is at most 32 levels of each kind deep. */
#include "sort.h"

enum { RUN_LENGTH = 16, BLOCK_BYTES = 16 };

typedef struct sorter {
    uint8_t *base;
    size_t element_bytes;
    int (*compare_cb)(const void *a, const void *b);
} sorter;

static void insert_sort(const sorter *sort, uint32_t begin, uint32_t end);
static void merge(const sorter *sort, uint32_t begin, uint32_t middle, uint32_t end);
static void rotate(const sorter *sort, uint32_t begin, uint32_t middle, uint32_t end);
static void swap_ranges(const sorter *sort, uint32_t a, uint32_t b, uint32_t count);

static uint8_t *element(const sorter *sort, uint32_t index) { return sort->base + index * sort->element_bytes; }

static bool is_less(const sorter *sort, uint32_t a, uint32_t b)
{
    return sort->compare_cb(element(sort, a), element(sort, b)) < 0;
}

void td_value__sort(void *base, uint32_t count, size_t element_bytes, int (*compare_cb)(const void *a, const void *b))
{
    TD_ASSERT(element_bytes <= TD_VALUE_SORT_ELEMENT_BYTES_MAX);
    TD_ASSERT(element_bytes % BLOCK_BYTES == 0);
    TD_ASSERT(count <= UINT32_MAX / 4);
    sorter sort = {base, element_bytes, compare_cb};
    for (uint32_t begin = 0; begin < count; begin += RUN_LENGTH)
        insert_sort(&sort, begin, count - begin < RUN_LENGTH ? count : begin + RUN_LENGTH);
    for (uint32_t length = RUN_LENGTH; length < count; length *= 2)
        for (uint32_t begin = 0; count - begin > length; begin += 2 * length) {
            uint32_t end = count - begin < 2 * length ? count : begin + 2 * length;
            merge(&sort, begin, begin + length, end);
            if (end == count) break;
        }
}

static void insert_sort(const sorter *sort, uint32_t begin, uint32_t end)
{
    uint8_t held[TD_VALUE_SORT_ELEMENT_BYTES_MAX];
    for (uint32_t i = begin + 1; i < end; i++) {
        if (!is_less(sort, i, i - 1)) continue;
        memcpy(held, element(sort, i), sort->element_bytes);
        uint32_t at = i;
        while (at > begin && sort->compare_cb(held, element(sort, at - 1)) < 0)
            at--;
        memmove(element(sort, at + 1), element(sort, at), (i - at) * sort->element_bytes);
        memcpy(element(sort, at), held, sort->element_bytes);
    }
}

/* Merges the sorted neighbours [begin, middle) and [middle, end): finds by symmetric comparisons what must change
 * sides of the range's centre, rotates it there, and goes on with both halves. */
static void merge(const sorter *sort, uint32_t begin, uint32_t middle, uint32_t end)
{
    if (begin == middle || middle == end) return;
    if (!is_less(sort, middle, middle - 1)) return;
    if (end - begin == 2) {
        swap_ranges(sort, begin, middle, 1);
        return;
    }
    uint32_t centre = begin + (end - begin) / 2;
    uint32_t mirror = centre + middle; /* i of the left pairs with mirror - 1 - i of the right */
    uint32_t low = middle > centre ? mirror - end : begin;
    uint32_t high = middle > centre ? centre : middle;
    while (low < high) {
        uint32_t probe = low + (high - low) / 2;
        if (!is_less(sort, mirror - 1 - probe, probe))
            low = probe + 1;
        else
            high = probe;
    }
    uint32_t right = mirror - low;
    rotate(sort, low, middle, right);
    merge(sort, begin, low, centre);
    merge(sort, centre, right, end);
}

/* Brings [middle, end) before [begin, middle) by swaps of equal lengths. */
static void rotate(const sorter *sort, uint32_t begin, uint32_t middle, uint32_t end)
{
    uint32_t left = middle - begin, right = end - middle;
    if (left == 0 || right == 0) return;
    while (left != right) {
        if (left > right) {
            swap_ranges(sort, middle - left, middle, right);
            left -= right;
        } else {
            swap_ranges(sort, middle - left, middle + right - left, left);
            right -= left;
        }
    }
    swap_ranges(sort, middle - left, middle, left);
}

/* The ranges do not overlap, so that they are swapped as plain bytes, in blocks whose size the compiler knows. */
static void swap_ranges(const sorter *sort, uint32_t a, uint32_t b, uint32_t count)
{
    uint8_t *left = element(sort, a), *right = element(sort, b);
    size_t rest = count * sort->element_bytes;
    for (; rest >= BLOCK_BYTES; rest -= BLOCK_BYTES, left += BLOCK_BYTES, right += BLOCK_BYTES) {
        uint8_t held[BLOCK_BYTES];
        memcpy(held, left, BLOCK_BYTES);
        memcpy(left, right, BLOCK_BYTES);
        memcpy(right, held, BLOCK_BYTES);
    }
    TD_ASSERT(rest == 0);
}
