/* SPDX-License-Identifier: Apache-2.0
 * ops.h: what the handlers share: reading a request's members, its expressions and older parameters, writing answers.
 * Private to server/ops. The order in which a handler calls these is the service's order of checks. */
#ifndef THERMODYN_OPS_OPS_H
#define THERMODYN_OPS_OPS_H

#include "iam/policy.h"
#include "ops/dispatch.h"
#include "thermodyn/expr.h"
#include "thermodyn/stream.h"
#include "thermodyn/table.h"

#define TD_OPERATION(api, name, handler, group, form) td_status handler(td_request *request);
#include "operations.def"
#undef TD_OPERATION

/* ---- request.c: members → C -------------------------------------------------------------------------------------- */

static inline const td_json *td_ops__get(const td_request *request, td_member member)
{
    return request->members.at[member];
}

static inline bool td_ops__has(const td_request *request, td_member member)
{
    return request->members.at[member] != NULL;
}

td_slice td_ops__member_name(td_member member);

/* The values of checked members; of NULL: empty, false, 0. */
td_slice td_ops__text(const td_json *json);
bool td_ops__is_true(const td_json *json); /* also "true", "1" and "yes", which the service takes for booleans */
int64_t td_ops__int(const td_json *json);  /* a fraction is cut off; out of int64: the nearest that fits */

/* Index of the member's text in the list; of NULL: 0, the default. */
int td_ops__choice(const td_json *json, const td_slice *words, int count);

/* The words of ReturnConsumedCapacity and ReturnValues. */
typedef enum td_ops_capacity { TD_CAPACITY_NONE, TD_CAPACITY_TOTAL, TD_CAPACITY_INDEXES } td_ops_capacity;
td_ops_capacity td_ops__capacity(const td_request *request);

typedef enum td_ops_return {
    TD_RETURN_NONE,
    TD_RETURN_ALL_OLD,
    TD_RETURN_UPDATED_OLD,
    TD_RETURN_ALL_NEW,
    TD_RETURN_UPDATED_NEW,
} td_ops_return;
td_ops_return td_ops__return(const td_request *request);

/* An empty error with the request's arena and wordings, for one of several things that it does. */
td_error td_ops__new_error(const td_request *request);

/* The first of two equal slices, in byte order, or NULL: none. `slices` is sorted in place. */
const td_slice *td_ops__sort_and_find_duplicate(td_slice *slices, uint32_t count);

/* "a, b, c" of the slices, for messages. Empty when there is no memory: td_error_raise then fails the same way. */
td_slice td_ops__join(td_arena *arena, const td_slice *parts, uint32_t count);

/* ---- parameters.c: expressions ----------------------------------------------------------------------------------- */

/* An operation's two styles of parameters, in the order in which messages list them. */
typedef struct td_ops_styles {
    td_member expressions[3];
    uint8_t expression_count;
    td_member others[4];
    uint8_t other_count;
} td_ops_styles;

/* Not both styles in one request; names and values only beside expressions. */
TD_MUST_USE td_status td_ops__check_styles(td_request *request, const td_ops_styles *styles);

/* ExpressionAttributeNames and …Values, decoded; empty when neither was sent. */
TD_MUST_USE td_status td_ops__read_marks(td_request *request, td_expr_marks *ret_marks);

/* The program of a ConditionExpression or FilterExpression; NULL when the member is absent. */
TD_MUST_USE td_status td_ops__read_condition(td_request *request, td_member member, td_expr_marks *marks,
                                             td_condition **ret_condition);

/* ProjectionExpression; NULL when absent. */
TD_MUST_USE td_status td_ops__read_projection(td_request *request, td_expr_marks *marks,
                                              td_projection **ret_projection);

/* AttributesToGet: no name twice; NULL when absent. */
TD_MUST_USE td_status td_ops__read_attributes_to_get(td_request *request, td_projection **ret_projection);

/* Item, Key: the member is there. */
TD_MUST_USE td_status td_ops__read_attributes(td_request *request, td_member member,
                                              const td_attribute **ret_attributes, uint32_t *ret_count);

/* ---- legacy.c: the parameters from before expressions, checked (legacy_check.c) and translated ------------------- */

/* Expected with its ConditionalOperator; NULL when absent. */
TD_MUST_USE td_status td_ops__read_expected(td_request *request, td_condition **ret_condition);

/* QueryFilter or ScanFilter (with the ConditionalOperator); NULL when absent. */
TD_MUST_USE td_status td_ops__read_filter(td_request *request, td_member member, td_condition **ret_condition);

/* ConditionalOperator without anything to join: checked where the service does it, after the other parameters. */
TD_MUST_USE td_status td_ops__check_conditional_operator(td_request *request, td_member joined);

/* KeyConditions; the member is there. */
TD_MUST_USE td_status td_ops__read_key_conditions(td_request *request, td_key_condition **ret_condition);

/* AttributeUpdates; NULL when absent. */
TD_MUST_USE td_status td_ops__read_attribute_updates(td_request *request, td_update **ret_update);

/* The condition on one attribute in JSON ({ComparisonOperator, AttributeValueList}), decoded; legacy_check.c. */
TD_MUST_USE td_status td_ops__decode_condition(td_request *request, const td_json *json,
                                               td_legacy_condition *ret_condition);
/* One attribute of Expected: also {Exists, Value}. */
TD_MUST_USE td_status td_ops__decode_expected(td_request *request, const td_json *json,
                                              td_legacy_condition *ret_condition);

/* ---- key_paths.c: no path goes inside a key attribute ------------------------------------------------------------ */

TD_MUST_USE td_status td_ops__check_projected_keys(td_request *request, const td_keys *keys,
                                                   const td_projection *projection);
TD_MUST_USE td_status td_ops__check_filtered_keys(td_request *request, const td_keys *keys, const td_condition *filter);

/* Of GetItem, which knows the table's keys no other way. */
TD_MUST_USE td_status td_ops__check_got_keys(td_request *request, const td_projection *projection);

/* ---- select.c: what a Query or Scan answers ---------------------------------------------------------------------- */

typedef enum td_ops_select {
    TD_SELECT_DEFAULT, /* everything of the table or all that the index projects; or what is listed */
    TD_SELECT_ALL_ATTRIBUTES,
    TD_SELECT_ALL_PROJECTED_ATTRIBUTES,
    TD_SELECT_SPECIFIC_ATTRIBUTES,
    TD_SELECT_COUNT,
} td_ops_select;

/* Select against the projection parameters and IndexName. */
TD_MUST_USE td_status td_ops__check_select(td_request *request, td_ops_select *ret_select);

/* Select and projection against the index that is read: a global index answers what it projects, a local one fetches
 * the rest. */
TD_MUST_USE td_status td_ops__check_projected(td_request *request, const td_keys *keys, td_ops_select select,
                                              const td_projection *projection, bool *ret_needs_whole_items);

/* Has an entry of the index this attribute, when the item has it? The index does not project all. */
bool td_ops__projects(const td_keys *keys, td_slice attribute);

/* A Query's filter against the index that is read. */
TD_MUST_USE td_status td_ops__check_filter_projected(td_request *request, const td_keys *keys,
                                                     const td_condition *filter);

/* ---- answer.c: writing ------------------------------------------------------------------------------------------- */

/* A JSON object being written. */
typedef struct td_ops_object {
    td_buf *buf;
    bool has_members;
} td_ops_object;

td_ops_object td_ops__open(td_buf *buf);
void td_ops__name(td_ops_object *object, td_slice name); /* a name that needs no escapes; its value comes next */
void td_ops__close(td_ops_object *object);

void td_ops__member_string(td_ops_object *object, td_slice name, td_slice value);
void td_ops__member_int(td_ops_object *object, td_slice name, int64_t value);
void td_ops__member_bool(td_ops_object *object, td_slice name, bool value);
void td_ops__member_time(td_ops_object *object, td_slice name, td_time_us value);

/* {"<name>":[]} */
TD_MUST_USE td_status td_ops__answer_empty_list(td_request *request, td_slice name);

/* ConsumedCapacity, as the request asked for it (throttling.md §1.5): nothing, a total, or each part. */
void td_ops__write_consumed(td_ops_object *answer, const td_request *request, const td_consumed *consumed);

/* Of the item, what the projection selects (NULL: the whole item). Scratch memory is given back. */
TD_MUST_USE td_status td_ops__write_projected(td_request *request, const td_item *item,
                                              const td_projection *projection);

/* ---- table_spec.c, index_spec.c, throughput.c, table_json.c: tables ---------------------------------------------- */

/* Throughput members {ReadCapacityUnits, WriteCapacityUnits}, {Max…RequestUnits}, {…UnitsPerSecond}; NULL: zeros. */
td_throughput td_ops__read_throughput(const td_json *json);
td_on_demand_max td_ops__read_on_demand_max(const td_json *json);
td_throughput td_ops__read_warm(const td_json *json);

/* Given value … is out of bounds. `index` empty: the table's. */
TD_MUST_USE td_status td_ops__check_throughput(td_request *request, const td_throughput *throughput, td_slice index);

/* OnDemandThroughput of a provisioned table that is being created. */
TD_MUST_USE td_status td_ops__check_on_demand_billing(td_request *request, const td_json *json, td_slice index);

/* Ranges of OnDemandThroughput: 1 and more; `allows_removal`: also -1. */
TD_MUST_USE td_status td_ops__check_on_demand_range(td_request *request, const td_json *json, bool allows_removal,
                                                    td_slice index);

/* What key schemas are checked against. */
typedef struct td_ops_definitions {
    td_attribute_definition *rows;
    uint32_t count;
    td_slice listed; /* the names as messages list them */
} td_ops_definitions;

/* AttributeDefinitions; empty when absent. */
TD_MUST_USE td_status td_ops__read_definitions(td_request *request, td_ops_definitions *ret_definitions);

/* An index of CreateTable or UpdateTable: its keys and its projection, checked and converted. `table_hash`: of a local
 * index, the table's partition key attribute; NULL: a global index. */
TD_MUST_USE td_status td_ops__read_index(td_request *request, const td_json *json, const td_slice *table_hash,
                                         const td_ops_definitions *definitions, td_index_spec *ret_index);

/* A table's key schema; with `is_multi` a global index's. */
TD_MUST_USE td_status td_ops__read_key(td_request *request, const td_json *json, bool is_multi,
                                       const td_ops_definitions *definitions, td_key_schema *ret_key);

/* StreamSpecification and SSESpecification, checked; the texts of streams differ between creating and updating. */
TD_MUST_USE td_status td_ops__read_stream(td_request *request, bool is_created, td_stream_view *ret_view);
TD_MUST_USE td_status td_ops__read_encryption(td_request *request, td_encryption *ret_encryption);

/* The whole CreateTable request, checked in the service's order. */
TD_MUST_USE td_status td_ops__read_table_spec(td_request *request, td_table_spec *ret_spec);

/* {"<member>": TableDescription} */
TD_MUST_USE td_status td_ops__write_table(td_request *request, td_slice member, const td_table_info *info);

/* "KeySchema":[…] of a description. */
void td_ops__write_key_schema(td_ops_object *object, const td_key_schema *key);

/* ---- tags.c ------------------------------------------------------------------------------------------------------ */

/* Tags of a request, checked; none when the list is absent. */
TD_MUST_USE td_status td_ops__read_tags(td_request *request, const td_json *list, const td_tag **ret_tags,
                                        uint32_t *ret_count);

/* ---- resource_policy.c ------------------------------------------------------------------------------------------ */

/* A policy of a resource in the form in which it is kept; empty when absent. *ret_policy: as a program; NULL: nobody
 * wants it. */
TD_MUST_USE td_status td_ops__read_policy(td_request *request, const td_json *json, td_iam_kind kind,
                                          td_slice *ret_text, td_iam_policy **ret_policy);

/* ---- stream_arn.c, shard_iterator.c: streams --------------------------------------------------------------------- */

enum { TD_OPS_STREAM_LABEL_BYTES = 40 };

/* The label as text, in the caller's memory. */
td_slice td_ops__stream_label(td_time_us label_us, char ret_label[TD_OPS_STREAM_LABEL_BYTES]);
TD_MUST_USE td_status td_ops__stream_arn(td_request *request, td_slice table, td_time_us label_us, td_slice *ret_arn);
TD_MUST_USE td_status td_ops__parse_stream_arn(td_request *request, td_slice arn, td_stream_ref *ret_stream);

/* Of a stream of the call's table, made now. */
TD_MUST_USE td_status td_ops__format_shard_iterator(td_request *request, const td_shard_iterator *iterator,
                                                    td_slice *ret_text);
/* The table becomes the call's. */
TD_MUST_USE td_status td_ops__parse_shard_iterator(td_request *request, td_slice text, td_shard_iterator *ret_iterator);

#endif
