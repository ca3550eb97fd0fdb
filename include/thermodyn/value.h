/* SPDX-License-Identifier: Apache-2.0
 * value.h: attribute values as a tree in a request's arena: what the wire decodes, expressions compute with, and
 * stored items (item.h) are made from.
 *
 * Invariants of a finished value: maps are sorted by name (bytes) without duplicates; sets are sorted (bytes: for
 * numbers that is their order) without duplicates and not empty; numbers are canonical encodings (number.h). Hence two
 * values are equal when they are equal part by part, and an encoding of a value is unique.
 * Threads: a value belongs to its arena's thread; finished values are read-only. */
#ifndef THERMODYN_VALUE_H
#define THERMODYN_VALUE_H

#include "thermodyn/arena.h"
#include "thermodyn/base.h"
#include "thermodyn/number.h"
#include "thermodyn/status.h"

typedef enum td_type {
    TD_TYPE_S,
    TD_TYPE_N,
    TD_TYPE_B,
    TD_TYPE_SS,
    TD_TYPE_NS,
    TD_TYPE_BS,
    TD_TYPE_M,
    TD_TYPE_L,
    TD_TYPE_BOOL,
    TD_TYPE_NULL,
    TD_TYPE_COUNT
} td_type;

typedef struct td_value td_value;
typedef struct td_attribute td_attribute;

struct td_value {
    td_type type;
    bool boolean;   /* BOOL */
    uint32_t count; /* SS NS BS: members; L: elements; M: attributes */
    union {
        td_slice bytes;           /* S: UTF-8; B: raw; N: encoded */
        td_slice *members;        /* SS NS BS */
        td_value *elements;       /* L */
        td_attribute *attributes; /* M */
    };
};

struct td_attribute {
    td_slice name;
    td_value value;
};

/* "S", "N", … as on the wire. */
const char *td_type_name(td_type type);
/* The type of that name, or TD_TYPE_COUNT. */
td_type td_type_of_name(td_slice name);
static inline bool td_type_is_scalar(td_type type)
{
    return type == TD_TYPE_S || type == TD_TYPE_N || type == TD_TYPE_B;
}

static inline bool td_type_is_set(td_type type)
{
    return type == TD_TYPE_SS || type == TD_TYPE_NS || type == TD_TYPE_BS;
}

/* Makes `count` attributes a map (sorts in place). The last of two of the same name wins: *count shrinks. */
void td_value_sort_attributes(td_attribute *attributes, uint32_t *count);

/* Sorts members in place; false when two are equal (the array is then sorted all the same). */
TD_MUST_USE bool td_value_sort_members(td_slice *members, uint32_t count);

/* The attribute's value, or NULL. Binary search: the attributes are sorted. */
const td_value *td_value_find(const td_attribute *attributes, uint32_t count, td_slice name);

/* Deep equality; different types are unequal. */
bool td_value_equal(const td_value *a, const td_value *b);

/* DynamoDB's size in bytes (the one place of the rule: storage/value/size.c; throttling.md §1.1). */
uint64_t td_value_size(const td_value *value);
uint64_t td_attributes_size(const td_attribute *attributes, uint32_t count);

/* Levels of nesting: 0 for a scalar or set, 1 for a flat list or map, … Stops counting past the limit. */
uint32_t td_value_depth(const td_value *value);

#endif
