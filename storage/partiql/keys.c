/* SPDX-License-Identifier: Apache-2.0
 * keys.c: what a WHERE says of a key: the look-ups that cover every item for which it can hold, and the one item that a
 * write is about.
 * Model: of conditions joined by AND one equality or IN on the partition key counts, and of the sort key an equality,
 * an IN or OR of conditions on it, or another key condition, in that order; the rest only filters, and so does what
 * denies a value. Branches of OR give look-ups of their own, if all of them have the partition key; beside an AND they
 * serve when the AND has no partition key itself. Each value of an IN is a look-up, and there may not be many. Sources:
 * messages.md §1.7 and §4 "PartiQL"; captures of September 2026 (floci, PartiQL edge cases). Invariants: the recursion
 * is bounded by the tree's depth; the work by its size. Not here: ranges and their overlaps (key_ranges.c), ORDER BY
 * (order.c). */
#include "keys.h"

enum { LOOKUPS_MAX = TD_LIMIT_STATEMENT_READS_MAX + 1 }; /* one more says that there are too many */

typedef struct key_finding {
    const td_key_schema *schema;
    td_key_lookup *lookups;
    uint32_t count;
    bool has_rest;
} key_finding;

/* What conditions joined by AND say of the sort key; both NULL: nothing. */
typedef struct sort_choice {
    const td_node *single;  /* one operation */
    const td_node *several; /* IN, or an OR */
    bool is_loose;          /* something of it is denied */
} sort_choice;

/* The conditions joined by one AND, as far as they concern the key. */
typedef struct conjuncts {
    const td_node *hash;
    const td_node *equality; /* on the sort key */
    const td_node *several;
    const td_node *range;
    const td_node *keyed_or;
    bool is_loose;
} conjuncts;

static bool find_node(key_finding *finding, const td_node *node, const sort_choice *outer);
static bool find_conjunction(key_finding *finding, const td_node *node, const sort_choice *outer);
static void gather(const key_finding *finding, const td_node *node, conjuncts *found);
static void count_rest(key_finding *finding, const td_node *node, const td_node *hash, const sort_choice *choice);
static void add_lookups(key_finding *finding, const td_node *hash, const sort_choice *choice);

td_status td_statement_find_keys(const td_statement *statement, const td_key_schema *schema, td_arena *arena,
                                 td_statement_keys *ret_keys, td_error *error)
{
    key_finding finding = {.schema = schema};
    *ret_keys = (td_statement_keys){.has_rest = statement->where != NULL};
    if (statement->where == NULL || schema->hash_count != 1 || schema->range_count > 1) return TD_OK;
    finding.lookups = td_arena_alloc_array(arena, LOOKUPS_MAX, sizeof *finding.lookups);
    if (finding.lookups == NULL) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    sort_choice nothing = {.single = NULL};
    if (!find_node(&finding, statement->where->root, &nothing)) return TD_OK;
    if (finding.count == LOOKUPS_MAX) return TD_RAISE(error, TD_MSG_PARTIQL_TOO_MANY_READS);
    TD_TRY(td_partiql__make_ranges(finding.lookups, &finding.count, schema, error));

    td_key_range *ranges = td_arena_alloc_array(arena, finding.count, sizeof *ranges);
    if (ranges == NULL) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    td_statement_keys keys = {.ranges = ranges,
                              .count = finding.count,
                              .is_keyed = true,
                              .is_whole = true,
                              .has_rest = finding.has_rest,
                              .is_single_collection = finding.count > 0};
    for (uint32_t i = 0; i < finding.count; i++) {
        ranges[i] = finding.lookups[i].made;
        keys.is_whole &= ranges[i].equal_count == schema->range_count;
        keys.is_single_collection &= td_slice_equal(ranges[i].hash_parts[0], ranges[0].hash_parts[0]);
    }
    *ret_keys = keys;
    return TD_OK;
}

/* ---- conditions on keys ------------------------------------------------------------------------------------------ */

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

static bool compares_part(const key_finding *finding, const td_node *node, uint32_t part)
{
    return part < td_key_part_count(finding->schema) && compares(node, finding->schema->parts[part].name);
}

/* path IN [value, …] */
static bool is_in(const td_node *node)
{
    return node->operation == TD_OP_IN && node->first->kind == TD_NODE_PATH;
}

/* Also the IN of one value. */
static bool is_equality(const td_node *node)
{
    return node->operation == TD_OP_EQUAL || (is_in(node) && node->count == 2);
}

static bool is_hash_condition(const key_finding *finding, const td_node *node)
{
    return compares_part(finding, node, 0) && (is_equality(node) || is_in(node));
}

/* Other than an equality. */
static bool is_range_condition(const key_finding *finding, const td_node *node)
{
    if (!compares_part(finding, node, 1)) return false;
    switch (node->operation) {
    case TD_OP_LESS:
    case TD_OP_LESS_EQUAL:
    case TD_OP_GREATER:
    case TD_OP_GREATER_EQUAL: return true;
    case TD_OP_BETWEEN:
    case TD_OP_BEGINS_WITH: return node->first->kind == TD_NODE_PATH;
    case TD_OP_EQUAL:
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

/* What a tree has to do with the sort key. */
typedef struct sort_mentions {
    bool is_restricted; /* some condition could be one of a key */
    bool is_denied;     /* <> or NOT */
} sort_mentions;

static void mention(const key_finding *finding, const td_node *node, bool is_negated, sort_mentions *found)
{
    if (node->kind == TD_NODE_OPERATION) {
        bool is_condition = is_range_condition(finding, node) ||
                            (compares_part(finding, node, 1) && (is_equality(node) || is_in(node)));
        bool differs = compares_part(finding, node, 1) && node->operation == TD_OP_DIFFERS;
        found->is_restricted |= is_condition && !is_negated;
        found->is_denied |= differs || (is_condition && is_negated);
        return;
    }
    bool is_not = node->kind == TD_NODE_NOT;
    for (const td_node *child = node->first; child != NULL; child = child->next)
        mention(finding, child, is_negated || is_not, found);
}

/* ---- the tree ---------------------------------------------------------------------------------------------------- */

/* Adds the node's look-ups; false: it is not keyed (what was added then has no meaning). `outer`: what is said of the
 * sort key beside it. */
static bool find_node(key_finding *finding, const td_node *node, const sort_choice *outer)
{
    switch (node->kind) {
    case TD_NODE_OR:
        for (const td_node *side = node->first; side != NULL; side = side->next)
            if (!find_node(finding, side, outer)) return false;
        return true;
    case TD_NODE_AND:
    case TD_NODE_OPERATION: return find_conjunction(finding, node, outer);
    case TD_NODE_NOT:
    case TD_NODE_PATH:
    case TD_NODE_VALUE: break;
    }
    return false;
}

static sort_choice choose(const conjuncts *found, const sort_choice *outer)
{
    sort_choice choice = {.is_loose = found->is_loose || outer->is_loose};
    if (found->equality != NULL) {
        choice.single = found->equality;
    } else if (found->several != NULL) {
        choice.several = found->several;
    } else {
        choice.single = found->range;
    }
    if (choice.single != NULL || choice.several != NULL) return choice;
    choice.single = outer->single;
    choice.several = outer->several;
    return choice;
}

static bool find_conjunction(key_finding *finding, const td_node *node, const sort_choice *outer)
{
    conjuncts found = {.hash = NULL};
    gather(finding, node, &found);
    sort_choice choice = choose(&found, outer);
    if (found.hash != NULL) {
        add_lookups(finding, found.hash, &choice);
    } else if (found.keyed_or == NULL || !find_node(finding, found.keyed_or, &choice)) {
        return false;
    } else {
        finding->has_rest = true;
    }
    count_rest(finding, node, found.hash, &choice);
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

static void gather_other(const key_finding *finding, const td_node *node, conjuncts *found)
{
    sort_mentions mentions = {.is_denied = false};
    mention(finding, node, false, &mentions);
    found->is_loose |= mentions.is_denied;
    if (node->kind != TD_NODE_OR) return;
    if (found->keyed_or == NULL && is_keyed(finding, node)) found->keyed_or = node;
    bool is_sorted = mentions.is_restricted && !mentions.is_denied && found->keyed_or != node;
    if (found->several == NULL && is_sorted) found->several = node;
}

/* An AND within an AND is the same AND. */
static void gather(const key_finding *finding, const td_node *node, conjuncts *found)
{
    if (node->kind == TD_NODE_AND) {
        for (const td_node *side = node->first; side != NULL; side = side->next)
            gather(finding, side, found);
        return;
    }
    if (is_hash_condition(finding, node)) {
        bool is_better = found->hash == NULL || (is_equality(node) && !is_equality(found->hash));
        if (is_better) found->hash = node;
    } else if (compares_part(finding, node, 1) && is_equality(node)) {
        if (found->equality == NULL) found->equality = node;
    } else if (compares_part(finding, node, 1) && is_in(node)) {
        found->several = node;
    } else if (is_range_condition(finding, node)) {
        if (found->range == NULL) found->range = node;
    } else {
        gather_other(finding, node, found);
    }
}

/* A used condition once more is nothing new. */
static bool is_same(const td_node *node, const td_node *used)
{
    if (node == used) return true;
    if (used == NULL || node->kind != TD_NODE_OPERATION || !is_equality(node) || !is_equality(used)) return false;
    return td_value_equal(td_partiql__value_of(node), td_partiql__value_of(used));
}

static void count_rest(key_finding *finding, const td_node *node, const td_node *hash, const sort_choice *choice)
{
    if (node->kind == TD_NODE_AND) {
        for (const td_node *side = node->first; side != NULL; side = side->next)
            count_rest(finding, side, hash, choice);
        return;
    }
    bool is_used = (compares_part(finding, node, 0) && is_same(node, hash)) ||
                   (compares_part(finding, node, 1) && is_same(node, choice->single)) ||
                   (node->kind == TD_NODE_OPERATION && node == choice->several);
    if (!is_used) finding->has_rest = true;
}

/* ---- look-ups ---------------------------------------------------------------------------------------------------- */

static void add(key_finding *finding, td_key_lookup lookup)
{
    if (finding->count < LOOKUPS_MAX) finding->lookups[finding->count++] = lookup;
}

static void add_single(key_finding *finding, td_key_lookup lookup, const td_node *range)
{
    if (range != NULL && is_equality(range)) {
        lookup.equal = td_partiql__value_of(range);
    } else {
        lookup.range = range;
    }
    add(finding, lookup);
}

/* Of an IN each value, of an OR each branch; a branch without a condition on the sort key is all of the collection. */
static void add_several(key_finding *finding, td_key_lookup lookup, const td_node *several)
{
    if (several->kind == TD_NODE_OPERATION) {
        for (const td_node *operand = several->first->next; operand != NULL; operand = operand->next) {
            lookup.equal = operand->value;
            add(finding, lookup);
        }
        return;
    }
    for (const td_node *side = several->first; side != NULL && finding->count < LOOKUPS_MAX; side = side->next) {
        conjuncts found = {.hash = NULL};
        sort_choice nothing = {.single = NULL};
        gather(finding, side, &found);
        sort_choice choice = choose(&found, &nothing);
        if (choice.several != NULL) {
            add_several(finding, lookup, choice.several);
        } else {
            add_single(finding, lookup, choice.single);
        }
    }
}

static void add_lookups(key_finding *finding, const td_node *hash, const sort_choice *choice)
{
    for (const td_node *operand = hash->first; operand != NULL; operand = operand->next) {
        if (operand->kind != TD_NODE_VALUE) continue;
        td_key_lookup lookup = {.hash = operand->value, .is_loose = choice->is_loose};
        if (choice->several != NULL) {
            add_several(finding, lookup, choice->several);
        } else {
            add_single(finding, lookup, choice->single);
        }
    }
}

/* ---- one item ---------------------------------------------------------------------------------------------------- */

typedef struct item_finding {
    const td_key_schema *schema;
    const td_value *values[2];
    bool has_rest;
    td_slice twice; /* a key attribute that equals two values; ptr NULL: none */
} item_finding;

/* Equalities joined by AND alone: an IN names no item. */
static void find_values(item_finding *finding, const td_node *node)
{
    if (node->kind == TD_NODE_AND) {
        for (const td_node *side = node->first; side != NULL; side = side->next)
            find_values(finding, side);
        return;
    }
    bool is_plain = node->kind == TD_NODE_OPERATION && node->operation == TD_OP_EQUAL;
    for (uint32_t i = 0; is_plain && i < td_key_part_count(finding->schema); i++) {
        if (!compares(node, finding->schema->parts[i].name)) continue;
        const td_value *value = td_partiql__value_of(node);
        if (finding->values[i] == NULL) finding->values[i] = value;
        if (td_value_equal(finding->values[i], value)) return;
        if (finding->twice.ptr == NULL) finding->twice = finding->schema->parts[i].name;
    }
    finding->has_rest = true;
}

td_status td_statement_find_key(const td_statement *statement, const td_key_schema *schema, td_arena *arena,
                                td_attribute **ret_key, bool *ret_has_rest, td_error *error)
{
    item_finding finding = {.schema = schema};
    uint32_t count = td_key_part_count(schema);
    TD_ASSERT(count <= TD_COUNT_OF(finding.values));
    if (statement->where != NULL) find_values(&finding, statement->where->root);
    td_attribute *key = td_arena_alloc_array(arena, count, sizeof *key);
    if (key == NULL) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    for (uint32_t i = 0; i < count; i++) {
        if (finding.values[i] == NULL) return TD_RAISE(error, TD_MSG_PARTIQL_KEY_REQUIRED);
        key[i] = (td_attribute){schema->parts[i].name, *finding.values[i]};
    }
    if (finding.twice.ptr != NULL && statement->kind != TD_STATEMENT_EXISTS) {
        return TD_RAISE(error, TD_MSG_PARTIQL_KEY_TWICE, finding.twice);
    }
    *ret_key = key;
    *ret_has_rest = finding.has_rest;
    return TD_OK;
}
