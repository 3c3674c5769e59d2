/* Signals by which somebody ends a command, held back while a file is being put in place. */
#ifndef EASIM_BASE_SIGNALS_H
#define EASIM_BASE_SIGNALS_H

#include <signal.h>

/* Holds SIGINT, SIGTERM and SIGHUP back in this thread. */
void signals_hold(sigset_t *ret_before);
/* What came meanwhile comes now. */
void signals_release(const sigset_t *before);
/* Lets them through, held or not: where a command may have to wait. */
void signals_let_through(void);

#endif
