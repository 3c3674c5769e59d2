/* Values of options, by kind. Errors are causes: "expected ..., got ...", without the option. */
#ifndef EASIM_CLI_OPTION_VALUES_H
#define EASIM_CLI_OPTION_VALUES_H

#include "base/arena.h"
#include "base/error.h"
#include "base/units.h"

#include <stdbool.h>
#include <stddef.h>

/* --- option_row: one row parses, checks, documents and completes one option --- */

enum option_kind {
    OPTION_FLAG,      /* bool; takes no value */
    OPTION_TEXT,      /* const char *, borrowed from the command line */
    OPTION_FOLDER,    /* the same, but not empty */
    OPTION_TEXTS,     /* struct texts; may be given again */
    OPTION_COUNT,     /* whole number least..most: (u)int32_t or (u)int64_t */
    OPTION_SETTING,   /* a whole number, as value of the scenario of that name: struct texts */
    OPTION_REAL,      /* double least..most */
    OPTION_DIMENSION, /* double least..most with a unit of the dimension behind it, or none */
    OPTION_DURATION,  /* double, seconds > 0, or >= 0 if may_be_zero, and at least `least` */
    OPTION_CHOICE,    /* enum: place among the choices */
    OPTION_WORD,      /* const char *: one of the choices */
    OPTION_METRICS,   /* struct option_metrics: least..most columns, with commas */
    OPTION_OTHER      /* whatever `read` reads */
};

/* Fills in the member of an option that has a form of its own. ERROR_INPUT with the cause, which
   does not name the option. */
typedef int option_reader(const char *text, void *target, struct arena *arena,
                          struct error *reterr);

struct option_row {
    const char *name;  /* without dashes */
    char letter;       /* 0: none */
    const char *value; /* as help names it; NULL: none, a flag */
    enum option_kind kind;
    size_t offset, size;        /* of its member of struct options */
    unsigned commands;          /* that have it: bits 1 << enum command */
    const char *help;           /* in --help and in the man pages */
    const char *usual;          /* default, as it would be given; NULL: none, or told in the help */
    double least, most;         /* of numbers; of metrics how many */
    const char *const *choices; /* NULL-terminated */
    enum dimension dimension;
    /* Options of which one must be given too, or none: "until-ci", "engine=slurm", with blanks. A
       choice that has its default counts as not given. */
    const char *needs, *excludes;
    option_reader *read;
    unsigned use;     /* bit of the readers of formats that have a use for it; 0: all have */
    bool required;    /* the command makes no sense without it */
    bool recorded;    /* in manifests: files depend on it, and scenario.yaml does not hold it */
    bool may_be_zero; /* of a duration */
    bool has_better;  /* of metrics: less or more of each must be better */
};

/* --- option_values --- */

/* Fills in the member of the row: target. */
int option_value_read(const struct option_row *row, const char *text, void *target,
                      struct arena *arena, struct error *reterr) MUST_CHECK;
/* Place of the text among at least two names, which end with NULL. */
int option_read_choice(const char *text, const char *const *names, int *ret_place,
                       struct error *reterr) MUST_CHECK;

/* The next item of a list with commas; *list moves behind it. */
const char *option_next(const char **list, struct arena *arena);
/* The name in NAME=VALUE; *value is what stands behind the first '=', or NULL without one. */
const char *option_name(const char *item, struct arena *arena, const char **value);

/* --- option_forms --- */
/* Values that have a form of their own. Each fills in its member of struct options, or the struct
   that it names. */

/* SHARE: double. */
option_reader option_read_share;
/* [METRIC=]SHARE: struct compare_goal. */
option_reader option_read_goal;
/* METRIC>=-1% or METRIC>=5: one more of struct tune_constraints. */
option_reader option_read_objective, option_read_constraint;
/* I/N: struct sweep_shard. */
option_reader option_read_shard;
/* The name of a file beside the other results, which is none of them: const char *. */
option_reader option_read_trace;
/* LABEL/LABEL...: struct attribution_path. */
option_reader option_read_path;
/* WIDTHxHEIGHT: struct picture_size. */
option_reader option_read_size;
/* Names of figures, and formats of pictures, with commas: bits in an unsigned. */
option_reader option_read_figures, option_read_pictures;
/* AXIS=VALUE: one more of struct texts. */
option_reader option_read_where;
/* NAME=VALUE: one more of struct texts, as it sets a scenario. */
option_reader option_read_param;
/* Positive numbers with commas, for k whole ones: struct numbers. */
option_reader option_read_counts, option_read_batches;
/* [TYPE=]VALUE, of power, memory, or a number of GPUs or nodes: one more of struct type_values. */
option_reader option_read_type_power, option_read_type_memory, option_read_type_gpus;
/* [FROM:]TO, durations: struct power_options. */
option_reader option_read_train;
/* N or FIRST:LAST: struct trace_changes. */
option_reader option_read_rows;
/* MODEL=SAMPLES: one more of struct trace_works. */
option_reader option_read_work;
/* The name of a zone that there is: const char *. */
option_reader option_read_time_zone;
/* FIRST:LAST, and SLOTSxGIB[:ddr3]:USE: struct profile_options. */
option_reader option_read_steps, option_read_ram;
/* NAME=VALUE with commas: const struct gpu_peaks *. */
option_reader option_read_peaks;
/* A bare number of microseconds, or a time with its unit: double, microseconds. */
option_reader option_read_microseconds;

extern const char *const picture_formats[]; /* ends with NULL */

#endif
