/* What slow workers cost a pipeline-parallel training job: replays of its steps in which some
   operations take their own time and the others that of their type (see
   docs/reference/stragglers.md). */
#ifndef EASIM_INGEST_STRAGGLERS_STRAGGLERS_H
#define EASIM_INGEST_STRAGGLERS_STRAGGLERS_H

#include "ingest/figures.h"
#include "ingest/stragglers/operations.h"

/* The length of each step, in s, and what it is compared with. */
struct straggler_replay {
    const char *name; /* of a type of operation, or NULL */
    double slowdown;  /* mean length over mean ideal length */
    double *steps_s;
};

enum straggler_cause { CAUSE_NONE, CAUSE_WORKERS, CAUSE_SEQUENCES, CAUSE_LAST_STAGE };

/* Zero-initialise; release with stragglers_finish. */
struct stragglers {
    struct operations operations;
    double *base_s; /* of each step as recorded */
    struct straggler_replay own, ideal;
    ARRAY_OF(struct straggler_replay) types, dp_ranks, stages;
    double *worker_slowdowns;   /* by stage, then rank */
    ARRAY_OF(uint32_t) slowest; /* workers by place, the slowest first */
    double launch_slowdown;
    double workers_share, last_stage_share; /* M_W, M_S; NAN: there is no slowdown */
    double compute_correlation, compute_cv; /* C_FB, cv; NAN: too few operations */
    enum straggler_cause cause;
    double gpus;           /* of the job */
    double lost_gpu_hours; /* in the recorded steps */
};

/* gpus: 0: one a worker. Negative after adding every problem of the file. */
int stragglers_load(struct stragglers *stragglers, const char *path, uint32_t gpus,
                    struct problems *problems) MUST_CHECK;
double mean_of_steps(const double *steps_s, size_t count);
const char *straggler_cause_text(enum straggler_cause cause);
/* All figures, of every step, too; in the arena. */
struct figure *stragglers_figures(const struct stragglers *stragglers, struct arena *arena);
/* The heat map of worker_slowdowns, an SVG file. */
void stragglers_write_svg(const struct stragglers *stragglers, struct str *out);
void stragglers_finish(struct stragglers *stragglers);

#endif
