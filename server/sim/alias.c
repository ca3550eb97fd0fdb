/* SPDX-License-Identifier: Apache-2.0
 * alias.c: see alias.h.
 * Model: M. D. Vose, "A linear algorithm for generating random numbers with a given distribution" (1991): elements
 *        below the average are filled up from those above it, one of either a step. */
#include "alias.h"

static void pair_up(td_sim_alias *alias, uint32_t *small, uint32_t small_count, uint32_t *large, uint32_t large_count);

bool td_sim__alias_init(td_sim_alias *alias, const double *weights, uint32_t count, td_arena *arena)
{
    TD_ASSERT(count > 0);
    alias->count = count;
    alias->slots = td_arena_alloc_array(arena, count, sizeof *alias->slots);
    td_arena_mark mark = td_arena_get_mark(arena);
    uint32_t *small = td_arena_alloc_array(arena, count, sizeof *small);
    uint32_t *large = td_arena_alloc_array(arena, count, sizeof *large);
    if (alias->slots == NULL || small == NULL || large == NULL) return false;

    double sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += weights[i];
    TD_ASSERT(sum > 0);
    uint32_t small_count = 0;
    uint32_t large_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        alias->slots[i] = (td_sim_alias_slot){.keep = weights[i] / sum * count, .other = i};
        if (alias->slots[i].keep < 1) {
            small[small_count++] = i;
        } else {
            large[large_count++] = i;
        }
    }
    pair_up(alias, small, small_count, large, large_count);
    td_arena_rewind(arena, mark);
    return true;
}

uint32_t td_sim__alias_draw(const td_sim_alias *alias, td_rng *rng)
{
    double place = td_rng_unit(rng) * alias->count;
    uint32_t slot = (uint32_t)place;
    if (slot >= alias->count) slot = alias->count - 1; /* the product may round up */
    return place - slot < alias->slots[slot].keep ? slot : alias->slots[slot].other;
}

double td_sim__alias_probability(const td_sim_alias *alias, uint32_t element)
{
    double sum = 0;
    for (uint32_t i = 0; i < alias->count; i++) {
        const td_sim_alias_slot *slot = &alias->slots[i];
        if (i == element) sum += slot->keep;
        if (slot->other == element) sum += 1 - slot->keep;
    }
    return sum / alias->count;
}

/* What is left of either kind when the other runs out is 1 but for rounding. */
static void pair_up(td_sim_alias *alias, uint32_t *small, uint32_t small_count, uint32_t *large, uint32_t large_count)
{
    while (small_count > 0 && large_count > 0) {
        td_sim_alias_slot *filled = &alias->slots[small[--small_count]];
        uint32_t giver = large[large_count - 1];
        filled->other = giver;
        alias->slots[giver].keep -= 1 - filled->keep;
        if (alias->slots[giver].keep >= 1) continue;
        large_count--;
        small[small_count++] = giver;
    }
    while (large_count > 0)
        alias->slots[large[--large_count]].keep = 1;
    while (small_count > 0)
        alias->slots[small[--small_count]].keep = 1;
}
