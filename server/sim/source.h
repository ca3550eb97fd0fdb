/* SPDX-License-Identifier: Apache-2.0
 * source.h: where the values of a key or attribute come from: one of the distributions of sources.def.
 *
 * A source is read (source_read.c), prepared once (tables of weights, orders), and then drawn from; its own state is
 * how far a sequence has come. All else comes from the stream's random numbers and the virtual time.
 * Threads: a source belongs to its stream. */
#ifndef THERMODYN_SIM_SOURCE_H
#define THERMODYN_SIM_SOURCE_H

#include "alias.h"
#include "member.h"
#include "thermodyn/base.h"
#include "thermodyn/rng.h"
#include "thermodyn/value.h"

#define TD_SIM_VALUE_BYTES 1024      /* longest value: the limit of a sort key */
#define TD_SIM_ELEMENTS_MAX 10000000 /* of a distribution with weights or an order of its own */

typedef enum td_sim_source_kind {
#define TD_SIM_SOURCE(kind, name, members, numbers) TD_SIM_##kind,
#include "sources.def"
#undef TD_SIM_SOURCE
    TD_SIM_SOURCE_KIND_COUNT
} td_sim_source_kind;

typedef enum td_sim_order { TD_SIM_ORDER_NATURAL, TD_SIM_ORDER_HASH, TD_SIM_ORDER_SHUFFLED } td_sim_order;
typedef enum td_sim_time_format { TD_SIM_DATE, TD_SIM_HOUR, TD_SIM_MINUTE, TD_SIM_TIMESTAMP } td_sim_time_format;

typedef struct td_sim_source td_sim_source;
struct td_sim_source {
    td_sim_source_kind kind;
    td_type type;              /* S, N or B */
    td_slice prefix;           /* text before what is drawn; SINGLE: the payload */
    td_slice suffix;           /* text behind it */
    td_slice separator;        /* SHARDED, JOIN */
    uint64_t count;            /* UNIFORM, ZIPF, SHARDED: elements; SEQUENCE: before it begins anew; 0: never */
    int64_t first;             /* number of the first element */
    uint64_t run;              /* SEQUENCE: draws that one element lasts */
    double exponent;           /* ZIPF */
    td_sim_order order;        /* SEQUENCE */
    td_sim_time_format format; /* TIME */
    bool is_of_time;           /* INCREASING, DECREASING: the time; else a count */
    bool is_round_robin;       /* SHARDED */
    td_slice *values;          /* LIST: payloads */
    double *weights;           /* LIST */
    uint32_t value_count;
    td_sim_source *parts; /* JOIN: all; SHARDED: the base */
    uint32_t part_count;

    td_sim_alias alias;    /* ZIPF, LIST; after prepare */
    uint32_t *permutation; /* SEQUENCE in another order; after prepare */
    uint64_t drawn;        /* SEQUENCE, INCREASING, DECREASING, SHARDED in turn */
};

extern const char *const td_sim_source_names[TD_SIM_SOURCE_KIND_COUNT];

/* Reads a source of values of that type: an object, or a text or number alone, which is SINGLE. */
void td_sim__source_read(td_sim_reader *reader, const td_json_node *node, td_type type, td_sim_source *ret_source);

/* Builds tables. The seed decides shuffled orders. false: no memory. */
TD_MUST_USE bool td_sim__source_prepare(td_sim_source *source, uint64_t seed, td_arena *arena);

/* The next value: its payload (N: encoded) is written to `ret_bytes`; answers its length. */
size_t td_sim__source_draw(td_sim_source *source, td_rng *rng, td_time_us now_us,
                           uint8_t ret_bytes[TD_SIM_VALUE_BYTES]);

#endif
