/* SPDX-License-Identifier: Apache-2.0
 * disk.c: the one door to LMDB.
 *
 * LMDB's own lock file is not used: the directory is one process's, and a transaction is one thread's. The map is only
 * read through, never written (no MDB_WRITEMAP): a full disk is then an error of a write and not a signal.
 * A failed write of LMDB's own page of roots leaves it unwilling to go on (MDB_PANIC): the directory is then opened
 * anew, which finds the last transaction that was committed. */
#include "thermodyn/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <lmdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "thermodyn/memory.h"

#define FORMAT_NAME "thermodyn"
#define FORMAT_VERSION 2
#define FORMAT_VERSION_FIRST 1 /* the same without a log */
#define FORMAT_KEY "format"

#define MAP_BYTES_START ((size_t)64 << 30) /* of addresses: the file is as large as what is in it */
#define PATH_BYTES_MAX 4096

static const char *const space_names[TD_SPACE_COUNT] = {
    [TD_SPACE_META] = "meta",       [TD_SPACE_TABLES] = "tables",   [TD_SPACE_ITEMS] = "items",
    [TD_SPACE_STREAMS] = "streams", [TD_SPACE_CHANGES] = "changes", [TD_SPACE_TOKENS] = "tokens",
};

struct td_disk {
    MDB_env *env; /* NULL: it could not be opened anew after an error */
    MDB_txn *txn; /* of a change; NULL: there is none */
    MDB_dbi spaces[TD_SPACE_COUNT];
    size_t map_bytes;
    int lock_fd;
    td_disk_mode mode;
    bool is_read_only; /* it is open for reading alone */
    bool is_too_small; /* the last transaction found no room in the map */
    char path[PATH_BYTES_MAX];
};

struct td_disk_cursor {
    MDB_txn *txn;
    MDB_cursor *cursor;
    uint8_t from[TD_DISK_KEY_BYTES_MAX];
    size_t from_len;
    bool has_begun;
};

static bool open_all(td_disk *disk, char *sentence);
static bool make_folder(const td_disk *disk, char *sentence);
static bool take_lock(td_disk *disk, char *sentence);
static int open_env(td_disk *disk, bool is_read_only);
static int open_spaces(td_disk *disk);
static bool check_format(td_disk *disk, char *sentence);
static bool has_older_format(const td_disk *disk);
static int put_format(td_disk *disk);
static void close_env(td_disk *disk);
static int reopen(td_disk *disk);
static bool is_about_writing(int error);
static bool say(char *sentence, const td_disk *disk, const char *what);
static int noted(td_disk *disk, int error);
static MDB_val val_of(td_slice slice);

td_disk *td_disk_open(const char *path, td_disk_mode mode, char reterr_sentence[TD_DISK_SENTENCE_BYTES])
{
    td_disk *disk = td_alloc_zero(sizeof *disk);
    if (disk == NULL) {
        snprintf(reterr_sentence, TD_DISK_SENTENCE_BYTES, "out of memory");
        return NULL;
    }
    disk->lock_fd = -1;
    disk->mode = mode;
    disk->map_bytes = MAP_BYTES_START;
    int len = snprintf(disk->path, sizeof disk->path, "%s", path);
    bool is_open = len > 0 && (size_t)len + sizeof "/data.mdb" < sizeof disk->path;
    is_open = is_open ? open_all(disk, reterr_sentence) : say(reterr_sentence, disk, "its name is too long, or empty");
    if (is_open) return disk;
    td_disk_close(disk);
    return NULL;
}

void td_disk_close(td_disk *disk)
{
    if (disk == NULL) return;
    td_disk_abort(disk);
    close_env(disk);
    if (disk->lock_fd >= 0) close(disk->lock_fd);
    td_free(disk);
}

const char *td_disk_error(int error)
{
    return mdb_strerror(error);
}

int td_disk_begin(td_disk *disk)
{
    TD_ASSERT(disk->txn == NULL);
    bool is_broken = disk->env == NULL || disk->is_read_only;
    int error = is_broken ? reopen(disk) : 0;
    if (error == 0 && disk->is_too_small) {
        error = mdb_env_set_mapsize(disk->env, 2 * disk->map_bytes);
        if (error == 0) disk->map_bytes *= 2;
        if (error == 0) disk->is_too_small = false;
    }
    if (error == 0) error = mdb_txn_begin(disk->env, NULL, 0, &disk->txn);
    if (error == MDB_PANIC) {
        error = reopen(disk);
        if (error == 0) error = mdb_txn_begin(disk->env, NULL, 0, &disk->txn);
    }
    if (error != 0) disk->txn = NULL;
    return error;
}

int td_disk_put(td_disk *disk, td_space space, td_slice key, const td_slice *parts, size_t part_count)
{
    TD_ASSERT(disk->txn != NULL);
    TD_ASSERT(key.len > 0 && key.len <= TD_DISK_KEY_BYTES_MAX);
    MDB_val name = val_of(key);
    MDB_val value = {0, NULL};
    for (size_t i = 0; i < part_count; i++)
        value.mv_size += parts[i].len;
    int error = mdb_put(disk->txn, disk->spaces[space], &name, &value, MDB_RESERVE);
    if (error != 0) return noted(disk, error);
    uint8_t *place = value.mv_data;
    for (size_t i = 0; i < part_count; i++) {
        if (parts[i].len > 0) memcpy(place, parts[i].ptr, parts[i].len);
        place += parts[i].len;
    }
    return 0;
}

int td_disk_remove(td_disk *disk, td_space space, td_slice key)
{
    TD_ASSERT(disk->txn != NULL);
    MDB_val name = val_of(key);
    int error = mdb_del(disk->txn, disk->spaces[space], &name, NULL);
    return error == MDB_NOTFOUND ? 0 : noted(disk, error);
}

int td_disk_clear(td_disk *disk, td_space space)
{
    TD_ASSERT(disk->txn != NULL);
    return noted(disk, mdb_drop(disk->txn, disk->spaces[space], 0));
}

int td_disk_remove_range(td_disk *disk, td_space space, td_slice from, td_slice to, uint32_t most,
                         uint32_t *ret_removed)
{
    TD_ASSERT(disk->txn != NULL);
    *ret_removed = 0;
    MDB_cursor *cursor = NULL;
    int error = mdb_cursor_open(disk->txn, disk->spaces[space], &cursor);
    if (error != 0) return noted(disk, error);
    MDB_val key = val_of(from);
    MDB_val value;
    error = mdb_cursor_get(cursor, &key, &value, from.len > 0 ? MDB_SET_RANGE : MDB_FIRST);
    while (error == 0 && *ret_removed < most) {
        if (to.len > 0 && td_slice_compare(td_slice_of(key.mv_data, key.mv_size), to) >= 0) break;
        error = mdb_cursor_del(cursor, 0);
        if (error != 0) break;
        ++*ret_removed;
        error = mdb_cursor_get(cursor, &key, &value, MDB_NEXT);
    }
    mdb_cursor_close(cursor);
    return error == MDB_NOTFOUND ? 0 : noted(disk, error);
}

int td_disk_commit(td_disk *disk)
{
    TD_ASSERT(disk->txn != NULL);
    int error = mdb_txn_commit(disk->txn);
    disk->txn = NULL;
    return noted(disk, error);
}

void td_disk_abort(td_disk *disk)
{
    if (disk->txn != NULL) mdb_txn_abort(disk->txn);
    disk->txn = NULL;
}

int td_disk_walk(td_disk *disk, td_space space, td_slice from, td_disk_cursor **ret_cursor)
{
    TD_ASSERT(disk->txn == NULL);
    TD_ASSERT(from.len <= TD_DISK_KEY_BYTES_MAX);
    if (disk->env == NULL) return EIO;
    td_disk_cursor *cursor = td_alloc_zero(sizeof *cursor);
    if (cursor == NULL) return ENOMEM;
    cursor->from_len = from.len;
    if (from.len > 0) memcpy(cursor->from, from.ptr, from.len);
    int error = mdb_txn_begin(disk->env, NULL, MDB_RDONLY, &cursor->txn);
    if (error != 0) cursor->txn = NULL;
    if (error == 0) error = mdb_cursor_open(cursor->txn, disk->spaces[space], &cursor->cursor);
    if (error != 0) {
        td_disk_cursor_free(cursor);
        return error;
    }
    *ret_cursor = cursor;
    return 0;
}

void td_disk_cursor_free(td_disk_cursor *cursor)
{
    if (cursor == NULL) return;
    if (cursor->cursor != NULL) mdb_cursor_close(cursor->cursor);
    if (cursor->txn != NULL) mdb_txn_abort(cursor->txn);
    td_free(cursor);
}

int td_disk_next(td_disk_cursor *cursor, td_slice *ret_key, td_slice *ret_value)
{
    MDB_val key = {cursor->from_len, cursor->from};
    MDB_val value;
    MDB_cursor_op start = cursor->from_len > 0 ? MDB_SET_RANGE : MDB_FIRST;
    int error = mdb_cursor_get(cursor->cursor, &key, &value, cursor->has_begun ? MDB_NEXT : start);
    cursor->has_begun = true;
    if (error == MDB_NOTFOUND) return TD_DISK_END;
    if (error != 0) return error;
    *ret_key = td_slice_of(key.mv_data, key.mv_size);
    *ret_value = td_slice_of(value.mv_data, value.mv_size);
    return 0;
}

uint64_t td_disk_count(td_disk *disk, td_space space)
{
    MDB_txn *txn = NULL;
    MDB_stat stat = {0};
    if (disk->env == NULL || mdb_txn_begin(disk->env, NULL, MDB_RDONLY, &txn) != 0) return 0;
    bool is_read = mdb_stat(txn, disk->spaces[space], &stat) == 0;
    mdb_txn_abort(txn);
    return is_read ? stat.ms_entries : 0;
}

uint64_t td_disk_bytes(td_disk *disk)
{
    MDB_envinfo info;
    MDB_stat stat;
    if (disk->env == NULL || mdb_env_info(disk->env, &info) != 0 || mdb_env_stat(disk->env, &stat) != 0) return 0;
    return ((uint64_t)info.me_last_pgno + 1) * stat.ms_psize;
}

static bool open_all(td_disk *disk, char *sentence)
{
    if (!make_folder(disk, sentence) || !take_lock(disk, sentence)) return false;
    int error = open_env(disk, disk->mode == TD_DISK_READ);
    if (is_about_writing(error) && disk->mode == TD_DISK_KEEP) error = open_env(disk, true);
    if (error == MDB_INVALID || error == MDB_VERSION_MISMATCH) {
        return say(sentence, disk, "its data.mdb is not one of thermodyn's");
    }
    if (error != 0) return say(sentence, disk, mdb_strerror(error));
    return check_format(disk, sentence);
}

static bool make_folder(const td_disk *disk, char *sentence)
{
    if (disk->mode == TD_DISK_READ || mkdir(disk->path, 0700) == 0 || errno == EEXIST || errno == EROFS) return true;
    return say(sentence, disk, strerror(errno));
}

/* Where the file cannot be made, an existing one can still be locked. */
static bool take_lock(td_disk *disk, char *sentence)
{
    char path[PATH_BYTES_MAX + 8];
    snprintf(path, sizeof path, "%s/lock", disk->path);
    disk->lock_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (disk->lock_fd < 0 && is_about_writing(errno)) disk->lock_fd = open(path, O_RDONLY | O_CLOEXEC);
    if (disk->lock_fd < 0) return say(sentence, disk, strerror(errno));
    if (flock(disk->lock_fd, LOCK_EX | LOCK_NB) == 0) return true;
    bool is_taken = errno == EWOULDBLOCK;
    return say(sentence, disk, is_taken ? "another process is using it" : strerror(errno));
}

static int open_env(td_disk *disk, bool is_read_only)
{
    int error = mdb_env_create(&disk->env);
    if (error != 0) {
        disk->env = NULL;
        return error;
    }
    unsigned flags = MDB_NOLOCK | (is_read_only ? MDB_RDONLY : 0u);
    error = mdb_env_set_maxdbs(disk->env, TD_SPACE_COUNT);
    if (error == 0) error = mdb_env_set_mapsize(disk->env, disk->map_bytes);
    if (error == 0) error = mdb_env_open(disk->env, disk->path, flags, 0600);
    if (error == 0) {
        MDB_envinfo info;
        error = mdb_env_info(disk->env, &info);
        if (error == 0) disk->map_bytes = info.me_mapsize;
    }
    disk->is_read_only = is_read_only;
    if (error == 0) error = open_spaces(disk);
    if (error != 0) close_env(disk);
    return error;
}

/* A new file gets its format with its spaces, in one transaction. One without a format, or with one that this release
 * does not know, is left as it is; an older one is raised before anything else is changed. */
static int open_spaces(td_disk *disk)
{
    unsigned flags = disk->is_read_only ? MDB_RDONLY : 0;
    MDB_stat stat;
    int error = mdb_env_stat(disk->env, &stat);
    if (error == 0) error = mdb_txn_begin(disk->env, NULL, flags, &disk->txn);
    if (error != 0) {
        disk->txn = NULL;
        return error;
    }
    bool is_new = stat.ms_entries == 0 && !disk->is_read_only;
    for (int i = 0; error == 0 && i < TD_SPACE_COUNT; i++)
        error = mdb_dbi_open(disk->txn, space_names[i], is_new ? MDB_CREATE : 0, &disk->spaces[i]);
    if (error == 0 && !disk->is_read_only && (is_new || has_older_format(disk))) error = put_format(disk);
    if (error == MDB_NOTFOUND || error == MDB_INCOMPATIBLE) error = MDB_INVALID;
    if (error == 0)
        error = mdb_txn_commit(disk->txn);
    else
        mdb_txn_abort(disk->txn);
    disk->txn = NULL;
    if (error == 0 && is_new) {
        int folder = open(disk->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC); /* so that the file's name is kept too */
        if (folder >= 0 && fsync(folder) != 0) error = errno;
        if (folder >= 0) close(folder);
    }
    return error;
}

static bool has_older_format(const td_disk *disk)
{
    MDB_val key = val_of(TD_LIT(FORMAT_KEY));
    MDB_val value;
    char text[64] = "";
    int version = 0;
    int error = mdb_get(disk->txn, disk->spaces[TD_SPACE_META], &key, &value);
    if (error != 0 || value.mv_size >= sizeof text) return false;
    memcpy(text, value.mv_data, value.mv_size);
    bool is_known = sscanf(text, FORMAT_NAME " %d", &version) == 1 && version >= FORMAT_VERSION_FIRST;
    return is_known && version < FORMAT_VERSION;
}

static int put_format(td_disk *disk)
{
    char text[64];
    int len = snprintf(text, sizeof text, "%s %d", FORMAT_NAME, FORMAT_VERSION);
    td_slice part = td_slice_of(text, (size_t)len);
    return td_disk_put(disk, TD_SPACE_META, TD_LIT(FORMAT_KEY), &part, 1);
}

static bool check_format(td_disk *disk, char *sentence)
{
    td_disk_cursor *cursor = NULL;
    td_slice key = {NULL, 0};
    td_slice value = {NULL, 0};
    int error = td_disk_walk(disk, TD_SPACE_META, TD_LIT(FORMAT_KEY), &cursor);
    if (error == 0) error = td_disk_next(cursor, &key, &value);
    char text[64] = "";
    if (error == 0 && value.len < sizeof text) memcpy(text, value.ptr, value.len);
    td_disk_cursor_free(cursor);
    int version = 0;
    if (error > 0 || error < TD_DISK_END) return say(sentence, disk, mdb_strerror(error));
    if (sscanf(text, FORMAT_NAME " %d", &version) != 1) {
        return say(sentence, disk, "its data.mdb is not one of thermodyn's");
    }
    if (version >= FORMAT_VERSION_FIRST && version <= FORMAT_VERSION) return true;
    char what[160];
    snprintf(what, sizeof what, "it has format %d, and this release knows format %d: a newer thermodyn wrote it",
             version, FORMAT_VERSION);
    return say(sentence, disk, what);
}

static void close_env(td_disk *disk)
{
    if (disk->env != NULL) mdb_env_close(disk->env);
    disk->env = NULL;
}

static int reopen(td_disk *disk)
{
    if (disk->mode == TD_DISK_READ) return EROFS;
    bool was_read_only = disk->is_read_only;
    close_env(disk);
    int error = open_env(disk, false);
    /* What can be read is to stay readable. */
    if (error != 0 && was_read_only && open_env(disk, true) != 0) return error;
    return error;
}

static bool is_about_writing(int error)
{
    return error == EROFS || error == EACCES || error == EPERM;
}

/* Answers false. */
static bool say(char *sentence, const td_disk *disk, const char *what)
{
    snprintf(sentence, TD_DISK_SENTENCE_BYTES, "the data directory %.256s cannot be used: %.200s", disk->path, what);
    return false;
}

static int noted(td_disk *disk, int error)
{
    if (error == MDB_MAP_FULL) disk->is_too_small = true;
    return error;
}

static MDB_val val_of(td_slice slice)
{
    return (MDB_val){slice.len, (void *)(uintptr_t)slice.ptr};
}
