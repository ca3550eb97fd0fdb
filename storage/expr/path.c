/* SPDX-License-Identifier: Apache-2.0
 * path.c: document paths: order, text, the names they begin with, and paths merged into branches.
 * Model: a path is a row of steps, names and list indexes. Sorted step by step, paths with a common beginning stand
 * side by side; the branches are that order as a tree, and a walk along an item's sorted maps meets them in order.
 * Not here: resolving on items (operand.c, projection.c, update_apply.c); faults between paths (check.c). */
#include "ast.h"

#include <stdio.h>
#include <stdlib.h>

static td_status merge(const td_leaf *leaves, uint32_t count, uint32_t depth, td_arena *arena, td_branch *branch);

/* Indexes before names, so that a list's branches never mix with a map's. */
int td_expr__step_compare(const td_step *a, const td_step *b)
{
    if (a->is_index != b->is_index) return a->is_index ? -1 : 1;
    if (a->is_index) return (a->index > b->index) - (a->index < b->index);
    return td_slice_compare(a->name, b->name);
}

bool td_expr__path_equal(const td_path *a, const td_path *b)
{
    if (a->count != b->count) return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (td_expr__step_compare(&a->steps[i], &b->steps[i]) != 0) return false;
    return true;
}

bool td_expr__path_text(const td_path *path, td_arena *arena, td_slice *ret_text)
{
    enum { INDEX_TEXT_MAX = 16 };
    size_t len_max = 2;
    for (uint32_t i = 0; i < path->count; i++)
        len_max += 2 + (path->steps[i].is_index ? INDEX_TEXT_MAX : path->steps[i].name.len);
    uint8_t *text = td_arena_alloc(arena, len_max);
    if (text == NULL) return false;
    size_t len = 0;
    text[len++] = '[';
    for (uint32_t i = 0; i < path->count; i++) {
        const td_step *step = &path->steps[i];
        if (i > 0) {
            text[len++] = ',';
            text[len++] = ' ';
        }
        if (step->is_index) {
            char index[INDEX_TEXT_MAX];
            int index_len = snprintf(index, sizeof index, "[%u]", step->index);
            memcpy(text + len, index, (size_t)index_len);
            len += (size_t)index_len;
        } else if (step->name.len > 0) {
            memcpy(text + len, step->name.ptr, step->name.len);
            len += step->name.len;
        }
    }
    text[len++] = ']';
    TD_ASSERT(len <= len_max);
    *ret_text = td_slice_of(text, len);
    return true;
}

static int compare_named(const void *a, const void *b)
{
    return td_slice_compare(((const td_named *)a)->name, ((const td_named *)b)->name);
}

td_status td_expr__paths_names(const td_path *paths, td_arena *arena, td_named **ret_names, uint32_t *ret_count)
{
    uint32_t count = 0;
    for (const td_path *path = paths; path != NULL; path = path->next)
        count++;
    td_named *names = td_arena_alloc_array(arena, count, sizeof *names);
    if (names == NULL) return TD_OUT_OF_MEMORY;
    count = 0;
    for (const td_path *path = paths; path != NULL; path = path->next)
        names[count++] = (td_named){path->steps[0].name, path->count > 1};
    if (count > 1) qsort(names, count, sizeof *names, compare_named);

    uint32_t distinct = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (distinct > 0 && td_slice_equal(names[distinct - 1].name, names[i].name))
            names[distinct - 1].is_entered |= names[i].is_entered;
        else
            names[distinct++] = names[i];
    }
    *ret_names = names;
    *ret_count = distinct;
    return TD_OK;
}

const td_named *td_expr__names_find(const td_named *names, uint32_t count, td_slice name)
{
    td_named wanted = {name, false};
    return count == 0 ? NULL : bsearch(&wanted, names, count, sizeof *names, compare_named);
}

static int compare_leaves(const void *a, const void *b)
{
    const td_path *one = ((const td_leaf *)a)->path;
    const td_path *two = ((const td_leaf *)b)->path;
    for (uint32_t i = 0; i < one->count && i < two->count; i++) {
        int order = td_expr__step_compare(&one->steps[i], &two->steps[i]);
        if (order != 0) return order;
    }
    return (one->count > two->count) - (one->count < two->count);
}

void td_expr__paths_sort(td_leaf *leaves, uint32_t count)
{
    if (count > 1) qsort(leaves, count, sizeof *leaves, compare_leaves);
}

td_status td_expr__paths_merge(td_leaf *leaves, uint32_t count, td_arena *arena, td_branch *ret_root)
{
    td_expr__paths_sort(leaves, count);
    *ret_root = (td_branch){0};
    return merge(leaves, count, 0, arena, ret_root);
}

/* Makes the children of a branch from the sorted leaves that pass through it; depth: steps taken so far, which bounds
 * the recursion by the longest path. */
static td_status merge(const td_leaf *leaves, uint32_t count, uint32_t depth, td_arena *arena, td_branch *branch)
{
    TD_ASSERT(depth <= TD_PATH_STEPS_MAX);
    uint32_t child_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        TD_ASSERT(leaves[i].path->count > depth);
        child_count +=
            i == 0 || td_expr__step_compare(&leaves[i - 1].path->steps[depth], &leaves[i].path->steps[depth]) != 0;
    }
    branch->children = td_arena_alloc_array(arena, child_count, sizeof *branch->children);
    if (branch->children == NULL) return TD_OUT_OF_MEMORY;
    branch->child_count = child_count;

    uint32_t begin = 0;
    for (uint32_t i = 0; i < child_count; i++) {
        const td_step *step = &leaves[begin].path->steps[depth];
        uint32_t end = begin + 1;
        while (end < count && td_expr__step_compare(step, &leaves[end].path->steps[depth]) == 0)
            end++;
        td_branch *child = &branch->children[i];
        *child = (td_branch){.step = *step};
        if (leaves[begin].path->count == depth + 1) {
            TD_ASSERT(end == begin + 1);
            child->leaf = leaves[begin].what;
        } else {
            TD_TRY(merge(leaves + begin, end - begin, depth + 1, arena, child));
        }
        begin = end;
    }
    return TD_OK;
}
