/* SPDX-License-Identifier: Apache-2.0
 * arena.c: tests of storage/base/arena.c. */
#include "thermodyn/arena.h"

#include "support/failing_memory.h"

#include "suites.h"

enum { LIMIT_BYTES = 4 * 1024 * 1024 };

/* What deferred releases leave behind: the order in which they ran. */
typedef struct release_log {
    int order[8];
    int count;
} release_log;

typedef struct logged_object {
    release_log *log;
    int name;
} logged_object;

static void log_release(void *object)
{
    const logged_object *logged = object;
    logged->log->order[logged->log->count++] = logged->name;
}

START_TEST(arena_gives_aligned_memory_of_any_size)
{
    static const size_t sizes[] = {0, 1, 15, 16, 17, 4096, 16 * 1024, 16 * 1024 + 1, 100000, 1500000};
    td_arena arena;
    td_arena_init(&arena, LIMIT_BYTES);
    for (size_t i = 0; i < TD_COUNT_OF(sizes); i++) {
        uint8_t *place = td_arena_alloc(&arena, sizes[i]);
        ck_assert_ptr_nonnull(place);
        ck_assert_uint_eq((uintptr_t)place % 16, 0);
        memset(place, 0xab, sizes[i]);
    }
    td_arena_done(&arena);
}
END_TEST

START_TEST(arena_refuses_what_passes_its_limit_and_goes_on)
{
    td_arena arena;
    td_arena_init(&arena, LIMIT_BYTES);
    ck_assert_ptr_null(td_arena_alloc(&arena, LIMIT_BYTES + 1));
    ck_assert_ptr_null(td_arena_alloc(&arena, SIZE_MAX));
    ck_assert_ptr_null(td_arena_alloc_array(&arena, SIZE_MAX / 2, 3));
    ck_assert_ptr_nonnull(td_arena_alloc(&arena, 100));
    ck_assert_ptr_null(td_arena_alloc(&arena, LIMIT_BYTES));
    ck_assert_ptr_nonnull(td_arena_alloc(&arena, LIMIT_BYTES / 2));
    td_arena_done(&arena);
}
END_TEST

START_TEST(arena_never_holds_more_than_its_limit)
{
    td_arena arena;
    td_arena_init(&arena, 100000);
    size_t given_bytes = 0;
    while (td_arena_alloc(&arena, 96) != NULL)
        given_bytes += 96;
    ck_assert_uint_le(arena.used_bytes, 100000);
    ck_assert_uint_ge(given_bytes, 80000);
    td_arena_done(&arena);
}
END_TEST

START_TEST(arena_serves_a_limit_below_its_first_chunk)
{
    td_arena arena;
    td_arena_init(&arena, 256);
    ck_assert_ptr_nonnull(td_arena_alloc(&arena, 200));
    ck_assert_ptr_null(td_arena_alloc(&arena, 200));
    td_arena_done(&arena);
}
END_TEST

START_TEST(arena_reset_keeps_the_first_chunk_alone)
{
    td_arena arena;
    td_arena_init(&arena, LIMIT_BYTES);
    void *first = td_arena_alloc(&arena, 10);
    ck_assert_ptr_nonnull(td_arena_alloc(&arena, 1000000));
    td_arena_reset(&arena);
    ck_assert_uint_eq(arena.used_bytes, 16 * 1024);
    failing_memory_fail_at(1);
    ck_assert_ptr_eq(td_arena_alloc(&arena, 10), first);
    failing_memory_fail_at(0);
    td_arena_done(&arena);
    ck_assert_uint_eq(arena.used_bytes, 0);
}
END_TEST

START_TEST(arena_reset_lets_a_huge_first_chunk_go)
{
    td_arena arena;
    td_arena_init(&arena, LIMIT_BYTES);
    ck_assert_ptr_nonnull(td_arena_alloc(&arena, 1000000));
    td_arena_reset(&arena);
    ck_assert_uint_eq(arena.used_bytes, 0);
    td_arena_done(&arena);
}
END_TEST

START_TEST(arena_alloc_zero_clears_memory_that_was_used_before)
{
    td_arena arena;
    td_arena_init(&arena, LIMIT_BYTES);
    memset(td_arena_alloc(&arena, 64), 0xff, 64);
    td_arena_reset(&arena);
    const uint8_t *place = td_arena_alloc_zero(&arena, 64);
    for (size_t i = 0; i < 64; i++)
        ck_assert_uint_eq(place[i], 0);
    td_arena_done(&arena);
}
END_TEST

START_TEST(arena_copies_and_formats)
{
    td_arena arena;
    td_arena_init(&arena, LIMIT_BYTES);
    td_slice copy;
    ck_assert(td_arena_copy(&arena, TD_LIT("a\0b"), &copy));
    ck_assert(td_slice_equal(copy, TD_LIT("a\0b")));
    ck_assert(td_arena_copy(&arena, (td_slice){NULL, 0}, &copy));
    ck_assert_uint_eq(copy.len, 0);
    ck_assert(td_arena_format(&arena, &copy, "%s-%d", "n", 42));
    ck_assert(td_slice_equal(copy, TD_LIT("n-42")));
    td_arena_done(&arena);
}
END_TEST

START_TEST(arena_releases_the_newest_first)
{
    td_arena arena;
    td_arena_init(&arena, LIMIT_BYTES);
    release_log log = {0};
    logged_object objects[] = {{&log, 1}, {&log, 2}, {&log, 3}};
    for (size_t i = 0; i < TD_COUNT_OF(objects); i++)
        ck_assert(td_arena_defer(&arena, log_release, &objects[i]));
    td_arena_reset(&arena);
    ck_assert_int_eq(log.count, 3);
    ck_assert_int_eq(log.order[0], 3);
    ck_assert_int_eq(log.order[2], 1);
    td_arena_done(&arena);
    ck_assert_int_eq(log.count, 3);
}
END_TEST

START_TEST(arena_rewind_undoes_what_came_after_the_mark)
{
    td_arena arena;
    td_arena_init(&arena, LIMIT_BYTES);
    release_log log = {0};
    logged_object before = {&log, 1};
    logged_object after = {&log, 2};
    uint8_t *kept = td_arena_alloc(&arena, 8);
    memset(kept, 7, 8);
    ck_assert(td_arena_defer(&arena, log_release, &before));
    td_arena_mark mark = td_arena_get_mark(&arena);
    size_t used_bytes = arena.used_bytes;
    ck_assert_ptr_nonnull(td_arena_alloc(&arena, 500000));
    ck_assert(td_arena_defer(&arena, log_release, &after));
    td_arena_rewind(&arena, mark);
    ck_assert_int_eq(log.count, 1);
    ck_assert_int_eq(log.order[0], 2);
    ck_assert_uint_eq(arena.used_bytes, used_bytes);
    ck_assert_uint_eq(kept[7], 7);
    td_arena_done(&arena);
    ck_assert_int_eq(log.count, 2);
}
END_TEST

START_TEST(arena_rewinds_to_a_mark_from_before_its_first_chunk)
{
    td_arena arena;
    td_arena_init(&arena, LIMIT_BYTES);
    td_arena_mark mark = td_arena_get_mark(&arena);
    void *first = td_arena_alloc(&arena, 100);
    td_arena_rewind(&arena, mark);
    ck_assert_ptr_eq(td_arena_alloc(&arena, 100), first);
    td_arena_done(&arena);
}
END_TEST

START_TEST(arena_says_so_when_the_system_has_no_memory)
{
    td_arena arena;
    td_arena_init(&arena, LIMIT_BYTES);
    td_slice text;
    failing_memory_fail_at(1);
    ck_assert_ptr_null(td_arena_alloc(&arena, 1));
    failing_memory_fail_at(1);
    ck_assert_ptr_null(td_arena_alloc_zero(&arena, 1));
    failing_memory_fail_at(1);
    ck_assert(!td_arena_copy(&arena, TD_LIT("x"), &text));
    failing_memory_fail_at(1);
    ck_assert(!td_arena_format(&arena, &text, "%d", 1));
    failing_memory_fail_at(1);
    ck_assert(!td_arena_defer(&arena, log_release, NULL));
    failing_memory_fail_at(0);
    td_arena_done(&arena);
}
END_TEST

Suite *arena_suite(void)
{
    Suite *suite = suite_create("arena");
    TCase *tests = tcase_create("arena");
    tcase_add_test(tests, arena_gives_aligned_memory_of_any_size);
    tcase_add_test(tests, arena_refuses_what_passes_its_limit_and_goes_on);
    tcase_add_test(tests, arena_never_holds_more_than_its_limit);
    tcase_add_test(tests, arena_serves_a_limit_below_its_first_chunk);
    tcase_add_test(tests, arena_reset_keeps_the_first_chunk_alone);
    tcase_add_test(tests, arena_reset_lets_a_huge_first_chunk_go);
    tcase_add_test(tests, arena_alloc_zero_clears_memory_that_was_used_before);
    tcase_add_test(tests, arena_copies_and_formats);
    tcase_add_test(tests, arena_releases_the_newest_first);
    tcase_add_test(tests, arena_rewind_undoes_what_came_after_the_mark);
    tcase_add_test(tests, arena_rewinds_to_a_mark_from_before_its_first_chunk);
    tcase_add_test(tests, arena_says_so_when_the_system_has_no_memory);
    suite_add_tcase(suite, tests);
    return suite;
}
