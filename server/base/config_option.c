/* SPDX-License-Identifier: Apache-2.0
 * config_option.c: the table of options, from config.def and capacity.def, and how a text becomes an option's value.
 * Not here: where the texts come from (config.c, config_file.c, config_local.c). */
#include "config_private.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <strings.h>

#include "thermodyn/text.h"

#define OPTION_NAME_MAX 64
#define SUGGESTION_DISTANCE_MAX 4

static const td_config_option options[TD_CONFIG_OPTION_COUNT] = {
#define TD_OPTION(kind, name, group, default_text, words, min, max, meaning)                                           \
    {TD_CONFIG_KIND_##kind, #name, group, default_text, words, (double)(min), (double)(max), meaning,                  \
     offsetof(td_config, name)},
#include "base/config.def"
#undef TD_OPTION
#define TD_CAPACITY(name, default_value, min, max, meaning)                                                            \
    {TD_CONFIG_KIND_number, #name, "Capacity", #default_value, "NUMBER", min, max, meaning,                            \
     offsetof(td_config, capacity.values) + TD_CAPACITY_##name * sizeof(double)},
#include "thermodyn/capacity.def"
#undef TD_CAPACITY
};

static bool refuse(const td_config_reader *reader, const td_config_option *option, const char *said_as, td_slice value);
static bool parse_int(const td_config_option *option, td_slice value, int64_t *ret_number);
static bool parse_number(const td_config_option *option, td_slice value, double *ret_number);
static bool parse_switch(td_slice value, bool *ret_is_on);
static int find_word(const char *words, td_slice word);
static bool set_text(td_config_reader *reader, const char **place, td_slice value, const char *before);
static unsigned distance(td_slice a, td_slice b);

td_config_option td_config__option_at(size_t index)
{
    TD_ASSERT(index < TD_CONFIG_OPTION_COUNT);
    return options[index];
}

int td_config__option_find(td_slice name)
{
    char plain[OPTION_NAME_MAX];
    if (name.len >= sizeof(plain)) return -1;
    for (size_t i = 0; i < name.len; i++) {
        plain[i] = (char)(name.ptr[i] == '-' ? '_' : name.ptr[i]);
    }
    td_slice wanted = td_slice_of(plain, name.len);
    for (int i = 0; i < TD_CONFIG_OPTION_COUNT; i++) {
        if (td_slice_equal(wanted, td_slice_of_cstr(options[i].name))) return i;
    }
    return -1;
}

td_slice td_config__option_nearest(td_slice name)
{
    td_slice nearest = {NULL, 0};
    unsigned least = SUGGESTION_DISTANCE_MAX;
    for (size_t i = 0; name.len < OPTION_NAME_MAX && i < TD_CONFIG_OPTION_COUNT; i++) {
        td_slice candidate = td_slice_of_cstr(options[i].name);
        unsigned far = distance(name, candidate);
        if (far < least && far < candidate.len / 2 + 1) {
            least = far;
            nearest = candidate;
        }
    }
    return nearest;
}

bool td_config__set_defaults(td_config_reader *reader)
{
    td_capacity_settings_init(&reader->config->capacity);
    for (int i = 0; i < TD_CONFIG_OPTION_COUNT; i++) {
        td_slice value = td_slice_of_cstr(options[i].default_text);
        if (!td_config__set(reader, i, TD_CONFIG_FROM_DEFAULT, options[i].name, value)) return false;
    }
    return true;
}

bool td_config__set(td_config_reader *reader, int at, td_config_source source, const char *said_as, td_slice value)
{
    TD_ASSERT(at >= 0 && at < TD_CONFIG_OPTION_COUNT);
    const td_config_option *option = &options[at];
    void *place = (char *)reader->config + option->offset;
    bool is_overridden = reader->source[at] > source;
    int64_t whole = 0;
    double number = 0;
    bool is_on = false;
    int word = -1;
    switch (option->kind) {
    case TD_CONFIG_KIND_int:
        if (!parse_int(option, value, &whole)) return refuse(reader, option, said_as, value);
        if (!is_overridden) *(td_config_int *)place = whole;
        break;
    case TD_CONFIG_KIND_number:
        if (!parse_number(option, value, &number)) return refuse(reader, option, said_as, value);
        if (!is_overridden) *(double *)place = number;
        break;
    case TD_CONFIG_KIND_switch:
        if (!parse_switch(value, &is_on)) return refuse(reader, option, said_as, value);
        if (!is_overridden) *(td_config_switch *)place = is_on;
        break;
    case TD_CONFIG_KIND_choice:
        word = find_word(option->words, value);
        if (word < 0) return refuse(reader, option, said_as, value);
        if (!is_overridden) *(td_config_choice *)place = word;
        break;
    case TD_CONFIG_KIND_text:
    case TD_CONFIG_KIND_list: {
        const char **text = place;
        bool adds = option->kind == TD_CONFIG_KIND_list && reader->source[at] == source && *text != NULL && **text;
        if (!is_overridden && !set_text(reader, text, value, adds ? *text : NULL)) return false;
        break;
    }
    }
    if (!is_overridden) reader->source[at] = (uint8_t)source;
    return true;
}

static bool refuse(const td_config_reader *reader, const td_config_option *option, const char *said_as, td_slice value)
{
    td_buf *says = reader->says;
    td_buf_append_format(says, "%s is \"%.*s\", but must be ", said_as, (int)(value.len < 200 ? value.len : 200),
                         value.len == 0 ? "" : (const char *)value.ptr);
    switch (option->kind) {
    case TD_CONFIG_KIND_int:
        td_buf_append_format(says, "a whole number from %.0f to %.0f", option->min, option->max);
        break;
    case TD_CONFIG_KIND_number:
        td_buf_append_format(says, "a number from %.15g to %.15g", option->min, option->max);
        break;
    case TD_CONFIG_KIND_switch: td_buf_append_lit(says, "on or off"); break;
    case TD_CONFIG_KIND_choice:
        td_buf_append_lit(says, "one of ");
        for (const char *at = option->words; *at != '\0'; at++) {
            if (*at == '|') {
                td_buf_append_lit(says, ", ");
            } else {
                td_buf_append_byte(says, (uint8_t)*at);
            }
        }
        break;
    case TD_CONFIG_KIND_text:
    case TD_CONFIG_KIND_list: td_buf_append_lit(says, "a text without control characters"); break;
    }
    return false;
}

static bool parse_int(const td_config_option *option, td_slice value, int64_t *ret_number)
{
    int64_t number;
    if (!td_parse_int64(value, &number)) return false;
    bool has_max = option->max < (double)INT64_MAX;
    if (number < (int64_t)option->min || (has_max && number > (int64_t)option->max)) return false;
    *ret_number = number;
    return true;
}

/* Digits, a point and an exponent, or on and off for the rows that are switches: 1 and 0. */
static bool parse_number(const td_config_option *option, td_slice value, double *ret_number)
{
    char text[64];
    bool is_on;
    bool is_switch = option->min == 0 && option->max == 1;
    if (is_switch && parse_switch(value, &is_on)) {
        *ret_number = is_on ? 1 : 0;
        return true;
    }
    if (value.len == 0 || value.len >= sizeof(text)) return false;
    memcpy(text, value.ptr, value.len);
    text[value.len] = '\0';
    if (strspn(text, "0123456789.eE+-") != value.len) return false;
    char *end;
    double number = strtod(text, &end);
    if (end != text + value.len || !isfinite(number) || number < option->min || number > option->max) return false;
    *ret_number = number;
    return true;
}

static bool parse_switch(td_slice value, bool *ret_is_on)
{
    int word = find_word("on|off|true|false|yes|no", value);
    if (word < 0) return false;
    *ret_is_on = word % 2 == 0;
    return true;
}

/* The position of the word in a list parted by '|'; -1: not in it. */
static int find_word(const char *words, td_slice word)
{
    int index = 0;
    for (const char *at = words;; index++) {
        size_t len = strcspn(at, "|");
        if (len == word.len && memcmp(at, word.ptr, len) == 0) return index;
        if (at[len] == '\0') return -1;
        at += len + 1;
    }
}

/* Keeps the text, behind `before` and a comma when that is given. */
static bool set_text(td_config_reader *reader, const char **place, td_slice value, const char *before)
{
    size_t before_len = before == NULL ? 0 : strlen(before) + 1;
    char *text = td_arena_alloc(&reader->config->texts, before_len + value.len + 1);
    if (text == NULL) {
        td_buf_append_lit(reader->says, "out of memory");
        return false;
    }
    if (before != NULL) {
        memcpy(text, before, before_len - 1);
        text[before_len - 1] = ',';
    }
    if (value.len > 0) memcpy(text + before_len, value.ptr, value.len);
    text[before_len + value.len] = '\0';
    *place = text;
    return true;
}

/* Levenshtein's distance, '-' and '_' being one. Both texts are shorter than OPTION_NAME_MAX. */
static unsigned distance(td_slice a, td_slice b)
{
    unsigned row[OPTION_NAME_MAX + 1];
    for (size_t j = 0; j <= b.len; j++) {
        row[j] = (unsigned)j;
    }
    for (size_t i = 0; i < a.len; i++) {
        unsigned diagonal = row[0];
        row[0] = (unsigned)i + 1;
        uint8_t byte = a.ptr[i] == '-' ? '_' : a.ptr[i];
        for (size_t j = 0; j < b.len; j++) {
            unsigned change = diagonal + (byte != b.ptr[j]);
            diagonal = row[j + 1];
            unsigned step = (row[j] < row[j + 1] ? row[j] : row[j + 1]) + 1;
            row[j + 1] = change < step ? change : step;
        }
    }
    return row[b.len];
}
