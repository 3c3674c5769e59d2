/* Characters of UTF-8, one by one. */
#ifndef EASIM_BASE_UTF8_H
#define EASIM_BASE_UTF8_H

#include <stdbool.h>
#include <stdint.h>

/* The code point at *text, which ends with a NUL and is not at it, and moves behind it; U+FFFD for
 * a byte that begins none. */
uint32_t utf8_next(const unsigned char **text);

/* Whether all of the text is UTF-8 without control characters (also those of Unicode that turn the
   direction of text, break its lines or cannot be seen); newlines: but for these. */
bool utf8_is_printable(const char *text, bool newlines);

#endif
