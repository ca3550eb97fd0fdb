/* SPDX-License-Identifier: Apache-2.0
 * form.h: the query protocol's form (application/x-www-form-urlencoded), as a tree by its shape:
 *
 *   Dimensions.member.1.Name=TableName&Dimensions.member.1.Value=T  ─▶
 * {"Dimensions":[{"Name":"TableName","Value":"T"}]}
 *
 * Numbers, booleans and times stay texts: check.c takes them by the shape. Parameters that the shape does not know are
 * passed over. Threads: any. */
#ifndef THERMODYN_CLOUDWATCH_FORM_H
#define THERMODYN_CLOUDWATCH_FORM_H

#include "shapes.h"

typedef struct td_cw_pair {
    td_slice key; /* decoded, UTF-8 */
    td_slice value;
} td_cw_pair;

typedef struct td_cw_form {
    td_cw_pair *pairs; /* by key; of one key in the form's order */
    uint32_t count;
} td_cw_form;

typedef enum td_cw_form_result { TD_CW_FORM_OK, TD_CW_FORM_MALFORMED, TD_CW_FORM_NO_MEMORY } td_cw_form_result;

TD_MUST_USE td_cw_form_result td_cw_form_parse(td_slice body, td_arena *arena, td_cw_form *ret_form);

td_slice td_cw_form_get(const td_cw_form *form, td_slice key); /* absent: empty */

/* A structure. */
TD_MUST_USE td_cw_form_result td_cw_form_build(const td_cw_form *form, const td_cw_shape *shape, td_arena *arena,
                                               td_json **ret_root);

#endif
