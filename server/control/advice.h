/* SPDX-License-Identifier: Apache-2.0
 * advice.h: what the traffic of a table or a global index says of its key design: numbers in, sentences out.
 *
 *   engine ─gather─▶ td_advice_resource ─judge─▶ td_advice_list ─▶ JSON (advice_answer.c) ─▶ report (report/advise.c)
 *
 * Judging is pure: no engine, no clock, no state. It speaks of the real service: a partition there serves 3,000 read
 * and 1,000 write units a second, whatever this server was scaled to. Estimates come with their bounds.
 * What is said lives in the list's arena alone: the resource may go. Threads: any. */
#ifndef THERMODYN_CONTROL_ADVICE_H
#define THERMODYN_CONTROL_ADVICE_H

#include "thermodyn/arena.h"
#include "thermodyn/capacity.h"
#include "thermodyn/key.h"
#include "thermodyn/partition.h"

/* ---- what is known --------------------------------------------------------------------------------------------- */

/* Units a second that a partition of the service serves (throttling.md §2.1). */
#define TD_ADVICE_READ_CAP 3000.0
#define TD_ADVICE_WRITE_CAP 1000.0

typedef struct td_advice_key {
    td_slice name;        /* as it is shown: text, number, or base64; empty: no longer known */
    td_slice suffix_base; /* what a shard's suffix would be put behind; empty: no longer known, or binary */
    td_key_hash hash;
    char partition[16];
    double amount;         /* units in the window: an upper bound */
    double error;          /* amount - error is a lower bound */
    double peak;           /* units in its busiest second, as far as it was seen; 0: unknown */
    double top_item_share; /* of the key's units that its hottest item has, at least; below 0: unknown */
} td_advice_key;

/* One direction of a resource. Units are capacity units, rates are a second's. */
typedef struct td_advice_side {
    double total;        /* units in the window */
    double mean;         /* rate over the time from the first to the last traffic in it */
    double peak;         /* rate in the busiest column of `peak_seconds` */
    double peak_seconds; /* how finely the time was seen: 1 when seconds were */
    double peak_minute;  /* rate over the busiest minute */
    double pool_rate;    /* the least provisioned rate whose burst carries every peak; 0: unknown */
    td_advice_key *keys; /* hottest first */
    uint32_t key_count;
    double rest;                    /* units that a key which is not listed has at most; 0: no other key had traffic */
    double *by_partition;           /* units by partition, estimated from the heat map; in the order of `partitions` */
    double throughput;              /* units a second provisioned; 0: on-demand */
    double warm;                    /* units a second that are warm; 0: unknown */
    double throttled_by_throughput; /* requests, since the table exists or since the last reset of its capacity */
    double throttled_by_partitions;
} td_advice_side;

typedef struct td_advice_partition {
    char id[16];
    uint64_t from; /* first eight bytes of its lowest hash; it ends where the next begins */
    bool is_child; /* of a split */
    td_split_veto veto;
} td_advice_partition;

typedef struct td_advice_resource {
    td_slice table;
    td_slice index; /* empty: the table itself */
    td_billing_mode billing;
    uint32_t hash_attribute_count; /* of its partition key */
    bool has_sort_key;
    bool has_local_index;
    double throttled;       /* requests in the window, both directions */
    double item_bytes_mean; /* as capacity counts them; 0: no items */
    td_advice_partition *partitions;
    uint32_t partition_count;
    td_advice_side sides[TD_DIRECTION_COUNT];
} td_advice_resource;

typedef struct td_advice_question {
    double factor;                   /* judge for so many times the traffic seen; 1: as it was */
    double window_s;                 /* how long a time was looked at */
    double caps[TD_DIRECTION_COUNT]; /* units a second that a partition serves here; 0: as on the service */
    bool is_recorded;                /* heat is being recorded: without it nothing is known of traffic */
    td_placement placement;
    bool has_heat_splits;
    double split_delay_s; /* from when a partition is hot until it is split */
} td_advice_question;

/* ---- what is said ---------------------------------------------------------------------------------------------- */

typedef enum td_advice_kind {
#define TD_ADVICE(kind, name, meaning) TD_ADVICE_##kind,
#include "control/advice.def"
#undef TD_ADVICE
    TD_ADVICE_KIND_COUNT
} td_advice_kind;

typedef enum td_advice_severity {
    TD_ADVICE_INFO,
    TD_ADVICE_WARNING,
    TD_ADVICE_PROBLEM,
    TD_ADVICE_SEVERITY_COUNT
} td_advice_severity;

const char *td_advice_kind_name(td_advice_kind kind);
const char *td_advice_severity_name(td_advice_severity severity);
bool td_advice_kind_find(td_slice name, td_advice_kind *ret_kind);             /* false: no such kind */
bool td_advice_severity_find(td_slice name, td_advice_severity *ret_severity); /* false: no such severity */

#define TD_ADVICE_NUMBERS_MAX 16

/* A number behind a sentence, or a name (`text` is then not empty). */
typedef struct td_advice_number {
    const char *name;
    double value;
    td_slice text;
} td_advice_number;

typedef struct td_advice {
    td_advice_kind kind;
    td_advice_severity severity;
    td_slice table;
    td_slice index; /* empty: the table itself */
    td_slice text;  /* one to three sentences */
    td_advice_number numbers[TD_ADVICE_NUMBERS_MAX];
    uint32_t number_count;
} td_advice;

typedef struct td_advice_list {
    td_arena *arena;
    td_advice *items;
    uint32_t count;
    uint32_t capacity;
    bool failed; /* there was no memory, and something is missing */
} td_advice_list;

/* Units of one direction: less than this says nothing of evenness. */
#define TD_ADVICE_UNITS_MIN 100.0

/* Adds what is to be said of one resource. */
void td_advice_judge(const td_advice_question *question, const td_advice_resource *resource, td_advice_list *list);

/* The severest first; advice of one severity stays in the order in which it was added. */
void td_advice_sort(td_advice_list *list);

/* ---- evenness -------------------------------------------------------------------------------------------------- */

/* Shares are of the side's total; each pair bounds what the sketch can say. */
typedef struct td_advice_evenness {
    double top_share_min;
    double top_share_max;
    double top_10_share_min;
    double top_10_share_max;
    double effective_keys_min; /* 1 / Σ share²: as many keys with equal shares would be as uneven */
    double effective_keys_max; /* 0: unbounded */
    double partition_cv;       /* standard deviation over mean, across partitions; 0: a single one */
    double top_partition_share;
    uint32_t top_partition;
} td_advice_evenness;

td_advice_evenness td_advice_measure(const td_advice_resource *resource, td_direction direction);

/* ---- write shards ---------------------------------------------------------------------------------------------- */

/* How many suffixes spread `rate` over partitions so that none gets more than `cap`, with headroom. Two suffixes may
 * land in one partition, so that this is more than rate / cap. */
typedef struct td_advice_shards {
    uint32_t count;           /* 0: no number of suffixes up to the limit does */
    uint32_t partition_count; /* for which it holds: those that are there, or more when they are too few */
    double partition_rate;    /* what the hottest partition would take */
    uint32_t simple_count;    /* rate / cap with the same headroom, as if every suffix had a partition to itself */
    double simple_partition_rate;
    bool is_exact; /* by the placement of KEY#0, KEY#1, …; else for 95 of 100 keys */
} td_advice_shards;

#define TD_ADVICE_HEADROOM 0.8   /* of a partition's cap is planned with */
#define TD_ADVICE_SHARDS_MAX 200 /* every read of the whole must ask all of them */

td_advice_shards td_advice_count_shards(const td_advice_question *question, const td_advice_resource *resource,
                                        const td_advice_key *key, double rate, double cap);

#endif
