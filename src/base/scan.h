/* Text read from its front, a character or a number of a few digits at a time. */
#ifndef EASIM_BASE_SCAN_H
#define EASIM_BASE_SCAN_H

#include <stdbool.h>

/* What is left of the text. */
struct scan {
    const char *at, *end;
};

static inline bool scan_skip(struct scan *scan, char c) {
    bool there = scan->at < scan->end && *scan->at == c;
    scan->at += there;
    return there;
}

/* Reads up to `most` (at most 9) digits; returns how many there were. *value is 0 if none. */
static inline int scan_digits(struct scan *scan, int most, int *value) {
    const char *begin = scan->at;
    for (*value = 0;
         scan->at < scan->end && *scan->at >= '0' && *scan->at <= '9' && scan->at - begin < most;
         scan->at++)
        *value = 10 * *value + (*scan->at - '0');
    return (int)(scan->at - begin);
}

#endif
