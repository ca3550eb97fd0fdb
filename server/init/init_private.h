/* SPDX-License-Identifier: Apache-2.0
 * init_private.h: a load in the making, and what its parts ask of each other. Every function that can fail answers
 * false and has left one sentence in `says` then. Private to server/init. */
#ifndef THERMODYN_INIT_INIT_PRIVATE_H
#define THERMODYN_INIT_INIT_PRIVATE_H

#include "init/init.h"
#include "wire/json.h"

#include "node.h"

/* A file of items: of a table, or a part of an export. */
typedef struct td_init_items {
    struct td_init_items *next;
    const char *path;
    td_slice table;
    bool is_csv;
} td_init_items;

/* One request of the service's API, and where it comes from. */
typedef struct td_init_request {
    struct td_init_request *next;
    const char *path;
    uint32_t line;
    td_slice operation;
    td_slice table;
    td_slice body;
} td_init_request;

/* A table to be made, with what is said about it afterwards. */
typedef struct td_init_table {
    struct td_init_table *next;
    td_init_request create;
    td_init_request *changes; /* in order */
} td_init_table;

typedef struct td_init {
    td_service service; /* the server's, but for fault rules, signatures and metrics */
    td_buf *says;
    td_arena arena;        /* paths, documents, requests: as long as the load */
    td_arena scratch;      /* of one request */
    td_buf body;           /* of one request */
    td_buf reply;          /* of the last request */
    td_service trial;      /* where definitions are tried, to compare them; store NULL: not needed yet */
    td_init_table *tables; /* in order */
    td_init_table **tables_end;
    td_init_items *items; /* in order */
    td_init_items **items_end;
    uint64_t table_count; /* made */
    uint64_t item_count;  /* put */
    uint32_t step_count;  /* of resolving, which texts that name each other twice would make without end */
    int64_t told_us;      /* when progress was told last; by td_monotonic_us */
} td_init;

/* A load or a dump from its beginning to its end. */
void td_init__begin(td_init *init, const td_service *service, td_buf *says);
void td_init__finish(td_init *init);

/* "path:line: sentence"; line 0: "path: sentence". Answers false. */
bool td_init__refuse(td_init *init, const char *path, uint32_t line, const char *format, ...) TD_PRINTF(4, 5);
bool td_init__refuse_memory(td_init *init); /* likewise */

/* ---- gather.c: paths → files ---------------------------------------------------------------------------------------
 */

/* Reads the document of a definition at once; notes files of items. */
TD_MUST_USE bool td_init__gather(td_init *init, const char *path);

/* ---- export.c: the service's exports to S3 -------------------------------------------------------------------------
 */

/* Is the folder the root of an export? */
bool td_init__is_export(const char *folder);
TD_MUST_USE bool td_init__gather_export(td_init *init, const char *folder);

/* Notes a file of items. */
TD_MUST_USE bool td_init__note_items(td_init *init, const char *path, td_slice table, bool is_csv);

/* ---- definition.c: documents → tables ------------------------------------------------------------------------------
 */

TD_MUST_USE bool td_init__read_definitions(td_init *init, const char *path);

/* The table whose CreateTable request the map is; `changes` comes after it. */
TD_MUST_USE bool td_init__add_table(td_init *init, const char *path, const td_init_node *request,
                                    td_init_request *changes);
/* {operation: body} behind the others of the list. */
TD_MUST_USE bool td_init__add_change(td_init *init, const char *path, td_slice operation, const td_init_node *body,
                                     td_init_request **list);

/* ---- template.c: resources of CloudFormation, SAM and Serverless ---------------------------------------------------
 */

/* `document` has resources; all of its tables are added. `root`: what Serverless variables look into. */
TD_MUST_USE bool td_init__read_resources(td_init *init, const char *path, const td_init_node *root,
                                         const td_init_node *document, const td_init_node *resources);

/* ---- make.c: tables ------------------------------------------------------------------------------------------------
 */

TD_MUST_USE bool td_init__make_tables(td_init *init);

/* Sends the request; the answer is in `reply`, and its HTTP status answered. */
int td_init__ask(td_init *init, td_service *service, td_slice operation, td_slice body);
/* Sends the request in `body`. false: it was refused, or there is no memory, and nothing is said: the error is in
 * `reply`. The answer is in `scratch`. */
TD_MUST_USE bool td_init__ask_for(td_init *init, td_service *service, td_slice operation, const td_json **ret_answer);
/* The same with a request of texts; those that are empty are left out. */
typedef struct td_init_ask_member {
    td_slice name;
    td_slice text;
} td_init_ask_member;
TD_MUST_USE bool td_init__ask_about(td_init *init, td_service *service, td_slice operation,
                                    const td_init_ask_member *members, size_t count, const td_json **ret_answer);
/* The table as DescribeTable tells it, in `scratch`. false, and nothing is said: the error is in `reply`. */
TD_MUST_USE bool td_init__describe(td_init *init, td_service *service, td_slice table, const td_json **ret_table);
/* Refuses by the error in `reply`: "path:line: operation of table: exception: message". */
bool td_init__refuse_answer(td_init *init, const td_init_request *request);
bool td_init__refuse_asked(td_init *init, td_slice operation, td_slice table); /* by it, of the data directory */
td_slice td_init__exception(td_init *init); /* the name of the error in `reply`, in `scratch` */
const td_json *td_init__find(const td_json *object, td_slice name); /* NULL also of what is no object, or NULL */

/* ---- dump_table.c --------------------------------------------------------------------------------------------------
 */

/* The requests that make the table, parted by commas. */
TD_MUST_USE bool td_init__write_table(td_init *init, td_slice name, td_buf *out);

/* ---- items.c, csv.c: items -----------------------------------------------------------------------------------------
 */

TD_MUST_USE bool td_init__load_items(td_init *init, const td_init_items *items);
TD_MUST_USE bool td_init__load_csv(td_init *init, const td_init_items *items);

/* Sends the PutItem request in `body`, which began at that line. */
TD_MUST_USE bool td_init__put(td_init *init, const td_init_items *items, uint32_t line);

#endif
