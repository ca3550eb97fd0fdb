/* SPDX-License-Identifier: Apache-2.0
 * shapes.h: what the inputs of CloudWatch's operations look like, as data: forms are read by it, and every input is
 * checked by it. Trees are server/wire's, whatever the protocol. Threads: any. */
#ifndef THERMODYN_CLOUDWATCH_SHAPES_H
#define THERMODYN_CLOUDWATCH_SHAPES_H

#include "wire/json.h"

typedef enum td_cw_kind {
    TD_CW_KIND_STRING,
    TD_CW_KIND_INTEGER,
    TD_CW_KIND_BOOLEAN,
    TD_CW_KIND_TIMESTAMP, /* seconds since the epoch, or (in forms) ISO 8601 */
    TD_CW_KIND_LIST,
    TD_CW_KIND_STRUCTURE,
} td_cw_kind;

typedef struct td_cw_field td_cw_field;

typedef struct td_cw_shape {
    td_cw_kind kind;
    const struct td_cw_shape *element; /* LIST */
    const td_cw_field *fields;         /* STRUCTURE */
    uint32_t field_count;
    int64_t min; /* STRING: characters; INTEGER: value; LIST: elements */
    int64_t max;
    td_slice words; /* STRING of a set: "A, B" */
} td_cw_shape;

struct td_cw_field {
    td_slice name;
    const td_cw_shape *shape;
    bool is_required;
};

/* The input of an operation of operations.def; NULL: none of that name. */
const td_cw_shape *td_cw_shape_find(td_slice operation);

/* ---- values of a checked tree ---- */
td_slice td_cw_text(const td_json *structure, const char *member); /* absent: empty */
int64_t td_cw_int(const td_json *structure, const char *member, int64_t otherwise);
bool td_cw_bool(const td_json *structure, const char *member, bool otherwise);
td_time_us td_cw_time(const td_json *structure, const char *member); /* absent: 0 */
uint32_t td_cw_count(const td_json *list);                           /* NULL: 0 */
const td_json *td_cw_find(const td_json *structure, const char *member);

#endif
