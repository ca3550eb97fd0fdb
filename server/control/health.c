/* SPDX-License-Identifier: Apache-2.0
 * health.c: GET /_thermodyn/health: what an image's health check asks. A server that answers has started. */
#include "control_private.h"

int td_control__get_health(td_control_call *call)
{
    const td_service *service = call->service;
    td_json_node *root = call->answer->root;
    int64_t uptime_us = td_monotonic_us() - service->started_monotonic_us;
    td_json_put_text(call->answer, root, "status", TD_LIT("ok"));
    td_json_put_text(call->answer, root, "version", TD_LIT(TD_VERSION));
    td_json_put_int(call->answer, root, "uptime_ms", uptime_us / TD_US_PER_MS);
    td_json_put_int(call->answer, root, "tables", (int64_t)td_store_table_count(service->store));
    return 200;
}
