/* Runs whose decisions must not differ. */
#ifndef EASIM_CONFORMANCE_CHECK_DECISIONS_H
#define EASIM_CONFORMANCE_CHECK_DECISIONS_H

#include "conformance/suite.h"

/* The same run in a process whose memory looks different. */
void check_same_run(struct suite *suite);
/* Two runs in one process, in turns, against each alone. */
void check_two_at_once(struct suite *suite);
/* Users with other names. */
void check_user_names(struct suite *suite);
/* Other carbon intensity, price, weights of users, where it does not declare to read them. */
void check_declared(struct suite *suite);

#endif
