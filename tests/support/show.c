/* SPDX-License-Identifier: Apache-2.0
 * show.c: values as readable text, so that a failing assertion shows both sides.
 *
 * The text is grown in a buffer and handed over as a copy in the arena. */
#include "support/build.h"

#include "thermodyn/buf.h"
#include "thermodyn/number.h"

enum { TEXT_BYTES_MAX = 64 << 20 };

static void write_value(td_buf *buf, const td_value *value);
static void write_attributes(td_buf *buf, const td_attribute *attributes, uint32_t count);
static void write_members(td_buf *buf, const td_value *set);
static void write_scalar(td_buf *buf, td_type type, td_slice payload);
static void write_quoted(td_buf *buf, td_slice bytes);
static const char *finish(td_arena *arena, td_buf *buf);

const char *show_value(td_arena *arena, const td_value *value)
{
    td_buf buf;
    td_buf_init(&buf, TEXT_BYTES_MAX);
    write_value(&buf, value);
    return finish(arena, &buf);
}

const char *show_attributes(td_arena *arena, const td_attribute *attributes, uint32_t count)
{
    td_buf buf;
    td_buf_init(&buf, TEXT_BYTES_MAX);
    write_attributes(&buf, attributes, count);
    return finish(arena, &buf);
}

const char *show_item(td_arena *arena, const td_item *item)
{
    td_attribute *attributes = NULL;
    uint32_t count = 0;
    if (!item) return "no item";
    TD_ASSERT(td_item_decode(item, arena, &attributes, &count) == TD_OK);
    return show_attributes(arena, attributes, count);
}

const char *show_stored(td_arena *arena, td_stored stored)
{
    td_value value;
    TD_ASSERT(td_stored_decode(&stored, arena, &value) == TD_OK);
    return show_value(arena, &value);
}

const char *show_slice(td_arena *arena, td_slice bytes)
{
    td_buf buf;
    td_buf_init(&buf, TEXT_BYTES_MAX);
    write_quoted(&buf, bytes);
    return finish(arena, &buf);
}

const char *show_one(td_arena *arena, td_given given)
{
    td_value value = value_of(arena, given);
    return show_value(arena, &value);
}

const char *td_given_show(td_arena *arena, const td_given *list)
{
    td_given_attributes made = td_given_make_attributes(arena, list);
    return show_attributes(arena, made.attributes, made.count);
}

static void write_value(td_buf *buf, const td_value *value)
{
    td_buf_append_format(buf, "{\"%s\": ", td_type_name(value->type));
    switch (value->type) {
    case TD_TYPE_S:
    case TD_TYPE_N:
    case TD_TYPE_B: write_scalar(buf, value->type, value->bytes); break;
    case TD_TYPE_SS:
    case TD_TYPE_NS:
    case TD_TYPE_BS: write_members(buf, value); break;
    case TD_TYPE_M: write_attributes(buf, value->attributes, value->count); break;
    case TD_TYPE_L:
        td_buf_append_lit(buf, "[");
        for (uint32_t i = 0; i < value->count; i++) {
            if (i > 0) td_buf_append_lit(buf, ", ");
            write_value(buf, &value->elements[i]);
        }
        td_buf_append_lit(buf, "]");
        break;
    case TD_TYPE_BOOL: td_buf_append(buf, value->boolean ? TD_LIT("true") : TD_LIT("false")); break;
    case TD_TYPE_NULL: td_buf_append_lit(buf, "true"); break;
    case TD_TYPE_COUNT: TD_ASSERT(false);
    }
    td_buf_append_lit(buf, "}");
}

static void write_attributes(td_buf *buf, const td_attribute *attributes, uint32_t count)
{
    td_buf_append_lit(buf, "{");
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0) td_buf_append_lit(buf, ", ");
        write_quoted(buf, attributes[i].name);
        td_buf_append_lit(buf, ": ");
        write_value(buf, &attributes[i].value);
    }
    td_buf_append_lit(buf, "}");
}

static void write_members(td_buf *buf, const td_value *set)
{
    td_type member_type = set->type == TD_TYPE_NS ? TD_TYPE_N : TD_TYPE_S;
    td_buf_append_lit(buf, "[");
    for (uint32_t i = 0; i < set->count; i++) {
        if (i > 0) td_buf_append_lit(buf, ", ");
        write_scalar(buf, member_type, set->members[i]);
    }
    td_buf_append_lit(buf, "]");
}

static void write_scalar(td_buf *buf, td_type type, td_slice payload)
{
    char text[TD_NUMBER_TEXT_MAX];
    if (type == TD_TYPE_N) payload = td_slice_of(text, td_number_print(payload, text));
    write_quoted(buf, payload);
}

static void write_quoted(td_buf *buf, td_slice bytes)
{
    td_buf_append_byte(buf, '"');
    for (size_t i = 0; i < bytes.len; i++) {
        uint8_t byte = bytes.ptr[i];
        if (byte < 0x20 || byte == 0x7f || byte == '"' || byte == '\\')
            td_buf_append_format(buf, "\\x%02x", byte);
        else
            td_buf_append_byte(buf, byte);
    }
    td_buf_append_byte(buf, '"');
}

static const char *finish(td_arena *arena, td_buf *buf)
{
    td_slice copy = {NULL, 0};
    td_buf_append_byte(buf, '\0');
    TD_ASSERT(!td_buf_has_failed(buf));
    TD_ASSERT(td_arena_copy(arena, td_buf_contents(buf), &copy));
    td_buf_done(buf);
    return (const char *)copy.ptr;
}
