/* SPDX-License-Identifier: Apache-2.0
 * insights.c: UpdateContributorInsights, DescribeContributorInsights, ListContributorInsights.
 *
 * Model: throttling.md §4.2. What was never enabled is DISABLED, without a mode and rules (captured); pages of the list
 *        go on behind the last resource that was told.
 * Not here: what the rules count (the engine); their reports (server/cloudwatch). */
#include "thermodyn/insights.h"

#include "thermodyn/text.h"

#include "ops.h"

#define PAGE_SIZE 100 /* default, and the most */

static const td_slice mode_names[] = {
    [TD_INSIGHTS_ACCESSED_AND_THROTTLED] = TD_LIT_INIT("ACCESSED_AND_THROTTLED_KEYS"),
    [TD_INSIGHTS_THROTTLED] = TD_LIT_INIT("THROTTLED_KEYS"),
};
static const td_slice status_names[] = {
    [TD_INSIGHTS_DISABLED] = TD_LIT_INIT("DISABLED"),
    [TD_INSIGHTS_ENABLING] = TD_LIT_INIT("ENABLING"),
    [TD_INSIGHTS_ENABLED] = TD_LIT_INIT("ENABLED"),
    [TD_INSIGHTS_DISABLING] = TD_LIT_INIT("DISABLING"),
};

static void write_resource(td_ops_object *object, const td_insights_info *info);
static void write_rules(td_ops_object *answer, const td_insights_info *info);
static td_status read_token(td_request *request, const td_insights_info *infos, uint32_t count, uint32_t *ret_first);
static td_status write_token(td_request *request, td_ops_object *answer, const td_insights_info *last);
static td_status check_table(td_request *request);

td_status td_ops__update_contributor_insights(td_request *request)
{
    static const td_slice actions[] = {TD_LIT_INIT("ENABLE"), TD_LIT_INIT("DISABLE")};
    int action = td_ops__choice(td_ops__get(request, TD_MEMBER_ContributorInsightsAction), actions, 2);
    int mode = td_ops__choice(td_ops__get(request, TD_MEMBER_ContributorInsightsMode), mode_names, 2);
    td_slice index = td_ops__text(td_ops__get(request, TD_MEMBER_IndexName));
    td_insights_info info;
    TD_TRY(check_table(request));
    TD_TRY(td_insights_update(&request->call, index, action == 0, (td_insights_mode)mode, &info, &request->error));
    td_ops_object answer = td_ops__open(request->reply);
    write_resource(&answer, &info);
    td_ops__close(&answer);
    return TD_OK;
}

td_status td_ops__describe_contributor_insights(td_request *request)
{
    td_slice index = td_ops__text(td_ops__get(request, TD_MEMBER_IndexName));
    td_insights_info info;
    TD_TRY(check_table(request));
    TD_TRY(td_insights_describe(&request->call, index, &info, &request->error));
    td_ops_object answer = td_ops__open(request->reply);
    write_resource(&answer, &info);
    if (info.rules != 0) write_rules(&answer, &info);
    if (info.was_ever) td_ops__member_time(&answer, TD_LIT("LastUpdateDateTime"), info.changed_us);
    td_ops__close(&answer);
    return TD_OK;
}

td_status td_ops__list_contributor_insights(td_request *request)
{
    const td_json *most = td_ops__get(request, TD_MEMBER_MaxResults);
    int64_t page = most == NULL || td_ops__int(most) <= 0 ? PAGE_SIZE : td_ops__int(most);
    if (td_ops__has(request, TD_MEMBER_TableName)) TD_TRY(check_table(request));
    td_insights_info *infos = NULL;
    uint32_t count = 0;
    uint32_t first = 0;
    if (!td_insights_list(&request->call, &infos, &count)) return TD_RAISE(&request->error, TD_MSG_OUT_OF_MEMORY);
    TD_TRY(read_token(request, infos, count, &first));
    uint32_t end = (int64_t)(count - first) > page ? first + (uint32_t)page : count;

    td_ops_object answer = td_ops__open(request->reply);
    td_ops__name(&answer, TD_LIT("ContributorInsightsSummaries"));
    td_buf_append_byte(answer.buf, '[');
    for (uint32_t i = first; i < end; i++) {
        if (i > first) td_buf_append_byte(answer.buf, ',');
        td_ops_object summary = td_ops__open(request->reply);
        write_resource(&summary, &infos[i]);
        td_ops__close(&summary);
    }
    td_buf_append_byte(answer.buf, ']');
    if (end < count) TD_TRY(write_token(request, &answer, &infos[end - 1]));
    td_ops__close(&answer);
    return TD_OK;
}

/* What all three answer of a table or an index. */
static void write_resource(td_ops_object *object, const td_insights_info *info)
{
    td_ops__member_string(object, TD_LIT("TableName"), info->table);
    if (info->index.len > 0) td_ops__member_string(object, TD_LIT("IndexName"), info->index);
    td_ops__member_string(object, TD_LIT("ContributorInsightsStatus"), status_names[info->status]);
    if (info->was_ever) td_ops__member_string(object, TD_LIT("ContributorInsightsMode"), mode_names[info->mode]);
}

static void write_rules(td_ops_object *answer, const td_insights_info *info)
{
    bool is_first = true;
    td_ops__name(answer, TD_LIT("ContributorInsightsRuleList"));
    td_buf_append_byte(answer->buf, '[');
    for (int rule = 0; rule < TD_INSIGHT_RULE_COUNT; rule++) {
        if ((info->rules >> rule & 1) == 0) continue;
        if (!is_first) td_buf_append_byte(answer->buf, ',');
        is_first = false;
        td_buf_append_byte(answer->buf, '"');
        td_insights_rule_name(info, (td_insight_rule)rule, answer->buf);
        td_buf_append_byte(answer->buf, '"');
    }
    td_buf_append_byte(answer->buf, ']');
}

/* base64 of the table's name, a NUL and the index's: the last that was told. It may be gone by now. */
static td_status read_token(td_request *request, const td_insights_info *infos, uint32_t count, uint32_t *ret_first)
{
    if (!td_ops__has(request, TD_MEMBER_NextToken)) return TD_OK;
    td_slice text = td_ops__text(td_ops__get(request, TD_MEMBER_NextToken));
    uint8_t *bytes = td_arena_alloc(request->arena, text.len);
    if (bytes == NULL) return TD_RAISE(&request->error, TD_MSG_OUT_OF_MEMORY);
    size_t len = 0;
    const uint8_t *nul = td_base64_decode(text, bytes, &len) && len > 0 ? memchr(bytes, 0, len) : NULL;
    if (nul == NULL) return TD_RAISE(&request->error, TD_MSG_NEXT_TOKEN_INVALID);
    td_slice table = td_slice_of(bytes, (size_t)(nul - bytes));
    td_slice index = td_slice_of(nul + 1, len - table.len - 1);
    uint32_t first = 0;
    while (first < count && td_slice_compare(infos[first].table, table) < 0)
        first++;
    /* Indexes stand in the schema's order: the page goes on behind the one that is named, if it is still there. */
    for (uint32_t i = first; i < count && td_slice_equal(infos[i].table, table); i++) {
        if (td_slice_equal(infos[i].index, index)) {
            first = i + 1;
            break;
        }
    }
    *ret_first = first;
    return TD_OK;
}

static td_status write_token(td_request *request, td_ops_object *answer, const td_insights_info *last)
{
    td_slice bytes;
    uint8_t *text = td_arena_alloc(request->arena, td_base64_encoded_len(last->table.len + 1 + last->index.len));
    bool is_made = text != NULL && td_arena_format(request->arena, &bytes, "%.*s%c%.*s", (int)last->table.len,
                                                   (const char *)last->table.ptr, 0, (int)last->index.len,
                                                   (const char *)last->index.ptr);
    if (!is_made) return TD_RAISE(&request->error, TD_MSG_OUT_OF_MEMORY);
    td_ops__member_string(answer, TD_LIT("NextToken"), td_slice_of(text, td_base64_encode(bytes, text)));
    return TD_OK;
}

/* A table that is not there is told in the words of the control plane. */
static td_status check_table(td_request *request)
{
    td_table_info info;
    return td_table_describe(&request->call, &info, &request->error);
}
