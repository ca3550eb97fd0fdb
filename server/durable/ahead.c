/* SPDX-License-Identifier: Apache-2.0
 * ahead.c: a thread that reads the maps of the disk some way ahead of the loader.
 *
 * The first touch of each of their pages is a fault, and perhaps a read of the disk: with those out of its way the
 * loader has only its own work left. It takes nothing from this thread, and does without it where there is none. The
 * lead is bounded: where memory is short, pages would be gone again before the loader comes to them. */
#include "durable_private.h"

#define LEAD_BYTES ((uint64_t)32 << 20)
#define STEP_BYTES ((uint64_t)1 << 20) /* between two looks at how far the loader is */
#define PAGE_BYTES 4096                /* of the maps; no system has smaller ones */

static void *run(void *ahead);
static void touch(td_slice bytes);
static bool wait_for_loader(td_durable_ahead *ahead);

void td_durable__start_ahead(td_durable_ahead *ahead, td_disk *disk, td_space space, uint64_t loaded_bytes)
{
    TD_ASSERT(ahead->cursor == NULL);
    if (td_disk_walk(disk, space, td_slice_of(NULL, 0), &ahead->cursor) != 0) return;
    ahead->read_bytes = loaded_bytes;
    ahead->loaded_bytes = loaded_bytes;
    int error = pthread_mutex_init(&ahead->lock, NULL);
    TD_ASSERT(error == 0);
    error = pthread_cond_init(&ahead->moved, NULL);
    TD_ASSERT(error == 0);
    if (pthread_create(&ahead->thread, NULL, run, ahead) == 0) return;
    td_disk_cursor_free(ahead->cursor);
    ahead->cursor = NULL;
}

void td_durable__move_ahead(td_durable_ahead *ahead, uint64_t loaded_bytes)
{
    if (ahead->cursor == NULL) return;
    pthread_mutex_lock(&ahead->lock);
    ahead->loaded_bytes = loaded_bytes;
    pthread_cond_signal(&ahead->moved);
    pthread_mutex_unlock(&ahead->lock);
}

void td_durable__end_ahead(td_durable_ahead *ahead)
{
    if (ahead->cursor == NULL) return;
    td_durable__move_ahead(ahead, UINT64_MAX);
    pthread_join(ahead->thread, NULL);
    pthread_cond_destroy(&ahead->moved);
    pthread_mutex_destroy(&ahead->lock);
    td_disk_cursor_free(ahead->cursor);
    ahead->cursor = NULL;
}

/* An error that it meets the loader meets too, and tells. */
static void *run(void *context)
{
    td_durable_ahead *ahead = context;
    td_slice key;
    td_slice value;
    uint64_t look_at = ahead->read_bytes + STEP_BYTES;
    while (td_disk_next(ahead->cursor, &key, &value) == 0) {
        touch(value);
        ahead->read_bytes += value.len;
        if (ahead->read_bytes < look_at) continue;
        look_at = ahead->read_bytes + STEP_BYTES;
        if (!wait_for_loader(ahead)) break;
    }
    return NULL;
}

static void touch(td_slice bytes)
{
    for (size_t at = 0; at < bytes.len; at += PAGE_BYTES)
        (void)*(const volatile uint8_t *)(bytes.ptr + at);
}

/* false: it is through. */
static bool wait_for_loader(td_durable_ahead *ahead)
{
    pthread_mutex_lock(&ahead->lock);
    while (ahead->loaded_bytes < ahead->read_bytes && ahead->read_bytes - ahead->loaded_bytes > LEAD_BYTES)
        pthread_cond_wait(&ahead->moved, &ahead->lock);
    bool is_through = ahead->loaded_bytes == UINT64_MAX;
    pthread_mutex_unlock(&ahead->lock);
    return !is_through;
}
