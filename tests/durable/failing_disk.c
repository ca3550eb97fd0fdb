/* SPDX-License-Identifier: Apache-2.0
 * failing_disk.c: preloaded into a server, it lets writes fail: while the file that THERMODYN_FAILING_DISK names is
 * there, with the error number that stands in it: of pwrite, pwritev, fdatasync and fsync alike. With a name behind the
 * number ("5 data.mdb") those of files alone whose path ends with it. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static bool ends_with(const char *text, const char *end)
{
    size_t len = strlen(text);
    return len >= strlen(end) && strcmp(text + len - strlen(end), end) == 0;
}

/* 0: it does not fail now. */
static int error_of(int written)
{
    const char *path = getenv("THERMODYN_FAILING_DISK");
    int fd = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return 0;
    char text[64] = "";
    ssize_t len = read(fd, text, sizeof text - 1);
    close(fd);
    int error = EIO;
    char name[sizeof text] = "";
    char link[64];
    char target[4096] = "";
    if (len > 0) sscanf(text, "%d %63s", &error, name);
    snprintf(link, sizeof link, "/proc/self/fd/%d", written);
    bool is_found = readlink(link, target, sizeof target - 1) > 0;
    return name[0] == '\0' || (is_found && ends_with(target, name)) ? error : 0;
}

#define NEXT(name, type) ((type)dlsym(RTLD_NEXT, name))

ssize_t pwrite(int fd, const void *bytes, size_t len, off_t at)
{
    errno = error_of(fd);
    return errno != 0 ? -1 : NEXT("pwrite", ssize_t(*)(int, const void *, size_t, off_t))(fd, bytes, len, at);
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
