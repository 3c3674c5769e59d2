/* JSON numbers: see json.h. */
#include "output/json.h"

#include "base/numfmt.h"

#include <math.h>

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

void json_add_text(cJSON *object, const char *name, const char *text) {
    if (text)
        cJSON_AddStringToObject(object, name, text);
    else
        cJSON_AddNullToObject(object, name);
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
