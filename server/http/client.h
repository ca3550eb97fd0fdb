/* SPDX-License-Identifier: Apache-2.0
 * client.h: the client side of the control endpoints, for subcommands that ask a running server. Blocking. */
#ifndef THERMODYN_HTTP_CLIENT_H
#define THERMODYN_HTTP_CLIENT_H

#include "base/config.h"
#include "thermodyn/buf.h"

typedef struct td_client {
    const char *host; /* a name or an address to connect to */
    int port;
    int timeout_s; /* of each wait for the other side */
    bool is_tls;   /* whose certificate it shows is not looked at */
} td_client;

/* Where a server of that configuration listens. A port of 0 was chosen by the server and written to its port file;
 * without one *ret_client's port is 0. */
td_client td_client_of_config(const td_config *config, int timeout_s);

/* GET of a path. false: nobody answers there, or not in HTTP, or not in time; else the status, and the body in `body`
 * (cleared first). */
TD_MUST_USE bool td_client_get(const td_client *client, const char *path, int *ret_status, td_buf *body);

#endif
