/* SPDX-License-Identifier: Apache-2.0
 * base64_check.h: is a text base64, without decoding it? Private to server/wire. */
#ifndef THERMODYN_WIRE_BASE64_CHECK_H
#define THERMODYN_WIRE_BASE64_CHECK_H

#include "thermodyn/text.h"

/* The text's length is a multiple of four. Strict: at most two pads, and the bits that they leave over are zero. */
static inline bool td_base64__is_valid(td_slice text)
{
    size_t len = text.len;
    while (len > 0 && text.len - len < 2 && text.ptr[len - 1] == '=')
        len--;
    uint8_t last = 0;
    uint8_t seen = 0;
    for (size_t i = 0; i < len; i++) {
        last = td_base64_digit(text.ptr[i]);
        seen |= last;
    }
    if (seen >= 64) return false;
    size_t pads = text.len - len;
    return pads == 0 || (last & (pads == 2 ? 15 : 3)) == 0;
}

#endif
