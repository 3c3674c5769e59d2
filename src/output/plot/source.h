/* The content of folders of results: a run, a comparison, a sweep, figures of models, or several
   runs. The files in a folder tell which. */
#ifndef EASIM_OUTPUT_PLOT_SOURCE_H
#define EASIM_OUTPUT_PLOT_SOURCE_H

#include "base/array.h"
#include "base/error.h"
#include "experiment/statistics.h"
#include "io/csv.h"
#include "metrics/summary.h"

#define PLOT_MOST_METRICS 4  /* of a figure */
#define PLOT_MOST_SERIES  28 /* colors x dashes that can be told apart */

/* The style of a series. A shipped policy looks alike in all figures and in the report: its row of
   policies/colors.h, which is for display alone. */
struct plot_style {
    const char *color; /* "#RRGGBB" */
    int marker, dash;  /* gnuplot's numbers; an open marker is one less than the filled one */
};

/* A policy of a comparison, or a run. */
struct plot_series {
    const char *label, *policy;
    const char *folder; /* of the run's own files */
    struct plot_style style;
    struct estimate estimates[SUMMARY_COUNT]; /* sd is not known here */
};

/* Sources of figures: runs, comparisons or sweeps, then models, then a meter. */
enum plot_sort { PLOT_OF_RUNS, PLOT_OF_MODELS, PLOT_OF_METERS };

/* Zero-initialise; release with plot_source_finish. */
struct plot_source {
    struct arena arena;
    ARRAY_OF(struct plot_series) series; /* of runs or a comparison */
    bool is_choice;                      /* some series are left out */
    const char *comparison;              /* its folder, if they are of one */
    const char *sweep;                   /* or the folder of a sweep, else NULL */
    const char *models;                  /* or that of easim models, else NULL */
    const char *meters;                  /* or one with predicted and metered power, else NULL */
    const char *shown;                   /* the folders, as a message names them */
};

enum plot_sort plot_source_sort(const struct plot_source *source);
int plot_source_open(struct plot_source *source, const char *const *folders, size_t count,
                     struct error *reterr) MUST_CHECK;
void plot_source_finish(struct plot_source *source);

/* Keeps the series of these labels only, or of the labels in a list with commas, if there are any
   texts. ERROR_INPUT with a suggestion if there is no such series. */
int plot_source_choose(struct plot_source *source, const char *const *texts, size_t count,
                       struct error *reterr) MUST_CHECK;

bool plot_source_exists(const char *folder, const char *name);
/* The number in a cell; NAN if it is empty. */
int plot_source_real(const struct csv *csv, int column, double *value,
                     struct error *reterr) MUST_CHECK;
/* Opens folder/name; the columns of those names (a NULL ends the list) must be there. */
int plot_source_table(const char *folder, const char *name, const char *const *names, int *columns,
                      struct csv **ret_csv, struct error *reterr) MUST_CHECK;

/* Rows of jobs.csv. Zero-initialise; release with plot_jobs_close. */
struct plot_jobs {
    struct csv *csv;
    int replication;           /* column */
    bool is_left_out;          /* the row: summary.csv does not count it */
    ARRAY_OF(double) left_out; /* by replication: jobs of the warm-up, which come first */
};

/* As plot_source_table, of jobs.csv. Without a summary.csv all rows count. */
int plot_jobs_open(struct plot_jobs *jobs, const char *folder, const char *const *names,
                   int *columns, struct error *reterr) MUST_CHECK;
/* 1: the next row is there; 0: there is none. */
int plot_jobs_next(struct plot_jobs *jobs, struct error *reterr) MUST_CHECK;
void plot_jobs_close(struct plot_jobs *jobs);

/* --- styles --- */

/* Names of the table have their own style, others the free ones in the order of their names: first
   those of no policy, then those of policies that are not among the names. More are dashed. */
void plot_styles_of_policies(const char *const *names, size_t count, struct plot_style *styles);
/* Every run has the style of its policy, under any name. */
void plot_source_style_by_policy(struct plot_source *source);
/* As policies if some text is a shipped policy, else by place: values of an axis, GPU types. */
void plot_styles_of_values(const char *const *texts, size_t count, struct plot_style *styles);

#endif
