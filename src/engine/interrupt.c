/* Jobs that are stopped: see interrupt.h. */
#include "engine/interrupt.h"

#include "engine/checkpoint.h"
#include "engine/gpus.h"

static enum stop stop_of(bool at_once) {
    return at_once ? STOP_AT_ONCE : STOP_ON_DEMAND;
}

void interrupt_yield_gpus(struct sim *sim, uint32_t job, bool at_once) {
    int64_t write_ns = checkpoint_write_ns(sim, job, stop_of(at_once));
    view_remove_running(&sim->view, job);
    list_note_change(&sim->list, job);
    view_add_checkpointing(&sim->view, job, sim->now_ns + write_ns);
    if (write_ns > 0)
        return;
    gpus_leave(sim, job);
    view_job(&sim->view, job)->config = view_job(&sim->view, job)->span = EASIM_NONE;
}

void interrupt_preempt(struct sim *sim, uint32_t job, bool at_once) {
    int64_t write_ns = checkpoint_write_ns(sim, job, stop_of(at_once));
    sim->running--;
    view_job(&sim->view, job)->preemptions = ++sim->moved[job].preemptions;
    checkpoint_book_work(sim, job, stop_of(at_once));
    segments_cut(sim, job, CAUSE_PREEMPTED);
    if (write_ns > 0) {
        sim->checkpointing++;
        segments_begin_checkpoint(sim, job, sim->now_ns + write_ns);
    } else {
        jobs_requeue(sim, job);
    }
    sim_notify(sim, job, JOB_STOPPED);
}

void interrupt_release(struct sim *sim, uint32_t job) {
    checkpoint_book_unsaved(sim, job, STOP_ON_DEMAND);
    segments_end(sim, job, CAUSE_SAVED);
    gpus_leave(sim, job);
    sim->checkpointing--;
    jobs_requeue(sim, job);
}

void interrupt_fail(struct sim *sim, uint32_t job) {
    if (sim->view.jobs[job].state == EASIM_JOB_RUNNING) {
        view_remove_running(&sim->view, job);
        list_note_change(&sim->list, job);
        sim->running--;
    } else {
        sim->checkpointing--;
    }
    checkpoint_book_work(sim, job, STOP_FAILURE);
    segments_cut(sim, job, CAUSE_NODE_FAILED);
    gpus_leave(sim, job);
    jobs_requeue(sim, job);
    sim_notify(sim, job, JOB_FAILED);
}
