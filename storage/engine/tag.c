/* SPDX-License-Identifier: Apache-2.0
 * tag.c: tags of a table.
 * Not here: what a tag may look like (the server's: its texts are about the request). */
#include "tag.h"

#include "thermodyn/limits.h"
#include "thermodyn/memory.h"

#include "catalog.h"

static td_status change(const td_call *call, const td_tag *put, uint32_t put_count, const td_slice *removed,
                        uint32_t removed_count, td_error *error);
static bool is_among(td_slice key, const td_slice *keys, uint32_t count);
static void place(td_tag *sorted, uint32_t *count, const td_tag *tag);
static td_tags *copy(const td_tag *tags, uint32_t count);

td_status td_tag_put(const td_call *call, const td_tag *tags, uint32_t count, td_error *error)
{
    return change(call, tags, count, NULL, 0, error);
}

td_status td_tag_remove(const td_call *call, const td_slice *keys, uint32_t count, td_error *error)
{
    return change(call, NULL, 0, keys, count, error);
}

td_status td_tag_list(const td_call *call, td_tag **ret_tags, uint32_t *ret_count, td_error *error)
{
    td_table *table = td_catalog__find(call->store, call->scope, call->table);
    if (table == NULL) return TD_RAISE(error, TD_MSG_TABLE_NOT_FOUND, call->table);
    td_table__lock(table);
    uint32_t count = table->tags == NULL ? 0 : table->tags->count;
    td_tag *tags = td_arena_alloc_array(call->arena, count, sizeof *tags);
    bool is_copied = tags != NULL;
    for (uint32_t i = 0; i < count && is_copied; i++) {
        is_copied = td_arena_copy(call->arena, table->tags->entries[i].key, &tags[i].key) &&
                    td_arena_copy(call->arena, table->tags->entries[i].value, &tags[i].value);
    }
    td_table__unlock(table);
    td_table__unref(table);
    if (!is_copied) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    *ret_tags = tags;
    *ret_count = count;
    return TD_OK;
}

td_status td_tags__change(const td_tags *old, const td_tag *put, uint32_t put_count, const td_slice *removed,
                          uint32_t removed_count, td_tags **ret_tags)
{
    td_tag sorted[2 * TD_LIMIT_TAGS_MAX];
    uint32_t count = 0;
    if (put_count > TD_LIMIT_TAGS_MAX) return TD_LIMIT_EXCEEDED;
    for (uint32_t i = 0; old != NULL && i < old->count; i++) {
        if (!is_among(old->entries[i].key, removed, removed_count)) sorted[count++] = old->entries[i];
    }
    for (uint32_t i = 0; i < put_count; i++)
        place(sorted, &count, &put[i]);
    if (count > TD_LIMIT_TAGS_MAX) return TD_LIMIT_EXCEEDED;
    td_tags *tags = count == 0 ? NULL : copy(sorted, count);
    if (count > 0 && tags == NULL) return TD_OUT_OF_MEMORY;
    *ret_tags = tags;
    return TD_OK;
}

void td_tags__unref(td_tags *tags)
{
    if (tags == NULL) return;
    uint32_t before = atomic_fetch_sub_explicit(&tags->references, 1, memory_order_acq_rel);
    TD_ASSERT(before > 0);
    if (before == 1) td_free(tags);
}

static td_status change(const td_call *call, const td_tag *put, uint32_t put_count, const td_slice *removed,
                        uint32_t removed_count, td_error *error)
{
    TD_TRY(td_journal__begin(call, error));
    td_table *table = td_catalog__find(call->store, call->scope, call->table);
    if (table == NULL) return TD_RAISE(error, TD_MSG_TABLE_NOT_FOUND, call->table);
    td_table__lock(table);
    td_tags *tags = NULL;
    td_status status = td_tags__change(table->tags, put, put_count, removed, removed_count, &tags);
    if (status == TD_OK) {
        td_tags__unref(table->tags);
        table->tags = tags;
        td_journal__mark_table(table);
    }
    td_table__unlock(table);
    td_table__unref(table);
    if (status == TD_LIMIT_EXCEEDED) return TD_RAISE(error, TD_MSG_TAG_COUNT_EXCEEDED);
    return status == TD_OK ? TD_OK : TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
}

static bool is_among(td_slice key, const td_slice *keys, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (td_slice_equal(keys[i], key)) return true;
    }
    return false;
}

/* In the order of keys; one of the same key is replaced. */
static void place(td_tag *sorted, uint32_t *count, const td_tag *tag)
{
    uint32_t at = 0;
    while (at < *count && td_slice_compare(sorted[at].key, tag->key) < 0)
        at++;
    if (at < *count && td_slice_equal(sorted[at].key, tag->key)) {
        sorted[at].value = tag->value;
        return;
    }
    memmove(&sorted[at + 1], &sorted[at], (*count - at) * sizeof *sorted);
    sorted[at] = *tag;
    ++*count;
}

/* One block. NULL: no memory. */
static td_tags *copy(const td_tag *tags, uint32_t count)
{
    size_t bytes = 0;
    for (uint32_t i = 0; i < count; i++)
        bytes += tags[i].key.len + tags[i].value.len;
    td_tags *made = td_alloc(sizeof *made + count * sizeof *tags + bytes);
    if (made == NULL) return NULL;
    atomic_init(&made->references, 1);
    made->count = count;
    uint8_t *next = (uint8_t *)&made->entries[count];
    for (uint32_t i = 0; i < count; i++) {
        const td_slice from[] = {tags[i].key, tags[i].value};
        td_slice *to[] = {&made->entries[i].key, &made->entries[i].value};
        for (size_t side = 0; side < TD_COUNT_OF(from); side++) {
            if (from[side].len > 0) memcpy(next, from[side].ptr, from[side].len);
            *to[side] = td_slice_of(next, from[side].len);
            next += from[side].len;
        }
    }
    return made;
}
