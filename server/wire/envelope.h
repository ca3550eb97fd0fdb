/* SPDX-License-Identifier: Apache-2.0
 * envelope.h: what stands around a request and an answer: X-Amz-Target, Authorization, the error document.
 * Implemented by target.c, auth.c and error.c. Threads: any. */
#ifndef THERMODYN_WIRE_ENVELOPE_H
#define THERMODYN_WIRE_ENVELOPE_H

#include "thermodyn/buf.h"
#include "thermodyn/capacity.h"
#include "thermodyn/status.h"

/* Header values as they came; len 0: absent. */
typedef struct td_envelope {
    td_slice target;
    td_slice authorization;
    td_slice date; /* X-Amz-Date, else Date */
    td_slice token; /* X-Amz-Security-Token: of a session */
    td_slice content_type;
    td_slice host;  /* Host: where the client found this server */
    td_slice query; /* the URL's query string without '?': presigned requests */
    const struct td_signed_request *whole; /* what a signature is checked against (sigv4.h); NULL: nobody checks */
} td_envelope;

typedef enum td_api { TD_API_DYNAMODB, TD_API_STREAMS } td_api;

/* "DynamoDB_20120810.PutItem" → API and operation name. Errors: UNKNOWN_OPERATION, as the service answers a missing,
 * malformed or unknown target (whether the operation exists is the dispatcher's table). */
TD_MUST_USE td_status td_target_parse(td_slice target, td_api *ret_api, td_slice *ret_operation, td_error *error);

/* What a signature says of itself, in the header or in the query of a presigned URL. */
typedef struct td_identity {
    td_slice access_key;
    td_slice day;            /* of the scope: YYYYMMDD */
    td_slice region;         /* of the scope */
    td_slice service;        /* of the scope */
    td_slice term;           /* of the scope: "aws4_request" */
    td_slice signed_headers; /* names in lower case, joined by semicolons */
    td_slice digits;         /* the signature: 64 of base 16 */
    td_slice time;           /* when it was signed, as it came: in ISO 8601's basic form, or an HTTP date */
    td_slice token;          /* of a session; len 0: none */
    td_slice lifetime;       /* seconds, of a presigned URL; len 0: the header's form */
} td_identity;

/* Nothing is verified here (sigv4.h). Errors in the service's order: MISSING_AUTHENTICATION_TOKEN, INCOMPLETE_SIGNATURE
 * with its texts. */
TD_MUST_USE td_status td_identity_parse(const td_envelope *envelope, td_identity *ret_identity, td_error *error);

/* Who the answer's ARNs belong to. */
typedef struct td_arn_context {
    td_slice region;
    td_slice account;
    td_slice table; /* the table's name */
} td_arn_context;

/* "aws", "aws-cn" or "aws-us-gov": follows from the region. */
td_slice td_arn_partition(td_slice region);

/* The ARN as it stands inside of a JSON string: escaped, without the quotes. */
void td_arn_write_table(td_buf *buf, const td_arn_context *context);
void td_arn_write_index(td_buf *buf, const td_arn_context *context, td_slice index);

/* TableName members may be ARNs: the name in it. A name that is no ARN is answered as it is; an ARN of another
 * service or form is a VALIDATION error. */
TD_MUST_USE td_status td_table_name_parse(td_slice text, td_slice *ret_name, td_error *error);

/* The error document: __type, message (or Message), Item, ThrottlingReasons (or throttlingReasons). */
void td_error_write(td_buf *buf, const td_error *error, const td_arn_context *context);

#endif
