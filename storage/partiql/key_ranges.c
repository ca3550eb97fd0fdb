/* SPDX-License-Identifier: Apache-2.0
 * key_ranges.c: look-ups become ranges of keys that are apart from each other.
 * Model: ranges of one partition key that overlap are refused, an IN that repeats a value among them; but where one of
 * the branches denies a value of the sort key, the whole collection is read instead, once.
 * Sources: messages.md §1.7 and §4 "PartiQL"; captures of September 2026 (floci, PartiQL edge cases). */
#include "keys.h"

#include <stdlib.h>

static td_status make_range(td_key_lookup *lookup, const td_key_schema *schema, td_error *error);
static td_status keep_apart(td_key_lookup *lookups, uint32_t *count, td_error *error);

const td_value *td_partiql__value_of(const td_node *operation)
{
    const td_node *value = operation->first->kind == TD_NODE_VALUE ? operation->first : operation->first->next;
    return value->value;
}

td_status td_partiql__make_ranges(td_key_lookup *lookups, uint32_t *count, const td_key_schema *schema, td_error *error)
{
    for (uint32_t i = 0; i < *count; i++)
        TD_TRY(make_range(&lookups[i], schema, error));
    return keep_apart(lookups, count, error);
}

static td_status check_operand(const td_value *value, const td_key_part *part, td_error *error)
{
    if (value->type != part->type) return TD_RAISE(error, TD_MSG_PARTIQL_KEY_TYPE, part->name);
    if (value->type == TD_TYPE_N || value->bytes.len > 0) return TD_OK;
    return TD_RAISE(error, value->type == TD_TYPE_S ? TD_MSG_KEYCOND_EMPTY_STRING : TD_MSG_KEYCOND_EMPTY_BINARY,
                    part->name);
}

/* The comparison as it reads with the attribute on its left. */
static td_range_kind range_kind(td_operation operation, bool is_name_first)
{
    if (operation == TD_OP_BETWEEN) return TD_RANGE_BETWEEN;
    if (operation == TD_OP_BEGINS_WITH) return TD_RANGE_BEGINS_WITH;
    if (operation == TD_OP_LESS) return is_name_first ? TD_RANGE_LESS : TD_RANGE_GREATER;
    if (operation == TD_OP_LESS_EQUAL) return is_name_first ? TD_RANGE_LESS_EQUAL : TD_RANGE_GREATER_EQUAL;
    if (operation == TD_OP_GREATER) return is_name_first ? TD_RANGE_GREATER : TD_RANGE_LESS;
    TD_ASSERT(operation == TD_OP_GREATER_EQUAL);
    return is_name_first ? TD_RANGE_GREATER_EQUAL : TD_RANGE_LESS_EQUAL;
}

static td_status make_range(td_key_lookup *lookup, const td_key_schema *schema, td_error *error)
{
    td_key_range *made = &lookup->made;
    const td_node *range = lookup->range;
    *made = (td_key_range){.kind = TD_RANGE_ALL};
    TD_TRY(check_operand(lookup->hash, &schema->parts[0], error));
    made->hash_parts[0] = lookup->hash->bytes;
    if (lookup->equal == NULL && range == NULL) return TD_OK;

    const td_key_part *part = &schema->parts[1];
    if (lookup->equal != NULL) {
        TD_TRY(check_operand(lookup->equal, part, error));
        made->equal_parts[made->equal_count++] = lookup->equal->bytes;
        return TD_OK;
    }
    if (range->operation == TD_OP_BEGINS_WITH && part->type == TD_TYPE_N) {
        return TD_RAISE(error, TD_MSG_PARTIQL_KEY_TYPE, part->name);
    }
    const td_value *low = td_partiql__value_of(range);
    TD_TRY(check_operand(low, part, error));
    made->kind = range_kind(range->operation, range->first->kind == TD_NODE_PATH);
    made->low = low->bytes;
    if (made->kind != TD_RANGE_BETWEEN) return TD_OK;
    const td_value *high = range->first->next->next->value;
    TD_TRY(check_operand(high, part, error));
    made->high = high->bytes;
    return TD_OK;
}

/* ---- apart ------------------------------------------------------------------------------------------------------- */

static bool is_unbounded_below(const td_key_range *range)
{
    return range->equal_count == 0 &&
           (range->kind == TD_RANGE_ALL || range->kind == TD_RANGE_LESS || range->kind == TD_RANGE_LESS_EQUAL);
}

static td_slice low_end(const td_key_range *range)
{
    return range->equal_count > 0 ? range->equal_parts[0] : range->low;
}

/* Is its lower end not in it? */
static bool begins_behind(const td_key_range *range)
{
    return range->equal_count == 0 && range->kind == TD_RANGE_GREATER;
}

static int compare_lookups(const void *a, const void *b)
{
    const td_key_range *one = &((const td_key_lookup *)a)->made;
    const td_key_range *two = &((const td_key_lookup *)b)->made;
    int order = td_slice_compare(one->hash_parts[0], two->hash_parts[0]);
    if (order != 0) return order;
    bool is_one_open = is_unbounded_below(one);
    bool is_two_open = is_unbounded_below(two);
    if (is_one_open != is_two_open) return is_one_open ? -1 : 1;
    if (!is_one_open) order = td_slice_compare(low_end(one), low_end(two));
    return order != 0 ? order : (int)begins_behind(one) - (int)begins_behind(two);
}

/* Of two ranges of one collection in order: does the first reach the second's beginning? */
static bool reaches(const td_key_range *first, const td_key_range *second)
{
    if (is_unbounded_below(second)) return true;
    td_slice begin = low_end(second);
    bool is_closed = !begins_behind(second);
    td_slice end = low_end(first);
    if (first->equal_count == 0) {
        if (first->kind == TD_RANGE_ALL || first->kind == TD_RANGE_GREATER || first->kind == TD_RANGE_GREATER_EQUAL)
            return true;
        if (first->kind == TD_RANGE_BEGINS_WITH) return td_slice_has_prefix(begin, first->low);
        if (first->kind == TD_RANGE_BETWEEN) end = first->high;
        if (first->kind == TD_RANGE_LESS) is_closed = false;
    }
    int order = td_slice_compare(begin, end);
    return order < 0 || (order == 0 && is_closed);
}

/* Collection by collection. Sorted by their beginnings, ranges that are apart from their neighbours are so from all. */
static td_status keep_apart(td_key_lookup *lookups, uint32_t *count, td_error *error)
{
    if (*count > 1) qsort(lookups, *count, sizeof *lookups, compare_lookups);
    uint32_t kept = 0;
    for (uint32_t begin = 0, end = 0; begin < *count; begin = end) {
        td_slice hash = lookups[begin].made.hash_parts[0];
        bool overlaps = false;
        bool is_loose = false;
        for (end = begin; end < *count && td_slice_equal(lookups[end].made.hash_parts[0], hash); end++) {
            is_loose |= lookups[end].is_loose;
            overlaps |= end > begin && reaches(&lookups[end - 1].made, &lookups[end].made);
        }
        if (overlaps && !is_loose) return TD_RAISE(error, TD_MSG_PARTIQL_RANGES_OVERLAP);
        if (overlaps) {
            lookups[kept] = lookups[begin];
            lookups[kept++].made = (td_key_range){.kind = TD_RANGE_ALL, .hash_parts = {hash}};
            continue;
        }
        for (uint32_t i = begin; i < end; i++)
            lookups[kept++] = lookups[i];
    }
    *count = kept;
    return TD_OK;
}
