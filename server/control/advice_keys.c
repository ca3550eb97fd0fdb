/* SPDX-License-Identifier: Apache-2.0
 * advice_keys.c: keys that alone pass what a partition serves: whether a split helps, how many shards would do. */
#include "advice_private.h"

#include <math.h>

#define HOT_KEYS_SHOWN 5
/* Of a key's units: from there on one item is what is hot, and a split of the collection leaves it so. */
#define SINGLE_ITEM_SHARE 0.9

/* Why a split does or does not help a hot key. */
typedef enum relief {
    RELIEF_SPLIT,
    RELIEF_NONE_NO_SORT_KEY,
    RELIEF_NONE_SINGLE_ITEM,
    RELIEF_NONE_LOCAL_INDEX,
    RELIEF_NONE_ONE_END,
    RELIEF_NONE_SEQUENTIAL,
    RELIEF_UNKNOWN_INDEX,
    RELIEF_NONE_SWITCHED_OFF,
    RELIEF_COUNT
} relief;

static const char *const relief_names[RELIEF_COUNT] = {
    [RELIEF_SPLIT] = "possible",
    [RELIEF_NONE_NO_SORT_KEY] = "no sort key",
    [RELIEF_NONE_SINGLE_ITEM] = "single item",
    [RELIEF_NONE_LOCAL_INDEX] = "local index",
    [RELIEF_NONE_ONE_END] = "one end of the sort keys",
    [RELIEF_NONE_SEQUENTIAL] = "sequential",
    [RELIEF_UNKNOWN_INDEX] = "unknown",
    [RELIEF_NONE_SWITCHED_OFF] = "switched off",
};

static const char *const relief_sentences[RELIEF_COUNT] = {
    [RELIEF_SPLIT] =
        "It has many items: splits can part them by sort key, unless the accesses move along it, as times do.",
    [RELIEF_NONE_NO_SORT_KEY] = "A split cannot help: the table has no sort key, so that the key is one item.",
    [RELIEF_NONE_SINGLE_ITEM] = "A split cannot help: one item has nearly all of it.",
    [RELIEF_NONE_LOCAL_INDEX] = "A split cannot help: a local index holds the items of one key together.",
    [RELIEF_NONE_ONE_END] =
        "A split does not help: the accesses are all at one end of its sort keys, and stay in one partition.",
    [RELIEF_NONE_SEQUENTIAL] = "A split does not help: the accesses move through the keys in order.",
    [RELIEF_UNKNOWN_INDEX] =
        "Whether the service parts entries of one index key where the index has no sort key is not known.",
    [RELIEF_NONE_SWITCHED_OFF] = "Splits for heat are switched off here, so that this server does not relieve it.",
};

static double rate_of(const td_advice_side *side, const td_advice_key *key);
static relief find_relief(const td_advice_case *about, const td_advice_key *key);
static td_split_veto find_veto(const td_advice_resource *resource, const char *partition);
static void judge_key(const td_advice_case *about, td_direction direction, const td_advice_key *key, uint32_t further);
static void say_shards(const td_advice_case *about, td_advice *advice, td_direction direction, const td_advice_key *key,
                       double rate);

void td_advice__judge_keys(const td_advice_case *about, td_direction direction)
{
    const td_advice_side *side = &about->resource->sides[direction];
    double wanted = td_advice__cap(direction) / about->question->factor;
    const td_advice_key *shown[HOT_KEYS_SHOWN];
    uint32_t count = 0;
    uint32_t further = 0;
    for (uint32_t i = 0; i < side->key_count; i++) {
        if (rate_of(side, &side->keys[i]) < wanted) continue;
        if (count < HOT_KEYS_SHOWN) {
            shown[count++] = &side->keys[i];
        } else {
            further++;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        judge_key(about, direction, shown[i], i + 1 == count ? further : 0);
    }
}

/* Without a peak the mean of what is certain. */
static double rate_of(const td_advice_side *side, const td_advice_key *key)
{
    if (key->peak > 0) return key->peak;
    return side->total <= 0 ? 0 : side->mean * fmax(key->amount - key->error, 0) / side->total;
}

static td_slice name_of(const td_advice_key *key)
{
    return key->name.len == 0 ? TD_LIT("(no longer known)") : key->name;
}

static void judge_key(const td_advice_case *about, td_direction direction, const td_advice_key *key, uint32_t further)
{
    const td_advice_side *side = &about->resource->sides[direction];
    const char *word = td_advice__words[direction];
    double factor = about->question->factor;
    double cap = td_advice__cap(direction);
    double seen = rate_of(side, key);
    td_advice advice = td_advice__begin(about, TD_ADVICE_HOT_KEY, seen >= cap ? TD_ADVICE_PROBLEM : TD_ADVICE_WARNING);
    td_slice name = name_of(key);
    if (seen >= cap) {
        td_advice__say(about, &advice,
                       "The key \"%.*s\" was asked for %s %s units in its busiest second; a partition of the service "
                       "serves %s.",
                       (int)name.len, (const char *)name.ptr, td_advice__shown(about, seen), word,
                       td_advice__shown(about, cap));
    } else {
        td_advice__say(
            about, &advice,
            "The key \"%.*s\" was asked for %s %s units in its busiest second: at %s times this traffic %s, and "
            "a partition of the service serves %s. It begins to be refused at %s times.",
            (int)name.len, (const char *)name.ptr, td_advice__shown(about, seen), word, td_advice__shown(about, factor),
            td_advice__shown(about, seen * factor), td_advice__shown(about, cap), td_advice__shown(about, cap / seen));
    }
    double least = fmax(key->amount - key->error, 0) / side->total;
    double most = key->amount / side->total;
    td_advice__say(about, &advice, "It has %s of the %s%s.", td_advice__shown_share(about, least, most),
                   td_advice__plurals[direction], about->resource->throttled > 0 ? " that were served" : "");
    td_advice__put_text(about, &advice, "direction", td_slice_of_cstr(word));
    td_advice__put_text(about, &advice, "key", name);
    td_advice__put_text(about, &advice, "partition", td_slice_of_cstr(key->partition));
    td_advice__put(&advice, "peak", seen);
    td_advice__put(&advice, "limit", cap);
    td_advice__put(&advice, "factor_at_limit", cap / seen);
    td_advice__put(&advice, "share_min", fmin(least, 1));
    td_advice__put(&advice, "share_max", fmin(most, 1));
    relief found = find_relief(about, key);
    td_advice__put_text(about, &advice, "split", td_slice_of_cstr(relief_names[found]));
    td_advice__say(about, &advice, "%s", relief_sentences[found]);
    if (found == RELIEF_SPLIT) {
        td_advice__say(about, &advice, "This server does so when a partition has been hot for %s s.",
                       td_advice__shown(about, about->question->split_delay_s));
    }
    if (key->top_item_share >= 0) td_advice__put(&advice, "top_item_share", key->top_item_share);
    say_shards(about, &advice, direction, key, seen * factor);
    if (further > 0) td_advice__say(about, &advice, "%u further keys pass it too.", further);
    td_advice__add(about, &advice);
}

static relief find_relief(const td_advice_case *about, const td_advice_key *key)
{
    const td_advice_resource *resource = about->resource;
    if (!resource->has_sort_key) return resource->index.len > 0 ? RELIEF_UNKNOWN_INDEX : RELIEF_NONE_NO_SORT_KEY;
    if (key->top_item_share >= SINGLE_ITEM_SHARE) return RELIEF_NONE_SINGLE_ITEM;
    if (resource->has_local_index) return RELIEF_NONE_LOCAL_INDEX;
    switch (find_veto(resource, key->partition)) {
    case TD_VETO_INCREASING_SORT_KEY:
    case TD_VETO_DECREASING_SORT_KEY: return RELIEF_NONE_ONE_END;
    case TD_VETO_SEQUENTIAL: return RELIEF_NONE_SEQUENTIAL;
    case TD_VETO_SINGLE_ITEM: return RELIEF_NONE_SINGLE_ITEM;
    case TD_VETO_LOCAL_INDEX: return RELIEF_NONE_LOCAL_INDEX;
    case TD_VETO_NONE:
    case TD_VETO_TOO_SMALL:
    case TD_VETO_COUNT: break;
    }
    return about->question->has_heat_splits ? RELIEF_SPLIT : RELIEF_NONE_SWITCHED_OFF;
}

static td_split_veto find_veto(const td_advice_resource *resource, const char *partition)
{
    for (uint32_t i = 0; i < resource->partition_count; i++) {
        if (strcmp(resource->partitions[i].id, partition) == 0) return resource->partitions[i].veto;
    }
    return TD_VETO_NONE;
}

static void say_shards(const td_advice_case *about, td_advice *advice, td_direction direction, const td_advice_key *key,
                       double rate)
{
    double cap = td_advice__cap(direction);
    td_advice_shards shards = td_advice_count_shards(about->question, about->resource, key, rate, cap);
    if (direction == TD_READ) {
        td_advice__say(about, advice, "A cache takes such reads off the partition%s.",
                       about->resource->index.len > 0
                           ? ""
                           : ", and those that are strongly consistent cost half when they are eventually consistent");
    }
    if (shards.count == 0) {
        td_advice__say(about, advice, "No number of suffixes up to %d carries it.", TD_ADVICE_SHARDS_MAX);
        return;
    }
    const char *whence = shards.is_exact ? "by the hashes of its suffixes" : "for 95 of 100 keys";
    td_advice__say(about, advice, "%s over %u suffixes (#0 to #%u) no partition gets more than %s units of it, %s%s.",
                   direction == TD_READ ? "Copied" : "Spread", shards.count, shards.count - 1,
                   td_advice__shown(about, shards.partition_rate), whence,
                   shards.partition_count > about->resource->partition_count ? "" : " and the partitions there are");
    if (shards.partition_count > about->resource->partition_count) {
        td_advice__say(about, advice, "That takes %u partitions, and there are %u: warm throughput makes them ahead.",
                       shards.partition_count, about->resource->partition_count);
    } else if (shards.simple_partition_rate > cap * TD_ADVICE_HEADROOM) {
        td_advice__say(about, advice, "With %u, which would do if each had a partition to itself, one would get %s.",
                       shards.simple_count, td_advice__shown(about, shards.simple_partition_rate));
    }
    td_advice__put(advice, "shards", shards.count);
    td_advice__put(advice, "shards_partitions", shards.partition_count);
    td_advice__put(advice, "shards_partition_rate", shards.partition_rate);
    td_advice__put(advice, "shards_if_apart", shards.simple_count);
    td_advice__put(advice, "shards_if_apart_partition_rate", shards.simple_partition_rate);
}
