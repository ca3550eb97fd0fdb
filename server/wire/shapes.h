/* SPDX-License-Identifier: Apache-2.0
 * shapes.h: how the rows of shapes.def look in memory. Private to server/wire: the tables are shapes.c, the check of
 * types is shape.c, that of constraints constraint.c. */
#ifndef THERMODYN_WIRE_SHAPES_H
#define THERMODYN_WIRE_SHAPES_H

#include "wire/shape.h"

typedef enum td_shape_kind {
    TD_SHAPE_STRING,
    TD_SHAPE_BOOLEAN,
    TD_SHAPE_INTEGER, /* 32 bits */
    TD_SHAPE_LONG,
    TD_SHAPE_LIST,
    TD_SHAPE_MAP,
    TD_SHAPE_STRUCTURE,
    TD_SHAPE_VALUE, /* an attribute value: its members are known to the code (shape.c, decode.c) */
} td_shape_kind;

typedef enum td_presence {
    TD_OPTIONAL,
    TD_REQUIRED, /* a constraint as others: "Value null at …" */
    TD_DEMANDED, /* ahead of all constraints, alone: "The parameter '…' is required …" */
} td_presence;

/* How a broken constraint is worded (messages.md §1.1: the service moves operation by operation). */
typedef enum td_echo {
    TD_ECHO,               /* Value '0' at 'limit' … */
    TD_ECHO_UNTIL_CURRENT, /* … in the classic wording alone */
    TD_ECHO_UNLESS_EMPTY,  /* … in the classic wording, and in the current one of what is not empty */
    TD_ECHO_NEVER,         /* Value at 'Limit' … in both, when nothing else is at fault */
} td_echo;

typedef struct td_field {
    td_slice name;
    const td_shape *shape;
    td_presence presence;
    td_echo echo;
    bool echoes_json;        /* the echo is JSON instead of Java's toString (BatchGetItem) */
    bool has_bespoke_length; /* TableName of the control plane: the length has a sentence of its own, ahead of all */
    td_member member;        /* of an operation's input alone */
    uint8_t echo_at;         /* where the class prints the field, from 1; 0: the fields are printed as they stand */
    uint8_t turn;            /* of an input: when the current wording tells the field's faults, from 1; 0: afterwards */
    bool is_told_alone;      /* … and then it tells no others */
    bool has_no_count;       /* … told alone, without "1 validation error detected: " */
} td_field;

struct td_shape {
    td_shape_kind kind;
    bool has_pattern;    /* STRING: [a-zA-Z0-9_.-]+, the only one that the model has for what is built */
    bool accepts_arn;    /* STRING: a table's ARN passes; td_table_name_parse judges it */
    uint32_t length_min; /* UTF-16 units, elements or entries; 0: no bound */
    uint32_t length_max; /* 0: no bound */
    bool has_value_min;  /* INTEGER, LONG */
    bool has_value_max;
    int64_t value_min;
    int64_t value_max;
    td_slice enumeration;    /* STRING: "A, B, C" in the order in which the service prints its set; empty: any text */
    td_slice current_enumeration; /* … as the current wording prints it, naming neither value nor member; or empty */
    td_slice java_name;      /* STRUCTURE: the class; MAP: the class of its values; as the service's errors print it */
    const td_shape *element; /* LIST, MAP */
    const td_shape *key;     /* MAP: what its keys must be; NULL: anything */
    const td_field *fields;  /* STRUCTURE: in the order in which the service lists its errors */
    uint32_t field_count;
};

/* Most fields of a structure. */
#define TD_SHAPE_FIELDS_MAX 32

/* The index of the field of that name, or field_count. */
uint32_t td_shape__find_field(const td_shape *structure, td_slice name);

/* The fields' values in the shape's order; absent and null are NULL, of duplicates the last counts. */
void td_shape__bind_fields(const td_shape *structure, const td_json *json, const td_json **ret_values);

/* The value of an INTEGER or LONG as the service holds it. */
int64_t td_shape__integer(const td_shape *shape, const td_json *json);

#endif
