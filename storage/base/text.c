/* SPDX-License-Identifier: Apache-2.0
 * text.c: strict UTF-8, base64 and decimal integers.
 * Most text is ASCII: those paths take eight bytes at a time. */
#include "thermodyn/text.h"

#define HIGH_BITS UINT64_C(0x8080808080808080)

enum { BASE64_PAD = '=' };

static const char base64_alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static bool are_eight_ascii(const uint8_t *at);
static size_t sequence_len(const uint8_t *at, size_t left);

bool td_utf8_is_valid(td_slice text)
{
    size_t at = 0;
    while (at < text.len) {
        if (text.len - at >= 8 && are_eight_ascii(text.ptr + at)) {
            at += 8;
            continue;
        }
        size_t len = sequence_len(text.ptr + at, text.len - at);
        if (len == 0) return false;
        at += len;
    }
    return true;
}

/* One unit for each character, a second one for those outside the basic plane (four bytes). */
size_t td_utf8_utf16_units(td_slice text)
{
    size_t units = 0;
    size_t at = 0;
    while (at < text.len) {
        if (text.len - at >= 8 && are_eight_ascii(text.ptr + at)) {
            units += 8;
            at += 8;
            continue;
        }
        uint8_t byte = text.ptr[at++];
        units += (size_t)((byte & 0xc0) != 0x80) + (size_t)(byte >= 0xf0);
    }
    return units;
}

size_t td_utf8_encode(uint32_t code_point, uint8_t ret_bytes[4])
{
    TD_ASSERT(code_point <= 0x10ffff);
    TD_ASSERT(code_point < 0xd800 || code_point > 0xdfff);
    if (code_point < 0x80) {
        ret_bytes[0] = (uint8_t)code_point;
        return 1;
    }
    if (code_point < 0x800) {
        ret_bytes[0] = (uint8_t)(0xc0 | code_point >> 6);
        ret_bytes[1] = (uint8_t)(0x80 | (code_point & 0x3f));
        return 2;
    }
    if (code_point < 0x10000) {
        ret_bytes[0] = (uint8_t)(0xe0 | code_point >> 12);
        ret_bytes[1] = (uint8_t)(0x80 | (code_point >> 6 & 0x3f));
        ret_bytes[2] = (uint8_t)(0x80 | (code_point & 0x3f));
        return 3;
    }
    ret_bytes[0] = (uint8_t)(0xf0 | code_point >> 18);
    ret_bytes[1] = (uint8_t)(0x80 | (code_point >> 12 & 0x3f));
    ret_bytes[2] = (uint8_t)(0x80 | (code_point >> 6 & 0x3f));
    ret_bytes[3] = (uint8_t)(0x80 | (code_point & 0x3f));
    return 4;
}

size_t td_base64_encoded_len(size_t len)
{
    return (len / 3 + (len % 3 != 0)) * 4;
}

size_t td_base64_encode(td_slice bytes, uint8_t *ret_text)
{
    uint8_t *out = ret_text;
    size_t at = 0;
    for (; bytes.len - at >= 3; at += 3) {
        uint32_t group = (uint32_t)bytes.ptr[at] << 16 | (uint32_t)bytes.ptr[at + 1] << 8 | bytes.ptr[at + 2];
        *out++ = (uint8_t)base64_alphabet[group >> 18];
        *out++ = (uint8_t)base64_alphabet[group >> 12 & 63];
        *out++ = (uint8_t)base64_alphabet[group >> 6 & 63];
        *out++ = (uint8_t)base64_alphabet[group & 63];
    }
    size_t left = bytes.len - at;
    if (left > 0) {
        uint32_t group = (uint32_t)bytes.ptr[at] << 16 | (left == 2 ? (uint32_t)bytes.ptr[at + 1] << 8 : 0);
        *out++ = (uint8_t)base64_alphabet[group >> 18];
        *out++ = (uint8_t)base64_alphabet[group >> 12 & 63];
        *out++ = left == 2 ? (uint8_t)base64_alphabet[group >> 6 & 63] : (uint8_t)BASE64_PAD;
        *out++ = BASE64_PAD;
    }
    return (size_t)(out - ret_text);
}

uint8_t td_base64_digit(uint8_t byte)
{
    static const uint8_t digits[256] = {
        ['A'] = 1,  ['B'] = 2,  ['C'] = 3,  ['D'] = 4,  ['E'] = 5,  ['F'] = 6,  ['G'] = 7,  ['H'] = 8,
        ['I'] = 9,  ['J'] = 10, ['K'] = 11, ['L'] = 12, ['M'] = 13, ['N'] = 14, ['O'] = 15, ['P'] = 16,
        ['Q'] = 17, ['R'] = 18, ['S'] = 19, ['T'] = 20, ['U'] = 21, ['V'] = 22, ['W'] = 23, ['X'] = 24,
        ['Y'] = 25, ['Z'] = 26, ['a'] = 27, ['b'] = 28, ['c'] = 29, ['d'] = 30, ['e'] = 31, ['f'] = 32,
        ['g'] = 33, ['h'] = 34, ['i'] = 35, ['j'] = 36, ['k'] = 37, ['l'] = 38, ['m'] = 39, ['n'] = 40,
        ['o'] = 41, ['p'] = 42, ['q'] = 43, ['r'] = 44, ['s'] = 45, ['t'] = 46, ['u'] = 47, ['v'] = 48,
        ['w'] = 49, ['x'] = 50, ['y'] = 51, ['z'] = 52, ['0'] = 53, ['1'] = 54, ['2'] = 55, ['3'] = 56,
        ['4'] = 57, ['5'] = 58, ['6'] = 59, ['7'] = 60, ['8'] = 61, ['9'] = 62, ['+'] = 63, ['/'] = 64,
    }; /* value + 1, so that what is not named is 0 and wraps to 255 */
    return (uint8_t)(digits[byte] - 1);
}

/* Bits of the last digit that no byte takes are not looked at, as in the service's own decoder. What is no digit has
 * bits that no digit has, so that one look at the end finds it. */
bool td_base64_decode(td_slice text, uint8_t *ret_bytes, size_t *ret_len)
{
    if (text.len % 4 != 0) return false;
    size_t padding = 0;
    while (padding < 2 && padding < text.len && text.ptr[text.len - 1 - padding] == BASE64_PAD)
        padding++;
    uint8_t *out = ret_bytes;
    const uint8_t *at = text.ptr;
    uint32_t seen = 0;
    for (size_t groups = (text.len - padding) / 4; groups > 0; groups--, at += 4, out += 3) {
        uint32_t a = td_base64_digit(at[0]), b = td_base64_digit(at[1]);
        uint32_t c = td_base64_digit(at[2]), d = td_base64_digit(at[3]);
        seen |= a | b | c | d;
        out[0] = (uint8_t)(a << 2 | b >> 4);
        out[1] = (uint8_t)(b << 4 | c >> 2);
        out[2] = (uint8_t)(c << 6 | d);
    }
    if (padding > 0) {
        uint32_t a = td_base64_digit(at[0]), b = td_base64_digit(at[1]);
        uint32_t c = padding == 1 ? td_base64_digit(at[2]) : 0;
        seen |= a | b | c;
        *out++ = (uint8_t)(a << 2 | b >> 4);
        if (padding == 1) *out++ = (uint8_t)(b << 4 | c >> 2);
    }
    *ret_len = (size_t)(out - ret_bytes);
    return seen < 64;
}

/* Gathers the negative value, whose range is the larger one, so that the smallest integer needs no special case. */
int td_hex_digit(uint8_t byte)
{
    if (byte >= '0' && byte <= '9') return byte - '0';
    uint8_t lower = byte | 0x20;
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

size_t td_percent_decode(td_slice text, uint8_t *ret_bytes)
{
    size_t len = 0;
    for (size_t i = 0; i < text.len; i++) {
        uint8_t byte = text.ptr[i];
        bool has_room = byte == '%' && text.len - i > 2;
        int high = has_room ? td_hex_digit(text.ptr[i + 1]) : -1;
        int low = has_room ? td_hex_digit(text.ptr[i + 2]) : -1;
        if (high >= 0 && low >= 0) {
            byte = (uint8_t)(high << 4 | low);
            i += 2;
        }
        ret_bytes[len++] = byte;
    }
    return len;
}

bool td_parse_int64(td_slice text, int64_t *ret_value)
{
    bool is_negative = text.len > 0 && text.ptr[0] == '-';
    size_t at = is_negative ? 1 : 0;
    if (at == text.len) return false;
    int64_t negated = 0;
    for (; at < text.len; at++) {
        uint8_t byte = text.ptr[at];
        if (byte < '0' || byte > '9') return false;
        if (__builtin_mul_overflow(negated, 10, &negated)) return false;
        if (__builtin_sub_overflow(negated, byte - '0', &negated)) return false;
    }
    if (!is_negative && __builtin_sub_overflow(0, negated, &negated)) return false;
    *ret_value = negated;
    return true;
}

static bool are_eight_ascii(const uint8_t *at)
{
    uint64_t eight;
    memcpy(&eight, at, sizeof eight);
    return (eight & HIGH_BITS) == 0;
}

/* The length of the sequence that starts at `at`, or 0 when it is not well-formed (Unicode, table 3-7: the second
 * byte's range shuts out overlong forms, surrogates and what lies above U+10FFFF). */
static size_t sequence_len(const uint8_t *at, size_t left)
{
    uint8_t lead = at[0];
    if (lead < 0x80) return 1;
    size_t len = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4 || len > left) return 0;
    uint8_t second_min = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
    uint8_t second_max = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
    if (at[1] < second_min || at[1] > second_max) return 0;
    for (size_t i = 2; i < len; i++) {
        if ((at[i] & 0xc0) != 0x80) return 0;
    }
    return len;
}
