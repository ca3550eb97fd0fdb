/* SPDX-License-Identifier: Apache-2.0
 * memory.c: tests of storage/base/memory.c. */
#include "thermodyn/memory.h"

#include "suites.h"

START_TEST(memory_of_size_zero_is_not_null)
{
    void *plain = td_alloc(0);
    void *zeroed = td_alloc_zero(0);
    ck_assert_ptr_nonnull(plain);
    ck_assert_ptr_nonnull(zeroed);
    plain = td_resize(plain, 0);
    ck_assert_ptr_nonnull(plain);
    td_free(plain);
    td_free(zeroed);
    td_free(NULL);
}
END_TEST

START_TEST(memory_resize_keeps_the_contents)
{
    uint8_t *memory = td_alloc_zero(4);
    ck_assert_ptr_nonnull(memory);
    ck_assert_uint_eq(memory[3], 0);
    memcpy(memory, "abcd", 4);
    memory = td_resize(memory, 40000);
    ck_assert_ptr_nonnull(memory);
    ck_assert_mem_eq(memory, "abcd", 4);
    td_free(memory);
}
END_TEST

START_TEST(memory_that_is_expected_is_neither_taken_nor_counted)
{
    enum { BLOCKS = 64, BLOCK_BYTES = 64 * 1024 };
    uint8_t *blocks[BLOCKS];
    td_memory_stretch stretch = {0};
    td_memory_start_counting();
    int64_t before = td_memory_in_use();
    for (int i = 0; i < BLOCKS; i++) {
        td_memory_expect(&stretch);
        blocks[i] = td_alloc(BLOCK_BYTES);
        ck_assert_ptr_nonnull(blocks[i]);
        memset(blocks[i], i, BLOCK_BYTES);
    }
    int64_t taken = td_memory_in_use() - before;
    ck_assert_int_ge(taken, BLOCKS * BLOCK_BYTES - TD_MEMORY_UNCOUNTED_MAX);
    ck_assert_int_lt(taken, 2 * BLOCKS * BLOCK_BYTES);
    for (int i = 0; i < BLOCKS; i++) {
        ck_assert_int_eq(blocks[i][0], i);
        ck_assert_int_eq(blocks[i][BLOCK_BYTES - 1], i);
        td_free(blocks[i]);
    }
}
END_TEST

Suite *memory_suite(void)
{
    Suite *suite = suite_create("memory");
    TCase *tests = tcase_create("memory");
    tcase_add_test(tests, memory_of_size_zero_is_not_null);
    tcase_add_test(tests, memory_resize_keeps_the_contents);
    tcase_add_test(tests, memory_that_is_expected_is_neither_taken_nor_counted);
    suite_add_tcase(suite, tests);
    return suite;
}
