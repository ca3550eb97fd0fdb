/* SPDX-License-Identifier: Apache-2.0
 * disk_text.c: the text of a log, read. */
#include "fuzz/disk_text.h"

#include <stdlib.h>

#include "thermodyn/disk.h"
#include "thermodyn/text.h"

enum { GROUPS_READ_MAX = DISK_GROUPS_MAX - 4, DEPTH_MAX = 8, WORD_BYTES = 24, LENGTH_BYTES = 4, CHANGE_HEAD_BYTES = 8 };
enum { NUMBER, REAL, BYTES, FIELDS };

static const char *const space_names[TD_SPACE_COUNT] = {"meta", "streams", "tables", "items", "changes", "tokens"};
static const char *const kind_names[] = {"", "put", "remove", "clear"};

static int next_byte(const td_slice *rest)
{
    return rest->len == 0 ? -1 : rest->ptr[0];
}

static void pass(td_slice *rest, size_t len)
{
    *rest = td_slice_of(rest->ptr + len, rest->len - len);
}

static td_slice cut_line(td_slice *rest)
{
    size_t len = 0;
    while (len < rest->len && rest->ptr[len] != '\n')
        len++;
    td_slice line = td_slice_of(rest->ptr, len);
    pass(rest, len < rest->len ? len + 1 : len);
    return line;
}

/* The letters at the beginning, and the spaces behind them. */
static td_slice cut_word(td_slice *rest)
{
    size_t len = 0;
    while (len < rest->len && rest->ptr[len] >= 'a' && rest->ptr[len] <= 'z')
        len++;
    td_slice word = td_slice_of(rest->ptr, len);
    pass(rest, len);
    while (next_byte(rest) == ' ')
        pass(rest, 1);
    return word;
}

static bool is_word(td_slice word, const char *text)
{
    return td_slice_equal(word, td_slice_of_cstr(text));
}

/* What looks like a number, of which the value is the caller's to find out. */
static void cut_number(td_slice *rest, char ret_text[WORD_BYTES])
{
    size_t len = 0;
    while (len < rest->len && len + 1 < WORD_BYTES && strchr("0123456789-+.einfa", rest->ptr[len]) != NULL &&
           rest->ptr[len] != '\0')
        len++;
    memcpy(ret_text, rest->ptr, len);
    ret_text[len] = '\0';
    pass(rest, len);
}

static uint64_t cut_integer(td_slice *rest)
{
    uint64_t value = 0;
    bool is_negative = next_byte(rest) == '-';
    if (is_negative) pass(rest, 1);
    for (int byte = next_byte(rest); byte >= '0' && byte <= '9'; byte = next_byte(rest)) {
        value = 10 * value + (uint64_t)(byte - '0');
        pass(rest, 1);
    }
    return is_negative ? 0 - value : value;
}

static int digit_of(int byte)
{
    if (byte >= '0' && byte <= '9') return byte - '0';
    return byte >= 'a' && byte <= 'f' ? byte - 'a' + 10 : -1;
}

static void cut_hex(td_slice *rest, td_buf *bytes)
{
    pass(rest, 1);
    while (rest->len >= 2 && digit_of(rest->ptr[0]) >= 0 && digit_of(rest->ptr[1]) >= 0) {
        td_buf_append_byte(bytes, (uint8_t)(16 * digit_of(rest->ptr[0]) + digit_of(rest->ptr[1])));
        pass(rest, 2);
    }
}

static void cut_string(td_slice *rest, td_buf *bytes)
{
    pass(rest, 1);
    size_t len = 0;
    while (len < rest->len && rest->ptr[len] != '"')
        len++;
    td_buf_append(bytes, td_slice_of(rest->ptr, len));
    pass(rest, len < rest->len ? len + 1 : len);
}

static void put_big_endian(td_buf *bytes, uint64_t value, int count)
{
    for (int i = count - 1; i >= 0; i--)
        td_buf_append_byte(bytes, (uint8_t)(value >> 8 * i));
}

static void cut_bytes(td_slice *rest, td_buf *bytes, int depth);

static void cut_field(td_slice *rest, td_buf *bytes, int depth)
{
    char text[WORD_BYTES];
    uint8_t field = (uint8_t)(cut_integer(rest) << 2);
    int sign = next_byte(rest);
    if (sign == ':') {
        pass(rest, 1);
        uint64_t value = cut_integer(rest);
        td_buf_append_byte(bytes, field | NUMBER);
        for (value = value << 1 ^ (value >> 63 != 0 ? UINT64_MAX : 0); value >= 0x80; value >>= 7)
            td_buf_append_byte(bytes, (uint8_t)(value | 0x80));
        td_buf_append_byte(bytes, (uint8_t)value);
    } else if (sign == '=') {
        pass(rest, 1);
        cut_number(rest, text);
        double real = strtod(text, NULL);
        td_buf_append_byte(bytes, field | REAL);
        td_buf_append(bytes, td_slice_of(&real, sizeof real));
    } else if (sign == '"' || sign == 'x' || sign == '{') {
        td_buf_append_byte(bytes, field | (sign == '{' ? FIELDS : BYTES));
        size_t at = bytes->len;
        td_buf_append(bytes, td_slice_of("\0\0\0\0", LENGTH_BYTES));
        if (sign == '"') cut_string(rest, bytes);
        if (sign == 'x') cut_hex(rest, bytes);
        if (sign == '{') {
            pass(rest, 1);
            cut_bytes(rest, bytes, depth + 1);
            if (next_byte(rest) == '}') pass(rest, 1);
        }
        uint32_t len = (uint32_t)(bytes->len - at - LENGTH_BYTES);
        if (!td_buf_has_failed(bytes)) memcpy(bytes->data + at, &len, sizeof len);
    }
}

/* Up to the end, or to what ends a list of fields or a key. */
static void cut_bytes(td_slice *rest, td_buf *bytes, int depth)
{
    while (rest->len > 0 && depth < DEPTH_MAX && !td_buf_has_failed(bytes)) {
        int byte = next_byte(rest);
        if (byte == '|' || byte == '}') return;
        if (byte >= '0' && byte <= '9') {
            cut_field(rest, bytes, depth);
        } else if (byte == 'x') {
            cut_hex(rest, bytes);
        } else if (byte == '"') {
            cut_string(rest, bytes);
        } else if (byte == '#') {
            pass(rest, 1);
            bool is_long = next_byte(rest) == '#';
            if (is_long) pass(rest, 1);
            put_big_endian(bytes, cut_integer(rest), is_long ? 8 : 4);
        } else {
            pass(rest, 1);
        }
    }
}

static void read_change(td_buf *changes, uint8_t kind, td_slice rest)
{
    td_slice space_name = cut_word(&rest);
    uint8_t space = 0;
    while (space < TD_SPACE_COUNT && !is_word(space_name, space_names[space]))
        space++;
    size_t at = changes->len;
    uint8_t head[CHANGE_HEAD_BYTES] = {kind, space};
    td_buf_append(changes, td_slice_of(head, sizeof head));
    cut_bytes(&rest, changes, 0);
    uint16_t key_bytes = (uint16_t)(changes->len - at - sizeof head);
    size_t value_at = changes->len;
    if (next_byte(&rest) == '|') pass(&rest, 1);
    cut_bytes(&rest, changes, 0);
    uint32_t value_bytes = (uint32_t)(changes->len - value_at);
    if (td_buf_has_failed(changes)) return;
    memcpy(changes->data + at + 2, &key_bytes, sizeof key_bytes);
    memcpy(changes->data + at + 4, &value_bytes, sizeof value_bytes);
}

/* A text has at most so many. */
static void begin_group(disk_text *it, td_slice rest)
{
    if (it->count == GROUPS_READ_MAX) return;
    (void)disk_text_add(it);
    disk_group *group = &it->groups[it->count - 1];
    for (td_slice word = cut_word(&rest); word.len > 0; word = cut_word(&rest)) {
        group->is_other = group->is_other || is_word(word, "other");
        group->is_torn = group->is_torn || is_word(word, "torn");
        group->is_foreign = group->is_foreign || is_word(word, "foreign");
        group->is_late = group->is_late || is_word(word, "late");
        group->is_cut = group->is_cut || is_word(word, "cut");
    }
}

static void read_line(disk_text *it, td_slice line)
{
    td_slice word = cut_word(&line);
    if (is_word(word, "kept")) it->kept = cut_integer(&line);
    if (is_word(word, "needed")) it->is_needed = true;
    if (is_word(word, "fails")) it->fails = cut_integer(&line);
    if (is_word(word, "trusts")) it->trusts = true;
    if (is_word(word, "appends")) it->appends = true;
    if (is_word(word, "lacks")) it->lacks[cut_integer(&line) % DISK_FILES] = true;
    if (is_word(word, "group")) begin_group(it, line);
    if (it->count == 0) return;
    td_buf *changes = &it->groups[it->count - 1].changes;
    if (is_word(word, "raw")) cut_bytes(&line, changes, 0);
    for (uint8_t kind = 1; kind < TD_COUNT_OF(kind_names); kind++) {
        if (is_word(word, kind_names[kind])) read_change(changes, kind, line);
    }
}

void disk_text_read(disk_text *it, td_slice text)
{
    *it = (disk_text){.kept = 0};
    while (text.len > 0)
        read_line(it, cut_line(&text));
}

td_buf *disk_text_add(disk_text *it)
{
    TD_ASSERT(it->count < DISK_GROUPS_MAX);
    disk_group *group = &it->groups[it->count++];
    *group = (disk_group){.is_other = false};
    td_buf_init(&group->changes, DISK_GROUP_BYTES_MAX);
    return &group->changes;
}

void disk_text_done(disk_text *it)
{
    for (size_t i = 0; i < it->count; i++)
        td_buf_done(&it->groups[i].changes);
}
