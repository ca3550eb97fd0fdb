/* SPDX-License-Identifier: Apache-2.0
 * restore.c: space by space from the disk into an empty store.
 * Not here: documents of tables (restore_table.c), items (restore_item.c), streams (restore_stream.c). */
#include "restore.h"

#include <stdarg.h>
#include <stdio.h>

#include "thermodyn/memory.h"

#include "catalog.h"
#include "settings.h"

#define KEY_BYTES_MAX ((size_t)1 << 17)

static td_restored add_settings(td_restore *restore, td_slice document);
static td_restored add_table(td_restore *restore, td_slice key, td_slice document);
static td_restored add_item(td_restore *restore, td_slice key, td_slice value);
static td_restored add_stream(td_restore *restore, td_slice key, td_slice document);
static td_restored add_change(td_restore *restore, td_slice key, td_slice value);
static td_restored add_token(td_restore *restore, td_slice key, td_slice value);
static bool read_number(td_slice key, uint32_t *ret_number);
static bool read_whole_number(td_slice key, uint32_t *ret_number);
static td_table *find_table(td_restore *restore, uint32_t number);
static td_stream *find_stream(td_restore *restore, uint32_t number);

td_restore *td_restore_new(td_store *store, td_time_us now_us)
{
    TD_ASSERT(td_store_table_count(store) == 0);
    td_restore *restore = td_alloc_zero(sizeof *restore);
    if (restore == NULL) return NULL;
    restore->store = store;
    restore->now_us = now_us;
    td_buf_init(&restore->key, KEY_BYTES_MAX);
    return restore;
}

void td_restore_free(td_restore *restore)
{
    if (restore == NULL) return;
    td_buf_done(&restore->key);
    td_free(restore->tables);
    td_free(restore->streams);
    td_free(restore);
}

void td_restore_doubt(td_restore *restore)
{
    restore->is_doubted = true;
}

td_restored td_restore_add(td_restore *restore, td_space space, td_slice key, td_slice value)
{
    switch (space) {
    case TD_SPACE_META:
        return td_slice_equal(key, TD_LIT(TD_PERSIST_SETTINGS)) ? add_settings(restore, value) : TD_RESTORED;
    case TD_SPACE_TABLES: return add_table(restore, key, value);
    case TD_SPACE_ITEMS: return add_item(restore, key, value);
    case TD_SPACE_STREAMS: return add_stream(restore, key, value);
    case TD_SPACE_CHANGES: return add_change(restore, key, value);
    case TD_SPACE_TOKENS: return add_token(restore, key, value);
    case TD_SPACE_COUNT: break;
    }
    TD_UNREACHABLE("a space");
}

/* Streams before tables: what the tables' settings ask for may split partitions, and with them shards. */
td_restored td_restore_finish(td_restore *restore)
{
    td_restored restored = TD_RESTORED;
    for (uint32_t i = 0; restored == TD_RESTORED && i < restore->stream_count; i++)
        restored = td_restore__finish_stream(restore, restore->streams[i]);
    for (uint32_t i = 0; restored == TD_RESTORED && i < restore->table_count; i++)
        restored = td_restore__finish_table(restore, restore->tables[i]);
    return restored;
}

const char *td_restore_get_sentence(const td_restore *restore)
{
    return restore->sentence;
}

td_restored td_restore__damaged(td_restore *restore, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(restore->sentence, sizeof restore->sentence, format, args);
    va_end(args);
    return TD_RESTORE_DAMAGED;
}

bool td_restore__add_pointer(void *list, uint32_t *count, uint32_t *room, void *pointer)
{
    void **pointers;
    memcpy(&pointers, list, sizeof pointers);
    if (*count == *room) {
        uint32_t grown = *room == 0 ? 16 : 2 * *room;
        pointers = td_resize(pointers, grown * sizeof *pointers);
        if (pointers == NULL) return false;
        memcpy(list, &pointers, sizeof pointers);
        *room = grown;
    }
    pointers[(*count)++] = pointer;
    return true;
}

/* Over the settings that the server was started with. */
static td_restored add_settings(td_restore *restore, td_slice document)
{
    td_store *store = restore->store;
    td_doc_reader reader = td_doc__reader(document);
    td_doc_field field;
    td_capacity_patch patch = {0};
    td_placement placement = TD_PLACEMENT_SERVICE;
    size_t state = 0;
    while (td_doc__next(&reader, &field)) {
        if (field.field == TD_FIELD_PLACEMENT) {
            placement = (td_placement)field.number;
        } else if (field.field == TD_FIELD_RANDOM && state < TD_COUNT_OF(store->rng.state)) {
            store->rng.state[state++] = (uint64_t)field.number;
        } else if (!td_restore__patch_field(&field, &patch)) {
            return td_restore__damaged(restore, "the settings are damaged");
        }
    }
    if (reader.is_damaged) return td_restore__damaged(restore, "the settings are damaged");
    if (placement != store->options.placement) {
        return td_restore__damaged(restore, "the keys are placed by hash = %s: start with that",
                                   placement == TD_PLACEMENT_XXH3 ? "xxh3" : "service");
    }
    td_settings__merge(&store->settings, &patch);
    td_settings__note_quotas(store, 0);
    return TD_RESTORED;
}

static td_restored add_table(td_restore *restore, td_slice key, td_slice document)
{
    td_store *store = restore->store;
    uint32_t number = 0;
    if (!read_whole_number(key, &number)) return td_restore__damaged(restore, "a table has a damaged key");
    td_table *table = NULL;
    td_restored restored = td_restore__table(restore, number, document, &table);
    if (restored != TD_RESTORED) return restored;
    uint8_t bytes[TD_CATALOG_KEY_MAX];
    td_slice name = td_catalog__key(table->schema->scope, table->schema->table, bytes);
    bool is_new = false;
    void **place = name.len == 0 ? NULL : td_btree_insert(store->tables, name, &is_new);
    if (place != NULL && is_new) *place = table; /* the reference passes to the catalogue */
    if (place == NULL || !is_new) {
        restored = place == NULL ? TD_RESTORE_NO_MEMORY
                                 : td_restore__damaged(restore, "two tables have one name: %.*s",
                                                       (int)table->schema->table.len,
                                                       (const char *)table->schema->table.ptr);
        td_table__unref(table);
        return restored;
    }
    td_journal__take_number(store->journal, number);
    bool is_listed = td_restore__add_pointer(&restore->tables, &restore->table_count, &restore->table_room, table);
    return is_listed ? TD_RESTORED : TD_RESTORE_NO_MEMORY;
}

static td_restored add_item(td_restore *restore, td_slice key, td_slice value)
{
    uint32_t number = 0;
    if (!read_number(key, &number)) return td_restore__damaged(restore, "an item has a damaged key");
    if (restore->number != number) restore->table = find_table(restore, number);
    if (restore->table == NULL) td_journal__take_number(restore->store->journal, number);
    restore->number = number;
    if (restore->table == NULL) return TD_RESTORE_ORPHAN;
    return td_restore__item(restore, restore->table, key, value);
}

static td_restored add_stream(td_restore *restore, td_slice key, td_slice document)
{
    uint32_t number = 0;
    if (!read_whole_number(key, &number)) return td_restore__damaged(restore, "a stream has a damaged key");
    td_journal__take_number(restore->store->journal, number);
    return td_restore__stream(restore, number, document);
}

static td_restored add_change(td_restore *restore, td_slice key, td_slice value)
{
    uint32_t number = 0;
    if (!read_number(key, &number)) return td_restore__damaged(restore, "a record has a damaged key");
    if (restore->stream == NULL || restore->stream->record_number != number)
        restore->stream = find_stream(restore, number);
    if (restore->stream == NULL) td_journal__take_number(restore->store->journal, number);
    if (restore->stream == NULL) return TD_RESTORE_ORPHAN;
    return td_restore__change(restore, restore->stream, key, value);
}

static td_restored add_token(td_restore *restore, td_slice key, td_slice value)
{
    uint32_t count = 0;
    bool is_whole = key.len > 8 && value.len >= TD_PERSIST_TOKEN_HEAD_BYTES;
    if (is_whole) memcpy(&count, value.ptr + 8, sizeof count);
    size_t name_at = TD_PERSIST_TOKEN_HEAD_BYTES + count * sizeof(uint32_t);
    td_time_us done_us = is_whole ? (td_time_us)td_partition__hash_of_key(key) : 0;
    is_whole = is_whole && count <= TD_LIMIT_TRANSACT_ACTIONS_MAX && value.len > name_at && td_doc__is_instant(done_us);
    if (!is_whole) return td_restore__damaged(restore, "the token of a transaction is damaged");
    if (done_us + TD_LIMIT_TOKEN_SECONDS * TD_US_PER_S <= restore->now_us) return TD_RESTORE_ORPHAN;
    td_slice name = td_slice_of(value.ptr + name_at, value.len - name_at);
    td_token_restored token = {.key = name, .done_us = done_us, .count = count};
    memcpy(&token.fingerprint, value.ptr, sizeof token.fingerprint);
    token.sizes = value.ptr + TD_PERSIST_TOKEN_HEAD_BYTES;
    return td_tokens__restore(&restore->store->tokens, &token) ? TD_RESTORED : TD_RESTORE_NO_MEMORY;
}

static bool read_number(td_slice key, uint32_t *ret_number)
{
    uint32_t number = 0;
    if (key.len < TD_PERSIST_NUMBER_BYTES) return false;
    for (int i = 0; i < TD_PERSIST_NUMBER_BYTES; i++)
        number = number << 8 | key.ptr[i];
    *ret_number = number;
    return number > 0;
}

/* It is all of the key. */
static bool read_whole_number(td_slice key, uint32_t *ret_number)
{
    return key.len == TD_PERSIST_NUMBER_BYTES && read_number(key, ret_number);
}

static td_table *find_table(td_restore *restore, uint32_t number)
{
    for (uint32_t i = 0; i < restore->table_count; i++) {
        if (restore->tables[i]->record_number == number) return restore->tables[i];
    }
    return NULL;
}

static td_stream *find_stream(td_restore *restore, uint32_t number)
{
    for (uint32_t i = 0; i < restore->stream_count; i++) {
        if (restore->streams[i]->record_number == number) return restore->streams[i];
    }
    return NULL;
}
