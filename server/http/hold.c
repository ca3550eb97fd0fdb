/* SPDX-License-Identifier: Apache-2.0
 * hold.c: answers that a fault rule holds back. The operation is done; the connection is suspended, so that the worker
 * goes on with others, and resumed when its time has come, in real milliseconds: it is the client that waits.
 *
 * libmicrohttpd looks at a suspended connection in no way: a client that leaves is noticed when its answer is due.
 * Invariants: a request stands in `holds` from its suspension to its resumption, and only then; there are none once
 *             the server stops. */
#include "http_private.h"

static void release_due(uv_timer_t *timer);
static void resume_first(td_http_worker *worker);
static void arm(td_http_worker *worker);
static uint64_t now_ms(td_http_worker *worker);

enum MHD_Result td_http__hold(td_http_request *request, const td_http_answer *answer, uint32_t delay_ms)
{
    td_http_worker *worker = request->worker;
    request->held_answer = *answer;
    /* One more, since the loop's milliseconds are cut off: the answer never comes early. */
    td_time_us due = (td_time_us)(now_ms(worker) + delay_ms + 1) * TD_US_PER_MS;
    if (worker->is_stopping || !td_heap_push(worker->holds, due, request)) return td_http__settle(request);
    request->is_held = true;
    if (request->connection->phase != TD_HTTP_PHASE_COUNT) {
        td_http__connection_enter(request->connection, TD_HTTP_HELD);
    }
    MHD_suspend_connection(request->mhd);
    arm(worker);
    return MHD_YES;
}

/* To answer that the request cannot be handled makes libmicrohttpd close the connection without a byte. */
enum MHD_Result td_http__settle(td_http_request *request)
{
    request->is_held = false;
    return request->held_answer.is_dropped ? MHD_NO : td_http__answer(request, &request->held_answer);
}

void td_http__holds_end(td_http_worker *worker)
{
    while (td_heap_next_due(worker->holds) != TD_NEVER)
        resume_first(worker);
    uv_timer_stop(&worker->hold_timer);
}

static void release_due(uv_timer_t *timer)
{
    td_http_worker *worker = timer->data;
    td_time_us now = (td_time_us)now_ms(worker) * TD_US_PER_MS;
    while (td_heap_next_due(worker->holds) <= now)
        resume_first(worker);
    arm(worker);
    td_http__worker_pump(worker);
}

static void resume_first(td_http_worker *worker)
{
    td_http_request *request = td_heap_pop(worker->holds);
    TD_ASSERT(request->is_held);
    MHD_resume_connection(request->mhd);
}

static void arm(td_http_worker *worker)
{
    td_time_us due = td_heap_next_due(worker->holds);
    if (due == TD_NEVER) return;
    uint64_t due_ms = (uint64_t)(due / TD_US_PER_MS);
    uint64_t at_ms = now_ms(worker);
    uv_timer_start(&worker->hold_timer, release_due, due_ms > at_ms ? due_ms - at_ms : 0, 0);
}

/* The loop's own notion is as old as its last wait. */
static uint64_t now_ms(td_http_worker *worker)
{
    uv_update_time(&worker->loop);
    return uv_now(&worker->loop);
}
