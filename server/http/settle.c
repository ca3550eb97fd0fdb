/* SPDX-License-Identifier: Apache-2.0
 * settle.c: answers that wait for the disk: the operation is done, and is answered when the changes up to its own have
 * been settled (durable.h). The worker goes on with others meanwhile, whose changes are the next batch.
 *
 * libmicrohttpd asks at every run for an answer that was not given. That is a call of some 0.1 us, where suspending a
 * connection and resuming it costs 7 us: it leaves and enters the epoll set, and is read from in vain. So the first
 * ASKED_MAX of a worker wait so, and worker.c does not run libmicrohttpd for their sake alone; those beyond are
 * suspended, so that thousands are not asked at every run.
 *
 * A worker's requests have changed the store in the order in which they wait, so that only the first is ever looked at.
 * Invariants: asked_count of those in the line are not suspended; nobody is in it once the worker has ended.
 * Threads: td_http__disk_told on the writer's; the rest on each worker's own. */
#include "http_private.h"

#include "durable/durable.h"

#define ASKED_MAX 128

static void wait_for_disk(td_http_request *request);
static void set_hearing(td_http_worker *worker, bool hears_disk);
static void hear(uv_async_t *signal);
static bool settle(td_http_worker *worker);
static void settle_first(td_http_worker *worker, td_durable_state state);

bool td_http__settling_init(td_http_worker *worker)
{
    worker->settled_signal.data = worker;
    bool is_made = uv_async_init(&worker->loop, &worker->settled_signal, hear) == 0;
    set_hearing(worker, is_made);
    return is_made;
}

bool td_http__waits_for_disk(td_http_request *request)
{
    td_http_worker *worker = request->worker;
    td_durable *durable = worker->service->durable;
    if (durable == NULL) return false;
    bool has_waited = request->change_number > 0; /* then it was decided when it was resumed */
    td_durable_state state = request->is_revoked ? TD_DURABLE_FAILING : TD_DURABLE_SETTLED;
    if (!has_waited) state = td_durable_check(durable, &request->change_number);
    if (state == TD_DURABLE_FAILING) td_dispatch_revoke(&request->api);
    if (state != TD_DURABLE_PENDING) return false;
    wait_for_disk(request);
    /* It may have been settled between the question and here, when nobody was told. */
    if (td_durable_check_number(durable, request->change_number) != TD_DURABLE_PENDING) {
        uv_async_send(&worker->settled_signal);
    }
    return true;
}

void td_http__wait_no_more(td_http_request *request)
{
    TD_ASSERT(request->line == &request->worker->unsettled);
    td_http__line_leave(request);
    if (request->is_suspended)
        MHD_resume_connection(request->mhd);
    else
        request->worker->asked_count--;
}

void td_http__settling_end(td_http_worker *worker)
{
    set_hearing(worker, false);
    while (worker->unsettled.first != NULL)
        settle_first(worker, TD_DURABLE_FAILING);
    MHD_run(worker->daemon);
}

void td_http__disk_told(void *context)
{
    td_server *server = context;
    pthread_mutex_lock(&server->watch_lock);
    for (uint32_t i = 0; i < server->worker_count; i++) {
        if (server->workers[i].hears_disk) uv_async_send(&server->workers[i].settled_signal);
    }
    pthread_mutex_unlock(&server->watch_lock);
}

static void wait_for_disk(td_http_request *request)
{
    td_http_worker *worker = request->worker;
    td_http__line_join(&worker->unsettled, request);
    request->is_suspended = worker->asked_count >= ASKED_MAX;
    if (request->is_suspended)
        MHD_suspend_connection(request->mhd);
    else
        worker->asked_count++;
}

static void set_hearing(td_http_worker *worker, bool hears_disk)
{
    pthread_mutex_lock(&worker->server->watch_lock);
    worker->hears_disk = hears_disk;
    pthread_mutex_unlock(&worker->server->watch_lock);
}

/* Once the data are loaded, the first one also learns what falls due of them. */
static void hear(uv_async_t *signal)
{
    td_http_worker *worker = signal->data;
    td_server *server = worker->server;
    if (worker == &server->workers[0]) td_http__wakeup_notice(&server->wakeup, false, false);
    if (settle(worker)) td_http__worker_pump(worker);
}

/* Answers whether there were any. */
static bool settle(td_http_worker *worker)
{
    bool is_any = false;
    while (worker->unsettled.first != NULL) {
        uint64_t number = worker->unsettled.first->change_number;
        td_durable_state state = td_durable_check_number(worker->service->durable, number);
        if (state == TD_DURABLE_PENDING) break;
        settle_first(worker, state);
        is_any = true;
    }
    return is_any;
}

static void settle_first(td_http_worker *worker, td_durable_state state)
{
    td_http_request *request = worker->unsettled.first;
    request->is_revoked = state == TD_DURABLE_FAILING;
    td_http__wait_no_more(request);
}
