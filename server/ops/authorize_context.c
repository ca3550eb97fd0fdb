/* SPDX-License-Identifier: Apache-2.0
 * authorize_context.c: the keys of the context that policies test: what IAM knows of every request, and what DynamoDB
 * tells of one.
 *
 *   dynamodb:LeadingKeys, …FirstPartitionKeyValues to …Fourth…
 *                       values of the partition key that the request names; absent of a scan, and of a table that is
 *                       not there
 *   dynamodb:Attributes the top-level attributes that stand in it, wherever they do: keys, items, expressions
 *   dynamodb:Select     as given, or what holds without one; of a look-up SPECIFIC_ATTRIBUTES or ALL_ATTRIBUTES
 *   dynamodb:ReturnValues, ReturnConsumedCapacity   as given, or NONE
 *   dynamodb:EnclosingOperation   the transaction       dynamodb:FullTableScan   of a PartiQL SELECT
 *   aws:RequestTag/…, aws:TagKeys, aws:ResourceTag/…, and time, region, account, transport
 * Expressions are compiled as the operation compiles them; what cannot be compiled names nothing, and is refused there.
 * Source: Amazon DynamoDB Developer Guide, "Using IAM policy conditions for fine-grained access control". */
#include "authorize.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "thermodyn/text.h"
#include "wire/decode.h"

#include "statement.h"

#define KEYS_START 32

typedef struct texts {
    td_slice *at;
    uint32_t count;
    uint32_t room;
} texts;

typedef struct gathering {
    td_request *request;
    const td_access *access;
    td_iam_key *keys;
    uint32_t key_count;
    uint32_t key_room;
    texts attributes;
    texts hashes[TD_LIMIT_INDEX_HASH_PARTS_MAX];
    bool has_table;
    td_keys schema;  /* with has_table */
    bool has_failed; /* no memory */
} gathering;

static void gather_common(gathering *it);
static void gather_tags(gathering *it);
static void gather_item_keys(gathering *it);
static void gather_target(gathering *it, const td_fault_target *target);
static void gather_expressions(gathering *it);
static void gather_key_condition(gathering *it);
static void gather_statement(gathering *it, const td_statement *statement);
static void add_key(gathering *it, td_slice name, const td_slice *values, uint32_t count);
static void add_text_key(gathering *it, td_slice name, td_slice value);
static void visit_attribute(void *gathering, td_slice name);

td_status td_ops__gather_context(td_request *request, const td_access *access, const td_iam_key **ret_keys,
                                 uint32_t *ret_count)
{
    gathering it = {.request = request, .access = access};
    td_error own = request->error;
    gather_common(&it);
    gather_tags(&it);
    if (request->operation->form >= TD_FORM_PAGE) gather_item_keys(&it);
    request->error = own;
    if (it.has_failed) return TD_RAISE(&request->error, TD_MSG_OUT_OF_MEMORY);
    *ret_keys = it.keys;
    *ret_count = it.key_count;
    return TD_OK;
}

/* ---- lists in the arena ---- */

static void add_text(gathering *it, texts *list, td_slice text)
{
    if (list->count == list->room) {
        uint32_t room = list->room == 0 ? 8 : 2 * list->room;
        td_slice *grown = td_arena_alloc_array(it->request->arena, room, sizeof(*grown));
        if (grown == NULL) {
            it->has_failed = true;
            return;
        }
        if (list->count > 0) memcpy(grown, list->at, list->count * sizeof(*grown));
        list->at = grown;
        list->room = room;
    }
    list->at[list->count++] = text;
}

static void add_key(gathering *it, td_slice name, const td_slice *values, uint32_t count)
{
    if (it->key_count == it->key_room) {
        uint32_t room = it->key_room == 0 ? KEYS_START : 2 * it->key_room;
        td_iam_key *grown = td_arena_alloc_array(it->request->arena, room, sizeof(*grown));
        if (grown == NULL) {
            it->has_failed = true;
            return;
        }
        if (it->key_count > 0) memcpy(grown, it->keys, it->key_count * sizeof(*grown));
        it->keys = grown;
        it->key_room = room;
    }
    it->keys[it->key_count++] = (td_iam_key){name, values, count};
}

static void add_text_key(gathering *it, td_slice name, td_slice value)
{
    td_slice *kept = td_arena_alloc(it->request->arena, sizeof(*kept));
    if (kept == NULL) {
        it->has_failed = true;
        return;
    }
    *kept = value;
    add_key(it, name, kept, 1);
}

static void add_named_key(gathering *it, const char *prefix, td_slice name, td_slice value)
{
    td_slice whole;
    if (td_arena_format(it->request->arena, &whole, "%s%.*s", prefix, (int)name.len, (const char *)name.ptr)) {
        add_text_key(it, whole, value);
    } else {
        it->has_failed = true;
    }
}

static void visit_attribute(void *gathered, td_slice name)
{
    gathering *it = gathered;
    add_text(it, &it->attributes, name);
}

/* ---- what every request has ---- */

static void gather_common(gathering *it)
{
    td_request *request = it->request;
    const td_config *config = request->service->config;
    time_t seconds = (time_t)(request->call.now_us / TD_US_PER_S);
    struct tm utc;
    char date[32] = "";
    td_slice epoch;
    td_slice now;
    if (gmtime_r(&seconds, &utc) != NULL) (void)strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%SZ", &utc);
    if (!td_arena_copy(request->arena, td_slice_of_cstr(date), &now) ||
        !td_arena_format(request->arena, &epoch, "%" PRId64, (int64_t)seconds)) {
        it->has_failed = true;
        return;
    }
    bool is_secure = config->tls_self_signed || config->tls_cert[0] != '\0';
    add_text_key(it, TD_LIT("aws:CurrentTime"), now);
    add_text_key(it, TD_LIT("aws:EpochTime"), epoch);
    add_text_key(it, TD_LIT("aws:SecureTransport"), is_secure ? TD_LIT("true") : TD_LIT("false"));
    add_text_key(it, TD_LIT("aws:RequestedRegion"), request->call.region);
    add_text_key(it, TD_LIT("aws:ResourceAccount"), td_slice_of_cstr(config->account));
}

/* Tags that the request gives or takes away, and those that the table has. */
static void gather_tags(gathering *it)
{
    td_request *request = it->request;
    const td_json *given = td_ops__get(request, TD_MEMBER_Tags);
    const td_json *taken = td_ops__get(request, TD_MEMBER_TagKeys);
    texts names = {.count = 0};
    for (uint32_t i = 0; given != NULL && i < given->count; i++) {
        td_slice name = td_ops__text(td_json_find(&given->children[i], TD_LIT("Key")));
        add_named_key(it, "aws:RequestTag/", name, td_ops__text(td_json_find(&given->children[i], TD_LIT("Value"))));
        add_text(it, &names, name);
    }
    for (uint32_t i = 0; taken != NULL && i < taken->count; i++)
        add_text(it, &names, td_ops__text(&taken->children[i]));
    if (given != NULL || taken != NULL) add_key(it, TD_LIT("aws:TagKeys"), names.at, names.count);
    if (it->access->table.len == 0) return;
    td_call call = request->call;
    td_error error = td_ops__new_error(request);
    td_tag *tags = NULL;
    uint32_t count = 0;
    call.table = it->access->table;
    td_status status = td_tag_list(&call, &tags, &count, &error);
    if (status == TD_OUT_OF_MEMORY) it->has_failed = true;
    for (uint32_t i = 0; status == TD_OK && i < count; i++)
        add_named_key(it, "aws:ResourceTag/", tags[i].key, tags[i].value);
}

/* ---- items ---- */

/* Of the members that are entered. */
static td_slice select_of(const gathering *it)
{
    const td_request *request = it->request;
    td_slice given = td_ops__text(td_ops__get(request, TD_MEMBER_Select));
    bool has_list =
        td_ops__has(request, TD_MEMBER_ProjectionExpression) || td_ops__has(request, TD_MEMBER_AttributesToGet);
    if (given.len > 0) return given;
    if (has_list) return TD_LIT("SPECIFIC_ATTRIBUTES");
    return it->access->index.len > 0 ? TD_LIT("ALL_PROJECTED_ATTRIBUTES") : TD_LIT("ALL_ATTRIBUTES");
}

static bool returns_values(td_operation_form form)
{
    return form == TD_FORM_ITEM || form == TD_FORM_KEY;
}

static void gather_choices(gathering *it)
{
    const td_request *request = it->request;
    td_operation_form form = request->operation->form;
    const td_fault_target *target = it->access->targets;
    td_slice values = td_ops__text(td_ops__get(request, TD_MEMBER_ReturnValues));
    td_slice capacity = td_ops__text(td_ops__get(request, TD_MEMBER_ReturnConsumedCapacity));
    bool has_index = it->access->index.len > 0;
    if (target->statement != NULL && target->statement->kind == TD_STATEMENT_SELECT) {
        td_slice all = has_index ? TD_LIT("ALL_PROJECTED_ATTRIBUTES") : TD_LIT("ALL_ATTRIBUTES");
        add_text_key(it, TD_LIT("dynamodb:Select"),
                     target->statement->projection == NULL ? all : TD_LIT("SPECIFIC_ATTRIBUTES"));
    }
    if (returns_values(form)) {
        add_text_key(it, TD_LIT("dynamodb:ReturnValues"), values.len > 0 ? values : TD_LIT("NONE"));
    }
    add_text_key(it, TD_LIT("dynamodb:ReturnConsumedCapacity"), capacity.len > 0 ? capacity : TD_LIT("NONE"));
    if (form == TD_FORM_TRANSACTED_GETS || form == TD_FORM_TRANSACTED_WRITES || form == TD_FORM_TRANSACTED_STATEMENTS) {
        add_text_key(it, TD_LIT("dynamodb:EnclosingOperation"), request->operation->name);
    }
}

static void gather_item_keys(gathering *it)
{
    static const td_slice names[] = {
        TD_LIT_INIT("dynamodb:FirstPartitionKeyValues"), TD_LIT_INIT("dynamodb:SecondPartitionKeyValues"),
        TD_LIT_INIT("dynamodb:ThirdPartitionKeyValues"), TD_LIT_INIT("dynamodb:FourthPartitionKeyValues")};
    td_call call = it->request->call;
    td_error error = td_ops__new_error(it->request);
    call.table = it->access->table;
    td_status status = td_table_find_keys(&call, it->access->index, &it->schema, &error);
    if (status == TD_OUT_OF_MEMORY) it->has_failed = true;
    it->has_table = status == TD_OK;
    for (uint32_t i = 0; i < it->access->target_count; i++)
        gather_target(it, &it->access->targets[i]);
    gather_choices(it);
    add_key(it, TD_LIT("dynamodb:Attributes"), it->attributes.at, it->attributes.count);
    if (it->hashes[0].count > 0) add_key(it, TD_LIT("dynamodb:LeadingKeys"), it->hashes[0].at, it->hashes[0].count);
    for (size_t i = 0; i < TD_COUNT_OF(names); i++) {
        if (it->hashes[i].count > 0) add_key(it, names[i], it->hashes[i].at, it->hashes[i].count);
    }
}

/* A key's value as policies write it. `bytes`: as in td_value. */
static void add_hash(gathering *it, uint32_t part, td_type type, td_slice bytes)
{
    td_arena *arena = it->request->arena;
    char number[TD_NUMBER_TEXT_MAX];
    td_slice text = bytes;
    bool is_made = true;
    if (type == TD_TYPE_N) {
        is_made = td_arena_copy(arena, td_slice_of(number, td_number_print(bytes, number)), &text);
    } else if (type == TD_TYPE_B) {
        uint8_t *encoded = td_arena_alloc(arena, td_base64_encoded_len(bytes.len));
        is_made = encoded != NULL;
        if (is_made) text = td_slice_of(encoded, td_base64_encode(bytes, encoded));
    }
    if (is_made) {
        add_text(it, &it->hashes[part], text);
    } else {
        it->has_failed = true;
    }
}

/* Of a key or an item of the table; one of another type is refused by the operation. */
static void add_hash_of(gathering *it, const td_json *attributes)
{
    td_error error = td_ops__new_error(it->request);
    td_value value;
    const td_key_part *part = &it->schema.table->parts[0];
    const td_json *json = td_json_find(attributes, part->name);
    if (json == NULL) return;
    td_status status = td_decode_value(json, it->request->arena, &value, &error);
    if (status == TD_OUT_OF_MEMORY) it->has_failed = true;
    if (status == TD_OK && value.type == part->type) add_hash(it, 0, value.type, value.bytes);
}

/* What stands beside the keys: of one table of a batch, the same for all of them. */
static void gather_parameters(gathering *it, const td_fault_target *target)
{
    td_request *request = it->request;
    td_operation_form form = request->operation->form;
    const td_members own = request->members;
    if (target->members != NULL) td_ops__enter(request, target->members, target->structure);
    gather_expressions(it);
    if (form == TD_FORM_PAGE) gather_key_condition(it);
    bool is_read =
        form == TD_FORM_PAGE || form == TD_FORM_GET || form == TD_FORM_GETS || form == TD_FORM_TRANSACTED_GETS;
    if (is_read) add_text_key(it, TD_LIT("dynamodb:Select"), select_of(it));
    request->members = own;
}

static void gather_target(gathering *it, const td_fault_target *target)
{
    for (uint32_t i = 0; target->attributes != NULL && i < target->attributes->count; i++)
        add_text(it, &it->attributes, target->attributes->children[i].name);
    if (target->attributes != NULL && it->has_table) add_hash_of(it, target->attributes);
    if (target->statement != NULL) {
        gather_statement(it, target->statement);
    } else if (target == it->access->targets) {
        gather_parameters(it, target);
    }
}

/* ---- expressions ---- */

static void note_status(gathering *it, td_status status)
{
    if (status == TD_OUT_OF_MEMORY) it->has_failed = true;
}

static void gather_expressions(gathering *it)
{
    static const td_member conditions[] = {TD_MEMBER_ConditionExpression, TD_MEMBER_FilterExpression};
    static const td_member maps[] = {TD_MEMBER_Expected, TD_MEMBER_QueryFilter, TD_MEMBER_ScanFilter,
                                     TD_MEMBER_KeyConditions, TD_MEMBER_AttributeUpdates};
    td_request *request = it->request;
    const td_json *update_text = td_ops__get(request, TD_MEMBER_UpdateExpression);
    const td_json *listed = td_ops__get(request, TD_MEMBER_AttributesToGet);
    td_expr_marks marks = {.name_count = 0};
    td_projection *projection = NULL;
    td_update *update = NULL;
    td_status status = td_ops__read_marks(request, &marks);
    note_status(it, status);
    if (status == TD_OK) note_status(it, td_ops__read_projection(request, &marks, &projection));
    if (projection != NULL) td_projection_visit_attributes(projection, visit_attribute, it);
    for (size_t i = 0; status == TD_OK && i < TD_COUNT_OF(conditions); i++) {
        td_condition *condition = NULL;
        note_status(it, td_ops__read_condition(request, conditions[i], &marks, &condition));
        if (condition != NULL) td_condition_visit_attributes(condition, visit_attribute, it);
    }
    if (status == TD_OK && update_text != NULL) {
        note_status(it, td_update_compile(update_text->text, &marks, request->arena, &update, &request->error));
    }
    if (update != NULL) td_update_visit_attributes(update, visit_attribute, it);
    for (uint32_t i = 0; listed != NULL && i < listed->count; i++)
        add_text(it, &it->attributes, td_ops__text(&listed->children[i]));
    for (size_t i = 0; i < TD_COUNT_OF(maps); i++) {
        const td_json *map = td_ops__get(request, maps[i]);
        for (uint32_t k = 0; map != NULL && k < map->count; k++)
            add_text(it, &it->attributes, map->children[k].name);
    }
}

/* Of a Query, in the one style or the other: what it fits to names the attributes and the partition. */
static void gather_key_condition(gathering *it)
{
    td_request *request = it->request;
    const td_json *text = td_ops__get(request, TD_MEMBER_KeyConditionExpression);
    td_key_condition *condition = NULL;
    td_expr_marks marks;
    td_status status = TD_OK;
    if (text != NULL) {
        status = td_ops__read_marks(request, &marks);
        if (status == TD_OK) {
            status = td_key_condition_compile(text->text, &marks, request->arena, &condition, &request->error);
        }
    } else if (td_ops__has(request, TD_MEMBER_KeyConditions)) {
        status = td_ops__read_key_conditions(request, &condition);
    }
    note_status(it, status);
    if (status != TD_OK || condition == NULL || !it->has_table) return;
    const td_key_schema *schema = it->schema.index == NULL ? it->schema.table : it->schema.index;
    td_key_range range;
    status = td_key_condition_bind(condition, schema, &range, &request->error);
    note_status(it, status);
    if (status != TD_OK) return;
    uint32_t named = (uint32_t)schema->hash_count + range.equal_count + (range.kind != TD_RANGE_ALL);
    for (uint32_t i = 0; i < named; i++)
        add_text(it, &it->attributes, schema->parts[i].name);
    for (uint32_t i = 0; i < schema->hash_count; i++)
        add_hash(it, i, schema->parts[i].type, range.hash_parts[i]);
}

/* ---- statements ---- */

static void gather_ranges(gathering *it, const td_statement *statement)
{
    const td_key_schema *schema = it->schema.index == NULL ? it->schema.table : it->schema.index;
    td_error error = td_ops__new_error(it->request);
    td_statement_keys found = {.count = 0};
    td_status status = td_statement_find_keys(statement, schema, it->request->arena, &found, &error);
    note_status(it, status);
    if (status != TD_OK) return;
    for (uint32_t i = 0; i < found.count; i++)
        add_hash(it, 0, schema->parts[0].type, found.ranges[i].hash_parts[0]);
    add_text_key(it, TD_LIT("dynamodb:FullTableScan"), found.is_keyed ? TD_LIT("false") : TD_LIT("true"));
}

static void gather_statement(gathering *it, const td_statement *statement)
{
    for (uint32_t i = 0; i < statement->selected_count; i++)
        add_text(it, &it->attributes, statement->selected[i]);
    for (uint32_t i = 0; i < statement->filtered_count; i++)
        add_text(it, &it->attributes, statement->filtered[i]);
    for (uint32_t i = 0; i < statement->item_count; i++)
        add_text(it, &it->attributes, statement->item[i].name);
    if (statement->update != NULL) td_update_visit_attributes(statement->update, visit_attribute, it);
    if (!it->has_table) return;
    const td_key_part *part = &it->schema.table->parts[0];
    if (statement->kind == TD_STATEMENT_SELECT) {
        gather_ranges(it, statement);
    } else if (statement->kind == TD_STATEMENT_INSERT) {
        const td_value *value = td_value_find(statement->item, statement->item_count, part->name);
        if (value != NULL && value->type == part->type) add_hash(it, 0, value->type, value->bytes);
    } else {
        td_error error = td_ops__new_error(it->request);
        td_attribute *key = NULL;
        bool has_rest = false;
        td_status status =
            td_statement_find_key(statement, it->schema.table, it->request->arena, &key, &has_rest, &error);
        note_status(it, status);
        if (status == TD_OK && key[0].value.type == part->type) add_hash(it, 0, part->type, key[0].value.bytes);
    }
}
