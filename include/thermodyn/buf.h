/* SPDX-License-Identifier: MIT
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
TD_MUST_USE uint8_t *td_buf_reserve(td_buf *buf, size_t len);
void td_buf_commit(td_buf *buf, size_t len);

void td_buf_append(td_buf *buf, td_slice bytes);
void td_buf_append_byte(td_buf *buf, uint8_t byte);
void td_buf_append_format(td_buf *buf, const char *format, ...) TD_PRINTF(2, 3);
#define td_buf_append_lit(buf, literal) td_buf_append((buf), TD_LIT(literal))

static inline bool td_buf_has_failed(const td_buf *buf) { return buf->failed; }
static inline td_slice td_buf_contents(const td_buf *buf) { return td_slice_of(buf->data, buf->len); }

/* Moves the memory out: the caller frees it with td_free. The buffer is empty afterwards. */
TD_MUST_USE uint8_t *td_buf_detach(td_buf *buf, size_t *ret_len);

#endif
