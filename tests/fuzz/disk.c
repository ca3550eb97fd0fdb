/* SPDX-License-Identifier: Apache-2.0
 * disk.c: any bytes as the log of a data directory, and any text as one whose groups have the right checksums
 * (disk_text.h): a start reads it, or refuses it with a sentence. What was read holds together, and what it writes of
 * it a second start reads as the same. */
#include "fuzz/fuzz.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "durable/durable_private.h"
#include "fuzz/disk_store.h"
#include "fuzz/disk_text.h"
#include "support/failing_memory.h"
#include "thermodyn/map.h"
#include "thermodyn/memory.h"

const char *__asan_default_options(void); /* the sanitizer's */

enum { BLOCK_BYTES = 4096, FILE_BYTES_MAX = 16 << 20, FOLDER_BYTES = 64, DOCUMENTS_MAX = 64 };

#define NOW_US (INT64_C(1796134200) * TD_US_PER_S) /* 2026-12-01T14:10:00Z: the corpus is of that time */

typedef struct group_head {
    uint64_t checksum;
    uint64_t mark;
    uint64_t number;
    uint64_t bytes;
} group_head;

/* Made once, and the maps are opened once: that costs more than all else. */
static char folder[FOLDER_BYTES];
static td_disk *disk;

static const char *const log_names[DISK_FILES] = {"/log.0", "/log.1"};

/* A start of a server, but for the server. */
typedef struct started {
    td_store *store;
    td_clock *clock;
    td_log *log;
    td_durable *durable;
    bool is_loaded;
} started;

static const char *path_of(const char *name)
{
    static char path[2 * FOLDER_BYTES];
    snprintf(path, sizeof path, "%s%s", folder, name);
    return path;
}

static void remove_folder(void)
{
    static const char *const names[] = {"/log.0", "/log.1", "/data.mdb", "/lock"};
    for (size_t i = 0; i < TD_COUNT_OF(names); i++)
        (void)unlink(path_of(names[i]));
    (void)rmdir(folder);
}

static void write_file(int number, td_slice bytes)
{
    const char *path = path_of(log_names[number]);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    TD_ASSERT(fd >= 0);
    TD_ASSERT(write(fd, bytes.ptr, bytes.len) == (ssize_t)bytes.len);
    TD_ASSERT(close(fd) == 0);
}

/* ---- the maps: nothing, or the first groups ---------------------------------------------------------------------- */

/* Groups up to `kept`, but for those that are no changes. */
static void write_maps(const disk_text *text)
{
    static bool is_empty = true;
    if (is_empty && text->kept == 0) return;
    td_changes *changes = td_changes_new();
    TD_ASSERT(changes != NULL);
    TD_ASSERT(td_disk_begin(disk) == 0);
    for (int space = TD_SPACE_META; space < TD_SPACE_COUNT; space++)
        TD_ASSERT(td_disk_clear(disk, (td_space)space) == 0);
    for (size_t i = 0; i < text->count && i < text->kept; i++) {
        td_changes_clear(changes);
        if (td_changes_add(changes, td_buf_contents(&text->groups[i].changes)) != 0) continue;
        td_changes_sort(changes);
        TD_ASSERT(td_changes_write(changes, disk) == 0);
    }
    TD_ASSERT(td_disk_commit(disk) == 0);
    td_changes_free(changes);
    is_empty = text->kept == 0;
}

/* ---- the log ----------------------------------------------------------------------------------------------------- */

static void append_group(td_buf *file, const disk_group *group, int number_of_file, uint64_t number)
{
    static const uint8_t zeros[BLOCK_BYTES];
    td_slice changes = td_buf_contents(&group->changes);
    size_t at = file->len;
    group_head head = {0, 1 + (uint64_t)number_of_file + (group->is_foreign ? DISK_FILES : 0), number, changes.len};
    td_buf_append(file, td_slice_of(&head, sizeof head));
    td_buf_append(file, changes);
    TD_ASSERT(!td_buf_has_failed(file));
    td_slice checked = td_slice_of(file->data + at + sizeof head.checksum, file->len - at - sizeof head.checksum);
    head.checksum = td_hash64(checked) ^ group->is_torn;
    memcpy(file->data + at, &head, sizeof head);
    if (group->is_cut) file->len -= (file->len - at) / 2;
    size_t filling = (BLOCK_BYTES - file->len % BLOCK_BYTES) % BLOCK_BYTES;
    if (!group->is_cut) td_buf_append(file, td_slice_of(zeros, filling));
}

static void write_log(const disk_text *text)
{
    td_buf files[DISK_FILES];
    bool is_cut[DISK_FILES] = {false};
    int at = 0;
    uint64_t number = 1;
    for (int i = 0; i < DISK_FILES; i++)
        td_buf_init(&files[i], FILE_BYTES_MAX);
    for (size_t i = 0; i < text->count; i++, number++) {
        const disk_group *group = &text->groups[i];
        if (group->is_other) at = DISK_FILES - 1 - at;
        if (group->is_late) number++;
        if (!is_cut[at]) append_group(&files[at], group, at, number);
        is_cut[at] = is_cut[at] || group->is_cut;
    }
    for (int i = 0; i < DISK_FILES; i++) {
        write_file(i, td_buf_contents(&files[i]));
        if (text->lacks[i]) (void)unlink(path_of(log_names[i]));
        td_buf_done(&files[i]);
    }
}

/* The last group as a server writes it: behind maps that have the others. */
static void append_log(const disk_text *text)
{
    char sentence[TD_REDO_SENTENCE_BYTES];
    td_buf group;
    td_buf_init(&group, FILE_BYTES_MAX);
    for (int i = 0; i < DISK_FILES; i++)
        (void)unlink(path_of(log_names[i]));
    td_redo *redo = td_redo_open(folder, text->kept, false, sentence);
    TD_ASSERT(redo != NULL);
    TD_ASSERT(td_redo_make(redo) == 0);
    td_redo_start(redo);
    for (int i = 0; i < DISK_FILES; i++) {
        td_redo_begin(&group);
        if (i == 0) td_buf_append(&group, td_buf_contents(&text->groups[text->count - 1].changes));
        TD_ASSERT(td_redo_append(redo, &group) == 0);
        TD_ASSERT(td_redo_bytes(redo) == group.len && td_redo_held_bytes(redo) >= group.len);
        TD_ASSERT(td_redo_can_turn(redo));
        td_redo_turn(redo);
        if (i == 0) TD_ASSERT(td_redo_last(redo) == text->kept + 1);
        td_redo_empty(redo);
    }
    td_redo_free(redo);
    td_buf_done(&group);
}

/* ---- starts ------------------------------------------------------------------------------------------------------ */

/* As td_durable__open, on the maps that are open already. */
static bool open_log(td_durable *durable, const disk_text *text, bool is_doubted)
{
    durable->journal = td_store_get_journal(durable->options.store);
    durable->disk = disk;
    durable->kept = text->kept;
    durable->is_doubted = is_doubted;
    durable->redo = td_redo_open(durable->options.path, text->kept, text->is_needed, durable->failure);
    return durable->redo != NULL;
}

static void start(started *it, const disk_text *text, bool is_doubted, uint64_t fails)
{
    td_store_options options = {.placement = TD_PLACEMENT_SERVICE, .seed = 1, .has_journal = true};
    td_capacity_settings_init(&options.capacity);
    *it = (started){.store = td_store_new(&options),
                    .clock = td_clock_new(),
                    .log = td_log_new(TD_LOG_ERROR, false),
                    .durable = td_alloc_zero(sizeof *it->durable)};
    TD_ASSERT(it->store != NULL && it->clock != NULL && it->log != NULL && it->durable != NULL);
    td_clock_set_state(it->clock, &(td_clock_state){TD_CLOCK_MANUAL, 1.0, NOW_US});
    td_durable *durable = it->durable;
    durable->options =
        (td_durable_options){.path = folder, .store = it->store, .clock = it->clock, .log = it->log};
    failing_memory_fail_at(fails);
    it->is_loaded = open_log(durable, text, is_doubted) && td_durable__load(durable);
    failing_memory_fail_at(0);
    TD_ASSERT(it->is_loaded == (durable->failure[0] == '\0'));
}

static void stop(started *it)
{
    td_durable__drop_sweeps(&it->durable->sweeps);
    td_redo_free(it->durable->redo);
    td_free(it->durable);
    td_store_free(it->store);
    td_clock_free(it->clock);
    td_log_free(it->log);
}

/* ---- what a server writes ---------------------------------------------------------------------------------------- */

/* The latest document of each table and stream, as hashes; those beyond the room are not kept. */
typedef struct documents {
    uint64_t keys[DOCUMENTS_MAX];
    uint64_t values[DOCUMENTS_MAX];
    size_t count;
} documents;

typedef struct written {
    td_buf *changes;
    documents documents;
} written;

static void note_document(documents *it, td_slice key, td_slice value)
{
    uint64_t hash = td_hash64(key);
    size_t i = 0;
    while (i < it->count && it->keys[i] != hash)
        i++;
    if (i == DOCUMENTS_MAX) return;
    if (i == it->count) it->count++;
    it->keys[i] = hash;
    it->values[i] = td_hash64(value);
}

static bool are_same(const documents *a, const documents *b)
{
    size_t same = 0;
    for (size_t i = 0; i < a->count; i++) {
        for (size_t k = 0; k < b->count; k++)
            same += a->keys[i] == b->keys[k] && a->values[i] == b->values[k];
    }
    return a->count == b->count && same == a->count;
}

static int put(void *context, td_space space, td_slice key, const td_slice *parts, size_t part_count)
{
    written *it = context;
    td_changes_encode_put(it->changes, space, key, parts, part_count);
    if (space == TD_SPACE_TABLES || space == TD_SPACE_STREAMS) note_document(&it->documents, key, parts[0]);
    return 0;
}

static int remove_key(void *context, td_space space, td_slice key)
{
    written *it = context;
    td_changes_encode_remove(it->changes, space, key);
    return 0;
}

static int clear(void *context, td_space space)
{
    written *it = context;
    td_changes_encode_clear(it->changes, space);
    return 0;
}

static int sweep(void *context, td_space space, td_slice from, td_slice to)
{
    (void)context;
    (void)space;
    TD_ASSERT(to.len == 0 || td_slice_compare(from, to) < 0);
    return 0;
}

/* What has changed since the start, and all documents. */
static void write_again(const started *it, written *all)
{
    td_journal_sink sink = {all, put, remove_key, clear, sweep};
    td_journal *journal = td_store_get_journal(it->store);
    td_journal_mark_all(it->store, td_clock_now(it->clock));
    td_journal_batch *batch = td_journal_take(journal, SIZE_MAX);
    if (batch == NULL) return;
    TD_ASSERT(td_journal_write(journal, batch, &sink) == 0);
    td_journal_settle(journal, batch);
}

/* ---- what comes of it -------------------------------------------------------------------------------------------- */

static int add_group(void *text, uint64_t number, td_slice changes)
{
    (void)number;
    td_buf_append(disk_text_add(text), changes);
    return 0;
}

/* A directory as the server leaves it: all that was read is in the maps, and the log has what was written since. */
static void note_next(const started *it, const disk_text *text, disk_text *next, written *ret_written)
{
    for (size_t i = 0; i < text->count && i < text->kept; i++)
        (void)add_group(next, 0, td_buf_contents(&text->groups[i].changes));
    TD_ASSERT(td_redo_read(it->durable->redo, it->durable->kept, add_group, next) == 0);
    next->kept = next->count;
    next->trusts = text->trusts;
    next->is_appended = text->appends;
    next->appends = text->appends;
    ret_written->changes = disk_text_add(next);
    write_again(it, ret_written);
}

/* A start takes the hashes of keys as they stand; what is wrong of them `thermodyn check` finds. */
static bool starts(const disk_text *text, bool is_doubted, uint64_t fails)
{
    started it;
    start(&it, text, is_doubted, fails);
    bool is_loaded = it.is_loaded;
    stop(&it);
    return is_loaded;
}

static bool check(const disk_text *text, disk_text *next, written *ret_written)
{
    started it;
    write_maps(text);
    if (text->is_appended)
        append_log(text);
    else
        write_log(text);
    bool is_taken = !text->trusts || starts(text, false, 0);
    if (text->fails > 0) (void)starts(text, true, text->fails);
    start(&it, text, true, 0);
    TD_ASSERT(is_taken || !it.is_loaded);
    *next = (disk_text){.kept = 0};
    if (it.is_loaded) {
        td_store_run_due(it.store, td_clock_now(it.clock));
        note_next(&it, text, next, ret_written);
        disk_store_check(it.store, td_clock_now(it.clock)); /* afterwards: a look costs units */
    }
    bool is_loaded = it.is_loaded;
    stop(&it);
    return is_loaded;
}

/* What a start writes the next one reads, and writes the same: if not at once, as where splits fell due meanwhile, then
 * the second time. Where there is more than a group of a text has room for, there is no next one. */
static void check_again(const disk_text *text, const documents *expected, int more)
{
    if (td_buf_has_failed(&text->groups[text->count - 1].changes)) return;
    disk_text next;
    written again = {.changes = NULL};
    bool is_loaded = check(text, &next, &again);
    TD_ASSERT(is_loaded);
    bool is_same = are_same(expected, &again.documents);
    TD_ASSERT(is_same || more > 0);
    if (!is_same) check_again(&next, &again.documents, more - 1);
    disk_text_done(&next);
}

/* What was freed is kept long enough for one input, and found in the cache again by the next one. */
const char *__asan_default_options(void)
{
    return "quarantine_size_mb=8";
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    char sentence[TD_DISK_SENTENCE_BYTES];
    (void)argc;
    (void)argv;
    snprintf(folder, sizeof folder, "/dev/shm/thermodyn-fuzz-%ld", (long)getpid());
    disk = td_disk_open(folder, TD_DISK_KEEP, sentence);
    TD_ASSERT(disk != NULL);
    return atexit(remove_folder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    td_slice bytes = fuzz_copy(data, size);
    disk_text text;
    disk_text next;
    written first = {.changes = NULL};
    disk_text_read(&text, bytes);
    if (check(&text, &next, &first)) check_again(&next, &first.documents, 1);
    disk_text_done(&next);
    disk_text_done(&text);
    fuzz_done(bytes);
    return 0;
}
