/* SPDX-License-Identifier: Apache-2.0
 * credentials.c: any text as a file of credentials is read or refused with a sentence, and who was read is found; and
 * beside the file's, when the text has an even length, who stands in the environment. */
#include "base/credentials.h"

#include "fuzz/file.h"
#include "fuzz/fuzz.h"
#include "support/failing_memory.h"

enum { SAYS_BYTES_MAX = 64 * 1024, ALLOCATIONS = 12 };

static const char *const variables[][2] = {{"AWS_ACCESS_KEY_ID", "AKIDEXAMPLE"}, {"AWS_SECRET_ACCESS_KEY", "secret"}};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[FUZZ_PATH_BYTES];
    int fd = fuzz_open_file(td_slice_of(data, size), path);
    bool has_environment = size % 2 == 0;
    for (size_t i = 0; i < TD_COUNT_OF(variables); i++) {
        int failure = has_environment ? setenv(variables[i][0], variables[i][1], 1) : unsetenv(variables[i][0]);
        TD_ASSERT(failure == 0);
    }
    td_buf says;
    td_buf_init(&says, SAYS_BYTES_MAX);
    td_credentials *credentials = td_credentials_load(path, &says);
    TD_ASSERT((credentials != NULL) == (says.len == 0));
    if (credentials != NULL) {
        const td_credential *found = td_credentials_find(credentials, TD_LIT("AKIDEXAMPLE"));
        TD_ASSERT(found != NULL || !has_environment);
        TD_ASSERT(found == NULL || td_slice_equal(found->access_key, TD_LIT("AKIDEXAMPLE")));
    }
    td_credentials_free(credentials);

    /* The same while an allocation fails. */
    td_buf_clear(&says);
    failing_memory_fail_at(1 + fuzz_small_limit(td_slice_of(data, size), ALLOCATIONS));
    td_credentials_free(td_credentials_load(path, &says));
    failing_memory_fail_at(0);
    td_buf_done(&says);
    TD_ASSERT(close(fd) == 0);
    return 0;
}
