/* What code of a plug-in that runs in this process, when it is loaded and unloaded, could change
   for all that comes after: working folder, umask, locale, rounding, signals. And its standard
   output. */
#ifndef EASIM_BASE_OWN_STATE_H
#define EASIM_BASE_OWN_STATE_H

#include <signal.h>
#include <sys/types.h>

#define OWN_STATE_SIGNALS 8

struct own_state {
    int folder, output; /* descriptors; -1: none */
    mode_t mask;
    sigset_t blocked;
    struct sigaction actions[OWN_STATE_SIGNALS];
};

/* Until the restore, what is written to standard output goes where messages go. */
void own_state_keep(struct own_state *state);
void own_state_restore(struct own_state *state);
/* Why standard output, which keeping flushes, could last not be written: an errno, or 0. */
int own_state_lost_output(void);
/* The locale of easim, which is "C", for this thread too. */
void own_state_set_locale(void);

#endif
