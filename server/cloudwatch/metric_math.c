/* SPDX-License-Identifier: Apache-2.0
 * metric_math.c: expressions of metric math, evaluated as they are read. Values live in the request's arena, whose
 * limit bounds what an expression can cost; nesting is bounded. Not here: functions (metric_math_functions.c); where
 * values come from (metric_data.c). */
#include "metric_math.h"

#include <math.h>
#include <stdlib.h>

#define NUMBER_BYTES_MAX 40
#define ARGUMENTS_MAX 64

typedef struct reading {
    td_cw_call *call;
    td_cw_names *names;
    td_slice text;
    size_t at;
    uint32_t depth;
} reading;

static td_cw_status read_expression(reading *it, td_cw_value *ret_value);
static td_cw_status read_term(reading *it, td_cw_value *ret_value);
static td_cw_status read_factor(reading *it, td_cw_value *ret_value);
static td_cw_status read_power(reading *it, td_cw_value *ret_value);
static td_cw_status read_primary(reading *it, td_cw_value *ret_value);
static td_cw_status read_number(reading *it, td_cw_value *ret_value);
static td_cw_status read_text(reading *it, td_cw_value *ret_value);
static td_cw_status read_word(reading *it, td_cw_value *ret_value);
static td_cw_status call_function(reading *it, td_slice name, td_cw_value *ret_value);
static td_cw_status read_list(reading *it, uint8_t end, td_cw_value *args, uint32_t *ret_count);
static td_cw_status read_array(reading *it, td_cw_value *ret_value);
static td_cw_status combine(reading *it, uint8_t operator, const td_cw_value * a, const td_cw_value *b,
                            td_cw_value *ret_value);
static bool combine_lines(td_cw_call *call, uint8_t operator, const td_cw_value * a, const td_cw_value *b, uint32_t at,
                          td_cw_line *ret_line);
static bool compute(uint8_t operator, double a, double b, double *ret_value);
static bool take(reading *it, uint8_t byte);
static uint8_t peek(reading *it);
static td_cw_status syntax_error(reading *it);
static td_cw_status enter(reading *it);
static bool is_name_byte(uint8_t byte);

td_cw_status td_cw_math_eval(td_cw_call *call, td_slice text, td_cw_names *names, td_cw_value *ret_value)
{
    reading it = {.call = call, .names = names, .text = text};
    TD_CW_TRY(read_expression(&it, ret_value));
    return peek(&it) == 0 && it.at == text.len ? TD_CW_OK : syntax_error(&it);
}

bool td_cw_line_init(td_cw_line *line, const td_cw_window *window, td_slice label, td_arena *arena)
{
    *line = (td_cw_line){.label = label, .window = window};
    line->values = td_arena_alloc_zero(arena, window->count * sizeof *line->values);
    line->is_there = td_arena_alloc_zero(arena, window->count * sizeof *line->is_there);
    return line->values != NULL && line->is_there != NULL;
}

/* term { ("+" | "-") term } */
static td_cw_status read_expression(reading *it, td_cw_value *ret_value)
{
    TD_CW_TRY(enter(it));
    TD_CW_TRY(read_term(it, ret_value));
    for (;;) {
        uint8_t operator= peek(it);
        if (operator!= '+' && operator!= '-') break;
        it->at++;
        td_cw_value left = *ret_value;
        td_cw_value right;
        TD_CW_TRY(read_term(it, &right));
        TD_CW_TRY(combine(it, operator, & left, &right, ret_value));
    }
    it->depth--;
    return TD_CW_OK;
}

/* factor { ("*" | "/") factor } */
static td_cw_status read_term(reading *it, td_cw_value *ret_value)
{
    TD_CW_TRY(read_factor(it, ret_value));
    for (;;) {
        uint8_t operator= peek(it);
        if (operator!= '*' && operator!= '/') return TD_CW_OK;
        it->at++;
        td_cw_value left = *ret_value;
        td_cw_value right;
        TD_CW_TRY(read_factor(it, &right));
        TD_CW_TRY(combine(it, operator, & left, &right, ret_value));
    }
}

/* "-" factor | power */
static td_cw_status read_factor(reading *it, td_cw_value *ret_value)
{
    if (!take(it, '-')) return read_power(it, ret_value);
    TD_CW_TRY(enter(it));
    td_cw_value zero = {.kind = TD_CW_SCALAR};
    td_cw_value right;
    TD_CW_TRY(read_factor(it, &right));
    it->depth--;
    return combine(it, '-', &zero, &right, ret_value);
}

/* primary [ "^" factor ] */
static td_cw_status read_power(reading *it, td_cw_value *ret_value)
{
    TD_CW_TRY(read_primary(it, ret_value));
    if (!take(it, '^')) return TD_CW_OK;
    TD_CW_TRY(enter(it));
    td_cw_value left = *ret_value;
    td_cw_value right;
    TD_CW_TRY(read_factor(it, &right));
    it->depth--;
    return combine(it, '^', &left, &right, ret_value);
}

/* number | text | word | "(" expression ")" | "[" … "]" */
static td_cw_status read_primary(reading *it, td_cw_value *ret_value)
{
    uint8_t byte = peek(it);
    if ((byte >= '0' && byte <= '9') || byte == '.') return read_number(it, ret_value);
    if (byte == '"' || byte == '\'') return read_text(it, ret_value);
    if (byte == '[') return read_array(it, ret_value);
    if (take(it, '(')) {
        TD_CW_TRY(read_expression(it, ret_value));
        return take(it, ')') ? TD_CW_OK : syntax_error(it);
    }
    return is_name_byte(byte) ? read_word(it, ret_value) : syntax_error(it);
}

static td_cw_status read_number(reading *it, td_cw_value *ret_value)
{
    char digits[NUMBER_BYTES_MAX + 1];
    size_t len = 0;
    for (; it->at < it->text.len && len < NUMBER_BYTES_MAX; it->at++) {
        uint8_t byte = it->text.ptr[it->at];
        if (!(byte >= '0' && byte <= '9') && byte != '.') break;
        digits[len++] = (char)byte;
    }
    digits[len] = '\0';
    char *end;
    *ret_value = (td_cw_value){.kind = TD_CW_SCALAR, .scalar = strtod(digits, &end)};
    return *end == '\0' && len < NUMBER_BYTES_MAX ? TD_CW_OK : syntax_error(it);
}

static td_cw_status read_text(reading *it, td_cw_value *ret_value)
{
    uint8_t quote = it->text.ptr[it->at++];
    const uint8_t *start = it->text.ptr + it->at;
    const uint8_t *end = it->at == it->text.len ? NULL : memchr(start, quote, it->text.len - it->at);
    if (end == NULL) return syntax_error(it);
    it->at += (size_t)(end - start) + 1;
    *ret_value = (td_cw_value){.kind = TD_CW_WORD, .word = td_slice_of(start, (size_t)(end - start))};
    return TD_CW_OK;
}

/* An Id begins with a small letter; what does not is a function, or a word among its arguments. */
static td_cw_status read_word(reading *it, td_cw_value *ret_value)
{
    size_t start = it->at;
    while (it->at < it->text.len && is_name_byte(it->text.ptr[it->at]))
        it->at++;
    td_slice name = td_slice_of(it->text.ptr + start, it->at - start);
    if (take(it, '(')) return call_function(it, name, ret_value);
    if (name.ptr[0] >= 'a' && name.ptr[0] <= 'z') return it->names->find(it->names, it->call, name, ret_value);
    *ret_value = (td_cw_value){.kind = TD_CW_WORD, .word = name};
    return TD_CW_OK;
}

static td_cw_status call_function(reading *it, td_slice name, td_cw_value *ret_value)
{
    td_cw_value *args = td_arena_alloc_array(it->call->arena, ARGUMENTS_MAX, sizeof *args);
    if (args == NULL) return TD_CW_RAISE(it->call, TD_CW_MSG_OUT_OF_MEMORY);
    uint32_t count = 0;
    TD_CW_TRY(read_list(it, ')', args, &count));
    if (td_slice_equal(name, TD_LIT("METRICS"))) {
        bool is_right = count == 0 || (count == 1 && args[0].kind == TD_CW_WORD);
        if (!is_right) return TD_CW_RAISE(it->call, TD_CW_MSG_MATH_ARGUMENTS, it->names->id, name);
        return it->names->find_metrics(it->names, it->call, count == 0 ? TD_LIT("") : args[0].word, ret_value);
    }
    const td_cw_function *function = td_cw_function_find(name);
    if (function == NULL) return TD_CW_RAISE(it->call, TD_CW_MSG_MATH_FUNCTION, it->names->id, name);
    if (count < function->least || count > function->most) {
        return TD_CW_RAISE(it->call, TD_CW_MSG_MATH_ARGUMENTS, it->names->id, name);
    }
    return function->apply(it->call, it->names, function, args, count, ret_value);
}

/* [ expression { "," expression } ] and the end. */
static td_cw_status read_list(reading *it, uint8_t end, td_cw_value *args, uint32_t *ret_count)
{
    if (take(it, end)) return TD_CW_OK;
    do {
        if (*ret_count == ARGUMENTS_MAX) return syntax_error(it);
        TD_CW_TRY(read_expression(it, &args[(*ret_count)++]));
    } while (take(it, ','));
    return take(it, end) ? TD_CW_OK : syntax_error(it);
}

static td_cw_status read_array(reading *it, td_cw_value *ret_value)
{
    it->at++;
    td_cw_value *parts = td_arena_alloc_array(it->call->arena, ARGUMENTS_MAX, sizeof *parts);
    if (parts == NULL) return TD_CW_RAISE(it->call, TD_CW_MSG_OUT_OF_MEMORY);
    uint32_t part_count = 0;
    TD_CW_TRY(read_list(it, ']', parts, &part_count));
    td_cw_value array = {.kind = TD_CW_LINES, .is_array = true};
    for (uint32_t i = 0; i < part_count; i++) {
        if (parts[i].kind != TD_CW_LINES) return syntax_error(it);
        array.count += parts[i].count;
    }
    array.lines = td_arena_alloc_array(it->call->arena, array.count, sizeof *array.lines);
    if (array.lines == NULL) return TD_CW_RAISE(it->call, TD_CW_MSG_OUT_OF_MEMORY);
    uint32_t filled = 0;
    for (uint32_t i = 0; i < part_count; i++) {
        for (uint32_t j = 0; j < parts[i].count; j++)
            array.lines[filled++] = parts[i].lines[j];
    }
    *ret_value = array;
    return TD_CW_OK;
}

static td_cw_status combine(reading *it, uint8_t operator, const td_cw_value * a, const td_cw_value *b,
                            td_cw_value *ret_value)
{
    td_cw_call *call = it->call;
    if (a->kind == TD_CW_WORD || b->kind == TD_CW_WORD) return syntax_error(it);
    if (a->kind == TD_CW_SCALAR && b->kind == TD_CW_SCALAR) {
        *ret_value = (td_cw_value){.kind = TD_CW_SCALAR};
        return compute(operator, a->scalar, b->scalar, &ret_value->scalar) ? TD_CW_OK : syntax_error(it);
    }
    bool are_arrays = a->kind == TD_CW_LINES && b->kind == TD_CW_LINES && a->is_array && b->is_array;
    if (are_arrays && a->count != b->count) return TD_CW_RAISE(call, TD_CW_MSG_MATH_LISTS, it->names->id);
    uint32_t count_a = a->kind == TD_CW_LINES ? a->count : 0;
    uint32_t count_b = b->kind == TD_CW_LINES ? b->count : 0;
    bool is_empty = (a->kind == TD_CW_LINES && count_a == 0) || (b->kind == TD_CW_LINES && count_b == 0);
    if (is_empty) {
        *ret_value = (td_cw_value){.kind = TD_CW_LINES, .is_array = true};
        return TD_CW_OK;
    }
    td_cw_value value = {.kind = TD_CW_LINES,
                         .is_array = (count_a > 0 && a->is_array) || (count_b > 0 && b->is_array),
                         .count = count_a > count_b ? count_a : count_b};
    value.lines = td_arena_alloc_array(call->arena, value.count, sizeof *value.lines);
    if (value.lines == NULL) return TD_CW_RAISE(call, TD_CW_MSG_OUT_OF_MEMORY);
    for (uint32_t i = 0; i < value.count; i++) {
        const td_cw_line *left = count_a == 0 ? NULL : &a->lines[count_a == 1 ? 0 : i];
        const td_cw_line *right = count_b == 0 ? NULL : &b->lines[count_b == 1 ? 0 : i];
        if (left != NULL && right != NULL && left->window->period_us != right->window->period_us) {
            return TD_CW_RAISE(call, TD_CW_MSG_MATH_PERIODS, it->names->id);
        }
        if (!combine_lines(call, operator, a, b, i, &value.lines[i])) {
            return TD_CW_RAISE(call, TD_CW_MSG_OUT_OF_MEMORY);
        }
    }
    *ret_value = value;
    return TD_CW_OK;
}

static bool combine_lines(td_cw_call *call, uint8_t operator, const td_cw_value * a, const td_cw_value *b, uint32_t at,
                          td_cw_line *ret_line)
{
    const td_cw_line *left = a->kind == TD_CW_SCALAR ? NULL : &a->lines[a->count == 1 ? 0 : at];
    const td_cw_line *right = b->kind == TD_CW_SCALAR ? NULL : &b->lines[b->count == 1 ? 0 : at];
    const td_cw_line *like = right == NULL || (left != NULL && a->count >= b->count) ? left : right;
    TD_ASSERT(like != NULL);
    if (!td_cw_line_init(ret_line, like->window, like->label, call->arena)) return false;
    for (uint32_t i = 0; i < like->window->count; i++) {
        bool has_both = (left == NULL || left->is_there[i]) && (right == NULL || right->is_there[i]);
        double x = left == NULL ? a->scalar : left->values[i];
        double y = right == NULL ? b->scalar : right->values[i];
        ret_line->is_there[i] = has_both && compute(operator, x, y, &ret_line->values[i]);
    }
    return true;
}

/* false: it has no value. */
static bool compute(uint8_t operator, double a, double b, double *ret_value)
{
    double value = 0;
    switch (operator) {
    case '+': value = a + b; break;
    case '-': value = a - b; break;
    case '*': value = a * b; break;
    case '/': value = a / b; break;
    case '^': value = pow(a, b); break;
    default: TD_UNREACHABLE("these are the operators");
    }
    if (!isfinite(value)) return false;
    *ret_value = value;
    return true;
}

static bool take(reading *it, uint8_t byte)
{
    if (peek(it) != byte || it->at == it->text.len) return false;
    it->at++;
    return true;
}

/* The next byte that is no blank; 0: the end. */
static uint8_t peek(reading *it)
{
    while (it->at < it->text.len && strchr(" \t\r\n", it->text.ptr[it->at]) != NULL && it->text.ptr[it->at] != 0)
        it->at++;
    return it->at == it->text.len ? 0 : it->text.ptr[it->at];
}

static td_cw_status syntax_error(reading *it)
{
    size_t at = it->at < it->text.len ? it->at : it->text.len;
    return TD_CW_RAISE(it->call, TD_CW_MSG_MATH_SYNTAX, it->names->id,
                       td_cw_shown(td_slice_of(it->text.ptr + at, it->text.len - at)));
}

static td_cw_status enter(reading *it)
{
    if (it->depth == TD_CW_MATH_DEPTH_MAX) return TD_CW_RAISE(it->call, TD_CW_MSG_MATH_DEPTH, it->names->id);
    it->depth++;
    return TD_CW_OK;
}

static bool is_name_byte(uint8_t byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') || byte == '_';
}
