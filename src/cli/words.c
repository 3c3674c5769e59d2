/* A second pass over the command line, by getopt_long as in argp's own: whatever option a command
   has or gets is kept, unless it is listed here. */
#include "cli/words.h"

#include "base/array.h"

#include <getopt.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_VALUE 4096 /* of getopt's return values: above all characters */

/* Of no consequence for files, or in scenario.yaml, or steps on the way of a sweep. */
static const char *const left_out[] = {
    "out",    "force",        "threads", "quiet", "format",       "timing", "check",
    "strict", "policy",       "set",     "seed",  "replications", "shard",  "merge",
    "list",   "retry-failed", "engine",  "tasks", "sbatch"};

struct table {
    ARRAY_OF(struct option) options;
    ARRAY_OF(int) letters; /* by option: its letter, or 0 */
    char letters_text[256];
};

static void collect(struct table *t, const struct argp *argp) {
    for (const struct argp_option *o = argp->options; o && (o->name || o->key); o++) {
        int value = FIRST_VALUE + (int)t->options.count;
        array_push(&t->options,
                   ((struct option){.name = o->name, .has_arg = o->arg ? 1 : 0, .val = value}));
        bool letter = o->key > ' ' && o->key < 127;
        array_push(&t->letters, letter ? o->key : 0);
        size_t length = strlen(t->letters_text);
        if (letter && length + 3 < sizeof t->letters_text) {
            t->letters_text[length++] = (char)o->key;
            t->letters_text[length++] = o->arg ? ':' : '\0';
        }
    }
    for (const struct argp_child *c = argp->children; c && c->argp; c++)
        collect(t, c->argp);
}

/* Number of the option that getopt has found. */
static size_t number_of(const struct table *t, int found) {
    size_t i = 0;
    if (found >= FIRST_VALUE)
        return (size_t)(found - FIRST_VALUE);
    while (i < t->letters.count && t->letters.at[i] != found)
        i++;
    return i;
}

static bool is_left_out(const char *name) {
    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
        if (strcmp(name, left_out[i]) == 0)
            return true;
    return false;
}

const char *const *words_of(const struct argp *argp, int argc, char **argv, struct arena *arena) {
    struct table t = {.letters_text = ""};
    const char **words = arena_alloc(arena, ((size_t)argc + 1) * sizeof *words);
    char **copy =
        arena_alloc(arena, ((size_t)argc + 1) * sizeof *copy); /* getopt moves words about */
    size_t count = 0;
    int found;
    memcpy(copy, argv, (size_t)argc * sizeof *copy);
    collect(&t, argp);
    (void)array_add(&t.options); /* the end of the table */
    optind = 0;
    opterr = 0;
    while ((found = getopt_long(argc, copy, t.letters_text, t.options.at, NULL)) != -1) {
        size_t i = number_of(&t, found);
        if (i + 1 >= t.options.count || is_left_out(t.options.at[i].name))
            continue;
        words[count++] = t.options.at[i].has_arg
                             ? arena_printf(arena, "--%s=%s", t.options.at[i].name, optarg)
                             : arena_printf(arena, "--%s", t.options.at[i].name);
    }
    for (int i = optind + 1; i < argc; i++)
        words[count++] = arena_strdup(arena, copy[i]);
    free(t.options.at);
    free(t.letters.at);
    return words;
}
