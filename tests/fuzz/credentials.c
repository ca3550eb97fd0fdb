/* SPDX-License-Identifier: Apache-2.0
 * credentials.c: any text as a file of credentials is read or refused with a sentence, and who was read is found. */
#include "base/credentials.h"

#include "fuzz/fuzz.h"

enum { SAYS_BYTES_MAX = 64 * 1024 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    td_slice text = fuzz_copy(data, size);
    td_buf says;
    td_buf_init(&says, SAYS_BYTES_MAX);
    td_credentials *credentials = td_credentials_new();
    TD_ASSERT(credentials != NULL);
    bool is_read = td_credentials__read_text(credentials, "file", text, &says);
    TD_ASSERT(is_read == (says.len == 0));
    const td_credential *found = td_credentials_find(credentials, TD_LIT("AKIDEXAMPLE"));
    TD_ASSERT(found == NULL || td_slice_equal(found->access_key, TD_LIT("AKIDEXAMPLE")));
    td_credentials_free(credentials);
    td_buf_done(&says);
    fuzz_done(text);
    return 0;
}
