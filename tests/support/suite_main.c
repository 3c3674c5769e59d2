/* One program holds all tests of a suite: PROGRAM [MODULE [OPTION...]] runs the tests of one
 * module, or all. A module without tests is an error: a name misspelt in meson.build must not pass.
 */
#include <criterion/criterion.h>
#include <criterion/internal/ordered-set.h>
#include <criterion/options.h>

#include <stdio.h>
#include <string.h>

static bool has_module(const struct criterion_test_set *tests, const char *module) {
    FOREACH_SET(const struct criterion_suite_set *suite, tests->suites)
    if (strcmp(suite->suite.name, module) == 0)
        return suite->tests && suite->tests->size > 0;
    return false;
}

int main(int argc, char **argv) {
    struct criterion_test_set *tests = criterion_initialize();
    char pattern[256];
    int failed = 0;
    if (argc > 1 && argv[1][0] != '-') {
        if (!has_module(tests, argv[1])) {
            fprintf(stderr, "%s: there are no tests of %s\n", argv[0], argv[1]);
            return 1;
        }
        snprintf(pattern, sizeof pattern, "%s/*", argv[1]);
        criterion_options.pattern = pattern;
        argv[1] = argv[0];
        argc--;
        argv++;
    }
    if (criterion_handle_args(argc, argv, true))
        failed = !criterion_run_all_tests(tests);
    criterion_finalize(tests);
    return failed;
}
