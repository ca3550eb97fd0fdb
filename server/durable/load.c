/* SPDX-License-Identifier: Apache-2.0
 * load.c: the directory into the store, space by space, with its progress in the log. */
#include "durable_private.h"

#include <errno.h>
#include <stdio.h>

#include "thermodyn/memory.h"
#include "thermodyn/restore.h"

#define PROGRESS_US (2 * TD_US_PER_S) /* what takes less goes without a word */
#define LOOK_EVERY 2048               /* keys, before it is looked at what goes beside them */
#define MUCH_KEYS 16384               /* of a space: fewer are there before another thread is */
#define MUCH_BYTES ((uint64_t)8 << 20) /* of values: memory is given in huge pages from there on */

typedef struct loading {
    td_durable *durable;
    td_restore *restore;
    td_changes *found; /* in the log: what the maps do not have yet */
    int64_t started_us;
    int64_t told_us;
    uint64_t bytes; /* of values that were loaded */
    td_durable_ahead ahead;
    td_memory_stretch stretch;
    uint8_t orphan[TD_DISK_KEY_BYTES_MAX]; /* the first of those that are met at present */
    size_t orphan_len;                     /* 0: none */
    uint8_t orphans_end[TD_DISK_KEY_BYTES_MAX + 1]; /* what follows upon the last one */
    size_t orphans_end_len;
} loading;

static bool load_all(loading *it);
static bool find_changes(loading *it);
static int add_group(void *changes, uint64_t number, td_slice bytes);
static bool load_clock(loading *it);
static bool load_space(loading *it, td_space space);
static bool load_key(loading *it, td_space space, td_slice key, td_slice value);
static void look_around(loading *it);
static void note_orphan(loading *it, td_slice key);
static bool end_orphans(loading *it, td_space space);
static void tell_progress(loading *it);
static bool tell_failure(td_durable *durable, td_restored restored, const char *sentence);
static bool tell_error(td_durable *durable, int error);

bool td_durable__load(td_durable *durable)
{
    loading it = {.durable = durable, .started_us = td_monotonic_us()};
    it.told_us = it.started_us;
    bool is_loaded = load_all(&it);
    td_restore_free(it.restore);
    td_changes_free(it.found);
    durable->disk_bytes = td_disk_bytes(durable->disk);
    if (is_loaded && durable->to_load > 0) {
        TD_LOG(durable->options.log, TD_LOG_INFO, "loaded",
               TD_LOG_NUMBER("tables", td_store_table_count(durable->options.store)),
               TD_LOG_NUMBER("entries", durable->loaded),
               TD_LOG_NUMBER("ms", (td_monotonic_us() - it.started_us) / TD_US_PER_MS));
    }
    return is_loaded;
}

static bool load_all(loading *it)
{
    td_durable *durable = it->durable;
    if (!find_changes(it) || !load_clock(it)) return false;
    for (int space = TD_SPACE_META + 1; space < TD_SPACE_COUNT; space++)
        durable->to_load += td_disk_count(durable->disk, (td_space)space);
    durable->to_load += td_changes_count(it->found);
    it->restore = td_restore_new(durable->options.store, td_clock_now(durable->options.clock));
    if (it->restore == NULL) return tell_failure(durable, TD_RESTORE_NO_MEMORY, "");
    if (durable->is_doubted) td_restore_doubt(it->restore);
    for (int space = 0; space < TD_SPACE_COUNT; space++) {
        if (!load_space(it, (td_space)space)) return false;
    }
    td_restored restored = td_restore_finish(it->restore);
    return restored == TD_RESTORED || tell_failure(durable, restored, td_restore_get_sentence(it->restore));
}

static bool find_changes(loading *it)
{
    it->found = td_changes_new();
    if (it->found == NULL) return tell_failure(it->durable, TD_RESTORE_NO_MEMORY, "");
    int error = td_redo_read(it->durable->redo, it->durable->kept, add_group, it->found);
    if (error == 0) td_changes_sort(it->found);
    if (error == EBADMSG) return tell_failure(it->durable, TD_RESTORE_DAMAGED, "a group of the log is damaged");
    return error == 0 || tell_error(it->durable, error);
}

static int add_group(void *changes, uint64_t number, td_slice bytes)
{
    (void)number;
    return td_changes_add(changes, bytes);
}

/* Before all else: what is restored has to know what time it is. */
static bool load_clock(loading *it)
{
    td_changes_cursor *cursor = NULL;
    td_slice key;
    td_slice value;
    int error = td_changes_walk(it->found, it->durable->disk, TD_SPACE_META, TD_LIT(TD_DURABLE_CLOCK), &cursor);
    if (error == 0) error = td_changes_next(cursor, &key, &value);
    if (error == 0 && td_slice_equal(key, TD_LIT(TD_DURABLE_CLOCK))) td_durable__restore_clock(it->durable, value);
    td_changes_cursor_free(cursor);
    return error == 0 || error == TD_DISK_END || tell_error(it->durable, error);
}

static bool load_space(loading *it, td_space space)
{
    td_changes_cursor *cursor = NULL;
    td_slice key;
    td_slice value;
    bool is_loaded = true;
    int error = td_changes_walk(it->found, it->durable->disk, space, td_slice_of(NULL, 0), &cursor);
    if (error != 0) return tell_error(it->durable, error);
    bool is_much = td_disk_count(it->durable->disk, space) >= MUCH_KEYS;
    if (is_much) td_durable__start_ahead(&it->ahead, it->durable->disk, space, it->bytes);
    while (is_loaded) {
        error = td_changes_next(cursor, &key, &value);
        if (error != 0) break;
        it->durable->counts[space]++;
        is_loaded = load_key(it, space, key, value);
        it->bytes += value.len;
        if (++it->durable->loaded % LOOK_EVERY == 0) look_around(it);
        if (atomic_load(&it->durable->is_stopping)) is_loaded = false;
    }
    td_durable__end_ahead(&it->ahead);
    td_changes_cursor_free(cursor);
    if (is_loaded && error != TD_DISK_END) return tell_error(it->durable, error);
    return is_loaded && end_orphans(it, space);
}

static bool load_key(loading *it, td_space space, td_slice key, td_slice value)
{
    td_restored restored = td_restore_add(it->restore, space, key, value);
    switch (restored) {
    case TD_RESTORED: return it->orphan_len == 0 || end_orphans(it, space);
    case TD_RESTORE_ORPHAN: note_orphan(it, key); return true;
    case TD_RESTORE_DAMAGED:
    case TD_RESTORE_NO_MEMORY: break;
    }
    return tell_failure(it->durable, restored, td_restore_get_sentence(it->restore));
}

static void look_around(loading *it)
{
    td_durable__move_ahead(&it->ahead, it->bytes);
    if (it->bytes >= MUCH_BYTES) td_memory_expect(&it->stretch);
    tell_progress(it);
}

static void note_orphan(loading *it, td_slice key)
{
    if (it->orphan_len == 0) {
        memcpy(it->orphan, key.ptr, key.len);
        it->orphan_len = key.len;
    }
    memcpy(it->orphans_end, key.ptr, key.len);
    it->orphans_end[key.len] = 0;
    it->orphans_end_len = key.len + 1;
}

/* Those that were met are swept, and nothing behind them: a key that is put before they are must not go with them. */
static bool end_orphans(loading *it, td_space space)
{
    if (it->orphan_len == 0) return true;
    td_slice first = td_slice_of(it->orphan, it->orphan_len);
    td_slice end = td_slice_of(it->orphans_end, it->orphans_end_len);
    it->orphan_len = 0;
    return td_durable__add_sweep(&it->durable->sweeps, space, first, end) ||
           tell_failure(it->durable, TD_RESTORE_NO_MEMORY, "");
}

static void tell_progress(loading *it)
{
    int64_t now_us = td_monotonic_us();
    if (now_us - it->told_us < PROGRESS_US) return;
    it->told_us = now_us;
    TD_LOG(it->durable->options.log, TD_LOG_INFO, "loading", TD_LOG_NUMBER("entries", it->durable->loaded),
           TD_LOG_NUMBER("of", it->durable->to_load));
}

/* Answers false. */
static bool tell_failure(td_durable *durable, td_restored restored, const char *sentence)
{
    snprintf(durable->failure, sizeof durable->failure, "the data directory %.200s cannot be loaded: %s",
             durable->options.path, restored == TD_RESTORE_NO_MEMORY ? "out of memory" : sentence);
    return false;
}

static bool tell_error(td_durable *durable, int error)
{
    return tell_failure(durable, TD_RESTORE_DAMAGED, td_disk_error(error));
}
