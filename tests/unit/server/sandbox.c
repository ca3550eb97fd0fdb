/* SPDX-License-Identifier: Apache-2.0
 * sandbox.c: tests of what a process can do no more. Each does it in a child of its own, built without sanitizers. */
#include "base/sandbox.h"

#include <arpa/inet.h>
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/thermodyn-sandbox-XXXXXX";
static bool has_files; /* what the child was told */
static bool has_calls;

/* The log of the sandbox, which this program stands in for. */
void td_log_write(td_log *log, td_log_level level, const char *event, const td_log_field *fields, size_t count)
{
    (void)log;
    (void)level;
    bool is_known = strcmp(event, "sandbox") == 0 && count == 2;
    has_files = is_known && td_slice_equal(fields[0].text, TD_LIT("confined"));
    has_calls = is_known && td_slice_equal(fields[1].text, TD_LIT("confined"));
}

/* What `act` answers in a child that has entered, with the folder as the one to write in. */
static int in_sandbox(int (*act)(void))
{
    pid_t child = fork();
    if (child == 0) {
        const char *const folders[] = {"", folder};
        td_sandbox_enter(folders, TD_COUNT_OF(folders), NULL);
        _exit(act());
    }
    int status = 0;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(WIFEXITED(status), "the child ended by signal %d", WTERMSIG(status));
    return WEXITSTATUS(status);
}

static int errno_of(bool is_done) { return is_done ? 0 : errno; }

static int act_nothing(void) { return has_files + 2 * has_calls; }
static int act_fork(void)
{
    pid_t child = fork();
    if (child == 0) _exit(0);
    return errno_of(child > 0);
}
static int act_execute(void)
{
    char program[] = "/bin/true";
    char *arguments[] = {program, NULL};
    return errno_of(execv(program, arguments) == 0);
}
static int act_connect(void) { return errno_of(socket(AF_INET, SOCK_STREAM, 0) >= 0); }
static int write_file(const char *path) { return errno_of(open(path, O_WRONLY | O_CREAT, 0600) >= 0); }
static int act_write_elsewhere(void) { return write_file("/tmp/thermodyn-sandbox-elsewhere"); }
static int act_write_inside(void)
{
    char path[128];
    snprintf(path, sizeof(path), "%s/file", folder);
    return write_file(path);
}
static int act_remove_elsewhere(void) { return errno_of(unlink("/tmp/thermodyn-sandbox-mine") == 0); }
static int act_read(void) { return errno_of(open("/etc/passwd", O_RDONLY) >= 0); }
static int act_map_code(void)
{
    int executable = PROT_READ | PROT_WRITE | PROT_EXEC;
    return errno_of(mmap(NULL, 4096, executable, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED);
}
static int act_make_code(void)
{
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return page == MAP_FAILED ? 1 : errno_of(mprotect(page, 4096, PROT_READ | PROT_EXEC) == 0);
}
static int act_kill_another(void) { return errno_of(kill(getppid(), 0) == 0); }
static int act_kill_itself(void) { return errno_of(kill(getpid(), 0) == 0); }
static int act_raise_limits(void)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) != 0) return 1; /* reading is allowed */
    return errno_of(setrlimit(RLIMIT_NOFILE, &files) == 0);
}
static void *note(void *done)
{
    *(bool *)done = true;
    return NULL;
}
static int act_start_a_thread(void)
{
    bool is_done = false;
    pthread_t thread;
    int error = pthread_create(&thread, NULL, note, &is_done);
    if (error == 0) error = pthread_join(thread, NULL);
    return error != 0 ? error : !is_done;
}

/* Asked of the kernel itself, not of the sandbox: what is there has to be used. */
static bool has_kernel_seccomp(void)
{
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL) == -1 && errno == EFAULT;
}

static bool has_kernel_landlock(void)
{
    return syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION) >= 1;
}

START_TEST(what_the_kernel_has_is_used)
{
    ck_assert_int_eq(in_sandbox(act_nothing), has_kernel_landlock() + 2 * has_kernel_seccomp());
}
END_TEST

START_TEST(no_process_and_no_connection_can_be_made)
{
    if (!has_kernel_seccomp()) return;
    ck_assert_int_eq(in_sandbox(act_fork), ENOSYS);
    ck_assert_int_eq(in_sandbox(act_execute), ENOSYS);
    ck_assert_int_eq(in_sandbox(act_connect), ENOSYS);
    ck_assert_int_eq(in_sandbox(act_kill_another), ENOSYS);
    ck_assert_int_eq(in_sandbox(act_raise_limits), ENOSYS);
}
END_TEST

START_TEST(no_memory_becomes_executable)
{
    if (!has_kernel_seccomp()) return;
    ck_assert_int_eq(in_sandbox(act_map_code), ENOSYS);
    ck_assert_int_eq(in_sandbox(act_make_code), ENOSYS);
}
END_TEST

START_TEST(files_are_written_where_they_may_be_alone)
{
    if (!has_kernel_landlock()) return;
    int mine = open("/tmp/thermodyn-sandbox-mine", O_WRONLY | O_CREAT, 0600);
    ck_assert_int_ge(mine, 0);
    close(mine);
    ck_assert_int_eq(in_sandbox(act_write_elsewhere), EACCES);
    ck_assert_int_eq(in_sandbox(act_remove_elsewhere), EACCES);
    ck_assert_int_eq(unlink("/tmp/thermodyn-sandbox-mine"), 0);
}
END_TEST

START_TEST(what_serving_takes_is_left)
{
    ck_assert_int_eq(in_sandbox(act_write_inside), 0);
    ck_assert_int_eq(in_sandbox(act_read), 0);
    ck_assert_int_eq(in_sandbox(act_start_a_thread), 0);
    ck_assert_int_eq(in_sandbox(act_kill_itself), 0);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("sandbox");
    tcase_add_test(tcase, what_the_kernel_has_is_used);
    tcase_add_test(tcase, no_process_and_no_connection_can_be_made);
    tcase_add_test(tcase, no_memory_becomes_executable);
    tcase_add_test(tcase, files_are_written_where_they_may_be_alone);
    tcase_add_test(tcase, what_serving_takes_is_left);
    Suite *suite = suite_create("server/sandbox");
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    if (mkdtemp(folder) == NULL) return 1;
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    char path[128];
    snprintf(path, sizeof(path), "%s/file", folder);
    unlink(path);
    rmdir(folder);
    return failed == 0 ? 0 : 1;
}
