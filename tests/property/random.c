/* SPDX-License-Identifier: Apache-2.0
 * random.c: random attributes. */
#include "random.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define MEMBERS_MAX 5
#define TEXT_BYTES_MAX 40

static const td_slice string_keys[] = {
    TD_LIT_INIT("a"), TD_LIT_INIT("a\0"),      TD_LIT_INIT("a\0b"), TD_LIT_INIT("aa"), TD_LIT_INIT("ab"),
    TD_LIT_INIT("b"), TD_LIT_INIT("\xC3\xA4"), TD_LIT_INIT("z"),    TD_LIT_INIT("zz"), TD_LIT_INIT("\0"),
};
static const td_slice binary_keys[] = {
    TD_LIT_INIT("\0"),   TD_LIT_INIT("\0\0"), TD_LIT_INIT("\0\xFF"), TD_LIT_INIT("\x01"),
    TD_LIT_INIT("\xFF"), TD_LIT_INIT("a"),    TD_LIT_INIT("a\0"),    TD_LIT_INIT("a\xFF"),
};
static const char *const number_keys[] = {"-1e30", "-100", "-10", "-1.5", "-0.01", "0",   "0.001",
                                          "1",     "1.5",  "2",   "10",   "99",    "100", "1e30"};

static td_slice random_number(td_rng *rng, td_arena *arena);
static td_slice random_text(td_rng *rng, td_arena *arena);
static td_slice random_bytes(td_rng *rng, td_arena *arena);
static td_value random_set(td_rng *rng, td_type type, td_arena *arena);
static td_value random_list(td_rng *rng, uint32_t depth, td_arena *arena);
static td_value random_map(td_rng *rng, uint32_t depth, td_arena *arena);
static td_slice number_of_text(const char *text, td_arena *arena);
static void *take(td_arena *arena, size_t count, size_t size_bytes);

td_slice random_key(td_rng *rng, td_type type, td_arena *arena)
{
    if (type == TD_TYPE_S) return string_keys[td_rng_below(rng, TD_COUNT_OF(string_keys))];
    if (type == TD_TYPE_B) return binary_keys[td_rng_below(rng, TD_COUNT_OF(binary_keys))];
    ck_assert(type == TD_TYPE_N);
    return number_of_text(number_keys[td_rng_below(rng, TD_COUNT_OF(number_keys))], arena);
}

td_value random_value(td_rng *rng, uint32_t depth, td_arena *arena)
{
    td_type type = (td_type)td_rng_below(rng, TD_TYPE_COUNT);
    if (depth == 0 && (type == TD_TYPE_L || type == TD_TYPE_M)) type = TD_TYPE_S;
    switch (type) {
    case TD_TYPE_S: return (td_value){.type = type, .bytes = random_text(rng, arena)};
    case TD_TYPE_N: return (td_value){.type = type, .bytes = random_number(rng, arena)};
    case TD_TYPE_B: return (td_value){.type = type, .bytes = random_bytes(rng, arena)};
    case TD_TYPE_SS:
    case TD_TYPE_NS:
    case TD_TYPE_BS: return random_set(rng, type, arena);
    case TD_TYPE_M: return random_map(rng, depth, arena);
    case TD_TYPE_L: return random_list(rng, depth, arena);
    case TD_TYPE_BOOL: return (td_value){.type = type, .boolean = random_chance(rng, 50)};
    case TD_TYPE_NULL:
    case TD_TYPE_COUNT: break;
    }
    return (td_value){.type = TD_TYPE_NULL};
}

bool random_chance(td_rng *rng, uint32_t percent)
{
    return td_rng_below(rng, 100) < percent;
}

uint64_t number_from_env(const char *name, uint64_t default_value)
{
    const char *text = getenv(name);
    return text == NULL ? default_value : strtoull(text, NULL, 10);
}

static td_slice random_number(td_rng *rng, td_arena *arena)
{
    char text[64];
    int64_t digits = (int64_t)td_rng_next(rng) >> td_rng_below(rng, 64);
    snprintf(text, sizeof text, "%" PRId64 "e%d", digits, (int)td_rng_below(rng, 140) - 80);
    return number_of_text(text, arena);
}

/* Valid UTF-8 of one, two and three bytes a character, NUL included. */
static td_slice random_text(td_rng *rng, td_arena *arena)
{
    size_t count = td_rng_below(rng, TEXT_BYTES_MAX / 3);
    uint8_t *bytes = take(arena, 3 * count + 1, 1);
    size_t len = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t pick = td_rng_below(rng, 10);
        if (pick == 0) {
            bytes[len++] = 0xE2;
            bytes[len++] = 0x82;
            bytes[len++] = (uint8_t)(0x80 + td_rng_below(rng, 0x40));
        } else if (pick == 1) {
            bytes[len++] = 0xC3;
            bytes[len++] = (uint8_t)(0x80 + td_rng_below(rng, 0x40));
        } else {
            bytes[len++] = (uint8_t)td_rng_below(rng, 0x80);
        }
    }
    return td_slice_of(bytes, len);
}

static td_slice random_bytes(td_rng *rng, td_arena *arena)
{
    size_t len = td_rng_below(rng, TEXT_BYTES_MAX);
    uint8_t *bytes = take(arena, len + 1, 1);
    for (size_t i = 0; i < len; i++)
        bytes[i] = (uint8_t)td_rng_next(rng);
    return td_slice_of(bytes, len);
}

static td_value random_set(td_rng *rng, td_type type, td_arena *arena)
{
    td_value set = {.type = type, .count = 1 + (uint32_t)td_rng_below(rng, MEMBERS_MAX)};
    set.members = take(arena, set.count, sizeof *set.members);
    for (uint32_t i = 0; i < set.count; i++) {
        if (type == TD_TYPE_NS) set.members[i] = random_number(rng, arena);
        if (type == TD_TYPE_SS) set.members[i] = random_text(rng, arena);
        if (type == TD_TYPE_BS) set.members[i] = random_bytes(rng, arena);
    }
    if (!td_value_sort_members(set.members, set.count)) set.count = 1; /* duplicates: any one of them will do */
    return set;
}

static td_value random_list(td_rng *rng, uint32_t depth, td_arena *arena)
{
    td_value list = {.type = TD_TYPE_L, .count = (uint32_t)td_rng_below(rng, MEMBERS_MAX)};
    list.elements = take(arena, list.count, sizeof *list.elements);
    for (uint32_t i = 0; i < list.count; i++)
        list.elements[i] = random_value(rng, depth - 1, arena);
    return list;
}

static td_value random_map(td_rng *rng, uint32_t depth, td_arena *arena)
{
    td_value map = {.type = TD_TYPE_M, .count = (uint32_t)td_rng_below(rng, MEMBERS_MAX)};
    map.attributes = take(arena, map.count, sizeof *map.attributes);
    for (uint32_t i = 0; i < map.count; i++)
        map.attributes[i] = (td_attribute){random_text(rng, arena), random_value(rng, depth - 1, arena)};
    td_value_sort_attributes(map.attributes, &map.count);
    return map;
}

static td_slice number_of_text(const char *text, td_arena *arena)
{
    td_number number;
    td_slice copy;
    ck_assert(td_number_parse(td_slice_of_cstr(text), &number) == TD_NUMBER_OK);
    ck_assert(td_arena_copy(arena, td_number_slice(&number), &copy));
    return copy;
}

static void *take(td_arena *arena, size_t count, size_t size_bytes)
{
    void *memory = td_arena_alloc_array(arena, count, size_bytes);
    ck_assert(memory != NULL);
    return memory;
}
