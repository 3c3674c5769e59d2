/* What a plug-in could change in this process for all that comes after: working folder, umask,
   locale, rounding, signals, standard output. */
#ifndef EASIM_BASE_OWN_STATE_H
#define EASIM_BASE_OWN_STATE_H

#include <fenv.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define OWN_STATE_SIGNALS 32 /* the standard ones, by number */

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

/* --- rounding --- */
/* This thread rounds to nearest and keeps subnormal numbers, as C has it at the start. */

#if defined(__x86_64__)
#define ROUNDING_SSE  0xffc0u /* of MXCSR all but what operations raise; exceptions are masked */
#define ROUNDING_SSE0 0x1f80u
#define ROUNDING_X87  0x0f3fu
#define ROUNDING_X870 0x033fu
#endif

/* A few instructions: no call. */
static inline bool rounding_is_usual(void) {
#if defined(__x86_64__)
    uint32_t sse;
    uint16_t x87;
    __asm__ volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(sse), "=m"(x87));
    return (sse & ROUNDING_SSE) == ROUNDING_SSE0 && (x87 & ROUNDING_X87) == ROUNDING_X870;
#else
    return fegetround() == FE_TONEAREST;
#endif
}

static inline void rounding_set_usual(void) {
    (void)fesetenv(FE_DFL_ENV);
}

#endif
