/* SPDX-License-Identifier: Apache-2.0
 * config_private.h: what the files of the configuration share, and what its tests drive.
 *
 * A value is set by the name of its option and the source that it comes from; a source never overrides a stronger one,
 * so the order in which sources are read does not matter. */
#ifndef THERMODYN_BASE_CONFIG_PRIVATE_H
#define THERMODYN_BASE_CONFIG_PRIVATE_H

#include "base/config.h"
#include "thermodyn/buf.h"

typedef enum td_config_kind {
    TD_CONFIG_KIND_text,
    TD_CONFIG_KIND_int,
    TD_CONFIG_KIND_switch,
    TD_CONFIG_KIND_choice,
    TD_CONFIG_KIND_list,
    TD_CONFIG_KIND_number, /* also the rows of capacity.def */
} td_config_kind;

/* A row of config.def or capacity.def. */
typedef struct td_config_option {
    td_config_kind kind;
    const char *name;
    const char *group;
    const char *default_text;
    const char *words;
    double min;
    double max;
    const char *meaning;
    size_t offset; /* of the value in td_config */
} td_config_option;

enum {
#define TD_OPTION(kind, name, ...) TD_CONFIG_AT_##name,
#include "base/config.def"
#undef TD_OPTION
    TD_CONFIG_DEF_COUNT,
    TD_CONFIG_OPTION_COUNT = TD_CONFIG_DEF_COUNT + TD_CAPACITY_SETTING_COUNT
};

/* From weak to strong. */
typedef enum td_config_source {
    TD_CONFIG_FROM_DEFAULT,
    TD_CONFIG_FROM_FILE,
    TD_CONFIG_FROM_ENVIRONMENT,
    TD_CONFIG_FROM_FLAG,
} td_config_source;

/* A configuration while it is read. */
typedef struct td_config_reader {
    td_config *config;
    const char *command;                              /* argv[0] */
    td_buf *says;                                     /* the sentence, when something is wrong */
    uint8_t source[TD_CONFIG_OPTION_COUNT];           /* td_config_source of each value */
} td_config_reader;

td_config_option td_config__option_at(size_t index); /* index < TD_CONFIG_OPTION_COUNT */

/* The option of that name, dashes and underscores being one; -1: none. */
int td_config__option_find(td_slice name);

/* The name most like this one, or "": for "did you mean". */
td_slice td_config__option_nearest(td_slice name);

/* All defaults. false: no memory. */
TD_MUST_USE bool td_config__set_defaults(td_config_reader *reader);

/* Sets one value; `said_as` is what the user wrote for the option ("--port", "THERMODYN_PORT", "file:3: port").
 * false: wrong, and reader->says holds the sentence. */
TD_MUST_USE bool td_config__set(td_config_reader *reader, int option, td_config_source source, const char *said_as,
                                td_slice value);

/* Reads the text of a configuration file; `path` is for the sentences. */
TD_MUST_USE bool td_config__read_text(td_config_reader *reader, const char *path, td_slice text);
TD_MUST_USE bool td_config__read_file(td_config_reader *reader, const char *path);

/* A DynamoDB Local option at argv[*at] ("-port", "-inMemory", "-jar" …)? Then true, *at moves past it, and
 * *ret_is_valid says whether its value was right. */
TD_MUST_USE bool td_config__read_local_option(td_config_reader *reader, int argc, char **argv, int *at,
                                              bool *ret_is_valid);

void td_config__write_help(td_buf *buf);
void td_config__write_sample(td_buf *buf); /* conf/thermodyn.conf */

/* config_print.c */
void td_config__write_manual(td_buf *buf);    /* thermodyn.1 */
void td_config__write_reference(td_buf *buf); /* docs/configuration.md */
void td_config__write_bash(td_buf *buf);      /* completions */
void td_config__write_zsh(td_buf *buf);
void td_config__write_fish(td_buf *buf);

/* td_config_load without the process: `environment` ends with NULL; what is to be printed goes into `says`. */
TD_MUST_USE td_config_outcome td_config__load(int argc, char **argv, char **environment, td_config *config,
                                              td_buf *says);

#endif
