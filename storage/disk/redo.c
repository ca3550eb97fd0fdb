/* SPDX-License-Identifier: Apache-2.0
 * redo.c: two files of numbered groups.
 *
 * Groups begin at multiples of BLOCK_BYTES, so that no write touches a block that another group is in.
 * Invariants: a group is written only when the one before it is on the disk: one that is damaged and followed by
 *             another of its filling was whole once. Of two files with groups, one ends where the other begins: what
 *             was tried in vain in one of them is tried again there. */
#include "thermodyn/redo.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "thermodyn/map.h"
#include "thermodyn/memory.h"
#include "thermodyn/rng.h"

#define FILES 2
#define BLOCK_BYTES ((uint64_t)4096)
#define ROOM_BYTES ((uint64_t)1 << 20)       /* by which a file grows */
#define ROOM_BYTES_KEPT ((uint64_t)24 << 20) /* when it is begun again */
#define PATH_BYTES_MAX 4096

typedef struct group_head {
    uint64_t checksum; /* of the rest of the head and of the changes behind it */
    uint64_t mark;     /* of the filling; never 0 */
    uint64_t number;
    uint64_t bytes;    /* of the changes */
} group_head;
_Static_assert(sizeof(group_head) == 32, "stored as it is");
#define CHECKED_FROM sizeof(uint64_t) /* the checksum itself is not in it */

typedef struct redo_file {
    int fd;         /* -1: it is not there, or not open yet */
    bool is_sealed;
    uint64_t mark;  /* of its filling */
    uint64_t first; /* numbers of its groups; 0: there are none */
    uint64_t last;
    uint64_t end;   /* where the next group goes */
    uint64_t room;  /* bytes of the file: all were written once */
} redo_file;

struct td_redo {
    redo_file files[FILES];
    int active;   /* the file that is appended to; -1: not started */
    bool is_torn; /* behind its end are bytes of a group that failed */
    uint64_t last;
    _Atomic uint64_t disk_bytes;
    _Atomic uint64_t held_bytes;
    td_rng rng; /* for marks */
    char folder[PATH_BYTES_MAX];
};

typedef enum reading { WHOLE, NOT_WHOLE, FAILED } reading;

static bool open_file(td_redo *redo, int number, uint64_t kept, bool is_needed, char *sentence);
static const char *look_through(redo_file *file, uint64_t kept, td_buf *group);
static bool is_followed(const redo_file *file, uint64_t number, td_buf *group);
static bool join_files(td_redo *redo, uint64_t kept);
static redo_file *sealed_after(td_redo *redo, uint64_t number);
static int read_file(const redo_file *file, uint64_t after, td_buf *group,
                     int (*visit)(void *context, uint64_t number, td_slice bytes), void *context);
static reading read_group(const redo_file *file, uint64_t at, td_buf *group);
static group_head head_of(const td_buf *group);
static uint64_t checksum_of(const td_buf *group);
static uint64_t whole_blocks(uint64_t bytes);
static void begin_filling(td_redo *redo, int number);
static int make_file(td_redo *redo, int number);
static int make_room(td_redo *redo, redo_file *file, uint64_t end);
static int write_whole(int fd, const uint8_t *bytes, uint64_t len, uint64_t at);
static bool read_whole(int fd, void *place, uint64_t len, uint64_t at);
static void path_of(const td_redo *redo, int number, char path[PATH_BYTES_MAX + 8]);
static bool say(char *sentence, const td_redo *redo, int number, const char *what);

td_redo *td_redo_open(const char *folder, uint64_t kept, bool is_needed, char reterr_sentence[TD_REDO_SENTENCE_BYTES])
{
    td_redo *redo = td_alloc_zero(sizeof *redo);
    if (redo == NULL) {
        snprintf(reterr_sentence, TD_REDO_SENTENCE_BYTES, "out of memory");
        return NULL;
    }
    snprintf(redo->folder, sizeof redo->folder, "%s", folder);
    td_rng_init(&redo->rng, td_rng_system_seed());
    redo->active = -1;
    redo->last = kept;
    bool is_sound = true;
    for (int i = 0; i < FILES; i++)
        redo->files[i].fd = -1;
    for (int i = 0; is_sound && i < FILES; i++)
        is_sound = open_file(redo, i, kept, is_needed, reterr_sentence);
    if (is_sound && !join_files(redo, kept)) {
        is_sound = say(reterr_sentence, redo, 0, "it does not begin where the data end");
    }
    if (is_sound) return redo;
    td_redo_free(redo);
    return NULL;
}

void td_redo_free(td_redo *redo)
{
    if (redo == NULL) return;
    for (int i = 0; i < FILES; i++) {
        if (redo->files[i].fd >= 0) close(redo->files[i].fd);
    }
    td_free(redo);
}

uint64_t td_redo_last(const td_redo *redo)
{
    return redo->last;
}

uint64_t td_redo_disk_bytes(const td_redo *redo)
{
    return atomic_load_explicit(&redo->disk_bytes, memory_order_relaxed);
}

uint64_t td_redo_held_bytes(const td_redo *redo)
{
    return atomic_load_explicit(&redo->held_bytes, memory_order_relaxed);
}

int td_redo_read(td_redo *redo, uint64_t after, int (*visit)(void *context, uint64_t number, td_slice bytes),
                 void *context)
{
    td_buf group;
    td_buf_init(&group, SIZE_MAX);
    int error = 0;
    const redo_file *file = sealed_after(redo, after);
    for (uint64_t last = after; error == 0 && file != NULL; file = sealed_after(redo, last)) {
        error = read_file(file, after, &group, visit, context);
        last = file->last;
    }
    td_buf_done(&group);
    return error;
}

void td_redo_empty(td_redo *redo)
{
    for (int i = 0; i < FILES; i++) {
        redo_file *file = &redo->files[i];
        if (file->is_sealed) atomic_fetch_sub_explicit(&redo->held_bytes, file->end, memory_order_relaxed);
        file->is_sealed = false;
    }
}

int td_redo_make(td_redo *redo)
{
    int error = 0;
    for (int i = 0; error == 0 && i < FILES; i++)
        error = make_file(redo, i);
    int folder = error == 0 ? open(redo->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (error == 0 && (folder < 0 || fsync(folder) != 0)) error = errno; /* so that the files' names are kept too */
    if (folder >= 0) close(folder);
    return error;
}

void td_redo_start(td_redo *redo)
{
    for (int i = 0; i < FILES; i++)
        TD_ASSERT(!redo->files[i].is_sealed);
    begin_filling(redo, 0);
}

void td_redo_begin(td_buf *group)
{
    group_head none = {0, 0, 0, 0};
    td_buf_clear(group);
    td_buf_append(group, td_slice_of(&none, sizeof none));
}

int td_redo_append(td_redo *redo, td_buf *group)
{
    TD_ASSERT(redo->active >= 0);
    redo_file *file = &redo->files[redo->active];
    uint64_t bytes = group->len;
    uint64_t filling = whole_blocks(bytes) - bytes;
    uint8_t *rest = td_buf_reserve(group, filling);
    if (rest == NULL) return ENOMEM;
    TD_ASSERT(bytes >= sizeof(group_head));
    group_head head = {0, file->mark, redo->last + 1, bytes - sizeof head};
    memcpy(group->data, &head, sizeof head);
    head.checksum = checksum_of(group);
    memcpy(group->data, &head, sizeof head);
    memset(rest, 0, filling);
    td_buf_commit(group, filling);
    int error = make_room(redo, file, file->end + group->len);
    if (error != 0) return error;
    error = write_whole(file->fd, group->data, group->len, file->end);
    if (error == 0 && fdatasync(file->fd) != 0) error = errno;
    redo->is_torn = error != 0;
    if (error != 0) return error;
    redo->last = file->last = head.number;
    if (file->first == 0) file->first = head.number;
    file->end += group->len;
    atomic_fetch_add_explicit(&redo->held_bytes, group->len, memory_order_relaxed);
    return 0;
}

uint64_t td_redo_bytes(const td_redo *redo)
{
    TD_ASSERT(redo->active >= 0);
    return redo->files[redo->active].end;
}

bool td_redo_can_turn(const td_redo *redo)
{
    return !redo->is_torn;
}

void td_redo_turn(td_redo *redo)
{
    TD_ASSERT(redo->active >= 0);
    TD_ASSERT(!redo->is_torn);
    int other = FILES - 1 - redo->active;
    TD_ASSERT(!redo->files[other].is_sealed);
    redo->files[redo->active].is_sealed = redo->files[redo->active].first > 0;
    begin_filling(redo, other);
}

static bool open_file(td_redo *redo, int number, uint64_t kept, bool is_needed, char *sentence)
{
    redo_file *file = &redo->files[number];
    char path[PATH_BYTES_MAX + 8];
    struct stat about;
    path_of(redo, number, path);
    file->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (file->fd < 0 && errno == ENOENT) {
        return !is_needed || say(sentence, redo, number, "it is missing, and with it what was written last");
    }
    if (file->fd < 0 || fstat(file->fd, &about) != 0) return say(sentence, redo, number, strerror(errno));
    file->room = (uint64_t)about.st_size;
    redo->disk_bytes += file->room;
    td_buf group;
    td_buf_init(&group, SIZE_MAX);
    const char *fault = look_through(file, kept, &group);
    td_buf_done(&group);
    return fault == NULL || say(sentence, redo, number, fault);
}

/* NULL: it is sound. */
static const char *look_through(redo_file *file, uint64_t kept, td_buf *group)
{
    reading read = read_group(file, 0, group);
    if (read == FAILED) return "it cannot be read";
    uint64_t mark = head_of(group).mark;
    uint64_t next = head_of(group).number;
    while (read == WHOLE && head_of(group).mark == mark && head_of(group).number == next) {
        if (file->first == 0) file->first = next;
        file->last = next++;
        file->end += whole_blocks(group->len);
        read = read_group(file, file->end, group);
    }
    if (read == FAILED) return "it cannot be read";
    if (file->first > 0) file->mark = mark;
    bool is_damaged = is_followed(file, file->first > 0 && next > kept ? next : kept, group);
    return is_damaged ? "a group of changes is damaged" : NULL;
}

/* The end, by a group of that filling with a greater number, which was written when the one at the end was whole. Where
 * none was whole, the mark is not known, and the group has to be: of what looks like one as many bytes are read as the
 * file has. Groups do not overlap, so that more is no log's. */
static bool is_followed(const redo_file *file, uint64_t number, td_buf *group)
{
    group_head head;
    uint64_t read_bytes = 0;
    for (uint64_t at = file->end + BLOCK_BYTES; at + sizeof head <= file->room; at += BLOCK_BYTES) {
        if (!read_whole(file->fd, &head, sizeof head, at)) return true;
        if (head.mark == 0 || head.number <= number) continue;
        if (file->mark != 0 && head.mark == file->mark) return true;
        if (file->mark != 0 || head.bytes > file->room - at - sizeof head) continue;
        read_bytes += head.bytes;
        if (read_bytes > file->room || read_group(file, at, group) != NOT_WHOLE) return true;
    }
    return false;
}

/* Seals what the maps do not have. false: something is missing between them. */
static bool join_files(td_redo *redo, uint64_t kept)
{
    for (int i = 0; i < FILES; i++) {
        redo_file *file = &redo->files[i];
        file->is_sealed = file->last > kept;
        if (file->is_sealed) redo->held_bytes += file->end;
    }
    const redo_file *file = sealed_after(redo, kept);
    while (file != NULL && file->first <= redo->last + 1) {
        redo->last = file->last;
        file = sealed_after(redo, redo->last);
    }
    return file == NULL;
}

/* The earliest that has groups with greater numbers. */
static redo_file *sealed_after(td_redo *redo, uint64_t number)
{
    redo_file *found = NULL;
    for (int i = 0; i < FILES; i++) {
        redo_file *file = &redo->files[i];
        bool is_later = file->is_sealed && file->last > number;
        if (is_later && (found == NULL || file->first < found->first)) found = file;
    }
    return found;
}

static int read_file(const redo_file *file, uint64_t after, td_buf *group,
                     int (*visit)(void *context, uint64_t number, td_slice bytes), void *context)
{
    int error = 0;
    uint64_t at = 0;
    for (uint64_t number = file->first; error == 0 && number <= file->last; number++) {
        reading read = read_group(file, at, group);
        if (read == FAILED) return EIO;
        bool is_sound = read == WHOLE && head_of(group).mark == file->mark && head_of(group).number == number;
        if (!is_sound) return EBADMSG;
        at += whole_blocks(group->len);
        td_slice bytes = td_slice_of(group->data + sizeof(group_head), group->len - sizeof(group_head));
        if (number > after) error = visit(context, number, bytes);
    }
    return error;
}

/* Leaves in `group` the head and the changes; where they are not whole, the head alone, zeros if there is none. */
static reading read_group(const redo_file *file, uint64_t at, td_buf *group)
{
    group_head head;
    td_redo_begin(group);
    if (td_buf_has_failed(group)) return FAILED;
    if (at > file->room || file->room - at < sizeof head) return NOT_WHOLE;
    if (!read_whole(file->fd, &head, sizeof head, at)) return FAILED;
    memcpy(group->data, &head, sizeof head);
    if (head.mark == 0 || head.bytes > file->room - at - sizeof head) return NOT_WHOLE;
    uint8_t *place = td_buf_reserve(group, head.bytes);
    if (place == NULL || !read_whole(file->fd, place, head.bytes, at + sizeof head)) return FAILED;
    td_buf_commit(group, head.bytes);
    return checksum_of(group) == head.checksum ? WHOLE : NOT_WHOLE;
}

static group_head head_of(const td_buf *group)
{
    group_head head;
    TD_ASSERT(group->len >= sizeof head);
    memcpy(&head, group->data, sizeof head);
    return head;
}

static uint64_t checksum_of(const td_buf *group)
{
    return td_hash64(td_slice_of(group->data + CHECKED_FROM, group->len - CHECKED_FROM));
}

static uint64_t whole_blocks(uint64_t bytes)
{
    return (bytes + BLOCK_BYTES - 1) / BLOCK_BYTES * BLOCK_BYTES;
}

static void begin_filling(td_redo *redo, int number)
{
    redo_file *file = &redo->files[number];
    file->first = file->last = file->end = 0;
    if (file->room > ROOM_BYTES_KEPT && ftruncate(file->fd, (off_t)ROOM_BYTES_KEPT) == 0) {
        atomic_fetch_sub_explicit(&redo->disk_bytes, file->room - ROOM_BYTES_KEPT, memory_order_relaxed);
        file->room = ROOM_BYTES_KEPT;
    }
    do {
        file->mark = td_rng_next(&redo->rng);
    } while (file->mark == 0);
    redo->active = number;
}

static int make_file(td_redo *redo, int number)
{
    redo_file *file = &redo->files[number];
    char path[PATH_BYTES_MAX + 8];
    path_of(redo, number, path);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0) return errno;
    if (file->fd >= 0) close(file->fd);
    file->fd = fd;
    return make_room(redo, file, ROOM_BYTES);
}

/* Zeros up to there and beyond: what is written over them later changes nothing but their bytes. */
static int make_room(td_redo *redo, redo_file *file, uint64_t end)
{
    static const uint8_t zeros[BLOCK_BYTES];
    if (end <= file->room) return 0;
    uint64_t room = (end + ROOM_BYTES - 1) / ROOM_BYTES * ROOM_BYTES;
    for (uint64_t at = file->room; at < room;) {
        uint64_t len = room - at < sizeof zeros ? room - at : sizeof zeros;
        int error = write_whole(file->fd, zeros, len, at);
        if (error != 0) return error;
        at += len;
    }
    if (fdatasync(file->fd) != 0) return errno;
    atomic_fetch_add_explicit(&redo->disk_bytes, room - file->room, memory_order_relaxed);
    file->room = room;
    return 0;
}

static int write_whole(int fd, const uint8_t *bytes, uint64_t len, uint64_t at)
{
    while (len > 0) {
        ssize_t written = pwrite(fd, bytes, len, (off_t)at);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return written < 0 ? errno : ENOSPC;
        bytes += written;
        len -= (uint64_t)written;
        at += (uint64_t)written;
    }
    return 0;
}

static bool read_whole(int fd, void *place, uint64_t len, uint64_t at)
{
    uint8_t *bytes = place;
    while (len > 0) {
        ssize_t got = pread(fd, bytes, len, (off_t)at);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        bytes += got;
        len -= (uint64_t)got;
        at += (uint64_t)got;
    }
    return true;
}

static void path_of(const td_redo *redo, int number, char path[PATH_BYTES_MAX + 8])
{
    snprintf(path, PATH_BYTES_MAX + 8, "%s/log.%d", redo->folder, number);
}

/* Answers false. */
static bool say(char *sentence, const td_redo *redo, int number, const char *what)
{
    snprintf(sentence, TD_REDO_SENTENCE_BYTES, "the log %.256s/log.%d cannot be used: %.160s", redo->folder, number,
             what);
    return false;
}
