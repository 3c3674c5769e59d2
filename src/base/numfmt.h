/* Numbers to text and back in any locale. What is written reads back to the same bits. */
#ifndef EASIM_BASE_NUMFMT_H
#define EASIM_BASE_NUMFMT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NUMFMT_BYTES       32 /* enough for any number written here, NUL included */
#define NUMFMT_SAFE_DIGITS 18 /* so many decimal digits fit an int64 in any case */

/* Shortest decimal that reads back exactly (Schubfach, R. Giulietti 2020). value must be finite.
   Plain notation for 1e-5 <= |value| < 1e17 ("13.588", "400", "0.00012"), else "1.5e+20". Returns
   the length. */
size_t numfmt_real(char text[static NUMFMT_BYTES], double value);
size_t numfmt_int(char text[static NUMFMT_BYTES], int64_t value);
/* Nanoseconds as seconds, every digit kept, no trailing zeros: 1500000000 -> "1.5". */
size_t numfmt_ns(char text[static NUMFMT_BYTES], int64_t time_ns);

/* Whole-text parsers: false unless all of text[0..length) is one decimal number (optional sign, no
   surrounding blanks, no hex, no nan, no inf). Correctly rounded; out of range is false. *value is
   untouched on failure. */
bool numfmt_parse_real(const char *text, size_t length, double *value);
/* The same times factor * 10^exponent, rounded once (of over 19 digits twice): 1.005 by 10^3 is
 * 1005. */
bool numfmt_parse_scaled(const char *text, size_t length, uint32_t factor, int exponent,
                         double *value);
/* Whether the text is nan or infinity, in any language's way, or too large for a double. */
bool numfmt_is_infinite(const char *text, size_t length);
bool numfmt_parse_int(const char *text, size_t length, int64_t *value);
/* The usual number that a text begins with: at most 16 digits, with a point and a minus or without.
   Returns the place behind it; NULL: there is none, or one that only numfmt_parse_real reads. A
   byte that is none of it stands behind it. */
const char *numfmt_scan_real(const char *text, double *value);
/* The number that a text begins with, as 400 of "400 W"; returns its length, 0: there is none. */
size_t numfmt_prefix(const char *text, double *value);

#endif
