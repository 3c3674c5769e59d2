/* The choice among competing forms for one model on one GPU type: what it came to, how it is made,
   and what there is to say about it. */
#ifndef EASIM_CALIBRATE_CHOICE_H
#define EASIM_CALIBRATE_CHOICE_H

#include "calibrate/node_power.h"
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

struct choice_options {
    const char *file;        /* name of the profile, for messages */
    double max_form_error;   /* a form whose mean error in sample is above gives way to the table */
    struct node_floor floor; /* of the GPU type */
};

/* Fits, scores and chooses, the speed and the power apart. All memory but what form_choice_finish
   releases is in the arena. */
void form_choice_make(struct form_choice *choice, const struct profile_group *group,
                      const struct choice_options *options, struct arena *arena);
void form_choice_finish(struct form_choice *choice);

/* --- choice_text: in words --- */

/* "affine, additive sync, linear power". */
const char *choice_form_text(const struct form *form, struct arena *arena);
/* Which form of a contest was chosen and against what. */
const char *choice_contest_text(const struct form_choice *choice, const struct contest *contest);
/* What a derived power stands on. */
const char *choice_floor_text(const struct form_choice *choice, struct node_floor floor);
/* Fills in choice->statements. */
void choice_state(struct form_choice *choice, struct node_floor floor);
/* "" or "s". */
const char *choice_plural(size_t count);

/* Adds to choice->warnings. */
void choice_warn(struct form_choice *choice, const char *format, ...) PRINTF_LIKE(2, 3);
/* Parameters that the points hardly tell, and rows of `file` far from the form. */
void choice_warn_of_form(struct form_choice *choice, const char *file);
/* What the rows of `file` do not tell, and those that are not used. */
void choice_warn_of_points(struct form_choice *choice, const char *file);

#endif
