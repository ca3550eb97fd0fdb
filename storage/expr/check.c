/* SPDX-License-Identifier: Apache-2.0
 * check.c: what can be wrong with an expression that parses: functions and their places, operands, paths.
 * Model: one walk over the tree in the order of writing, operands before what uses them. Each fault has a rank (ast.h);
 * the lowest rank is reported, and within it the first place. In conditions the ranks from TD_RANK_NAME on count within
 * one comparison or function each: the first of these with such a fault wins, whatever the later ones have.
 * Not here: syntax (parse.c); what only a schema knows (keycond.c); types met at run time (update_apply.c). */
#include "ast.h"

#include "thermodyn/text.h"

enum {
    MASK_ANY = (1 << TD_TYPE_COUNT) - 1,
    MASK_ORDERED = 1 << TD_TYPE_S | 1 << TD_TYPE_N | 1 << TD_TYPE_B,
    MASK_TEXT = 1 << TD_TYPE_S | 1 << TD_TYPE_B,
    MASK_SIZED = MASK_ANY & ~(1 << TD_TYPE_N | 1 << TD_TYPE_BOOL | 1 << TD_TYPE_NULL),
    MASK_LIST = 1 << TD_TYPE_L,
    MASK_NUMBER = 1 << TD_TYPE_N,
    MASK_PATH = 1 << TD_TYPE_COUNT,            /* nothing but a path */
    MASK_TYPE_NAME = 1 << (TD_TYPE_COUNT + 1), /* a string that is a type's name */
};

/* Where an operation may stand. */
typedef enum td_operation_place {
    TD_PLACE_OPERATOR,
    TD_PLACE_CONDITION,
    TD_PLACE_OPERAND,
    TD_PLACE_UPDATE,
} td_operation_place;

static const struct {
    const char *name;
    uint32_t operands;
    td_operation_place place;
    int first;
    int others;
} operations[TD_OP_COUNT] = {
#define TD_OPERATION(id, name, operands, where, first, others)                                                         \
    [TD_OP_##id] = {name, operands, TD_PLACE_##where, MASK_##first, MASK_##others},
#include "functions.def"
#undef TD_OPERATION
};

/* In the service's order, which has no rule. */
#define TYPES_UNKNOWN "{NS,SS,L,BS,N,M,B,BOOL,NULL,S}"
#define TYPE_NAMES "{B,NULL,SS,BOOL,L,BS,N,NS,S,M}"

static td_status check_node(td_compiler *compiler, td_node *node);
static td_status check_operation(td_compiler *compiler, td_node *node);
static void check_function(td_compiler *compiler, const td_node *node);
static void check_count(td_compiler *compiler, const td_node *node);
static td_status check_distinct(td_compiler *compiler, const td_node *node);
static void check_types(td_compiler *compiler, const td_node *node);
static td_status check_bounds(td_compiler *compiler, const td_node *node);
static bool static_type(const td_node *node, td_type *ret_type);
static void close_condition(td_compiler *compiler);

td_slice td_expr__operation_name(td_operation operation)
{
    TD_ASSERT(operation < TD_OP_COUNT);
    return td_slice_of_cstr(operations[operation].name);
}

td_operation td_expr__function_of_name(td_slice name)
{
    for (uint32_t i = 0; i < TD_OP_COUNT; i++) {
        if (operations[i].place != TD_PLACE_OPERATOR && td_slice_equal(td_slice_of_cstr(operations[i].name), name))
            return (td_operation)i;
    }
    return TD_OP_UNKNOWN;
}

void td_expr__fault(td_compiler *compiler, td_rank rank, td_message message, td_slice arg1, td_slice arg2)
{
    bool is_of_condition = compiler->grammar == TD_GRAMMAR_CONDITION && rank >= TD_RANK_NAME;
    if (is_of_condition && compiler->is_condition_closed) return;
    td_fault *fault = is_of_condition ? &compiler->condition_fault : &compiler->fault;
    if (rank < fault->rank) *fault = (td_fault){rank, message, {arg1, arg2}};
}

td_status td_expr__raise_fault(td_compiler *compiler)
{
    if (compiler->operator_count > TD_LIMIT_EXPRESSION_OPERATORS_MAX)
        td_expr__fault(compiler, TD_RANK_LIMIT, TD_MSG_EXPR_TOO_MANY_OPERATORS,
                       td_error_int(compiler->error, compiler->operator_count), TD_LIT(""));
    const td_fault *fault = &compiler->fault;
    if (fault->rank == TD_RANK_NONE) fault = &compiler->condition_fault;
    if (fault->rank == TD_RANK_NONE) return TD_OK;
    return TD_RAISE(compiler->error, fault->message, td_expr__kind_name(compiler->kind), fault->args[0],
                    fault->args[1]);
}

/* A comparison or function that stands as a condition is done: what it has shown is final. */
static void close_condition(td_compiler *compiler)
{
    if (compiler->condition_fault.rank != TD_RANK_NONE) compiler->is_condition_closed = true;
}

static void check_misused(td_compiler *compiler, const td_node *node)
{
    td_expr__fault(compiler, TD_RANK_FUNCTION_USE, TD_MSG_EXPR_FUNCTION_MISUSED,
                   td_expr__token_text(compiler, node->token), TD_LIT(""));
}

td_status td_expr__check_condition(td_compiler *compiler, td_node *root)
{
    switch (root->kind) {
    case TD_NODE_AND:
    case TD_NODE_OR:
    case TD_NODE_NOT:
        for (td_node *child = root->first; child != NULL; child = child->next)
            TD_TRY(td_expr__check_condition(compiler, child));
        return TD_OK;
    case TD_NODE_OPERATION:
        TD_TRY(check_node(compiler, root));
        if (root->is_call && root->operation == TD_OP_SIZE) check_misused(compiler, root);
        close_condition(compiler);
        return TD_OK;
    case TD_NODE_PATH:
    case TD_NODE_VALUE: break;
    }
    TD_ASSERT(0 && "the parser leaves no bare operand as a condition");
    return TD_OK;
}

td_status td_expr__check_operand(td_compiler *compiler, td_node *node)
{
    TD_ASSERT(compiler->grammar == TD_GRAMMAR_UPDATE);
    return check_node(compiler, node);
}

/* The recursion is bounded as the parser's. */
static td_status check_node(td_compiler *compiler, td_node *node)
{
    switch (node->kind) {
    case TD_NODE_PATH: return td_expr__bind_path(compiler, node->path);
    case TD_NODE_VALUE: return td_expr__bind_value(compiler, node);
    case TD_NODE_OPERATION: return check_operation(compiler, node);
    case TD_NODE_AND:
    case TD_NODE_OR:
    case TD_NODE_NOT: break;
    }
    TD_ASSERT(0 && "the parser leaves no condition as an operand");
    return TD_OK;
}

static td_status check_operation(td_compiler *compiler, td_node *node)
{
    for (td_node *operand = node->first; operand != NULL; operand = operand->next)
        TD_TRY(check_node(compiler, operand));
    if (compiler->grammar == TD_GRAMMAR_CONDITION) {
        for (const td_node *operand = node->first; operand != NULL; operand = operand->next)
            if (operand->is_call && operand->operation != TD_OP_SIZE) check_misused(compiler, operand);
    }
    if (node->is_call) check_function(compiler, node);
    if (node->operation == TD_OP_UNKNOWN) return TD_OK;

    check_count(compiler, node);
    TD_TRY(check_distinct(compiler, node));
    check_types(compiler, node);
    return node->operation == TD_OP_BETWEEN ? check_bounds(compiler, node) : TD_OK;
}

static void check_function(td_compiler *compiler, const td_node *node)
{
    td_slice name = td_expr__token_text(compiler, node->token);
    bool is_update = compiler->grammar == TD_GRAMMAR_UPDATE;
    td_message message;
    if (node->operation == TD_OP_UNKNOWN)
        message = TD_MSG_EXPR_FUNCTION_NAME;
    else if (is_update == (operations[node->operation].place == TD_PLACE_UPDATE))
        return;
    else
        message = is_update ? TD_MSG_EXPR_FUNCTION_NOT_IN_UPDATE : TD_MSG_EXPR_FUNCTION_NOT_IN_CONDITION;
    td_expr__fault(compiler, TD_RANK_FUNCTION_NAME, message, name, TD_LIT(""));
}

static void check_count(td_compiler *compiler, const td_node *node)
{
    if (node->operation == TD_OP_IN) {
        if (node->count - 1 > TD_LIMIT_IN_OPERANDS_MAX)
            td_expr__fault(compiler, TD_RANK_OPERAND_COUNT, TD_MSG_EXPR_IN_OPERANDS,
                           td_error_int(compiler->error, (int64_t)node->count - 1), TD_LIT(""));
        return;
    }
    if (node->count != operations[node->operation].operands)
        td_expr__fault(compiler, TD_RANK_OPERAND_COUNT, TD_MSG_EXPR_OPERAND_COUNT,
                       td_expr__operation_name(node->operation), td_error_int(compiler->error, node->count));
}

static td_status check_distinct(td_compiler *compiler, const td_node *node)
{
    bool has_path_first = node->first != NULL && node->first->kind == TD_NODE_PATH;
    if (compiler->grammar != TD_GRAMMAR_CONDITION || !has_path_first) return TD_OK;
    for (const td_node *other = node->first->next; other != NULL; other = other->next) {
        if (other->kind != TD_NODE_PATH || !td_expr__path_equal(node->first->path, other->path)) continue;
        td_slice text;
        if (!td_expr__path_text(node->first->path, compiler->arena, &text))
            return TD_RAISE(compiler->error, TD_MSG_OUT_OF_MEMORY);
        td_expr__fault(compiler, TD_RANK_DISTINCT, TD_MSG_EXPR_OPERANDS_NOT_DISTINCT,
                       td_expr__operation_name(node->operation), text);
        return TD_OK;
    }
    return TD_OK;
}

/* Of what type the operand is for certain. Of calls, only conditions look at size(): updates learn at run time. */
static bool static_type(const td_node *node, td_type *ret_type)
{
    if (node->kind == TD_NODE_VALUE && node->value != NULL) {
        *ret_type = node->value->type;
        return true;
    }
    if (node->kind == TD_NODE_OPERATION && node->operation == TD_OP_SIZE) {
        *ret_type = TD_TYPE_N;
        return true;
    }
    return false;
}

static void fault_type(td_compiler *compiler, const td_node *node, td_slice type)
{
    /* An update's operations report the first of counts and types, in the order of writing. */
    td_rank rank = compiler->grammar == TD_GRAMMAR_UPDATE ? TD_RANK_OPERAND_COUNT : TD_RANK_OPERAND_TYPE;
    td_expr__fault(compiler, rank, TD_MSG_EXPR_OPERAND_TYPE, td_expr__operation_name(node->operation), type);
}

static void check_type_name(td_compiler *compiler, const td_node *node, const td_node *operand)
{
    td_type type;
    if (operand->kind == TD_NODE_VALUE && operand->value == NULL) return; /* not defined: said already */
    if (!static_type(operand, &type))
        fault_type(compiler, node, TD_LIT(TYPES_UNKNOWN));
    else if (type != TD_TYPE_S)
        fault_type(compiler, node, td_slice_of_cstr(td_type_name(type)));
    else if (td_type_of_name(operand->value->bytes) == TD_TYPE_COUNT)
        td_expr__fault(compiler, TD_RANK_OPERAND_TYPE, TD_MSG_EXPR_TYPE_NAME, operand->value->bytes,
                       TD_LIT(TYPE_NAMES));
}

static void check_types(td_compiler *compiler, const td_node *node)
{
    td_rank rank = compiler->grammar == TD_GRAMMAR_UPDATE ? TD_RANK_OPERAND_COUNT : TD_RANK_OPERAND_TYPE;
    int mask = operations[node->operation].first;
    for (const td_node *operand = node->first; operand != NULL; operand = operand->next) {
        td_type type;
        if (mask == MASK_PATH) {
            if (operand->kind != TD_NODE_PATH)
                td_expr__fault(compiler, rank, TD_MSG_EXPR_PATH_REQUIRED, td_expr__operation_name(node->operation),
                               TD_LIT(""));
        } else if (mask == MASK_TYPE_NAME) {
            check_type_name(compiler, node, operand);
        } else if (static_type(operand, &type) && (mask & 1 << type) == 0) {
            fault_type(compiler, node, td_slice_of_cstr(td_type_name(type)));
        }
        mask = operations[node->operation].others;
    }
}

/* "{S:text}", "{N:1}", "{B:base64}" in the arena. */
static bool bound_text(const td_value *value, td_arena *arena, td_slice *ret_text)
{
    char number[TD_NUMBER_TEXT_MAX];
    td_slice text = value->bytes;
    if (value->type == TD_TYPE_N) text = td_slice_of(number, td_number_print(value->bytes, number));
    size_t len_max = value->type == TD_TYPE_B ? td_base64_encoded_len(text.len) : text.len;
    uint8_t *bytes = td_arena_alloc(arena, len_max + 4);
    if (bytes == NULL) return false;
    bytes[0] = '{';
    bytes[1] = (uint8_t)td_type_name(value->type)[0];
    bytes[2] = ':';
    size_t len = text.len;
    if (value->type == TD_TYPE_B)
        len = td_base64_encode(text, bytes + 3);
    else if (len > 0)
        memcpy(bytes + 3, text.ptr, len);
    bytes[3 + len] = '}';
    *ret_text = td_slice_of(bytes, len + 4);
    return true;
}

/* BETWEEN's bounds, when both are values. */
static td_status check_bounds(td_compiler *compiler, const td_node *node)
{
    const td_node *low = node->first->next;
    const td_node *high = low->next;
    if (low->kind != TD_NODE_VALUE || high->kind != TD_NODE_VALUE || low->value == NULL || high->value == NULL)
        return TD_OK;
    bool is_same_type = low->value->type == high->value->type;
    if ((MASK_ORDERED & 1 << low->value->type) == 0 || (MASK_ORDERED & 1 << high->value->type) == 0) return TD_OK;
    if (is_same_type && td_slice_compare(low->value->bytes, high->value->bytes) <= 0) return TD_OK;

    td_slice low_text;
    td_slice high_text;
    if (!bound_text(low->value, compiler->arena, &low_text) || !bound_text(high->value, compiler->arena, &high_text))
        return TD_RAISE(compiler->error, TD_MSG_OUT_OF_MEMORY);
    td_expr__fault(compiler, TD_RANK_OPERAND_TYPE, is_same_type ? TD_MSG_EXPR_BETWEEN_ORDER : TD_MSG_EXPR_BETWEEN_TYPES,
                   low_text, high_text);
    return TD_OK;
}

typedef enum td_relation { RELATION_NONE, RELATION_OVERLAP, RELATION_CONFLICT } td_relation;

/* Overlap: one is the beginning of the other, or they are equal. Conflict: at one place a list for one, a map for the
 * other. */
static td_relation relate(const td_path *a, const td_path *b)
{
    for (uint32_t i = 0; i < a->count && i < b->count; i++) {
        if (a->steps[i].is_index != b->steps[i].is_index) return RELATION_CONFLICT;
        if (td_expr__step_compare(&a->steps[i], &b->steps[i]) != 0) return RELATION_NONE;
    }
    return RELATION_OVERLAP;
}

/* The first pair of that relation in the order of writing. Quadratic, but only run to word an error, over the at most
 * TD_LIMIT_EXPRESSION_BYTES_MAX / 2 paths of an expression. */
static td_status fault_pair(td_compiler *compiler, const td_leaf *leaves, uint32_t count, td_relation wanted)
{
    for (uint32_t later = 1; later < count; later++) {
        for (uint32_t earlier = 0; earlier < later; earlier++) {
            if (relate(leaves[earlier].path, leaves[later].path) != wanted) continue;
            td_slice one;
            td_slice two;
            if (!td_expr__path_text(leaves[earlier].path, compiler->arena, &one) ||
                !td_expr__path_text(leaves[later].path, compiler->arena, &two))
                return TD_RAISE(compiler->error, TD_MSG_OUT_OF_MEMORY);
            bool is_overlap = wanted == RELATION_OVERLAP;
            td_expr__fault(compiler, is_overlap ? TD_RANK_OVERLAP : TD_RANK_CONFLICT,
                           is_overlap ? TD_MSG_EXPR_PATHS_OVERLAP : TD_MSG_EXPR_PATHS_CONFLICT, one, two);
            return TD_OK;
        }
    }
    return TD_OK;
}

td_status td_expr__check_apart(td_compiler *compiler, const td_leaf *leaves, uint32_t count)
{
    td_leaf *sorted = td_arena_alloc_array(compiler->arena, count, sizeof *sorted);
    if (sorted == NULL) return TD_RAISE(compiler->error, TD_MSG_OUT_OF_MEMORY);
    memcpy(sorted, leaves, count * sizeof *sorted);
    td_expr__paths_sort(sorted, count);
    /* Of paths that begin alike, neighbours in this order show every kind of relation that any two of them have. */
    bool has_overlap = false;
    bool has_conflict = false;
    for (uint32_t i = 1; i < count; i++) {
        td_relation relation = relate(sorted[i - 1].path, sorted[i].path);
        has_overlap |= relation == RELATION_OVERLAP;
        has_conflict |= relation == RELATION_CONFLICT;
    }
    if (has_overlap) TD_TRY(fault_pair(compiler, leaves, count, RELATION_OVERLAP));
    if (has_conflict) TD_TRY(fault_pair(compiler, leaves, count, RELATION_CONFLICT));
    return TD_OK;
}
