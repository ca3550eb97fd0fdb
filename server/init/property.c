/* SPDX-License-Identifier: Apache-2.0
 * property.c: how each property of a table is read (resource.def). */
#include "template.h"

#define TABLE TD_INIT_TABLE
#define GLOBAL TD_INIT_GLOBAL
#define SIMPLE TD_INIT_SIMPLE
#define ANY (TABLE | GLOBAL | SIMPLE)

typedef bool (*reader)(td_init_making *it, const td_init_node *property);

static bool copy(td_init_making *it, const td_init_node *property);
static bool skip(td_init_making *it, const td_init_node *property);
static bool read_primary_key(td_init_making *it, const td_init_node *property);
static bool read_indexes(td_init_making *it, const td_init_node *property);
static bool read_stream(td_init_making *it, const td_init_node *property);
static bool read_encryption(td_init_making *it, const td_init_node *property);
static bool read_tags(td_init_making *it, const td_init_node *property);
static bool read_policy(td_init_making *it, const td_init_node *property);
static bool read_expiry(td_init_making *it, const td_init_node *property);
static bool read_recovery(td_init_making *it, const td_init_node *property);
static bool read_insights(td_init_making *it, const td_init_node *property);
static bool read_global_throughput(td_init_making *it, const td_init_node *property);

static const struct {
    td_slice name;
    unsigned types;
    reader read;
} rows[] = {
#define TD_PROPERTY(name, types, reader) {TD_LIT_INIT(#name), types, reader},
#include "resource.def"
#undef TD_PROPERTY
};
_Static_assert(TD_COUNT_OF(rows) < TD_INIT_REQUEST_MEMBERS_MAX, "there is room for every property");

static bool read_property(td_init_making *it, const td_init_node *property);
static bool read_defaults_of_simple(td_init_making *it);
static bool has(const td_init_making *it, td_slice name);
static td_init_node *new_map(td_init_making *it, uint32_t line, uint32_t capacity);
static bool put(td_init_node *map, td_slice name, const td_init_node *value);
static bool put_text(td_init_making *it, td_init_node *map, td_slice name, td_slice text);
static bool resolve_member(td_init_making *it, const td_init_node *map, td_slice name, const td_init_node **ret_member);
static bool resolve_text(td_init_making *it, const td_init_node *map, td_slice name, td_slice otherwise,
                         td_slice *ret_text);

bool td_init__read_properties(td_init_making *it)
{
    if (!put_text(it, it->request, TD_LIT("TableName"), it->table)) return false;
    for (uint32_t i = 0; it->properties != NULL && i < it->properties->count; i++)
        if (!read_property(it, &it->properties->children[i])) return false;
    return it->type != SIMPLE || read_defaults_of_simple(it);
}

static bool read_property(td_init_making *it, const td_init_node *property)
{
    for (size_t i = 0; i < TD_COUNT_OF(rows); i++) {
        if (td_slice_equal(rows[i].name, property->name) && (rows[i].types & it->type) != 0) {
            return rows[i].read(it, property);
        }
    }
    return td_init__refuse_at(it->template, property, "the table %.*s has an unknown property %.*s", (int)it->table.len,
                              (const char *)it->table.ptr, (int)property->name.len, (const char *)property->name.ptr);
}

/* Source: AWS SAM developer guide, AWS::Serverless::SimpleTable. */
static bool read_defaults_of_simple(td_init_making *it)
{
    if (!has(it, TD_LIT("KeySchema"))) {
        const td_init_node *none = new_map(it, it->request->line, 0);
        if (none == NULL || !read_primary_key(it, none)) return false;
    }
    if (has(it, TD_LIT("ProvisionedThroughput"))) return true;
    return put_text(it, it->request, TD_LIT("BillingMode"), TD_LIT("PAY_PER_REQUEST"));
}

/* ---- readers -------------------------------------------------------------------------------------------------------
 */

static bool copy(td_init_making *it, const td_init_node *property)
{
    const td_init_node *value = NULL;
    if (!td_init__resolve(it->template, property, 0, &value)) return false;
    return value == NULL || put(it->request, property->name, value);
}

static bool skip(td_init_making *it, const td_init_node *property)
{
    (void)it;
    (void)property;
    return true;
}

static bool put_list_of_one(td_init_making *it, td_slice name, const td_init_node *map)
{
    td_init_node *list = td_init__node_new(&it->template->init->arena, TD_INIT_LIST, map->line, 1);
    if (list == NULL) return td_init__refuse_memory(it->template->init);
    td_init__node_add(list, TD_LIT(""), map);
    return put(it->request, name, list);
}

static bool read_primary_key(td_init_making *it, const td_init_node *property)
{
    static const struct {
        td_slice name;
        td_slice type;
    } scalars[] = {{TD_LIT_INIT("String"), TD_LIT_INIT("S")},
                   {TD_LIT_INIT("Number"), TD_LIT_INIT("N")},
                   {TD_LIT_INIT("Binary"), TD_LIT_INIT("B")}};
    td_slice attribute;
    td_slice type = {NULL, 0};
    if (!resolve_text(it, property, TD_LIT("Name"), TD_LIT("id"), &attribute) ||
        !resolve_text(it, property, TD_LIT("Type"), TD_LIT("String"), &type)) {
        return false;
    }
    td_slice letter = {NULL, 0};
    for (size_t i = 0; i < TD_COUNT_OF(scalars); i++)
        if (td_slice_equal(type, scalars[i].name)) letter = scalars[i].type;
    if (letter.len == 0) return td_init__refuse_at(it->template, property, "Type must be String, Number or Binary");
    td_init_node *definition = new_map(it, property->line, 2);
    td_init_node *key = new_map(it, property->line, 2);
    return definition != NULL && key != NULL && put_text(it, definition, TD_LIT("AttributeName"), attribute) &&
           put_text(it, definition, TD_LIT("AttributeType"), letter) &&
           put_text(it, key, TD_LIT("AttributeName"), attribute) &&
           put_text(it, key, TD_LIT("KeyType"), TD_LIT("HASH")) &&
           put_list_of_one(it, TD_LIT("AttributeDefinitions"), definition) &&
           put_list_of_one(it, TD_LIT("KeySchema"), key);
}

static bool read_stream(td_init_making *it, const td_init_node *property)
{
    const td_init_node *view = NULL;
    if (!resolve_member(it, property, TD_LIT("StreamViewType"), &view)) return false;
    if (view == NULL) return true;
    td_init_node *stream = new_map(it, property->line, 2);
    return stream != NULL && put_text(it, stream, TD_LIT("StreamEnabled"), TD_LIT("true")) &&
           put(stream, TD_LIT("StreamViewType"), view) && put(it->request, property->name, stream);
}

/* Which key it is encrypted with is a matter of a deployment. */
static bool read_encryption(td_init_making *it, const td_init_node *property)
{
    const td_init_node *is_enabled = NULL;
    if (!resolve_member(it, property, TD_LIT("SSEEnabled"), &is_enabled)) return false;
    if (!td_init__node_is_text(is_enabled, TD_LIT("true"))) return true;
    td_init_node *encryption = new_map(it, property->line, 1);
    return encryption != NULL && put_text(it, encryption, TD_LIT("Enabled"), TD_LIT("true")) &&
           put(it->request, property->name, encryption);
}

/* CloudFormation has a list of keys and values, SAM a map. */
static bool read_tags(td_init_making *it, const td_init_node *property)
{
    const td_init_node *tags = NULL;
    if (!td_init__resolve(it->template, property, 0, &tags)) return false;
    if (tags == NULL) return true;
    if (tags->kind != TD_INIT_MAP) return put(it->request, property->name, tags);
    td_init_node *list = td_init__node_new(&it->template->init->arena, TD_INIT_LIST, tags->line, tags->count);
    if (list == NULL) return td_init__refuse_memory(it->template->init);
    for (uint32_t i = 0; i < tags->count; i++) {
        const td_init_node *value = &tags->children[i];
        td_init_node *tag = new_map(it, value->line, 2);
        if (tag == NULL || !put_text(it, tag, TD_LIT("Key"), value->name) || !put(tag, TD_LIT("Value"), value)) {
            return false;
        }
        td_init__node_add(list, TD_LIT(""), tag);
    }
    return put(it->request, property->name, list);
}

/* A template has the document itself, a request its text. */
static bool read_policy(td_init_making *it, const td_init_node *property)
{
    td_init *init = it->template->init;
    const td_init_node *document = NULL;
    td_slice text;
    if (!resolve_member(it, property, TD_LIT("PolicyDocument"), &document)) return false;
    if (document == NULL) return true;
    td_buf_clear(&init->body);
    td_init__node_write(&init->body, document);
    if (td_buf_has_failed(&init->body) || !td_arena_copy(&init->arena, td_buf_contents(&init->body), &text)) {
        return td_init__refuse_memory(init);
    }
    return put_text(it, it->request, property->name, text);
}

/* ---- what is said about a table when it is there -------------------------------------------------------------------
 */

/* The request of a change, with the table's name and room for three members. */
static td_init_node *new_change(td_init_making *it, const td_init_node *at)
{
    td_init_node *body = new_map(it, at->line, 4);
    return body != NULL && put_text(it, body, TD_LIT("TableName"), it->table) ? body : NULL;
}

static bool add_change(td_init_making *it, td_slice operation, const td_init_node *body)
{
    return td_init__add_change(it->template->init, it->template->path, operation, body, &it->changes);
}

static bool read_expiry(td_init_making *it, const td_init_node *property)
{
    const td_init_node *value = NULL;
    if (!td_init__resolve(it->template, property, 0, &value)) return false;
    if (!td_init__node_is_text(td_init__node_find(value, TD_LIT("Enabled")), TD_LIT("true"))) return true;
    td_init_node *body = new_change(it, property);
    return body != NULL && put(body, property->name, value) && add_change(it, TD_LIT("UpdateTimeToLive"), body);
}

static bool read_recovery(td_init_making *it, const td_init_node *property)
{
    const td_init_node *is_enabled = NULL;
    const td_init_node *days = NULL;
    if (!resolve_member(it, property, TD_LIT("PointInTimeRecoveryEnabled"), &is_enabled) ||
        !resolve_member(it, property, TD_LIT("RecoveryPeriodInDays"), &days)) {
        return false;
    }
    if (!td_init__node_is_text(is_enabled, TD_LIT("true"))) return true;
    td_init_node *body = new_change(it, property);
    td_init_node *recovery = new_map(it, property->line, 2);
    return body != NULL && recovery != NULL && put(recovery, TD_LIT("PointInTimeRecoveryEnabled"), is_enabled) &&
           (days == NULL || put(recovery, TD_LIT("RecoveryPeriodInDays"), days)) &&
           put(body, property->name, recovery) && add_change(it, TD_LIT("UpdateContinuousBackups"), body);
}

static bool enable_insights(td_init_making *it, const td_init_node *property, const td_init_node *index)
{
    const td_init_node *is_enabled = NULL;
    const td_init_node *mode = NULL;
    if (!resolve_member(it, property, TD_LIT("Enabled"), &is_enabled) ||
        !resolve_member(it, property, TD_LIT("Mode"), &mode)) {
        return false;
    }
    if (!td_init__node_is_text(is_enabled, TD_LIT("true"))) return true;
    td_init_node *body = new_change(it, property);
    return body != NULL && put_text(it, body, TD_LIT("ContributorInsightsAction"), TD_LIT("ENABLE")) &&
           (index == NULL || put(body, TD_LIT("IndexName"), index)) &&
           (mode == NULL || put(body, TD_LIT("ContributorInsightsMode"), mode)) &&
           add_change(it, TD_LIT("UpdateContributorInsights"), body);
}

static bool read_insights(td_init_making *it, const td_init_node *property)
{
    return enable_insights(it, property, NULL);
}

/* ---- global tables, and indexes ------------------------------------------------------------------------------------
 */

/* The settings of a read or write throughput: units, or the least that scaling goes to. */
static const td_init_node *units_of(const td_init_node *settings, td_slice units, td_slice scaling)
{
    const td_init_node *fixed = td_init__node_find(settings, units);
    if (fixed != NULL) return fixed;
    return td_init__node_find(td_init__node_find(settings, scaling), TD_LIT("MinCapacity"));
}

/* Writes are set for the table, reads for each replica: the first one's count. */
static bool put_global_throughput(td_init_making *it, const td_init_node *write_settings,
                                  const td_init_node *read_settings, td_init_node *map)
{
    const td_init_node *write =
        units_of(write_settings, TD_LIT("WriteCapacityUnits"), TD_LIT("WriteCapacityAutoScalingSettings"));
    const td_init_node *read =
        units_of(read_settings, TD_LIT("ReadCapacityUnits"), TD_LIT("ReadCapacityAutoScalingSettings"));
    if (write == NULL || read == NULL) {
        return td_init__refuse_at(it->template, write_settings,
                                  "a provisioned global table must have MinCapacity of writes, and of its first "
                                  "replica's reads");
    }
    td_init_node *throughput = new_map(it, write_settings->line, 2);
    return throughput != NULL && put(throughput, TD_LIT("ReadCapacityUnits"), read) &&
           put(throughput, TD_LIT("WriteCapacityUnits"), write) &&
           put(map, TD_LIT("ProvisionedThroughput"), throughput);
}

static bool find_first_replica(td_init_making *it, const td_init_node **ret_replica)
{
    const td_init_node *replicas = NULL;
    if (!resolve_member(it, it->properties, TD_LIT("Replicas"), &replicas)) return false;
    bool is_there = replicas != NULL && replicas->kind == TD_INIT_LIST && replicas->count > 0;
    *ret_replica = is_there ? &replicas->children[0] : NULL;
    return true;
}

static bool read_global_throughput(td_init_making *it, const td_init_node *property)
{
    const td_init_node *replica = NULL;
    const td_init_node *settings = NULL;
    if (!find_first_replica(it, &replica) || !td_init__resolve(it->template, property, 0, &settings)) return false;
    if (settings == NULL) return true;
    return put_global_throughput(it, settings, td_init__node_find(replica, TD_LIT("ReadProvisionedThroughputSettings")),
                                 it->request);
}

static bool read_index_throughput(td_init_making *it, const td_init_node *settings, const td_init_node *name,
                                  td_init_node *index)
{
    const td_init_node *replica = NULL;
    const td_init_node *read_settings = NULL;
    if (!find_first_replica(it, &replica)) return false;
    const td_init_node *others = td_init__node_find(replica, TD_LIT("GlobalSecondaryIndexes"));
    for (uint32_t i = 0; others != NULL && others->kind == TD_INIT_LIST && i < others->count; i++) {
        const td_init_node *other = &others->children[i];
        bool is_it = name != NULL && name->kind == TD_INIT_SCALAR &&
                     td_init__node_is_text(td_init__node_find(other, TD_LIT("IndexName")), name->text);
        if (is_it) read_settings = td_init__node_find(other, TD_LIT("ReadProvisionedThroughputSettings"));
    }
    return put_global_throughput(it, settings, read_settings, index);
}

static bool read_index(td_init_making *it, const td_init_node *index, td_init_node *list)
{
    const td_init_node *name = td_init__node_find(index, TD_LIT("IndexName"));
    td_init_node *made = new_map(it, index->line, index->count + 1);
    if (made == NULL) return false;
    for (uint32_t i = 0; i < index->count; i++) {
        const td_init_node *member = &index->children[i];
        bool is_good = true;
        if (td_slice_equal(member->name, TD_LIT("ContributorInsightsSpecification"))) {
            is_good = enable_insights(it, member, name);
        } else if (td_slice_equal(member->name, TD_LIT("WriteProvisionedThroughputSettings"))) {
            is_good = read_index_throughput(it, member, name, made);
        } else if (!td_slice_equal(member->name, TD_LIT("WriteOnDemandThroughputSettings"))) {
            is_good = put(made, member->name, member);
        }
        if (!is_good) return false;
    }
    td_init__node_add(list, TD_LIT(""), made);
    return true;
}

static bool read_indexes(td_init_making *it, const td_init_node *property)
{
    const td_init_node *indexes = NULL;
    if (!td_init__resolve(it->template, property, 0, &indexes)) return false;
    if (indexes == NULL) return true;
    td_init_node *list = td_init__node_new(&it->template->init->arena, TD_INIT_LIST, indexes->line, indexes->count);
    if (list == NULL) return td_init__refuse_memory(it->template->init);
    for (uint32_t i = 0; i < indexes->count && indexes->kind == TD_INIT_LIST; i++) {
        const td_init_node *index = &indexes->children[i];
        if (index->kind != TD_INIT_MAP) return td_init__refuse_at(it->template, index, "an index must be a map");
        if (!read_index(it, index, list)) return false;
    }
    return put(it->request, property->name, list);
}

/* ---- maps in the making --------------------------------------------------------------------------------------------
 */

static bool has(const td_init_making *it, td_slice name)
{
    return td_init__node_find(it->request, name) != NULL;
}

static td_init_node *new_map(td_init_making *it, uint32_t line, uint32_t capacity)
{
    td_init_node *map = td_init__node_new(&it->template->init->arena, TD_INIT_MAP, line, capacity);
    if (map == NULL) (void)td_init__refuse_memory(it->template->init);
    return map;
}

/* Answers true, to stand among what can fail. */
static bool put(td_init_node *map, td_slice name, const td_init_node *value)
{
    td_init__node_add(map, name, value);
    return true;
}

static bool put_text(td_init_making *it, td_init_node *map, td_slice name, td_slice text)
{
    const td_init_node *value = td_init__node_new_text(&it->template->init->arena, map->line, text);
    return value == NULL ? td_init__refuse_memory(it->template->init) : put(map, name, value);
}

/* The member without functions; NULL: there is none. Of the others nothing is resolved. */
static bool resolve_member(td_init_making *it, const td_init_node *map, td_slice name, const td_init_node **ret_member)
{
    *ret_member = NULL;
    bool is_function = map != NULL && map->kind == TD_INIT_MAP && map->count == 1 &&
                       td_slice_has_prefix(map->children[0].name, TD_LIT("Fn::"));
    if (is_function && !td_init__resolve(it->template, map, 0, &map)) return false;
    const td_init_node *member = td_init__node_find(map, name);
    return member == NULL || td_init__resolve(it->template, member, 0, ret_member);
}

static bool resolve_text(td_init_making *it, const td_init_node *map, td_slice name, td_slice otherwise,
                         td_slice *ret_text)
{
    const td_init_node *member = NULL;
    if (!resolve_member(it, map, name, &member)) return false;
    if (member != NULL && member->kind != TD_INIT_SCALAR) {
        return td_init__refuse_at(it->template, member, "%.*s must be a text", (int)name.len, (const char *)name.ptr);
    }
    *ret_text = member == NULL ? otherwise : member->text;
    return true;
}
