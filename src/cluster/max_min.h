/* Links that jobs share, and the max-min fair rates of these jobs (semantics 35.1): the rates of
   all rise together, and a job stops at the most that it could use, or where one of its links is
   full. Two sections: many links, and one link, where one number gives all rates.

   Many links: a job is a number below job_count, and loads a link with weight x rate.

   Jobs come and go; what that changes is computed when it is asked for, and only of jobs that are
   connected with the change by links that are wanted more than they can carry: no other link holds
   anybody back. */
#ifndef EASIM_CLUSTER_MAX_MIN_H
#define EASIM_CLUSTER_MAX_MIN_H

#include "base/array.h"
#include "base/timeheap.h"
#include "cluster/power_meter.h"

struct max_min_load {
    uint32_t link, weight;
};

struct max_min_job {
    double most, rate;          /* rate: up to date since the last max_min_settle */
    struct max_min_load *loads; /* owned */
    uint32_t load_count;
    bool is_here, is_seen, rises;
};

struct max_min_user {
    uint32_t job, weight;
};

struct max_min_link {
    double capacity;
    int128 wanted; /* sum of weight x most, each rounded up to a whole number: exact in any order */
    ARRAY_OF(struct max_min_user) users;
    bool is_changed, was_crowded, is_seen;
    double held;    /* while rates rise: load of jobs that have stopped, */
    uint64_t rises; /*   and weight of the others */
};

struct max_min {
    struct max_min_job *jobs;
    uint32_t job_count;
    struct max_min_link *links;
    uint32_t link_count;
    ARRAY_OF(uint32_t) changed_links, new_jobs, seen_jobs, seen_links;
    struct timeheap stops;            /* what may stop next, by the rate at which it does */
    size_t rising;                    /* jobs that have not stopped yet */
    ARRAY_OF(uint32_t) rates_changed; /* jobs that max_min_settle has given another rate */
};

/* All capacities are 0 until they are set. */
void max_min_init(struct max_min *links, uint32_t job_count, uint32_t link_count);
void max_min_finish(struct max_min *links);
/* Of a link that no job is on yet; a finite number >= 0. */
void max_min_set_capacity(struct max_min *links, uint32_t link, double capacity);

/* A job that is not here comes, with at most one load of each link and weights above 0; most is
   finite and at least 0. */
void max_min_add(struct max_min *links, uint32_t job, double most, const struct max_min_load *loads,
                 uint32_t load_count);
/* It goes; no effect if it is not here. */
void max_min_remove(struct max_min *links, uint32_t job);
static inline bool max_min_has(const struct max_min *links, uint32_t job) {
    return links->jobs[job].is_here;
}

/* Whether somebody came or went since max_min_settle. */
bool max_min_is_changed(const struct max_min *links);
/* Rates follow; rates_changed then has the jobs whose rate is another one, and those that are new.
   Rates hold to rounding, about 1e-12 of a capacity, whatever the order of jobs and changes; a job
   that its links hold back by less than that has its most, exactly. */
void max_min_settle(struct max_min *links);
/* Sum of weight x rate of the jobs on a link, in the order in which they are there. */
double max_min_load_of(const struct max_min *links, uint32_t link);

/* --- one link --- */
/* All weights are 1, so a job needs no entry: jobs of the same most are only counted. The rates are
   those that max_min gives, to the last digit. */

struct one_link_class {
    double most;
    uint32_t jobs;
};

/* Zero-initialise, then set the capacity, which is above 0, and a level of INFINITY. */
struct one_link {
    double capacity;
    double level;  /* since one_link_settle: the rate at which the link is full; INFINITY: never */
    int128 wanted; /* sum of most, each rounded up to a whole number */
    uint64_t jobs;
    ARRAY_OF(struct one_link_class) classes; /* by most */
    bool is_changed, was_crowded;
};

void one_link_finish(struct one_link *link);
/* A job comes, or one that had come with the same most goes. */
void one_link_add(struct one_link *link, double most);
void one_link_remove(struct one_link *link, double most);
/* The level follows. */
void one_link_settle(struct one_link *link);
/* The rate of a job. */
double one_link_rate(const struct one_link *link, double most);

#endif
