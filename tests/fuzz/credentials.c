/* SPDX-License-Identifier: Apache-2.0
 * credentials.c: any text as credentials is read or refused with a sentence, and who was read is found. By its length
 * a text is a file now and then, since room for the largest file costs more than all else; then there is the
 * environment, too, when the length is even. */
#include "base/credentials.h"

#include "fuzz/file.h"
#include "fuzz/fuzz.h"
#include "support/failing_memory.h"

enum { SAYS_BYTES_MAX = 64 * 1024, ALLOCATIONS = 12, LENGTHS_TO_A_FILE = 32 };

static bool is_file(td_slice text)
{
    return text.len % LENGTHS_TO_A_FILE < 2;
}

static bool has_environment(td_slice text)
{
    return text.len % LENGTHS_TO_A_FILE == 0;
}

static td_credentials *load_file(td_slice text, td_buf *says)
{
    static const char *const variables[][2] = {{"AWS_ACCESS_KEY_ID", "AKIDEXAMPLE"}, {"AWS_SECRET_ACCESS_KEY", "x"}};
    for (size_t i = 0; i < TD_COUNT_OF(variables); i++) {
        int failure = has_environment(text) ? setenv(variables[i][0], variables[i][1], 1) : unsetenv(variables[i][0]);
        TD_ASSERT(failure == 0);
    }
    char path[FUZZ_PATH_BYTES];
    int fd = fuzz_open_file(text, path);
    td_credentials *credentials = td_credentials_load(path, says);
    TD_ASSERT(close(fd) == 0);
    return credentials;
}

static td_credentials *load(td_slice text, td_buf *says)
{
    if (is_file(text)) return load_file(text, says);
    td_credentials *credentials = td_credentials_new();
    if (credentials != NULL && td_credentials__read_text(credentials, "file", text, says)) return credentials;
    td_credentials_free(credentials);
    return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    td_slice text = fuzz_copy(data, size);
    td_buf says;
    td_buf_init(&says, SAYS_BYTES_MAX);
    td_credentials *credentials = load(text, &says);
    TD_ASSERT((credentials != NULL) == (says.len == 0));
    if (credentials != NULL) {
        const td_credential *found = td_credentials_find(credentials, TD_LIT("AKIDEXAMPLE"));
        TD_ASSERT(found != NULL || !has_environment(text));
        TD_ASSERT(found == NULL || td_slice_equal(found->access_key, TD_LIT("AKIDEXAMPLE")));
    }
    td_credentials_free(credentials);

    /* The same while an allocation fails. */
    td_buf_clear(&says);
    failing_memory_fail_at(1 + fuzz_small_limit(text, ALLOCATIONS));
    td_credentials_free(load(text, &says));
    failing_memory_fail_at(0);
    td_buf_done(&says);
    fuzz_done(text);
    return 0;
}
