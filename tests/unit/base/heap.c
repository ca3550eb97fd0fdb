/* SPDX-License-Identifier: Apache-2.0
 * heap.c: tests of storage/base/heap.c. */
#include "thermodyn/heap.h"

#include "support/failing_memory.h"
#include "thermodyn/rng.h"

#include "suites.h"

START_TEST(heap_gives_out_what_is_due_first)
{
    td_rng rng;
    td_rng_init(&rng, 3);
    td_heap *heap = td_heap_new();
    static td_time_us due_us[1000];
    for (size_t i = 0; i < TD_COUNT_OF(due_us); i++) {
        due_us[i] = (td_time_us)td_rng_below(&rng, 100) - 50;
        ck_assert(td_heap_push(heap, due_us[i], &due_us[i]));
    }
    const td_time_us *previous = NULL;
    for (size_t i = 0; i < TD_COUNT_OF(due_us); i++) {
        td_time_us next_us = td_heap_next_due(heap);
        const td_time_us *popped = td_heap_pop(heap);
        ck_assert_int_eq(*popped, next_us);
        /* Entries lie in the array in the order of their pushes, which decides between equal instants. */
        if (previous != NULL) ck_assert(*previous < *popped || (*previous == *popped && previous < popped));
        previous = popped;
    }
    ck_assert_ptr_null(td_heap_pop(heap));
    td_heap_free(heap);
}
END_TEST

START_TEST(heap_next_due_is_never_when_empty)
{
    td_heap *heap = td_heap_new();
    ck_assert_int_eq(td_heap_next_due(heap), TD_NEVER);
    td_heap_free(heap);
    td_heap_free(NULL);
}
END_TEST

static bool is_same(void *object, void *context)
{
    return object == context;
}

START_TEST(heap_remove_takes_out_every_object_that_matches)
{
    td_heap *heap = td_heap_new();
    int objects[3] = {0, 1, 2};
    for (int i = 0; i < 30; i++)
        ck_assert(td_heap_push(heap, 100 - i, &objects[i % 3]));
    td_heap_remove(heap, is_same, &objects[1]);
    td_time_us previous_us = 0;
    for (int i = 0; i < 20; i++) {
        ck_assert_int_lt(previous_us, td_heap_next_due(heap));
        previous_us = td_heap_next_due(heap);
        ck_assert_ptr_ne(td_heap_pop(heap), &objects[1]);
    }
    ck_assert_ptr_null(td_heap_pop(heap));
    td_heap_free(heap);
}
END_TEST

START_TEST(heap_push_says_so_when_there_is_no_memory)
{
    td_heap *heap = td_heap_new();
    int object = 0;
    failing_memory_fail_at(1);
    ck_assert(!td_heap_push(heap, 1, &object));
    failing_memory_fail_at(0);
    ck_assert_int_eq(td_heap_next_due(heap), TD_NEVER);
    td_heap_free(heap);
}
END_TEST

Suite *heap_suite(void)
{
    Suite *suite = suite_create("heap");
    TCase *tests = tcase_create("heap");
    tcase_add_test(tests, heap_gives_out_what_is_due_first);
    tcase_add_test(tests, heap_next_due_is_never_when_empty);
    tcase_add_test(tests, heap_remove_takes_out_every_object_that_matches);
    tcase_add_test(tests, heap_push_says_so_when_there_is_no_memory);
    suite_add_tcase(suite, tests);
    return suite;
}
