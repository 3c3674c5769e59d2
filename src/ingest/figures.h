/* Named figures in groups and lists, written as JSON or as tables: what a profile reader found. */
#ifndef EASIM_INGEST_FIGURES_H
#define EASIM_INGEST_FIGURES_H

#include "base/arena.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

enum figure_kind {
    FIGURE_NONE,
    FIGURE_REAL,
    FIGURE_INT,
    FIGURE_BOOL,
    FIGURE_TEXT,
    FIGURE_GROUP,
    FIGURE_LIST
};

struct figure {
    const char *name; /* NULL in a list */
    enum figure_kind kind;
    bool json_only; /* too much for a table */
    union {         /* by kind; none: nothing */
        double real;
        int64_t integer; /* also of a bool */
        const char *text;
        struct {
            struct figure *first, *last;
        } members;
    };
    struct figure *next; /* of the same parent */
    struct arena *arena;
};

/* Names are borrowed, texts copied. Members keep their order; name is NULL in a list. */
struct figure *figures_create(struct arena *arena); /* a group */
struct figure *figures_group(struct figure *parent, const char *name);
struct figure *figures_list(struct figure *parent, const char *name);
void figures_real(struct figure *parent, const char *name,
                  double value); /* NaN and infinity: none */
void figures_int(struct figure *parent, const char *name, int64_t value);
void figures_number(struct figure *parent, const char *name, int64_t value); /* below 0: none */
void figures_bool(struct figure *parent, const char *name, bool value);
void figures_text(struct figure *parent, const char *name, const char *value); /* NULL: none */
void figures_none(struct figure *parent, const char *name);

void figures_write_json(const struct figure *root, struct str *out);
/* The single figures of each group of a list as a row; columns are those of the first one. */
void figures_write_csv(const struct figure *list, struct str *out);
/* The member of that name, or NULL. */
const struct figure *figures_find(const struct figure *parent, const char *name);
/* Single figures as "name value" lines, a list of groups as a table of its single figures, at most
   most_rows rows of each. */
void figures_write_table(const struct figure *root, size_t most_rows, struct str *out);

#endif
