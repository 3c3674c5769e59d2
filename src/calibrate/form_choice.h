/* The choice among competing forms for one model on one GPU type, and everything there is to say
 * about it. */
#ifndef EASIM_CALIBRATE_FORM_CHOICE_H
#define EASIM_CALIBRATE_FORM_CHOICE_H

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
    struct interpolation table;        /* count > 0: it replaces the forms */
    struct scores in_sample, left_out; /* of what is written */
    struct prediction *predictions;    /* of what is written, by point */
    const char *why;
    ARRAY_OF(const char *) warnings;
    enum evidence evidence; /* the weakest of the rows used */
};

/* Fits, scores and chooses. A form whose mean error in sample is above max_form_error gives way to
   the table. Texts and file name are for messages; all memory but what form_choice_finish releases
   is in the arena. */
void form_choice_make(struct form_choice *choice, const struct profile_group *group,
                      const char *file, double max_form_error, struct arena *arena);
void form_choice_finish(struct form_choice *choice);

/* "affine, additive sync, linear power". */
const char *form_choice_form_text(const struct form *form, struct arena *arena);

#endif
