/* SPDX-License-Identifier: Apache-2.0
 * control.c: the endpoints under /_thermodyn/: their table, the way to a handler, and what they have in common: one
 * JSON object in, one out, and {"error": "<one clear sentence>"} for whatever is refused.
 * Not here: HTTP, and who may call at all (server/http/access.c). */
#include "control_private.h"

#include <stdarg.h>
#include <stdio.h>

#include "thermodyn/text.h"

#include "parameters.h"

/* {table}, {id} and {name} stand for one segment of the path. */
typedef struct endpoint {
    const char *method;
    const char *path;
    td_control_handler handler;
    const char *meaning; /* for the index */
    bool reads_query;    /* the handler does, and refuses what it does not know; else there is nothing but the scope */
} endpoint;

static int get_index(td_control_call *call);

static const endpoint endpoints[] = {
    {"GET", "/_thermodyn/", get_index, "this list", false},
    {"GET", "/_thermodyn/health", td_control__get_health, "whether the server is well", false},
    {"GET", "/_thermodyn/clock", td_control__get_clock, "the clock that the emulation reads", false},
    {"PUT", "/_thermodyn/clock", td_control__put_clock, "stops it, sets it, or lets it run faster", false},
    {"POST", "/_thermodyn/clock/advance", td_control__advance_clock, "moves a manual clock", false},
    {"GET", "/_thermodyn/capacity", td_control__get_capacity, "settings of the emulation", true},
    {"PATCH", "/_thermodyn/capacity", td_control__patch_capacity, "changes them, for all or for one table", false},
    {"GET", "/_thermodyn/tables", td_control__get_tables, "all tables and global indexes in a few figures", false},
    {"GET", "/_thermodyn/totals", td_control__get_totals, "what tables consumed, throttled and split in all", true},
    {"GET", "/_thermodyn/tables/{table}/partitions", td_control__get_partitions, "partitions and buckets of a table",
     false},
    {"POST", "/_thermodyn/tables/{table}/partitions/split", td_control__split_partition, "splits a partition at once",
     false},
    {"POST", "/_thermodyn/tables/{table}/capacity/reset", td_control__reset_capacity, "fills a table's buckets", false},
    {"GET", "/_thermodyn/heatmap", td_control__get_heatmap, "where and when a table was used or throttled", true},
    {"GET", "/_thermodyn/hotkeys", td_control__get_hotkeys, "the keys that were used or throttled most", true},
    {"GET", "/_thermodyn/advice", td_control__get_advice, "what the traffic says of the key design", true},
    {"GET", "/_thermodyn/faults", td_control__get_faults, "rules that provoke faults, and how often they did", false},
    {"POST", "/_thermodyn/faults", td_control__post_faults, "adds such a rule", false},
    {"DELETE", "/_thermodyn/faults", td_control__delete_faults, "removes all of them", false},
    {"DELETE", "/_thermodyn/faults/{id}", td_control__delete_fault, "removes one", false},
    {"GET", "/_thermodyn/snapshots", td_control__get_snapshots, "states of all tables that were kept", false},
    {"DELETE", "/_thermodyn/snapshots", td_control__delete_snapshots, "removes all of them", false},
    {"GET", "/_thermodyn/snapshots/{name}", td_control__get_snapshot, "one of them", false},
    {"PUT", "/_thermodyn/snapshots/{name}", td_control__put_snapshot, "keeps the present state of all tables", false},
    {"DELETE", "/_thermodyn/snapshots/{name}", td_control__delete_snapshot, "removes one", false},
    {"POST", "/_thermodyn/snapshots/{name}/restore", td_control__restore_snapshot, "goes back to one", false},
    {"POST", "/_thermodyn/reset", td_control__reset, "drops tables, and sets clock, capacity and faults back", false},
};

static const endpoint *find_endpoint(const td_control_request *request, td_slice *ret_table, char *ret_allow,
                                     size_t allow_size);
static bool path_matches(const char *pattern, td_slice path, td_slice *ret_table);
static int read_body(td_control_call *call);
static int run(td_control_call *call, const endpoint *found);
static bool write_error(td_control_call *call, td_buf *reply);

td_control_reply td_control_handle(td_service *service, const td_control_request *request, td_arena *arena,
                                   td_buf *reply)
{
    td_buf_clear(reply);
    td_json_build answer;
    td_control_call call = {.service = service, .request = request, .arena = arena, .answer = &answer};
    td_control_reply outcome = {.http_status = 404};
    char *allow = td_arena_alloc_zero(arena, 64);
    const endpoint *found = allow == NULL ? NULL : find_endpoint(request, &call.table, allow, 64);
    td_json_build_init(&answer);
    if (allow == NULL) {
        outcome.http_status = td_control__refuse_without_memory(&call);
    } else if (found != NULL) {
        outcome.http_status = run(&call, found);
    } else if (allow[0] != '\0') {
        outcome.http_status = td_control__refuse(&call, 405, "this path knows %s only", allow);
        outcome.allow = allow;
    } else {
        td_control__refuse(&call, 404, "there is nothing at this path; GET /_thermodyn/ lists what there is");
    }
    bool is_refused = outcome.http_status != 200 && call.error[0] != '\0'; /* health has a 503 that is an answer */
    if (!is_refused && !td_json_build_print(&answer, reply)) {
        bool is_reading = strcmp(found->method, "GET") == 0;
        outcome.http_status =
            is_reading ? td_control__refuse_without_memory(&call) : td_control__refuse_answer(&call);
        is_refused = true;
    }
    td_json_build_done(&answer);
    if (is_refused && !write_error(&call, reply)) outcome.http_status = 500;
    return outcome;
}

int td_control__refuse(td_control_call *call, int http_status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(call->error, sizeof(call->error), format, args);
    va_end(args);
    return http_status;
}

int td_control__refuse_without_memory(td_control_call *call)
{
    return td_control__refuse(call, 500, TD_JSON_NO_MEMORY);
}

int td_control__refuse_text(td_control_call *call, const char *sentence)
{
    if (strcmp(sentence, TD_JSON_NO_MEMORY) == 0) return td_control__refuse_without_memory(call);
    return td_control__refuse(call, 400, "%s", sentence);
}

int td_control__refuse_answer(td_control_call *call)
{
    return td_control__refuse(call, 500, "it is done, but there is no memory for its answer");
}

int td_control__read_members(td_control_call *call, td_control_member *members, size_t count)
{
    static const char *const type_names[] = {"null", "true or false", "a number", "a text", "a list", "an object"};
    const td_json_node *node = call->body == NULL ? NULL : td_json_node_first(call->body);
    for (; node != NULL; node = td_json_node_next(node)) {
        td_slice name = td_json_node_name(node);
        size_t at = 0;
        while (at < count && !td_slice_equal(name, td_slice_of_cstr(members[at].name))) {
            at++;
        }
        if (at == count) return td_control__refuse(call, 400, "unknown member \"%.*s\"", TD_SHOWN(name));
        if (td_json_node_get_type(node) != members[at].type) {
            return td_control__refuse(call, 400, "\"%s\" must be %s", members[at].name, type_names[members[at].type]);
        }
        members[at].node = node;
    }
    return 200;
}

bool td_control__query(const td_control_call *call, const char *name, td_slice *ret_value)
{
    td_slice rest = call->request->query;
    size_t name_len = strlen(name);
    while (rest.len > 0) {
        const uint8_t *end = memchr(rest.ptr, '&', rest.len);
        size_t len = end == NULL ? rest.len : (size_t)(end - rest.ptr);
        if (len > name_len && memcmp(rest.ptr, name, name_len) == 0 && rest.ptr[name_len] == '=') {
            *ret_value = td_slice_of(rest.ptr + name_len + 1, len - name_len - 1);
            return true;
        }
        size_t step = end == NULL ? len : len + 1;
        rest = td_slice_of(rest.ptr + step, rest.len - step);
    }
    return false;
}

td_call td_control__engine_call(const td_control_call *call, td_slice table)
{
    return (td_call){.store = call->service->store,
                     .arena = call->arena,
                     .now_us = td_clock_now(call->service->clock),
                     .scope = call->scope,
                     .table = table};
}

/* The engine finds none of a table for want of memory, too. */
int td_control__unknown_table(td_control_call *call, td_slice table)
{
    td_capacity_settings settings;
    bool is_there = table.len > 0 && td_store_get_capacity(call->service->store, call->scope, table, &settings);
    if (is_there) return td_control__refuse_without_memory(call);
    return td_control__refuse(call, 404, "there is no table \"%.*s\"", TD_SHOWN(table));
}

static int get_index(td_control_call *call)
{
    td_json_node *root = call->answer->root;
    td_json_put_text(call->answer, root, "name", TD_LIT("thermodyn"));
    td_json_put_text(call->answer, root, "version", TD_LIT(TD_VERSION));
    td_json_node *list = td_json_put_array(call->answer, root, "endpoints");
    for (size_t i = 0; i < TD_COUNT_OF(endpoints); i++) {
        td_json_node *entry = td_json_put_object(call->answer, list, NULL);
        td_json_put_text(call->answer, entry, "method", td_slice_of_cstr(endpoints[i].method));
        td_json_put_text(call->answer, entry, "path", td_slice_of_cstr(endpoints[i].path));
        td_json_put_text(call->answer, entry, "meaning", td_slice_of_cstr(endpoints[i].meaning));
    }
    return 200;
}

/* NULL: none; then the methods that the path knows stand in ret_allow, "" for an unknown path. */
static const endpoint *find_endpoint(const td_control_request *request, td_slice *ret_table, char *ret_allow,
                                     size_t allow_size)
{
    for (size_t i = 0; i < TD_COUNT_OF(endpoints); i++) {
        td_slice table = {NULL, 0};
        if (!path_matches(endpoints[i].path, request->path, &table)) continue;
        if (td_slice_equal(request->method, td_slice_of_cstr(endpoints[i].method))) {
            *ret_table = table;
            return &endpoints[i];
        }
        size_t used = strlen(ret_allow);
        snprintf(ret_allow + used, allow_size - used, "%s%s", used == 0 ? "" : ", ", endpoints[i].method);
    }
    return NULL;
}

static bool path_matches(const char *pattern, td_slice path, td_slice *ret_table)
{
    size_t at = 0;
    while (*pattern != '\0') {
        if (*pattern == '{') {
            size_t start = at;
            while (at < path.len && path.ptr[at] != '/') {
                at++;
            }
            if (at == start) return false;
            *ret_table = td_slice_of(path.ptr + start, at - start);
            pattern = strchr(pattern, '}') + 1;
        } else {
            if (at == path.len || path.ptr[at] != (uint8_t)*pattern) return false;
            at++;
            pattern++;
        }
    }
    return at == path.len;
}

static int run(td_control_call *call, const endpoint *found)
{
    td_slice scope;
    if (td_control__query(call, "scope", &scope)) call->scope = scope;
    if (!td_utf8_is_valid(call->table)) return td_control__refuse(call, 400, "the path is not valid UTF-8");
    int status = found->reads_query ? 200 : td_control__read_parameters(call, NULL, 0);
    if (status == 200 && strcmp(found->method, "GET") != 0) status = read_body(call);
    return status == 200 ? found->handler(call) : status;
}

/* An absent body is an object without members. */
static int read_body(td_control_call *call)
{
    if (call->request->body.len == 0) return 200;
    const char *fault = NULL;
    call->body = td_json_doc_parse(call->request->body, call->arena, &fault);
    if (call->body == NULL) return td_control__refuse_text(call, fault);
    if (td_json_node_get_type(call->body) != TD_JSON_NODE_OBJECT) {
        return td_control__refuse(call, 400, "the body must be a JSON object");
    }
    return 200;
}

/* false: it has no memory, and says that instead. */
static bool write_error(td_control_call *call, td_buf *reply)
{
    td_buf_clear(reply);
    td_json_build build;
    td_json_build_init(&build);
    td_json_put_text(&build, build.root, "error", td_slice_of_cstr(call->error));
    bool is_written = td_json_build_print(&build, reply);
    if (!is_written) td_buf_append_lit(reply, "{\"error\":\"" TD_JSON_NO_MEMORY "\"}");
    td_json_build_done(&build);
    return is_written;
}
