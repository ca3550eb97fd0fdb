/* SPDX-License-Identifier: Apache-2.0
 * server.h: the HTTP front: listens, answers, and stops in order at a signal.
 *
 * `threads` workers share the port; each is a libuv loop that drives one libmicrohttpd daemon, and a request is handled
 * to its end on its worker. The first worker runs on the caller's thread, with signals and the clock's timer.
 * Threads: the thread that made it, alone. */
#ifndef THERMODYN_HTTP_SERVER_H
#define THERMODYN_HTTP_SERVER_H

#include "ops/dispatch.h"

typedef struct td_server td_server;

#define TD_SERVER_ERROR_BYTES 256

/* Listens as the service's configuration says. From here on the signals that stop a server wait for td_server_run.
 * NULL: it cannot, and reterr_sentence holds why. */
TD_MUST_USE td_server *td_server_new(td_service *service, char reterr_sentence[TD_SERVER_ERROR_BYTES]);
void td_server_free(td_server *server);

int td_server_get_port(const td_server *server);
const char *td_server_get_url(const td_server *server); /* "http://127.0.0.1:8000", or https */
const char *td_server_get_fingerprint(const td_server *server); /* of its certificate, by SHA-256; NULL: no TLS */

/* Serves until SIGTERM, SIGINT or SIGHUP, then lets answers in flight finish, within bounds. A second signal ends the
 * process at once. `serves` is called once it does, on any thread: with a data directory when that is loaded; false
 * from it ends the server. false: it could not start, and reterr_sentence holds why. */
TD_MUST_USE bool td_server_run(td_server *server, bool (*serves)(void *context), void *context,
                               char reterr_sentence[TD_SERVER_ERROR_BYTES]);

/* Asks a running server for its health, as an image's health check does: true when it answers 200 in time. */
TD_MUST_USE bool td_server_probe(const td_config *config, char reterr_sentence[TD_SERVER_ERROR_BYTES]);

#endif
