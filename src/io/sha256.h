/* SHA-256 as text, the way sha256sum prints it. */
#ifndef EASIM_IO_SHA256_H
#define EASIM_IO_SHA256_H

#include "base/error.h"
#include "base/str.h"

#define SHA256_TEXT    65 /* 64 hexadecimal digits and a NUL */
#define SHA256_NO_FILE 1

void sha256_text(struct slice text, char digest[static SHA256_TEXT]);
/* Of the bytes of a regular file, and how many they are. SHA256_NO_FILE: there is none at path.
   ERROR_INPUT: it may not be read. ERROR_IO: it is there, and reading it failed. */
int sha256_file(const char *path, char digest[static SHA256_TEXT], uint64_t *ret_bytes,
                struct error *reterr) MUST_CHECK;
/* Whether there is a file at path that has it; NULL: not known. The process ends if reading it
   fails (machine.h). */
bool sha256_is_of_file(const char *sha256, const char *path);

#endif
