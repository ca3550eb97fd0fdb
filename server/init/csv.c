/* SPDX-License-Identifier: Apache-2.0
 * csv.c: files of items in CSV (RFC 4180), by the rules of the service's imports: the first record names the
 * attributes; key attributes of the table and of its indexes have their types, all others are texts. An empty field is
 * no attribute. Source: AWS developer guide, "DynamoDB import format quotas and validation", "CSV". */
#include <string.h>

#include "thermodyn/text.h"

#include "source.h"

typedef struct column {
    td_slice name;
    td_slice type; /* "S", "N", "B" */
} column;

typedef struct sheet {
    td_init_source source;
    const td_init_items *items;
    td_arena arena; /* of the columns */
    column *columns;
    uint32_t column_count;
} sheet;

static bool load(sheet *it);
static bool next_record(sheet *it, size_t *ret_len);
static size_t record_len(td_slice rest, bool *ret_is_quoted);
static bool read_columns(sheet *it, const td_slice *fields, uint32_t count);
static bool put_record(sheet *it, const td_slice *fields, uint32_t count);
static bool split(sheet *it, td_slice record, td_slice **ret_fields, uint32_t *ret_count);
static bool refuse_here(sheet *it, const char *sentence);

bool td_init__load_csv(td_init *init, const td_init_items *items)
{
    sheet it = {.items = items};
    td_arena_init(&it.arena, TD_INIT_VALUE_BYTES_MAX);
    bool is_loaded = td_init__source_open(&it.source, init, items->path) && load(&it);
    td_init__source_close(&it.source);
    td_arena_done(&it.arena);
    return is_loaded;
}

static bool load(sheet *it)
{
    td_init *init = it->source.init;
    size_t len = 0;
    while (next_record(it, &len)) {
        td_slice *fields = NULL;
        uint32_t count = 0;
        td_arena_reset(&init->scratch);
        if (!split(it, td_slice_of(it->source.bytes + it->source.at, len), &fields, &count)) return false;
        bool is_blank = count == 1 && fields[0].len == 0;
        bool is_header = it->columns == NULL;
        bool is_good = is_header ? read_columns(it, fields, count) : is_blank || put_record(it, fields, count);
        if (!is_good) return false;
        td_init__source_pass(&it->source, len);
    }
    return !it->source.has_failed;
}

/* The length of the next record with the end of its line; false: there is none, or the source has failed. */
static bool next_record(sheet *it, size_t *ret_len)
{
    bool is_quoted = false;
    *ret_len = record_len(td_init__source_rest(&it->source), &is_quoted);
    while (*ret_len == 0 && td_init__source_read_more(&it->source))
        *ret_len = record_len(td_init__source_rest(&it->source), &is_quoted);
    if (it->source.has_failed) return false;
    size_t rest_len = td_init__source_rest(&it->source).len;
    if (*ret_len == 0 && rest_len > 0 && is_quoted) {
        it->source.has_failed = true;
        return refuse_here(it, "the record that begins here has a quoted field without an end");
    }
    if (*ret_len == 0) *ret_len = rest_len; /* the last line may have no end */
    return *ret_len > 0;
}

/* 0: it goes on behind the rest. A doubled quote ends a text and begins it again, which is the same here. */
static size_t record_len(td_slice rest, bool *ret_is_quoted)
{
    *ret_is_quoted = false;
    for (size_t i = 0; i < rest.len; i++) {
        if (rest.ptr[i] == '"') *ret_is_quoted = !*ret_is_quoted;
        if (rest.ptr[i] == '\n' && !*ret_is_quoted) return i + 1;
    }
    return 0;
}

/* ---- fields ---- */

/* The text of a quoted field, its doubled quotes made single; *at moves past its last quote. */
static bool unquote(td_arena *arena, td_slice record, size_t *at, td_slice *ret_field)
{
    uint8_t *text = td_arena_alloc(arena, record.len - *at);
    if (text == NULL) return false;
    size_t len = 0;
    size_t next = *at + 1;
    while (next < record.len) {
        bool is_quote = record.ptr[next] == '"';
        bool is_doubled = is_quote && next + 1 < record.len && record.ptr[next + 1] == '"';
        if (is_quote && !is_doubled) break;
        text[len++] = record.ptr[next];
        next += is_doubled ? 2 : 1;
    }
    *at = next + 1;
    *ret_field = td_slice_of(text, len);
    return true;
}

static bool split(sheet *it, td_slice record, td_slice **ret_fields, uint32_t *ret_count)
{
    td_arena *arena = &it->source.init->scratch;
    if (record.len > 0 && record.ptr[record.len - 1] == '\n') record.len--;
    if (record.len > 0 && record.ptr[record.len - 1] == '\r') record.len--;
    size_t room = 1;
    for (size_t i = 0; i < record.len; i++)
        if (record.ptr[i] == ',') room++;
    td_slice *fields = td_arena_alloc_array(arena, room, sizeof(*fields));
    if (fields == NULL) return td_init__refuse_memory(it->source.init);
    uint32_t count = 0;
    for (size_t at = 0; at <= record.len; at++) { /* past the comma */
        td_slice *field = &fields[count++];
        if (at < record.len && record.ptr[at] == '"') {
            if (!unquote(arena, record, &at, field)) return td_init__refuse_memory(it->source.init);
            bool is_ended = at >= record.len || record.ptr[at] == ',';
            if (!is_ended) return refuse_here(it, "something stands behind a quoted field");
            continue;
        }
        const uint8_t *comma = at == record.len ? NULL : memchr(record.ptr + at, ',', record.len - at);
        size_t end = comma == NULL ? record.len : (size_t)(comma - record.ptr);
        *field = td_slice_of(record.ptr + at, end - at);
        if (field->len > 0 && memchr(field->ptr, '"', field->len) != NULL) {
            return refuse_here(it, "a quote stands in a field that does not begin with one");
        }
        at = end;
    }
    *ret_fields = fields;
    *ret_count = count;
    return true;
}

static bool refuse_here(sheet *it, const char *sentence)
{
    return td_init__refuse(it->source.init, it->source.path, it->source.line, "%s", sentence);
}

/* ---- items ---- */

/* The types of key attributes, from the table's description. */
static td_slice type_of(const td_json *definitions, td_slice name)
{
    for (uint32_t i = 0; definitions != NULL && i < definitions->count; i++) {
        const td_json *definition = &definitions->children[i];
        const td_json *attribute = td_json_find(definition, TD_LIT("AttributeName"));
        if (td_slice_equal(attribute->text, name)) return td_json_find(definition, TD_LIT("AttributeType"))->text;
    }
    return TD_LIT("S");
}

static bool read_columns(sheet *it, const td_slice *fields, uint32_t count)
{
    td_init *init = it->source.init;
    const td_json *table = NULL;
    if (!td_init__describe(init, &init->service, it->items->table, &table)) {
        td_init_request request = {
            .path = it->items->path, .line = 1, .operation = TD_LIT("DescribeTable"), .table = it->items->table};
        return td_init__refuse_answer(init, &request);
    }
    const td_json *definitions = td_json_find(table, TD_LIT("AttributeDefinitions"));
    it->columns = td_arena_alloc_array(&it->arena, count, sizeof(*it->columns));
    if (it->columns == NULL) return td_init__refuse_memory(init);
    it->column_count = count;
    for (uint32_t i = 0; i < count; i++) {
        td_slice name = fields[i];
        bool has_mark =
            i == 0 && td_slice_has_prefix(name, TD_LIT("\xef\xbb\xbf")); /* a mark of UTF-8, as sheets write */
        if (has_mark) name = td_slice_of(name.ptr + 3, name.len - 3);
        if (name.len == 0 || !td_utf8_is_valid(name)) return refuse_here(it, "a column has no name");
        if (!td_arena_copy(&it->arena, name, &it->columns[i].name) ||
            !td_arena_copy(&it->arena, type_of(definitions, name), &it->columns[i].type)) {
            return td_init__refuse_memory(init);
        }
    }
    return true;
}

static bool put_record(sheet *it, const td_slice *fields, uint32_t count)
{
    td_buf *body = &it->source.init->body;
    if (count > it->column_count) return refuse_here(it, "the record has more fields than there are columns");
    td_buf_clear(body);
    td_buf_append_lit(body, "{\"TableName\":");
    td_json_write_string(body, it->items->table);
    td_buf_append_lit(body, ",\"Item\":{");
    bool has_members = false;
    for (uint32_t i = 0; i < count; i++) {
        if (fields[i].len == 0) continue;
        if (!td_utf8_is_valid(fields[i])) return refuse_here(it, "a field is not UTF-8");
        if (has_members) td_buf_append_byte(body, ',');
        has_members = true;
        td_json_write_string(body, it->columns[i].name);
        td_buf_append_lit(body, ":{\"");
        td_buf_append(body, it->columns[i].type);
        td_buf_append_lit(body, "\":");
        td_json_write_string(body, fields[i]);
        td_buf_append_byte(body, '}');
    }
    td_buf_append_lit(body, "}}");
    return td_init__put(it->source.init, it->items, it->source.line);
}
