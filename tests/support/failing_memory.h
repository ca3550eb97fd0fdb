/* SPDX-License-Identifier: Apache-2.0
 * failing_memory.h: an allocator that fails on demand, for programs linked with td_failing_memory: the linker puts it
 * in the place of thermodyn/memory.h's functions. Threads: each has its own counter. */
#ifndef TESTS_SUPPORT_FAILING_MEMORY_H
#define TESTS_SUPPORT_FAILING_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

/* The `nth` allocation from now on fails (1: the next one), and none after it. 0: none fails. */
void failing_memory_fail_at(uint64_t nth);

/* Whether the failure that was asked for has happened: a run in which it has not saw all the allocations there are. */
bool failing_memory_has_failed(void);

/* Asked of each allocation, by the functions that take the place of the allocator's. */
bool failing_memory_must_fail(void);

#endif
