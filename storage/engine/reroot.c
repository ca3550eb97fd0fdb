/* SPDX-License-Identifier: Apache-2.0
 * reroot.c: trees go back along a path of snapshots.
 *
 * A key may be noted by several snapshots on the path: it will hold what the farthest of them says, and each of them is
 * told what it held at the next state towards the present.
 * Readers that lag see all of it at once: what waits for them is shown before.
 * Not here: what a table is besides its trees (face.c), which tables there are (snapshot_restore.c). */
#include "reroot.h"

#include "thermodyn/memory.h"

#include "collection.h"

#define KEY_BYTES_MAX ((size_t)1 << 17)

static bool gather(td_reroot *it);
static bool gather_trail(td_reroot *it, td_trail *trail, td_map *firsts, td_buf *name);
static bool find_first(td_map *firsts, td_reroot_note *note, td_buf *name, td_reroot_note **ret_first);
static void *held_now(const td_reroot_note *note);
static bool reserve(td_reroot_note *note);
static void unreserve(td_reroot_note *note);
static void change(const td_reroot_note *note);
static void change_tree(td_btree *tree, const td_reroot_note *note);
static void drop_empty_collections(td_reroot *it);
static td_trail *turn_around(td_reroot *it, td_trail *fresh);
static td_tree *tree_of(const td_reroot_note *note);
static td_map *collections_of(const td_reroot_note *note);
static td_slice collection_of(const td_reroot_note *note);
static int64_t storage_of(const void *held);

bool td_reroot__prepare(td_reroot *it, td_snapshot **path, uint32_t path_len)
{
    *it = (td_reroot){.path = path, .path_len = path_len};
    if (!gather(it)) return false;
    for (uint64_t i = 0; i < it->count; i++) {
        td_reroot_note *note = &it->notes[i];
        if (!note->is_first) continue;
        note->is_reserved = reserve(note);
        if (note->is_reserved) continue;
        td_reroot__cancel(it);
        return false;
    }
    return true;
}

void td_reroot__cancel(td_reroot *it)
{
    for (uint64_t i = 0; i < it->count; i++) {
        if (it->notes[i].is_reserved) unreserve(&it->notes[i]);
    }
}

td_trail *td_reroot__commit(td_reroot *it, td_snapshots *snapshots, td_trail *fresh)
{
    td_snapshots__note_in(snapshots, NULL);
    for (uint64_t i = 0; i < it->count; i++) {
        td_reroot_note *first = &it->notes[i];
        if (!first->is_first) continue;
        change(first);
        void *held = first->before;
        for (td_reroot_note *note = first; note != NULL; note = note->again)
            held = td_trail__swap(note->trail, note->tree, note->key, held);
        TD_ASSERT(held == first->after);
    }
    drop_empty_collections(it);
    td_trail *over = turn_around(it, fresh);
    td_snapshots__note_in(snapshots, it->path[it->path_len - 1]);
    return over;
}

void td_reroot__done(td_reroot *it)
{
    td_free(it->notes);
}

static bool gather(td_reroot *it)
{
    uint64_t room = 0;
    for (uint32_t i = 0; i < it->path_len; i++) {
        for (td_trail *trail = it->path[i]->trails; trail != NULL; trail = trail->next)
            room += atomic_load_explicit(&trail->count, memory_order_relaxed);
    }
    if (room == 0) return true;
    it->notes = td_alloc(room * sizeof *it->notes);
    td_map *firsts = it->path_len > 1 ? td_map_new() : NULL; /* on a path of one no key comes twice */
    bool is_done = it->notes != NULL && (firsts != NULL || it->path_len == 1);
    td_buf name;
    td_buf_init(&name, KEY_BYTES_MAX);
    for (uint32_t i = 0; i < it->path_len; i++) {
        for (td_trail *trail = it->path[i]->trails; trail != NULL && is_done; trail = trail->next)
            is_done = gather_trail(it, trail, firsts, &name);
    }
    TD_ASSERT(it->count == room || !is_done);
    td_buf_done(&name);
    td_map_free(firsts);
    return is_done;
}

static bool gather_trail(td_reroot *it, td_trail *trail, td_map *firsts, td_buf *name)
{
    if (trail->resource != NULL && !td_lag__flush(trail->resource)) return false;
    for (uint32_t tree = 0; tree < TD_TREES_MAX; tree++) {
        size_t cursor = 0;
        td_slice key;
        void *held = NULL;
        while (trail->trees[tree] != NULL && td_map_next(trail->trees[tree], &cursor, &key, &held)) {
            td_reroot_note *note = &it->notes[it->count++];
            *note = (td_reroot_note){.trail = trail, .tree = tree, .key = key};
            td_reroot_note *first = note;
            if (firsts != NULL && !find_first(firsts, note, name, &first)) return false;
            if (first == note) {
                note->is_first = true;
                note->before = held_now(note);
            } else {
                first->last->again = note;
            }
            first->last = note;
            first->after = held;
        }
    }
    return true;
}

/* The note itself when it is the first of its key. */
static bool find_first(td_map *firsts, td_reroot_note *note, td_buf *name, td_reroot_note **ret_first)
{
    const td_trail *trail = note->trail;
    const void *owner = trail->resource != NULL ? (const void *)trail->resource : trail->expiry;
    td_buf_clear(name);
    td_buf_append(name, td_slice_of(&owner, sizeof(void *)));
    td_buf_append(name, td_slice_of(&note->tree, sizeof note->tree));
    td_buf_append(name, note->key);
    if (td_buf_has_failed(name)) return false;
    td_reroot_note *first = td_map_find(firsts, td_buf_contents(name));
    *ret_first = first == NULL ? note : first;
    return first != NULL || td_map_put(firsts, td_buf_contents(name), note);
}

static void *held_now(const td_reroot_note *note)
{
    const td_trail *trail = note->trail;
    const td_btree *tree = trail->resource != NULL ? tree_of(note)->entries : trail->expiry->instants;
    void **place = td_btree_find(tree, note->key);
    if (place == NULL) return TD_PAST_NOTHING;
    return trail->resource != NULL ? *place : TD_PAST_PLACE;
}

/* Places for what is not there: a tree that keeps no keys has the item in its place at once. */
static bool reserve(td_reroot_note *note)
{
    if (note->before != TD_PAST_NOTHING || note->after == TD_PAST_NOTHING) return true;
    if (note->trail->resource == NULL) {
        bool is_new = false;
        return td_btree_insert(note->trail->expiry->instants, note->key, &is_new) != NULL;
    }
    td_map *collections = collections_of(note);
    if (collections != NULL && !td_collection__reserve(collections, collection_of(note))) return false;
    const td_tree *tree = tree_of(note);
    uint32_t size = td_item_size(note->after);
    void *old = NULL;
    bool is_put = td_btree_put(tree->entries, note->key, note->after, size, &old);
    if (is_put && tree->lagging != NULL && !td_btree_put(tree->lagging, note->key, note->after, size, &old)) {
        (void)td_btree_remove(tree->entries, note->key);
        is_put = false;
    }
    if (!is_put && collections != NULL) td_collection__drop_if_empty(collections, collection_of(note));
    return is_put;
}

static void unreserve(td_reroot_note *note)
{
    if (note->before != TD_PAST_NOTHING || note->after == TD_PAST_NOTHING) return;
    if (note->trail->resource == NULL) {
        (void)td_btree_remove(note->trail->expiry->instants, note->key);
        return;
    }
    const td_tree *tree = tree_of(note);
    (void)td_btree_remove(tree->entries, note->key);
    if (tree->lagging != NULL) (void)td_btree_remove(tree->lagging, note->key);
    td_map *collections = collections_of(note);
    if (collections != NULL) td_collection__drop_if_empty(collections, collection_of(note));
}

/* The tree's reference to what it held passes to the nearest trail, the farthest one's to the tree; those of the
 * lagging tree are its own. */
static void change(const td_reroot_note *note)
{
    if (note->trail->resource == NULL) {
        if (note->after == TD_PAST_NOTHING) (void)td_btree_remove(note->trail->expiry->instants, note->key);
        return;
    }
    const td_tree *tree = tree_of(note);
    td_map *collections = collections_of(note);
    if (collections != NULL) {
        int64_t growth = storage_of(note->after) - storage_of(note->before);
        td_collection__grow(collections, collection_of(note), growth);
    }
    change_tree(tree->entries, note);
    if (tree->lagging == NULL) return;
    if (note->after != TD_PAST_NOTHING) td_item_ref(note->after);
    change_tree(tree->lagging, note);
    if (note->before != TD_PAST_NOTHING) td_item_unref(note->before);
}

static void change_tree(td_btree *tree, const td_reroot_note *note)
{
    if (note->before == TD_PAST_NOTHING) return; /* what it will hold is there already */
    if (note->after == TD_PAST_NOTHING) {
        void *removed = td_btree_remove(tree, note->key);
        TD_ASSERT(removed == note->before);
        return;
    }
    void **place = td_btree_find(tree, note->key);
    TD_ASSERT(place != NULL && *place == note->before);
    td_btree_reweigh(tree, note->key, place, td_item_size(note->after));
    *place = note->after;
}

/* When all is changed: one change may empty a collection that another fills. */
static void drop_empty_collections(td_reroot *it)
{
    for (uint64_t i = 0; i < it->count; i++) {
        const td_reroot_note *note = &it->notes[i];
        td_map *collections = note->trail->resource == NULL ? NULL : collections_of(note);
        if (collections != NULL) td_collection__drop_if_empty(collections, collection_of(note));
    }
}

/* Each trail says now how the state towards the present was, seen from the one behind it: so it is that state's. */
static td_trail *turn_around(td_reroot *it, td_trail *fresh)
{
    td_trail *over = it->path[0]->trails;
    td_trail **end = &over;
    for (uint32_t i = 0; i < it->path_len; i++) {
        td_snapshot *snapshot = it->path[i];
        bool is_last = i + 1 == it->path_len;
        snapshot->parent = is_last ? NULL : it->path[i + 1];
        snapshot->trails = is_last ? fresh : it->path[i + 1]->trails;
        while (*end != NULL)
            end = &(*end)->next;
        if (!is_last) *end = td_snapshots__prune(snapshot);
    }
    return over;
}

static td_tree *tree_of(const td_reroot_note *note)
{
    return &td_resource__find_partition(note->trail->resource, note->key)->trees[note->tree];
}

/* Of a table whose local indexes hold collections together; NULL: there are none. */
static td_map *collections_of(const td_reroot_note *note)
{
    return note->trail->resource->item_keys == NULL ? NULL : note->trail->table->collections;
}

static td_slice collection_of(const td_reroot_note *note)
{
    return td_slice_of(note->key.ptr, td_key_length_of_parts(note->key, 1));
}

static int64_t storage_of(const void *held)
{
    return held == TD_PAST_NOTHING ? 0 : (int64_t)td_item_size(held) + TD_ENTRY_OVERHEAD_BYTES;
}
