/* SPDX-License-Identifier: Apache-2.0
 * metrics.c: GET /metrics for Prometheus.
 * It answers to any Host: it says less than the API itself does, and Prometheus often knows the server by a name that
 * the server does not know.
 * Not here: what is told (server/control/prometheus.c). */
#include "http_private.h"

#include "control/prometheus.h"

enum MHD_Result td_http__answer_metrics(td_http_request *request)
{
    td_http_answer answer = {.status = MHD_HTTP_OK, .content_type = TD_PROMETHEUS_TYPE, .is_control = true};
    if (td_prometheus_write(request->worker->service, &request->arena, &request->reply)) {
        answer.body = td_buf_contents(&request->reply);
    } else {
        answer.status = MHD_HTTP_INTERNAL_SERVER_ERROR;
        answer.content_type = "text/plain";
        answer.body = TD_LIT("out of memory: see --metrics-tables\n");
    }
    return td_http__answer(request, &answer);
}
