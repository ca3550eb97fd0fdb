/* SPDX-License-Identifier: Apache-2.0
 * config.c: reads the options from flags, environment and file, the stronger source winning.
 * --help and --version are answered before anything is judged. Wrong input is one sentence that says what was given
 * and what is expected.
 * Not here: the table and its values (config_option.c), the file (config_file.c), DynamoDB Local's command line
 * (config_local.c), --help (config_help.c). */
#include "config_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <unistd.h>

#define CONFIG_TEXT_BYTES_MAX ((size_t)16 * 1024 * 1024)
#define ENVIRONMENT_PREFIX "THERMODYN_"

extern char **environ;

static void write_version(td_buf *buf);

/* Flags that are answered before anything else is looked at; with one dash, as DynamoDB Local has them. */
static const struct {
    const char *flag;
    void (*write)(td_buf *buf);
} answers[] = {
    {"--help", td_config__write_help},
    {"-h", td_config__write_help},
    {"-help", td_config__write_help},
    {"--version", write_version},
    {"-version", write_version},
    {"--print-config", td_config__write_sample},
    {"--print-manual", td_config__write_manual},
    {"--print-reference", td_config__write_reference},
    {"--print-bash", td_config__write_bash},
    {"--print-zsh", td_config__write_zsh},
    {"--print-fish", td_config__write_fish},
};

static bool answers_at_once(int argc, char **argv, td_buf *says);
static bool read_flags(td_config_reader *reader, int argc, char **argv);
static bool read_flag(td_config_reader *reader, int argc, char **argv, int *at);
static bool read_operand(td_config_reader *reader, const char *text, int *at);
static bool refuse_unknown(td_config_reader *reader, const char *text, td_slice name);
static bool read_environment(td_config_reader *reader, char **environment);
static bool check_whole(td_config_reader *reader);
static void apply_preset(td_config_reader *reader);

td_config_outcome td_config_load(int argc, char **argv, td_config *ret_config)
{
    td_buf says;
    td_buf_init(&says, CONFIG_TEXT_BYTES_MAX);
    td_config_outcome outcome = td_config__load(argc, argv, environ, ret_config, &says);
    td_slice text = td_buf_contents(&says);
    if (outcome == TD_CONFIG_PRINTED) {
        fwrite(text.ptr, 1, text.len, stdout);
        fflush(stdout);
    } else if (outcome == TD_CONFIG_INVALID) {
        fprintf(stderr, "thermodyn: %.*s\n", (int)text.len, text.len == 0 ? "" : (const char *)text.ptr);
    }
    td_buf_done(&says);
    return outcome;
}

void td_config_done(td_config *config)
{
    td_arena_done(&config->texts);
}

td_config_outcome td_config__load(int argc, char **argv, char **environment, td_config *config, td_buf *says)
{
    memset(config, 0, sizeof(*config));
    config->dump_to = "";
    td_arena_init(&config->texts, CONFIG_TEXT_BYTES_MAX);
    if (answers_at_once(argc, argv, says)) return TD_CONFIG_PRINTED;
    td_config_reader reader = {.config = config, .command = argc > 0 ? argv[0] : "", .says = says};
    if (!td_config__set_defaults(&reader) || !read_flags(&reader, argc, argv) ||
        !read_environment(&reader, environment)) {
        return TD_CONFIG_INVALID;
    }
    if (config->config[0] != '\0' && !td_config__read_file(&reader, config->config)) return TD_CONFIG_INVALID;
    if (!check_whole(&reader)) return TD_CONFIG_INVALID;
    apply_preset(&reader);
    return TD_CONFIG_RUN;
}

static bool answers_at_once(int argc, char **argv, td_buf *says)
{
    for (int i = 1; i < argc; i++) {
        for (size_t k = 0; k < TD_COUNT_OF(answers); k++) {
            if (strcmp(argv[i], answers[k].flag) != 0) continue;
            answers[k].write(says);
            return true;
        }
    }
    return false;
}

static void write_version(td_buf *buf)
{
    td_buf_append_format(buf, "thermodyn %s\n", TD_VERSION);
}

static bool read_flags(td_config_reader *reader, int argc, char **argv)
{
    for (int at = 1; at < argc;) {
        bool is_valid = true;
        if (td_config__read_local_option(reader, argc, argv, &at, &is_valid)) {
            if (!is_valid) return false;
        } else if (!read_flag(reader, argc, argv, &at)) {
            return false;
        }
    }
    return true;
}

/* --name value, --name=value; a switch alone means on. */
static bool read_flag(td_config_reader *reader, int argc, char **argv, int *at)
{
    const char *text = argv[*at];
    if (text[0] != '-') return read_operand(reader, text, at);
    if (strncmp(text, "--", 2) != 0 || text[2] == '\0') return refuse_unknown(reader, text, td_slice_of_cstr(text));
    const char *equals = strchr(text, '=');
    td_slice name = td_slice_of(text + 2, equals == NULL ? strlen(text + 2) : (size_t)(equals - text) - 2);
    int option = td_config__option_find(name);
    if (option < 0) return refuse_unknown(reader, text, name);
    char said_as[80];
    snprintf(said_as, sizeof(said_as), "--%.*s", (int)name.len, (const char *)name.ptr);
    td_config_option row = td_config__option_at((size_t)option);
    const char *value = equals == NULL ? NULL : equals + 1;
    if (value == NULL && row.kind == TD_CONFIG_KIND_switch) {
        bool has_word = *at + 1 < argc && (strcmp(argv[*at + 1], "on") == 0 || strcmp(argv[*at + 1], "off") == 0);
        value = has_word ? argv[++*at] : "on";
    } else if (value == NULL) {
        if (*at + 1 >= argc) {
            td_buf_append_format(reader->says, "%s needs a value: %s", said_as, row.words);
            return false;
        }
        value = argv[++*at];
    }
    *at += 1;
    return td_config__set(reader, option, TD_CONFIG_FROM_FLAG, said_as, td_slice_of_cstr(value));
}

static bool read_operand(td_config_reader *reader, const char *text, int *at)
{
    td_config *config = reader->config;
    *at += 1;
    if (strcmp(reader->command, "load") == 0) {
        return td_config__set(reader, TD_CONFIG_AT_init, TD_CONFIG_FROM_FLAG, "load", td_slice_of_cstr(text));
    }
    if (strcmp(reader->command, "dump") != 0 || config->dump_to[0] != '\0') {
        return refuse_unknown(reader, text, td_slice_of_cstr(text));
    }
    config->dump_to = text;
    return true;
}

static bool refuse_unknown(td_config_reader *reader, const char *text, td_slice name)
{
    if (text[0] != '-') {
        td_buf_append_format(reader->says, "unexpected argument \"%.100s\"; see thermodyn --help", text);
        return false;
    }
    while (name.len > 0 && name.ptr[0] == '-') {
        name = td_slice_of(name.ptr + 1, name.len - 1);
    }
    td_buf_append_format(reader->says, "unknown option %.*s", (int)strcspn(text, "="), text);
    td_slice nearest = td_config__option_nearest(name);
    if (nearest.len == 0) {
        td_buf_append_lit(reader->says, "; see thermodyn --help");
        return false;
    }
    td_buf_append_lit(reader->says, "; did you mean --");
    for (size_t i = 0; i < nearest.len; i++) {
        td_buf_append_byte(reader->says, nearest.ptr[i] == '_' ? '-' : nearest.ptr[i]);
    }
    td_buf_append_byte(reader->says, '?');
    return false;
}

static bool read_environment(td_config_reader *reader, char **environment)
{
    for (char **entry = environment; *entry != NULL; entry++) {
        const char *equals = strchr(*entry, '=');
        if (equals == NULL || strncmp(*entry, ENVIRONMENT_PREFIX, strlen(ENVIRONMENT_PREFIX)) != 0) continue;
        char name[80];
        size_t len = (size_t)(equals - *entry) - strlen(ENVIRONMENT_PREFIX);
        if (len >= sizeof(name)) continue;
        for (size_t i = 0; i < len; i++) {
            char letter = (*entry)[strlen(ENVIRONMENT_PREFIX) + i];
            name[i] = (char)(letter >= 'A' && letter <= 'Z' ? letter - 'A' + 'a' : letter);
        }
        int option = td_config__option_find(td_slice_of(name, len));
        if (option < 0) continue; /* Kubernetes and others put names of their own there */
        /* Kubernetes describes a service called thermodyn by THERMODYN_PORT=tcp://…: that is not for us. */
        if (option == TD_CONFIG_AT_port && strncmp(equals + 1, "tcp://", 6) == 0) continue;
        char said_as[120];
        snprintf(said_as, sizeof(said_as), "%.*s", (int)(equals - *entry), *entry);
        if (!td_config__set(reader, option, TD_CONFIG_FROM_ENVIRONMENT, said_as, td_slice_of_cstr(equals + 1))) {
            return false;
        }
    }
    return true;
}

/* What a kind alone cannot say. */
static bool check_whole(td_config_reader *reader)
{
    const td_config *config = reader->config;
    if (strlen(config->account) != 12 || strspn(config->account, "0123456789") != 12) {
        td_buf_append_format(reader->says, "account is \"%.100s\", but must be 12 digits", config->account);
        return false;
    }
    if (config->host[0] == '\0') {
        td_buf_append_lit(reader->says, "host is empty, but must be an address to listen on, such as 127.0.0.1");
        return false;
    }
    td_capacity_patch patch = {.has_enforce = false};
    const char *fault;
    if (!td_policy_parse(&patch, td_slice_of_cstr(config->exception_policy), &fault)) {
        td_buf_append_format(reader->says, "exception_policy is \"%.200s\": %s", config->exception_policy, fault);
        return false;
    }
    reader->config->capacity.policy = patch.settings.policy; /* what is not marked is the default, which is zero */
    return true;
}

/* A preset gives what no source gives by itself. */
static void apply_preset(td_config_reader *reader)
{
    td_config *config = reader->config;
    static const char *const names[] = {"faithful", "laptop", "unit-test"};
    td_capacity_settings given = config->capacity;
    bool is_known = td_capacity_settings_preset(&config->capacity, td_slice_of_cstr(names[config->preset]));
    TD_ASSERT(is_known);
    for (size_t i = 0; i < TD_CAPACITY_SETTING_COUNT; i++) {
        if (reader->source[TD_CONFIG_DEF_COUNT + i] > TD_CONFIG_FROM_DEFAULT) {
            config->capacity.values[i] = given.values[i];
        }
    }
    config->capacity.enforce = (td_enforce)config->enforce;
    config->capacity.era = (td_era)config->era;
    config->capacity.policy = given.policy;
}
