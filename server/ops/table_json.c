/* SPDX-License-Identifier: Apache-2.0
 * table_json.c: a table's description: every member that DescribeTable answers for a table of its kind.
 * Which members are there when: ProvisionedThroughput always (zeros on demand); BillingModeSummary once the table has
 * been on demand; the SSE, class, stream and on-demand members once they were set; of a table that is being deleted
 * only what DeleteTable says. */
#include "ops.h"

/* The key that stands for the service's own, "alias/aws/dynamodb". */
#define SERVICE_KEY_ID "00000000-0000-4000-8000-000000000000"

typedef struct table_description {
    td_request *request;
    const td_table_info *info;
    td_arn_context arn;
    td_ops_object object;
} table_description;

static void write_keys_and_definitions(table_description *table);
static void write_billing(table_description *table);
static void write_throughput(td_ops_object *object, const td_throughput *throughput,
                             const td_throughput_history *history);
static void write_on_demand_max(td_ops_object *object, const td_on_demand_max *max);
static void write_warm(td_ops_object *object, const td_throughput *warm, bool is_active);
static void write_indexes(table_description *table, bool is_global);
static void write_index(table_description *table, const td_index_info *index);
static void write_projection(td_ops_object *object, const td_index_spec *index);
static td_status write_stream(table_description *table);
static td_status write_encryption(table_description *table);
static void write_class(table_description *table);

static td_slice status_name(td_table_status status)
{
    switch (status) {
    case TD_TABLE_CREATING: return TD_LIT("CREATING");
    case TD_TABLE_ACTIVE: return TD_LIT("ACTIVE");
    case TD_TABLE_UPDATING: return TD_LIT("UPDATING");
    case TD_TABLE_DELETING: return TD_LIT("DELETING");
    }
    return TD_LIT("");
}

td_status td_ops__write_table(td_request *request, td_slice member, const td_table_info *info)
{
    td_ops_object answer = td_ops__open(request->reply);
    td_ops__name(&answer, member);
    table_description table = {
        .request = request,
        .info = info,
        .arn = {request->call.region, td_slice_of_cstr(request->service->config->account), info->spec.name},
        .object = td_ops__open(request->reply),
    };
    td_ops_object *object = &table.object;
    bool is_deleted = info->status == TD_TABLE_DELETING;

    td_ops__member_string(object, TD_LIT("TableName"), info->spec.name);
    td_ops__member_string(object, TD_LIT("TableStatus"), status_name(info->status));
    td_ops__name(object, TD_LIT("TableArn"));
    td_buf_append_byte(object->buf, '"');
    td_arn_write_table(object->buf, &table.arn);
    td_buf_append_byte(object->buf, '"');
    td_ops__member_string(object, TD_LIT("TableId"), td_slice_of_cstr(info->table_id));
    td_ops__member_int(object, TD_LIT("ItemCount"), (int64_t)info->item_count);
    td_ops__member_int(object, TD_LIT("TableSizeBytes"), (int64_t)info->size_bytes);
    if (!is_deleted) write_keys_and_definitions(&table);
    write_billing(&table);
    if (!is_deleted) {
        write_indexes(&table, false);
        write_indexes(&table, true);
        write_warm(object, &info->spec.warm, info->status == TD_TABLE_ACTIVE && !info->is_warming);
    }
    TD_TRY(write_stream(&table));
    TD_TRY(write_encryption(&table));
    write_class(&table);
    td_ops__member_bool(object, TD_LIT("DeletionProtectionEnabled"), info->spec.has_deletion_protection);
    td_ops__close(object);
    td_ops__close(&answer);
    return TD_OK;
}

static void write_keys_and_definitions(table_description *table)
{
    const td_table_spec *spec = &table->info->spec;
    td_ops_object *object = &table->object;
    td_ops__member_time(object, TD_LIT("CreationDateTime"), table->info->created_us);
    td_ops__name(object, TD_LIT("AttributeDefinitions"));
    td_buf_append_byte(object->buf, '[');
    for (uint32_t i = 0; i < spec->definition_count; i++) {
        if (i > 0) td_buf_append_byte(object->buf, ',');
        td_ops_object definition = td_ops__open(object->buf);
        td_ops__member_string(&definition, TD_LIT("AttributeName"), spec->definitions[i].name);
        td_ops__member_string(&definition, TD_LIT("AttributeType"),
                              td_slice_of_cstr(td_type_name(spec->definitions[i].type)));
        td_ops__close(&definition);
    }
    td_buf_append_byte(object->buf, ']');
    td_ops__write_key_schema(object, &spec->key);
}

void td_ops__write_key_schema(td_ops_object *object, const td_key_schema *key)
{
    td_ops__name(object, TD_LIT("KeySchema"));
    td_buf_append_byte(object->buf, '[');
    for (uint32_t i = 0; i < td_key_part_count(key); i++) {
        if (i > 0) td_buf_append_byte(object->buf, ',');
        td_ops_object element = td_ops__open(object->buf);
        td_ops__member_string(&element, TD_LIT("AttributeName"), key->parts[i].name);
        td_ops__member_string(&element, TD_LIT("KeyType"), i < key->hash_count ? TD_LIT("HASH") : TD_LIT("RANGE"));
        td_ops__close(&element);
    }
    td_buf_append_byte(object->buf, ']');
}

static void write_billing(table_description *table)
{
    const td_table_info *info = table->info;
    bool is_on_demand = info->spec.billing == TD_BILLING_ON_DEMAND;
    td_ops_object *object = &table->object;
    write_throughput(object, &info->spec.throughput, &info->history);
    if (is_on_demand || info->billing_changed_us != 0) {
        td_ops__name(object, TD_LIT("BillingModeSummary"));
        td_ops_object summary = td_ops__open(object->buf);
        td_ops__member_string(&summary, TD_LIT("BillingMode"),
                              is_on_demand ? TD_LIT("PAY_PER_REQUEST") : TD_LIT("PROVISIONED"));
        if (info->billing_changed_us != 0 && info->status != TD_TABLE_CREATING) {
            td_ops__member_time(&summary, TD_LIT("LastUpdateToPayPerRequestDateTime"), info->billing_changed_us);
        }
        td_ops__close(&summary);
    }
    write_on_demand_max(object, &info->spec.on_demand_max);
}

static void write_throughput(td_ops_object *object, const td_throughput *throughput,
                             const td_throughput_history *history)
{
    td_ops__name(object, TD_LIT("ProvisionedThroughput"));
    td_ops_object provisioned = td_ops__open(object->buf);
    if (history->last_increase_us != 0) {
        td_ops__member_time(&provisioned, TD_LIT("LastIncreaseDateTime"), history->last_increase_us);
    }
    if (history->last_decrease_us != 0) {
        td_ops__member_time(&provisioned, TD_LIT("LastDecreaseDateTime"), history->last_decrease_us);
    }
    td_ops__member_int(&provisioned, TD_LIT("NumberOfDecreasesToday"), history->decreases_today);
    td_ops__member_int(&provisioned, TD_LIT("ReadCapacityUnits"), throughput->rate[TD_READ]);
    td_ops__member_int(&provisioned, TD_LIT("WriteCapacityUnits"), throughput->rate[TD_WRITE]);
    td_ops__close(&provisioned);
}

/* Ceilings that were set; -1, a removal, is echoed once by UpdateTable. */
static void write_on_demand_max(td_ops_object *object, const td_on_demand_max *max)
{
    if (max->rate[TD_READ] == 0 && max->rate[TD_WRITE] == 0) return;
    td_ops__name(object, TD_LIT("OnDemandThroughput"));
    td_ops_object throughput = td_ops__open(object->buf);
    if (max->rate[TD_READ] != 0) {
        td_ops__member_int(&throughput, TD_LIT("MaxReadRequestUnits"), max->rate[TD_READ]);
    }
    if (max->rate[TD_WRITE] != 0) {
        td_ops__member_int(&throughput, TD_LIT("MaxWriteRequestUnits"), max->rate[TD_WRITE]);
    }
    td_ops__close(&throughput);
}

static void write_warm(td_ops_object *object, const td_throughput *warm, bool is_active)
{
    td_ops__name(object, TD_LIT("WarmThroughput"));
    td_ops_object throughput = td_ops__open(object->buf);
    td_ops__member_int(&throughput, TD_LIT("ReadUnitsPerSecond"), warm->rate[TD_READ]);
    td_ops__member_int(&throughput, TD_LIT("WriteUnitsPerSecond"), warm->rate[TD_WRITE]);
    td_ops__member_string(&throughput, TD_LIT("Status"),
                          is_active ? TD_LIT("ACTIVE") : TD_LIT("UPDATING"));
    td_ops__close(&throughput);
}

/* The list of one kind of index; absent when there is none. */
static void write_indexes(table_description *table, bool is_global)
{
    td_buf *buf = table->object.buf;
    bool is_open = false;
    for (uint32_t i = 0; i < table->info->index_count; i++) {
        const td_index_info *index = &table->info->indexes[i];
        if (index->spec.is_global != is_global) continue;
        if (!is_open) {
            td_ops__name(&table->object,
                         is_global ? TD_LIT("GlobalSecondaryIndexes") : TD_LIT("LocalSecondaryIndexes"));
        }
        td_buf_append_byte(buf, is_open ? ',' : '[');
        is_open = true;
        write_index(table, index);
    }
    if (is_open) td_buf_append_byte(buf, ']');
}

static void write_index(table_description *table, const td_index_info *index)
{
    td_ops_object object = td_ops__open(table->object.buf);
    td_ops__member_string(&object, TD_LIT("IndexName"), index->spec.name);
    td_ops__name(&object, TD_LIT("IndexArn"));
    td_buf_append_byte(object.buf, '"');
    td_arn_write_index(object.buf, &table->arn, index->spec.name);
    td_buf_append_byte(object.buf, '"');
    td_ops__write_key_schema(&object, &index->spec.key);
    write_projection(&object, &index->spec);
    td_ops__member_int(&object, TD_LIT("ItemCount"), (int64_t)index->item_count);
    td_ops__member_int(&object, TD_LIT("IndexSizeBytes"), (int64_t)index->size_bytes);
    if (index->spec.is_global) {
        td_ops__member_string(&object, TD_LIT("IndexStatus"), status_name(index->status));
        if (index->is_backfilling) td_ops__member_bool(&object, TD_LIT("Backfilling"), true);
        write_throughput(&object, &index->spec.throughput, &index->history);
        write_on_demand_max(&object, &index->spec.on_demand_max);
        write_warm(&object, &index->spec.warm, index->status == TD_TABLE_ACTIVE && !index->is_warming);
    }
    td_ops__close(&object);
}

static void write_projection(td_ops_object *object, const td_index_spec *index)
{
    static const td_slice words[] = {
        [TD_PROJECT_ALL] = TD_LIT_INIT("ALL"),
        [TD_PROJECT_KEYS_ONLY] = TD_LIT_INIT("KEYS_ONLY"),
        [TD_PROJECT_INCLUDE] = TD_LIT_INIT("INCLUDE"),
    };
    td_ops__name(object, TD_LIT("Projection"));
    td_ops_object projection = td_ops__open(object->buf);
    td_ops__member_string(&projection, TD_LIT("ProjectionType"), words[index->projection]);
    if (index->projection == TD_PROJECT_INCLUDE) {
        td_ops__name(&projection, TD_LIT("NonKeyAttributes"));
        td_buf_append_byte(projection.buf, '[');
        for (uint32_t i = 0; i < index->non_key_attribute_count; i++) {
            if (i > 0) td_buf_append_byte(projection.buf, ',');
            td_json_write_string(projection.buf, index->non_key_attributes[i]);
        }
        td_buf_append_byte(projection.buf, ']');
    }
    td_ops__close(&projection);
}

/* The latest stream keeps its ARN after it was disabled; its label is the instant at which it was enabled. */
static td_status write_stream(table_description *table)
{
    static const td_slice words[] = {
        [TD_STREAM_NONE] = TD_LIT_INIT(""),
        [TD_STREAM_KEYS_ONLY] = TD_LIT_INIT("KEYS_ONLY"),
        [TD_STREAM_NEW_IMAGE] = TD_LIT_INIT("NEW_IMAGE"),
        [TD_STREAM_OLD_IMAGE] = TD_LIT_INIT("OLD_IMAGE"),
        [TD_STREAM_NEW_AND_OLD_IMAGES] = TD_LIT_INIT("NEW_AND_OLD_IMAGES"),
    };
    const td_table_info *info = table->info;
    td_ops_object *object = &table->object;
    if (info->spec.stream != TD_STREAM_NONE) {
        td_ops__name(object, TD_LIT("StreamSpecification"));
        td_ops_object stream = td_ops__open(object->buf);
        td_ops__member_bool(&stream, TD_LIT("StreamEnabled"), true);
        td_ops__member_string(&stream, TD_LIT("StreamViewType"), words[info->spec.stream]);
        td_ops__close(&stream);
    }
    if (info->stream_enabled_us == 0) return TD_OK;
    char text[TD_OPS_STREAM_LABEL_BYTES];
    td_slice arn;
    TD_TRY(td_ops__stream_arn(table->request, info->spec.name, info->stream_enabled_us, &arn));
    td_ops__member_string(object, TD_LIT("LatestStreamLabel"), td_ops__stream_label(info->stream_enabled_us, text));
    td_ops__member_string(object, TD_LIT("LatestStreamArn"), arn);
    return TD_OK;
}

/* Encryption with a key of KMS: there is no KMS here, so a key's identifier is shown as the ARN that it would have. */
static td_status write_encryption(table_description *table)
{
    const td_encryption *encryption = &table->info->spec.encryption;
    if (!encryption->is_enabled) return TD_OK;
    td_slice key = encryption->kms_key_id.len > 0 ? encryption->kms_key_id : TD_LIT(SERVICE_KEY_ID);
    if (td_slice_equal(key, TD_LIT("alias/aws/dynamodb"))) key = TD_LIT(SERVICE_KEY_ID);
    td_slice arn = key;
    if (!td_slice_has_prefix(key, TD_LIT("arn:"))) {
        td_slice partition = td_arn_partition(table->arn.region);
        bool is_alias = td_slice_has_prefix(key, TD_LIT("alias/"));
        if (!td_arena_format(table->request->arena, &arn, "arn:%.*s:kms:%.*s:%.*s:%s%.*s", (int)partition.len,
                             (const char *)partition.ptr, (int)table->arn.region.len,
                             (const char *)table->arn.region.ptr, (int)table->arn.account.len,
                             (const char *)table->arn.account.ptr, is_alias ? "" : "key/", (int)key.len,
                             (const char *)key.ptr)) {
            return TD_RAISE(&table->request->error, TD_MSG_OUT_OF_MEMORY);
        }
    }
    td_ops__name(&table->object, TD_LIT("SSEDescription"));
    td_ops_object description = td_ops__open(table->object.buf);
    td_ops__member_string(&description, TD_LIT("Status"), TD_LIT("ENABLED"));
    td_ops__member_string(&description, TD_LIT("SSEType"), TD_LIT("KMS"));
    td_ops__member_string(&description, TD_LIT("KMSMasterKeyArn"), arn);
    td_ops__close(&description);
    return TD_OK;
}

static void write_class(table_description *table)
{
    const td_table_info *info = table->info;
    if (!info->spec.has_table_class && info->class_changed_us == 0) return;
    bool is_standard = info->spec.table_class == TD_CLASS_STANDARD;
    td_ops__name(&table->object, TD_LIT("TableClassSummary"));
    td_ops_object summary = td_ops__open(table->object.buf);
    td_ops__member_string(&summary, TD_LIT("TableClass"),
                          is_standard ? TD_LIT("STANDARD") : TD_LIT("STANDARD_INFREQUENT_ACCESS"));
    if (info->class_changed_us != 0) {
        td_ops__member_time(&summary, TD_LIT("LastUpdateDateTime"), info->class_changed_us);
    }
    td_ops__close(&summary);
}
