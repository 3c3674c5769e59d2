/* What the choice among competing forms for one model on one GPU type came to. */
#ifndef EASIM_CALIBRATE_CHOICE_H
#define EASIM_CALIBRATE_CHOICE_H

#include "calibrate/score.h"

struct candidate {
    struct form form;
    size_t parameters;
    const char *refused; /* why it does not compete, or NULL */
    struct fit fit;
    double in_sample, left_out;           /* MAPE of throughput; of the power forms, of power */
    struct score_comparison against_best; /* of the left-out errors */
};

#define MOST_CANDIDATES (COMPUTE_FORMS * SYNC_FORMS)

struct contest {
    enum quantity quantity;
    struct candidate candidates[MOST_CANDIDATES];
    size_t count;
    int best, chosen; /* indices; -1: no candidate competes */
};

/* Medians of the throughput errors of the points of one k; NAN: not predicted. */
struct size_errors {
    uint32_t k;
    size_t rows;
    double in_sample, left_out;
};

/* What the rows do not tell, and what stands there instead. */
struct statement {
    const char *key; /* of the model file, or "memory" */
    enum evidence word;
    const char *text;
};

struct form_choice {
    struct arena *arena;
    const struct profile_group *group;
    struct points points;
    uint32_t contest_folds;      /* parts of the configurations in which the forms were compared */
    struct contest speed, power; /* power.count 0: not measured */
    struct form form; /* the chosen one, with its joint fit; meaningless if speed.chosen is -1 */
    struct fit fit;
    struct covariance covariance;
    struct scores form_in_sample, form_left_out;
    bool speed_by_table, power_by_table;
    bool power_derived;                /* from one size and the floor of a node */
    struct interpolation table;        /* of what is by table; count > 0 if anything is */
    struct scores in_sample, left_out; /* of what is written */
    struct prediction *predictions;    /* of what is written, by point */
    const char *why;
    struct size_errors *sizes; /* by size: by ascending k */
    size_t size_count;
    ARRAY_OF(struct statement) statements;
    ARRAY_OF(const char *) warnings;
    enum evidence evidence; /* the weakest of the rows used */
};

#endif
