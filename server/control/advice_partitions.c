/* SPDX-License-Identifier: Apache-2.0
 * advice_partitions.c: partitions that are hot by the sum of their keys, splits that were made or vetoed, and requests
 * that were refused. */
#include "advice_private.h"

#include <math.h>

static void judge_hot_partition(const td_advice_case *about, td_direction direction);
static void judge_vetoes(const td_advice_case *about);
static void judge_children(const td_advice_case *about);

static const char *const veto_sentences[TD_VETO_COUNT] = {
    [TD_VETO_NONE] = "",
    [TD_VETO_SINGLE_ITEM] = "one item has nearly all of the heat. Only another key design helps, or a cache for reads.",
    [TD_VETO_LOCAL_INDEX] =
        "only the middle of an item collection is left, and a local index holds it together. Without local indexes "
        "the collection could span partitions; a global index can take their place.",
    [TD_VETO_INCREASING_SORT_KEY] =
        "its accesses run ahead of the greatest sort key and would all stay in the upper half. A prefix that spreads "
        "the sort keys, or write shards, helps.",
    [TD_VETO_DECREASING_SORT_KEY] =
        "its accesses run below the least sort key and would all stay in the lower half. A prefix that spreads the "
        "sort keys, or write shards, helps.",
    [TD_VETO_SEQUENTIAL] =
        "the accesses move through the key range in order, and are elsewhere when a split is done. Load in another "
        "order: shuffled keys use all partitions at once.",
    [TD_VETO_TOO_SMALL] = "there are not two keys to part.",
};

void td_advice__judge_throttles(const td_advice_case *about)
{
    const td_advice_resource *resource = about->resource;
    if (resource->throttled <= 0) return;
    const td_advice_side *reads = &resource->sides[TD_READ];
    const td_advice_side *writes = &resource->sides[TD_WRITE];
    double by_throughput = reads->throttled_by_throughput + writes->throttled_by_throughput;
    double by_partitions = reads->throttled_by_partitions + writes->throttled_by_partitions;
    double of_writes = writes->throttled_by_throughput + writes->throttled_by_partitions;
    bool is_pressure = resource->index.len > 0 && of_writes > 0;
    td_advice advice =
        td_advice__begin(about, is_pressure ? TD_ADVICE_INDEX_BACK_PRESSURE : TD_ADVICE_THROTTLED, TD_ADVICE_PROBLEM);
    td_advice__say(about, &advice, "%s %s refused in the last %s.", td_advice__shown(about, resource->throttled),
                   resource->throttled == 1 ? "request was" : "requests were", td_advice__shown_window(about));
    if (by_throughput + by_partitions > 0) {
        td_advice__say(about, &advice,
                       "Since the capacity was last reset: %s for a partition's limit, %s for the throughput of the "
                       "whole.",
                       td_advice__shown(about, by_partitions), td_advice__shown(about, by_throughput));
    }
    const double *caps = about->question->caps;
    bool is_scaled = (caps[TD_READ] > 0 && caps[TD_READ] != TD_ADVICE_READ_CAP) ||
                     (caps[TD_WRITE] > 0 && caps[TD_WRITE] != TD_ADVICE_WRITE_CAP);
    if (by_partitions > 0 && is_scaled) {
        td_advice__say(about, &advice,
                       "Here a partition serves %s read and %s write units a second; on the service 3,000 and 1,000.",
                       td_advice__shown(about, caps[TD_READ]), td_advice__shown(about, caps[TD_WRITE]));
    }
    if (is_pressure) {
        td_advice__say(
            about, &advice,
            "A write that the index cannot take is refused whole: the table is as fast as its slowest index.");
    }
    td_advice__put(&advice, "throttled", resource->throttled);
    td_advice__put(&advice, "by_partitions_since_reset", by_partitions);
    td_advice__put(&advice, "by_throughput_since_reset", by_throughput);
    td_advice__put(&advice, "of_reads_since_reset", by_throughput + by_partitions - of_writes);
    td_advice__put(&advice, "of_writes_since_reset", of_writes);
    td_advice__add(about, &advice);
}

void td_advice__judge_splits(const td_advice_case *about)
{
    for (td_direction direction = TD_READ; direction < TD_DIRECTION_COUNT; direction++) {
        judge_hot_partition(about, direction);
    }
    judge_vetoes(about);
    judge_children(about);
}

/* A key that passes the limit alone has its own advice. */
static bool has_hot_key(const td_advice_side *side, const char *partition, double wanted)
{
    for (uint32_t i = 0; i < side->key_count; i++) {
        if (side->keys[i].peak >= wanted && strcmp(side->keys[i].partition, partition) == 0) return true;
    }
    return false;
}

static void judge_hot_partition(const td_advice_case *about, td_direction direction)
{
    const td_advice_resource *resource = about->resource;
    const td_advice_side *side = &resource->sides[direction];
    double wanted = td_advice__cap(direction) / about->question->factor;
    uint32_t hottest = 0;
    uint32_t count = 0;
    double sum = 0;
    for (uint32_t i = 0; i < resource->partition_count; i++) {
        sum += side->by_partition[i];
    }
    if (sum <= 0) return;
    for (uint32_t i = 0; i < resource->partition_count; i++) {
        double rate = side->peak * side->by_partition[i] / sum;
        if (rate < wanted || has_hot_key(side, resource->partitions[i].id, wanted)) continue;
        if (count == 0 || side->by_partition[i] > side->by_partition[hottest]) hottest = i;
        count++;
    }
    if (count == 0) return;
    double share = side->by_partition[hottest] / sum;
    bool is_now = side->peak * share >= td_advice__cap(direction);
    td_advice advice = td_advice__begin(about, TD_ADVICE_HOT_PARTITION, is_now ? TD_ADVICE_PROBLEM : TD_ADVICE_WARNING);
    td_advice__say(about, &advice,
                   "By its share of %s partition %s takes about %s %s units a second at the peak%s%s; a partition of "
                   "the service serves %s.",
                   td_advice__shown_share(about, share, share), resource->partitions[hottest].id,
                   td_advice__shown(about, side->peak * share * (is_now ? 1 : about->question->factor)),
                   td_advice__words[direction], is_now ? "" : ", at a factor of ",
                   is_now ? "" : td_advice__shown(about, about->question->factor),
                   td_advice__shown(about, td_advice__cap(direction)));
    if (count > 1) td_advice__say(about, &advice, "%u partitions pass it.", count);
    if (resource->partitions[hottest].veto == TD_VETO_NONE) {
        td_advice__say(about, &advice,
                       "No key that is known passes it alone, so that more partitions help: splits for heat make them "
                       "within minutes, warm throughput makes them ahead.");
    }
    td_advice__put_text(about, &advice, "direction", td_slice_of_cstr(td_advice__words[direction]));
    td_advice__put_text(about, &advice, "partition", td_slice_of_cstr(resource->partitions[hottest].id));
    td_advice__put(&advice, "share", share);
    td_advice__put(&advice, "peak", side->peak * share);
    td_advice__put(&advice, "limit", td_advice__cap(direction));
    td_advice__put(&advice, "factor_at_limit", td_advice__cap(direction) / (side->peak * share));
    td_advice__put(&advice, "partitions", count);
    td_advice__add(about, &advice);
}

/* One piece of advice for each reason. */
static void judge_vetoes(const td_advice_case *about)
{
    const td_advice_resource *resource = about->resource;
    for (td_split_veto veto = TD_VETO_NONE + 1; veto < TD_VETO_COUNT; veto++) {
        const td_advice_partition *first = NULL;
        uint32_t count = 0;
        for (uint32_t i = 0; i < resource->partition_count; i++) {
            if (resource->partitions[i].veto != veto) continue;
            if (count++ == 0) first = &resource->partitions[i];
        }
        if (first == NULL) continue;
        td_advice advice = td_advice__begin(about, TD_ADVICE_SPLIT_VETOED, TD_ADVICE_WARNING);
        td_advice__say(about, &advice, "Partition %s is hot here and is not split: %s", first->id,
                       veto_sentences[veto]);
        if (count > 1) td_advice__say(about, &advice, "So it is with %u partitions.", count);
        td_advice__put_text(about, &advice, "partition", td_slice_of_cstr(first->id));
        td_advice__put_text(about, &advice, "veto", td_slice_of_cstr(td_split_veto_name(veto)));
        td_advice__put(&advice, "partitions", count);
        td_advice__add(about, &advice);
    }
}

static void judge_children(const td_advice_case *about)
{
    const td_advice_resource *resource = about->resource;
    uint32_t children = 0;
    for (uint32_t i = 0; i < resource->partition_count; i++) {
        children += resource->partitions[i].is_child;
    }
    if (children == 0) return;
    td_advice advice = td_advice__begin(about, TD_ADVICE_SPLIT_DONE, TD_ADVICE_INFO);
    td_advice__say(about, &advice, "%u of the %u partitions came from splits; they stay, and are never merged.",
                   children, resource->partition_count);
    td_advice__put(&advice, "children", children);
    td_advice__put(&advice, "partitions", resource->partition_count);
    td_advice__add(about, &advice);
}
