/* SPDX-License-Identifier: Apache-2.0
 * template.h: a template while its tables are read: what its functions and variables look into.
 * Private to server/init. */
#ifndef THERMODYN_INIT_TEMPLATE_H
#define THERMODYN_INIT_TEMPLATE_H

#include "init_private.h"

typedef struct td_init_template {
    td_init *init;
    const char *path;
    const td_init_node *root;      /* the whole document: of Serverless variables */
    const td_init_node *document;  /* with Parameters, Mappings, Conditions */
    const td_init_node *resources; /* by logical id */
} td_init_template;

/* The node with its functions and variables replaced by what they stand for; *ret_node is NULL for AWS::NoValue.
 * `depth`: 0 for a caller from outside. (resolve.c) */
TD_MUST_USE bool td_init__resolve(const td_init_template *template, const td_init_node *node, uint32_t depth,
                                  const td_init_node **ret_node);
/* The same, which must be a text. */
TD_MUST_USE bool td_init__resolve_text(const td_init_template *template, const td_init_node *node, uint32_t depth,
                                       td_slice *ret_text);

/* Is the condition of that name true? (condition.c) */
TD_MUST_USE bool td_init__find_condition(const td_init_template *template, const td_init_node *name, uint32_t depth,
                                         bool *ret_holds);

/* A text with its Serverless variables, "${self:custom.stage}", replaced. (variable.c) */
TD_MUST_USE bool td_init__replace_variables(const td_init_template *template, const td_init_node *node, uint32_t depth,
                                            td_slice *ret_text);

/* The name of a table by its logical id: its TableName, or else the id. */
TD_MUST_USE bool td_init__table_name(const td_init_template *template, const td_init_node *resource, uint32_t depth,
                                     td_slice *ret_name);
/* Is the resource a table? */
bool td_init__is_table(const td_init_node *resource);

/* The types of resources that are tables. */
enum {
    TD_INIT_TABLE = 1,  /* AWS::DynamoDB::Table */
    TD_INIT_GLOBAL = 2, /* AWS::DynamoDB::GlobalTable */
    TD_INIT_SIMPLE = 4, /* AWS::Serverless::SimpleTable */
};

/* A table in the making. */
typedef struct td_init_making {
    const td_init_template *template;
    unsigned type;
    const td_init_node *properties; /* NULL: none */
    td_slice table;
    td_init_node *request; /* of CreateTable, with room for what is read */
    td_init_request *changes;
} td_init_making;

#define TD_INIT_REQUEST_MEMBERS_MAX 32

/* Reads all properties of the table into its request and changes. (property.c) */
TD_MUST_USE bool td_init__read_properties(td_init_making *it);

/* Refuses at the node. Answers false. */
bool td_init__refuse_at(const td_init_template *template, const td_init_node *node, const char *format, ...)
    TD_PRINTF(3, 4);

#endif
