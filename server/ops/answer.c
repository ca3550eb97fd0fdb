/* SPDX-License-Identifier: Apache-2.0
 * answer.c: the parts that answers are made of: objects, ConsumedCapacity, items under a projection. */
#include "batch.h"

td_ops_object td_ops__open(td_buf *buf)
{
    td_buf_append_byte(buf, '{');
    return (td_ops_object){buf, false};
}

void td_ops__name(td_ops_object *object, td_slice name)
{
    if (object->has_members) td_buf_append_byte(object->buf, ',');
    object->has_members = true;
    td_buf_append_byte(object->buf, '"');
    td_buf_append(object->buf, name);
    td_buf_append_lit(object->buf, "\":");
}

void td_ops__close(td_ops_object *object)
{
    td_buf_append_byte(object->buf, '}');
}

void td_ops__member_string(td_ops_object *object, td_slice name, td_slice value)
{
    td_ops__name(object, name);
    td_json_write_string(object->buf, value);
}

void td_ops__member_int(td_ops_object *object, td_slice name, int64_t value)
{
    td_ops__name(object, name);
    td_json_write_int(object->buf, value);
}

void td_ops__member_bool(td_ops_object *object, td_slice name, bool value)
{
    td_ops__name(object, name);
    td_buf_append(object->buf, value ? TD_LIT("true") : TD_LIT("false"));
}

void td_ops__member_time(td_ops_object *object, td_slice name, td_time_us value)
{
    td_ops__name(object, name);
    td_json_write_time(object->buf, value);
}

td_status td_ops__answer_empty_list(td_request *request, td_slice name)
{
    td_ops_object answer = td_ops__open(request->reply);
    td_ops__name(&answer, name);
    td_buf_append_lit(answer.buf, "[]");
    td_ops__close(&answer);
    return TD_OK;
}

void td_ops__write_consumed(td_ops_object *answer, const td_request *request, const td_consumed *consumed)
{
    td_ops_capacity wanted = td_ops__capacity(request);
    if (wanted == TD_CAPACITY_NONE) return;
    td_ops__name(answer, TD_LIT("ConsumedCapacity"));
    td_ops__write_capacity(answer->buf, wanted, td_ops__text(td_ops__get(request, TD_MEMBER_TableName)), consumed,
                           TD_SPLIT_NONE);
}

td_status td_ops__write_projected(td_request *request, const td_item *item, const td_projection *projection)
{
    if (projection == NULL) {
        td_json_write_item(request->reply, item);
        return TD_OK;
    }
    td_arena_mark mark = td_arena_get_mark(request->arena);
    td_attribute *attributes = NULL;
    uint32_t count = 0;
    TD_TRY(td_projection_apply(projection, item, request->arena, &attributes, &count));
    td_json_write_attributes(request->reply, attributes, count);
    td_arena_rewind(request->arena, mark);
    return TD_OK;
}
