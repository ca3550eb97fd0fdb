/* SPDX-License-Identifier: Apache-2.0
 * ask.h: what subcommands that ask a running server have in common: their arguments, where the server is, GETs of its
 * control endpoints, and one clear sentence when something of that is wrong.
 * Options that are none of these say where the server is, as for `thermodyn health`: --port, --host, --port-file, … */
#ifndef THERMODYN_REPORT_ASK_H
#define THERMODYN_REPORT_ASK_H

#include "base/json_doc.h"
#include "http/client.h"

/* Exit codes. */
enum {
    TD_ASK_FINE = 0,  /* nothing that --fail-on names */
    TD_ASK_FOUND = 1, /* something that it names */
    TD_ASK_FAILED = 2 /* wrong arguments, no server that answers, or a file that cannot be written */
};

typedef enum td_ask_option {
    TD_ASK_ENDPOINT, /* also as --url */
    TD_ASK_TABLE,
    TD_ASK_INDEX,
    TD_ASK_FACTOR,
    TD_ASK_WINDOW,
    TD_ASK_SCOPE,
    TD_ASK_FAIL_ON,
    TD_ASK_JSON,   /* `advise` alone; it takes no value */
    TD_ASK_FORMAT, /* from here on `report` alone */
    TD_ASK_OUTPUT,
    TD_ASK_OPTION_COUNT
} td_ask_option;

typedef struct td_ask {
    const char *command; /* "advise", "report" */
    td_arena arena;      /* of the values and of what is made of the answers */
    const char
        *values[TD_ASK_OPTION_COUNT]; /* of a repeated --table or --fail-on all, parted by commas; NULL: not given */
    td_client client;
    char sentence[512]; /* why it fails */
} td_ask;

typedef enum td_ask_outcome { TD_ASK_GO, TD_ASK_HELP, TD_ASK_PRINTED, TD_ASK_WRONG } td_ask_outcome;

/* Reads the arguments behind the command, argv[0]. WRONG: the sentence has gone to stderr. Call td_ask_done always. */
TD_MUST_USE td_ask_outcome td_ask_init(td_ask *ask, int argc, char **argv);
void td_ask_done(td_ask *ask);

/* The whole of a command: its arguments, then `run` with them or `print_help`. Answers the exit code. */
int td_ask_run(int argc, char **argv, int (*run)(td_ask *ask), void (*print_help)(void));

/* The common options, for --help. */
extern const char td_ask_help[];

/* Writes the sentence and answers TD_ASK_FAILED. */
int td_ask_fail(const td_ask *ask);

/* Appends what the options want to be asked about to `target`, which has a "?" already: table, index, factor, … */
void td_ask_append_question(const td_ask *ask, td_buf *target);
/* "name=value", percent-encoded; in front of it '&', unless '?' or '&' stand there. */
void td_ask_append_parameter(td_buf *target, const char *name, const char *value);

/* GET of `target`: the answer's JSON in `text`, and taken apart in the arena. false: the sentence says why. The caller
 * calls td_buf_done in any case. */
TD_MUST_USE bool td_ask_get(td_ask *ask, td_slice target, td_arena *arena, td_buf *text,
                            const td_json_node **ret_answer);

/* ---- answers ---------------------------------------------------------------------------------------------------- */

/* A member of an object; NULL, "" or 0 when there is none, or none of that type, or the object is NULL or no object. */
const td_json_node *td_ask_member(const td_json_node *object, const char *name);
td_slice td_ask_text(const td_json_node *object, const char *name);
double td_ask_number(const td_json_node *object, const char *name);
/* The first element of a list, or of an object's members; NULL: there is none. */
const td_json_node *td_ask_first(const td_json_node *object, const char *name);

#endif
