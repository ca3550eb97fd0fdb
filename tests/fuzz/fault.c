/* SPDX-License-Identifier: Apache-2.0
 * fault.c: any document is a fault rule or is refused with a sentence; and the definition that a rule is answered with
 * is a rule too, the same one. */
#include "fuzz/fuzz.h"
#include "ops/fault.h"

#define ID "{\"rules\":[{\"id\":\"f-1\""
#define COUNTS "\"matched\":0,\"injected\":0}]}"

static bool add_rule(td_faults *faults, td_slice text)
{
    td_arena arena;
    const char *fault = NULL;
    char sentence[TD_FAULT_SENTENCE_BYTES] = "";
    td_arena_init(&arena, (size_t)16 * 1024 * 1024);
    const td_json_node *rule = td_json_doc_parse(text, &arena, &fault);
    bool is_added = rule != NULL && td_faults_add(faults, rule, TD_LIT(""), NULL, NULL, sentence);
    TD_ASSERT(is_added || fault != NULL || sentence[0] != '\0');
    td_arena_done(&arena);
    return is_added;
}

static void list_rules(td_faults *faults, td_buf *text)
{
    td_json_build build;
    td_json_build_init(&build);
    td_faults_list(faults, &build, td_json_put_array(&build, build.root, "rules"));
    bool is_printed = td_json_build_print(&build, text);
    TD_ASSERT(is_printed);
    td_json_build_done(&build);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    td_slice input = fuzz_copy(data, size);
    td_buf first;
    td_buf second;
    td_buf_init(&first, (size_t)1024 * 1024);
    td_buf_init(&second, (size_t)1024 * 1024);
    td_faults *faults = td_faults_new(1);
    TD_ASSERT(faults != NULL);
    if (add_rule(faults, input)) {
        list_rules(faults, &first);
        /* What stands between the commas behind the id and before the counts. */
        TD_ASSERT(first.len > sizeof(ID) + sizeof(COUNTS));
        first.data[sizeof(ID) - 1] = '{';
        first.data[first.len - sizeof(COUNTS)] = '}';
        td_faults_reset(faults);
        bool is_added =
            add_rule(faults, td_slice_of(first.data + sizeof(ID) - 1, first.len - sizeof(COUNTS) - sizeof(ID) + 2));
        TD_ASSERT(is_added);
        list_rules(faults, &second);
        first.data[sizeof(ID) - 1] = first.data[first.len - sizeof(COUNTS)] = ',';
        TD_ASSERT(td_slice_equal(td_buf_contents(&first), td_buf_contents(&second)));
    }
    td_faults_free(faults);
    td_buf_done(&first);
    td_buf_done(&second);
    fuzz_done(input);
    return 0;
}
