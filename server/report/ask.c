/* SPDX-License-Identifier: Apache-2.0
 * ask.c: see ask.h. */
#include "ask.h"

#include <stdio.h>

#include "thermodyn/text.h"

#define TIMEOUT_S 30
#define ANSWER_BYTES_MAX ((size_t)64 * 1024 * 1024)
#define TARGET_BYTES_MAX ((size_t)3584) /* of what the client takes */
#define ARENA_BYTES_MAX ((size_t)512 * 1024 * 1024)

/* An option may have more names than one. */
static const struct {
    const char *name;
    td_ask_option option;
    const char *parameter; /* of the question that it becomes; NULL: none */
    const char *command;   /* that alone knows it; NULL: all */
} names[] = {{"--endpoint", TD_ASK_ENDPOINT, NULL, NULL}, {"--url", TD_ASK_ENDPOINT, NULL, NULL},
             {"--table", TD_ASK_TABLE, "table", NULL},    {"--index", TD_ASK_INDEX, "index", NULL},
             {"--factor", TD_ASK_FACTOR, "factor", NULL}, {"--window-ms", TD_ASK_WINDOW, "window_ms", NULL},
             {"--scope", TD_ASK_SCOPE, "scope", NULL},    {"--fail-on", TD_ASK_FAIL_ON, NULL, NULL},
             {"--json", TD_ASK_JSON, NULL, "advise"},     {"--format", TD_ASK_FORMAT, NULL, "report"},
             {"--output", TD_ASK_OUTPUT, NULL, "report"}};

const char td_ask_help[] = "  --port N, --host ADDRESS, --port-file FILE   where the server is (8000 of 127.0.0.1)\n"
                           "  --endpoint URL     the same as http://HOST:PORT; also as --url\n"
                           "  --table NAME       this table; more than once: these. All without it\n"
                           "  --index NAME       this global index of the table alone\n"
                           "  --factor N         judge as if there were N times the traffic (1)\n"
                           "  --window-ms N      look back so far, an hour at most (3600000)\n"
                           "  --scope KEY/REGION whose tables, of a server with --isolate\n";

static bool read_arguments(td_ask *ask, int argc, char **argv, char **rest, int *rest_count);
static bool note_value(td_ask *ask, td_ask_option option, const char *name, const char *value);
static bool find_server(td_ask *ask, const td_config *config);
static bool read_url(td_ask *ask);
static bool quote_refusal(td_ask *ask, int status, const td_json_node *answer);

int td_ask_run(int argc, char **argv, int (*run)(td_ask *ask), void (*print_help)(void))
{
    td_ask ask;
    int code = TD_ASK_FAILED;
    switch (td_ask_init(&ask, argc, argv)) {
    case TD_ASK_GO: code = run(&ask); break;
    case TD_ASK_HELP:
        print_help();
        code = TD_ASK_FINE;
        break;
    case TD_ASK_PRINTED: code = TD_ASK_FINE; break;
    case TD_ASK_WRONG: break;
    }
    td_ask_done(&ask);
    return code;
}

td_ask_outcome td_ask_init(td_ask *ask, int argc, char **argv)
{
    *ask = (td_ask){.command = argv[0]};
    td_arena_init(&ask->arena, ARENA_BYTES_MAX);
    td_config config;
    int rest_count = 0;
    bool has_help = false;
    for (int at = 1; at < argc; at++) {
        has_help = has_help || strcmp(argv[at], "--help") == 0 || strcmp(argv[at], "-h") == 0;
    }
    if (has_help) return TD_ASK_HELP;
    char **rest = td_arena_alloc_array(&ask->arena, (size_t)argc + 1, sizeof(*rest));
    if (rest == NULL || !read_arguments(ask, argc, argv, rest, &rest_count)) {
        td_ask_fail(ask);
        return TD_ASK_WRONG;
    }
    td_ask_outcome outcome = TD_ASK_WRONG;
    switch (td_config_load(rest_count, rest, &config)) {
    case TD_CONFIG_RUN:
        if (find_server(ask, &config)) {
            outcome = TD_ASK_GO;
        } else {
            td_ask_fail(ask);
        }
        break;
    case TD_CONFIG_PRINTED: outcome = TD_ASK_PRINTED; break;
    case TD_CONFIG_INVALID: break; /* it has said so */
    }
    td_config_done(&config);
    return outcome;
}

void td_ask_done(td_ask *ask)
{
    td_arena_done(&ask->arena);
}

int td_ask_fail(const td_ask *ask)
{
    fprintf(stderr, "thermodyn: %s\n", ask->sentence[0] == '\0' ? "out of memory" : ask->sentence);
    return TD_ASK_FAILED;
}

/* The row of names for an argument, and its value: --name VALUE or --name=VALUE. */
static size_t find_name(const td_ask *ask, int argc, char **argv, int *at, const char **ret_value)
{
    for (size_t i = 0; i < TD_COUNT_OF(names); i++) {
        size_t len = strlen(names[i].name);
        if (names[i].command != NULL && strcmp(names[i].command, ask->command) != 0) continue;
        if (strncmp(argv[*at], names[i].name, len) != 0) continue;
        bool has_value = names[i].option != TD_ASK_JSON;
        if (has_value && argv[*at][len] == '=') {
            *ret_value = argv[*at] + len + 1;
            return i;
        }
        if (argv[*at][len] != '\0') continue;
        *ret_value = !has_value ? "yes" : *at + 1 < argc ? argv[++*at] : "";
        return i;
    }
    return TD_COUNT_OF(names);
}

static bool read_arguments(td_ask *ask, int argc, char **argv, char **rest, int *rest_count)
{
    rest[(*rest_count)++] = argv[0];
    for (int at = 1; at < argc; at++) {
        char *given = argv[at];
        const char *value = "";
        size_t found = find_name(ask, argc, argv, &at, &value);
        if (found == TD_COUNT_OF(names)) {
            rest[(*rest_count)++] = given;
        } else if (!note_value(ask, names[found].option, names[found].name, value)) {
            return false;
        }
    }
    rest[*rest_count] = NULL;
    return true;
}

/* Tables and criteria add up; of all else the last one counts. */
static bool note_value(td_ask *ask, td_ask_option option, const char *name, const char *value)
{
    const char *before = option == TD_ASK_TABLE || option == TD_ASK_FAIL_ON ? ask->values[option] : NULL;
    td_slice all;
    if (value[0] == '\0') {
        snprintf(ask->sentence, sizeof(ask->sentence), "%s needs a value; see thermodyn %s --help", name, ask->command);
        return false;
    }
    if (!td_arena_format(&ask->arena, &all, "%s%s%s", before == NULL ? "" : before, before == NULL ? "" : ",", value)) {
        return false;
    }
    ask->values[option] = (const char *)all.ptr;
    return true;
}

static bool find_server(td_ask *ask, const td_config *config)
{
    td_slice host;
    ask->client = td_client_of_config(config, TIMEOUT_S);
    if (ask->values[TD_ASK_ENDPOINT] != NULL) return read_url(ask);
    if (ask->client.port == 0) {
        snprintf(ask->sentence, sizeof(ask->sentence),
                 "the port is not known: give --port, --endpoint, or a --port-file");
        return false;
    }
    if (!td_arena_format(&ask->arena, &host, "%s", ask->client.host)) return false; /* the configuration goes */
    ask->client.host = (const char *)host.ptr;
    return true;
}

/* http://HOST:PORT[/] or https, an address of IPv6 in brackets; without a port it is 80 or 443. */
static bool read_url(td_ask *ask)
{
    static const char plain[] = "http://";
    static const char tls[] = "https://";
    const char *url = ask->values[TD_ASK_ENDPOINT];
    bool is_tls = strncmp(url, tls, sizeof(tls) - 1) == 0;
    bool is_http = is_tls || strncmp(url, plain, sizeof(plain) - 1) == 0;
    const char *host = url + (is_tls ? sizeof(tls) : sizeof(plain)) - 1;
    bool is_bracketed = is_http && host[0] == '[';
    if (is_bracketed) host++;
    size_t len = is_http ? strcspn(host, is_bracketed ? "]" : ":/") : 0;
    const char *end = is_http ? host + len + (is_bracketed && host[len] == ']') : "";
    int64_t port = is_tls ? 443 : 80;
    td_slice copy;
    bool is_valid = len > 0 && (!is_bracketed || host[len] == ']');
    if (is_valid && *end == ':') {
        size_t digits = strspn(end + 1, "0123456789");
        is_valid = td_parse_int64(td_slice_of(end + 1, digits), &port) && port > 0 && port < 65536;
        end += 1 + digits;
    }
    if (is_valid && *end == '/') end++;
    if (!is_valid || *end != '\0' || !td_arena_format(&ask->arena, &copy, "%.*s", (int)len, host)) {
        snprintf(ask->sentence, sizeof(ask->sentence), "the endpoint is \"%.200s\", but must be as http://HOST:PORT",
                 url);
        return false;
    }
    ask->client.host = (const char *)copy.ptr;
    ask->client.port = (int)port;
    ask->client.is_tls = is_tls;
    return true;
}

/* ---- questions ---- */

void td_ask_append_question(const td_ask *ask, td_buf *target)
{
    for (size_t i = 0; i < TD_COUNT_OF(names); i++) {
        const char *value = ask->values[names[i].option];
        if (names[i].parameter != NULL && value != NULL) td_ask_append_parameter(target, names[i].parameter, value);
    }
}

/* What is not a letter, a digit or one of "-._~,/" is percent-encoded. */
void td_ask_append_parameter(td_buf *target, const char *name, const char *value)
{
    bool is_first = target->len > 0 && target->data[target->len - 1] == '?';
    td_buf_append_format(target, "%s%s=", is_first ? "" : "&", name);
    for (const char *at = value; *at != '\0'; at++) {
        bool is_plain = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || (*at >= '0' && *at <= '9') ||
                        strchr("-._~,/", *at) != NULL;
        if (is_plain) {
            td_buf_append_byte(target, (uint8_t)*at);
        } else {
            td_buf_append_format(target, "%%%02X", (unsigned)(uint8_t)*at);
        }
    }
}

bool td_ask_get(td_ask *ask, td_slice target, td_arena *arena, td_buf *text, const td_json_node **ret_answer)
{
    td_slice path;
    int status = 0;
    const char *fault;
    td_buf_init(text, ANSWER_BYTES_MAX);
    if (target.len > TARGET_BYTES_MAX) {
        snprintf(ask->sentence, sizeof(ask->sentence), "these are too many tables at once");
        return false;
    }
    if (!td_arena_format(arena, &path, "%.*s", (int)target.len, (const char *)target.ptr)) return false;
    if (!td_client_get(&ask->client, (const char *)path.ptr, &status, text)) {
        snprintf(ask->sentence, sizeof(ask->sentence), "nothing answers on port %d of %.100s", ask->client.port,
                 ask->client.host);
        return false;
    }
    *ret_answer = td_json_doc_parse(td_buf_contents(text), arena, &fault);
    if (status != 200) return quote_refusal(ask, status, *ret_answer);
    if (*ret_answer == NULL || td_json_node_get_type(*ret_answer) != TD_JSON_NODE_OBJECT) {
        snprintf(ask->sentence, sizeof(ask->sentence), "the server's answer is not understood");
        return false;
    }
    return true;
}

/* The sentence of a refusal, as the server gives it. Always false. */
static bool quote_refusal(td_ask *ask, int status, const td_json_node *answer)
{
    td_slice error = td_ask_text(answer, "error");
    if (error.len > 0) {
        snprintf(ask->sentence, sizeof(ask->sentence), "the server answers: %.*s",
                 (int)(error.len > 400 ? 400 : error.len), (const char *)error.ptr);
    } else {
        snprintf(ask->sentence, sizeof(ask->sentence), "the server answers with status %d, and is no Thermodyn",
                 status);
    }
    return false;
}

/* ---- answers ---- */

const td_json_node *td_ask_member(const td_json_node *object, const char *name)
{
    bool is_object = object != NULL && td_json_node_get_type(object) == TD_JSON_NODE_OBJECT;
    return is_object ? td_json_node_find(object, name) : NULL;
}

static const td_json_node *member(const td_json_node *object, const char *name, td_json_node_type type)
{
    const td_json_node *node = td_ask_member(object, name);
    return node != NULL && td_json_node_get_type(node) == type ? node : NULL;
}

td_slice td_ask_text(const td_json_node *object, const char *name)
{
    const td_json_node *node = member(object, name, TD_JSON_NODE_TEXT);
    return node == NULL ? TD_LIT("") : td_json_node_text(node);
}

double td_ask_number(const td_json_node *object, const char *name)
{
    const td_json_node *node = member(object, name, TD_JSON_NODE_NUMBER);
    return node == NULL ? 0 : td_json_node_number(node);
}

const td_json_node *td_ask_first(const td_json_node *object, const char *name)
{
    const td_json_node *node = member(object, name, TD_JSON_NODE_ARRAY);
    if (node == NULL) node = member(object, name, TD_JSON_NODE_OBJECT);
    return node == NULL ? NULL : td_json_node_first(node);
}
