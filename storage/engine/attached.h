/* SPDX-License-Identifier: Apache-2.0
 * attached.h: the policy that a table or a stream holds (thermodyn/resource_policy.h). */
#ifndef THERMODYN_ENGINE_ATTACHED_H
#define THERMODYN_ENGINE_ATTACHED_H

#include "thermodyn/base.h"
#include "thermodyn/status.h"

typedef struct td_attached {
    uint8_t *text; /* NULL: none */
    size_t len;
    int64_t revision; /* 0: there was never any */
} td_attached;

/* Puts a copy of the text in the place of what is there; an empty one removes. false: no memory, unchanged. */
TD_MUST_USE bool td_attached__set(td_attached *attached, td_slice text, int64_t revision);
void td_attached__done(td_attached *attached);

#endif
