/* SPDX-License-Identifier: Apache-2.0
 * changes.c: changes of a data directory as bytes, and what many of them come to.
 *
 * A change is a head, its key and its value. They are kept as they came, one behind the other, with a list of places
 * that is sorted by space and key; of those of one key the last holds. A removal hides what the disk has. When a space
 * is cleared, what was there of it does not count any more, and all that the disk has of it is hidden.
 * Not here: where the bytes are kept (redo.c). */
#include "thermodyn/changes.h"

#include <errno.h>
#include <stdlib.h>

#include "thermodyn/memory.h"

enum { PUT = 1, REMOVE = 2, CLEAR = 3 };

#define SPACE_SHIFT 56 /* of a prefix: its first byte is the space */

typedef struct change_head {
    uint8_t kind;
    uint8_t space;
    uint16_t key_bytes;
    uint32_t value_bytes;
} change_head;
_Static_assert(sizeof(change_head) == 8, "stored as it is");

typedef struct change_place {
    uint64_t prefix; /* of space and key, as a number: most comparisons end with it */
    size_t at;       /* where its head begins */
} change_place;

typedef struct found_change {
    change_head head;
    td_slice key;
    td_slice value;
} found_change;

struct td_changes {
    td_buf bytes;
    change_place *places;
    size_t count;
    size_t room;
    bool is_cleared[TD_SPACE_COUNT];
    size_t cleared_at[TD_SPACE_COUNT]; /* what was added before does not count */
};

struct td_changes_cursor {
    const td_changes *changes;
    size_t over;           /* the next change */
    td_disk_cursor *under; /* NULL: what the disk has is hidden */
    uint8_t space;
    bool is_read;   /* all that the disk has */
    bool has_under; /* under_key and under_value are its next ones */
    td_slice under_key;
    td_slice under_value;
};

static void encode(td_buf *bytes, uint8_t kind, td_space space, td_slice key, const td_slice *parts, size_t part_count);
static bool read_change(td_slice bytes, found_change *ret_change);
static bool add_place(td_changes *changes, uint8_t space, td_slice key, size_t at);
static uint64_t prefix_of(uint8_t space, td_slice key);
static int compare(const td_changes *changes, uint8_t space, td_slice key, const change_place *place);
static int compare_places(const void *a, const void *b, void *changes);
static found_change change_at(const td_changes *changes, const change_place *place);
static bool has_over(const td_changes_cursor *cursor);
static int fill_under(td_changes_cursor *cursor);

void td_changes_encode_put(td_buf *bytes, td_space space, td_slice key, const td_slice *parts, size_t part_count)
{
    TD_ASSERT(key.len > 0 && key.len <= TD_DISK_KEY_BYTES_MAX);
    encode(bytes, PUT, space, key, parts, part_count);
}

void td_changes_encode_remove(td_buf *bytes, td_space space, td_slice key)
{
    TD_ASSERT(key.len > 0 && key.len <= TD_DISK_KEY_BYTES_MAX);
    encode(bytes, REMOVE, space, key, NULL, 0);
}

void td_changes_encode_clear(td_buf *bytes, td_space space)
{
    encode(bytes, CLEAR, space, td_slice_of(NULL, 0), NULL, 0);
}

td_changes *td_changes_new(void)
{
    td_changes *changes = td_alloc_zero(sizeof *changes);
    if (changes != NULL) td_buf_init(&changes->bytes, SIZE_MAX);
    return changes;
}

void td_changes_free(td_changes *changes)
{
    if (changes == NULL) return;
    td_buf_done(&changes->bytes);
    td_free(changes->places);
    td_free(changes);
}

void td_changes_clear(td_changes *changes)
{
    td_buf_clear(&changes->bytes);
    changes->count = 0;
    memset(changes->is_cleared, 0, sizeof changes->is_cleared);
    memset(changes->cleared_at, 0, sizeof changes->cleared_at);
}

int td_changes_add(td_changes *changes, td_slice bytes)
{
    size_t at = changes->bytes.len;
    td_buf_append(&changes->bytes, bytes);
    if (td_buf_has_failed(&changes->bytes)) return ENOMEM;
    while (at < changes->bytes.len) {
        found_change change;
        if (!read_change(td_slice_of(changes->bytes.data + at, changes->bytes.len - at), &change)) return EBADMSG;
        uint8_t space = change.head.space;
        if (change.head.kind == CLEAR) {
            changes->is_cleared[space] = true;
            changes->cleared_at[space] = at;
        } else if (!add_place(changes, space, change.key, at)) {
            return ENOMEM;
        }
        at += sizeof change.head + change.key.len + change.value.len;
    }
    return 0;
}

uint64_t td_changes_bytes(const td_changes *changes)
{
    return changes->bytes.len;
}

void td_changes_sort(td_changes *changes)
{
    size_t kept = 0;
    for (size_t i = 0; i < changes->count; i++) {
        change_place place = changes->places[i];
        if (place.at >= changes->cleared_at[place.prefix >> SPACE_SHIFT]) changes->places[kept++] = place;
    }
    if (kept > 0) qsort_r(changes->places, kept, sizeof *changes->places, compare_places, changes);
    changes->count = 0;
    for (size_t i = 0; i < kept; i++) {
        found_change change = change_at(changes, &changes->places[i]);
        bool is_last = i + 1 == kept || compare(changes, change.head.space, change.key, &changes->places[i + 1]) != 0;
        if (is_last) changes->places[changes->count++] = changes->places[i];
    }
}

uint64_t td_changes_count(const td_changes *changes)
{
    return changes->count;
}

int td_changes_write(const td_changes *changes, td_disk *disk)
{
    int error = 0;
    for (int space = 0; error == 0 && space < TD_SPACE_COUNT; space++) {
        if (changes->is_cleared[space]) error = td_disk_clear(disk, (td_space)space);
    }
    for (size_t i = 0; error == 0 && i < changes->count; i++) {
        found_change change = change_at(changes, &changes->places[i]);
        td_space space = (td_space)change.head.space;
        bool is_put = change.head.kind == PUT;
        error = is_put ? td_disk_put(disk, space, change.key, &change.value, 1)
                       : td_disk_remove(disk, space, change.key);
    }
    return error;
}

int td_changes_walk(const td_changes *changes, td_disk *disk, td_space space, td_slice from,
                    td_changes_cursor **ret_cursor)
{
    td_changes_cursor *cursor = td_alloc_zero(sizeof *cursor);
    if (cursor == NULL) return ENOMEM;
    cursor->changes = changes;
    cursor->space = (uint8_t)space;
    size_t end = changes->count;
    while (cursor->over < end) {
        size_t middle = cursor->over + (end - cursor->over) / 2;
        if (compare(changes, cursor->space, from, &changes->places[middle]) > 0)
            cursor->over = middle + 1;
        else
            end = middle;
    }
    int error = changes->is_cleared[space] ? 0 : td_disk_walk(disk, space, from, &cursor->under);
    if (error == 0)
        *ret_cursor = cursor;
    else
        td_free(cursor);
    return error;
}

void td_changes_cursor_free(td_changes_cursor *cursor)
{
    if (cursor == NULL) return;
    td_disk_cursor_free(cursor->under);
    td_free(cursor);
}

int td_changes_next(td_changes_cursor *cursor, td_slice *ret_key, td_slice *ret_value)
{
    const td_changes *changes = cursor->changes;
    for (;;) {
        int error = fill_under(cursor);
        if (error != 0) return error;
        bool is_over = has_over(cursor);
        if (!is_over && !cursor->has_under) return TD_DISK_END;
        const change_place *place = is_over ? &changes->places[cursor->over] : NULL;
        int order = !is_over ? -1 : !cursor->has_under ? 1 : compare(changes, cursor->space, cursor->under_key, place);
        if (order <= 0) cursor->has_under = false;
        if (order < 0) {
            *ret_key = cursor->under_key;
            *ret_value = cursor->under_value;
            return 0;
        }
        found_change change = change_at(changes, place);
        cursor->over++;
        if (change.head.kind == REMOVE) continue;
        *ret_key = change.key;
        *ret_value = change.value;
        return 0;
    }
}

static void encode(td_buf *bytes, uint8_t kind, td_space space, td_slice key, const td_slice *parts, size_t part_count)
{
    uint64_t len = 0;
    for (size_t i = 0; i < part_count; i++)
        len += parts[i].len;
    TD_ASSERT(len <= UINT32_MAX);
    change_head head = {kind, (uint8_t)space, (uint16_t)key.len, (uint32_t)len};
    td_buf_append(bytes, td_slice_of(&head, sizeof head));
    td_buf_append(bytes, key);
    for (size_t i = 0; i < part_count; i++)
        td_buf_append(bytes, parts[i]);
}

/* At the beginning of the bytes. false: there is none. */
static bool read_change(td_slice bytes, found_change *ret_change)
{
    change_head head;
    if (bytes.len < sizeof head) return false;
    memcpy(&head, bytes.ptr, sizeof head);
    bool has_key = head.kind == PUT || head.kind == REMOVE;
    bool is_sound = (has_key || head.kind == CLEAR) && (head.key_bytes > 0) == has_key && head.space < TD_SPACE_COUNT &&
                    head.key_bytes <= TD_DISK_KEY_BYTES_MAX && (head.kind == PUT || head.value_bytes == 0);
    if (!is_sound || sizeof head + (uint64_t)head.key_bytes + head.value_bytes > bytes.len) return false;
    const uint8_t *key = bytes.ptr + sizeof head;
    *ret_change = (found_change){head, td_slice_of(key, head.key_bytes),
                           td_slice_of(key + head.key_bytes, head.value_bytes)};
    return true;
}

static bool add_place(td_changes *changes, uint8_t space, td_slice key, size_t at)
{
    if (changes->count == changes->room) {
        size_t grown = changes->room == 0 ? 64 : 2 * changes->room;
        change_place *places = td_resize(changes->places, grown * sizeof *places);
        if (places == NULL) return false;
        changes->places = places;
        changes->room = grown;
    }
    changes->places[changes->count++] = (change_place){prefix_of(space, key), at};
    return true;
}

static uint64_t prefix_of(uint8_t space, td_slice key)
{
    uint64_t prefix = space;
    for (size_t i = 0; i < sizeof prefix - 1; i++)
        prefix = prefix << 8 | (i < key.len ? key.ptr[i] : 0);
    return prefix;
}

static int compare(const td_changes *changes, uint8_t space, td_slice key, const change_place *place)
{
    uint64_t prefix = prefix_of(space, key);
    if (prefix != place->prefix) return prefix < place->prefix ? -1 : 1;
    return td_slice_compare(key, change_at(changes, place).key);
}

/* Of one key the later one is behind. */
static int compare_places(const void *a, const void *b, void *changes)
{
    const change_place *first = a;
    const change_place *second = b;
    if (first->prefix != second->prefix) return first->prefix < second->prefix ? -1 : 1;
    int order = td_slice_compare(change_at(changes, first).key, change_at(changes, second).key);
    return order != 0 ? order : (first->at > second->at) - (first->at < second->at);
}

static found_change change_at(const td_changes *changes, const change_place *place)
{
    found_change found = {.head = {.kind = 0}};
    td_slice rest = td_slice_of(changes->bytes.data + place->at, changes->bytes.len - place->at);
    bool is_there = read_change(rest, &found);
    TD_ASSERT(is_there);
    return found;
}

static bool has_over(const td_changes_cursor *cursor)
{
    const td_changes *changes = cursor->changes;
    return cursor->over < changes->count && changes->places[cursor->over].prefix >> SPACE_SHIFT == cursor->space;
}

static int fill_under(td_changes_cursor *cursor)
{
    if (cursor->under == NULL || cursor->is_read || cursor->has_under) return 0;
    int error = td_disk_next(cursor->under, &cursor->under_key, &cursor->under_value);
    cursor->has_under = error == 0;
    cursor->is_read = error == TD_DISK_END;
    return cursor->is_read ? 0 : error;
}
