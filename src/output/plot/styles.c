/* Colors and markers: see styles.h. */
#include "output/plot/styles.h"

#include "policy_colors.h"

#include <stdbool.h>
#include <string.h>

#define ROW_OF(name, color, marker) {name, {color, marker, 1}},
#define ROWS                        (sizeof rows / sizeof *rows)

static const struct row {
    const char *name; /* "": nobody's */
    struct plot_style style;
} rows[] = {POLICY_COLORS(ROW_OF)};

static const struct row *find_row(const char *name) {
    for (size_t i = 0; i < ROWS; i++)
        if (name[0] && strcmp(rows[i].name, name) == 0)
            return &rows[i];
    return NULL;
}

/* The next free one, nobody's first; when all are taken they come again, dashed. */
static struct plot_style take_free(bool *taken, size_t *again) {
    for (int owned = 0; owned < 2; owned++)
        for (size_t i = 0; i < ROWS; i++)
            if (!taken[i] && !!rows[i].name[0] == owned) {
                taken[i] = true;
                return rows[i].style;
            }
    struct plot_style style = rows[(*again)++ % ROWS].style;
    style.dash = 2;
    return style;
}

void plot_styles_of_policies(const char *const *names, size_t count, struct plot_style *styles) {
    bool taken[ROWS] = {false};
    size_t again = 0, next;
    for (size_t i = 0; i < count; i++) {
        const struct row *own = find_row(names[i]);
        styles[i] = own ? own->style : (struct plot_style){NULL, 0, 0};
        if (own)
            taken[own - rows] = true;
    }
    do {
        next = count;
        for (size_t i = 0; i < count; i++)
            if (!styles[i].color && (next == count || strcmp(names[i], names[next]) < 0))
                next = i;
        if (next < count)
            styles[next] = take_free(taken, &again);
    } while (next < count);
}

void plot_styles_of_values(const char *const *texts, size_t count, struct plot_style *styles) {
    /* Okabe and Ito's palette without its yellow (too pale on white), a grey and a wine red. With 4
       dashes they are 36 different lines; the first ones, over which others are drawn, are solid.
     */
    static const char *const colors[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00",
                                         "#56B4E9", "#000000", "#8C8C8C", "#882255"};
    static const int markers[] = {7, 5, 9, 11, 13};
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        any = any || find_row(texts[i]);
        styles[i] =
            (struct plot_style){colors[i % 9], markers[(i + i / 9) % 5], 1 + (int)(i / 3 % 4)};
    }
    if (any)
        plot_styles_of_policies(texts, count, styles);
}
