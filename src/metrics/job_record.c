/* Records of jobs: see job_record.h. */
#include "metrics/job_record.h"

#include "base/units.h"
#include "engine/contention.h"
#include "engine/limits.h"
#include "engine/segments.h"

#include <math.h>

/* --- deadline --- */

bool deadline_is_due(int64_t deadline_ns, int64_t horizon_ns) {
    return deadline_ns != TIME_NONE_NS && deadline_ns <= horizon_ns;
}

enum deadline deadline_judge(int64_t deadline_ns, int64_t finish_ns, int64_t horizon_ns) {
    if (deadline_ns == TIME_NONE_NS)
        return DEADLINE_NONE;
    if (finish_ns >= 0)
        return finish_ns <= deadline_ns ? DEADLINE_KEPT : DEADLINE_MISSED;
    return deadline_is_due(deadline_ns, horizon_ns) ? DEADLINE_MISSED : DEADLINE_OPEN;
}

/* --- job_record --- */

static int64_t since_submission(const struct job_spec *spec, int64_t time_ns) {
    return time_ns < 0 ? -1 : time_ns - spec->submit_ns;
}

struct job_record job_record_of(const struct sim *sim, uint32_t job) {
    const struct job_spec *spec = &sim->workload->jobs.at[job];
    const struct job_run *run = &sim->runs[job];
    int64_t horizon_ns = sim->options.horizon_ns;
    int128 energy = account_energy(sim, job);
    const struct lost lost = account_lost(sim, job);
    const struct contention_lost slowed = contention_lost_of(sim, job);
    const struct limit_totals limits =
        sim->limits ? limits_totals_of(sim, job) : (struct limit_totals){0};
    return (struct job_record){
        .spec = spec,
        .reject_reason = sim->reject_reasons[job],
        .config = run->config == EASIM_NONE ? NULL : &sim->view.configs[run->config],
        .state = sim_job_state(sim, job),
        .nodes = run->node_count,
        .span = run->span,
        .preemptions = sim->moved[job].preemptions,
        .resizes = sim->moved[job].resizes,
        .deadline = deadline_judge(spec->deadline_ns, run->finish_ns, horizon_ns),
        .deadline_is_due = deadline_is_due(spec->deadline_ns, horizon_ns),
        .start_ns = run->first_start_ns,
        .finish_ns = run->finish_ns,
        .wait_ns = since_submission(spec, run->first_start_ns),
        .jct_ns = since_submission(spec, run->finish_ns),
        .predicted_finish_ns = run->first_predicted_ns,
        .exec_ns = account_held_ns(sim, job),
        .lost_ns = lost.ns,
        .energy = energy,
        .lost_energy = lost.energy,
        .energy_j = power_j(energy),
        .gpu_ps = account_gpu_ps(sim, job),
        .lost_gpu_ps = lost.gpu_ps,
        .network_slowed_s = slowed.network_s,
        .storage_slowed_s = slowed.storage_s,
        .throttled_ns = limits.throttled_ns,
        .broken_ns = limits.broken_ns,
        .limit_lost_s = limits.lost_s,
    };
}

/* A job that writes a checkpoint holds its GPUs, and so runs. */
const char *job_record_status_name(uint32_t state) {
    static const char *const names[] = {
        [EASIM_JOB_PENDING] = "pending",   [EASIM_JOB_WAITING] = "waiting",
        [EASIM_JOB_RUNNING] = "running",   [EASIM_JOB_CHECKPOINTING] = "running",
        [EASIM_JOB_FINISHED] = "finished", [EASIM_JOB_REJECTED] = "rejected"};
    return names[state];
}

double job_record_edp_js(const struct job_record *record) {
    return record->jct_ns < 0 ? NAN : record->energy_j * units_s(record->jct_ns);
}

/* --- rows --- */

struct power_row power_row_of(const struct sim *sim) {
    uint32_t free = sim->view.v->free_gpus + sim->services.reserved_gpus,
             failed = sim->failures.gpus;
    return (struct power_row){sim->now_ns,
                              power_meter_total_nw(&sim->meter),
                              sim->cluster->gpus - free - failed,
                              free,
                              sim->waiting,
                              failed,
                              sim->view.v->shared_free_milli,
                              sim->view.v->power_cap_w,
                              sim->limits ? sim->limits->throttled_gpus : 0};
}
