/* SPDX-License-Identifier: Apache-2.0
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
    if (compiler->is_bound) return TD_OK;
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
    if (compiler->is_bound) return TD_OK;
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

typedef struct mark_table {
    const uint8_t *entries; /* td_expr_name or td_expr_value: their first member is the mark */
    size_t entry_bytes;
    uint32_t count;
} mark_table;

_Static_assert(offsetof(td_expr_name, mark) == 0, "mark_at reads the first member");
_Static_assert(offsetof(td_expr_value, mark) == 0, "mark_at reads the first member");

static td_slice mark_at(const mark_table *table, uint32_t position)
{
    return *(const td_slice *)(const void *)(table->entries + position * table->entry_bytes);
}

static int compare_positions(const void *a, const void *b, void *table)
{
    return td_slice_compare(mark_at(table, *(const uint32_t *)a), mark_at(table, *(const uint32_t *)b));
}

static td_status make_order(td_compiler *compiler, mark_table *table, uint32_t **ret_order)
{
    uint32_t *order = td_arena_alloc_array(compiler->arena, table->count, sizeof *order);
    if (order == NULL) return TD_RAISE(compiler->error, TD_MSG_OUT_OF_MEMORY);
    for (uint32_t i = 0; i < table->count; i++)
        order[i] = i;
    qsort_r(order, table->count, sizeof *order, compare_positions, table);
    *ret_order = order;
    return TD_OK;
}

/* *ret_position: the table's count when the mark is not there. */
static td_status find_mark(td_compiler *compiler, mark_table *table, uint32_t **order, td_slice mark,
                           uint32_t *ret_position)
{
    *ret_position = table->count;
    if (table->count <= SEARCHED_ONE_BY_ONE_MAX) {
        for (uint32_t i = 0; i < table->count; i++)
            if (td_slice_equal(mark_at(table, i), mark)) *ret_position = i;
        return TD_OK;
    }
    if (*order == NULL) TD_TRY(make_order(compiler, table, order));
    uint32_t low = 0;
    uint32_t high = table->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (td_slice_compare(mark_at(table, (*order)[middle]), mark) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < table->count && td_slice_equal(mark_at(table, (*order)[low]), mark)) *ret_position = (*order)[low];
    return TD_OK;
}

static td_status find_name(td_compiler *compiler, td_slice mark, td_expr_name **ret_name)
{
    *ret_name = NULL;
    if (compiler->marks == NULL) return TD_OK;
    td_expr_name *names = compiler->marks->names;
    mark_table table = {(const uint8_t *)names, sizeof *names, compiler->marks->name_count};
    uint32_t position;
    TD_TRY(find_mark(compiler, &table, &compiler->name_order, mark, &position));
    if (position < table.count) *ret_name = &names[position];
    return TD_OK;
}

static td_status find_value(td_compiler *compiler, td_slice mark, td_expr_value **ret_value)
{
    *ret_value = NULL;
    if (compiler->marks == NULL) return TD_OK;
    td_expr_value *values = compiler->marks->values;
    mark_table table = {(const uint8_t *)values, sizeof *values, compiler->marks->value_count};
    uint32_t position;
    TD_TRY(find_mark(compiler, &table, &compiler->value_order, mark, &position));
    if (position < table.count) *ret_value = &values[position];
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
