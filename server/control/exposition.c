/* SPDX-License-Identifier: Apache-2.0
 * exposition.c: lines of Prometheus' text format. */
#include "exposition.h"

#include "thermodyn/text.h"

static void end_labels(td_buf *buf);
static void append_escaped(td_buf *buf, td_slice text);
static bool is_plain(uint8_t byte);
static void append_decimal(td_buf *buf, int64_t value, int places);
static void append_digits(td_buf *buf, uint64_t value);

void td_exposition_family(td_buf *buf, td_slice name, td_exposition_type type, td_slice help)
{
    static const td_slice types[] = {TD_LIT_INIT("counter"), TD_LIT_INIT("gauge"), TD_LIT_INIT("histogram")};
    td_buf_append_lit(buf, "# HELP ");
    td_buf_append(buf, name);
    td_buf_append_byte(buf, ' ');
    td_buf_append(buf, help);
    td_buf_append_lit(buf, "\n# TYPE ");
    td_buf_append(buf, name);
    td_buf_append_byte(buf, ' ');
    td_buf_append(buf, types[type]);
    td_buf_append_byte(buf, '\n');
}

void td_exposition_begin(td_buf *buf, td_slice name, td_slice labels)
{
    td_buf_append(buf, name);
    if (labels.len == 0) return;
    td_buf_append_byte(buf, '{');
    td_buf_append(buf, labels);
}

/* The byte before says whether it is the first: a quote ends a label, a brace or nothing stands before the first. */
void td_exposition_label(td_buf *buf, td_slice name, td_slice value)
{
    if (td_buf_has_failed(buf)) return;
    uint8_t before = buf->len == 0 ? '"' : buf->data[buf->len - 1];
    if (buf->len > 0) td_buf_append_byte(buf, before == '"' ? ',' : '{');
    td_buf_append(buf, name);
    td_buf_append_lit(buf, "=\"");
    append_escaped(buf, value);
    td_buf_append_byte(buf, '"');
}

void td_exposition_labels(td_buf *buf, td_slice labels)
{
    td_buf_append_byte(buf, ',');
    td_buf_append(buf, labels);
}

void td_exposition_count(td_buf *buf, uint64_t value)
{
    end_labels(buf);
    append_digits(buf, value);
    td_buf_append_byte(buf, '\n');
}

void td_exposition_milli(td_buf *buf, int64_t milli)
{
    end_labels(buf);
    append_decimal(buf, milli, 3);
}

void td_exposition_micro(td_buf *buf, int64_t micro)
{
    end_labels(buf);
    append_decimal(buf, micro, 6);
}

static void end_labels(td_buf *buf)
{
    if (td_buf_has_failed(buf)) return;
    TD_ASSERT(buf->len > 0);
    if (buf->data[buf->len - 1] == '"') td_buf_append_byte(buf, '}');
    td_buf_append_byte(buf, ' ');
}

/* Most values need none, and are appended at once. */
static void append_escaped(td_buf *buf, td_slice text)
{
    size_t plain = 0;
    while (plain < text.len && is_plain(text.ptr[plain]))
        plain++;
    td_buf_append(buf, td_slice_of(text.ptr, plain));
    if (plain == text.len) return;
    bool is_valid = td_utf8_is_valid(text);
    for (size_t i = plain; i < text.len; i++) {
        uint8_t byte = text.ptr[i];
        if (byte == '\\' || byte == '"') td_buf_append_byte(buf, '\\');
        if (byte == '\n')
            td_buf_append_lit(buf, "\\n");
        else
            td_buf_append_byte(buf, !is_valid && byte >= 0x80 ? '?' : byte);
    }
}

static bool is_plain(uint8_t byte)
{
    return byte < 0x80 && byte != '\\' && byte != '"' && byte != '\n';
}

/* Without zeros at its end. */
static void append_decimal(td_buf *buf, int64_t value, int places)
{
    uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    uint64_t one = 1;
    for (int i = 0; i < places; i++)
        one *= 10;
    if (value < 0) td_buf_append_byte(buf, '-');
    append_digits(buf, magnitude / one);
    uint64_t rest = magnitude % one;
    if (rest > 0) td_buf_append_byte(buf, '.');
    for (int i = 0; i < places && rest > 0; i++) {
        rest *= 10;
        td_buf_append_byte(buf, (uint8_t)('0' + rest / one));
        rest %= one;
    }
    td_buf_append_byte(buf, '\n');
}

static void append_digits(td_buf *buf, uint64_t value)
{
    uint8_t digits[20];
    size_t at = sizeof digits;
    do {
        digits[--at] = (uint8_t)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    td_buf_append(buf, td_slice_of(&digits[at], sizeof digits - at));
}
