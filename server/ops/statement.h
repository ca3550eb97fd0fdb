/* SPDX-License-Identifier: Apache-2.0
 * statement.h: what the operations of PartiQL share: reading a statement from a request, running it on the engine's
 * plain calls, writing what it returns. Private to server/ops.
 *
 * Functions here raise into the error that they are given: a member of a batch fails on its own. The request's call
 * names the statement's table when a function takes a plan or a write. */
#ifndef THERMODYN_OPS_STATEMENT_H
#define THERMODYN_OPS_STATEMENT_H

#include "thermodyn/partiql.h"
#include "thermodyn/read.h"
#include "thermodyn/write.h"

#include "transact.h"

/* ---- statement_read.c: from JSON to a bound statement ------------------------------------------------------------ */

typedef struct td_ops_parameters {
    const td_value *values;
    uint32_t count;
    td_error late; /* a fault that the service finds after those of the statement's text; TD_OK: none */
} td_ops_parameters;

/* Parameters of the structure that has a Statement. Raises what is told whatever the statement looks like. */
TD_MUST_USE td_status td_ops__read_parameters(const td_request *request, const td_json *structure,
                                              td_ops_parameters *ret_parameters, td_error *error);

/* Parsed, and bound to the parameters. */
TD_MUST_USE td_status td_ops__read_statement(const td_request *request, const td_json *structure,
                                             const td_ops_parameters *parameters, td_statement **ret_statement,
                                             td_error *error);

/* Both. */
TD_MUST_USE td_status td_ops__read_whole_statement(const td_request *request, const td_json *structure,
                                                   td_statement **ret_statement, td_error *error);

TD_MUST_USE td_status td_ops__name_statement(const td_statement *statement, td_ops_named *ret_table, td_error *error);

/* ReturnValuesOnConditionCheckFailure of the structure. */
bool td_ops__wants_failed_item(const td_json *structure);

/* ---- statement_plan.c: how a SELECT is read ---------------------------------------------------------------------- */

typedef struct td_ops_plan {
    const td_statement *statement;
    td_keys keys;                /* of the table, and of the index that is named */
    const td_key_schema *schema; /* of what is read */
    td_statement_keys found;     /* what WHERE says of it */
    td_statement_walk walk;
    const uint32_t *turns; /* the ranges in the order in which they are read */
    bool is_consistent;
    bool needs_whole_items; /* of a local index: attributes that it does not project */
} td_ops_plan;

/* The table, the index and the rules of reading, in the service's order of checks. */
TD_MUST_USE td_status td_ops__plan_select(const td_request *request, const td_statement *statement, bool is_consistent,
                                          td_ops_plan *ret_plan, td_error *error);

/* Is it the look-up of one item and nothing more: what batches and transactions read? */
bool td_ops__is_lookup(const td_ops_plan *plan);

/* The key of an item that is one range of the plan: sorted. */
TD_MUST_USE td_status td_ops__key_of_range(const td_request *request, const td_ops_plan *plan,
                                           const td_key_range *range, const td_attribute **ret_key, uint32_t *ret_count,
                                           td_error *error);

/* ---- statement_token.c: where a SELECT goes on ------------------------------------------------------------------- */

typedef struct td_ops_position {
    uint32_t turn;                 /* of the plan's */
    const td_attribute *start_key; /* within it, sorted; NULL: its beginning */
    uint32_t start_key_count;
} td_ops_position;

/* The NextToken of the request; without one, the beginning. */
TD_MUST_USE td_status td_ops__read_token(td_request *request, td_ops_position *ret_position);

/* `last`: the item evaluated last, with the names of the attributes that make its key; NULL: the turn's beginning. */
TD_MUST_USE td_status td_ops__format_token(td_request *request, uint32_t turn, const td_item *last,
                                           const td_slice *names, uint32_t name_count, td_slice *ret_token);

/* ---- statement_select.c ------------------------------------------------------------------------------------------ */

/* A page of the SELECT, as ExecuteStatement answers it. */
TD_MUST_USE td_status td_ops__answer_select(td_request *request, const td_statement *statement);

/* ---- statement_write.c ------------------------------------------------------------------------------------------- */

/* INSERT, UPDATE, DELETE, EXISTS (a key and a condition) as a write of the table with those keys. */
TD_MUST_USE td_status td_ops__plan_write(const td_request *request, const td_statement *statement,
                                         const td_key_schema *keys, bool wants_failed_item, td_write *ret_write,
                                         td_error *error);

/* Writes; an INSERT that finds an item is a DuplicateItemException. *ret_blocking: the item that the condition failed
 * of, when the write wants it; or NULL. */
TD_MUST_USE td_status td_ops__run_write(const td_request *request, const td_statement *statement, const td_write *write,
                                        td_write_result *ret_result, const td_item **ret_blocking, td_error *error);

/* What RETURNING asks for: an item, attributes, or nothing. */
typedef struct td_ops_returned {
    const td_item *item;
    const td_attribute *attributes;
    uint32_t attribute_count; /* 0: none */
} td_ops_returned;

TD_MUST_USE td_status td_ops__find_returned(const td_request *request, const td_statement *statement,
                                            const td_write_result *result, td_ops_returned *ret_returned,
                                            td_error *error);
bool td_ops__is_returned(const td_ops_returned *returned);
void td_ops__write_returned(td_buf *buf, const td_ops_returned *returned);

/* Texts in which PartiQL differs from the plain calls. */
bool td_ops__is_nesting_text(td_slice text);

/* ---- statement_batch.c ------------------------------------------------------------------------------------------- */

/* What a batch calls an error of that status; empty: it has no word for it. */
td_slice td_ops__statement_code(td_status status);

#endif
