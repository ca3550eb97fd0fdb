/* SPDX-License-Identifier: Apache-2.0
 * schema.h: what a table looks like at one moment: names, keys, indexes and their projections.
 *
 * A schema is immutable and reference-counted. A table has one at a time; UpdateTable makes another and swaps it under
 * the table's lock, so that a request that works outside the lock keeps what it has seen, and notices by the pointer
 * when it was swapped meanwhile. Everything in it lives in its own arena.
 * Threads: any; the count is atomic. */
#ifndef THERMODYN_ENGINE_SCHEMA_H
#define THERMODYN_ENGINE_SCHEMA_H

#include "thermodyn/table.h"

#define TD_INDEX_KEY_NAMES_MAX (TD_KEY_PARTS_MAX + 2)

typedef struct td_index_schema {
    td_index_spec spec;  /* as created; its throughputs are the resource's business */
    td_slice *projected; /* KEYS_ONLY and INCLUDE: the attributes of an entry, sorted */
    uint32_t projected_count;
    td_slice
        key_names[TD_INDEX_KEY_NAMES_MAX]; /* attributes of a LastEvaluatedKey: the table's key, then the index's */
    uint32_t key_name_count;
} td_index_schema;

typedef struct td_schema {
    _Atomic uint32_t references;
    td_arena arena;
    td_slice scope;
    td_slice table;
    td_attribute_definition *definitions;
    uint32_t definition_count;
    td_key_schema key;
    td_slice key_names[2];
    td_encryption encryption;
    td_index_schema *indexes; /* local ones first; resource 1 + i of the table is indexes[local_count + i] */
    uint32_t index_count;
    uint32_t local_count;
    uint8_t by_name[TD_INDEXES_MAX]; /* the indexes in the order of their names: the order of complaints */
} td_schema;

/* A deep copy of what the spec says. NULL: no memory. The caller owns one reference. */
TD_MUST_USE td_schema *td_schema__new(td_slice scope, const td_table_spec *spec);
td_schema *td_schema__ref(td_schema *schema);
void td_schema__unref(td_schema *schema); /* NULL is allowed */

/* The other way round: what the schema copied from its spec, to make a changed one of, with room for one more index.
 * Borrowed from the schema and the arena. false: no memory. */
TD_MUST_USE bool td_schema__get_spec(const td_schema *schema, td_arena *arena, td_table_spec *ret_spec);

/* Position of the index, or -1. */
int td_schema__find_index(const td_schema *schema, td_slice name);

static inline const td_index_schema *td_schema__global(const td_schema *schema, uint32_t at)
{
    return &schema->indexes[schema->local_count + at];
}

static inline uint32_t td_schema__global_count(const td_schema *schema)
{
    return schema->index_count - schema->local_count;
}

#endif
