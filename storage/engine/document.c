/* SPDX-License-Identifier: Apache-2.0
 * document.c: fields of documents, written and read.
 * Not here: which documents have which (persist_rows.c and its users). */
#include "document.h"

#include <math.h>
#include <string.h>

#define LENGTH_BYTES 4
#define VARINT_BYTES_MAX 10

static const size_t type_bytes[] = {
    [TD_DOC_BOOL] = sizeof(bool),      [TD_DOC_U32] = sizeof(uint32_t), [TD_DOC_ENUM] = sizeof(int),
    [TD_DOC_I64] = sizeof(int64_t),    [TD_DOC_END] = sizeof(int64_t),  [TD_DOC_SIGNED] = sizeof(int64_t),
    [TD_DOC_U64] = sizeof(uint64_t),   [TD_DOC_DOUBLE] = sizeof(double),
};

static void put_tag(td_buf *buf, uint8_t field, td_doc_kind kind);
static void put_element(td_buf *buf, const td_doc_row *row, const uint8_t *at);
static bool take_element(const td_doc_field *field, const td_doc_row *row, uint8_t *at);
static bool is_zero(const uint8_t *bytes, size_t len);
static bool read_varint(td_slice *rest, uint64_t *ret_value);
static bool read_length(td_slice *rest, td_slice *ret_bytes);

void td_doc__put_number(td_buf *buf, uint8_t field, int64_t value)
{
    uint64_t zigzag = ((uint64_t)value << 1) ^ (value < 0 ? UINT64_MAX : 0);
    put_tag(buf, field, TD_DOC_NUMBER);
    for (; zigzag >= 0x80; zigzag >>= 7)
        td_buf_append_byte(buf, (uint8_t)(zigzag | 0x80));
    td_buf_append_byte(buf, (uint8_t)zigzag);
}

void td_doc__put_real(td_buf *buf, uint8_t field, double value)
{
    put_tag(buf, field, TD_DOC_REAL);
    td_buf_append(buf, td_slice_of(&value, sizeof value));
}

void td_doc__put_bytes(td_buf *buf, uint8_t field, td_slice bytes)
{
    uint32_t len = (uint32_t)bytes.len;
    put_tag(buf, field, TD_DOC_BYTES);
    td_buf_append(buf, td_slice_of(&len, LENGTH_BYTES));
    td_buf_append(buf, bytes);
}

size_t td_doc__begin(td_buf *buf, uint8_t field)
{
    uint32_t len = 0;
    put_tag(buf, field, TD_DOC_FIELDS);
    td_buf_append(buf, td_slice_of(&len, LENGTH_BYTES));
    return buf->len;
}

void td_doc__end(td_buf *buf, size_t begun_at)
{
    if (td_buf_has_failed(buf)) return;
    uint32_t len = (uint32_t)(buf->len - begun_at);
    memcpy(buf->data + begun_at - LENGTH_BYTES, &len, LENGTH_BYTES);
}

bool td_doc__next(td_doc_reader *reader, td_doc_field *ret_field)
{
    if (reader->rest.len == 0 || reader->is_damaged) return false;
    uint8_t tag = reader->rest.ptr[0];
    td_slice rest = td_slice_of(reader->rest.ptr + 1, reader->rest.len - 1);
    td_doc_field field = {.field = tag >> 2, .kind = (td_doc_kind)(tag & 3)};
    bool is_read = false;
    switch (field.kind) {
    case TD_DOC_NUMBER: {
        uint64_t zigzag = 0;
        is_read = read_varint(&rest, &zigzag);
        field.number = (int64_t)(zigzag >> 1) ^ -(int64_t)(zigzag & 1);
        break;
    }
    case TD_DOC_REAL:
        is_read = rest.len >= sizeof field.real;
        if (!is_read) break;
        memcpy(&field.real, rest.ptr, sizeof field.real);
        rest = td_slice_of(rest.ptr + sizeof field.real, rest.len - sizeof field.real);
        break;
    case TD_DOC_BYTES:
    case TD_DOC_FIELDS: is_read = read_length(&rest, &field.bytes); break;
    }
    reader->is_damaged = !is_read;
    if (!is_read) return false;
    reader->rest = rest;
    *ret_field = field;
    return true;
}

void td_doc__put_rows(td_buf *buf, const td_doc_row *rows, size_t count, const void *members)
{
    for (size_t i = 0; i < count; i++) {
        const td_doc_row *row = &rows[i];
        const uint8_t *member = (const uint8_t *)members + row->offset;
        if (is_zero(member, row->bytes)) continue;
        for (size_t at = 0; at < row->bytes; at += type_bytes[row->type])
            put_element(buf, row, member + at);
    }
}

void td_doc__clear_rows(const td_doc_row *rows, size_t count, void *members)
{
    for (size_t i = 0; i < count; i++)
        memset((uint8_t *)members + rows[i].offset, 0, rows[i].bytes);
}

bool td_doc__take_row(const td_doc_field *field, td_doc_counts *counts, const td_doc_row *rows, size_t count,
                      void *ret_members)
{
    for (size_t i = 0; i < count; i++) {
        const td_doc_row *row = &rows[i];
        if (row->field != field->field) continue;
        size_t at = counts->of[row->field] * type_bytes[row->type];
        if (at >= row->bytes) return false;
        counts->of[row->field]++;
        return take_element(field, row, (uint8_t *)ret_members + row->offset + at);
    }
    return false;
}

bool td_doc__read_rows(td_slice bytes, const td_doc_row *rows, size_t count, void *ret_members)
{
    td_doc_reader reader = td_doc__reader(bytes);
    td_doc_counts counts = {{0}};
    td_doc_field field;
    while (td_doc__next(&reader, &field)) {
        if (!td_doc__take_row(&field, &counts, rows, count, ret_members)) return false;
    }
    return !reader.is_damaged;
}

static void put_tag(td_buf *buf, uint8_t field, td_doc_kind kind)
{
    TD_ASSERT(field > 0 && field < TD_DOC_FIELDS_MAX);
    td_buf_append_byte(buf, (uint8_t)((unsigned)field << 2 | (unsigned)kind));
}

static void put_element(td_buf *buf, const td_doc_row *row, const uint8_t *at)
{
    int64_t number = 0;
    switch ((td_doc_type)row->type) {
    case TD_DOC_BOOL: number = *(const bool *)at; break;
    case TD_DOC_U32: number = *(const uint32_t *)(const void *)at; break;
    case TD_DOC_ENUM: number = *(const int *)(const void *)at; break;
    case TD_DOC_I64:
    case TD_DOC_END:
    case TD_DOC_SIGNED: number = *(const int64_t *)(const void *)at; break;
    case TD_DOC_U64: number = (int64_t) * (const uint64_t *)(const void *)at; break;
    case TD_DOC_DOUBLE: td_doc__put_real(buf, row->field, *(const double *)(const void *)at); return;
    }
    td_doc__put_number(buf, row->field, number);
}

static bool take_element(const td_doc_field *field, const td_doc_row *row, uint8_t *at)
{
    if (field->kind != (row->type == TD_DOC_DOUBLE ? TD_DOC_REAL : TD_DOC_NUMBER)) return false;
    switch ((td_doc_type)row->type) {
    case TD_DOC_BOOL: *(bool *)at = field->number != 0; return field->number == 0 || field->number == 1;
    case TD_DOC_U32: *(uint32_t *)(void *)at = (uint32_t)field->number; return (uint64_t)field->number <= UINT32_MAX;
    case TD_DOC_ENUM: *(int *)(void *)at = (int)field->number; return (uint64_t)field->number < row->limit;
    case TD_DOC_I64: *(int64_t *)(void *)at = field->number; return td_doc__is_instant(field->number);
    case TD_DOC_END:
        *(int64_t *)(void *)at = field->number;
        return td_doc__is_instant(field->number) || field->number == TD_NEVER;
    case TD_DOC_SIGNED: *(int64_t *)(void *)at = field->number; return true;
    case TD_DOC_U64: *(uint64_t *)(void *)at = (uint64_t)field->number; return true;
    case TD_DOC_DOUBLE: *(double *)(void *)at = field->real; return isfinite(field->real) && field->real >= 0;
    }
    TD_UNREACHABLE("a type");
}

static bool is_zero(const uint8_t *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (bytes[i] != 0) return false;
    }
    return true;
}

static bool read_varint(td_slice *rest, uint64_t *ret_value)
{
    uint64_t value = 0;
    for (size_t i = 0; i < rest->len && i < VARINT_BYTES_MAX; i++) {
        value |= (uint64_t)(rest->ptr[i] & 0x7F) << (7 * i);
        if (rest->ptr[i] >= 0x80) continue;
        *rest = td_slice_of(rest->ptr + i + 1, rest->len - i - 1);
        *ret_value = value;
        return true;
    }
    return false;
}

static bool read_length(td_slice *rest, td_slice *ret_bytes)
{
    uint32_t len = 0;
    if (rest->len < LENGTH_BYTES) return false;
    memcpy(&len, rest->ptr, LENGTH_BYTES);
    if (len > rest->len - LENGTH_BYTES) return false;
    *ret_bytes = td_slice_of(rest->ptr + LENGTH_BYTES, len);
    *rest = td_slice_of(rest->ptr + LENGTH_BYTES + len, rest->len - LENGTH_BYTES - len);
    return true;
}
