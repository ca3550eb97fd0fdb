/* SPDX-License-Identifier: Apache-2.0
 * sandbox.h: a server that serves gives up what it does not need: whoever takes it over through a request can read what
 * it could read, and answer; nothing else. Decision 0024.
 *
 *   no new privileges   for good (prctl(2))
 *   Landlock            writes go into the folders that it was told, and no file is executed
 *   seccomp             the system calls of sandbox.c: none that makes a process, a connection or executable memory
 *
 * What the kernel does not have is left out; that is logged. Builds with sanitizers or coverage, which need more than a
 * server does, have none of it.
 * Threads: the first, while it is the only one: later ones inherit. */
#ifndef THERMODYN_BASE_SANDBOX_H
#define THERMODYN_BASE_SANDBOX_H

#include "base/log.h"

/* `folders`: what may be written in, each with all that is below it; "" is none. */
void td_sandbox_enter(const char *const *folders, size_t folder_count, td_log *log);

#endif
