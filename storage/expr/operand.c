/* SPDX-License-Identifier: Apache-2.0
 * operand.c: what the operands of a condition are in one stored item, and how two of them compare.
 * Model: an operand is a view: of bytes in the item, of a value of the request, or of the number that size() counts.
 * Nothing is decoded and nothing allocated: scalars compare by their payloads (numbers are encoded so that their bytes
 * have their order), containers of the item are equal when their encodings are, and a container of the request is
 * compared step by step.
 * Invariants: the recursion is bounded by the nesting of stored items (TD_LIMIT_NESTING_LEVELS_MAX).
 * Not here: the operators themselves (condition.c). */
#include "ast.h"

#include "thermodyn/text.h"

static bool stored_equals_value(td_stored stored, const td_value *value);
static bool operand_size(const td_node *node, const td_item *item, td_view *ret_view);

static bool is_container(td_type type)
{
    return td_type_is_set(type) || type == TD_TYPE_L || type == TD_TYPE_M;
}

static bool find_in_map(td_stored map, td_slice name, td_stored *ret_value)
{
    td_slice found;
    while (td_stored_next_attribute(&map, &found, ret_value)) {
        int order = td_slice_compare(found, name);
        if (order == 0) return true;
        if (order > 0) return false; /* maps are sorted */
    }
    return false;
}

static bool find_in_list(td_stored list, uint32_t index, td_stored *ret_value)
{
    if (index >= list.count) return false;
    for (uint32_t i = 0; i <= index; i++)
        if (!td_stored_next_element(&list, ret_value)) return false;
    return true;
}

bool td_expr__resolve(const td_item *item, const td_path *path, td_stored *ret_value)
{
    td_stored at;
    if (!td_item_find(item, path->steps[0].name, &at)) return false;
    for (uint32_t i = 1; i < path->count; i++) {
        const td_step *step = &path->steps[i];
        if (at.type != (step->is_index ? TD_TYPE_L : TD_TYPE_M)) return false;
        td_stored inside;
        if (!(step->is_index ? find_in_list(at, step->index, &inside) : find_in_map(at, step->name, &inside)))
            return false;
        at = inside;
    }
    *ret_value = at;
    return true;
}

/* Leaves `number` as it is: only size() uses it, and clearing it would cost more than the comparison. */
static void view_value(const td_value *value, td_view *ret_view)
{
    bool is_tree = is_container(value->type);
    ret_view->tree = is_tree ? value : NULL;
    ret_view->stored.type = value->type;
    ret_view->stored.boolean = value->boolean;
    ret_view->stored.count = value->count;
    ret_view->stored.bytes = is_tree ? td_slice_of(NULL, 0) : value->bytes;
}

bool td_expr__operand(const td_node *node, const td_item *item, td_view *ret_view)
{
    switch (node->kind) {
    case TD_NODE_PATH:
        ret_view->tree = NULL;
        return item != NULL && td_expr__resolve(item, node->path, &ret_view->stored);
    case TD_NODE_VALUE: view_value(node->value, ret_view); return true;
    case TD_NODE_OPERATION: return operand_size(node, item, ret_view);
    case TD_NODE_AND:
    case TD_NODE_OR:
    case TD_NODE_NOT: break;
    }
    TD_ASSERT(0 && "a checked operand");
    return false;
}

/* size(): strings by UTF-16 units, binaries by bytes, containers by members; nothing else has a size. */
static bool operand_size(const td_node *node, const td_item *item, td_view *ret_view)
{
    TD_ASSERT(node->operation == TD_OP_SIZE);
    td_view view;
    if (!td_expr__operand(node->first, item, &view)) return false;
    size_t size = 0;
    switch (view.stored.type) {
    case TD_TYPE_S: size = td_utf8_utf16_units(view.stored.bytes); break;
    case TD_TYPE_B: size = view.stored.bytes.len; break;
    case TD_TYPE_SS:
    case TD_TYPE_NS:
    case TD_TYPE_BS:
    case TD_TYPE_M:
    case TD_TYPE_L: size = view.stored.count; break;
    case TD_TYPE_N:
    case TD_TYPE_BOOL:
    case TD_TYPE_NULL:
    case TD_TYPE_COUNT: return false;
    }
    ret_view->number = td_number_from_int64((int64_t)size);
    ret_view->tree = NULL;
    ret_view->stored = (td_stored){.type = TD_TYPE_N, .bytes = td_number_slice(&ret_view->number)};
    return true;
}

bool td_expr__view_compare(const td_view *a, const td_view *b, int *ret_order)
{
    if (a->stored.type != b->stored.type || !td_type_is_scalar(a->stored.type)) return false;
    *ret_order = td_slice_compare(a->stored.bytes, b->stored.bytes);
    return true;
}

bool td_expr__view_equal(const td_view *a, const td_view *b)
{
    if (a->stored.type != b->stored.type) return false;
    switch (a->stored.type) {
    case TD_TYPE_S:
    case TD_TYPE_N:
    case TD_TYPE_B: return td_slice_equal(a->stored.bytes, b->stored.bytes);
    case TD_TYPE_BOOL: return a->stored.boolean == b->stored.boolean;
    case TD_TYPE_NULL: return true;
    case TD_TYPE_SS:
    case TD_TYPE_NS:
    case TD_TYPE_BS:
    case TD_TYPE_M:
    case TD_TYPE_L: break;
    case TD_TYPE_COUNT: return false;
    }
    if (a->stored.count != b->stored.count) return false;
    if (a->tree != NULL && b->tree != NULL) return td_value_equal(a->tree, b->tree);
    if (a->tree != NULL) return stored_equals_value(b->stored, a->tree);
    if (b->tree != NULL) return stored_equals_value(a->stored, b->tree);
    return td_slice_equal(a->stored.bytes, b->stored.bytes); /* the encoding is canonical */
}

static bool set_equals(td_stored set, const td_value *value)
{
    td_slice member;
    for (uint32_t i = 0; td_stored_next_member(&set, &member); i++)
        if (!td_slice_equal(member, value->members[i])) return false;
    return true;
}

static bool list_equals(td_stored list, const td_value *value)
{
    td_stored element;
    for (uint32_t i = 0; td_stored_next_element(&list, &element); i++)
        if (!stored_equals_value(element, &value->elements[i])) return false;
    return true;
}

static bool map_equals(td_stored map, const td_value *value)
{
    td_slice name;
    td_stored inside;
    for (uint32_t i = 0; td_stored_next_attribute(&map, &name, &inside); i++) {
        const td_attribute *attribute = &value->attributes[i];
        if (!td_slice_equal(name, attribute->name) || !stored_equals_value(inside, &attribute->value)) return false;
    }
    return true;
}

static bool stored_equals_value(td_stored stored, const td_value *value)
{
    if (stored.type != value->type) return false;
    if (is_container(value->type) && stored.count != value->count) return false;
    switch (value->type) {
    case TD_TYPE_S:
    case TD_TYPE_N:
    case TD_TYPE_B: return td_slice_equal(stored.bytes, value->bytes);
    case TD_TYPE_BOOL: return stored.boolean == value->boolean;
    case TD_TYPE_NULL: return true;
    case TD_TYPE_SS:
    case TD_TYPE_NS:
    case TD_TYPE_BS: return set_equals(stored, value);
    case TD_TYPE_M: return map_equals(stored, value);
    case TD_TYPE_L: return list_equals(stored, value);
    case TD_TYPE_COUNT: return false;
    }
    return false;
}

static bool set_contains(const td_view *set, td_slice wanted)
{
    td_stored rest = set->stored;
    td_slice member;
    for (uint32_t i = 0; i < set->stored.count; i++) {
        if (set->tree != NULL)
            member = set->tree->members[i];
        else if (!td_stored_next_member(&rest, &member))
            return false;
        int order = td_slice_compare(member, wanted);
        if (order >= 0) return order == 0; /* sets are sorted */
    }
    return false;
}

static bool list_contains(const td_view *list, const td_view *wanted)
{
    td_stored rest = list->stored;
    td_view element = {.tree = NULL};
    for (uint32_t i = 0; i < list->stored.count; i++) {
        if (list->tree != NULL)
            view_value(&list->tree->elements[i], &element);
        else if (!td_stored_next_element(&rest, &element.stored))
            return false;
        if (td_expr__view_equal(&element, wanted)) return true;
    }
    return false;
}

static bool has_substring(td_slice text, td_slice part)
{
    return part.len == 0 || (text.len >= part.len && memmem(text.ptr, text.len, part.ptr, part.len) != NULL);
}

bool td_expr__view_contains(const td_view *container, const td_view *part)
{
    switch (container->stored.type) {
    case TD_TYPE_S:
    case TD_TYPE_B:
        return part->stored.type == container->stored.type &&
               has_substring(container->stored.bytes, part->stored.bytes);
    case TD_TYPE_SS: return part->stored.type == TD_TYPE_S && set_contains(container, part->stored.bytes);
    case TD_TYPE_NS: return part->stored.type == TD_TYPE_N && set_contains(container, part->stored.bytes);
    case TD_TYPE_BS: return part->stored.type == TD_TYPE_B && set_contains(container, part->stored.bytes);
    case TD_TYPE_L: return list_contains(container, part);
    case TD_TYPE_N:
    case TD_TYPE_M:
    case TD_TYPE_BOOL:
    case TD_TYPE_NULL:
    case TD_TYPE_COUNT: return false;
    }
    return false;
}
