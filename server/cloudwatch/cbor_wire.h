/* SPDX-License-Identifier: Apache-2.0
 * cbor_wire.h: the only door to libcbor: a body of RPC v2 CBOR as a tree, and the heads of what is written.
 *
 * Read: maps with text keys, arrays, texts, integers, floats, booleans, null; of definite and indefinite length; tag 1
 * (a time) is passed over. What Smithy does not use (byte strings, other tags, other keys) is refused. At most
 * TD_LIMIT_JSON_DEPTH_MAX levels; nothing is allocated but from the arena. Threads: any. */
#ifndef THERMODYN_CLOUDWATCH_CBOR_WIRE_H
#define THERMODYN_CLOUDWATCH_CBOR_WIRE_H

#include "wire/json.h"

typedef enum td_cbor_result { TD_CBOR_OK, TD_CBOR_MALFORMED, TD_CBOR_NO_MEMORY } td_cbor_result;

/* Texts of definite length point into the body. */
TD_MUST_USE td_cbor_result td_cbor_parse(td_slice body, td_arena *arena, td_json **ret_root);

void td_cbor_open_map(td_buf *buf);
void td_cbor_open_array(td_buf *buf);
void td_cbor_close(td_buf *buf);
void td_cbor_put_text(td_buf *buf, td_slice text);
void td_cbor_put_int(td_buf *buf, int64_t value);
void td_cbor_put_double(td_buf *buf, double value);
void td_cbor_put_bool(td_buf *buf, bool value);
void td_cbor_put_time(td_buf *buf, td_time_us time);

#endif
