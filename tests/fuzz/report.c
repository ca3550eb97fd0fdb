/* SPDX-License-Identifier: Apache-2.0
 * report.c: any document as every answer of a server: it becomes a report in each format, or is refused. */
#include "fuzz/fuzz.h"
#include "report/report.h"

enum { ARENA_BYTES_MAX = 64 << 20, SMALL_BYTES_MAX = 16 << 10, REPORT_BYTES_MAX = 64 << 20 };

static bool get(void *context, td_slice target, td_arena *arena, const td_json_node **ret_answer)
{
    (void)arena;
    TD_ASSERT(target.len > 0);
    *ret_answer = context;
    return true;
}

static void write(const td_report *report)
{
    bool (*const writers[])(const td_report *, td_buf *) = {td_report_write_html, td_report_write_markdown,
                                                            td_report_write_junit, td_report_write_json};
    for (size_t i = 0; i < TD_COUNT_OF(writers); i++) {
        td_buf buf;
        td_buf_init(&buf, REPORT_BYTES_MAX);
        if (writers[i](report, &buf)) TD_ASSERT(buf.len > 0);
        td_buf_done(&buf);
    }
}

/* In an arena of its own, which may be too small. */
static void report(const td_json_node *answer, size_t arena_bytes_max)
{
    td_arena arena;
    char sentence[512];
    td_arena_init(&arena, arena_bytes_max);
    if (answer != NULL && td_json_node_get_type(answer) == TD_JSON_NODE_OBJECT) {
        td_report made = {.endpoint = TD_LIT("http://localhost:8000")};
        /* The one document is handed out again and again, and only read. */
        td_report_source source = {.get = get, .context = (void *)(uintptr_t)answer, .question = "", .window = "60000"};
        bool is_judged = td_criteria_read("throttle,unevenness>0.3,warning", &arena, &made.criteria, sentence) &&
                         td_criteria_judge(&made.criteria, answer, &arena, &made.findings);
        if (is_judged && td_report_gather(&source, answer, true, &arena, &made)) write(&made);
    }
    td_arena_done(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    td_slice copy = fuzz_copy(data, size);
    td_arena arena;
    td_arena_init(&arena, ARENA_BYTES_MAX);
    const char *fault;
    const td_json_node *answer = td_json_doc_parse(copy, &arena, &fault);
    report(answer, ARENA_BYTES_MAX);
    report(answer, fuzz_small_limit(copy, SMALL_BYTES_MAX));
    td_arena_done(&arena);
    fuzz_done(copy);
    return 0;
}
