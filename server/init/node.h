/* SPDX-License-Identifier: Apache-2.0
 * node.h: a document in YAML, or in JSON, which is YAML too: a tree whose parts know their lines.
 *
 * The door to libyaml. Anchors and merge keys ("<<") are resolved, and CloudFormation's tags are spelt out: "!Ref X" is
 * {"Ref": X}, "!Sub X" is {"Fn::Sub": X}. Trees are read-only and live in their arena. Threads: any. */
#ifndef THERMODYN_INIT_NODE_H
#define THERMODYN_INIT_NODE_H

#include "thermodyn/arena.h"
#include "thermodyn/buf.h"

typedef enum td_init_node_kind { TD_INIT_SCALAR, TD_INIT_LIST, TD_INIT_MAP } td_init_node_kind;

typedef struct td_init_node td_init_node;
struct td_init_node {
    td_init_node_kind kind;
    bool is_quoted; /* SCALAR: a text whatever it looks like */
    uint32_t line;  /* from 1 */
    uint32_t count; /* LIST, MAP: children */
    td_slice name;  /* of a member of a MAP */
    union {
        td_slice text;          /* SCALAR */
        td_init_node *children; /* LIST, MAP */
    };
};

/* One document. false: it is none; reterr_sentence says why, and *reterr_line where. */
#define TD_INIT_NODE_SENTENCE_BYTES 256
TD_MUST_USE bool td_init__node_read(td_slice text, td_arena *arena, const td_init_node **ret_root,
                                    uint32_t *reterr_line, char reterr_sentence[TD_INIT_NODE_SENTENCE_BYTES]);

/* The member of a map; NULL: there is none, or the node is NULL or no map. */
const td_init_node *td_init__node_find(const td_init_node *map, td_slice name);

bool td_init__node_is_null(const td_init_node *node);                /* a plain null, ~ or nothing */
bool td_init__node_is_text(const td_init_node *node, td_slice text); /* a scalar of that text */

/* NULL: no memory. */
td_init_node *td_init__node_new_text(td_arena *arena, uint32_t line, td_slice text);
/* An empty list or map with room for `capacity` children. */
td_init_node *td_init__node_new(td_arena *arena, td_init_node_kind kind, uint32_t line, uint32_t capacity);
/* Appends a copy of the child, under that name, where there is room for it. */
void td_init__node_add(td_init_node *parent, td_slice name, const td_init_node *child);

/* As JSON for a request of the service's API. Which JSON type a scalar becomes follows from the member that it stands
 * in: units are numbers, switches are booleans, and all else is text, as CloudFormation reads them. */
void td_init__node_write(td_buf *buf, const td_init_node *node);

#endif
