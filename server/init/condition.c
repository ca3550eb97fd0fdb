/* SPDX-License-Identifier: Apache-2.0
 * condition.c: the Conditions of a template: Fn::Equals, Fn::And, Fn::Or, Fn::Not, and names of others.
 * Source: AWS CloudFormation user guide, "Condition functions". */
#include "template.h"

static bool holds(const td_init_template *template, const td_init_node *node, uint32_t depth, bool *ret_holds);
static bool holds_equals(const td_init_template *template, const td_init_node *list, uint32_t depth, bool *ret_holds);
static bool holds_all(const td_init_template *template, const td_init_node *list, uint32_t depth, bool wanted,
                      bool *ret_are_all);

bool td_init__find_condition(const td_init_template *template, const td_init_node *name, uint32_t depth,
                             bool *ret_holds)
{
    const td_init_node *conditions = td_init__node_find(template->document, TD_LIT("Conditions"));
    const td_init_node *condition = name->kind == TD_INIT_SCALAR ? td_init__node_find(conditions, name->text) : NULL;
    if (condition == NULL) return td_init__refuse_at(template, name, "the template has no such condition");
    return holds(template, condition, depth + 1, ret_holds);
}

static bool holds(const td_init_template *template, const td_init_node *node, uint32_t depth, bool *ret_holds)
{
    const td_init_node *member = node->kind == TD_INIT_MAP && node->count == 1 ? &node->children[0] : NULL;
    if (depth > 40) return td_init__refuse_at(template, node, "this refers to itself, or is nested too deep");
    if (member != NULL && td_slice_equal(member->name, TD_LIT("Condition"))) {
        return td_init__find_condition(template, member, depth, ret_holds);
    }
    bool is_list = member != NULL && member->kind == TD_INIT_LIST;
    if (is_list && td_slice_equal(member->name, TD_LIT("Fn::Equals")) && member->count == 2) {
        return holds_equals(template, member, depth, ret_holds);
    }
    bool is_good = false;
    if (is_list && td_slice_equal(member->name, TD_LIT("Fn::Not")) && member->count == 1) {
        return holds_all(template, member, depth, false, ret_holds);
    }
    if (is_list && td_slice_equal(member->name, TD_LIT("Fn::And"))) {
        return holds_all(template, member, depth, true, ret_holds);
    }
    if (is_list && td_slice_equal(member->name, TD_LIT("Fn::Or"))) {
        is_good = holds_all(template, member, depth, false, ret_holds);
        *ret_holds = !*ret_holds;
        return is_good;
    }
    return td_init__refuse_at(template, node, "a condition must be Fn::Equals, Fn::And, Fn::Or, Fn::Not or another");
}

static bool holds_equals(const td_init_template *template, const td_init_node *list, uint32_t depth, bool *ret_holds)
{
    td_slice a;
    td_slice b;
    if (!td_init__resolve_text(template, &list->children[0], depth, &a) ||
        !td_init__resolve_text(template, &list->children[1], depth, &b)) {
        return false;
    }
    *ret_holds = td_slice_equal(a, b);
    return true;
}

/* Are all of them true, or all false, as wanted? */
static bool holds_all(const td_init_template *template, const td_init_node *list, uint32_t depth, bool wanted,
                      bool *ret_are_all)
{
    *ret_are_all = true;
    for (uint32_t i = 0; i < list->count; i++) {
        bool it_holds = false;
        if (!holds(template, &list->children[i], depth + 1, &it_holds)) return false;
        if (it_holds != wanted) *ret_are_all = false;
    }
    return true;
}
