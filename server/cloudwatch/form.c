/* SPDX-License-Identifier: Apache-2.0
 * form.c: pairs of a form, decoded and sorted by key, so that each member's parameters lie together; the shape is then
 * walked over them, and bounds the recursion. */
#include "form.h"

#include <stdlib.h>

#include "thermodyn/text.h"

#define PAIRS_MAX 20000 /* far more than 500 queries with 30 dimensions each make sense of */
#define INDEX_DIGITS_MAX 6

/* Pairs from first to end share what stands before `at` in their keys. */
typedef struct range {
    const td_cw_form *form;
    uint32_t first;
    uint32_t end;
    size_t at;
} range;

typedef struct element {
    range pairs;
    uint32_t number;
} element;

static uint32_t count_pairs(td_slice body);
static bool decode(td_slice text, td_arena *arena, td_slice *ret_text, bool *ret_has_memory);
static int compare_pairs(const void *a, const void *b);
static td_cw_form_result build(const range *it, const td_cw_shape *shape, td_arena *arena, td_json *ret_node);
static td_cw_form_result build_structure(const range *it, const td_cw_shape *shape, td_arena *arena, td_json *ret_node);
static td_cw_form_result build_list(const range *it, const td_cw_shape *shape, td_arena *arena, td_json *ret_node);
static td_cw_form_result gather_elements(const range *members, td_arena *arena, element **ret_elements,
                                         uint32_t *ret_count);
static range find_member(const range *it, td_slice name);
static bool is_at(const range *it, uint32_t pair, td_slice name);
static bool is_whole(const range *it, uint32_t pair);
static int compare_elements(const void *a, const void *b);

td_cw_form_result td_cw_form_parse(td_slice body, td_arena *arena, td_cw_form *ret_form)
{
    uint32_t room = count_pairs(body);
    if (room > PAIRS_MAX) return TD_CW_FORM_MALFORMED;
    td_cw_form form = {.pairs = td_arena_alloc_array(arena, room, sizeof *form.pairs)};
    if (form.pairs == NULL) return TD_CW_FORM_NO_MEMORY;
    size_t at = 0;
    while (at < body.len) {
        const uint8_t *start = body.ptr + at;
        const uint8_t *ampersand = memchr(start, '&', body.len - at);
        size_t len = ampersand == NULL ? body.len - at : (size_t)(ampersand - start);
        at += len + 1;
        if (len == 0) continue;
        const uint8_t *equals = memchr(start, '=', len);
        size_t key_len = equals == NULL ? len : (size_t)(equals - start);
        td_slice value = equals == NULL ? td_slice_of(NULL, 0) : td_slice_of(equals + 1, len - key_len - 1);
        td_cw_pair *pair = &form.pairs[form.count++];
        bool has_memory = true;
        if (!decode(td_slice_of(start, key_len), arena, &pair->key, &has_memory) ||
            !decode(value, arena, &pair->value, &has_memory)) {
            return has_memory ? TD_CW_FORM_MALFORMED : TD_CW_FORM_NO_MEMORY;
        }
    }
    if (form.count > 1) qsort(form.pairs, form.count, sizeof *form.pairs, compare_pairs);
    *ret_form = form;
    return TD_CW_FORM_OK;
}

td_slice td_cw_form_get(const td_cw_form *form, td_slice key)
{
    range all = {.form = form, .end = form->count};
    range found = find_member(&all, key);
    return found.first < found.end && is_whole(&found, found.first) ? form->pairs[found.first].value
                                                                    : td_slice_of(NULL, 0);
}

td_cw_form_result td_cw_form_build(const td_cw_form *form, const td_cw_shape *shape, td_arena *arena,
                                   td_json **ret_root)
{
    TD_ASSERT(shape->kind == TD_CW_KIND_STRUCTURE);
    range all = {.form = form, .end = form->count};
    td_json *root = td_arena_alloc_zero(arena, sizeof *root);
    if (root == NULL) return TD_CW_FORM_NO_MEMORY;
    td_cw_form_result result = build_structure(&all, shape, arena, root);
    *ret_root = root;
    return result;
}

static uint32_t count_pairs(td_slice body)
{
    size_t count = 1;
    for (size_t i = 0; i < body.len; i++)
        count += body.ptr[i] == '&';
    return count > UINT32_MAX ? UINT32_MAX : (uint32_t)count;
}

/* Without escapes the text is the body's. */
static bool decode(td_slice text, td_arena *arena, td_slice *ret_text, bool *ret_has_memory)
{
    *ret_text = text;
    bool is_plain =
        text.len == 0 || (memchr(text.ptr, '%', text.len) == NULL && memchr(text.ptr, '+', text.len) == NULL);
    if (is_plain) return td_utf8_is_valid(text);
    uint8_t *bytes = td_arena_alloc(arena, text.len);
    *ret_has_memory = bytes != NULL;
    if (bytes == NULL) return false;
    size_t len = 0;
    for (size_t i = 0; i < text.len; i++) {
        uint8_t byte = text.ptr[i];
        if (byte == '%') {
            int high = i + 2 < text.len ? td_hex_digit(text.ptr[i + 1]) : -1;
            int low = i + 2 < text.len ? td_hex_digit(text.ptr[i + 2]) : -1;
            if (high < 0 || low < 0) return false;
            byte = (uint8_t)(high << 4 | low);
            i += 2;
        } else if (byte == '+') {
            byte = ' ';
        }
        bytes[len++] = byte;
    }
    *ret_text = td_slice_of(bytes, len);
    return td_utf8_is_valid(*ret_text);
}

/* Pairs of one key stay in order, since texts of a body lie in its order; decoded ones are not told apart. */
static int compare_pairs(const void *a, const void *b)
{
    return td_slice_compare(((const td_cw_pair *)a)->key, ((const td_cw_pair *)b)->key);
}

static td_cw_form_result build(const range *it, const td_cw_shape *shape, td_arena *arena, td_json *ret_node)
{
    switch (shape->kind) {
    case TD_CW_KIND_STRUCTURE: return build_structure(it, shape, arena, ret_node);
    case TD_CW_KIND_LIST: return build_list(it, shape, arena, ret_node);
    case TD_CW_KIND_STRING:
    case TD_CW_KIND_INTEGER:
    case TD_CW_KIND_BOOLEAN:
    case TD_CW_KIND_TIMESTAMP:
        ret_node->type = is_whole(it, it->first) ? TD_JSON_STRING : TD_JSON_NULL;
        if (ret_node->type == TD_JSON_STRING) ret_node->text = it->form->pairs[it->first].value;
        return TD_CW_FORM_OK;
    }
    TD_UNREACHABLE("shapes have these kinds");
}

static td_cw_form_result build_structure(const range *it, const td_cw_shape *shape, td_arena *arena, td_json *ret_node)
{
    td_json *children = td_arena_alloc_zero(arena, shape->field_count * sizeof *children);
    if (children == NULL) return TD_CW_FORM_NO_MEMORY;
    uint32_t count = 0;
    for (uint32_t i = 0; i < shape->field_count; i++) {
        const td_cw_field *field = &shape->fields[i];
        range member = find_member(it, field->name);
        if (member.first == member.end) continue;
        td_json *child = &children[count++];
        td_cw_form_result result = build(&member, field->shape, arena, child);
        if (result != TD_CW_FORM_OK) return result;
        child->name = field->name;
    }
    ret_node->type = TD_JSON_OBJECT;
    ret_node->children = children;
    ret_node->count = count;
    return TD_CW_FORM_OK;
}

/* X.member.1…; an X alone is an empty list. */
static td_cw_form_result build_list(const range *it, const td_cw_shape *shape, td_arena *arena, td_json *ret_node)
{
    range members = find_member(it, TD_LIT("member"));
    element *elements = NULL;
    uint32_t count = 0;
    td_cw_form_result result = gather_elements(&members, arena, &elements, &count);
    if (result != TD_CW_FORM_OK) return result;
    td_json *children = td_arena_alloc_zero(arena, count * sizeof *children);
    if (children == NULL) return TD_CW_FORM_NO_MEMORY;
    for (uint32_t i = 0; i < count && result == TD_CW_FORM_OK; i++)
        result = build(&elements[i].pairs, shape->element, arena, &children[i]);
    ret_node->type = TD_JSON_ARRAY;
    ret_node->children = children;
    ret_node->count = count;
    return result;
}

/* Elements lie together by the digits of their numbers, and are put in the order of the numbers. */
static td_cw_form_result gather_elements(const range *members, td_arena *arena, element **ret_elements,
                                         uint32_t *ret_count)
{
    element *elements = td_arena_alloc_array(arena, members->end - members->first, sizeof *elements);
    if (elements == NULL) return TD_CW_FORM_NO_MEMORY;
    uint32_t count = 0;
    for (uint32_t i = members->first; i < members->end; i++) {
        td_slice key = members->form->pairs[i].key;
        if (is_whole(members, i)) continue;
        size_t start = members->at + 1; /* behind the point */
        size_t end = start;
        uint32_t number = 0;
        while (end < key.len && end - start < INDEX_DIGITS_MAX && key.ptr[end] >= '0' && key.ptr[end] <= '9')
            number = number * 10 + (uint32_t)(key.ptr[end++] - '0');
        if (end == start || (end < key.len && key.ptr[end] != '.')) return TD_CW_FORM_MALFORMED;
        element *last = count == 0 ? NULL : &elements[count - 1];
        bool is_same = last != NULL && last->number == number && last->pairs.at == end;
        if (!is_same)
            elements[count++] = (element){{members->form, i, i + 1, end}, number};
        else
            last->pairs.end = i + 1;
    }
    if (count > 1) qsort(elements, count, sizeof *elements, compare_elements);
    *ret_elements = elements;
    *ret_count = count;
    return TD_CW_FORM_OK;
}

/* The pairs of a member, itself or what it has: those whose keys go on with its name, and end or have a point there. */
static range find_member(const range *it, td_slice name)
{
    range found = {it->form, it->first, it->end, it->at + (it->at > 0) + name.len};
    uint32_t low = it->first;
    uint32_t high = it->end;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        td_slice key = it->form->pairs[middle].key;
        size_t skip = it->at + (it->at > 0) < key.len ? it->at + (it->at > 0) : key.len;
        if (td_slice_compare(td_slice_of(key.ptr + skip, key.len - skip), name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    found.first = low;
    while (low < it->end && is_at(it, low, name))
        low++;
    found.end = low;
    return found;
}

static bool is_at(const range *it, uint32_t pair, td_slice name)
{
    td_slice key = it->form->pairs[pair].key;
    size_t skip = it->at;
    if (it->at > 0) {
        if (key.len <= skip || key.ptr[skip] != '.') return false;
        skip++;
    }
    if (key.len < skip + name.len || memcmp(key.ptr + skip, name.ptr, name.len) != 0) return false;
    return key.len == skip + name.len || key.ptr[skip + name.len] == '.';
}

static bool is_whole(const range *it, uint32_t pair)
{
    return it->form->pairs[pair].key.len == it->at;
}

static int compare_elements(const void *a, const void *b)
{
    uint32_t x = ((const element *)a)->number;
    uint32_t y = ((const element *)b)->number;
    return (x > y) - (x < y);
}
