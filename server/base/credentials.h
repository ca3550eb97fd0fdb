/* SPDX-License-Identifier: Apache-2.0
 * credentials.h: who may sign requests, with --auth sigv4: the credentials of a file in the form of AWS's shared
 * credentials files, which clients read too, and those of the environment's AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY
 * and AWS_SESSION_TOKEN.
 * Threads: loaded once; then read by any. */
#ifndef THERMODYN_BASE_CREDENTIALS_H
#define THERMODYN_BASE_CREDENTIALS_H

#include "thermodyn/buf.h"

typedef struct td_credential {
    td_slice access_key;
    td_slice secret_key;
    td_slice token; /* of a session; len 0: a key that is good for itself */
} td_credential;

typedef struct td_credentials td_credentials;

/* `path` empty: no file. NULL: `says` holds a sentence that names what is wrong; nobody at all is wrong too. */
TD_MUST_USE td_credentials *td_credentials_load(const char *path, td_buf *says);
void td_credentials_free(td_credentials *credentials);

/* None yet; NULL: no memory. */
TD_MUST_USE td_credentials *td_credentials_new(void);

/* Adds those of the text of such a file; `path` is for the sentence. */
TD_MUST_USE bool td_credentials__read_text(td_credentials *credentials, const char *path, td_slice text, td_buf *says);

/* Borrowed as long as the credentials; NULL: there is none of this key. */
const td_credential *td_credentials_find(const td_credentials *credentials, td_slice access_key);

#endif
