/* Forks of a run at its decision points: their processes, a regret_row for each choice, and
   text_places. */
#ifndef EASIM_EXPERIMENT_REGRET_FORKS_H
#define EASIM_EXPERIMENT_REGRET_FORKS_H

#include "base/array.h"
#include "base/str.h"
#include "experiment/regret/base_run.h"
#include "study/worker_pool.h"

#include <stdatomic.h>

struct fork_place {
    struct forked forked;
    size_t number; /* the caller's */
};

/* Fill in the first part and zero the rest; release with forks_finish. */
struct forks {
    unsigned most; /* at a time */
    const atomic_bool *cancel;
    void *context;
    /* One has ended. failure: NULL, or how it ended before it had handed a result in. */
    void (*ended)(void *context, size_t number, struct slice result, const char *failure);

    struct fork_place *at;
    struct crash_context *crashes;
    unsigned running;
    const struct fork_place
        *self; /* in a copy: which it is; NULL: this is the process they come from */
};

void forks_init(struct forks *forks);
/* Waits for a place. Returns twice: 1 in the copy, 0 here; here also when all are given up. */
int forks_start(struct forks *forks, size_t number) MUST_CHECK;
/* Until all have ended. Negative: they are given up, since the command is cancelled. */
int forks_wait(struct forks *forks);
void forks_finish(struct forks *forks);

/* --- regret_row --- */
/* The action of a policy at a decision point, and its alternatives there, a row each. Rows go from
   one process to another as they are; their texts are places in a common text. */

enum regret_action { REGRET_CHOSEN, REGRET_OTHER, REGRET_WAIT };
extern const char *const regret_action_names[]; /* by enum regret_action */

/* Effects of one run, compared with another, on other jobs; times in s. */
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
    uint32_t config;                      /* EASIM_NONE: waiting; then NAN or 0 below */
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

/* Zero-initialise; release with regret_rows_finish. All rows of a point are together, the chosen
   action first. */
struct regret_rows {
    ARRAY_OF(struct regret_row) at;
    struct str texts;
};

void regret_rows_add_bytes(const struct regret_rows *rows, struct str *out);
/* Adds what regret_rows_add_bytes has made; false if it is not that. */
bool regret_rows_take_bytes(struct regret_rows *rows, struct slice from) MUST_CHECK;
void regret_rows_finish(struct regret_rows *rows);

/* --- text_places --- */
/* Texts in a row, known by their places: they go from process to process as they are. */

/* A text's place; 0 of none. */
size_t text_places_add(struct str *texts, const char *text);
/* NULL of none. */
const char *text_places_at(const struct str *texts, size_t place);
/* Moves the places of texts that now follow `by` bytes of others. */
void text_places_move(size_t *const *places, size_t count, size_t by);

#endif
