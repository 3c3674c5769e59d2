/* Jobs that are due: see due_jobs.h. There may be as many decisions at an instant as events, so
   only the first looks at all events of it; the others look at those that were added since. Whether
   an event makes its job due is settled when it is added: the end that the job requested changes
   only together with the event. */
#include "engine/due_jobs.h"

#include "engine/jobs.h"

#include <stdlib.h>

void due_jobs_init(struct sim *sim) {
    const struct engine_options *options = &sim->options.engine;
    sim->due.looked_ns = -1;
    sim->due.is_used = !options->coalesce && options->equal_time != 0;
}

static bool is_due(const struct sim *sim, const struct event *event) {
    const struct easim_job *job = &sim->view.jobs[event->payload];
    return event->kind == EVENT_FINISH && event->time_ns == sim->now_ns &&
           job->state == EASIM_JOB_RUNNING && job->predicted_end_ns == event->time_ns;
}

static void collect_due_job(const struct event *event, void *context) {
    struct sim *sim = context;
    if (is_due(sim, event))
        array_push(&sim->due.added, (struct due_job){.job = event->payload});
}

ORDER_BY(by_place, struct due_job, ASC(place))

/* The jobs of events added since the last look that are due, in the order in which a look at all
   events would find them. An event may be gone again, and another one of the job be in its place.
 */
static void sift_added(struct sim *sim) {
    struct due_jobs *due = &sim->due;
    size_t kept = 0;
    for (size_t i = 0; i < due->added.count; i++) {
        uint32_t job = due->added.at[i].job, id = sim->runs[job].event;
        if (sim->view.jobs[job].state != EASIM_JOB_RUNNING)
            continue;
        struct event event = eventq_event(&sim->events, id);
        if (is_due(sim, &event))
            due->added.at[kept++] = (struct due_job){job, eventq_visit_order(&sim->events, id)};
    }
    due->added.count = kept;
    sort_array(due->added.at, kept, by_place);
}

void due_jobs_finish(struct sim *sim) {
    struct due_jobs *due = &sim->due;
    if (!due->is_used)
        return;
    if (eventq_next_ns(&sim->events) != sim->now_ns) {
        due->added.count = 0;
        return;
    }
    if (due->looked_ns == sim->now_ns) {
        sift_added(sim);
    } else {
        due->looked_ns = sim->now_ns;
        due->added.count = 0;
        eventq_visit_first_instant(&sim->events, collect_due_job, sim);
    }
    for (size_t i = 0; i < due->added.count; i++)
        if (sim->view.jobs[due->added.at[i].job].state == EASIM_JOB_RUNNING) /* else it is twice */
            jobs_finish(sim, due->added.at[i].job);
    due->added.count = 0;
}
