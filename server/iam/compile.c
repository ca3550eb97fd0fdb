/* SPDX-License-Identifier: Apache-2.0
 * compile.c: a document of IAM's JSON → statements.
 *
 *   document   = { ["Version"], ["Id"], "Statement": statement | [ statement, … ] }
 *   statement  = { ["Sid"], "Effect", ["Principal" | "NotPrincipal"], "Action" | "NotAction",
 *                  "Resource" | "NotResource", ["Condition": { operator: { key: value | [ value, … ] } }] }
 * A policy of a resource names principals, and actions of DynamoDB that its kind of resource has; one of a caller names
 * none. Sentences are the service's where it has been heard (captures of PutResourcePolicy, October 2026), else IAM's.
 * Source: IAM User Guide, "Grammar of the IAM JSON policy language". */
#include <stdarg.h>
#include <stdio.h>

#include "thermodyn/text.h"

#include "policy_private.h"

enum { TD_IAM_OF_TABLE = 1, TD_IAM_OF_STREAM = 2 };

static const struct {
    td_slice name;
    uint8_t where;
} actions[] = {
#define TD_IAM_ACTION(name, where) {TD_LIT_INIT("dynamodb:" #name), where},
#include "actions.def"
#undef TD_IAM_ACTION
};

typedef struct compiler {
    td_iam_kind kind;
    bool has_variables; /* the document's version */
    td_slice source;
    td_arena *arena;
    td_iam_fault *fault;
} compiler;

/* Texts of one member: one or several. */
typedef struct texts {
    td_slice *at;
    const td_json **json; /* where each stands */
    uint32_t count;
} texts;

static bool compile_document(compiler *it, const td_json *document, td_iam_policy *policy);
static bool compile_statement(compiler *it, const td_json *json, td_iam_statement *statement);
static bool compile_principals(compiler *it, const td_json *json, td_iam_statement *statement);
static bool compile_actions(compiler *it, const td_json *json, td_iam_patterns *patterns);
static bool compile_resources(compiler *it, const td_json *json, td_iam_patterns *patterns);
static bool compile_condition(compiler *it, const td_json *json, td_iam_statement *statement);
static bool check_sids(compiler *it, const td_json *statements);
static bool check_bounds(compiler *it, const td_json *json, const td_iam_statement *statement);
static bool read_texts(compiler *it, const td_json *json, bool takes_values, texts *ret_texts);
static bool check_members(compiler *it, const td_json *object, const td_slice *names, size_t count);
static bool fail(compiler *it, td_iam_fault_kind kind, const td_json *at, const char *format, ...) TD_PRINTF(4, 5);
static bool fail_syntax(compiler *it, const td_json *at);
static bool fail_memory(compiler *it);

bool td_iam_compile(td_iam_kind kind, td_slice source, const td_json *document, td_arena *arena,
                    td_iam_policy **ret_policy, td_iam_fault *reterr_fault)
{
    compiler it = {.kind = kind, .source = source, .arena = arena, .fault = reterr_fault};
    td_iam_policy *policy = td_arena_alloc_zero(arena, sizeof(*policy));
    if (policy == NULL) return fail_memory(&it);
    policy->kind = kind;
    if (!compile_document(&it, document, policy)) return false;
    *ret_policy = policy;
    return true;
}

void td_iam_locate(td_slice source, size_t offset, unsigned *ret_line, unsigned *ret_column)
{
    *ret_line = 1;
    *ret_column = 1;
    for (size_t i = 0; i < offset && i < source.len; i++) {
        ++*ret_column;
        if (source.ptr[i] != '\n') continue;
        ++*ret_line;
        *ret_column = 1;
    }
}

/* ---- faults ---- */

/* Texts without escapes point into the source; of others the place is that of the name, or none. */
size_t td_iam__offset_of(td_slice source, const td_json *json)
{
    const td_slice candidates[] = {
        json->type == TD_JSON_STRING || json->type == TD_JSON_NUMBER ? json->text : td_slice_of(NULL, 0), json->name};
    for (size_t i = 0; i < TD_COUNT_OF(candidates); i++) {
        uintptr_t start = (uintptr_t)source.ptr;
        uintptr_t at = (uintptr_t)candidates[i].ptr;
        if (at >= start && at < start + source.len) return at - start;
    }
    return 0;
}

static bool fail(compiler *it, td_iam_fault_kind kind, const td_json *at, const char *format, ...)
{
    char sentence[1024];
    va_list args;
    va_start(args, format);
    int len = vsnprintf(sentence, sizeof(sentence), format, args);
    va_end(args);
    size_t kept = len < 0 ? 0 : (size_t)len < sizeof(sentence) ? (size_t)len : sizeof(sentence) - 1;
    while (kept > 0 && !td_utf8_is_valid(td_slice_of(sentence, kept)))
        kept--;
    *it->fault = (td_iam_fault){.kind = kind, .offset = td_iam__offset_of(it->source, at)};
    if (!td_arena_copy(it->arena, td_slice_of(sentence, kept), &it->fault->sentence)) return fail_memory(it);
    return false;
}

static bool fail_syntax(compiler *it, const td_json *at)
{
    unsigned line = 0;
    unsigned column = 0;
    td_iam_locate(it->source, td_iam__offset_of(it->source, at), &line, &column);
    return fail(it, TD_IAM_FAULT_DOCUMENT, at, "Syntax error at position (%u,%u)", line, column);
}

static bool fail_missing(compiler *it, const td_json *at, const char *member)
{
    return fail(it, TD_IAM_FAULT_DOCUMENT, at, "Missing required field %s", member);
}

static bool fail_memory(compiler *it)
{
    *it->fault = (td_iam_fault){.kind = TD_IAM_FAULT_MEMORY};
    return false;
}

/* ---- the document ---- */

static bool compile_document(compiler *it, const td_json *document, td_iam_policy *policy)
{
    static const td_slice names[] = {TD_LIT_INIT("Version"), TD_LIT_INIT("Id"), TD_LIT_INIT("Statement")};
    if (document->type != TD_JSON_OBJECT) return fail_syntax(it, document);
    if (!check_members(it, document, names, TD_COUNT_OF(names))) return false;
    const td_json *version = td_json_find(document, names[0]);
    const td_json *id = td_json_find(document, names[1]);
    const td_json *statements = td_json_find(document, names[2]);
    if (version != NULL) {
        if (version->type != TD_JSON_STRING) return fail_syntax(it, version);
        it->has_variables = td_slice_equal(version->text, TD_LIT("2012-10-17"));
        bool is_known = it->has_variables || td_slice_equal(version->text, TD_LIT("2008-10-17"));
        if (!is_known) return fail_syntax(it, version);
    }
    if (id != NULL && id->type != TD_JSON_STRING) return fail_syntax(it, id);
    if (statements == NULL) return fail_missing(it, document, "Statement");
    bool is_list = statements->type == TD_JSON_ARRAY;
    if (!is_list && statements->type != TD_JSON_OBJECT) return fail_syntax(it, statements);
    policy->count = is_list ? statements->count : 1;
    if (policy->count == 0) {
        return fail(it, TD_IAM_FAULT_DOCUMENT, statements, "Could not parse the policy: Statement is empty!");
    }
    policy->statements = td_arena_alloc_zero(it->arena, policy->count * sizeof(*policy->statements));
    if (policy->statements == NULL) return fail_memory(it);
    for (uint32_t i = 0; i < policy->count; i++) {
        if (!compile_statement(it, is_list ? &statements->children[i] : statements, &policy->statements[i])) {
            return false;
        }
    }
    return !is_list || check_sids(it, statements);
}

/* Quadratic in statements: a document of 20 KB has some hundreds. */
static bool check_sids(compiler *it, const td_json *statements)
{
    for (uint32_t i = 0; i < statements->count; i++) {
        const td_json *sid = td_json_find(&statements->children[i], TD_LIT("Sid"));
        for (uint32_t k = 0; sid != NULL && k < i; k++) {
            const td_json *other = td_json_find(&statements->children[k], TD_LIT("Sid"));
            if (other == NULL || !td_slice_equal(other->text, sid->text)) continue;
            return fail(it, TD_IAM_FAULT_DOCUMENT, sid, "The Statement Ids in the policy are not unique");
        }
    }
    return true;
}

/* Each is one of the names, and none is there twice. */
static bool check_members(compiler *it, const td_json *object, const td_slice *names, size_t count)
{
    uint32_t seen = 0;
    for (uint32_t i = 0; i < object->count; i++) {
        size_t at = 0;
        while (at < count && !td_slice_equal(object->children[i].name, names[at]))
            at++;
        if (at == count || (seen & 1u << at) != 0) return fail_syntax(it, &object->children[i]);
        seen |= 1u << at;
    }
    return true;
}

/* ---- a statement ---- */

/* The one of two members that is there: *ret_json NULL when neither is. false: both are. */
static bool choose(compiler *it, const td_json *object, td_slice plain, td_slice negated, const td_json **ret_json,
                   bool *ret_is_negated)
{
    const td_json *first = td_json_find(object, plain);
    const td_json *second = td_json_find(object, negated);
    *ret_is_negated = second != NULL;
    *ret_json = second != NULL ? second : first;
    return first == NULL || second == NULL || fail_syntax(it, second);
}

static bool compile_statement(compiler *it, const td_json *json, td_iam_statement *statement)
{
    static const td_slice names[] = {TD_LIT_INIT("Sid"),          TD_LIT_INIT("Effect"),      TD_LIT_INIT("Principal"),
                                     TD_LIT_INIT("NotPrincipal"), TD_LIT_INIT("Action"),      TD_LIT_INIT("NotAction"),
                                     TD_LIT_INIT("Resource"),     TD_LIT_INIT("NotResource"), TD_LIT_INIT("Condition")};
    if (json->type != TD_JSON_OBJECT) return fail_syntax(it, json);
    if (!check_members(it, json, names, TD_COUNT_OF(names))) return false;
    const td_json *sid = td_json_find(json, names[0]);
    const td_json *effect = td_json_find(json, names[1]);
    const td_json *condition = td_json_find(json, names[8]);
    const td_json *principals = NULL;
    const td_json *listed_actions = NULL;
    const td_json *resources = NULL;
    if (sid != NULL && sid->type != TD_JSON_STRING) return fail_syntax(it, sid);
    if (!choose(it, json, names[2], names[3], &principals, &statement->has_negated_principals) ||
        !choose(it, json, names[4], names[5], &listed_actions, &statement->actions.is_negated) ||
        !choose(it, json, names[6], names[7], &resources, &statement->resources.is_negated)) {
        return false;
    }
    if (effect == NULL) return fail_missing(it, json, "Effect");
    if (effect->type != TD_JSON_STRING) return fail_syntax(it, effect);
    statement->is_deny = td_iam__equal_in_any_case(effect->text, TD_LIT("Deny"));
    if (!statement->is_deny && !td_iam__equal_in_any_case(effect->text, TD_LIT("Allow")))
        return fail_syntax(it, effect);
    if (it->kind == TD_IAM_IDENTITY && principals != NULL) {
        return fail(it, TD_IAM_FAULT_DOCUMENT, principals, "Policy document should not specify a principal.");
    }
    if (it->kind != TD_IAM_IDENTITY && principals == NULL) return fail_missing(it, json, "Principal");
    if (listed_actions == NULL) return fail_missing(it, json, "Action");
    if (resources == NULL) return fail_missing(it, json, "Resource");
    return (principals == NULL || compile_principals(it, principals, statement)) &&
           compile_actions(it, listed_actions, &statement->actions) &&
           compile_resources(it, resources, &statement->resources) &&
           (condition == NULL || compile_condition(it, condition, statement)) &&
           check_bounds(it, principals, statement);
}

/* An Allow for everybody, without a condition, is refused of resources. */
static bool check_bounds(compiler *it, const td_json *json, const td_iam_statement *statement)
{
    if (it->kind == TD_IAM_IDENTITY || statement->is_deny || statement->test_count > 0) return true;
    for (uint32_t i = 0; i < statement->principal_count; i++) {
        if (statement->principals[i].kind == TD_IAM_EVERYBODY && !statement->has_negated_principals) {
            return fail(it, TD_IAM_FAULT_UNBOUNDED, json, "everybody is allowed");
        }
    }
    return true;
}

/* A text, or a list of at least one. `takes_values`: a number or a boolean is taken as its text. */
static bool read_texts(compiler *it, const td_json *json, bool takes_values, texts *ret_texts)
{
    bool is_list = json->type == TD_JSON_ARRAY;
    texts read = {.count = is_list ? json->count : 1};
    if (read.count == 0) return fail_syntax(it, json);
    read.at = td_arena_alloc_array(it->arena, read.count, sizeof(*read.at));
    read.json = td_arena_alloc_array(it->arena, read.count, sizeof(const td_json *));
    if (read.at == NULL || read.json == NULL) return fail_memory(it);
    for (uint32_t i = 0; i < read.count; i++) {
        const td_json *value = is_list ? &json->children[i] : json;
        if (!takes_values && value->type != TD_JSON_STRING) return fail_syntax(it, json);
        read.json[i] = value;
        switch (value->type) {
        case TD_JSON_STRING:
        case TD_JSON_NUMBER: read.at[i] = value->text; break;
        case TD_JSON_TRUE: read.at[i] = TD_LIT("true"); break;
        case TD_JSON_FALSE: read.at[i] = TD_LIT("false"); break;
        case TD_JSON_NULL:
        case TD_JSON_ARRAY:
        case TD_JSON_OBJECT: return fail_syntax(it, json);
        }
    }
    *ret_texts = read;
    return true;
}

static bool compile_patterns(compiler *it, const texts *from, td_iam_syntax syntax, td_iam_pattern **ret_patterns)
{
    td_iam_pattern *patterns = td_arena_alloc_array(it->arena, from->count, sizeof(*patterns));
    if (patterns == NULL) return fail_memory(it);
    syntax.has_variables = syntax.has_variables && it->has_variables;
    for (uint32_t i = 0; i < from->count; i++) {
        if (!td_iam__pattern(from->at[i], syntax, it->arena, &patterns[i])) return fail_memory(it);
    }
    *ret_patterns = patterns;
    return true;
}

/* ---- principals ---- */

bool td_iam__is_account(td_slice text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9') return false;
    }
    return text.len == 12;
}

bool td_iam__read_arn(td_slice text, td_iam_arn *ret_arn)
{
    td_slice parts[6];
    for (size_t i = 0; i < TD_COUNT_OF(parts); i++) {
        const uint8_t *colon = text.len == 0 ? NULL : memchr(text.ptr, ':', text.len);
        bool is_last = i + 1 == TD_COUNT_OF(parts);
        if (colon == NULL && !is_last) return false;
        parts[i] = is_last ? text : td_slice_of(text.ptr, (size_t)(colon - text.ptr));
        if (!is_last) text = td_slice_of(colon + 1, text.len - parts[i].len - 1);
    }
    if (!td_slice_equal(parts[0], TD_LIT("arn"))) return false;
    *ret_arn = (td_iam_arn){parts[1], parts[2], parts[3], parts[4], parts[5]};
    return true;
}

static bool read_principal(compiler *it, td_slice text, const td_json *json, td_iam_principal *ret_principal)
{
    td_iam_arn arn;
    if (td_slice_equal(text, TD_LIT("*"))) {
        *ret_principal = (td_iam_principal){.kind = TD_IAM_EVERYBODY};
        return true;
    }
    if (td_iam__is_account(text)) {
        *ret_principal = (td_iam_principal){TD_IAM_ACCOUNT, text};
        return true;
    }
    bool is_somebody = td_iam__read_arn(text, &arn) && td_iam__is_account(arn.account) && arn.rest.len > 0 &&
                       memchr(arn.rest.ptr, '*', arn.rest.len) == NULL &&
                       (td_slice_equal(arn.service, TD_LIT("iam")) || td_slice_equal(arn.service, TD_LIT("sts")));
    if (!is_somebody) return fail(it, TD_IAM_FAULT_PRINCIPAL, json, "nobody has this name");
    bool is_account = td_slice_equal(arn.rest, TD_LIT("root"));
    *ret_principal = (td_iam_principal){is_account ? TD_IAM_ACCOUNT : TD_IAM_ARN, is_account ? arn.account : text};
    return true;
}

static bool compile_principals(compiler *it, const td_json *json, td_iam_statement *statement)
{
    static const td_slice kinds[] = {TD_LIT_INIT("AWS"), TD_LIT_INIT("Service"), TD_LIT_INIT("Federated"),
                                     TD_LIT_INIT("CanonicalUser")};
    bool is_everybody = json->type == TD_JSON_STRING && td_slice_equal(json->text, TD_LIT("*"));
    if (is_everybody) {
        statement->principals = td_arena_alloc_zero(it->arena, sizeof(*statement->principals));
        if (statement->principals == NULL) return fail_memory(it);
        statement->principals[0].kind = TD_IAM_EVERYBODY;
        statement->principal_count = 1;
        return true;
    }
    if (json->type != TD_JSON_OBJECT || json->count == 0) return fail_syntax(it, json);
    if (!check_members(it, json, kinds, TD_COUNT_OF(kinds))) return false;
    uint32_t room = 0;
    for (uint32_t i = 0; i < json->count; i++)
        room += json->children[i].type == TD_JSON_ARRAY ? json->children[i].count : 1;
    statement->principals = td_arena_alloc_array(it->arena, room, sizeof(*statement->principals));
    if (statement->principals == NULL) return fail_memory(it);
    for (uint32_t i = 0; i < json->count; i++) {
        const td_json *list = &json->children[i];
        bool is_of_account = td_slice_equal(list->name, kinds[0]);
        texts names;
        if (!read_texts(it, list, false, &names)) return false;
        for (uint32_t k = 0; k < names.count; k++) {
            td_iam_principal *principal = &statement->principals[statement->principal_count++];
            *principal = (td_iam_principal){TD_IAM_SOMEBODY_ELSE, names.at[k]};
            if (is_of_account && !read_principal(it, names.at[k], names.json[k], principal)) return false;
        }
    }
    return true;
}

/* ---- actions and resources ---- */

/* Does it name an action that the resource's kind has? */
static bool is_action_of(const td_iam_pattern *pattern, td_iam_kind kind)
{
    static const td_iam_caller nobody = {.key_count = 0};
    const td_iam_request request = {.caller = &nobody};
    uint8_t where = kind == TD_IAM_TABLE ? TD_IAM_OF_TABLE : TD_IAM_OF_STREAM;
    for (size_t i = 0; i < TD_COUNT_OF(actions); i++) {
        if ((actions[i].where & where) != 0 && td_iam__pattern_matches(pattern, &request, true, actions[i].name)) {
            return true;
        }
    }
    return false;
}

static bool check_actions(compiler *it, const td_json *json, const td_iam_patterns *patterns)
{
    td_buf listed;
    td_buf_init(&listed, (size_t)64 * 1024);
    for (uint32_t i = 0; i < patterns->count; i++) {
        if (is_action_of(&patterns->at[i], it->kind)) continue;
        td_slice name = patterns->at[i].source;
        td_buf_append_format(&listed, "%s\"%.*s\"", listed.len > 0 ? ", " : "", (int)name.len, (const char *)name.ptr);
    }
    td_slice names = td_buf_contents(&listed);
    bool is_valid = names.len == 0 && !td_buf_has_failed(&listed);
    if (td_buf_has_failed(&listed)) {
        fail_memory(it);
    } else if (!is_valid) {
        (void)fail(it, TD_IAM_FAULT_DOCUMENT, json, "The following action names are invalid: %.*s", (int)names.len,
                   (const char *)names.ptr);
    }
    td_buf_done(&listed);
    return is_valid;
}

static bool compile_actions(compiler *it, const td_json *json, td_iam_patterns *patterns)
{
    texts names;
    if (!read_texts(it, json, false, &names)) return false;
    patterns->count = names.count;
    if (!compile_patterns(it, &names, (td_iam_syntax){.has_wildcards = true}, &patterns->at)) return false;
    if (it->kind != TD_IAM_IDENTITY) return check_actions(it, json, patterns);
    for (uint32_t i = 0; i < names.count; i++) {
        td_slice name = names.at[i];
        if (td_slice_equal(name, TD_LIT("*")) || (name.len > 0 && memchr(name.ptr, ':', name.len) != NULL)) continue;
        return fail(it, TD_IAM_FAULT_DOCUMENT, names.json[i],
                    "Actions/Conditions must be prefaced by a vendor, e.g., iam, sdb, ec2, etc.");
    }
    return true;
}

/* A table's policy is about the table and its indexes, a stream's about the stream. */
static bool check_resource(compiler *it, td_slice text, const td_json *json)
{
    td_iam_arn arn;
    if (td_slice_equal(text, TD_LIT("*"))) return true;
    if (!td_iam__read_arn(text, &arn)) {
        return fail(it, TD_IAM_FAULT_DOCUMENT, json, "Resource %.*s must be in ARN format or \"*\".", (int)text.len,
                    (const char *)text.ptr);
    }
    bool is_stream = memmem(arn.rest.ptr, arn.rest.len, "/stream/", 8) != NULL;
    bool has_wildcard = arn.rest.len > 0 && memchr(arn.rest.ptr, '*', arn.rest.len) != NULL;
    bool is_own = it->kind == TD_IAM_IDENTITY || is_stream == (it->kind == TD_IAM_STREAM) ||
                  (it->kind == TD_IAM_STREAM && has_wildcard);
    if (is_own) return true;
    return fail(it, TD_IAM_FAULT_DOCUMENT, json, "The relative-id \"%.*s\" is invalid for ARN \"%.*s\"",
                (int)arn.rest.len, (const char *)arn.rest.ptr, (int)text.len, (const char *)text.ptr);
}

static bool compile_resources(compiler *it, const td_json *json, td_iam_patterns *patterns)
{
    texts names;
    if (!read_texts(it, json, false, &names)) return false;
    for (uint32_t i = 0; i < names.count; i++) {
        if (!check_resource(it, names.at[i], names.json[i])) return false;
    }
    patterns->count = names.count;
    const td_iam_syntax syntax = {.has_wildcards = true, .has_variables = true};
    return compile_patterns(it, &names, syntax, &patterns->at);
}

/* ---- conditions ---- */

static bool compile_condition(compiler *it, const td_json *json, td_iam_statement *statement)
{
    if (json->type != TD_JSON_OBJECT) return fail_syntax(it, json);
    uint32_t room = 0;
    for (uint32_t i = 0; i < json->count; i++) {
        if (json->children[i].type != TD_JSON_OBJECT) return fail_syntax(it, &json->children[i]);
        room += json->children[i].count;
    }
    statement->tests = td_arena_alloc_array(it->arena, room, sizeof(*statement->tests));
    if (statement->tests == NULL) return fail_memory(it);
    for (uint32_t i = 0; i < json->count; i++) {
        const td_json *keys = &json->children[i];
        td_iam_test read;
        if (!td_iam__read_operator(keys->name, &read)) {
            return fail(it, TD_IAM_FAULT_DOCUMENT, keys, "Invalid Condition type : %.*s.", (int)keys->name.len,
                        (const char *)keys->name.ptr);
        }
        for (uint32_t k = 0; k < keys->count; k++) {
            td_iam_test *test = &statement->tests[statement->test_count++];
            texts values;
            *test = read;
            test->key = keys->children[k].name;
            if (!read_texts(it, &keys->children[k], true, &values)) return false;
            test->count = values.count;
            if (!compile_patterns(it, &values, td_iam__syntax_of(test->rule), &test->values)) return false;
        }
    }
    return true;
}
