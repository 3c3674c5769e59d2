/* The page of a report: see report_page.h. Its parts are in page/. */
#include "output/html/report_page.h"

#include "io/files.h"
#include "report_parts.h"

#include <string.h>

#define MOST_D3 ((size_t)16 << 20)
/* then the rest of the version, and its copyright */
#define D3_HEAD "// https://d3js.org v5."

int report_page_d3(const char *path, struct str *text, struct error *reterr) {
    const char *file = path ? path : EASIM_D3_FILE;
    if (!files_exist(file))
        return error_set(reterr, path ? ERROR_INPUT : ERROR_RUN,
                         "%s: cannot read D3, which draws the charts of a report: install the "
                         "package node-d3, or name another file of D3 version 5",
                         file);
    int r = files_read(file, MOST_D3, text, reterr);
    if (r < 0)
        return r;
    if (text->length == 0 || strncmp(text->text, D3_HEAD, strlen(D3_HEAD)) != 0)
        return error_set(reterr, ERROR_INPUT,
                         "%s: expected D3 of version 5, which begins with \"" D3_HEAD "\"", file);
    if (memmem(text->text, text->length, "</script", 8) ||
        memmem(text->text, text->length, "<!--", 4))
        return error_set(reterr, ERROR_INPUT, "%s: cannot stand in a page: it has </script or <!--",
                         file);
    return 0;
}

/* In JSON these can only be inside of texts, where an escape says the same. */
static void add_escaped(struct str *out, const struct str *json) {
    const char *from = json->text, *end = json->text + json->length;
    str_reserve(out, json->length + json->length / 16);
    for (const char *at = from; at < end; at++) {
        bool separator = (unsigned char)*at == 0xe2 && end - at > 2 &&
                         (unsigned char)at[1] == 0x80 && ((unsigned char)at[2] & 0xfe) == 0xa8;
        if (*at != '<' && *at != '>' && *at != '&' && !separator)
            continue;
        str_add_bytes(out, from, (size_t)(at - from));
        str_addf(out, "\\u%04x", separator ? 0x2000u + (unsigned)(at[2] & 0x3f) : (unsigned)*at);
        from = separator ? (at += 2) + 1 : at + 1;
    }
    str_add_bytes(out, from, (size_t)(end - from));
}

void report_page(const struct str *json, const struct str *d3, struct str *out) {
    for (const char *at = part_page; *at;) {
        const char *mark = strstr(at, "@@");
        if (!mark) {
            str_add(out, at);
            break;
        }
        str_add_bytes(out, at, (size_t)(mark - at));
        const char *name = mark + 2;
        at = strstr(name, "@@") + 2;
        if (strncmp(name, "STYLE", 5) == 0)
            str_add(out, part_style);
        else if (strncmp(name, "D3", 2) == 0)
            str_add_bytes(out, d3->text, d3->length);
        else if (strncmp(name, "DATA", 4) == 0)
            add_escaped(out, json);
        else
            str_add(out, part_script);
    }
}
