/* SPDX-License-Identifier: Apache-2.0
 * keys_check.h: are the attributes of a request what the table's keys ask for? Each failure is the service's text.
 * Threads: any. */
#ifndef THERMODYN_ENGINE_KEYS_CHECK_H
#define THERMODYN_ENGINE_KEYS_CHECK_H

#include "thermodyn/expr.h"

#include "schema.h"

/* An item to be put: its key, then the keys of the indexes (the first bad one by index name is told). `is_lookup` words
 * a missing or mistyped key as a look-up does: BatchWriteItem. */
TD_MUST_USE td_status td_keys__check_item(const td_schema *schema, const td_attribute *attributes, uint32_t count,
                                          bool is_lookup, td_error *error);

/* A key to look an item up by: exactly the schema's attributes. */
TD_MUST_USE td_status td_keys__check_lookup(const td_key_schema *key, const td_attribute *attributes, uint32_t count,
                                            td_error *error);

/* One of its attributes; `at` is its position in the schema. NULL: it is missing. */
TD_MUST_USE td_status td_keys__check_part(const td_key_schema *key, uint32_t at, const td_value *value,
                                          td_error *error);

/* An update, before it meets an item: it writes no key of the table, gives index keys no type that is known to be
 * wrong, and goes inside none. */
TD_MUST_USE td_status td_keys__check_update(const td_schema *schema, const td_update *update, td_error *error);

/* The attributes that an update has made of an item: index keys that it has changed. old_item may be NULL. */
TD_MUST_USE td_status td_keys__check_updated(const td_schema *schema, const td_item *old_item,
                                             const td_attribute *attributes, uint32_t count, td_error *error);

#endif
