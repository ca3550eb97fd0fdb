/* SPDX-License-Identifier: Apache-2.0
 * start_key.h: ExclusiveStartKey: is it a key of the table or index, and does the query or segment hold it? */
#ifndef THERMODYN_ENGINE_START_KEY_H
#define THERMODYN_ENGINE_START_KEY_H

#include "thermodyn/read.h"

#include "bounds.h"
#include "schema.h"

/* Checks the request's starting key and sets it in the bounds, which hold the query's range or the scan's segment.
 * index: NULL for the table's own. */
TD_MUST_USE td_status td_start_key__apply(const td_page_request *request, const td_schema *schema,
                                          const td_index_schema *index, td_placement placement, td_bounds *bounds,
                                          td_error *error);

#endif
