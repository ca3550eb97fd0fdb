/* SPDX-License-Identifier: MIT
 * json_write.c: JSON straight into the reply's buffer (decision D9).
 *
 * Model: what the service's own writer puts out: nothing is escaped but the quote, the backslash and control characters
 *        (short forms where JSON has them, else \u with capital digits); text above ASCII goes out as it is. Doubles
 *        have a fraction always: 1.0.
 * A failure sticks in the buffer, hence nothing here answers a status. Values nest at most as deep as what was stored
 * or decoded: the limit of levels bounds the recursion.
 * Not here: error documents (error.c); the documents of the control endpoints (server/base). */
#include "wire/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "thermodyn/text.h"

#include "json_text.h"

#define MS_PER_S 1000

/* ---- texts and numbers ---- */

void td_json_write_string(td_buf *buf, td_slice text)
{
    td_buf_append_byte(buf, '"');
    td_json__write_escaped(buf, text);
    td_buf_append_byte(buf, '"');
}

/* What is written for a byte below 0x20, the quote and the backslash: one letter, or 'u' for the long form. */
static uint8_t escape_letter(uint8_t byte)
{
    switch (byte) {
    case '\b':
        return 'b';
    case '\t':
        return 't';
    case '\n':
        return 'n';
    case '\f':
        return 'f';
    case '\r':
        return 'r';
    case '"':
    case '\\':
        return byte;
    default:
        return 'u';
    }
}

static bool must_escape(uint8_t byte) { return byte < 0x20 || byte == '"' || byte == '\\'; }

void td_json__write_escaped(td_buf *buf, td_slice text)
{
    static const char hex[] = "0123456789ABCDEF";
    if (text.len == 0) return;
    const uint8_t *run = text.ptr;
    const uint8_t *end = text.ptr + text.len;
    for (const uint8_t *at = run; at < end; at++) {
        if (!must_escape(*at)) continue;
        td_buf_append(buf, td_slice_of(run, (size_t)(at - run)));
        run = at + 1;
        uint8_t letter = escape_letter(*at);
        uint8_t escape[6] = {'\\', letter, '0', '0', (uint8_t)hex[*at >> 4], (uint8_t)hex[*at & 15]};
        td_buf_append(buf, td_slice_of(escape, letter == 'u' ? 6 : 2));
    }
    if (run < end) td_buf_append(buf, td_slice_of(run, (size_t)(end - run)));
}

/* Digits of a magnitude, right-aligned in `digits`; answers where they start. */
static char *print_digits(uint64_t magnitude, char digits[20])
{
    char *at = digits + 20;
    do {
        *--at = (char)('0' + magnitude % 10);
        magnitude /= 10;
    } while (magnitude > 0);
    return at;
}

static uint64_t magnitude_of(int64_t value) { return value < 0 ? 0 - (uint64_t)value : (uint64_t)value; }

void td_json_write_int(td_buf *buf, int64_t value)
{
    char digits[20];
    char *start = print_digits(magnitude_of(value), digits);
    if (value < 0) td_buf_append_byte(buf, '-');
    td_buf_append(buf, td_slice_of(start, (size_t)(digits + 20 - start)));
}

/* Thousandths as a decimal: three digits at most behind the point, one at least. */
static void write_thousandths(td_buf *buf, int64_t thousandths)
{
    uint64_t magnitude = magnitude_of(thousandths);
    char digits[20];
    char *start = print_digits(magnitude / 1000, digits);
    if (thousandths < 0) td_buf_append_byte(buf, '-');
    td_buf_append(buf, td_slice_of(start, (size_t)(digits + 20 - start)));

    uint64_t rest = magnitude % 1000;
    char fraction[4] = {'.', (char)('0' + rest / 100), (char)('0' + rest / 10 % 10), (char)('0' + rest % 10)};
    size_t len = fraction[3] != '0' ? 4 : fraction[2] != '0' ? 3 : 2;
    td_buf_append(buf, td_slice_of(fraction, len));
}

void td_json_write_units(td_buf *buf, td_units units)
{
    _Static_assert(TD_UNITS_ONE == 1000, "units are thousandths");
    write_thousandths(buf, units);
}

void td_json_write_time(td_buf *buf, td_time_us time)
{
    _Static_assert(TD_US_PER_S / TD_US_PER_MS == MS_PER_S, "milliseconds are thousandths of a second");
    write_thousandths(buf, time / TD_US_PER_MS);
}

void td_json_write_double(td_buf *buf, double value)
{
    if (!isfinite(value)) {
        td_buf_append_lit(buf, "null");
        return;
    }
    char text[32];
    for (int digits = 15; digits <= 17; digits++) {
        (void)snprintf(text, sizeof(text), "%.*g", digits, value);
        if (!(strtod(text, NULL) < value || strtod(text, NULL) > value)) break;
    }
    td_buf_append(buf, td_slice_of_cstr(text));
}

/* ---- attribute values ---- */

static void write_binary(td_buf *buf, td_slice bytes)
{
    size_t len = td_base64_encoded_len(bytes.len);
    uint8_t *to = td_buf_reserve(buf, len + 2);
    if (to == NULL) return;
    to[0] = '"';
    size_t written = td_base64_encode(bytes, to + 1);
    TD_ASSERT(written == len);
    to[len + 1] = '"';
    td_buf_commit(buf, len + 2);
}

/* Digits, sign and point need no escapes. */
static void write_number(td_buf *buf, td_slice encoded)
{
    char text[TD_NUMBER_TEXT_MAX];
    size_t len = td_number_print(encoded, text);
    uint8_t *to = td_buf_reserve(buf, len + 2);
    if (to == NULL) return;
    to[0] = '"';
    memcpy(to + 1, text, len);
    to[len + 1] = '"';
    td_buf_commit(buf, len + 2);
}

/* A scalar's payload, or a member of the set of that scalar. */
static void write_payload(td_buf *buf, td_type type, td_slice bytes)
{
    if (type == TD_TYPE_S || type == TD_TYPE_SS) {
        td_json_write_string(buf, bytes);
    } else if (type == TD_TYPE_N || type == TD_TYPE_NS) {
        write_number(buf, bytes);
    } else {
        write_binary(buf, bytes);
    }
}

/* {"S": … up to the colon. */
static void open_value(td_buf *buf, td_type type)
{
    static const td_slice opening[TD_TYPE_COUNT] = {
        [TD_TYPE_S] = TD_LIT_INIT("{\"S\":"),       [TD_TYPE_N] = TD_LIT_INIT("{\"N\":"),
        [TD_TYPE_B] = TD_LIT_INIT("{\"B\":"),       [TD_TYPE_SS] = TD_LIT_INIT("{\"SS\":["),
        [TD_TYPE_NS] = TD_LIT_INIT("{\"NS\":["),    [TD_TYPE_BS] = TD_LIT_INIT("{\"BS\":["),
        [TD_TYPE_M] = TD_LIT_INIT("{\"M\":{"),      [TD_TYPE_L] = TD_LIT_INIT("{\"L\":["),
        [TD_TYPE_BOOL] = TD_LIT_INIT("{\"BOOL\":"), [TD_TYPE_NULL] = TD_LIT_INIT("{\"NULL\":"),
    };
    TD_ASSERT(type < TD_TYPE_COUNT);
    td_buf_append(buf, opening[type]);
}

static void write_separator(td_buf *buf, bool *is_first)
{
    if (!*is_first) td_buf_append_byte(buf, ',');
    *is_first = false;
}

static void write_name(td_buf *buf, td_slice name)
{
    td_json_write_string(buf, name);
    td_buf_append_byte(buf, ':');
}

static void write_members_of_map(td_buf *buf, const td_attribute *attributes, uint32_t count)
{
    bool is_first = true;
    for (uint32_t i = 0; i < count; i++) {
        write_separator(buf, &is_first);
        write_name(buf, attributes[i].name);
        td_json_write_value(buf, &attributes[i].value);
    }
}

void td_json_write_value(td_buf *buf, const td_value *value)
{
    bool is_first = true;
    open_value(buf, value->type);
    switch (value->type) {
    case TD_TYPE_S:
    case TD_TYPE_N:
    case TD_TYPE_B:
        write_payload(buf, value->type, value->bytes);
        td_buf_append_byte(buf, '}');
        return;
    case TD_TYPE_SS:
    case TD_TYPE_NS:
    case TD_TYPE_BS:
        for (uint32_t i = 0; i < value->count; i++) {
            write_separator(buf, &is_first);
            write_payload(buf, value->type, value->members[i]);
        }
        td_buf_append_lit(buf, "]}");
        return;
    case TD_TYPE_L:
        for (uint32_t i = 0; i < value->count; i++) {
            write_separator(buf, &is_first);
            td_json_write_value(buf, &value->elements[i]);
        }
        td_buf_append_lit(buf, "]}");
        return;
    case TD_TYPE_M:
        write_members_of_map(buf, value->attributes, value->count);
        td_buf_append_lit(buf, "}}");
        return;
    case TD_TYPE_BOOL:
        td_buf_append(buf, value->boolean ? TD_LIT("true}") : TD_LIT("false}"));
        return;
    case TD_TYPE_NULL:
        td_buf_append_lit(buf, "true}");
        return;
    case TD_TYPE_COUNT:
        break;
    }
    TD_ASSERT(false && "a value has a type");
}

void td_json_write_attributes(td_buf *buf, const td_attribute *attributes, uint32_t count)
{
    td_buf_append_byte(buf, '{');
    write_members_of_map(buf, attributes, count);
    td_buf_append_byte(buf, '}');
}

/* ---- stored items ---- */

static void write_stored_members_of_map(td_buf *buf, td_stored map)
{
    td_slice name;
    td_stored attribute;
    bool is_first = true;
    while (td_stored_next_attribute(&map, &name, &attribute)) {
        write_separator(buf, &is_first);
        write_name(buf, name);
        td_json_write_stored(buf, &attribute);
    }
}

void td_json_write_stored(td_buf *buf, const td_stored *stored)
{
    td_stored rest = *stored;
    td_slice member;
    td_stored element;
    bool is_first = true;
    open_value(buf, stored->type);
    switch (stored->type) {
    case TD_TYPE_S:
    case TD_TYPE_N:
    case TD_TYPE_B:
        write_payload(buf, stored->type, stored->bytes);
        td_buf_append_byte(buf, '}');
        return;
    case TD_TYPE_SS:
    case TD_TYPE_NS:
    case TD_TYPE_BS:
        while (td_stored_next_member(&rest, &member)) {
            write_separator(buf, &is_first);
            write_payload(buf, stored->type, member);
        }
        td_buf_append_lit(buf, "]}");
        return;
    case TD_TYPE_L:
        while (td_stored_next_element(&rest, &element)) {
            write_separator(buf, &is_first);
            td_json_write_stored(buf, &element);
        }
        td_buf_append_lit(buf, "]}");
        return;
    case TD_TYPE_M:
        write_stored_members_of_map(buf, rest);
        td_buf_append_lit(buf, "}}");
        return;
    case TD_TYPE_BOOL:
        td_buf_append(buf, stored->boolean ? TD_LIT("true}") : TD_LIT("false}"));
        return;
    case TD_TYPE_NULL:
        td_buf_append_lit(buf, "true}");
        return;
    case TD_TYPE_COUNT:
        break;
    }
    TD_ASSERT(false && "a stored value has a type");
}

void td_json_write_item(td_buf *buf, const td_item *item)
{
    td_buf_append_byte(buf, '{');
    write_stored_members_of_map(buf, td_item_contents(item));
    td_buf_append_byte(buf, '}');
}

void td_json_write_item_keys(td_buf *buf, const td_item *item, const td_slice *names, uint32_t count)
{
    bool is_first = true;
    td_buf_append_byte(buf, '{');
    for (uint32_t i = 0; i < count; i++) {
        td_stored stored;
        if (!td_item_find(item, names[i], &stored)) continue;
        write_separator(buf, &is_first);
        write_name(buf, names[i]);
        td_json_write_stored(buf, &stored);
    }
    td_buf_append_byte(buf, '}');
}
