/* The variables of a script, notes and reasons. Invariant: text of the results is only between
   single quotes, in which gnuplot replaces and runs nothing, and has none itself: gnuplot 5.4 does
   not read doubled quotes everywhere. */
#include "output/plot/figure.h"

#include "base/str.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

#define MOST_LEGEND 26 /* characters of a legend entry */
#define MOST_TITLE  64 /* of a line as wide as a figure */

/* Bytes of the UTF-8 character at text (which ends with a NUL and is not at it); 0 if it is none,
   or none of XML. */
static size_t character_bytes(const unsigned char *text) {
    const unsigned char *end = text;
    uint32_t point = utf8_next(&end);
    bool is_bad_byte = point == 0xfffd && end == text + 1;
    return is_bad_byte || point == 0xfffe || point == 0xffff ? 0 : (size_t)(end - text);
}

static size_t count_characters(const char *text) {
    size_t count = 0;
    for (; *text; count++) {
        size_t bytes = character_bytes((const unsigned char *)text);
        text += bytes > 0 ? bytes : 1;
    }
    return count;
}

/* The text between quotes; of more than `most` characters the middle is left out. */
static void add_quoted(struct str *out, const char *text, size_t most) {
    size_t count = count_characters(text), head = count > most ? most / 2 : count;
    size_t tail = count > most ? count - (most - head - 1) : count;
    str_add_char(out, '\'');
    for (size_t i = 0; *text; i++) {
        size_t bytes = character_bytes((const unsigned char *)text);
        bool shown = i < head || i >= tail,
             control = bytes == 1 && ((unsigned char)*text < ' ' || *text == 0x7f);
        if (i == head && head < tail)
            str_add(out, "…");
        else if (shown && (bytes == 0 || control))
            str_add_char(out, control ? ' ' : '?');
        else if (shown && *text == '\'')
            str_add(out, "’");
        else if (shown)
            str_add_bytes(out, text, bytes);
        text += bytes > 0 ? bytes : 1;
    }
    str_add_char(out, '\'');
}

void plot_set_text(struct plot_figure *figure, const char *name, const char *text) {
    str_addf(&figure->variables, "%s = ", name);
    add_quoted(&figure->variables, text, MOST_TITLE);
    str_add_char(&figure->variables, '\n');
}

void plot_set_number(struct plot_figure *figure, const char *name, double value) {
    str_addf(&figure->variables, "%s = ", name);
    str_add_real(&figure->variables, value);
    str_add_char(&figure->variables, '\n');
}

static void set_texts(struct plot_figure *figure, const char *name, const char *const *texts,
                      size_t count, size_t most) {
    str_addf(&figure->variables, "array %s[%zu] = [", name, count);
    for (size_t i = 0; i < count; i++) {
        str_add(&figure->variables, i > 0 ? ", " : "");
        add_quoted(&figure->variables, texts[i], most);
    }
    str_add(&figure->variables, "]\n");
}

void plot_set_series(struct plot_figure *figure, const char *const *texts, size_t count) {
    set_texts(figure, "series", texts, count, MOST_LEGEND);
}

void plot_set_names(struct plot_figure *figure, const char *name, const char *const *texts,
                    size_t count, size_t most) {
    set_texts(figure, name, texts, count, most);
}

void plot_set_titles(struct plot_figure *figure, const char *name, const char *const *texts,
                     size_t count) {
    set_texts(figure, name, texts, count, MOST_TITLE);
}

void plot_set_numbers(struct plot_figure *figure, const char *name, const double *values,
                      size_t count) {
    str_addf(&figure->variables, "array %s[%zu] = [", name, count);
    for (size_t i = 0; i < count; i++) {
        str_add(&figure->variables, i > 0 ? ", " : "");
        str_add_real(&figure->variables, values[i]);
    }
    str_add(&figure->variables, "]\n");
}

void plot_set_styles(struct plot_figure *figure, const struct plot_style *styles, size_t count) {
    const char **texts = arena_alloc(&figure->arena, count * sizeof *texts);
    for (size_t i = 0; i < count; i++)
        texts[i] = arena_printf(&figure->arena, "%s %d %d", styles[i].color, styles[i].marker,
                                styles[i].dash);
    set_texts(figure, "style", texts, count, MOST_LEGEND);
}

int plot_text_width(const char *const *texts, size_t count) {
    size_t longest = 0;
    for (size_t i = 0; i < count; i++) {
        size_t length = count_characters(texts[i]);
        longest = length > longest ? length : longest;
    }
    return 8 * (int)(longest > MOST_LEGEND ? MOST_LEGEND : longest);
}

int plot_set_legend(struct plot_figure *figure, int room, const char *const *texts, size_t count) {
    int columns = room / (plot_text_width(texts, count) + 88); /* 88 for the sample */
    columns = columns < 1 ? 1 : columns > (int)count ? (int)count : columns;
    int height = 21 * (((int)count + columns - 1) / columns);
    plot_set_number(figure, "key_columns", columns);
    plot_set_number(figure, "legend", height);
    return height;
}

void plot_name_same(struct plot_figure *figure, const char **texts, const uint64_t *hashes,
                    size_t count) {
    for (size_t i = count; i-- > 1;)
        for (size_t j = 0; j < i; j++)
            if (hashes[i] == hashes[j]) {
                plot_note(figure, "%s has the same values as %s", texts[i], texts[j]);
                texts[i] = arena_printf(&figure->arena, "%s (as %s)", texts[i], texts[j]);
                break;
            }
}

const char *plot_short_number(struct plot_figure *figure, double value, int digits) {
    static const struct {
        double from;
        const char *letter;
    } scales[] = {{1e9, "G"}, {1e6, "M"}, {1e4, "k"}};
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++)
        if (fabs(value) >= scales[i].from && fabs(value) < 1e15) {
            double unit = scales[i].from == 1e4 ? 1e3 : scales[i].from;
            return arena_printf(&figure->arena, "%.*g%s", digits, value / unit, scales[i].letter);
        }
    /* Whole parts of up to four digits without an exponent. */
    int whole = fabs(value) >= 1 && fabs(value) < 1e4 ? (int)floor(log10(fabs(value))) + 1 : 1;
    return arena_printf(&figure->arena, "%.*g", digits > whole ? digits : whole, value);
}

const char *plot_axis_label(struct plot_figure *figure, const char *quantity, const char *unit) {
    return unit[0] ? arena_printf(&figure->arena, "%s (%s)", quantity, unit) : quantity;
}

static const char *format_words(struct plot_figure *figure, const char *format, va_list arguments) {
    struct str text = {0};
    str_addv(&text, format, arguments);
    const char *kept = arena_strdup(&figure->arena, text.text);
    str_finish(&text);
    return kept;
}

int plot_not_possible(struct plot_figure *figure, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    figure->reason = format_words(figure, format, arguments);
    va_end(arguments);
    return PLOT_NOT_POSSIBLE;
}

void plot_note(struct plot_figure *figure, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    array_push(&figure->notes, format_words(figure, format, arguments));
    va_end(arguments);
}

void plot_figure_finish(struct plot_figure *figure) {
    str_finish(&figure->variables);
    str_finish(&figure->data);
    free(figure->notes.at);
    arena_finish(&figure->arena);
}

/* --- band --- */

#define BAND_STEPS 400

static const struct plot_style plot_band_style = {"#0072B2", 7, 1};

const char *plot_band_label(struct plot_figure *figure, size_t count, const char *what) {
    plot_note(figure, "%zu %s are drawn as one band: their median, and 10 to 90 %% of them", count,
              what);
    return arena_printf(&figure->arena, "median of %zu %s", count, what);
}

void plot_add_band(struct str *data, double *values, size_t count, const char *before_label) {
    static const double shares[] = {0.5, 0.1, 0.9};
    gsl_sort(values, 1, count);
    for (int i = 0; i < 3; i++) {
        csv_comma_real(data, gsl_stats_quantile_from_sorted_data(values, 1, count, shares[i]));
        if (i == 0)
            str_add(data, before_label);
    }
    str_add_char(data, '\n');
}

struct step {
    long series;
    double x, y;
};

struct steps {
    struct step *at; /* by series, and in each by x */
    size_t count, capacity;
};

/* The values at x of the curves that do not end before it. */
static size_t values_at(const struct steps *steps, double x, double *values) {
    size_t count = 0;
    for (size_t i = 0, next; i < steps->count; i = next) {
        const struct step *at = &steps->at[i];
        for (next = i + 1; next < steps->count && steps->at[next].series == at->series; next++)
            at = steps->at[next].x <= x ? &steps->at[next] : at;
        if (x <= steps->at[next - 1].x)
            values[count++] = at->y;
    }
    return count;
}

/* At places as dense as the steps are. */
static void reduce_to_band(struct plot_figure *figure, size_t count, const char *label) {
    struct str *data = &figure->data;
    struct steps steps = {0};
    for (const char *line = data->text; (line = strchr(line, '\n')) && *++line;) {
        char *end;
        struct step *step = array_add(&steps);
        step->series = strtol(line, &end, 10);
        step->x = strtod(end + 1, &end);
        step->y = strtod(end + 1, &end);
    }
    double *values = arena_alloc(&figure->arena, (count + steps.count) * sizeof *values),
           *xs = values + count;
    for (size_t i = 0; i < steps.count; i++)
        xs[i] = steps.at[i].x;
    gsl_sort(xs, 1, steps.count);
    data->length = strcspn(data->text, "\n");
    str_add(data, ",low,high\n");
    for (size_t i = 0; i <= BAND_STEPS; i++) {
        double x = xs[i * (steps.count - 1) / BAND_STEPS];
        str_add_char(data, '1');
        csv_comma_real(data, x);
        plot_add_band(data, values, values_at(&steps, x, values), label);
    }
    free(steps.at);
}

int plot_set_curves(struct plot_figure *figure, const char *const *labels,
                    const struct plot_style *styles, size_t count, const char *what) {
    bool band = count > PLOT_MOST_LINES;
    const char *texts[] = {"", "10 to 90 %"};
    if (band) {
        texts[0] = plot_band_label(figure, count, what);
        reduce_to_band(figure, count, arena_printf(&figure->arena, ",%s", texts[0]));
    }
    plot_set_number(figure, "band", band);
    plot_set_series(figure, band ? texts : labels, band ? 1 : count);
    plot_set_styles(figure, band ? &plot_band_style : styles, band ? 1 : count);
    return plot_set_legend(figure, figure->width - 20, band ? texts : labels, band ? 2 : count);
}
