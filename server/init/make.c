/* SPDX-License-Identifier: Apache-2.0
 * make.c: makes the tables, by the requests that the service knows.
 * A table that is there already is compared with what is wanted by what DescribeTable says of both: the wanted one is
 * made in a store of its own for that. */
#include <string.h>

#include "init_private.h"

#define TARGET "DynamoDB_20120810."

static bool make_table(td_init *init, const td_init_table *table);
static bool make_changes(td_init *init, const td_init_table *table);
static bool check_same(td_init *init, const td_init_table *table);
static bool open_trial(td_init *init);
static bool is_same(const td_json *a, const td_json *b, td_slice *ret_difference);
static bool is_of_the_moment(td_slice name);

bool td_init__make_tables(td_init *init)
{
    for (const td_init_table *table = init->tables; table != NULL; table = table->next)
        if (!make_table(init, table)) return false;
    return true;
}

static bool make_table(td_init *init, const td_init_table *table)
{
    const td_init_request *create = &table->create;
    td_arena_reset(&init->scratch);
    if (td_init__ask(init, &init->service, create->operation, create->body) == 200) {
        init->table_count++;
        return make_changes(init, table);
    }
    bool is_there = td_slice_equal(td_init__exception(init), TD_LIT("ResourceInUseException"));
    return is_there ? check_same(init, table) : td_init__refuse_answer(init, create);
}

static bool make_changes(td_init *init, const td_init_table *table)
{
    for (const td_init_request *change = table->changes; change != NULL; change = change->next) {
        td_arena_reset(&init->scratch);
        if (td_init__ask(init, &init->service, change->operation, change->body) != 200) {
            return td_init__refuse_answer(init, change);
        }
    }
    return true;
}

int td_init__ask(td_init *init, td_service *service, td_slice operation, td_slice body)
{
    char target[sizeof(TARGET) + 64];
    TD_ASSERT(operation.len < 64);
    memcpy(target, TARGET, sizeof(TARGET) - 1);
    memcpy(target + sizeof(TARGET) - 1, operation.ptr, operation.len);
    td_envelope envelope = {
        .target = td_slice_of(target, sizeof(TARGET) - 1 + operation.len),
        .authorization = TD_LIT("AWS4-HMAC-SHA256 Credential=thermodyn/20260101/us-east-1/dynamodb/aws4_request, "
                                "SignedHeaders=host, Signature=0"),
        .date = TD_LIT("20260101T000000Z"),
        .content_type = TD_LIT("application/x-amz-json-1.0"),
    };
    return td_dispatch(service, &envelope, body, &init->scratch, &init->reply);
}

bool td_init__ask_for(td_init *init, td_service *service, td_slice operation, const td_json **ret_answer)
{
    td_slice answer;
    td_json *root = NULL;
    td_error error = {.arena = &init->scratch};
    bool is_answered = !td_buf_has_failed(&init->body) &&
                       td_init__ask(init, service, operation, td_buf_contents(&init->body)) == 200 &&
                       td_arena_copy(&init->scratch, td_buf_contents(&init->reply), &answer) &&
                       td_json_parse(answer, &init->scratch, &root, &error) == TD_OK;
    *ret_answer = root;
    return is_answered;
}

bool td_init__ask_about(td_init *init, td_service *service, td_slice operation, const td_init_ask_member *members,
                        size_t count, const td_json **ret_answer)
{
    td_buf *body = &init->body;
    td_buf_clear(body);
    for (size_t i = 0; i < count; i++) {
        if (members[i].text.len == 0) continue;
        td_buf_append_byte(body, body->len == 0 ? '{' : ',');
        td_json_write_string(body, members[i].name);
        td_buf_append_byte(body, ':');
        td_json_write_string(body, members[i].text);
    }
    td_buf_append_byte(body, '}');
    return td_init__ask_for(init, service, operation, ret_answer);
}

const td_json *td_init__find(const td_json *object, td_slice name)
{
    return object == NULL || object->type != TD_JSON_OBJECT ? NULL : td_json_find(object, name);
}

/* The error document in `reply`; NULL: it cannot be read. */
static const td_json *read_error(td_init *init)
{
    td_json *answer = NULL;
    td_error error = {.arena = &init->scratch};
    bool is_read = td_json_parse(td_buf_contents(&init->reply), &init->scratch, &answer, &error) == TD_OK;
    return is_read ? answer : NULL;
}

/* "…#ResourceInUseException" without what stands before it. */
td_slice td_init__exception(td_init *init)
{
    const td_json *type = td_init__find(read_error(init), TD_LIT("__type"));
    if (type == NULL || type->text.len == 0) return TD_LIT("an answer that cannot be read");
    const uint8_t *mark = memrchr(type->text.ptr, '#', type->text.len);
    if (mark == NULL) return type->text;
    return td_slice_of(mark + 1, (size_t)(type->text.ptr + type->text.len - mark) - 1);
}

bool td_init__refuse_answer(td_init *init, const td_init_request *request)
{
    const td_json *answer = read_error(init);
    const td_json *message = td_init__find(answer, TD_LIT("message"));
    if (message == NULL) message = td_init__find(answer, TD_LIT("Message"));
    td_slice exception = td_init__exception(init);
    td_slice text = message == NULL ? TD_LIT("") : message->text;
    return td_init__refuse(init, request->path, request->line, "%.*s %.*s: %.*s: %.*s", (int)request->operation.len,
                           (const char *)request->operation.ptr, (int)request->table.len,
                           (const char *)request->table.ptr, (int)exception.len, (const char *)exception.ptr,
                           (int)text.len, (const char *)text.ptr);
}

bool td_init__refuse_asked(td_init *init, td_slice operation, td_slice table)
{
    td_init_request request = {.path = init->service.config->data_dir, .operation = operation, .table = table};
    return td_init__refuse_answer(init, &request);
}

/* ---- a table that is there --------------------------------------------------------------------------------------- */

static bool check_same(td_init *init, const td_init_table *table)
{
    const td_init_request *create = &table->create;
    const td_json *there = NULL;
    const td_json *wanted = NULL;
    if (!open_trial(init)) return td_init__refuse_memory(init);
    td_store_drop_all(init->trial.store); /* quotas would count what was tried before */
    if (td_init__ask(init, &init->trial, create->operation, create->body) != 200) {
        return td_init__refuse_answer(init, create);
    }
    if (!td_init__describe(init, &init->service, create->table, &there) ||
        !td_init__describe(init, &init->trial, create->table, &wanted)) {
        return td_init__refuse_memory(init);
    }
    td_slice difference = TD_LIT("");
    if (is_same(there, wanted, &difference)) return true;
    return td_init__refuse(
        init, create->path, create->line, "the table %.*s is there already, and defined otherwise: see its %.*s",
        (int)create->table.len, (const char *)create->table.ptr, (int)difference.len, (const char *)difference.ptr);
}

static bool open_trial(td_init *init)
{
    if (init->trial.store != NULL) return true;
    td_store_options options = {.seed = td_store_get_seed(init->service.store)};
    td_slice none = td_slice_of(NULL, 0);
    if (!td_store_get_capacity(init->service.store, none, none, &options.capacity)) return false;
    init->trial = init->service;
    init->trial.store = td_store_new(&options);
    return init->trial.store != NULL;
}

bool td_init__describe(td_init *init, td_service *service, td_slice table, const td_json **ret_table)
{
    const td_json *root = NULL;
    td_init_ask_member member = {TD_LIT("TableName"), table};
    if (!td_init__ask_about(init, service, TD_LIT("DescribeTable"), &member, 1, &root)) return false;
    *ret_table = td_json_find(root, TD_LIT("Table"));
    return *ret_table != NULL;
}

static bool is_same_object(const td_json *a, const td_json *b, td_slice *ret_difference)
{
    for (uint32_t i = 0; i < a->count; i++) {
        td_slice name = a->children[i].name;
        if (is_of_the_moment(name)) continue;
        const td_json *other = td_json_find(b, name);
        *ret_difference = name;
        if (other == NULL || !is_same(&a->children[i], other, ret_difference)) return false;
    }
    for (uint32_t i = 0; i < b->count; i++) {
        td_slice name = b->children[i].name;
        *ret_difference = name;
        if (!is_of_the_moment(name) && td_json_find(a, name) == NULL) return false;
    }
    return true;
}

/* The description of both is written by the same code: lists have one order. */
static bool is_same(const td_json *a, const td_json *b, td_slice *ret_difference)
{
    if (a->type != b->type) return false;
    switch (a->type) {
    case TD_JSON_OBJECT: return is_same_object(a, b, ret_difference);
    case TD_JSON_ARRAY:
        for (uint32_t i = 0; i < a->count && a->count == b->count; i++) {
            td_slice inside = *ret_difference;
            if (!is_same(&a->children[i], &b->children[i], &inside)) return false;
        }
        return a->count == b->count;
    case TD_JSON_NUMBER:
    case TD_JSON_STRING: return td_slice_equal(a->text, b->text);
    case TD_JSON_NULL:
    case TD_JSON_FALSE:
    case TD_JSON_TRUE: return true;
    }
    TD_UNREACHABLE("a type of JSON");
}

/* Members of a description that tell what has become of a table, not how it is defined. */
static bool is_of_the_moment(td_slice name)
{
    static const td_slice names[] = {
        TD_LIT_INIT("TableId"),
        TD_LIT_INIT("TableStatus"),
        TD_LIT_INIT("CreationDateTime"),
        TD_LIT_INIT("ItemCount"),
        TD_LIT_INIT("TableSizeBytes"),
        TD_LIT_INIT("IndexStatus"),
        TD_LIT_INIT("IndexSizeBytes"),
        TD_LIT_INIT("LatestStreamArn"),
        TD_LIT_INIT("LatestStreamLabel"),
        TD_LIT_INIT("LastUpdateToPayPerRequestDateTime"),
        TD_LIT_INIT("WarmThroughput"),
        TD_LIT_INIT("LastUpdateDateTime"),
        TD_LIT_INIT("Backfilling"),
        TD_LIT_INIT("NumberOfDecreasesToday"),
        TD_LIT_INIT("LastIncreaseDateTime"),
        TD_LIT_INIT("LastDecreaseDateTime"),
    };
    for (size_t i = 0; i < TD_COUNT_OF(names); i++)
        if (td_slice_equal(names[i], name)) return true;
    return false;
}
