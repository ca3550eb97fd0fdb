/* SPDX-License-Identifier: MIT
 * capacity.c: GET and PATCH /_thermodyn/capacity: the settings of the emulation by the names of capacity.def, and
 * `enforce`, `era` and `exception_policy`; for the server, or for one table.
 * A preset sets every row of capacity.def, and members beside it win; unit-test also stops the clock. */
#include "control_private.h"

#include <stdio.h>

/* What a PATCH asks for. */
typedef struct change {
    td_capacity_patch patch;
    td_slice table;
    td_slice preset;
} change;

static const char *const enforce_names[] = {
    [TD_ENFORCE_ON] = "on", [TD_ENFORCE_OFF] = "off", [TD_ENFORCE_OBSERVE] = "observe"};

static const char *const era_names[] = {
    [TD_ERA_STATIC] = "static", [TD_ERA_ADAPTIVE] = "adaptive", [TD_ERA_INSTANT] = "instant"};

static int write_settings(td_control_call *call, td_slice table);
static void write_policy(td_control_call *call, const td_exception_policy *policy);
static int read_change(td_control_call *call, change *ret_change);
static int read_preset(td_control_call *call, change *wanted);
static int read_member(td_control_call *call, const td_json_node *node, change *wanted);
static int read_enforce(td_control_call *call, const td_json_node *node, td_capacity_patch *patch);
static int read_era(td_control_call *call, const td_json_node *node, td_capacity_patch *patch);
static int read_policy(td_control_call *call, const td_json_node *node, td_capacity_patch *patch);
static int find_word(const td_json_node *node, const char *const *words, int count);
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
    td_json_put_text(call->answer, root, "era", td_slice_of_cstr(era_names[settings.era]));
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
    if (td_slice_equal(name, TD_LIT("era"))) return read_era(call, node, &wanted->patch);
    if (td_slice_equal(name, TD_LIT("exception_policy"))) return read_policy(call, node, &wanted->patch);
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
    for (size_t i = 0; i < TD_CAPACITY_SETTING_COUNT; i++) {
        if (td_slice_equal(name, td_slice_of_cstr(td_capacity_rows[i].name))) {
            return read_row(call, node, i, &wanted->patch);
        }
    }
    return td_control__refuse(call, 400, "unknown member \"%.*s\"", TD_SHOWN(name));
}

static int read_enforce(td_control_call *call, const td_json_node *node, td_capacity_patch *patch)
{
    int word = find_word(node, enforce_names, (int)TD_COUNT_OF(enforce_names));
    if (word < 0) return td_control__refuse(call, 400, "\"enforce\" must be \"on\", \"off\" or \"observe\"");
    patch->has_enforce = true;
    patch->settings.enforce = (td_enforce)word;
    return 200;
}

static int read_era(td_control_call *call, const td_json_node *node, td_capacity_patch *patch)
{
    int word = find_word(node, era_names, (int)TD_COUNT_OF(era_names));
    if (word < 0) return td_control__refuse(call, 400, "\"era\" must be \"static\", \"adaptive\" or \"instant\"");
    patch->has_era = true;
    patch->settings.era = (td_era)word;
    return 200;
}

/* An object whose members are cells, as GET answers it; cells that it does not name stay as they are. */
static int read_policy(td_control_call *call, const td_json_node *node, td_capacity_patch *patch)
{
    if (td_json_node_get_type(node) != TD_JSON_NODE_OBJECT) {
        return td_control__refuse(call, 400, "\"exception_policy\" must be an object of cells and exceptions");
    }
    for (const td_json_node *cell = td_json_node_first(node); cell != NULL; cell = td_json_node_next(cell)) {
        bool is_text = td_json_node_get_type(cell) == TD_JSON_NODE_TEXT;
        td_slice name = td_json_node_name(cell);
        td_slice answer = is_text ? td_json_node_text(cell) : td_slice_of(NULL, 0);
        const char *fault;
        if (td_policy_set(patch, name, answer, &fault)) continue;
        return td_control__refuse(call, 400, "\"exception_policy\" has \"%.*s\", but %s", TD_SHOWN(name), fault);
    }
    return 200;
}

/* -1: it is none of them. */
static int find_word(const td_json_node *node, const char *const *words, int count)
{
    if (td_json_node_get_type(node) != TD_JSON_NODE_TEXT) return -1;
    for (int i = 0; i < count; i++) {
        if (td_slice_equal(td_json_node_text(node), td_slice_of_cstr(words[i]))) return i;
    }
    return -1;
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
