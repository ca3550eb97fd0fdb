/* SPDX-License-Identifier: Apache-2.0
 * table.h: tables and their secondary indexes: what is asked for, what exists, what changes.
 *
 * The same structs carry a CreateTable request, a DescribeTable answer and an UpdateTable change between the server
 * and the engine. The server has checked each request on its own (shapes, key schemas against definitions, counts);
 * the engine checks what depends on the tables that exist. Everything in an answer lives in the call's arena.
 * Threads: any. */
#ifndef THERMODYN_TABLE_H
#define THERMODYN_TABLE_H

#include "thermodyn/capacity.h"
#include "thermodyn/key.h"
#include "thermodyn/store.h"
#include "thermodyn/tag.h"

typedef enum td_table_status {
    TD_TABLE_CREATING,
    TD_TABLE_ACTIVE,
    TD_TABLE_UPDATING,
    TD_TABLE_DELETING,
} td_table_status;
typedef enum td_projection_type { TD_PROJECT_ALL, TD_PROJECT_KEYS_ONLY, TD_PROJECT_INCLUDE } td_projection_type;
typedef enum td_table_class { TD_CLASS_STANDARD, TD_CLASS_STANDARD_INFREQUENT_ACCESS } td_table_class;
typedef enum td_stream_view { TD_STREAM_NONE, TD_STREAM_KEYS_ONLY, TD_STREAM_NEW_IMAGE, TD_STREAM_OLD_IMAGE,
                              TD_STREAM_NEW_AND_OLD_IMAGES } td_stream_view;

/* The service's bound of what a request may ask for, far above every quota. */
#define TD_THROUGHPUT_RATE_MAX 1000000000000

/* Units a second by direction. Provisioned: 1 or more; on-demand: 0. */
typedef struct td_throughput {
    int64_t rate[TD_DIRECTION_COUNT];
} td_throughput;

/* MaxReadRequestUnits, MaxWriteRequestUnits: -1 removes, 0 says nothing of it. */
typedef struct td_on_demand_max {
    int64_t rate[TD_DIRECTION_COUNT];
} td_on_demand_max;

typedef struct td_attribute_definition {
    td_slice name;
    td_type type; /* S, N or B */
} td_attribute_definition;

typedef struct td_index_spec {
    td_slice name;
    bool is_global;
    td_key_schema key;
    td_projection_type projection;
    td_slice *non_key_attributes; /* INCLUDE, in the request's order */
    uint32_t non_key_attribute_count;
    td_throughput throughput;        /* global, provisioned */
    td_on_demand_max on_demand_max;  /* global, on-demand */
    td_throughput warm;              /* global; 0: not given */
} td_index_spec;

typedef struct td_encryption {
    bool is_given;       /* an SSESpecification was sent */
    bool is_enabled;
    td_slice kms_key_id; /* as sent; empty: the service's own key */
} td_encryption;

typedef struct td_table_spec {
    td_slice name;
    td_attribute_definition *definitions;
    uint32_t definition_count;
    td_key_schema key;
    td_index_spec *indexes; /* local ones first, each kind in the request's order */
    uint32_t index_count;
    td_billing_mode billing;
    td_throughput throughput;
    td_on_demand_max on_demand_max;
    td_throughput warm; /* WarmThroughput; 0: not given */
    td_stream_view stream;
    td_encryption encryption;
    td_table_class table_class;
    bool has_table_class; /* TableClass was given at some time (TableClassSummary is then reported) */
    bool has_deletion_protection;
    const td_tag *tags; /* at creation; not in an info */
    uint32_t tag_count;
    td_slice policy; /* at creation (resource_policy.h); not in an info */
} td_table_spec;

typedef struct td_throughput_history {
    td_time_us last_increase_us; /* 0: never */
    td_time_us last_decrease_us;
    int64_t decreases_today;
} td_throughput_history;

typedef struct td_index_info {
    td_index_spec spec;     /* with the warm throughput in force */
    td_table_status status; /* of local indexes: ACTIVE */
    bool is_backfilling;
    bool is_warming; /* a raise of the warm throughput is under way */
    td_throughput_history history;
    uint64_t item_count;
    uint64_t size_bytes; /* with 100 bytes an entry, as the service counts storage */
} td_index_info;

typedef struct td_table_info {
    td_table_spec spec; /* with the warm throughput in force; its `indexes` array is unused, see below */
    td_index_info *indexes;
    uint32_t index_count;
    td_table_status status;
    bool is_warming; /* a raise of the warm throughput is under way, whatever the status */
    char table_id[37];
    td_time_us created_us;
    td_time_us billing_changed_us;        /* 0: never on-demand */
    td_time_us class_changed_us;          /* 0: never changed */
    td_time_us stream_enabled_us;         /* 0: no stream ever; also the stream's label */
    td_throughput_history history;
    uint64_t item_count;
    uint64_t size_bytes;
} td_table_info;

/* Errors of creating: RESOURCE_IN_USE, LIMIT_EXCEEDED (quotas). The info is the table as CreateTable answers it
 * (CREATING). */
TD_MUST_USE td_status td_table_create(const td_call *call, const td_table_spec *spec, td_table_info *ret_info,
                                      td_error *error);

/* RESOURCE_NOT_FOUND with the control plane's text. */
TD_MUST_USE td_status td_table_describe(const td_call *call, td_table_info *ret_info, td_error *error);

/* The info as DeleteTable answers it (DELETING). Errors: RESOURCE_NOT_FOUND, RESOURCE_IN_USE (not ACTIVE),
 * VALIDATION (deletion protection). */
TD_MUST_USE td_status td_table_delete(const td_call *call, td_table_info *ret_info, td_error *error);

/* Names of the call's scope in byte order, after `after` (empty: from the start), at most `limit`.
 * *ret_has_more: there are further ones. */
TD_MUST_USE td_status td_table_list(const td_call *call, td_slice after, uint32_t limit, td_slice **ret_names,
                                    uint32_t *ret_count, bool *ret_has_more);

typedef enum td_index_action { TD_INDEX_CREATE, TD_INDEX_UPDATE, TD_INDEX_DELETE } td_index_action;

typedef struct td_index_change {
    td_index_action action;
    td_index_spec spec; /* CREATE: all; UPDATE: name and what is marked; DELETE: name */
    bool has_throughput;
    bool has_on_demand_max;
    bool has_warm;
} td_index_change;

/* UpdateTable: what is marked changes. */
typedef struct td_table_change {
    const td_attribute_definition *definitions; /* a delta: merged, the stored type wins, unused entries dropped */
    uint32_t definition_count;
    bool has_billing;
    td_billing_mode billing;
    bool has_throughput;
    td_throughput throughput;
    bool has_on_demand_max;
    td_on_demand_max on_demand_max;
    bool has_warm;
    td_throughput warm;
    bool has_stream;
    td_stream_view stream;
    bool has_encryption;
    td_encryption encryption;
    bool has_table_class;
    td_table_class table_class;
    bool has_deletion_protection;
    bool deletion_protection;
    const td_index_change *indexes;
    uint32_t index_count;
} td_table_change;

/* Errors in the service's order: throttling.md §3.7 and messages.md "Tables". The info is the table as UpdateTable
 * answers it (UPDATING, old values echoed where the service does). */
TD_MUST_USE td_status td_table_update(const td_call *call, const td_table_change *change, td_table_info *ret_info,
                                      td_error *error);

/* What a data operation must know of a table before it runs: its keys. RESOURCE_NOT_FOUND with the data plane's text;
 * index empty: the table's own; an unknown index raises "The table does not have the specified index: …". The schema
 * is borrowed until the arena's reset, even when the table goes away meanwhile. */
typedef struct td_keys {
    const td_key_schema *table;
    const td_key_schema *index; /* NULL: none was asked for */
    bool is_global;
    td_projection_type projection;       /* of the index */
    const td_slice *non_key_attributes;  /* of the index */
    uint32_t non_key_attribute_count;
    const td_attribute_definition *definitions; /* key attributes of the table and of all its indexes */
    uint32_t definition_count;
} td_keys;

TD_MUST_USE td_status td_table_find_keys(const td_call *call, td_slice index, td_keys *ret_keys, td_error *error);

#endif
