/* SPDX-License-Identifier: Apache-2.0
 * snapshot.c: snapshots kept, listed, removed.
 *
 * To keep one, the locks of all tables are held at once, so that no transaction is cut in two; what is done under them
 * is little: a face a table and an empty trail a tree.
 * Not here: going back (snapshot_restore.c). */
#include "snapshot.h"

#include "thermodyn/memory.h"

#include "catalog.h"

static td_snapshot *new_snapshot(td_slice name, uint32_t table_count, td_time_us now_us);
static td_snapshot_result take_locked(td_snapshot *snapshot, td_store *store, const td_call *call, td_slice *ret_busy);
static void lock_all(td_store *store);
static void unlock_all(td_store *store);
static void link_locked(td_snapshots *snapshots, td_snapshot *snapshot, td_trail **ret_garbage);
static bool has_owner(const td_snapshot *snapshot, const td_trail *trail);
static uint32_t count_children(const td_snapshots *snapshots, const td_snapshot *parent, td_snapshot **ret_last);
static bool fold(td_snapshots *snapshots, td_snapshot *parent, td_snapshot *child);
static td_trail *find_trail(td_trail *first, const td_trail *asked);
static void take_out(td_snapshots *snapshots, td_snapshot *snapshot);

td_snapshot_result td_snapshot_keep(const td_call *call, td_slice name, td_snapshot_info *ret_info, td_slice *ret_busy)
{
    td_store *store = call->store;
    td_snapshots *snapshots = &store->snapshots;
    td_trail *garbage = NULL;
    td_snapshot *removed = NULL;
    if (!td_store__has_room(store, 0)) return TD_SNAPSHOT_NO_MEMORY;
    td_catalog__write_lock(store);
    td_snapshot *snapshot = new_snapshot(name, (uint32_t)td_btree_count(store->tables), call->now_us);
    lock_all(store);
    td_snapshot_result result =
        snapshot == NULL ? TD_SNAPSHOT_NO_MEMORY : take_locked(snapshot, store, call, ret_busy);
    if (result == TD_SNAPSHOT_OK && !td_snapshots__tell(snapshot, call->arena, ret_info)) {
        result = TD_SNAPSHOT_NO_MEMORY;
    }
    if (result == TD_SNAPSHOT_OK) {
        td_snapshot *replaced = td_snapshots__find(snapshots, name);
        if (replaced != NULL) replaced->is_named = false;
        link_locked(snapshots, snapshot, &garbage);
        removed = td_snapshots__settle(snapshots);
        snapshot = NULL;
    }
    unlock_all(store);
    td_catalog__unlock(store);
    td_trail__free_all(garbage);
    td_snapshots__free_all(removed);
    td_snapshots__free_all(snapshot);
    return result;
}

td_snapshot_result td_snapshot_describe(const td_call *call, td_slice name, td_snapshot_info *ret_info)
{
    td_catalog__read_lock(call->store);
    const td_snapshot *found = td_snapshots__find(&call->store->snapshots, name);
    bool is_told = found != NULL && td_snapshots__tell(found, call->arena, ret_info);
    td_catalog__unlock(call->store);
    return is_told ? TD_SNAPSHOT_OK : found == NULL ? TD_SNAPSHOT_UNKNOWN : TD_SNAPSHOT_NO_MEMORY;
}

bool td_snapshot_list(const td_call *call, td_snapshot_info **ret_infos, uint32_t *ret_count)
{
    td_catalog__read_lock(call->store);
    uint32_t count = 0;
    const td_snapshot *first = call->store->snapshots.first;
    for (const td_snapshot *it = first; it != NULL; it = it->next)
        count += it->is_named;
    td_snapshot_info *infos = td_arena_alloc_array(call->arena, count, sizeof *infos);
    bool is_told = infos != NULL;
    uint32_t told = 0;
    for (const td_snapshot *it = first; it != NULL && is_told; it = it->next) {
        if (!it->is_named) continue;
        td_snapshot_info info;
        is_told = td_snapshots__tell(it, call->arena, &info);
        uint32_t at = is_told ? told++ : 0;
        for (; at > 0 && td_slice_compare(info.name, infos[at - 1].name) < 0; at--)
            infos[at] = infos[at - 1];
        if (is_told) infos[at] = info;
    }
    td_catalog__unlock(call->store);
    *ret_infos = infos;
    *ret_count = told;
    return is_told;
}

uint32_t td_snapshot_remove(td_store *store, td_slice name)
{
    td_snapshots *snapshots = &store->snapshots;
    uint32_t count = 0;
    td_catalog__write_lock(store);
    for (td_snapshot *it = snapshots->first; it != NULL; it = it->next) {
        if (!it->is_named || (name.len > 0 && !td_slice_equal(td_slice_of(it->name, it->name_len), name))) continue;
        it->is_named = false;
        count++;
    }
    td_snapshot *removed = NULL;
    if (count > 0) {
        lock_all(store);
        removed = td_snapshots__settle(snapshots);
        unlock_all(store);
    }
    td_catalog__unlock(store);
    td_snapshots__free_all(removed);
    return count;
}

td_snapshot *td_snapshots__find(const td_snapshots *snapshots, td_slice name)
{
    td_snapshot *it = snapshots->first;
    while (it != NULL && !(it->is_named && td_slice_equal(td_slice_of(it->name, it->name_len), name)))
        it = it->next;
    return it;
}

bool td_snapshots__make_trails(td_face *const *faces, uint32_t count, td_trail **ret_trails)
{
    td_trail *first = NULL;
    bool is_made = true;
    for (uint32_t i = 0; i < count && is_made; i++) {
        const td_face *face = faces[i];
        uint32_t owners = face->resource_count + (face->expiry != NULL);
        for (uint32_t k = 0; k < owners && is_made; k++) {
            bool is_resource = k < face->resource_count;
            td_trail *trail = td_trail__new(face->table, is_resource ? face->resources[k].resource : NULL,
                                            is_resource ? NULL : face->expiry);
            is_made = trail != NULL;
            if (!is_made) continue;
            trail->next = first;
            first = trail;
        }
    }
    if (!is_made) td_trail__free_all(first);
    *ret_trails = is_made ? first : NULL;
    return is_made;
}

void td_snapshots__note_in(td_snapshots *snapshots, td_snapshot *current)
{
    td_snapshot *previous = snapshots->current;
    for (td_trail *trail = previous == NULL ? NULL : previous->trails; trail != NULL; trail = trail->next)
        *td_trail__of_owner(trail) = NULL;
    snapshots->current = current;
    for (td_trail *trail = current == NULL ? NULL : current->trails; trail != NULL; trail = trail->next)
        *td_trail__of_owner(trail) = trail;
}

td_trail *td_snapshots__prune(td_snapshot *snapshot)
{
    td_trail *pruned = NULL;
    td_trail **at = &snapshot->trails;
    while (*at != NULL) {
        td_trail *trail = *at;
        if (atomic_load_explicit(&trail->count, memory_order_relaxed) > 0 && has_owner(snapshot, trail)) {
            at = &trail->next;
            continue;
        }
        *at = trail->next;
        trail->next = pruned;
        pruned = trail;
    }
    return pruned;
}

td_snapshot *td_snapshots__settle(td_snapshots *snapshots)
{
    td_snapshot *removed = NULL;
    bool has_changed = true;
    while (has_changed) {
        has_changed = false;
        for (td_snapshot *it = snapshots->first; it != NULL && !has_changed; it = it->next) {
            if (it->is_named) continue;
            td_snapshot *child = NULL;
            uint32_t children = count_children(snapshots, it, &child);
            bool is_over = children == 0 || (children == 1 && fold(snapshots, it, child));
            if (!is_over) continue;
            take_out(snapshots, it);
            it->next = removed;
            removed = it;
            has_changed = true;
            break;
        }
    }
    return removed;
}

void td_snapshots__free_all(td_snapshot *first)
{
    while (first != NULL) {
        td_snapshot *next = first->next;
        td_trail__free_all(first->trails);
        for (uint32_t i = 0; i < first->face_count; i++)
            td_face__free(first->faces[i]);
        td_free((void *)first->faces);
        td_free(first);
        first = next;
    }
}

bool td_snapshots__tell(const td_snapshot *snapshot, td_arena *arena, td_snapshot_info *ret_info)
{
    *ret_info = (td_snapshot_info){
        .kept_us = snapshot->kept_us, .tables = snapshot->face_count, .items = snapshot->items};
    for (const td_trail *trail = snapshot->trails; trail != NULL; trail = trail->next) {
        ret_info->changes += atomic_load_explicit(&trail->count, memory_order_relaxed);
        ret_info->changed_bytes += atomic_load_explicit(&trail->bytes, memory_order_relaxed);
    }
    return td_arena_copy(arena, td_slice_of(snapshot->name, snapshot->name_len), &ret_info->name);
}

/* Without faces yet. */
static td_snapshot *new_snapshot(td_slice name, uint32_t table_count, td_time_us now_us)
{
    td_snapshot *snapshot = td_alloc(sizeof *snapshot + name.len);
    if (snapshot == NULL) return NULL;
    *snapshot = (td_snapshot){.kept_us = now_us, .is_named = true, .name_len = name.len};
    memcpy(snapshot->name, name.ptr, name.len);
    if (table_count == 0) return snapshot;
    snapshot->faces = td_alloc(table_count * sizeof(td_face *));
    if (snapshot->faces != NULL) return snapshot;
    td_free(snapshot);
    return NULL;
}

static td_snapshot_result take_locked(td_snapshot *snapshot, td_store *store, const td_call *call, td_slice *ret_busy)
{
    for (td_btree_cursor at = td_btree_first(store->tables); !td_btree_is_end(at); td_btree_next(&at)) {
        td_table *table = td_btree_value(at);
        if (!td_face__is_settled_locked(table)) {
            bool is_named = td_arena_copy(call->arena, table->schema->table, ret_busy);
            return is_named ? TD_SNAPSHOT_TABLE_BUSY : TD_SNAPSHOT_NO_MEMORY;
        }
        td_face *face = td_face__take_locked(table);
        if (face == NULL) return TD_SNAPSHOT_NO_MEMORY;
        snapshot->faces[snapshot->face_count++] = face;
        snapshot->items += td_resource__count_entries(table->resources[0], 0);
    }
    bool is_made = td_snapshots__make_trails(snapshot->faces, snapshot->face_count, &snapshot->trails);
    return is_made ? TD_SNAPSHOT_OK : TD_SNAPSHOT_NO_MEMORY;
}

/* In the order of the catalogue, which is that of names: a transaction takes those of its tables likewise. */
static void lock_all(td_store *store)
{
    for (td_btree_cursor at = td_btree_first(store->tables); !td_btree_is_end(at); td_btree_next(&at))
        td_table__lock(td_btree_value(at));
}

static void unlock_all(td_store *store)
{
    for (td_btree_cursor at = td_btree_first(store->tables); !td_btree_is_end(at); td_btree_next(&at))
        td_table__unlock(td_btree_value(at));
}

static void link_locked(td_snapshots *snapshots, td_snapshot *snapshot, td_trail **ret_garbage)
{
    td_snapshot *previous = snapshots->current;
    snapshot->next = snapshots->first;
    snapshots->first = snapshot;
    td_snapshots__note_in(snapshots, snapshot);
    if (previous == NULL) return;
    previous->parent = snapshot;
    *ret_garbage = td_snapshots__prune(previous);
}

/* Of what its tables were: what is not, nobody beyond it has either. */
static bool has_owner(const td_snapshot *snapshot, const td_trail *trail)
{
    for (uint32_t i = 0; i < snapshot->face_count; i++) {
        const td_face *face = snapshot->faces[i];
        if (face->table != trail->table) continue;
        return trail->resource == NULL ? face->expiry == trail->expiry : td_face__has_resource(face, trail->resource);
    }
    return false;
}

static uint32_t count_children(const td_snapshots *snapshots, const td_snapshot *parent, td_snapshot **ret_last)
{
    uint32_t count = 0;
    for (td_snapshot *it = snapshots->first; it != NULL; it = it->next) {
        if (it->parent != parent) continue;
        *ret_last = it;
        count++;
    }
    return count;
}

/* The child takes over what the parent knows. false: no memory; both stay as they are. */
static bool fold(td_snapshots *snapshots, td_snapshot *parent, td_snapshot *child)
{
    for (const td_trail *trail = parent->trails; trail != NULL; trail = trail->next) {
        td_trail *own = find_trail(child->trails, trail);
        if (own != NULL && !td_trail__add(own, trail)) return false;
    }
    td_trail *rest = NULL; /* what it knew already, or need not know */
    while (parent->trails != NULL) {
        td_trail *trail = parent->trails;
        parent->trails = trail->next;
        td_trail *own = find_trail(child->trails, trail);
        bool is_taken = own == NULL && has_owner(child, trail);
        td_trail **into = is_taken ? &child->trails : &rest;
        trail->next = *into;
        *into = trail;
        if (!is_taken && *td_trail__of_owner(trail) == trail) *td_trail__of_owner(trail) = own;
    }
    parent->trails = rest;
    child->parent = parent->parent;
    if (snapshots->current == parent) snapshots->current = child;
    return true;
}

static td_trail *find_trail(td_trail *first, const td_trail *asked)
{
    while (first != NULL && !td_trail__has_owner(first, asked->resource, asked->expiry))
        first = first->next;
    return first;
}

static void take_out(td_snapshots *snapshots, td_snapshot *snapshot)
{
    td_snapshot **at = &snapshots->first;
    while (*at != snapshot)
        at = &(*at)->next;
    *at = snapshot->next;
    if (snapshots->current != snapshot) return;
    TD_ASSERT(snapshots->first == NULL); /* all others hang on the current one */
    td_snapshots__note_in(snapshots, NULL);
}
