/* SPDX-License-Identifier: Apache-2.0
 * connection.c: connections and how long they may stay in each phase.
 *
 * Invariants: a connection stands in the queue of its phase, at the end when it entered; deadline_timer fires no later
 * than the first deadline of all queues. It may fire earlier, since entering a phase moves no timer that is set: at
 * most once a timeout, for nothing.
 * A client that sends a byte now and then does not extend its time: only a new phase does. */
#include "http_private.h"

#include <sys/socket.h>

#include "thermodyn/memory.h"

static void unlink_from_queue(td_http_connection *connection);
static void set_deadline(td_http_worker *worker, uint64_t at_ms);
static void fire(uv_timer_t *timer);

void td_http__connection_notify(void *cls, struct MHD_Connection *mhd, void **context,
                                enum MHD_ConnectionNotificationCode code)
{
    td_http_worker *worker = cls;
    td_http_connection *connection = *context;
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        connection = td_alloc_zero(sizeof(*connection));
        *context = connection;
        if (connection == NULL) return; /* its first request is refused */
        connection->worker = worker;
        connection->fd = MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
        connection->pace_place = td_http__pace_place(worker, mhd);
        connection->phase = TD_HTTP_PHASE_COUNT;
        td_http__connection_enter(connection, TD_HTTP_WAITING);
        worker->connection_count++;
        td_metrics_count_connection(worker->recorder, 1);
    } else if (connection != NULL) {
        if (connection->request != NULL) td_http__request_release(connection->request);
        unlink_from_queue(connection);
        TD_ASSERT(worker->connection_count > 0);
        worker->connection_count--;
        td_metrics_count_connection(worker->recorder, -1);
        td_free(connection);
        *context = NULL;
    }
}

td_http_connection *td_http__connection_of(struct MHD_Connection *mhd)
{
    return MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
}

void td_http__connection_enter(td_http_connection *connection, td_http_phase phase)
{
    td_http_worker *worker = connection->worker;
    unlink_from_queue(connection);
    td_http_queue *queue = &worker->queues[phase];
    connection->phase = phase;
    connection->since_ms = uv_now(&worker->loop);
    connection->previous = queue->last;
    connection->next = NULL;
    if (queue->last == NULL) {
        queue->first = connection;
    } else {
        queue->last->next = connection;
    }
    queue->last = connection;
    set_deadline(worker, connection->since_ms + worker->timeouts_ms[phase]);
}

void td_http__connections_expire(td_http_worker *worker)
{
    uint64_t now_ms = uv_now(&worker->loop);
    worker->deadline_at_ms = UINT64_MAX;
    for (int phase = 0; phase < TD_HTTP_PHASE_COUNT; phase++) {
        td_http_queue *queue = &worker->queues[phase];
        while (queue->first != NULL && queue->first->since_ms + worker->timeouts_ms[phase] <= now_ms) {
            td_http_connection *late = queue->first;
            unlink_from_queue(late);
            shutdown(late->fd, SHUT_RDWR);
        }
        if (queue->first != NULL) set_deadline(worker, queue->first->since_ms + worker->timeouts_ms[phase]);
    }
}

void td_http__connections_shut(td_http_worker *worker, td_http_phase phase)
{
    while (worker->queues[phase].first != NULL) {
        td_http_connection *connection = worker->queues[phase].first;
        unlink_from_queue(connection);
        shutdown(connection->fd, SHUT_RDWR);
    }
}

static void unlink_from_queue(td_http_connection *connection)
{
    if (connection->phase == TD_HTTP_PHASE_COUNT) return;
    td_http_queue *queue = &connection->worker->queues[connection->phase];
    if (connection->previous == NULL) {
        queue->first = connection->next;
    } else {
        connection->previous->next = connection->next;
    }
    if (connection->next == NULL) {
        queue->last = connection->previous;
    } else {
        connection->next->previous = connection->previous;
    }
    connection->previous = connection->next = NULL;
    connection->phase = TD_HTTP_PHASE_COUNT;
}

static void set_deadline(td_http_worker *worker, uint64_t at_ms)
{
    if (at_ms >= worker->deadline_at_ms || worker->is_stopping) return;
    uint64_t now_ms = uv_now(&worker->loop);
    worker->deadline_at_ms = at_ms;
    uv_timer_start(&worker->deadline_timer, fire, at_ms > now_ms ? at_ms - now_ms : 0, 0);
}

static void fire(uv_timer_t *timer) { td_http__connections_expire(timer->data); }
