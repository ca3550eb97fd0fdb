/* SPDX-License-Identifier: Apache-2.0
 * heat_top.c: lists of hottest keys.
 *
 * A closed minute keeps its 25 hottest, and of those the ones that certainly have a thousandth of its traffic: evenly
 * spread traffic leaves an empty list behind. A key takes 48 bytes and its text. */
#include "heat_top.h"

#include <stdlib.h>

#include "thermodyn/memory.h"

#define KEPT_SHARE 1000 /* of the total: one part of so many */

/* A counter, to be sorted. */
typedef struct candidate {
    td_units least; /* amount - error */
    td_units amount;
    uint32_t counter;
} candidate;

static uint32_t rank(const td_sketch *sketch, candidate candidates[TD_SKETCH_COUNTERS]);
static uint32_t choose(const td_sketch *sketch, td_units total, const candidate *candidates, uint32_t count,
                       td_units *ret_rest);
static size_t bytes_of(const td_sketch *sketch, const candidate *candidates, uint32_t count);
static void fill(td_heat_top *top, const td_sketch *sketch, const candidate *candidates);
static int compare_candidates(const void *a, const void *b);
static int compare_hashes(const void *a, const void *b);
static int compare_sums(const void *a, const void *b);
static void append_relative(const td_heat_top *top, td_heat_sums *sums);
static void fold(td_heat_sums *sums, td_units rest);

td_heat_top *td_heat_top_close(const td_sketch *sketch, int64_t minute, td_units total)
{
    candidate candidates[TD_SKETCH_COUNTERS];
    td_heat_top head = {.minute = minute, .total = total};
    head.count = choose(sketch, total, candidates, rank(sketch, candidates), &head.rest);
    td_heat_top *top = td_alloc(bytes_of(sketch, candidates, head.count));
    if (top == NULL) return NULL;
    memcpy(top, &head, sizeof head);
    fill(top, sketch, candidates);
    return top;
}

td_heat_top *td_heat_top_copy(const td_sketch *sketch, int64_t minute, td_units total, td_arena *arena)
{
    candidate candidates[TD_SKETCH_COUNTERS];
    td_heat_top head = {.minute = minute, .total = total, .rest = td_sketch_rest(sketch)};
    head.count = rank(sketch, candidates);
    td_heat_top *top = td_arena_alloc(arena, bytes_of(sketch, candidates, head.count));
    if (top == NULL) return NULL;
    memcpy(top, &head, sizeof head);
    fill(top, sketch, candidates);
    return top;
}

td_slice td_heat_top_text(const td_heat_top *top, uint32_t at)
{
    TD_ASSERT(at < top->count);
    const td_heat_top_key *key = &top->keys[at];
    uint32_t len = key->text_len < TD_SKETCH_KEY_BYTES ? key->text_len : TD_SKETCH_KEY_BYTES;
    return td_slice_of((const uint8_t *)&top->keys[top->count] + key->text_at, len);
}

uint64_t td_heat_top_bytes(const td_heat_top *top)
{
    uint64_t bytes = sizeof *top + top->count * sizeof *top->keys;
    for (uint32_t i = 0; i < top->count; i++)
        bytes += td_heat_top_text(top, i).len;
    return bytes;
}

bool td_heat_top_merge(const td_heat_top *const *tops, uint32_t count, td_arena *arena, td_heat_sums *ret_sums)
{
    size_t room = 0;
    td_units rest = 0;
    td_heat_sums sums = {.total = 0};
    for (uint32_t i = 0; i < count; i++) {
        room += tops[i]->count;
        rest += tops[i]->rest;
        sums.total += tops[i]->total;
    }
    sums.keys = td_arena_alloc_array(arena, room, sizeof *sums.keys);
    if (sums.keys == NULL) return false;
    for (uint32_t i = 0; i < count; i++)
        append_relative(tops[i], &sums);
    TD_ASSERT(sums.count == room);
    if (sums.count > 0) qsort(sums.keys, sums.count, sizeof *sums.keys, compare_hashes);
    fold(&sums, rest);
    sums.rest = rest < sums.total ? rest : sums.total;
    if (sums.count > 0) qsort(sums.keys, sums.count, sizeof *sums.keys, compare_sums);
    *ret_sums = sums;
    return true;
}

static uint32_t rank(const td_sketch *sketch, candidate candidates[TD_SKETCH_COUNTERS])
{
    for (uint32_t i = 0; i < sketch->count; i++) {
        td_units amount = td_sketch_amount(sketch, i);
        candidates[i] = (candidate){amount - sketch->counters[i].error, amount, i};
    }
    if (sketch->count > 0) qsort(candidates, sketch->count, sizeof *candidates, compare_candidates);
    return sketch->count;
}

static uint32_t choose(const td_sketch *sketch, td_units total, const candidate *candidates, uint32_t count,
                       td_units *ret_rest)
{
    uint32_t kept = 0;
    while (kept < count && kept < TD_HEAT_TOP_KEYS && candidates[kept].least >= total / KEPT_SHARE)
        kept++;
    td_units rest = td_sketch_rest(sketch);
    for (uint32_t i = kept; i < count; i++) {
        if (candidates[i].amount > rest) rest = candidates[i].amount;
    }
    *ret_rest = rest;
    return kept;
}

static size_t bytes_of(const td_sketch *sketch, const candidate *candidates, uint32_t count)
{
    size_t bytes = sizeof(td_heat_top) + count * sizeof(td_heat_top_key);
    for (uint32_t i = 0; i < count; i++)
        bytes += td_sketch_text(sketch, candidates[i].counter).len;
    return bytes;
}

static void fill(td_heat_top *top, const td_sketch *sketch, const candidate *candidates)
{
    uint32_t at = 0;
    uint8_t *texts = (uint8_t *)&top->keys[top->count];
    for (uint32_t i = 0; i < top->count; i++) {
        const td_sketch_counter *counter = &sketch->counters[candidates[i].counter];
        td_slice text = td_sketch_text(sketch, candidates[i].counter);
        top->keys[i] = (td_heat_top_key){.hash = sketch->hashes[candidates[i].counter],
                                         .amount = candidates[i].amount,
                                         .error = counter->error,
                                         .peak = td_sketch_peak(sketch, candidates[i].counter),
                                         .text_len = counter->text_len,
                                         .collection_len = counter->collection_len,
                                         .text_at = at};
        memcpy(texts + at, text.ptr, text.len);
        at += (uint32_t)text.len;
    }
}

/* The surest first; then the least uncertain bound, then the order of the counters, so that equal runs are equal. */
static int compare_candidates(const void *a, const void *b)
{
    const candidate *x = a;
    const candidate *y = b;
    if (x->least != y->least) return x->least > y->least ? -1 : 1;
    if (x->amount != y->amount) return x->amount < y->amount ? -1 : 1;
    return (x->counter > y->counter) - (x->counter < y->counter);
}

static int compare_hashes(const void *a, const void *b)
{
    const td_heat_sum *x = a;
    const td_heat_sum *y = b;
    return (x->hash > y->hash) - (x->hash < y->hash);
}

static int compare_sums(const void *a, const void *b)
{
    const td_heat_sum *x = a;
    const td_heat_sum *y = b;
    td_units least_x = x->amount - x->error;
    td_units least_y = y->amount - y->error;
    if (least_x != least_y) return least_x > least_y ? -1 : 1;
    if (x->amount != y->amount) return x->amount < y->amount ? -1 : 1;
    return compare_hashes(a, b);
}

/* What each key has beyond the list's rest, which every key gets afterwards. */
static void append_relative(const td_heat_top *top, td_heat_sums *sums)
{
    for (uint32_t i = 0; i < top->count; i++) {
        const td_heat_top_key *key = &top->keys[i];
        sums->keys[sums->count++] = (td_heat_sum){.hash = key->hash,
                                                  .amount = key->amount - top->rest,
                                                  .error = key->error - top->rest,
                                                  .peak = key->peak,
                                                  .text = td_heat_top_text(top, i),
                                                  .text_len = key->text_len,
                                                  .collection_len = key->collection_len};
    }
}

/* Entries of one key, which lie side by side, become one; nobody has more than there was. */
static void fold(td_heat_sums *sums, td_units rest)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < sums->count; i++) {
        td_heat_sum *into = count == 0 ? NULL : &sums->keys[count - 1];
        const td_heat_sum *from = &sums->keys[i];
        if (into == NULL || into->hash != from->hash) {
            sums->keys[count++] = *from;
            continue;
        }
        into->amount += from->amount;
        into->error += from->error;
        if (from->peak > into->peak) into->peak = from->peak;
    }
    sums->count = count;
    for (uint32_t i = 0; i < count; i++) {
        td_heat_sum *sum = &sums->keys[i];
        sum->amount += rest;
        sum->error += rest;
        if (sum->amount > sums->total) {
            sum->error -= sum->amount - sums->total;
            sum->amount = sums->total;
        }
        TD_ASSERT(sum->error >= 0);
    }
}
