/* SPDX-License-Identifier: Apache-2.0
 * faults.h: the broken constraints of one request, as they are collected (constraint.c) and told (faults.c). Private to
 * server/wire. */
#ifndef THERMODYN_WIRE_FAULTS_H
#define THERMODYN_WIRE_FAULTS_H

#include "shapes.h"

#define TD_FAULTS_MAX 10

typedef struct td_member_fault {
    const td_json *value;  /* NULL: absent */
    const td_shape *shape; /* of the value, for its echo */
    td_slice path;         /* 'keySchema.1.member.keyType' */
    td_slice constraint;   /* 'Member must …' */
    td_slice bare_path;    /* 'Limit'; empty: the fault is of the old kind */
    td_slice unnamed;      /* the constraint as it is told without value and path; empty: with them */
    const td_field *field; /* of the input, that it is in */
} td_member_fault;

typedef struct td_faults {
    td_error *error;
    uint32_t count;
    bool no_memory;
    bool misses_member;
    const td_field *field; /* of the input, that is being checked */
    td_member_fault faults[TD_FAULTS_MAX];
} td_faults;

/* Are the constraints of the request told in the current wording? */
static inline bool td_faults__is_current(const td_faults *c)
{
    return c->error->wording == TD_WORDING_CURRENT;
}

/* Tells them all in one message; there is one, or memory has run out. Sorts and shortens the list. */
TD_MUST_USE td_status td_faults__raise(td_faults *c);

#endif
