/* SPDX-License-Identifier: Apache-2.0
 * failing_disk.c: preloaded into a server, it lets writes fail: while the file that THERMODYN_FAILING_DISK names is
 * there, with the error number that stands in it: of pwrite, pwritev, fdatasync and fsync alike. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

/* 0: it does not fail now. */
static int error_now(void)
{
    const char *path = getenv("THERMODYN_FAILING_DISK");
    int fd = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return 0;
    char text[16] = "";
    ssize_t len = read(fd, text, sizeof text - 1);
    close(fd);
    return len > 0 ? (int)strtol(text, NULL, 10) : EIO;
}

#define NEXT(name, type) ((type)dlsym(RTLD_NEXT, name))

ssize_t pwrite(int fd, const void *bytes, size_t len, off_t at)
{
    errno = error_now();
    return errno != 0 ? -1 : NEXT("pwrite", ssize_t(*)(int, const void *, size_t, off_t))(fd, bytes, len, at);
}

ssize_t pwrite64(int fd, const void *bytes, size_t len, off_t at)
{
    return pwrite(fd, bytes, len, at);
}

ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t at)
{
    errno = error_now();
    return errno != 0 ? -1 : NEXT("pwritev", ssize_t(*)(int, const struct iovec *, int, off_t))(fd, parts, count, at);
}

ssize_t pwritev64(int fd, const struct iovec *parts, int count, off_t at)
{
    return pwritev(fd, parts, count, at);
}

int fdatasync(int fd)
{
    errno = error_now();
    return errno != 0 ? -1 : NEXT("fdatasync", int (*)(int))(fd);
}

int fsync(int fd)
{
    errno = error_now();
    return errno != 0 ? -1 : NEXT("fsync", int (*)(int))(fd);
}
