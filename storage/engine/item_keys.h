/* SPDX-License-Identifier: Apache-2.0
 * item_keys.h: the keys of a table's items, read off the items: their tree keeps none of its own (btree.h).
 *
 * An item has its key's attributes anyway; what they do not say is the hash that the key begins with. It is computed
 * where an order depends on it, which is nearly nowhere: a node of the tree has the first eight bytes of each key, and
 * keys of one collection have one hash.
 * Threads: any; it is immutable. */
#ifndef THERMODYN_ENGINE_ITEM_KEYS_H
#define THERMODYN_ENGINE_ITEM_KEYS_H

#include "thermodyn/btree.h"
#include "thermodyn/key.h"

struct td_schema;

typedef struct td_item_keys {
    td_btree_source source;   /* first: it is what the tree has */
    struct td_schema *schema; /* one reference; its key is the table's as long as the table lives */
    uint8_t by_name[2];       /* its parts in the order of their names */
    td_placement placement;
} td_item_keys;

/* Takes a reference to the schema. NULL: no memory. */
TD_MUST_USE td_item_keys *td_item_keys__new(struct td_schema *schema, td_placement placement);
void td_item_keys__free(td_item_keys *keys); /* NULL is allowed */

#endif
