/* Resizes: see job_resize.h. */
#include "engine/job_resize.h"

#include "base/units.h"
#include "engine/checkpoint.h"
#include "engine/gpus.h"
#include "engine/job_phase.h"
#include "engine/jobs.h"

/* It has the GPUs of start, and the policy sees it there. */
static void show_new_gpus(struct sim *sim, struct job_start *start) {
    uint32_t job = start->job;
    uint32_t span = gpus_span(&start->allocation);
    checkpoint_charge_resize(sim, job);
    start->config = job_phase_follow_on_gpus(sim, job, start->config, span);
    sim->runs[job].resizing = true;
    jobs_show_start(sim, job, start->config, span);
    jobs_add_wake_time(sim, job);
    view_job(&sim->view, job)->saved_at_s = units_s(sim->unsaved[job].until_ns);
    view_change_running(&sim->view, job);
    list_note_change(&sim->list, job);
}

bool job_resize_take_gpus(struct sim *sim, struct job_start *start) {
    bool taken = gpus_swap(sim, start->job, start->config, &start->allocation);
    if (taken)
        show_new_gpus(sim, start);
    return taken;
}

bool job_resize_take_free_gpus(struct sim *sim, struct job_start *start) {
    bool taken = gpus_take(sim, start->job, start->config, &start->allocation);
    if (taken)
        show_new_gpus(sim, start);
    return taken;
}

void job_resize_carry_out(struct sim *sim, const struct job_start *start) {
    struct job_run *run = &sim->runs[start->job];
    struct easim_job *j = view_job(&sim->view, start->job);
    segments_cut(sim, start->job, CAUSE_RESIZED);
    gpus_stop_using(sim, start->job);
    allocation_finish(&run->allocation);
    run->resizing = false;
    j->resizes = ++sim->moved[start->job].resizes;
    j->resized_s = units_s(sim->now_ns);
    segments_begin_on_gpus(sim, start);
    sim_notify(sim, start->job, JOB_RESIZED);
}
