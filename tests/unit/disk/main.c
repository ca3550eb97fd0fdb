/* SPDX-License-Identifier: Apache-2.0
 * main.c: runs the tests of storage/disk. */
#include "suites.h"

int main(void)
{
    Suite *suite = suite_create("storage/disk");
    suite_add_tcase(suite, disk_tests());
    suite_add_tcase(suite, redo_tests());
    suite_add_tcase(suite, changes_tests());
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
