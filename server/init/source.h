/* SPDX-License-Identifier: Apache-2.0
 * source.h: a file that is read from its beginning to its end, unpacked on the way if gzip has packed it.
 * Private to server/init. Threads: one source, one thread. */
#ifndef THERMODYN_INIT_SOURCE_H
#define THERMODYN_INIT_SOURCE_H

#include "init_private.h"

/* The most that one value, or one document, may be. */
#define TD_INIT_VALUE_BYTES_MAX ((size_t)64 << 20)

typedef struct td_init_source {
    td_init *init;
    const char *path;
    uint32_t line; /* of the first byte of the rest, from 1 */
    void *file;    /* zlib's */
    uint8_t *bytes;
    size_t capacity;
    size_t at;  /* of the rest */
    size_t end; /* of what has been read */
    bool is_ended;
    bool has_failed; /* and the sentence is said */
} td_init_source;

TD_MUST_USE bool td_init__source_open(td_init_source *source, td_init *init, const char *path);
void td_init__source_close(td_init_source *source);

/* What has been read and not passed yet. Borrowed until the next call. */
static inline td_slice td_init__source_rest(const td_init_source *source)
{
    return td_slice_of(source->bytes + source->at, source->end - source->at);
}

/* Makes the rest longer. false: the file ends here, or has_failed. */
bool td_init__source_read_more(td_init_source *source);

void td_init__source_pass(td_init_source *source, size_t len);

/* All of the file is the rest. */
TD_MUST_USE bool td_init__source_read_all(td_init_source *source);

#endif
