/* SPDX-License-Identifier: Apache-2.0
 * schema.c: copies of table specifications that outlive their request, with what is derived from them.
 * Not here: throughput, status, sizes (resource.c, table.c). */
#include "schema.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "thermodyn/memory.h"

/* Names of 255 bytes, 100 projected attributes, 25 indexes of 8 parts: well below this. */
#define SCHEMA_BYTES_MAX ((size_t)4 << 20)

static bool fill(td_schema *schema, td_slice scope, const td_table_spec *spec);
static bool copy_definitions(td_schema *schema, const td_table_spec *spec);
static bool is_key_of_any(const td_table_spec *spec, td_slice name);
static bool copy_key(td_arena *arena, const td_key_schema *key, td_key_schema *ret_key);
static bool copy_index(td_schema *schema, const td_index_spec *spec, td_index_schema *ret_index);
static bool fill_projected(td_schema *schema, td_index_schema *index);
static void fill_key_names(const td_schema *schema, td_index_schema *index);
static void sort_by_name(td_schema *schema);

td_schema *td_schema__new(td_slice scope, const td_table_spec *spec)
{
    td_schema *schema = td_alloc_zero(sizeof *schema);
    if (schema == NULL) return NULL;
    atomic_init(&schema->references, 1);
    td_arena_init(&schema->arena, SCHEMA_BYTES_MAX);
    if (!fill(schema, scope, spec)) {
        td_schema__unref(schema);
        return NULL;
    }
    return schema;
}

td_schema *td_schema__ref(td_schema *schema)
{
    atomic_fetch_add_explicit(&schema->references, 1, memory_order_relaxed);
    return schema;
}

void td_schema__unref(td_schema *schema)
{
    if (schema == NULL) return;
    uint32_t before = atomic_fetch_sub_explicit(&schema->references, 1, memory_order_acq_rel);
    TD_ASSERT(before > 0);
    if (before > 1) return;
    td_arena_done(&schema->arena);
    td_free(schema);
}

int td_schema__find_index(const td_schema *schema, td_slice name)
{
    for (uint32_t i = 0; i < schema->index_count; i++) {
        if (td_slice_equal(schema->indexes[i].spec.name, name)) return (int)i;
    }
    return -1;
}

bool td_schema__get_spec(const td_schema *schema, td_arena *arena, td_table_spec *ret_spec)
{
    td_index_spec *indexes = td_arena_alloc_array(arena, schema->index_count + 1, sizeof *indexes);
    if (indexes == NULL) return false;
    for (uint32_t i = 0; i < schema->index_count; i++)
        indexes[i] = schema->indexes[i].spec;
    *ret_spec = (td_table_spec){
        .name = schema->table,
        .definitions = schema->definitions,
        .definition_count = schema->definition_count,
        .key = schema->key,
        .indexes = indexes,
        .index_count = schema->index_count,
        .encryption = schema->encryption,
    };
    return true;
}

static bool fill(td_schema *schema, td_slice scope, const td_table_spec *spec)
{
    td_arena *arena = &schema->arena;
    TD_ASSERT(spec->index_count <= TD_INDEXES_MAX);
    if (!td_arena_copy(arena, scope, &schema->scope)) return false;
    if (!td_arena_copy(arena, spec->name, &schema->table)) return false;
    if (!copy_definitions(schema, spec)) return false;
    if (!copy_key(arena, &spec->key, &schema->key)) return false;
    for (uint32_t i = 0; i < td_key_part_count(&schema->key); i++)
        schema->key_names[i] = schema->key.parts[i].name;
    schema->encryption = spec->encryption;
    if (!td_arena_copy(arena, spec->encryption.kms_key_id, &schema->encryption.kms_key_id)) return false;

    schema->indexes = td_arena_alloc_array(arena, spec->index_count, sizeof *schema->indexes);
    if (schema->indexes == NULL) return false;
    schema->index_count = spec->index_count;
    for (uint32_t i = 0; i < spec->index_count; i++) {
        if (!copy_index(schema, &spec->indexes[i], &schema->indexes[i])) return false;
        if (spec->indexes[i].is_global) continue;
        TD_ASSERT(schema->local_count == i);
        schema->local_count++;
    }
    sort_by_name(schema);
    return true;
}

static bool copy_definitions(td_schema *schema, const td_table_spec *spec)
{
    schema->definitions = td_arena_alloc_array(&schema->arena, spec->definition_count, sizeof *schema->definitions);
    if (schema->definitions == NULL) return false;
    for (uint32_t i = 0; i < spec->definition_count; i++) {
        if (!is_key_of_any(spec, spec->definitions[i].name)) continue;
        td_attribute_definition *copy = &schema->definitions[schema->definition_count++];
        copy->type = spec->definitions[i].type;
        if (!td_arena_copy(&schema->arena, spec->definitions[i].name, &copy->name)) return false;
    }
    return true;
}

/* Definitions that no key uses are dropped: those of an index that went away, and what an UpdateTable sent in vain. */
static bool is_key_of_any(const td_table_spec *spec, td_slice name)
{
    if (td_key_find_part(&spec->key, name) >= 0) return true;
    for (uint32_t i = 0; i < spec->index_count; i++) {
        if (td_key_find_part(&spec->indexes[i].key, name) >= 0) return true;
    }
    return false;
}

static bool copy_key(td_arena *arena, const td_key_schema *key, td_key_schema *ret_key)
{
    *ret_key = *key;
    for (uint32_t i = 0; i < td_key_part_count(key); i++) {
        if (!td_arena_copy(arena, key->parts[i].name, &ret_key->parts[i].name)) return false;
    }
    return true;
}

static bool copy_index(td_schema *schema, const td_index_spec *spec, td_index_schema *ret_index)
{
    td_arena *arena = &schema->arena;
    *ret_index = (td_index_schema){.spec = *spec};
    if (!td_arena_copy(arena, spec->name, &ret_index->spec.name)) return false;
    if (!copy_key(arena, &spec->key, &ret_index->spec.key)) return false;
    uint32_t count = spec->non_key_attribute_count;
    ret_index->spec.non_key_attributes = td_arena_alloc_array(arena, count, sizeof(td_slice));
    if (ret_index->spec.non_key_attributes == NULL) return false;
    for (uint32_t i = 0; i < count; i++) {
        td_slice *copy = &ret_index->spec.non_key_attributes[i];
        if (!td_arena_copy(arena, spec->non_key_attributes[i], copy)) return false;
    }
    fill_key_names(schema, ret_index);
    return spec->projection == TD_PROJECT_ALL || fill_projected(schema, ret_index);
}

static int compare_slices(const void *a, const void *b)
{
    return td_slice_compare(*(const td_slice *)a, *(const td_slice *)b);
}

/* The keys of table and index, and what INCLUDE adds, each name once. */
static bool fill_projected(td_schema *schema, td_index_schema *index)
{
    uint32_t room = index->key_name_count + index->spec.non_key_attribute_count;
    td_slice *names = td_arena_alloc_array(&schema->arena, room, sizeof *names);
    if (names == NULL) return false;
    memcpy(names, index->key_names, index->key_name_count * sizeof *names);
    memcpy(names + index->key_name_count, index->spec.non_key_attributes,
           index->spec.non_key_attribute_count * sizeof *names);
    qsort(names, room, sizeof *names, compare_slices);
    uint32_t count = 0;
    for (uint32_t i = 0; i < room; i++) {
        if (count == 0 || !td_slice_equal(names[count - 1], names[i])) names[count++] = names[i];
    }
    index->projected = names;
    index->projected_count = count;
    return true;
}

static void fill_key_names(const td_schema *schema, td_index_schema *index)
{
    for (uint32_t i = 0; i < td_key_part_count(&schema->key); i++) {
        index->key_names[index->key_name_count++] = schema->key.parts[i].name;
    }
    for (uint32_t i = 0; i < td_key_part_count(&index->spec.key); i++) {
        td_slice name = index->spec.key.parts[i].name;
        if (td_key_find_part(&schema->key, name) < 0) index->key_names[index->key_name_count++] = name;
    }
}

static void sort_by_name(td_schema *schema)
{
    for (uint32_t i = 0; i < schema->index_count; i++) {
        uint32_t at = i;
        while (at > 0 &&
               td_slice_compare(schema->indexes[schema->by_name[at - 1]].spec.name, schema->indexes[i].spec.name) > 0) {
            schema->by_name[at] = schema->by_name[at - 1];
            at--;
        }
        schema->by_name[at] = (uint8_t)i;
    }
}
