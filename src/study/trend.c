/* Trends over the measured time of one run. */
#include "study/trend.h"

#include "base/units.h"

#include <math.h>

static double work_submitted_gpu_s(const struct sim *sim) {
    double sum = 0;
    for (uint32_t j = 0; j < sim->next_arrival; j++)
        sum += sim->workload->jobs.at[j].reference_gpu_s;
    return sum;
}

struct trend trend_of(const struct metrics *metrics, const struct sim *sim) {
    const struct summary *s = &metrics->summary;
    double submitted_gpu_s = work_submitted_gpu_s(sim);
    return (struct trend){
        .queue_per_h = queue_slope_per_h(&metrics->queue, sim),
        .work_unfinished =
            submitted_gpu_s > 0 ? s->work_unfinished_gpu_h * S_PER_H / submitted_gpu_s : NAN,
        .jobs_unfinished = s->jobs_submitted > 0 ? s->jobs_unfinished / s->jobs_submitted : NAN};
}
