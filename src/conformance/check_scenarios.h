/* What a policy does in each built-in scenario: one run of each, and what is found in it. */
#ifndef EASIM_CONFORMANCE_CHECK_SCENARIOS_H
#define EASIM_CONFORMANCE_CHECK_SCENARIOS_H

#include "conformance/suite.h"

/* Runs all scenarios. The checks below, and most others, need what it finds. */
void check_scenarios(struct suite *suite);
/* Whether the policy wrote into the view. */
void check_view(struct suite *suite);
/* Whether any run of any scenario changed something in its process, or wrote to standard streams.
 */
void check_process(struct suite *suite);
/* Whether actions were refused. */
void check_refusals(struct suite *suite);
/* In a scenario of its own, for policies that declare POWER_CAP: whether the cap was kept. */
void check_power_cap(struct suite *suite);

#endif
