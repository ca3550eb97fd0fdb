/* SPDX-License-Identifier: Apache-2.0
 * main.c: runs the suites of storage/base. */
#include <check.h>
#include <stdlib.h>

#include "suites.h"

int main(void)
{
    SRunner *runner = srunner_create(arena_suite());
    srunner_add_suite(runner, btree_suite());
    srunner_add_suite(runner, btree_property_suite());
    srunner_add_suite(runner, buf_suite());
    srunner_add_suite(runner, clock_suite());
    srunner_add_suite(runner, heap_suite());
    srunner_add_suite(runner, map_suite());
    srunner_add_suite(runner, memory_suite());
    srunner_add_suite(runner, rng_suite());
    srunner_add_suite(runner, status_suite());
    srunner_add_suite(runner, text_suite());
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
