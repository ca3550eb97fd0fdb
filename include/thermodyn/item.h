/* SPDX-License-Identifier: Apache-2.0
 * item.h: a stored item: one immutable, reference-counted block (decision D3).
 *
 * A writer makes a new block beside the old one and swaps the pointer; readers hold references, so that filters,
 * projections and replies run outside all locks. The block holds the item's attributes in a canonical encoding
 * (stored.h): equal items have equal bytes. A reply is written straight from the block; td_stored_decode makes a tree
 * where one is needed.
 * Threads: any; the count is atomic. */
#ifndef THERMODYN_ITEM_H
#define THERMODYN_ITEM_H

#include "thermodyn/arena.h"
#include "thermodyn/stored.h"
#include "thermodyn/value.h"

typedef struct td_item td_item;

/* Encodes sorted attributes. NULL: no memory. The caller owns one reference. */
TD_MUST_USE td_item *td_item_new(const td_attribute *attributes, uint32_t count);

/* A new item of those of the item's attributes that `names` (sorted) lists: index projections. NULL: no memory. */
TD_MUST_USE td_item *td_item_project(const td_item *item, const td_slice *names, uint32_t name_count);

td_item *td_item_ref(td_item *item);
void td_item_unref(td_item *item); /* NULL is allowed */

/* A reference that the arena gives back at its reset; false: no memory (no reference was taken). */
TD_MUST_USE bool td_item_ref_in(td_item *item, td_arena *arena);

uint32_t td_item_size(const td_item *item);         /* DynamoDB's rule, in bytes: what capacity and limits count */
uint32_t td_item_count(const td_item *item);        /* attributes */
uint32_t td_item_memory_bytes(const td_item *item); /* of the block */
bool td_item_equal(const td_item *a, const td_item *b);

/* A note on the block: no name or string in it needs escapes in JSON. Who has printed the item knows, and the next one
 * need not look again. */
bool td_item_is_known_plain(const td_item *item);
void td_item_note_plain(const td_item *item);

/* The attributes of the item as an M. */
td_stored td_item_contents(const td_item *item);

/* false: no such attribute. */
bool td_item_find(const td_item *item, td_slice name, td_stored *ret_value);

/* All attributes as a sorted array. */
TD_MUST_USE td_status td_item_decode(const td_item *item, td_arena *arena, td_attribute **ret_attributes,
                                     uint32_t *ret_count);

/* Bytes ↔ items for a durable record and for fuzzing: the encoding alone, and a check of foreign bytes. */
td_slice td_item_bytes(const td_item *item);
bool td_item_is_encoding(td_slice bytes); /* the canonical encoding of an item */
TD_MUST_USE td_item *td_item_from_bytes(td_slice bytes); /* NULL: not a canonical encoding, or no memory */

#endif
