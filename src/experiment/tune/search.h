/* A deterministic search for the best setting of a few parameters. It searches one parameter after
   the other on a grid over its whole range, then on finer and finer grids around the best, until a
   round over all of them changes nothing. A grid is better than a descent, because objectives have
   steps and more than one minimum. If the effect of other parameters depends on a choice, it is no
   axis of a grid: each of its values has such a search of its own over the others. */
#ifndef EASIM_EXPERIMENT_TUNE_SEARCH_H
#define EASIM_EXPERIMENT_TUNE_SEARCH_H

#include "base/array.h"
#include "base/error.h"

#include <stdbool.h>

/* The values of a parameter. */
struct search_axis {
    double least, most;
    bool logarithmic, whole; /* whole: integers only; a small range of them is tried in full */
    bool may_be_off;         /* INFINITY is a value too */
    bool apart; /* each whole number has a search of its own over the others; one axis at most */
    bool bound; /* matters only where the axis that is apart has this value: */
    double bound_to;
};

/* The axis for a range: logarithmic where it spans more than a factor of 100. */
struct search_axis search_axis_of(double least, double most, bool whole, bool may_be_off);

/* Less is better: first of the violation, which is 0 where nothing is violated, then of the value.
 * NAN: worst. */
struct search_score {
    double violation, value;
};

struct search_trial {
    double *point; /* one number per axis */
    struct search_score score;
};

struct search {
    const struct search_axis *axes;
    size_t count;
    /* Negative ends the search; a point that cannot be scored has value NAN instead. */
    int (*evaluate)(void *context, const double *point, struct search_score *ret_score);
    void *context;
    size_t most_trials; /* what is apart has equal shares of them */
    /* NULL, or told how many trials there will be at most by the end of the present round. */
    void (*expect)(void *context, size_t trials);
    ARRAY_OF(struct search_trial)
    trials;      /* every point once, in the order of evaluation; the first is the start */
    size_t best; /* the first of the best */
    bool cut;    /* most_trials has kept it from trying something */
    /* Its own: where it is. */
    size_t middle; /* the best for the present value of the axis apart */
    size_t limit;  /* trials up to there */
};

/* Negative: what evaluate returned. Release with search_finish in any case. */
int search_run(struct search *search, const double *start) MUST_CHECK;
void search_finish(struct search *search);

#endif
