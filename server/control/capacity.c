/* SPDX-License-Identifier: MIT
 * capacity.c: GET and PATCH /_thermodyn/capacity: the settings of the emulation by the names of capacity.def, and
 * `enforce`; for the server, or for one table.
 * A preset sets every row of capacity.def, and members beside it win; unit-test also stops the clock. */
#include "control_private.h"

/* What a PATCH asks for. */
typedef struct change {
    td_capacity_patch patch;
    td_slice table;
    td_slice preset;
} change;

static const char *const enforce_names[] = {
    [TD_ENFORCE_ON] = "on", [TD_ENFORCE_OFF] = "off", [TD_ENFORCE_OBSERVE] = "observe"};

static int write_settings(td_control_call *call, td_slice table);
static int read_change(td_control_call *call, change *ret_change);
static int read_preset(td_control_call *call, change *wanted);
static int read_member(td_control_call *call, const td_json_node *node, change *wanted);
static int read_enforce(td_control_call *call, const td_json_node *node, td_capacity_patch *patch);
static int read_row(td_control_call *call, const td_json_node *node, size_t row, td_capacity_patch *patch);

int td_control__get_capacity(td_control_call *call)
{
    td_slice table = {NULL, 0};
    if (!td_control__query(call, "table", &table)) table = TD_LIT("");
    return write_settings(call, table);
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
    td_json_put_text(call->answer, root, "enforce", td_slice_of_cstr(enforce_names[settings.enforce]));
    for (size_t i = 0; i < TD_CAPACITY_SETTING_COUNT; i++) {
        td_json_put_number(call->answer, root, td_capacity_rows[i].name, settings.values[i]);
    }
    return 200;
}

static int read_change(td_control_call *call, change *ret_change)
{
    change wanted = {.patch = {.has_enforce = false}};
    int status = read_preset(call, &wanted);
    const td_json_node *node = call->body == NULL ? NULL : td_json_node_first(call->body);
    for (; node != NULL && status == 200; node = td_json_node_next(node)) {
        status = read_member(call, node, &wanted);
    }
    if (status == 200) *ret_change = wanted;
    return status;
}

static int read_preset(td_control_call *call, change *wanted)
{
    const td_json_node *node = call->body == NULL ? NULL : td_json_node_find(call->body, "preset");
    if (node == NULL) return 200;
    bool is_text = td_json_node_get_type(node) == TD_JSON_NODE_TEXT;
    if (!is_text || !td_capacity_settings_preset(&wanted->patch.settings, td_json_node_text(node))) {
        return td_control__refuse(call, 400, "\"preset\" must be \"faithful\", \"laptop\" or \"unit-test\"");
    }
    wanted->preset = td_json_node_text(node);
    memset(wanted->patch.has_value, true, sizeof(wanted->patch.has_value));
    return 200;
}

static int read_member(td_control_call *call, const td_json_node *node, change *wanted)
{
    td_slice name = td_json_node_name(node);
    if (td_slice_equal(name, TD_LIT("preset"))) return 200;
    if (td_slice_equal(name, TD_LIT("enforce"))) return read_enforce(call, node, &wanted->patch);
    if (td_slice_equal(name, TD_LIT("table"))) {
        if (td_json_node_get_type(node) != TD_JSON_NODE_TEXT || td_json_node_text(node).len == 0) {
            return td_control__refuse(call, 400, "\"table\" must be a table's name");
        }
        wanted->table = td_json_node_text(node);
        return 200;
    }
    for (size_t i = 0; i < TD_CAPACITY_SETTING_COUNT; i++) {
        if (td_slice_equal(name, td_slice_of_cstr(td_capacity_rows[i].name))) {
            return read_row(call, node, i, &wanted->patch);
        }
    }
    return td_control__refuse(call, 400, "unknown member \"%.*s\"", TD_SHOWN(name));
}

static int read_enforce(td_control_call *call, const td_json_node *node, td_capacity_patch *patch)
{
    for (int i = 0; td_json_node_get_type(node) == TD_JSON_NODE_TEXT && i < (int)TD_COUNT_OF(enforce_names); i++) {
        if (!td_slice_equal(td_json_node_text(node), td_slice_of_cstr(enforce_names[i]))) continue;
        patch->has_enforce = true;
        patch->settings.enforce = (td_enforce)i;
        return 200;
    }
    return td_control__refuse(call, 400, "\"enforce\" must be \"on\", \"off\" or \"observe\"");
}

/* A number; rows that are switches also take true and false. */
static int read_row(td_control_call *call, const td_json_node *node, size_t row, td_capacity_patch *patch)
{
    const td_capacity_row *about = &td_capacity_rows[row];
    td_json_node_type type = td_json_node_get_type(node);
    bool is_bool = type == TD_JSON_NODE_BOOL && about->min == 0 && about->max == 1;
    double value = is_bool ? (td_json_node_is_true(node) ? 1 : 0) : about->min - 1;
    if (type == TD_JSON_NODE_NUMBER) value = td_json_node_number(node);
    if (value < about->min || value > about->max) {
        return td_control__refuse(call, 400, "\"%s\" must be a number from %.15g to %.15g", about->name, about->min,
                                  about->max);
    }
    patch->has_value[row] = true;
    patch->settings.values[row] = value;
    return 200;
}
