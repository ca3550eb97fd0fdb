/* SPDX-License-Identifier: Apache-2.0
 * capacity.c: GET and PATCH /_thermodyn/capacity: the settings of the emulation, for the server or for one table.
 * The preset unit-test also stops the clock.
 * Not here: what the members are (base/capacity_doc.c). */
#include "control_private.h"

#include <stdio.h>

#include "base/capacity_doc.h"

#include "parameters.h"

/* What a PATCH asks for. */
typedef struct change {
    td_capacity_patch patch;
    td_slice table;
    td_slice preset;
} change;

static int write_settings(td_control_call *call, td_slice table);
static void write_policy(td_control_call *call, const td_exception_policy *policy);
static int read_change(td_control_call *call, change *ret_change);
static int read_member(td_control_call *call, const td_json_node *node, change *wanted);

int td_control__get_capacity(td_control_call *call)
{
    td_control_parameter given[] = {{.name = "table"}};
    int status = td_control__read_parameters(call, given, TD_COUNT_OF(given));
    return status == 200 ? write_settings(call, given[0].value) : status;
}

int td_control__patch_capacity(td_control_call *call)
{
    change wanted = {.patch = {.has_enforce = false}};
    int status = read_change(call, &wanted);
    if (status != 200) return status;
    td_call engine = td_control__engine_call(call, wanted.table);
    if (!td_store_patch_capacity(engine.store, engine.now_us, engine.scope, wanted.table, &wanted.patch)) {
        return td_control__unknown_table(call, wanted.table);
    }
    if (td_slice_equal(wanted.preset, TD_LIT("unit-test")) && wanted.table.len == 0) {
        td_clock_set_manual(call->service->clock);
    }
    return write_settings(call, wanted.table);
}

static int write_settings(td_control_call *call, td_slice table)
{
    td_capacity_settings settings;
    if (!td_store_get_capacity(call->service->store, call->scope, table, &settings)) {
        return td_control__unknown_table(call, table);
    }
    td_json_node *root = call->answer->root;
    if (table.len > 0) td_json_put_text(call->answer, root, "table", table);
    td_json_put_text(call->answer, root, "enforce", td_slice_of_cstr(td_enforce_names[settings.enforce]));
    td_json_put_text(call->answer, root, "era", td_slice_of_cstr(td_era_names[settings.era]));
    for (size_t i = 0; i < TD_CAPACITY_SETTING_COUNT; i++) {
        td_json_put_number(call->answer, root, td_capacity_rows[i].name, settings.values[i]);
    }
    write_policy(call, &settings.policy);
    char seed[24]; /* as a text: not every seed is a JSON number that keeps its digits */
    snprintf(seed, sizeof(seed), "%llu", (unsigned long long)td_store_get_seed(call->service->store));
    td_json_put_text(call->answer, root, "rng_seed", td_slice_of_cstr(seed));
    return 200;
}

/* Every cell with the exception in force: {"TableReadKeyRangeThroughputExceeded/PROVISIONED":"…Exception", …}. */
static void write_policy(td_control_call *call, const td_exception_policy *policy)
{
    td_json_node *object = td_json_put_object(call->answer, call->answer->root, "exception_policy");
    for (uint32_t cell = 0; cell < TD_POLICY_CELL_COUNT; cell++) {
        td_policy_row row;
        if (!td_policy_get_row(policy, cell, &row)) continue;
        char name[64];
        int len = snprintf(name, sizeof(name), "%s/%s", row.reason, row.billing);
        TD_ASSERT(len > 0 && (size_t)len < sizeof(name));
        td_json_put_text(call->answer, object, name, td_slice_of_cstr(row.answer));
    }
}

static int read_change(td_control_call *call, change *ret_change)
{
    change wanted = {.patch = {.has_enforce = false}};
    char sentence[TD_CAPACITY_DOC_SENTENCE_BYTES];
    if (call->body != NULL && !td_capacity_doc_read_preset(call->body, &wanted.patch, &wanted.preset, sentence)) {
        return td_control__refuse(call, 400, "%s", sentence);
    }
    int status = 200;
    const td_json_node *node = call->body == NULL ? NULL : td_json_node_first(call->body);
    for (; node != NULL && status == 200; node = td_json_node_next(node)) {
        status = read_member(call, node, &wanted);
    }
    if (status == 200) *ret_change = wanted;
    return status;
}

static int read_member(td_control_call *call, const td_json_node *node, change *wanted)
{
    td_slice name = td_json_node_name(node);
    if (td_slice_equal(name, TD_LIT("rng_seed"))) {
        return td_control__refuse(call, 400, "\"rng_seed\" is set when the server starts: --seed");
    }
    if (td_slice_equal(name, TD_LIT("table"))) {
        if (td_json_node_get_type(node) != TD_JSON_NODE_TEXT || td_json_node_text(node).len == 0) {
            return td_control__refuse(call, 400, "\"table\" must be a table's name");
        }
        wanted->table = td_json_node_text(node);
        return 200;
    }
    char sentence[TD_CAPACITY_DOC_SENTENCE_BYTES] = "";
    switch (td_capacity_doc_read_member(node, &wanted->patch, sentence)) {
    case TD_CAPACITY_DOC_TAKEN: return 200;
    case TD_CAPACITY_DOC_WRONG: return td_control__refuse(call, 400, "%s", sentence);
    case TD_CAPACITY_DOC_UNKNOWN: break;
    }
    return td_control__refuse(call, 400, "unknown member \"%.*s\"", TD_SHOWN(name));
}
