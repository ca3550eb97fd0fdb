/* SPDX-License-Identifier: Apache-2.0
 * writer.h: an answer in one of CloudWatch's three protocols, written member by member straight into the reply.
 *
 *   td_cw_open_list(out, "Datapoints");
 *   td_cw_open(out, NULL);                     an element has no name
 *   td_cw_put_double(out, "Sum", 12);
 *   td_cw_close(out);
 *   td_cw_close(out);
 *
 *              XML (query)                        JSON                    CBOR
 *   structure  <Name>…</Name>                     {"Name":…}              map of indefinite length
 *   list       <Name><member>…</member></Name>    […]                     array of indefinite length
 *   map        <entry><key/><value/></entry>      {…}                     map of indefinite length
 *   time       2026-11-30T12:38:00Z               seconds, a number       tag 1, a double
 * A failure sticks in the buffer. Threads: one writer, one thread. */
#ifndef THERMODYN_CLOUDWATCH_WRITER_H
#define THERMODYN_CLOUDWATCH_WRITER_H

#include "thermodyn/buf.h"

#define TD_CW_DEPTH_MAX 16

typedef enum td_cw_protocol { TD_CW_QUERY, TD_CW_JSON, TD_CW_CBOR } td_cw_protocol;

typedef enum td_cw_nesting { TD_CW_IN_STRUCTURE, TD_CW_IN_LIST, TD_CW_IN_MAP } td_cw_nesting;

/* All fields are private; the struct is open so that it can be embedded. */
typedef struct td_cw_writer {
    td_cw_protocol protocol;
    td_buf *buf;
    uint32_t depth;
    struct {
        const char *name;
        td_cw_nesting nesting;
        bool has_members;
    } levels[TD_CW_DEPTH_MAX];
} td_cw_writer;

void td_cw_writer_init(td_cw_writer *out, td_cw_protocol protocol, td_buf *buf);

/* Names are literals; NULL in a list and, of the outermost structure, in JSON and CBOR. A map's members are put with
 * td_cw_put_entry alone. */
void td_cw_open(td_cw_writer *out, const char *name);
void td_cw_open_list(td_cw_writer *out, const char *name);
void td_cw_open_map(td_cw_writer *out, const char *name);
void td_cw_close(td_cw_writer *out);

void td_cw_put_text(td_cw_writer *out, const char *name, td_slice value);
void td_cw_put_literal(td_cw_writer *out, const char *name, const char *value);
void td_cw_put_int(td_cw_writer *out, const char *name, int64_t value);
void td_cw_put_double(td_cw_writer *out, const char *name, double value);
void td_cw_put_bool(td_cw_writer *out, const char *name, bool value);
void td_cw_put_time(td_cw_writer *out, const char *name, td_time_us value);
void td_cw_put_entry(td_cw_writer *out, td_slice key, double value);

#endif
