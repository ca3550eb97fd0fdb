/* SPDX-License-Identifier: Apache-2.0
 * tls.h: the certificate that a server shows, from files or made at its start, and the client's side of TLS.
 *
 * libmicrohttpd speaks TLS for the server; GnuTLS, which it does so with, reads and makes certificates and speaks for
 * `thermodyn health` and its like.
 * Threads: the one that made it; what is read of it, any. */
#ifndef THERMODYN_HTTP_TLS_H
#define THERMODYN_HTTP_TLS_H

#include <sys/types.h>

#include "base/config.h"
#include "thermodyn/buf.h"

/* Forward secrecy and authenticated encryption alone, as all of TLS 1.3 has; keys of 128 bits of strength at least. */
#define TD_TLS_PRIORITIES                                                                                              \
    "SECURE128:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:-KX-ALL:+ECDHE-ECDSA:+ECDHE-RSA:-CIPHER-ALL:+AES-128-GCM:"          \
    "+AES-256-GCM:+CHACHA20-POLY1305"
#define TD_TLS_FINGERPRINT_LEN 95 /* of SHA-256: 32 bytes in hexadecimal, colons between */

typedef struct td_tls {
    td_buf certificate; /* PEM, NUL at its end */
    td_buf key;         /* likewise; cleared before it is freed */
    char fingerprint[TD_TLS_FINGERPRINT_LEN + 1];
} td_tls;

static inline bool td_tls_is_wanted(const td_config *config)
{
    return config->tls_self_signed || config->tls_cert[0] != '\0' || config->tls_key[0] != '\0';
}

/* Reads the certificate and its key, and checks that they belong together; or makes both, and writes the certificate to
 * tls_cert if that is given, for clients to trust. false: reterr_sentence (of sentence_bytes) says why. Call done in
 * any case. */
TD_MUST_USE bool td_tls_init(td_tls *tls, const td_config *config, char *reterr_sentence, size_t sentence_bytes);
void td_tls_done(td_tls *tls);

/* ---- a client's connection ---- */

typedef struct td_tls_session td_tls_session;

/* Shakes hands over a connected socket, which stays the caller's. Whose certificate it is is not looked at: what is
 * asked are figures of a server that the caller has named. NULL: it does not speak TLS, not in time, or no memory. */
TD_MUST_USE td_tls_session *td_tls_connect(int fd);
void td_tls_close(td_tls_session *session); /* NULL is allowed */
TD_MUST_USE bool td_tls_send(td_tls_session *session, const void *bytes, size_t len); /* all of it */
/* How many bytes came; 0: the other side has ended; -1: it failed. */
TD_MUST_USE ssize_t td_tls_receive(td_tls_session *session, void *bytes, size_t room);

#endif
