/* SPDX-License-Identifier: Apache-2.0
 * advice.c: tests of the judge of traffic over made-up numbers: every kind of advice on both sides of its threshold.
 * A table of four partitions, on-demand, 10,000 units each way in 100 seconds, evenly spread: each test bends that. */
#include "control/advice.h"

#include <stdio.h>

#include "suites.h"

#define PARTITIONS_MAX 16

static td_arena arena;
static td_advice_list list;
static td_advice_question question;
static td_advice_resource resource;
static td_advice_partition partitions[PARTITIONS_MAX];
static td_advice_key keys[TD_DIRECTION_COUNT][16];
static double by_partition[TD_DIRECTION_COUNT][PARTITIONS_MAX];

static void lay_out(uint32_t count)
{
    resource.partition_count = count;
    for (uint32_t i = 0; i < count; i++) {
        partitions[i] = (td_advice_partition){.from = (uint64_t)(((unsigned __int128)i << 64) / count)};
        snprintf(partitions[i].id, sizeof(partitions[i].id), "p-%04u", i + 1);
        by_partition[TD_READ][i] = by_partition[TD_WRITE][i] = 10000.0 / count;
    }
}

static void setup(void)
{
    td_arena_init(&arena, (size_t)16 * 1024 * 1024);
    question = (td_advice_question){
        .factor = 1, .window_s = 3600, .is_recorded = true, .has_heat_splits = true, .split_delay_s = 600};
    resource = (td_advice_resource){.table = TD_LIT("orders"),
                                    .billing = TD_BILLING_ON_DEMAND,
                                    .has_sort_key = true,
                                    .item_bytes_mean = 500,
                                    .partitions = partitions};
    lay_out(4);
    for (td_direction direction = TD_READ; direction < TD_DIRECTION_COUNT; direction++) {
        resource.sides[direction] = (td_advice_side){.total = 10000,
                                                     .mean = 100,
                                                     .peak = 150,
                                                     .peak_seconds = 1,
                                                     .peak_minute = 110,
                                                     .keys = keys[direction],
                                                     .rest = 10,
                                                     .by_partition = by_partition[direction],
                                                     .warm = direction == TD_READ ? 12000 : 4000};
    }
}

static void teardown(void)
{
    td_arena_done(&arena);
}

static td_advice_side *side(td_direction direction)
{
    return &resource.sides[direction];
}

/* A key whose amount is exact, in partition p-0001. */
static td_advice_key *add_key(td_direction direction, const char *name, double amount, double peak)
{
    td_advice_key *key = &keys[direction][side(direction)->key_count++];
    *key = (td_advice_key){.name = td_slice_of_cstr(name),
                           .suffix_base = td_slice_of_cstr(name),
                           .partition = "p-0001",
                           .amount = amount,
                           .peak = peak,
                           .top_item_share = -1};
    return key;
}

static void judge(void)
{
    list = (td_advice_list){.arena = &arena};
    td_advice_judge(&question, &resource, &list);
    td_advice_sort(&list);
    ck_assert(!list.failed);
}

static uint32_t count_of(td_advice_kind kind)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < list.count; i++) {
        count += list.items[i].kind == kind;
    }
    return count;
}

/* The first of the kind. */
static const td_advice *get(td_advice_kind kind)
{
    for (uint32_t i = 0; i < list.count; i++) {
        if (list.items[i].kind == kind) return &list.items[i];
    }
    ck_abort_msg("no advice of kind %s", td_advice_kind_name(kind));
}

static const td_advice_number *get_number(const td_advice *advice, const char *name)
{
    for (uint32_t i = 0; i < advice->number_count; i++) {
        if (strcmp(advice->numbers[i].name, name) == 0) return &advice->numbers[i];
    }
    ck_abort_msg("no number %s in: %s", name, (const char *)advice->text.ptr);
}

static double value_of(const td_advice *advice, const char *name)
{
    return get_number(advice, name)->value;
}

static const char *text_of(const td_advice *advice, const char *name)
{
    return (const char *)get_number(advice, name)->text.ptr;
}

#define CHECK_SAYS(advice, part)                                                                                       \
    ck_assert_msg(strstr((const char *)(advice)->text.ptr, part) != NULL, "is:  %s\nnot: %s",                          \
                  (const char *)(advice)->text.ptr, part)

#define CHECK_NEAR(is, wanted) ck_assert_double_eq_tol(is, wanted, 1e-6 * ((wanted) + 1))

START_TEST(even_traffic_gives_no_warning)
{
    judge();
    for (uint32_t i = 0; i < list.count; i++) {
        ck_assert_int_eq(list.items[i].severity, TD_ADVICE_INFO);
    }
    ck_assert_uint_eq(count_of(TD_ADVICE_EVEN), 2);
    ck_assert_uint_eq(count_of(TD_ADVICE_CAPACITY), 2);
    ck_assert_uint_eq(list.count, 4);
}
END_TEST

START_TEST(a_key_is_hot_from_a_partitions_limit_on)
{
    static const struct {
        td_direction direction;
        double peak, factor;
        int count;
        td_advice_severity severity;
    } rows[] = {{TD_WRITE, 999, 1, 0, TD_ADVICE_INFO},       {TD_WRITE, 1000, 1, 1, TD_ADVICE_PROBLEM},
                {TD_WRITE, 99, 10, 0, TD_ADVICE_INFO},       {TD_WRITE, 100, 10, 1, TD_ADVICE_WARNING},
                {TD_READ, 2999, 1, 0, TD_ADVICE_INFO},       {TD_READ, 3000, 1, 1, TD_ADVICE_PROBLEM},
                {TD_READ, 1499, 2, 0, TD_ADVICE_INFO},       {TD_READ, 1500, 2, 1, TD_ADVICE_WARNING},
                {TD_WRITE, 1000, 0.5, 0, TD_ADVICE_PROBLEM}, {TD_WRITE, 2000, 0.5, 1, TD_ADVICE_PROBLEM}};
    for (size_t i = 0; i < TD_COUNT_OF(rows); i++) {
        teardown();
        setup();
        question.factor = rows[i].factor;
        add_key(rows[i].direction, "HOT", 500, rows[i].peak);
        judge();
        ck_assert_int_eq(count_of(TD_ADVICE_HOT_KEY), rows[i].count);
        if (rows[i].count == 0) continue;
        const td_advice *hot = get(TD_ADVICE_HOT_KEY);
        ck_assert_int_eq(hot->severity, rows[i].severity);
        CHECK_NEAR(value_of(hot, "factor_at_limit"), (rows[i].direction == TD_READ ? 3000 : 1000) / rows[i].peak);
        ck_assert_str_eq(text_of(hot, "key"), "HOT");
    }
}
END_TEST

START_TEST(a_key_without_a_peak_is_judged_by_its_mean)
{
    td_advice_key *key = add_key(TD_WRITE, "HOT", 6000, 0);
    key->error = 1000;
    question.factor = 19;
    judge();
    ck_assert_uint_eq(count_of(TD_ADVICE_HOT_KEY), 0);
    question.factor = 20; /* half of 100 a second is certain */
    judge();
    CHECK_NEAR(value_of(get(TD_ADVICE_HOT_KEY), "peak"), 50);
}
END_TEST

START_TEST(the_hottest_keys_are_told_and_further_ones_counted)
{
    for (int i = 0; i < 7; i++) {
        add_key(TD_WRITE, "HOT", 1000, 1200);
    }
    judge();
    ck_assert_uint_eq(count_of(TD_ADVICE_HOT_KEY), 5);
    CHECK_SAYS(&list.items[4], "2 further keys pass it too.");
}
END_TEST

START_TEST(a_hot_key_says_whether_a_split_helps)
{
    static const struct {
        bool has_sort_key, has_local_index, is_index, has_heat_splits;
        double top_item_share;
        td_split_veto veto;
        const char *split;
    } rows[] = {{true, false, false, true, 0.5, TD_VETO_NONE, "possible"},
                {true, false, false, true, 0.89, TD_VETO_NONE, "possible"},
                {true, false, false, true, 0.9, TD_VETO_NONE, "single item"},
                {true, false, false, true, -1, TD_VETO_SINGLE_ITEM, "single item"},
                {false, false, false, true, -1, TD_VETO_NONE, "no sort key"},
                {false, false, true, true, -1, TD_VETO_NONE, "unknown"},
                {true, true, false, true, 0.5, TD_VETO_NONE, "local index"},
                {true, false, false, true, 0.5, TD_VETO_LOCAL_INDEX, "local index"},
                {true, false, false, true, 0.5, TD_VETO_INCREASING_SORT_KEY, "one end of the sort keys"},
                {true, false, false, true, 0.5, TD_VETO_DECREASING_SORT_KEY, "one end of the sort keys"},
                {true, false, false, true, 0.5, TD_VETO_SEQUENTIAL, "sequential"},
                {true, false, false, true, 0.5, TD_VETO_TOO_SMALL, "possible"},
                {true, false, false, false, 0.5, TD_VETO_NONE, "switched off"}};
    for (size_t i = 0; i < TD_COUNT_OF(rows); i++) {
        teardown();
        setup();
        add_key(TD_WRITE, "HOT", 5000, 1200)->top_item_share = rows[i].top_item_share;
        resource.has_sort_key = rows[i].has_sort_key;
        resource.has_local_index = rows[i].has_local_index;
        if (rows[i].is_index) resource.index = TD_LIT("by-status");
        question.has_heat_splits = rows[i].has_heat_splits;
        partitions[0].veto = rows[i].veto;
        partitions[1].veto = TD_VETO_SEQUENTIAL; /* not the key's */
        judge();
        ck_assert_str_eq(text_of(get(TD_ADVICE_HOT_KEY), "split"), rows[i].split);
    }
}
END_TEST

START_TEST(a_hot_reader_hears_of_caches_and_of_consistency)
{
    add_key(TD_READ, "HOT", 5000, 4000);
    judge();
    CHECK_SAYS(get(TD_ADVICE_HOT_KEY), "those that are strongly consistent cost half");
    resource.index = TD_LIT("by-status"); /* never strongly consistent */
    judge();
    CHECK_SAYS(get(TD_ADVICE_HOT_KEY), "A cache takes such reads off the partition.");
}
END_TEST

/* By an independent calculation over MD5("Outliers" ‖ key). */
START_TEST(shards_are_counted_by_the_real_hash)
{
    static const struct {
        const char *key;
        uint32_t partitions;
        double rate;
        uint32_t count, partition_count;
        double partition_rate;
        uint32_t simple_count;
        double simple_partition_rate;
    } rows[] = {{"HOT", 11, 3000, 8, 11, 750, 4, 1500},
                {"HOT", 4, 1000, 2, 4, 500, 2, 500},
                {"bestseller-product", 11, 3000, 15, 11, 800, 4, 1500},
                {"HOT", 4, 3000, 23, 8, 18 * 1000.0 / 23, 4, 2250},
                {"HOT", 1, 3000, 23, 8, 18 * 1000.0 / 23, 4, 3000},
                {"HOT", 4, 5000, 19, 16, 3 * 5000.0 / 19, 7, 5 * 5000.0 / 7},
                {"HOT", 1, 700, 1, 1, 700, 1, 700}};
    for (size_t i = 0; i < TD_COUNT_OF(rows); i++) {
        lay_out(rows[i].partitions);
        td_advice_key key = {.suffix_base = td_slice_of_cstr(rows[i].key)};
        td_advice_shards shards = td_advice_count_shards(&question, &resource, &key, rows[i].rate, 1000);
        ck_assert(shards.is_exact);
        ck_assert_uint_eq(shards.count, rows[i].count);
        ck_assert_uint_eq(shards.partition_count, rows[i].partition_count);
        CHECK_NEAR(shards.partition_rate, rows[i].partition_rate);
        ck_assert_uint_eq(shards.simple_count, rows[i].simple_count);
        CHECK_NEAR(shards.simple_partition_rate, rows[i].simple_partition_rate);
    }
}
END_TEST

/* Not every number is needed to be tight, but it must be enough, and not more than what the worst key needs. */
START_TEST(shards_of_an_unknown_key_are_enough_for_95_of_100)
{
    static const double rates[] = {1000, 2000, 3000, 5000};
    lay_out(16);
    for (size_t i = 0; i < TD_COUNT_OF(rates); i++) {
        td_advice_key unknown = {.peak = 0};
        td_advice_shards shards = td_advice_count_shards(&question, &resource, &unknown, rates[i], 1000);
        ck_assert(!shards.is_exact);
        ck_assert_uint_eq(shards.partition_count, 16);
        int unlucky = 0;
        for (int k = 0; k < 1000; k++) {
            uint32_t together[16] = {0};
            uint32_t most = 0;
            for (uint32_t suffix = 0; suffix < shards.count; suffix++) {
                char text[32];
                snprintf(text, sizeof(text), "key-%d#%u", k, suffix);
                td_slice part = td_slice_of_cstr(text);
                td_key_hash hash = td_key_hash_of(&part, 1, TD_PLACEMENT_SERVICE);
                uint32_t place = (uint32_t)(td_key_hash_prefix(&hash) >> 60);
                if (++together[place] > most) most = together[place];
            }
            if (rates[i] * most / shards.count > 1000 * TD_ADVICE_HEADROOM) unlucky++;
        }
        ck_assert_msg(unlucky <= 60, "%u suffixes for %g: too few for %d of 1,000 keys", shards.count, rates[i],
                      unlucky);
        ck_assert_uint_le(shards.count, 10 * shards.simple_count);
    }
}
END_TEST

START_TEST(shards_have_a_limit)
{
    td_advice_key key = {.suffix_base = TD_LIT("HOT")};
    ck_assert_uint_eq(td_advice_count_shards(&question, &resource, &key, 200000, 1000).count, 0);
    key.suffix_base = TD_LIT("");
    ck_assert_uint_eq(td_advice_count_shards(&question, &resource, &key, 200000, 1000).count, 0);
}
END_TEST

START_TEST(evenness_is_bounded_by_what_the_sketch_knows)
{
    for (int i = 0; i < 4; i++) {
        add_key(TD_WRITE, "K", 2500, 10);
    }
    side(TD_WRITE)->rest = 0;
    td_advice_evenness exact = td_advice_measure(&resource, TD_WRITE);
    CHECK_NEAR(exact.top_share_min, 0.25);
    CHECK_NEAR(exact.top_share_max, 0.25);
    CHECK_NEAR(exact.effective_keys_min, 4);
    CHECK_NEAR(exact.effective_keys_max, 4);
    for (int i = 0; i < 4; i++) {
        keys[TD_WRITE][i].error = 500; /* 2,000 to 2,500 each */
    }
    side(TD_WRITE)->rest = 400;
    td_advice_evenness loose = td_advice_measure(&resource, TD_WRITE);
    CHECK_NEAR(loose.top_share_min, 0.2);
    CHECK_NEAR(loose.top_share_max, 0.25);
    CHECK_NEAR(loose.top_10_share_min, 0.8);
    CHECK_NEAR(loose.top_10_share_max, 1);
    CHECK_NEAR(loose.effective_keys_min, 4);
    CHECK_NEAR(loose.effective_keys_max, 6.25);
    side(TD_WRITE)->key_count = 0; /* only that none has more than 400 */
    td_advice_evenness vague = td_advice_measure(&resource, TD_WRITE);
    CHECK_NEAR(vague.top_share_max, 0.04);
    CHECK_NEAR(vague.effective_keys_min, 25);
    ck_assert_double_eq(vague.effective_keys_max, 0);
}
END_TEST

START_TEST(a_key_with_a_tenth_is_uneven)
{
    question.factor = 10;
    add_key(TD_WRITE, "K", 999, 10);
    judge();
    ck_assert_uint_eq(count_of(TD_ADVICE_UNEVEN), 0);
    keys[TD_WRITE][0].amount = 1000;
    judge();
    const td_advice *uneven = get(TD_ADVICE_UNEVEN);
    ck_assert_int_eq(uneven->severity, TD_ADVICE_WARNING);
    CHECK_NEAR(value_of(uneven, "rate_that_fills_a_partition"), 10000);
    keys[TD_WRITE][0].error = 1; /* what is not certain is not claimed */
    judge();
    ck_assert_uint_eq(count_of(TD_ADVICE_UNEVEN), 0);
}
END_TEST

START_TEST(unevenness_below_half_a_partition_is_harmless)
{
    add_key(TD_WRITE, "K", 5000, 10);
    side(TD_WRITE)->peak = 499;
    judge();
    ck_assert_int_eq(get(TD_ADVICE_UNEVEN)->severity, TD_ADVICE_INFO);
    CHECK_SAYS(get(TD_ADVICE_UNEVEN), "it does no harm");
    side(TD_WRITE)->peak = 500;
    judge();
    ck_assert_int_eq(get(TD_ADVICE_UNEVEN)->severity, TD_ADVICE_WARNING);
}
END_TEST

START_TEST(a_partition_with_twice_its_share_is_uneven)
{
    by_partition[TD_READ][2] = 4999;
    by_partition[TD_READ][0] = by_partition[TD_READ][1] = by_partition[TD_READ][3] = 5001.0 / 3;
    judge();
    ck_assert_uint_eq(count_of(TD_ADVICE_UNEVEN), 0);
    by_partition[TD_READ][2] = 5000;
    by_partition[TD_READ][0] = by_partition[TD_READ][1] = by_partition[TD_READ][3] = 5000.0 / 3;
    judge();
    const td_advice *uneven = get(TD_ADVICE_UNEVEN);
    ck_assert_str_eq(text_of(uneven, "top_partition"), "p-0003");
    CHECK_NEAR(value_of(uneven, "top_partition_share"), 0.5);
    CHECK_NEAR(value_of(uneven, "partition_cv"), 0.5773502691896257);
    side(TD_READ)->total = 300; /* 75 units are fair, and 75 more are 8.7 times the root of that */
    judge();
    ck_assert_uint_eq(count_of(TD_ADVICE_UNEVEN), 1);
    side(TD_READ)->total = 99; /* too little traffic to judge by at all */
    judge();
    ck_assert_uint_eq(count_of(TD_ADVICE_UNEVEN), 0);
}
END_TEST

START_TEST(chance_alone_is_not_uneven)
{
    lay_out(16);
    by_partition[TD_READ][0] *= 2.5;
    side(TD_READ)->total = 160; /* ten are fair; 25 are within five roots of ten */
    judge();
    ck_assert_uint_eq(count_of(TD_ADVICE_UNEVEN), 0);
    side(TD_READ)->total = 1600;
    judge();
    ck_assert_uint_eq(count_of(TD_ADVICE_UNEVEN), 1);
}
END_TEST

START_TEST(keys_that_pass_a_limit_only_together_make_a_hot_partition)
{
    side(TD_WRITE)->peak = 3999; /* a quarter each */
    judge();
    ck_assert_uint_eq(count_of(TD_ADVICE_HOT_PARTITION), 0);
    side(TD_WRITE)->peak = 4000;
    judge();
    ck_assert_int_eq(get(TD_ADVICE_HOT_PARTITION)->severity, TD_ADVICE_PROBLEM);
    CHECK_NEAR(value_of(get(TD_ADVICE_HOT_PARTITION), "partitions"), 4);
    side(TD_WRITE)->peak = 400;
    question.factor = 10;
    judge();
    ck_assert_int_eq(get(TD_ADVICE_HOT_PARTITION)->severity, TD_ADVICE_WARNING);
    add_key(TD_WRITE, "HOT", 2500, 1000); /* has its own advice */
    judge();
    CHECK_NEAR(value_of(get(TD_ADVICE_HOT_PARTITION), "partitions"), 3);
}
END_TEST

START_TEST(vetoes_are_told_by_reason_and_splits_counted)
{
    partitions[0].veto = partitions[2].veto = TD_VETO_SEQUENTIAL;
    partitions[1].veto = TD_VETO_LOCAL_INDEX;
    judge();
    ck_assert_uint_eq(count_of(TD_ADVICE_SPLIT_VETOED), 2);
    ck_assert_uint_eq(count_of(TD_ADVICE_SPLIT_DONE), 0);
    ck_assert_str_eq(text_of(get(TD_ADVICE_SPLIT_VETOED), "veto"), "local index");
    ck_assert_str_eq(text_of(&list.items[1], "partition"), "p-0001");
    CHECK_NEAR(value_of(&list.items[1], "partitions"), 2);
    partitions[3].is_child = true;
    judge();
    CHECK_NEAR(value_of(get(TD_ADVICE_SPLIT_DONE), "children"), 1);
}
END_TEST

START_TEST(refused_requests_are_a_problem)
{
    resource.throttled = 1;
    side(TD_WRITE)->throttled_by_partitions = 3;
    side(TD_READ)->throttled_by_throughput = 4;
    judge();
    ck_assert_int_eq(get(TD_ADVICE_THROTTLED)->severity, TD_ADVICE_PROBLEM);
    CHECK_NEAR(value_of(get(TD_ADVICE_THROTTLED), "by_partitions_since_reset"), 3);
    CHECK_NEAR(value_of(get(TD_ADVICE_THROTTLED), "of_reads_since_reset"), 4);
    resource.index = TD_LIT("by-status");
    judge();
    ck_assert_uint_eq(count_of(TD_ADVICE_THROTTLED), 0);
    ck_assert_int_eq(get(TD_ADVICE_INDEX_BACK_PRESSURE)->severity, TD_ADVICE_PROBLEM);
    side(TD_WRITE)->throttled_by_partitions = 0; /* readers of an index hold nobody else back */
    judge();
    ck_assert_uint_eq(count_of(TD_ADVICE_THROTTLED), 1);
    resource.throttled = 0; /* not in the window */
    judge();
    ck_assert_uint_eq(count_of(TD_ADVICE_THROTTLED) + count_of(TD_ADVICE_INDEX_BACK_PRESSURE), 0);
}
END_TEST

START_TEST(provisioned_throughput_is_too_little_enough_or_far_too_much)
{
    static const struct {
        double provisioned, pool_rate;
        td_advice_kind kind;
        td_advice_severity severity;
    } rows[] = {{109, 50, TD_ADVICE_UNDER_PROVISIONED, TD_ADVICE_WARNING},
                {110, 50, TD_ADVICE_CAPACITY, TD_ADVICE_INFO},
                {110, 111, TD_ADVICE_UNDER_PROVISIONED, TD_ADVICE_WARNING}, /* peaks empty the pool */
                {632, 50, TD_ADVICE_CAPACITY, TD_ADVICE_INFO},              /* 4 × 158 */
                {633, 50, TD_ADVICE_OVER_PROVISIONED, TD_ADVICE_INFO}};
    resource.billing = TD_BILLING_PROVISIONED;
    side(TD_READ)->total = 0;
    for (size_t i = 0; i < TD_COUNT_OF(rows); i++) {
        side(TD_WRITE)->throughput = rows[i].provisioned;
        side(TD_WRITE)->pool_rate = rows[i].pool_rate;
        judge();
        const td_advice *advice = get(rows[i].kind);
        ck_assert_int_eq(advice->severity, rows[i].severity);
        CHECK_NEAR(value_of(advice, "needed_at_70_percent"), 158);
    }
    question.factor = 5;
    judge();
    ck_assert_uint_eq(count_of(TD_ADVICE_CAPACITY), 1);
    question.factor = 6;
    judge();
    CHECK_NEAR(value_of(get(TD_ADVICE_UNDER_PROVISIONED), "needed_at_70_percent"), 943);
}
END_TEST

START_TEST(an_on_demand_peak_beyond_what_is_warm_is_told)
{
    side(TD_WRITE)->peak = 400;
    question.factor = 10;
    judge();
    ck_assert_uint_eq(count_of(TD_ADVICE_WARM_THROUGHPUT), 0);
    side(TD_WRITE)->peak = 401;
    judge();
    ck_assert_int_eq(get(TD_ADVICE_WARM_THROUGHPUT)->severity, TD_ADVICE_WARNING);
    CHECK_NEAR(value_of(get(TD_ADVICE_WARM_THROUGHPUT), "warm_wanted"), 6000); /* 4,010 / 800 partitions */
}
END_TEST

START_TEST(a_peak_beyond_the_quota_is_told)
{
    side(TD_WRITE)->peak = 400;
    question.factor = 100;
    judge();
    ck_assert_uint_eq(count_of(TD_ADVICE_TABLE_QUOTA), 0);
    side(TD_WRITE)->peak = 401;
    judge();
    ck_assert_uint_eq(count_of(TD_ADVICE_TABLE_QUOTA), 1);
}
END_TEST

START_TEST(big_items_are_told_with_what_they_cost)
{
    resource.item_bytes_mean = 10239;
    judge();
    ck_assert_uint_eq(count_of(TD_ADVICE_BIG_ITEMS), 0);
    resource.item_bytes_mean = 40960;
    judge();
    CHECK_NEAR(value_of(get(TD_ADVICE_BIG_ITEMS), "write_units"), 40);
    CHECK_NEAR(value_of(get(TD_ADVICE_BIG_ITEMS), "read_units"), 5);
    CHECK_SAYS(get(TD_ADVICE_BIG_ITEMS), "a partition takes 25 of them a second");
}
END_TEST

START_TEST(an_index_with_few_keys_is_told)
{
    for (int i = 0; i < 10; i++) {
        add_key(TD_WRITE, "ACTIVE", 1000, 10);
    }
    side(TD_WRITE)->rest = 0;
    judge();
    ck_assert_uint_eq(count_of(TD_ADVICE_LOW_CARDINALITY), 0); /* a table says so as uneven */
    resource.index = TD_LIT("by-status");
    judge();
    CHECK_NEAR(value_of(get(TD_ADVICE_LOW_CARDINALITY), "limit"), 10000);
    side(TD_WRITE)->key_count = 11;
    keys[TD_WRITE][10] = keys[TD_WRITE][0];
    for (int i = 0; i < 11; i++) {
        keys[TD_WRITE][i].amount = 10000.0 / 11;
    }
    judge();
    ck_assert_uint_eq(count_of(TD_ADVICE_LOW_CARDINALITY), 0);
    side(TD_WRITE)->key_count = 1;
    keys[TD_WRITE][0].amount = 9900;
    judge();
    CHECK_SAYS(get(TD_ADVICE_LOW_CARDINALITY), "Nearly every entry has one key, \"ACTIVE\"");
    CHECK_SAYS(get(TD_ADVICE_LOW_CARDINALITY), "Writes to the table beyond that are refused");
}
END_TEST

START_TEST(an_index_that_is_never_read_is_told)
{
    resource.index = TD_LIT("by-status");
    judge();
    ck_assert_uint_eq(count_of(TD_ADVICE_UNREAD_INDEX), 0);
    side(TD_READ)->total = 0;
    judge();
    ck_assert_uint_eq(count_of(TD_ADVICE_UNREAD_INDEX), 1);
}
END_TEST

START_TEST(no_and_little_traffic_are_told)
{
    side(TD_READ)->total = 0;
    side(TD_WRITE)->total = 100;
    judge();
    ck_assert_uint_eq(count_of(TD_ADVICE_LITTLE_TRAFFIC), 0);
    side(TD_WRITE)->total = 99;
    judge();
    ck_assert_uint_eq(count_of(TD_ADVICE_LITTLE_TRAFFIC), 1);
    ck_assert_uint_eq(count_of(TD_ADVICE_EVEN), 0);
    side(TD_WRITE)->total = 0;
    judge();
    ck_assert_uint_eq(count_of(TD_ADVICE_NO_TRAFFIC), 1);
    ck_assert_uint_eq(list.count, 1);
    question.is_recorded = false;
    judge();
    CHECK_SAYS(get(TD_ADVICE_NO_TRAFFIC), "Nothing is known of what was read or written in the last 60 minutes: ");
}
END_TEST

START_TEST(the_severest_comes_first)
{
    resource.throttled = 5;
    resource.item_bytes_mean = 40960;
    judge();
    for (uint32_t i = 1; i < list.count; i++) {
        ck_assert_int_le(list.items[i].severity, list.items[i - 1].severity);
    }
    ck_assert_int_eq(list.items[0].kind, TD_ADVICE_THROTTLED);
    ck_assert_int_eq(list.items[1].kind, TD_ADVICE_BIG_ITEMS);
}
END_TEST

START_TEST(numbers_are_written_for_readers)
{
    side(TD_WRITE)->peak = 1234567.4;
    side(TD_WRITE)->peak_minute = 12.04;
    judge();
    CHECK_SAYS(get(TD_ADVICE_WARM_THROUGHPUT), "At its peak 1,234,567 write units a second were used, over the busiest "
                                               "minute 12.");
    side(TD_WRITE)->peak_minute = 0.25;
    side(TD_WRITE)->peak_seconds = 10;
    judge();
    CHECK_SAYS(get(TD_ADVICE_WARM_THROUGHPUT), "(on average of the busiest 10 s: finer it is not kept)");
    CHECK_SAYS(get(TD_ADVICE_WARM_THROUGHPUT), "minute 0.25.");
    CHECK_SAYS(get(TD_ADVICE_EVEN), "The hottest key has 0.0 to 0.1 % of the reads");
}
END_TEST

START_TEST(kinds_and_severities_have_names)
{
    for (int i = 0; i < TD_ADVICE_KIND_COUNT; i++) {
        td_advice_kind kind;
        ck_assert(td_advice_kind_find(td_slice_of_cstr(td_advice_kind_name((td_advice_kind)i)), &kind));
        ck_assert_int_eq((int)kind, i);
    }
    td_advice_severity severity;
    ck_assert(td_advice_severity_find(TD_LIT("problem"), &severity));
    ck_assert_int_eq(severity, TD_ADVICE_PROBLEM);
    td_advice_kind kind;
    ck_assert(!td_advice_kind_find(TD_LIT("hot"), &kind));
    ck_assert(!td_advice_severity_find(TD_LIT("hot-key"), &severity));
}
END_TEST

START_TEST(want_of_memory_is_told)
{
    add_key(TD_WRITE, "HOT", 9000, 1200);
    for (size_t limit = 0; limit < 20000; limit += 500) {
        td_arena small;
        td_arena_init(&small, limit);
        td_advice_list short_list = {.arena = &small};
        td_advice_judge(&question, &resource, &short_list);
        td_advice_sort(&short_list);
        ck_assert(limit > 4000 || short_list.failed);
        td_arena_done(&small);
    }
}
END_TEST

Suite *advice_suite(void)
{
    Suite *suite = suite_create("advice");
    TCase *cases = tcase_create("judging");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_add_test(cases, even_traffic_gives_no_warning);
    tcase_add_test(cases, a_key_is_hot_from_a_partitions_limit_on);
    tcase_add_test(cases, a_key_without_a_peak_is_judged_by_its_mean);
    tcase_add_test(cases, the_hottest_keys_are_told_and_further_ones_counted);
    tcase_add_test(cases, a_hot_key_says_whether_a_split_helps);
    tcase_add_test(cases, a_hot_reader_hears_of_caches_and_of_consistency);
    tcase_add_test(cases, shards_are_counted_by_the_real_hash);
    tcase_add_test(cases, shards_of_an_unknown_key_are_enough_for_95_of_100);
    tcase_add_test(cases, shards_have_a_limit);
    tcase_add_test(cases, evenness_is_bounded_by_what_the_sketch_knows);
    tcase_add_test(cases, a_key_with_a_tenth_is_uneven);
    tcase_add_test(cases, unevenness_below_half_a_partition_is_harmless);
    tcase_add_test(cases, a_partition_with_twice_its_share_is_uneven);
    tcase_add_test(cases, chance_alone_is_not_uneven);
    tcase_add_test(cases, keys_that_pass_a_limit_only_together_make_a_hot_partition);
    tcase_add_test(cases, vetoes_are_told_by_reason_and_splits_counted);
    tcase_add_test(cases, refused_requests_are_a_problem);
    tcase_add_test(cases, provisioned_throughput_is_too_little_enough_or_far_too_much);
    tcase_add_test(cases, an_on_demand_peak_beyond_what_is_warm_is_told);
    tcase_add_test(cases, a_peak_beyond_the_quota_is_told);
    tcase_add_test(cases, big_items_are_told_with_what_they_cost);
    tcase_add_test(cases, an_index_with_few_keys_is_told);
    tcase_add_test(cases, an_index_that_is_never_read_is_told);
    tcase_add_test(cases, no_and_little_traffic_are_told);
    tcase_add_test(cases, the_severest_comes_first);
    tcase_add_test(cases, numbers_are_written_for_readers);
    tcase_add_test(cases, kinds_and_severities_have_names);
    tcase_add_test(cases, want_of_memory_is_told);
    suite_add_tcase(suite, cases);
    return suite;
}
