/* Look-up in a tree. */
#include "io/yaml_node.h"

#include "base/numfmt.h"

#include <assert.h>
#include <math.h>
#include <string.h>

struct yaml_node *yaml_find(const struct yaml_node *mapping, const char *key) {
    if (!mapping || mapping->kind != YAML_NODE_MAPPING)
        return NULL;
    for (size_t i = 0; i < mapping->count; i++)
        if (mapping->keys[i]->text[0] == key[0] && strcmp(mapping->keys[i]->text, key) == 0)
            return mapping->items[i];
    return NULL;
}

static bool is_null_text(const char *text) {
    return text[0] == '\0' || strcmp(text, "~") == 0 || strcmp(text, "null") == 0;
}

bool yaml_is_null(const struct yaml_node *node) {
    return !node || (node->kind == YAML_NODE_SCALAR && !node->quoted && is_null_text(node->text));
}

/* --- yaml_text --- */
/* What plain words mean differs: YAML 1.1 knows yes and off, sexagesimal 1:30, 0x10, 1_000, dates,
   and no exponent without a point; libyaml hands all of them to easim as text. */

void yaml_add_real(struct str *out, double value) {
    char text[NUMFMT_BYTES];
    assert(isfinite(value));
    size_t length = numfmt_real(text, value), mantissa = strcspn(text, "e");
    str_add_bytes(out, text, mantissa);
    if (mantissa < length && !memchr(text, '.', mantissa))
        str_add(out, ".0");
    str_add(out, text + mantissa);
}

/* ---- Text ---- */

static bool is_word_byte(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           strchr("_-./", c);
}

/* Letters first, so no number, date or sign of YAML; and none of its words. */
bool yaml_is_plain(const char *text) {
    static const char *const words[] = {"true", "false", "yes", "no", "on",
                                        "off",  "null",  "y",   "n"};
    struct slice all = {text, strlen(text)};
    if (!(*text >= 'a' && *text <= 'z') && !(*text >= 'A' && *text <= 'Z') && *text != '/')
        return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (slice_is_word(all, words[i]))
            return false;
    for (const char *c = text; *c; c++)
        if (!is_word_byte(*c))
            return false;
    return true;
}

/* Line ends that YAML folds, and what it calls not printable. */
static bool needs_escape(uint32_t point) {
    return point < 0x20 || (point >= 0x7f && point < 0xa0) || point == 0x2028 || point == 0x2029 ||
           point == 0xfeff || (point & 0xfffe) == 0xfffe || point == 0xfffd;
}

void yaml_add_quoted(struct str *out, const char *text) {
    const unsigned char *at = (const unsigned char *)text;
    str_add_char(out, '"');
    while (*at) {
        const unsigned char *begin = at;
        uint32_t point = utf8_next(&at);
        if (point == '"' || point == '\\')
            str_addf(out, "\\%c", (int)point);
        else if (needs_escape(point))
            str_addf(out,
                     point < 0x100     ? "\\x%02X"
                     : point < 0x10000 ? "\\u%04X"
                                       : "\\U%08X",
                     (unsigned)point);
        else
            str_add_bytes(out, (const char *)begin, (size_t)(at - begin));
    }
    str_add_char(out, '"');
}

void yaml_add_escaped(struct str *out, const char *text) {
    for (size_t plain; *text; text += plain + (text[plain] != '\0')) {
        plain = strcspn(text, "\\\"\n\t");
        str_add_bytes(out, text, plain);
        if (text[plain] == '\n' || text[plain] == '\t')
            str_add(out, text[plain] == '\n' ? "\\n" : "\\t");
        else if (text[plain])
            str_addf(out, "\\%c", text[plain]);
    }
}

/* ---- Scalars ---- */

/* A number that is one in YAML 1.1 too stays as it is; with an exponent it may need a point. Those
   with leading zeros are octal there. */
static bool add_number(struct str *out, const struct yaml_node *node) {
    double real;
    const char *digits = node->text + (node->text[0] == '-' || node->text[0] == '+');
    bool is_octal = digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9';
    if (is_octal || !numfmt_parse_real(node->text, node->length, &real))
        return false;
    if (strpbrk(node->text, "eE"))
        yaml_add_real(out, real);
    else
        str_add_bytes(out, node->text, node->length);
    return true;
}

bool yaml_scalar_text(const struct yaml_node *node, struct str *text) {
    bool is_truth = strcmp(node->text, "true") == 0 || strcmp(node->text, "false") == 0;
    if (yaml_is_null(node)) {
        str_add(text, "null");
        return true;
    }
    if (!node->quoted && !is_truth && add_number(text, node))
        return true;
    str_add_bytes(text, node->text, node->length);
    return !node->quoted && (is_truth || yaml_is_plain(node->text));
}

/* --- yaml_flow --- */

static void add_quoted_text(const char *text, struct str *out) {
    str_add_char(out, '"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            str_add_char(out, '\\');
        if (*text == '\n')
            str_add(out, "\\n");
        else
            str_add_char(out, *text);
    }
    str_add_char(out, '"');
}

static void add_flow(const struct yaml_node *node, struct str *out) {
    bool mapping = node->kind == YAML_NODE_MAPPING;
    if (node->kind == YAML_NODE_SCALAR) {
        if (node->quoted || strpbrk(node->text, ",[]{}#") || strstr(node->text, ": "))
            add_quoted_text(node->text, out);
        else
            str_add(out, node->text);
        return;
    }
    str_add_char(out, mapping ? '{' : '[');
    for (size_t i = 0; i < node->count; i++) {
        str_add(out, i > 0 ? ", " : "");
        if (mapping) {
            add_flow(node->keys[i], out);
            str_add(out, ": ");
        }
        add_flow(node->items[i], out);
    }
    str_add_char(out, mapping ? '}' : ']');
}

const char *yaml_flow_text(const struct yaml_node *node, struct arena *arena) {
    struct str text = {0};
    add_flow(node, &text);
    const char *result = text.length > 0 ? arena_strndup(arena, text.text, text.length) : "~";
    str_finish(&text);
    return result;
}
