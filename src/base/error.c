/* Keeps what went wrong as text that already names its place. */
#include "base/error.h"
#include "base/array.h"
#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int error_set(struct error *reterr, int code, const char *format, ...) {
    if (!reterr)
        return code;
    /* By way of a copy: callers add context with error_set(e, code, "...: %s", e->text). */
    char text[sizeof reterr->text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    memcpy(reterr->text, text, strlen(text) + 1);
    reterr->code = code;
    return code;
}

static void add_place(struct str *text, struct location where) {
    if (where.file)
        str_addf(text, "%s:", where.file);
    if (where.line > 0)
        str_addf(text, "%u:", (unsigned)where.line);
    if (where.line > 0 && where.column > 0)
        str_addf(text, "%u:", (unsigned)where.column);
    if (text->length > 0)
        str_add_char(text, ' ');
}

void problems_add(struct problems *problems, struct location where, const char *path, const char *format, ...) {
    struct str text = {0};
    add_place(&text, where);
    if (path && path[0])
        str_addf(&text, "%s: ", path);
    va_list arguments;
    va_start(arguments, format);
    str_addv(&text, format, arguments);
    va_end(arguments);
    for (size_t i = 0; i < text.length; i++) /* input may hold anything; a problem is one line of text */
        if ((unsigned char)text.text[i] < ' ' || text.text[i] == 0x7f)
            text.text[i] = '?';
    if (problems->count == problems->capacity)
        problems->texts = array_grow(problems->texts, &problems->capacity, sizeof *problems->texts);
    problems->texts[problems->count++] = text.text;
}

void problems_finish(struct problems *problems) {
    if (!problems)
        return;
    for (size_t i = 0; i < problems->count; i++)
        free(problems->texts[i]);
    free(problems->texts);
    *problems = (struct problems){0};
}
