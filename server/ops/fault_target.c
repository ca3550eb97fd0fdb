/* SPDX-License-Identifier: Apache-2.0
 * fault_target.c: finds what a request is about, in the request as it was checked against the service model; and
 * whether a rule's table and key are those of a target.
 * A key is compared by value, so that 1.0 is 1; of a key in two parts a rule may name one. */
#include "fault_target.h"

#include "wire/decode.h"

#include "statement.h"

/* More elements than any batch or transaction may have: the operation refuses such a request. */
#define TARGETS_MAX TD_LIMIT_TRANSACT_ACTIONS_MAX

static td_fault_target *add_target(td_fault_targets *it, const td_json *json, td_slice table,
                                   const td_json *attributes);
static void add_gets(td_fault_targets *it, const td_request *request);
static void add_writes(td_fault_targets *it, const td_request *request);
static void add_actions(td_fault_targets *it, const td_request *request);
static void add_statements(td_fault_targets *it, const td_request *request, const td_json *list);
static void add_statement(td_fault_targets *it, const td_request *request, const td_json *json);
static bool has_statement_key(const td_request *request, const td_fault_rule *rule, const td_statement *statement);
static td_direction direction_of(td_operation_form form);
static td_slice find_table(const td_request *request);
static bool has_key(const td_request *request, const td_fault_rule *rule, const td_json *attributes);

td_status td_fault__find_targets(td_request *request, const td_operation *operation, td_fault_targets *ret_targets)
{
    td_fault_targets it = {.form = operation->form,
                           .is_of_items = operation->form >= TD_FORM_PAGE,
                           .direction = direction_of(operation->form)};
    bool has_many = it.form == TD_FORM_GETS || it.form == TD_FORM_WRITES || it.form == TD_FORM_STATEMENTS ||
                    td_fault__is_transaction(&it);
    it.at = td_arena_alloc_array(request->arena, has_many ? TARGETS_MAX : 1, sizeof(*it.at));
    if (it.at == NULL) return TD_RAISE(&request->error, TD_MSG_OUT_OF_MEMORY);
    td_slice table = find_table(request);
    switch (it.form) {
    case TD_FORM_ACCOUNT:
    case TD_FORM_TABLE:
    case TD_FORM_GLOBAL_TABLE:
    case TD_FORM_PAGE: (void)add_target(&it, NULL, table, NULL); break;
    case TD_FORM_ITEM: (void)add_target(&it, NULL, table, td_ops__get(request, TD_MEMBER_Item)); break;
    case TD_FORM_GET:
    case TD_FORM_KEY: (void)add_target(&it, NULL, table, td_ops__get(request, TD_MEMBER_Key)); break;
    case TD_FORM_GETS: add_gets(&it, request); break;
    case TD_FORM_WRITES: add_writes(&it, request); break;
    case TD_FORM_TRANSACTED_GETS:
    case TD_FORM_TRANSACTED_WRITES: add_actions(&it, request); break;
    case TD_FORM_STATEMENT: add_statement(&it, request, request->root); break;
    case TD_FORM_STATEMENTS: add_statements(&it, request, td_ops__get(request, TD_MEMBER_Statements)); break;
    case TD_FORM_TRANSACTED_STATEMENTS:
        add_statements(&it, request, td_ops__get(request, TD_MEMBER_TransactStatements));
        break;
    }
    *ret_targets = it;
    return TD_OK;
}

/* Of statements the direction is the first one's. */
static td_direction direction_of(td_operation_form form)
{
    bool is_write =
        form == TD_FORM_ITEM || form == TD_FORM_KEY || form == TD_FORM_WRITES || form == TD_FORM_TRANSACTED_WRITES;
    return is_write ? TD_WRITE : TD_READ;
}

bool td_fault__fits(const td_request *request, const td_fault_rule *rule, const td_fault_target *target)
{
    if (rule->table.len > 0 && !td_slice_equal(rule->table, target->table)) return false;
    if (target->statement != NULL) {
        td_slice index = target->statement->index;
        if (rule->index.len > 0 && !td_slice_equal(rule->index, index)) return false;
        return rule->key_count == 0 || has_statement_key(request, rule, target->statement);
    }
    return rule->key_count == 0 || (target->attributes != NULL && has_key(request, rule, target->attributes));
}

/* By value: the number 1.0 is the number 1. What cannot be read is no key; the operation refuses it. */
static bool has_key(const td_request *request, const td_fault_rule *rule, const td_json *attributes)
{
    td_arena *arena = request->arena;
    bool is_equal = true;
    for (uint32_t i = 0; i < rule->key_count && is_equal; i++) {
        const td_fault_key *key = &rule->keys[i];
        const td_json *json = td_json_find(attributes, key->name);
        bool has_type = json != NULL && json->type == TD_JSON_OBJECT &&
                        td_json_find(json, td_slice_of_cstr(td_type_name(key->value.type))) != NULL;
        if (!has_type) return false;
        td_arena_mark mark = td_arena_get_mark(arena);
        td_error error = {.arena = arena};
        td_value value;
        is_equal = td_decode_value(json, arena, &value, &error) == TD_OK && td_value_equal(&value, &key->value);
        td_arena_rewind(arena, mark);
    }
    return is_equal;
}

/* The last place is taken again by what is too much: the operation refuses such a request. */
static td_fault_target *add_target(td_fault_targets *it, const td_json *json, td_slice table, const td_json *attributes)
{
    if (it->count < TARGETS_MAX) it->count++;
    td_fault_target *target = &it->at[it->count - 1];
    *target = (td_fault_target){.json = json, .table = table, .attributes = attributes};
    return target;
}

/* The name in a name or ARN; what is neither stays as it is, and the operation refuses it. */
static td_slice name_of(const td_request *request, td_slice text)
{
    td_error error = {.arena = request->arena};
    td_slice name;
    return td_table_name_parse(text, &name, &error) == TD_OK ? name : text;
}

static void add_gets(td_fault_targets *it, const td_request *request)
{
    const td_json *map = td_ops__get(request, TD_MEMBER_RequestItems);
    for (uint32_t i = 0; i < map->count && it->count < TARGETS_MAX; i++) {
        const td_json *keys = td_json_find(&map->children[i], TD_LIT("Keys"));
        td_slice table = name_of(request, map->children[i].name);
        for (uint32_t k = 0; keys != NULL && k < keys->count; k++) {
            td_fault_target *target = add_target(it, &keys->children[k], table, &keys->children[k]);
            target->structure = &map->children[i];
            target->members = &td_ops__table_members;
        }
    }
}

static void add_writes(td_fault_targets *it, const td_request *request)
{
    const td_json *map = td_ops__get(request, TD_MEMBER_RequestItems);
    for (uint32_t i = 0; i < map->count && it->count < TARGETS_MAX; i++) {
        const td_json *list = &map->children[i];
        td_slice table = name_of(request, list->name);
        for (uint32_t k = 0; k < list->count; k++) {
            const td_json *element = &list->children[k];
            const td_json *put = td_json_find(element, TD_LIT("PutRequest"));
            const td_json *delete = td_json_find(element, TD_LIT("DeleteRequest"));
            const td_json *attributes = put != NULL      ? td_json_find(put, TD_LIT("Item"))
                                        : delete != NULL ? td_json_find(delete, TD_LIT("Key"))
                                                         : NULL;
            (void)add_target(it, element, table, attributes);
        }
    }
}

/* An element with none of the actions that there are, or with several, the operation refuses. */
static void add_actions(td_fault_targets *it, const td_request *request)
{
    static const struct {
        td_slice member;
        td_slice action;
        td_slice attributes;
        const td_ops_inner *members;
        bool is_read;
    } actions[] = {
        {TD_LIT_INIT("Get"), TD_LIT_INIT("GetItem"), TD_LIT_INIT("Key"), &td_ops__get_members, true},
        {TD_LIT_INIT("Put"), TD_LIT_INIT("PutItem"), TD_LIT_INIT("Item"), &td_ops__write_members, false},
        {TD_LIT_INIT("Update"), TD_LIT_INIT("UpdateItem"), TD_LIT_INIT("Key"), &td_ops__update_members, false},
        {TD_LIT_INIT("Delete"), TD_LIT_INIT("DeleteItem"), TD_LIT_INIT("Key"), &td_ops__write_members, false},
        {TD_LIT_INIT("ConditionCheck"), TD_LIT_INIT("ConditionCheckItem"), TD_LIT_INIT("Key"), &td_ops__write_members,
         false},
    };
    const td_json *list = td_ops__get(request, TD_MEMBER_TransactItems);
    for (uint32_t i = 0; i < list->count; i++) {
        td_fault_target *target = add_target(it, &list->children[i], TD_LIT(""), NULL);
        for (size_t k = 0; k < TD_COUNT_OF(actions) && target->structure == NULL; k++) {
            bool is_of_operation = actions[k].is_read == (it->form == TD_FORM_TRANSACTED_GETS);
            const td_json *action = is_of_operation ? td_json_find(target->json, actions[k].member) : NULL;
            if (action == NULL) continue;
            target->structure = action;
            target->members = actions[k].members;
            target->action = actions[k].action;
            target->table = name_of(request, td_ops__text(td_json_find(action, TD_LIT("TableName"))));
            target->attributes = td_json_find(action, actions[k].attributes);
        }
    }
}

/* A statement that cannot be read is about nothing; the operation refuses it. */
static void add_statement(td_fault_targets *it, const td_request *request, const td_json *json)
{
    td_error error = td_ops__new_error(request);
    td_statement *statement = NULL;
    if (td_ops__read_whole_statement(request, json, &statement, &error) != TD_OK) {
        (void)add_target(it, json, TD_LIT(""), NULL);
        return;
    }
    if (it->count == 0 && td_statement_is_write(statement)) it->direction = TD_WRITE;
    add_target(it, json, name_of(request, statement->table), NULL)->statement = statement;
}

static void add_statements(td_fault_targets *it, const td_request *request, const td_json *list)
{
    for (uint32_t i = 0; i < list->count && it->count < TARGETS_MAX; i++)
        add_statement(it, request, &list->children[i]);
}

static bool has_item_key(const td_fault_rule *rule, const td_statement *statement)
{
    for (uint32_t i = 0; i < rule->key_count; i++) {
        const td_value *value = td_value_find(statement->item, statement->item_count, rule->keys[i].name);
        if (value == NULL || !td_value_equal(value, &rule->keys[i].value)) return false;
    }
    return true;
}

/* Of other statements, what WHERE says of the rule's attributes as if they were the table's key. */
static bool has_statement_key(const td_request *request, const td_fault_rule *rule, const td_statement *statement)
{
    if (statement->kind == TD_STATEMENT_INSERT) return has_item_key(rule, statement);
    td_key_schema schema = {.hash_count = 1, .range_count = (uint8_t)(rule->key_count - 1)};
    for (uint32_t i = 0; i < rule->key_count; i++)
        schema.parts[i] = (td_key_part){.name = rule->keys[i].name, .type = rule->keys[i].value.type};
    td_error error = td_ops__new_error(request);
    td_statement_keys found;
    if (td_statement_find_keys(statement, &schema, request->arena, &found, &error) != TD_OK) return false;
    for (uint32_t i = 0; found.is_whole && i < found.count; i++) {
        const td_key_range *range = &found.ranges[i];
        bool is_equal = td_slice_equal(range->hash_parts[0], rule->keys[0].value.bytes);
        if (rule->key_count > 1)
            is_equal = is_equal && td_slice_equal(range->equal_parts[0], rule->keys[1].value.bytes);
        if (is_equal) return true;
    }
    return false;
}

/* TableName, or the table in the ARN that stands in its place, which may be a stream's, or heads an iterator. */
static td_slice find_table(const td_request *request)
{
    static const td_member arns[] = {TD_MEMBER_ResourceArn, TD_MEMBER_StreamArn, TD_MEMBER_ShardIterator};
    if (request->call.table.len > 0) return request->call.table;
    for (size_t i = 0; i < TD_COUNT_OF(arns); i++) {
        td_slice arn = td_ops__text(td_ops__get(request, arns[i]));
        if (!td_slice_has_prefix(arn, TD_LIT("arn:"))) continue;
        const uint8_t *stream = memmem(arn.ptr, arn.len, "/stream/", 8);
        if (stream != NULL) arn.len = (size_t)(stream - arn.ptr);
        td_slice name = name_of(request, arn);
        return td_slice_equal(name, arn) ? TD_LIT("") : name;
    }
    return TD_LIT("");
}
