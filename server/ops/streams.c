/* SPDX-License-Identifier: Apache-2.0
 * streams.c: the API of change streams: ListStreams, DescribeStream, GetShardIterator, GetRecords.
 * Not here: shards and records (the engine); ARNs and iterators as texts (stream_arn.c, shard_iterator.c). */
#include "thermodyn/stream.h"

#include "ops.h"

#define LIST_STREAMS_LIMIT 100

/* The words of td_stream_view. */
static const td_slice views[] = {
    [TD_STREAM_NONE] = TD_LIT_INIT(""),
    [TD_STREAM_KEYS_ONLY] = TD_LIT_INIT("KEYS_ONLY"),
    [TD_STREAM_NEW_IMAGE] = TD_LIT_INIT("NEW_IMAGE"),
    [TD_STREAM_OLD_IMAGE] = TD_LIT_INIT("OLD_IMAGE"),
    [TD_STREAM_NEW_AND_OLD_IMAGES] = TD_LIT_INIT("NEW_AND_OLD_IMAGES"),
};

static td_status open_stream(td_request *request, td_slice *ret_arn, td_stream_ref *ret_stream);
static td_status reword(td_request *request, td_slice arn, td_status status);
static uint32_t limit_of(const td_request *request, uint32_t otherwise);
static td_status write_description(td_request *request, td_ops_object *object, const td_stream_info *info);
static td_status write_shards(td_request *request, td_ops_object *object, td_stream_info *info, td_slice parent);
static void write_change(td_request *request, const td_changes *changes, const td_change *change);

/* ---- which streams ---- */

td_status td_ops__list_streams(td_request *request)
{
    td_slice start = td_ops__text(td_ops__get(request, TD_MEMBER_ExclusiveStartStreamArn));
    td_stream_ref after = {{NULL, 0}, 0};
    if (start.len > 0) TD_TRY(td_ops__parse_stream_arn(request, start, &after));
    td_stream_ref *streams = NULL;
    uint32_t count = 0;
    bool has_more = false;
    TD_TRY(td_stream_list(&request->call, &after, limit_of(request, LIST_STREAMS_LIMIT), &streams, &count, &has_more));

    td_slice arn = {NULL, 0};
    td_ops_object answer = td_ops__open(request->reply);
    td_ops__name(&answer, TD_LIT("Streams"));
    td_buf_append_byte(answer.buf, '[');
    for (uint32_t i = 0; i < count; i++) {
        char label[TD_OPS_STREAM_LABEL_BYTES];
        TD_TRY(td_ops__stream_arn(request, streams[i].table, streams[i].label_us, &arn));
        if (i > 0) td_buf_append_byte(answer.buf, ',');
        td_ops_object stream = td_ops__open(answer.buf);
        td_ops__member_string(&stream, TD_LIT("StreamArn"), arn);
        td_ops__member_string(&stream, TD_LIT("TableName"), streams[i].table);
        td_ops__member_string(&stream, TD_LIT("StreamLabel"), td_ops__stream_label(streams[i].label_us, label));
        td_ops__close(&stream);
    }
    td_buf_append_byte(answer.buf, ']');
    if (has_more && count > 0) td_ops__member_string(&answer, TD_LIT("LastEvaluatedStreamArn"), arn);
    td_ops__close(&answer);
    return TD_OK;
}

static uint32_t limit_of(const td_request *request, uint32_t otherwise)
{
    const td_json *limit = td_ops__get(request, TD_MEMBER_Limit);
    return limit == NULL ? otherwise : (uint32_t)td_ops__int(limit);
}

/* StreamArn: its table becomes the call's. */
static td_status open_stream(td_request *request, td_slice *ret_arn, td_stream_ref *ret_stream)
{
    *ret_arn = td_ops__text(td_ops__get(request, TD_MEMBER_StreamArn));
    TD_TRY(td_ops__parse_stream_arn(request, *ret_arn, ret_stream));
    request->call.table = ret_stream->table;
    return TD_OK;
}

/* The engine knows no ARNs: a stream that it does not find is named here. */
static td_status reword(td_request *request, td_slice arn, td_status status)
{
    if (status != TD_RESOURCE_NOT_FOUND || request->error.message != TD_MSG_RESOURCE_NOT_FOUND) return status;
    return TD_RAISE(&request->error, TD_MSG_STREAM_NOT_FOUND, arn);
}

/* ---- one stream ---- */

td_status td_ops__describe_stream(td_request *request)
{
    td_slice arn;
    td_stream_ref stream;
    td_stream_info info;
    TD_TRY(open_stream(request, &arn, &stream));
    td_slice after = td_ops__text(td_ops__get(request, TD_MEMBER_ExclusiveStartShardId));
    const td_json *filter = td_ops__get(request, TD_MEMBER_ShardFilter);
    td_slice parent = filter == NULL ? td_slice_of(NULL, 0) : td_ops__text(td_json_find(filter, TD_LIT("ShardId")));
    uint32_t limit = parent.len > 0 ? TD_LIMIT_STREAM_SHARDS_MAX : limit_of(request, TD_LIMIT_STREAM_SHARDS_MAX);
    TD_TRY(reword(request, arn,
                  td_stream_describe(&request->call, stream.label_us, after, limit, &info, &request->error)));
    td_ops_object answer = td_ops__open(request->reply);
    td_ops__name(&answer, TD_LIT("StreamDescription"));
    td_ops_object object = td_ops__open(request->reply);
    TD_TRY(write_description(request, &object, &info));
    TD_TRY(write_shards(request, &object, &info, parent));
    td_ops__close(&object);
    td_ops__close(&answer);
    return TD_OK;
}

static td_slice stream_status_name(td_stream_status status)
{
    switch (status) {
    case TD_STREAM_ENABLING: return TD_LIT("ENABLING");
    case TD_STREAM_ENABLED: return TD_LIT("ENABLED");
    case TD_STREAM_DISABLING: return TD_LIT("DISABLING");
    case TD_STREAM_DISABLED: return TD_LIT("DISABLED");
    }
    return TD_LIT("");
}

static td_status write_description(td_request *request, td_ops_object *object, const td_stream_info *info)
{
    char label[TD_OPS_STREAM_LABEL_BYTES];
    td_slice arn;
    TD_TRY(td_ops__stream_arn(request, info->table, info->label_us, &arn));
    td_ops__member_string(object, TD_LIT("StreamArn"), arn);
    td_ops__member_string(object, TD_LIT("StreamLabel"), td_ops__stream_label(info->label_us, label));
    td_ops__member_string(object, TD_LIT("StreamStatus"), stream_status_name(info->status));
    td_ops__member_string(object, TD_LIT("StreamViewType"), views[info->view]);
    td_ops__member_time(object, TD_LIT("CreationRequestDateTime"), info->label_us);
    td_ops__member_string(object, TD_LIT("TableName"), info->table);
    td_ops__write_key_schema(object, &info->key);
    return TD_OK;
}

static void write_shard(td_ops_object *object, const td_shard_info *shard)
{
    td_ops__member_string(object, TD_LIT("ShardId"), td_slice_of_cstr(shard->id));
    td_ops__name(object, TD_LIT("SequenceNumberRange"));
    td_ops_object range = td_ops__open(object->buf);
    td_ops__member_string(&range, TD_LIT("StartingSequenceNumber"), td_slice_of_cstr(shard->sequence_first));
    if (shard->sequence_last[0] != '\0') {
        td_ops__member_string(&range, TD_LIT("EndingSequenceNumber"), td_slice_of_cstr(shard->sequence_last));
    }
    td_ops__close(&range);
    if (shard->parent[0] == '\0') return;
    td_ops__member_string(object, TD_LIT("ParentShardId"), td_slice_of_cstr(shard->parent));
}

/* One page; or, of a parent, the children on all pages, since they are few. */
static td_status write_shards(td_request *request, td_ops_object *object, td_stream_info *info, td_slice parent)
{
    bool is_first = true;
    td_ops__name(object, TD_LIT("Shards"));
    td_buf_append_byte(object->buf, '[');
    for (;;) {
        for (uint32_t i = 0; i < info->shard_count; i++) {
            const td_shard_info *shard = &info->shards[i];
            if (parent.len > 0 && !td_slice_equal(parent, td_slice_of_cstr(shard->parent))) continue;
            if (!is_first) td_buf_append_byte(object->buf, ',');
            is_first = false;
            td_ops_object written = td_ops__open(object->buf);
            write_shard(&written, shard);
            td_ops__close(&written);
        }
        if (parent.len == 0 || !info->has_more || info->shard_count == 0) break;
        td_slice after = td_slice_of_cstr(info->shards[info->shard_count - 1].id);
        TD_TRY(td_stream_describe(&request->call, info->label_us, after, TD_LIMIT_STREAM_SHARDS_MAX, info,
                                  &request->error));
    }
    td_buf_append_byte(object->buf, ']');
    if (info->has_more && info->shard_count > 0) {
        td_slice last = td_slice_of_cstr(info->shards[info->shard_count - 1].id);
        td_ops__member_string(object, TD_LIT("LastEvaluatedShardId"), last);
    }
    return TD_OK;
}

/* ---- reading ---- */

td_status td_ops__get_shard_iterator(td_request *request)
{
    static const td_slice words[] = {
        [TD_ITERATE_TRIM_HORIZON] = TD_LIT_INIT("TRIM_HORIZON"),
        [TD_ITERATE_LATEST] = TD_LIT_INIT("LATEST"),
        [TD_ITERATE_AT_SEQUENCE] = TD_LIT_INIT("AT_SEQUENCE_NUMBER"),
        [TD_ITERATE_AFTER_SEQUENCE] = TD_LIT_INIT("AFTER_SEQUENCE_NUMBER"),
    };
    td_error *error = &request->error;
    td_slice arn;
    td_stream_ref stream;
    TD_TRY(open_stream(request, &arn, &stream));
    td_iterator_kind kind =
        (td_iterator_kind)td_ops__choice(td_ops__get(request, TD_MEMBER_ShardIteratorType), words, TD_COUNT_OF(words));
    td_slice sequence = td_ops__text(td_ops__get(request, TD_MEMBER_SequenceNumber));
    bool needs_sequence = kind == TD_ITERATE_AT_SEQUENCE || kind == TD_ITERATE_AFTER_SEQUENCE;
    if (needs_sequence && sequence.len == 0) return TD_RAISE(error, TD_MSG_SEQUENCE_NUMBER_MISSING, words[kind]);
    td_slice shard = td_ops__text(td_ops__get(request, TD_MEMBER_ShardId));
    td_shard_iterator iterator;
    td_slice text;
    TD_TRY(reword(request, arn,
                  td_stream_iterate(&request->call, stream.label_us, shard, kind, sequence, &iterator, error)));
    TD_TRY(td_ops__format_shard_iterator(request, &iterator, &text));
    td_ops_object answer = td_ops__open(request->reply);
    td_ops__member_string(&answer, TD_LIT("ShardIterator"), text);
    td_ops__close(&answer);
    return TD_OK;
}

td_status td_ops__get_records(td_request *request)
{
    td_slice text = td_ops__text(td_ops__get(request, TD_MEMBER_ShardIterator));
    td_shard_iterator iterator;
    td_changes changes;
    td_slice arn;
    TD_TRY(td_ops__parse_shard_iterator(request, text, &iterator));
    TD_TRY(td_ops__stream_arn(request, request->call.table, iterator.label_us, &arn));
    uint32_t limit = limit_of(request, TD_LIMIT_STREAM_RECORDS_MAX);
    TD_TRY(reword(request, arn, td_stream_read(&request->call, &iterator, limit, &changes, &request->error)));
    td_slice next = {NULL, 0};
    if (changes.has_next) TD_TRY(td_ops__format_shard_iterator(request, &changes.next, &next));
    td_ops_object answer = td_ops__open(request->reply);
    td_ops__name(&answer, TD_LIT("Records"));
    td_buf_append_byte(answer.buf, '[');
    for (uint32_t i = 0; i < changes.count; i++) {
        if (i > 0) td_buf_append_byte(answer.buf, ',');
        write_change(request, &changes, &changes.changes[i]);
    }
    td_buf_append_byte(answer.buf, ']');
    if (changes.has_next) td_ops__member_string(&answer, TD_LIT("NextShardIterator"), next);
    td_ops__close(&answer);
    return TD_OK;
}

static void write_image(td_ops_object *object, td_slice name, const td_item *image)
{
    if (image == NULL) return;
    td_ops__name(object, name);
    td_json_write_item(object->buf, image);
}

static void write_change(td_request *request, const td_changes *changes, const td_change *change)
{
    static const td_slice names[] = {
        [TD_CHANGE_INSERT] = TD_LIT_INIT("INSERT"),
        [TD_CHANGE_MODIFY] = TD_LIT_INIT("MODIFY"),
        [TD_CHANGE_REMOVE] = TD_LIT_INIT("REMOVE"),
    };
    td_ops_object object = td_ops__open(request->reply);
    td_ops__member_string(&object, TD_LIT("eventID"), td_slice_of_cstr(change->event_id));
    td_ops__member_string(&object, TD_LIT("eventName"), names[change->kind]);
    td_ops__member_string(&object, TD_LIT("eventVersion"), TD_LIT("1.1"));
    td_ops__member_string(&object, TD_LIT("eventSource"), TD_LIT("aws:dynamodb"));
    td_ops__member_string(&object, TD_LIT("awsRegion"), request->call.region);
    td_ops__name(&object, TD_LIT("dynamodb"));
    td_ops_object record = td_ops__open(object.buf);
    td_ops__member_int(&record, TD_LIT("ApproximateCreationDateTime"), change->at_us / TD_US_PER_S);
    td_ops__name(&record, TD_LIT("Keys"));
    td_json_write_item_keys(record.buf, change->keys_of, changes->key_names, changes->key_name_count);
    write_image(&record, TD_LIT("NewImage"), change->new_image);
    write_image(&record, TD_LIT("OldImage"), change->old_image);
    td_ops__member_string(&record, TD_LIT("SequenceNumber"), td_slice_of_cstr(change->sequence));
    td_ops__member_int(&record, TD_LIT("SizeBytes"), (int64_t)change->size_bytes);
    td_ops__member_string(&record, TD_LIT("StreamViewType"), views[changes->view]);
    td_ops__close(&record);
    if (change->is_expiry) {
        td_ops__name(&object, TD_LIT("userIdentity"));
        td_ops_object identity = td_ops__open(object.buf);
        td_ops__member_string(&identity, TD_LIT("Type"), TD_LIT("Service"));
        td_ops__member_string(&identity, TD_LIT("PrincipalId"), TD_LIT("dynamodb.amazonaws.com"));
        td_ops__close(&identity);
    }
    td_ops__close(&object);
}
