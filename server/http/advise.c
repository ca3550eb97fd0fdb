/* SPDX-License-Identifier: MIT
 * advise.c: the command line of `thermodyn advise`, its question to the server, and its exit code.
 * Options that are not its own say where the server is, as for `thermodyn health`: --port, --host, --port-file, …
 * Not here: what the report looks like (advise_report.c), and the advice itself (server/control/). */
#include "advise.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "thermodyn/text.h"

#include "client.h"
#include "control/advice.h"

#define ADVISE_TIMEOUT_S 30
#define ANSWER_BYTES_MAX ((size_t)64 * 1024 * 1024)
#define ARGUMENTS_BYTES_MAX ((size_t)1024 * 1024)
#define TARGET_BYTES_MAX ((size_t)3584)
#define COLUMNS_WITHOUT_TERMINAL 100
#define COLUMNS_MIN 40
#define COLUMNS_MAX 120

typedef enum option { URL, TABLE, INDEX, FACTOR, WINDOW, SCOPE, FAIL_ON, OPTION_COUNT } option;

static const struct {
    const char *name;
    const char *parameter; /* of the query that it becomes; NULL: none */
} options[OPTION_COUNT] = {
    [URL] = {"--url", NULL},           [TABLE] = {"--table", "table"},          [INDEX] = {"--index", "index"},
    [FACTOR] = {"--factor", "factor"}, [WINDOW] = {"--window-ms", "window_ms"}, [SCOPE] = {"--scope", "scope"},
    [FAIL_ON] = {"--fail-on", NULL}};

static const char help[] =
    "usage: thermodyn advise [OPTION]...\n\n"
    "Asks the running server what the traffic of the last hour says of its tables' key design: hot keys, how even\n"
    "keys and partitions are, what the load needs. It judges by the limits of the real service.\n\n"
    "  --port N, --host ADDRESS, --port-file FILE   where the server is (8000 of 127.0.0.1)\n"
    "  --url URL          the same as http://HOST:PORT\n"
    "  --table NAME       this table; more than once: these. All without it\n"
    "  --index NAME       this global index of the table alone\n"
    "  --factor N         judge as if there were N times the traffic (1)\n"
    "  --window-ms N      look back so far, an hour at most (3600000)\n"
    "  --scope KEY/REGION whose tables, of a server with --isolate\n"
    "  --json             the server's answer instead of a report\n"
    "  --fail-on WHAT     exit with 1 if there is advice of this kind, or of this severity (warning, problem) or "
    "more;\n"
    "                     more than once, or parted by commas. Kinds:\n";

/* The command line, and what becomes of it. */
typedef struct asked {
    td_arena arena;
    const char *values[OPTION_COUNT]; /* of repeated options all, parted by commas; NULL: not given */
    bool has_json;
    bool has_help;
    char **rest; /* for td_config_load */
    int rest_count;
    char sentence[512]; /* why it fails */
} asked;

static bool read_arguments(asked *it, int argc, char **argv);
static bool check_fail_on(asked *it);
static int ask(asked *it, const td_config *config);
static int tell(asked *it, td_slice text);
static bool is_named(const char *names, td_slice kind, td_slice severity);
static void print_help(void);
static int fail(const asked *it);

int td_advise(int argc, char **argv)
{
    asked it = {.has_json = false};
    td_config config;
    int code = TD_ADVISE_FAILED;
    td_arena_init(&it.arena, ARGUMENTS_BYTES_MAX);
    if (!read_arguments(&it, argc, argv) || !check_fail_on(&it)) {
        code = fail(&it);
    } else if (it.has_help) {
        print_help();
        code = TD_ADVISE_FINE;
    } else {
        switch (td_config_load(it.rest_count, it.rest, &config)) {
        case TD_CONFIG_RUN: code = ask(&it, &config); break;
        case TD_CONFIG_PRINTED: code = TD_ADVISE_FINE; break;
        case TD_CONFIG_INVALID: code = TD_ADVISE_FAILED; break;
        }
        td_config_done(&config);
    }
    td_arena_done(&it.arena);
    return code;
}

/* Its own option at argv[*at], and its value: --name VALUE or --name=VALUE. OPTION_COUNT: it is none of them. */
static option read_option(int argc, char **argv, int *at, const char **ret_value)
{
    for (option i = 0; i < OPTION_COUNT; i++) {
        size_t len = strlen(options[i].name);
        if (strncmp(argv[*at], options[i].name, len) != 0) continue;
        if (argv[*at][len] == '=') {
            *ret_value = argv[*at] + len + 1;
            return i;
        }
        if (argv[*at][len] != '\0') continue;
        *ret_value = *at + 1 < argc ? argv[++*at] : "";
        return i;
    }
    return OPTION_COUNT;
}

static bool read_arguments(asked *it, int argc, char **argv)
{
    it->rest = td_arena_alloc_array(&it->arena, (size_t)argc + 1, sizeof(*it->rest));
    if (it->rest == NULL) return false;
    it->rest[it->rest_count++] = argv[0];
    for (int at = 1; at < argc; at++) {
        const char *value = "";
        if (strcmp(argv[at], "--json") == 0 || strcmp(argv[at], "--help") == 0 || strcmp(argv[at], "-h") == 0) {
            it->has_json = it->has_json || argv[at][2] == 'j';
            it->has_help = it->has_help || argv[at][2] != 'j';
            continue;
        }
        option found = read_option(argc, argv, &at, &value);
        if (found == OPTION_COUNT) {
            it->rest[it->rest_count++] = argv[at];
            continue;
        }
        const char *before = it->values[found];
        td_slice all;
        if (value[0] == '\0') {
            snprintf(it->sentence, sizeof(it->sentence), "%s needs a value; see thermodyn advise --help",
                     options[found].name);
            return false;
        }
        if (!td_arena_format(&it->arena, &all, "%s%s%s", before == NULL ? "" : before, before == NULL ? "" : ",",
                             value)) {
            return false;
        }
        it->values[found] = (const char *)all.ptr;
    }
    it->rest[it->rest_count] = NULL;
    return true;
}

/* The word at *at of a list parted by commas; *at moves behind it. */
static td_slice next_word(const char **at)
{
    size_t len = strcspn(*at, ",");
    td_slice word = td_slice_of(*at, len);
    *at += len + ((*at)[len] == ',');
    return word;
}

static bool check_fail_on(asked *it)
{
    const char *at = it->values[FAIL_ON] == NULL ? "" : it->values[FAIL_ON];
    while (*at != '\0') {
        td_slice word = next_word(&at);
        td_advice_kind kind;
        td_advice_severity severity;
        if (td_advice_kind_find(word, &kind) || td_advice_severity_find(word, &severity)) continue;
        snprintf(it->sentence, sizeof(it->sentence),
                 "there is no kind of advice \"%.*s\"; thermodyn advise --help lists them",
                 (int)(word.len > 100 ? 100 : word.len), (const char *)word.ptr);
        return false;
    }
    return true;
}

/* http://HOST:PORT[/], an address of IPv6 in brackets; without a port it is 80. */
static bool read_url(asked *it, td_client *client)
{
    static const char scheme[] = "http://";
    const char *url = it->values[URL];
    const char *host = url + sizeof(scheme) - 1;
    bool is_http = strncmp(url, scheme, sizeof(scheme) - 1) == 0;
    bool is_bracketed = is_http && host[0] == '[';
    if (is_bracketed) host++;
    size_t len = is_http ? strcspn(host, is_bracketed ? "]" : ":/") : 0;
    const char *end = is_http ? host + len + (is_bracketed && host[len] == ']') : "";
    int64_t port = 80;
    td_slice copy;
    bool is_valid = len > 0 && (!is_bracketed || host[len] == ']');
    if (is_valid && *end == ':') {
        size_t digits = strspn(end + 1, "0123456789");
        is_valid = td_parse_int64(td_slice_of(end + 1, digits), &port) && port > 0 && port < 65536;
        end += 1 + digits;
    }
    if (is_valid && *end == '/') end++;
    if (!is_valid || *end != '\0' || !td_arena_format(&it->arena, &copy, "%.*s", (int)len, host)) {
        snprintf(it->sentence, sizeof(it->sentence), "--url is \"%.200s\", but must be as http://HOST:PORT", url);
        return false;
    }
    client->host = (const char *)copy.ptr;
    client->port = (int)port;
    return true;
}

/* What is not a letter, a digit or one of "-._~,/" is percent-encoded. */
static void append_value(td_buf *target, const char *value)
{
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

static bool write_target(asked *it, td_buf *target)
{
    char separator = '?';
    td_buf_append_lit(target, "/_thermodyn/advice");
    for (option i = 0; i < OPTION_COUNT; i++) {
        if (options[i].parameter == NULL || it->values[i] == NULL) continue;
        td_buf_append_format(target, "%c%s=", separator, options[i].parameter);
        append_value(target, it->values[i]);
        separator = '&';
    }
    td_buf_append_byte(target, 0);
    if (td_buf_has_failed(target)) snprintf(it->sentence, sizeof(it->sentence), "these are too many tables at once");
    return !td_buf_has_failed(target);
}

/* The sentence of a refusal, as the server gives it. */
static void quote_refusal(asked *it, int status, td_slice body)
{
    const char *fault;
    const td_json_node *answer = td_json_doc_parse(body, &it->arena, &fault);
    const td_json_node *error = answer == NULL ? NULL : td_json_node_find(answer, "error");
    if (error != NULL && td_json_node_get_type(error) == TD_JSON_NODE_TEXT) {
        td_slice text = td_json_node_text(error);
        snprintf(it->sentence, sizeof(it->sentence), "the server answers: %.*s", (int)(text.len > 400 ? 400 : text.len),
                 text.len == 0 ? "" : (const char *)text.ptr);
    } else {
        snprintf(it->sentence, sizeof(it->sentence), "the server answers with status %d, and is no Thermodyn", status);
    }
}

static int ask(asked *it, const td_config *config)
{
    td_client client = td_client_of_config(config, ADVISE_TIMEOUT_S);
    td_buf target;
    td_buf body;
    int status = 0;
    int code = TD_ADVISE_FAILED;
    td_buf_init(&target, TARGET_BYTES_MAX);
    td_buf_init(&body, ANSWER_BYTES_MAX);
    if (it->values[URL] != NULL && !read_url(it, &client)) {
        code = fail(it);
    } else if (client.port == 0) {
        snprintf(it->sentence, sizeof(it->sentence), "the port is not known: give --port, --url, or a --port-file");
        code = fail(it);
    } else if (!write_target(it, &target)) {
        code = fail(it);
    } else if (!td_client_get(&client, (const char *)target.data, &status, &body)) {
        snprintf(it->sentence, sizeof(it->sentence), "nothing answers on port %d of %.100s", client.port, client.host);
        code = fail(it);
    } else if (status != 200) {
        quote_refusal(it, status, td_buf_contents(&body));
        code = fail(it);
    } else {
        code = tell(it, td_buf_contents(&body));
    }
    td_buf_done(&target);
    td_buf_done(&body);
    return code;
}

static td_advise_style find_style(void)
{
    struct winsize size;
    int64_t columns = COLUMNS_WITHOUT_TERMINAL;
    bool is_terminal = isatty(STDOUT_FILENO) == 1;
    const char *given = getenv("COLUMNS");
    int64_t wanted;
    if (is_terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) columns = size.ws_col;
    if (given != NULL && td_parse_int64(td_slice_of_cstr(given), &wanted)) columns = wanted;
    if (columns < COLUMNS_MIN) columns = COLUMNS_MIN;
    if (columns > COLUMNS_MAX) columns = COLUMNS_MAX;
    const char *no_colour = getenv("NO_COLOR");
    return (td_advise_style){.columns = (uint32_t)columns,
                             .has_colour = is_terminal && (no_colour == NULL || no_colour[0] == '\0')};
}

static uint32_t count_named(const asked *it, const td_json_node *answer)
{
    uint32_t count = 0;
    const td_json_node *advice = td_json_node_first(td_json_node_find(answer, "advice"));
    for (; it->values[FAIL_ON] != NULL && advice != NULL; advice = td_json_node_next(advice)) {
        count += is_named(it->values[FAIL_ON], td_json_node_text(td_json_node_find(advice, "kind")),
                          td_json_node_text(td_json_node_find(advice, "severity")));
    }
    return count;
}

static int tell(asked *it, td_slice text)
{
    td_buf report;
    td_arena arena;
    const char *fault;
    td_arena_init(&arena, ANSWER_BYTES_MAX);
    td_buf_init(&report, ANSWER_BYTES_MAX);
    const td_json_node *answer = td_json_doc_parse(text, &arena, &fault);
    int code = TD_ADVISE_FAILED;
    if (answer == NULL || !td_advise_report(answer, find_style(), &report)) {
        snprintf(it->sentence, sizeof(it->sentence), "the server's answer is not understood");
        code = fail(it);
    } else {
        td_slice shown = it->has_json ? text : td_buf_contents(&report);
        fwrite(shown.ptr, 1, shown.len, stdout);
        if (it->has_json) fputc('\n', stdout);
        uint32_t count = count_named(it, answer);
        if (count > 0) {
            fflush(stdout);
            fprintf(stderr, "thermodyn: %u of these are what --fail-on names: %s\n", count, it->values[FAIL_ON]);
        }
        code = count > 0 ? TD_ADVISE_FOUND : TD_ADVISE_FINE;
    }
    td_buf_done(&report);
    td_arena_done(&arena);
    return code;
}

/* By its kind, or by a severity that it reaches. */
static bool is_named(const char *names, td_slice kind, td_slice severity)
{
    td_advice_severity is;
    td_advice_severity least;
    bool has_severity = td_advice_severity_find(severity, &is);
    while (*names != '\0') {
        td_slice word = next_word(&names);
        if (td_slice_equal(word, kind)) return true;
        if (has_severity && td_advice_severity_find(word, &least) && is >= least) return true;
    }
    return false;
}

static void print_help(void)
{
    static const char *const meanings[TD_ADVICE_KIND_COUNT] = {
#define TD_ADVICE(kind, name, meaning) [TD_ADVICE_##kind] = meaning,
#include "control/advice.def"
#undef TD_ADVICE
    };
    fputs(help, stdout);
    for (td_advice_kind kind = 0; kind < TD_ADVICE_KIND_COUNT; kind++) {
        printf("    %-20s %s\n", td_advice_kind_name(kind), meanings[kind]);
    }
    puts("\nexit code: 0 nothing that --fail-on names; 1 something that it names; 2 wrong arguments, or no server");
}

static int fail(const asked *it)
{
    fprintf(stderr, "thermodyn: %s\n", it->sentence[0] == '\0' ? "out of memory" : it->sentence);
    return TD_ADVISE_FAILED;
}
