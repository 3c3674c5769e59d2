/* Values of options that have a form of their own. Each fills in its member of struct options, or
   the struct that it names; the cause of an error does not name the option. */
#ifndef EASIM_CLI_OPTION_FORMS_H
#define EASIM_CLI_OPTION_FORMS_H

#include "base/arena.h"
#include "base/error.h"

/* SHARE: double. */
int option_read_share(const char *text, void *target, struct arena *arena,
                      struct error *reterr) MUST_CHECK;
/* [METRIC=]SHARE: struct compare_goal. */
int option_read_goal(const char *text, void *target, struct arena *arena,
                     struct error *reterr) MUST_CHECK;
/* METRIC>=-1% or METRIC>=5: one more of struct tune_constraints. */
int option_read_constraint(const char *text, void *target, struct arena *arena,
                           struct error *reterr) MUST_CHECK;
/* I/N: struct sweep_shard. */
int option_read_shard(const char *text, void *target, struct arena *arena,
                      struct error *reterr) MUST_CHECK;
/* The name of a file beside the other results, which is none of them: const char *. */
int option_read_trace(const char *text, void *target, struct arena *arena,
                      struct error *reterr) MUST_CHECK;
/* LABEL/LABEL...: struct attribution_path. */
int option_read_path(const char *text, void *target, struct arena *arena,
                     struct error *reterr) MUST_CHECK;
/* WIDTHxHEIGHT: struct picture_size. */
int option_read_size(const char *text, void *target, struct arena *arena,
                     struct error *reterr) MUST_CHECK;
/* Names of figures, and formats of pictures, with commas: bits in an unsigned. */
int option_read_figures(const char *text, void *target, struct arena *arena,
                        struct error *reterr) MUST_CHECK;
int option_read_pictures(const char *text, void *target, struct arena *arena,
                         struct error *reterr) MUST_CHECK;
/* AXIS=VALUE: one more of struct texts. */
int option_read_where(const char *text, void *target, struct arena *arena,
                      struct error *reterr) MUST_CHECK;
/* NAME=VALUE: one more of struct texts, as it sets a scenario. */
int option_read_param(const char *text, void *target, struct arena *arena,
                      struct error *reterr) MUST_CHECK;
/* Positive numbers with commas, for k whole ones: struct numbers. */
int option_read_counts(const char *text, void *target, struct arena *arena,
                       struct error *reterr) MUST_CHECK;
int option_read_batches(const char *text, void *target, struct arena *arena,
                        struct error *reterr) MUST_CHECK;
/* [TYPE=]VALUE, of power, memory, or a number of GPUs or nodes: one more of struct type_values. */
int option_read_type_power(const char *text, void *target, struct arena *arena,
                           struct error *reterr) MUST_CHECK;
int option_read_type_memory(const char *text, void *target, struct arena *arena,
                            struct error *reterr) MUST_CHECK;
int option_read_type_gpus(const char *text, void *target, struct arena *arena,
                          struct error *reterr) MUST_CHECK;
/* [FROM:]TO, durations: struct power_options. */
int option_read_train(const char *text, void *target, struct arena *arena,
                      struct error *reterr) MUST_CHECK;
/* N or FIRST:LAST: struct trace_changes. */
int option_read_rows(const char *text, void *target, struct arena *arena,
                     struct error *reterr) MUST_CHECK;
/* MODEL=SAMPLES: one more of struct trace_works. */
int option_read_work(const char *text, void *target, struct arena *arena,
                     struct error *reterr) MUST_CHECK;
/* The name of a zone that there is: const char *. */
int option_read_time_zone(const char *text, void *target, struct arena *arena,
                          struct error *reterr) MUST_CHECK;
/* FIRST:LAST, and SLOTSxGIB[:ddr3]:USE: struct profile_options. */
int option_read_steps(const char *text, void *target, struct arena *arena,
                      struct error *reterr) MUST_CHECK;
int option_read_ram(const char *text, void *target, struct arena *arena,
                    struct error *reterr) MUST_CHECK;
/* A bare number of microseconds, or a time with its unit: double, microseconds. */
int option_read_microseconds(const char *text, void *target, struct arena *arena,
                             struct error *reterr) MUST_CHECK;

extern const char *const picture_formats[]; /* ends with NULL */

#endif
