/* SPDX-License-Identifier: Apache-2.0
 * build.c: from descriptions to finished values, attributes and items in the test's arena.
 *
 * Not here: the readable texts (show.c). */
#include "support/build.h"

#include "thermodyn/number.h"

enum { FIXTURE_ARENA_BYTES_MAX = 256 << 20 };

static uint32_t count_of(td_given given);
static uint32_t length_of(const td_given *list);
static td_slice member_of(td_arena *arena, td_type type, td_slice written);
static td_slice encode_number(td_arena *arena, td_slice written);

void td_fixture_init(td_fixture *fixture)
{
    *fixture = (td_fixture){.error = {.wording = TD_WORDING_CLASSIC}};
    td_arena_init(&fixture->arena, FIXTURE_ARENA_BYTES_MAX);
    fixture->error.arena = &fixture->arena;
}

void td_fixture_done(td_fixture *fixture) { td_arena_done(&fixture->arena); }

td_value value_of(td_arena *arena, td_given given)
{
    td_value value = {.type = given.type, .boolean = given.boolean, .count = count_of(given)};
    switch (given.type) {
    case TD_TYPE_S:
    case TD_TYPE_B: value.bytes = given.bytes; break;
    case TD_TYPE_N: value.bytes = encode_number(arena, given.bytes); break;
    case TD_TYPE_SS:
    case TD_TYPE_NS:
    case TD_TYPE_BS:
        value.members = td_arena_alloc_array(arena, value.count, sizeof(td_slice));
        TD_ASSERT(value.members);
        for (uint32_t i = 0; i < value.count; i++)
            value.members[i] = member_of(arena, given.type, given.members[i]);
        TD_ASSERT(td_value_sort_members(value.members, value.count));
        break;
    case TD_TYPE_M: {
        td_given_attributes contents = td_given_make_attributes(arena, given.children);
        value.attributes = contents.attributes;
        value.count = contents.count;
        break;
    }
    case TD_TYPE_L:
        value.elements = td_arena_alloc_array(arena, value.count, sizeof(td_value));
        TD_ASSERT(value.elements);
        for (uint32_t i = 0; i < value.count; i++)
            value.elements[i] = value_of(arena, given.children[i]);
        break;
    case TD_TYPE_BOOL:
    case TD_TYPE_NULL: break;
    case TD_TYPE_COUNT: TD_ASSERT(false);
    }
    return value;
}

td_slice number_of(td_arena *arena, const char *text) { return encode_number(arena, td_slice_of_cstr(text)); }

td_given_attributes td_given_make_attributes(td_arena *arena, const td_given *list)
{
    uint32_t count = length_of(list);
    td_given_attributes made = {td_arena_alloc_array(arena, count, sizeof(td_attribute)), count};
    TD_ASSERT(made.attributes);
    for (uint32_t i = 0; i < count; i++)
        made.attributes[i] = (td_attribute){td_slice_of_cstr(list[i].name), value_of(arena, list[i])};
    td_value_sort_attributes(made.attributes, &made.count);
    TD_ASSERT(made.count == count);
    return made;
}

td_item *td_given_make_item(td_arena *arena, const td_given *list)
{
    td_given_attributes made = td_given_make_attributes(arena, list);
    td_item *item = td_item_new(made.attributes, made.count);
    TD_ASSERT(item);
    TD_ASSERT(td_item_ref_in(item, arena));
    td_item_unref(item);
    return item;
}

static uint32_t count_of(td_given given)
{
    uint32_t count = 0;
    if (given.children) return length_of(given.children);
    while (given.members && given.members[count].len != SIZE_MAX)
        count++;
    return count;
}

static uint32_t length_of(const td_given *list)
{
    uint32_t count = 0;
    while (list[count].type != TD_TYPE_COUNT)
        count++;
    return count;
}

static td_slice member_of(td_arena *arena, td_type type, td_slice written)
{
    return type == TD_TYPE_NS ? encode_number(arena, written) : written;
}

static td_slice encode_number(td_arena *arena, td_slice written)
{
    td_number number;
    td_slice copy = {NULL, 0};
    TD_ASSERT(td_number_parse(written, &number) == TD_NUMBER_OK);
    TD_ASSERT(td_arena_copy(arena, td_number_slice(&number), &copy));
    return copy;
}
