/* SPDX-License-Identifier: Apache-2.0
 * document.h: the form in which tables, streams and settings stand on the disk: fields with a number and a kind.
 *
 *   field = number × 4 + kind (one byte) ‖ number: zigzag varint │ real: 8 bytes │ bytes, or fields: length (4), then
 * they
 *
 * What is zero is left out, so that a new member costs nothing where it is not used. The members of a struct are rows:
 * one table of them writes and reads. Numbers of fields are never given to another member: the format's version
 * (storage/disk/disk.c) rises with whatever an older release could not read.
 * Threads: any. */
#ifndef THERMODYN_ENGINE_DOCUMENT_H
#define THERMODYN_ENGINE_DOCUMENT_H

#include <stddef.h>

#include "thermodyn/buf.h"

#define TD_DOC_FIELDS_MAX 64

typedef enum td_doc_kind { TD_DOC_NUMBER, TD_DOC_REAL, TD_DOC_BYTES, TD_DOC_FIELDS } td_doc_kind;

/* ---- writing ----------------------------------------------------------------------------------------------------- */

void td_doc__put_number(td_buf *buf, uint8_t field, int64_t value);
void td_doc__put_real(td_buf *buf, uint8_t field, double value);
void td_doc__put_bytes(td_buf *buf, uint8_t field, td_slice bytes);
/* Fields between begin and end are those of one field. */
size_t td_doc__begin(td_buf *buf, uint8_t field);
void td_doc__end(td_buf *buf, size_t begun_at);

/* ---- reading ----------------------------------------------------------------------------------------------------- */

typedef struct td_doc_reader {
    td_slice rest;
    bool is_damaged;
} td_doc_reader;

typedef struct td_doc_field {
    uint8_t field;
    td_doc_kind kind;
    int64_t number;
    double real;
    td_slice bytes; /* of fields too; borrowed from the document */
} td_doc_field;

static inline td_doc_reader td_doc__reader(td_slice bytes)
{
    return (td_doc_reader){.rest = bytes};
}

/* false: at the end, or damaged. */
bool td_doc__next(td_doc_reader *reader, td_doc_field *ret_field);

/* Not below 0, nor so far that what is added to it overflows; what the clock comes to is less (base/clock.c). */
static inline bool td_doc__is_instant(int64_t value)
{
    return value >= 0 && value <= TD_NEVER / 4 * 3;
}

/* ---- members of structs ------------------------------------------------------------------------------------------ */

/* An I64 is an instant, or a rate or count as small as those. A DOUBLE is finite and not below 0. */
typedef enum td_doc_type {
    TD_DOC_BOOL,
    TD_DOC_U32,
    TD_DOC_ENUM,
    TD_DOC_I64,
    TD_DOC_END,    /* an instant, or TD_NEVER */
    TD_DOC_SIGNED, /* any of 64 bits */
    TD_DOC_U64,
    TD_DOC_DOUBLE,
} td_doc_type;

typedef struct td_doc_row {
    uint8_t field;
    uint8_t type;    /* td_doc_type */
    uint8_t limit;   /* of an enum: its values are below */
    uint16_t offset;
    uint16_t bytes; /* of the member: an array has several elements */
} td_doc_row;

#define TD_DOC_ROW(field, type, owner, member)                                                                         \
    {                                                                                                                  \
        (field), (type), 0, (uint16_t)offsetof(owner, member), (uint16_t)sizeof(((owner *)NULL)->member)               \
    }
#define TD_DOC_ENUM_ROW(field, owner, member, limit)                                                                   \
    {                                                                                                                  \
        (field), TD_DOC_ENUM, (limit), (uint16_t)offsetof(owner, member), sizeof(int)                                  \
    }

void td_doc__put_rows(td_buf *buf, const td_doc_row *rows, size_t count, const void *members);

/* What a document leaves out is zero: before it is read. */
void td_doc__clear_rows(const td_doc_row *rows, size_t count, void *members);

/* How often a field was met: the elements of arrays come one after the other. */
typedef struct td_doc_counts {
    uint8_t of[TD_DOC_FIELDS_MAX];
} td_doc_counts;

/* Takes the field if a row is about it. false: none is, or it does not fit. */
bool td_doc__take_row(const td_doc_field *field, td_doc_counts *counts, const td_doc_row *rows, size_t count,
                      void *ret_members);
/* All of it is rows. */
TD_MUST_USE bool td_doc__read_rows(td_slice bytes, const td_doc_row *rows, size_t count, void *ret_members);

#endif
