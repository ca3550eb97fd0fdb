/* SPDX-License-Identifier: Apache-2.0
 * http_private.h: a worker, its connections and their requests. Threads: a worker's own, unless a line says otherwise.
 *
 * Lifetimes: a connection lives as long as its socket; a request from its request line to libmicrohttpd's completion;
 * then it goes back to the worker's free list with its first arena chunk, its small buffers and its last small answer.
 * The answer's bytes are the request's, and libmicrohttpd reads them until completion.
 *
 * A connection is in one of four phases, each with a time limit, each phase a queue in the order of entry: only the
 * heads are ever looked at, so that ten thousand idle connections cost nothing. What is over its time is shut down;
 * libmicrohttpd then notices and closes it. */
#ifndef THERMODYN_HTTP_PRIVATE_H
#define THERMODYN_HTTP_PRIVATE_H

#include <microhttpd.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <uv.h>

#include "http/server.h"
#include "ops/dispatch.h"
#include "thermodyn/arena.h"
#include "thermodyn/buf.h"
#include "thermodyn/heap.h"
#include "thermodyn/rng.h"
#include "wire/sigv4.h"

#include "tls.h"

typedef struct td_http_worker td_http_worker;
typedef struct td_http_request td_http_request;
typedef struct td_http_connection td_http_connection;

typedef enum td_http_phase {
    TD_HTTP_WAITING,   /* for a request: the idle timeout */
    TD_HTTP_RECEIVING, /* request line seen, request not whole: the request timeout */
    TD_HTTP_HELD,      /* answer held back by a fault rule, or in the making: longer than any of them may */
    TD_HTTP_ANSWERING, /* answer queued, not taken: the request timeout again */
    TD_HTTP_PHASE_COUNT,
} td_http_phase;

struct td_http_connection {
    td_http_worker *worker;
    td_http_request *request; /* in progress, or NULL */
    int fd;
    uint32_t pace_place; /* of its address */
    td_http_phase phase; /* TD_HTTP_PHASE_COUNT: shut down, in no queue */
    uint64_t since_ms;   /* in this phase, by the loop's time */
    td_http_connection *previous;
    td_http_connection *next;
};

/* Of pace.c. */
typedef struct td_http_pace {
    uint64_t *free_at_ns; /* by place, in the loop's time; NULL: there is no limit */
    uint64_t interval_ns; /* from one request of an address to its next */
    uint64_t key;
} td_http_pace;

typedef struct td_http_queue {
    td_http_connection *first; /* longest in this phase */
    td_http_connection *last;
} td_http_queue;

/* Headers that are looked at, those of every request first: TD_HTTP_HEADER(id, name). */
#define TD_HTTP_HEADERS(TD_HTTP_HEADER)                                                                                \
    TD_HTTP_HEADER(HOST, "Host")                                                                                       \
    TD_HTTP_HEADER(CONTENT_TYPE, "Content-Type")                                                                       \
    TD_HTTP_HEADER(CONTENT_LENGTH, "Content-Length")                                                                   \
    TD_HTTP_HEADER(TRANSFER_ENCODING, "Transfer-Encoding")                                                             \
    TD_HTTP_HEADER(AUTHORIZATION, "Authorization")                                                                     \
    TD_HTTP_HEADER(AMZ_TARGET, "X-Amz-Target")                                                                         \
    TD_HTTP_HEADER(AMZ_TOKEN, "X-Amz-Security-Token")                                                                  \
    TD_HTTP_HEADER(AMZ_DATE, "X-Amz-Date")                                                                             \
    TD_HTTP_HEADER(ACCEPT, "Accept")                                                                                   \
    TD_HTTP_HEADER(ACCEPT_ENCODING, "Accept-Encoding")                                                                 \
    TD_HTTP_HEADER(CONTENT_ENCODING, "Content-Encoding")                                                               \
    TD_HTTP_HEADER(ORIGIN, "Origin")                                                                                   \
    TD_HTTP_HEADER(IF_NONE_MATCH, "If-None-Match")                                                                     \
    TD_HTTP_HEADER(DATE, "Date")                                                                                       \
    TD_HTTP_HEADER(EXPECT, "Expect")                                                                                   \
    TD_HTTP_HEADER(SMITHY_PROTOCOL, "smithy-protocol")                                                                 \
    TD_HTTP_HEADER(CORS_METHOD, "Access-Control-Request-Method")                                                       \
    TD_HTTP_HEADER(CORS_HEADERS, "Access-Control-Request-Headers")

typedef enum td_http_header {
#define TD_HTTP_HEADER(id, name) TD_HTTP_HEADER_##id,
    TD_HTTP_HEADERS(TD_HTTP_HEADER)
#undef TD_HTTP_HEADER
    TD_HTTP_HEADER_COUNT
} td_http_header;

/* Why a body is not gathered but drained. */
typedef enum td_http_refusal { TD_HTTP_TAKEN, TD_HTTP_TOO_LARGE, TD_HTTP_NO_ROOM, TD_HTTP_TOO_OFTEN } td_http_refusal;

typedef struct td_http_header_line {
    const char *name;
    const char *value;
} td_http_header_line;

/* What is sent back; zero-initialise. */
typedef struct td_http_answer {
    unsigned status;
    const char *content_type; /* lives as long as the process; NULL: none */
    td_slice body;            /* lives until the request's completion */
    const char *allow;        /* of a 405; NULL: none */
    const char *location;     /* of a redirect; NULL: none */
    bool is_streamed;         /* an empty body in chunks, as the service answers 413 */
    const char *etag;         /* NULL: none */
    const td_http_header_line *lines; /* further ones, with a Cache-Control among them; NULL: none */
    size_t line_count;
    const char *request_id;           /* NULL: a new one */
    bool is_control;          /* no checksum, no CORS, and neither stored nor packed unless it has `lines` */
    bool is_preflight;
    bool must_close;
    bool is_dropped; /* nothing is sent, and the connection is closed */
} td_http_answer;

#define TD_HTTP_REQUEST_ID_LEN 52
#define TD_HTTP_REPEATED_BYTES_MAX 512

/* A small answer that was given and may be given again, as most of writes, misses and throttles are. */
typedef struct td_http_repeated {
    struct MHD_Response *response; /* with all of its headers; NULL: none */
    const char *content_type;
    size_t body_len;
    uint8_t body[TD_HTTP_REPEATED_BYTES_MAX];
    char request_id[TD_HTTP_REQUEST_ID_LEN + 1]; /* the one header that changes */
} td_http_repeated;

/* Requests that wait, in the order in which they came; line.c. */
typedef struct td_http_line {
    td_http_request *first;
    td_http_request *last;
} td_http_line;

struct td_http_request {
    td_http_worker *worker;
    td_http_connection *connection;
    struct MHD_Connection *mhd;
    td_http_request *next_free;
    const char *method; /* libmicrohttpd's, like the path and the headers, until completion */
    const char *path;   /* percent-decoded, without the query */
    td_slice query;     /* as sent, without '?' */
    const char *version; /* where it stands unless the request line is odd */
    td_slice headers[TD_HTTP_HEADER_COUNT];
    td_arena arena;
    td_buf body;
    td_buf reply;
    td_buf packed;     /* the reply packed, or the body as it was sent */
    bool is_unpacked;  /* the body was, and `packed` holds it as it was sent */
    td_signed_request signed_form; /* of signed.c */
    td_http_repeated repeated; /* kept from request to request */
    bool has_headers;  /* libmicrohttpd's first call was made */
    bool is_answered;
    bool is_held;
    td_http_answer held_answer;
    td_http_line *line; /* in which it waits; NULL: none */
    td_http_request *before;
    td_http_request *behind;
    bool has_waited;    /* in any: its operation is done, and its answer is asked for */
    td_envelope envelope; /* of a heavy one; borrows from the request */
    bool is_suspended;      /* while it waits for the disk; else libmicrohttpd asks for its answer at every run */
    uint64_t change_number; /* that its answer waits for, or has waited for; 0: it does not wait */
    bool is_revoked;        /* it has waited in vain */
    td_request api;    /* while it is handled, if it is one of the API */
    td_http_refusal refusal;
    uint64_t drained_bytes;
    size_t charged_bytes; /* of the worker's body memory */
};

struct td_http_worker {
    td_server *server;
    td_service *service;
    td_metrics_recorder *recorder; /* this worker's */
    uv_loop_t loop;
    uv_poll_t poll;            /* libmicrohttpd's epoll descriptor */
    uv_timer_t pump_timer;     /* libmicrohttpd's timeout */
    uv_timer_t deadline_timer; /* the earliest end of a phase, or of the stop's grace */
    uv_timer_t hold_timer;     /* the first of `holds` */
    uv_async_t stop_signal;    /* sent by the first worker */
    uv_async_t idle_signal;    /* likewise */
    uv_async_t delay_signal;   /* likewise: how long does the loop take to hear it? */
    _Atomic int64_t delay_sent_us; /* when it was sent; 0: it was heard */
    uv_thread_t thread;        /* of all workers but the first */
    struct MHD_Daemon *daemon;
    td_rng rng;
    td_heap *holds; /* requests whose answers are held back, by the loop's time */
    uv_idle_t slice_turn;          /* runs while there are sliced requests */
    td_http_line sliced;           /* the first one's turn it is */
    uv_work_t heavy_work;          /* of the first of `heavy` */
    td_http_line heavy;            /* the first one is done by another thread */
    td_metrics_recorder *heavy_recorder; /* of that thread */
    uv_async_t settled_signal; /* sent by the writer of the data directory */
    td_http_line unsettled;    /* their answers wait for the disk, in the order of their changes */
    uint32_t asked_count;      /* of those that are not suspended */
    uint32_t part_count;       /* pieces of bodies that came in this run, less the bodies that became whole */
    bool hears_disk; /* guarded by the server's watch_lock: its settled_signal may be sent */
    td_http_pace pace;
    td_http_queue queues[TD_HTTP_PHASE_COUNT];
    uint64_t timeouts_ms[TD_HTTP_PHASE_COUNT];
    uint64_t deadline_at_ms; /* when deadline_timer fires; UINT64_MAX: it does not */
    uint32_t connection_count;
    uint32_t connections_max;
    td_http_request *free_requests;
    uint32_t free_count;
    size_t body_bytes;     /* of requests in flight */
    size_t body_bytes_max;
    uint64_t stop_since_ms;
    bool is_stopping;
    bool has_traffic; /* the API was called since the last look */
    bool has_control; /* a control endpoint was called since the last look */
    bool is_closed;   /* its handles are */
};

/* The first worker's timers that belong to the store; wakeup.c. */
typedef struct td_http_wakeup {
    td_service *service;
    struct td_http_worker *worker; /* the first, on whose loop all of this runs */
    uv_timer_t clock_timer;
    uv_timer_t throttle_timer;
    uv_timer_t idle_timer;
    uv_async_t changed;            /* from any worker */
    _Atomic td_time_us armed_for;  /* the due time that clock_timer stands for */
    atomic_bool wants_throttles;   /* throttle_timer runs, or is about to */
    td_arena arena;
} td_http_wakeup;

struct td_server {
    td_service *service;
    td_http_wakeup wakeup;
    uv_signal_t signals[3];
    pthread_mutex_t watch_lock;
    bool holds_signals;   /* blocked until the loop hears them */
    sigset_t mask_before;
    td_http_worker *workers;
    uint32_t worker_count;
    int *listen_fds; /* one a worker; taken by its daemon */
    int port;
    char url[96];
    bool has_tls;
    td_tls tls; /* with has_tls */
};

/* ---- listen.c ---- */
TD_MUST_USE bool td_http__listen(td_server *server, char reterr_sentence[TD_SERVER_ERROR_BYTES]);
uint32_t td_http__connections_max(const td_service *service); /* raises the limit of open files as far as needed */

/* ---- worker.c ---- */
TD_MUST_USE bool td_http__worker_init(td_http_worker *worker, td_server *server, int listen_fd, uint64_t seed);
void td_http__worker_run(td_http_worker *worker);  /* until it is stopped and empty */
void td_http__worker_done(td_http_worker *worker); /* after it ran */
void td_http__worker_stop(td_http_worker *worker); /* on its own thread; from others: uv_async_send(&stop_signal) */

void td_http__worker_pump(td_http_worker *worker); /* runs libmicrohttpd until it has nothing to do at once */

/* ---- hold.c ---- */
/* The answer after delay_ms; at once when the server stops. */
enum MHD_Result td_http__hold(td_http_request *request, const td_http_answer *answer, uint32_t delay_ms);
enum MHD_Result td_http__settle(td_http_request *request); /* the call after a hold */
void td_http__holds_end(td_http_worker *worker);           /* all at once */

/* ---- pace.c ---- */
TD_MUST_USE bool td_http__pace_init(td_http_worker *worker);
void td_http__pace_done(td_http_worker *worker);
uint32_t td_http__pace_place(const td_http_worker *worker, struct MHD_Connection *mhd);
/* Counts a request of the connection's address; false: it has made too many. */
TD_MUST_USE bool td_http__pace_takes(const td_http_connection *connection);

/* ---- line.c ---- */
void td_http__line_join(td_http_line *line, td_http_request *request); /* at the end */
void td_http__line_leave(td_http_request *request);

/* ---- slice.c ---- */
void td_http__slices_init(td_http_worker *worker);
/* The request's next slices are done between others, and then its answer is asked for. false: the server stops, and
 * nothing was done. */
TD_MUST_USE bool td_http__slices_take(td_http_request *request);
void td_http__slices_end(td_http_worker *worker); /* all at once */

/* ---- heavy.c ---- */
void td_http__heavy_init(td_http_worker *worker);
/* A request with a large body is done by another thread, and then its answer is asked for. false: its body is not
 * large, or the server stops, and nothing was done. */
TD_MUST_USE bool td_http__heavy_take(td_http_request *request, const td_envelope *envelope);

/* ---- settle.c ---- */
TD_MUST_USE bool td_http__settling_init(td_http_worker *worker); /* its settled_signal */
/* Whether the answer has to wait for the disk. One whose changes the disk has refused gets another answer. */
TD_MUST_USE bool td_http__waits_for_disk(td_http_request *request);
void td_http__wait_no_more(td_http_request *request);
void td_http__settling_end(td_http_worker *worker); /* none waits any longer */
void td_http__disk_told(void *server);              /* the watch of the data directory */

/* ---- connection.c ---- */
void td_http__connection_notify(void *worker, struct MHD_Connection *mhd, void **context,
                                enum MHD_ConnectionNotificationCode code);
td_http_connection *td_http__connection_of(struct MHD_Connection *mhd);
void td_http__connection_enter(td_http_connection *connection, td_http_phase phase);
void td_http__connections_expire(td_http_worker *worker); /* shuts down what is over its time, sets the timer anew */
void td_http__connections_shut(td_http_worker *worker, td_http_phase phase);

/* ---- request.c ---- */
void *td_http__request_begin(void *worker, const char *uri, struct MHD_Connection *mhd);
enum MHD_Result td_http__request_handle(void *worker, struct MHD_Connection *mhd, const char *url, const char *method,
                                        const char *version, const char *data, size_t *data_len, void **context);
void td_http__request_complete(void *worker, struct MHD_Connection *mhd, void **context,
                               enum MHD_RequestTerminationCode code);
void td_http__request_release(td_http_request *request);
/* Counts bytes that the request holds until its completion against the worker's memory; false: there is no room. */
TD_MUST_USE bool td_http__request_charge(td_http_request *request, size_t bytes);
extern const td_http_answer td_http__no_room; /* 503 */
void td_http__requests_free(td_http_worker *worker);

/* ---- headers.c ---- */
/* false: it could be taken for another request, and is to be refused. */
TD_MUST_USE bool td_http__headers_read(td_http_request *request, const char *version);

/* ---- response.c ---- */
enum MHD_Result td_http__answer(td_http_request *request, const td_http_answer *answer);
enum MHD_Result td_http__answer_without_memory(struct MHD_Connection *mhd); /* 500, to what could not be kept */
#define TD_HTTP_WITHOUT_MEMORY                                                                                         \
    "{\"__type\":\"com.amazonaws.dynamodb.v20120810#InternalServerError\","                                            \
    "\"message\":\"The server has run out of memory for this request.\"}"

/* ---- route.c ---- */
enum MHD_Result td_http__route(td_http_request *request);
enum MHD_Result td_http__answer_api(td_http_request *request); /* of the API, once it is finished */
td_envelope td_http__envelope_of(td_http_request *request); /* borrows from it */

/* ---- signed.c ---- */
/* The request as its signature was made of it; borrows from it. */
const td_signed_request *td_http__signed_form(td_http_request *request);

/* ---- cloudwatch.c ---- */
bool td_http__is_cloudwatch(td_http_request *request);
enum MHD_Result td_http__answer_cloudwatch(td_http_request *request);

/* ---- assets.c ---- */
bool td_http__has_asset(const td_http_request *request); /* its path is that of a file of the console */
enum MHD_Result td_http__answer_asset(td_http_request *request);
bool td_http__wants_page(const td_http_request *request); /* a browser asks, not a program */

/* ---- access.c ---- */
bool td_http__host_is_ours(const td_http_request *request);
bool td_http__origin_is_ours(const td_http_request *request); /* no Origin is ours too */
/* What Access-Control-Allow-Origin says to the request's origin; empty: nothing. */
td_slice td_http__allowed_origin(const td_http_request *request);

/* ---- encoding.c ---- */
/* Replaces the body by what it was packed from. 200; 400: damaged; 413: too large unpacked; 415: unknown coding. */
TD_MUST_USE unsigned td_http__unpack_body(td_http_request *request);
bool td_http__accepts_gzip(td_slice accept_encoding);
/* The gzip form in request->packed; false: no memory, or it would not be smaller. */
TD_MUST_USE bool td_http__pack(td_http_request *request, td_slice body, td_slice *ret_packed);

/* ---- delay.c ---- */
TD_MUST_USE bool td_http__delay_init(td_http_worker *worker); /* its delay_signal */
void td_http__measure_delay(td_server *server);

/* ---- metrics.c ---- */
enum MHD_Result td_http__answer_metrics(td_http_request *request); /* GET /metrics */

/* ---- idle.c ---- */
TD_MUST_USE bool td_http__idle_init(td_http_worker *worker); /* its idle_signal */
void td_http__idle(td_server *server);

/* ---- wakeup.c ---- */
TD_MUST_USE bool td_http__wakeup_init(td_http_wakeup *wakeup, struct td_http_worker *worker);
void td_http__wakeup_close(td_http_wakeup *wakeup);
void td_http__wakeup_done(td_http_wakeup *wakeup);
/* From any worker, after it handled requests. */
void td_http__wakeup_notice(td_http_wakeup *wakeup, bool has_traffic, bool has_control);

#endif
