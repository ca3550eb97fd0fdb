/* SPDX-License-Identifier: Apache-2.0
 * reset.c: POST /_thermodyn/reset: what a test suite calls between tests. Without members everything goes back to
 * what the server was started with: its fixtures and no other tables, its capacity settings, its clock, its fault
 * rules; {"tables":[…]} drops those alone. */
#include "control_private.h"

#include "init/init.h"

#define SENTENCE_BYTES_MAX ((size_t)16 * 1024)
#define SHOWN_BYTES_MAX 500

static int drop_named(td_control_call *call, const td_json_node *names);
static void reset_all(td_service *service);
static int load_fixtures(td_control_call *call);

int td_control__reset(td_control_call *call)
{
    td_control_member members[] = {{"tables", TD_JSON_NODE_ARRAY, NULL}};
    int status = td_control__read_members(call, members, TD_COUNT_OF(members));
    if (status != 200) return status;
    uint64_t before = td_store_table_count(call->service->store);
    if (members[0].node == NULL) {
        reset_all(call->service);
    } else {
        status = drop_named(call, members[0].node);
    }
    uint64_t after = td_store_table_count(call->service->store);
    td_json_put_int(call->answer, call->answer->root, "dropped", before > after ? (int64_t)(before - after) : 0);
    return members[0].node == NULL ? load_fixtures(call) : status;
}

/* All names are checked before one table is dropped. */
static int drop_named(td_control_call *call, const td_json_node *names)
{
    const td_json_node *name = td_json_node_first(names);
    for (; name != NULL; name = td_json_node_next(name)) {
        if (td_json_node_get_type(name) != TD_JSON_NODE_TEXT) {
            return td_control__refuse(call, 400, "\"tables\" must be a list of table names");
        }
    }
    for (name = td_json_node_first(names); name != NULL; name = td_json_node_next(name)) {
        td_store_drop(call->service->store, call->scope, td_json_node_text(name));
    }
    return 200;
}

static void reset_all(td_service *service)
{
    td_faults_reset(service->faults);
    td_store_drop_all(service->store);
    if (service->metrics != NULL) td_metrics_reset(service->metrics); /* the clock may go back */
    td_clock_reset(service->clock);
    if (service->config->preset == TD_PRESET_UNIT_TEST) td_clock_set_manual(service->clock);
    td_store_reset_settings(service->store, td_clock_now(service->clock));
}

/* All of them or none: files may have changed since the start. */
static int load_fixtures(td_control_call *call)
{
    td_buf says;
    td_buf_init(&says, SENTENCE_BYTES_MAX);
    td_init_loaded loaded;
    int status = 200;
    if (!td_init_load(call->service, &loaded, &says)) {
        td_store_drop_all(call->service->store);
        size_t len = says.len < SHOWN_BYTES_MAX ? says.len : SHOWN_BYTES_MAX;
        while (len > 0 && len < says.len && (says.data[len] & 0xC0) == 0x80)
            len--; /* between characters */
        status = td_control__refuse(call, 409, "there are no fixtures now: %.*s", (int)len,
                                    (const char *)says.data);
    }
    td_buf_done(&says);
    return status;
}
