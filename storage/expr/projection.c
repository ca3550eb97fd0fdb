/* SPDX-License-Identifier: Apache-2.0
 * projection.c: projections: text → branches, and what an item has along them.
 * Model: a path that the item does not have leaves no trace, not even the maps around it; of lists only the elements
 * that were asked for remain, ascending and close together; paths through one element or map come out merged.
 * Invariants: branches and maps are both sorted, so that one pass over each map is enough and the result is sorted.
 * A flat projection, PartiQL's, is another thing: each path's value by itself, under a name of its own.
 * Not here: overlapping paths (check.c). */
#include "ast.h"

static td_status select_branch(const td_branch *branch, td_stored stored, td_arena *arena, td_value *ret_value,
                               bool *ret_has);
static td_status select_map(const td_branch *branch, td_stored map, td_arena *arena, td_value *ret_value,
                            bool *ret_has);
static td_status select_list(const td_branch *branch, td_stored list, td_arena *arena, td_value *ret_value,
                             bool *ret_has);

static td_status select_outputs(const td_projection *projection, const td_item *item, td_arena *arena,
                                td_attribute **ret_attributes, uint32_t *ret_count);

/* A leaf of a projection says nothing but that it is one. */
static const char is_selected;

static td_status make_projection(const td_path *paths, td_leaf *leaves, uint32_t count, td_arena *arena,
                                 td_projection **ret_projection)
{
    td_projection *projection = td_arena_alloc_zero(arena, sizeof *projection);
    if (projection == NULL) return TD_OUT_OF_MEMORY;
    TD_TRY(td_expr__paths_merge(leaves, count, arena, &projection->root));
    TD_TRY(td_expr__paths_names(paths, arena, &projection->names, &projection->name_count));
    *ret_projection = projection;
    return TD_OK;
}

static td_status leaves_of_paths(const td_path *paths, td_arena *arena, td_leaf **ret_leaves, uint32_t *ret_count)
{
    uint32_t count = 0;
    for (const td_path *path = paths; path != NULL; path = path->next)
        count++;
    td_leaf *leaves = td_arena_alloc_array(arena, count, sizeof *leaves);
    if (leaves == NULL) return TD_OUT_OF_MEMORY;
    count = 0;
    for (const td_path *path = paths; path != NULL; path = path->next)
        leaves[count++] = (td_leaf){path, &is_selected};
    *ret_leaves = leaves;
    *ret_count = count;
    return TD_OK;
}

/* projection = path { "," path } END ; */
static td_status parse_projection(td_compiler *compiler)
{
    td_path *path = NULL;
    TD_TRY(td_expr__parse_path(compiler, &path));
    while (compiler->current.kind == TD_TOKEN_COMMA) {
        td_expr__advance(compiler);
        TD_TRY(td_expr__parse_path(compiler, &path));
    }
    return compiler->current.kind == TD_TOKEN_END ? TD_OK : td_expr__syntax_error(compiler);
}

td_status td_projection_compile(td_slice text, td_expr_marks *marks, td_arena *arena, td_projection **ret_projection,
                                td_error *error)
{
    td_compiler compiler;
    td_leaf *leaves = NULL;
    uint32_t count = 0;
    TD_TRY(td_expr__begin(&compiler, TD_EXPR_PROJECTION, text, marks, arena, error));
    TD_TRY(parse_projection(&compiler));
    for (td_path *path = compiler.first_path; path != NULL; path = path->next)
        TD_TRY(td_expr__bind_path(&compiler, path));
    if (leaves_of_paths(compiler.first_path, arena, &leaves, &count) != TD_OK)
        return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    TD_TRY(td_expr__check_apart(&compiler, leaves, count));
    TD_TRY(td_expr__raise_fault(&compiler));
    if (make_projection(compiler.first_path, leaves, count, arena, ret_projection) != TD_OK)
        return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    return TD_OK;
}

td_status td_projection_of_names(const td_slice *names, uint32_t count, td_arena *arena, td_projection **ret_projection,
                                 td_error *error)
{
    td_path *paths = td_arena_alloc_array(arena, count, sizeof *paths);
    td_step *steps = td_arena_alloc_array(arena, count, sizeof *steps);
    if (paths == NULL || steps == NULL) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    for (uint32_t i = 0; i < count; i++) {
        steps[i] = (td_step){.name = names[i]};
        paths[i] = (td_path){&steps[i], 1, i + 1 < count ? &paths[i + 1] : NULL};
    }
    /* The server refuses a name given twice; here it would only be one branch too many. */
    td_named *named = NULL;
    uint32_t distinct = 0;
    td_path *first = count == 0 ? NULL : paths;
    td_leaf *leaves = td_arena_alloc_array(arena, count, sizeof *leaves);
    if (leaves == NULL || td_expr__paths_names(first, arena, &named, &distinct) != TD_OK)
        return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    for (uint32_t i = 0; i < distinct; i++) {
        steps[i].name = named[i].name;
        leaves[i] = (td_leaf){&paths[i], &is_selected};
    }
    if (distinct > 0) paths[distinct - 1].next = NULL;
    if (make_projection(first, leaves, distinct, arena, ret_projection) != TD_OK)
        return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    return TD_OK;
}

td_status td_projection_apply(const td_projection *projection, const td_item *item, td_arena *arena,
                              td_attribute **ret_attributes, uint32_t *ret_count)
{
    if (projection->outputs != NULL) return select_outputs(projection, item, arena, ret_attributes, ret_count);
    return td_expr__project(&projection->root, item, arena, ret_attributes, ret_count);
}

td_status td_expr__projection_of_outputs(const td_output *outputs, uint32_t count, const td_path *paths,
                                         td_arena *arena, td_projection **ret_projection)
{
    TD_ASSERT(count > 0);
    td_projection *projection = td_arena_alloc_zero(arena, sizeof *projection);
    if (projection == NULL) return TD_OUT_OF_MEMORY;
    projection->outputs = outputs;
    projection->output_count = count;
    TD_TRY(td_expr__paths_names(paths, arena, &projection->names, &projection->name_count));
    *ret_projection = projection;
    return TD_OK;
}

static td_status select_outputs(const td_projection *projection, const td_item *item, td_arena *arena,
                                td_attribute **ret_attributes, uint32_t *ret_count)
{
    td_attribute *attributes = td_arena_alloc_array(arena, projection->output_count, sizeof *attributes);
    if (attributes == NULL) return TD_OUT_OF_MEMORY;
    uint32_t count = 0;
    for (uint32_t i = 0; item != NULL && i < projection->output_count; i++) {
        td_stored stored;
        if (!td_expr__resolve(item, projection->outputs[i].path, &stored)) continue;
        TD_TRY(td_stored_decode(&stored, arena, &attributes[count].value));
        attributes[count++].name = projection->outputs[i].name;
    }
    td_value_sort_attributes(attributes, &count);
    *ret_attributes = attributes;
    *ret_count = count;
    return TD_OK;
}

void td_projection_visit_attributes(const td_projection *projection, void (*visit)(void *context, td_slice name),
                                    void *context)
{
    for (uint32_t i = 0; i < projection->name_count; i++)
        visit(context, projection->names[i].name);
}

bool td_projection_enters(const td_projection *projection, td_slice attribute)
{
    const td_named *named = td_expr__names_find(projection->names, projection->name_count, attribute);
    return named != NULL && named->is_entered;
}

td_status td_expr__project(const td_branch *root, const td_item *item, td_arena *arena, td_attribute **ret_attributes,
                           uint32_t *ret_count)
{
    td_attribute *attributes = td_arena_alloc_array(arena, root->child_count, sizeof *attributes);
    if (attributes == NULL) return TD_OUT_OF_MEMORY;
    uint32_t count = 0;
    for (uint32_t i = 0; item != NULL && i < root->child_count; i++) {
        const td_branch *branch = &root->children[i];
        td_stored stored;
        bool has = false;
        if (!td_item_find(item, branch->step.name, &stored)) continue;
        TD_TRY(select_branch(branch, stored, arena, &attributes[count].value, &has));
        if (has) attributes[count++].name = branch->step.name;
    }
    *ret_attributes = attributes;
    *ret_count = count;
    return TD_OK;
}

/* The recursion is bounded by the longest path. */
static td_status select_branch(const td_branch *branch, td_stored stored, td_arena *arena, td_value *ret_value,
                               bool *ret_has)
{
    *ret_has = branch->leaf != NULL;
    if (branch->leaf != NULL) return td_stored_decode(&stored, arena, ret_value);
    TD_ASSERT(branch->child_count > 0);
    bool is_list = branch->children[0].step.is_index;
    if (stored.type != (is_list ? TD_TYPE_L : TD_TYPE_M)) return TD_OK;
    return is_list ? select_list(branch, stored, arena, ret_value, ret_has)
                   : select_map(branch, stored, arena, ret_value, ret_has);
}

static td_status select_map(const td_branch *branch, td_stored map, td_arena *arena, td_value *ret_value, bool *ret_has)
{
    uint32_t count_max = branch->child_count < map.count ? branch->child_count : map.count;
    td_attribute *attributes = td_arena_alloc_array(arena, count_max, sizeof *attributes);
    if (attributes == NULL) return TD_OUT_OF_MEMORY;
    uint32_t count = 0;
    uint32_t at = 0;
    td_slice name;
    td_stored inside;
    while (at < branch->child_count && td_stored_next_attribute(&map, &name, &inside)) {
        while (at < branch->child_count && td_slice_compare(branch->children[at].step.name, name) < 0)
            at++;
        if (at == branch->child_count) break;
        if (!td_slice_equal(branch->children[at].step.name, name)) continue;
        bool has = false;
        TD_TRY(select_branch(&branch->children[at], inside, arena, &attributes[count].value, &has));
        if (has) attributes[count++].name = name;
        at++;
    }
    *ret_has = count > 0;
    *ret_value = (td_value){.type = TD_TYPE_M, .count = count, .attributes = attributes};
    return TD_OK;
}

static td_status select_list(const td_branch *branch, td_stored list, td_arena *arena, td_value *ret_value,
                             bool *ret_has)
{
    uint32_t count_max = branch->child_count < list.count ? branch->child_count : list.count;
    td_value *elements = td_arena_alloc_array(arena, count_max, sizeof *elements);
    if (elements == NULL) return TD_OUT_OF_MEMORY;
    uint32_t count = 0;
    uint32_t at = 0;
    td_stored element;
    for (uint32_t i = 0; at < branch->child_count && td_stored_next_element(&list, &element); i++) {
        TD_ASSERT(branch->children[at].step.index >= i);
        if (branch->children[at].step.index != i) continue;
        bool has = false;
        TD_TRY(select_branch(&branch->children[at], element, arena, &elements[count], &has));
        if (has) count++;
        at++;
    }
    *ret_has = count > 0;
    *ret_value = (td_value){.type = TD_TYPE_L, .count = count, .elements = elements};
    return TD_OK;
}
