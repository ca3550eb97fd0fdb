/* SPDX-License-Identifier: Apache-2.0
 * delay.c: how late the loops are: a signal to each worker, and how long it takes until that worker hears it, which is
 * what a request that comes at the same moment waits. Measured once a second while there are requests (wakeup.c): a
 * server without work stays asleep, and a request pays nothing for it.
 * Threads: td_http__measure_delay on the first worker's; the rest on each worker's own. */
#include "http_private.h"

#include "thermodyn/clock.h"

static void hear(uv_async_t *signal);

bool td_http__delay_init(td_http_worker *worker)
{
    worker->delay_signal.data = worker;
    atomic_store(&worker->delay_sent_us, 0);
    return uv_async_init(&worker->loop, &worker->delay_signal, hear) == 0;
}

/* Once the server stops, the others' handles may be closed. A worker that has not heard the signal before is measured
 * from that one on. */
void td_http__measure_delay(td_server *server)
{
    if (server->workers[0].is_stopping) return;
    for (uint32_t i = 0; i < server->worker_count; i++) {
        td_http_worker *worker = &server->workers[i];
        int64_t heard = 0;
        if (!atomic_compare_exchange_strong(&worker->delay_sent_us, &heard, td_monotonic_us())) continue;
        uv_async_send(&worker->delay_signal);
    }
}

static void hear(uv_async_t *signal)
{
    td_http_worker *worker = signal->data;
    int64_t sent_us = atomic_exchange(&worker->delay_sent_us, 0);
    if (sent_us > 0) td_metrics_record_loop_delay(worker->recorder, td_monotonic_us() - sent_us);
}
