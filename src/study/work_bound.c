/* Work done, job by job: see work_bound.h. */
#include "study/work_bound.h"

#include "engine/segments.h"

#include <math.h>
#include <stdlib.h>

static double *work_by_job(const struct sim *sim) {
    double *done = mem_zalloc(sim->workload->jobs.count, sizeof *done);
    for (uint32_t j = 0; j < sim->next_arrival; j++)
        if (sim_job_state(sim, j) != EASIM_JOB_REJECTED)
            done[j] = account_work_done(sim, j);
    return done;
}

struct bound work_bound_find(const struct study *study, const struct config_extras *extras,
                             const struct sim *sim) {
    struct workload workload = {0};
    struct problems problems = {0};
    struct bound bound = {NAN, "no workload"};
    uint32_t replication = sim->options.replication;
    if (source_generate(&study->source, replication, extras, &workload, &problems) == 0) {
        double *done = work_by_job(sim);
        bound = bound_energy_of_work(&(struct bound_case){&workload, &study->scenario, replication},
                                     done);
        free(done);
    }
    workload_finish(&workload);
    problems_finish(&problems);
    return bound;
}
