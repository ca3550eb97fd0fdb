/* SPDX-License-Identifier: Apache-2.0
 * line.c: requests that wait, in the order in which they came: for their turn (slice.c), for the other thread
 * (heavy.c), for the disk (settle.c).
 *
 * Invariants: a request stands in one line at most, which it names; its connection is in the phase HELD, unless it is
 *             being shut.
 * Threads: the worker's. */
#include "http_private.h"

void td_http__line_join(td_http_line *line, td_http_request *request)
{
    TD_ASSERT(request->line == NULL);
    request->line = line;
    request->has_waited = true;
    request->before = line->last;
    request->behind = NULL;
    if (line->last == NULL)
        line->first = request;
    else
        line->last->behind = request;
    line->last = request;
    if (request->connection->phase != TD_HTTP_PHASE_COUNT) {
        td_http__connection_enter(request->connection, TD_HTTP_HELD);
    }
}

void td_http__line_leave(td_http_request *request)
{
    td_http_line *line = request->line;
    TD_ASSERT(line != NULL);
    request->line = NULL;
    if (request->before == NULL)
        line->first = request->behind;
    else
        request->before->behind = request->behind;
    if (request->behind == NULL)
        line->last = request->before;
    else
        request->behind->before = request->before;
}
