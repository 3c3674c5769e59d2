/* The end of a job, true and predicted: see job_finish.h. */
#include "engine/job_finish.h"

#include "base/units.h"
#include "engine/phase.h"
#include "engine/progress.h"

#include <math.h>

int64_t job_finish_work_ns(const struct sim *sim, uint32_t job, double work) {
    struct progress place;
    const struct progress *p = progress_of(sim, job, &place);
    double speed = progress_speed(sim, job);
    if (p && p->stretch_ns > 0)
        return p->began_ns + p->stretch_ns +
               units_duration_ns(fmax(0, work - p->stretch_work) / speed);
    return sim->runs[job].held_since_ns +
           units_duration_ns(sim->view.jobs[job].setup_s + work / speed);
}

int64_t job_finish_next_ns(const struct sim *sim, uint32_t job) {
    return job_finish_work_ns(sim, job, sim->runs[job].remaining - phase_end_work(sim, job));
}

int64_t job_finish_predicted_ns(const struct sim *sim, uint32_t job, uint32_t config,
                                uint32_t span) {
    const struct easim_job *j = &sim->view.jobs[job];
    double time_s = j->setup_s + j->remaining / sim->view.configs[config].goodput[span];
    return sim->now_ns + units_duration_ns(time_s);
}

int64_t job_finish_predicted_on_ns(const struct sim *sim, uint32_t job) {
    const struct easim_job *j = &sim->view.jobs[job];
    return sim->now_ns +
           units_duration_ns(j->remaining / sim->view.configs[j->config].goodput[j->span]);
}
