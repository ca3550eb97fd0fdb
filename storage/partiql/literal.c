/* SPDX-License-Identifier: Apache-2.0
 * literal.c: literals → attribute values, with the parameters in the place of '?'.
 * Model: lists, bags and structs are lists, sets and maps; NULL, booleans, strings and numbers are themselves. Whatever
 * else the grammar lets stand inside them has no type in a table. The faults of literals without parameters come before
 * the parameters are looked at: they are found in a pass of its own, which keeps what it made.
 * Invariants: the recursion is bounded by the tree's depth.
 * Not here: nesting levels (lower.c), since parameters count there as well. */
#include "syntax.h"

/* Where in a value we are: "root.x[1]" in messages. */
typedef struct place {
    const struct place *parent; /* NULL: the root */
    td_slice name;
    uint32_t index;
    bool is_index;
} place;

typedef struct literal_reading {
    td_slice text;
    const td_value *parameters; /* NULL: not known yet */
    td_arena *arena;
    td_error *error;
} literal_reading;

static td_status read_value(literal_reading *reading, td_syntax *node, const place *at, td_value *ret_value);
static td_status read_number(literal_reading *reading, const td_syntax *node, const place *at, td_value *ret_value);
static td_status read_list(literal_reading *reading, const td_syntax *node, const place *at, td_value *ret_value);
static td_status read_bag(literal_reading *reading, const td_syntax *node, const place *at, td_value *ret_value);
static td_status read_struct(literal_reading *reading, const td_syntax *node, const place *at, td_value *ret_value);
static td_status raise_duplicates(literal_reading *reading, const td_syntax *node, const place *at, td_type type);
static td_status raise_type(literal_reading *reading, const td_syntax *node, const place *container);

td_status td_partiql__literal(td_syntax *node, td_slice text, const td_value *parameters, td_arena *arena,
                              td_value *ret_value, td_error *error)
{
    literal_reading reading = {text, parameters, arena, error};
    place root = {.parent = NULL};
    return read_value(&reading, node, &root, ret_value);
}

td_status td_partiql__check_literals(td_syntax *node, td_slice text, td_arena *arena, td_error *error)
{
    td_value value;
    if (node == NULL) return TD_OK;
    if (td_partiql__is_literal(node)) return td_partiql__literal(node, text, NULL, arena, &value, error);
    if (node->kind == TD_SYNTAX_IN && node->last->kind == TD_SYNTAX_LIST) {
        /* The members are operands of their own: any may be a path. */
        TD_TRY(td_partiql__check_literals(node->first, text, arena, error));
        node = node->last;
    }
    for (td_syntax *child = node->first; child != NULL; child = child->next)
        TD_TRY(td_partiql__check_literals(child, text, arena, error));
    return TD_OK;
}

static td_status place_text(literal_reading *reading, const place *at, td_slice *ret_text)
{
    if (at->parent == NULL) {
        *ret_text = TD_LIT("root");
        return TD_OK;
    }
    td_slice before;
    TD_TRY(place_text(reading, at->parent, &before));
    bool is_made = at->is_index
                       ? td_arena_format(reading->arena, ret_text, "%.*s[%u]", (int)before.len,
                                         (const char *)before.ptr, at->index)
                       : td_arena_format(reading->arena, ret_text, "%.*s.%.*s", (int)before.len,
                                         (const char *)before.ptr, (int)at->name.len, (const char *)at->name.ptr);
    return is_made ? TD_OK : TD_RAISE(reading->error, TD_MSG_OUT_OF_MEMORY);
}

static td_status read_value(literal_reading *reading, td_syntax *node, const place *at, td_value *ret_value)
{
    if (node->value != NULL) {
        *ret_value = *node->value;
        return TD_OK;
    }
    td_value value = {.type = TD_TYPE_NULL};
    switch (node->kind) {
    case TD_SYNTAX_STRING: value = (td_value){.type = TD_TYPE_S, .bytes = node->text}; break;
    case TD_SYNTAX_NUMBER: TD_TRY(read_number(reading, node, at, &value)); break;
    case TD_SYNTAX_BOOLEAN: value = (td_value){.type = TD_TYPE_BOOL, .boolean = node->boolean}; break;
    case TD_SYNTAX_NULL: break;
    case TD_SYNTAX_PARAMETER:
        if (reading->parameters != NULL) value = reading->parameters[node->number];
        break;
    case TD_SYNTAX_LIST: TD_TRY(read_list(reading, node, at, &value)); break;
    case TD_SYNTAX_BAG: TD_TRY(read_bag(reading, node, at, &value)); break;
    case TD_SYNTAX_STRUCT: TD_TRY(read_struct(reading, node, at, &value)); break;
    case TD_SYNTAX_MISSING:
    case TD_SYNTAX_PATH:
    case TD_SYNTAX_CALL:
    case TD_SYNTAX_AND:
    case TD_SYNTAX_OR:
    case TD_SYNTAX_NOT:
    case TD_SYNTAX_COMPARISON:
    case TD_SYNTAX_SUM:
    case TD_SYNTAX_IN:
    case TD_SYNTAX_BETWEEN:
    case TD_SYNTAX_IS: return raise_type(reading, node, at->parent == NULL ? at : at->parent);
    }
    if (!node->has_parameter) {
        td_value *kept = td_arena_alloc(reading->arena, sizeof *kept);
        if (kept == NULL) return TD_RAISE(reading->error, TD_MSG_OUT_OF_MEMORY);
        *kept = value;
        node->value = kept;
    }
    *ret_value = value;
    return TD_OK;
}

static td_status raise_type(literal_reading *reading, const td_syntax *node, const place *container)
{
    td_slice under;
    TD_TRY(place_text(reading, container, &under));
    td_slice name = node->kind == TD_SYNTAX_CALL
                        ? node->text
                        : td_slice_of(reading->text.ptr + node->lexeme.offset, node->lexeme.len);
    return TD_RAISE(reading->error, TD_MSG_PARTIQL_DATA_TYPE, name, under,
                    td_partiql__position(reading->text, node->lexeme, reading->error));
}

static td_status read_number(literal_reading *reading, const td_syntax *node, const place *at, td_value *ret_value)
{
    static const td_message messages[] = {
        [TD_NUMBER_OVERFLOW] = TD_MSG_PARTIQL_NUMBER_OVERFLOW,
        [TD_NUMBER_UNDERFLOW] = TD_MSG_PARTIQL_NUMBER_UNDERFLOW,
        [TD_NUMBER_TOO_MANY_DIGITS] = TD_MSG_PARTIQL_NUMBER_TOO_MANY_DIGITS,
    };
    td_number number;
    td_number_fault fault = td_number_parse(node->text, &number);
    TD_ASSERT(fault != TD_NUMBER_NOT_NUMERIC);
    if (fault != TD_NUMBER_OK) {
        td_slice under;
        TD_TRY(place_text(reading, at, &under));
        return TD_RAISE(reading->error, messages[fault], under);
    }
    *ret_value = (td_value){.type = TD_TYPE_N};
    if (!td_arena_copy(reading->arena, td_number_slice(&number), &ret_value->bytes))
        return TD_RAISE(reading->error, TD_MSG_OUT_OF_MEMORY);
    return TD_OK;
}

static td_status read_list(literal_reading *reading, const td_syntax *node, const place *at, td_value *ret_value)
{
    td_value *elements = td_arena_alloc_array(reading->arena, node->count, sizeof *elements);
    if (elements == NULL) return TD_RAISE(reading->error, TD_MSG_OUT_OF_MEMORY);
    uint32_t count = 0;
    for (td_syntax *child = node->first; child != NULL; child = child->next) {
        place inside = {.parent = at, .index = count, .is_index = true};
        TD_TRY(read_value(reading, child, &inside, &elements[count++]));
    }
    *ret_value = (td_value){.type = TD_TYPE_L, .count = count, .elements = elements};
    return TD_OK;
}

static td_status read_struct(literal_reading *reading, const td_syntax *node, const place *at, td_value *ret_value)
{
    TD_ASSERT(node->count % 2 == 0);
    td_attribute *attributes = td_arena_alloc_array(reading->arena, node->count / 2, sizeof *attributes);
    if (attributes == NULL) return TD_RAISE(reading->error, TD_MSG_OUT_OF_MEMORY);
    uint32_t count = 0;
    for (td_syntax *key = node->first; key != NULL; key = key->next->next) {
        if (key->kind != TD_SYNTAX_STRING) return raise_type(reading, key, at);
        if (key->text.len == 0) return TD_RAISE(reading->error, TD_MSG_EMPTY_ATTRIBUTE_NAME);
        place inside = {.parent = at, .name = key->text};
        attributes[count].name = key->text;
        TD_TRY(read_value(reading, key->next, &inside, &attributes[count++].value));
    }
    td_value_sort_attributes(attributes, &count);
    *ret_value = (td_value){.type = TD_TYPE_M, .count = count, .attributes = attributes};
    return TD_OK;
}

/* Strings or numbers, not both, no two alike. */
static td_status read_bag(literal_reading *reading, const td_syntax *node, const place *at, td_value *ret_value)
{
    if (node->count == 0) return TD_RAISE(reading->error, TD_MSG_PARTIQL_BAG_EMPTY);
    td_slice *members = td_arena_alloc_array(reading->arena, node->count, sizeof *members);
    if (members == NULL) return TD_RAISE(reading->error, TD_MSG_OUT_OF_MEMORY);
    bool is_open = node->has_parameter && reading->parameters == NULL;
    uint32_t count = 0;
    td_type type = TD_TYPE_COUNT;
    for (td_syntax *child = node->first; child != NULL; child = child->next) {
        td_value member;
        TD_TRY(read_value(reading, child, at, &member));
        members[count++] = member.bytes;
        if (is_open) continue;
        bool fits =
            (member.type == TD_TYPE_S || member.type == TD_TYPE_N) && (type == TD_TYPE_COUNT || type == member.type);
        if (!fits) return TD_RAISE(reading->error, TD_MSG_PARTIQL_BAG_TYPE);
        type = member.type;
    }
    if (is_open) return TD_OK;
    if (!td_value_sort_members(members, count)) return raise_duplicates(reading, node, at, type);
    *ret_value = (td_value){
        .type = type == TD_TYPE_S ? TD_TYPE_SS : TD_TYPE_NS,
        .count = count,
        .members = members,
    };
    return TD_OK;
}

/* The members as they are written. */
static td_status raise_duplicates(literal_reading *reading, const td_syntax *node, const place *at, td_type type)
{
    td_buf text;
    td_slice copy;
    td_slice under;
    td_buf_init(&text, TD_LIMIT_REQUEST_BODY_BYTES_MAX);
    for (const td_syntax *child = node->first; child != NULL; child = child->next) {
        char number[TD_NUMBER_TEXT_MAX];
        td_slice member = child->text;
        if (child->kind == TD_SYNTAX_PARAMETER) {
            member = reading->parameters[child->number].bytes;
            if (type == TD_TYPE_N) member = td_slice_of(number, td_number_print(member, number));
        }
        if (child != node->first) td_buf_append_lit(&text, ", ");
        td_buf_append(&text, member);
    }
    bool is_copied = !td_buf_has_failed(&text) && td_arena_copy(reading->arena, td_buf_contents(&text), &copy);
    td_buf_done(&text);
    if (!is_copied) return TD_RAISE(reading->error, TD_MSG_OUT_OF_MEMORY);
    if (type == TD_TYPE_S) return TD_RAISE(reading->error, TD_MSG_PARTIQL_BAG_DUPLICATES_SS, copy);
    TD_TRY(place_text(reading, at, &under));
    return TD_RAISE(reading->error, TD_MSG_PARTIQL_BAG_DUPLICATES_NS, copy, under);
}
