/* SPDX-License-Identifier: Apache-2.0
 * advice_capacity.c: what the traffic needs of the whole table or index: provisioned, warm, quotas; what big items
 * cost; and what the traffic says of a global index.
 * Source: throttling.md §2.1 (warm throughput, quotas), §2.6 (Auto Scaling), §6.2 (the burst pool). */
#include "advice_private.h"

#include <math.h>

#define TARGET_UTILISATION 0.7 /* Application Auto Scaling's default */
#define OVER_PROVISIONED_FACTOR 4.0
#define TABLE_QUOTA 40000.0
#define BIG_ITEM_BYTES 10240.0
#define FEW_KEYS 10.0

static void judge_provisioned(const td_advice_case *about, td_direction direction);
static void judge_on_demand(const td_advice_case *about, td_direction direction);
static void judge_quota(const td_advice_case *about, td_direction direction);

void td_advice__judge_capacity(const td_advice_case *about, td_direction direction)
{
    if (about->resource->billing == TD_BILLING_PROVISIONED) {
        judge_provisioned(about, direction);
    } else {
        judge_on_demand(about, direction);
    }
    judge_quota(about, direction);
}

/* "The busiest second had 1,200 write units", or as finely as it was seen; with the factor if there is one. */
static void say_peak(const td_advice_case *about, td_advice *advice, td_direction direction)
{
    const td_advice_side *side = &about->resource->sides[direction];
    double factor = about->question->factor;
    const char *coarse = "";
    td_slice text;
    if (side->peak_seconds > 1) {
        if (td_arena_format(about->list->arena, &text, " (on average of the busiest %s s: finer it is not kept)",
                            td_advice__shown(about, side->peak_seconds))) {
            coarse = (const char *)text.ptr;
        }
    }
    td_advice__say(about, advice, "At its peak %s %s units a second were used%s, over the busiest minute %s.",
                   td_advice__shown(about, side->peak), td_advice__words[direction], coarse,
                   td_advice__shown(about, side->peak_minute));
    if (factor != 1) {
        td_advice__say(about, advice, "At %s times this traffic it is %s, and %s.", td_advice__shown(about, factor),
                       td_advice__shown(about, side->peak * factor),
                       td_advice__shown(about, side->peak_minute * factor));
    }
    td_advice__put_text(about, advice, "direction", td_slice_of_cstr(td_advice__words[direction]));
    td_advice__put(advice, "peak", side->peak);
    td_advice__put(advice, "peak_seconds", side->peak_seconds);
    td_advice__put(advice, "peak_minute", side->peak_minute);
}

static void judge_provisioned(const td_advice_case *about, td_direction direction)
{
    const td_advice_side *side = &about->resource->sides[direction];
    double factor = about->question->factor;
    double needed = fmax(ceil(side->peak_minute * factor / TARGET_UTILISATION), 1);
    double with_burst = ceil(side->pool_rate * factor);
    td_advice_kind kind = TD_ADVICE_CAPACITY;
    td_advice_severity severity = TD_ADVICE_INFO;
    if (side->peak_minute * factor > side->throughput || with_burst > side->throughput) {
        kind = TD_ADVICE_UNDER_PROVISIONED;
        severity = TD_ADVICE_WARNING;
    } else if (side->throughput > needed * OVER_PROVISIONED_FACTOR) {
        kind = TD_ADVICE_OVER_PROVISIONED;
    }
    td_advice advice = td_advice__begin(about, kind, severity);
    say_peak(about, &advice, direction);
    td_advice__say(about, &advice,
                   "%s %s provisioned; %s would be used to 70 %% in that minute, which is Auto Scaling's "
                   "default.",
                   td_advice__shown(about, side->throughput), side->throughput == 1 ? "is" : "are",
                   td_advice__shown(about, needed));
    if (with_burst > 0) {
        td_advice__say(about, &advice, "With a full burst pool (300 s of unused throughput) %s carry every peak.",
                       td_advice__shown(about, with_burst));
    }
    if (side->throttled_by_throughput > 0) {
        td_advice__say(about, &advice, "Requests were refused for lack of it, so that the true need is higher.");
    }
    td_advice__put(&advice, "provisioned", side->throughput);
    td_advice__put(&advice, "needed_at_70_percent", needed);
    td_advice__put(&advice, "needed_with_burst", with_burst);
    td_advice__add(about, &advice);
}

static void judge_on_demand(const td_advice_case *about, td_direction direction)
{
    const td_advice_side *side = &about->resource->sides[direction];
    double cap = td_advice__cap(direction);
    double rate = side->peak * about->question->factor;
    bool is_cold = side->warm > 0 && rate > side->warm;
    double wanted = ceil(rate / (cap * TD_ADVICE_HEADROOM)) * cap;
    td_advice advice = td_advice__begin(about, is_cold ? TD_ADVICE_WARM_THROUGHPUT : TD_ADVICE_CAPACITY,
                                        is_cold ? TD_ADVICE_WARNING : TD_ADVICE_INFO);
    say_peak(about, &advice, direction);
    if (is_cold) {
        td_advice__say(about, &advice,
                       "%s a second are warm (what was asked for, or twice the highest peak before): a jump beyond "
                       "them is refused until partitions have split. A warm throughput of %s %s units a second, set "
                       "beforehand, takes it: whole partitions, a fifth of each kept free.",
                       td_advice__shown(about, side->warm), td_advice__shown(about, wanted),
                       td_advice__words[direction]);
    } else if (side->warm > 0) {
        td_advice__say(about, &advice, "%s a second are warm.", td_advice__shown(about, side->warm));
    }
    td_advice__put(&advice, "warm", side->warm);
    if (is_cold) td_advice__put(&advice, "warm_wanted", wanted);
    td_advice__add(about, &advice);
}

static void judge_quota(const td_advice_case *about, td_direction direction)
{
    double rate = about->resource->sides[direction].peak * about->question->factor;
    if (rate <= TABLE_QUOTA) return;
    td_advice advice = td_advice__begin(about, TD_ADVICE_TABLE_QUOTA, TD_ADVICE_WARNING);
    td_advice__say(about, &advice,
                   "A peak of %s %s units a second is beyond the default quota of a table or index, %s: it has to be "
                   "raised beforehand.",
                   td_advice__shown(about, rate), td_advice__words[direction], td_advice__shown(about, TABLE_QUOTA));
    td_advice__put_text(about, &advice, "direction", td_slice_of_cstr(td_advice__words[direction]));
    td_advice__put(&advice, "peak_at_factor", rate);
    td_advice__put(&advice, "quota", TABLE_QUOTA);
    td_advice__add(about, &advice);
}

void td_advice__judge_items(const td_advice_case *about)
{
    const td_advice_resource *resource = about->resource;
    double bytes = resource->item_bytes_mean;
    if (bytes < BIG_ITEM_BYTES) return;
    double writes = ceil(bytes / 1024);
    double reads = ceil(bytes / 4096);
    td_advice advice = td_advice__begin(about, TD_ADVICE_BIG_ITEMS, TD_ADVICE_WARNING);
    td_advice__say(about, &advice,
                   "%s are %s KB big on average: a write of one, an update of a single attribute too, costs about %s "
                   "units, and a partition takes %s of them a second; an eventually consistent read costs %s.",
                   resource->index.len > 0 ? "The entries" : "The items", td_advice__shown(about, bytes / 1024),
                   td_advice__shown(about, writes), td_advice__shown(about, floor(TD_ADVICE_WRITE_CAP / writes)),
                   td_advice__shown(about, reads / 2));
    td_advice__say(about, &advice, "What changes often, or is read alone, is cheaper in an item of its own.");
    td_advice__put(&advice, "item_bytes_mean", bytes);
    td_advice__put(&advice, "write_units", writes);
    td_advice__put(&advice, "read_units", reads / 2);
    td_advice__add(about, &advice);
}

static void judge_cardinality(const td_advice_case *about)
{
    const td_advice_side *side = &about->resource->sides[TD_WRITE];
    td_advice_evenness measured = td_advice_measure(about->resource, TD_WRITE);
    if (side->total < TD_ADVICE_UNITS_MIN || measured.effective_keys_max <= 0) return;
    if (measured.effective_keys_max > FEW_KEYS || measured.top_10_share_min < TARGET_UTILISATION) return;
    bool is_constant = measured.top_share_min >= 0.99;
    double limit = TD_ADVICE_WRITE_CAP * measured.effective_keys_max;
    td_advice advice = td_advice__begin(about, TD_ADVICE_LOW_CARDINALITY, TD_ADVICE_WARNING);
    if (is_constant) {
        td_slice name = side->keys[0].name;
        td_advice__say(about, &advice,
                       "Nearly every entry has one key%s%.*s%s: it is one item collection, which begins with one "
                       "partition of 1,000 write units a second.",
                       name.len > 0 ? ", \"" : "", (int)name.len, name.len > 0 ? (const char *)name.ptr : "",
                       name.len > 0 ? "\"" : "");
    } else {
        td_advice__say(about, &advice,
                       "Its key has few values: the ten hottest have %s of the writes, as even as %s keys at most. "
                       "That is some %s write units a second while each is in one partition.",
                       td_advice__shown_share(about, measured.top_10_share_min, measured.top_10_share_max),
                       td_advice__shown(about, measured.effective_keys_max), td_advice__shown(about, limit));
    }
    td_advice__say(about, &advice,
                   "Writes to the table beyond that are refused because of the index. A sparse index, or a key with a "
                   "suffix, carries more.");
    td_advice__put(&advice, "effective_keys_min", measured.effective_keys_min);
    td_advice__put(&advice, "effective_keys_max", measured.effective_keys_max);
    td_advice__put(&advice, "top_10_share_min", measured.top_10_share_min);
    td_advice__put(&advice, "limit", limit);
    td_advice__add(about, &advice);
}

void td_advice__judge_index(const td_advice_case *about)
{
    const td_advice_side *writes = &about->resource->sides[TD_WRITE];
    judge_cardinality(about);
    if (writes->total <= 0 || about->resource->sides[TD_READ].total > 0) return;
    td_advice advice = td_advice__begin(about, TD_ADVICE_UNREAD_INDEX, TD_ADVICE_INFO);
    td_advice__say(about, &advice, "The index took %s write units in the window and was not read.",
                   td_advice__shown(about, writes->total));
    td_advice__put(&advice, "write_units", writes->total);
    td_advice__add(about, &advice);
}
