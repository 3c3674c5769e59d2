/* What runs do beside their results: what they change in their process, which is working folder,
   umask, locale and signals, and what they write to standard output and standard error. (Another
   rounding ends a run.) */
#ifndef EASIM_CONFORMANCE_RUN_EFFECTS_H
#define EASIM_CONFORMANCE_RUN_EFFECTS_H

#include "base/str.h"

struct run_effects {
    int streams[2];     /* files that take standard output and error of runs; -1: none */
    struct str changes; /* in words, the first scenario of each; "" if nothing */
};

void run_effects_open(struct run_effects *effects);
void run_effects_close(struct run_effects *effects);
/* In a child: its standard streams are these files, empty. */
void run_effects_take_streams(const struct run_effects *effects);
/* After a run: adds what it has changed (bits of enum own_state_change) and written. */
void run_effects_note(struct run_effects *effects, unsigned changes, const char *scenario);
/* Shows the beginning of what it has written to standard error there: it has failed. */
void run_effects_show_errors(const struct run_effects *effects);

#endif
