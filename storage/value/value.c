/* SPDX-License-Identifier: Apache-2.0
 * value.c: what holds for values of every type: names of types, order, look-up, equality, depth.
 *
 * Invariants: those of value.h; the recursions follow the nesting, which the wire's reader bounds.
 * Not here:   sizes (size.c), the stored form (item.c, stored.c). */
#include "thermodyn/value.h"

#include "thermodyn/limits.h"

#include "sort.h"

static const char *const TYPE_NAMES[TD_TYPE_COUNT] = {
    [TD_TYPE_S] = "S",   [TD_TYPE_N] = "N", [TD_TYPE_B] = "B", [TD_TYPE_SS] = "SS",     [TD_TYPE_NS] = "NS",
    [TD_TYPE_BS] = "BS", [TD_TYPE_M] = "M", [TD_TYPE_L] = "L", [TD_TYPE_BOOL] = "BOOL", [TD_TYPE_NULL] = "NULL",
};

static bool equal_members(const td_value *a, const td_value *b);
static bool equal_elements(const td_value *a, const td_value *b);
static bool equal_attributes(const td_value *a, const td_value *b);
static uint32_t depth_within(const td_value *value, uint32_t levels);

const char *td_type_name(td_type type)
{
    TD_ASSERT(type < TD_TYPE_COUNT);
    return TYPE_NAMES[type];
}

td_type td_type_of_name(td_slice name)
{
    for (int type = 0; type < TD_TYPE_COUNT; type++)
        if (td_slice_equal(name, td_slice_of_cstr(TYPE_NAMES[type]))) return (td_type)type;
    return TD_TYPE_COUNT;
}

_Static_assert(offsetof(td_attribute, name) == 0, "attributes are sorted by what they begin with");

void td_value_sort_attributes(td_attribute *attributes, uint32_t *count)
{
    if (*count < 2) return;
    td_value__sort(attributes, *count, sizeof *attributes);
    /* The sort is stable: of equal names the last one written stands last, and takes the place of the others. */
    uint32_t kept = 1;
    for (uint32_t i = 1; i < *count; i++) {
        bool is_repeat = td_slice_equal(attributes[i].name, attributes[kept - 1].name);
        uint32_t at = is_repeat ? kept - 1 : kept++;
        if (at != i) attributes[at] = attributes[i];
    }
    *count = kept;
}

bool td_value_sort_members(td_slice *members, uint32_t count)
{
    if (count < 2) return true;
    td_value__sort(members, count, sizeof *members);
    for (uint32_t i = 1; i < count; i++)
        if (td_slice_equal(members[i - 1], members[i])) return false;
    return true;
}

const td_value *td_value_find(const td_attribute *attributes, uint32_t count, td_slice name)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = td_slice_compare(attributes[middle].name, name);
        if (order == 0) return &attributes[middle].value;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

bool td_value_equal(const td_value *a, const td_value *b)
{
    if (a->type != b->type) return false;
    switch (a->type) {
    case TD_TYPE_S:
    case TD_TYPE_N:
    case TD_TYPE_B: return td_slice_equal(a->bytes, b->bytes);
    case TD_TYPE_SS:
    case TD_TYPE_NS:
    case TD_TYPE_BS: return equal_members(a, b);
    case TD_TYPE_M: return equal_attributes(a, b);
    case TD_TYPE_L: return equal_elements(a, b);
    case TD_TYPE_BOOL: return a->boolean == b->boolean;
    case TD_TYPE_NULL: return true;
    case TD_TYPE_COUNT: break;
    }
    TD_ASSERT(false);
    return false;
}

uint32_t td_value_depth(const td_value *value) { return depth_within(value, TD_LIMIT_NESTING_LEVELS_MAX); }

static bool equal_members(const td_value *a, const td_value *b)
{
    if (a->count != b->count) return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (!td_slice_equal(a->members[i], b->members[i])) return false;
    return true;
}

static bool equal_elements(const td_value *a, const td_value *b)
{
    if (a->count != b->count) return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (!td_value_equal(&a->elements[i], &b->elements[i])) return false;
    return true;
}

static bool equal_attributes(const td_value *a, const td_value *b)
{
    if (a->count != b->count) return false;
    for (uint32_t i = 0; i < a->count; i++) {
        if (!td_slice_equal(a->attributes[i].name, b->attributes[i].name)) return false;
        if (!td_value_equal(&a->attributes[i].value, &b->attributes[i].value)) return false;
    }
    return true;
}

/* The depth, or `levels` + 1 as soon as it is more. */
static uint32_t depth_within(const td_value *value, uint32_t levels)
{
    if (value->type != TD_TYPE_L && value->type != TD_TYPE_M) return 0;
    if (levels == 0) return 1;
    uint32_t deepest = 0;
    for (uint32_t i = 0; i < value->count && deepest < levels; i++) {
        const td_value *child = value->type == TD_TYPE_L ? &value->elements[i] : &value->attributes[i].value;
        uint32_t depth = depth_within(child, levels - 1);
        if (depth > deepest) deepest = depth;
    }
    return 1 + deepest;
}
