/* SPDX-License-Identifier: Apache-2.0
 * throughput.c: the rates of CreateTable and UpdateTable: provisioned, on-demand ceilings, warm throughput; streams and
 * encryption, whose specifications are as small.
 * Not here:   quotas and what depends on the table's present state (the engine). */
#include "ops.h"

static const td_slice capacity_members[TD_DIRECTION_COUNT] = {TD_LIT_INIT("ReadCapacityUnits"),
                                                              TD_LIT_INIT("WriteCapacityUnits")};
static const td_slice on_demand_members[TD_DIRECTION_COUNT] = {TD_LIT_INIT("MaxReadRequestUnits"),
                                                               TD_LIT_INIT("MaxWriteRequestUnits")};
static const td_slice warm_members[TD_DIRECTION_COUNT] = {TD_LIT_INIT("ReadUnitsPerSecond"),
                                                          TD_LIT_INIT("WriteUnitsPerSecond")};

static void read_rates(const td_json *json, const td_slice names[TD_DIRECTION_COUNT],
                       int64_t ret_rates[TD_DIRECTION_COUNT]);

td_throughput td_ops__read_throughput(const td_json *json)
{
    td_throughput throughput;
    read_rates(json, capacity_members, throughput.rate);
    return throughput;
}

td_on_demand_max td_ops__read_on_demand_max(const td_json *json)
{
    td_on_demand_max max;
    read_rates(json, on_demand_members, max.rate);
    return max;
}

td_throughput td_ops__read_warm(const td_json *json)
{
    td_throughput warm;
    read_rates(json, warm_members, warm.rate);
    return warm;
}

static void read_rates(const td_json *json, const td_slice names[TD_DIRECTION_COUNT],
                       int64_t ret_rates[TD_DIRECTION_COUNT])
{
    for (int i = 0; i < TD_DIRECTION_COUNT; i++) {
        ret_rates[i] = json == NULL ? 0 : td_ops__int(td_json_find(json, names[i]));
    }
}

td_status td_ops__check_throughput(td_request *request, const td_throughput *throughput, td_slice index)
{
    for (int i = 0; i < TD_DIRECTION_COUNT; i++) {
        if (throughput->rate[i] <= TD_THROUGHPUT_RATE_MAX) continue;
        td_slice value = td_error_int(&request->error, throughput->rate[i]);
        if (index.len == 0) {
            return TD_RAISE(&request->error, TD_MSG_THROUGHPUT_OUT_OF_BOUNDS, value, capacity_members[i]);
        }
        return TD_RAISE(&request->error, TD_MSG_INDEX_THROUGHPUT_OUT_OF_BOUNDS, value, capacity_members[i], index);
    }
    return TD_OK;
}

td_status td_ops__check_on_demand_billing(td_request *request, const td_json *json, td_slice index)
{
    for (int i = 0; json != NULL && i < TD_DIRECTION_COUNT; i++) {
        if (td_json_find(json, on_demand_members[i]) == NULL) continue;
        if (index.len == 0) {
            return TD_RAISE(&request->error, TD_MSG_CREATE_ON_DEMAND_MAX_WHILE_PROVISIONED, on_demand_members[i]);
        }
        return TD_RAISE(&request->error, TD_MSG_CREATE_INDEX_ON_DEMAND_MAX_WHILE_PROVISIONED, on_demand_members[i],
                        index);
    }
    return TD_OK;
}

td_status td_ops__check_on_demand_range(td_request *request, const td_json *json, bool allows_removal, td_slice index)
{
    for (int i = 0; json != NULL && i < TD_DIRECTION_COUNT; i++) {
        const td_json *member = td_json_find(json, on_demand_members[i]);
        if (member == NULL) continue;
        int64_t value = td_ops__int(member);
        if (value >= 1 || (value == -1 && allows_removal)) continue;
        if (index.len == 0) return TD_RAISE(&request->error, TD_MSG_ON_DEMAND_MAX_RANGE, on_demand_members[i]);
        return TD_RAISE(&request->error, TD_MSG_INDEX_ON_DEMAND_MAX_RANGE, on_demand_members[i], index);
    }
    return TD_OK;
}

td_status td_ops__read_stream(td_request *request, bool is_created, td_stream_view *ret_view)
{
    static const td_slice words[] = {TD_LIT_INIT(""), TD_LIT_INIT("KEYS_ONLY"), TD_LIT_INIT("NEW_IMAGE"),
                                     TD_LIT_INIT("OLD_IMAGE"), TD_LIT_INIT("NEW_AND_OLD_IMAGES")};
    const td_json *json = td_ops__get(request, TD_MEMBER_StreamSpecification);
    *ret_view = TD_STREAM_NONE;
    if (json == NULL) return TD_OK;
    bool is_enabled = td_ops__is_true(td_json_find(json, TD_LIT("StreamEnabled")));
    const td_json *view = td_json_find(json, TD_LIT("StreamViewType"));
    if (is_enabled && view == NULL) {
        return TD_RAISE(&request->error,
                        is_created ? TD_MSG_CREATE_STREAM_WITHOUT_VIEW : TD_MSG_UPDATE_STREAM_WITHOUT_VIEW);
    }
    if (!is_enabled && view != NULL) {
        return TD_RAISE(&request->error,
                        is_created ? TD_MSG_CREATE_NO_STREAM_WITH_VIEW : TD_MSG_UPDATE_NO_STREAM_WITH_VIEW);
    }
    if (is_enabled) *ret_view = (td_stream_view)td_ops__choice(view, words, TD_COUNT_OF(words));
    return TD_OK;
}

td_status td_ops__read_encryption(td_request *request, td_encryption *ret_encryption)
{
    const td_json *json = td_ops__get(request, TD_MEMBER_SSESpecification);
    *ret_encryption = (td_encryption){0};
    if (json == NULL) return TD_OK;
    bool is_enabled = td_ops__is_true(td_json_find(json, TD_LIT("Enabled")));
    const td_json *type = td_json_find(json, TD_LIT("SSEType"));
    const td_json *key = td_json_find(json, TD_LIT("KMSMasterKeyId"));
    if (!is_enabled && (type != NULL || key != NULL)) {
        return TD_RAISE(&request->error, TD_MSG_ENCRYPTION_OFF_WITH_MEMBER,
                        type != NULL ? TD_LIT("SSEType") : TD_LIT("KMSMasterKeyId"));
    }
    if (key != NULL && type == NULL) return TD_RAISE(&request->error, TD_MSG_ENCRYPTION_TYPE_MISSING);
    if (td_slice_equal(td_ops__text(type), TD_LIT("AES256"))) {
        return TD_RAISE(&request->error, TD_MSG_ENCRYPTION_TYPE_UNSUPPORTED);
    }
    *ret_encryption = (td_encryption){true, is_enabled, td_ops__text(key)};
    return TD_OK;
}
