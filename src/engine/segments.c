/* Segments: see segments.h. A job gets its energy when one ends, so it is always exact. */
#include "engine/segments.h"

#include "base/units.h"
#include "engine/contention.h"
#include "engine/gpus.h"
#include "engine/limits.h"
#include "engine/nodes.h"

#include <math.h>

/* --- progress --- */
/* Invariant: of a computing job stretch_work is done at stretch_ns of its computing time and
   stretch_energy drawn at power_ns, kept_work and kept_energy at the last checkpoints before. */

void progress_init(struct sim *sim) {
    if (sim->options.noise.speed_sigma > 0 || sim->cluster->slowdown_per_neighbour > 0 ||
        sim->workload->table.has_phases || sim->workload->has_utilization || sim->contention ||
        sim->limits)
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

/* A job has got GPUs, or its run begins: nothing is done yet, with the factor it has now. */
static void progress_begin(struct sim *sim, uint32_t job) {
    if (SIM_HAS(sim, contention))
        contention_reset(sim, job);
    if (SIM_HAS(sim, progress))
        sim->progress[job] = (struct progress){.began_ns = sim->now_ns,
                                               .noise = sim->progress[job].noise,
                                               .factor = progress_factor(sim, job)};
    if (limits_have(sim, job))
        limits_begin(sim, job);
}

const struct progress *progress_of(const struct sim *sim, uint32_t job, struct progress *place) {
    bool shares = contention_holds(sim, job);
    if (!shares && !node_batches_hold(sim, job))
        return SIM_HAS(sim, progress) ? &sim->progress[job] : NULL;
    *place = shares ? contention_progress(sim, job) : node_batches_progress(sim, job);
    return place;
}

/* True goodput of a job with GPUs: factor * goodput of its configuration, units of work a second.
 */
static double progress_speed(const struct sim *sim, uint32_t job) {
    const struct job_run *run = &sim->runs[job];
    struct progress place;
    const struct progress *p = progress_of(sim, job, &place);
    double goodput = limits_have(sim, job) ? limits_member(sim, job)->hold.goodput
                                           : sim->view.configs[run->config].goodput[run->span];
    return p ? goodput * p->factor : goodput;
}

int64_t progress_computing_ns(const struct sim *sim, uint32_t job) {
    return sim->now_ns -
           (SIM_HAS(sim, progress) ? sim->progress[job].began_ns : sim->runs[job].segment_start_ns);
}

int64_t progress_checkpoint_ns(const struct sim *sim, uint32_t job, int64_t computing_ns) {
    const struct start_costs *costs = workload_costs(sim->workload, &sim->workload->jobs.at[job]);
    int64_t interval_ns = units_ns(costs->checkpoint_interval_s);
    if (costs->checkpoint_interval_s == 0)
        return 0;
    return interval_ns > 0 ? computing_ns / interval_ns * interval_ns : computing_ns;
}

double progress_work(const struct sim *sim, uint32_t job, int64_t computing_ns) {
    if (!SIM_HAS(sim, progress))
        return units_s(computing_ns) * progress_speed(sim, job);
    struct progress place;
    const struct progress *p = progress_of(sim, job, &place);
    if (computing_ns < p->stretch_ns)
        return p->kept_work;
    if (limits_have(sim, job))
        return p->stretch_work + limits_stretch_work(sim, job, p->began_ns + computing_ns,
                                                     p->factor, progress_speed(sim, job));
    return p->stretch_work + units_s(computing_ns - p->stretch_ns) * progress_speed(sim, job);
}

int128 progress_energy(const struct sim *sim, uint32_t job, int64_t computing_ns) {
    if (limits_have(sim, job))
        return limits_energy(sim, job, sim->progress[job].began_ns + computing_ns);
    int64_t power_nw = gpus_running_nw(sim, job);
    if (!SIM_HAS(sim, progress))
        return (int128)power_nw * computing_ns;
    const struct progress *p = &sim->progress[job];
    if (computing_ns < p->power_ns)
        return p->kept_energy;
    return p->stretch_energy + (int128)power_nw * (computing_ns - p->power_ns);
}

/* Another power from now on, for a job that computes: before that is so. */
static void progress_change_power(struct sim *sim, uint32_t job) {
    struct progress *p = &sim->progress[job];
    int64_t computing_ns = progress_computing_ns(sim, job);
    p->kept_energy = progress_energy(sim, job, progress_checkpoint_ns(sim, job, computing_ns));
    p->stretch_energy = progress_energy(sim, job, computing_ns);
    p->power_ns = computing_ns;
}

void progress_begin_stretch(struct sim *sim, uint32_t job) {
    struct progress *p = &sim->progress[job];
    int64_t computing_ns = progress_computing_ns(sim, job);
    progress_change_power(sim, job);
    p->kept_work = progress_work(sim, job, progress_checkpoint_ns(sim, job, computing_ns));
    p->stretch_work = progress_work(sim, job, computing_ns);
    p->stretch_ns = computing_ns;
    if (limits_have(sim, job))
        limits_begin_stretch(sim, job);
}

void progress_change_config(struct sim *sim, uint32_t job, uint32_t config, double due) {
    struct progress *p = &sim->progress[job];
    progress_begin_stretch(sim, job);
    double late_s = fmax(0, p->stretch_work - due) / progress_speed(sim, job);
    sim->runs[job].config = config;
    if (limits_have(sim, job))
        limits_follow(sim, job);
    p->factor = progress_factor(sim, job);
    p->stretch_work = due + late_s * progress_speed(sim, job);
}

/* Set-up on the GPUs that it has got, their waking included. */
static int64_t progress_setup_ns(const struct sim *sim, uint32_t job) {
    return sim->view.jobs[job].setup_s > 0 ? units_ns(sim->view.jobs[job].setup_s) : 0;
}

/* --- account --- */

double account_work_done(const struct sim *sim, uint32_t job) {
    const struct job_run *run = &sim->runs[job];
    double done = sim->workload->jobs.at[job].work - run->remaining;
    if (run->segment == SEGMENT_RUN)
        done += progress_work(sim, job, progress_computing_ns(sim, job));
    return done < sim->workload->jobs.at[job].work ? done : sim->workload->jobs.at[job].work;
}

int128 account_since(const struct sim *sim, uint32_t job, int64_t present_nw) {
    const struct job_run *run = &sim->runs[job];
    int64_t from_ns = run->segment_start_ns;
    int128 energy = 0;
    if (limits_has_flag(sim, job, LIMIT_METERED))
        return limits_segment_energy(sim, job);
    if (contention_holds(sim, job) && !sim->tells_segments)
        energy = contention_energy(sim, job, &from_ns);
    return energy + (int128)present_nw * (sim->now_ns - from_ns);
}

/* Drawn by its GPUs in the present segment, 1e-18 J. */
static int128 account_present_energy(const struct sim *sim, uint32_t job) {
    bool uses = job_run_uses_gpus(&sim->runs[job]);
    return uses ? account_since(sim, job, gpus_present_nw(sim, job)) : 0;
}

int128 account_energy(const struct sim *sim, uint32_t job) {
    return sim->runs[job].energy + account_present_energy(sim, job);
}

int128 account_gpu_ps(const struct sim *sim, uint32_t job) {
    const struct job_run *run = &sim->runs[job];
    int64_t present_ns = job_run_uses_gpus(run) ? sim->now_ns - run->held_since_ns : 0;
    return run->gpu_ps +
           (present_ns > 0 ? (int128)gpus_held_milli(sim, run->config) * present_ns : 0);
}

int64_t account_held_ns(const struct sim *sim, uint32_t job) {
    const struct job_run *run = &sim->runs[job];
    return run->held_ns + (job_run_uses_gpus(run) ? sim->now_ns - run->held_since_ns : 0);
}

struct lost account_lost(const struct sim *sim, uint32_t job) {
    return sim->lost ? sim->lost[job] : (struct lost){0};
}

/* --- job_finish --- */

/* Time at which it will truly have done `work` of its present run. */
static int64_t job_finish_work_ns(const struct sim *sim, uint32_t job, double work) {
    struct progress place;
    const struct progress *p = progress_of(sim, job, &place);
    double speed = progress_speed(sim, job);
    if (limits_has_flag(sim, job, LIMIT_TOUCHED))
        return limits_reach_ns(sim, job, work);
    if (p && p->stretch_ns > 0)
        return p->began_ns + p->stretch_ns +
               units_duration_ns(fmax(0, work - p->stretch_work) / speed);
    return sim->runs[job].held_since_ns +
           units_duration_ns(sim->view.jobs[job].setup_s + work / speed);
}

int64_t job_finish_next_ns(const struct sim *sim, uint32_t job) {
    return job_finish_work_ns(sim, job, sim->runs[job].remaining - phase_end_work(sim, job));
}

int64_t job_finish_pending_ns(const struct sim *sim, uint32_t job) {
    bool has_none = contention_holds(sim, job) || limits_has_flag(sim, job, LIMIT_ALONE);
    return has_none ? job_finish_next_ns(sim, job) : node_batches_end_ns(sim, job);
}

int64_t job_finish_next_event_ns(struct sim *sim) {
    return SIM_HAS(sim, limits)               ? limits_next_event_ns(sim)
           : SIM_HAS(sim, contention)         ? contention_next_event_ns(sim)
           : SIM_HAS(sim, node_batches.nodes) ? node_batches_next_event_ns(sim)
                                              : eventq_next_ns(&sim->events);
}

int64_t job_finish_predicted_ns(const struct sim *sim, uint32_t job, uint32_t config,
                                uint32_t span) {
    const struct easim_job *j = &sim->view.jobs[job];
    double time_s = j->setup_s + j->remaining / sim->view.configs[config].goodput[span];
    return sim->now_ns + units_duration_ns(time_s);
}

int64_t job_finish_predicted_on_ns(const struct sim *sim, uint32_t job) {
    const struct easim_job *j = &sim->view.jobs[job];
    double goodput = limits_have(sim, job) ? limits_member(sim, job)->hold.goodput
                                           : sim->view.configs[j->config].goodput[j->span];
    return sim->now_ns + units_duration_ns(j->remaining / goodput);
}

/* --- power --- */

/* Where the meter counts what a job holds in its present segment. */
static struct power_use *metered_use(struct sim *sim, const struct job_run *run) {
    struct power_type *type = &sim->meter.types[sim->view.configs[run->config].gpu_type];
    return run->segment == SEGMENT_RUN ? &type->computing : &type->setup;
}

/* Thousandths of GPUs that run below a power limit in the present segment. */
static int64_t limited_milli(const struct sim *sim, uint32_t job) {
    const struct job_run *run = &sim->runs[job];
    double limit_w = SIM_HAS(sim, limits) ? gpus_limit_w(sim, job)
                                          : sim->view.configs[run->config].power_limit_w;
    bool limited = run->segment == SEGMENT_RUN && limit_w < INFINITY;
    return limited ? gpus_held_milli(sim, run->config) : 0;
}

/* sign 1: the meter counts what a job holds in its present segment; -1: no more. */
static void count_use(struct sim *sim, uint32_t job, int sign, int64_t present_nw) {
    const struct job_run *run = &sim->runs[job];
    struct power_use *use = metered_use(sim, run);
    use->milli += sign * gpus_held_milli(sim, run->config);
    use->nw += sign * present_nw;
    sim->meter.types[sim->view.configs[run->config].gpu_type].limited_milli +=
        sign * limited_milli(sim, job);
}

void segments_meter_on(struct sim *sim, uint32_t job) {
    count_use(sim, job, 1, gpus_present_nw(sim, job));
}

void segments_meter_off(struct sim *sim, uint32_t job) {
    count_use(sim, job, -1, gpus_present_nw(sim, job));
}

/* --- beginning and end --- */

static void begin_segment(struct sim *sim, uint32_t job, enum segment_kind kind) {
    struct job_run *run = &sim->runs[job];
    run->segment = (uint8_t)kind;
    run->segment_start_ns = sim->now_ns;
    run->segment_phase = run->phase;
    if (job_run_uses_gpus(run))
        segments_meter_on(sim, job);
    if (kind == SEGMENT_RUN && limits_have(sim, job))
        limits_compute(sim, job);
}

/* The event at the end of the present run of a job. */
enum event_kind segments_end_of_run(const struct sim *sim, uint32_t job) {
    return phase_is_last(sim, job) ? EVENT_FINISH : EVENT_PHASE;
}

void segments_await_utilization(struct sim *sim, uint32_t job) {
    const struct job_run *run = &sim->runs[job];
    double next_work = utilization_next_work(sim, job);
    if (next_work < 0)
        return;
    int64_t next_ns = job_finish_work_ns(sim, job, run->remaining - next_work);
    next_ns = next_ns > sim->now_ns ? next_ns : sim->now_ns;
    if (next_ns < eventq_time_ns(&sim->events, run->event))
        sim->uses[job].event = sim_push(sim, next_ns, EVENT_UTILIZATION, job);
}

void segments_cancel_utilization(struct sim *sim, uint32_t job) {
    struct use *use = &sim->uses[job];
    if (use->event != EVENT_NONE)
        eventq_cancel(&sim->events, use->event);
    use->event = EVENT_NONE;
}

/* Another utilization is another power without a limit. */
static void follow_utilization(struct sim *sim, uint32_t job) {
    uint32_t wished = limits_config(sim, job);
    if (!limits_have(sim, job))
        return;
    gpus_recommit(sim, job, wished, wished, sim->runs[job].span);
    limits_follow(sim, job);
}

/* And the event of its end. */
static void begin_segment_until(struct sim *sim, uint32_t job, enum segment_kind kind,
                                int64_t end_ns) {
    static const enum event_kind ends[] = {
        [SEGMENT_SETUP] = EVENT_COMPUTING, [SEGMENT_CHECKPOINT] = EVENT_RELEASE};
    bool uses = kind == SEGMENT_RUN && utilization_changes(sim, job);
    if (uses) {
        utilization_begin(sim, job);
        follow_utilization(sim, job);
        end_ns = limits_has_flag(sim, job, LIMIT_TOUCHED) ? job_finish_next_ns(sim, job) : end_ns;
    }
    if (SIM_HAS(sim, contention) && kind == SEGMENT_RUN)
        contention_begin(sim, job);
    begin_segment(sim, job, kind);
    bool waits = SIM_HAS(sim, cap) && kind == SEGMENT_RUN && limits_may_wait(sim, job, end_ns);
    enum event_kind end = kind == SEGMENT_RUN ? segments_end_of_run(sim, job) : ends[kind];
    sim->runs[job].event = waits ? EVENT_NONE : sim_push(sim, end_ns, end, job);
    if (uses)
        segments_await_utilization(sim, job);
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

RARE static void tell_segment(const struct sim *sim, uint32_t job, enum segment_cause ended) {
    const struct segment segment = segments_present(sim, job, ended);
    for (const struct observer *const *o = sim->observers; *o; o++)
        if ((*o)->segment)
            (*o)->segment((*o)->context, sim, &segment);
}

/* Ends the present segment only: the job keeps what it shares with others. */
static void end_segment(struct sim *sim, uint32_t job, enum segment_cause cause) {
    struct job_run *run = &sim->runs[job];
    if (sim->tells_segments)
        tell_segment(sim, job, cause);
    if (job_run_uses_gpus(run)) {
        int64_t present_nw = gpus_present_nw(sim, job);
        run->energy += account_since(sim, job, present_nw);
        count_use(sim, job, -1, present_nw);
    }
    if (limits_has_flag(sim, job, LIMIT_METERED))
        limits_pause(sim, job, segment_cause_goes_on(cause));
    run->segment = SEGMENT_NONE;
    run->cause = (uint8_t)cause;
    run->segment_start_ns = sim->now_ns;
}

void segments_end(struct sim *sim, uint32_t job, enum segment_cause cause) {
    bool computes = sim->runs[job].segment == SEGMENT_RUN;
    end_segment(sim, job, cause);
    if (SIM_HAS(sim, contention) && computes)
        contention_leave(sim, job);
    if (utilization_changes(sim, job))
        segments_cancel_utilization(sim, job);
}

/* The event at the end of its segment, if it has one (limits.h). */
static void cancel_end(struct sim *sim, uint32_t job) {
    if (sim->runs[job].event != EVENT_NONE)
        eventq_cancel(&sim->events, sim->runs[job].event);
    if (SIM_HAS(sim, limits))
        limits_end_with_event(sim, job);
}

void segments_cut(struct sim *sim, uint32_t job, enum segment_cause cause) {
    node_batches_leave(sim, job);
    contention_release(sim, job);
    cancel_end(sim, job);
    segments_end(sim, job, cause);
}

/* --- kinds --- */

void segments_begin_queued(struct sim *sim, uint32_t job) {
    begin_segment(sim, job, SEGMENT_QUEUED);
    sim->runs[job].event = EVENT_NONE;
}

static void count_start(struct sim *sim, uint32_t job, const struct easim_config *config) {
    sim->runs[job].start = (uint32_t)sim->start_total++;
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
    run->span = (uint8_t)gpus_span(&start->allocation);
    run->node_count = start->allocation.count;
    run->held_since_ns = sim->now_ns;
    gpus_use(sim, job);
    if (SIM_HAS(sim, limits))
        limits_join(sim, job);
    count_start(sim, job, &sim->view.configs[start->config]);
    progress_begin(sim, job);
    int64_t end_ns = job_finish_next_ns(sim, job),
            run_ns = sim->now_ns + progress_setup_ns(sim, job);
    if (run_ns > sim->now_ns && run_ns <= end_ns)
        begin_segment_until(sim, job, SEGMENT_SETUP, run_ns);
    else
        begin_segment_until(sim, job, SEGMENT_RUN, end_ns);
}

FUSED void segments_begin_run(struct sim *sim, uint32_t job) {
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

void segments_change_utilization(struct sim *sim, uint32_t job) {
    sim->uses[job].event = EVENT_NONE;
    progress_change_power(sim, job);
    segments_end(sim, job, CAUSE_UTILIZATION);
    sim->uses[job].step++;
    follow_utilization(sim, job);
    begin_segment(sim, job, SEGMENT_RUN);
    if (limits_has_flag(sim, job, LIMIT_TOUCHED))
        segments_move_end(sim, job);
    segments_await_utilization(sim, job);
}

/* --- for jobs that change in place --- */

bool segments_is_due(const struct sim *sim, uint32_t job) {
    return sim->runs[job].event != EVENT_NONE &&
           eventq_time_ns(&sim->events, sim->runs[job].event) <= sim->now_ns;
}

void segments_move_end(struct sim *sim, uint32_t job) {
    cancel_end(sim, job);
    sim->runs[job].event =
        sim_push(sim, job_finish_next_ns(sim, job), segments_end_of_run(sim, job), job);
}

void segments_cut_in_place(struct sim *sim, uint32_t job, enum segment_cause cause) {
    struct job_run *run = &sim->runs[job];
    if (run->segment_start_ns == sim->now_ns)
        return;
    if (sim->tells_segments)
        tell_segment(sim, job, cause);
    run->energy += account_present_energy(sim, job);
    run->cause = (uint8_t)cause;
    run->segment_start_ns = sim->now_ns;
    run->segment_phase = run->phase;
}

/* --- checkpoint: what a job that is stopped keeps and loses of its work --- */

#define MOST_VAIN_STOPS 1000

static const struct start_costs *costs_of(const struct sim *sim, uint32_t job) {
    return workload_costs(sim->workload, &sim->workload->jobs.at[job]);
}

int64_t checkpoint_write_ns(const struct sim *sim, uint32_t job, enum stop stop) {
    const struct start_costs *costs = costs_of(sim, job);
    int64_t left_ns = sim->unsaved[job].until_ns - sim->now_ns;
    if (stop != STOP_ON_DEMAND || costs->checkpoint_interval_s > 0)
        return 0;
    if (sim->runs[job].segment == SEGMENT_RUN)
        return units_ns(costs->checkpoint_s);
    return left_ns > 0 ? left_ns : 0;
}

/* Computing time since the set-up that a checkpoint has kept. */
static int64_t work_kept_ns(const struct sim *sim, uint32_t job, enum stop stop) {
    if (sim->runs[job].segment != SEGMENT_RUN)
        return 0;
    int64_t done_ns = progress_computing_ns(sim, job);
    if (costs_of(sim, job)->checkpoint_interval_s > 0)
        return progress_checkpoint_ns(sim, job, done_ns);
    return stop == STOP_ON_DEMAND ? done_ns : 0;
}

static void add_lost(struct sim *sim, uint32_t job, int64_t milli, int64_t lost_ns, int128 energy) {
    if (lost_ns == 0 && energy == 0)
        return;
    if (!sim->lost)
        sim->lost = mem_zalloc(sim->workload->jobs.count, sizeof *sim->lost);
    sim->lost[job].ns += lost_ns;
    sim->lost[job].gpu_ps += (int128)milli * lost_ns;
    sim->lost[job].energy += energy;
}

/* Computing time whose work is kept; negative: it is lost after all. */
static void add_kept(struct easim_job *job, int64_t milli, int64_t kept_ns) {
    job->kept_s += units_s(kept_ns);
    job->kept_gpu_s += (double)((int128)milli * kept_ns) * 1e-12;
}

/* Work that is left as policies know it: of modelled jobs the true one. */
static double predicted_left(const struct sim *sim, uint32_t job, double predicted) {
    bool rigid = sim->workload->jobs.at[job].kind == JOB_KIND_RIGID;
    return rigid ? predicted : sim->runs[job].remaining;
}

void checkpoint_book_unsaved(struct sim *sim, uint32_t job, enum stop stop) {
    struct job_run *run = &sim->runs[job];
    struct unsaved *unsaved = &sim->unsaved[job];
    bool writing =
        stop == STOP_FAILURE ? sim->now_ns <= unsaved->until_ns : sim->now_ns < unsaved->until_ns;
    if (unsaved->until_ns == 0 || (writing && stop == STOP_ON_DEMAND))
        return;
    if (writing) {
        run->remaining = unsaved->remaining;
        view_job(&sim->view, job)->remaining = unsaved->predicted;
        add_lost(sim, job, unsaved->milli, unsaved->computing_ns, unsaved->energy);
        add_kept(view_job(&sim->view, job), unsaved->milli, -unsaved->computing_ns);
    } else {
        run->vain_stops = 0;
    }
    unsaved->until_ns = 0;
}

void checkpoint_book_work(struct sim *sim, uint32_t job, enum stop stop) {
    struct job_run *run = &sim->runs[job];
    struct easim_job *j = view_job(&sim->view, job);
    contention_release(sim, job);
    checkpoint_book_unsaved(sim, job, stop);
    int64_t kept_ns = work_kept_ns(sim, job, stop), write_ns = checkpoint_write_ns(sim, job, stop);
    if (kept_ns == 0 && ++run->vain_stops > MOST_VAIN_STOPS)
        sim_fail(sim, "job %s was stopped %d times in a row without having kept any of its work",
                 sim->workload->jobs.at[job].id, MOST_VAIN_STOPS);
    if (run->segment != SEGMENT_RUN)
        return;
    if (limits_have(sim, job)) /* policies may have been shown less meanwhile */
        j->remaining = limits_predicted(sim, job);
    int64_t milli = gpus_held_milli(sim, run->config), done_ns = progress_computing_ns(sim, job);
    double work = progress_work(sim, job, kept_ns);
    int128 energy = progress_energy(sim, job, kept_ns);
    add_lost(sim, job, milli, done_ns - kept_ns, progress_energy(sim, job, done_ns) - energy);
    add_kept(j, milli, kept_ns);
    if (kept_ns > 0 && write_ns > 0)
        sim->unsaved[job] = (struct unsaved){.until_ns = sim->now_ns + write_ns,
                                             .computing_ns = kept_ns,
                                             .energy = energy,
                                             .milli = milli,
                                             .remaining = run->remaining,
                                             .predicted = predicted_left(sim, job, j->remaining)};
    else if (kept_ns > 0)
        run->vain_stops = 0;
    run->remaining = fmax(0, run->remaining - work);
    j->remaining = predicted_left(sim, job, fmax(0, j->remaining - work));
}

void checkpoint_charge_resize(struct sim *sim, uint32_t job) {
    struct easim_job *j = view_job(&sim->view, job);
    int64_t write_ns = checkpoint_write_ns(sim, job, STOP_ON_DEMAND),
            most_ns = units_ns(costs_of(sim, job)->checkpoint_s);
    write_ns = write_ns < most_ns ? write_ns
                                  : most_ns; /* it may still have been waiting for GPUs to wake */
    j->setup_s = j->restart_s + units_s(write_ns);
    checkpoint_book_work(sim, job, STOP_ON_DEMAND);
    if (sim->unsaved[job].until_ns > sim->now_ns)
        sim->unsaved[job].until_ns = sim->now_ns + write_ns;
}

void checkpoint_delay(struct sim *sim, uint32_t job, int64_t wait_ns) {
    if (sim->unsaved[job].until_ns > 0)
        sim->unsaved[job].until_ns += wait_ns;
}
