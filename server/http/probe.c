/* SPDX-License-Identifier: Apache-2.0
 * probe.c: `thermodyn health`: the client side of GET /_thermodyn/health, for health checks of images, where no curl
 * is. */
#include "server.h"

#include <stdio.h>

#include "client.h"

#define PROBE_TIMEOUT_S 3
#define ANSWER_BYTES_MAX ((size_t)1024 * 1024)

bool td_server_probe(const td_config *config, char reterr_sentence[TD_SERVER_ERROR_BYTES])
{
    td_client client = td_client_of_config(config, PROBE_TIMEOUT_S);
    td_buf body;
    int status = 0;
    td_buf_init(&body, ANSWER_BYTES_MAX);
    bool is_answered = td_client_get(&client, "/_thermodyn/health", &status, &body);
    td_buf_done(&body);
    if (client.port == 0) {
        snprintf(reterr_sentence, TD_SERVER_ERROR_BYTES, "the port is not known: give --port, or a --port-file");
    } else if (!is_answered) {
        snprintf(reterr_sentence, TD_SERVER_ERROR_BYTES, "nothing answers on port %d of %.100s", client.port,
                 client.host);
    } else if (status != 200) {
        snprintf(reterr_sentence, TD_SERVER_ERROR_BYTES, "the server on port %d of %.100s is not well", client.port,
                 client.host);
    }
    return status == 200;
}
