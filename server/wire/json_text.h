/* SPDX-License-Identifier: MIT
 * json_text.h: text inside of JSON strings. Private to server/wire. */
#ifndef THERMODYN_WIRE_JSON_TEXT_H
#define THERMODYN_WIRE_JSON_TEXT_H

#include "thermodyn/buf.h"

/* Escaped, without quotes, for those who write them themselves; text is valid UTF-8. */
void td_json__write_escaped(td_buf *buf, td_slice text);

#define TD_EACH_BYTE(byte) (0x0101010101010101u * (uint64_t)(byte))

/* The first byte that is a quote, a backslash or a control character, or, with `stops_at_high`, not ASCII. Eight at a
 * time: the tests of a word may flag a plain byte above a flagged one, never without one, so that the byte loop
 * decides. */
static inline const uint8_t *td_json__skip_plain(const uint8_t *at, const uint8_t *end, bool stops_at_high)
{
    while (end - at >= 8) {
        uint64_t word;
        memcpy(&word, at, sizeof(word));
        uint64_t quote = word ^ TD_EACH_BYTE('"');
        uint64_t backslash = word ^ TD_EACH_BYTE('\\');
        uint64_t flags = ((word - TD_EACH_BYTE(0x20)) & ~word) | ((quote - TD_EACH_BYTE(1)) & ~quote) |
                         ((backslash - TD_EACH_BYTE(1)) & ~backslash) | (stops_at_high ? word : 0);
        if ((flags & TD_EACH_BYTE(0x80)) != 0) break;
        at += 8;
    }
    while (at < end && *at >= 0x20 && *at != '"' && *at != '\\' && !(stops_at_high && *at >= 0x80))
        at++;
    return at;
}

#endif
