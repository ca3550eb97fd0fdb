/* SPDX-License-Identifier: MIT
 * json_text.h: text inside of a JSON string, for those who write the quotes themselves. Private to server/wire. */
#ifndef THERMODYN_WIRE_JSON_TEXT_H
#define THERMODYN_WIRE_JSON_TEXT_H

#include "thermodyn/buf.h"

/* Escaped, without quotes; text is valid UTF-8. */
void td_json__write_escaped(td_buf *buf, td_slice text);

#endif
