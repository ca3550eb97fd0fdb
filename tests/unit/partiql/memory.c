/* SPDX-License-Identifier: Apache-2.0
 * memory.c: tests of running out of memory: wherever an arena needs its next chunk and does not get it, the call ends
 * in TD_OUT_OF_MEMORY and nothing leaks. */
#include "given.h"
#include "suites.h"

#include "support/failing_memory.h"

static td_fixture fixture;

static void setup(void)
{
    td_fixture_init(&fixture);
}
static void teardown(void)
{
    td_fixture_done(&fixture);
}

static td_status run(const char *text, const td_value *parameters, td_arena *scratch, td_error *error)
{
    static const td_key_schema schema = {.hash_count = 1, .parts = {{TD_LIT_INIT("pk"), TD_TYPE_S}}};
    td_statement *statement;
    td_statement_keys keys;
    TD_TRY(td_statement_parse(td_slice_of_cstr(text), scratch, &statement, error));
    TD_TRY(td_statement_bind(statement, parameters, statement->parameter_count, scratch, error));
    return td_statement_find_keys(statement, &schema, scratch, &keys, error);
}

START_TEST(without_memory_every_step_ends_in_a_status)
{
    enum { PADDING_MAX = 16384, PADDING_STEP = 16 };
    static const char *const texts[] = {
        "SELECT a.b, \"c\"\"d\", l[0][1] FROM T.i WHERE pk IN (?, 'it''s') AND NOT size(x) > -1 OR y IS NOT BAG",
        "INSERT INTO T VALUE {'pk': ?, 'n': [1, -2.5, <<'x', 'y'>>], 'm': {'a': NULL}}",
        "UPDATE T SET a.b = c + 1, s = set_add(s, <<1>>), l = list_append(l, [?]) REMOVE d[0] WHERE pk = 'a'",
        "SELECT * FROM T WHERE pk = 'a' AND x BETWEEN 1 AND 2 AND begins_with(z, 'a') = false ORDER BY pk DESC, sk",
    };
    td_value parameter = value_of(&fixture.arena, S("", "k"));
    uint32_t failures = 0;
    for (size_t i = 0; i < TD_COUNT_OF(texts); i++) {
        for (size_t padding = 0; padding < PADDING_MAX; padding += PADDING_STEP) {
            td_arena scratch;
            td_arena_init(&scratch, 1 << 24);
            td_error error = {.arena = &scratch};
            ck_assert_ptr_nonnull(td_arena_alloc(&scratch, padding));
            failing_memory_fail_at(1);
            td_status status = run(texts[i], &parameter, &scratch, &error);
            ck_assert_int_eq(status, failing_memory_has_failed() ? TD_OUT_OF_MEMORY : TD_OK);
            failures += status != TD_OK;
            failing_memory_fail_at(0);
            td_arena_done(&scratch);
        }
    }
    ck_assert_uint_gt(failures, 50);
}
END_TEST

TCase *memory_tests(void)
{
    TCase *tests = tcase_create("memory");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, without_memory_every_step_ends_in_a_status);
    return tests;
}
