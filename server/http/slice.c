/* SPDX-License-Identifier: Apache-2.0
 * slice.c: requests that take long, a slice at a time. A page of a Scan keeps a worker busy for a millisecond or more,
 * in which everybody else would wait; so its connection is suspended after the first slice, and each turn of the loop,
 * after it has answered what has arrived, does one slice more (0014-long-pages-in-slices.md).
 *
 * First come, first served: only the first page is under way beyond its first slice, so that a thousand clients that
 * scan hold the memory of one page, and each has its answer as early as it can.
 * libmicrohttpd looks at a suspended connection in no way: a page whose client leaves is finished for nobody.
 * Invariants: a request stands in the queue from its suspension to its resumption, and only then; there are none once
 *             the server stops, which finishes them all. */
#include "http_private.h"

static void run_slice(uv_idle_t *turn);
static bool go_on_with_first(td_http_worker *worker);

void td_http__slices_init(td_http_worker *worker)
{
    uv_idle_init(&worker->loop, &worker->slice_turn);
    worker->slice_turn.data = worker;
}

bool td_http__slices_take(td_http_request *request)
{
    td_http_worker *worker = request->worker;
    if (worker->is_stopping) return false;
    td_http__line_join(&worker->sliced, request);
    MHD_suspend_connection(request->mhd);
    uv_idle_start(&worker->slice_turn, run_slice); /* it also keeps the loop from waiting */
    return true;
}

void td_http__slices_end(td_http_worker *worker)
{
    while (worker->sliced.first != NULL)
        (void)go_on_with_first(worker);
}

static void run_slice(uv_idle_t *turn)
{
    td_http_worker *worker = turn->data;
    if (go_on_with_first(worker)) td_http__worker_pump(worker);
}

/* Answers whether it is finished. Then libmicrohttpd asks for its answer. */
static bool go_on_with_first(td_http_worker *worker)
{
    td_http_request *request = worker->sliced.first;
    TD_ASSERT(request != NULL);
    if (!td_dispatch_go_on(&request->api)) return false;
    td_http__line_leave(request);
    if (worker->sliced.first == NULL) uv_idle_stop(&worker->slice_turn);
    MHD_resume_connection(request->mhd);
    return true;
}
