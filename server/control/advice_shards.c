/* SPDX-License-Identifier: Apache-2.0
 * advice_shards.c: how many suffixes carry a hot key's load.
 *
 * Ten suffixes are not ten partitions: their hashes fall where they fall, and the partition that gets the most of them
 * decides. Where the key is known its suffixes KEY#0, KEY#1, … are placed by the real hash; else the number is one
 * that is enough for 95 of 100 keys: the union bound over partitions of the binomial tail, which errs upwards.
 * Where no number is enough, there are too few partitions: then it is counted for twice as many, and so on. */
#include "advice.h"

#include <math.h>
#include <stdio.h>

#define PARTITIONS_MAX 65536
#define SUFFIX_BYTES_MAX 16
#define UNLUCKY_SHARE 0.05 /* of keys for which the number is not enough */

static td_advice_shards count_by_placement(const td_advice_question *question, const td_advice_resource *resource,
                                           const td_advice_key *key, double rate, double cap);
static td_advice_shards count_by_chance(const td_advice_resource *resource, double rate, double cap);

td_advice_shards td_advice_count_shards(const td_advice_question *question, const td_advice_resource *resource,
                                        const td_advice_key *key, double rate, double cap)
{
    TD_ASSERT(cap > 0);
    TD_ASSERT(resource->partition_count > 0);
    if (key->suffix_base.len == 0 || key->suffix_base.len > TD_LIMIT_PARTITION_KEY_BYTES_MAX) {
        return count_by_chance(resource, rate, cap);
    }
    return count_by_placement(question, resource, key, rate, cap);
}

static uint32_t count_simply(double rate, double cap)
{
    double count = ceil(rate / (cap * TD_ADVICE_HEADROOM));
    if (count > TD_ADVICE_SHARDS_MAX) return TD_ADVICE_SHARDS_MAX;
    return count < 1 ? 1 : (uint32_t)count;
}

/* Of the partitions that are there; or, where there are to be more, of so many equal ranges. */
static uint32_t find_partition(const td_advice_resource *resource, uint32_t partition_count, uint64_t prefix)
{
    if (partition_count != resource->partition_count) {
        return (uint32_t)(((unsigned __int128)prefix * partition_count) >> 64);
    }
    uint32_t low = 0;
    uint32_t high = partition_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (resource->partitions[middle].from <= prefix) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static uint64_t hash_of_suffix(const td_advice_question *question, td_slice base, uint32_t suffix)
{
    char text[TD_LIMIT_PARTITION_KEY_BYTES_MAX + SUFFIX_BYTES_MAX];
    memcpy(text, base.ptr, base.len);
    int len = snprintf(text + base.len, SUFFIX_BYTES_MAX, "#%u", suffix);
    td_slice shard = td_slice_of(text, base.len + (size_t)len);
    td_key_hash hash = td_key_hash_of(&shard, 1, question->placement);
    return td_key_hash_prefix(&hash);
}

/* most[k - 1]: how many of the first k suffixes share a partition. */
static void place(const td_advice_resource *resource, uint32_t partition_count, const uint64_t *hashes, uint32_t *most)
{
    uint32_t places[TD_ADVICE_SHARDS_MAX];
    uint32_t so_far = 0;
    for (uint32_t i = 0; i < TD_ADVICE_SHARDS_MAX; i++) {
        uint32_t together = 1;
        places[i] = find_partition(resource, partition_count, hashes[i]);
        for (uint32_t j = 0; j < i; j++) {
            together += places[j] == places[i];
        }
        if (together > so_far) so_far = together;
        most[i] = so_far;
    }
}

static td_advice_shards count_by_placement(const td_advice_question *question, const td_advice_resource *resource,
                                           const td_advice_key *key, double rate, double cap)
{
    td_advice_shards found = {.is_exact = true, .simple_count = count_simply(rate, cap)};
    uint64_t hashes[TD_ADVICE_SHARDS_MAX];
    uint32_t most[TD_ADVICE_SHARDS_MAX];
    for (uint32_t i = 0; i < TD_ADVICE_SHARDS_MAX; i++) {
        hashes[i] = hash_of_suffix(question, key->suffix_base, i);
    }
    for (uint32_t n = resource->partition_count; found.count == 0 && n <= PARTITIONS_MAX; n *= 2) {
        place(resource, n, hashes, most);
        if (n == resource->partition_count) {
            found.simple_partition_rate = rate * most[found.simple_count - 1] / found.simple_count;
        }
        for (uint32_t k = found.simple_count; found.count == 0 && k <= TD_ADVICE_SHARDS_MAX; k++) {
            double hottest = rate * most[k - 1] / k;
            if (hottest <= cap * TD_ADVICE_HEADROOM) {
                found.count = k;
                found.partition_count = n;
                found.partition_rate = hottest;
            }
        }
    }
    return found;
}

/* P(more than `most` of `count` balls fall into one given bin of `bins`). */
static double tail_of_binomial(uint32_t count, uint32_t bins, uint32_t most)
{
    if (most >= count) return 0;
    if (bins == 1) return 1;
    double p = 1.0 / bins;
    double tail = 0;
    double odds = p / (1 - p);
    double exactly = pow(1 - p, count); /* P(i balls), from i = 0 on */
    for (uint32_t i = 0; i < count; i++) {
        exactly *= odds * (count - i) / (i + 1.0);
        if (i + 1 > most) tail += exactly;
    }
    return tail;
}

/* The fewest that share a partition in 95 of 100 cases at worst. */
static uint32_t most_by_chance(uint32_t count, uint32_t bins)
{
    uint32_t most = (count + bins - 1) / bins;
    while (bins * tail_of_binomial(count, bins, most) > UNLUCKY_SHARE) {
        most++;
    }
    return most;
}

static td_advice_shards count_by_chance(const td_advice_resource *resource, double rate, double cap)
{
    td_advice_shards found = {.simple_count = count_simply(rate, cap)};
    uint32_t simply = most_by_chance(found.simple_count, resource->partition_count);
    found.simple_partition_rate = rate * simply / found.simple_count;
    for (uint32_t n = resource->partition_count; found.count == 0 && n <= PARTITIONS_MAX; n *= 2) {
        for (uint32_t k = found.simple_count; found.count == 0 && k <= TD_ADVICE_SHARDS_MAX; k++) {
            uint32_t fit = (uint32_t)fmin(cap * TD_ADVICE_HEADROOM * k / rate, k);
            if (fit == k || n * tail_of_binomial(k, n, fit) <= UNLUCKY_SHARE) {
                found.count = k;
                found.partition_count = n;
                found.partition_rate = rate * most_by_chance(k, n) / k;
            }
        }
    }
    return found;
}
