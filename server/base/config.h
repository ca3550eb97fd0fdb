/* SPDX-License-Identifier: Apache-2.0
 * config.h: every option once (config.def): flag, environment variable, line of the configuration file, --help.
 * Read once at the start, read-only afterwards. Threads: any, after loading. */
#ifndef THERMODYN_BASE_CONFIG_H
#define THERMODYN_BASE_CONFIG_H

#include "thermodyn/arena.h"
#include "thermodyn/base.h"
#include "thermodyn/capacity.h"

/* The C types that config.def's kinds stand for. */
typedef const char *td_config_text; /* never NULL; "" when unset */
typedef const char *td_config_list; /* likewise; elements parted by commas */
typedef int64_t td_config_int;
typedef double td_config_number;
typedef bool td_config_switch;
typedef int td_config_choice; /* index into the row's list of words */

/* Choices that other code compares with; `hash` is a td_placement, `enforce` a td_enforce, `era` a td_era. */
enum { TD_MESSAGES_CLASSIC, TD_MESSAGES_MAJORITY, TD_MESSAGES_2026, TD_MESSAGES_COUNT };
enum { TD_AUTH_OFF, TD_AUTH_SIGV4 };
enum { TD_PRESET_FAITHFUL, TD_PRESET_LAPTOP, TD_PRESET_UNIT_TEST };
enum { TD_DURABILITY_SYNC, TD_DURABILITY_ASYNC };
enum { TD_LOG_FORMAT_TEXT, TD_LOG_FORMAT_JSON };

typedef struct td_config {
#define TD_OPTION(kind, name, ...) td_config_##kind name;
#include "base/config.def"
#undef TD_OPTION
    td_capacity_settings capacity; /* the rows of capacity.def are options too, and `enforce` and `preset` */
    const char *dump_to;           /* of `thermodyn dump`: the folder; "" when not given */
    td_arena texts;                /* private: what the texts above point into */
} td_config;

typedef enum td_config_outcome {
    TD_CONFIG_RUN,     /* go on */
    TD_CONFIG_PRINTED, /* --help or --version was answered: exit 0 */
    TD_CONFIG_INVALID, /* one clear sentence went to stderr: exit 2 */
} td_config_outcome;

/* Order of precedence: flag, environment (THERMODYN_…), file (--config), default. Call td_config_done in any case.
 * argv[0] is the name of the program, or of a command: what stands among the options of `load` is as if behind --init,
 * and among those of `dump` the folder. */
TD_MUST_USE td_config_outcome td_config_load(int argc, char **argv, td_config *ret_config);
void td_config_done(td_config *config);

#endif
