/* SPDX-License-Identifier: Apache-2.0
 * build.h: a test's fixture, and values, attributes and items in one line.
 *
 *   td_item *user = item_of(arena, S("pk", "a"), N("n", "1.5"), M("m", L("l", S("", "x"), BOOL("", true))));
 *   CHECK_ITEM(arena, user, S("pk", "a"), …);
 *
 * S(…), N(…), … only describe (a td_given borrows the texts that it is given and lives as long as its block);
 * attributes_of, item_of and value_of make finished values from descriptions: sorted, encoded, in the arena. Elements
 * of a list have the name "". A description that is not valid (a number that does not parse, a set with duplicates)
 * stops the test with the assertion that it breaks. */
#ifndef THERMODYN_TESTS_SUPPORT_BUILD_H
#define THERMODYN_TESTS_SUPPORT_BUILD_H

#include "thermodyn/arena.h"
#include "thermodyn/item.h"
#include "thermodyn/status.h"
#include "thermodyn/value.h"

/* What nearly every test needs: a request's arena and an error that builds its text there. */
typedef struct td_fixture {
    td_arena arena;
    td_error error; /* classic wording */
} td_fixture;

void td_fixture_init(td_fixture *fixture);
void td_fixture_done(td_fixture *fixture);

/* A description of a value with its name. Lists of descriptions and of members end with a mark. */
typedef struct td_given td_given;
struct td_given {
    const char *name;
    td_type type; /* TD_TYPE_COUNT: the end of a list */
    bool boolean;
    td_slice bytes;           /* S B: the payload; N: the written number */
    const td_given *children; /* L M */
    const td_slice *members;  /* SS NS BS; a length of SIZE_MAX is the end */
};

#define S(name, text) S_OF(name, td_slice_of_cstr(text))
#define S_OF(name, slice) TD_GIVEN_SCALAR(name, TD_TYPE_S, slice)
#define N(name, text) TD_GIVEN_SCALAR(name, TD_TYPE_N, td_slice_of_cstr(text))
#define B(name, literal) B_OF(name, TD_LIT(literal)) /* may hold NUL bytes */
#define B_OF(name, slice) TD_GIVEN_SCALAR(name, TD_TYPE_B, slice)
#define BOOL(name_, truth) ((td_given){.name = (name_), .type = TD_TYPE_BOOL, .boolean = (truth)})
#define NULL_(name_) ((td_given){.name = (name_), .type = TD_TYPE_NULL})
#define M(name, ...) TD_GIVEN_CONTAINER(name, TD_TYPE_M, TD_GIVEN_LIST(__VA_ARGS__))
#define L(name, ...) TD_GIVEN_CONTAINER(name, TD_TYPE_L, TD_GIVEN_LIST(__VA_ARGS__))
/* Members are slices: SS("s", TD_LIT("a"), TD_LIT("b")). */
#define SS(name, ...) TD_GIVEN_SET(name, TD_TYPE_SS, __VA_ARGS__)
#define NS(name, ...) TD_GIVEN_SET(name, TD_TYPE_NS, __VA_ARGS__)
#define BS(name, ...) TD_GIVEN_SET(name, TD_TYPE_BS, __VA_ARGS__)

/* A sorted array of attributes, as td_item_new and the engine take it. */
typedef struct td_given_attributes {
    td_attribute *attributes;
    uint32_t count;
} td_given_attributes;

/* attributes_of(arena, S("pk", "a"), …), also without any attribute. */
#define attributes_of(arena, ...) td_given_make_attributes((arena), TD_GIVEN_LIST(__VA_ARGS__))
/* item_of(arena, S("pk", "a"), …): the arena holds the reference; take another one to keep the item. */
#define item_of(arena, ...) td_given_make_item((arena), TD_GIVEN_LIST(__VA_ARGS__))
/* value_of(arena, S("", "a")): the name is not used. */
td_value value_of(td_arena *arena, td_given given);
/* The encoding of a written number, in the arena: a key's part. */
td_slice number_of(td_arena *arena, const char *text);

/* Readable texts, as DynamoDB's JSON with sorted names: {"n": {"N": "1.5"}, "pk": {"S": "a"}}. Control
 * characters, quotes and backslashes stand as \xNN. Borrowed until the arena's reset. */
const char *show_value(td_arena *arena, const td_value *value);
const char *show_attributes(td_arena *arena, const td_attribute *attributes, uint32_t count);
const char *show_item(td_arena *arena, const td_item *item); /* NULL: "no item" */
const char *show_stored(td_arena *arena, td_stored stored);
const char *show_slice(td_arena *arena, td_slice bytes);

/* Assertions that print both sides (with check.h). */
#define CHECK_ATTRIBUTES(arena, actual, actual_count, ...)                                                             \
    ck_assert_str_eq(show_attributes((arena), (actual), (actual_count)), show_given((arena), __VA_ARGS__))
#define CHECK_ITEM(arena, actual, ...)                                                                                 \
    ck_assert_str_eq(show_item((arena), (actual)), show_given((arena), __VA_ARGS__))
#define CHECK_VALUE(arena, actual, given) ck_assert_str_eq(show_value((arena), (actual)), show_one((arena), (given)))
#define CHECK_SLICE(arena, actual, literal)                                                                            \
    ck_assert_str_eq(show_slice((arena), (actual)), show_slice((arena), TD_LIT(literal)))

#define show_given(arena, ...) td_given_show((arena), TD_GIVEN_LIST(__VA_ARGS__))
const char *show_one(td_arena *arena, td_given given);

/* The machinery of the macros above. */
#define TD_GIVEN_LIST(...) ((const td_given[]){__VA_ARGS__ __VA_OPT__(,) {.type = TD_TYPE_COUNT}})
#define TD_GIVEN_SCALAR(name_, type_, bytes_) ((td_given){.name = (name_), .type = (type_), .bytes = (bytes_)})
#define TD_GIVEN_CONTAINER(name_, type_, list) ((td_given){.name = (name_), .type = (type_), .children = (list)})
#define TD_GIVEN_SET(name_, type_, ...)                                                                                \
    ((td_given){.name = (name_), .type = (type_), .members = (const td_slice[]){__VA_ARGS__, {NULL, SIZE_MAX}}})
td_given_attributes td_given_make_attributes(td_arena *arena, const td_given *list);
td_item *td_given_make_item(td_arena *arena, const td_given *list);
const char *td_given_show(td_arena *arena, const td_given *list);

#endif
