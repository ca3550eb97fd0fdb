/* SPDX-License-Identifier: Apache-2.0
 * index.c: maintenance of secondary indexes by one write.
 *
 * Model:      throttling.md §1.4: an entry that appears, disappears or changes costs its own size; one that moves costs
 *             a delete and a put; one that does not change costs nothing and is not reported.
 * Invariants: an index has one entry for each item that has all its key attributes in the right types, and no other.
 *             An index with projection ALL shares the items' blocks.
 * Not here:   filling an index of an existing table (backfill.c); who is charged for what in which order (write.c). */
#include "index.h"

#include "thermodyn/memory.h"

#include "trail.h"

static td_btree *tree_of(const td_index_plan *plan, uint32_t at, const td_index_entry *entry);
static uint32_t tree_number(const td_index_plan *plan, uint32_t at);
static bool find_old_entry(td_index_plan *plan, uint32_t at, td_partition *base, const td_item *item,
                           td_placement placement);
static void route(td_index_plan *plan, uint32_t at, td_partition *base, td_index_entry *entry);
static bool note(const td_index_plan *plan, uint32_t at);
static bool reserve_late(const td_index_plan *plan, uint32_t at, td_time_us now_us);
static td_resource *resource_of(const td_index_plan *plan, uint32_t at);
static void price(td_index_effect *effect);
static td_slice key_of(const td_index_plan *plan, const td_index_entry *entry);
static void aim(const td_index_plan *plan, const td_key_schema *key, const td_index_entry *entry);

/* Room for the keys of all entries of both images: 2 × 25 × (16 + escaped parts). */
#define KEYS_BYTES_MAX ((size_t)4 << 20)

void td_index_plan__init(td_index_plan *plan, const td_schema *schema, td_index_effect *effects)
{
    plan->schema = schema;
    plan->effects = effects;
    plan->table = NULL;
    td_buf_init(&plan->keys, KEYS_BYTES_MAX);
    if (schema->index_count > 0) memset(effects, 0, schema->index_count * sizeof *effects);
}

void td_index_plan__done(td_index_plan *plan)
{
    for (uint32_t i = 0; i < plan->schema->index_count; i++) {
        td_item_unref(plan->effects[i].new_entry.item);
        td_free(plan->effects[i].new_entry.late);
        td_free(plan->effects[i].old_entry.late);
    }
    td_buf_done(&plan->keys);
}

bool td_index_plan__set_new(td_index_plan *plan, td_item *item, td_placement placement)
{
    if (item == NULL) return true;
    for (uint32_t i = 0; i < plan->schema->index_count; i++) {
        const td_index_schema *index = &plan->schema->indexes[i];
        td_index_entry *entry = &plan->effects[i].new_entry;
        entry->key_at = plan->keys.len;
        entry->is_present = td_index__append_key(&plan->keys, plan->schema, index, item, placement);
        if (!entry->is_present) continue;
        entry->key_len = plan->keys.len - entry->key_at;
        entry->item = td_index__project(index, item);
        if (entry->item == NULL) return false;
    }
    return !td_buf_has_failed(&plan->keys);
}

bool td_index_plan__set_old(td_index_plan *plan, td_table *table, td_partition *base, const td_item *item,
                            td_placement placement)
{
    TD_ASSERT(table->schema == plan->schema);
    plan->table = table;
    for (uint32_t i = 0; i < plan->schema->index_count; i++) {
        td_index_effect *effect = &plan->effects[i];
        if (item != NULL && !find_old_entry(plan, i, base, item, placement)) return false;
        if (effect->new_entry.is_present) route(plan, i, base, &effect->new_entry);
        effect->has_same_key = effect->old_entry.is_present && effect->new_entry.is_present &&
                               td_slice_equal(key_of(plan, &effect->old_entry), key_of(plan, &effect->new_entry));
        price(effect);
    }
    return true;
}

void td_index_plan__add_targets(td_index_plan *plan, td_admission *admission)
{
    for (uint32_t i = plan->schema->local_count; i < plan->schema->index_count; i++) {
        td_resource *resource = resource_of(plan, i);
        td_slice name = plan->schema->indexes[i].spec.name;
        td_index_entry *sides[] = {&plan->effects[i].old_entry, &plan->effects[i].new_entry};
        for (size_t side = 0; side < TD_COUNT_OF(sides); side++) {
            td_index_entry *entry = sides[side];
            if (entry->units == 0) continue;
            entry->target = td_resource__add_target(resource, entry->partition, name, TD_WRITE, admission);
            aim(plan, &plan->schema->indexes[i].spec.key, entry);
        }
    }
}

bool td_index_plan__reserve(td_index_plan *plan, td_time_us now_us)
{
    for (uint32_t i = 0; i < plan->schema->index_count; i++) {
        td_index_effect *effect = &plan->effects[i];
        bool is_reserved = note(plan, i) && reserve_late(plan, i, now_us);
        if (is_reserved && effect->has_same_key) {
            effect->place = effect->old_place;
        } else if (is_reserved && effect->new_entry.is_present) {
            const td_index_entry *entry = &effect->new_entry;
            bool is_new = false;
            effect->place = td_btree_insert_weighing(tree_of(plan, i, entry), key_of(plan, entry),
                                                     td_item_size(entry->item), &is_new);
            is_reserved = effect->place != NULL;
            TD_ASSERT(is_new || !is_reserved);
        }
        if (!is_reserved) {
            td_index_plan__unreserve(plan);
            return false;
        }
    }
    return true;
}

void td_index_plan__unreserve(td_index_plan *plan)
{
    for (uint32_t i = 0; i < plan->schema->index_count; i++) {
        td_index_effect *effect = &plan->effects[i];
        if (effect->place == NULL) continue;
        effect->place = NULL;
        if (effect->has_same_key) continue;
        (void)td_btree_remove(tree_of(plan, i, &effect->new_entry), key_of(plan, &effect->new_entry));
    }
}

void td_index_plan__commit(td_index_plan *plan)
{
    for (uint32_t i = 0; i < plan->schema->index_count; i++) {
        td_index_effect *effect = &plan->effects[i];
        td_index_entry *old_entry = &effect->old_entry;
        td_index_entry *new_entry = &effect->new_entry;
        if (new_entry->is_present) {
            td_lag__commit(resource_of(plan, i), &new_entry->late, new_entry->item);
            uint32_t size = td_item_size(new_entry->item);
            if (effect->has_same_key && td_item_size(old_entry->item) != size) {
                td_btree_reweigh(tree_of(plan, i, new_entry), key_of(plan, new_entry), effect->place, size);
            }
            *effect->place = new_entry->item;
            new_entry->item = NULL; /* the tree's now */
            effect->place = NULL;
        }
        if (!old_entry->is_present) continue;
        if (!effect->has_same_key) {
            td_lag__commit(resource_of(plan, i), &old_entry->late, NULL);
            void *removed = td_btree_remove(tree_of(plan, i, old_entry), key_of(plan, old_entry));
            TD_ASSERT(removed == old_entry->item);
        }
        td_item_unref(old_entry->item);
    }
}

td_units td_index_plan__charge(td_index_plan *plan, const td_admission *admission, td_consumed *consumed)
{
    td_units local_units = 0;
    for (uint32_t i = 0; i < plan->schema->index_count; i++) {
        const td_index_effect *effect = &plan->effects[i];
        const td_index_spec *spec = &plan->schema->indexes[i].spec;
        td_units units = effect->old_entry.units + effect->new_entry.units;
        if (units == 0) continue;
        td_consumed_add_index(consumed, spec->name, spec->is_global, units);
        if (!spec->is_global) {
            local_units += units;
            continue;
        }
        if (effect->old_entry.units > 0) {
            td_admission_charge(admission, effect->old_entry.target, effect->old_entry.units);
        }
        if (effect->new_entry.units > 0) {
            effect->new_entry.target->is_continued = effect->old_entry.units > 0;
            td_admission_charge(admission, effect->new_entry.target, effect->new_entry.units);
        }
    }
    return local_units;
}

int64_t td_index_plan__local_growth_bytes(const td_index_plan *plan)
{
    int64_t bytes = 0;
    for (uint32_t i = 0; i < plan->schema->local_count; i++) {
        const td_index_effect *effect = &plan->effects[i];
        if (effect->new_entry.is_present) bytes += td_item_size(effect->new_entry.item) + TD_ENTRY_OVERHEAD_BYTES;
        if (effect->old_entry.is_present) bytes -= td_item_size(effect->old_entry.item) + TD_ENTRY_OVERHEAD_BYTES;
    }
    return bytes;
}

bool td_index__append_key(td_buf *keys, const td_schema *schema, const td_index_schema *index, const td_item *item,
                          td_placement placement)
{
    td_slice parts[TD_KEY_PARTS_MAX];
    if (!td_key_parts_of_item(&index->spec.key, item, parts)) return false;
    td_key_append(keys, &index->spec.key, parts, placement);

    td_slice table_parts[TD_KEY_PARTS_MAX];
    bool has_key = td_key_parts_of_item(&schema->key, item, table_parts);
    TD_ASSERT(has_key);
    td_key_append_tie_break(keys, table_parts, (uint8_t)td_key_part_count(&schema->key), placement);
    return true;
}

td_item *td_index__project(const td_index_schema *index, td_item *item)
{
    if (index->spec.projection == TD_PROJECT_ALL) return td_item_ref(item);
    return td_item_project(item, index->projected, index->projected_count);
}

static bool find_old_entry(td_index_plan *plan, uint32_t at, td_partition *base, const td_item *item,
                           td_placement placement)
{
    td_index_entry *entry = &plan->effects[at].old_entry;
    entry->key_at = plan->keys.len;
    if (!td_index__append_key(&plan->keys, plan->schema, &plan->schema->indexes[at], item, placement)) return true;
    if (td_buf_has_failed(&plan->keys)) return false;
    entry->key_len = plan->keys.len - entry->key_at;
    route(plan, at, base, entry);
    void **place = td_btree_find(tree_of(plan, at, entry), key_of(plan, entry));
    if (place == NULL) return true; /* an index that is still being filled has not come to this item */
    plan->effects[at].old_place = place;
    entry->is_present = true;
    entry->item = *place;
    return true;
}

static void route(td_index_plan *plan, uint32_t at, td_partition *base, td_index_entry *entry)
{
    bool is_local = at < plan->schema->local_count;
    entry->partition = is_local ? base : td_resource__find_partition(resource_of(plan, at), key_of(plan, entry));
}

/* For a snapshot: what the keys hold that get or lose an entry. */
static bool note(const td_index_plan *plan, uint32_t at)
{
    td_trail *trail = resource_of(plan, at)->trail;
    if (trail == NULL) return true;
    const td_index_entry *old_entry = &plan->effects[at].old_entry;
    const td_index_entry *new_entry = &plan->effects[at].new_entry;
    uint32_t tree = tree_number(plan, at);
    if (old_entry->is_present && !td_trail__note(trail, tree, key_of(plan, old_entry), old_entry->item)) return false;
    bool has_new_key = new_entry->is_present && !plan->effects[at].has_same_key;
    return !has_new_key || td_trail__note(trail, tree, key_of(plan, new_entry), NULL);
}

/* For each key that gets or loses an entry. An index that does not lag is done with the first question. */
static bool reserve_late(const td_index_plan *plan, uint32_t at, td_time_us now_us)
{
    td_resource *resource = resource_of(plan, at);
    if (resource->lag == NULL) return true;
    td_index_effect *effect = &plan->effects[at];
    td_index_entry *sides[] = {&effect->new_entry, &effect->old_entry};
    size_t count = effect->has_same_key ? 1 : 2;
    for (size_t side = 0; side < count; side++) {
        td_index_entry *entry = sides[side];
        if (!entry->is_present) continue;
        if (!td_lag__reserve(resource, tree_number(plan, at), key_of(plan, entry), now_us, &entry->late)) return false;
    }
    return true;
}

static td_resource *resource_of(const td_index_plan *plan, uint32_t at)
{
    uint32_t local_count = plan->schema->local_count;
    return plan->table->resources[at < local_count ? 0 : 1 + at - local_count];
}

/* Sides that cost: both when the entry moves, the new one when it appears or changes in place, the old one when it
 * goes. */
static void price(td_index_effect *effect)
{
    td_index_entry *old_entry = &effect->old_entry;
    td_index_entry *new_entry = &effect->new_entry;
    if (effect->has_same_key) {
        if (td_item_equal(old_entry->item, new_entry->item)) return;
        uint32_t old_size = td_item_size(old_entry->item);
        uint32_t new_size = td_item_size(new_entry->item);
        new_entry->units = td_units_of_write(old_size > new_size ? old_size : new_size);
        return;
    }
    if (old_entry->is_present) old_entry->units = td_units_of_write(td_item_size(old_entry->item));
    if (new_entry->is_present) new_entry->units = td_units_of_write(td_item_size(new_entry->item));
}

/* Without what parts entries of equal keys: to the index they are one key. */
static void aim(const td_index_plan *plan, const td_key_schema *key, const td_index_entry *entry)
{
    td_slice whole = key_of(plan, entry);
    entry->target->key = td_slice_of(whole.ptr, td_key_length_of_parts(whole, td_key_part_count(key)));
    entry->target->collection_len = (uint32_t)td_key_length_of_parts(whole, key->hash_count);
    entry->target->offered = entry->units;
}

static td_btree *tree_of(const td_index_plan *plan, uint32_t at, const td_index_entry *entry)
{
    TD_ASSERT(entry->partition != NULL);
    return entry->partition->trees[tree_number(plan, at)].entries;
}

static uint32_t tree_number(const td_index_plan *plan, uint32_t at)
{
    return at < plan->schema->local_count ? 1 + at : 0;
}

static td_slice key_of(const td_index_plan *plan, const td_index_entry *entry)
{
    return td_slice_of(plan->keys.data + entry->key_at, entry->key_len);
}
