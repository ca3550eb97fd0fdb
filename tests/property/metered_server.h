/* SPDX-License-Identifier: Apache-2.0
 * metered_server.h: a server without sockets and with one small table that throttles, for runs of requests after which
 * five accounts must be equal to the unit: the ConsumedCapacity of the answers, CloudWatch's minutes, Prometheus' text,
 * the heat maps, and, of throttles, what clients were told.
 *
 * The table TTT has the keys pk (S) and sk (N), a local index L11 by l (N), and the global indexes G11 by g (S), of all
 * attributes, and G22 by h (S), of keys. What a local index uses is its table's. */
#ifndef THERMODYN_TESTS_PROPERTY_METERED_SERVER_H
#define THERMODYN_TESTS_PROPERTY_METERED_SERVER_H

#include "thermodyn/capacity.h"
#include "thermodyn/rng.h"

#include "asked.h"

#define METERED_START_US ((td_time_us)4102444800 * TD_US_PER_S) /* 2100-01-01T00:00:00Z */
#define METERED_START_TEXT "2100-01-01T00:00:00Z"
#define METERED_BURST_WINDOW_S 5 /* so short that burst does not hide the limits */

typedef enum metered_resource { METERED_TABLE, METERED_G11, METERED_G22, METERED_RESOURCES } metered_resource;

extern const char *const metered_names[METERED_RESOURCES]; /* of the index; "": the table */

typedef struct metered_server {
    asked_server asked;
    td_rng rng;
    td_buf body; /* of the request that is being written */
    uint32_t provisioned[METERED_RESOURCES][TD_DIRECTION_COUNT];
    td_units told[METERED_RESOURCES][TD_DIRECTION_COUNT]; /* by ConsumedCapacity */
    uint64_t throttled;                                   /* operations that were told so */
    uint64_t requests;
    uint64_t seed;
} metered_server;

/* The clock stands at METERED_START_US, the table is there, and its buckets are full. */
void metered_init(metered_server *server, uint64_t seed);
void metered_done(metered_server *server);

uint64_t metered_below(metered_server *server, uint64_t bound); /* a random number */

/* Begins a body, and appends to it: JSON with ' for ". */
void metered_begin(metered_server *server);
void metered_say(metered_server *server, const char *format, ...) TD_PRINTF(2, 3);

/* Sends the body, and notes what the answer tells; it asks for ReturnConsumedCapacity INDEXES. `elements`: of a batch,
 * which fails as a whole when all of them throttle. Answers the answer, until the next request: it either succeeds or
 * is a throttle. */
td_slice metered_send(metered_server *server, const char *operation, td_direction direction, uint64_t elements);

/* All five accounts; METERED_CHECK_EQUAL tells the seed and the resource. */
void metered_check(metered_server *server);

/* Throttled events of a resource, by CloudWatch. */
uint64_t metered_throttle_events(metered_server *server, metered_resource resource);

#define METERED_CHECK_EQUAL(server, a, b, resource, what)                                                              \
    ck_assert_msg((a) == (b), "seed %llu, \"%s\", %s: %lld is not %lld", (unsigned long long)(server)->seed,           \
                  metered_names[resource], (what), (long long)(a), (long long)(b))

#endif
