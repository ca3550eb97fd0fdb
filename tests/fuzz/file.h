/* SPDX-License-Identifier: Apache-2.0
 * file.h: the input as a file, for what reads files. */
#ifndef THERMODYN_TESTS_FUZZ_FILE_H
#define THERMODYN_TESTS_FUZZ_FILE_H

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "thermodyn/base.h"

enum { FUZZ_PATH_BYTES = 32 };

/* The bytes as a file in memory, under a path of the kernel's; until the descriptor that it answers is closed. */
static inline int fuzz_open_file(td_slice bytes, char ret_path[FUZZ_PATH_BYTES])
{
    int fd = memfd_create("fuzz", 0);
    TD_ASSERT(fd >= 0);
    TD_ASSERT(write(fd, bytes.ptr, bytes.len) == (ssize_t)bytes.len);
    (void)snprintf(ret_path, FUZZ_PATH_BYTES, "/proc/self/fd/%d", fd);
    return fd;
}

#endif
