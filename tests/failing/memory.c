/* SPDX-License-Identifier: Apache-2.0
 * memory.c: the n-th allocation of a server fails, and its driver says which.
 *
 * FAILING_MEMORY names a file of two 64-bit numbers that both have mapped: how many allocations are left until the one
 * that fails (0: none fails), and how many have failed. With one worker and one request at a time the driver knows what
 * it counts; with a data directory the thread that writes it counts too, for an answer waits until it has written. */
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "support/failing_memory.h"

typedef struct shared {
    _Atomic uint64_t left_until_failure;
    _Atomic uint64_t failures;
} shared;

static shared *driven;

/* It has an allocator of its own, which documents of the control endpoints come from. */
static void *allocate_for_cjson(size_t size) { return failing_memory_must_fail() ? NULL : malloc(size); }

__attribute__((constructor)) static void map_driver(void)
{
    const char *path = getenv("FAILING_MEMORY");
    int fd = path == NULL ? -1 : open(path, O_RDWR | O_CLOEXEC);
    void *mapped = fd < 0 ? MAP_FAILED : mmap(NULL, sizeof *driven, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (mapped == MAP_FAILED) {
        (void)fprintf(stderr, "FAILING_MEMORY must name a file of %zu bytes\n", sizeof *driven);
        exit(2);
    }
    close(fd);
    driven = mapped;
    cJSON_InitHooks(&(cJSON_Hooks){.malloc_fn = allocate_for_cjson, .free_fn = free});
}

bool failing_memory_must_fail(void)
{
    uint64_t left = atomic_load(&driven->left_until_failure);
    while (left > 0 && !atomic_compare_exchange_weak(&driven->left_until_failure, &left, left - 1)) {
    }
    if (left != 1) return false;
    atomic_fetch_add(&driven->failures, 1);
    return true;
}
