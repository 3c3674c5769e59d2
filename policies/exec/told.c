/* What the program is told at a decision: what has changed since the last one. Invariant: what it
   has been told of jobs, users and nodes is in struct program. */
#include "program.h"
#include "services.h"

#include <stdio.h>

#define UNIFORM_NUMBERS 16 /* new random ones in each message, for programs that ask for them */

/* Notes once that a job is to be named. Of a finished one there is nothing more to tell, even if
   its event is only coming now (jobs that were due, docs/reference/semantics.md). */
static void note_job(struct program *s, uint32_t job) {
    if (s->jobs[job].message == s->message || s->jobs[job].state == EASIM_JOB_FINISHED ||
        (s->jobs[job].rejected && s->jobs[job].state == EASIM_JOB_REJECTED))
        return;
    s->jobs[job].message = s->message;
    s->changed[s->changed_count++] = job;
}

/* A job that it knows and that is not to be seen any more has finished, or it has rejected it. */
static uint32_t state_of(const struct easim_pass *pass, uint32_t job) {
    const struct program *s = pass->state;
    const struct easim_job *seen = easim_view_job(pass->view, job);
    return seen ? seen->state : s->jobs[job].rejected ? EASIM_JOB_REJECTED : EASIM_JOB_FINISHED;
}

/* Jobs of the events and of the program's own actions; if others have changed as well (a failed
   node, a phase, or jobs that were due, docs/reference/semantics.md), all that it knows. */
static void find_changed(const struct easim_pass *pass) {
    struct program *s = pass->state;
    const struct easim_view *view = pass->view;
    bool all = view->phase_changes != s->phase_changes;
    s->phase_changes = view->phase_changes;
    s->changed_count = 0;
    for (uint32_t i = 0; i < view->event_count; i++) {
        const struct easim_event *event = easim_view_event(view, i);
        if (event->job < view->job_count)
            note_job(s, event->job);
        all = all || (event->kind != EASIM_EVENT_ARRIVAL && event->kind != EASIM_EVENT_FINISH &&
                      event->kind != EASIM_EVENT_TIMER && event->kind != EASIM_EVENT_SERVICE);
    }
    for (uint32_t i = 0; i < s->acted_count; i++)
        note_job(s, s->acted[i]);
    /* Limits change without an event. */
    for (uint32_t i = 0; view->limits_in_place && i < view->running_count; i++) {
        uint32_t job = easim_view_running(view, i)->job;
        if (easim_view_job(view, job)->rate_s != s->jobs[job].rate_s)
            note_job(s, job);
    }
    int64_t running = s->running;
    for (uint32_t i = 0; i < s->changed_count; i++) {
        uint32_t job = s->changed[i];
        running +=
            (state_of(pass, job) == EASIM_JOB_RUNNING) - (s->jobs[job].state == EASIM_JOB_RUNNING);
    }
    for (uint32_t job = 0; (all || running != view->running_count) && job < s->known_count; job++)
        if (s->jobs[job].state != EASIM_JOB_PENDING)
            note_job(s, job);
}

static void add_jobs(const struct easim_pass *pass) {
    struct program *s = pass->state;
    const char *comma = "";
    text_add(&s->text, ",\"arrived\":[");
    for (uint32_t i = 0; i < s->changed_count; i++) {
        if (s->jobs[s->changed[i]].state != EASIM_JOB_PENDING)
            continue;
        text_add(&s->text, comma);
        message_arrived(&s->text, easim_view_job(pass->view, s->changed[i]));
        comma = ",";
    }
    text_add(&s->text, "],\"jobs\":[");
    for (uint32_t i = 0; i < s->changed_count; i++) {
        uint32_t index = s->changed[i], state = state_of(pass, index);
        const struct easim_job *job = easim_view_job(pass->view, index);
        struct told_job *told = &s->jobs[index];
        text_add(&s->text, i ? "," : "");
        if (job)
            message_job(&s->text, job, job->phase != told->phase, s->protocol,
                        s->asked & EXEC_ASKS_POWER ? easim_power_at(power_of(pass), index) : NULL);
        else
            message_job_over(&s->text, index, state);
        s->running += (state == EASIM_JOB_RUNNING) - (told->state == EASIM_JOB_RUNNING);
        told->state = state;
        told->user = job ? job->user : told->user;
        told->phase = job ? job->phase : told->phase;
        told->rate_s = job ? job->rate_s : told->rate_s;
        s->known_count = index >= s->known_count ? index + 1 : s->known_count;
    }
}

static bool has_shares(const struct easim_pass *pass) {
    return ((const struct program_params *)pass->params)->fractional_gpu;
}

/* Users of the jobs that have changed: only then does what easim_user_usage_s starts from change.
 */
static void add_users(const struct easim_pass *pass) {
    struct program *s = pass->state;
    const char *comma = "";
    text_add(&s->text, "],\"users\":[");
    for (uint32_t i = 0; i < s->changed_count; i++) {
        uint32_t user = s->jobs[s->changed[i]].user;
        if (s->user_messages[user] == s->message)
            continue;
        s->user_messages[user] = s->message;
        text_add(&s->text, comma);
        message_user(&s->text, pass->view, user, has_shares(pass));
        comma = ",";
    }
}

/* Checkpoints that are being written and, if wanted, the work left of each running job. */
static void add_present(const struct easim_pass *pass) {
    struct text *text = &((struct program *)pass->state)->text;
    const struct easim_view *view = pass->view;
    text_add(text, "],\"checkpointing\":[");
    for (uint32_t i = 0; i < view->checkpointing_count; i++) {
        const struct easim_checkpointing *c = easim_view_checkpointing(view, i);
        text_printf(text, "%s{\"job\":%u,\"end_ns\":%lld}", i ? "," : "", c->job,
                    (long long)c->end_ns);
    }
    text_add(text, "]");
    if (!((const struct program_params *)pass->params)->progress)
        return;
    text_add(text, ",\"progress\":[");
    for (uint32_t i = 0; i < view->running_count; i++) {
        uint32_t job = easim_view_running(view, i)->job;
        text_printf(text, "%s{\"job\":%u,", i ? "," : "", job);
        text_real(text, "remaining", pass->host->remaining(pass->plan, job));
        text_add(text, "}");
    }
    text_add(text, "]");
}

static void add_cluster(const struct easim_pass *pass) {
    struct program *s = pass->state;
    const char *comma = "";
    text_add(&s->text, ",\"gpu_types\":[");
    for (uint32_t i = 0; i < pass->view->gpu_type_count; i++) {
        text_add(&s->text, i ? "," : "");
        message_gpu_type(&s->text, pass->view, i, has_shares(pass));
    }
    text_add(&s->text, "],\"nodes\":[");
    for (uint32_t i = 0; i < pass->view->node_count; i++) {
        const struct easim_node *node = easim_view_node(pass->view, i);
        if (s->message > 1 && s->nodes[i].free == node->free && s->nodes[i].failed == node->failed)
            continue;
        s->nodes[i] = *node;
        text_printf(&s->text, "%s{\"node\":%u,\"free\":%u,\"failed\":%s}", comma, i, node->free,
                    node->failed ? "true" : "false");
        comma = ",";
    }
    text_add(&s->text, "]}\n");
}

/* Forecasts are new at every full hour. */
static void add_forecast(const struct easim_pass *pass) {
    struct program *s = pass->state;
    const struct easim_forecast *forecast = forecast_of(pass);
    bool wanted = s->protocol < 3 || (s->asked & EXEC_ASKS_FORECAST);
    if (!wanted || forecast->hour_count == 0 ||
        easim_forecast_at(forecast, 0, 0)->from_s == s->forecast_s)
        return;
    s->forecast_s = easim_forecast_at(forecast, 0, 0)->from_s;
    text_add(&s->text, ",\"forecast\":[");
    for (uint32_t i = 0; i < forecast->hour_count; i++) {
        text_add(&s->text, i ? "," : "");
        message_forecast(&s->text, easim_forecast_at(forecast, 0, i));
    }
    text_add(&s->text, "]");
}

/* What protocol 2 does not say: at first what never changes; random numbers; whose story is told.
 */
static void add_more(const struct easim_pass *pass) {
    struct program *s = pass->state;
    if (s->message == 1) {
        text_printf(&s->text, ",\"job_count\":%u,", pass->view->job_count);
        text_real(&s->text, "usage_half_life_s", pass->view->usage_half_life_s);
    }
    if (pass->host->reason)
        text_printf(&s->text, ",\"told\":%u", pass->told);
    if (!(s->asked & EXEC_ASKS_UNIFORM))
        return;
    text_add(&s->text, ",\"uniform\":[");
    for (int i = 0; i < UNIFORM_NUMBERS; i++) {
        text_add(&s->text, i ? "," : "");
        text_number(&s->text, pass->host->uniform(pass->plan));
    }
    text_add(&s->text, "]");
}

void program_tell(const struct easim_pass *pass) {
    struct program *s = pass->state;
    const struct easim_view *view = pass->view;
    s->message++;
    s->text.length = 0;
    message_decide(&s->text, s->message, view);
    if (s->protocol >= 3)
        add_more(pass);
    services_present(&s->text, services_of(pass));
    text_printf(&s->text, ",\"answers\":[%s],\"events\":[", s->answers.length ? s->answers.at : "");
    for (uint32_t i = 0; i < view->event_count; i++) {
        text_add(&s->text, i ? "," : "");
        message_event(&s->text, easim_view_event(view, i), s->protocol);
    }
    text_add(&s->text, "]");
    add_forecast(pass);
    find_changed(pass);
    add_jobs(pass);
    add_users(pass);
    add_present(pass);
    add_cluster(pass);
}
