/* Where a sweep resumes: which of its points are still to be run. */
#ifndef EASIM_EXPERIMENT_SWEEP_SWEEP_RESUME_H
#define EASIM_EXPERIMENT_SWEEP_SWEEP_RESUME_H

#include <stdbool.h>
#include <stddef.h>

enum sweep_state { SWEEP_MISSING, SWEEP_DONE, SWEEP_FAILED };

/* One of N equal parts: points shard - 1, shard - 1 + N, ... */
struct sweep_shard {
    unsigned number, of; /* 1..of; of = 0: all points */
};

struct sweep_resume {
    size_t count; /* points of the sweep */
    struct sweep_shard shard;
    bool retry_failed; /* points whose failure is recorded are to be run again */
    void *context;
    /* Of the results that are kept. Asked only for points of the shard. */
    enum sweep_state (*state_of)(void *context, size_t point);
};

bool sweep_shard_has(const struct sweep_shard *shard, size_t point);
/* Fills in the points that are to be run and returns how many; points: room for all. */
size_t sweep_resume_points(const struct sweep_resume *resume, size_t *points);
/* The points of the shard, whatever their state. */
size_t sweep_shard_points(const struct sweep_shard *shard, size_t count, size_t *points);
/* Which of `shards` shards of all points have one that is to be run; false if none has. */
bool sweep_resume_shards(const struct sweep_resume *resume, size_t shards, bool *ret_wanted);

#endif
