/* What runs leave behind in their process: memory, mapped pages, descriptors, child processes. */
#ifndef EASIM_CONFORMANCE_CHECK_LEAKS_H
#define EASIM_CONFORMANCE_CHECK_LEAKS_H

#include "conformance/suite.h"

void check_leaks(struct suite *suite);

#endif
