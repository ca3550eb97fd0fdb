/* SPDX-License-Identifier: Apache-2.0
 * failing_disk.c: preloaded into a server, it lets writes fail: while the file that THERMODYN_FAILING_DISK names is
 * there, with the error number that stands in it: of pwrite, pwritev, fdatasync and fsync alike, pwrite after the first
 * half of more than a block. With a name behind the number ("5 data.mdb") those of files alone whose path ends with it,
 * and then such a file cannot be opened to be written either. What is read by pread, but for the first thread's, waits
 * for the pipe that THERMODYN_WAITING_DISK names: until it is opened to be written, or not there. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define BLOCK_BYTES ((size_t)4096)

static bool ends_with(const char *text, const char *end)
{
    size_t len = strlen(text);
    return len >= strlen(end) && strcmp(text + len - strlen(end), end) == 0;
}

/* 0: it does not fail now. Answers the name too; "": none. */
static int error_now(char name[64])
{
    const char *path = getenv("THERMODYN_FAILING_DISK");
    int fd = path == NULL ? -1 : openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    name[0] = '\0';
    if (fd < 0) return 0;
    char text[64] = "";
    ssize_t len = read(fd, text, sizeof text - 1);
    close(fd);
    int error = EIO;
    if (len > 0) sscanf(text, "%d %63s", &error, name);
    return error;
}

static int error_of(int written)
{
    char name[64];
    char link[64];
    char target[4096] = "";
    int error = error_now(name);
    snprintf(link, sizeof link, "/proc/self/fd/%d", written);
    bool is_found = error != 0 && readlink(link, target, sizeof target - 1) > 0;
    return name[0] == '\0' || (is_found && ends_with(target, name)) ? error : 0;
}

static int error_of_opening(const char *path, int flags)
{
    char name[64];
    int error = (flags & O_ACCMODE) == O_RDONLY ? 0 : error_now(name);
    return error != 0 && name[0] != '\0' && ends_with(path, name) ? error : 0;
}

static void wait_for_pipe(void)
{
    const char *path = getenv("THERMODYN_WAITING_DISK");
    if (path == NULL || gettid() == getpid()) return;
    int fd = openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) close(fd);
}

#define NEXT(name, type) ((type)dlsym(RTLD_NEXT, name))

ssize_t pwrite(int fd, const void *bytes, size_t len, off_t at)
{
    int error = error_of(fd);
    if (error != 0 && len > BLOCK_BYTES) {
        len /= 2;
        error = 0;
    }
    errno = error;
    return error != 0 ? -1 : NEXT("pwrite", ssize_t(*)(int, const void *, size_t, off_t))(fd, bytes, len, at);
}

ssize_t pwrite64(int fd, const void *bytes, size_t len, off_t at)
{
    return pwrite(fd, bytes, len, at);
}

ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t at)
{
    errno = error_of(fd);
    return errno != 0 ? -1 : NEXT("pwritev", ssize_t(*)(int, const struct iovec *, int, off_t))(fd, parts, count, at);
}

ssize_t pwritev64(int fd, const struct iovec *parts, int count, off_t at)
{
    return pwritev(fd, parts, count, at);
}

int fdatasync(int fd)
{
    errno = error_of(fd);
    return errno != 0 ? -1 : NEXT("fdatasync", int (*)(int))(fd);
}

int fsync(int fd)
{
    errno = error_of(fd);
    return errno != 0 ? -1 : NEXT("fsync", int (*)(int))(fd);
}

int open(const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
    va_end(more);
    errno = error_of_opening(path, flags);
    return errno != 0 ? -1 : openat(AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
    va_end(more);
    return open(path, flags, mode);
}

ssize_t pread(int fd, void *bytes, size_t len, off_t at)
{
    wait_for_pipe();
    return NEXT("pread", ssize_t(*)(int, void *, size_t, off_t))(fd, bytes, len, at);
}

ssize_t pread64(int fd, void *bytes, size_t len, off_t at)
{
    return pread(fd, bytes, len, at);
}
