/* SPDX-License-Identifier: Apache-2.0
 * expr_bag.h: what the targets of expressions share: marks of every type, and an item that they meet. */
#ifndef THERMODYN_TESTS_FUZZ_EXPR_BAG_H
#define THERMODYN_TESTS_FUZZ_EXPR_BAG_H

#include "support/build.h"
#include "thermodyn/expr.h"

#include "fuzz/fuzz.h"

/* A member of every type: what a map of the request and one of the item hold. */
#define FUZZ_MEMBERS                                                                                                   \
    N("x", "1"), B("b", "a"), BOOL("t", true), NULL_("z"), SS("u", TD_LIT("a")), L("l", S("", "a")), M("m", S("s", "a"))

enum { FUZZ_NAMES = 3, FUZZ_VALUES = 12 };

typedef struct fuzz_bag {
    td_fixture fixture;
    td_expr_name names[FUZZ_NAMES];
    td_expr_value values[FUZZ_VALUES];
    td_expr_marks marks;
    td_item *item;
    uint32_t visited; /* by fuzz_bag_visit */
} fuzz_bag;

enum { FUZZ_VISITED_L = 1, FUZZ_VISITED_OTHER = 2 };

/* Notes an attribute that a program names. */
static inline void fuzz_bag_visit(void *bag, td_slice name)
{
    ((fuzz_bag *)bag)->visited |= td_slice_equal(name, TD_LIT("l")) ? FUZZ_VISITED_L : FUZZ_VISITED_OTHER;
}

static inline void fuzz_bag_init(fuzz_bag *bag)
{
    td_fixture_init(&bag->fixture);
    td_arena *arena = &bag->fixture.arena;
    const td_given values[FUZZ_VALUES] = {
        S(":s", "a"),        N(":n", "1"),          B(":b", "a"),          BOOL(":t", true),
        NULL_(":z"),         SS(":u", TD_LIT("a")), NS(":v", TD_LIT("1")), BS(":w", TD_LIT("a")),
        L(":l", S("", "a")), M(":m", FUZZ_MEMBERS), S(":k", "S"),          S(":e", ""),
    };
    static const char *const names[FUZZ_NAMES][2] = {{"#a", "a"}, {"#s", "size"}, {"#d", "[1]"}};
    for (uint32_t i = 0; i < FUZZ_NAMES; i++)
        bag->names[i] = (td_expr_name){td_slice_of_cstr(names[i][0]), td_slice_of_cstr(names[i][1]), false};
    for (uint32_t i = 0; i < FUZZ_VALUES; i++)
        bag->values[i] = (td_expr_value){td_slice_of_cstr(values[i].name), value_of(arena, values[i]), false};
    bag->marks = (td_expr_marks){bag->names, FUZZ_NAMES, bag->values, FUZZ_VALUES};
    bag->item = item_of(arena, S("a", "a"), N("n", "1"), B("b", "a"), SS("u", TD_LIT("a"), TD_LIT("b")),
                        L("l", S("", "a"), L("", N("", "1")), M("", S("x", "y"))), M("m", M("m", N("x", "1"))),
                        M("c", FUZZ_MEMBERS), NULL_("z"), BOOL("t", true));
}

static inline void fuzz_bag_done(fuzz_bag *bag)
{
    td_fixture_done(&bag->fixture);
}

#endif
