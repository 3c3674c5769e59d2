/* What a policy did at a decision point, and what else it could have done there, a row for each.
   Rows go from one process to another as they are; texts of theirs are places in a common text. */
#ifndef EASIM_EXPERIMENT_REGRET_REGRET_ROW_H
#define EASIM_EXPERIMENT_REGRET_REGRET_ROW_H

#include "base/array.h"
#include "experiment/regret/course.h"
#include "experiment/regret/text_places.h"

enum regret_action { REGRET_CHOSEN, REGRET_OTHER, REGRET_WAIT };
extern const char *const regret_action_names[]; /* by enum regret_action */

/* How other jobs fare in one run against another; times in s. */
struct regret_others {
    uint32_t sooner, later; /* jobs that end sooner, or later; the job itself left out */
    double most_sooner_s, most_later_s; /* of the one that gains, or loses, most; 0: none */
    double own_s; /* by how much the job itself ends later; NAN: it does not */
};

struct regret_row {
    uint32_t replication; /* from 1 */
    uint32_t point;       /* from 1 in each replication */
    uint64_t decision;    /* of the policy, from 1 */
    int64_t time_ns;
    uint32_t waiting, running, free_gpus; /* just before the start, the job itself included */
    size_t job, model, user;              /* texts */
    uint8_t action;                       /* enum regret_action */
    bool taken;                           /* the run went on with it */
    uint32_t config;                      /* or EASIM_NONE: waiting; likewise NAN, 0 below */
    uint32_t gpu_type, k, milli;
    double batch, power_limit_w;    /* 0: rigid; INFINITY: no limit */
    double time_s, energy_j;        /* as the policy can predict them */
    bool known;                     /* the run to its end has been made, and: */
    double of[REGRET_METRICS];      /* what it came to, */
    uint64_t digest;                /* and that of its figures */
    struct regret_others others;    /* against the chosen action */
    size_t most_sooner, most_later; /* jobs, texts */
    size_t failure;                 /* text; 0: none */
};

/* Zero-initialise; release with regret_rows_finish. All rows of a point stand together, the chosen
   action first. */
struct regret_rows {
    ARRAY_OF(struct regret_row) at;
    struct str texts;
};

void regret_rows_add_bytes(const struct regret_rows *rows, struct str *out);
/* Adds what regret_rows_add_bytes has made; false if it is not that. */
bool regret_rows_take_bytes(struct regret_rows *rows, struct slice from) MUST_CHECK;
void regret_rows_finish(struct regret_rows *rows);

#endif
