/* SPDX-License-Identifier: Apache-2.0
 * variable.c: variables of the Serverless Framework in a text:
 *
 *   ${self:custom.stage}   a value of the same file     ${sls:stage}, ${opt:stage}   as without options: "dev", but for
 *   ${env:NAME}            the server's environment                                  the one, provider.stage
 *   ${…, 'else'}           what counts when there is none
 *
 * The innermost is replaced first, so that they may stand in each other.
 * Source: the Serverless Framework's guide, "Variables". */
#include <stdlib.h>
#include <string.h>

#include "template.h"

#define REPLACED_MAX 100 /* of one text: one that names itself has an end too */

static bool find_innermost(td_slice text, size_t *ret_begin, size_t *ret_end);
static bool is_of_serverless(td_slice name);
static bool find_value(const td_init_template *template, const td_init_node *at, td_slice name, uint32_t depth,
                       td_slice *ret_text);
static bool find_self(const td_init_template *template, td_slice path, uint32_t depth, td_slice *ret_text);
static td_slice trim(td_slice text);

bool td_init__replace_variables(const td_init_template *template, const td_init_node *node, uint32_t depth,
                                td_slice *ret_text)
{
    td_slice text = node->text;
    size_t begin = 0;
    size_t end = 0;
    for (int i = 0; find_innermost(text, &begin, &end); i++) {
        td_slice value;
        if (i == REPLACED_MAX)
            return td_init__refuse_at(template, node, "this refers to itself, or is nested too deep");
        td_slice name = td_slice_of(text.ptr + begin + 2, end - begin - 2);
        if (!find_value(template, node, name, depth + 1, &value)) return false;
        if (!td_arena_format(&template->init->arena, &text, "%.*s%.*s%.*s", (int)begin, (const char *)text.ptr,
                             (int)value.len, value.len == 0 ? "" : (const char *)value.ptr, (int)(text.len - end - 1),
                             (const char *)text.ptr + end + 1)) {
            return td_init__refuse_memory(template->init);
        }
    }
    *ret_text = text;
    return true;
}

/* The last "${" before the first "}" behind it, of those that are Serverless' and not CloudFormation's. */
static bool find_innermost(td_slice text, size_t *ret_begin, size_t *ret_end)
{
    bool is_open = false;
    for (size_t i = 0; i < text.len; i++) {
        bool opens = text.ptr[i] == '$' && i + 1 < text.len && text.ptr[i + 1] == '{';
        if (opens) {
            *ret_begin = i;
            is_open = true;
        }
        if (text.ptr[i] != '}' || !is_open) continue;
        *ret_end = i;
        if (is_of_serverless(td_slice_of(text.ptr + *ret_begin + 2, i - *ret_begin - 2))) return true;
        is_open = false;
    }
    return false;
}

static bool is_of_serverless(td_slice name)
{
    static const td_slice prefixes[] = {
        TD_LIT_INIT("self:"), TD_LIT_INIT("opt:"), TD_LIT_INIT("sls:"), TD_LIT_INIT("env:"),  TD_LIT_INIT("param:"),
        TD_LIT_INIT("ssm:"),  TD_LIT_INIT("cf:"),  TD_LIT_INIT("s3:"),  TD_LIT_INIT("file("), TD_LIT_INIT("aws:"),
    };
    for (size_t i = 0; i < TD_COUNT_OF(prefixes); i++)
        if (td_slice_has_prefix(name, prefixes[i])) return true;
    return false;
}

static bool find_value(const td_init_template *template, const td_init_node *at, td_slice name, uint32_t depth,
                       td_slice *ret_text)
{
    const uint8_t *comma = memchr(name.ptr, ',', name.len);
    td_slice source = trim(comma == NULL ? name : td_slice_of(name.ptr, (size_t)(comma - name.ptr)));
    if (td_slice_has_prefix(source, TD_LIT("self:"))) {
        if (find_self(template, td_slice_of(source.ptr + 5, source.len - 5), depth, ret_text)) return true;
        if (template->init->says->len > 0) return false;
    }
    char variable[128];
    if (td_slice_has_prefix(source, TD_LIT("env:")) && source.len - 4 < sizeof(variable)) {
        memcpy(variable, source.ptr + 4, source.len - 4);
        variable[source.len - 4] = '\0';
        const char *value = getenv(variable);
        *ret_text = td_slice_of_cstr(value == NULL ? "" : value);
        if (value != NULL) return true;
    }
    if (comma != NULL) {
        td_slice other = trim(td_slice_of(comma + 1, name.len - (size_t)(comma + 1 - name.ptr)));
        bool is_quoted = other.len >= 2 && (other.ptr[0] == '\'' || other.ptr[0] == '"');
        *ret_text = is_quoted ? td_slice_of(other.ptr + 1, other.len - 2) : other;
        if (is_quoted || !is_of_serverless(other)) return true;
        return find_value(template, at, other, depth + 1, ret_text);
    }
    bool is_stage = td_slice_equal(source, TD_LIT("sls:stage"));
    if (is_stage && find_self(template, TD_LIT("provider.stage"), depth, ret_text)) return true;
    if (template->init->says->len > 0) return false;
    if (is_stage || td_slice_equal(source, TD_LIT("opt:stage"))) {
        *ret_text = TD_LIT("dev");
        return true;
    }
    return td_init__refuse_at(template, at, "${%.*s} has no value here", (int)name.len, (const char *)name.ptr);
}

/* false, and nothing said: there is no such value. */
static bool find_self(const td_init_template *template, td_slice path, uint32_t depth, td_slice *ret_text)
{
    const td_init_node *node = template->root;
    while (path.len > 0) {
        const uint8_t *dot = memchr(path.ptr, '.', path.len);
        size_t len = dot == NULL ? path.len : (size_t)(dot - path.ptr);
        node = td_init__node_find(node, td_slice_of(path.ptr, len));
        path = dot == NULL ? td_slice_of(NULL, 0) : td_slice_of(dot + 1, path.len - len - 1);
    }
    return node != NULL && node->kind == TD_INIT_SCALAR && td_init__resolve_text(template, node, depth, ret_text);
}

static td_slice trim(td_slice text)
{
    while (text.len > 0 && text.ptr[0] == ' ')
        text = td_slice_of(text.ptr + 1, text.len - 1);
    while (text.len > 0 && text.ptr[text.len - 1] == ' ')
        text.len--;
    return text;
}
