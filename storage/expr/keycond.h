/* SPDX-License-Identifier: Apache-2.0
 * keycond.h: what a key condition says of each attribute, before a schema is known. Made by keycond.c from text and by
 * legacy.c from KeyConditions; read by keycond_bind.c. */
#ifndef STORAGE_EXPR_KEYCOND_H
#define STORAGE_EXPR_KEYCOND_H

#include "ast.h"

typedef enum td_restriction_kind {
    TD_RESTRICTION_EQUAL,
    TD_RESTRICTION_LESS,
    TD_RESTRICTION_LESS_EQUAL,
    TD_RESTRICTION_GREATER,
    TD_RESTRICTION_GREATER_EQUAL,
    TD_RESTRICTION_BETWEEN,
    TD_RESTRICTION_BEGINS_WITH,
    TD_RESTRICTION_NOT_INDEXABLE, /* KeyConditions alone: NE, IN, CONTAINS, … */
} td_restriction_kind;

typedef struct td_restriction {
    td_slice attribute;
    td_restriction_kind kind;
    const td_value *low;  /* the operand; NULL: NOT_INDEXABLE without one */
    const td_value *high; /* BETWEEN alone */
} td_restriction;

struct td_key_condition {
    td_restriction *restrictions; /* in the order of writing, no attribute twice */
    uint32_t count;
    bool has_fault; /* what td_key_condition_check raises; the restrictions are then not complete */
    td_message fault;
    td_slice fault_arg;
};

/* Key conditions are few: at most one an attribute of a key, or they are refused. */
static inline const td_restriction *td_key_condition__find(const td_key_condition *condition, td_slice attribute)
{
    for (uint32_t i = 0; i < condition->count; i++)
        if (td_slice_equal(condition->restrictions[i].attribute, attribute)) return &condition->restrictions[i];
    return NULL;
}

#endif
