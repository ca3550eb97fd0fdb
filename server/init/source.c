/* SPDX-License-Identifier: Apache-2.0
 * source.c: see source.h. zlib's file functions read packed and plain files alike. */
#include "source.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "thermodyn/memory.h"

#define PIECE_BYTES ((size_t)256 * 1024)

static bool make_room(td_init_source *source);
static bool fail(td_init_source *source, const char *reason);

bool td_init__source_open(td_init_source *source, td_init *init, const char *path)
{
    *source = (td_init_source){.init = init, .path = path, .line = 1, .file = gzopen(path, "rbe")};
    if (source->file == NULL) return td_init__refuse(init, path, 0, "cannot be read: %s", strerror(errno));
    return make_room(source); /* from here on there are bytes, even if none of them is read */
}

void td_init__source_close(td_init_source *source)
{
    if (source->file != NULL) gzclose(source->file);
    td_free(source->bytes);
}

bool td_init__source_read_more(td_init_source *source)
{
    if (source->is_ended || source->has_failed || !make_room(source)) return false;
    size_t room = source->capacity - source->end;
    int got = gzread(source->file, source->bytes + source->end, (unsigned)room);
    int code = Z_OK;
    const char *reason = gzerror(source->file, &code);
    if (code == Z_ERRNO) return fail(source, strerror(errno));
    /* A packed file that is cut off ends with what was there, and this code. */
    if (got < 0 || code == Z_BUF_ERROR) return fail(source, code == Z_BUF_ERROR ? "it is cut off" : reason);
    source->end += (size_t)got;
    source->is_ended = got == 0;
    return got > 0;
}

/* Twice as much each time, so that a long value is looked at a few times and not once a piece. */
static bool make_room(td_init_source *source)
{
    size_t rest = source->end - source->at;
    if (source->at > 0 && rest > 0) memmove(source->bytes, source->bytes + source->at, rest);
    source->at = 0;
    source->end = rest;
    if (source->capacity - rest >= PIECE_BYTES / 2) return true;
    if (rest >= TD_INIT_VALUE_BYTES_MAX) return fail(source, "a value or document of it is longer than 64 MiB");
    size_t capacity = source->capacity == 0 ? PIECE_BYTES : source->capacity * 2;
    uint8_t *bytes = td_resize(source->bytes, capacity);
    if (bytes == NULL) {
        source->has_failed = true;
        return td_init__refuse_memory(source->init);
    }
    source->bytes = bytes;
    source->capacity = capacity;
    return true;
}

static bool fail(td_init_source *source, const char *reason)
{
    source->has_failed = true;
    return td_init__refuse(source->init, source->path, 0, "cannot be read: %s", reason);
}

void td_init__source_pass(td_init_source *source, size_t len)
{
    TD_ASSERT(len <= source->end - source->at);
    const uint8_t *from = source->bytes + source->at;
    const uint8_t *to = from + len;
    while (from < to) {
        const uint8_t *line_end = memchr(from, '\n', (size_t)(to - from));
        if (line_end == NULL) break;
        source->line++;
        from = line_end + 1;
    }
    source->at += len;
}

bool td_init__source_read_all(td_init_source *source)
{
    while (td_init__source_read_more(source)) {
    }
    return !source->has_failed;
}
