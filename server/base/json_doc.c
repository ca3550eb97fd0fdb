/* SPDX-License-Identifier: Apache-2.0
 * json_doc.c: see json_doc.h. cJSON ends texts at \u0000, lets bad UTF-8, duplicate names and trailing text pass and
 * rounds large integers: what it would pass over in silence is refused here, and integers are printed by ourselves. */
#include "json_doc.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>

#include "thermodyn/limits.h"
#include "thermodyn/text.h"

#define EXACT_INTEGER_MAX 9007199254740992.0 /* 2^53 */

static bool has_escaped_nul(td_slice text);
static const char *find_fault(const cJSON *item);
static bool repeats_name(const cJSON *item);
static void release_document(void *document) { cJSON_Delete(document); }
static void add(td_json_build *build, td_json_node *parent, const char *name, cJSON *item);

static const cJSON *cjson(const td_json_node *node) { return (const cJSON *)node; }
static td_json_node *node_of(const cJSON *item) { return (td_json_node *)(uintptr_t)item; }

const td_json_node *td_json_doc_parse(td_slice text, td_arena *arena, const char **reterr_sentence)
{
    const char *fault = NULL;
    cJSON *document = NULL;
    if (!td_utf8_is_valid(text)) {
        fault = "the body is not valid UTF-8";
    } else if (has_escaped_nul(text)) {
        fault = "the body holds \\u0000, which no name or value here has";
    } else {
        const char *end = NULL;
        /* It does not tell what is no JSON from what there was no memory for: the latter may do at a second try. */
        for (int tries = 0; tries < 2 && document == NULL && text.len > 0; tries++)
            document = cJSON_ParseWithLengthOpts((const char *)text.ptr, text.len, &end, false);
        const char *last = (const char *)text.ptr + text.len;
        while (document != NULL && end < last && (*end == ' ' || *end == '\t' || *end == '\r' || *end == '\n')) {
            end++;
        }
        if (document == NULL || end != last) fault = "the body is not one JSON document";
    }
    if (fault == NULL) fault = find_fault(document);
    if (fault == NULL && !td_arena_defer(arena, release_document, document)) fault = TD_JSON_NO_MEMORY;
    if (fault == NULL) return node_of(document);
    cJSON_Delete(document);
    *reterr_sentence = fault;
    return NULL;
}

td_json_node_type td_json_node_get_type(const td_json_node *node)
{
    const cJSON *item = cjson(node);
    if (cJSON_IsBool(item)) return TD_JSON_NODE_BOOL;
    if (cJSON_IsNumber(item)) return TD_JSON_NODE_NUMBER;
    if (cJSON_IsString(item)) return TD_JSON_NODE_TEXT;
    if (cJSON_IsArray(item)) return TD_JSON_NODE_ARRAY;
    if (cJSON_IsObject(item)) return TD_JSON_NODE_OBJECT;
    return TD_JSON_NODE_NULL;
}

td_slice td_json_node_name(const td_json_node *node) { return td_slice_of_cstr(cjson(node)->string); }
td_slice td_json_node_text(const td_json_node *node) { return td_slice_of_cstr(cjson(node)->valuestring); }
double td_json_node_number(const td_json_node *node) { return cjson(node)->valuedouble; }
bool td_json_node_is_true(const td_json_node *node) { return cJSON_IsTrue(cjson(node)); }

bool td_json_node_int(const td_json_node *node, int64_t *ret_value)
{
    if (!cJSON_IsNumber(cjson(node))) return false;
    double number = cjson(node)->valuedouble;
    if (!(fabs(number) <= EXACT_INTEGER_MAX) || trunc(number) != number) return false;
    *ret_value = (int64_t)number;
    return true;
}

const td_json_node *td_json_node_first(const td_json_node *parent) { return node_of(cjson(parent)->child); }
const td_json_node *td_json_node_next(const td_json_node *node) { return node_of(cjson(node)->next); }

const td_json_node *td_json_node_find(const td_json_node *object, const char *name)
{
    return node_of(cJSON_GetObjectItemCaseSensitive(cjson(object), name));
}

td_slice td_json_shown(td_slice text)
{
    if (text.len <= 100) return text.len == 0 ? TD_LIT("") : text;
    size_t len = 100;
    while (len > 0 && (text.ptr[len] & 0xc0) == 0x80) {
        len--;
    }
    return td_slice_of(text.ptr, len);
}

void td_json_build_init(td_json_build *build)
{
    build->root = node_of(cJSON_CreateObject());
    build->failed = build->root == NULL;
}

void td_json_build_done(td_json_build *build)
{
    cJSON_Delete((cJSON *)build->root);
    build->root = NULL;
}

void td_json_put_null(td_json_build *build, td_json_node *parent, const char *name)
{
    add(build, parent, name, cJSON_CreateNull());
}

void td_json_put_bool(td_json_build *build, td_json_node *parent, const char *name, bool value)
{
    add(build, parent, name, cJSON_CreateBool(value));
}

void td_json_put_int(td_json_build *build, td_json_node *parent, const char *name, int64_t value)
{
    char text[24];
    snprintf(text, sizeof(text), "%lld", (long long)value);
    add(build, parent, name, cJSON_CreateRaw(text));
}

void td_json_put_number(td_json_build *build, td_json_node *parent, const char *name, double value)
{
    add(build, parent, name, cJSON_CreateNumber(value));
}

void td_json_put_text(td_json_build *build, td_json_node *parent, const char *name, td_slice value)
{
    char short_text[TD_LIMIT_FAULT_TEXT_BYTES_MAX + 1]; /* the longest that is written */
    if (value.len >= sizeof(short_text) || (value.len > 0 && memchr(value.ptr, '\0', value.len) != NULL)) {
        build->failed = true;
        return;
    }
    if (value.len > 0) memcpy(short_text, value.ptr, value.len);
    short_text[value.len] = '\0';
    add(build, parent, name, cJSON_CreateString(short_text));
}

void td_json_put_written(td_json_build *build, td_json_node *parent, const char *name, td_slice json)
{
    TD_ASSERT(json.ptr[json.len] == 0);
    add(build, parent, name, cJSON_CreateRaw((const char *)json.ptr));
}

td_json_node *td_json_put_object(td_json_build *build, td_json_node *parent, const char *name)
{
    cJSON *object = cJSON_CreateObject();
    add(build, parent, name, object);
    return build->failed ? NULL : node_of(object);
}

td_json_node *td_json_put_array(td_json_build *build, td_json_node *parent, const char *name)
{
    cJSON *array = cJSON_CreateArray();
    add(build, parent, name, array);
    return build->failed ? NULL : node_of(array);
}

bool td_json_build_print(const td_json_build *build, td_buf *buf)
{
    if (build->failed) return false;
    char *text = cJSON_PrintUnformatted(cjson(build->root));
    if (text == NULL) return false;
    td_buf_append(buf, td_slice_of_cstr(text));
    cJSON_free(text);
    return !td_buf_has_failed(buf);
}

/* Takes the item. */
static void add(td_json_build *build, td_json_node *parent, const char *name, cJSON *item)
{
    bool is_added = false;
    if (parent != NULL && item != NULL) {
        cJSON *into = (cJSON *)parent;
        is_added = name == NULL ? cJSON_AddItemToArray(into, item) : cJSON_AddItemToObject(into, name, item);
    }
    if (is_added) return;
    cJSON_Delete(item);
    build->failed = true;
}

/* An escape \u0000, whose backslash is not itself escaped. */
static bool has_escaped_nul(td_slice text)
{
    for (size_t i = 0; i + 1 < text.len; i++) {
        if (text.ptr[i] != '\\') continue;
        if (i + 6 <= text.len && memcmp(text.ptr + i, "\\u0000", 6) == 0) return true;
        i++;
    }
    return false;
}

/* What cJSON let pass; NULL: nothing. Its nesting is bounded by cJSON (1000). */
static const char *find_fault(const cJSON *item)
{
    if (cJSON_IsNumber(item) && !isfinite(item->valuedouble)) return "the body holds a number that is too large";
    for (const cJSON *child = item->child; child != NULL; child = child->next) {
        if (cJSON_IsObject(item) && repeats_name(child)) return "the body names a member twice";
        const char *fault = find_fault(child);
        if (fault != NULL) return fault;
    }
    return NULL;
}

/* Looks at the next 64 members alone, so that a hostile document costs linear time: ours have fewer than that. */
static bool repeats_name(const cJSON *item)
{
    size_t compared = 0;
    for (const cJSON *other = item->next; other != NULL && compared < 64; other = other->next, compared++) {
        if (strcmp(item->string, other->string) == 0) return true;
    }
    return false;
}
