/* SPDX-License-Identifier: Apache-2.0
 * worker.c: one libuv loop that drives one libmicrohttpd daemon in external epoll mode (decision D4).
 * libmicrohttpd's epoll descriptor is watched as a whole, and it is run when that is readable; after every run it says
 * when it wants to be run again. Time limits are ours (connection.c): its own start anew with every byte.
 *
 * Stopping: no new connections; connections without a request are shut at once; pages in slices and requests with
 * large bodies are finished, and answers that are held back are let go; what is half received has RECEIVING_GRACE_MS to
 * become whole, an answer ANSWERING_GRACE_MS to be taken. */
#include "http_private.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "durable/durable.h"
#include "thermodyn/limits.h"

#define RUNS_PER_WAKE_MAX 16
#define ASKED_WAIT_MS 1
/* For the headers of a request and its answer, and for a body in pieces. libmicrohttpd clears it at every request,
 * which at its default of 32 KiB took a tenth of a GetItem; an SDK's headers take one or two. */
#define CONNECTION_BYTES (16 * 1024)
#define RECEIVING_GRACE_MS 500
#define ANSWERING_GRACE_MS 5000

static bool start_daemon(td_http_worker *worker, int listen_fd);
static void log_daemon(void *cls, const char *format, va_list args) TD_PRINTF(2, 0);
static void wake(uv_poll_t *poll, int status, int events);
static void wake_by_timer(uv_timer_t *timer);
static void stop_by_signal(uv_async_t *signal);
static void continue_stop(uv_timer_t *timer);
static void close_when_empty(td_http_worker *worker);

bool td_http__worker_init(td_http_worker *worker, td_server *server, int listen_fd, uint64_t seed)
{
    const td_config *config = server->service->config;
    uint64_t request_timeout_ms = (uint64_t)config->request_timeout * 1000;
    worker->server = server;
    worker->service = server->service;
    worker->recorder = td_metrics_get_recorder(server->service->metrics, (uint32_t)(worker - server->workers));
    worker->timeouts_ms[TD_HTTP_WAITING] = (uint64_t)config->idle_timeout * 1000;
    worker->timeouts_ms[TD_HTTP_RECEIVING] = request_timeout_ms;
    worker->timeouts_ms[TD_HTTP_HELD] = TD_LIMIT_FAULT_LATENCY_MS_MAX + request_timeout_ms;
    worker->timeouts_ms[TD_HTTP_ANSWERING] = request_timeout_ms;
    worker->body_bytes_max = (size_t)config->body_memory * 1024 * 1024 / server->worker_count;
    worker->deadline_at_ms = UINT64_MAX;
    td_rng_init(&worker->rng, seed);
    worker->holds = td_heap_new();
    if (!td_http__pace_init(worker) || worker->holds == NULL || uv_loop_init(&worker->loop) != 0) return false;
    if (!start_daemon(worker, listen_fd)) {
        uv_loop_close(&worker->loop);
        return false;
    }
    uv_timer_init(&worker->loop, &worker->pump_timer);
    uv_timer_init(&worker->loop, &worker->deadline_timer);
    uv_timer_init(&worker->loop, &worker->hold_timer);
    td_http__slices_init(worker);
    td_http__heavy_init(worker);
    worker->pump_timer.data = worker->deadline_timer.data = worker->hold_timer.data = worker;
    worker->poll.data = worker->stop_signal.data = worker;
    int epoll_fd = MHD_get_daemon_info(worker->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
    /* Handles that could not be made leave a loop that does not close; the process is about to end then. */
    return uv_async_init(&worker->loop, &worker->stop_signal, stop_by_signal) == 0 &&
           td_http__idle_init(worker) && td_http__delay_init(worker) && td_http__settling_init(worker) &&
           uv_poll_init(&worker->loop, &worker->poll, epoll_fd) == 0 &&
           uv_poll_start(&worker->poll, UV_READABLE, wake) == 0;
}

void td_http__worker_run(td_http_worker *worker) { uv_run(&worker->loop, UV_RUN_DEFAULT); }

void td_http__worker_done(td_http_worker *worker)
{
    TD_ASSERT(worker->is_closed);
    td_http__requests_free(worker);
    td_heap_free(worker->holds);
    td_http__pace_done(worker);
    int status = uv_loop_close(&worker->loop);
    TD_ASSERT(status == 0);
}

void td_http__worker_stop(td_http_worker *worker)
{
    if (worker->is_stopping) return;
    worker->is_stopping = true;
    worker->stop_since_ms = uv_now(&worker->loop);
    int listen_fd = MHD_quiesce_daemon(worker->daemon);
    if (listen_fd != MHD_INVALID_SOCKET) close(listen_fd);
    MHD_run(worker->daemon); /* what has arrived is still a request */
    td_http__connections_shut(worker, TD_HTTP_WAITING);
    td_http__slices_end(worker);
    td_http__holds_end(worker);
    uv_timer_start(&worker->deadline_timer, continue_stop, RECEIVING_GRACE_MS, 0);
    td_http__worker_pump(worker);
}

static bool start_daemon(td_http_worker *worker, int listen_fd)
{
    td_server *server = worker->server;
    uint32_t worker_count = server->worker_count;
    unsigned flags = MHD_USE_EPOLL | MHD_USE_ERROR_LOG | MHD_ALLOW_SUSPEND_RESUME;
    struct MHD_OptionItem tls[] = {{MHD_OPTION_HTTPS_MEM_CERT, 0, server->tls.certificate.data},
                                   {MHD_OPTION_HTTPS_MEM_KEY, 0, server->tls.key.data},
                                   {MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)(uintptr_t)TD_TLS_PRIORITIES},
                                   {MHD_OPTION_END, 0, NULL}};
    if (server->has_tls)
        flags |= MHD_USE_TLS;
    else
        tls[0] = tls[TD_COUNT_OF(tls) - 1];
    worker->connections_max = (td_http__connections_max(worker->service) + worker_count - 1) / worker_count;
    uint32_t from_one = (uint32_t)worker->service->config->max_connections_per_address;
    worker->daemon = MHD_start_daemon(flags, 0, NULL, NULL, td_http__request_handle, worker,
                                      MHD_OPTION_EXTERNAL_LOGGER, log_daemon, worker,
                                      MHD_OPTION_LISTEN_SOCKET, listen_fd,
                                      MHD_OPTION_CONNECTION_LIMIT, worker->connections_max,
                                      MHD_OPTION_PER_IP_CONNECTION_LIMIT, (from_one + worker_count - 1) / worker_count,
                                      MHD_OPTION_CONNECTION_TIMEOUT, 0U,
                                      MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_BYTES,
                                      MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1,
                                      MHD_OPTION_URI_LOG_CALLBACK, td_http__request_begin, worker,
                                      MHD_OPTION_NOTIFY_COMPLETED, td_http__request_complete, worker,
                                      MHD_OPTION_NOTIFY_CONNECTION, td_http__connection_notify, worker,
                                      MHD_OPTION_ARRAY, tls,
                                      MHD_OPTION_END);
    return worker->daemon != NULL;
}

static void log_daemon(void *cls, const char *format, va_list args)
{
    td_http_worker *worker = cls;
    if (!td_log_is_on(worker->service->log, TD_LOG_DEBUG)) return;
    char text[256];
    int len = vsnprintf(text, sizeof(text), format, args);
    size_t shown = len < 0 ? 0 : (size_t)len < sizeof(text) ? (size_t)len : sizeof(text) - 1;
    while (shown > 0 && text[shown - 1] == '\n') {
        shown--;
    }
    TD_LOG(worker->service->log, TD_LOG_DEBUG, "connection", TD_LOG_TEXT("about", td_slice_of(text, shown)));
}

static void wake(uv_poll_t *poll, int status, int events)
{
    (void)status;
    (void)events;
    td_http__worker_pump(poll->data);
}

static void wake_by_timer(uv_timer_t *timer) { td_http__worker_pump(timer->data); }

/* Or until it has had its share of the loop. While answers wait for the disk it always wants another run: it gets one
 * for bodies that come in pieces, and some for what cannot be seen, a head or an answer in pieces. */
void td_http__worker_pump(td_http_worker *worker)
{
    MHD_UNSIGNED_LONG_LONG wait_ms = 0;
    bool wants_time = true;
    for (int runs = 0; runs < RUNS_PER_WAKE_MAX && wants_time && wait_ms == 0; runs++) {
        bool was_full = worker->connection_count >= worker->connections_max;
        worker->part_count = 0;
        MHD_run(worker->daemon);
        wants_time = MHD_get_timeout(worker->daemon, &wait_ms) == MHD_YES;
        if (worker->asked_count > 0 && worker->part_count == 0 && wants_time && wait_ms == 0) wait_ms = ASKED_WAIT_MS;
        if (was_full && worker->connection_count < worker->connections_max) { /* only another run listens again */
            wants_time = true;
            wait_ms = 0;
        }
    }
    if (wants_time) {
        uv_timer_start(&worker->pump_timer, wake_by_timer, wait_ms, 0);
    } else if (uv_is_active((uv_handle_t *)&worker->pump_timer)) {
        uv_timer_stop(&worker->pump_timer);
    }
    if (worker->has_traffic || worker->has_control) {
        if (worker->service->durable != NULL) td_durable_touch(worker->service->durable);
        td_http__wakeup_notice(&worker->server->wakeup, worker->has_traffic, worker->has_control);
        worker->has_traffic = worker->has_control = false;
    }
    if (worker->is_stopping) close_when_empty(worker);
}

static void stop_by_signal(uv_async_t *signal) { td_http__worker_stop(signal->data); }

/* The graces of a stop, one after the other. */
static void continue_stop(uv_timer_t *timer)
{
    td_http_worker *worker = timer->data;
    uint64_t passed_ms = uv_now(&worker->loop) - worker->stop_since_ms;
    td_http__connections_shut(worker, TD_HTTP_WAITING);
    td_http__connections_shut(worker, TD_HTTP_RECEIVING);
    if (passed_ms < ANSWERING_GRACE_MS) {
        uv_timer_start(timer, continue_stop, ANSWERING_GRACE_MS - passed_ms, 0);
    } else {
        td_http__connections_shut(worker, TD_HTTP_ANSWERING);
    }
    td_http__worker_pump(worker);
}

/* The last connection is gone: the daemon ends, and with its handles the loop. */
static void close_when_empty(td_http_worker *worker)
{
    uint64_t passed_ms = uv_now(&worker->loop) - worker->stop_since_ms;
    if (worker->is_closed || worker->heavy.first != NULL) return;
    if (worker->connection_count > 0 && passed_ms < ANSWERING_GRACE_MS) return;
    worker->is_closed = true;
    td_http__settling_end(worker);
    uv_close((uv_handle_t *)&worker->poll, NULL);
    uv_close((uv_handle_t *)&worker->pump_timer, NULL);
    uv_close((uv_handle_t *)&worker->deadline_timer, NULL);
    uv_close((uv_handle_t *)&worker->hold_timer, NULL);
    uv_close((uv_handle_t *)&worker->slice_turn, NULL);
    uv_close((uv_handle_t *)&worker->stop_signal, NULL);
    uv_close((uv_handle_t *)&worker->idle_signal, NULL);
    uv_close((uv_handle_t *)&worker->delay_signal, NULL);
    uv_close((uv_handle_t *)&worker->settled_signal, NULL);
    MHD_stop_daemon(worker->daemon);
    worker->daemon = NULL;
}
