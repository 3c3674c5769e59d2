/* What the policy saw of a job. Invariant: the view is looked at before the policy acts, since it
   changes with each action of the plan. */
#include "insight/story/watch.h"

#include "easim/predict.h"
#include "engine/gpus.h"

#include <math.h>

/* ---- The view ---- */

/* A job that is resized gives its GPUs back first. Tries it, and takes that back. */
static int fit_of_resize(const struct sim *sim, uint32_t job, uint32_t config) {
    int64_t committed_nw;
    return gpus_try_config((struct sim *)sim, job, config, &committed_nw);
}

static bool is_over_cap(const struct sim *sim, uint32_t job, uint32_t config) {
    return power_cap_forbids((struct sim *)sim, job, config);
}

static struct moment_choice choice_of(const struct sim *sim, const struct easim_job *job,
                                      uint32_t config) {
    const struct easim_view *view = sim->view.v;
    const struct easim_config *c = easim_view_config(view, config);
    bool is_running = job->state == EASIM_JOB_RUNNING;
    int fit = is_running ? fit_of_resize(sim, job->index, config) : easim_fit(view, c);
    uint32_t span = fit >= 0 ? (uint32_t)fit : c->empty_span;
    const struct easim_choice costs = is_running ? easim_predict_resized(view, job, config, span)
                                                 : easim_predict(view, job, config, span);
    return (struct moment_choice){.config = config,
                                  .gpu_type = c->gpu_type,
                                  .k = c->k,
                                  .milli = c->milli,
                                  .batch = c->batch,
                                  .power_limit_w = c->power_limit_w,
                                  .time_s = costs.time_s,
                                  .energy_j = costs.energy_j,
                                  .edp_js = costs.edp_js,
                                  .span = span,
                                  .fits = fit >= 0,
                                  .over_cap = fit >= 0 && is_over_cap(sim, job->index, config),
                                  .extrapolated = c->extrapolated};
}

static struct moment_choice present_of(const struct sim *sim, const struct easim_job *job) {
    const struct easim_view *view = sim->view.v;
    const struct easim_config *c = easim_view_config(view, job->config);
    const struct easim_choice costs = easim_predict_running(view, job);
    return (struct moment_choice){.config = job->config,
                                  .gpu_type = c->gpu_type,
                                  .k = c->k,
                                  .milli = c->milli,
                                  .batch = c->batch,
                                  .power_limit_w = c->power_limit_w,
                                  .time_s = costs.time_s,
                                  .energy_j = costs.energy_j,
                                  .edp_js = costs.edp_js,
                                  .span = job->span,
                                  .fits = true,
                                  .extrapolated = c->extrapolated};
}

static uint32_t count_ahead(const struct easim_view *view, uint32_t job) {
    uint32_t ahead = 0;
    for (uint32_t j = view->first_waiting; j != EASIM_NONE && j < job;
         j = easim_view_job(view, j)->next_waiting)
        ahead++;
    return ahead;
}

static void see_types(struct watch *watch, const struct easim_view *view) {
    watch->now.types.count = 0;
    for (uint32_t h = 0; h < view->gpu_type_count; h++) {
        const struct easim_gpu_type *type = easim_view_gpu_type(view, h);
        array_push(&watch->now.types,
                   ((struct moment_type){type->gpus, type->free, type->asleep, type->failed,
                                         type->shared_free_milli}));
    }
}

static void see_choices(struct watch *watch, const struct sim *sim, const struct easim_job *job) {
    watch->now.choices.count = 0;
    for (uint32_t c = job->first_config; c < job->first_config + job->config_count; c++)
        array_push(&watch->now.choices, choice_of(sim, job, c));
}

/* Whether a waiting job could start now. */
static enum overtaking see_room(const struct sim *sim, const struct easim_job *job) {
    const struct easim_view *view = sim->view.v;
    bool fits = false;
    for (uint32_t c = job->first_config; c < job->first_config + job->config_count; c++)
        if (easim_fit(view, easim_view_config(view, c)) >= 0) {
            fits = true;
            if (!is_over_cap(sim, job->index, c))
                return OVERTOOK_BY_CHOICE;
        }
    return fits ? OVERTOOK_CAP : OVERTOOK_NO_ROOM;
}

static void see_decision(struct watch *watch, const struct sim *sim, const struct easim_job *job) {
    const struct easim_view *view = sim->view.v;
    struct moment moment = {.time_ns = sim->now_ns,
                            .decision = sim->decision_total + 1,
                            .waiting = view->waiting_count,
                            .running = view->running_count,
                            .ahead = count_ahead(view, job->index),
                            .power_w = view->power_w,
                            .cap_w = view->power_cap_w,
                            .chosen = MOMENT_NO_CHOICE};
    if (job->state == EASIM_JOB_RUNNING) {
        moment.has_present = true;
        moment.present = present_of(sim, job);
    }
    see_types(watch, view);
    see_choices(watch, sim, job);
    watch->now.at.count = 0;
    array_push(&watch->now.at, moment);
}

/* ---- What is kept ---- */

static void keep_moment(struct watch *watch, enum moment_kind kind, uint32_t config) {
    struct moments *to = &watch->moments;
    const struct moments *now = &watch->now;
    struct moment moment = now->at.at[0];
    moment.kind = kind;
    if (to->at.count > 0 && to->at.at[to->at.count - 1].decision == moment.decision)
        to->at.count--; /* decided on at once: one moment */
    moment.first_type = to->types.count;
    moment.first_choice = to->choices.count;
    moment.choice_count = (uint32_t)now->choices.count;
    for (size_t i = 0; i < now->types.count; i++)
        array_push(&to->types, now->types.at[i]);
    for (size_t i = 0; i < now->choices.count; i++) {
        array_push(&to->choices, now->choices.at[i]);
        if (kind != MOMENT_PREEMPTED && now->choices.at[i].config == config)
            moment.chosen = (uint32_t)i;
    }
    array_push(&to->at, moment);
}

static void count_passed(struct watch *watch) {
    if (!watch->was_waiting || watch->acted)
        return;
    watch->moments.passed++;
    watch->moments.passed_fitting += watch->could_start == OVERTOOK_BY_CHOICE;
}

/* Whether something happens to the job at this time, by the record. */
static bool is_due(struct watch *watch, int64_t now_ns) {
    while (watch->next_time < watch->time_count && watch->times[watch->next_time] < now_ns)
        watch->next_time++;
    return watch->next_time < watch->time_count && watch->times[watch->next_time] == now_ns;
}

static void on_decision(void *context, const struct sim *sim) {
    struct watch *watch = context;
    const struct easim_job *job = &sim->view.jobs[watch->job];
    count_passed(watch);
    watch->acted = watch->has_taken = false;
    watch->was_waiting = job->state == EASIM_JOB_WAITING;
    watch->now.at.count = 0;
    if (watch->was_waiting)
        watch->could_start = see_room(sim, job);
    if (!watch->was_waiting && job->state != EASIM_JOB_RUNNING)
        return;
    bool is_first = watch->moments.at.count == 0;
    if (is_first || is_due(watch, sim->now_ns))
        see_decision(watch, sim, job);
    if (is_first)
        keep_moment(watch, MOMENT_SUBMITTED, EASIM_NONE);
}

static bool overtakes(const struct watch *watch, const struct sim *sim,
                      const struct action_record *action) {
    return action->kind == ACTION_START && watch->was_waiting && !watch->acted &&
           action->job > watch->job && !sim->view.jobs[action->job].started_before;
}

static void on_action(void *context, const struct sim *sim, const struct action_record *action) {
    static const enum moment_kind kinds[] = {[ACTION_START] = MOMENT_STARTED,
                                             [ACTION_PREEMPT] = MOMENT_PREEMPTED,
                                             [ACTION_RESIZE] = MOMENT_RESIZED};
    struct watch *watch = context;
    bool is_ours =
        action->job == watch->job && action->kind != ACTION_WAKE && action->kind != ACTION_REJECT;
    if (action->refusal != REFUSED_NOT) {
        watch->moments.refused[action->refusal] += is_ours;
        return;
    }
    if (is_ours && watch->now.at.count > 0)
        keep_moment(watch, kinds[action->kind], action->config);
    else if (overtakes(watch, sim, action))
        array_push(&watch->moments.overtakers,
                   ((struct overtaker){action->job, sim->now_ns,
                                       watch->could_start == OVERTOOK_NO_ROOM && watch->has_taken
                                           ? OVERTOOK_BY_TAKING
                                           : watch->could_start}));
    watch->acted = watch->acted || is_ours;
    watch->has_taken = watch->has_taken || action->kind == ACTION_PREEMPT;
}

void watch_init(struct watch *watch, uint32_t job, const int64_t *times, size_t count) {
    *watch =
        (struct watch){.observer = {.context = watch, .decision = on_decision, .action = on_action},
                       .job = job,
                       .times = times,
                       .time_count = count};
}

void watch_close(struct watch *watch, const struct sim *sim) {
    const char *reason = sim->reject_reasons[watch->job];
    count_passed(watch);
    watch->was_waiting = false;
    if (reason)
        str_add(&watch->moments.reject_reason, reason);
}

void watch_finish(struct watch *watch) {
    moments_finish(&watch->moments);
    moments_finish(&watch->now);
}
