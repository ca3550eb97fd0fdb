/* SPDX-License-Identifier: Apache-2.0
 * items.c: files of items in JSON: values one after the other (each on its line or not), or one list of them; or one
 * answer of Scan or Query. An item is written
 *
 *   in DynamoDB's JSON   when all of its members are objects: {"pk": {"S": "a"}}; also as {"Item": {…}}, as exports do
 *   in plain JSON        otherwise: {"pk": "a"}; a plain item has a key at least, which is no object
 */
#include <string.h>

#include "thermodyn/clock.h"

#include "source.h"

#define PROGRESS_US 1000000

static bool load_values(td_init_source *source, const td_init_items *items);
static bool load_value(td_init_source *source, const td_init_items *items, size_t len, bool is_first);
static bool put_all(td_init *init, const td_init_items *items, uint32_t line, const td_json *list);
static bool put_item(td_init *init, const td_init_items *items, uint32_t line, const td_json *item);
static bool skip_blanks(td_init_source *source);
static size_t value_len(td_slice rest);
static bool has_only_objects(const td_json *object);
static const td_json *find_scanned(const td_json *object);
static void write_plain(td_buf *buf, const td_json *json);
static void tell_progress(td_init *init, const td_init_items *items);

bool td_init__load_items(td_init *init, const td_init_items *items)
{
    td_init_source source;
    bool is_loaded = td_init__source_open(&source, init, items->path) && load_values(&source, items);
    td_init__source_close(&source);
    return is_loaded;
}

static bool refuse_here(td_init_source *source, const char *sentence)
{
    return td_init__refuse(source->init, source->path, source->line, "%s", sentence);
}

static bool load_values(td_init_source *source, const td_init_items *items)
{
    bool is_in_list = false;
    bool is_after_list = false;
    for (bool is_first = true; skip_blanks(source); is_first = false) {
        uint8_t byte = source->bytes[source->at];
        if (is_after_list) return refuse_here(source, "something stands behind the list of items");
        bool opens = is_first && byte == '[';
        if (opens || (is_in_list && byte == ']')) {
            is_in_list = opens;
            is_after_list = !opens;
            td_init__source_pass(source, 1);
            continue;
        }
        if (byte != '{') return refuse_here(source, "an item must be an object: {\"name\": value, …}");
        size_t len = value_len(td_init__source_rest(source));
        while (len == 0 && td_init__source_read_more(source))
            len = value_len(td_init__source_rest(source));
        if (source->has_failed) return false;
        if (len == 0) return refuse_here(source, "the item that begins here has no end");
        if (!load_value(source, items, len, is_first)) return false;
        td_init__source_pass(source, len);
        if (!is_in_list || !skip_blanks(source)) continue;
        byte = source->bytes[source->at];
        if (byte != ',' && byte != ']') return refuse_here(source, "there is no comma between two items of the list");
        if (byte == ',') td_init__source_pass(source, 1);
    }
    if (source->has_failed) return false;
    return !is_in_list || refuse_here(source, "the list of items has no end");
}

/* To the next byte that is none; false: there is none. */
static bool skip_blanks(td_init_source *source)
{
    for (;;) {
        td_slice rest = td_init__source_rest(source);
        size_t len = 0;
        while (len < rest.len && (rest.ptr[len] == ' ' || (rest.ptr[len] >= '\t' && rest.ptr[len] <= '\r')))
            len++;
        td_init__source_pass(source, len);
        if (len < rest.len) return true;
        if (!td_init__source_read_more(source)) return false;
    }
}

/* Of the object or list at the beginning; 0: it goes on behind the rest. What is inside is for the reader to judge. */
static size_t value_len(td_slice rest)
{
    size_t depth = 0;
    bool is_in_text = false;
    for (size_t i = 0; i < rest.len; i++) {
        uint8_t byte = rest.ptr[i];
        if (is_in_text) {
            if (byte == '\\') i++;
            if (byte == '"') is_in_text = false;
        } else if (byte == '"') {
            is_in_text = true;
        } else if (byte == '{' || byte == '[') {
            depth++;
        } else if ((byte == '}' || byte == ']') && --depth == 0) {
            return i + 1;
        }
    }
    return 0;
}

/* The request is handled while the tree points into the source: nothing is read meanwhile. */
static bool load_value(td_init_source *source, const td_init_items *items, size_t len, bool is_first)
{
    td_init *init = source->init;
    td_arena_reset(&init->scratch);
    td_json *root = NULL;
    td_error error = {.arena = &init->scratch};
    td_status status = td_json_parse(td_slice_of(source->bytes + source->at, len), &init->scratch, &root, &error);
    if (status == TD_OUT_OF_MEMORY) return td_init__refuse_memory(init);
    if (status != TD_OK) return refuse_here(source, "the item that begins here is not JSON");
    const td_json *scanned = is_first ? find_scanned(root) : NULL;
    if (scanned != NULL) return put_all(init, items, source->line, scanned);
    return put_item(init, items, source->line, root);
}

static bool put_all(td_init *init, const td_init_items *items, uint32_t line, const td_json *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        td_arena_mark mark = td_arena_get_mark(&init->scratch);
        if (!put_item(init, items, line, &list->children[i])) return false;
        td_arena_rewind(&init->scratch, mark);
    }
    return true;
}

static bool put_item(td_init *init, const td_init_items *items, uint32_t line, const td_json *item)
{
    if (item->type != TD_JSON_OBJECT) return td_init__refuse(init, items->path, line, "an item must be an object");
    const td_json *inner = item->count == 1 ? td_json_find(item, TD_LIT("Item")) : NULL;
    if (inner != NULL && inner->type == TD_JSON_OBJECT && has_only_objects(inner)) item = inner;
    td_buf *body = &init->body;
    td_buf_clear(body);
    td_buf_append_lit(body, "{\"TableName\":");
    td_json_write_string(body, items->table);
    td_buf_append_lit(body, ",\"Item\":");
    if (has_only_objects(item)) {
        td_json_write_tree(body, item);
    } else {
        td_buf_append_byte(body, '{');
        for (uint32_t i = 0; i < item->count; i++) {
            if (i > 0) td_buf_append_byte(body, ',');
            td_json_write_string(body, item->children[i].name);
            td_buf_append_byte(body, ':');
            write_plain(body, &item->children[i]);
        }
        td_buf_append_byte(body, '}');
    }
    td_buf_append_byte(body, '}');
    return td_init__put(init, items, line);
}

bool td_init__put(td_init *init, const td_init_items *items, uint32_t line)
{
    if (td_buf_has_failed(&init->body)) return td_init__refuse_memory(init);
    td_init_request request = {
        .path = items->path, .line = line, .operation = TD_LIT("PutItem"), .table = items->table};
    if (td_init__ask(init, &init->service, request.operation, td_buf_contents(&init->body)) != 200) {
        return td_init__refuse_answer(init, &request);
    }
    init->item_count++;
    tell_progress(init, items);
    return true;
}

static bool has_only_objects(const td_json *object)
{
    for (uint32_t i = 0; i < object->count; i++)
        if (object->children[i].type != TD_JSON_OBJECT) return false;
    return object->count > 0;
}

/* The items of an answer of Scan or Query, which counts them; NULL: it is none. */
static const td_json *find_scanned(const td_json *object)
{
    const td_json *items = td_json_find(object, TD_LIT("Items"));
    const td_json *count = td_json_find(object, TD_LIT("ScannedCount"));
    bool is_answer = items != NULL && items->type == TD_JSON_ARRAY && count != NULL && count->type == TD_JSON_NUMBER;
    return is_answer ? items : NULL;
}

/* Recursion is as deep as the reader allowed. */
static void write_plain(td_buf *buf, const td_json *json)
{
    switch (json->type) {
    case TD_JSON_NULL: td_buf_append_lit(buf, "{\"NULL\":true}"); return;
    case TD_JSON_TRUE: td_buf_append_lit(buf, "{\"BOOL\":true}"); return;
    case TD_JSON_FALSE: td_buf_append_lit(buf, "{\"BOOL\":false}"); return;
    case TD_JSON_NUMBER:
    case TD_JSON_STRING:
        td_buf_append(buf, json->type == TD_JSON_NUMBER ? TD_LIT("{\"N\":") : TD_LIT("{\"S\":"));
        td_json_write_string(buf, json->text);
        td_buf_append_byte(buf, '}');
        return;
    case TD_JSON_ARRAY:
    case TD_JSON_OBJECT: break;
    }
    bool is_object = json->type == TD_JSON_OBJECT;
    td_buf_append(buf, is_object ? TD_LIT("{\"M\":{") : TD_LIT("{\"L\":["));
    for (uint32_t i = 0; i < json->count; i++) {
        if (i > 0) td_buf_append_byte(buf, ',');
        if (is_object) {
            td_json_write_string(buf, json->children[i].name);
            td_buf_append_byte(buf, ':');
        }
        write_plain(buf, &json->children[i]);
    }
    td_buf_append(buf, is_object ? TD_LIT("}}") : TD_LIT("]}"));
}

static void tell_progress(td_init *init, const td_init_items *items)
{
    int64_t now_us = td_monotonic_us();
    if (now_us - init->told_us < PROGRESS_US || init->service.log == NULL) return;
    init->told_us = now_us;
    TD_LOG(init->service.log, TD_LOG_INFO, "loading fixtures", TD_LOG_TEXT("path", td_slice_of_cstr(items->path)),
           TD_LOG_NUMBER("items", init->item_count));
}
