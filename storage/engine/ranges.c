/* SPDX-License-Identifier: Apache-2.0
 * ranges.c: search and division of a resource's key space.
 *
 * Model:    throttling.md §2.2: ranges in the order of (hash of the partition key, sort key); a collection may lie in
 *           several unless a local index holds it together. §2.3: a raise doubles all partitions.
 * Not here: when a partition is divided (split.c, resource.c's callers); its trees (partition.c). */
#include "ranges.h"

#include "thermodyn/memory.h"

#include "item_keys.h"
#include "plan.h"

#define HASH_BYTES 8    /* of a bound that is one of the numbers searched */
#define MIDDLE_SLACK 10 /* a tenth of the bytes off the middle is near */
#define EACH_BYTES TD_ENTRY_OVERHEAD_BYTES

typedef struct split_point {
    td_slice bound;  /* the tree's, or in the room */
    uint64_t before; /* bytes of the entries before it */
    td_btree_room room;
} split_point;

static bool begins(const td_resource *resource, uint32_t partition, td_slice position, td_ranges_side side);
static bool has_same_entries(const td_btree *entries, td_slice bound, td_slice shorter);
static void find_nearest_entry(const td_btree *entries, uint64_t half, split_point *ret_point);
static void find_nearest_collection(const td_btree *entries, td_slice key, uint64_t half, split_point *ret_point);
static uint64_t distance(uint64_t a, uint64_t b);
static bool make_room(td_resource *resource, uint32_t count);
static td_partition *divide(td_resource *resource, td_partition *lower, td_slice bound, td_split_cause cause,
                            const td_capacity_effect *effect, td_time_us now_us);
static uint64_t bound_of(uint32_t index, uint32_t count);

bool td_ranges__make(td_resource *resource, uint32_t count, const td_capacity_effect *effect, td_time_us now_us)
{
    TD_ASSERT(count >= 1 && resource->partition_count == 0);
    if (!make_room(resource, count)) return false;
    const td_btree_source *items = resource->item_keys == NULL ? NULL : &resource->item_keys->source;
    for (uint32_t i = 0; i < count; i++) {
        td_partition *partition =
            td_partition__new(i + 1, resource->tree_count, items, resource->lag != NULL, now_us, effect);
        if (partition == NULL) return false;
        partition->hash_from = bound_of(i, count);
        partition->hash_to = i + 1 == count ? UINT64_MAX : bound_of(i + 1, count) - 1;
        resource->partitions[i] = partition;
        resource->bounds[i] = partition->hash_from;
        resource->partition_count = i + 1;
    }
    resource->last_number = count;
    return true;
}

bool td_ranges__add(td_resource *resource, td_partition *partition)
{
    uint32_t count = resource->partition_count;
    if (count == TD_LIMIT_PARTITIONS_MAX || !make_room(resource, count + 1)) return false;
    if (count > 0) {
        uint8_t bytes[2][HASH_BYTES];
        const td_partition *last = resource->partitions[count - 1];
        bool shares_hash = partition->from.len > 0;
        bool is_next = last->hash_to + !shares_hash == partition->hash_from && last->hash_to <= partition->hash_from;
        if (!is_next) return false;
        td_slice bound = td_partition__bound(partition, bytes[0]);
        if (td_slice_compare(td_partition__bound(last, bytes[1]), bound) >= 0) return false;
    }
    resource->partitions[count] = partition;
    resource->bounds[count] = partition->hash_from;
    resource->partition_count = count + 1;
    return true;
}

bool td_ranges__are_whole(const td_resource *resource)
{
    if (resource->partition_count == 0) return false;
    const td_partition *first = resource->partitions[0];
    const td_partition *last = resource->partitions[resource->partition_count - 1];
    return first->hash_from == 0 && first->from.len == 0 && last->hash_to == UINT64_MAX;
}

/* Ranges are equal until something splits them: the guess is right then, and the search settles the rest. */
uint32_t td_resource__find_partition_at(const td_resource *resource, td_slice key)
{
    const uint64_t *bounds = resource->bounds;
    uint64_t hash = td_partition__hash_of_key(key);
    uint32_t count = resource->partition_count;
    uint32_t low = (uint32_t)(((unsigned __int128)hash * count) >> 64);
    if (bounds[low] > hash || (low + 1 < count && bounds[low + 1] <= hash)) {
        low = 0; /* bounds[low] <= hash < bounds[high] */
        uint32_t high = count;
        while (high - low > 1) {
            uint32_t middle = low + (high - low) / 2;
            if (bounds[middle] <= hash)
                low = middle;
            else
                high = middle;
        }
    }
    return bounds[low] == hash ? td_ranges__find(resource, key, TD_BEGINS_AT) : low;
}

uint32_t td_ranges__find(const td_resource *resource, td_slice position, td_ranges_side side)
{
    uint32_t low = 0;
    uint32_t high = resource->partition_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (begins(resource, middle, position, side))
            low = middle;
        else
            high = middle;
    }
    return low;
}

bool td_ranges__is_inside(const td_resource *resource, uint32_t partition, td_slice bound)
{
    if (bound.len < HASH_BYTES || !begins(resource, partition, bound, TD_BEGINS_BEFORE)) return false;
    return partition + 1 == resource->partition_count || !begins(resource, partition + 1, bound, TD_BEGINS_AT);
}

/* Two keys are of one collection when their hashes are the same: what differs in the rest is 2^-128 rare, and then only
 * keeps together what might be parted. */
td_slice td_ranges__fit_bound(const td_resource *resource, uint32_t partition, td_slice bound)
{
    static const size_t lengths[] = {HASH_BYTES, TD_KEY_HASH_BYTES};
    const td_btree *entries = resource->partitions[partition]->trees[0].entries;
    if (!td_ranges__is_inside(resource, partition, bound)) return td_slice_of(NULL, 0);
    for (size_t i = 0; i < TD_COUNT_OF(lengths); i++) {
        if (bound.len <= lengths[i]) return bound;
        td_slice shorter = td_slice_of(bound.ptr, lengths[i]);
        bool is_inside = td_ranges__is_inside(resource, partition, shorter);
        if (is_inside && has_same_entries(entries, bound, shorter)) return shorter;
    }
    return td_ranges__can_cut_collections(resource) ? bound : td_slice_of(NULL, 0);
}

td_split_veto td_ranges__find_middle(const td_resource *resource, uint32_t partition, td_btree_room *room,
                                     td_slice *ret_bound)
{
    const td_btree *entries = resource->partitions[partition]->trees[0].entries;
    if (td_btree_count(entries) < 2) return TD_VETO_TOO_SMALL;
    uint64_t bytes = td_btree_weight(entries) + EACH_BYTES * td_btree_count(entries);
    uint64_t half = bytes / 2;
    split_point at;
    split_point between;
    find_nearest_entry(entries, half, &at);
    find_nearest_collection(entries, at.bound, half, &between);
    bool can_cut = td_ranges__can_cut_collections(resource);
    if (between.bound.len == 0 && !can_cut) return TD_VETO_LOCAL_INDEX;
    bool is_near = distance(between.before, half) <= bytes / MIDDLE_SLACK;
    bool is_between = between.bound.len > 0 && (is_near || !can_cut);
    td_slice bound = td_ranges__fit_bound(resource, partition, is_between ? between.bound : at.bound);
    TD_ASSERT(bound.len > 0);
    if (bound.len <= sizeof room->bytes) {
        memcpy(room->bytes, bound.ptr, bound.len);
        bound.ptr = room->bytes;
    }
    *ret_bound = bound;
    return TD_VETO_NONE;
}

td_slice td_ranges__middle_of_hashes(const td_resource *resource, uint32_t partition, uint8_t bytes[8])
{
    const td_partition *it = resource->partitions[partition];
    uint64_t width = it->hash_to - it->hash_from;
    td_slice bound = td_partition__key_of_hash(it->hash_from + width / 2 + 1, bytes);
    return width > 0 && td_ranges__is_inside(resource, partition, bound) ? bound : td_slice_of(NULL, 0);
}

bool td_ranges__cut(td_resource *resource, uint32_t partition, td_slice bound, td_split_cause cause,
                    const td_capacity_effect *effect, td_time_us now_us)
{
    TD_ASSERT(td_ranges__is_inside(resource, partition, bound));
    uint32_t count = resource->partition_count;
    if (count == TD_LIMIT_PARTITIONS_MAX || !make_room(resource, count + 1)) return false;
    td_partition *upper = divide(resource, resource->partitions[partition], bound, cause, effect, now_us);
    if (upper == NULL) return false;
    uint32_t behind = count - partition - 1;
    td_partition **partitions = &resource->partitions[partition + 1];
    uint64_t *bounds = &resource->bounds[partition + 1];
    memmove(partitions + 1, partitions, behind * sizeof(td_partition *));
    memmove(bounds + 1, bounds, behind * sizeof *bounds);
    *partitions = upper;
    *bounds = upper->hash_from;
    resource->partition_count = count + 1;
    td_share__resize(resource, effect, now_us);
    return true;
}

/* The arrays are filled anew from behind, so that all of them together cost no more than one pass. */
bool td_ranges__double(td_resource *resource, uint32_t count, const td_capacity_effect *effect, td_time_us now_us)
{
    uint32_t old_count = resource->partition_count;
    TD_ASSERT(count > old_count && count <= 2 * old_count && count <= TD_LIMIT_PARTITIONS_MAX);
    td_partition **uppers = td_alloc_zero(old_count * sizeof(td_partition *));
    bool is_complete = uppers != NULL && make_room(resource, count);
    uint32_t made = 0;
    for (uint32_t i = 0; i < old_count && is_complete && old_count + made < count; i++) {
        uint8_t bytes[HASH_BYTES];
        td_slice bound = td_ranges__middle_of_hashes(resource, i, bytes);
        td_btree_room room;
        if (bound.len == 0 && td_ranges__find_middle(resource, i, &room, &bound) != TD_VETO_NONE) continue;
        uppers[i] = divide(resource, resource->partitions[i], bound, TD_SPLIT_FOR_GROWTH, effect, now_us);
        is_complete = uppers[i] != NULL;
        if (is_complete) made++;
    }
    uint32_t to = old_count + made;
    for (uint32_t i = old_count; i-- > 0 && made > 0;) {
        if (uppers[i] != NULL) resource->partitions[--to] = uppers[i];
        resource->partitions[--to] = resource->partitions[i];
    }
    resource->partition_count = old_count + made;
    for (uint32_t i = 0; i < resource->partition_count; i++)
        resource->bounds[i] = resource->partitions[i]->hash_from;
    td_free(uppers);
    td_share__resize(resource, effect, now_us);
    return is_complete;
}

static bool begins(const td_resource *resource, uint32_t partition, td_slice position, td_ranges_side side)
{
    uint64_t bound = resource->bounds[partition];
    uint64_t hash = td_partition__hash_of_key(position);
    if (bound != hash) return bound < hash;
    uint8_t bytes[HASH_BYTES];
    td_slice from = td_partition__bound(resource->partitions[partition], bytes);
    int order = td_slice_compare(from, position);
    switch (side) {
    case TD_BEGINS_BEFORE: return order < 0;
    case TD_BEGINS_AT: return order <= 0;
    case TD_BEGINS_UNDER: return order <= 0 || td_slice_has_prefix(from, position);
    }
    TD_UNREACHABLE("a side");
}

static bool has_same_entries(const td_btree *entries, td_slice bound, td_slice shorter)
{
    td_btree_cursor at = td_btree_seek_key(entries, bound, TD_SEEK_FIRST_AT_OR_AFTER);
    td_btree_cursor at_shorter = td_btree_seek_key(entries, shorter, TD_SEEK_FIRST_AT_OR_AFTER);
    return at.leaf == at_shorter.leaf && at.at == at_shorter.at;
}

/* Of the two boundaries of the entry in which the half lies: the nearer one with entries on both sides. */
static void find_nearest_entry(const td_btree *entries, uint64_t half, split_point *ret_point)
{
    uint64_t before = 0;
    td_btree_cursor at = td_btree_seek_weight(entries, EACH_BYTES, half, &before);
    td_btree_cursor next = at;
    td_btree_next(&next);
    if (!td_btree_is_end(next)) {
        ret_point->bound = td_btree_read_key(next, &ret_point->room);
        ret_point->before = td_btree_weight_before(entries, ret_point->bound, EACH_BYTES);
        bool is_first = before == 0;
        if (is_first || distance(ret_point->before, half) < distance(before, half)) return;
    }
    ret_point->bound = td_btree_read_key(at, &ret_point->room);
    ret_point->before = before;
}

/* Of the two ends of that key's collection: the nearer one with entries on both sides; empty: there is none. */
static void find_nearest_collection(const td_btree *entries, td_slice key, uint64_t half, split_point *ret_point)
{
    td_slice hash = td_slice_of(key.ptr, TD_KEY_HASH_BYTES);
    td_btree_cursor ends[] = {td_btree_seek_key(entries, hash, TD_SEEK_FIRST_AT_OR_AFTER),
                              td_btree_seek_key(entries, hash, TD_SEEK_FIRST_PAST)};
    td_btree_cursor nearest = {0};
    ret_point->before = 0;
    for (size_t i = 0; i < TD_COUNT_OF(ends); i++) {
        if (td_btree_is_end(ends[i])) continue;
        td_slice end = td_btree_read_key(ends[i], &ret_point->room);
        uint64_t before = td_btree_weight_before(entries, end, EACH_BYTES);
        if (before == 0) continue; /* entries weigh something: it is the first one */
        bool is_nearer = td_btree_is_end(nearest) || distance(before, half) < distance(ret_point->before, half);
        if (!is_nearer) continue;
        nearest = ends[i];
        ret_point->before = before;
    }
    ret_point->bound = td_btree_is_end(nearest) ? td_slice_of(NULL, 0) : td_btree_read_key(nearest, &ret_point->room);
}

static uint64_t distance(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

static bool make_room(td_resource *resource, uint32_t count)
{
    if (count <= resource->partition_room) return true;
    uint32_t room =
        resource->partition_count == 0 || count > 2 * resource->partition_room ? count : 2 * resource->partition_room;
    td_partition **partitions = td_resize(resource->partitions, room * sizeof(td_partition *));
    if (partitions == NULL) return false;
    resource->partitions = partitions;
    uint64_t *bounds = td_resize(resource->bounds, room * sizeof *bounds);
    if (bounds == NULL) return false;
    resource->bounds = bounds;
    resource->partition_room = room;
    return true;
}

/* Answers the upper partition, which has yet to be put in its place; the shard is succeeded by two. */
static td_partition *divide(td_resource *resource, td_partition *lower, td_slice bound, td_split_cause cause,
                            const td_capacity_effect *effect, td_time_us now_us)
{
    uint32_t parent = lower->number;
    uint32_t number = resource->last_number + 1;
    if (!td_split_log__reserve(&resource->splits)) return NULL;
    if (resource->stream != NULL && !td_stream__reserve_split(resource->stream, number + 1)) return NULL;
    td_partition *upper = td_partition__new_upper(lower, number + 1, bound, now_us, effect);
    if (upper == NULL) return NULL;
    td_share__divide(lower, upper, now_us);
    td_partition__cut(lower, number, upper, now_us, effect);
    if (resource->stream != NULL) td_stream__split(resource->stream, parent, number, number + 1, now_us);
    td_split_plan__pass_on(lower, upper, bound);
    resource->last_number = number + 1;
    td_split_record record = {.at_us = now_us, .partition = parent, .cause = cause, .children = {number, number + 1}};
    td_split_log__add(&resource->splits, &record);
    return upper;
}

/* The lowest hash whose partition is `index`: floor(hash × count / 2^64) = index. */
static uint64_t bound_of(uint32_t index, uint32_t count)
{
    unsigned __int128 scaled = (unsigned __int128)index << 64;
    return (uint64_t)((scaled + count - 1) / count);
}
