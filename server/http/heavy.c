/* SPDX-License-Identifier: Apache-2.0
 * heavy.c: requests with large bodies, off the loop. A body of megabytes may hold a million values, which take a second
 * to read, and everybody else would wait; so its connection is suspended and the operation is done by a thread of
 * libuv's pool (0028-large-bodies-are-read-off-the-loop.md).
 *
 * First come, first served: of a worker's only the first is under way, so that the others hold no more than their
 * bodies.
 * Invariants: a request stands in the queue from its suspension to its resumption, and only then; heavy_work is queued
 *             while there is one. A worker does not end before they have: an operation cannot stop midway.
 * Threads: handle() on the pool's, which touches nothing of the worker but what the first request needs; the rest on
 *          the worker's. */
#include "http_private.h"

/* Some milliseconds at worst; what a thread more costs does not show beside so many bytes. */
#define HEAVY_BODY_BYTES_MIN ((size_t)256 * 1024)

static void begin_first(td_http_worker *worker);
static void handle(uv_work_t *work);
static void finish_first(uv_work_t *work, int status);

void td_http__heavy_init(td_http_worker *worker)
{
    uint32_t index = (uint32_t)(worker - worker->server->workers);
    worker->heavy_recorder = td_metrics_get_recorder(worker->service->metrics, worker->server->worker_count + index);
    worker->heavy_work.data = worker;
}

bool td_http__heavy_take(td_http_request *request, const td_envelope *envelope)
{
    td_http_worker *worker = request->worker;
    if (request->body.len < HEAVY_BODY_BYTES_MIN || worker->is_stopping) return false;
    request->envelope = *envelope;
    td_http__line_join(&worker->heavy, request);
    MHD_suspend_connection(request->mhd);
    if (worker->heavy.first == request) begin_first(worker);
    return true;
}

static void begin_first(td_http_worker *worker)
{
    int status = uv_queue_work(&worker->loop, &worker->heavy_work, handle, finish_first);
    TD_ASSERT(status == 0);
}

static void handle(uv_work_t *work)
{
    td_http_worker *worker = work->data;
    td_http_request *request = worker->heavy.first;
    bool is_finished =
        td_dispatch_begin(&request->api, worker->service, &request->envelope, td_buf_contents(&request->body),
                          &request->arena, &request->reply, worker->heavy_recorder);
    while (!is_finished)
        is_finished = td_dispatch_go_on(&request->api);
}

/* libmicrohttpd asks for its answer. */
static void finish_first(uv_work_t *work, int status)
{
    (void)status; /* nobody cancels it */
    td_http_worker *worker = work->data;
    td_http_request *request = worker->heavy.first;
    td_http__line_leave(request);
    if (worker->heavy.first != NULL) begin_first(worker);
    worker->has_traffic = true; /* what it has done may fall due */
    MHD_resume_connection(request->mhd);
    td_http__worker_pump(worker);
}
