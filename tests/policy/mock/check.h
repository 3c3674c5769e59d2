/* Checks for tests without a framework: what these compile with is what an author of a policy has.
 */
#ifndef EASIM_TESTS_MOCK_CHECK_H
#define EASIM_TESTS_MOCK_CHECK_H

#include <math.h>
#include <stdio.h>

static int checks_failed;

#define CHECK(condition) \
    ((condition) ? (void)0 \
                 : (void)(checks_failed++, printf("%s:%d: %s\n", __FILE__, __LINE__, #condition)))
/* Equal up to rounding: the expected values are worked out with exact arithmetic. */
#define CHECK_REAL(found, expected) \
    (fabs((found) - (expected)) <= 1e-12 * fabs(expected) \
         ? (void)0 \
         : (void)(checks_failed++, printf("%s:%d: %s is %.17g, expected %.17g\n", __FILE__, \
                                          __LINE__, #found, (double)(found), (double)(expected))))

#endif
