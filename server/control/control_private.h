/* SPDX-License-Identifier: Apache-2.0
 * control_private.h: what the endpoints share: the call that each of them gets, and how they refuse. */
#ifndef THERMODYN_CONTROL_PRIVATE_H
#define THERMODYN_CONTROL_PRIVATE_H

#include "base/json_doc.h"
#include "control/control.h"
#include "thermodyn/observe.h"

#define TD_CONTROL_ERROR_BYTES_MAX 640

typedef struct td_control_call {
    td_service *service;
    const td_control_request *request;
    td_arena *arena;
    td_slice table;           /* the path's {table}, {id} or {name}, or empty */
    td_slice scope;           /* whose tables: ?scope=…, or empty for all (see isolate) */
    const td_json_node *body; /* an object, or NULL: none was sent */
    td_json_build *answer;    /* what the handler fills */
    char error[TD_CONTROL_ERROR_BYTES_MAX]; /* the sentence of a refusal; "": the answer is one, whatever its status */
} td_control_call;

/* Answers the HTTP status. */
typedef int (*td_control_handler)(td_control_call *call);

/* Writes the sentence and answers the status: `return td_control__refuse(call, 400, "…");` */
int td_control__refuse(td_control_call *call, int http_status, const char *format, ...) TD_PRINTF(3, 4);
int td_control__refuse_without_memory(td_control_call *call); /* 500 */
int td_control__refuse_text(td_control_call *call, const char *sentence); /* of who read a body: 400, or no memory */
int td_control__refuse_answer(td_control_call *call); /* of a change that is made: there is no memory to tell it */

/* A member that a handler knows. */
typedef struct td_control_member {
    const char *name;
    td_json_node_type type;
    const td_json_node *node; /* set by td_control__read_members; NULL: absent */
} td_control_member;

/* Binds the body's members. 200, or the status of a refusal: a member that is unknown or of another type. */
TD_MUST_USE int td_control__read_members(td_control_call *call, td_control_member *members, size_t count);

/* A parameter of the query, as it was sent; false: absent. */
TD_MUST_USE bool td_control__query(const td_control_call *call, const char *name, td_slice *ret_value);

/* The call into the engine for a table of this request. */
td_call td_control__engine_call(const td_control_call *call, td_slice table);

int td_control__unknown_table(td_control_call *call, td_slice table);

/* An entry of a list of partitions. */
void td_control__write_partition(td_json_build *build, td_json_node *list, const td_partition_view *partition);

/* A list of tables that is written at once rather than built node by node: begun, each entry announced before it is
 * written, and then answered as "tables" beside "now". Answers the HTTP status; the list is done with. */
void td_control__begin_tables(td_buf *list);
void td_control__next_table(td_buf *list);
TD_MUST_USE int td_control__answer_tables(td_control_call *call, td_buf *list, td_time_us now_us);

/* The clock in manual mode moves to target_us, and everything that falls due on the way runs at its own instant.
 * false: the clock is not manual, or later than that already. */
TD_MUST_USE bool td_control__move_clock(td_service *service, td_time_us target_us);

int td_control__get_health(td_control_call *call);
int td_control__get_clock(td_control_call *call);
int td_control__put_clock(td_control_call *call);
int td_control__advance_clock(td_control_call *call);
int td_control__get_capacity(td_control_call *call);
int td_control__patch_capacity(td_control_call *call);
int td_control__get_tables(td_control_call *call);
int td_control__get_totals(td_control_call *call);
int td_control__get_partitions(td_control_call *call);
int td_control__split_partition(td_control_call *call);
int td_control__reset_capacity(td_control_call *call);
int td_control__get_heatmap(td_control_call *call);
int td_control__get_hotkeys(td_control_call *call);
int td_control__get_advice(td_control_call *call);
int td_control__get_faults(td_control_call *call);
int td_control__post_faults(td_control_call *call);
int td_control__delete_faults(td_control_call *call);
int td_control__delete_fault(td_control_call *call);
int td_control__get_snapshots(td_control_call *call);
int td_control__get_snapshot(td_control_call *call);
int td_control__put_snapshot(td_control_call *call);
int td_control__restore_snapshot(td_control_call *call);
int td_control__delete_snapshot(td_control_call *call);
int td_control__delete_snapshots(td_control_call *call);
int td_control__reset(td_control_call *call);

#endif
