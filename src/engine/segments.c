/* Segments: see segments.h. A job gets its energy where one ends, so that it is exact at any
 * instant.
 */
#include "engine/segments.h"

#include "engine/account.h"
#include "engine/contention.h"
#include "engine/convoys.h"
#include "engine/gpus.h"
#include "engine/job_finish.h"
#include "engine/phase.h"
#include "engine/progress.h"
#include "engine/utilization.h"

/* --- power --- */

/* Where the meter counts what a job holds in its present segment. */
static struct power_use *metered_use(struct sim *sim, const struct job_run *run) {
    struct power_type *type = &sim->meter.types[sim->view.configs[run->config].gpu_type];
    return run->segment == SEGMENT_RUN ? &type->computing : &type->setup;
}

/* Thousandths of GPUs that run below a power limit in the present segment. */
static int64_t limited_milli(const struct sim *sim, const struct job_run *run) {
    bool limited =
        run->segment == SEGMENT_RUN && sim->view.configs[run->config].power_limit_w < INFINITY;
    return limited ? gpus_held_milli(sim, run->config) : 0;
}

static void switch_power_on(struct sim *sim, uint32_t job) {
    const struct job_run *run = &sim->runs[job];
    struct power_use *use = metered_use(sim, run);
    use->milli += gpus_held_milli(sim, run->config);
    use->nw += gpus_present_nw(sim, job);
    sim->meter.types[sim->view.configs[run->config].gpu_type].limited_milli +=
        limited_milli(sim, run);
}

static void switch_power_off(struct sim *sim, uint32_t job) {
    const struct job_run *run = &sim->runs[job];
    struct power_use *use = metered_use(sim, run);
    use->milli -= gpus_held_milli(sim, run->config);
    use->nw -= gpus_present_nw(sim, job);
    sim->meter.types[sim->view.configs[run->config].gpu_type].limited_milli -=
        limited_milli(sim, run);
}

/* --- beginning and end --- */

static void begin_segment(struct sim *sim, uint32_t job, enum segment_kind kind) {
    struct job_run *run = &sim->runs[job];
    run->segment = (uint8_t)kind;
    run->segment_start_ns = sim->now_ns;
    run->segment_phase = run->phase;
    if (job_run_uses_gpus(run))
        switch_power_on(sim, job);
}

/* What the present run of a job leads to. */
static enum event_kind end_of_run(const struct sim *sim, uint32_t job) {
    return phase_is_last(sim, job) ? EVENT_FINISH : EVENT_PHASE;
}

/* The next step of a job's utilization, if it comes before the job ends. */
static void await_utilization(struct sim *sim, uint32_t job) {
    const struct job_run *run = &sim->runs[job];
    double next_work = utilization_next_work(sim, job);
    if (next_work < 0)
        return;
    int64_t next_ns = job_finish_work_ns(sim, job, run->remaining - next_work);
    next_ns = next_ns > sim->now_ns ? next_ns : sim->now_ns;
    if (next_ns < eventq_time_ns(&sim->events, run->event))
        sim->uses[job].event = sim_push(sim, next_ns, EVENT_UTILIZATION, job);
}

static void cancel_utilization(struct sim *sim, uint32_t job) {
    struct use *use = &sim->uses[job];
    if (use->event != EVENT_NONE)
        eventq_cancel(&sim->events, use->event);
    use->event = EVENT_NONE;
}

/* And the event of its end. */
static void begin_segment_until(struct sim *sim, uint32_t job, enum segment_kind kind,
                                int64_t end_ns) {
    static const enum event_kind ends[] = {
        [SEGMENT_SETUP] = EVENT_COMPUTING, [SEGMENT_CHECKPOINT] = EVENT_RELEASE};
    bool uses = kind == SEGMENT_RUN && utilization_changes(sim, job);
    if (uses)
        utilization_begin(sim, job);
    if (sim->contention && kind == SEGMENT_RUN)
        contention_begin(sim, job);
    begin_segment(sim, job, kind);
    sim->runs[job].event =
        sim_push(sim, end_ns, kind == SEGMENT_RUN ? end_of_run(sim, job) : ends[kind], job);
    if (uses)
        await_utilization(sim, job);
}

struct segment segments_present(const struct sim *sim, uint32_t job, enum segment_cause ended) {
    const struct job_run *run = &sim->runs[job];
    bool uses_gpus = job_run_uses_gpus(run);
    return (struct segment){.job = job,
                            .kind = run->segment,
                            .began = run->cause,
                            .ended = ended,
                            .start_ns = run->segment_start_ns,
                            .end_ns = sim->now_ns,
                            .config = uses_gpus ? run->config : EASIM_NONE,
                            .nodes = uses_gpus ? run->node_count : 0,
                            .phase = run->segment_phase,
                            .energy = account_present_energy(sim, job)};
}

static void tell_segment(const struct sim *sim, uint32_t job, enum segment_cause ended) {
    const struct segment segment = segments_present(sim, job, ended);
    for (const struct observer *const *o = sim->observers; *o; o++)
        if ((*o)->segment)
            (*o)->segment((*o)->context, sim, &segment);
}

/* What a job does may go on behind it: it keeps what it shares with others. */
static void end_segment(struct sim *sim, uint32_t job, enum segment_cause cause) {
    struct job_run *run = &sim->runs[job];
    if (sim->tells_segments)
        tell_segment(sim, job, cause);
    run->energy += account_present_energy(sim, job);
    if (job_run_uses_gpus(run))
        switch_power_off(sim, job);
    run->segment = SEGMENT_NONE;
    run->cause = (uint8_t)cause;
    run->segment_start_ns = sim->now_ns;
}

void segments_end(struct sim *sim, uint32_t job, enum segment_cause cause) {
    bool computes = sim->runs[job].segment == SEGMENT_RUN;
    end_segment(sim, job, cause);
    if (sim->contention && computes)
        contention_leave(sim, job);
    if (utilization_changes(sim, job))
        cancel_utilization(sim, job);
}

void segments_cut(struct sim *sim, uint32_t job, enum segment_cause cause) {
    convoys_leave(sim, job);
    eventq_cancel(&sim->events, sim->runs[job].event);
    segments_end(sim, job, cause);
}

/* --- kinds --- */

void segments_begin_queued(struct sim *sim, uint32_t job) {
    begin_segment(sim, job, SEGMENT_QUEUED);
    sim->runs[job].event = EVENT_NONE;
}

static void count_start(struct sim *sim, uint32_t job, const struct easim_config *config) {
    sim->start_total++;
    if (!config->extrapolated)
        return;
    sim->extrapolated_starts++;
    sim->extrapolated_by[sim->workload->jobs.at[job].model * sim->cluster->gpu_type_count +
                         config->gpu_type]++;
}

void segments_begin_on_gpus(struct sim *sim, const struct job_start *start) {
    uint32_t job = start->job;
    struct job_run *run = &sim->runs[job];
    run->allocation = start->allocation;
    run->config = start->config;
    run->span = gpus_span(&start->allocation);
    run->node_count = start->allocation.count;
    run->held_since_ns = sim->now_ns;
    gpus_use(sim, job);
    count_start(sim, job, &sim->view.configs[start->config]);
    progress_begin(sim, job);
    int64_t end_ns = job_finish_next_ns(sim, job),
            run_ns = sim->now_ns + progress_setup_ns(sim, job);
    if (run_ns > sim->now_ns && run_ns <= end_ns)
        begin_segment_until(sim, job, SEGMENT_SETUP, run_ns);
    else
        begin_segment_until(sim, job, SEGMENT_RUN, end_ns);
}

void segments_begin_run(struct sim *sim, uint32_t job) {
    segments_end(sim, job, CAUSE_SET_UP);
    progress_begin(sim, job);
    begin_segment_until(sim, job, SEGMENT_RUN, job_finish_next_ns(sim, job));
}

void segments_go_on(struct sim *sim, uint32_t job) {
    begin_segment_until(sim, job, SEGMENT_RUN, job_finish_next_ns(sim, job));
}

void segments_begin_checkpoint(struct sim *sim, uint32_t job, int64_t end_ns) {
    begin_segment_until(sim, job, SEGMENT_CHECKPOINT, end_ns);
}

/* Its step begins at this instant. */
static bool utilization_is_due(const struct sim *sim, uint32_t job) {
    uint32_t event = sim->uses[job].event;
    return event != EVENT_NONE && eventq_time_ns(&sim->events, event) <= sim->now_ns;
}

static bool work_is_done(const struct sim *sim, uint32_t job) {
    return eventq_time_ns(&sim->events, sim->runs[job].event) <= sim->now_ns;
}

/* Its speed is another one: so is its end. */
static void move_end(struct sim *sim, uint32_t job) {
    eventq_cancel(&sim->events, sim->runs[job].event);
    sim->runs[job].event = sim_push(sim, job_finish_next_ns(sim, job), end_of_run(sim, job), job);
}

void segments_change_speed(struct sim *sim, uint32_t job, double factor) {
    if (work_is_done(sim, job))
        return;
    progress_change(sim, job, factor);
    move_end(sim, job);
    if (utilization_changes(sim, job) && !utilization_is_due(sim, job)) {
        cancel_utilization(sim, job);
        await_utilization(sim, job);
    }
}

void segments_change_share(struct sim *sim, uint32_t job) {
    double share = contention_wanted_share(sim, job);
    if (work_is_done(sim, job))
        return;
    bool cuts = sim->runs[job].segment_start_ns < sim->now_ns &&
                gpus_running_at_nw(sim, job, share) != gpus_present_nw(sim, job);
    if (cuts)
        end_segment(sim, job, CAUSE_CONTENTION);
    else
        switch_power_off(sim, job);
    progress_change_share(sim, job);
    if (cuts)
        begin_segment(sim, job, SEGMENT_RUN);
    else
        switch_power_on(sim, job);
    move_end(sim, job);
}

void segments_change_utilization(struct sim *sim, uint32_t job) {
    sim->uses[job].event = EVENT_NONE;
    progress_change_power(sim, job);
    segments_end(sim, job, CAUSE_UTILIZATION);
    sim->uses[job].step++;
    begin_segment(sim, job, SEGMENT_RUN);
    await_utilization(sim, job);
}
