/* SPDX-License-Identifier: Apache-2.0
 * callers.c: any text as the file of --policies is read or refused with a sentence; whoever signs is then somebody. */
#include "iam/callers.h"

#include "fuzz/file.h"
#include "fuzz/fuzz.h"
#include "support/failing_memory.h"

enum { ARENA_BYTES_MAX = 1 << 20, SAYS_BYTES_MAX = 64 * 1024, ALLOCATIONS = 8, LENGTHS_TO_A_FILE = 32 };

/* By its length a text is a file now and then, since room for the largest file costs more than all else. */
static td_iam_callers *load(td_slice text, td_buf *says)
{
    if (text.len % LENGTHS_TO_A_FILE != 0) return td_iam_callers_read("/nowhere/file", text, "000000000000", says);
    char path[FUZZ_PATH_BYTES];
    int fd = fuzz_open_file(text, path);
    td_iam_callers *callers = td_iam_callers_load(path, "000000000000", says);
    TD_ASSERT(close(fd) == 0);
    return callers;
}

static void identify(const td_iam_callers *callers, td_slice access_key)
{
    td_arena arena;
    td_iam_caller caller;
    td_arena_init(&arena, ARENA_BYTES_MAX);
    TD_ASSERT(td_iam_callers_identify(callers, access_key, &arena, &caller));
    TD_ASSERT(caller.arn.len > 0);
    TD_ASSERT(caller.account.len > 0);
    TD_ASSERT(td_iam_identify_root(caller.account, &arena, &caller));
    TD_ASSERT(caller.is_root);
    td_arena_done(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    td_slice text = fuzz_copy(data, size);
    td_buf says;
    td_buf_init(&says, SAYS_BYTES_MAX);
    td_iam_callers *callers = load(text, &says);
    TD_ASSERT((callers != NULL) == (says.len == 0));
    if (callers != NULL) {
        identify(callers, TD_LIT("AKIDALICE"));
        identify(callers, TD_LIT("another"));
    }
    td_iam_callers_free(callers);

    /* The same while an allocation fails. */
    td_buf_clear(&says);
    failing_memory_fail_at(1 + fuzz_small_limit(text, ALLOCATIONS));
    td_iam_callers_free(load(text, &says));
    failing_memory_fail_at(0);
    td_buf_done(&says);
    fuzz_done(text);
    return 0;
}
