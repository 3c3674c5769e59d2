/* Text read from its front, a character or a number of a few digits at a time. */
#ifndef EASIM_BASE_SCAN_H
#define EASIM_BASE_SCAN_H

#include <stdbool.h>

/* What is left of the text. */
struct scan {
    const char *at, *end;
};

static inline bool scan_skip(struct scan *s, char c) {
    bool there = s->at < s->end && *s->at == c;
    s->at += there;
    return there;
}

/* Reads up to `most` (at most 9) digits; returns how many there were. *value is 0 if there were
 * none. */
static inline int scan_digits(struct scan *s, int most, int *value) {
    const char *begin = s->at;
    for (*value = 0; s->at < s->end && *s->at >= '0' && *s->at <= '9' && s->at - begin < most;
         s->at++)
        *value = 10 * *value + (*s->at - '0');
    return (int)(s->at - begin);
}

#endif
