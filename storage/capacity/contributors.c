/* SPDX-License-Identifier: Apache-2.0
 * contributors.c: the rules of Contributor Insights, each with its open minute and a ring of closed ones.
 * Not here: which accesses count (admission.c); reports (storage/engine/insights_report.c). */
#include "contributors.h"

#include <math.h>

#include "thermodyn/memory.h"

#define SECONDS_A_MINUTE 60
#define REGISTER_BITS 8
#define LINEAR_UP_TO 2.5 /* times the registers: below, the free registers tell more. Source: the paper's */

_Static_assert(1 << REGISTER_BITS == TD_CONTRIBUTORS_REGISTERS, "a register has its number");

typedef struct rule_counts {
    int64_t minute;                                          /* that is open */
    td_contributors_minute *closed[TD_CONTRIBUTORS_MINUTES]; /* by minute % TD_CONTRIBUTORS_MINUTES */
    td_contributors_minute open;                             /* without its list */
    td_sketch sketch;
} rule_counts;

struct td_contributors {
    rule_counts *rules[TD_INSIGHT_RULE_COUNT]; /* NULL: there is no such rule */
};

static rule_counts *new_rule(void);
static void free_rule(rule_counts *rule);
static void count(td_contributors *contributors, td_insight_rule rule, td_time_us now_us, const td_heat_access *access,
                  td_units amount);
static void close_minute(rule_counts *rule);
static void free_minute(td_contributors_minute *minute);
static bool is_by_sort_key(td_insight_rule rule);

td_contributors *td_contributors_new(uint32_t rules)
{
    td_contributors *contributors = td_alloc_zero(sizeof *contributors);
    if (contributors == NULL) return NULL;
    if (td_contributors_set_rules(contributors, rules)) return contributors;
    td_contributors_free(contributors);
    return NULL;
}

void td_contributors_free(td_contributors *contributors)
{
    if (contributors == NULL) return;
    for (int rule = 0; rule < TD_INSIGHT_RULE_COUNT; rule++)
        free_rule(contributors->rules[rule]);
    td_free(contributors);
}

bool td_contributors_set_rules(td_contributors *contributors, uint32_t rules)
{
    rule_counts *made[TD_INSIGHT_RULE_COUNT] = {NULL};
    bool is_made = true;
    for (int rule = 0; rule < TD_INSIGHT_RULE_COUNT && is_made; rule++) {
        if ((rules >> rule & 1) == 0 || contributors->rules[rule] != NULL) continue;
        made[rule] = new_rule();
        is_made = made[rule] != NULL;
    }
    for (int rule = 0; rule < TD_INSIGHT_RULE_COUNT; rule++) {
        if (!is_made) {
            free_rule(made[rule]);
        } else if ((rules >> rule & 1) == 0) {
            free_rule(contributors->rules[rule]);
            contributors->rules[rule] = NULL;
        } else if (made[rule] != NULL) {
            contributors->rules[rule] = made[rule];
        }
    }
    return is_made;
}

bool td_contributors_has_rule(const td_contributors *contributors, td_insight_rule rule)
{
    return contributors->rules[rule] != NULL;
}

void td_contributors_add(td_contributors *contributors, td_time_us now_us, const td_heat_access *access)
{
    td_units weight = access->direction == TD_WRITE ? TD_CONTRIBUTORS_WRITE_WEIGHT : 1;
    count(contributors, TD_INSIGHT_PKC, now_us, access, weight * access->units);
    count(contributors, TD_INSIGHT_SKC, now_us, access, weight * access->units);
}

void td_contributors_add_refused(td_contributors *contributors, td_time_us now_us, const td_heat_access *access)
{
    count(contributors, TD_INSIGHT_PKT, now_us, access, TD_UNITS_ONE);
    count(contributors, TD_INSIGHT_SKT, now_us, access, TD_UNITS_ONE);
}

bool td_contributors_read(const td_contributors *contributors, td_insight_rule rule, int64_t minute, td_arena *arena,
                          const td_contributors_minute **ret_minute)
{
    const rule_counts *it = contributors->rules[rule];
    *ret_minute = NULL;
    if (it == NULL || minute < 0) return true;
    const td_contributors_minute *closed = it->closed[minute % TD_CONTRIBUTORS_MINUTES];
    if (closed != NULL && closed->top->minute == minute) *ret_minute = closed;
    if (minute != it->minute || it->open.samples.count == 0) return true;
    td_contributors_minute *open = td_arena_alloc(arena, sizeof *open);
    if (open == NULL) return false;
    *open = it->open;
    open->top = td_heat_top_copy(&it->sketch, minute, open->samples.sum, arena);
    *ret_minute = open;
    return open->top != NULL;
}

void td_contributor_registers_add(td_contributor_registers *registers, uint64_t hash)
{
    uint64_t rest = hash >> REGISTER_BITS;
    uint8_t rank = (uint8_t)(rest == 0 ? 64 - REGISTER_BITS + 1 : __builtin_ctzll(rest) + 1);
    uint8_t *place = &registers->ranks[hash & (TD_CONTRIBUTORS_REGISTERS - 1)];
    if (rank > *place) *place = rank;
}

void td_contributor_registers_merge(td_contributor_registers *registers, const td_contributor_registers *more)
{
    for (size_t i = 0; i < TD_CONTRIBUTORS_REGISTERS; i++) {
        if (more->ranks[i] > registers->ranks[i]) registers->ranks[i] = more->ranks[i];
    }
}

double td_contributor_registers_estimate(const td_contributor_registers *registers)
{
    const double m = TD_CONTRIBUTORS_REGISTERS;
    double sum = 0;
    double free_count = 0;
    for (size_t i = 0; i < TD_CONTRIBUTORS_REGISTERS; i++) {
        sum += ldexp(1, -registers->ranks[i]);
        free_count += registers->ranks[i] == 0;
    }
    double estimate = 0.7213 / (1 + 1.079 / m) * m * m / sum;
    if (estimate <= LINEAR_UP_TO * m && free_count > 0) estimate = m * log(m / free_count);
    return round(estimate);
}

static rule_counts *new_rule(void)
{
    return td_alloc_zero(sizeof(rule_counts));
}

static void free_rule(rule_counts *rule)
{
    if (rule == NULL) return;
    for (size_t i = 0; i < TD_CONTRIBUTORS_MINUTES; i++)
        free_minute(rule->closed[i]);
    td_free(rule);
}

/* By the sort key too, a range has no contributor. */
static void count(td_contributors *contributors, td_insight_rule rule, td_time_us now_us, const td_heat_access *access,
                  td_units amount)
{
    rule_counts *it = contributors->rules[rule];
    bool is_by_item = is_by_sort_key(rule);
    if (it == NULL || access->collection_len == 0 || (is_by_item && access->is_range)) return;
    int64_t second = now_us / TD_US_PER_S;
    int64_t minute = second / SECONDS_A_MINUTE;
    if (minute > it->minute) {
        close_minute(it);
        it->minute = minute;
    }
    td_slice text = is_by_item ? access->key : td_slice_of(access->key.ptr, access->collection_len);
    td_sketch_key key = {td_heat_hash_of(text, access->collection_len), text, access->collection_len};
    td_sketch_add(&it->sketch, &key, second, amount);
    td_contributor_registers_add(&it->open.registers, key.hash);
    td_statistic_add(&it->open.samples, amount);
}

static void close_minute(rule_counts *rule)
{
    if (rule->open.samples.count == 0) return;
    td_contributors_minute **place = &rule->closed[rule->minute % TD_CONTRIBUTORS_MINUTES];
    free_minute(*place);
    *place = td_alloc(sizeof **place);
    if (*place != NULL) {
        **place = rule->open;
        (*place)->top = td_heat_top_close(&rule->sketch, rule->minute, rule->open.samples.sum);
        if ((*place)->top == NULL) {
            free_minute(*place);
            *place = NULL;
        }
    }
    rule->open = (td_contributors_minute){.top = NULL};
    td_sketch_init(&rule->sketch);
}

static void free_minute(td_contributors_minute *minute)
{
    if (minute == NULL) return;
    td_free(minute->top);
    td_free(minute);
}

static bool is_by_sort_key(td_insight_rule rule)
{
    return rule == TD_INSIGHT_SKC || rule == TD_INSIGHT_SKT;
}
