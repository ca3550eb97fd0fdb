/* SPDX-License-Identifier: Apache-2.0
 * config_help.c: what is written from the table of options: --help, and the sample file conf/thermodyn.conf. */
#include "config_private.h"

#include <stdio.h>

#define FLAG_COLUMN 44

static void write_flag(td_buf *buf, const td_config_option *option);
static void write_wrapped(td_buf *buf, td_slice text, size_t indent);
static bool starts_group(size_t index);

void td_config__write_help(td_buf *buf)
{
    td_buf_append_lit(buf, "Thermodyn: a DynamoDB-compatible server that emulates partitions and throttling.\n\n"
                           "usage: thermodyn [OPTION]...\n"
                           "       thermodyn health [OPTION]...   ask the running server; exit 0 when it is well\n"
                           "       thermodyn check --data-dir DIR verify a data directory; exit 0 when it is sound\n"
                           "       thermodyn dump --data-dir DIR FOLDER   its tables as files of JSON\n"
                           "       thermodyn load --data-dir DIR PATH...  what --init takes, into a data directory\n"
                           "       thermodyn advise [OPTION]...   what its traffic says of its tables' key design\n"
                           "       thermodyn report [OPTION]...   what its traffic did to its tables, for CI too\n"
                           "       thermodyn simulate SCENARIO [OPTION]...   load in virtual time (simulate --help)\n"
                           "       thermodyn --help | --version | --print-config | --print-reference | --print-manual\n"
                           "       thermodyn --print-bash | --print-zsh | --print-fish   completions\n\n"
                           "An option may also stand in the environment (THERMODYN_PORT_FILE for --port-file) or in\n"
                           "the file that --config names (port_file = …); flags are strongest, the file is weakest.\n"
                           "The command line of DynamoDB Local (-port, -inMemory, -sharedDb, …) is understood.\n");
    for (size_t i = 0; i < TD_CONFIG_OPTION_COUNT; i++) {
        td_config_option option = td_config__option_at(i);
        if (starts_group(i)) td_buf_append_format(buf, "\n%s\n", option.group);
        write_flag(buf, &option);
    }
}

void td_config__write_sample(td_buf *buf)
{
    td_buf_append_lit(buf, "# Every option of Thermodyn with its default. Take away the '#' before a name to set it;\n"
                           "# use it with: thermodyn --config thermodyn.conf\n"
                           "# Flags (--port 8001) and the environment (THERMODYN_PORT=8001) are stronger.\n");
    for (size_t i = 0; i < TD_CONFIG_OPTION_COUNT; i++) {
        td_config_option option = td_config__option_at(i);
        if (i == TD_CONFIG_AT_config) continue;
        if (starts_group(i)) td_buf_append_format(buf, "\n# ---- %s ----\n", option.group);
        td_buf_append_format(buf, "\n# %s", option.meaning);
        if (option.kind == TD_CONFIG_KIND_choice || option.kind == TD_CONFIG_KIND_switch) {
            td_buf_append_format(buf, " (%s)", option.words);
        } else if (option.kind == TD_CONFIG_KIND_int || option.kind == TD_CONFIG_KIND_number) {
            td_buf_append_format(buf, " (%.15g to %.15g)", option.min, option.max);
        }
        td_buf_append_format(buf, "\n#%s =%s%s\n", option.name, option.default_text[0] == '\0' ? "" : " ",
                             option.default_text);
    }
}

/* "  --port-file FILE      meaning (default)", the meaning in a column of its own. */
static void write_flag(td_buf *buf, const td_config_option *option)
{
    size_t start = buf->len;
    td_buf_append_lit(buf, "  --");
    for (const char *at = option->name; *at != '\0'; at++) {
        td_buf_append_byte(buf, (uint8_t)(*at == '_' ? '-' : *at));
    }
    td_buf_append_format(buf, " %s", option->words);
    size_t used = buf->len - start;
    if (used + 2 > FLAG_COLUMN) {
        td_buf_append_byte(buf, '\n');
        used = 0;
    }
    td_buf_append_format(buf, "%*s", (int)(FLAG_COLUMN - used), "");
    char text[256];
    const char *shown = option->default_text[0] == '\0' ? "none" : option->default_text;
    int len = snprintf(text, sizeof(text), "%s (%s)", option->meaning, shown);
    TD_ASSERT(len > 0 && (size_t)len < sizeof(text));
    write_wrapped(buf, td_slice_of(text, (size_t)len), FLAG_COLUMN);
}

/* Breaks the text at blanks so that lines stay within 110 columns. */
static void write_wrapped(td_buf *buf, td_slice text, size_t indent)
{
    size_t room = 110 - indent;
    while (text.len > room) {
        size_t cut = room;
        while (cut > 0 && text.ptr[cut] != ' ') {
            cut--;
        }
        if (cut == 0) break;
        td_buf_append(buf, td_slice_of(text.ptr, cut));
        td_buf_append_format(buf, "\n%*s", (int)indent, "");
        text = td_slice_of(text.ptr + cut + 1, text.len - cut - 1);
    }
    td_buf_append(buf, text);
    td_buf_append_byte(buf, '\n');
}

static bool starts_group(size_t index)
{
    if (index == 0) return true;
    return strcmp(td_config__option_at(index).group, td_config__option_at(index - 1).group) != 0;
}
