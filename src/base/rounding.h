/* How this thread computes with floating-point numbers: rounded to nearest, subnormal numbers kept,
   as C has it at the start. Code of others may change it for all that comes after. */
#ifndef EASIM_BASE_ROUNDING_H
#define EASIM_BASE_ROUNDING_H

#include <fenv.h>
#include <stdbool.h>
#include <stdint.h>

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
