/* SPDX-License-Identifier: Apache-2.0
 * text.h: strict text: UTF-8, base64, decimal integers. Pure functions; threads: any. */
#ifndef THERMODYN_TEXT_H
#define THERMODYN_TEXT_H

#include "thermodyn/base.h"

/* Valid UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF. */
bool td_utf8_is_valid(td_slice text);

/* Number of UTF-16 code units: what size() counts. The text is valid UTF-8. */
size_t td_utf8_utf16_units(td_slice text);

/* Writes the code point's UTF-8 (1 to 4 bytes) and answers how many; code_point <= 0x10FFFF and no surrogate. */
size_t td_utf8_encode(uint32_t code_point, uint8_t ret_bytes[4]);

/* Standard alphabet with padding (RFC 4648 §4). The buffer holds td_base64_encoded_len(len) bytes. */
size_t td_base64_encoded_len(size_t len);
size_t td_base64_encode(td_slice bytes, uint8_t *ret_text);

/* Strict: length a multiple of four, padding right, no other character. The buffer holds len / 4 * 3 bytes.
 * false: not base64. */
TD_MUST_USE bool td_base64_decode(td_slice text, uint8_t *ret_bytes, size_t *ret_len);

/* What a digit stands for; 255: no digit. */
uint8_t td_base64_digit(uint8_t byte);

/* The value of a digit of base 16, in either case; negative: it is none. */
int td_hex_digit(uint8_t byte);

/* Replaces %XX by its byte, and leaves what is no such thing as it stands. The buffer holds text.len bytes; answers how
 * many there are. */
size_t td_percent_decode(td_slice text, uint8_t *ret_bytes);

/* [-]digits only, within int64; false otherwise. */
TD_MUST_USE bool td_parse_int64(td_slice text, int64_t *ret_value);

#endif
