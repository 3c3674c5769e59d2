/* Characters of UTF-8, one by one. */
#ifndef EASIM_BASE_UTF8_H
#define EASIM_BASE_UTF8_H

#include <stdint.h>

/* The code point at *text, which ends with a NUL and is not at it, and moves behind it; U+FFFD for
 * a byte that begins none. */
uint32_t utf8_next(const unsigned char **text);

#endif
