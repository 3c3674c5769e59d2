/* Values of options: see option_values.h. */
#include "cli/option_values.h"

#include "base/numfmt.h"
#include "base/str.h"
#include "cli/options.h"
#include "metrics/summary.h"

#include <string.h>

static int read_count(const char *text, double least, double most, int64_t *ret_value,
                      struct error *reterr) {
    int64_t value = 0, most_whole = most < 0x1p63 ? (int64_t)most : INT64_MAX;
    if (!numfmt_parse_int(text, strlen(text), &value) || value < (int64_t)least ||
        value > most_whole) /* not as doubles: 2^53 + 1 would be rounded to 2^53 */
        return error_set(reterr, ERROR_INPUT, "expected integer %.0f..%lld, got \"%s\"", least,
                         (long long)most_whole, text);
    *ret_value = value;
    return 0;
}

static int read_folder(const char *text, const char **ret_folder, struct error *reterr) {
    if (text[0] == '\0')
        return error_set(reterr, ERROR_INPUT, "expected a folder, got \"\"");
    *ret_folder = text;
    return 0;
}

static int read_count_of(const struct option_row *row, const char *text, void *target,
                         struct error *reterr) {
    int64_t value = 0; /* gcc at -O3 does not see that it is read */
    if (read_count(text, row->least, row->most, &value, reterr) < 0)
        return ERROR_INPUT;
    if (row->size == sizeof(int64_t))
        *(int64_t *)target = value;
    else
        *(uint32_t *)target = (uint32_t)value;
    return 0;
}

static int read_setting(const struct option_row *row, const char *text, struct texts *sets,
                        struct arena *arena, struct error *reterr) {
    int64_t value;
    if (read_count(text, row->least, row->most, &value, reterr) < 0)
        return ERROR_INPUT;
    array_push(sets, arena_printf(arena, "%s=%s", row->name, text));
    return 0;
}

static int read_real(const struct option_row *row, const char *text, double *ret_value,
                     struct error *reterr) {
    double value = 0;
    if (!numfmt_parse_real(text, strlen(text), &value) || value < row->least || value > row->most)
        return error_set(reterr, ERROR_INPUT, "expected number %g..%g, got \"%s\"", row->least,
                         row->most, text);
    *ret_value = value;
    return 0;
}

static int read_dimension(const struct option_row *row, const char *text, double *ret_value,
                          struct error *reterr) {
    double value = 0;
    if (!units_parse(row->dimension, text, strlen(text), &value) || value < row->least ||
        value > row->most)
        return error_set(reterr, ERROR_INPUT, "expected number %g..%g (units: %s), got \"%s\"",
                         row->least, row->most, units_accepted(row->dimension), text);
    *ret_value = value;
    return 0;
}

static int read_duration(const struct option_row *row, const char *text, double *ret_value,
                         struct error *reterr) {
    double seconds = 0;
    if (!units_parse_duration(text, strlen(text), &seconds) || seconds < 0 ||
        (seconds == 0 && !row->may_be_zero))
        return error_set(reterr, ERROR_INPUT,
                         "expected duration %s 0 such as 90s or 10h, got \"%s\"",
                         row->may_be_zero ? ">=" : ">", text);
    if (seconds < row->least)
        return error_set(reterr, ERROR_INPUT, "expected a duration of at least %g s, got \"%s\"",
                         row->least, text);
    *ret_value = seconds;
    return 0;
}

int option_read_choice(const char *text, const char *const *names, int *ret_place,
                       struct error *reterr) {
    struct str all = {0};
    int i = 0;
    while (names[i] && strcmp(names[i], text) != 0)
        i++;
    for (int n = 0; names[n]; n++)
        str_addf(&all, "%s%s", n == 0 ? "" : names[n + 1] ? ", " : " or ", names[n]);
    int r =
        names[i] ? 0 : error_set(reterr, ERROR_INPUT, "expected %s, got \"%s\"", all.text, text);
    str_finish(&all);
    *ret_place = r == 0 ? i : *ret_place;
    return r;
}

static int read_choice_word(const struct option_row *row, const char *text, const char **ret_word,
                            struct error *reterr) {
    int place = 0, r = option_read_choice(text, row->choices, &place, reterr);
    *ret_word = r == 0 ? row->choices[place] : *ret_word;
    return r;
}

int option_read_metric(const char *name, unsigned *ret_column, struct error *reterr) {
    struct arena arena = {0};
    int column = summary_find(name), r = 0;
    if (column < 0)
        r = error_set(reterr, ERROR_INPUT, "no metric is named \"%.80s\"%s", name,
                      str_suggestion(&arena, name, summary_names, SUMMARY_COUNT));
    else
        *ret_column = (unsigned)column;
    arena_finish(&arena);
    return r;
}

static int read_metric_of(const struct option_row *row, const char *name, unsigned *ret_column,
                          struct error *reterr) {
    if (option_read_metric(name, ret_column, reterr) < 0)
        return ERROR_INPUT;
    if (row->has_better && metric_table[*ret_column].better == METRIC_NEITHER)
        return error_set(reterr, ERROR_INPUT, "neither less nor more of %s is better", name);
    return 0;
}

static int read_metrics(const struct option_row *row, const char *list,
                        struct option_metrics *ret_metrics, struct arena *arena,
                        struct error *reterr) {
    struct option_metrics metrics = {.count = 0};
    while (*list) {
        const char *name = option_next(&list, arena);
        unsigned column = 0;
        if (read_metric_of(row, name, &column, reterr) < 0)
            return ERROR_INPUT;
        for (size_t i = 0; i < metrics.count; i++)
            if (metrics.columns[i] == column)
                return error_set(reterr, ERROR_INPUT, "%s is listed twice", name);
        metrics.columns[metrics.count++] = column;
    }
    if (metrics.count == 0)
        return error_set(reterr, ERROR_INPUT, "expected metrics, got none");
    if ((double)metrics.count < row->least || (double)metrics.count > row->most)
        return row->least < row->most
                   ? error_set(reterr, ERROR_INPUT, "expected %.0f %s %.0f metrics, got %zu",
                               row->least, row->least + 1 == row->most ? "or" : "to", row->most,
                               metrics.count)
                   : error_set(reterr, ERROR_INPUT, "expected %.0f metrics, got %zu", row->least,
                               metrics.count);
    *ret_metrics = metrics;
    return 0;
}

int option_value_read(const struct option_row *row, const char *text, void *target,
                      struct arena *arena, struct error *reterr) {
    switch (row->kind) {
    case OPTION_FLAG:
        *(bool *)target = true;
        return 0;
    case OPTION_TEXT:
        *(const char **)target = text;
        return 0;
    case OPTION_FOLDER:
        return read_folder(text, target, reterr);
    case OPTION_TEXTS:
        array_push((struct texts *)target, text);
        return 0;
    case OPTION_COUNT:
        return read_count_of(row, text, target, reterr);
    case OPTION_SETTING:
        return read_setting(row, text, target, arena, reterr);
    case OPTION_REAL:
        return read_real(row, text, target, reterr);
    case OPTION_DIMENSION:
        return read_dimension(row, text, target, reterr);
    case OPTION_DURATION:
        return read_duration(row, text, target, reterr);
    case OPTION_CHOICE:
        return option_read_choice(text, row->choices, target, reterr);
    case OPTION_WORD:
        return read_choice_word(row, text, target, reterr);
    case OPTION_METRIC:
        return read_metric_of(row, text, target, reterr);
    case OPTION_METRICS:
        return read_metrics(row, text, target, arena, reterr);
    case OPTION_OTHER:
        return row->read(text, target, arena, reterr);
    }
    return 0;
}

const char *option_next(const char **list, struct arena *arena) {
    size_t length = strcspn(*list, ",");
    const char *item = arena_strndup(arena, *list, length);
    *list += length + ((*list)[length] == ',');
    return item;
}

const char *option_name(const char *item, struct arena *arena, const char **value) {
    size_t length = strcspn(item, "=");
    *value = item[length] ? item + length + 1 : NULL;
    return arena_strndup(arena, item, length);
}
