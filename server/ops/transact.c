/* SPDX-License-Identifier: Apache-2.0
 * transact.c: names, units and fingerprints of transactions. */
#include "transact.h"

#include "thermodyn/map.h"

td_status td_ops__read_table(td_request *request, td_ops_named *ret_table)
{
    ret_table->sent = td_ops__text(td_ops__get(request, TD_MEMBER_TableName));
    return td_table_name_parse(ret_table->sent, &ret_table->name, &request->error);
}

td_slice td_ops__sent_name(const td_ops_named *tables, uint32_t count, td_slice name)
{
    for (uint32_t i = 0; i < count; i++) {
        if (td_slice_equal(tables[i].name, name)) return tables[i].sent;
    }
    return name;
}

void td_ops__write_transact_consumed(const td_request *request, const td_ops_named *named, uint32_t action_count,
                                     const td_table_consumed *tables, uint32_t table_count, td_ops_object *answer)
{
    td_ops_capacity wanted = td_ops__capacity(request);
    if (wanted == TD_CAPACITY_NONE) return;
    td_ops__name(answer, TD_LIT("ConsumedCapacity"));
    td_buf_append_byte(answer->buf, '[');
    for (uint32_t i = 0; i < table_count; i++) {
        if (i > 0) td_buf_append_byte(answer->buf, ',');
        td_ops__write_capacity(answer->buf, wanted, td_ops__sent_name(named, action_count, tables[i].table),
                               &tables[i].consumed, tables[i].is_read ? TD_SPLIT_READ : TD_SPLIT_WRITE);
    }
    td_buf_append_byte(answer->buf, ']');
}

/* ---- fingerprints ------------------------------------------------------------------------------------------------ */

static uint64_t combine(uint64_t kind, uint64_t first, uint64_t second)
{
    const uint64_t words[] = {kind, first, second};
    return td_hash64(td_slice_of(words, sizeof(words)));
}

/* Members are summed, since the sum knows no order; elements are chained. The reader's levels bound the recursion. */
uint64_t td_ops__fingerprint(const td_json *json)
{
    uint64_t sum = 0;
    switch (json->type) {
    case TD_JSON_NULL:
    case TD_JSON_FALSE:
    case TD_JSON_TRUE: break;
    case TD_JSON_NUMBER:
    case TD_JSON_STRING: sum = td_hash64(json->text); break;
    case TD_JSON_ARRAY:
        for (uint32_t i = 0; i < json->count; i++)
            sum = combine(i, sum, td_ops__fingerprint(&json->children[i]));
        break;
    case TD_JSON_OBJECT:
        for (uint32_t i = 0; i < json->count; i++) {
            const td_json *child = &json->children[i];
            sum += combine(TD_JSON_OBJECT, td_hash64(child->name), td_ops__fingerprint(child));
        }
        break;
    }
    return combine((uint64_t)json->type, sum, json->type == TD_JSON_ARRAY ? json->count : 0);
}
