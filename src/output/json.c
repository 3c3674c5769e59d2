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

void json_print(cJSON *root, struct str *out) {
    char *text = cJSON_Print(root);
    str_add(out, text);
    str_add_char(out, '\n');
    cJSON_free(text);
    cJSON_Delete(root);
}
