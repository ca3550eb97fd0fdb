/* SPDX-License-Identifier: Apache-2.0
 * template.c: the tables of a template: a resource's properties become a CreateTable request and what is said about the
 * table afterwards: its expiry, its backups, its insights.
 * Only tables are read, and of them only what matters here, so that what the rest of a template refers to is of no
 * concern. A resource whose Condition is false is none. */
#include "template.h"

static const struct {
    td_slice name;
    unsigned type;
} types[] = {
    {TD_LIT_INIT("AWS::DynamoDB::Table"), TD_INIT_TABLE},
    {TD_LIT_INIT("AWS::DynamoDB::GlobalTable"), TD_INIT_GLOBAL},
    {TD_LIT_INIT("AWS::Serverless::SimpleTable"), TD_INIT_SIMPLE},
};

static bool read_resource(const td_init_template *template, const td_init_node *resource, unsigned type);
static unsigned type_of(const td_init_node *resource);

bool td_init__read_resources(td_init *init, const char *path, const td_init_node *root, const td_init_node *document,
                             const td_init_node *resources)
{
    td_init_template template = {init, path, root, document, resources};
    if (resources->kind != TD_INIT_MAP) return td_init__refuse(init, path, resources->line, "Resources must be a map");
    for (uint32_t i = 0; i < resources->count; i++) {
        const td_init_node *resource = &resources->children[i];
        unsigned type = type_of(resource);
        if (type == 0) continue;
        const td_init_node *condition = td_init__node_find(resource, TD_LIT("Condition"));
        bool is_there = true;
        if (condition != NULL && !td_init__find_condition(&template, condition, 0, &is_there)) return false;
        if (is_there && !read_resource(&template, resource, type)) return false;
    }
    return true;
}

static bool read_resource(const td_init_template *template, const td_init_node *resource, unsigned type)
{
    td_init *init = template->init;
    td_init_making it = {.template = template,
                         .type = type,
                         .properties = td_init__node_find(resource, TD_LIT("Properties")),
                         .request =
                             td_init__node_new(&init->arena, TD_INIT_MAP, resource->line, TD_INIT_REQUEST_MEMBERS_MAX)};
    if (it.request == NULL) return td_init__refuse_memory(init);
    return td_init__table_name(template, resource, 0, &it.table) && td_init__read_properties(&it) &&
           td_init__add_table(init, template->path, it.request, it.changes);
}

bool td_init__is_table(const td_init_node *resource)
{
    return type_of(resource) != 0;
}

static unsigned type_of(const td_init_node *resource)
{
    const td_init_node *type = td_init__node_find(resource, TD_LIT("Type"));
    for (size_t i = 0; i < TD_COUNT_OF(types); i++)
        if (td_init__node_is_text(type, types[i].name)) return types[i].type;
    return 0;
}

bool td_init__table_name(const td_init_template *template, const td_init_node *resource, uint32_t depth,
                         td_slice *ret_name)
{
    const td_init_node *properties = td_init__node_find(resource, TD_LIT("Properties"));
    const td_init_node *name = td_init__node_find(properties, TD_LIT("TableName"));
    const td_init_node *resolved = NULL;
    if (name != NULL && !td_init__resolve(template, name, depth, &resolved)) return false;
    if (resolved != NULL && resolved->kind != TD_INIT_SCALAR) {
        return td_init__refuse_at(template, name, "TableName must be a text");
    }
    *ret_name = resolved == NULL ? resource->name : resolved->text;
    return true;
}
