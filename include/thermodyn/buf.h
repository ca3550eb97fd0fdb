/* SPDX-License-Identifier: Apache-2.0
 * buf.h: a growing run of bytes with a limit, for replies and keys.
 *
 * A failure (the limit, or no memory) sticks: later appends do nothing and td_buf_has_failed says so. A writer
 * therefore appends without looking and asks once at its end.
 * Threads: one at a time. */
#ifndef THERMODYN_BUF_H
#define THERMODYN_BUF_H

#include "thermodyn/base.h"

/* `data` and `len` may be read; everything is changed through the functions alone. */
typedef struct td_buf {
    uint8_t *data;
    size_t len;
    size_t capacity;
    size_t limit_bytes;
    bool failed;
} td_buf;

void td_buf_init(td_buf *buf, size_t limit_bytes); /* allocates nothing yet */
void td_buf_done(td_buf *buf);
void td_buf_clear(td_buf *buf); /* keeps the memory, forgets contents and failure */

/* Makes room for `len` more bytes and answers where they go, or NULL; td_buf_commit says how many were written. */
TD_MUST_USE static inline uint8_t *td_buf_reserve(td_buf *buf, size_t len);
static inline void td_buf_commit(td_buf *buf, size_t len);
/* How many bytes there is room for already. */
static inline size_t td_buf_room(const td_buf *buf);

static inline void td_buf_append(td_buf *buf, td_slice bytes);
static inline void td_buf_append_byte(td_buf *buf, uint8_t byte);
void td_buf_append_format(td_buf *buf, const char *format, ...) TD_PRINTF(2, 3);
#define td_buf_append_lit(buf, literal) td_buf_append((buf), TD_LIT(literal))

static inline bool td_buf_has_failed(const td_buf *buf) { return buf->failed; }
static inline td_slice td_buf_contents(const td_buf *buf) { return td_slice_of(buf->data, buf->len); }

/* Moves the memory out: the caller frees it with td_free. The buffer is empty afterwards. */
TD_MUST_USE uint8_t *td_buf_detach(td_buf *buf, size_t *ret_len);

/* ---- inline, since answers are made of many small pieces ---- */

/* td_buf_reserve when there is no room yet. */
TD_MUST_USE uint8_t *td_buf__reserve_slow(td_buf *buf, size_t len);

/* "Less" rather than "at most": then there is memory, even for nothing. */
static inline uint8_t *td_buf_reserve(td_buf *buf, size_t len)
{
    bool has_room = len < buf->capacity - buf->len && len <= buf->limit_bytes - buf->len && !buf->failed;
    return has_room ? buf->data + buf->len : td_buf__reserve_slow(buf, len);
}

static inline void td_buf_commit(td_buf *buf, size_t len)
{
    TD_ASSERT(!buf->failed);
    TD_ASSERT(len <= buf->capacity - buf->len);
    buf->len += len;
}

static inline size_t td_buf_room(const td_buf *buf)
{
    return (buf->capacity < buf->limit_bytes ? buf->capacity : buf->limit_bytes) - buf->len;
}

static inline void td_buf_append(td_buf *buf, td_slice bytes)
{
    uint8_t *place = td_buf_reserve(buf, bytes.len);
    if (place == NULL || bytes.len == 0) return;
    memcpy(place, bytes.ptr, bytes.len);
    buf->len += bytes.len;
}

static inline void td_buf_append_byte(td_buf *buf, uint8_t byte)
{
    uint8_t *place = td_buf_reserve(buf, 1);
    if (place == NULL) return;
    *place = byte;
    buf->len += 1;
}

#endif
