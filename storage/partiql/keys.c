/* SPDX-License-Identifier: MIT
 * keys.c: what a WHERE says of a key: the look-ups that cover every item for which it can hold.
 * Model: of conditions joined by AND the first equality (or IN) on the partition key and the first key condition on the
 * sort key count, equalities before others; the rest only filters. Branches of OR give ranges of their own, if all of
 * them have the partition key; beside an AND they serve when the AND has no partition key itself.
 * Sources: messages.md §1.7 and §4 "PartiQL": IN counts as keyed, a negation never does, overlapping branches.
 * Invariants: the recursion is bounded by the tree's depth; the work by its size, but for sorting.
 * Not here: ORDER BY (order.c). */
#include "syntax.h"

#include <stdlib.h>

/* One range in the making. */
typedef struct key_lookup {
    const td_value *hash;
    const td_node *range; /* the operation on the sort key; NULL: none */
    uint32_t branch;      /* of OR, in the order of writing */
    td_key_range made;
} key_lookup;

typedef struct key_finding {
    const td_key_schema *schema;
    key_lookup *lookups;
    uint32_t count;
    uint32_t branch_count;
    bool has_rest;
} key_finding;

/* The conditions joined by one AND, as far as they concern the key. */
typedef struct conjuncts {
    const td_node *hash;
    const td_node *range;
    const td_node *keyed_or;
} conjuncts;

static bool find_node(key_finding *finding, const td_node *node);
static td_status find_all(const td_statement *statement, const td_key_schema *schema, td_arena *arena,
                          key_finding *ret_finding, bool *ret_is_keyed, td_error *error);
static bool find_conjunction(key_finding *finding, const td_node *node);
static void gather(key_finding *finding, const td_node *node, conjuncts *found);
static void count_rest(key_finding *finding, const td_node *node, const conjuncts *used);
static void add_lookups(key_finding *finding, const td_node *hash, const td_node *range);
static uint32_t lookups_max(const td_node *node);
static td_status make_range(key_lookup *lookup, const td_key_schema *schema, td_error *error);
static td_status keep_apart(key_lookup *lookups, uint32_t *count, td_error *error);

td_status td_statement_find_keys(const td_statement *statement, const td_key_schema *schema, td_arena *arena,
                                 td_statement_keys *ret_keys, td_error *error)
{
    key_finding finding;
    td_statement_keys keys = {.count = 0};
    TD_TRY(find_all(statement, schema, arena, &finding, &keys.is_keyed, error));
    keys.has_rest = finding.has_rest;
    if (!keys.is_keyed) {
        *ret_keys = keys;
        return TD_OK;
    }
    for (uint32_t i = 0; i < finding.count; i++)
        TD_TRY(make_range(&finding.lookups[i], schema, error));
    TD_TRY(keep_apart(finding.lookups, &finding.count, error));

    td_key_range *ranges = td_arena_alloc_array(arena, finding.count, sizeof *ranges);
    if (ranges == NULL) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    keys.is_whole = true;
    keys.is_single_collection = finding.count > 0;
    for (uint32_t i = 0; i < finding.count; i++) {
        ranges[i] = finding.lookups[i].made;
        keys.is_whole &= ranges[i].equal_count == schema->range_count;
        keys.is_single_collection &= td_slice_equal(ranges[i].hash_parts[0], ranges[0].hash_parts[0]);
    }
    keys.ranges = ranges;
    keys.count = finding.count;
    *ret_keys = keys;
    return TD_OK;
}

td_status td_statement_find_key(const td_statement *statement, const td_key_schema *schema, td_arena *arena,
                                td_attribute **ret_key, bool *ret_has_rest, td_error *error)
{
    key_finding finding;
    bool is_keyed = false;
    TD_TRY(find_all(statement, schema, arena, &finding, &is_keyed, error));
    bool is_one = is_keyed && finding.count == 1;
    const td_node *range = is_one ? finding.lookups[0].range : NULL;
    if (!is_one || (schema->range_count > 0 && (range == NULL || range->operation != TD_OP_EQUAL)))
        return TD_RAISE(error, TD_MSG_PARTIQL_KEY_REQUIRED);
    td_attribute *key = td_arena_alloc_array(arena, td_key_part_count(schema), sizeof *key);
    if (key == NULL) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    key[0] = (td_attribute){schema->parts[0].name, *finding.lookups[0].hash};
    if (range != NULL) {
        const td_node *operand = range->first->kind == TD_NODE_VALUE ? range->first : range->first->next;
        key[1] = (td_attribute){schema->parts[1].name, *operand->value};
    }
    *ret_key = key;
    *ret_has_rest = finding.has_rest;
    return TD_OK;
}

static td_status find_all(const td_statement *statement, const td_key_schema *schema, td_arena *arena,
                          key_finding *ret_finding, bool *ret_is_keyed, td_error *error)
{
    *ret_finding = (key_finding){.schema = schema, .has_rest = statement->where != NULL};
    *ret_is_keyed = false;
    if (statement->where == NULL || schema->hash_count != 1 || schema->range_count > 1) return TD_OK;
    const td_node *root = statement->where->root;
    ret_finding->has_rest = false;
    ret_finding->lookups = td_arena_alloc_array(arena, lookups_max(root), sizeof *ret_finding->lookups);
    if (ret_finding->lookups == NULL) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    *ret_is_keyed = find_node(ret_finding, root);
    if (!*ret_is_keyed) ret_finding->has_rest = true;
    return TD_OK;
}

/* No branch can have more look-ups than it has operands. */
static uint32_t lookups_max(const td_node *node)
{
    if (node->kind == TD_NODE_OPERATION) return node->count;
    uint32_t count = 0;
    for (const td_node *child = node->first; child != NULL; child = child->next)
        count += lookups_max(child);
    return count;
}

/* ---- the tree ---- */

/* Does the operation compare this attribute with values alone? */
static bool compares(const td_node *node, td_slice attribute)
{
    bool has_attribute = false;
    if (node->kind != TD_NODE_OPERATION) return false;
    for (const td_node *operand = node->first; operand != NULL; operand = operand->next) {
        if (operand->kind == TD_NODE_VALUE) continue;
        bool is_it = operand->kind == TD_NODE_PATH && operand->path->count == 1 && !has_attribute &&
                     td_slice_equal(operand->path->steps[0].name, attribute);
        if (!is_it) return false;
        has_attribute = true;
    }
    return has_attribute;
}

static bool is_hash_condition(const key_finding *finding, const td_node *node)
{
    if (!compares(node, finding->schema->parts[0].name)) return false;
    return node->operation == TD_OP_EQUAL || (node->operation == TD_OP_IN && node->first->kind == TD_NODE_PATH);
}

static bool is_range_condition(const key_finding *finding, const td_node *node)
{
    if (finding->schema->range_count == 0 || !compares(node, finding->schema->parts[1].name)) return false;
    switch (node->operation) {
    case TD_OP_EQUAL:
    case TD_OP_LESS:
    case TD_OP_LESS_EQUAL:
    case TD_OP_GREATER:
    case TD_OP_GREATER_EQUAL: return true;
    case TD_OP_BETWEEN:
    case TD_OP_BEGINS_WITH: return node->first->kind == TD_NODE_PATH;
    case TD_OP_NOT_EQUAL:
    case TD_OP_DIFFERS:
    case TD_OP_IN:
    case TD_OP_ATTRIBUTE_EXISTS:
    case TD_OP_ATTRIBUTE_NOT_EXISTS:
    case TD_OP_ATTRIBUTE_TYPE:
    case TD_OP_CONTAINS:
    case TD_OP_SIZE:
    case TD_OP_IF_NOT_EXISTS:
    case TD_OP_LIST_APPEND:
    case TD_OP_PLUS:
    case TD_OP_MINUS:
    case TD_OP_COUNT: break;
    }
    return false;
}

/* Adds the node's look-ups; false: it is not keyed (what was added then has no meaning). */
static bool find_node(key_finding *finding, const td_node *node)
{
    switch (node->kind) {
    case TD_NODE_OR:
        for (const td_node *side = node->first; side != NULL; side = side->next)
            if (!find_node(finding, side)) return false;
        return true;
    case TD_NODE_AND:
    case TD_NODE_OPERATION: return find_conjunction(finding, node);
    case TD_NODE_NOT:
    case TD_NODE_PATH:
    case TD_NODE_VALUE: break;
    }
    return false;
}

static bool find_conjunction(key_finding *finding, const td_node *node)
{
    conjuncts found = {.hash = NULL};
    gather(finding, node, &found);
    uint32_t begin = finding->count;
    if (found.hash != NULL) {
        add_lookups(finding, found.hash, found.range);
    } else if (found.keyed_or == NULL || !find_node(finding, found.keyed_or)) {
        return false;
    } else {
        for (uint32_t i = begin; i < finding->count && found.range != NULL; i++)
            if (finding->lookups[i].range == NULL) finding->lookups[i].range = found.range;
        finding->has_rest = true;
    }
    count_rest(finding, node, &found);
    return true;
}

/* Is every branch keyed? Only asks. */
static bool is_keyed(const key_finding *finding, const td_node *node)
{
    if (node->kind == TD_NODE_OPERATION) return is_hash_condition(finding, node);
    bool is_or = node->kind == TD_NODE_OR;
    if (!is_or && node->kind != TD_NODE_AND) return false;
    for (const td_node *side = node->first; side != NULL; side = side->next)
        if (is_keyed(finding, side) != is_or) return !is_or;
    return is_or;
}

/* An AND within an AND is the same AND. */
static void gather(key_finding *finding, const td_node *node, conjuncts *found)
{
    if (node->kind == TD_NODE_AND) {
        for (const td_node *side = node->first; side != NULL; side = side->next)
            gather(finding, side, found);
        return;
    }
    if (node->kind == TD_NODE_OR && found->keyed_or == NULL && is_keyed(finding, node)) found->keyed_or = node;
    bool is_equality = node->operation == TD_OP_EQUAL;
    if (is_hash_condition(finding, node)) {
        if (found->hash == NULL || (is_equality && found->hash->operation != TD_OP_EQUAL)) found->hash = node;
    } else if (is_range_condition(finding, node)) {
        if (found->range == NULL || (is_equality && found->range->operation != TD_OP_EQUAL)) found->range = node;
    }
}

static const td_value *value_of(const td_node *operation)
{
    const td_node *value = operation->first->kind == TD_NODE_VALUE ? operation->first : operation->first->next;
    return value->value;
}

/* A used condition once more is nothing new. */
static bool is_same(const td_node *node, const td_node *used)
{
    if (node == used) return true;
    return used != NULL && node->kind == TD_NODE_OPERATION && node->operation == TD_OP_EQUAL &&
           used->operation == TD_OP_EQUAL && td_value_equal(value_of(node), value_of(used));
}

static void count_rest(key_finding *finding, const td_node *node, const conjuncts *used)
{
    if (node->kind == TD_NODE_AND) {
        for (const td_node *side = node->first; side != NULL; side = side->next)
            count_rest(finding, side, used);
        return;
    }
    bool is_used = (is_hash_condition(finding, node) && is_same(node, used->hash)) ||
                   (is_range_condition(finding, node) && is_same(node, used->range));
    if (!is_used) finding->has_rest = true;
}

static void add_lookups(key_finding *finding, const td_node *hash, const td_node *range)
{
    uint32_t branch = finding->branch_count++;
    for (const td_node *operand = hash->first; operand != NULL; operand = operand->next) {
        if (operand->kind != TD_NODE_VALUE) continue;
        finding->lookups[finding->count++] = (key_lookup){.hash = operand->value, .range = range, .branch = branch};
    }
}

/* ---- ranges ---- */

static td_status check_operand(const td_value *value, const td_key_part *part, td_error *error)
{
    if (value->type != part->type) return TD_RAISE(error, TD_MSG_KEYCOND_TYPE);
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

static td_status make_range(key_lookup *lookup, const td_key_schema *schema, td_error *error)
{
    td_key_range *made = &lookup->made;
    const td_node *range = lookup->range;
    *made = (td_key_range){.kind = TD_RANGE_ALL};
    TD_TRY(check_operand(lookup->hash, &schema->parts[0], error));
    made->hash_parts[0] = lookup->hash->bytes;
    if (range == NULL) return TD_OK;

    const td_key_part *part = &schema->parts[1];
    if (range->operation == TD_OP_BEGINS_WITH && part->type == TD_TYPE_N) return TD_RAISE(error, TD_MSG_KEYCOND_TYPE);
    const td_value *low = value_of(range);
    TD_TRY(check_operand(low, part, error));
    if (range->operation == TD_OP_EQUAL) {
        made->equal_parts[made->equal_count++] = low->bytes;
        return TD_OK;
    }
    made->kind = range_kind(range->operation, range->first->kind == TD_NODE_PATH);
    made->low = low->bytes;
    if (made->kind != TD_RANGE_BETWEEN) return TD_OK;
    const td_value *high = range->first->next->next->value;
    TD_TRY(check_operand(high, part, error));
    made->high = high->bytes;
    return TD_OK;
}

static bool is_unbounded_below(const td_key_range *range)
{
    return range->equal_count == 0 &&
           (range->kind == TD_RANGE_ALL || range->kind == TD_RANGE_LESS || range->kind == TD_RANGE_LESS_EQUAL);
}

static td_slice low_end(const td_key_range *range)
{
    return range->equal_count > 0 ? range->equal_parts[0] : range->low;
}

static int compare_lookups(const void *a, const void *b)
{
    const key_lookup *one = a;
    const key_lookup *two = b;
    int order = td_slice_compare(one->made.hash_parts[0], two->made.hash_parts[0]);
    if (order != 0) return order;
    bool is_one_open = is_unbounded_below(&one->made);
    bool is_two_open = is_unbounded_below(&two->made);
    if (is_one_open != is_two_open) return is_one_open ? -1 : 1;
    if (!is_one_open) order = td_slice_compare(low_end(&one->made), low_end(&two->made));
    if (order != 0) return order;
    return (one->branch > two->branch) - (one->branch < two->branch);
}

static bool is_all(const td_key_range *range)
{
    return range->equal_count == 0 && range->kind == TD_RANGE_ALL;
}

/* Of two ranges of one collection in order: does the first reach the second's beginning? */
static bool reaches(const td_key_range *first, const td_key_range *second)
{
    if (is_unbounded_below(second)) return true;
    td_slice begin = low_end(second);
    bool is_closed = second->equal_count > 0 || second->kind != TD_RANGE_GREATER;
    td_slice end = first->equal_count > 0 ? first->equal_parts[0] : first->low;
    if (first->equal_count == 0) {
        if (first->kind == TD_RANGE_GREATER || first->kind == TD_RANGE_GREATER_EQUAL) return true;
        if (first->kind == TD_RANGE_BEGINS_WITH) return td_slice_has_prefix(begin, first->low);
        if (first->kind == TD_RANGE_BETWEEN) end = first->high;
        if (first->kind == TD_RANGE_LESS) is_closed = false;
    }
    int order = td_slice_compare(begin, end);
    return order < 0 || (order == 0 && is_closed);
}

/* Sorts the ranges and makes sure that no item is in two of them: a whole collection takes in its parts, a value that
 * an IN repeats counts once, and other overlaps are refused, as the service does. */
static td_status keep_apart(key_lookup *lookups, uint32_t *count, td_error *error)
{
    if (*count > 1) qsort(lookups, *count, sizeof *lookups, compare_lookups);
    uint32_t kept = 0;
    for (uint32_t begin = 0, end = 0; begin < *count; begin = end) {
        td_slice hash = lookups[begin].made.hash_parts[0];
        uint32_t all = UINT32_MAX;
        for (end = begin; end < *count && td_slice_equal(lookups[end].made.hash_parts[0], hash); end++)
            if (is_all(&lookups[end].made)) all = end;
        if (all != UINT32_MAX) {
            lookups[kept++] = lookups[all];
            continue;
        }
        uint32_t first = kept;
        lookups[kept++] = lookups[begin];
        for (uint32_t i = begin + 1; i < end; i++) {
            TD_ASSERT(kept > first);
            const key_lookup *before = &lookups[kept - 1];
            if (before->branch == lookups[i].branch) continue;
            if (reaches(&before->made, &lookups[i].made)) return TD_RAISE(error, TD_MSG_PARTIQL_RANGES_OVERLAP);
            lookups[kept++] = lookups[i];
        }
    }
    *count = kept;
    return TD_OK;
}
