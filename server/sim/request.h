/* SPDX-License-Identifier: Apache-2.0
 * request.h: a stream of operations: draws the next one's kind, keys, attributes and size, and asks the engine.
 * Nothing is allocated for an operation but what the engine takes from the world's arena.
 * Threads: one stream, one thread. */
#ifndef THERMODYN_SIM_REQUEST_H
#define THERMODYN_SIM_REQUEST_H

#include "thermodyn/capacity.h"
#include "thermodyn/read.h"
#include "thermodyn/write.h"
#include "world.h"

typedef struct td_sim_stream {
    const td_sim_load *load;
    td_slice table;
    td_rng rng;
    td_sim_arrival arrival;
    td_time_us begins_us; /* of its phase */
    td_time_us next_us;   /* of the next operation; TD_NEVER: no more */

    td_sim_alias operations; /* which kind; used when there are several */
    td_sim_operation only;   /* when there is one: that */
    bool has_several;
    td_sim_operation drawn;   /* the operation in hand */
    bool is_retry;            /* it was throttled, and is sent again */
    td_arena arena;           /* of what the stream keeps */
    uint8_t *values;          /* TD_SIM_VALUE_BYTES for each field */
    td_attribute *attributes; /* of the item in hand */
    td_attribute key[2];      /* of the item in hand */
    uint32_t attribute_count;
    uint32_t key_count;
    const uint8_t *pad;      /* zeros, as many as an item may have */
    td_arena cursor;         /* of a scan: the key to go on from */
    td_attribute *start_key; /* NULL: from the start */
    uint32_t start_key_count;
    union {
        td_write_result written;
        td_get_result got;
        td_page page;
    } result; /* of the operation in hand */
} td_sim_stream;

/* What became of an operation. */
typedef struct td_sim_outcome {
    td_status status; /* not TD_OK: world->error has the rest */
    td_direction direction;
    const td_consumed *consumed; /* TD_OK: borrowed until the stream's next operation */
} td_sim_outcome;

/* `number`: its place among the streams, which seeds its randomness. false: no memory. Without an arrival yet. */
TD_MUST_USE bool td_sim__stream_init(td_sim_stream *stream, const td_sim_scenario *scenario, td_sim_load *load,
                                     uint64_t number);
void td_sim__stream_done(td_sim_stream *stream);

/* When the stream begins, and for how long it comes. */
void td_sim__stream_begin(td_sim_stream *stream, td_time_us begins_us, td_time_us duration_us, double scale);
static inline void td_sim__stream_step(td_sim_stream *stream);

/* One operation at the world's instant. */
td_sim_outcome td_sim__stream_send(td_sim_stream *stream, td_sim_world *world);

static inline void td_sim__stream_step(td_sim_stream *stream)
{
    td_sim__arrival_step(&stream->arrival, &stream->rng);
    td_time_us after_us = td_sim__arrival_next_us(&stream->arrival);
    stream->next_us = after_us == TD_NEVER ? TD_NEVER : stream->begins_us + after_us;
}

#endif
