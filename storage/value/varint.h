/* SPDX-License-Identifier: Apache-2.0
 * varint.h: unsigned LEB128 of 32 bits, written, and read from foreign bytes. */
#ifndef TD_VALUE_VARINT_H
#define TD_VALUE_VARINT_H

#include "thermodyn/base.h"

static inline uint32_t td_varint__len(uint64_t number)
{
    uint32_t len = 1;
    while (number >= 0x80) {
        number >>= 7;
        len++;
    }
    return len;
}

/* Writes so that the number ends right before `end`; answers where it begins. */
static inline uint8_t *td_varint__write_before(uint8_t *end, uint32_t number)
{
    uint8_t *start = end - td_varint__len(number);
    uint8_t *at = start;
    for (; number >= 0x80; number >>= 7)
        *at++ = (uint8_t)(number | 0x80);
    *at = (uint8_t)number;
    return start;
}

/* The bytes are foreign: NULL when they end too early, are not the shortest form, or leave 32 bits. */
static inline const uint8_t *td_varint__read_checked(const uint8_t *at, const uint8_t *end, uint32_t *ret_number)
{
    uint64_t number = 0;
    for (uint32_t shift = 0; shift < 35; shift += 7) {
        if (at == end) return NULL;
        uint8_t byte = *at++;
        number |= (uint64_t)(byte & 0x7f) << shift;
        if (byte & 0x80) continue;
        bool is_shortest = byte != 0 || shift == 0;
        if (!is_shortest || number > UINT32_MAX) return NULL;
        *ret_number = (uint32_t)number;
        return at;
    }
    return NULL;
}

#endif
