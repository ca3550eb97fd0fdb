/* SPDX-License-Identifier: Apache-2.0
 * dispatch.h: one request of the API, from its bytes to the bytes of its answer. No sockets here: the HTTP front calls
 * it, and so do tests.
 *
 * strict reader → target → signature → row of operations.def → shapes → handler → answer or error document.
 * Threads: any; a request is handled to its end on its worker, in one step or several. */
#ifndef THERMODYN_OPS_DISPATCH_H
#define THERMODYN_OPS_DISPATCH_H

#include "base/config.h"
#include "base/credentials.h"
#include "base/log.h"
#include "metrics/metrics.h"
#include "thermodyn/clock.h"
#include "thermodyn/store.h"
#include "wire/envelope.h"
#include "wire/shape.h"

#include "fault.h"
#include "wording.h"

/* What the server consists of; made by main, passed down. */
typedef struct td_service {
    const td_config *config;
    td_store *store;
    td_clock *clock;
    td_log *log;       /* NULL: silent */
    td_faults *faults; /* NULL: there are never any */
    td_credentials *credentials; /* who may sign; NULL: any signature is taken */
    struct td_iam_callers *callers; /* whose policies are asked; NULL: everybody may do everything */
    struct td_durable *durable; /* the data directory; NULL: there is none */
    td_metrics *metrics; /* with a recorder for each worker; NULL: requests are not counted */
    bool is_fixture;     /* its requests make what the server starts with (td_call); never of the service that serves */
    int64_t started_monotonic_us;
    td_time_us started_us; /* of its clock */
} td_service;

/* One of the tables that a request is about, and how its element ended; TD_OK where the answer says it. */
typedef struct td_request_element {
    td_slice table;
    td_status status;
} td_request_element;

/* What handlers tell for the metrics (meter.h). */
typedef struct td_request_notes {
    td_metrics_kind kind;
    bool has_returned_items;
    uint32_t returned_items;
    td_request_element *elements; /* of batches and transactions, in order; none: it is about the call's table */
    uint32_t count;
    uint32_t room;
} td_request_notes;

/* One request while it is handled: what handlers get. */
typedef struct td_request td_request;
typedef td_status (*td_handler)(td_request *request);

struct td_request {
    td_service *service;
    const struct td_operation *operation; /* NULL: it names none */
    td_metrics_recorder *recorder;        /* NULL: it is not counted */
    int64_t started_us;
    td_arena *arena;
    td_call call; /* store, arena, now, scope, region; table: of the TableName, without ARN */
    td_identity identity;
    td_slice host;     /* of the envelope */
    size_t body_bytes; /* of the request's body: a bound for the size of any item in it */
    const td_json *root;
    td_members members;
    td_buf *reply; /* the answer's body */
    td_error error;
    td_request_notes notes;
    td_fate fate;
    const struct td_fault_plan *faults; /* what becomes of its elements (fault_ask.h); NULL: nothing */
    bool is_lost;                       /* by a fault, before it is handled */
    bool is_injected;                   /* the error is a fault's, and no failure of ours */
    bool has_written; /* the store may have changed: its answer waits for the disk */
    td_handler rest; /* what a handler that answered TD_OK has left to do; NULL: nothing */
    void *work;      /* what that is about */
    int http_status; /* of the answer, once it is finished */
};

/* What requests of an operation are about, and where it stands in them. */
typedef enum td_operation_form {
    TD_FORM_ACCOUNT, /* no table, or all of them */
    TD_FORM_TABLE,   /* TableName; or the ARN of a table or stream, in its place or in a shard iterator */
    TD_FORM_GLOBAL_TABLE,
    TD_FORM_PAGE, /* TableName and IndexName; from here on, items */
    TD_FORM_GET,  /* Key */
    TD_FORM_KEY,  /* Key, which is written */
    TD_FORM_ITEM,
    TD_FORM_GETS,                  /* RequestItems: {table: {Keys: […]}} */
    TD_FORM_WRITES,                /* RequestItems: {table: [{PutRequest}, {DeleteRequest}]} */
    TD_FORM_TRANSACTED_GETS,       /* TransactItems */
    TD_FORM_TRANSACTED_WRITES,     /* TransactItems */
    TD_FORM_STATEMENT,             /* Statement */
    TD_FORM_STATEMENTS,            /* Statements */
    TD_FORM_TRANSACTED_STATEMENTS, /* TransactStatements */
} td_operation_form;

/* A row of operations.def. */
typedef struct td_operation {
    td_slice name;
    td_api api;
    td_handler handler;
    td_operation_group group; /* chooses the wording of its errors */
    td_operation_form form;
} td_operation;

const td_operation *td_operation_find(td_api api, td_slice name); /* NULL: unknown */
const td_operation *td_operation_at(size_t index);                /* NULL past the end: for tests and documents */

/* Who asks, and with credentials, whether the signature is theirs. `scope_service`: the name in the credential's scope.
 * Errors in the service's order: those of td_identity_parse, then those of td_sigv4_check. */
TD_MUST_USE td_status td_service_identify(const td_service *service, const td_envelope *envelope,
                                          td_slice scope_service, td_identity *ret_identity, td_error *error);

/* What keeps the caller apart from others: nothing, or with --isolate its access key and region, as accounts and
 * regions do. false: no memory. */
TD_MUST_USE bool td_service_find_scope(const td_service *service, const td_identity *identity, td_slice region,
                                       td_arena *arena, td_slice *ret_scope);

/* Handles one POST / whose body is whole. Writes the answer's JSON into `reply` (cleared first) and answers the HTTP
 * status. `body` and the envelope must live until the arena's reset. A reply that found no memory even for its error
 * document is empty, with status 500. */
int td_dispatch(td_service *service, const td_envelope *envelope, td_slice body, td_arena *arena, td_buf *reply);

/* The same in steps, so that a long request lets others go first. Begin and go_on answer whether it is finished: then
 * http_status is that of the answer in `reply`, and `fate` what fault rules make of it. Until then the arena and the
 * reply are the request's alone. `recorder`: the worker's, which counts the request; NULL: none.
 * Threads: all steps of a request on one. */
TD_MUST_USE bool td_dispatch_begin(td_request *request, td_service *service, const td_envelope *envelope, td_slice body,
                                   td_arena *arena, td_buf *reply, td_metrics_recorder *recorder);
TD_MUST_USE bool td_dispatch_go_on(td_request *request);

/* The other answer of a request that has written, when that is not on the disk and will not be soon. */
void td_dispatch_revoke(td_request *request);

/* All steps at once. */
int td_dispatch_fated(td_service *service, const td_envelope *envelope, td_slice body, td_arena *arena, td_buf *reply,
                      td_metrics_recorder *recorder, td_fate *ret_fate);

#endif
