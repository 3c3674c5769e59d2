/* JSON numbers: see json.h. */
#include "output/json.h"

#include "base/numfmt.h"
#include "base/units.h"
#include "io/json_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void json_add_real(cJSON *object, const char *name, double value) {
    char text[NUMFMT_BYTES];
    if (!isfinite(value)) {
        cJSON_AddNullToObject(object, name);
        return;
    }
    numfmt_real(text, value);
    cJSON_AddRawToObject(object, name, text);
}

void json_add_int(cJSON *object, const char *name, int64_t value) {
    char text[NUMFMT_BYTES];
    numfmt_int(text, value);
    cJSON_AddRawToObject(object, name, text);
}

void json_add_seconds(cJSON *object, const char *name, int64_t time_ns) {
    json_add_real(object, name, time_ns < 0 || time_ns == TIME_NONE_NS ? NAN : units_s(time_ns));
}

void json_add_natural(cJSON *object, const char *name, int64_t value) {
    if (value >= 0)
        json_add_int(object, name, value);
    else
        cJSON_AddNullToObject(object, name);
}

void json_add_text(cJSON *object, const char *name, const char *text) {
    if (text)
        cJSON_AddStringToObject(object, name, text);
    else
        cJSON_AddNullToObject(object, name);
}

cJSON *json_append_object(cJSON *list) {
    cJSON *object = cJSON_CreateObject();
    cJSON_AddItemToArray(list, object);
    return object;
}

void json_add_estimate(cJSON *object, const char *name, const struct estimate *estimate) {
    cJSON *own = cJSON_AddObjectToObject(object, name);
    json_add_int(own, "n", (int64_t)estimate->n);
    json_add_real(own, "mean", estimate->mean);
    json_add_real(own, "ci95", estimate->ci95);
}

void json_print(cJSON *root, struct str *out) {
    char *text = cJSON_Print(root);
    str_add(out, text);
    str_add_char(out, '\n');
    cJSON_free(text);
    cJSON_Delete(root);
}

/* --- json_out --- */

/* A comma, unless the value is the first of what is open, or that of a key. */
static void begin_value(struct str *out) {
    if (out->length > 0 && !strchr("{[:", out->text[out->length - 1]))
        str_add_char(out, ',');
}

void json_out_open(struct str *out, char bracket) {
    begin_value(out);
    str_add_char(out, bracket);
}

void json_out_close(struct str *out, char bracket) {
    str_add_char(out, bracket);
}

void json_out_key(struct str *out, const char *key) {
    begin_value(out);
    json_write_text(out, key);
    str_add_char(out, ':');
}

void json_out_text(struct str *out, const char *text) {
    begin_value(out);
    if (text)
        json_write_text(out, text);
    else
        str_add(out, "null");
}

void json_out_int(struct str *out, int64_t value) {
    begin_value(out);
    str_add_int(out, value);
}

void json_out_real(struct str *out, double value) {
    begin_value(out);
    if (isfinite(value))
        str_add_real(out, value);
    else
        str_add(out, "null");
}

void json_out_short(struct str *out, double value, int digits) {
    if (isfinite(value) && value != 0) {
        int decimals = digits - 1 - (int)floor(log10(fabs(value)));
        double factor = pow(10, abs(decimals));
        double rounded =
            decimals >= 0 ? round(value * factor) / factor : round(value / factor) * factor;
        if (isfinite(rounded))
            value = rounded;
    }
    json_out_real(out, value);
}

void json_out_raw(struct str *out, const char *text, size_t length) {
    begin_value(out);
    str_add_bytes(out, text, length);
}

void json_out_member_open(struct str *out, const char *key, char bracket) {
    json_out_key(out, key);
    json_out_open(out, bracket);
}

void json_out_member_text(struct str *out, const char *key, const char *text) {
    json_out_key(out, key);
    json_out_text(out, text);
}

void json_out_member_int(struct str *out, const char *key, int64_t value) {
    json_out_key(out, key);
    json_out_int(out, value);
}

void json_out_member_real(struct str *out, const char *key, double value) {
    json_out_key(out, key);
    json_out_real(out, value);
}
