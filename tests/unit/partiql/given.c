/* SPDX-License-Identifier: Apache-2.0
 * given.c: what given.h promises. */
#include "given.h"

#include <check.h>
#include <stdio.h>

static const td_value *make_parameters(td_arena *arena)
{
    const td_given givens[] = {S("", "a"), N("", "1"), SS("", TD_LIT("x")), L("", S("", "a"), S("", "b")),
                               BOOL("", true)};
    td_value *values = td_arena_alloc_array(arena, TD_COUNT_OF(givens), sizeof *values);
    ck_assert_ptr_nonnull(values);
    for (size_t i = 0; i < TD_COUNT_OF(givens); i++)
        values[i] = value_of(arena, givens[i]);
    return values;
}

static const char *copy_text(td_fixture *fixture, td_slice text)
{
    char *copy = td_arena_alloc(&fixture->arena, text.len + 1);
    ck_assert_ptr_nonnull(copy);
    if (text.len > 0) memcpy(copy, text.ptr, text.len);
    copy[text.len] = '\0';
    return copy;
}

const char *given_error(td_fixture *fixture)
{
    return copy_text(fixture, fixture->error.text);
}

static td_status run(td_fixture *fixture, td_slice text, td_statement **ret_statement)
{
    TD_TRY(td_statement_parse(text, &fixture->arena, ret_statement, &fixture->error));
    return td_statement_bind(*ret_statement, make_parameters(&fixture->arena), (*ret_statement)->parameter_count,
                             &fixture->arena, &fixture->error);
}

const char *given_answer(td_fixture *fixture, td_slice text)
{
    td_statement *statement = NULL;
    return run(fixture, text, &statement) == TD_OK ? "ok" : given_error(fixture);
}

void given_check(td_fixture *fixture, const char *frame, const given_row *rows, size_t count)
{
    const char *mark = strchr(frame, '%');
    ck_assert_ptr_nonnull(mark);
    for (size_t i = 0; i < count; i++) {
        td_slice text;
        ck_assert(
            td_arena_format(&fixture->arena, &text, "%.*s%s%s", (int)(mark - frame), frame, rows[i].text, mark + 1));
        const char *answer = given_answer(fixture, text);
        if (strcmp(answer, rows[i].expected) != 0)
            ck_abort_msg("%.*s\n  expected: %s\n  answered: %s", (int)text.len, (const char *)text.ptr,
                         rows[i].expected, answer);
    }
}

const td_statement *given_statement(td_fixture *fixture, const char *text)
{
    td_statement *statement = NULL;
    if (run(fixture, td_slice_of_cstr(text), &statement) != TD_OK) ck_abort_msg("%s: %s", text, given_error(fixture));
    return statement;
}

const char *given_print(td_fixture *fixture, td_slice text)
{
    td_statement *statement = NULL;
    td_buf printed;
    if (td_statement_parse(text, &fixture->arena, &statement, &fixture->error) != TD_OK) return NULL;
    td_buf_init(&printed, 1 << 20);
    td_statement_print(statement, &printed);
    ck_assert(!td_buf_has_failed(&printed));
    const char *copy = copy_text(fixture, td_buf_contents(&printed));
    td_buf_done(&printed);
    return copy;
}
