/* SPDX-License-Identifier: Apache-2.0
 * pace.c: how many requests a second an address may make (--max-requests-per-address).
 *
 * Model: a fixed number of places, over which a keyed hash spreads the addresses: however many come, they take no more
 *        memory, and a new connection does not help. A place has the time from which on its address owes nothing (the
 *        generic cell rate algorithm): a second's worth of requests may come at once. Two addresses that share a place
 *        share its requests; which ones do differs from start to start, and no client can choose.
 * Of IPv6 the first 64 bits count: a host has all of their addresses. */
#include "http_private.h"

#include <netinet/in.h>
#include <string.h>

#include "thermodyn/limits.h"
#include "thermodyn/map.h"
#include "thermodyn/memory.h"

#define NS_A_MS UINT64_C(1000000)
#define NS_A_SECOND UINT64_C(1000000000)

bool td_http__pace_init(td_http_worker *worker)
{
    uint64_t per_second = (uint64_t)worker->service->config->max_requests_per_address;
    if (per_second == 0) return true;
    uint64_t workers = worker->server->worker_count;
    worker->pace.key = td_rng_next(&worker->rng);
    worker->pace.interval_ns = NS_A_SECOND / ((per_second + workers - 1) / workers);
    worker->pace.free_at_ns = td_alloc_zero(TD_LIMIT_PACED_ADDRESSES * sizeof(*worker->pace.free_at_ns));
    return worker->pace.free_at_ns != NULL;
}

void td_http__pace_done(td_http_worker *worker) { td_free(worker->pace.free_at_ns); }

uint32_t td_http__pace_place(const td_http_worker *worker, struct MHD_Connection *mhd)
{
    struct {
        uint64_t key;
        uint8_t host[8];
    } hashed = {.key = worker->pace.key};
    const struct sockaddr *address = MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CLIENT_ADDRESS)->client_addr;
    if (address->sa_family == AF_INET) {
        memcpy(hashed.host, &((const struct sockaddr_in *)(const void *)address)->sin_addr, sizeof(struct in_addr));
    } else if (address->sa_family == AF_INET6) {
        const struct in6_addr *six = &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr;
        if (IN6_IS_ADDR_V4MAPPED(six))
            memcpy(hashed.host, &six->s6_addr[12], sizeof(struct in_addr));
        else
            memcpy(hashed.host, six->s6_addr, sizeof(hashed.host));
    }
    return (uint32_t)(td_hash64(td_slice_of((const uint8_t *)&hashed, sizeof(hashed))) % TD_LIMIT_PACED_ADDRESSES);
}

bool td_http__pace_takes(const td_http_connection *connection)
{
    td_http_worker *worker = connection->worker;
    if (worker->pace.free_at_ns == NULL) return true;
    uint64_t now_ns = uv_now(&worker->loop) * NS_A_MS;
    uint64_t *free_at_ns = &worker->pace.free_at_ns[connection->pace_place];
    uint64_t begins_ns = *free_at_ns > now_ns ? *free_at_ns : now_ns;
    if (begins_ns + worker->pace.interval_ns > now_ns + NS_A_SECOND) return false;
    *free_at_ns = begins_ns + worker->pace.interval_ns;
    return true;
}
