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

/* Of sixteen bytes, moved on their way: those that are special. */
static td_json__block copy_block(uint8_t *to, const uint8_t *from)
{
    td_json__block block;
    memcpy(&block, from, sizeof(block));
    memcpy(to, &block, sizeof(block));
    return td_json__stops_of(block, false);
}

/* Are sixteen bytes free of special ones? Shorter texts are in them twice. */
static bool are_plain(const uint64_t words[2])
{
    td_json__block block;
    memcpy(&block, words, sizeof(block));
    return !td_json__has_stop(td_json__stops_of(block, false));
}

/* Copies a text and says whether it could stand as it is. One pass, in pieces that overlap at the end, since most texts
 * of items are short; the place has room for the text alone. */
static bool copy_plain(uint8_t *to, td_slice text)
{
    if (text.len >= sizeof(td_json__block)) {
        size_t last = text.len - sizeof(td_json__block);
        td_json__block stops = copy_block(to + last, text.ptr + last);
        for (size_t at = 0; at < last; at += sizeof(td_json__block)) {
            stops |= copy_block(to + at, text.ptr + at);
        }
        return !td_json__has_stop(stops);
    }
    uint64_t words[2];
    if (text.len >= sizeof(words[0])) {
        size_t last = text.len - sizeof(words[0]);
        memcpy(&words[0], text.ptr, sizeof(words[0]));
        memcpy(&words[1], text.ptr + last, sizeof(words[1]));
        memcpy(to, &words[0], sizeof(words[0]));
        memcpy(to + last, &words[1], sizeof(words[1]));
        return are_plain(words);
    }
    uint32_t halves[2];
    if (text.len >= sizeof(halves[0])) {
        size_t last = text.len - sizeof(halves[0]);
        memcpy(&halves[0], text.ptr, sizeof(halves[0]));
        memcpy(&halves[1], text.ptr + last, sizeof(halves[1]));
        memcpy(to, &halves[0], sizeof(halves[0]));
        memcpy(to + last, &halves[1], sizeof(halves[1]));
        words[0] = words[1] = (uint64_t)halves[1] << 32 | halves[0];
        return are_plain(words);
    }
    bool is_plain = true;
    for (size_t i = 0; i < text.len; i++) {
        to[i] = text.ptr[i];
        is_plain &= text.ptr[i] >= 0x20 && text.ptr[i] != '"' && text.ptr[i] != '\\';
    }
    return is_plain;
}

/* For writers of a text between `open` and `close`, with a comma ahead unless it is the first: where they are called
 * these are constants, and so a store or two. */
#define INLINE static inline __attribute__((always_inline))

/* Hardly any text needs an escape, so that one reservation serves for all parts. */
INLINE void write_wrapped(td_buf *buf, bool is_first, td_slice open, td_slice text, td_slice close)
{
    size_t comma_len = is_first ? 0 : 1;
    uint8_t *to = td_buf_reserve(buf, comma_len + open.len + text.len + close.len);
    if (to == NULL) return;
    to[0] = ','; /* what opens the first text overwrites it */
    memcpy(to + comma_len, open.ptr, open.len);
    uint8_t *start = to + comma_len + open.len;
    if (copy_plain(start, text)) {
        memcpy(start + text.len, close.ptr, close.len);
        td_buf_commit(buf, comma_len + open.len + text.len + close.len);
    } else {
        td_buf_commit(buf, comma_len + open.len);
        td_json__write_escaped(buf, text);
        td_buf_append(buf, close);
    }
}

void td_json_write_string(td_buf *buf, td_slice text)
{
    write_wrapped(buf, true, TD_LIT("\""), text, TD_LIT("\""));
}

/* What is written for a byte below 0x20, the quote and the backslash: one letter, or 'u' for the long form. */
static uint8_t escape_letter(uint8_t byte)
{
    switch (byte) {
    case '\b': return 'b';
    case '\t': return 't';
    case '\n': return 'n';
    case '\f': return 'f';
    case '\r': return 'r';
    case '"':
    case '\\': return byte;
    default: return 'u';
    }
}

void td_json__write_escaped(td_buf *buf, td_slice text)
{
    static const char hex[] = "0123456789ABCDEF";
    if (text.len == 0) return;
    const uint8_t *at = text.ptr;
    const uint8_t *end = text.ptr + text.len;
    for (;;) {
        const uint8_t *special = td_json__skip_plain(at, end, false);
        td_buf_append(buf, td_slice_of(at, (size_t)(special - at)));
        if (special == end) return;
        uint8_t letter = escape_letter(*special);
        uint8_t escape[6] = {'\\', letter, '0', '0', (uint8_t)hex[*special >> 4], (uint8_t)hex[*special & 15]};
        td_buf_append(buf, td_slice_of(escape, letter == 'u' ? 6 : 2));
        at = special + 1;
    }
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

static uint64_t magnitude_of(int64_t value)
{
    return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

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

/* {"L": … up to where the contents of what is no scalar start. */
static const td_slice openings[TD_TYPE_COUNT] = {
    [TD_TYPE_SS] = TD_LIT_INIT("{\"SS\":["),    [TD_TYPE_NS] = TD_LIT_INIT("{\"NS\":["),
    [TD_TYPE_BS] = TD_LIT_INIT("{\"BS\":["),    [TD_TYPE_M] = TD_LIT_INIT("{\"M\":{"),
    [TD_TYPE_L] = TD_LIT_INIT("{\"L\":["),      [TD_TYPE_BOOL] = TD_LIT_INIT("{\"BOOL\":"),
    [TD_TYPE_NULL] = TD_LIT_INIT("{\"NULL\":"),
};

static void open_value(td_buf *buf, td_type type)
{
    TD_ASSERT(type < TD_TYPE_COUNT && openings[type].len > 0);
    td_buf_append(buf, openings[type]);
}

INLINE void write_number(td_buf *buf, bool is_first, td_slice open, td_slice encoded, td_slice close)
{
    char text[TD_NUMBER_TEXT_MAX];
    size_t len = td_number_print(encoded, text);
    write_wrapped(buf, is_first, open, td_slice_of(text, len), close);
}

INLINE void write_binary(td_buf *buf, bool is_first, td_slice open, td_slice bytes, td_slice close)
{
    size_t comma_len = is_first ? 0 : 1;
    size_t len = td_base64_encoded_len(bytes.len);
    uint8_t *to = td_buf_reserve(buf, comma_len + open.len + len + close.len);
    if (to == NULL) return;
    to[0] = ',';
    memcpy(to + comma_len, open.ptr, open.len);
    uint8_t *start = to + comma_len + open.len;
    size_t written = td_base64_encode(bytes, start);
    TD_ASSERT(written == len);
    memcpy(start + len, close.ptr, close.len);
    td_buf_commit(buf, comma_len + open.len + len + close.len);
}

static void write_scalar(td_buf *buf, td_type type, td_slice bytes)
{
    TD_ASSERT(td_type_is_scalar(type));
    if (type == TD_TYPE_S) {
        write_wrapped(buf, true, TD_LIT("{\"S\":\""), bytes, TD_LIT("\"}"));
    } else if (type == TD_TYPE_N) {
        write_number(buf, true, TD_LIT("{\"N\":\""), bytes, TD_LIT("\"}"));
    } else {
        write_binary(buf, true, TD_LIT("{\"B\":\""), bytes, TD_LIT("\"}"));
    }
}

/* What stands between two children: nothing before the first. */
static void write_separator(td_buf *buf, bool *is_first)
{
    if (!*is_first) td_buf_append_byte(buf, ',');
    *is_first = false;
}

static void write_member(td_buf *buf, td_type type, td_slice bytes, bool *is_first)
{
    TD_ASSERT(td_type_is_set(type));
    if (type == TD_TYPE_SS) {
        write_wrapped(buf, *is_first, TD_LIT("\""), bytes, TD_LIT("\""));
    } else if (type == TD_TYPE_NS) {
        write_number(buf, *is_first, TD_LIT("\""), bytes, TD_LIT("\""));
    } else {
        write_binary(buf, *is_first, TD_LIT("\""), bytes, TD_LIT("\""));
    }
    *is_first = false;
}

static void write_name(td_buf *buf, td_slice name, bool *is_first)
{
    write_wrapped(buf, *is_first, TD_LIT("\""), name, TD_LIT("\":"));
    *is_first = false;
}

static void write_members_of_map(td_buf *buf, const td_attribute *attributes, uint32_t count)
{
    bool is_first = true;
    for (uint32_t i = 0; i < count; i++) {
        write_name(buf, attributes[i].name, &is_first);
        td_json_write_value(buf, &attributes[i].value);
    }
}

void td_json_write_value(td_buf *buf, const td_value *value)
{
    bool is_first = true;
    if (!td_type_is_scalar(value->type)) open_value(buf, value->type);
    switch (value->type) {
    case TD_TYPE_S:
    case TD_TYPE_N:
    case TD_TYPE_B: write_scalar(buf, value->type, value->bytes); return;
    case TD_TYPE_SS:
    case TD_TYPE_NS:
    case TD_TYPE_BS:
        for (uint32_t i = 0; i < value->count; i++) {
            write_member(buf, value->type, value->members[i], &is_first);
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
    case TD_TYPE_BOOL: td_buf_append(buf, value->boolean ? TD_LIT("true}") : TD_LIT("false}")); return;
    case TD_TYPE_NULL: td_buf_append_lit(buf, "true}"); return;
    case TD_TYPE_COUNT: break;
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
        write_name(buf, name, &is_first);
        td_json_write_stored(buf, &attribute);
    }
}

void td_json_write_stored(td_buf *buf, const td_stored *stored)
{
    td_stored rest = *stored;
    td_slice member;
    td_stored element;
    bool is_first = true;
    if (!td_type_is_scalar(stored->type)) open_value(buf, stored->type);
    switch (stored->type) {
    case TD_TYPE_S:
    case TD_TYPE_N:
    case TD_TYPE_B: write_scalar(buf, stored->type, stored->bytes); return;
    case TD_TYPE_SS:
    case TD_TYPE_NS:
    case TD_TYPE_BS:
        while (td_stored_next_member(&rest, &member)) {
            write_member(buf, stored->type, member, &is_first);
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
    case TD_TYPE_BOOL: td_buf_append(buf, stored->boolean ? TD_LIT("true}") : TD_LIT("false}")); return;
    case TD_TYPE_NULL: td_buf_append_lit(buf, "true}"); return;
    case TD_TYPE_COUNT: break;
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
        write_name(buf, names[i], &is_first);
        td_json_write_stored(buf, &stored);
    }
    td_buf_append_byte(buf, '}');
}
