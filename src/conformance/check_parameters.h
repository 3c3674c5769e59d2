/* Whether the policy runs with the least, the greatest and the default value of each parameter. */
#ifndef EASIM_CONFORMANCE_CHECK_PARAMETERS_H
#define EASIM_CONFORMANCE_CHECK_PARAMETERS_H

#include "conformance/suite.h"

void check_parameters(struct suite *suite);

#endif
