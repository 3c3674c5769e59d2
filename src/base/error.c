/* Keeps what went wrong as text that already names its place. */
#include "base/error.h"
#include "base/array.h"
#include "base/mem.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>

/* Head and tail of a text that is too long, cut between characters of UTF-8. */
static void keep_text(struct error *error, const struct str *text) {
    static const char gap[] = " ... ";
    size_t head = sizeof error->text / 2, tail = sizeof error->text - 1 - head - (sizeof gap - 1);
    if (text->length < sizeof error->text) {
        memcpy(error->text, text->text, text->length + 1);
        return;
    }
    const char *end = text->text + text->length - tail;
    while (head > 0 && ((unsigned char)text->text[head] & 0xc0) == 0x80)
        head--;
    while (((unsigned char)*end & 0xc0) == 0x80)
        end++;
    memcpy(error->text, text->text, head);
    memcpy(error->text + head, gap, sizeof gap - 1);
    strcpy(error->text + head + sizeof gap - 1,
           end); /* has room: both were made shorter, not longer */
}

int error_set(struct error *reterr, int code, const char *format, ...) {
    if (!reterr)
        return code;
    /* By way of a copy: callers add context with error_set(e, code, "...: %s", e->text). */
    struct str text = {0};
    va_list arguments;
    va_start(arguments, format);
    str_addv(&text, format, arguments);
    va_end(arguments);
    keep_text(reterr, &text);
    str_finish(&text);
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

/* Counts a problem; false if its file has enough texts. */
static bool keeps_text(struct problems *problems, const char *file) {
    problems->count++;
    if (!file || problems->every)
        return true;
    size_t i = problems->file_count;
    while (i > 0 && strcmp(problems->files[i - 1].name, file) != 0)
        i--;
    if (i == 0) {
        i = ++problems->file_count;
        if (i > problems->file_capacity)
            problems->files =
                array_grow(problems->files, &problems->file_capacity, sizeof *problems->files);
        problems->files[i - 1] = (struct problem_file){.name = mem_strdup(file)};
    }
    struct problem_file *of = &problems->files[i - 1];
    bool keep = of->kept < PROBLEMS_SHOWN;
    *(keep ? &of->kept : &of->hidden) += 1;
    return keep;
}

/* Takes the text over. */
static void keep_text_of_problem(struct problems *problems, struct str *text) {
    if (problems->kept == problems->capacity)
        problems->texts = array_grow(problems->texts, &problems->capacity, sizeof *problems->texts);
    problems->texts[problems->kept++] = text->text;
}

/* sign, path: "--", "gpu". */
static void add_problem(struct problems *problems, struct location where, const char *sign,
                        const char *path, const char *format, va_list arguments) {
    struct str text = {0}, raw = {0};
    if (!keeps_text(problems, where.file))
        return;
    add_place(&text, where);
    if (path && path[0])
        str_addf(&text, "%s%s: ", sign ? sign : "", path);
    str_addv(&raw, format, arguments);
    str_add_visible(&text, raw.text); /* input may hold anything; a problem is one line of text */
    str_finish(&raw);
    keep_text_of_problem(problems, &text);
}

int problems_add(struct problems *problems, struct location where, const char *path,
                 const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    add_problem(problems, where, NULL, path, format, arguments);
    va_end(arguments);
    return ERROR_INPUT;
}

int problems_add_setting(struct problems *problems, struct location where, const char *name,
                         const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    add_problem(problems, where, problems->dashes, name, format, arguments);
    va_end(arguments);
    return ERROR_INPUT;
}

int problems_say(struct problems *problems, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    add_problem(problems, (struct location){0}, NULL, NULL, format, arguments);
    va_end(arguments);
    return ERROR_INPUT;
}

void problems_say_count(struct problems *problems, const char *file, uint64_t count,
                        const char *what) {
    if (count > 0)
        problems_say(problems, "%s: %llu %s", file, (unsigned long long)count, what);
}

void problems_add_text(struct problems *problems, const char *file, const char *text) {
    struct str own = {0};
    if (!keeps_text(problems, file))
        return;
    str_add_visible(&own, text);
    keep_text_of_problem(problems, &own);
}

void problems_end(struct problems *problems) {
    for (size_t i = 0; i < problems->file_count; i++) {
        struct problem_file *file = &problems->files[i];
        struct str text = {0};
        if (file->hidden == 0)
            continue;
        str_addf(&text, "%s: ... and %zu more", file->name, file->hidden);
        keep_text_of_problem(problems, &text);
        file->hidden = 0;
    }
}

void problems_finish(struct problems *problems) {
    if (!problems)
        return;
    for (size_t i = 0; i < problems->kept; i++)
        free(problems->texts[i]);
    for (size_t i = 0; i < problems->file_count; i++)
        free(problems->files[i].name);
    free(problems->texts);
    free(problems->files);
    *problems = (struct problems){0};
}
