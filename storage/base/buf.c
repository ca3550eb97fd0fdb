/* SPDX-License-Identifier: Apache-2.0
 * buf.c: a growing run of bytes: capacity doubles up to the limit; the first failure sticks.
 *
 * Invariants: len <= capacity; len <= limit_bytes. The capacity may pass the limit by the one byte that printf's NUL
 *             needs. */
#include "thermodyn/buf.h"

#include <stdarg.h>
#include <stdio.h>

#include "thermodyn/memory.h"

enum { CAPACITY_MIN_BYTES = 256 };

static bool has_room(const td_buf *buf, size_t len);
static bool make_room(td_buf *buf, size_t len);

void td_buf_init(td_buf *buf, size_t limit_bytes)
{
    *buf = (td_buf){.limit_bytes = limit_bytes};
}

void td_buf_done(td_buf *buf)
{
    td_free(buf->data);
    td_buf_init(buf, buf->limit_bytes);
}

void td_buf_clear(td_buf *buf)
{
    buf->len = 0;
    buf->failed = false;
}

uint8_t *td_buf__reserve_slow(td_buf *buf, size_t len)
{
    if (buf->failed) return NULL;
    if (len > buf->limit_bytes - buf->len || (!has_room(buf, len) && !make_room(buf, len))) {
        buf->failed = true;
        return NULL;
    }
    return buf->data + buf->len;
}

/* Prints into what room there is; only a text that does not fit is printed twice. */
void td_buf_append_format(td_buf *buf, const char *format, ...)
{
    if (buf->failed) return;
    va_list args;
    va_start(args, format);
    va_list again;
    va_copy(again, args);
    size_t room_bytes = buf->capacity - buf->len;
    int printed = vsnprintf(room_bytes == 0 ? NULL : (char *)buf->data + buf->len, room_bytes, format, args);
    TD_ASSERT(printed >= 0);
    size_t len = (size_t)printed;
    buf->failed = len > buf->limit_bytes - buf->len || (len >= room_bytes && !make_room(buf, len + 1));
    if (!buf->failed) {
        if (len >= room_bytes) (void)vsnprintf((char *)buf->data + buf->len, len + 1, format, again);
        buf->len += len;
    }
    va_end(again);
    va_end(args);
}

uint8_t *td_buf_detach(td_buf *buf, size_t *ret_len)
{
    uint8_t *data = buf->data;
    *ret_len = buf->len;
    td_buf_init(buf, buf->limit_bytes);
    return data;
}

static bool has_room(const td_buf *buf, size_t len)
{
    return buf->data != NULL && len <= buf->capacity - buf->len;
}

static bool make_room(td_buf *buf, size_t len)
{
    size_t capacity = buf->capacity <= buf->limit_bytes / 2 ? buf->capacity * 2 : buf->limit_bytes;
    if (capacity < CAPACITY_MIN_BYTES) capacity = CAPACITY_MIN_BYTES;
    if (capacity > buf->limit_bytes) capacity = buf->limit_bytes;
    if (capacity - buf->len < len) capacity = buf->len + len;
    uint8_t *data = td_resize(buf->data, capacity);
    if (data == NULL) return false;
    buf->data = data;
    buf->capacity = capacity;
    return true;
}
