/* Pieces of YAML: see writer_text.h. */
#include "calibrate/writer_text.h"

#include "io/yaml_node.h"

#include <math.h>

void writer_number(struct str *out, const char *indent_key, double value) {
    if (!isfinite(value))
        return;
    str_addf(out, "%s: ", indent_key);
    yaml_add_real(out, value);
    str_add_char(out, '\n');
}

void writer_text(struct str *out, const char *indent_key, const char *text) {
    str_addf(out, "%s: ", indent_key);
    yaml_add_quoted(out, text);
    str_add_char(out, '\n');
}

static void add_key(struct str *out, const char *key) {
    str_addf(out, "%s%s: ", out->text[out->length - 1] == '{' ? "" : ", ", key);
}

void writer_item(struct str *out, const char *key, double value) {
    if (!isfinite(value))
        return;
    add_key(out, key);
    yaml_add_real(out, value);
}

void writer_item_text(struct str *out, const char *key, const char *text) {
    add_key(out, key);
    yaml_add_quoted(out, text);
}

void writer_list(struct str *out, const double *at, size_t count) {
    for (size_t i = 0; i < count; i++) {
        str_add(out, i ? ", " : "");
        yaml_add_real(out, at[i]);
    }
}
