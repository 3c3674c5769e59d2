/* Values of options: see options.h. */
#include "cli/options.h"

#include "base/numfmt.h"
#include "base/str.h"

#include <string.h>

int64_t option_count(const char *text, int64_t least, int64_t most, const char *option,
                     struct argp_state *state) {
    int64_t value = 0;
    if (!numfmt_parse_int(text, strlen(text), &value) || value < least || value > most)
        argp_error(state, "%s: expected integer %lld..%lld, got \"%s\"", option, (long long)least,
                   (long long)most, text);
    return value;
}

int64_t option_seed(const char *text, const char *option, struct argp_state *state) {
    return option_count(text, 0, 1LL << 53, option, state);
}

double option_real(const char *text, double least, double most, const char *option,
                   struct argp_state *state) {
    double value = 0;
    if (!numfmt_parse_real(text, strlen(text), &value) || value < least || value > most)
        argp_error(state, "%s: expected number %g..%g, got \"%s\"", option, least, most, text);
    return value;
}

double option_dimension(const char *text, enum dimension dimension, double least, double most,
                        const char *option, struct argp_state *state) {
    double value = 0;
    if (!units_parse(dimension, text, strlen(text), &value) || value < least || value > most)
        argp_error(state, "%s: expected number %g..%g (units: %s), got \"%s\"", option, least, most,
                   units_accepted(dimension), text);
    return value;
}

double option_duration(const char *text, const char *option, struct argp_state *state) {
    double seconds = 0;
    if (!units_parse_duration(text, strlen(text), &seconds) ||
        !(seconds > 0 && seconds <= TIME_MAX_S))
        argp_error(state, "%s: expected duration > 0 such as 90s or 10h, got \"%s\"", option, text);
    return seconds;
}

int option_choice(const char *text, const char *const *names, const char *option,
                  struct argp_state *state) {
    struct str all = {0};
    int i = 0;
    while (names[i] && strcmp(names[i], text) != 0)
        i++;
    for (int n = 0; !names[i] && names[n]; n++)
        str_addf(&all, "%s%s", n == 0 ? "" : names[n + 1] ? ", " : " or ", names[n]);
    if (!names[i])
        argp_error(state, "%s: expected %s, got \"%s\"", option, all.text, text);
    str_finish(&all);
    return i;
}

enum format option_format(const char *text, struct argp_state *state) {
    static const char *const names[] = {"table", "csv", "json", NULL};
    return (enum format)option_choice(text, names, "--format", state);
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

const struct option_metrics option_main_metrics = {
    {SUMMARY_COLUMN(energy_per_work_kwh), SUMMARY_COLUMN(energy_kwh),
     SUMMARY_COLUMN(throughput_jobs_per_h), SUMMARY_COLUMN(jct_restricted_mean_s),
     SUMMARY_COLUMN(deadline_miss_rate)},
    5};

unsigned option_metric(const char *name, const char *option, struct argp_state *state) {
    struct arena arena = {0};
    int column = summary_find(name);
    if (column < 0)
        argp_error(state, "%s: no metric is named \"%.80s\"%s", option, name,
                   str_suggestion(&arena, name, summary_names, SUMMARY_COUNT));
    arena_finish(&arena);
    return column < 0 ? 0 : (unsigned)column;
}

void option_metrics(const char *list, const char *option, struct option_metrics *metrics,
                    struct argp_state *state) {
    struct arena arena = {0};
    metrics->count = 0;
    while (*list) {
        const char *name = option_next(&list, &arena);
        unsigned column = option_metric(name, option, state);
        for (size_t i = 0; i < metrics->count; i++)
            if (metrics->columns[i] == column)
                argp_error(state, "%s: %s is listed twice", option, name);
        metrics->columns[metrics->count++] = column;
    }
    if (metrics->count == 0)
        argp_error(state, "%s: expected metrics, got none", option);
    arena_finish(&arena);
}
