/* SPDX-License-Identifier: Apache-2.0
 * health.c: GET /_thermodyn/health: what an image's health check asks. A server that
 * answers has started; with a data directory it also says whether it is loaded, and can be written. */
#include "control_private.h"

#include "durable/durable.h"

static void put_durability(td_control_call *call, const td_durable_view *view);

int td_control__get_health(td_control_call *call)
{
    const td_service *service = call->service;
    td_json_node *root = call->answer->root;
    int64_t uptime_us = td_monotonic_us() - service->started_monotonic_us;
    td_durable_view view = {.is_ready = true};
    if (service->durable != NULL) view = td_durable_get_view(service->durable);
    td_slice status = !view.is_ready ? TD_LIT("loading") : view.error != 0 ? TD_LIT("degraded") : TD_LIT("ok");
    td_json_put_text(call->answer, root, "status", status);
    td_json_put_text(call->answer, root, "version", TD_LIT(TD_VERSION));
    td_json_put_int(call->answer, root, "uptime_ms", uptime_us / TD_US_PER_MS);
    if (view.is_ready) td_json_put_int(call->answer, root, "tables", (int64_t)td_store_table_count(service->store));
    if (service->durable != NULL) put_durability(call, &view);
    return view.is_ready ? 200 : 503;
}

static void put_durability(td_control_call *call, const td_durable_view *view)
{
    td_json_build *answer = call->answer;
    td_json_node *node = td_json_put_object(answer, answer->root, "durability");
    td_slice state = !view->is_ready ? TD_LIT("loading") : view->error != 0 ? TD_LIT("lagging") : TD_LIT("ok");
    if (view->is_failing) state = TD_LIT("failing");
    td_json_put_text(answer, node, "mode", view->is_async ? TD_LIT("async") : TD_LIT("sync"));
    td_json_put_text(answer, node, "state", state);
    if (view->error != 0) td_json_put_text(answer, node, "error", td_slice_of_cstr(td_disk_error(view->error)));
    if (!view->is_ready) {
        td_json_put_int(answer, node, "loaded", (int64_t)view->loaded);
        td_json_put_int(answer, node, "to_load", (int64_t)view->to_load);
        return;
    }
    td_json_put_int(answer, node, "pending", (int64_t)view->pending);
    td_json_put_int(answer, node, "commits", (int64_t)view->commits);
    td_json_put_int(answer, node, "failures", (int64_t)view->failures);
    td_json_put_int(answer, node, "disk_bytes", (int64_t)view->disk_bytes);
}
