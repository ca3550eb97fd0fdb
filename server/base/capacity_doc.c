/* SPDX-License-Identifier: Apache-2.0
 * capacity_doc.c: see capacity_doc.h. Names, ranges and defaults are those of capacity.def. */
#include "capacity_doc.h"

#include <stdarg.h>
#include <stdio.h>

const char *const td_enforce_names[3] = {
    [TD_ENFORCE_ON] = "on", [TD_ENFORCE_OFF] = "off", [TD_ENFORCE_OBSERVE] = "observe"};

const char *const td_era_names[3] = {
    [TD_ERA_STATIC] = "static", [TD_ERA_ADAPTIVE] = "adaptive", [TD_ERA_INSTANT] = "instant"};

static td_capacity_doc_result read_enforce(const td_json_node *node, td_capacity_patch *patch, char *sentence);
static td_capacity_doc_result read_era(const td_json_node *node, td_capacity_patch *patch, char *sentence);
static td_capacity_doc_result read_policy(const td_json_node *node, td_capacity_patch *patch, char *sentence);
static td_capacity_doc_result read_row(const td_json_node *node, size_t row, td_capacity_patch *patch,
                                       char *sentence);
static int find_word(const td_json_node *node, const char *const *words, int count);
static td_capacity_doc_result refuse(char *sentence, const char *format, ...) TD_PRINTF(2, 3);

bool td_capacity_doc_read_preset(const td_json_node *object, td_capacity_patch *patch, td_slice *ret_preset,
                                 char reterr_sentence[TD_CAPACITY_DOC_SENTENCE_BYTES])
{
    *ret_preset = TD_LIT("");
    const td_json_node *node = td_json_node_find(object, "preset");
    if (node == NULL) return true;
    bool is_text = td_json_node_get_type(node) == TD_JSON_NODE_TEXT;
    if (!is_text || !td_capacity_settings_preset(&patch->settings, td_json_node_text(node))) {
        (void)refuse(reterr_sentence, "\"preset\" must be \"faithful\", \"laptop\" or \"unit-test\"");
        return false;
    }
    *ret_preset = td_json_node_text(node);
    memset(patch->has_value, true, sizeof(patch->has_value));
    return true;
}

td_capacity_doc_result td_capacity_doc_read_member(const td_json_node *member, td_capacity_patch *patch,
                                                   char reterr_sentence[TD_CAPACITY_DOC_SENTENCE_BYTES])
{
    td_slice name = td_json_node_name(member);
    if (td_slice_equal(name, TD_LIT("preset"))) return TD_CAPACITY_DOC_TAKEN;
    if (td_slice_equal(name, TD_LIT("enforce"))) return read_enforce(member, patch, reterr_sentence);
    if (td_slice_equal(name, TD_LIT("era"))) return read_era(member, patch, reterr_sentence);
    if (td_slice_equal(name, TD_LIT("exception_policy"))) return read_policy(member, patch, reterr_sentence);
    for (size_t i = 0; i < TD_CAPACITY_SETTING_COUNT; i++) {
        if (td_slice_equal(name, td_slice_of_cstr(td_capacity_rows[i].name))) {
            return read_row(member, i, patch, reterr_sentence);
        }
    }
    return TD_CAPACITY_DOC_UNKNOWN;
}

static td_capacity_doc_result read_enforce(const td_json_node *node, td_capacity_patch *patch, char *sentence)
{
    int word = find_word(node, td_enforce_names, (int)TD_COUNT_OF(td_enforce_names));
    if (word < 0) return refuse(sentence, "\"enforce\" must be \"on\", \"off\" or \"observe\"");
    patch->has_enforce = true;
    patch->settings.enforce = (td_enforce)word;
    return TD_CAPACITY_DOC_TAKEN;
}

static td_capacity_doc_result read_era(const td_json_node *node, td_capacity_patch *patch, char *sentence)
{
    int word = find_word(node, td_era_names, (int)TD_COUNT_OF(td_era_names));
    if (word < 0) return refuse(sentence, "\"era\" must be \"static\", \"adaptive\" or \"instant\"");
    patch->has_era = true;
    patch->settings.era = (td_era)word;
    return TD_CAPACITY_DOC_TAKEN;
}

/* An object whose members are cells, as GET answers it; cells that it does not name stay as they are. */
static td_capacity_doc_result read_policy(const td_json_node *node, td_capacity_patch *patch, char *sentence)
{
    if (td_json_node_get_type(node) != TD_JSON_NODE_OBJECT) {
        return refuse(sentence, "\"exception_policy\" must be an object of cells and exceptions");
    }
    for (const td_json_node *cell = td_json_node_first(node); cell != NULL; cell = td_json_node_next(cell)) {
        bool is_text = td_json_node_get_type(cell) == TD_JSON_NODE_TEXT;
        td_slice name = td_json_node_name(cell);
        td_slice answer = is_text ? td_json_node_text(cell) : td_slice_of(NULL, 0);
        const char *fault;
        if (td_policy_set(patch, name, answer, &fault)) continue;
        return refuse(sentence, "\"exception_policy\" has \"%.*s\", but %s", TD_SHOWN(name), fault);
    }
    return TD_CAPACITY_DOC_TAKEN;
}

/* A number; rows that are switches also take true and false. */
static td_capacity_doc_result read_row(const td_json_node *node, size_t row, td_capacity_patch *patch, char *sentence)
{
    const td_capacity_row *about = &td_capacity_rows[row];
    td_json_node_type type = td_json_node_get_type(node);
    bool is_bool = type == TD_JSON_NODE_BOOL && about->min == 0 && about->max == 1;
    double value = is_bool ? (td_json_node_is_true(node) ? 1 : 0) : about->min - 1;
    if (type == TD_JSON_NODE_NUMBER) value = td_json_node_number(node);
    if (value < about->min || value > about->max) {
        return refuse(sentence, "\"%s\" must be a number from %.15g to %.15g", about->name, about->min, about->max);
    }
    patch->has_value[row] = true;
    patch->settings.values[row] = value;
    return TD_CAPACITY_DOC_TAKEN;
}

/* -1: it is none of them. */
static int find_word(const td_json_node *node, const char *const *words, int count)
{
    if (td_json_node_get_type(node) != TD_JSON_NODE_TEXT) return -1;
    for (int i = 0; i < count; i++) {
        if (td_slice_equal(td_json_node_text(node), td_slice_of_cstr(words[i]))) return i;
    }
    return -1;
}

static td_capacity_doc_result refuse(char *sentence, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(sentence, TD_CAPACITY_DOC_SENTENCE_BYTES, format, args);
    va_end(args);
    return TD_CAPACITY_DOC_WRONG;
}
