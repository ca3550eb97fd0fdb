/* SPDX-License-Identifier: Apache-2.0
 * partiql.h: PartiQL statements: a second way to write the operations that exist. A statement is text; it becomes the
 * programs of expr.h (conditions, updates, projections), key ranges and attribute values, and nothing beneath knows
 * that it was PartiQL.
 *
 *   text ─parse─► statement: kind, table, index, clauses            no parameters, no table needed
 *        ─bind──► the values of '?', programs, an item to insert    no table needed
 *        ─find_keys(schema)─► what WHERE says of a key: look-ups, one item, or a scan
 *
 * The order of the service's checks: td_statement_parse raises what the text alone shows (COUNT, syntax, literals);
 * then the caller decodes the parameters, whose faults come next; td_statement_bind raises the number of parameters,
 * operands of wrong types, set functions, and an index that a write names. Then come the table, the index and the rules
 * of the operation, which are the caller's.
 * (A public capture has faults of a parameter's own form, such as a set with duplicates, even before the text.)
 * A statement lives in the arena that it was parsed in. Threads: one until it is bound; then it is read-only. */
#ifndef THERMODYN_PARTIQL_H
#define THERMODYN_PARTIQL_H

#include "thermodyn/buf.h"
#include "thermodyn/expr.h"

typedef enum td_statement_kind {
    TD_STATEMENT_SELECT,
    TD_STATEMENT_INSERT,
    TD_STATEMENT_UPDATE, /* UPDATE … SET … WHERE, or FROM … WHERE … SET */
    TD_STATEMENT_DELETE,
    TD_STATEMENT_EXISTS, /* EXISTS(SELECT …): a condition check of a transaction */
} td_statement_kind;

/* RETURNING. On DELETE, bind refuses all but ALL OLD. */
typedef enum td_returning {
    TD_RETURNING_NONE,
    TD_RETURNING_ALL_OLD,
    TD_RETURNING_MODIFIED_OLD, /* td_update_project on the old item */
    TD_RETURNING_ALL_NEW,
    TD_RETURNING_MODIFIED_NEW, /* td_update_project on the new item */
} td_returning;

typedef struct td_statement_order {
    td_slice attribute; /* a top-level attribute */
    bool is_descending;
} td_statement_order;

typedef struct td_statement_syntax td_statement_syntax; /* the tree: storage/partiql/syntax.h */

/* Read-only for all but storage/partiql. */
typedef struct td_statement {
    /* after parse */
    td_statement_kind kind;
    td_slice table;           /* a name or an ARN, unquoted; never empty */
    td_slice index;           /* ptr NULL: none was named */
    uint32_t parameter_count; /* of '?' */
    bool has_where;
    td_returning returning;
    const td_statement_order *orders; /* SELECT: ORDER BY, as written */
    uint32_t order_count;
    const td_slice *selected; /* SELECT: the distinct top-level attributes of the select list, as written; none for * */
    uint32_t selected_count;
    const td_slice *filtered; /* the distinct top-level attributes of WHERE, as written */
    uint32_t filtered_count;
    td_statement_syntax *syntax;

    /* after bind */
    /* The whole of WHERE, keys included; NULL: none. A DELETE's holds also when there is no item: to delete nothing
     * succeeds. An UPDATE's does not: it is no upsert. */
    const td_condition *where;
    const td_projection *projection; /* SELECT: NULL for *. Gives flat items: the last step names the attribute */
    td_attribute *item;              /* INSERT: sorted */
    uint32_t item_count;
    const td_update *update;         /* UPDATE */
} td_statement;

static inline bool td_statement_is_write(const td_statement *statement)
{
    return statement->kind != TD_STATEMENT_SELECT && statement->kind != TD_STATEMENT_EXISTS;
}

/* text: UTF-8, borrowed for as long as the statement. */
TD_MUST_USE td_status td_statement_parse(td_slice text, td_arena *arena, td_statement **ret_statement,
                                         td_error *error);

/* parameters: finished values, borrowed for as long as the statement. Called once. */
TD_MUST_USE td_status td_statement_bind(td_statement *statement, const td_value *parameters, uint32_t count,
                                        td_arena *arena, td_error *error);

/* The statement as text, in one form: parsed again it is the same statement. Parameters stay '?'. */
void td_statement_print(const td_statement *statement, td_buf *text);

/* What WHERE says of a key.
 *   is_keyed     every item that WHERE can hold for is in one of the ranges; else it takes a scan, and there are none
 *   is_whole     keyed, and each range is one item: an equality on every attribute of the key
 *   has_rest     WHERE says more than the key conditions of the ranges
 * The ranges are apart from each other and sorted by the partition key's bytes, then by their lower ends. All of WHERE
 * still has to be asked of each item: ranges only leave out. */
typedef struct td_statement_keys {
    const td_key_range *ranges;
    uint32_t count;
    bool is_keyed;
    bool is_whole;
    bool has_rest;
    bool is_single_collection; /* keyed, by one value of the partition key alone */
} td_statement_keys;

/* Equalities and IN on the partition key, alone or in every branch of an OR; of the sort key what a key condition may
 * say, IN and OR of such. Errors: key operands of wrong types or empty; branches that overlap on the sort key; more
 * ranges than TD_LIMIT_STATEMENT_READS_MAX. A key of several attributes is never keyed (the service refuses statements
 * on such indexes altogether). */
TD_MUST_USE td_status td_statement_find_keys(const td_statement *statement, const td_key_schema *schema,
                                             td_arena *arena, td_statement_keys *ret_keys, td_error *error);

/* The key of the one item that an UPDATE, DELETE or EXISTS is about, or a SELECT that is a look-up: td_key_part_count
 * attributes in the schema's order. *ret_has_rest: WHERE says more than that. Raises "Where clause does not contain a
 * mandatory equality on all key attributes", and of a write that equals one of them to two values, that; for EXISTS the
 * first counts. The values' types are the caller's to check, as those of a Key are. */
TD_MUST_USE td_status td_statement_find_key(const td_statement *statement, const td_key_schema *schema,
                                            td_arena *arena, td_attribute **ret_key, bool *ret_has_rest,
                                            td_error *error);

/* Which way to walk. Without ORDER BY: both ascending. When ORDER BY does not name the sort key, items of one partition
 * key come in descending order: that is the service's. */
typedef struct td_statement_walk {
    bool is_descending;       /* of the sort key */
    bool is_hash_descending;  /* of the ranges */
} td_statement_walk;

/* ORDER BY against the key of what is read. */
TD_MUST_USE td_status td_statement_check_order(const td_statement *statement, const td_key_schema *schema,
                                               const td_statement_keys *keys, td_statement_walk *ret_walk,
                                               td_error *error);

#endif
