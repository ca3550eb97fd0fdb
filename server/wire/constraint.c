/* SPDX-License-Identifier: Apache-2.0
 * constraint.c: the second pass over a request: the constraints of the service model.
 *
 * Model:      all faults are collected, in the order of the shape's fields, depth first, ten at most. Paths start with
 * a small letter in each part, or keep the capital where the echo is left out (td_echo); elements are counted from 1.
 *             What the keys of a map and the lengths of its values must be is told of the map as a whole, once.
 * Invariants: the types have been checked (td_shape_bind); a request without a fault costs no memory.
 * Not here:   rules between members, which are the operations'; how faults are told (faults.c). */
#include "echo.h"
#include "faults.h"

#include "thermodyn/buf.h"
#include "thermodyn/limits.h"
#include "thermodyn/text.h"

/* The way from the request to a value, on the C stack. */
typedef struct step {
    const struct step *parent;
    td_slice name;     /* a field's or a map's key; empty: an element */
    uint32_t position; /* of an element, from 1 */
    bool is_field;
} step;

static td_status check_demands(const td_shape *shape, const td_json *const *values, td_error *error);
static void check(td_faults *c, const td_shape *shape, const td_json *json, const step *at);
static void add_null(td_faults *c, const td_shape *shape, const step *at);

td_status td_shape_check(const td_shape *shape, const td_json *root, td_error *error)
{
    TD_ASSERT(shape->kind == TD_SHAPE_STRUCTURE);
    TD_ASSERT(root->type == TD_JSON_OBJECT);
    const td_json *values[TD_SHAPE_FIELDS_MAX];
    td_shape__bind_fields(shape, root, values);
    TD_TRY(check_demands(shape, values, error));

    td_faults c;
    c.error = error;
    c.count = 0;
    c.no_memory = false;
    c.misses_member = false;
    for (uint32_t i = 0; i < shape->field_count; i++) {
        const td_field *field = &shape->fields[i];
        step at = {.name = field->name, .is_field = true};
        c.field = field;
        if (values[i] != NULL) {
            check(&c, field->shape, values[i], &at);
        } else if (field->presence != TD_OPTIONAL) {
            add_null(&c, field->shape, &at);
        }
    }
    return c.count == 0 && !c.no_memory ? TD_OK : td_faults__raise(&c);
}

static bool is_arn(td_slice text)
{
    return td_slice_has_prefix(text, TD_LIT("arn:"));
}

/* What the control plane checks ahead of all constraints and says alone. */
static td_status check_demands(const td_shape *shape, const td_json *const *values, td_error *error)
{
    for (uint32_t i = 0; i < shape->field_count; i++) {
        const td_field *field = &shape->fields[i];
        if (field->presence == TD_DEMANDED && values[i] == NULL) {
            return TD_RAISE(error, TD_MSG_PARAMETER_REQUIRED, field->name);
        }
        if (!field->has_bespoke_length || values[i] == NULL || is_arn(values[i]->text)) continue;
        size_t units = td_utf8_utf16_units(values[i]->text);
        if (units < 3 || units > 255) return TD_RAISE(error, TD_MSG_TABLE_NAME_LENGTH);
    }
    return TD_OK;
}

/* ---- one value ---- */

static void add(td_faults *c, const td_shape *shape, const td_json *json, const step *at, td_slice constraint);
static void add_old(td_faults *c, const td_shape *shape, const td_json *json, const step *at, td_slice constraint);
static void add_number(td_faults *c, const td_shape *shape, const td_json *json, const step *at, const char *constraint,
                       int64_t bound);
static bool has_bare_form(const td_faults *c, const td_json *json);
static void check_set(td_faults *c, const td_shape *shape, const td_json *json, const step *at);
static void check_map_keys(td_faults *c, const td_shape *shape, const td_json *json, const step *at);
static void check_map_lengths(td_faults *c, const td_shape *shape, const td_json *json, const step *at);

static void add_null(td_faults *c, const td_shape *shape, const step *at)
{
    add(c, shape, NULL, at, TD_LIT("Member must not be null"));
}

static bool fits_pattern(td_slice text)
{
    for (size_t i = 0; i < text.len; i++) {
        uint8_t byte = text.ptr[i];
        bool is_letter = (byte | 0x20) >= 'a' && (byte | 0x20) <= 'z';
        if (!is_letter && !(byte >= '0' && byte <= '9') && byte != '_' && byte != '.' && byte != '-') return false;
    }
    return text.len > 0;
}

/* Is the word one of "A, B, C"? */
static bool is_of_set(td_slice set, td_slice word)
{
    size_t at = 0;
    while (at < set.len) {
        size_t end = at;
        while (end < set.len && set.ptr[end] != ',')
            end++;
        if (end - at == word.len && memcmp(set.ptr + at, word.ptr, word.len) == 0) return word.len > 0;
        at = end + 2;
    }
    return false;
}

static void check_length(td_faults *c, const td_shape *shape, const td_json *json, const step *at, size_t length)
{
    if (length < shape->length_min) {
        add_number(c, shape, json, at, "Member must have length greater than or equal to ", shape->length_min);
    }
    if (shape->length_max != 0 && length > shape->length_max) {
        add_number(c, shape, json, at, "Member must have length less than or equal to ", shape->length_max);
    }
}

static void check_string(td_faults *c, const td_shape *shape, const td_json *json, const step *at)
{
    td_slice text = json->text;
    if (shape->accepts_arn && is_arn(text)) return;
    /* A name that may be an ARN and is empty breaks its length alone. */
    if (shape->has_pattern && !(shape->accepts_arn && text.len == 0) && !fits_pattern(text)) {
        add(c, shape, json, at, TD_LIT("Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+"));
    }
    if (shape->length_min != 0 || shape->length_max != 0) check_length(c, shape, json, at, td_utf8_utf16_units(text));
    if (shape->enumeration.len > 0 && !is_of_set(shape->enumeration, text)) check_set(c, shape, json, at);
}

static td_slice set_text(td_faults *c, td_slice words)
{
    td_slice text = {NULL, 0};
    if (!td_arena_format(c->error->arena, &text, "Member must satisfy enum value set: [%.*s]", (int)words.len,
                         (const char *)words.ptr)) {
        c->no_memory = true;
    }
    return text;
}

static void check_set(td_faults *c, const td_shape *shape, const td_json *json, const step *at)
{
    uint32_t place = c->count;
    add(c, shape, json, at, set_text(c, shape->enumeration));
    if (c->count == place || shape->current_enumeration.len == 0 || !td_faults__is_current(c)) return;
    c->faults[place].unnamed = set_text(c, shape->current_enumeration);
}

static void check_integer(td_faults *c, const td_shape *shape, const td_json *json, const step *at)
{
    if (!shape->has_value_min && !shape->has_value_max) return;
    int64_t value = td_shape__integer(shape, json);
    if (shape->has_value_min && value < shape->value_min) {
        add_number(c, shape, json, at, "Member must have value greater than or equal to ", shape->value_min);
    }
    if (shape->has_value_max && value > shape->value_max) {
        add_number(c, shape, json, at, "Member must have value less than or equal to ", shape->value_max);
    }
}

/* Null is no element and no value: what the service makes of one is not known; it must not reach an operation. */
static void check_element(td_faults *c, const td_shape *element, const td_json *json, const step *at)
{
    step member = {.parent = at, .name = TD_LIT("member")};
    if (json->type == TD_JSON_NULL) {
        add_null(c, element, &member);
    } else {
        check(c, element, json, &member);
    }
}

static bool is_of_length(const td_shape *shape, size_t length)
{
    return length >= shape->length_min && (shape->length_max == 0 || length <= shape->length_max);
}

static void check_list(td_faults *c, const td_shape *shape, const td_json *json, const step *at)
{
    /* As a value of a map, its length has been told with the map's. */
    if (at->is_field) check_length(c, shape, json, at, json->count);
    if (shape->element->kind == TD_SHAPE_VALUE) return; /* decode.c sees to those */
    for (uint32_t i = 0; i < json->count && c->count < TD_FAULTS_MAX; i++) {
        step element = {.parent = at, .position = i + 1};
        check_element(c, shape->element, &json->children[i], &element);
    }
}

static void check_map(td_faults *c, const td_shape *shape, const td_json *json, const step *at)
{
    check_length(c, shape, json, at, json->count);
    if (shape->element->kind == TD_SHAPE_VALUE) return;
    if (shape->key != NULL) check_map_keys(c, shape, json, at);
    if (shape->element->kind == TD_SHAPE_LIST) check_map_lengths(c, shape, json, at);
    for (uint32_t i = 0; i < json->count && c->count < TD_FAULTS_MAX; i++) {
        step entry = {.parent = at, .name = json->children[i].name};
        check_element(c, shape->element, &json->children[i], &entry);
    }
}

static void check_map_keys(td_faults *c, const td_shape *shape, const td_json *json, const step *at)
{
    const td_shape *key = shape->key;
    for (uint32_t i = 0; i < json->count; i++) {
        td_slice name = json->children[i].name;
        if (is_arn(name) || (fits_pattern(name) && is_of_length(key, td_utf8_utf16_units(name)))) continue;
        td_slice text;
        if (!td_arena_format(c->error->arena, &text,
                             "Map keys must satisfy constraint: [Member must have length less than or equal to %u, "
                             "Member must have length greater than or equal to %u, "
                             "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+]",
                             key->length_max, key->length_min)) {
            c->no_memory = true;
            return;
        }
        add_old(c, shape, json, at, text);
        return;
    }
}

/* Of lists as values. Since 2026 too many elements are told by themselves, too few are not. */
static void check_map_lengths(td_faults *c, const td_shape *shape, const td_json *json, const step *at)
{
    const td_shape *list = shape->element;
    for (uint32_t i = 0; i < json->count; i++) {
        const td_json *value = &json->children[i];
        if (value->type == TD_JSON_NULL || is_of_length(list, value->count)) continue;
        if (value->count > list->length_max && has_bare_form(c, value)) {
            step entry = {.parent = at, .name = value->name};
            step member = {.parent = &entry, .name = TD_LIT("member")};
            check_length(c, list, value, &member, value->count);
            return;
        }
        td_slice text;
        if (!td_arena_format(c->error->arena, &text,
                             "Map value must satisfy constraint: [Member must have length less than or equal to %u, "
                             "Member must have length greater than or equal to %u]",
                             list->length_max, list->length_min)) {
            c->no_memory = true;
            return;
        }
        add_old(c, shape, json, at, text);
        return;
    }
}

static void check_structure(td_faults *c, const td_shape *shape, const td_json *json, const step *at)
{
    const td_json *values[TD_SHAPE_FIELDS_MAX];
    td_shape__bind_fields(shape, json, values);
    for (uint32_t i = 0; i < shape->field_count; i++) {
        const td_field *field = &shape->fields[i];
        step member = {.parent = at, .name = field->name, .is_field = true};
        if (values[i] != NULL) {
            check(c, field->shape, values[i], &member);
        } else if (field->presence != TD_OPTIONAL) {
            add_null(c, field->shape, &member);
        }
    }
}

/* The shapes' own depth bounds the recursion: none contains itself. */
static void check(td_faults *c, const td_shape *shape, const td_json *json, const step *at)
{
    switch (shape->kind) {
    case TD_SHAPE_STRING: check_string(c, shape, json, at); return;
    case TD_SHAPE_INTEGER:
    case TD_SHAPE_LONG: check_integer(c, shape, json, at); return;
    case TD_SHAPE_LIST: check_list(c, shape, json, at); return;
    case TD_SHAPE_MAP: check_map(c, shape, json, at); return;
    case TD_SHAPE_STRUCTURE: check_structure(c, shape, json, at); return;
    case TD_SHAPE_BOOLEAN:
    case TD_SHAPE_VALUE: return;
    }
}

/* ---- collecting ---- */

/* Writes the way in the order of walking it; is_lower: fields start with a small letter. */
static void write_path(td_buf *buf, const step *at, bool is_lower)
{
    if (at->parent != NULL) {
        write_path(buf, at->parent, is_lower);
        td_buf_append_byte(buf, '.');
    }
    if (at->position != 0) {
        td_buf_append_format(buf, "%u", at->position);
    } else if (at->is_field && is_lower) {
        td_echo__write_name(buf, at->name);
    } else {
        td_buf_append(buf, at->name);
    }
}

static td_slice path_text(td_faults *c, const step *at, bool is_lower)
{
    td_buf buf;
    td_buf_init(&buf, TD_LIMIT_REQUEST_BODY_BYTES_MAX);
    write_path(&buf, at, is_lower);
    td_slice copy = {NULL, 0};
    if (td_buf_has_failed(&buf) || !td_arena_copy(c->error->arena, td_buf_contents(&buf), &copy)) c->no_memory = true;
    td_buf_done(&buf);
    return copy;
}

static bool has_bare_form(const td_faults *c, const td_json *json)
{
    if (json == NULL) return false; /* a missing member is told in the old form everywhere */
    switch (c->field->echo) {
    case TD_ECHO: return false;
    case TD_ECHO_UNTIL_CURRENT: return td_faults__is_current(c);
    case TD_ECHO_UNLESS_EMPTY: return td_faults__is_current(c) && json->text.len == 0;
    case TD_ECHO_NEVER: return true;
    }
    return false;
}

static void add(td_faults *c, const td_shape *shape, const td_json *json, const step *at, td_slice constraint)
{
    if (json == NULL) c->misses_member = true;
    if (c->count == TD_FAULTS_MAX) return;
    c->faults[c->count++] = (td_member_fault){
        .value = json,
        .shape = shape,
        .constraint = constraint,
        .path = path_text(c, at, true),
        .bare_path = has_bare_form(c, json) ? path_text(c, at, false) : td_slice_of(NULL, 0),
        .field = c->field,
    };
}

/* A fault that is told in the old form everywhere. */
static void add_old(td_faults *c, const td_shape *shape, const td_json *json, const step *at, td_slice constraint)
{
    uint32_t place = c->count;
    add(c, shape, json, at, constraint);
    if (c->count > place) c->faults[place].bare_path = td_slice_of(NULL, 0);
}

static void add_number(td_faults *c, const td_shape *shape, const td_json *json, const step *at, const char *constraint,
                       int64_t bound)
{
    td_slice text;
    if (!td_arena_format(c->error->arena, &text, "%s%lld", constraint, (long long)bound)) {
        c->no_memory = true;
        return;
    }
    add(c, shape, json, at, text);
}
