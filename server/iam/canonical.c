/* SPDX-License-Identifier: Apache-2.0
 * canonical.c: the form in which the service keeps a policy of a resource.
 *
 * Model: what was captured of PutResourcePolicy and GetResourcePolicy in October 2026: members in a fixed order, a list
 *        of one element as that element, a Statement always as a list, Effect with a capital, an account as its root
 *        user, no principal twice. Nothing is sorted, and of actions and resources nothing is left out. A Version that
 *        was not given stays out: it is a difference, though GetResourcePolicy shows the oldest one then. */
#include "policy_private.h"

static void write_statement(td_buf *buf, const td_json *statement);
static void write_member(td_buf *buf, td_slice name, bool *is_first);
static void write_values(td_buf *buf, const td_json *json);
static void write_principals(td_buf *buf, const td_json *json);
static void write_condition(td_buf *buf, const td_json *json);

void td_iam_write_canonical(td_buf *buf, const td_json *document)
{
    static const td_slice names[] = {TD_LIT_INIT("Version"), TD_LIT_INIT("Id")};
    const td_json *statements = td_json_find(document, TD_LIT("Statement"));
    bool is_first = true;
    td_buf_append_byte(buf, '{');
    for (size_t i = 0; i < TD_COUNT_OF(names); i++) {
        const td_json *json = td_json_find(document, names[i]);
        if (json == NULL) continue;
        write_member(buf, names[i], &is_first);
        td_json_write_string(buf, json->text);
    }
    write_member(buf, TD_LIT("Statement"), &is_first);
    td_buf_append_byte(buf, '[');
    bool is_list = statements->type == TD_JSON_ARRAY;
    for (uint32_t i = 0; i < (is_list ? statements->count : 1); i++) {
        if (i > 0) td_buf_append_byte(buf, ',');
        write_statement(buf, is_list ? &statements->children[i] : statements);
    }
    td_buf_append_lit(buf, "]}");
}

static void write_member(td_buf *buf, td_slice name, bool *is_first)
{
    if (!*is_first) td_buf_append_byte(buf, ',');
    *is_first = false;
    td_json_write_string(buf, name);
    td_buf_append_byte(buf, ':');
}

static void write_effect(td_buf *buf, const td_json *json)
{
    td_buf_append(buf,
                  td_iam__equal_in_any_case(json->text, TD_LIT("Deny")) ? TD_LIT("\"Deny\"") : TD_LIT("\"Allow\""));
}

static void write_statement(td_buf *buf, const td_json *statement)
{
    static const struct {
        td_slice name;
        void (*write)(td_buf *buf, const td_json *json);
    } members[] = {
        {TD_LIT_INIT("Sid"), write_values},           {TD_LIT_INIT("Effect"), write_effect},
        {TD_LIT_INIT("Principal"), write_principals}, {TD_LIT_INIT("NotPrincipal"), write_principals},
        {TD_LIT_INIT("Action"), write_values},        {TD_LIT_INIT("NotAction"), write_values},
        {TD_LIT_INIT("Resource"), write_values},      {TD_LIT_INIT("NotResource"), write_values},
        {TD_LIT_INIT("Condition"), write_condition},
    };
    bool is_first = true;
    td_buf_append_byte(buf, '{');
    for (size_t i = 0; i < TD_COUNT_OF(members); i++) {
        const td_json *json = td_json_find(statement, members[i].name);
        if (json == NULL) continue;
        write_member(buf, members[i].name, &is_first);
        members[i].write(buf, json);
    }
    td_buf_append_byte(buf, '}');
}

static void write_values(td_buf *buf, const td_json *json)
{
    td_json_write_tree(buf, json->type == TD_JSON_ARRAY && json->count == 1 ? json->children : json);
}

static void write_condition(td_buf *buf, const td_json *json)
{
    bool is_first = true;
    td_buf_append_byte(buf, '{');
    for (uint32_t i = 0; i < json->count; i++) {
        const td_json *keys = &json->children[i];
        bool is_first_key = true;
        write_member(buf, keys->name, &is_first);
        td_buf_append_byte(buf, '{');
        for (uint32_t k = 0; k < keys->count; k++) {
            write_member(buf, keys->children[k].name, &is_first_key);
            write_values(buf, &keys->children[k]);
        }
        td_buf_append_byte(buf, '}');
    }
    td_buf_append_byte(buf, '}');
}

/* ---- principals ---- */

static const td_json *value_at(const td_json *json, uint32_t i)
{
    return json->type == TD_JSON_ARRAY ? &json->children[i] : json;
}

static uint32_t count_values(const td_json *json)
{
    return json->type == TD_JSON_ARRAY ? json->count : 1;
}

/* The account of a number or of a root user; empty: it is somebody else. */
static td_slice account_of(td_slice text)
{
    td_iam_arn arn;
    if (td_iam__is_account(text)) return text;
    bool is_root = td_iam__read_arn(text, &arn) && td_slice_equal(arn.rest, TD_LIT("root"));
    return is_root ? arn.account : td_slice_of(NULL, 0);
}

static bool is_same(td_slice a, td_slice b)
{
    td_slice account = account_of(a);
    return account.len > 0 ? td_slice_equal(account, account_of(b)) : td_slice_equal(a, b);
}

static bool was_before(const td_json *json, uint32_t at)
{
    for (uint32_t i = 0; i < at; i++) {
        if (is_same(value_at(json, i)->text, value_at(json, at)->text)) return true;
    }
    return false;
}

static void write_principal(td_buf *buf, td_slice text)
{
    if (!td_iam__is_account(text)) {
        td_json_write_string(buf, text);
        return;
    }
    td_buf_append_lit(buf, "\"arn:aws:iam::");
    td_buf_append(buf, text);
    td_buf_append_lit(buf, ":root\"");
}

static void write_names(td_buf *buf, const td_json *json)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < count_values(json); i++)
        count += !was_before(json, i);
    bool is_first = true;
    if (count > 1) td_buf_append_byte(buf, '[');
    for (uint32_t i = 0; i < count_values(json); i++) {
        if (was_before(json, i)) continue;
        if (!is_first) td_buf_append_byte(buf, ',');
        is_first = false;
        write_principal(buf, value_at(json, i)->text);
    }
    if (count > 1) td_buf_append_byte(buf, ']');
}

static void write_principals(td_buf *buf, const td_json *json)
{
    if (json->type == TD_JSON_STRING) {
        td_json_write_string(buf, json->text);
        return;
    }
    bool is_first = true;
    td_buf_append_byte(buf, '{');
    for (uint32_t i = 0; i < json->count; i++) {
        write_member(buf, json->children[i].name, &is_first);
        write_names(buf, &json->children[i]);
    }
    td_buf_append_byte(buf, '}');
}
