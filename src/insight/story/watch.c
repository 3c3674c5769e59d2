/* What the policy saw of a job. Invariant: the view is looked at before the policy acts, since it
   changes with each action of the plan. */
#include "insight/story/watch.h"

#include "easim/predict.h"
#include "engine/power_cap.h"

#include <math.h>

/* ---- The view ---- */

static struct moment_choice choice_of(const struct sim *sim, const struct easim_job *job,
                                      uint32_t config) {
    const struct easim_view *view = sim->view.v;
    const struct easim_config *c = easim_view_config(view, config);
    int fit = easim_fit(view, c);
    uint32_t span = fit >= 0 ? (uint32_t)fit : c->empty_span;
    bool is_running = job->state == EASIM_JOB_RUNNING;
    const struct easim_choice costs = is_running ? easim_predict_resized(view, job, config, span)
                                                 : easim_predict(view, job, config, span);
    return (struct moment_choice){
        .config = config,
        .gpu_type = c->gpu_type,
        .k = c->k,
        .milli = c->milli,
        .batch = c->batch,
        .power_limit_w = c->power_limit_w,
        .time_s = costs.time_s,
        .energy_j = costs.energy_j,
        .edp_js = costs.edp_js,
        .fits = fit >= 0,
        .over_cap = !is_running && power_cap_forbids((struct sim *)sim, job->index, config),
        .is_across = span == EASIM_ACROSS_NODES,
        .extrapolated = c->extrapolated};
}

static struct moment_choice present_of(const struct sim *sim, const struct easim_job *job) {
    const struct easim_view *view = sim->view.v;
    const struct easim_config *c = easim_view_config(view, job->config);
    const struct easim_choice costs = easim_predict_running(view, job);
    return (struct moment_choice){job->config,    c->gpu_type,    c->k,
                                  c->milli,       c->batch,       c->power_limit_w,
                                  costs.time_s,   costs.energy_j, costs.edp_js,
                                  true,           false,          job->span == EASIM_ACROSS_NODES,
                                  c->extrapolated};
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
    bool fits = false, may = false;
    watch->now.choices.count = 0;
    for (uint32_t c = job->first_config; c < job->first_config + job->config_count; c++) {
        const struct moment_choice choice = choice_of(sim, job, c);
        array_push(&watch->now.choices, choice);
        fits = fits || choice.fits;
        may = may || (choice.fits && !choice.over_cap);
    }
    watch->could_start = may ? OVERTOOK_BY_CHOICE : fits ? OVERTOOK_CAP : OVERTOOK_NO_ROOM;
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

static void on_decision(void *context, const struct sim *sim) {
    struct watch *watch = context;
    const struct easim_job *job = &sim->view.jobs[watch->job];
    if (watch->was_waiting && !watch->acted) {
        watch->moments.passed++;
        watch->moments.passed_fitting += watch->could_start == OVERTOOK_BY_CHOICE;
    }
    watch->acted = false;
    watch->was_waiting = job->state == EASIM_JOB_WAITING;
    if (!watch->was_waiting && job->state != EASIM_JOB_RUNNING)
        return;
    see_decision(watch, sim, job);
    if (watch->moments.at.count == 0)
        keep_moment(watch, MOMENT_SUBMITTED, EASIM_NONE);
}

static void on_action(void *context, const struct sim *sim, const struct action_record *action) {
    static const enum moment_kind kinds[] = {[ACTION_START] = MOMENT_STARTED,
                                             [ACTION_PREEMPT] = MOMENT_PREEMPTED,
                                             [ACTION_RESIZE] = MOMENT_RESIZED};
    struct watch *watch = context;
    bool is_ours = action->job == watch->job && watch->now.at.count > 0;
    if (is_ours && action->refusal != REFUSED_NOT) {
        watch->moments.refused[action->refusal]++;
    } else if (is_ours && action->kind != ACTION_WAKE && action->kind != ACTION_REJECT) {
        keep_moment(watch, kinds[action->kind], action->config);
        watch->acted = true;
    } else if (action->kind == ACTION_START && action->refusal == REFUSED_NOT &&
               watch->was_waiting && !watch->acted && action->job > watch->job &&
               !sim->view.jobs[action->job].started_before) {
        array_push(&watch->moments.overtakers,
                   ((struct overtaker){action->job, sim->now_ns, watch->could_start}));
    }
}

void watch_init(struct watch *watch, uint32_t job) {
    *watch = (struct watch){
        .observer = {.context = watch, .decision = on_decision, .action = on_action}, .job = job};
}

void watch_close(struct watch *watch, const struct sim *sim) {
    const char *reason =
        watch->job < sim->workload->jobs.count ? sim->reject_reasons[watch->job] : NULL;
    if (watch->was_waiting && !watch->acted) {
        watch->moments.passed++;
        watch->moments.passed_fitting += watch->could_start == OVERTOOK_BY_CHOICE;
        watch->was_waiting = false;
    }
    if (reason)
        str_add(&watch->moments.reject_reason, reason);
}

void watch_finish(struct watch *watch) {
    moments_finish(&watch->moments);
    moments_finish(&watch->now);
}
