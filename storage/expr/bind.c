/* SPDX-License-Identifier: MIT
 * bind.c: names and values in place of marks; reserved words; marks that no expression used.
 * Model: a request's marks are shared by its expressions; each use is remembered in the mark. A few marks are searched
 * one by one, many through an order by bytes that is made at the first use.
 * Not here: whether a value's type fits its place (check.c). */
#include "ast.h"

#include <stdlib.h>

enum { SEARCHED_ONE_BY_ONE_MAX = 8 };

static td_status find_name(td_compiler *compiler, td_slice mark, td_expr_name **ret_name);
static td_status find_value(td_compiler *compiler, td_slice mark, td_expr_value **ret_value);

static const char *const reserved_words[] = {
#define TD_RESERVED(word) #word,
#include "reserved.def"
#undef TD_RESERVED
};

enum { RESERVED_LEN_MAX = 14 };

static int compare_words(const void *word, const void *element)
{
    return strcmp((const char *)word, *(const char *const *)element);
}

bool td_expr_is_reserved(td_slice word)
{
    char upper[RESERVED_LEN_MAX + 1];
    if (word.len > RESERVED_LEN_MAX) return false;
    for (size_t i = 0; i < word.len; i++) {
        uint8_t byte = word.ptr[i];
        if (byte >= 'a' && byte <= 'z') byte = (uint8_t)(byte - 'a' + 'A');
        upper[i] = (char)byte;
    }
    upper[word.len] = '\0';
    return bsearch(upper, reserved_words, TD_COUNT_OF(reserved_words), sizeof reserved_words[0], compare_words) != NULL;
}

td_status td_expr__bind_path(td_compiler *compiler, td_path *path)
{
    td_rank reserved_rank = compiler->grammar == TD_GRAMMAR_CONDITION ? TD_RANK_RESERVED : TD_RANK_RESERVED_EARLY;
    for (uint32_t i = 0; i < path->count; i++) {
        td_step *step = &path->steps[i];
        if (step->is_index) continue;
        if (!step->is_mark) {
            if (td_expr_is_reserved(step->name))
                td_expr__fault(compiler, reserved_rank, TD_MSG_EXPR_RESERVED_WORD, step->name, TD_LIT(""));
            continue;
        }
        td_expr_name *name;
        TD_TRY(find_name(compiler, step->name, &name));
        if (name == NULL) {
            td_expr__fault(compiler, TD_RANK_NAME, TD_MSG_EXPR_NAME_UNDEFINED, step->name, TD_LIT(""));
            continue;
        }
        name->is_used = true;
        step->name = name->name;
        step->is_mark = false;
    }
    return TD_OK;
}

td_status td_expr__bind_value(td_compiler *compiler, td_node *node)
{
    TD_ASSERT(node->kind == TD_NODE_VALUE);
    td_expr_value *value;
    td_slice mark = td_expr__token_text(compiler, node->token);
    TD_TRY(find_value(compiler, mark, &value));
    if (value == NULL) {
        /* In conditions names and values are one kind of fault: whichever is written first. */
        td_rank rank = compiler->grammar == TD_GRAMMAR_CONDITION ? TD_RANK_NAME : TD_RANK_VALUE;
        td_expr__fault(compiler, rank, TD_MSG_EXPR_VALUE_UNDEFINED, mark, TD_LIT(""));
        return TD_OK;
    }
    value->is_used = true;
    node->value = &value->value;
    return TD_OK;
}

static int compare_names(const void *a, const void *b, void *names)
{
    const td_expr_name *all = names;
    return td_slice_compare(all[*(const uint32_t *)a].mark, all[*(const uint32_t *)b].mark);
}

static int compare_values(const void *a, const void *b, void *values)
{
    const td_expr_value *all = values;
    return td_slice_compare(all[*(const uint32_t *)a].mark, all[*(const uint32_t *)b].mark);
}

typedef int compare_positions(const void *a, const void *b, void *marks);

static td_status make_order(td_compiler *compiler, void *marks, uint32_t count, compare_positions *compare_cb,
                            uint32_t **ret_order)
{
    uint32_t *order = td_arena_alloc_array(compiler->arena, count, sizeof *order);
    if (order == NULL) return TD_RAISE(compiler->error, TD_MSG_OUT_OF_MEMORY);
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    qsort_r(order, count, sizeof *order, compare_cb, marks);
    *ret_order = order;
    return TD_OK;
}

static td_status find_name(td_compiler *compiler, td_slice mark, td_expr_name **ret_name)
{
    td_expr_name *names = compiler->marks == NULL ? NULL : compiler->marks->names;
    uint32_t count = compiler->marks == NULL ? 0 : compiler->marks->name_count;
    *ret_name = NULL;
    if (count <= SEARCHED_ONE_BY_ONE_MAX) {
        for (uint32_t i = 0; i < count && *ret_name == NULL; i++)
            if (td_slice_equal(names[i].mark, mark)) *ret_name = &names[i];
        return TD_OK;
    }
    if (compiler->name_order == NULL) TD_TRY(make_order(compiler, names, count, compare_names, &compiler->name_order));
    uint32_t low = 0;
    uint32_t high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        td_expr_name *name = &names[compiler->name_order[middle]];
        int order = td_slice_compare(name->mark, mark);
        if (order == 0) *ret_name = name;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return TD_OK;
}

static td_status find_value(td_compiler *compiler, td_slice mark, td_expr_value **ret_value)
{
    td_expr_value *values = compiler->marks == NULL ? NULL : compiler->marks->values;
    uint32_t count = compiler->marks == NULL ? 0 : compiler->marks->value_count;
    *ret_value = NULL;
    if (count <= SEARCHED_ONE_BY_ONE_MAX) {
        for (uint32_t i = 0; i < count && *ret_value == NULL; i++)
            if (td_slice_equal(values[i].mark, mark)) *ret_value = &values[i];
        return TD_OK;
    }
    if (compiler->value_order == NULL)
        TD_TRY(make_order(compiler, values, count, compare_values, &compiler->value_order));
    uint32_t low = 0;
    uint32_t high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        td_expr_value *value = &values[compiler->value_order[middle]];
        int order = td_slice_compare(value->mark, mark);
        if (order == 0) *ret_value = value;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return TD_OK;
}

/* "{#a, #b}": the marks that are not used, as the request lists them. */
static td_status raise_unused(td_message message, const td_slice *unused, uint32_t count, td_error *error)
{
    size_t len = 2;
    for (uint32_t i = 0; i < count; i++)
        len += unused[i].len + (i > 0 ? 2 : 0);
    uint8_t *text = td_arena_alloc(error->arena, len);
    if (text == NULL) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    size_t at = 0;
    text[at++] = '{';
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0) {
            text[at++] = ',';
            text[at++] = ' ';
        }
        memcpy(text + at, unused[i].ptr, unused[i].len);
        at += unused[i].len;
    }
    text[at++] = '}';
    TD_ASSERT(at == len);
    return TD_RAISE(error, message, td_slice_of(text, len));
}

td_status td_expr_check_unused(const td_expr_marks *marks, td_error *error)
{
    uint32_t most = marks->name_count > marks->value_count ? marks->name_count : marks->value_count;
    td_slice *unused = td_arena_alloc_array(error->arena, most, sizeof *unused);
    if (unused == NULL) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    uint32_t count = 0;
    for (uint32_t i = 0; i < marks->name_count; i++)
        if (!marks->names[i].is_used) unused[count++] = marks->names[i].mark;
    if (count > 0) return raise_unused(TD_MSG_EXPR_NAMES_UNUSED, unused, count, error);
    for (uint32_t i = 0; i < marks->value_count; i++)
        if (!marks->values[i].is_used) unused[count++] = marks->values[i].mark;
    if (count > 0) return raise_unused(TD_MSG_EXPR_VALUES_UNUSED, unused, count, error);
    return TD_OK;
}
