/* SPDX-License-Identifier: Apache-2.0
 * criterion.c: any text as the criteria of --fail-on: it is read, or refused in a sentence. What stands behind its
 * first line is what the server answers: it is judged by the criteria. */
#include "fuzz/fuzz.h"
#include "report/criterion.h"

enum { ARENA_BYTES_MAX = 16 << 20, TEXT_BYTES_MAX = 4096 };

static void judge(const td_criteria *criteria, const char *text, td_arena *arena)
{
    const char *fault = NULL;
    td_findings findings;
    td_buf line;
    const td_json_node *answer = td_json_doc_parse(td_slice_of_cstr(text), arena, &fault);
    if (answer == NULL || td_json_node_get_type(answer) != TD_JSON_NODE_OBJECT) return;
    TD_ASSERT(td_criteria_judge(criteria, answer, arena, &findings));
    TD_ASSERT(findings.held <= findings.count);
    td_buf_init(&line, ARENA_BYTES_MAX);
    td_findings_summarize(&findings, &line);
    TD_ASSERT((line.len > 0) == (findings.held > 0));
    td_buf_done(&line);
}

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
    char *end = strchr((char *)(uintptr_t)copy.ptr, '\n');
    if (end != NULL) *end = 0;
    td_arena_init(&arena, ARENA_BYTES_MAX);
    bool is_read = td_criteria_read((const char *)copy.ptr, &arena, &criteria, sentence);
    TD_ASSERT(is_read || sentence[0] != '\0');
    for (uint32_t i = 0; is_read && i < criteria.count; i++) {
        TD_ASSERT(criteria.items[i].limit >= 0);
    }
    if (is_read && end != NULL) judge(&criteria, end + 1, &arena);
    td_arena_done(&arena);
    fuzz_done(copy);
    return 0;
}
