/* SPDX-License-Identifier: Apache-2.0
 * json_text.h: text inside of JSON strings. Private to server/wire. */
#ifndef THERMODYN_WIRE_JSON_TEXT_H
#define THERMODYN_WIRE_JSON_TEXT_H

#include <endian.h>

#include "thermodyn/buf.h"

/* Escaped, without quotes, for those who write them themselves; text is valid UTF-8. */
void td_json__write_escaped(td_buf *buf, td_slice text);

/* Copies a text and says whether it may stand in a JSON string as it is. The place has room for the text alone. */
bool td_json__copy_plain(uint8_t *to, td_slice text);

typedef uint8_t td_json__block __attribute__((vector_size(16)));

/* Of sixteen bytes those that are a quote, a backslash or a control character, or, with `stops_at_high`, not ASCII, as
 * 0xFF, and the others as 0. In vectors of the compiler's, so that each processor gets its own. */
static inline td_json__block td_json__stops_of(td_json__block block, bool stops_at_high)
{
    typedef int8_t signed_block __attribute__((vector_size(16)));
    td_json__block low = stops_at_high ? (td_json__block)((signed_block)block < 0x20) : (td_json__block)(block < 0x20);
    return low | (td_json__block)(block == '"') | (td_json__block)(block == '\\');
}

/* Of sixteen bytes, moved on their way: those that are special. */
static inline td_json__block td_json__copy_block(uint8_t *to, const uint8_t *from)
{
    td_json__block block;
    memcpy(&block, from, sizeof(block));
    memcpy(to, &block, sizeof(block));
    return td_json__stops_of(block, false);
}

static inline bool td_json__has_stop(td_json__block stops)
{
    uint64_t halves[2];
    memcpy(halves, &stops, sizeof(halves));
    return (halves[0] | halves[1]) != 0;
}

/* The index of the first of them; there is one. */
static inline size_t td_json__first_stop(td_json__block stops)
{
    uint64_t halves[2];
    memcpy(halves, &stops, sizeof(halves));
    return halves[0] != 0 ? (size_t)__builtin_ctzll(le64toh(halves[0])) / 8
                          : 8 + (size_t)__builtin_ctzll(le64toh(halves[1])) / 8;
}

/* The first byte that is a quote, a backslash or a control character, or, with `stops_at_high`, not ASCII. Sixteen at a
 * time; the byte loop is for the end. */
static inline const uint8_t *td_json__skip_plain(const uint8_t *at, const uint8_t *end, bool stops_at_high)
{
    while (end - at >= (ptrdiff_t)sizeof(td_json__block)) {
        td_json__block block;
        memcpy(&block, at, sizeof(block));
        td_json__block stops = td_json__stops_of(block, stops_at_high);
        if (td_json__has_stop(stops)) return at + td_json__first_stop(stops);
        at += sizeof(block);
    }
    while (at < end && *at >= 0x20 && *at != '"' && *at != '\\' && !(stops_at_high && *at >= 0x80))
        at++;
    return at;
}

#endif
