/* Progress: see progress.h. Invariant: of a computing job stretch_work is done
   at stretch_ns of its computing time and stretch_energy drawn at power_ns, and kept_work and
   kept_energy at its last periodic checkpoints before these. */
#include "engine/progress.h"

#include "base/units.h"
#include "engine/contention.h"
#include "engine/convoys.h"
#include "engine/gpus.h"
#include "engine/nodes.h"
#include "workload/jobs.h"

#include <math.h>

void progress_init(struct sim *sim) {
    if (sim->options.noise.speed_sigma > 0 || sim->cluster->slowdown_per_neighbour > 0 ||
        sim->workload->table.has_phases || sim->workload->has_utilization || sim->contention)
        sim->progress = mem_zalloc(sim->workload->jobs.count, sizeof *sim->progress);
}

void progress_submit(struct sim *sim, uint32_t job) {
    const struct noise_draw draw = {sim->options.noise.speed_sigma, sim->options.seed,
                                    sim->options.replication};
    sim->progress[job].noise = speed_noise(&draw, workload_job_number(sim->workload, job),
                                           sim->workload->jobs.at[job].kind);
}

double progress_factor(const struct sim *sim, uint32_t job) {
    return sim->progress[job].noise / nodes_slowdown(sim, job) * contention_share(sim, job);
}

void progress_begin(struct sim *sim, uint32_t job) {
    if (sim->contention)
        contention_reset(sim, job);
    if (sim->progress)
        sim->progress[job] = (struct progress){.began_ns = sim->now_ns,
                                               .noise = sim->progress[job].noise,
                                               .factor = progress_factor(sim, job)};
}

const struct progress *progress_of(const struct sim *sim, uint32_t job, struct progress *place) {
    if (!sim->progress || !convoys_hold(sim, job))
        return sim->progress ? &sim->progress[job] : NULL;
    *place = convoys_progress(sim, job);
    return place;
}

double progress_speed(const struct sim *sim, uint32_t job) {
    const struct job_run *run = &sim->runs[job];
    struct progress place;
    const struct progress *p = progress_of(sim, job, &place);
    double goodput = sim->view.configs[run->config].goodput[run->span];
    return p ? goodput * p->factor : goodput;
}

int64_t progress_computing_ns(const struct sim *sim, uint32_t job) {
    return sim->now_ns -
           (sim->progress ? sim->progress[job].began_ns : sim->runs[job].segment_start_ns);
}

int64_t progress_checkpoint_ns(const struct sim *sim, uint32_t job, int64_t computing_ns) {
    const struct start_costs *costs = workload_costs(sim->workload, &sim->workload->jobs.at[job]);
    int64_t interval_ns = units_ns(costs->checkpoint_interval_s);
    if (costs->checkpoint_interval_s == 0)
        return 0;
    return interval_ns > 0 ? computing_ns / interval_ns * interval_ns : computing_ns;
}

double progress_work(const struct sim *sim, uint32_t job, int64_t computing_ns) {
    if (!sim->progress)
        return units_s(computing_ns) * progress_speed(sim, job);
    struct progress place;
    const struct progress *p = progress_of(sim, job, &place);
    if (computing_ns < p->stretch_ns)
        return p->kept_work;
    return p->stretch_work + units_s(computing_ns - p->stretch_ns) * progress_speed(sim, job);
}

int128 progress_energy(const struct sim *sim, uint32_t job, int64_t computing_ns) {
    int64_t power_nw = gpus_running_nw(sim, job);
    if (!sim->progress)
        return (int128)power_nw * computing_ns;
    const struct progress *p = &sim->progress[job];
    if (computing_ns < p->power_ns)
        return p->kept_energy;
    return p->stretch_energy + (int128)power_nw * (computing_ns - p->power_ns);
}

void progress_change_power(struct sim *sim, uint32_t job) {
    struct progress *p = &sim->progress[job];
    int64_t computing_ns = progress_computing_ns(sim, job);
    p->kept_energy = progress_energy(sim, job, progress_checkpoint_ns(sim, job, computing_ns));
    p->stretch_energy = progress_energy(sim, job, computing_ns);
    p->power_ns = computing_ns;
}

static void begin_stretch(struct sim *sim, uint32_t job) {
    struct progress *p = &sim->progress[job];
    int64_t computing_ns = progress_computing_ns(sim, job);
    progress_change_power(sim, job);
    p->kept_work = progress_work(sim, job, progress_checkpoint_ns(sim, job, computing_ns));
    p->stretch_work = progress_work(sim, job, computing_ns);
    p->stretch_ns = computing_ns;
}

void progress_change(struct sim *sim, uint32_t job, double factor) {
    begin_stretch(sim, job);
    sim->progress[job].factor = factor;
}

void progress_change_share(struct sim *sim, uint32_t job) {
    begin_stretch(sim, job);
    contention_take_share(sim, job);
    sim->progress[job].factor = progress_factor(sim, job);
}

void progress_change_config(struct sim *sim, uint32_t job, uint32_t config, double due) {
    struct progress *p = &sim->progress[job];
    begin_stretch(sim, job);
    double late_s = fmax(0, p->stretch_work - due) / progress_speed(sim, job);
    sim->runs[job].config = config;
    p->factor = progress_factor(sim, job);
    p->stretch_work = due + late_s * progress_speed(sim, job);
}

int64_t progress_setup_ns(const struct sim *sim, uint32_t job) {
    return units_ns(sim->view.jobs[job].setup_s);
}
