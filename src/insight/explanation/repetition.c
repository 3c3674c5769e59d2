/* The repetition of a recorded run. */
#include "insight/explanation/repetition.h"

#include "base/units.h"
#include "easim/predict.h"
#include "engine/gpus.h"
#include "study/replicate.h"

#include <stdlib.h>

/* --- moment --- */

static bool moments_take_bytes(struct moments *moments, struct slice from) MUST_CHECK;

#define ADD_LIST(out, list) add_list(out, (list)->at, (list)->count, sizeof *(list)->at)
#define TAKE_LIST(list, from) \
    take_list((void **)&(list)->at, &(list)->count, &(list)->capacity, sizeof *(list)->at, from)

static void add_list(struct str *out, const void *at, size_t count, size_t bytes_each) {
    str_add_bytes(out, (const char *)&count, sizeof count);
    if (count > 0)
        str_add_bytes(out, at, count * bytes_each);
}

static bool take_bytes(void *to, size_t bytes, struct slice *from) {
    if (from->length < bytes)
        return false;
    if (bytes > 0)
        memcpy(to, from->at, bytes);
    from->at += bytes;
    from->length -= bytes;
    return true;
}

static bool take_list(void **at, size_t *count, size_t *capacity, size_t bytes_each,
                      struct slice *from) {
    size_t number;
    if (!take_bytes(&number, sizeof number, from) || number > from->length / bytes_each)
        return false;
    *at = mem_alloc((number + 1) * bytes_each);
    *count = *capacity = number;
    return take_bytes(*at, number * bytes_each, from);
}

static void moments_add_bytes(const struct moments *moments, struct str *out) {
    ADD_LIST(out, &moments->at);
    ADD_LIST(out, &moments->types);
    ADD_LIST(out, &moments->choices);
    ADD_LIST(out, &moments->overtakers);
    ADD_LIST(out, &moments->waits.at);
    ADD_LIST(out, &moments->waits.holders);
    add_list(out, moments->waits.texts.text, moments->waits.texts.length, 1);
    str_add_bytes(out, (const char *)&moments->passed, sizeof moments->passed);
    str_add_bytes(out, (const char *)&moments->passed_fitting, sizeof moments->passed_fitting);
    str_add_bytes(out, (const char *)moments->refused, sizeof moments->refused);
    add_list(out, moments->reject_reason.text, moments->reject_reason.length, 1);
}

/* False if these are not what moments_add_bytes has made. */
static bool moments_take_bytes(struct moments *moments, struct slice from) {
    struct str *texts = &moments->waits.texts;
    size_t length;
    if (!TAKE_LIST(&moments->at, &from) || !TAKE_LIST(&moments->types, &from) ||
        !TAKE_LIST(&moments->choices, &from) || !TAKE_LIST(&moments->overtakers, &from) ||
        !TAKE_LIST(&moments->waits.at, &from) || !TAKE_LIST(&moments->waits.holders, &from) ||
        !take_list((void **)&texts->text, &texts->length, &texts->capacity, 1, &from) ||
        !take_bytes(&moments->passed, sizeof moments->passed, &from) ||
        !take_bytes(&moments->passed_fitting, sizeof moments->passed_fitting, &from) ||
        !take_bytes(moments->refused, sizeof moments->refused, &from) ||
        !take_bytes(&length, sizeof length, &from) || length != from.length)
        return false;
    str_add_bytes(&moments->reject_reason, from.at, length);
    return true;
}

void moments_finish(struct moments *moments) {
    free(moments->at.at);
    free(moments->types.at);
    free(moments->choices.at);
    free(moments->overtakers.at);
    waits_finish(&moments->waits);
    str_finish(&moments->reject_reason);
    *moments = (struct moments){0};
}

/* --- watch --- */
/* An observer that follows one job. Invariant: the view is looked at before the policy acts,
   because it changes with each action of the plan. */

struct watch {
    struct observer observer;
    uint32_t job;
    const int64_t *times; /* at which the record says that it was acted on; ascending, borrowed */
    size_t time_count, next_time;
    struct moments moments;
    struct moments now;  /* what is seen in the present decision: one moment or none */
    bool was_waiting;    /* when the decision began */
    bool acted;          /* on the job, in the present decision */
    bool has_taken;      /* GPUs from other jobs, in this plan */
    uint8_t could_start; /* enum overtaking: then, had it been its turn */
};

/* ---- The view ---- */

/* A job that is resized gives its GPUs back first. Tries it, and takes that back. */
static int fit_of_resize(const struct sim *sim, uint32_t job, uint32_t config) {
    return gpus_try_config((struct sim *)sim, job, config, false).span;
}

/* One that fits. */
static struct moment_choice choice_with(const struct easim_config *c,
                                        const struct easim_choice *costs, uint32_t config,
                                        uint32_t span) {
    return (struct moment_choice){.config = config,
                                  .gpu_type = c->gpu_type,
                                  .k = c->k,
                                  .milli = c->milli,
                                  .batch = c->batch,
                                  .power_limit_w = c->power_limit_w,
                                  .time_s = costs->time_s,
                                  .energy_j = costs->energy_j,
                                  .edp_js = costs->edp_js,
                                  .span = span,
                                  .fits = true,
                                  .extrapolated = c->extrapolated};
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
    struct moment_choice choice = choice_with(c, &costs, config, span);
    choice.fits = fit >= 0;
    choice.over_cap = choice.fits && gpus_over_cap((struct sim *)sim, job->index, config);
    return choice;
}

static struct moment_choice present_of(const struct sim *sim, const struct easim_job *job) {
    const struct easim_view *view = sim->view.v;
    const struct easim_config *c = easim_view_config(view, job->config);
    const struct easim_choice costs = easim_predict_running(view, job);
    return choice_with(c, &costs, job->config, job->span);
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
    static const enum overtaking overtakings[] = {[WAIT_NO_ROOM] = OVERTOOK_NO_ROOM,
                                                  [WAIT_CAP] = OVERTOOK_CAP,
                                                  [WAIT_NOTHING_STARTED] = OVERTOOK_BY_CHOICE};
    struct watch *watch = context;
    const struct easim_job *job = &sim->view.jobs[watch->job];
    count_passed(watch);
    watch->acted = watch->has_taken = false;
    watch->was_waiting = job->state == EASIM_JOB_WAITING;
    watch->now.at.count = 0;
    if (watch->was_waiting) {
        waits_decide(&watch->moments.waits, sim, job->index);
        watch->could_start = overtakings[watch->moments.waits.now.why];
    }
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
                                             [ACTION_RESIZE] = MOMENT_RESIZED,
                                             [ACTION_LIMIT] = MOMENT_LIMITED};
    struct watch *watch = context;
    bool is_ours =
        action->job == watch->job && action->kind != ACTION_WAKE && action->kind != ACTION_REJECT;
    if (action->refusal != REFUSED_NOT) {
        watch->moments.refused[action->refusal] += is_ours;
        return;
    }
    if (action->job == watch->job &&
        (action->kind == ACTION_START || action->kind == ACTION_REJECT))
        waits_end(&watch->moments.waits, sim->now_ns);
    else if (action->kind == ACTION_START)
        waits_note_start(&watch->moments.waits, action->job);
    if (is_ours && watch->now.at.count > 0)
        keep_moment(watch, kinds[action->kind],
                    action->kind == ACTION_LIMIT ? EASIM_NONE : action->config);
    else if (overtakes(watch, sim, action))
        array_push(&watch->moments.overtakers,
                   ((struct overtaker){action->job, sim->now_ns,
                                       watch->could_start == OVERTOOK_NO_ROOM && watch->has_taken
                                           ? OVERTOOK_BY_TAKING
                                           : watch->could_start}));
    watch->acted = watch->acted || is_ours;
    watch->has_taken = watch->has_taken || action->kind == ACTION_PREEMPT;
}

/* After its start it tells why it was started; else why it waits on. */
static void on_reason(void *context, const struct sim *sim, uint32_t job, const char *text) {
    struct watch *watch = context;
    struct moments *moments = &watch->moments;
    if (job != watch->job)
        return;
    if (moments->waits.is_open)
        waits_note_reason(&moments->waits, text);
    else if (watch->acted && moments->at.count > 0 &&
             moments->at.at[moments->at.count - 1].decision == sim->decision_total &&
             moments->at.at[moments->at.count - 1].text_length == 0) {
        struct moment *moment = &moments->at.at[moments->at.count - 1];
        moment->text = moments->waits.texts.length;
        str_add(&moments->waits.texts, text);
        moment->text_length = moments->waits.texts.length - moment->text;
    }
}

/* The job by its index. All of the view is copied only at those times: the rest is quick. Release
   with watch_finish. */
static void watch_init(struct watch *watch, uint32_t job, const int64_t *times, size_t count) {
    *watch = (struct watch){.observer = {.context = watch,
                                         .decision = on_decision,
                                         .action = on_action,
                                         .reason = on_reason,
                                         .told = job},
                            .job = job,
                            .times = times,
                            .time_count = count};
}

/* At the end of the run. */
static void watch_close(struct watch *watch, const struct sim *sim) {
    const char *reason = sim->reject_reasons[watch->job];
    count_passed(watch);
    waits_end(&watch->moments.waits, sim->now_ns);
    watch->was_waiting = false;
    if (reason)
        str_add(&watch->moments.reject_reason, reason);
}

static void watch_finish(struct watch *watch) {
    moments_finish(&watch->moments);
    moments_finish(&watch->now);
}

/* --- repetition --- */

struct session {
    struct watch watch;      /* in the process of the replication */
    struct moments *moments; /* in that of the caller */
    bool is_whole;           /* what came back could be read */
};

static size_t watch_replication(void *context, uint32_t number, const struct outlet *outlet,
                                const struct observer **observers) {
    struct session *s = context;
    (void)number, (void)outlet;
    observers[0] = &s->watch.observer;
    return 1;
}

static void render_moments(void *context, const struct replication *replication, struct str *out) {
    struct session *s = context;
    watch_close(&s->watch, replication->sim);
    moments_add_bytes(&s->watch.moments, out);
}

static int take_moments(void *context, uint32_t number, const struct summary *summary,
                        struct slice rendered, struct error *reterr) {
    struct session *s = context;
    (void)number, (void)summary, (void)reterr;
    s->is_whole = moments_take_bytes(s->moments, rendered);
    return 0;
}

/* ---- The same run ---- */

static bool same_config(const struct easim_config *was, const struct moment_choice *is) {
    return was->gpu_type == is->gpu_type && was->k == is->k && was->milli == is->milli &&
           was->batch == is->batch && was->power_limit_w == is->power_limit_w;
}

static bool is_decided(const struct recorded_segment *segment) {
    return segment->began == CAUSE_STARTED || segment->began == CAUSE_RESIZED;
}

/* Times at which the job was started, resized or preempted; the caller's, free. */
static int64_t *action_times(const struct recorded_run *run, uint32_t job, size_t *count) {
    const struct recorded_job *recorded = &run->jobs[job];
    const struct recorded_segment *segments = recorded_run_segments(run, recorded);
    int64_t *times = mem_alloc((recorded->segment_count + (size_t)1) * sizeof *times);
    *count = 0;
    for (uint32_t i = 0; i < recorded->segment_count; i++)
        if (is_decided(&segments[i]) || segments[i].began == CAUSE_PREEMPTED)
            times[(*count)++] = segments[i].start_ns;
    return times;
}

/* Every start and resize of the recording, and no other, at its time and in its configuration. */
static int check_same(const struct recorded_run *run, uint32_t job, const struct moments *moments,
                      struct error *reterr) {
    const struct recorded_job *recorded = &run->jobs[job];
    const struct recorded_segment *segments = recorded_run_segments(run, recorded);
    size_t m = 0;
    for (uint32_t i = 0; i < recorded->segment_count; i++) {
        if (!is_decided(&segments[i]))
            continue;
        while (m < moments->at.count && moments->at.at[m].chosen == MOMENT_NO_CHOICE)
            m++;
        const struct moment *moment = m < moments->at.count ? &moments->at.at[m++] : NULL;
        if (!moment || moment->time_ns != segments[i].start_ns ||
            !same_config(recorded_run_config(run, &segments[i]),
                         &moments->choices.at[moment->first_choice + moment->chosen]))
            return error_set(reterr, ERROR_RUN, "the repeated run differs for this job at %.9g s",
                             units_s(segments[i].start_ns));
    }
    for (; m < moments->at.count; m++)
        if (moments->at.at[m].chosen != MOMENT_NO_CHOICE)
            return error_set(reterr, ERROR_RUN, "the repeated run differs for this job at %.9g s",
                             units_s(moments->at.at[m].time_ns));
    return 0;
}

int repetition_run(struct study *study, const struct recorded_run *run, uint32_t job,
                   struct moments *moments, struct error *reterr) {
    struct session session = {.moments = moments};
    uint32_t number = run->part->replication;
    /* the replications before are as good as done */
    struct replicate_result result = {.count = number - 1};
    const struct replicate_options options = {.processes = 1};
    const struct replicate_sink sink = {.context = &session,
                                        .watch = watch_replication,
                                        .render = render_moments,
                                        .emit = take_moments};
    struct error error = {0};
    size_t time_count;
    int64_t *times = action_times(run, job, &time_count);
    watch_init(&session.watch, job, times, time_count);
    study_set_replications(study, number);
    int r = replicate_run(study, &options, &sink, &result, &error);
    if (r < 0)
        r = error_set(reterr, r == ERROR_CANCELLED || r == ERROR_MACHINE ? r : ERROR_RUN, "%s",
                      error.text);
    else if (!session.is_whole)
        r = error_set(reterr, ERROR_RUN, "what the repetition has seen cannot be read");
    else
        r = check_same(run, job, moments, reterr);
    watch_finish(&session.watch);
    free(times);
    replicate_result_finish(&result);
    return r;
}
