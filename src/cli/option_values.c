/* Values of options: see option_values.h. */
#include "cli/option_values.h"

#include "base/numfmt.h"
#include "base/str.h"
#include "cli/options.h"
#include "ingest/peaks.h"
#include "io/time_zone.h"
#include "metrics/summary.h"
#include "output/plot/dir.h"
#include "output/run/run_dir.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int option_read_metric(const char *name, unsigned *ret_column,
                              struct error *reterr) MUST_CHECK;

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
    char hint[UNITS_HINT_BYTES];
    double seconds = 0;
    if (!units_parse_duration(text, strlen(text), &seconds) || seconds < 0 ||
        (seconds == 0 && !row->may_be_zero))
        return error_set(reterr, ERROR_INPUT,
                         "expected duration %s 0 such as 90s or 10h, got \"%s\"%s",
                         row->may_be_zero ? ">=" : ">", text, units_time_hint(text, hint));
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

/* A column of the summary. */
static int option_read_metric(const char *name, unsigned *ret_column, struct error *reterr) {
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

/* --- option_forms --- */

#define LEAST_PIXELS 200
#define MOST_PIXELS  4000

#define MOST_TRACE_NAME 200 /* bytes, so that a number and a suffix still fit */

int option_read_share(const char *text, void *target, struct arena *arena, struct error *reterr) {
    (void)arena;
    return units_parse_share(text, strlen(text), target)
               ? 0
               : error_set(reterr, ERROR_INPUT, "expected a share > 0, as 5%% or 0.05, got \"%s\"",
                           text);
}

int option_read_goal(const char *text, void *target, struct arena *arena, struct error *reterr) {
    struct compare_goal *goal = target;
    const char *share, *name = option_name(text, arena, &share);
    goal->column = SUMMARY_COUNT;
    if (share && option_read_metric(name, &goal->column, reterr) < 0)
        return ERROR_INPUT;
    const char *amount = share ? share : text;
    if (!units_parse_share(amount, strlen(amount), &goal->relative))
        return error_set(reterr, ERROR_INPUT, "expected [METRIC=]2%% or a share > 0, got \"%s\"",
                         text);
    return 0;
}

/* Of `tune`, also "services.[NAME.]FIGURE", which it looks up in its scenario: no column yet. */
static int read_tuned_metric(const char *name, unsigned *ret_column, struct error *reterr) {
    *ret_column = METRIC_OF_SERVICES;
    return strncmp(name, "services.", strlen("services.")) == 0
               ? 0
               : option_read_metric(name, ret_column, reterr);
}

int option_read_objective(const char *text, void *target, struct arena *arena,
                          struct error *reterr) {
    unsigned column = 0;
    (void)arena;
    if (read_tuned_metric(text, &column, reterr) < 0)
        return ERROR_INPUT;
    if (column != METRIC_OF_SERVICES && metric_table[column].better == METRIC_NEITHER)
        return error_set(reterr, ERROR_INPUT, "neither less nor more of %s is better", text);
    *(unsigned *)target = column;
    return 0;
}

int option_read_constraint(const char *text, void *target, struct arena *arena,
                           struct error *reterr) {
    const char *relation = strpbrk(text, "<>");
    struct tune_constraint c = {0};
    size_t length = relation && relation[1] == '=' ? strlen(relation + 2) : 0;
    c.absolute = length == 0 || relation[1 + length] != '%';
    if (length == 0 || !numfmt_parse_real(relation + 2, c.absolute ? length : length - 1, &c.limit))
        return error_set(
            reterr, ERROR_INPUT,
            "expected METRIC>=-1%% or METRIC<=1%%, or METRIC<=NUMBER in its own unit, got \"%.80s\"",
            text);
    c.name = arena_strndup(arena, text, (size_t)(relation - text));
    if (read_tuned_metric(c.name, &c.column, reterr) < 0)
        return ERROR_INPUT;
    c.at_least = relation[0] == '>';
    c.limit /= c.absolute ? 1 : 100;
    const struct tune_constraints *all = target;
    for (size_t i = 0; i < all->count; i++)
        if (strcmp(all->at[i].name, c.name) == 0 && all->at[i].at_least == c.at_least &&
            all->at[i].absolute == c.absolute)
            return error_set(reterr, ERROR_INPUT, "%s has such a bound already, got \"%.80s\"",
                             c.name, text);
    array_push((struct tune_constraints *)target, c);
    return 0;
}

int option_read_shard(const char *text, void *target, struct arena *arena, struct error *reterr) {
    struct sweep_shard shard = {0};
    char rest;
    int fields = strspn(text, "0123456789/") == strlen(text)
                     ? sscanf(text, "%6u/%6u%c", &shard.number, &shard.of, &rest)
                     : 0;
    (void)arena;
    if (fields != 2 || shard.number < 1 || shard.number > shard.of)
        return error_set(reterr, ERROR_INPUT, "expected I/N with 1 <= I <= N, got \"%s\"", text);
    *(struct sweep_shard *)target = shard;
    return 0;
}

int option_read_trace(const char *text, void *target, struct arena *arena, struct error *reterr) {
    size_t length = strlen(text);
    (void)arena;
    if (length == 0 || length > MOST_TRACE_NAME || strchr(text, '/') || text[0] == '.')
        return error_set(
            reterr, ERROR_INPUT,
            "expected the name of a file in the folder of the results, without / and without . in front, of 1..%d bytes, got \"%s\"",
            MOST_TRACE_NAME, text);
    if (run_dir_names(text))
        return error_set(reterr, ERROR_INPUT, "a run writes %s already; expected another name",
                         text);
    *(const char **)target = text;
    return 0;
}

int option_read_path(const char *text, void *target, struct arena *arena, struct error *reterr) {
    return attribution_path_read(target, text, arena, reterr);
}

int option_read_size(const char *text, void *target, struct arena *arena, struct error *reterr) {
    int width = 0, height = 0, read = 0;
    (void)arena;
    if (sscanf(text, "%5dx%5d%n", &width, &height, &read) != 2 || text[read] != '\0' ||
        width < LEAST_PIXELS || width > MOST_PIXELS || height < LEAST_PIXELS ||
        height > MOST_PIXELS)
        return error_set(reterr, ERROR_INPUT, "expected WIDTHxHEIGHT of %d..%d each, got \"%s\"",
                         LEAST_PIXELS, MOST_PIXELS, text);
    *(struct picture_size *)target = (struct picture_size){width, height};
    return 0;
}

int option_read_figures(const char *text, void *target, struct arena *arena, struct error *reterr) {
    const char *names[32];
    unsigned asked = 0;
    size_t count = 0;
    for (; plot_kinds[count].name; count++)
        names[count] = plot_kinds[count].name;
    while (*text) {
        const char *name = option_next(&text, arena);
        size_t at = 0;
        while (at < count && strcmp(names[at], name) != 0)
            at++;
        if (at == count)
            return error_set(reterr, ERROR_INPUT, "no figure is named \"%s\"%s", name,
                             str_suggestion(arena, name, names, count));
        asked |= 1u << at;
    }
    if (asked == 0)
        return error_set(reterr, ERROR_INPUT, "expected names of figures, got \"\"");
    *(unsigned *)target |= asked;
    return 0;
}

const char *const picture_formats[] = {"svg", "pdf", "png", NULL};

int option_read_pictures(const char *text, void *target, struct arena *arena,
                         struct error *reterr) {
    unsigned asked = 0;
    while (*text) {
        int place = 0;
        if (option_read_choice(option_next(&text, arena), picture_formats, &place, reterr) < 0)
            return ERROR_INPUT;
        asked |= 1u << place;
    }
    if (asked == 0)
        return error_set(reterr, ERROR_INPUT, "expected svg, pdf or png, got \"\"");
    *(unsigned *)target = asked;
    return 0;
}

int option_read_where(const char *text, void *target, struct arena *arena, struct error *reterr) {
    (void)arena;
    if (!strchr(text, '=') || text[0] == '=')
        return error_set(reterr, ERROR_INPUT, "expected AXIS=VALUE, got \"%s\"", text);
    array_push((struct texts *)target, text);
    return 0;
}

int option_read_param(const char *text, void *target, struct arena *arena, struct error *reterr) {
    if (!strchr(text, '='))
        return error_set(reterr, ERROR_INPUT, "expected NAME=VALUE, got \"%s\"", text);
    array_push((struct texts *)target, arena_printf(arena, "policy.params.%s", text));
    return 0;
}

static int read_numbers(const char *text, const struct option_row *each, struct numbers *numbers,
                        struct arena *arena, struct error *reterr) {
    while (*text) {
        double value = 0;
        if (option_value_read(each, option_next(&text, arena), &value, arena, reterr) < 0)
            return ERROR_INPUT;
        if (each->size == sizeof(int64_t) && value != floor(value))
            return error_set(reterr, ERROR_INPUT, "expected whole numbers, got \"%g\"", value);
        array_push(numbers, value);
    }
    return numbers->count > 0 ? 0 : error_set(reterr, ERROR_INPUT, "expected numbers, got \"\"");
}

int option_read_counts(const char *text, void *target, struct arena *arena, struct error *reterr) {
    static const struct option_row each = {
        .kind = OPTION_REAL, .size = sizeof(int64_t), .least = 1, .most = 1e6};
    return read_numbers(text, &each, target, arena, reterr);
}

int option_read_batches(const char *text, void *target, struct arena *arena, struct error *reterr) {
    static const struct option_row each = {.kind = OPTION_REAL, .least = 1e-9, .most = 1e9};
    return read_numbers(text, &each, target, arena, reterr);
}

/* "h100=700W", "80GiB" */
static int read_type_value(const char *text, const struct option_row *value,
                           struct type_values *values, struct arena *arena, struct error *reterr) {
    const char *equals = strrchr(text, '=');
    struct type_value one = {.type = equals ? arena_strndup(arena, text, (size_t)(equals - text))
                                            : NULL};
    if (option_value_read(value, equals ? equals + 1 : text, &one.value, arena, reterr) < 0)
        return ERROR_INPUT;
    array_push(values, one);
    return 0;
}

int option_read_type_power(const char *text, void *target, struct arena *arena,
                           struct error *reterr) {
    static const struct option_row watts = {
        .kind = OPTION_DIMENSION, .dimension = DIMENSION_POWER, .least = 1e-3, .most = 1e5};
    return read_type_value(text, &watts, target, arena, reterr);
}

int option_read_type_memory(const char *text, void *target, struct arena *arena,
                            struct error *reterr) {
    static const struct option_row gib = {
        .kind = OPTION_DIMENSION, .dimension = DIMENSION_GIB, .least = 1e-6, .most = 1e6};
    return read_type_value(text, &gib, target, arena, reterr);
}

int option_read_type_gpus(const char *text, void *target, struct arena *arena,
                          struct error *reterr) {
    static const struct option_row gpus = {.kind = OPTION_REAL, .least = 1, .most = 1e6};
    if (read_type_value(text, &gpus, target, arena, reterr) < 0)
        return ERROR_INPUT;
    const struct type_values *values = target;
    double last = values->at[values->count - 1].value;
    return last == floor(last)
               ? 0
               : error_set(reterr, ERROR_INPUT, "expected a whole number, got \"%s\"", text);
}

/* "60h", "12h:60h" */
int option_read_train(const char *text, void *target, struct arena *arena, struct error *reterr) {
    struct power_options *options = target;
    const char *colon = strchr(text, ':'), *end = colon ? colon + 1 : text;
    double from_s = -TIME_MAX_S, to_s = NAN;
    (void)arena;
    if ((colon && !units_parse_duration(text, (size_t)(colon - text), &from_s)) ||
        !units_parse_duration(end, strlen(end), &to_s) || to_s <= from_s)
        return error_set(reterr, ERROR_INPUT,
                         "expected [FROM:]TO such as 60h or 12h:60h, got \"%s\"", text);
    options->train_from_s = from_s;
    options->train_to_s = to_s;
    return 0;
}

/* FIRST:LAST; *first stays as it is if LAST stands alone. */
static bool read_range(const char *text, int64_t *first, int64_t *last) {
    const char *colon = strchr(text, ':'), *end = colon ? colon + 1 : text;
    return (!colon || numfmt_parse_int(text, (size_t)(colon - text), first)) &&
           numfmt_parse_int(end, strlen(end), last) && *first <= *last;
}

/* "100": the first 100; "11:20": from the 11th to the 20th */
int option_read_rows(const char *text, void *target, struct arena *arena, struct error *reterr) {
    struct trace_changes *changes = target;
    int64_t first = 1, last = 0;
    (void)arena;
    if (!read_range(text, &first, &last) || first < 1)
        return error_set(reterr, ERROR_INPUT, "expected N or FIRST:LAST, got \"%s\"", text);
    changes->first_row = first;
    changes->last_row = last;
    return 0;
}

/* "cifar10=5e6" */
int option_read_work(const char *text, void *target, struct arena *arena, struct error *reterr) {
    const char *equals = strrchr(text, '=');
    double samples = 0;
    if (!equals || equals == text || !numfmt_parse_real(equals + 1, strlen(equals + 1), &samples) ||
        samples <= 0)
        return error_set(reterr, ERROR_INPUT, "expected MODEL=SAMPLES, got \"%s\"", text);
    array_push((struct trace_works *)target,
               ((struct trace_work){.model = arena_strndup(arena, text, (size_t)(equals - text)),
                                    .samples = samples}));
    return 0;
}

int option_read_time_zone(const char *text, void *target, struct arena *arena,
                          struct error *reterr) {
    struct time_zone *zone = NULL;
    (void)arena;
    if (time_zone_open(text, &zone, reterr) < 0)
        return ERROR_INPUT;
    time_zone_close(zone);
    *(const char **)target = text;
    return 0;
}

int option_read_steps(const char *text, void *target, struct arena *arena, struct error *reterr) {
    struct profile_options *options = target;
    int64_t first = 0, last = 0;
    (void)arena;
    if (!strchr(text, ':') || !read_range(text, &first, &last))
        return error_set(reterr, ERROR_INPUT, "expected FIRST:LAST, got \"%s\"", text);
    options->has_steps = true;
    options->first_step = first;
    options->last_step = last;
    return 0;
}

int option_read_peaks(const char *text, void *target, struct arena *arena, struct error *reterr) {
    struct gpu_peaks *peaks = arena_alloc(arena, sizeof *peaks);
    *(const struct gpu_peaks **)target = peaks;
    return gpu_peaks_parse(text, peaks, reterr);
}

/* "8x32:40", "4x16:ddr3:5" */
int option_read_ram(const char *text, void *target, struct arena *arena, struct error *reterr) {
    struct profile_options *options = target;
    const char *times = strchr(text, 'x'), *colon = times ? strchr(times, ':') : NULL;
    int64_t slots = 0, gib = 0;
    double use = -1;
    (void)arena;
    if (colon && numfmt_parse_int(text, (size_t)(times - text), &slots) &&
        numfmt_parse_int(times + 1, (size_t)(colon - times - 1), &gib)) {
        options->ram_is_ddr3 = strncmp(colon, ":ddr3:", 6) == 0;
        colon += options->ram_is_ddr3 ? 6 : 1;
        if (!numfmt_parse_real(colon, strlen(colon), &use))
            use = -1;
    }
    if (slots < 1 || slots > 1024 || gib < 1 || gib > 65536 || use < 0 || use > 100)
        return error_set(reterr, ERROR_INPUT, "expected SLOTSxGIB:USE as 8x32:40, got \"%s\"",
                         text);
    options->ram_slots = (uint32_t)slots;
    options->ram_gib = (uint32_t)gib;
    options->ram_use_percent = use;
    return 0;
}

int option_read_microseconds(const char *text, void *target, struct arena *arena,
                             struct error *reterr) {
    static const struct option_row bare = {.kind = OPTION_REAL, .least = 1e-9, .most = 1e15};
    static const struct option_row time = {
        .kind = OPTION_DIMENSION, .dimension = DIMENSION_TIME, .least = 1e-15, .most = 1e9};
    double *value = target;
    if (!units_is_other(text, strlen(text)))
        return option_value_read(&bare, text, value, arena, reterr);
    if (option_value_read(&time, text, value, arena, reterr) < 0)
        return ERROR_INPUT;
    *value *= 1e6;
    return 0;
}
