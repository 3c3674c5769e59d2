/* What code of a plug-in that runs in this process, when it is loaded and unloaded, could change
   for all that comes after: working folder, umask, locale, rounding, signals. And its standard
   output. */
#ifndef EASIM_BASE_OWN_STATE_H
#define EASIM_BASE_OWN_STATE_H

#include <signal.h>
#include <sys/types.h>

#define OWN_STATE_SIGNALS 32 /* the standard ones, by number */

/* What has changed since it was kept: bits of own_state_changes. */
enum own_state_change {
    OWN_STATE_FOLDER = 1,
    OWN_STATE_MASK = 2,
    OWN_STATE_LOCALE = 4,
    OWN_STATE_HANDLERS = 8,
    OWN_STATE_BLOCKED = 16
};

struct own_state {
    int folder, output; /* descriptors; -1: none */
    mode_t mask;
    sigset_t blocked;
    struct sigaction actions[OWN_STATE_SIGNALS];
};

/* As it is now, for own_state_changes; nothing is to be restored. */
void own_state_look(struct own_state *state);
/* The same to be restored. Until then, what is written to standard output goes where messages go.
 */
void own_state_keep(struct own_state *state);
void own_state_restore(struct own_state *state);
/* Bits of enum own_state_change; of this thread, before a restore. */
unsigned own_state_changes(const struct own_state *state);
/* Why standard output, which keeping flushes, could last not be written: an errno, or 0. */
int own_state_lost_output(void);
/* The locale of easim, which is "C", for this thread too. */
void own_state_set_locale(void);

#endif
