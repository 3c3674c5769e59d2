/* Values of options. What is wrong ends the process as bad usage, in one form of words: "--OPTION:
   expected ..., got ...". */
#ifndef EASIM_CLI_OPTIONS_H
#define EASIM_CLI_OPTIONS_H

#include "base/arena.h"
#include "base/units.h"
#include "metrics/summary.h"

#include <argp.h>
#include <stddef.h>
#include <stdint.h>

/* A whole number least..most; one that JSON and YAML hold exactly. */
int64_t option_count(const char *text, int64_t least, int64_t most, const char *option,
                     struct argp_state *state);
int64_t option_seed(const char *text, const char *option, struct argp_state *state);
/* A number least..most. */
double option_real(const char *text, double least, double most, const char *option,
                   struct argp_state *state);
/* The same with a unit of the dimension behind it, or none: its base unit. */
double option_dimension(const char *text, enum dimension dimension, double least, double most,
                        const char *option, struct argp_state *state);
/* Seconds > 0 from "60s". */
double option_duration(const char *text, const char *option, struct argp_state *state);
/* Place of the text among at least two names, which end with NULL. */
int option_choice(const char *text, const char *const *names, const char *option,
                  struct argp_state *state);

/* What to print: of --format. */
enum format { FORMAT_TABLE, FORMAT_CSV, FORMAT_JSON };
enum format option_format(const char *text, struct argp_state *state);

/* The next item of a list with commas; *list moves behind it. */
const char *option_next(const char **list, struct arena *arena);
/* The name in NAME=VALUE; *value is what stands behind the first '=', or NULL without one. */
const char *option_name(const char *item, struct arena *arena, const char **value);

/* Columns of the summary, none twice. */
struct option_metrics {
    unsigned columns[SUMMARY_COUNT];
    size_t count;
};

extern const struct option_metrics option_main_metrics; /* what a table shows unless told */

unsigned option_metric(const char *name, const char *option, struct argp_state *state);
void option_metrics(const char *list, const char *option, struct option_metrics *ret_metrics,
                    struct argp_state *state);

#endif
