/* SPDX-License-Identifier: Apache-2.0
 * update_size.c: the size that the service gives an update as a statement, whatever the item is: the values that it
 * writes and a price for each clause, function and element of a path (messages.md §4, "Numbers and sizes").
 * Not here:   the size of the finished item (the engine), which has the same limit. */
#include "ast.h"

#define COST_OF_UPDATE 3
#define COST_OF_WRITE 19  /* SET and ADD, beside target and value */
#define COST_OF_REMOVAL 1 /* REMOVE and DELETE, beside the target */
#define COST_OF_TARGET_ELEMENT 4
#define COST_OF_OPERAND_PATH 1
#define COST_OF_OPERAND_ELEMENT 14

static const uint8_t operation_costs[TD_OP_COUNT] = {
    [TD_OP_PLUS] = 34,
    [TD_OP_MINUS] = 37,
    [TD_OP_LIST_APPEND] = 37,
    [TD_OP_IF_NOT_EXISTS] = 39,
};

static uint64_t element_size(const td_step *step)
{
    if (!step->is_index) return step->name.len;
    uint64_t digits = 1;
    for (uint32_t rest = step->index / 10; rest > 0; rest /= 10)
        digits++;
    return digits;
}

static uint64_t target_size(const td_path *path)
{
    uint64_t size = element_size(&path->steps[0]);
    for (uint32_t i = 1; i < path->count; i++)
        size += COST_OF_TARGET_ELEMENT + element_size(&path->steps[i]);
    return size;
}

static uint64_t operand_path_size(const td_path *path)
{
    uint64_t size = COST_OF_OPERAND_PATH;
    for (uint32_t i = 0; i < path->count; i++)
        size += COST_OF_OPERAND_ELEMENT + element_size(&path->steps[i]);
    return size;
}

/* The parser bounds the depth. */
static uint64_t operand_size(const td_node *node)
{
    if (node->kind == TD_NODE_PATH) return operand_path_size(node->path);
    if (node->kind == TD_NODE_VALUE) return td_value_size(node->value);
    TD_ASSERT(node->kind == TD_NODE_OPERATION);
    TD_ASSERT(node->operation < TD_OP_COUNT);
    uint64_t size = operation_costs[node->operation];
    for (const td_node *child = node->first; child != NULL; child = child->next)
        size += operand_size(child);
    return size;
}

static uint64_t action_size(const td_action *action)
{
    bool is_write = action->kind == TD_ACTION_SET || action->kind == TD_ACTION_ADD;
    if (!is_write) return COST_OF_REMOVAL + target_size(action->path);
    return COST_OF_WRITE + target_size(action->path) + operand_size(action->operand);
}

bool td_update_is_larger(const td_update *update, uint64_t bytes_max)
{
    /* Ends with the first clause too many: a value that many clauses name is not measured for all of them. */
    uint64_t size = COST_OF_UPDATE;
    for (const td_action *action = update->actions; action != NULL && size <= bytes_max; action = action->next)
        size += action_size(action);
    return size > bytes_max;
}
