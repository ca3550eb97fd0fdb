/* SPDX-License-Identifier: Apache-2.0
 * idle.c: a server without requests gives unused memory back to the system, so that one whose tables were dropped is
 * as small as it was at its start.
 *
 * Each worker frees what it keeps for its next requests, and what the allocator keeps for its thread; the pages that
 * hold nothing then go.
 * Threads: td_http__idle on the first worker's; the rest on each worker's own. */
#include "http_private.h"

#include "thermodyn/memory.h"

static void give_back_by_signal(uv_async_t *signal);
static void give_back(td_http_worker *worker);
static void free_and_end(void *blocks);

void td_http__idle(td_server *server)
{
    give_back(&server->workers[0]);
    for (uint32_t i = 1; i < server->worker_count; i++)
        uv_async_send(&server->workers[i].idle_signal);
}

bool td_http__idle_init(td_http_worker *worker)
{
    worker->idle_signal.data = worker;
    return uv_async_init(&worker->loop, &worker->idle_signal, give_back_by_signal) == 0;
}

static void give_back_by_signal(uv_async_t *signal)
{
    td_http_worker *worker = signal->data;
    if (!worker->is_stopping) give_back(worker);
}

static void give_back(td_http_worker *worker)
{
    td_http__requests_free(worker);
    td_memory_cached *blocks = td_memory_take_cached();
    uv_thread_t thread;
    if (uv_thread_create(&thread, free_and_end, blocks) == 0)
        uv_thread_join(&thread);
    else
        td_memory_free_cached(blocks); /* they stay this thread's */
    td_memory_give_back();
}

static void free_and_end(void *blocks) { td_memory_free_cached(blocks); }
