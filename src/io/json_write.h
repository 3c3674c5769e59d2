/* Text as JSON (RFC 8259). */
#ifndef EASIM_IO_JSON_WRITE_H
#define EASIM_IO_JSON_WRITE_H

#include "base/str.h"

/* Appends text in quotes. What is no UTF-8 becomes U+FFFD. */
void json_write_text(struct str *out, const char *text);

#endif
