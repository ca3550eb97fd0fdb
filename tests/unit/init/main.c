/* SPDX-License-Identifier: Apache-2.0
 * main.c: runs the tests of server/init. */
#include "suites.h"

int main(void)
{
    Suite *suite = suite_create("init");
    suite_add_tcase(suite, definition_tests());
    suite_add_tcase(suite, dump_tests());
    suite_add_tcase(suite, items_tests());
    suite_add_tcase(suite, load_tests());
    suite_add_tcase(suite, template_tests());
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
