/* Pieces of YAML that both parts of a written model use. */
#ifndef EASIM_CALIBRATE_WRITER_TEXT_H
#define EASIM_CALIBRATE_WRITER_TEXT_H

#include "base/str.h"

/* "INDENTkey: value" on a line of its own, or nothing for a NAN. */
void writer_number(struct str *out, const char *indent_key, double value);
/* The same with a text, quoted. */
void writer_text(struct str *out, const char *indent_key, const char *text);
/* ", key: value" inside braces; the first one without a comma. NAN: nothing. */
void writer_item(struct str *out, const char *key, double value);
/* The same with a text, quoted. */
void writer_item_text(struct str *out, const char *key, const char *text);
/* "a, b, c". */
void writer_list(struct str *out, const double *at, size_t count);

#endif
