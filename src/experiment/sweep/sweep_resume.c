/* Results are kept point by point, so a sweep that is started again, on another machine or in
   another shard, runs what has no result yet. */
#include "experiment/sweep/sweep_resume.h"

bool sweep_shard_has(const struct sweep_shard *shard, size_t point) {
    return shard->of == 0 || point % shard->of == shard->number - 1;
}

size_t sweep_shard_points(const struct sweep_shard *shard, size_t count, size_t *points) {
    size_t filled = 0;
    for (size_t p = 0; p < count; p++)
        if (sweep_shard_has(shard, p))
            points[filled++] = p;
    return filled;
}

static bool is_to_be_run(const struct sweep_resume *resume, size_t point) {
    enum sweep_state state = resume->state_of(resume->context, point);
    return state == SWEEP_MISSING || (state == SWEEP_FAILED && resume->retry_failed);
}

size_t sweep_resume_points(const struct sweep_resume *resume, size_t *points) {
    size_t count = sweep_shard_points(&resume->shard, resume->count, points), kept = 0;
    for (size_t i = 0; i < count; i++)
        if (is_to_be_run(resume, points[i]))
            points[kept++] = points[i];
    return kept;
}

bool sweep_resume_shards(const struct sweep_resume *resume, size_t shards, bool *ret_wanted) {
    bool any = false;
    for (size_t s = 0; s < shards; s++)
        ret_wanted[s] = false;
    for (size_t p = 0; p < resume->count; p++)
        if (!ret_wanted[p % shards] && is_to_be_run(resume, p))
            any = ret_wanted[p % shards] = true;
    return any;
}
