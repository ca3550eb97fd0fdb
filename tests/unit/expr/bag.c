/* SPDX-License-Identifier: Apache-2.0
 * bag.c: the names and values of bag.h. */
#include "bag.h"

#include <check.h>
#include <stdio.h>

td_expr_marks *bag_marks(td_arena *arena)
{
    static const char *const names[][2] = {{"#a", "a"},   {"#b", "b"}, {"#c", "c"},
                                           {"#d", "[3]"}, {"#1", "1"}, {"#pk", "pk"}};
    const td_given values[] = {
        S(":s", "a"),
        S(":s2", "b"),
        S(":empty", ""),
        N(":n", "1"),
        N(":n2", "2"),
        N(":n0", "0"),
        N(":big", "9e125"),
        B(":b", "a"),
        B(":b2", "b"),
        BOOL(":t", true),
        BOOL(":f", false),
        NULL_(":null"),
        SS(":ss", TD_LIT("a")),
        SS(":ss2", TD_LIT("b")),
        SS(":ssab", TD_LIT("a"), TD_LIT("b")),
        NS(":ns", TD_LIT("1")),
        BS(":bs", TD_LIT("a")),
        L(":l", S("", "a")),
        L(":l2", L("", N("", "1"))),
        L(":el"),
        M(":m", N("x", "1")),
        M(":em"),
        S(":tS", "S"),
        S(":tN", "N"),
        S(":tL", "L"),
    };
    td_expr_marks *marks = td_arena_alloc_zero(arena, sizeof *marks);
    ck_assert_ptr_nonnull(marks);
    marks->name_count = TD_COUNT_OF(names);
    marks->value_count = TD_COUNT_OF(values);
    marks->names = td_arena_alloc_array(arena, marks->name_count, sizeof *marks->names);
    marks->values = td_arena_alloc_array(arena, marks->value_count, sizeof *marks->values);
    ck_assert_ptr_nonnull(marks->names);
    ck_assert_ptr_nonnull(marks->values);
    for (uint32_t i = 0; i < marks->name_count; i++)
        marks->names[i] = (td_expr_name){td_slice_of_cstr(names[i][0]), td_slice_of_cstr(names[i][1]), false};
    for (uint32_t i = 0; i < marks->value_count; i++)
        marks->values[i] = (td_expr_value){td_slice_of_cstr(values[i].name), value_of(arena, values[i]), false};
    return marks;
}

static td_status compile(td_fixture *fixture, td_expr_kind kind, td_slice text)
{
    td_arena *arena = &fixture->arena;
    td_error *error = &fixture->error;
    td_expr_marks *marks = bag_marks(arena);
    td_condition *condition;
    td_key_condition *key_condition;
    td_update *update;
    td_projection *projection;
    switch (kind) {
    case TD_EXPR_CONDITION:
    case TD_EXPR_FILTER: return td_condition_compile(kind, text, marks, arena, &condition, error);
    case TD_EXPR_KEY_CONDITION:
        TD_TRY(td_key_condition_compile(text, marks, arena, &key_condition, error));
        return td_key_condition_check(key_condition, error);
    case TD_EXPR_UPDATE: return td_update_compile(text, marks, arena, &update, error);
    case TD_EXPR_PROJECTION: return td_projection_compile(text, marks, arena, &projection, error);
    }
    return TD_OK;
}

const char *bag_error(td_fixture *fixture)
{
    td_slice text = fixture->error.text;
    char *copy = td_arena_alloc(&fixture->arena, text.len + 1);
    ck_assert_ptr_nonnull(copy);
    memcpy(copy, text.ptr, text.len);
    copy[text.len] = '\0';
    return copy;
}

const char *bag_compile(td_fixture *fixture, td_expr_kind kind, const char *text)
{
    td_status status = compile(fixture, kind, td_slice_of_cstr(text));
    if (status == TD_OK) return "ok";
    ck_assert_int_eq(status, TD_VALIDATION);
    return bag_error(fixture);
}

void bag_check(td_fixture *fixture, td_expr_kind kind, const char *prefix, const bag_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char expected[1024];
        bool is_ok = strcmp(rows[i].outcome, "ok") == 0;
        int len = snprintf(expected, sizeof expected, "%s%s", is_ok ? "" : prefix, rows[i].outcome);
        ck_assert_int_lt(len, (int)sizeof expected);
        const char *outcome = bag_compile(fixture, kind, rows[i].text);
        ck_assert_msg(strcmp(outcome, expected) == 0, "%s\n  answers %s\n   wanted %s", rows[i].text, outcome,
                      expected);
    }
}
