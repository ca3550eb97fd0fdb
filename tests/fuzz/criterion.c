/* SPDX-License-Identifier: Apache-2.0
 * criterion.c: any text as the criteria of --fail-on: it is read, or refused in a sentence. */
#include "fuzz/fuzz.h"
#include "report/criterion.h"

enum { ARENA_BYTES_MAX = 1 << 20, TEXT_BYTES_MAX = 4096 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size >= TEXT_BYTES_MAX || (size > 0 && memchr(data, 0, size) != NULL)) return 0;
    uint8_t text[TEXT_BYTES_MAX];
    char sentence[512];
    td_arena arena;
    td_criteria criteria;
    if (size > 0) memcpy(text, data, size);
    text[size] = 0;
    td_slice copy = fuzz_copy(text, size + 1);
    td_arena_init(&arena, ARENA_BYTES_MAX);
    bool is_read = td_criteria_read((const char *)copy.ptr, &arena, &criteria, sentence);
    TD_ASSERT(is_read || sentence[0] != '\0');
    for (uint32_t i = 0; is_read && i < criteria.count; i++) {
        TD_ASSERT(criteria.items[i].limit >= 0);
    }
    td_arena_done(&arena);
    fuzz_done(copy);
    return 0;
}
