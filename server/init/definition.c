/* SPDX-License-Identifier: Apache-2.0
 * definition.c: a document of definitions → tables. What a document is, its members tell:
 *
 *   KeySchema                      a request of CreateTable
 *   a list                         several of them, and requests that change the tables before them (changes)
 *   Resources                      a template of CloudFormation or SAM
 *   resources, in it Resources     a serverless.yml (its resources may also be a list)
 *   members with a Type "AWS::…"   the resources of such a file alone
 */
#include "source.h"

static bool read_text(td_init *init, const char *path, td_slice text);
static bool read_document(td_init *init, const char *path, const td_init_node *root);
static bool read_requests(td_init *init, const char *path, const td_init_node *list);
static bool read_change(td_init *init, const char *path, const td_init_node *request);
static td_init_table *find_table(const td_init *init, const td_init_node *name);
static bool read_serverless(td_init *init, const char *path, const td_init_node *root, const td_init_node *resources);
static bool has_resources(const td_init_node *map);

bool td_init__read_definitions(td_init *init, const char *path)
{
    td_init_source source;
    bool is_read = td_init__source_open(&source, init, path);
    if (is_read) is_read = td_init__source_read_all(&source);
    if (is_read) is_read = read_text(init, path, td_init__source_rest(&source));
    td_init__source_close(&source);
    return is_read;
}

static bool read_text(td_init *init, const char *path, td_slice text)
{
    const td_init_node *root = NULL;
    uint32_t line = 0;
    char sentence[TD_INIT_NODE_SENTENCE_BYTES];
    if (!td_init__node_read(text, &init->arena, &root, &line, sentence)) {
        return td_init__refuse(init, path, line, "%s", sentence);
    }
    return read_document(init, path, root);
}

static bool read_document(td_init *init, const char *path, const td_init_node *root)
{
    if (root->kind == TD_INIT_LIST) return read_requests(init, path, root);
    const td_init_node *resources = td_init__node_find(root, TD_LIT("Resources"));
    if (resources != NULL) return td_init__read_resources(init, path, root, root, resources);
    resources = td_init__node_find(root, TD_LIT("resources"));
    if (resources != NULL) return read_serverless(init, path, root, resources);
    if (has_resources(root)) return td_init__read_resources(init, path, root, root, root);
    if (td_init__node_find(root, TD_LIT("KeySchema")) != NULL) return td_init__add_table(init, path, root, NULL);
    return td_init__refuse(init, path, root->line,
                           "defines no table: it has neither a KeySchema (a request of "
                           "CreateTable) nor Resources (a template)");
}

static bool read_requests(td_init *init, const char *path, const td_init_node *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        const td_init_node *request = &list->children[i];
        bool makes = td_init__node_find(request, TD_LIT("KeySchema")) != NULL;
        bool is_added = makes ? td_init__add_table(init, path, request, NULL) : read_change(init, path, request);
        if (!is_added) return false;
    }
    return true;
}

/* What CreateTable does not take: which operation it is, a member tells that no other has. */
static bool read_change(td_init *init, const char *path, const td_init_node *request)
{
    static const struct {
        td_slice member;
        td_slice operation;
    } changes[] = {
        {TD_LIT_INIT("TimeToLiveSpecification"), TD_LIT_INIT("UpdateTimeToLive")},
        {TD_LIT_INIT("PointInTimeRecoverySpecification"), TD_LIT_INIT("UpdateContinuousBackups")},
        {TD_LIT_INIT("ContributorInsightsAction"), TD_LIT_INIT("UpdateContributorInsights")},
    };
    for (size_t i = 0; i < TD_COUNT_OF(changes); i++) {
        if (td_init__node_find(request, changes[i].member) == NULL) continue;
        td_init_table *table = find_table(init, td_init__node_find(request, TD_LIT("TableName")));
        if (table != NULL) return td_init__add_change(init, path, changes[i].operation, request, &table->changes);
        return td_init__refuse(init, path, request->line,
                               "a request of %.*s must name a table that is defined before it",
                               (int)changes[i].operation.len, (const char *)changes[i].operation.ptr);
    }
    return td_init__refuse(init, path, request->line, "a request of CreateTable must have a KeySchema");
}

/* The last one of that name; NULL: there is none. */
static td_init_table *find_table(const td_init *init, const td_init_node *name)
{
    td_init_table *found = NULL;
    for (td_init_table *table = init->tables; table != NULL; table = table->next)
        if (td_init__node_is_text(name, table->create.table)) found = table;
    return found;
}

static bool read_serverless(td_init *init, const char *path, const td_init_node *root, const td_init_node *resources)
{
    if (resources->kind == TD_INIT_LIST) {
        for (uint32_t i = 0; i < resources->count; i++)
            if (!read_serverless(init, path, root, &resources->children[i])) return false;
        return true;
    }
    if (resources->kind == TD_INIT_SCALAR) {
        return td_init__refuse(init, path, resources->line,
                               "other files are not followed: name the file of the "
                               "resources itself");
    }
    const td_init_node *inner = td_init__node_find(resources, TD_LIT("Resources"));
    return inner == NULL || td_init__read_resources(init, path, root, resources, inner);
}

static bool has_resources(const td_init_node *map)
{
    if (map->kind != TD_INIT_MAP) return false;
    for (uint32_t i = 0; i < map->count; i++) {
        const td_init_node *type = td_init__node_find(&map->children[i], TD_LIT("Type"));
        if (type != NULL && type->kind == TD_INIT_SCALAR && td_slice_has_prefix(type->text, TD_LIT("AWS::")))
            return true;
    }
    return false;
}

static bool write_body(td_init *init, const td_init_node *node, td_slice *ret_body)
{
    td_buf_clear(&init->body);
    td_init__node_write(&init->body, node);
    return !td_buf_has_failed(&init->body) && td_arena_copy(&init->arena, td_buf_contents(&init->body), ret_body);
}

bool td_init__add_table(td_init *init, const char *path, const td_init_node *request, td_init_request *changes)
{
    const td_init_node *name = td_init__node_find(request, TD_LIT("TableName"));
    if (name == NULL || name->kind != TD_INIT_SCALAR) {
        return td_init__refuse(init, path, request->line, "the table has no TableName");
    }
    td_init_table *table = td_arena_alloc_zero(&init->arena, sizeof(*table));
    if (table == NULL) return td_init__refuse_memory(init);
    table->create =
        (td_init_request){.path = path, .line = request->line, .operation = TD_LIT("CreateTable"), .table = name->text};
    table->changes = changes;
    if (!write_body(init, request, &table->create.body)) return td_init__refuse_memory(init);
    *init->tables_end = table;
    init->tables_end = &table->next;
    return true;
}

bool td_init__add_change(td_init *init, const char *path, td_slice operation, const td_init_node *body,
                         td_init_request **list)
{
    td_init_request *change = td_arena_alloc_zero(&init->arena, sizeof(*change));
    if (change == NULL) return td_init__refuse_memory(init);
    const td_init_node *table = td_init__node_find(body, TD_LIT("TableName"));
    TD_ASSERT(table != NULL);
    *change = (td_init_request){.path = path, .line = body->line, .operation = operation, .table = table->text};
    if (!write_body(init, body, &change->body)) return td_init__refuse_memory(init);
    while (*list != NULL)
        list = &(*list)->next;
    *list = change;
    return true;
}
