/* SPDX-License-Identifier: Apache-2.0
 * config_print.c: what else is written from the table of options, so that no spelling can differ: the manual page, the
 * reference docs/configuration.md, and completions for bash, zsh and fish.
 * Not here: --help and the sample file (config_help.c). */
#include "config_private.h"

/* How a text is protected from the language that it stands in. */
typedef enum quoting { QUOTE_MAN, QUOTE_MARKDOWN, QUOTE_ZSH, QUOTE_FISH } quoting;

static const struct {
    const char *name;
    const char *operands; /* as they stand behind it */
    const char *meaning;
} commands[] = {
    {"health", "", "ask the running server; exit 0 when it is well"},
    {"check", "", "verify the data directory of --data-dir; exit 0 when it is sound"},
    {"dump", " FOLDER", "write the tables of the data directory of --data-dir as files of JSON"},
    {"load", " PATH...", "put tables and items, what --init takes, into the data directory of --data-dir"},
    {"advise", "", "what its traffic says of its tables' key design"},
    {"report", "", "what its traffic did to its tables, as a page or for CI"},
    {"simulate", " SCENARIO", "load in virtual time"},
};

static const struct {
    const char *flag;
    const char *meaning;
} answers[] = {
    {"help", "all options"},
    {"version", "the version"},
    {"print-config", "a configuration file with all defaults"},
    {"print-manual", "the manual page"},
    {"print-reference", "all options as Markdown"},
    {"print-bash", "completions for bash"},
    {"print-zsh", "completions for zsh"},
    {"print-fish", "completions for fish"},
};

static void append_quoted(td_buf *buf, const char *text, quoting how);
static void append_flag(td_buf *buf, const td_config_option *option, const char *dash);
static void append_words(td_buf *buf, const td_config_option *option, char separator);
static bool starts_group(size_t index);
static bool takes_file(const td_config_option *option);
static bool takes_word(const td_config_option *option);

/* ---- the manual page -----------------------------------------------------------------------------------------------
 */

static void write_manual_options(td_buf *buf)
{
    for (size_t i = 0; i < TD_CONFIG_OPTION_COUNT; i++) {
        td_config_option option = td_config__option_at(i);
        if (starts_group(i)) td_buf_append_format(buf, ".SS %s\n", option.group);
        td_buf_append_lit(buf, ".TP\n\\fB\\-\\-");
        append_flag(buf, &option, "\\-");
        td_buf_append_lit(buf, "\\fR \\fI");
        append_quoted(buf, option.words, QUOTE_MAN);
        td_buf_append_lit(buf, "\\fR\n");
        append_quoted(buf, option.meaning, QUOTE_MAN);
        if (option.default_text[0] != '\0') {
            td_buf_append_lit(buf, ". Default: ");
            append_quoted(buf, option.default_text, QUOTE_MAN);
        }
        td_buf_append_byte(buf, '\n');
    }
}

void td_config__write_manual(td_buf *buf)
{
    td_buf_append_format(buf, ".TH THERMODYN 1 \"\" \"Thermodyn %s\" \"User Commands\"\n", TD_VERSION);
    td_buf_append_lit(buf,
                      ".SH NAME\nthermodyn \\- a DynamoDB-compatible server that emulates partitions and throttling\n"
                      ".SH SYNOPSIS\n.B thermodyn\n[\\fIOPTION\\fR]...\n");
    for (size_t i = 0; i < TD_COUNT_OF(commands); i++)
        td_buf_append_format(buf, ".br\n.B thermodyn %s\n\\fI%s\\fR [\\fIOPTION\\fR]...\n", commands[i].name,
                             commands[i].operands + (commands[i].operands[0] == ' '));
    td_buf_append_lit(
        buf, ".SH DESCRIPTION\nA server that AWS SDKs take for DynamoDB. It meters and partitions as the service "
             "does, so that a hot key is throttled here as it is there.\n.SH COMMANDS\n");
    for (size_t i = 0; i < TD_COUNT_OF(commands); i++) {
        td_buf_append_format(buf, ".TP\n.B %s\n", commands[i].name);
        append_quoted(buf, commands[i].meaning, QUOTE_MAN);
        td_buf_append_byte(buf, '\n');
    }
    td_buf_append_lit(buf,
                      ".SH OPTIONS\nFlags are strongest, then the environment, then the file that\n.B \\-\\-config\n"
                      "names. The command line of DynamoDB Local is understood.\n");
    write_manual_options(buf);
    td_buf_append_lit(buf, ".SS Answers\n");
    for (size_t i = 0; i < TD_COUNT_OF(answers); i++) {
        td_buf_append_lit(buf, ".TP\n\\fB\\-\\-");
        append_quoted(buf, answers[i].flag, QUOTE_MAN);
        td_buf_append_lit(buf, "\\fR\nprints ");
        append_quoted(buf, answers[i].meaning, QUOTE_MAN);
        td_buf_append_byte(buf, '\n');
    }
    td_buf_append_lit(
        buf, ".SH ENVIRONMENT\nEvery option, in upper case behind THERMODYN_:\n.B THERMODYN_PORT_FILE\nis\n"
             ".BR \\-\\-port\\-file .\n"
             ".SH EXIT STATUS\n0 when a signal ended it in order, 1 when it could not start or go on, 2 for wrong "
             "arguments, configuration or fixtures.\n"
             ".SH FILES\n.TP\n.I /etc/thermodyn/thermodyn.conf\nwhat the system's service is configured by\n");
}

/* ---- Markdown ------------------------------------------------------------------------------------------------------
 */

void td_config__write_reference(td_buf *buf)
{
    td_buf_append_lit(
        buf, "# Configuration\n\n"
             "Every option of `thermodyn`, as `thermodyn --print-reference` writes it. `--port-file FILE` on the\n"
             "command line is `THERMODYN_PORT_FILE=FILE` in the environment and `port_file = FILE` in the file that\n"
             "`--config` names; flags are strongest, the file is weakest. `thermodyn --print-config` writes a file\n"
             "with all defaults: [thermodyn.conf](../conf/thermodyn.conf). A switch alone means on; a list has\n"
             "commas, or is given several times. `thermodyn --print-bash`, `--print-zsh` and `--print-fish` write\n"
             "completions, `--print-manual` the manual page.\n");
    for (size_t i = 0; i < TD_CONFIG_OPTION_COUNT; i++) {
        td_config_option option = td_config__option_at(i);
        if (starts_group(i)) {
            td_buf_append_format(buf, "\n## %s\n\n| option | default | meaning |\n| --- | --- | --- |\n", option.group);
        }
        td_buf_append_lit(buf, "| `--");
        append_flag(buf, &option, "-");
        td_buf_append_byte(buf, ' ');
        append_quoted(buf, option.words, QUOTE_MARKDOWN);
        td_buf_append_format(buf, "` | %s | ", option.default_text);
        append_quoted(buf, option.meaning, QUOTE_MARKDOWN);
        if (option.kind == TD_CONFIG_KIND_int || option.kind == TD_CONFIG_KIND_number) {
            td_buf_append_format(buf, " (%.15g to %.15g)", option.min, option.max);
        }
        td_buf_append_lit(buf, " |\n");
    }
}

/* ---- completions ---------------------------------------------------------------------------------------------------
 */

void td_config__write_bash(td_buf *buf)
{
    td_buf_append_lit(buf, "# bash completion of thermodyn, as thermodyn --print-bash writes it\n_thermodyn() {\n"
                           "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
                           "    case $before in\n");
    for (size_t i = 0; i < TD_CONFIG_OPTION_COUNT; i++) {
        td_config_option option = td_config__option_at(i);
        td_buf_append_lit(buf, "    --");
        append_flag(buf, &option, "-");
        if (takes_word(&option)) {
            td_buf_append_lit(buf, ") mapfile -t COMPREPLY < <(compgen -W \"");
            append_words(buf, &option, ' ');
            td_buf_append_lit(buf, "\" -- \"$word\") ;;\n");
        } else {
            td_buf_append(buf, takes_file(&option) ? TD_LIT(") mapfile -t COMPREPLY < <(compgen -f -- \"$word\") ;;\n")
                                                   : TD_LIT(") COMPREPLY=() ;;\n"));
        }
    }
    td_buf_append_lit(buf, "    *) mapfile -t COMPREPLY < <(compgen -W \"");
    for (size_t i = 0; i < TD_COUNT_OF(commands); i++)
        td_buf_append_format(buf, "%s ", commands[i].name);
    for (size_t i = 0; i < TD_COUNT_OF(answers); i++)
        td_buf_append_format(buf, "--%s ", answers[i].flag);
    for (size_t i = 0; i < TD_CONFIG_OPTION_COUNT; i++) {
        td_config_option option = td_config__option_at(i);
        td_buf_append(buf, i == 0 ? TD_LIT("--") : TD_LIT(" --"));
        append_flag(buf, &option, "-");
    }
    td_buf_append_lit(buf, "\" -- \"$word\") ;;\n    esac\n}\ncomplete -F _thermodyn thermodyn\n");
}

void td_config__write_zsh(td_buf *buf)
{
    td_buf_append_lit(
        buf, "#compdef thermodyn\n# zsh completion of thermodyn, as thermodyn --print-zsh writes it\n_arguments \\\n"
             "    '1:command:(");
    for (size_t i = 0; i < TD_COUNT_OF(commands); i++)
        td_buf_append_format(buf, "%s%s", i == 0 ? "" : " ", commands[i].name);
    td_buf_append_lit(buf, ")'");
    for (size_t i = 0; i < TD_COUNT_OF(answers); i++)
        td_buf_append_format(buf, " \\\n    '--%s[print %s]'", answers[i].flag, answers[i].meaning);
    for (size_t i = 0; i < TD_CONFIG_OPTION_COUNT; i++) {
        td_config_option option = td_config__option_at(i);
        td_buf_append_lit(buf, " \\\n    '--");
        append_flag(buf, &option, "-");
        td_buf_append_byte(buf, '[');
        append_quoted(buf, option.meaning, QUOTE_ZSH);
        td_buf_append_lit(buf, "]:");
        append_quoted(buf, takes_word(&option) ? "word" : option.words, QUOTE_ZSH);
        td_buf_append_byte(buf, ':');
        if (takes_word(&option)) {
            td_buf_append_byte(buf, '(');
            append_words(buf, &option, ' ');
            td_buf_append_byte(buf, ')');
        } else if (takes_file(&option)) {
            td_buf_append_lit(buf, "_files");
        }
        td_buf_append_byte(buf, '\'');
    }
    td_buf_append_byte(buf, '\n');
}

void td_config__write_fish(td_buf *buf)
{
    td_buf_append_lit(
        buf, "# fish completion of thermodyn, as thermodyn --print-fish writes it\ncomplete -c thermodyn -f\n");
    for (size_t i = 0; i < TD_COUNT_OF(commands); i++) {
        td_buf_append_format(buf, "complete -c thermodyn -n __fish_use_subcommand -a %s -d '", commands[i].name);
        append_quoted(buf, commands[i].meaning, QUOTE_FISH);
        td_buf_append_lit(buf, "'\n");
    }
    for (size_t i = 0; i < TD_COUNT_OF(answers); i++)
        td_buf_append_format(buf, "complete -c thermodyn -l %s -d 'print %s'\n", answers[i].flag, answers[i].meaning);
    for (size_t i = 0; i < TD_CONFIG_OPTION_COUNT; i++) {
        td_config_option option = td_config__option_at(i);
        td_buf_append_lit(buf, "complete -c thermodyn -l ");
        append_flag(buf, &option, "-");
        td_buf_append(buf, takes_file(&option) ? TD_LIT(" -r -F") : TD_LIT(" -x"));
        if (takes_word(&option)) {
            td_buf_append_lit(buf, " -a '");
            append_words(buf, &option, ' ');
            td_buf_append_byte(buf, '\'');
        }
        td_buf_append_lit(buf, " -d '");
        append_quoted(buf, option.meaning, QUOTE_FISH);
        td_buf_append_lit(buf, "'\n");
    }
}

/* ---- parts ---------------------------------------------------------------------------------------------------------
 */

static bool takes_file(const td_config_option *option)
{
    return strcmp(option->words, "FILE") == 0 || strcmp(option->words, "PATHS") == 0;
}

static bool takes_word(const td_config_option *option)
{
    return option->kind == TD_CONFIG_KIND_choice || option->kind == TD_CONFIG_KIND_switch;
}

static bool starts_group(size_t index)
{
    if (index == 0) return true;
    return strcmp(td_config__option_at(index).group, td_config__option_at(index - 1).group) != 0;
}

static void append_flag(td_buf *buf, const td_config_option *option, const char *dash)
{
    for (const char *at = option->name; *at != '\0'; at++) {
        if (*at == '_') {
            td_buf_append(buf, td_slice_of_cstr(dash));
        } else {
            td_buf_append_byte(buf, (uint8_t)*at);
        }
    }
}

/* "a|b" with another separator. */
static void append_words(td_buf *buf, const td_config_option *option, char separator)
{
    for (const char *at = option->words; *at != '\0'; at++)
        td_buf_append_byte(buf, (uint8_t)(*at == '|' ? separator : *at));
}

static void append_quoted(td_buf *buf, const char *text, quoting how)
{
    static const char *const special[] = {
        [QUOTE_MAN] = "-", [QUOTE_MARKDOWN] = "|", [QUOTE_ZSH] = "[]:\\", [QUOTE_FISH] = "'\\"};
    for (const char *at = text; *at != '\0'; at++) {
        if (how == QUOTE_ZSH && *at == '\'') {
            td_buf_append_lit(buf, "'\\''");
            continue;
        }
        if (strchr(special[how], *at) != NULL) td_buf_append_byte(buf, '\\');
        td_buf_append_byte(buf, (uint8_t)*at);
    }
}
