/* The life of a job: see jobs.h. */
#include "engine/jobs.h"

#include "base/units.h"
#include "engine/gpus.h"
#include "engine/limits.h"
#include "engine/power_cap.h"

#include <math.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

/* --- predictions --- */
/* The view of a job's future on the empty cluster: T*, EDP* and the configuration of T* (semantics
   4), with the configurations of its present phase. */

/* For the work that is left and the set-up, as the view has them. */
static void predictions_update(struct sim *sim, uint32_t job) {
    struct easim_job *j = view_job(&sim->view, job);
    uint32_t set = sim->workload->jobs.at[job].set + sim->runs[job].phase;
    struct config_best best =
        config_table_best(&sim->workload->table, set, j->remaining, j->setup_s);
    j->best_config = best.config;
    j->time_best_s = best.time_s;
    j->edp_best_js = best.edp_js;
}

/* --- job_phase --- */

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
    j->config = limits_config(sim, job);
    j->remaining = fmax(0, run->remaining - p->stretch_work);
    j->rate_s = sim->view.v->now_s;
    j->unsaved_work = j->checkpoint_interval_s > 0 ? fmax(0, p->stretch_work - p->kept_work) : 0;
    predictions_update(sim, job);
    j->predicted_end_ns = job_finish_predicted_on_ns(sim, job);
    view_change_running(&sim->view, job);
    list_note_start(&sim->list, job); /* what growing could bring it has changed */
    if (limits_has_flag(sim, job, LIMIT_SHOWN))
        limits_show_later(sim, job);
}

void job_phase_enter(struct sim *sim, uint32_t job) {
    struct job_run *run = &sim->runs[job];
    uint32_t config = run->config, wished = limits_config(sim, job);
    double due = run->remaining - phase_end_work(sim, job);
    segments_end(sim, job, CAUSE_PHASE);
    run->phase++;
    uint32_t taken = config_taken(sim, job, config, run->span),
             takes = config_taken(sim, job, wished, run->span);
    if (takes != wished)
        gpus_recommit(sim, job, wished, takes, run->span);
    /* its factor, too: a neighbour that left at this instant has changed nothing yet (segments.c)
     */
    if (taken != config || sim->progress[job].factor != progress_factor(sim, job))
        progress_change_config(sim, job, taken, due);
    show_phase(sim, job);
    if (taken != config)
        show_run(sim, job);
    segments_go_on(sim, job); /* with the finish that is predicted now */
}

/* A job in no run may have lost work: its utilization follows, and its phase. True: to another. */
static bool job_phase_follow(struct sim *sim, uint32_t job) {
    struct job_run *run = &sim->runs[job];
    struct easim_job *j = view_job(&sim->view, job);
    uint8_t phase = phase_of_work(sim, job, run->remaining);
    j->rate_s = 0;
    j->unsaved_work = 0;
    if (utilization_changes(sim, job))
        utilization_begin(sim, job);
    if (phase == run->phase)
        return false;
    run->phase = phase;
    show_phase(sim, job);
    return true;
}

/* Likewise after a resize to GPUs in config; returns the configuration it takes on them. */
static uint32_t job_phase_follow_on_gpus(struct sim *sim, uint32_t job, uint32_t config,
                                         uint32_t span) {
    if (!job_phase_follow(sim, job) && !(sim->limits && utilization_changes(sim, job)))
        return config;
    uint32_t taken = config_taken(sim, job, config, span);
    gpus_recommit(sim, job, config, taken, span);
    predictions_update(sim, job);
    return taken;
}

/* --- job_memory --- */
/* Invariant: the memory of a job that is not submitted is zero, and in a checked run also the bytes
   after that of each job. */

#define MOST_GIB 4u /* of all jobs together */

int job_memory_init(struct sim *sim, struct error *reterr) {
    const struct easim_policy *policy = sim->module->policy;
    const size_t step = alignof(max_align_t), size = policy->job_memory_size,
                 jobs = sim->workload->jobs.count;
    if (size == 0)
        return 0;
    sim->job_memory_stride = (size + step - 1) / step * step + (sim->options.check ? step : 0);
    if (sim->job_memory_stride * jobs > (size_t)MOST_GIB << 30)
        return error_set(reterr, ERROR_RUN,
                         "policy %s: job_memory_size is %zu bytes, of %zu jobs together %.3g GiB: "
                         "expected at most %u GiB",
                         policy->name, size, jobs, (double)size * (double)jobs * 0x1p-30, MOST_GIB);
    sim->job_memory = mem_zalloc(jobs, sim->job_memory_stride);
    return 0;
}

void job_memory_finish(struct sim *sim) {
    free(sim->job_memory);
}

/* A job is submitted. */
static void job_memory_zero(struct sim *sim, uint32_t job) {
    if (sim->job_memory)
        memset(sim->job_memory + job * sim->job_memory_stride, 0, sim->job_memory_stride);
}

bool job_memory_is_whole(const struct sim *sim, uint32_t job) {
    size_t size = sim->module->policy->job_memory_size;
    bool is_zero = true;
    for (size_t i = size; sim->job_memory && i < sim->job_memory_stride; i++)
        is_zero = is_zero && sim->job_memory[job * sim->job_memory_stride + i] == 0;
    return is_zero;
}

/* --- submission --- */

/* Set-up of the next start, and T* and EDP* with it. */
static void predict_next_start(struct sim *sim, uint32_t job) {
    struct easim_job *j = view_job(&sim->view, job);
    const struct start_costs *costs = workload_costs(sim->workload, &sim->workload->jobs.at[job]);
    j->setup_s = j->started_before ? costs->restart_s : costs->start_s;
    predictions_update(sim, job);
}

static void fill_view_job(struct sim *sim, uint32_t job) {
    /* values of its own: none of them is in the view, as a compiler cannot know */
    const struct job_spec own = sim->workload->jobs.at[job], *spec = &own;
    const struct config_set set = sim->workload->table.sets.at[own.set];
    const struct start_costs costs = *workload_costs(sim->workload, spec);
    bool oracle = sim->module->policy->capabilities & EASIM_CAPABILITY_ORACLE;
    *view_job(&sim->view, job) = (struct easim_job){
        .id = spec->id,
        .index = job,
        .next_waiting = EASIM_NONE,
        .first_config = set.first,
        .config_count = set.count,
        .config = EASIM_NONE,
        .group = EASIM_NONE,
        .running_slot = EASIM_NONE,
        .user = spec->user,
        .model = spec->model,
        .preemptible = spec->preemptible,
        .resized_s = -INFINITY,
        .sla = spec->sla,
        .submit_ns = spec->submit_ns,
        .submit_s = units_s(spec->submit_ns),
        .deadline_s = spec->deadline_ns == TIME_NONE_NS ? INFINITY : units_s(spec->deadline_ns),
        .remaining = spec->predicted_work,
        .restart_s = costs.restart_s,
        .checkpoint_s = costs.checkpoint_s,
        .checkpoint_interval_s = costs.checkpoint_interval_s,
        .true_time_s = oracle && spec->kind == JOB_KIND_RIGID ? spec->work : NAN,
    };
}

/* One job more, or fewer, waits for each GPU type that it could use. */
static void wait_for_types(struct sim *sim, uint32_t job, uint32_t more) {
    uint64_t types = phase_set(sim, job)->type_mask;
    for (uint32_t h = 0; types >> h; h++)
        sim->waiting_for[h] += types >> h & 1 ? more : 0; /* wraps as wanted */
}

/* Into the queue, with predictions up to date. */
static void enqueue_job(struct sim *sim, uint32_t job) {
    view_enqueue(&sim->view, job);
    list_enter(&sim->list, job);
    wait_for_types(sim, job, 1);
    segments_begin_queued(sim, job);
    sim->waiting++;
}

/* A waiting job leaves the queue, in view, index and counts of who waits for which GPUs. */
static void jobs_leave_queue(struct sim *sim, uint32_t job) {
    view_dequeue(&sim->view, job);
    list_leave(&sim->list, job);
    wait_for_types(sim, job, -1u);
}

void jobs_arrive(struct sim *sim, uint32_t job) {
    const double work = sim->workload->jobs.at[job].work;
    const int128 jobs_ns = sim->jobs_ns;
    sim->runs[job] = (struct job_run){.remaining = work,
                                      .first_start_ns = -1,
                                      .finish_ns = -1,
                                      .first_predicted_ns = -1,
                                      .jobs_ns = jobs_ns,
                                      .event = EVENT_NONE,
                                      .config = EASIM_NONE};
    if (SIM_HAS(sim, progress))
        progress_submit(sim, job);
    job_memory_zero(sim, job);
    fill_view_job(sim, job);
    predict_next_start(sim, job);
}

void jobs_submit(struct sim *sim, uint32_t job) {
    enqueue_job(sim, job);
    view_add_event(&sim->view, EASIM_EVENT_ARRIVAL, job, EASIM_NONE);
    sim_notify(sim, job, JOB_SUBMITTED);
}

/* Policies see it no more, unless an event names it. */
static void show_over(struct sim *sim, uint32_t job, enum easim_job_state fate) {
    struct easim_job *j = view_job(&sim->view, job);
    j->state = fate;
    j->here = false;
}

void jobs_reject(struct sim *sim, uint32_t job, const char *reason) {
    show_over(sim, job, EASIM_JOB_REJECTED);
    sim->runs[job].fate = EASIM_JOB_REJECTED;
    sim->reject_reasons[job] = reason;
    sim->rejected++;
    sim_notify(sim, job, JOB_REJECTED);
    view_drop_job(&sim->view, job);
}

void jobs_drop_past(struct sim *sim) {
    uint32_t from = sim->dropped, end = sim->view.past;
    for (const struct observer *const *o = sim->observers; *o; o++)
        if ((*o)->past)
            (*o)->past((*o)->context, sim, end);
    sim->dropped = end;
    mem_blocks_give_back(&sim->run_blocks, from, end, sim->next_arrival);
    mem_blocks_give_back(&sim->moved_blocks, from, end, UINT32_MAX); /* few jobs use it */
    jobs_to_come_forget(sim->workload, from, end);
}

static void jobs_requeue(struct sim *sim, uint32_t job) {
    if (sim->view.jobs[job].state == EASIM_JOB_CHECKPOINTING) /* else it has failed while it ran */
        view_remove_checkpointing(&sim->view, job);
    view_job(&sim->view, job)->saved_at_s = 0;
    job_phase_follow(sim, job);
    predict_next_start(sim, job);
    enqueue_job(sim, job);
}

/* --- starts --- */

/* Steps that jobs.c shares with interrupt and job_resize. Shows a job that has got GPUs and
   starts, or starts again, now. */
static void jobs_show_start(struct sim *sim, uint32_t job, uint32_t config, uint32_t span) {
    struct easim_job *j = view_job(&sim->view, job);
    j->config = config;
    j->span = span;
    j->start_s = units_s(sim->now_ns);
    j->predicted_end_ns = job_finish_predicted_ns(sim, job, config, span);
}

/* After that: adds to its set-up, and to a checkpoint that it is to write, the time until all its
   GPUs are awake. The predicted end is that without: no prediction counts it. */
static void jobs_add_wake_time(struct sim *sim, uint32_t job) {
    int64_t wait_ns = SIM_HAS(sim, nodes.awake_ns) ? sim->nodes.awake_ns[job] - sim->now_ns : 0;
    if (wait_ns <= 0)
        return;
    view_job(&sim->view, job)->setup_s += units_s(wait_ns);
    checkpoint_delay(sim, job, wait_ns);
}

bool jobs_take_gpus(struct sim *sim, uint32_t job, uint32_t config, struct allocation *allocation) {
    if (!gpus_take(sim, job, config, allocation))
        return false;
    jobs_leave_queue(sim, job);
    view_job(&sim->view, job)->state = EASIM_JOB_RUNNING;
    jobs_show_start(sim, job, config, gpus_span(allocation));
    jobs_add_wake_time(sim, job);
    view_add_running(&sim->view, job);
    job_limit_show_power(sim, job);
    list_note_start(&sim->list, job);
    return true;
}

void jobs_start(struct sim *sim, const struct job_start *start) {
    struct job_run *run = &sim->runs[start->job];
    struct easim_job *j = view_job(&sim->view, start->job);
    if (run->first_start_ns < 0) {
        run->first_start_ns = sim->now_ns;
        run->first_predicted_ns = j->predicted_end_ns;
    }
    sim->waiting--;
    sim->running++;
    j->started_before = true;
    segments_end(sim, start->job, CAUSE_STARTED);
    segments_begin_on_gpus(sim, start);
    job_limit_show_power(sim, start->job);
    sim_notify(sim, start->job, JOB_STARTED);
}

void jobs_finish(struct sim *sim, uint32_t job) {
    struct job_run *run = &sim->runs[job];
    segments_end(sim, job, CAUSE_FINISHED);
    view_remove_running(&sim->view, job);
    list_note_change(&sim->list, job);
    gpus_leave(sim, job);
    run->remaining = 0;
    run->finish_ns = sim->now_ns;
    run->event = EVENT_NONE;
    run->jobs_ns = sim->jobs_ns - run->jobs_ns;
    run->fate = EASIM_JOB_FINISHED;
    show_over(sim, job, EASIM_JOB_FINISHED);
    sim->running--;
    sim->finished++;
    sim_notify(sim, job, JOB_FINISHED);
}

/* --- interrupt --- */

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
    if (SIM_HAS(sim, limits) && write_ns == 0)
        limits_leave(sim, job);
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

/* --- job_resize --- */

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
    job_limit_show_power(sim, job);
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
    job_limit_show_power(sim, start->job);
    sim_notify(sim, start->job, JOB_RESIZED);
}

/* --- job_limit --- */

/* Policies see the predicted rest of a rigid job, and the true rest of others. */
static void show_limit(struct sim *sim, uint32_t job) {
    struct easim_job *j = view_job(&sim->view, job);
    const struct job_run *run = &sim->runs[job];
    const struct limit_hold *hold = &limits_member(sim, job)->hold;
    bool is_rigid = sim->workload->jobs.at[job].kind == JOB_KIND_RIGID;
    double left_s = fmax(0, j->start_s + j->setup_s - sim->view.v->now_s);
    if (run->segment == SEGMENT_RUN) {
        bool is_periodic = j->checkpoint_interval_s > 0;
        int64_t now_ns = progress_computing_ns(sim, job);
        double work = is_rigid && !is_periodic ? 0 : progress_work(sim, job, now_ns);
        j->remaining = is_rigid ? limits_predicted_now(sim, job) : fmax(0, run->remaining - work);
        if (is_periodic)
            j->unsaved_work =
                fmax(0, work - progress_work(sim, job, progress_checkpoint_ns(sim, job, now_ns)));
    }
    j->rate_s = sim->view.v->now_s;
    j->predicted_end_ns = sim->now_ns + units_duration_ns(left_s + j->remaining / hold->goodput);
    view_change_running(&sim->view, job);
    j->goodput_now = hold->goodput;
    j->power_now_w = power_w(hold->nw) / sim->view.configs[j->config].k;
    limits_set_shown(sim, job);
    job_limit_show_power(sim, job);
    view_power(&sim->view, 0)->changes++;
    list_note_start(&sim->list, job); /* what growing could bring it has changed */
}

void job_limit_show_all(struct sim *sim) {
    struct limits *l = sim->limits;
    limits_catch_up_all(l);
    for (size_t i = 0; i < l->unshown.count; i++)
        if (limits_take_flag(sim, l->unshown.at[i], LIMIT_UNSHOWN) &&
            sim->view.jobs[l->unshown.at[i]].state == EASIM_JOB_RUNNING)
            show_limit(sim, l->unshown.at[i]);
    l->unshown.count = 0;
}

bool job_limit_alone_differs(const struct sim *sim, uint32_t job, uint32_t config) {
    const struct easim_job *j = &sim->view.jobs[job];
    return limits_have(sim, job) && j->state == EASIM_JOB_RUNNING && !sim->runs[job].resizing &&
           easim_config_same_gpus(&sim->view.configs[j->config], &sim->view.configs[config]);
}

void job_limit_change(struct sim *sim, uint32_t job, uint32_t config, double wish_w) {
    struct easim_job *j = view_job(&sim->view, job);
    power_cap_recharge(sim, job, limits_class(sim, job, config, sim->runs[job].span, wish_w));
    limits_ask(sim, job);
    j->config = config;
    j->resized_s = units_s(sim->now_ns);
    job_limit_show_power(sim, job);
    list_note_change(&sim->list, job);
}

struct job_wish job_limit_find(struct sim *sim, uint32_t job, double watts) {
    const struct limit_curve *curve = &sim->limits->classes.at.at[sim->limits->class_of[job]].curve;
    const struct easim_config *configs = sim->view.configs;
    struct job_wish wish = {.config = sim->view.jobs[job].config,
                            .limit_w = fmax(curve->least_limit_w, fmin(watts, curve->most_limit_w)),
                            .wish_w = INFINITY};
    while (configs[wish.config].power_limit_w < INFINITY)
        wish.config--;
    if (wish.limit_w < curve->most_limit_w) {
        uint32_t c = wish.config + 1;
        while (c < sim->view.v->config_count && configs[c].power_limit_w < INFINITY &&
               configs[c].power_limit_w != wish.limit_w)
            c++;
        bool is_stated = c < sim->view.v->config_count && configs[c].power_limit_w == wish.limit_w;
        wish.config = is_stated ? c : wish.config;
        wish.wish_w = is_stated ? INFINITY : wish.limit_w;
    }
    wish.class = limits_class(sim, job, wish.config, sim->runs[job].span, wish.wish_w);
    return wish;
}

bool job_limit_is_own(const struct sim *sim, uint32_t job) {
    const struct limits *l = sim->limits;
    if (!l || l->class_of[job] == EASIM_NONE)
        return false;
    const struct limit_class *c = &l->classes.at.at[l->class_of[job]];
    return c->wish_w != sim->view.configs[c->config].power_limit_w;
}

/* A job that has got its GPUs in this plan is shown at its wish. */
struct easim_power_job job_limit_power(const struct sim *sim, uint32_t job) {
    const struct limits *l = sim->limits;
    if (!SIM_HAS(sim, limits) || sim->view.jobs[job].state != EASIM_JOB_RUNNING)
        return (struct easim_power_job){0};
    int64_t entry_nw = sim->cap ? sim->cap->entry_nw[job] : 0;
    if (l->class_of[job] == EASIM_NONE)
        return (struct easim_power_job){.entry_nw = entry_nw};
    const struct limit_class *wished = &l->classes.at.at[l->class_of[job]], *held = wished;
    struct limit_hold hold = wished->full;
    if (limits_have(sim, job) && !sim->runs[job].resizing) {
        hold = limits_member(sim, job)->hold;
        held = &l->classes.at.at[l->held.at[l->place_of[job] - 1]];
    }
    return (struct easim_power_job){.wish_w = wished->wish_w,
                                    .draw_w = power_w(hold.nw) / held->k,
                                    .speed = hold.goodput / held->fastest,
                                    .least_w = wished->curve.least_limit_w,
                                    .most_w = wished->curve.most_limit_w,
                                    .entry_nw = entry_nw};
}

void job_limit_show_power(struct sim *sim, uint32_t job) {
    if (sim->view.shows_power)
        *view_power_job(&sim->view, job) = job_limit_power(sim, job);
}

/* --- rejection --- */

#define MOST_WORDS 100 /* kept; a policy that names jobs in its reasons has one for each */

const char *rejection_words(struct sim *sim, const char *reason) {
    struct str text = {0};
    str_add(&text, "by the policy");
    if (reason && reason[0]) {
        str_add(&text, ": ");
        str_add_visible(&text, reason);
    }
    for (size_t i = 0; i < sim->reject_words.count; i++)
        if (strcmp(sim->reject_words.at[i], text.text) == 0) {
            str_finish(&text);
            return sim->reject_words.at[i];
        }
    if (sim->reject_words.count < MOST_WORDS) {
        array_push(&sim->reject_words, text.text);
        return text.text;
    }
    str_finish(&text);
    return "by the policy, for more reasons than are told apart";
}

void rejection_take(struct sim *sim, uint32_t job, const char *words) {
    jobs_leave_queue(sim, job);
    show_over(sim, job, EASIM_JOB_REJECTED);
    sim->reject_reasons[job] = words;
}

void rejection_carry_out(struct sim *sim, uint32_t job) {
    segments_end(sim, job, CAUSE_REJECTED);
    sim->waiting--;
    jobs_reject(sim, job, sim->reject_reasons[job]);
}

void rejection_finish(struct sim *sim) {
    for (size_t i = 0; i < sim->reject_words.count; i++)
        free(sim->reject_words.at[i]);
    free(sim->reject_words.at);
}
