/* SPDX-License-Identifier: Apache-2.0
 * config_local.c: the command line of DynamoDB Local, so that its images and scripts run unchanged:
 *   -Djava.library.path=… -jar DynamoDBLocal.jar -port 8000 -inMemory -sharedDb -dbPath X -cors LIST
 *   -delayTransientStatuses -disableTelemetry -optimizeDbBeforeStartup
 * What has a counterpart sets it; what has none is accepted and does nothing. -help is answered by config.c. */
#include "config_private.h"

/* What an option of DynamoDB Local means here. */
typedef struct local_option {
    const char *name;
    bool has_value;
    int option;        /* that it sets; -1: none */
    const char *value; /* that it sets it to, when it takes none */
} local_option;

static const local_option local_options[] = {
    {"-port", true, TD_CONFIG_AT_port, NULL},
    {"-cors", true, TD_CONFIG_AT_cors_origins, NULL},
    {"-delayTransientStatuses", false, TD_CONFIG_AT_table_delays, "on"},
    {"-dbPath", true, TD_CONFIG_AT_data_dir, NULL},
    {"-inMemory", false, TD_CONFIG_AT_data_dir, ""},
    {"-jar", true, -1, NULL},
    {"-sharedDb", false, -1, NULL},
    {"-disableTelemetry", false, -1, NULL},
    {"-optimizeDbBeforeStartup", false, -1, NULL},
};

static const local_option *find_option(const char *text);
static bool contradicts(const td_config_reader *reader, const local_option *local, const char *value);

bool td_config__read_local_option(td_config_reader *reader, int argc, char **argv, int *at, bool *ret_is_valid)
{
    const char *text = argv[*at];
    *ret_is_valid = true;
    if (strncmp(text, "-D", 2) == 0 || strncmp(text, "-X", 2) == 0) { /* for the Java machine */
        *at += 1;
        return true;
    }
    const local_option *found = find_option(text);
    if (found == NULL) return false;
    if (found->has_value && *at + 1 >= argc) {
        td_buf_append_format(reader->says, "%s needs a value", text);
        *ret_is_valid = false;
        return true;
    }
    const char *value = found->has_value ? argv[*at + 1] : found->value;
    if (contradicts(reader, found, value)) {
        td_buf_append_format(reader->says, "%s contradicts an earlier option: memory or one directory keeps the items",
                             text);
        *ret_is_valid = false;
    } else if (found->option >= 0) {
        *ret_is_valid = td_config__set(reader, found->option, TD_CONFIG_FROM_FLAG, text, td_slice_of_cstr(value));
    }
    *at += found->has_value ? 2 : 1;
    return true;
}

static const local_option *find_option(const char *text)
{
    for (size_t i = 0; i < TD_COUNT_OF(local_options); i++) {
        if (strcmp(text, local_options[i].name) == 0) return &local_options[i];
    }
    return NULL;
}

/* The last of two ports counts, but nobody is to find out later that his data were kept nowhere. */
static bool contradicts(const td_config_reader *reader, const local_option *local, const char *value)
{
    return local->option == TD_CONFIG_AT_data_dir && reader->source[TD_CONFIG_AT_data_dir] == TD_CONFIG_FROM_FLAG &&
           strcmp(reader->config->data_dir, value) != 0;
}
