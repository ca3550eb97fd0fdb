/* SPDX-License-Identifier: Apache-2.0
 * sigv4.h: Signature Version 4, as the side that checks it sees it.
 * Source: "AWS Signature Version 4 for API requests" (IAM User Guide), and the public test suite of its signers.
 * Implemented by sigv4.c (what is decided) and sigv4_text.c (the two texts that are signed). Threads: any. */
#ifndef THERMODYN_WIRE_SIGV4_H
#define THERMODYN_WIRE_SIGV4_H

#include "base/credentials.h"
#include "wire/envelope.h"

/* A request as it was signed. */
typedef struct td_signed_request {
    td_slice method;
    td_slice path;  /* without percent signs */
    td_slice query; /* as it came, without '?' */
    td_slice body;  /* as it came, so before anything was unpacked */
    /* The values of a header, joined by commas; false: there is none. The name is in lower case. */
    bool (*find_header)(const void *headers, td_slice name, td_arena *arena, td_slice *ret_value);
    const void *headers;
} td_signed_request;

/* Whether the request was signed with the credential (NULL: the key is known to nobody) for `service` at about now_us.
 * Errors in the service's order: UNRECOGNIZED_CLIENT for the key and its token, INVALID_SIGNATURE for the scope, a host
 * that is not signed, the two skews, and the digits, which are compared in constant time. */
TD_MUST_USE td_status td_sigv4_check(const td_identity *identity, const td_signed_request *request,
                                     const td_credential *credential, td_slice service, td_time_us now_us,
                                     td_error *error);

/* Appends the canonical request. A signed header that is absent counts as empty. */
void td_sigv4__append_canonical(td_buf *text, const td_identity *identity, const td_signed_request *request,
                                td_arena *arena);

/* Appends the string to sign; `time` is of ISO 8601's basic form. */
void td_sigv4__append_to_sign(td_buf *text, const td_identity *identity, td_slice time, td_slice canonical);

/* Base 16 in lower case. */
void td_sigv4__append_digits(td_buf *text, td_slice bytes);

#endif
