/* SPDX-License-Identifier: Apache-2.0
 * reads.c: random gets, queries and scans, page by page. */
#include "run.h"

#include "thermodyn/observe.h"

#define KEY_ATTRIBUTES_MAX (2 * TD_KEY_PARTS_MAX)

/* A walk over pages: what is asked, and what the model says comes. */
typedef struct page_walk {
    td_page_request request;
    const td_index_spec *index; /* NULL: the table */
    const model_entry *entries; /* in the order of the walk */
    size_t count;
    size_t next; /* the entry that the next page begins with */
    td_attribute start_key[KEY_ATTRIBUTES_MAX];
} page_walk;

/* Partitions that a page has visited. */
typedef struct visited_count {
    uint32_t least;
    uint32_t most;
} visited_count;

static const td_index_spec *pick_index(model_run *run);
static bool pick_consistency(model_run *run, const td_index_spec *index);
static void make_range(model_run *run, const td_key_schema *schema, td_key_range *ret_range);
static void make_operand(model_run *run, const td_key_part *part, td_key_range *range);
static void walk_pages(model_run *run, page_walk *walk);
static void check_page(model_run *run, const page_walk *walk, const td_page *page);
static void check_page_units(model_run *run, const page_walk *walk, const td_page *page);
static void resume_after(model_run *run, page_walk *walk, const td_page *page);
static void reverse(model_entry *entries, size_t count);
static bool has_attribute_a(const model_entry *entry, const page_walk *walk);
static const td_item *item_of_entry(const model_entry *entry, const page_walk *walk);
static visited_count count_visited(model_run *run, const page_walk *walk, const td_page *page);
static visited_count count_partitions(model_run *run, const td_index_spec *index, uint64_t from, uint64_t to);
static uint64_t first_slot_of(uint64_t segment, uint64_t total);
static uint32_t segment_of(const td_key_hash *hash, uint32_t total);
static void set_filter(model_run *run, td_page_request *request);

void run_get(model_run *run)
{
    td_attribute key[2];
    uint32_t count = run_make_key(run, key);
    td_get get = {.key = key, .key_count = count, .is_consistent = random_chance(&run->rng, 50)};
    td_call call = run_call(run);
    td_get_result result;
    CHECK_RUN(run, td_get_item(&call, &get, &result, &run->error) == TD_OK);
    const td_item *expected = model_find(run_seen(run, NULL, get.is_consistent), key, count);
    CHECK_RUN(run, (result.item == NULL) == (expected == NULL));
    if (expected != NULL) CHECK_RUN(run, td_item_equal(result.item, expected));
    uint64_t bytes = expected == NULL ? 0 : td_item_size(expected);
    td_consumed units = {.table = model_units_of_read(bytes, get.is_consistent)};
    CHECK_RUN(run, consumed_equal(&result.consumed, &units));
    run_count(run, TD_READ, &result.consumed);
}

void run_query(model_run *run)
{
    page_walk walk = {.index = pick_index(run)};
    td_key_range range;
    make_range(run, walk.index == NULL ? &run->table.spec.key : &walk.index->key, &range);
    bool is_consistent = pick_consistency(run, walk.index);
    const model_table *seen = run_seen(run, walk.index, is_consistent);
    model_entry *entries = model_list(seen, walk.index, &range, &run->arena, &walk.count);
    bool is_backward = random_chance(&run->rng, 50);
    if (is_backward) reverse(entries, walk.count);
    walk.entries = entries;
    walk.request = (td_page_request){.range = &range, .is_backward = is_backward, .is_consistent = is_consistent};
    walk.request.limit = (uint32_t)td_rng_below(&run->rng, 6);
    if (walk.index != NULL) walk.request.index = walk.index->name;
    if (walk.index != NULL && !walk.index->is_global && walk.index->projection != TD_PROJECT_ALL)
        walk.request.needs_whole_items = random_chance(&run->rng, 50);
    set_filter(run, &walk.request);
    walk_pages(run, &walk);
}

void run_scan(model_run *run)
{
    run_scan_index(run, pick_index(run));
}

void run_scan_index(model_run *run, const td_index_spec *index)
{
    size_t count;
    bool is_consistent = pick_consistency(run, index);
    const model_table *seen = run_seen(run, index, is_consistent);
    model_entry *entries = model_list(seen, index, NULL, &run->arena, &count);
    uint32_t total = 1 + (uint32_t)td_rng_below(&run->rng, 7);
    uint32_t limit = random_chance(&run->rng, 50) ? 0 : 1 + (uint32_t)td_rng_below(&run->rng, 20);
    size_t from = 0;
    for (uint32_t segment = 0; segment < total; segment++) {
        size_t to = from;
        while (to < count && segment_of(&entries[to].hash, total) == segment)
            to++;
        page_walk walk = {.index = index, .entries = entries + from, .count = to - from};
        walk.request = (td_page_request){.segment = segment, .total_segments = total, .limit = limit};
        if (total == 1 && random_chance(&run->rng, 50)) walk.request.total_segments = 0;
        if (index != NULL) walk.request.index = index->name;
        walk.request.is_consistent = is_consistent;
        set_filter(run, &walk.request);
        walk_pages(run, &walk);
        from = to;
    }
    CHECK_RUN(run, from == count);
}

/* NULL: the table. */
static const td_index_spec *pick_index(model_run *run)
{
    uint64_t number = td_rng_below(&run->rng, run->table.spec.index_count + 1);
    return number == 0 ? NULL : &run->table.spec.indexes[number - 1];
}

static bool pick_consistency(model_run *run, const td_index_spec *index)
{
    return (index == NULL || !index->is_global) && random_chance(&run->rng, 50);
}

static void make_range(model_run *run, const td_key_schema *schema, td_key_range *ret_range)
{
    td_key_range range = {.kind = TD_RANGE_ALL};
    for (uint32_t i = 0; i < schema->hash_count; i++)
        range.hash_parts[i] = random_key(&run->rng, schema->parts[i].type, &run->arena);
    if (schema->range_count > 0) {
        range.equal_count = (uint8_t)td_rng_below(&run->rng, schema->range_count + 1u);
        for (uint32_t i = 0; i < range.equal_count; i++)
            range.equal_parts[i] = random_key(&run->rng, schema->parts[schema->hash_count + i].type, &run->arena);
        if (range.equal_count < schema->range_count)
            make_operand(run, &schema->parts[schema->hash_count + range.equal_count], &range);
    }
    *ret_range = range;
}

static void make_operand(model_run *run, const td_key_part *part, td_key_range *range)
{
    uint64_t kinds = part->type == TD_TYPE_N ? TD_RANGE_BEGINS_WITH : TD_RANGE_BEGINS_WITH + 1;
    range->kind = (td_range_kind)td_rng_below(&run->rng, kinds);
    range->low = random_key(&run->rng, part->type, &run->arena);
    if (range->kind != TD_RANGE_BETWEEN) return;
    range->high = random_key(&run->rng, part->type, &run->arena);
    if (td_slice_compare(range->low, range->high) <= 0) return;
    td_slice swapped = range->low;
    range->low = range->high;
    range->high = swapped;
}

static void set_filter(model_run *run, td_page_request *request)
{
    if (!random_chance(&run->rng, 30)) return;
    td_condition *filter;
    CHECK_RUN(run, td_condition_compile(TD_EXPR_FILTER, TD_LIT("attribute_exists(a)"), NULL, &run->arena, &filter,
                                        &run->error) == TD_OK);
    request->filter = filter;
}

static void walk_pages(model_run *run, page_walk *walk)
{
    for (;;) {
        td_call call = run_call(run);
        td_page page;
        CHECK_RUN(run, td_read_page(&call, &walk->request, &page, &run->error) == TD_OK);
        check_page(run, walk, &page);
        check_page_units(run, walk, &page);
        run_count(run, TD_READ, &page.consumed);
        walk->next += page.scanned_count;
        if (page.last == NULL) break;
        resume_after(run, walk, &page);
    }
    CHECK_RUN(run, walk->next == walk->count);
}

static void check_page(model_run *run, const page_walk *walk, const td_page *page)
{
    uint32_t limit = walk->request.limit;
    CHECK_RUN(run, page->scanned_count <= walk->count - walk->next);
    CHECK_RUN(run, limit == 0 || page->scanned_count <= limit);
    CHECK_RUN(run, (page->last != NULL) == (limit != 0 && page->scanned_count == limit));
    uint32_t shown = 0;
    for (uint32_t i = 0; i < page->scanned_count; i++) {
        const model_entry *entry = &walk->entries[walk->next + i];
        if (walk->request.filter != NULL && !has_attribute_a(entry, walk)) continue;
        CHECK_RUN(run, shown < page->count);
        CHECK_RUN(run, td_item_equal(page->items[shown], item_of_entry(entry, walk)));
        shown++;
    }
    CHECK_RUN(run, shown == page->count);
}

/* throttling.md §1.2: the bytes evaluated, rounded once, and at least the minimum for each partition visited. */
static void check_page_units(model_run *run, const page_walk *walk, const td_page *page)
{
    uint64_t bytes = 0;
    td_units fetched = 0;
    bool is_consistent = walk->request.is_consistent;
    for (uint32_t i = 0; i < page->scanned_count; i++) {
        const model_entry *entry = &walk->entries[walk->next + i];
        bytes += td_item_size(entry->shown);
        if (walk->request.needs_whole_items) fetched += model_units_of_read(td_item_size(entry->base), is_consistent);
    }
    visited_count visited = count_visited(run, walk, page);
    td_units for_bytes = model_units_of_read(bytes, is_consistent);
    td_units units = page->consumed.table;
    if (walk->index != NULL) {
        CHECK_RUN(run, page->consumed.index_count == 1);
        CHECK_RUN(run, td_slice_equal(page->consumed.indexes[0].name, walk->index->name));
        CHECK_RUN(run, page->consumed.indexes[0].is_global == walk->index->is_global);
        CHECK_RUN(run, page->consumed.table == fetched);
        units = page->consumed.indexes[0].units;
    } else {
        CHECK_RUN(run, page->consumed.index_count == 0);
    }
    bool is_expected = false;
    for (uint32_t count = visited.least; count <= visited.most; count++) {
        td_units for_visits = count * model_units_of_read(0, is_consistent);
        is_expected = is_expected || units == (for_visits > for_bytes ? for_visits : for_bytes);
    }
    CHECK_RUN(run, is_expected);
}

/* The next page starts after the keys of the last item, as a client sends them back. */
static void resume_after(model_run *run, page_walk *walk, const td_page *page)
{
    uint32_t count = page->key_name_count;
    CHECK_RUN(run, count <= KEY_ATTRIBUTES_MAX);
    for (uint32_t i = 0; i < count; i++) {
        td_stored value;
        CHECK_RUN(run, td_item_find(page->last, page->key_names[i], &value));
        walk->start_key[i] = (td_attribute){page->key_names[i], {.type = value.type, .bytes = value.bytes}};
    }
    td_value_sort_attributes(walk->start_key, &count);
    CHECK_RUN(run, count == page->key_name_count); /* no name twice */
    walk->request.start_key = walk->start_key;
    walk->request.start_key_count = count;
}

static void reverse(model_entry *entries, size_t count)
{
    for (size_t i = 0; i < count / 2; i++) {
        model_entry swapped = entries[i];
        entries[i] = entries[count - 1 - i];
        entries[count - 1 - i] = swapped;
    }
}

static bool has_attribute_a(const model_entry *entry, const page_walk *walk)
{
    td_stored value;
    return td_item_find(item_of_entry(entry, walk), TD_LIT("a"), &value);
}

static const td_item *item_of_entry(const model_entry *entry, const page_walk *walk)
{
    return walk->request.needs_whole_items ? entry->base : entry->shown;
}

/* From where the page starts (its segment, or the last entry of the page before) to where it stops. Of partitions that
 * share a collection the hash does not say which one it is; a Query has one hash. */
static visited_count count_visited(model_run *run, const page_walk *walk, const td_page *page)
{
    if (walk->request.range != NULL) {
        const td_key_schema *key = walk->index == NULL ? &run->table.spec.key : &walk->index->key;
        td_key_hash hash = td_key_hash_of(walk->request.range->hash_parts, key->hash_count, TD_PLACEMENT_SERVICE);
        uint64_t prefix = td_key_hash_prefix(&hash);
        visited_count visited = count_partitions(run, walk->index, prefix, prefix);
        visited.least = 1;
        return visited;
    }
    uint64_t total = walk->request.total_segments == 0 ? 1 : walk->request.total_segments;
    uint64_t from = first_slot_of(walk->request.segment, total) << 52;
    uint64_t to = (first_slot_of(walk->request.segment + 1, total) << 52) - 1; /* wraps to the largest at the end */
    if (walk->next > 0) from = td_key_hash_prefix(&walk->entries[walk->next - 1].hash);
    if (page->last != NULL) to = td_key_hash_prefix(&walk->entries[walk->next + page->scanned_count - 1].hash);
    return count_partitions(run, walk->index, from, to);
}

/* Of the table or the global index, those that have both hashes or one between: surely, and perhaps. */
static visited_count count_partitions(model_run *run, const td_index_spec *index, uint64_t from, uint64_t to)
{
    td_call call = run_call(run);
    td_table_view view;
    CHECK_RUN(run, td_observe_table(&call, &view));
    td_slice name = index == NULL || !index->is_global ? TD_LIT("") : index->name;
    visited_count count = {0};
    uint32_t with_from = 0;
    uint32_t with_to = 0;
    for (uint32_t i = 0; i < view.partition_count; i++) {
        const td_partition_view *partition = &view.partitions[i];
        if (!td_slice_equal(partition->index, name)) continue;
        uint64_t hash_from = td_key_hash_prefix(&partition->hash_from);
        uint64_t hash_to = td_key_hash_prefix(&partition->hash_to);
        if (hash_from > to || hash_to < from) continue;
        count.most++;
        with_from += hash_from <= from;
        with_to += hash_to >= to;
    }
    uint32_t doubtful = with_from - 1 + with_to - 1;
    count.least = count.most > doubtful ? count.most - doubtful : 1;
    return count;
}

static uint32_t segment_of(const td_key_hash *hash, uint32_t total)
{
    uint64_t slot = td_key_hash_prefix(hash) >> 52;
    uint32_t segment = 0;
    while (slot >= first_slot_of(segment + 1, total))
        segment++;
    return segment;
}

/* Segment s of T holds the slots ceil(4096 s / T) to ceil(4096 (s + 1) / T) - 1 (throttling.md §2.2). */
static uint64_t first_slot_of(uint64_t segment, uint64_t total)
{
    return (4096 * segment + total - 1) / total;
}
