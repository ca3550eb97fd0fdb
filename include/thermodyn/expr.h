/* SPDX-License-Identifier: Apache-2.0
 * expr.h: DynamoDB's expression language: compiled once per request, before any lock, into programs that the engine
 * runs (decision D8). Conditions are decided inside the critical section of the write that they guard, filters in the
 * page loop, projections on the way out.
 *
 * The phases, each with its own errors in the service's order: text → tokens → tree → names and values bound →
 * static checks (operand types, overlapping paths, limits) → program. Only the last one meets items. The parameters
 * from before expressions (Expected, AttributeUpdates, KeyConditions, …) are translated into the same trees.
 * Programs live in the arena they were compiled in and are read-only. Threads: any, after compilation. */
#ifndef THERMODYN_EXPR_H
#define THERMODYN_EXPR_H

#include "thermodyn/arena.h"
#include "thermodyn/item.h"
#include "thermodyn/key.h"
#include "thermodyn/status.h"
#include "thermodyn/value.h"

typedef enum td_expr_kind {
    TD_EXPR_CONDITION,     /* "ConditionExpression" in messages */
    TD_EXPR_FILTER,        /* "FilterExpression" */
    TD_EXPR_KEY_CONDITION, /* "KeyConditionExpression" */
    TD_EXPR_UPDATE,        /* "UpdateExpression" */
    TD_EXPR_PROJECTION,    /* "ProjectionExpression" */
} td_expr_kind;

/* ExpressionAttributeNames and ExpressionAttributeValues of one request, shared by all of its expressions. */
typedef struct td_expr_name {
    td_slice mark; /* with its '#' */
    td_slice name;
    bool is_used; /* set by compilation */
} td_expr_name;

typedef struct td_expr_value {
    td_slice mark; /* with its ':' */
    td_value value;
    bool is_used; /* set by compilation */
} td_expr_value;

typedef struct td_expr_marks {
    td_expr_name *names;
    uint32_t name_count;
    td_expr_value *values;
    uint32_t value_count;
} td_expr_marks;

/* Raises "Value provided in ExpressionAttribute… unused in expressions: keys: {…}"; names before values. Called when
 * all expressions of the request are compiled. */
TD_MUST_USE td_status td_expr_check_unused(const td_expr_marks *marks, td_error *error);

/* ---- conditions and filters ------------------------------------------------------------------------------------ */

typedef struct td_condition td_condition;

/* kind: TD_EXPR_CONDITION or TD_EXPR_FILTER. marks may be NULL. */
TD_MUST_USE td_status td_condition_compile(td_expr_kind kind, td_slice text, td_expr_marks *marks, td_arena *arena,
                                           td_condition **ret_condition, td_error *error);

/* Decides against the item as stored, or against none (NULL). Allocates nothing. */
bool td_condition_holds(const td_condition *condition, const td_item *item);

/* Does the condition name this top-level attribute? (filters must not name key attributes; indexes must project) */
bool td_condition_uses(const td_condition *condition, td_slice attribute);

/* Does a path of it go inside this top-level attribute? ("Key attributes must be scalars") */
bool td_condition_enters(const td_condition *condition, td_slice attribute);

/* Calls visit(context, name) once for each distinct top-level attribute that the condition names. */
void td_condition_visit_attributes(const td_condition *condition, void (*visit)(void *context, td_slice name),
                                   void *context);

/* ---- updates --------------------------------------------------------------------------------------------------- */

typedef struct td_update td_update;

TD_MUST_USE td_status td_update_compile(td_slice text, td_expr_marks *marks, td_arena *arena, td_update **ret_update,
                                        td_error *error);

/* Applies to the item as it was (NULL: none); `key` are the request's key attributes, which a new item starts with.
 * All operands are read from the old item. The new attributes are sorted and live in the arena.
 * Errors: the run-time texts of messages.md §1.6; numbers out of range; nesting. Size is checked by the caller. */
TD_MUST_USE td_status td_update_apply(const td_update *update, const td_item *old_item, const td_attribute *key,
                                      uint32_t key_count, td_arena *arena, td_attribute **ret_attributes,
                                      uint32_t *ret_count, td_error *error);

/* Does the update write this top-level attribute (or inside it)? ("This attribute is part of the key") */
bool td_update_touches(const td_update *update, td_slice attribute);
/* Calls visit(context, name) for each top-level attribute that it writes or reads, perhaps more than once. */
void td_update_visit_attributes(const td_update *update, void (*visit)(void *context, td_slice name), void *context);
/* Does a path of it, written or read, go inside the attribute? */
bool td_update_enters(const td_update *update, td_slice attribute);
/* The type that it gives the attribute, whatever the item is; TD_TYPE_COUNT: it does not write the attribute as a
 * whole, or only the item can tell. */
td_type td_update_type_of(const td_update *update, td_slice attribute);

/* Is the statement larger than this? It is measured without the item: values written, and a price for each clause. */
bool td_update_is_larger(const td_update *update, uint64_t bytes_max);

/* ReturnValues UPDATED_OLD / UPDATED_NEW: of the item given (old or new; NULL: none), what the update's paths touch,
 * shaped as the service shapes it; *ret_count 0: no Attributes member. */
TD_MUST_USE td_status td_update_project(const td_update *update, const td_item *item, td_arena *arena,
                                        td_attribute **ret_attributes, uint32_t *ret_count);

/* ---- projections ----------------------------------------------------------------------------------------------- */

typedef struct td_projection td_projection;

TD_MUST_USE td_status td_projection_compile(td_slice text, td_expr_marks *marks, td_arena *arena,
                                            td_projection **ret_projection, td_error *error);

/* AttributesToGet: whole top-level attributes. */
TD_MUST_USE td_status td_projection_of_names(const td_slice *names, uint32_t count, td_arena *arena,
                                             td_projection **ret_projection, td_error *error);

/* What the item has of it: a sorted attribute array in the arena, possibly empty; list elements rise, without gaps. */
TD_MUST_USE td_status td_projection_apply(const td_projection *projection, const td_item *item, td_arena *arena,
                                          td_attribute **ret_attributes, uint32_t *ret_count);

void td_projection_visit_attributes(const td_projection *projection, void (*visit)(void *context, td_slice name),
                                    void *context);

bool td_projection_enters(const td_projection *projection, td_slice attribute);

/* ---- key conditions -------------------------------------------------------------------------------------------- */

typedef struct td_key_condition td_key_condition;

TD_MUST_USE td_status td_key_condition_compile(td_slice text, td_expr_marks *marks, td_arena *arena,
                                               td_key_condition **ret_condition, td_error *error);

/* Raises what no key condition may have: OR, NOT, <>, IN, functions, nested attributes, two conditions on one key, …
 * The service looks for it when all expressions of the request are compiled and no mark is unused, but before it looks
 * for the table; td_key_condition_bind asks again. */
TD_MUST_USE td_status td_key_condition_check(const td_key_condition *condition, td_error *error);

/* How the last sort key attribute that a query names is restricted. */
typedef enum td_range_kind {
    TD_RANGE_ALL,         /* none beyond the equalities */
    TD_RANGE_LESS,
    TD_RANGE_LESS_EQUAL,
    TD_RANGE_GREATER,
    TD_RANGE_GREATER_EQUAL,
    TD_RANGE_BETWEEN,     /* from low to high, both included */
    TD_RANGE_BEGINS_WITH,
} td_range_kind;

typedef struct td_key_range {
    td_slice hash_parts[TD_LIMIT_INDEX_HASH_PARTS_MAX]; /* payloads, in schema order, all of them */
    uint8_t equal_count;                                /* sort key attributes with equality, from the first on */
    td_slice equal_parts[TD_LIMIT_INDEX_RANGE_PARTS_MAX];
    td_range_kind kind;                                 /* of the next sort key attribute */
    td_slice low;                                       /* the operand; BETWEEN: the lower one */
    td_slice high;                                      /* BETWEEN alone */
} td_key_range;

/* Fits the condition to a schema: raises what is missing, surplus or of the wrong type (messages.md §1.6 Query). */
TD_MUST_USE td_status td_key_condition_bind(const td_key_condition *condition, const td_key_schema *schema,
                                            td_key_range *ret_range, td_error *error);

/* ---- the parameters from before expressions -------------------------------------------------------------------- */

typedef enum td_legacy_operator {
    TD_LEGACY_EQ,
    TD_LEGACY_NE,
    TD_LEGACY_LE,
    TD_LEGACY_LT,
    TD_LEGACY_GE,
    TD_LEGACY_GT,
    TD_LEGACY_NOT_NULL,
    TD_LEGACY_NULL,
    TD_LEGACY_CONTAINS,
    TD_LEGACY_NOT_CONTAINS,
    TD_LEGACY_BEGINS_WITH,
    TD_LEGACY_IN,
    TD_LEGACY_BETWEEN,
} td_legacy_operator;

typedef struct td_legacy_condition {
    td_slice attribute;
    td_legacy_operator comparison;
    const td_value *operands; /* their number was checked against the operator */
    uint32_t operand_count;
} td_legacy_condition;

/* Expected, QueryFilter, ScanFilter: joined by AND, or by OR when `is_or`. */
TD_MUST_USE td_status td_condition_of_legacy(const td_legacy_condition *conditions, uint32_t count, bool is_or,
                                             td_arena *arena, td_condition **ret_condition, td_error *error);

/* KeyConditions. */
TD_MUST_USE td_status td_key_condition_of_legacy(const td_legacy_condition *conditions, uint32_t count,
                                                 td_arena *arena, td_key_condition **ret_condition, td_error *error);

typedef enum td_legacy_action { TD_LEGACY_PUT, TD_LEGACY_ADD, TD_LEGACY_DELETE } td_legacy_action;

typedef struct td_legacy_update {
    td_slice attribute;
    td_legacy_action action;
    const td_value *value; /* NULL: none (DELETE of the whole attribute) */
} td_legacy_update;

/* AttributeUpdates. ADD on a list appends, as the old parameter does. */
TD_MUST_USE td_status td_update_of_legacy(const td_legacy_update *updates, uint32_t count, td_arena *arena,
                                          td_update **ret_update, td_error *error);

/* Is the word reserved (in any case)? The list is storage/expr/reserved.def. */
bool td_expr_is_reserved(td_slice word);

#endif
