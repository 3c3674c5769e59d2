/* Numbers in JSON as text of our own, because cJSON does not keep every double. */
#ifndef EASIM_OUTPUT_JSON_H
#define EASIM_OUTPUT_JSON_H

#include "base/error.h"
#include "base/str.h"
#include "experiment/statistics.h"

#include <cjson/cJSON.h>

void json_add_real(cJSON *object, const char *name, double value); /* null if not finite */
void json_add_int(cJSON *object, const char *name, int64_t value);
void json_add_text(cJSON *object, const char *name, const char *text); /* null if NULL */
/* null: before 0, or no such instant */
void json_add_seconds(cJSON *object, const char *name, int64_t time_ns);
void json_add_natural(cJSON *object, const char *name, int64_t value); /* null below 0 */
#define json_add_flag cJSON_AddBoolToObject
/* A new object at the end of a list; the list owns it. */
cJSON *json_append_object(cJSON *list);
/* An object of n, mean and ci95. */
void json_add_estimate(cJSON *object, const char *name, const struct estimate *estimate);
/* Appends the text and a line end; frees root. */
void json_print(cJSON *root, struct str *out);

/* --- json_out --- */
/* JSON written as text, for data too many for a tree; commas come by themselves. */

void json_out_open(struct str *out, char bracket); /* { or [ */
void json_out_close(struct str *out, char bracket);
/* The key of a member; its value comes next. */
void json_out_key(struct str *out, const char *key);
void json_out_text(struct str *out, const char *text); /* NULL: null */
void json_out_int(struct str *out, int64_t value);
void json_out_real(struct str *out, double value); /* not finite: null */
/* Rounded to this number of significant digits, for charts. */
void json_out_short(struct str *out, double value, int digits);
/* Text that is JSON already. */
void json_out_raw(struct str *out, const char *text, size_t length);

/* A member of each sort. */
void json_out_member_open(struct str *out, const char *key, char bracket);
void json_out_member_text(struct str *out, const char *key, const char *text);
void json_out_member_int(struct str *out, const char *key, int64_t value);
void json_out_member_real(struct str *out, const char *key, double value);

#endif
