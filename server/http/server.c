/* SPDX-License-Identifier: Apache-2.0
 * server.c: workers, signals, start and orderly stop.
 * The first worker runs on the caller's thread and is the one that hears signals; it tells the others. After the first
 * signal the system's own handling is back, so that a second one ends the process at once. */
#include "server.h"
#include "http_private.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "durable/durable.h"
#include "thermodyn/memory.h"

static const int stop_signals[] = {SIGTERM, SIGINT, SIGHUP};

static void hold_signals(td_server *server);
static void release_signals(td_server *server);
static bool start_workers(td_server *server);
static bool watch_signals(td_server *server);
static void stop_by_signal(uv_signal_t *signal, int number);
static void run_thread(void *worker);

td_server *td_server_new(td_service *service, char reterr_sentence[TD_SERVER_ERROR_BYTES])
{
    td_server *server = td_alloc_zero(sizeof(*server));
    if (server != NULL) {
        server->service = service;
        pthread_mutex_init(&server->watch_lock, NULL);
        server->worker_count = (uint32_t)service->config->threads;
        server->workers = td_alloc_zero(server->worker_count * sizeof(*server->workers));
        server->listen_fds = td_alloc_zero(server->worker_count * sizeof(*server->listen_fds));
    }
    if (server == NULL || server->workers == NULL || server->listen_fds == NULL) {
        snprintf(reterr_sentence, TD_SERVER_ERROR_BYTES, "out of memory");
        td_server_free(server);
        return NULL;
    }
    for (uint32_t i = 0; i < server->worker_count; i++) {
        server->listen_fds[i] = -1;
    }
    server->has_tls = td_tls_is_wanted(service->config);
    bool can_serve =
        !server->has_tls || td_tls_init(&server->tls, service->config, reterr_sentence, TD_SERVER_ERROR_BYTES);
    hold_signals(server);
    if (!can_serve || !td_http__listen(server, reterr_sentence)) {
        td_server_free(server);
        return NULL;
    }
    return server;
}

void td_server_free(td_server *server)
{
    if (server == NULL) return;
    release_signals(server);
    for (uint32_t i = 0; server->listen_fds != NULL && i < server->worker_count; i++) {
        if (server->listen_fds[i] >= 0) close(server->listen_fds[i]);
    }
    if (server->has_tls) td_tls_done(&server->tls);
    td_free(server->listen_fds);
    td_free(server->workers);
    pthread_mutex_destroy(&server->watch_lock);
    td_free(server);
}

int td_server_get_port(const td_server *server) { return server->port; }
const char *td_server_get_url(const td_server *server) { return server->url; }

const char *td_server_get_fingerprint(const td_server *server)
{
    return server->has_tls ? server->tls.fingerprint : NULL;
}

bool td_server_run(td_server *server, bool (*serves)(void *context), void *context,
                   char reterr_sentence[TD_SERVER_ERROR_BYTES])
{
    td_http_worker *first = &server->workers[0];
    if (!start_workers(server) || !td_http__wakeup_init(&server->wakeup, first) ||
        !watch_signals(server)) {
        snprintf(reterr_sentence, TD_SERVER_ERROR_BYTES, "the event loop cannot start: the system refuses resources");
        return false;
    }
    td_durable *durable = server->service->durable;
    if (durable != NULL) td_durable_set_watch(durable, (td_durable_watch){td_http__disk_told, server});
    bool is_started = durable == NULL ? serves(context) : td_durable_start(durable, serves, context);
    if (!is_started) {
        snprintf(reterr_sentence, TD_SERVER_ERROR_BYTES, "the server cannot start: the system refuses resources");
        for (uint32_t i = 0; i < server->worker_count; i++)
            td_http__worker_stop(&server->workers[i]); /* none of their threads runs yet */
    }
    release_signals(server);
    for (uint32_t i = 1; i < server->worker_count; i++) {
        int status = uv_thread_create(&server->workers[i].thread, run_thread, &server->workers[i]);
        TD_ASSERT(status == 0);
    }
    td_http__worker_run(first);
    for (uint32_t i = 1; i < server->worker_count; i++) {
        uv_thread_join(&server->workers[i].thread);
        td_http__worker_done(&server->workers[i]);
    }
    td_http__wakeup_close(&server->wakeup);
    for (size_t i = 0; i < TD_COUNT_OF(server->signals); i++) {
        uv_close((uv_handle_t *)&server->signals[i], NULL);
    }
    if (durable != NULL) td_durable_stop(durable);
    td_http__worker_run(first); /* lets the last handles close */
    td_http__worker_done(first);
    td_http__wakeup_done(&server->wakeup);
    return is_started;
}

/* A signal that comes between "listening" and the loop waits for the loop: it stops the server in order too. */
static void hold_signals(td_server *server)
{
    sigset_t held;
    sigemptyset(&held);
    for (size_t i = 0; i < TD_COUNT_OF(stop_signals); i++) {
        sigaddset(&held, stop_signals[i]);
    }
    server->holds_signals = pthread_sigmask(SIG_BLOCK, &held, &server->mask_before) == 0;
}

static void release_signals(td_server *server)
{
    if (server->holds_signals) pthread_sigmask(SIG_SETMASK, &server->mask_before, NULL);
    server->holds_signals = false;
}

static bool start_workers(td_server *server)
{
    uint64_t seed = server->service->config->seed != 0 ? (uint64_t)server->service->config->seed : td_rng_system_seed();
    for (uint32_t i = 0; i < server->worker_count; i++) {
        if (!td_http__worker_init(&server->workers[i], server, server->listen_fds[i], seed + i)) return false;
        server->listen_fds[i] = -1; /* the daemon's now */
    }
    return true;
}

/* A hang-up ends the server with its terminal, unless nohup asked for the opposite. */
static bool watch_signals(td_server *server)
{
    signal(SIGPIPE, SIG_IGN);
    for (size_t i = 0; i < TD_COUNT_OF(stop_signals); i++) {
        if (uv_signal_init(&server->workers[0].loop, &server->signals[i]) != 0) return false;
        server->signals[i].data = server;
        uv_unref((uv_handle_t *)&server->signals[i]);
        struct sigaction now;
        bool is_ignored = sigaction(stop_signals[i], NULL, &now) == 0 && now.sa_handler == SIG_IGN;
        if (stop_signals[i] == SIGHUP && is_ignored) continue;
        if (uv_signal_start(&server->signals[i], stop_by_signal, stop_signals[i]) != 0) return false;
    }
    return true;
}

static void stop_by_signal(uv_signal_t *handle, int number)
{
    td_server *server = handle->data;
    TD_LOG(server->service->log, TD_LOG_INFO, "stopping", TD_LOG_NUMBER("signal", number));
    for (size_t i = 0; i < TD_COUNT_OF(server->signals); i++) {
        uv_signal_stop(&server->signals[i]);
    }
    for (uint32_t i = 1; i < server->worker_count; i++) {
        uv_async_send(&server->workers[i].stop_signal);
    }
    td_http__worker_stop(&server->workers[0]);
}

static void run_thread(void *worker) { td_http__worker_run(worker); }
