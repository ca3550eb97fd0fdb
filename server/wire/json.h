/* SPDX-License-Identifier: Apache-2.0
 * json.h: the wire's own JSON (decision D9): a strict reader from the body into the request's arena, and a writer
 * straight into the reply. Item data survives exactly; whatever is not JSON is refused.
 *
 * Strict: RFC 8259 alone; valid UTF-8; no lone surrogate in \u escapes; no raw control character; no leading zeros; no
 * trailing text; at most TD_LIMIT_JSON_DEPTH_MAX levels. Strings without escapes point into the body, which must live
 * as long as the tree. Threads: any. */
#ifndef THERMODYN_WIRE_JSON_H
#define THERMODYN_WIRE_JSON_H

#include "thermodyn/arena.h"
#include "thermodyn/buf.h"
#include "thermodyn/item.h"
#include "thermodyn/status.h"
#include "thermodyn/value.h"

typedef enum td_json_type {
    TD_JSON_NULL,
    TD_JSON_FALSE,
    TD_JSON_TRUE,
    TD_JSON_NUMBER,
    TD_JSON_STRING,
    TD_JSON_ARRAY,
    TD_JSON_OBJECT,
} td_json_type;

typedef struct td_json td_json;
struct td_json {
    td_json_type type;
    uint32_t count; /* ARRAY, OBJECT: children */
    td_slice name;  /* of a member of an object, unescaped */
    union {
        td_slice text;     /* STRING: unescaped UTF-8; NUMBER: as written */
        td_json *children; /* ARRAY, OBJECT: contiguous */
    };
};

/* Errors: SERIALIZATION with the service's text; OUT_OF_MEMORY. */
TD_MUST_USE td_status td_json_parse(td_slice body, td_arena *arena, td_json **ret_root, td_error *error);

/* The same; *reterr_offset is about where the text stops being JSON. */
TD_MUST_USE td_status td_json_parse_or_tell(td_slice body, td_arena *arena, td_json **ret_root, size_t *reterr_offset,
                                            td_error *error);

/* The member of that name that is not null, or NULL. (The service treats null as absent.) Of two of one name the last
 * counts, as in the service: duplicates are no error. */
const td_json *td_json_find(const td_json *object, td_slice name);

/* A NUMBER as an integer, as the service reads members of that type: rounded down, and what does not fit is the nearest
 * that does. */
int64_t td_json_to_int(const td_json *number);

/* A boolean as the service reads it: true, and the strings "true", "1" and "yes" in any case. */
bool td_json_to_bool(const td_json *json);

/* ---- writing; a failure sticks in the buffer ---- */
void td_json_write_string(td_buf *buf, td_slice text); /* quoted and escaped; text is valid UTF-8 */
void td_json_write_int(td_buf *buf, int64_t value);
void td_json_write_units(td_buf *buf, td_units units); /* 0.5, 1.0, … as the service prints doubles */
void td_json_write_time(td_buf *buf, td_time_us time); /* epoch seconds with milliseconds: 1700000000.123 */
void td_json_write_double(td_buf *buf, double value);  /* shortest text that reads back equal */

void td_json_write_tree(td_buf *buf, const td_json *json); /* a tree that was read, as it came but for blanks */

/* Attribute values in wire form: {"S":"…"}. */
void td_json_write_value(td_buf *buf, const td_value *value);
/* {"name":{…},…} */
void td_json_write_attributes(td_buf *buf, const td_attribute *attributes, uint32_t count);
void td_json_write_item(td_buf *buf, const td_item *item);
/* Of the item, the named top-level attributes that it has. */
void td_json_write_item_keys(td_buf *buf, const td_item *item, const td_slice *names, uint32_t count);

#endif
