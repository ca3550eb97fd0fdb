/* SPDX-License-Identifier: Apache-2.0
 * json_write.c: JSON straight into the reply's buffer (decision D9).
 *
 * Model: what the service's own writer puts out: nothing is escaped but the quote, the backslash and control characters
 *        (short forms where JSON has them, else \u with capital digits); text above ASCII goes out as it is. Doubles
 *        have a fraction always: 1.0.
 * A failure sticks in the buffer, hence nothing here answers a status.
 * Not here: attribute values (value_write.c); error documents (error.c); the documents of the control endpoints
 *        (server/base). */
#include "wire/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "thermodyn/text.h"

#include "json_text.h"

#define MS_PER_S 1000

/* ---- texts and numbers ---- */

/* Are sixteen bytes free of special ones? Shorter texts are in them twice. */
static bool are_plain(const uint64_t words[2])
{
    td_json__block block;
    memcpy(&block, words, sizeof(block));
    return !td_json__has_stop(td_json__stops_of(block, false));
}

/* One pass, in pieces that overlap at the end, since most texts are short. */
bool td_json__copy_plain(uint8_t *to, td_slice text)
{
    if (text.len >= sizeof(td_json__block)) {
        size_t last = text.len - sizeof(td_json__block);
        td_json__block stops = td_json__copy_block(to + last, text.ptr + last);
        for (size_t at = 0; at < last; at += sizeof(td_json__block)) {
            stops |= td_json__copy_block(to + at, text.ptr + at);
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

void td_json_write_string(td_buf *buf, td_slice text)
{
    uint8_t *to = td_buf_reserve(buf, text.len + 2);
    if (to == NULL) return;
    to[0] = '"';
    if (td_json__copy_plain(to + 1, text)) {
        to[text.len + 1] = '"';
        td_buf_commit(buf, text.len + 2);
    } else {
        td_buf_commit(buf, 1);
        td_json__write_escaped(buf, text);
        td_buf_append_byte(buf, '"');
    }
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
    uint8_t *to = td_buf_reserve(buf, text.len);
    if (to == NULL) return;
    if (td_json__copy_plain(to, text)) { /* nearly always */
        td_buf_commit(buf, text.len);
        return;
    }
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
