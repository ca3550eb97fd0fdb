/* SPDX-License-Identifier: Apache-2.0
 * shape.h: the first layer of validation (decision D7): the request's members against the service model.
 *
 * Every operation has an input shape (shapes.def); shapes are data. Two passes, as the service makes them:
 *   types        a member of the wrong JSON type is a SerializationException, at once
 *   constraints  required, length, range, pattern, enum: all collected (at most 10), in the service's order of members,
 *                joined into "N validation errors detected: …"
 * After that handlers look members up by their id in O(1). Threads: any. */
#ifndef THERMODYN_WIRE_SHAPE_H
#define THERMODYN_WIRE_SHAPE_H

#include "wire/json.h"

/* Top-level members of all requests, by name: TD_MEMBER_TableName, … */
typedef enum td_member {
#define TD_MEMBER(name) TD_MEMBER_##name,
#include "wire/members.def"
#undef TD_MEMBER
    TD_MEMBER_COUNT
} td_member;

typedef struct td_shape td_shape; /* shapes.c */

/* The input shape of an operation by its name ("PutItem"), or NULL. */
const td_shape *td_shape_find(td_slice operation);

/* The request's members by id; NULL: absent or null. */
typedef struct td_members {
    const td_json *at[TD_MEMBER_COUNT];
} td_members;

/* Checks the types of the whole request and binds its members; unknown members are ignored, as the service does. */
TD_MUST_USE td_status td_shape_bind(const td_shape *shape, const td_json *root, td_members *ret_members,
                                    td_error *error);

/* Checks the constraints of the bound request. Separate from binding: in the service some operations make checks of
 * their own in between. */
TD_MUST_USE td_status td_shape_check(const td_shape *shape, const td_json *root, td_error *error);

#endif
