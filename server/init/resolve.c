/* SPDX-License-Identifier: Apache-2.0
 * resolve.c: the functions of CloudFormation's templates, where what they name is in the template or a pseudo
 * parameter. What only a deployment could know is refused with the place where it stands. Source: AWS CloudFormation
 * user guide, "Intrinsic function reference", "Pseudo parameters reference". */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "thermodyn/text.h"

#include "template.h"

#define DEPTH_MAX 40
#define STEPS_MAX 1000000

typedef bool (*function)(const td_init_template *template, const td_init_node *argument, uint32_t depth,
                         const td_init_node **ret_node);

static bool ref(const td_init_template *template, const td_init_node *argument, uint32_t depth,
                const td_init_node **ret_node);
static bool sub(const td_init_template *template, const td_init_node *argument, uint32_t depth,
                const td_init_node **ret_node);
static bool get_att(const td_init_template *template, const td_init_node *argument, uint32_t depth,
                    const td_init_node **ret_node);
static bool join(const td_init_template *template, const td_init_node *argument, uint32_t depth,
                 const td_init_node **ret_node);
static bool choose(const td_init_template *template, const td_init_node *argument, uint32_t depth,
                   const td_init_node **ret_node);
static bool pick(const td_init_template *template, const td_init_node *argument, uint32_t depth,
                 const td_init_node **ret_node);
static bool find_in_map(const td_init_template *template, const td_init_node *argument, uint32_t depth,
                        const td_init_node **ret_node);
static bool resolve_children(const td_init_template *template, const td_init_node *node, uint32_t depth,
                             const td_init_node **ret_node);
static bool answer(const td_init_template *template, const td_init_node *at, td_slice text,
                   const td_init_node **ret_node);

static const struct {
    td_slice name;
    function call;
} functions[] = {
    {TD_LIT_INIT("Ref"), ref},
    {TD_LIT_INIT("Fn::Sub"), sub},
    {TD_LIT_INIT("Fn::GetAtt"), get_att},
    {TD_LIT_INIT("Fn::Join"), join},
    {TD_LIT_INIT("Fn::If"), choose},
    {TD_LIT_INIT("Fn::Select"), pick},
    {TD_LIT_INIT("Fn::FindInMap"), find_in_map},
};

bool td_init__refuse_at(const td_init_template *template, const td_init_node *node, const char *format, ...)
{
    char sentence[512];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(sentence, sizeof(sentence), format, args);
    va_end(args);
    return td_init__refuse(template->init, template->path, node->line, "%s", sentence);
}

bool td_init__resolve(const td_init_template *template, const td_init_node *node, uint32_t depth,
                      const td_init_node **ret_node)
{
    if (depth > DEPTH_MAX || template->init->step_count++ > STEPS_MAX) {
        return td_init__refuse_at(template, node, "this refers to itself, or is nested too deep");
    }
    if (node->kind == TD_INIT_SCALAR) {
        td_slice text;
        if (node->text.len == 0 || memmem(node->text.ptr, node->text.len, "${", 2) == NULL) {
            *ret_node = node;
            return true;
        }
        return td_init__replace_variables(template, node, depth, &text) && answer(template, node, text, ret_node);
    }
    if (node->kind == TD_INIT_LIST || node->count != 1) return resolve_children(template, node, depth, ret_node);
    const td_init_node *member = &node->children[0];
    for (size_t i = 0; i < TD_COUNT_OF(functions); i++)
        if (td_slice_equal(member->name, functions[i].name)) {
            return functions[i].call(template, member, depth + 1, ret_node);
        }
    if (!td_slice_has_prefix(member->name, TD_LIT("Fn::"))) return resolve_children(template, node, depth, ret_node);
    return td_init__refuse_at(template, node, "%.*s cannot be resolved without a deployment", (int)member->name.len,
                              (const char *)member->name.ptr);
}

static bool resolve_children(const td_init_template *template, const td_init_node *node, uint32_t depth,
                             const td_init_node **ret_node)
{
    td_init_node *made = td_init__node_new(&template->init->arena, node->kind, node->line, node->count);
    if (made == NULL) return td_init__refuse_memory(template->init);
    made->name = node->name;
    for (uint32_t i = 0; i < node->count; i++) {
        const td_init_node *child = NULL;
        if (!td_init__resolve(template, &node->children[i], depth + 1, &child)) return false;
        if (child != NULL) td_init__node_add(made, node->children[i].name, child);
    }
    *ret_node = made;
    return true;
}

bool td_init__resolve_text(const td_init_template *template, const td_init_node *node, uint32_t depth,
                           td_slice *ret_text)
{
    const td_init_node *resolved = NULL;
    if (!td_init__resolve(template, node, depth, &resolved)) return false;
    if (resolved == NULL || resolved->kind != TD_INIT_SCALAR)
        return td_init__refuse_at(template, node, "this must be a text");
    *ret_text = resolved->text;
    return true;
}

static bool answer(const td_init_template *template, const td_init_node *at, td_slice text,
                   const td_init_node **ret_node)
{
    *ret_node = td_init__node_new_text(&template->init->arena, at->line, text);
    return *ret_node != NULL || td_init__refuse_memory(template->init);
}

/* ---- what a name stands for ---- */

static bool pseudo_parameter(const td_init_template *template, td_slice name, td_slice *ret_text)
{
    const struct {
        td_slice name;
        td_slice text;
    } known[] = {
        {TD_LIT("AWS::Region"), TD_LIT("us-east-1")},
        {TD_LIT("AWS::AccountId"), td_slice_of_cstr(template->init->service.config->account)},
        {TD_LIT("AWS::Partition"), TD_LIT("aws")},
        {TD_LIT("AWS::StackName"), TD_LIT("thermodyn")},
        {TD_LIT("AWS::URLSuffix"), TD_LIT("amazonaws.com")},
    };
    for (size_t i = 0; i < TD_COUNT_OF(known); i++) {
        if (!td_slice_equal(known[i].name, name)) continue;
        *ret_text = known[i].text;
        return true;
    }
    return false;
}

/* What {"Ref": name} is, as a text. */
static bool look_up(const td_init_template *template, const td_init_node *at, td_slice name, uint32_t depth,
                    td_slice *ret_text)
{
    if (pseudo_parameter(template, name, ret_text)) return true;
    const td_init_node *parameters = td_init__node_find(template->document, TD_LIT("Parameters"));
    const td_init_node *parameter = td_init__node_find(parameters, name);
    if (parameter != NULL) {
        const td_init_node *value = td_init__node_find(parameter, TD_LIT("Default"));
        if (value != NULL) return td_init__resolve_text(template, value, depth, ret_text);
        return td_init__refuse_at(template, at, "the parameter %.*s has no Default", (int)name.len,
                                  (const char *)name.ptr);
    }
    const td_init_node *resource = td_init__node_find(template->resources, name);
    if (resource != NULL && td_init__is_table(resource)) {
        return td_init__table_name(template, resource, depth, ret_text);
    }
    return td_init__refuse_at(template, at, "%.*s is no parameter of the template and no table of it", (int)name.len,
                              (const char *)name.ptr);
}

static bool ref(const td_init_template *template, const td_init_node *argument, uint32_t depth,
                const td_init_node **ret_node)
{
    td_slice text;
    if (argument->kind != TD_INIT_SCALAR) return td_init__refuse_at(template, argument, "Ref must name something");
    if (td_slice_equal(argument->text, TD_LIT("AWS::NoValue"))) {
        *ret_node = NULL;
        return true;
    }
    return look_up(template, argument, argument->text, depth, &text) && answer(template, argument, text, ret_node);
}

/* Of a table its Arn, which names no region but the one that is assumed here. */
static bool attribute(const td_init_template *template, const td_init_node *at, td_slice name, td_slice wanted,
                      uint32_t depth, td_slice *ret_text)
{
    const td_init_node *resource = td_init__node_find(template->resources, name);
    bool is_known = resource != NULL && td_init__is_table(resource) && td_slice_equal(wanted, TD_LIT("Arn"));
    if (!is_known) {
        return td_init__refuse_at(template, at, "%.*s.%.*s cannot be resolved without a deployment", (int)name.len,
                                  (const char *)name.ptr, (int)wanted.len, (const char *)wanted.ptr);
    }
    td_slice table;
    if (!td_init__table_name(template, resource, depth, &table)) return false;
    return td_arena_format(&template->init->arena, ret_text, "arn:aws:dynamodb:us-east-1:%s:table/%.*s",
                           template->init->service.config->account, (int)table.len, (const char *)table.ptr) ||
           td_init__refuse_memory(template->init);
}

static bool attribute_by_path(const td_init_template *template, const td_init_node *at, td_slice path, uint32_t depth,
                              td_slice *ret_text)
{
    const uint8_t *dot = path.len == 0 ? NULL : memchr(path.ptr, '.', path.len);
    if (dot == NULL) return td_init__refuse_at(template, at, "Fn::GetAtt must name a resource and an attribute of it");
    td_slice name = td_slice_of(path.ptr, (size_t)(dot - path.ptr));
    return attribute(template, at, name, td_slice_of(dot + 1, path.len - name.len - 1), depth, ret_text);
}

static bool get_att(const td_init_template *template, const td_init_node *argument, uint32_t depth,
                    const td_init_node **ret_node)
{
    td_slice text;
    if (argument->kind == TD_INIT_SCALAR) {
        return attribute_by_path(template, argument, argument->text, depth, &text) &&
               answer(template, argument, text, ret_node);
    }
    td_slice parts[2];
    if (argument->kind != TD_INIT_LIST || argument->count != 2) {
        return td_init__refuse_at(template, argument, "Fn::GetAtt must name a resource and an attribute of it");
    }
    return td_init__resolve_text(template, &argument->children[0], depth, &parts[0]) &&
           td_init__resolve_text(template, &argument->children[1], depth, &parts[1]) &&
           attribute(template, argument, parts[0], parts[1], depth, &text) &&
           answer(template, argument, text, ret_node);
}

/* ---- texts ---- */

/* ${Name}, ${Name.Attribute}; ${!Literal} stays as ${Literal}. `own`: the variables of the function itself. */
static bool append_variable(const td_init_template *template, const td_init_node *at, td_slice name,
                            const td_init_node *own, uint32_t depth, td_buf *buf)
{
    td_slice text;
    if (name.len > 0 && name.ptr[0] == '!') {
        td_buf_append_format(buf, "${%.*s}", (int)name.len - 1, (const char *)name.ptr + 1);
        return true;
    }
    const td_init_node *given = td_init__node_find(own, name);
    bool is_attribute = given == NULL && name.len > 0 && memchr(name.ptr, '.', name.len) != NULL;
    bool is_found = given != NULL  ? td_init__resolve_text(template, given, depth, &text)
                    : is_attribute ? attribute_by_path(template, at, name, depth, &text)
                                   : look_up(template, at, name, depth, &text);
    if (is_found) td_buf_append(buf, text);
    return is_found;
}

static bool substitute(const td_init_template *template, const td_init_node *format, const td_init_node *own,
                       uint32_t depth, td_buf *buf)
{
    td_slice rest;
    if (!td_init__replace_variables(template, format, depth, &rest)) return false;
    while (rest.len > 0) {
        const uint8_t *mark = memmem(rest.ptr, rest.len, "${", 2);
        const uint8_t *end = mark == NULL ? NULL : memchr(mark, '}', (size_t)(rest.ptr + rest.len - mark));
        if (end == NULL) break;
        td_buf_append(buf, td_slice_of(rest.ptr, (size_t)(mark - rest.ptr)));
        td_slice name = td_slice_of(mark + 2, (size_t)(end - mark) - 2);
        if (!append_variable(template, format, name, own, depth, buf)) return false;
        rest = td_slice_of(end + 1, rest.len - (size_t)(end + 1 - rest.ptr));
    }
    td_buf_append(buf, rest);
    return true;
}

static bool answer_buf(const td_init_template *template, const td_init_node *at, td_buf *buf, bool is_good,
                       const td_init_node **ret_node)
{
    td_slice text;
    if (is_good && (td_buf_has_failed(buf) || !td_arena_copy(&template->init->arena, td_buf_contents(buf), &text))) {
        is_good = td_init__refuse_memory(template->init);
    }
    td_buf_done(buf);
    return is_good && answer(template, at, text, ret_node);
}

static bool sub(const td_init_template *template, const td_init_node *argument, uint32_t depth,
                const td_init_node **ret_node)
{
    bool has_own = argument->kind == TD_INIT_LIST && argument->count == 2;
    const td_init_node *format = has_own ? &argument->children[0] : argument;
    if (format->kind != TD_INIT_SCALAR) return td_init__refuse_at(template, argument, "Fn::Sub must have a text");
    td_buf buf;
    td_buf_init(&buf, (size_t)1 << 20);
    bool is_good = substitute(template, format, has_own ? &argument->children[1] : NULL, depth, &buf);
    return answer_buf(template, argument, &buf, is_good, ret_node);
}

static bool join(const td_init_template *template, const td_init_node *argument, uint32_t depth,
                 const td_init_node **ret_node)
{
    const td_init_node *parts = NULL;
    td_slice separator;
    bool is_pair = argument->kind == TD_INIT_LIST && argument->count == 2;
    if (!is_pair) return td_init__refuse_at(template, argument, "Fn::Join must have a separator and a list");
    if (!td_init__resolve_text(template, &argument->children[0], depth, &separator) ||
        !td_init__resolve(template, &argument->children[1], depth, &parts)) {
        return false;
    }
    if (parts == NULL || parts->kind != TD_INIT_LIST) {
        return td_init__refuse_at(template, argument, "Fn::Join must have a separator and a list");
    }
    td_buf buf;
    td_buf_init(&buf, (size_t)1 << 20);
    bool is_good = true;
    for (uint32_t i = 0; i < parts->count && is_good; i++) {
        const td_init_node *part = &parts->children[i];
        if (part->kind != TD_INIT_SCALAR) {
            is_good = td_init__refuse_at(template, part, "this must be a text");
        } else {
            if (i > 0) td_buf_append(&buf, separator);
            td_buf_append(&buf, part->text);
        }
    }
    return answer_buf(template, argument, &buf, is_good, ret_node);
}

/* ---- choices ---- */

static bool choose(const td_init_template *template, const td_init_node *argument, uint32_t depth,
                   const td_init_node **ret_node)
{
    bool holds = false;
    if (argument->kind != TD_INIT_LIST || argument->count != 3) {
        return td_init__refuse_at(template, argument, "Fn::If must have a condition and two values");
    }
    return td_init__find_condition(template, &argument->children[0], depth, &holds) &&
           td_init__resolve(template, &argument->children[holds ? 1 : 2], depth, ret_node);
}

static bool pick(const td_init_template *template, const td_init_node *argument, uint32_t depth,
                 const td_init_node **ret_node)
{
    const td_init_node *list = NULL;
    td_slice text;
    int64_t index = -1;
    bool is_pair = argument->kind == TD_INIT_LIST && argument->count == 2;
    if (is_pair && (!td_init__resolve_text(template, &argument->children[0], depth, &text) ||
                    !td_init__resolve(template, &argument->children[1], depth, &list))) {
        return false;
    }
    bool is_good = is_pair && td_parse_int64(text, &index) && list != NULL && list->kind == TD_INIT_LIST &&
                   index >= 0 && index < (int64_t)list->count;
    if (!is_good) return td_init__refuse_at(template, argument, "Fn::Select must have an index into its list");
    *ret_node = &list->children[index];
    return true;
}

static bool find_in_map(const td_init_template *template, const td_init_node *argument, uint32_t depth,
                        const td_init_node **ret_node)
{
    if (argument->kind != TD_INIT_LIST || argument->count != 3) {
        return td_init__refuse_at(template, argument, "Fn::FindInMap must have a map and two keys");
    }
    const td_init_node *at = td_init__node_find(template->document, TD_LIT("Mappings"));
    for (uint32_t i = 0; i < 3; i++) {
        td_slice key;
        if (!td_init__resolve_text(template, &argument->children[i], depth, &key)) return false;
        at = td_init__node_find(at, key);
    }
    if (at == NULL) return td_init__refuse_at(template, argument, "the template's Mappings have no such entry");
    return td_init__resolve(template, at, depth, ret_node);
}
