/* SPDX-License-Identifier: Apache-2.0
 * json_doc.h: JSON documents that carry no item data: the control endpoints'. The only door to cJSON (decision D9);
 * what users' requests hold goes through wire/json.h instead.
 *
 * Reading is stricter than cJSON: valid UTF-8, no \u0000, no trailing text, no name twice in an object, no number that
 * a double cannot hold. A parsed document lives until its arena's reset.
 * Writing builds a document and prints it; a failure sticks until td_json_build_print, so nobody asks in between.
 * Threads: one document, one thread. */
#ifndef THERMODYN_BASE_JSON_DOC_H
#define THERMODYN_BASE_JSON_DOC_H

#include "thermodyn/arena.h"
#include "thermodyn/buf.h"

typedef struct td_json_node td_json_node; /* opaque */

typedef enum td_json_node_type {
    TD_JSON_NODE_NULL,
    TD_JSON_NODE_BOOL,
    TD_JSON_NODE_NUMBER,
    TD_JSON_NODE_TEXT,
    TD_JSON_NODE_ARRAY,
    TD_JSON_NODE_OBJECT,
} td_json_node_type;

/* ---- reading ---- */

#define TD_JSON_NO_MEMORY "out of memory" /* the sentence of readers that lack it */

/* NULL: not JSON in the sense above, or no memory; *reterr_sentence then says what is wrong. */
TD_MUST_USE const td_json_node *td_json_doc_parse(td_slice text, td_arena *arena, const char **reterr_sentence);

td_json_node_type td_json_node_get_type(const td_json_node *node);
td_slice td_json_node_name(const td_json_node *node);    /* of a member */
td_slice td_json_node_text(const td_json_node *node);    /* TEXT */
double td_json_node_number(const td_json_node *node);    /* NUMBER */
bool td_json_node_is_true(const td_json_node *node);     /* BOOL */
bool td_json_node_int(const td_json_node *node, int64_t *ret_value); /* NUMBER that is whole and exact */

const td_json_node *td_json_node_first(const td_json_node *parent); /* of an object or array; NULL: empty */
const td_json_node *td_json_node_next(const td_json_node *node);    /* NULL: the last */
const td_json_node *td_json_node_find(const td_json_node *object, const char *name);

/* What of a user's text may stand in a sentence: at most 100 bytes, cut between characters. */
td_slice td_json_shown(td_slice text);
#define TD_SHOWN(text) (int)td_json_shown(text).len, (const char *)td_json_shown(text).ptr

/* ---- writing ---- */

typedef struct td_json_build {
    td_json_node *root; /* an object */
    bool failed;
} td_json_build;

void td_json_build_init(td_json_build *build);
void td_json_build_done(td_json_build *build);

/* Adds to an object (name given) or an array (name NULL). A NULL parent is a failed one, and is passed over. */
void td_json_put_null(td_json_build *build, td_json_node *parent, const char *name);
void td_json_put_bool(td_json_build *build, td_json_node *parent, const char *name, bool value);
void td_json_put_int(td_json_build *build, td_json_node *parent, const char *name, int64_t value);
void td_json_put_number(td_json_build *build, td_json_node *parent, const char *name, double value);
void td_json_put_text(td_json_build *build, td_json_node *parent, const char *name, td_slice value);
/* What is JSON already: an item's key, a long list of numbers. `json` ends with a NUL behind its length. */
void td_json_put_written(td_json_build *build, td_json_node *parent, const char *name, td_slice json);
td_json_node *td_json_put_object(td_json_build *build, td_json_node *parent, const char *name);
td_json_node *td_json_put_array(td_json_build *build, td_json_node *parent, const char *name);

/* Appends the text. false: something failed; nothing was appended. */
TD_MUST_USE bool td_json_build_print(const td_json_build *build, td_buf *buf);

#endif
