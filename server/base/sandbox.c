/* SPDX-License-Identifier: Apache-2.0
 * sandbox.c: see sandbox.h. The door to libseccomp, and to Landlock, for which libc has no functions.
 *
 * A call that is not allowed fails as if the kernel did not have it (ENOSYS): libc then does what it did before the
 * call existed. */
#include "base/sandbox.h"

#ifdef TD_INSTRUMENTED

void td_sandbox_enter(const char *const *folders, size_t folder_count, td_log *log)
{
    (void)folders;
    (void)folder_count;
    (void)log;
}

#else

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* In later versions than the header's. */
#define ACCESS_REFER (UINT64_C(1) << 13)    /* since ABI 2: rename into another folder */
#define ACCESS_TRUNCATE (UINT64_C(1) << 14) /* since ABI 3 */
#define ACCESS_WRITES                                                                                                  \
    (LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE |                  \
     LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |                        \
     LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK |                     \
     LANDLOCK_ACCESS_FS_MAKE_SYM)

static const int allowed[] = {
    /* connections */
    SCMP_SYS(accept4), SCMP_SYS(accept), SCMP_SYS(recvfrom), SCMP_SYS(recvmsg), SCMP_SYS(sendto), SCMP_SYS(sendmsg),
    SCMP_SYS(shutdown), SCMP_SYS(setsockopt), SCMP_SYS(getsockopt), SCMP_SYS(getsockname), SCMP_SYS(getpeername),
    SCMP_SYS(listen),
    /* loops */
    SCMP_SYS(epoll_create1), SCMP_SYS(epoll_ctl), SCMP_SYS(epoll_wait), SCMP_SYS(epoll_pwait), SCMP_SYS(poll),
    SCMP_SYS(ppoll), SCMP_SYS(eventfd2), SCMP_SYS(pipe2),
    /* files */
    SCMP_SYS(read), SCMP_SYS(readv), SCMP_SYS(write), SCMP_SYS(writev), SCMP_SYS(pread64), SCMP_SYS(pwrite64),
    SCMP_SYS(pwritev), SCMP_SYS(lseek), SCMP_SYS(openat), SCMP_SYS(open), SCMP_SYS(close), SCMP_SYS(fcntl),
    SCMP_SYS(ioctl), SCMP_SYS(dup), SCMP_SYS(fstat), SCMP_SYS(stat), SCMP_SYS(lstat), SCMP_SYS(newfstatat),
    SCMP_SYS(statx), SCMP_SYS(access), SCMP_SYS(faccessat), SCMP_SYS(faccessat2), SCMP_SYS(fstatfs), SCMP_SYS(statfs),
    SCMP_SYS(getdents64), SCMP_SYS(readlink), SCMP_SYS(readlinkat), SCMP_SYS(getcwd), SCMP_SYS(rename),
    SCMP_SYS(renameat), SCMP_SYS(renameat2), SCMP_SYS(unlink), SCMP_SYS(unlinkat), SCMP_SYS(ftruncate),
    SCMP_SYS(fallocate), SCMP_SYS(fsync), SCMP_SYS(fdatasync), SCMP_SYS(msync), SCMP_SYS(sync_file_range),
    SCMP_SYS(flock), SCMP_SYS(umask),
    /* memory; executable memory is below */
    SCMP_SYS(brk), SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(madvise),
    /* threads, signals, time; starting threads is below */
    SCMP_SYS(futex), SCMP_SYS(rseq), SCMP_SYS(set_robust_list), SCMP_SYS(sched_yield), SCMP_SYS(sched_getaffinity),
    SCMP_SYS(membarrier), SCMP_SYS(exit), SCMP_SYS(exit_group), SCMP_SYS(restart_syscall), SCMP_SYS(rt_sigaction),
    SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigreturn), SCMP_SYS(sigaltstack), SCMP_SYS(clock_gettime),
    SCMP_SYS(clock_getres), SCMP_SYS(clock_nanosleep), SCMP_SYS(nanosleep), SCMP_SYS(gettimeofday), SCMP_SYS(time),
    /* who and where */
    SCMP_SYS(getpid), SCMP_SYS(gettid), SCMP_SYS(getuid), SCMP_SYS(geteuid), SCMP_SYS(getgid), SCMP_SYS(getegid),
    SCMP_SYS(getrandom), SCMP_SYS(getrusage), SCMP_SYS(sysinfo), SCMP_SYS(uname), SCMP_SYS(getcpu),
};

static int landlock_version(void);
static bool confine_files(const char *const *folders, size_t folder_count);
static bool allow_below(int rules, const char *folder, uint64_t access);
static bool confine_calls(void);
static bool allow_with_arguments(scmp_filter_ctx filter);

void td_sandbox_enter(const char *const *folders, size_t folder_count, td_log *log)
{
    bool is_bound = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
    bool has_files = is_bound && confine_files(folders, folder_count);
    bool has_calls = is_bound && confine_calls();
    td_log_level level = has_files && has_calls ? TD_LOG_DEBUG : TD_LOG_INFO;
    TD_LOG(log, level, "sandbox", TD_LOG_TEXT("files", has_files ? TD_LIT("confined") : TD_LIT("no Landlock here")),
           TD_LOG_TEXT("calls", has_calls ? TD_LIT("confined") : TD_LIT("no seccomp here")));
}

/* ---- files ---- */

static int landlock_version(void)
{
    return (int)syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
}

static bool confine_files(const char *const *folders, size_t folder_count)
{
    int version = landlock_version();
    if (version < 1) return false;
    uint64_t writes = ACCESS_WRITES | (version >= 2 ? ACCESS_REFER : 0) | (version >= 3 ? ACCESS_TRUNCATE : 0);
    struct landlock_ruleset_attr handled = {.handled_access_fs = writes | LANDLOCK_ACCESS_FS_EXECUTE};
    int rules = (int)syscall(SYS_landlock_create_ruleset, &handled, sizeof(handled), 0);
    if (rules < 0) return false;
    bool is_confined = true;
    for (size_t i = 0; i < folder_count && is_confined; i++)
        is_confined = folders[i][0] == '\0' || allow_below(rules, folders[i], writes);
    is_confined = is_confined && syscall(SYS_landlock_restrict_self, rules, 0) == 0;
    close(rules);
    return is_confined;
}

/* A folder that is not there cannot be written in either: whoever needs it says so. */
static bool allow_below(int rules, const char *folder, uint64_t access)
{
    int place = open(folder, O_PATH | O_CLOEXEC | O_DIRECTORY);
    if (place < 0) return true;
    struct landlock_path_beneath_attr below = {.allowed_access = access, .parent_fd = place};
    bool is_allowed = syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &below, 0) == 0;
    close(place);
    return is_allowed;
}

/* ---- system calls ---- */

static bool confine_calls(void)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(ENOSYS));
    if (filter == NULL) return false;
    bool is_confined = true;
    for (size_t i = 0; i < TD_COUNT_OF(allowed) && is_confined; i++)
        is_confined = seccomp_rule_add(filter, SCMP_ACT_ALLOW, allowed[i], 0) == 0;
    is_confined = is_confined && allow_with_arguments(filter) && seccomp_load(filter) == 0;
    seccomp_release(filter);
    return is_confined;
}

/* clone3 stays refused, since a filter cannot see its flags: libc then takes clone. */
static bool allow_with_arguments(scmp_filter_ctx filter)
{
    pid_t self = getpid();
    const struct {
        int call;
        struct scmp_arg_cmp argument;
    } rules[] = {
        {SCMP_SYS(clone), SCMP_CMP(0, SCMP_CMP_MASKED_EQ, CLONE_VM | CLONE_THREAD, CLONE_VM | CLONE_THREAD)},
        {SCMP_SYS(mmap), SCMP_CMP(2, SCMP_CMP_MASKED_EQ, PROT_EXEC, 0)},
        {SCMP_SYS(mprotect), SCMP_CMP(2, SCMP_CMP_MASKED_EQ, PROT_EXEC, 0)},
        {SCMP_SYS(prlimit64), SCMP_CMP(2, SCMP_CMP_EQ, 0)},         /* reads, and sets nothing */
        {SCMP_SYS(prctl), SCMP_CMP(0, SCMP_CMP_EQ, PR_SET_NAME)},
        {SCMP_SYS(kill), SCMP_CMP(0, SCMP_CMP_EQ, (scmp_datum_t)self)}, /* a second signal; abort */
        {SCMP_SYS(tgkill), SCMP_CMP(0, SCMP_CMP_EQ, (scmp_datum_t)self)},
    };
    for (size_t i = 0; i < TD_COUNT_OF(rules); i++) {
        if (seccomp_rule_add(filter, SCMP_ACT_ALLOW, rules[i].call, 1, rules[i].argument) != 0) return false;
    }
    return true;
}

#endif
