/* SPDX-License-Identifier: Apache-2.0
 * keycond.c: key conditions: text → one restriction for each attribute that is named.
 * Model: the grammar is that of conditions; what a key condition may not have is found in the finished tree. The
 * service looks for that after it has compiled all expressions of the request, so compilation only remembers the
 * fault and td_key_condition_check raises it.
 * Not here: the fit to a key schema (keycond_bind.c). */
#include "keycond.h"

typedef struct key_reading {
    td_key_condition *condition;
    uint32_t capacity; /* of condition->restrictions */
} key_reading;

static void read_node(key_reading *reading, const td_node *node);
static void read_operation(key_reading *reading, const td_node *node);
static void add_restriction(key_reading *reading, const td_node *node, const td_node *name);
static uint32_t count_operations(const td_node *node);
static bool is_plain(const td_node *operand)
{
    return operand->kind == TD_NODE_PATH || operand->kind == TD_NODE_VALUE;
}

td_status td_key_condition_compile(td_slice text, td_expr_marks *marks, td_arena *arena,
                                   td_key_condition **ret_condition, td_error *error)
{
    td_compiler compiler;
    td_node *root = NULL;
    TD_TRY(td_expr__begin(&compiler, TD_EXPR_KEY_CONDITION, text, marks, arena, error));
    TD_TRY(td_expr__parse_condition(&compiler, &root));
    TD_TRY(td_expr__check_condition(&compiler, root));
    TD_TRY(td_expr__raise_fault(&compiler));

    td_key_condition *condition = td_arena_alloc_zero(arena, sizeof *condition);
    key_reading reading = {.condition = condition, .capacity = count_operations(root)};
    if (condition != NULL)
        condition->restrictions = td_arena_alloc_array(arena, reading.capacity, sizeof *condition->restrictions);
    if (condition == NULL || condition->restrictions == NULL) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    read_node(&reading, root);
    *ret_condition = condition;
    return TD_OK;
}

td_status td_key_condition_check(const td_key_condition *condition, td_error *error)
{
    return condition->has_fault ? TD_RAISE(error, condition->fault, condition->fault_arg) : TD_OK;
}

static uint32_t count_operations(const td_node *node)
{
    if (node->kind == TD_NODE_OPERATION) return 1;
    uint32_t count = 0;
    for (const td_node *side = node->first; side != NULL; side = side->next)
        count += count_operations(side);
    return count;
}

static void set_fault(key_reading *reading, td_message fault, td_slice arg)
{
    TD_ASSERT(!reading->condition->has_fault);
    reading->condition->has_fault = true;
    reading->condition->fault = fault;
    reading->condition->fault_arg = arg;
}

/* The first fault ends the reading, as each side is looked at in the order of writing. */
static void read_node(key_reading *reading, const td_node *node)
{
    switch (node->kind) {
    case TD_NODE_AND:
        for (const td_node *side = node->first; side != NULL && !reading->condition->has_fault; side = side->next)
            read_node(reading, side);
        return;
    case TD_NODE_OR: set_fault(reading, TD_MSG_KEYCOND_OPERATOR, TD_LIT("OR")); return;
    case TD_NODE_NOT: set_fault(reading, TD_MSG_KEYCOND_OPERATOR, TD_LIT("NOT")); return;
    case TD_NODE_OPERATION: read_operation(reading, node); return;
    case TD_NODE_PATH:
    case TD_NODE_VALUE: TD_ASSERT(0 && "a checked condition");
    }
}

static void read_operation(key_reading *reading, const td_node *node)
{
    td_operation operation = node->operation;
    td_slice operation_name = td_expr__operation_name(operation);
    bool is_allowed =
        operation != TD_OP_NOT_EQUAL && operation != TD_OP_IN && (!node->is_call || operation == TD_OP_BEGINS_WITH);
    if (!is_allowed) {
        set_fault(reading, TD_MSG_KEYCOND_OPERATOR, operation_name);
        return;
    }
    bool needs_name_first = operation == TD_OP_BETWEEN || operation == TD_OP_BEGINS_WITH;
    if (needs_name_first && node->first->kind != TD_NODE_PATH) {
        set_fault(reading, TD_MSG_KEYCOND_FIRST_OPERAND, operation_name);
        return;
    }
    const td_node *name = NULL;
    for (const td_node *operand = node->first; operand != NULL; operand = operand->next) {
        if (!is_plain(operand)) {
            set_fault(reading, TD_MSG_KEYCOND_NESTED_OPERATION, TD_LIT(""));
            return;
        }
        if (operand->kind != TD_NODE_PATH) continue;
        if (name != NULL) {
            set_fault(reading, TD_MSG_KEYCOND_MANY_NAMES, TD_LIT(""));
            return;
        }
        if (operand->path->count > 1) {
            set_fault(reading, TD_MSG_KEYCOND_NESTED_ATTRIBUTE, TD_LIT(""));
            return;
        }
        name = operand;
    }
    if (name == NULL)
        set_fault(reading, TD_MSG_KEYCOND_NO_NAME, TD_LIT(""));
    else
        add_restriction(reading, node, name);
}

/* The comparison as it reads with the attribute on its left: ":v <= sk" is "sk >= :v". */
static td_restriction_kind restriction_kind(td_operation operation, bool is_name_first)
{
    static const struct {
        td_operation operation;
        td_restriction_kind kind;
        td_restriction_kind turned; /* the attribute is its second operand */
    } kinds[] = {
        {TD_OP_EQUAL, TD_RESTRICTION_EQUAL, TD_RESTRICTION_EQUAL},
        {TD_OP_LESS, TD_RESTRICTION_LESS, TD_RESTRICTION_GREATER},
        {TD_OP_LESS_EQUAL, TD_RESTRICTION_LESS_EQUAL, TD_RESTRICTION_GREATER_EQUAL},
        {TD_OP_GREATER, TD_RESTRICTION_GREATER, TD_RESTRICTION_LESS},
        {TD_OP_GREATER_EQUAL, TD_RESTRICTION_GREATER_EQUAL, TD_RESTRICTION_LESS_EQUAL},
        {TD_OP_BETWEEN, TD_RESTRICTION_BETWEEN, TD_RESTRICTION_BETWEEN},
        {TD_OP_BEGINS_WITH, TD_RESTRICTION_BEGINS_WITH, TD_RESTRICTION_BEGINS_WITH},
    };
    for (size_t i = 0; i < TD_COUNT_OF(kinds); i++) {
        if (kinds[i].operation == operation) return is_name_first ? kinds[i].kind : kinds[i].turned;
    }
    TD_UNREACHABLE("read_operation has refused the others");
}

static void add_restriction(key_reading *reading, const td_node *node, const td_node *name)
{
    td_key_condition *condition = reading->condition;
    td_slice attribute = name->path->steps[0].name;
    if (td_key_condition__find(condition, attribute) != NULL) {
        set_fault(reading, TD_MSG_KEYCOND_TWICE, TD_LIT(""));
        return;
    }
    bool is_name_first = name == node->first;
    const td_node *low = is_name_first ? node->first->next : node->first;
    TD_ASSERT(condition->count < reading->capacity);
    condition->restrictions[condition->count++] = (td_restriction){
        .attribute = attribute,
        .kind = restriction_kind(node->operation, is_name_first),
        .low = low->value,
        .high = node->operation == TD_OP_BETWEEN ? low->next->value : NULL,
    };
}
