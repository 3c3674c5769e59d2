/* easim help TERM: rows of docs/glossary.md and docs/reference/outputs.md. */
#include "cli/cli.h"
#include "cli/internal.h"

#include <ctype.h>

/* In the order of the keys. Columns have a file as their place; unit and better may be empty. */
struct help_term {
    const char *key, *name, *place, *unit, *better, *definition;
};

#include "help_terms.h"

#define TERM_COUNT (sizeof help_terms / sizeof *help_terms)
#define MOST_NEAR  3

static size_t list_words(const char **words) {
    size_t count = 0;
    for (enum command c = 0; c < COMMAND_COUNT; c++)
        words[count++] = commands[c].name;
    for (size_t i = 0; i < TERM_COUNT; i++)
        if (i == 0 || strcmp(help_terms[i].key, help_terms[i - 1].key) != 0)
            words[count++] = help_terms[i].key;
    return count;
}

void help_add_words(struct str *out) {
    const char *words[COMMAND_COUNT + TERM_COUNT];
    size_t count = list_words(words);
    for (size_t i = 0; i < count; i++)
        if (!strchr(words[i], '*')) /* shells would expand it */
            str_addf(out, "%s%s", i > 0 ? " " : "", words[i]);
}

/* As tools/embed_text.py makes keys of names. */
static void add_key(struct str *out, const char *word) {
    for (; *word; word++)
        if (*word != '\'')
            str_add_char(out, *word == ' ' ? '-' : (char)tolower((unsigned char)*word));
}

static void add_term(const struct help_term *term, struct str *out) {
    str_addf(out, "%s (%s)%s%s%s%s\n", term->name, term->place, *term->unit ? ", " : "", term->unit,
             *term->better ? ", better: " : "", term->better);
    option_help_wrap(out, 2, term->definition);
}

static int refuse(const char *word) {
    const char *words[COMMAND_COUNT + TERM_COUNT], *near;
    size_t count = list_words(words);
    struct str nearest = {0};
    for (int i = 0; i < MOST_NEAR && (near = str_nearest(word, words, count)); i++) {
        str_addf(&nearest, "%s\"%s\"", i == 0 ? ", did you mean " : " or ", near);
        for (size_t w = 0; w < count; w++)
            if (words[w] == near)
                words[w] = words[--count];
    }
    str_add(&nearest, nearest.length > 0 ? "?" : "");
    cli_say("easim help: no command, column or term is named \"%s\"%s\n", word,
            nearest.length > 0 ? nearest.text : "");
    str_finish(&nearest);
    return EXIT_BAD_INPUT;
}

int help_explain(const char *word) {
    struct str key = {0}, text = {0};
    add_key(&key, word);
    for (size_t i = 0; i < TERM_COUNT; i++)
        if (strcmp(help_terms[i].key, key.length > 0 ? key.text : "") == 0)
            add_term(&help_terms[i], &text);
    int code = EXIT_DONE;
    if (text.length > 0)
        cli_show_lines(&text);
    else
        code = refuse(word);
    str_finish(&key);
    str_finish(&text);
    return code;
}
