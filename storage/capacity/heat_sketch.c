/* SPDX-License-Identifier: Apache-2.0
 * heat_sketch.c: Space-Saving on a binary min-heap and an open-addressed index of one byte a slot.
 *
 * Invariants: heap[places[c]].counter == c; no node is less than its parent; every counter in use is reached
 *             from its home slot without crossing a free one. */
#include "heat_sketch.h"

_Static_assert(TD_SKETCH_COUNTERS < UINT8_MAX, "a slot holds a counter's number and a mark for none");
_Static_assert(sizeof(td_sketch_counter) == 128, "a counter is two cache lines");

#define NOT_FOUND UINT32_MAX

static uint32_t find(const td_sketch *sketch, uint64_t hash);
static uint32_t take_least(td_sketch *sketch, const td_sketch_key *key);
static uint32_t take_free(td_sketch *sketch);
static void set_key(td_sketch *sketch, uint32_t counter, const td_sketch_key *key);
static void copy_text(uint8_t *to, td_slice text);
static void count_second(td_sketch_counter *counter, int64_t second, td_units amount);
static void insert_slot(td_sketch *sketch, uint32_t counter);
static void remove_slot(td_sketch *sketch, uint32_t counter);
static void sink(td_sketch *sketch, uint32_t place);
static void rise(td_sketch *sketch, uint32_t place);
static uint32_t home_of(uint64_t hash);
static uint32_t next_slot(uint32_t slot);

void td_sketch_init(td_sketch *sketch)
{
    sketch->count = 0;
    memset(sketch->slots, 0, sizeof sketch->slots);
}

void td_sketch_add(td_sketch *sketch, const td_sketch_key *key, int64_t second, td_units amount)
{
    TD_ASSERT(amount >= 0);
    uint32_t counter = find(sketch, key->hash);
    bool is_new = counter == NOT_FOUND && sketch->count < TD_SKETCH_COUNTERS;
    if (counter == NOT_FOUND) {
        counter = is_new ? take_free(sketch) : take_least(sketch, key);
        set_key(sketch, counter, key);
    }
    count_second(&sketch->counters[counter], second, amount);
    uint32_t place = sketch->places[counter];
    sketch->heap[place].amount += amount;
    if (is_new)
        rise(sketch, place);
    else
        sink(sketch, place);
}

void td_sketch_note(td_sketch *sketch, uint64_t hash, int64_t second, td_units amount)
{
    uint32_t counter = find(sketch, hash);
    if (counter != NOT_FOUND) count_second(&sketch->counters[counter], second, amount);
}

td_units td_sketch_rest(const td_sketch *sketch)
{
    return sketch->count < TD_SKETCH_COUNTERS ? 0 : sketch->heap[0].amount;
}

td_units td_sketch_amount(const td_sketch *sketch, uint32_t counter)
{
    TD_ASSERT(counter < sketch->count);
    return sketch->heap[sketch->places[counter]].amount;
}

td_units td_sketch_peak(const td_sketch *sketch, uint32_t counter)
{
    const td_sketch_counter *it = &sketch->counters[counter];
    return it->peak > it->in_second ? it->peak : it->in_second;
}

td_slice td_sketch_text(const td_sketch *sketch, uint32_t counter)
{
    const td_sketch_counter *it = &sketch->counters[counter];
    return td_slice_of(it->text, it->text_len < TD_SKETCH_KEY_BYTES ? it->text_len : TD_SKETCH_KEY_BYTES);
}

static uint32_t find(const td_sketch *sketch, uint64_t hash)
{
    for (uint32_t slot = home_of(hash); sketch->slots[slot] != 0; slot = next_slot(slot)) {
        uint32_t counter = sketch->slots[slot] - 1U;
        if (sketch->hashes[counter] == hash) return counter;
    }
    return NOT_FOUND;
}

static uint32_t take_free(td_sketch *sketch)
{
    uint32_t counter = sketch->count++;
    sketch->heap[counter] = (td_sketch_node){.amount = 0, .counter = counter};
    sketch->places[counter] = (uint8_t)counter;
    sketch->counters[counter].error = 0;
    return counter;
}

/* The counter changes hands with its amount. */
static uint32_t take_least(td_sketch *sketch, const td_sketch_key *key)
{
    uint32_t counter = sketch->heap[0].counter;
    TD_ASSERT(sketch->hashes[counter] != key->hash);
    remove_slot(sketch, counter);
    sketch->counters[counter].error = sketch->heap[0].amount;
    return counter;
}

static void set_key(td_sketch *sketch, uint32_t counter, const td_sketch_key *key)
{
    td_sketch_counter *it = &sketch->counters[counter];
    TD_ASSERT(key->collection_len <= key->text.len);
    sketch->hashes[counter] = key->hash;
    it->peak = 0;
    it->in_second = 0;
    it->second = 0;
    it->text_len = (uint32_t)key->text.len;
    it->collection_len = key->collection_len;
    copy_text(it->text, td_slice_of(key->text.ptr, td_sketch_text(sketch, counter).len));
    insert_slot(sketch, counter);
}

/* In blocks: of a length that it knows a bound of, the compiler makes a string instruction that takes longer to start
 * than all the rest of an update. */
static void copy_text(uint8_t *to, td_slice text)
{
    size_t at = 0;
    for (; at + 16 <= text.len; at += 16)
        memcpy(to + at, text.ptr + at, 16);
    for (; at < text.len; at++)
        to[at] = text.ptr[at];
}

static void count_second(td_sketch_counter *counter, int64_t second, td_units amount)
{
    if (counter->second != (uint16_t)second) {
        if (counter->in_second > counter->peak) counter->peak = counter->in_second;
        counter->in_second = 0;
        counter->second = (uint16_t)second;
    }
    counter->in_second += amount;
}

static void insert_slot(td_sketch *sketch, uint32_t counter)
{
    uint32_t slot = home_of(sketch->hashes[counter]);
    while (sketch->slots[slot] != 0)
        slot = next_slot(slot);
    sketch->slots[slot] = (uint8_t)(counter + 1);
}

/* Without tombstones: what follows moves up when the hole lies between its home and its slot. */
static void remove_slot(td_sketch *sketch, uint32_t counter)
{
    uint32_t hole = home_of(sketch->hashes[counter]);
    while (sketch->slots[hole] != counter + 1)
        hole = next_slot(hole);
    for (uint32_t slot = next_slot(hole); sketch->slots[slot] != 0; slot = next_slot(slot)) {
        uint32_t home = home_of(sketch->hashes[sketch->slots[slot] - 1]);
        uint32_t from_home = (slot - home) % TD_SKETCH_SLOTS;
        uint32_t from_hole = (slot - hole) % TD_SKETCH_SLOTS;
        if (from_home < from_hole) continue;
        sketch->slots[hole] = sketch->slots[slot];
        hole = slot;
    }
    sketch->slots[hole] = 0;
}

/* Amounts only grow: a counter moves away from the root. */
static void sink(td_sketch *sketch, uint32_t place)
{
    td_sketch_node moving = sketch->heap[place];
    for (;;) {
        uint32_t child = 2 * place + 1;
        if (child >= sketch->count) break;
        if (child + 1 < sketch->count) child += sketch->heap[child + 1].amount < sketch->heap[child].amount;
        if (sketch->heap[child].amount >= moving.amount) break;
        sketch->heap[place] = sketch->heap[child];
        sketch->places[sketch->heap[place].counter] = (uint8_t)place;
        place = child;
    }
    sketch->heap[place] = moving;
    sketch->places[moving.counter] = (uint8_t)place;
}

static void rise(td_sketch *sketch, uint32_t place)
{
    td_sketch_node moving = sketch->heap[place];
    while (place > 0 && sketch->heap[(place - 1) / 2].amount > moving.amount) {
        uint32_t parent = (place - 1) / 2;
        sketch->heap[place] = sketch->heap[parent];
        sketch->places[sketch->heap[place].counter] = (uint8_t)place;
        place = parent;
    }
    sketch->heap[place] = moving;
    sketch->places[moving.counter] = (uint8_t)place;
}

static uint32_t home_of(uint64_t hash)
{
    return (uint32_t)(hash % TD_SKETCH_SLOTS);
}

static uint32_t next_slot(uint32_t slot)
{
    return (slot + 1) % TD_SKETCH_SLOTS;
}
