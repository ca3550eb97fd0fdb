/* SPDX-License-Identifier: Apache-2.0
 * statement_select.c: ExecuteStatement of a SELECT: one page of its reads.
 *
 * Model: the ranges of the plan are read turn by turn: a whole key of the table as a GetItem, any other range as a
 *        Query, no range as a Scan; each is metered as that call is. The page ends after Limit items evaluated or at
 *        1 MB, told by its units; and before a range that is throttled, unless nothing has been read yet.
 * Not here: which reads (statement_plan.c), the token (statement_token.c). */
#include "meter.h"
#include "statement.h"

typedef struct select_page {
    td_request *request;
    const td_statement *statement;
    td_ops_plan plan;
    td_ops_position position; /* of the next read */
    uint32_t turn_count;
    uint32_t limit; /* 0: none */
    uint32_t evaluated;
    td_units units_max;
    td_consumed consumed;
    bool is_stopped; /* there may be more */
    uint32_t returned;
    const td_item *last; /* of a page that stopped within a range: its last item */
    const td_slice *key_names;
    uint32_t key_name_count;
} select_page;

static td_status check_position(select_page *it);
static td_status read_turns(select_page *it);
static td_status read_turn(select_page *it, td_error *error);
static td_status answer_place(select_page *it, td_ops_object *answer);

td_status td_ops__answer_select(td_request *request, const td_statement *statement)
{
    select_page it = {.request = request, .statement = statement};
    TD_TRY(td_ops__read_token(request, &it.position));
    bool is_consistent = td_ops__is_true(td_ops__get(request, TD_MEMBER_ConsistentRead));
    TD_TRY(td_ops__plan_select(request, statement, is_consistent, &it.plan, &request->error));
    it.turn_count = it.plan.found.is_keyed ? it.plan.found.count : 1;
    it.limit = (uint32_t)td_ops__int(td_ops__get(request, TD_MEMBER_Limit));
    it.units_max = td_units_of_read(TD_LIMIT_PAGE_BYTES_MAX, is_consistent);
    TD_TRY(check_position(&it));

    td_ops_object answer = td_ops__open(request->reply);
    td_ops__name(&answer, TD_LIT("Items"));
    td_buf_append_byte(answer.buf, '[');
    TD_TRY(read_turns(&it));
    td_ops__note_returned(request, it.returned);
    td_buf_append_byte(answer.buf, ']');
    TD_TRY(answer_place(&it, &answer));
    td_ops_capacity wanted = td_ops__capacity(request);
    if (wanted != TD_CAPACITY_NONE) {
        td_ops__name(&answer, TD_LIT("ConsumedCapacity"));
        td_ops__write_capacity(answer.buf, wanted, statement->table, &it.consumed, TD_SPLIT_NONE);
    }
    td_ops__close(&answer);
    return TD_OK;
}

static const td_key_range *range_of(const select_page *it)
{
    return it->plan.found.is_keyed ? &it->plan.found.ranges[it->plan.turns[it->position.turn]] : NULL;
}

static bool is_lookup(const select_page *it)
{
    return it->plan.found.is_whole && it->plan.keys.index == NULL;
}

static td_page_request page_request(const select_page *it)
{
    return (td_page_request){.index = it->statement->index,
                             .range = range_of(it),
                             .is_backward = it->plan.walk.is_descending,
                             .is_consistent = it->plan.is_consistent,
                             .needs_whole_items = it->plan.needs_whole_items,
                             .filter = it->statement->where,
                             .limit = it->limit == 0 ? 0 : it->limit - it->evaluated,
                             .start_key = it->position.start_key,
                             .start_key_count = it->position.start_key_count};
}

/* The token was made for this statement; the table may be another one by now. */
static td_status check_position(select_page *it)
{
    td_error *error = &it->request->error;
    if (it->position.turn == 0 && it->position.start_key == NULL) return TD_OK;
    bool fits = it->position.turn < it->turn_count && (it->position.start_key == NULL || !is_lookup(it));
    if (!fits) return TD_RAISE(error, TD_MSG_NEXT_TOKEN_INVALID);
    if (it->position.start_key == NULL) return TD_OK;
    td_page_request page = page_request(it);
    td_status status = td_start_key_check_place(&it->request->call, &page, error);
    return status == TD_VALIDATION ? TD_RAISE(error, TD_MSG_NEXT_TOKEN_INVALID) : status;
}

static bool is_full(const select_page *it)
{
    return (it->limit > 0 && it->evaluated >= it->limit) || td_consumed_total(&it->consumed) >= it->units_max;
}

static td_status read_turns(select_page *it)
{
    while (it->position.turn < it->turn_count) {
        it->is_stopped = is_full(it);
        if (it->is_stopped) return TD_OK;
        td_error error = td_ops__new_error(it->request);
        td_status status = read_turn(it, &error);
        it->is_stopped = it->last != NULL || (td_ops__is_throttle(status) && td_consumed_total(&it->consumed) > 0);
        if (it->is_stopped) return TD_OK;
        if (status != TD_OK) {
            it->request->error = error;
            return status;
        }
        it->position = (td_ops_position){.turn = it->position.turn + 1};
    }
    return TD_OK;
}

static td_status write_item(select_page *it, const td_item *item)
{
    if (it->returned > 0) td_buf_append_byte(it->request->reply, ',');
    it->returned++;
    return td_ops__write_projected(it->request, item, it->statement->projection);
}

static td_status get_item(select_page *it, td_error *error)
{
    td_request *request = it->request;
    td_get get = {.is_consistent = it->plan.is_consistent};
    TD_TRY(td_ops__key_of_range(request, &it->plan, range_of(it), &get.key, &get.key_count, error));
    td_get_result result;
    TD_TRY(td_get_item(&request->call, &get, &result, error));
    td_ops__add_consumed(&it->consumed, &result.consumed);
    if (result.item == NULL) return TD_OK;
    it->evaluated++;
    const td_condition *where = it->statement->where;
    bool holds = where == NULL || td_condition_holds(where, result.item);
    return holds ? write_item(it, result.item) : TD_OK;
}

static td_status read_turn(select_page *it, td_error *error)
{
    if (is_lookup(it)) return get_item(it, error);
    td_page_request request = page_request(it);
    td_page page;
    TD_TRY(td_read_page(&it->request->call, &request, &page, error));
    td_ops__add_consumed(&it->consumed, &page.consumed);
    it->evaluated += page.scanned_count;
    it->last = page.last;
    it->key_names = page.key_names;
    it->key_name_count = page.key_name_count;
    for (uint32_t i = 0; i < page.count; i++)
        TD_TRY(write_item(it, page.items[i]));
    return TD_OK;
}

/* NextToken, and the key that it stands for where there is one. */
static td_status answer_place(select_page *it, td_ops_object *answer)
{
    if (!it->is_stopped) return TD_OK;
    td_slice token;
    TD_TRY(td_ops__format_token(it->request, it->position.turn, it->last, it->key_names, it->key_name_count, &token));
    td_ops__member_string(answer, TD_LIT("NextToken"), token);
    if (it->last == NULL) return TD_OK;
    td_ops__name(answer, TD_LIT("LastEvaluatedKey"));
    td_json_write_item_keys(answer->buf, it->last, it->key_names, it->key_name_count);
    return TD_OK;
}
