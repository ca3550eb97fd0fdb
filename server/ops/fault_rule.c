/* SPDX-License-Identifier: Apache-2.0
 * fault_rule.c: a fault rule, read from its document: whatever is unknown, of another type or out of range is refused
 * with one sentence.
 * Not here: the list of rules (fault.c), writing a rule (fault_show.c). */
#include "fault_set.h"

#include <stdarg.h>
#include <stdio.h>

#include "thermodyn/memory.h"
#include "thermodyn/text.h"

#define RULE_BYTES_MAX ((size_t)256 * 1024)
#define COUNT_MAX INT64_C(9007199254740992) /* 2^53: what a JSON number says exactly */

typedef struct reader {
    td_fault_rule *rule;
    char *sentence;
} reader;

typedef enum member_type { TYPE_ANY, TYPE_NUMBER, TYPE_TEXT, TYPE_LIST, TYPE_OBJECT, TYPE_BOOL } member_type;

typedef struct member {
    const char *name;
    member_type type;
    const td_json_node *node; /* NULL: absent */
} member;

static bool refuse(reader *it, const char *format, ...) TD_PRINTF(2, 3);
static bool bind(reader *it, const td_json_node *object, const char *where, member *members, size_t count);
static bool read_rule(reader *it, const td_json_node *json);
static bool read_match(reader *it, const td_json_node *json);
static bool read_inject(reader *it, const td_json_node *json);
static bool read_text(reader *it, const char *name, const td_json_node *node, td_slice *ret_text);
static bool read_count(reader *it, const char *name, const td_json_node *node, int64_t max, int64_t *ret_count);

td_fault_rule *td_fault__rule_read(const td_json_node *json, td_slice scope,
                                   char reterr_sentence[TD_FAULT_SENTENCE_BYTES])
{
    td_fault_rule *rule = td_alloc_zero(sizeof(*rule));
    if (rule == NULL) {
        snprintf(reterr_sentence, TD_FAULT_SENTENCE_BYTES, TD_JSON_NO_MEMORY);
        return NULL;
    }
    atomic_init(&rule->references, 1);
    td_arena_init(&rule->arena, RULE_BYTES_MAX);
    rule->probability = 1;
    reader it = {rule, reterr_sentence};
    bool is_read =
        td_arena_copy(&rule->arena, scope, &rule->scope) ? read_rule(&it, json) : refuse(&it, TD_JSON_NO_MEMORY);
    if (is_read) return rule;
    td_fault__rule_unref(rule);
    return NULL;
}

td_fault_rule *td_fault__rule_ref(td_fault_rule *rule)
{
    atomic_fetch_add_explicit(&rule->references, 1, memory_order_relaxed);
    return rule;
}

void td_fault__rule_unref(td_fault_rule *rule)
{
    if (atomic_fetch_sub_explicit(&rule->references, 1, memory_order_acq_rel) > 1) return;
    td_arena_done(&rule->arena);
    td_free(rule);
}

static bool refuse(reader *it, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(it->sentence, TD_FAULT_SENTENCE_BYTES, format, args);
    va_end(args);
    return false;
}

/* At most 60 bytes of a user's text, cut between characters, for a sentence. */
static td_slice shown(td_slice text)
{
    size_t len = text.len < 60 ? text.len : 60;
    while (len > 0 && len < text.len && (text.ptr[len] & 0xc0) == 0x80)
        len--;
    return len == 0 ? TD_LIT("") : td_slice_of(text.ptr, len);
}
#define SHOWN(text) (int)shown(text).len, (const char *)shown(text).ptr

static bool is_of_type(const td_json_node *node, member_type type)
{
    td_json_node_type found = td_json_node_get_type(node);
    switch (type) {
    case TYPE_ANY: return true;
    case TYPE_NUMBER: return found == TD_JSON_NODE_NUMBER;
    case TYPE_TEXT: return found == TD_JSON_NODE_TEXT;
    case TYPE_LIST: return found == TD_JSON_NODE_ARRAY;
    case TYPE_OBJECT: return found == TD_JSON_NODE_OBJECT;
    case TYPE_BOOL: return found == TD_JSON_NODE_BOOL;
    }
    TD_UNREACHABLE("every type of a member has a case");
}

/* `where`: what the names stand in, "match.", for the sentences. */
static bool bind(reader *it, const td_json_node *object, const char *where, member *members, size_t count)
{
    static const char *const type_names[] = {"", "a number", "a text", "a list", "an object", "true or false"};
    for (const td_json_node *node = td_json_node_first(object); node != NULL; node = td_json_node_next(node)) {
        td_slice name = td_json_node_name(node);
        size_t at = 0;
        while (at < count && !td_slice_equal(name, td_slice_of_cstr(members[at].name)))
            at++;
        if (at == count) return refuse(it, "unknown member \"%s%.*s\"", where, SHOWN(name));
        if (!is_of_type(node, members[at].type)) {
            return refuse(it, "\"%s%s\" must be %s", where, members[at].name, type_names[members[at].type]);
        }
        members[at].node = node;
    }
    return true;
}

static bool read_rule(reader *it, const td_json_node *json)
{
    enum { MATCH, INJECT, PROBABILITY, SKIP, TIMES, SEED, COUNT };
    member members[COUNT] = {{"match", TYPE_OBJECT, NULL},       {"inject", TYPE_OBJECT, NULL},
                             {"probability", TYPE_NUMBER, NULL}, {"skip", TYPE_NUMBER, NULL},
                             {"times", TYPE_NUMBER, NULL},       {"seed", TYPE_NUMBER, NULL}};
    td_fault_rule *rule = it->rule;
    if (td_json_node_get_type(json) != TD_JSON_NODE_OBJECT) return refuse(it, "a rule must be an object");
    if (!bind(it, json, "", members, COUNT)) return false;
    if (members[INJECT].node == NULL) return refuse(it, "a rule needs \"inject\": what it does");
    if (members[MATCH].node != NULL && !read_match(it, members[MATCH].node)) return false;
    if (!read_inject(it, members[INJECT].node)) return false;
    if (members[PROBABILITY].node != NULL) {
        rule->probability = td_json_node_number(members[PROBABILITY].node);
        if (!(rule->probability >= 0 && rule->probability <= 1)) {
            return refuse(it, "\"probability\" must be a number from 0 to 1");
        }
    }
    int64_t skip = 0;
    int64_t times = 0;
    int64_t seed = 0;
    if (!read_count(it, "skip", members[SKIP].node, COUNT_MAX, &skip) ||
        !read_count(it, "times", members[TIMES].node, COUNT_MAX, &times) ||
        !read_count(it, "seed", members[SEED].node, COUNT_MAX, &seed)) {
        return false;
    }
    rule->skip = (uint64_t)skip;
    rule->has_times = members[TIMES].node != NULL;
    rule->times = (uint64_t)times;
    rule->has_seed = members[SEED].node != NULL;
    rule->seed = (uint64_t)seed;
    return true;
}

/* ---- match ------------------------------------------------------------------------------------------------------- */

static bool read_operations(reader *it, const td_json_node *node);
static bool read_operation(reader *it, const td_json_node *node);
static bool read_table(reader *it, const td_json_node *node);
static bool read_key(reader *it, const td_json_node *node);
static bool read_key_part(reader *it, const td_json_node *node, td_fault_key *key);

static bool read_match(reader *it, const td_json_node *json)
{
    enum { OPERATION, TABLE, INDEX, KEY, COUNT };
    member members[COUNT] = {{"operation", TYPE_ANY, NULL},
                             {"table", TYPE_TEXT, NULL},
                             {"index", TYPE_TEXT, NULL},
                             {"key", TYPE_OBJECT, NULL}};
    if (!bind(it, json, "match.", members, COUNT)) return false;
    return (members[OPERATION].node == NULL || read_operations(it, members[OPERATION].node)) &&
           (members[TABLE].node == NULL || read_table(it, members[TABLE].node)) &&
           (members[INDEX].node == NULL || read_text(it, "match.index", members[INDEX].node, &it->rule->index)) &&
           (members[KEY].node == NULL || read_key(it, members[KEY].node));
}

static bool read_operations(reader *it, const td_json_node *node)
{
    td_fault_rule *rule = it->rule;
    rule->has_operations = true;
    rule->is_operation_list = td_json_node_get_type(node) == TD_JSON_NODE_ARRAY;
    size_t room = TD_FAULT_OPERATION_WORDS * 64; /* none is named twice */
    rule->named = td_arena_alloc_array(&rule->arena, room, sizeof(*rule->named));
    if (rule->named == NULL) return refuse(it, TD_JSON_NO_MEMORY);
    if (!rule->is_operation_list) return read_operation(it, node);
    const td_json_node *element = td_json_node_first(node);
    if (element == NULL) return refuse(it, "\"match.operation\" must name an operation");
    for (; element != NULL; element = td_json_node_next(element)) {
        if (!read_operation(it, element)) return false;
    }
    return true;
}

static bool read_operation(reader *it, const td_json_node *node)
{
    if (td_json_node_get_type(node) != TD_JSON_NODE_TEXT) {
        return refuse(it, "\"match.operation\" must be an operation's name, or a list of such names");
    }
    td_slice name = td_json_node_text(node);
    const td_operation *found = td_operation_find(TD_API_DYNAMODB, name);
    if (found == NULL) found = td_operation_find(TD_API_STREAMS, name);
    if (found == NULL) return refuse(it, "there is no operation \"%.*s\" to match", SHOWN(name));
    size_t row = (size_t)(found - td_operation_at(0));
    TD_ASSERT(row / 64 < TD_FAULT_OPERATION_WORDS);
    uint64_t bit = UINT64_C(1) << (row % 64);
    if ((it->rule->operations[row / 64] & bit) != 0) {
        return refuse(it, "\"match.operation\" names %.*s twice", SHOWN(name));
    }
    it->rule->operations[row / 64] |= bit;
    it->rule->named[it->rule->named_count++] = found;
    return true;
}

static bool read_table(reader *it, const td_json_node *node)
{
    td_fault_rule *rule = it->rule;
    if (!read_text(it, "match.table", node, &rule->table_as_sent)) return false;
    td_error error = {.arena = &rule->arena};
    if (td_table_name_parse(rule->table_as_sent, &rule->table, &error) == TD_OK) return true;
    return refuse(it, "\"match.table\" must be a table's name or its ARN");
}

static bool read_key(reader *it, const td_json_node *node)
{
    td_fault_rule *rule = it->rule;
    const td_json_node *part = td_json_node_first(node);
    if (part == NULL) return refuse(it, "\"match.key\" must hold an attribute of the key");
    for (; part != NULL; part = td_json_node_next(part)) {
        if (rule->key_count == TD_FAULT_KEY_PARTS_MAX) {
            return refuse(it, "\"match.key\" holds more than %d attributes", TD_FAULT_KEY_PARTS_MAX);
        }
        if (!read_key_part(it, part, &rule->keys[rule->key_count++])) return false;
    }
    return true;
}

/* {"S":"…"}, {"N":"…"} or {"B":"…"}: a number becomes its canonical form, as the service compares it. */
static bool read_key_part(reader *it, const td_json_node *node, td_fault_key *key)
{
    static const char *const expected =
        "\"match.key\": an attribute's value must be {\"S\": …}, {\"N\": …} or {\"B\": …}";
    td_arena *arena = &it->rule->arena;
    const td_json_node *value = td_json_node_get_type(node) != TD_JSON_NODE_OBJECT ? NULL : td_json_node_first(node);
    if (value == NULL || td_json_node_next(value) != NULL) return refuse(it, "%s", expected);
    td_type type = td_type_of_name(td_json_node_name(value));
    if (!td_type_is_scalar(type) || td_json_node_get_type(value) != TD_JSON_NODE_TEXT)
        return refuse(it, "%s", expected);
    if (!read_text(it, "match.key", value, &key->text)) return false;
    td_slice name = td_json_node_name(node);
    if (name.len == 0 || name.len > TD_FAULT_KEY_NAME_BYTES_MAX) {
        return refuse(it, "\"match.key\": an attribute's name must have 1 to %d bytes", TD_FAULT_KEY_NAME_BYTES_MAX);
    }
    if (!td_arena_copy(arena, name, &key->name)) return refuse(it, TD_JSON_NO_MEMORY);
    key->value.type = type;
    key->value.bytes = key->text;
    td_number number;
    if (type == TD_TYPE_N) {
        if (td_number_parse(key->text, &number) != TD_NUMBER_OK) {
            return refuse(it, "\"match.key\": \"%.*s\" is no number of the service", SHOWN(key->text));
        }
        if (!td_arena_copy(arena, td_number_slice(&number), &key->value.bytes)) return refuse(it, TD_JSON_NO_MEMORY);
    } else if (type == TD_TYPE_B) {
        uint8_t *bytes = td_arena_alloc(arena, key->text.len / 4 * 3 + 1);
        size_t len = 0;
        if (bytes == NULL) return refuse(it, TD_JSON_NO_MEMORY);
        if (!td_base64_decode(key->text, bytes, &len))
            return refuse(it, "\"match.key\": a binary value must be base64");
        key->value.bytes = td_slice_of(bytes, len);
    }
    return true;
}

/* ---- inject ------------------------------------------------------------------------------------------------------ */

enum { ERROR, MESSAGE, REASON, INDEX, REASONS, LATENCY, DROP, UNPROCESSED, INJECT_COUNT };

static bool read_error(reader *it, const member *members);
static bool read_reason(reader *it, const member *members);
static bool read_reasons(reader *it, const td_json_node *node);
static bool read_latency(reader *it, const td_json_node *node);
static bool read_drop(reader *it, const td_json_node *node);
static bool read_unprocessed(reader *it, const td_json_node *node);

static bool read_inject(reader *it, const td_json_node *json)
{
    member members[INJECT_COUNT] = {{"error", TYPE_TEXT, NULL},           {"message", TYPE_TEXT, NULL},
                                    {"reason", TYPE_TEXT, NULL},          {"index", TYPE_TEXT, NULL},
                                    {"reasons", TYPE_LIST, NULL},         {"latency_ms", TYPE_OBJECT, NULL},
                                    {"drop_connection", TYPE_TEXT, NULL}, {"unprocessed", TYPE_BOOL, NULL}};
    if (!bind(it, json, "inject.", members, INJECT_COUNT)) return false;
    int kinds = (members[ERROR].node != NULL) + (members[LATENCY].node != NULL) + (members[DROP].node != NULL) +
                (members[UNPROCESSED].node != NULL);
    if (kinds != 1) {
        return refuse(it, "\"inject\" must have exactly one of \"error\", \"latency_ms\", \"drop_connection\" and "
                          "\"unprocessed\"");
    }
    if (members[ERROR].node != NULL) return read_error(it, members);
    for (size_t i = MESSAGE; i <= REASONS; i++) {
        if (members[i].node != NULL) return refuse(it, "\"inject.%s\" belongs to an \"error\"", members[i].name);
    }
    if (members[LATENCY].node != NULL) return read_latency(it, members[LATENCY].node);
    if (members[DROP].node != NULL) return read_drop(it, members[DROP].node);
    return read_unprocessed(it, members[UNPROCESSED].node);
}

static bool read_error(reader *it, const member *members)
{
    td_fault_rule *rule = it->rule;
    td_slice name = td_json_node_text(members[ERROR].node);
    rule->kind = TD_FAULT_ERROR;
    rule->error = td_fault__error_find(name);
    if (rule->error == NULL) return refuse(it, "the service has no error \"%.*s\"", SHOWN(name));
    if (members[MESSAGE].node != NULL) {
        rule->has_message = true;
        if (td_json_node_text(members[MESSAGE].node).len > 0 &&
            !read_text(it, "inject.message", members[MESSAGE].node, &rule->message)) {
            return false;
        }
    }
    if (members[INDEX].node != NULL && members[REASON].node == NULL) {
        return refuse(it, "\"inject.index\" belongs to a \"reason\"");
    }
    if (members[REASON].node != NULL && !read_reason(it, members)) return false;
    return members[REASONS].node == NULL || read_reasons(it, members[REASONS].node);
}

static bool read_reason(reader *it, const member *members)
{
    td_fault_rule *rule = it->rule;
    td_status status = rule->error->status;
    if (status != TD_PROVISIONED_THROUGHPUT_EXCEEDED && status != TD_THROTTLING &&
        status != TD_REQUEST_LIMIT_EXCEEDED) {
        return refuse(it, "\"inject.reason\" belongs to a throttle, which %s is not", td_status_type(status));
    }
    td_slice name = td_json_node_text(members[REASON].node);
    rule->has_reason = td_fault__reason_find(name, &rule->reason, &rule->is_reason_of_index);
    if (!rule->has_reason) return refuse(it, "the service has no throttling reason \"%.*s\"", SHOWN(name));
    if (members[INDEX].node == NULL) return true;
    if (!rule->is_reason_of_index) return refuse(it, "\"inject.index\" belongs to a \"reason\" that is of an index");
    return read_text(it, "inject.index", members[INDEX].node, &rule->error_index);
}

static bool read_reasons(reader *it, const td_json_node *list)
{
    td_fault_rule *rule = it->rule;
    if (rule->error->status != TD_TRANSACTION_CANCELED) {
        return refuse(it, "\"inject.reasons\" belongs to TransactionCanceledException");
    }
    rule->reasons = td_arena_alloc_array(&rule->arena, TD_LIMIT_TRANSACT_ACTIONS_MAX, sizeof(*rule->reasons));
    if (rule->reasons == NULL) return refuse(it, TD_JSON_NO_MEMORY);
    for (const td_json_node *node = td_json_node_first(list); node != NULL; node = td_json_node_next(node)) {
        if (rule->reason_count == TD_LIMIT_TRANSACT_ACTIONS_MAX) {
            return refuse(it, "\"inject.reasons\" holds more than %d codes", TD_LIMIT_TRANSACT_ACTIONS_MAX);
        }
        td_slice code = td_json_node_get_type(node) == TD_JSON_NODE_TEXT ? td_json_node_text(node) : TD_LIT("");
        bool is_none = td_slice_equal(code, TD_LIT("None"));
        if (!is_none && td_fault__error_of_code(code) == NULL) {
            return refuse(it, "\"inject.reasons\" must be codes of cancellation, such as \"None\" and "
                              "\"TransactionConflict\"");
        }
        if (!td_arena_copy(&rule->arena, code, &rule->reasons[rule->reason_count++]))
            return refuse(it, TD_JSON_NO_MEMORY);
    }
    if (rule->reason_count == 0) return refuse(it, "\"inject.reasons\" must name a code");
    return true;
}

static bool read_latency(reader *it, const td_json_node *json)
{
    member members[] = {{"min", TYPE_NUMBER, NULL}, {"max", TYPE_NUMBER, NULL}};
    if (!bind(it, json, "inject.latency_ms.", members, TD_COUNT_OF(members))) return false;
    if (members[0].node == NULL || members[1].node == NULL) {
        return refuse(it, "\"inject.latency_ms\" needs \"min\" and \"max\"");
    }
    int64_t min = 0;
    int64_t max = 0;
    if (!read_count(it, "inject.latency_ms.min", members[0].node, TD_LIMIT_FAULT_LATENCY_MS_MAX, &min) ||
        !read_count(it, "inject.latency_ms.max", members[1].node, TD_LIMIT_FAULT_LATENCY_MS_MAX, &max)) {
        return false;
    }
    if (min > max) return refuse(it, "\"inject.latency_ms\": \"min\" must not be above \"max\"");
    it->rule->kind = TD_FAULT_LATENCY;
    it->rule->min_ms = (uint32_t)min;
    it->rule->max_ms = (uint32_t)max;
    return true;
}

static bool read_drop(reader *it, const td_json_node *node)
{
    bool is_before = td_slice_equal(td_json_node_text(node), TD_LIT("before"));
    if (!is_before && !td_slice_equal(td_json_node_text(node), TD_LIT("after"))) {
        return refuse(it, "\"inject.drop_connection\" must be \"before\" or \"after\"");
    }
    it->rule->kind = is_before ? TD_FAULT_DROP_BEFORE : TD_FAULT_DROP_AFTER;
    return true;
}

/* Only batches know unprocessed elements: a rule that names none of them would never fire. */
static bool read_unprocessed(reader *it, const td_json_node *node)
{
    if (!td_json_node_is_true(node)) return refuse(it, "\"inject.unprocessed\" must be true");
    it->rule->kind = TD_FAULT_UNPROCESSED;
    const td_operation *first = td_operation_at(0);
    const td_operation *gets = td_operation_find(TD_API_DYNAMODB, TD_LIT("BatchGetItem"));
    const td_operation *writes = td_operation_find(TD_API_DYNAMODB, TD_LIT("BatchWriteItem"));
    if (td_fault__names_operation(it->rule, (size_t)(gets - first)) ||
        td_fault__names_operation(it->rule, (size_t)(writes - first))) {
        return true;
    }
    return refuse(it, "\"inject.unprocessed\" is for BatchGetItem and BatchWriteItem alone");
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

static bool read_text(reader *it, const char *name, const td_json_node *node, td_slice *ret_text)
{
    td_slice text = td_json_node_text(node);
    if (text.len == 0) return refuse(it, "\"%s\" must not be empty", name);
    if (text.len > TD_LIMIT_FAULT_TEXT_BYTES_MAX) {
        return refuse(it, "\"%s\" is longer than %d bytes", name, TD_LIMIT_FAULT_TEXT_BYTES_MAX);
    }
    return td_arena_copy(&it->rule->arena, text, ret_text) ? true : refuse(it, TD_JSON_NO_MEMORY);
}

/* A whole number from 0 on; absent: 0. */
static bool read_count(reader *it, const char *name, const td_json_node *node, int64_t max, int64_t *ret_count)
{
    *ret_count = 0;
    if (node == NULL) return true;
    if (td_json_node_int(node, ret_count) && *ret_count >= 0 && *ret_count <= max) return true;
    return refuse(it, "\"%s\" must be a whole number from 0 to %lld", name, (long long)max);
}
