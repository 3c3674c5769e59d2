/* Jobs in the phases of their models: see job_phase.h. */
#include "engine/job_phase.h"

#include "engine/gpus.h"
#include "engine/job_finish.h"
#include "engine/phase.h"
#include "engine/predictions.h"
#include "engine/progress.h"
#include "engine/segments.h"

#include <math.h>

static void show_phase(struct sim *sim, uint32_t job) {
    struct easim_job *j = view_job(&sim->view, job);
    const struct config_set *set = phase_set(sim, job);
    j->phase = sim->runs[job].phase;
    j->first_config = set->first;
    j->config_count = set->count;
    view_header(&sim->view)->phase_changes++;
}

/* The configuration that a job on GPUs in config takes in its phase. */
static uint32_t config_taken(const struct sim *sim, uint32_t job, uint32_t config, uint32_t span) {
    uint32_t set = sim->workload->jobs.at[job].set + sim->runs[job].phase;
    return config_table_in_phase(&sim->workload->table, set, config, span);
}

/* Policies learn what is truly left, and count from here on. */
static void show_run(struct sim *sim, uint32_t job) {
    struct easim_job *j = view_job(&sim->view, job);
    const struct job_run *run = &sim->runs[job];
    const struct progress *p = &sim->progress[job];
    j->config = run->config;
    j->remaining = fmax(0, run->remaining - p->stretch_work);
    j->phase_s = sim->view.v->now_s;
    j->unsaved_work = j->checkpoint_interval_s > 0 ? fmax(0, p->stretch_work - p->kept_work) : 0;
    predictions_update(sim, job);
    j->predicted_end_ns = job_finish_predicted_on_ns(sim, job);
    view_change_running(&sim->view, job);
    list_note_start(&sim->list, job); /* what growing could bring it has changed */
}

void job_phase_enter(struct sim *sim, uint32_t job) {
    struct job_run *run = &sim->runs[job];
    uint32_t config = run->config;
    double due = run->remaining - phase_end_work(sim, job);
    segments_end(sim, job, CAUSE_PHASE);
    run->phase++;
    uint32_t taken = config_taken(sim, job, config, run->span);
    /* its factor, too: a neighbour that left at this instant has changed nothing yet (segments.c)
     */
    if (taken != config || sim->progress[job].factor != progress_factor(sim, job))
        progress_change_config(sim, job, taken, due);
    if (taken != config)
        gpus_recommit(sim, config, taken, run->span);
    segments_go_on(sim, job);
    show_phase(sim, job);
    if (taken != config)
        show_run(sim, job);
}

bool job_phase_follow(struct sim *sim, uint32_t job) {
    struct job_run *run = &sim->runs[job];
    struct easim_job *j = view_job(&sim->view, job);
    uint8_t phase = phase_of_work(sim, job, run->remaining);
    j->phase_s = 0;
    j->unsaved_work = 0;
    if (phase == run->phase)
        return false;
    run->phase = phase;
    show_phase(sim, job);
    return true;
}

uint32_t job_phase_follow_on_gpus(struct sim *sim, uint32_t job, uint32_t config, uint32_t span) {
    if (!job_phase_follow(sim, job))
        return config;
    uint32_t taken = config_taken(sim, job, config, span);
    gpus_recommit(sim, config, taken, span);
    predictions_update(sim, job);
    return taken;
}
