/* SPDX-License-Identifier: Apache-2.0
 * query.c: Query and Scan: two requests for one page.
 * Order (messages.md §2): styles, older filters, the starting key's values, expressions, Select; then the table and
 * index: the starting key's shape, the key condition, the starting key's place, the filter and what the index projects.
 */
#include "thermodyn/read.h"
#include "wire/decode.h"

#include "meter.h"
#include "ops.h"

/* What either request compiles to before the table is known, and how far its page is. */
typedef struct page_plan {
    td_page_request page;
    td_key_condition *key_condition; /* Query alone */
    td_key_range range;              /* likewise */
    td_condition *filter;
    td_projection *projection;
    td_ops_select select;
    bool is_one_item; /* a Query of a table without a sort key: no page follows, so none is announced */
    td_paging *paging;
    td_ops_object answer;
    uint32_t returned;
} page_plan;

static const td_ops_styles query_styles = {
    {TD_MEMBER_ProjectionExpression, TD_MEMBER_FilterExpression, TD_MEMBER_KeyConditionExpression},
    3,
    {TD_MEMBER_AttributesToGet, TD_MEMBER_QueryFilter, TD_MEMBER_ConditionalOperator, TD_MEMBER_KeyConditions},
    4};
static const td_ops_styles scan_styles = {
    {TD_MEMBER_ProjectionExpression, TD_MEMBER_FilterExpression},
    2,
    {TD_MEMBER_AttributesToGet, TD_MEMBER_ScanFilter, TD_MEMBER_ConditionalOperator},
    3};

static td_status read_start_key(td_request *request, td_page_request *page);
static td_status read_expressions(td_request *request, page_plan *plan);
static td_status check_segments(td_request *request, td_page_request *page);
static td_status check_filter_keys(td_request *request, const td_keys *keys, const td_condition *filter);
static td_status check_index(td_request *request, page_plan *plan, bool is_query, td_keys *ret_keys);
static td_status check_start_place(td_request *request, const td_page_request *page);
static td_status begin_page(td_request *request, page_plan *plan);
static td_status answer_slice(td_request *request);
static td_status answer_items(td_request *request, const td_page *page);

td_status td_ops__query(td_request *request)
{
    page_plan *plan = td_arena_alloc_zero(request->arena, sizeof(*plan));
    if (plan == NULL) return TD_RAISE(&request->error, TD_MSG_OUT_OF_MEMORY);
    TD_TRY(td_ops__check_styles(request, &query_styles));
    TD_TRY(td_ops__read_filter(request, TD_MEMBER_QueryFilter, &plan->filter));
    TD_TRY(td_ops__read_attributes_to_get(request, &plan->projection));
    TD_TRY(read_start_key(request, &plan->page));
    if (!td_ops__has(request, TD_MEMBER_KeyConditions) && !td_ops__has(request, TD_MEMBER_KeyConditionExpression)) {
        return TD_RAISE(&request->error, TD_MSG_QUERY_WITHOUT_KEY);
    }
    TD_TRY(read_expressions(request, plan));
    if (plan->key_condition == NULL) TD_TRY(td_ops__read_key_conditions(request, &plan->key_condition));
    TD_TRY(td_key_condition_check(plan->key_condition, &request->error));
    TD_TRY(td_ops__check_conditional_operator(request, TD_MEMBER_QueryFilter));
    TD_TRY(td_ops__check_select(request, &plan->select));

    td_keys keys;
    TD_TRY(check_index(request, plan, true, &keys));
    TD_TRY(td_key_condition_bind(plan->key_condition, keys.index == NULL ? keys.table : keys.index, &plan->range,
                                 &request->error));
    plan->is_one_item = keys.index == NULL && keys.table->range_count == 0;
    if (plan->is_one_item && plan->page.start_key != NULL) {
        return TD_RAISE(&request->error, TD_MSG_START_KEY_OF_ONE_ITEM);
    }
    plan->page.range = &plan->range;
    TD_TRY(check_start_place(request, &plan->page));
    TD_TRY(td_ops__check_projected_keys(request, &keys, plan->projection));
    TD_TRY(check_filter_keys(request, &keys, plan->filter));
    TD_TRY(td_ops__check_projected(request, &keys, plan->select, plan->projection, &plan->page.needs_whole_items));
    TD_TRY(td_ops__check_filtered_keys(request, &keys, plan->filter));
    if (!plan->page.needs_whole_items) TD_TRY(td_ops__check_filter_projected(request, &keys, plan->filter));

    const td_json *forward = td_ops__get(request, TD_MEMBER_ScanIndexForward);
    plan->page.is_backward = forward != NULL && !td_ops__is_true(forward);
    return begin_page(request, plan);
}

td_status td_ops__scan(td_request *request)
{
    page_plan *plan = td_arena_alloc_zero(request->arena, sizeof(*plan));
    if (plan == NULL) return TD_RAISE(&request->error, TD_MSG_OUT_OF_MEMORY);
    TD_TRY(td_ops__check_styles(request, &scan_styles));
    TD_TRY(td_ops__read_attributes_to_get(request, &plan->projection));
    TD_TRY(td_ops__read_filter(request, TD_MEMBER_ScanFilter, &plan->filter));
    TD_TRY(td_ops__check_conditional_operator(request, TD_MEMBER_ScanFilter));
    TD_TRY(read_start_key(request, &plan->page));
    TD_TRY(check_segments(request, &plan->page));
    TD_TRY(read_expressions(request, plan));
    TD_TRY(td_ops__check_select(request, &plan->select));

    td_keys keys;
    TD_TRY(check_index(request, plan, false, &keys));
    TD_TRY(td_ops__check_projected(request, &keys, plan->select, plan->projection, &plan->page.needs_whole_items));
    TD_TRY(check_start_place(request, &plan->page));
    TD_TRY(td_ops__check_projected_keys(request, &keys, plan->projection));
    TD_TRY(td_ops__check_filtered_keys(request, &keys, plan->filter));
    return begin_page(request, plan);
}

/* Texts about the members of a starting key say so in front, but for those of the number and set readers. */
static td_status read_start_key(td_request *request, td_page_request *page)
{
    if (!td_ops__has(request, TD_MEMBER_ExclusiveStartKey)) return TD_OK;
    td_status status =
        td_ops__read_attributes(request, TD_MEMBER_ExclusiveStartKey, &page->start_key, &page->start_key_count);
    if (status != TD_VALIDATION) return status;
    static const td_message prefixed[] = {TD_MSG_VALUE_EMPTY, TD_MSG_VALUE_MANY_TYPES, TD_MSG_NULL_NOT_TRUE,
                                          TD_MSG_SET_EMPTY_SS, TD_MSG_SET_EMPTY_BS};
    td_slice text = request->error.text;
    for (size_t i = 0; i < TD_COUNT_OF(prefixed); i++) {
        if (request->error.message == prefixed[i]) return TD_RAISE(&request->error, TD_MSG_START_KEY_VALUE, text);
    }
    return status;
}

/* Compiled in the service's order: key condition, filter, projection. */
static td_status read_expressions(td_request *request, page_plan *plan)
{
    const td_json *key = td_ops__get(request, TD_MEMBER_KeyConditionExpression);
    td_expr_marks marks;
    TD_TRY(td_ops__read_marks(request, &marks));
    if (key != NULL) {
        TD_TRY(td_key_condition_compile(key->text, &marks, request->arena, &plan->key_condition, &request->error));
    }
    if (td_ops__has(request, TD_MEMBER_FilterExpression)) {
        TD_TRY(td_ops__read_condition(request, TD_MEMBER_FilterExpression, &marks, &plan->filter));
    }
    if (td_ops__has(request, TD_MEMBER_ProjectionExpression)) {
        TD_TRY(td_ops__read_projection(request, &marks, &plan->projection));
    }
    return td_expr_check_unused(&marks, &request->error);
}

static td_status check_segments(td_request *request, td_page_request *page)
{
    const td_json *segment = td_ops__get(request, TD_MEMBER_Segment);
    const td_json *total = td_ops__get(request, TD_MEMBER_TotalSegments);
    if (segment == NULL && total == NULL) return TD_OK;
    if (total == NULL) return TD_RAISE(&request->error, TD_MSG_SEGMENT_WITHOUT_TOTAL);
    if (segment == NULL) return TD_RAISE(&request->error, TD_MSG_TOTAL_WITHOUT_SEGMENT);
    int64_t number = td_ops__int(segment);
    int64_t count = td_ops__int(total);
    if (number >= count) {
        return TD_RAISE(&request->error, TD_MSG_SEGMENT_TOO_LARGE, td_error_int(&request->error, number),
                        td_error_int(&request->error, count));
    }
    page->segment = (uint32_t)number;
    page->total_segments = (uint32_t)count;
    return TD_OK;
}

/* What a Query's key condition is for may not stand in its filter. */
static td_status check_filter_keys(td_request *request, const td_keys *keys, const td_condition *filter)
{
    if (filter == NULL) return TD_OK;
    const td_key_schema *schema = keys->index == NULL ? keys->table : keys->index;
    td_slice parameter =
        td_ops__has(request, TD_MEMBER_FilterExpression) ? TD_LIT("Filter Expression") : TD_LIT("QueryFilter");
    for (uint32_t i = 0; i < td_key_part_count(schema); i++) {
        if (td_condition_uses(filter, schema->parts[i].name)) {
            return TD_RAISE(&request->error, TD_MSG_FILTER_ON_KEY, parameter, schema->parts[i].name);
        }
    }
    return TD_OK;
}

/* The table and the index that is read, whether it can be read as asked, and whether the starting key is one of it. */
static td_status check_index(td_request *request, page_plan *plan, bool is_query, td_keys *ret_keys)
{
    td_page_request *page = &plan->page;
    page->index = td_ops__text(td_ops__get(request, TD_MEMBER_IndexName));
    page->is_consistent = td_ops__is_true(td_ops__get(request, TD_MEMBER_ConsistentRead));
    TD_TRY(td_table_find_keys(&request->call, page->index, ret_keys, &request->error));
    if (page->is_consistent && ret_keys->index != NULL && ret_keys->is_global) {
        return TD_RAISE(&request->error, TD_MSG_GLOBAL_INDEX_IS_EVENTUAL);
    }
    if (page->start_key == NULL) return TD_OK;
    return td_start_key_check(&request->call, page, is_query, &request->error);
}

static td_status check_start_place(td_request *request, const td_page_request *page)
{
    return page->start_key == NULL ? TD_OK : td_start_key_check_place(&request->call, page, &request->error);
}

static td_status begin_page(td_request *request, page_plan *plan)
{
    plan->page.filter = plan->filter;
    plan->page.limit = (uint32_t)td_ops__int(td_ops__get(request, TD_MEMBER_Limit));
    TD_TRY(td_paging_begin(&request->call, &plan->page, &plan->paging, &request->error));
    plan->answer = td_ops__open(request->reply);
    if (plan->select != TD_SELECT_COUNT) {
        td_ops__name(&plan->answer, TD_LIT("Items"));
        td_buf_append_byte(request->reply, '[');
    }
    request->work = plan;
    return answer_slice(request);
}

/* Items are printed slice by slice; the rest of the answer comes with the last one. */
static td_status answer_slice(td_request *request)
{
    page_plan *plan = request->work;
    td_ops_object *answer = &plan->answer;
    td_page page;
    TD_TRY(td_paging_step(plan->paging, &page));
    if (plan->select != TD_SELECT_COUNT) TD_TRY(answer_items(request, &page));
    plan->returned += page.count;
    if (!td_paging_is_whole(plan->paging)) {
        request->rest = answer_slice;
        return TD_OK;
    }
    if (plan->select != TD_SELECT_COUNT) td_buf_append_byte(request->reply, ']');
    td_ops__note_returned(request, plan->returned);
    td_ops__member_int(answer, TD_LIT("Count"), plan->returned);
    td_ops__member_int(answer, TD_LIT("ScannedCount"), page.scanned_count);
    if (page.last != NULL && !plan->is_one_item) {
        td_ops__name(answer, TD_LIT("LastEvaluatedKey"));
        td_json_write_item_keys(answer->buf, page.last, page.key_names, page.key_name_count);
    }
    td_ops__write_consumed(answer, request, &page.consumed);
    td_ops__close(answer);
    return TD_OK;
}

static td_status answer_items(td_request *request, const td_page *page)
{
    const page_plan *plan = request->work;
    for (uint32_t i = 0; i < page->count; i++) {
        if (plan->returned + i > 0) td_buf_append_byte(request->reply, ',');
        TD_TRY(td_ops__write_projected(request, page->items[i], plan->projection));
    }
    return TD_OK;
}
