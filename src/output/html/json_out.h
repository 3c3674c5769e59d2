/* JSON that is written as text, for data too many for a tree. Values follow each other; commas come
   by themselves. */
#ifndef EASIM_OUTPUT_HTML_JSON_OUT_H
#define EASIM_OUTPUT_HTML_JSON_OUT_H

#include "base/error.h"
#include "base/str.h"

void json_out_open(struct str *out, char bracket); /* { or [ */
void json_out_close(struct str *out, char bracket);
/* Of a member; its value comes next. */
void json_out_key(struct str *out, const char *key);
void json_out_text(struct str *out, const char *text); /* NULL: null */
void json_out_int(struct str *out, int64_t value);
void json_out_real(struct str *out, double value); /* not finite: null */
/* Rounded to so many significant digits, for charts. */
void json_out_short(struct str *out, double value, int digits);
/* Seconds, rounded to the millisecond. */
void json_out_time(struct str *out, int64_t time_ns);
/* Text that is JSON already. */
void json_out_raw(struct str *out, const char *text, size_t length);
/* Each number as 16 bits, low byte first, a share of `most` in 65535ths; all in base 64. Below 0
   counts as 0. */
void json_out_shares(struct str *out, const double *values, size_t count, double most);

/* A member of each sort. */
void json_out_member_text(struct str *out, const char *key, const char *text);
void json_out_member_int(struct str *out, const char *key, int64_t value);
void json_out_member_real(struct str *out, const char *key, double value);

#endif
