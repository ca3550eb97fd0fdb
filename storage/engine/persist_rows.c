/* SPDX-License-Identifier: Apache-2.0
 * persist_rows.c: members of structs that stand in documents, by number. A number stays with its member for ever. */
#include "persist.h"

#include "insight.h"

#define ROWS(name) const td_persist_rows td_persist__##name##_rows = {name##_rows, TD_COUNT_OF(name##_rows)}
#define TABLE(number, type, member) TD_DOC_ROW(TD_FIELD_TABLE_ROWS + (number), TD_DOC_##type, td_table, member)
#define TABLE_ENUM(number, member, limit) TD_DOC_ENUM_ROW(TD_FIELD_TABLE_ROWS + (number), td_table, member, limit)
#define RESOURCE(number, type, member) TD_DOC_ROW(TD_FIELD_RESOURCE_ROWS + (number), TD_DOC_##type, td_resource, member)
#define PARTITION(number, type, member)                                                                                \
    TD_DOC_ROW(TD_FIELD_PARTITION_ROWS + (number), TD_DOC_##type, td_partition, member)
#define STREAM(number, type, member) TD_DOC_ROW(TD_FIELD_STREAM_ROWS + (number), TD_DOC_##type, td_stream, member)
#define SHARD(number, type, member) TD_DOC_ROW(TD_FIELD_SHARD_ROWS + (number), TD_DOC_##type, td_shard, member)

#define STATUSES (TD_TABLE_DELETING + 1)
#define BILLINGS (TD_BILLING_ON_DEMAND + 1)
#define CLASSES (TD_CLASS_STANDARD_INFREQUENT_ACCESS + 1)

static const td_doc_row table_rows[] = {
    TABLE(0, I64, created_us),
    TABLE_ENUM(1, status, STATUSES),
    TABLE(2, BOOL, has_index_change),
    TABLE_ENUM(3, billing, BILLINGS),
    TABLE_ENUM(4, next_billing, BILLINGS),
    TABLE(5, BOOL, has_next_billing),
    TABLE(6, BOOL, is_throughput_changing),
    TABLE(7, I64, billing_changed_us),
    TABLE(8, I64, class_changed_us),
    TABLE(9, I64, switched_us),
    TABLE(10, U32, switch_count),
    TABLE(11, U64, expiry_generation),
    TABLE(12, I64, expiry_changed_us),
    TABLE_ENUM(13, table_class, CLASSES),
    TABLE(14, BOOL, has_table_class),
    TABLE(15, BOOL, has_deletion_protection),
    TABLE(16, BOOL, recovery.is_enabled),
    TABLE(17, I64, recovery.enabled_us),
    TABLE(18, U32, recovery.days),
};
ROWS(table);

static const td_doc_row encryption_rows[] = {
    TD_DOC_ROW(TD_FIELD_TABLE_ROWS + 30, TD_DOC_BOOL, td_encryption, is_given),
    TD_DOC_ROW(TD_FIELD_TABLE_ROWS + 31, TD_DOC_BOOL, td_encryption, is_enabled),
};
ROWS(encryption);

static const td_doc_row resource_rows[] = {
    TD_DOC_ENUM_ROW(TD_FIELD_RESOURCE_ROWS, td_resource, status, STATUSES),
    RESOURCE(1, BOOL, is_backfilling),
    RESOURCE(2, I64, throughput.rate),
    RESOURCE(3, I64, next_throughput.rate),
    RESOURCE(4, BOOL, has_next_throughput),
    RESOURCE(5, I64, provisioned_max.rate),
    RESOURCE(6, I64, warm.rate),
    RESOURCE(7, I64, next_warm.rate),
    RESOURCE(8, BOOL, has_next_warm),
    RESOURCE(9, BOOL, was_warmed),
    RESOURCE(10, I64, warm_due_us),
    RESOURCE(11, SIGNED, on_demand_max.rate), /* -1: as was asked for when it was made */
    RESOURCE(12, I64, history.last_increase_us),
    RESOURCE(13, I64, history.last_decrease_us),
    RESOURCE(14, I64, history.decreases_today),
    RESOURCE(15, I64, decrease_accepted_us),
    RESOURCE(16, BOOL, has_shares),
    RESOURCE(17, U32, last_number),
    RESOURCE(18, DOUBLE, growth.highest),
    RESOURCE(19, DOUBLE, growth.noted),
    RESOURCE(20, DOUBLE, growth.ready),
    RESOURCE(21, I64, growth.minute),
    RESOURCE(22, I64, growth.noted_us),
    RESOURCE(23, U64, splits.splits),
};
ROWS(resource);

static const td_doc_row peak_rows[] = {
    TD_DOC_ROW(1, TD_DOC_I64, td_growth_peak, due_us),
    TD_DOC_ROW(2, TD_DOC_DOUBLE, td_growth_peak, rate),
};
ROWS(peak);

static const td_doc_row insights_rows[] = {
    TD_DOC_ROW(1, TD_DOC_BOOL, td_insights, is_on),
    TD_DOC_ENUM_ROW(2, td_insights, mode, TD_INSIGHTS_THROTTLED + 1),
    TD_DOC_ROW(3, TD_DOC_I64, td_insights, created_us),
    TD_DOC_ROW(4, TD_DOC_I64, td_insights, settled_us),
};
ROWS(insights);

static const td_doc_row partition_rows[] = {
    PARTITION(0, U32, number),
    PARTITION(1, U32, parent),
    PARTITION(2, U64, hash_from),
    PARTITION(3, U64, hash_to),
    PARTITION(4, I64, created_us),
    TD_DOC_ENUM_ROW(TD_FIELD_PARTITION_ROWS + 5, td_partition, veto, TD_VETO_COUNT),
    TD_DOC_ENUM_ROW(TD_FIELD_PARTITION_ROWS + 6, td_partition, full_veto, TD_VETO_COUNT),
    PARTITION(7, U64, vetoed_bytes),
};
ROWS(partition);

static const td_doc_row share_rows[] = {
    TD_DOC_ROW(TD_FIELD_SHARE_ROWS, TD_DOC_DOUBLE, td_share, boost),
    TD_DOC_ROW(TD_FIELD_SHARE_ROWS + 1, TD_DOC_I64, td_share, throttled_us),
    TD_DOC_ROW(TD_FIELD_SHARE_ROWS + 2, TD_DOC_U64, td_share, throttled_count),
};
ROWS(share);

static const td_doc_row bucket_rows[] = {
    TD_DOC_ROW(1, TD_DOC_SIGNED, td_bucket, balance_nano), TD_DOC_ROW(2, TD_DOC_I64, td_bucket, ceiling_nano),
    TD_DOC_ROW(3, TD_DOC_SIGNED, td_bucket, rate_milli),   TD_DOC_ROW(4, TD_DOC_I64, td_bucket, last_us),
    TD_DOC_ROW(5, TD_DOC_U64, td_bucket, throttled),
};
ROWS(bucket);

static const td_doc_row stream_rows[] = {
    STREAM(0, I64, label_us),
    TD_DOC_ENUM_ROW(TD_FIELD_STREAM_ROWS + 1, td_stream, view, TD_STREAM_NEW_AND_OLD_IMAGES + 1),
    STREAM(2, U64, identity),
    TD_DOC_ENUM_ROW(TD_FIELD_STREAM_ROWS + 3, td_stream, status, TD_STREAM_DISABLED + 1),
    STREAM(4, END, closed_us),
    STREAM(5, U64, next_sequence),
    STREAM(6, U64, next_number),
};
ROWS(stream);

static const td_doc_row shard_rows[] = {
    SHARD(0, U64, number),         SHARD(1, U64, parent),        SHARD(2, I64, opened_us), SHARD(3, END, closed_us),
    SHARD(4, U64, sequence_first), SHARD(5, U64, sequence_last), SHARD(6, U64, horizon),
};
ROWS(shard);
