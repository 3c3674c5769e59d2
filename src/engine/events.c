/* Events: see events.h. */
#include "engine/events.h"

#include "engine/admission.h"
#include "engine/cluster_changes.h"
#include "engine/failures.h"
#include "engine/interrupt.h"
#include "engine/job_phase.h"
#include "engine/jobs.h"
#include "engine/nodes.h"
#include "engine/scaling.h"
#include "engine/segments.h"
#include "engine/service_view.h"

/* Arrivals enter the event set one at a time; jobs are in order of submission. */
static void take_arrival(struct sim *sim, uint32_t job) {
    sim->next_arrival = job + 1;
    if (job + 1 < sim->workload->jobs.count)
        sim_push(sim, sim->workload->jobs.at[job + 1].submit_ns, EVENT_ARRIVAL, job + 1);
    admission_submit(sim, job);
}

/* Events that go on for ever and do not help a waiting job by themselves. */
static bool is_background(uint32_t kind) {
    return kind == EVENT_FAILURE || kind == EVENT_REPAIR || kind == EVENT_SLEEP;
}

/* Events of services: where the host scales, and one of them frees GPUs, it asks for a decision
   itself. */
static bool is_of_services(uint32_t kind) {
    return kind == EVENT_DEMAND || kind == EVENT_BACKLOG || kind == EVENT_REPLICA ||
           kind == EVENT_SCALING;
}

static bool causes_decision(uint32_t kind) {
    return !is_of_services(kind) && kind != EVENT_COMPUTING && kind != EVENT_PHASE &&
           kind != EVENT_UTILIZATION && kind != EVENT_MEASURE && kind != EVENT_SLEEP;
}

static void tell_event(const struct sim *sim, const struct event *event) {
    for (const struct observer *const *o = sim->observers; *o; o++)
        if ((*o)->event)
            (*o)->event((*o)->context, sim, event);
}

static void tell_measuring(struct sim *sim) {
    services_settle_all(sim);
    for (const struct observer *const *o = sim->observers; *o; o++)
        if ((*o)->measure)
            (*o)->measure((*o)->context, sim);
}

static void change_state(struct sim *sim, const struct event *event) {
    switch ((enum event_kind)event->kind) {
    case EVENT_ARRIVAL:
        take_arrival(sim, event->payload);
        break;
    case EVENT_FINISH:
        if (sim_job_state(sim, event->payload) != EASIM_JOB_FINISHED) /* else it was due before */
            jobs_finish(sim, event->payload);
        view_add_event(&sim->view, EASIM_EVENT_FINISH, event->payload);
        view_drop_job(&sim->view, event->payload);
        break;
    case EVENT_COMPUTING:
        segments_begin_run(sim, event->payload);
        break;
    case EVENT_PHASE:
        job_phase_enter(sim, event->payload);
        break;
    case EVENT_UTILIZATION:
        segments_change_utilization(sim, event->payload);
        break;
    case EVENT_RELEASE:
        interrupt_release(sim, event->payload);
        view_add_event(&sim->view, EASIM_EVENT_FINISH, event->payload);
        break;
    case EVENT_TIMER:
        cluster_changes_pass_timer(sim);
        view_add_event(&sim->view, EASIM_EVENT_TIMER, EASIM_NONE);
        break;
    case EVENT_MEASURE:
        tell_measuring(sim);
        break;
    case EVENT_CLUSTER:
        cluster_changes_apply(sim, event->payload);
        break;
    case EVENT_FAILURE:
        failures_fail(sim, event->payload);
        view_add_event(&sim->view, EASIM_EVENT_CLUSTER, EASIM_NONE);
        break;
    case EVENT_REPAIR:
        failures_repair(sim, event->payload);
        view_add_event(&sim->view, EASIM_EVENT_CLUSTER, EASIM_NONE);
        break;
    case EVENT_SLEEP:
        nodes_fall_asleep(sim, event->payload);
        break;
    case EVENT_DEMAND:
        services_change_demand(sim);
        service_view_tell(sim);
        break;
    case EVENT_BACKLOG:
        services_change_flow(sim, event->payload);
        service_view_tell(sim);
        break;
    case EVENT_REPLICA:
        replicas_become_ready(sim, event->payload);
        service_view_tell(sim);
        break;
    case EVENT_SCALING:
        scaling_tick(sim);
        break;
    }
}

void events_apply(struct sim *sim, const struct event *event) {
    sim->event_total++;
    sim->instant_pending = true;
    sim->background -= is_background(event->kind);
    if (event->kind != EVENT_CLUSTER && event->kind != EVENT_TIMER && !is_background(event->kind) &&
        !is_of_services(event->kind))
        cluster_changes_reset_round(sim);
    sim->decide_pending = sim->decide_pending || causes_decision(event->kind);
    if (sim->tells_events && event->kind == EVENT_FAILURE)
        tell_event(sim, event);
    change_state(sim, event);
    if (sim->tells_events && event->kind != EVENT_FAILURE)
        tell_event(sim, event);
}
