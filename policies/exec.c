/* exec: a program of the user's decides. It gets one line of JSON per decision and answers with one
   line of actions; docs/exec-policy.md is the protocol. The rule that a policy uses no processes,
   clocks and heap of its own is lifted for this one: talking to a program is its purpose, and the
   clock only bounds how long it waits. Whether two runs decide alike is up to the program. */
#include "exec/message.h"
#include "exec/process.h"

#include <cjson/cJSON.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GRACE_S 2.0 /* between the finish message and SIGTERM */

struct params {
    const char *command;
    double timeout, startup_timeout;
};

/* What the program has been told of a job. Index 0 of enum easim_job_state, PENDING: nothing yet.
 */
struct told_job {
    uint32_t state;
    uint32_t message; /* number of the last message that names it */
    uint32_t user, phase;
};

struct state {
    struct process process;
    struct text text;
    struct text answers;      /* of the host, to the actions of the last line, as JSON */
    struct told_job *jobs;    /* by index */
    struct easim_node *nodes; /* as told */
    uint32_t *user_messages;  /* by user: number of the last message that names it */
    uint32_t *changed;        /* jobs to be named in this message */
    uint32_t *acted;          /* jobs of the accepted actions of the last line */
    uint32_t changed_count, acted_count, acted_capacity;
    uint32_t running;       /* jobs told as running */
    uint32_t known_count;   /* one above the highest index told */
    uint32_t message;       /* number of the present message; of hello 0 */
    uint64_t phase_changes; /* of the view, as of the last message */
    double forecast_s;      /* beginning of the hours of which a forecast was told; NAN: none yet */
    bool failed;
};

static int fail(const struct easim_pass *pass, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Ends the run: names the program. */
static int fail(const struct easim_pass *pass, const char *format, ...) {
    struct text text = {0};
    va_list arguments;
    text_printf(&text, "program \"%s\" ", ((const struct params *)pass->params)->command);
    va_start(arguments, format);
    text_vprintf(&text, format, arguments);
    va_end(arguments);
    pass->host->fail(pass->plan, text.failed ? "out of memory" : text.at);
    free(text.at);
    ((struct state *)pass->state)->failed = true;
    return -1;
}

/* --- the message --- */

/* Notes once that a job is to be named. Of a finished one there is nothing more to tell, even if
   its event is only coming now (jobs that were due, docs/semantics.md). */
static void note_job(struct state *s, uint32_t job) {
    if (s->jobs[job].message == s->message || s->jobs[job].state == EASIM_JOB_FINISHED)
        return;
    s->jobs[job].message = s->message;
    s->changed[s->changed_count++] = job;
}

/* A job that it knows and that is not to be seen any more has finished. */
static uint32_t state_of(const struct easim_view *view, uint32_t job) {
    const struct easim_job *seen = easim_view_job(view, job);
    return seen ? seen->state : EASIM_JOB_FINISHED;
}

/* Jobs of the events and of the program's own actions; if others have changed as well (a failed
   node, a phase, or jobs that were due, docs/semantics.md), all that it knows. */
static void find_changed(const struct easim_pass *pass) {
    struct state *s = pass->state;
    const struct easim_view *view = pass->view;
    bool all = view->phase_changes != s->phase_changes;
    s->phase_changes = view->phase_changes;
    s->changed_count = 0;
    for (uint32_t i = 0; i < view->event_count; i++) {
        const struct easim_event *event = easim_view_event(view, i);
        if (event->job < view->job_count)
            note_job(s, event->job);
        all = all || (event->kind != EASIM_EVENT_ARRIVAL && event->kind != EASIM_EVENT_FINISH &&
                      event->kind != EASIM_EVENT_TIMER);
    }
    for (uint32_t i = 0; i < s->acted_count; i++)
        note_job(s, s->acted[i]);
    int64_t running = s->running;
    for (uint32_t i = 0; i < s->changed_count; i++) {
        uint32_t job = s->changed[i];
        running +=
            (state_of(view, job) == EASIM_JOB_RUNNING) - (s->jobs[job].state == EASIM_JOB_RUNNING);
    }
    for (uint32_t job = 0; (all || running != view->running_count) && job < s->known_count; job++)
        if (s->jobs[job].state != EASIM_JOB_PENDING)
            note_job(s, job);
}

static void add_jobs(const struct easim_pass *pass) {
    struct state *s = pass->state;
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
        uint32_t index = s->changed[i], state = state_of(pass->view, index);
        const struct easim_job *job = easim_view_job(pass->view, index);
        struct told_job *told = &s->jobs[index];
        text_add(&s->text, i ? "," : "");
        if (job)
            message_job(&s->text, job, job->phase != told->phase);
        else
            message_job_over(&s->text, index);
        s->running += (state == EASIM_JOB_RUNNING) - (told->state == EASIM_JOB_RUNNING);
        told->state = state;
        told->user = job ? job->user : told->user;
        told->phase = job ? job->phase : told->phase;
        s->known_count = index >= s->known_count ? index + 1 : s->known_count;
    }
}

/* Users of the jobs that have changed: only then does what easim_user_usage_s starts from change.
 */
static void add_users(const struct easim_pass *pass) {
    struct state *s = pass->state;
    const char *comma = "";
    text_add(&s->text, "],\"users\":[");
    for (uint32_t i = 0; i < s->changed_count; i++) {
        uint32_t user = s->jobs[s->changed[i]].user;
        if (s->user_messages[user] == s->message)
            continue;
        s->user_messages[user] = s->message;
        text_add(&s->text, comma);
        message_user(&s->text, pass->view, user);
        comma = ",";
    }
}

static void add_cluster(const struct easim_pass *pass) {
    struct state *s = pass->state;
    const char *comma = "";
    text_add(&s->text, "],\"gpu_types\":[");
    for (uint32_t i = 0; i < pass->view->gpu_type_count; i++) {
        text_add(&s->text, i ? "," : "");
        message_gpu_type(&s->text, easim_view_gpu_type(pass->view, i));
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
    struct state *s = pass->state;
    const struct easim_view *view = pass->view;
    if (view->forecast_hours == 0 || easim_view_forecast(view, 0)->from_s == s->forecast_s)
        return;
    s->forecast_s = easim_view_forecast(view, 0)->from_s;
    text_add(&s->text, ",\"forecast\":[");
    for (uint32_t i = 0; i < view->forecast_hours; i++) {
        text_add(&s->text, i ? "," : "");
        message_forecast(&s->text, easim_view_forecast(view, i));
    }
    text_add(&s->text, "]");
}

static void write_message(const struct easim_pass *pass) {
    struct state *s = pass->state;
    const struct easim_view *view = pass->view;
    s->message++;
    s->text.length = 0;
    text_printf(&s->text, "{\"type\":\"decide\",\"message\":%u,\"now_ns\":%lld,", s->message,
                (long long)view->now_ns);
    text_real(&s->text, "now_s", view->now_s);
    text_add(&s->text, ",");
    text_real(&s->text, "power_w", view->power_w);
    text_add(&s->text, ",");
    text_real(&s->text, "power_cap_w", view->power_cap_w);
    text_add(&s->text, ",");
    text_real(&s->text, "price_per_mwh", view->price_per_mwh);
    text_add(&s->text, ",");
    text_real(&s->text, "carbon_g_per_kwh", view->carbon_g_per_kwh);
    text_printf(&s->text, ",\"free_gpus\":%u,\"answers\":[%s],\"events\":[", view->free_gpus,
                s->answers.length ? s->answers.at : "");
    for (uint32_t i = 0; i < view->event_count; i++) {
        text_add(&s->text, i ? "," : "");
        message_event(&s->text, easim_view_event(view, i));
    }
    text_add(&s->text, "]");
    add_forecast(pass);
    find_changed(pass);
    add_jobs(pass);
    add_users(pass);
    add_cluster(pass);
}

/* --- the answer --- */

static bool only_keys(const cJSON *object, const char *first, const char *second,
                      const char **ret_other) {
    for (const cJSON *item = object->child; item; item = item->next)
        if (strcmp(item->string, first) != 0 && (!second || strcmp(item->string, second) != 0)) {
            *ret_other = item->string;
            return false;
        }
    return true;
}

/* An index below limit, or EASIM_NONE. */
static uint32_t index_of(const cJSON *item, uint32_t limit) {
    if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0) || !(item->valuedouble < limit) ||
        item->valuedouble != floor(item->valuedouble))
        return EASIM_NONE;
    return (uint32_t)item->valuedouble;
}

static void keep_answer(struct state *s, int answer, uint32_t job) {
    static const char *const names[] = {"\"ok\"", "\"nofit\"", "\"invalid\"", "\"cap\""};
    if (s->answers.length > 0)
        text_add(&s->answers, ",");
    text_add(&s->answers, names[-answer]);
    if (answer != EASIM_OK || job == EASIM_NONE)
        return;
    if (s->acted_count == s->acted_capacity) {
        uint32_t capacity = s->acted_capacity ? 2 * s->acted_capacity : 64;
        uint32_t *acted = realloc(s->acted, capacity * sizeof *acted);
        if (!acted) {
            s->answers.failed = true;
            return;
        }
        s->acted = acted;
        s->acted_capacity = capacity;
    }
    s->acted[s->acted_count++] = job;
}

/* start, resize: {"VERB": job, "config": index}. preempt: {"preempt": job, "at_once": false}. */
static int act_on_job(const struct easim_pass *pass, const cJSON *action, int number,
                      const char *verb) {
    struct state *s = pass->state;
    bool preempt = strcmp(verb, "preempt") == 0;
    const char *second = preempt ? "at_once" : "config", *other = NULL;
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(action, verb);
    const cJSON *more = cJSON_GetObjectItemCaseSensitive(action, second);
    uint32_t job = index_of(item, pass->view->job_count);
    if (!only_keys(action, verb, second, &other))
        return fail(pass, "sent actions[%d]: %s takes no \"%.40s\"", number, verb, other);
    if (job == EASIM_NONE || s->jobs[job].state == EASIM_JOB_PENDING)
        return fail(pass, "sent actions[%d].%s: expected the number of a job that has arrived",
                    number, verb);
    if (preempt && more && !cJSON_IsBool(more))
        return fail(pass, "sent actions[%d].at_once: expected true or false", number);
    uint32_t config = preempt ? 0 : index_of(more, pass->view->config_count);
    if (config == EASIM_NONE)
        return fail(pass, "sent actions[%d].config: expected 0..%u", number,
                    pass->view->config_count - 1);
    int r = preempt ? pass->host->plan_preempt(pass->plan, job, cJSON_IsTrue(more))
            : strcmp(verb, "start") == 0 ? pass->host->plan_start(pass->plan, job, config)
                                         : pass->host->plan_resize(pass->plan, job, config);
    keep_answer(s, r, job);
    return 0;
}

static int act(const struct easim_pass *pass, const cJSON *action, int number) {
    static const char *const verbs[] = {"start", "preempt", "resize"};
    const char *other = NULL;
    if (!cJSON_IsObject(action) || !action->child)
        return fail(pass,
                    "sent actions[%d]: expected an object such as {\"start\": 0, \"config\": 3}",
                    number);
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (cJSON_GetObjectItemCaseSensitive(action, verbs[i]))
            return act_on_job(pass, action, number, verbs[i]);
    const cJSON *wake = cJSON_GetObjectItemCaseSensitive(action, "wake_at");
    if (!wake)
        return fail(pass,
                    "sent actions[%d]: expected start, preempt, resize or wake_at, got \"%.40s\"",
                    number, action->child->string);
    if (!only_keys(action, "wake_at", NULL, &other))
        return fail(pass, "sent actions[%d]: wake_at takes no \"%.40s\"", number, other);
    if (!cJSON_IsNumber(wake))
        return fail(pass, "sent actions[%d].wake_at: expected a time in seconds", number);
    keep_answer(pass->state, pass->host->plan_wake_at(pass->plan, wake->valuedouble), EASIM_NONE);
    return 0;
}

/* The name of a member that an object in it has twice, or NULL. Objects of many members are refused
   for those that are unknown. */
static const char *repeated_name(const cJSON *value) {
    const char *name = NULL;
    int members = 0;
    for (const cJSON *item = value->child; item && !name; item = item->next) {
        const cJSON *other = value->child;
        while (cJSON_IsObject(value) && members < 16 && other != item &&
               strcmp(other->string, item->string) != 0)
            other = other->next;
        if (cJSON_IsObject(value) && members < 16 && other != item)
            name = item->string;
        else
            name = repeated_name(item);
        members++;
    }
    return name;
}

/* A line as one JSON object; NULL after fail. */
static cJSON *parse(const struct easim_pass *pass, const char *line) {
    const char *end = NULL;
    cJSON *object = cJSON_ParseWithOpts(line, &end, false);
    if (object)
        end += strspn(end, " \t\r");
    const char *name = object ? repeated_name(object) : NULL;
    if (object && cJSON_IsObject(object) && *end == '\0' && !name)
        return object;
    if (name)
        fail(pass, "sent \"%.40s\" twice in one object", name);
    else if (object && *end != '\0')
        fail(pass, "sent text behind the JSON value: \"%.60s\"", end);
    else
        fail(pass, "sent a line that is not a JSON object: \"%.60s\"", line);
    cJSON_Delete(object);
    return NULL;
}

/* Whether a line repeats the number of the message that it answers: an answer too many would be
   taken for that to the next message. False after fail. */
static bool answers_message(const struct easim_pass *pass, const cJSON *line) {
    const cJSON *number = cJSON_GetObjectItemCaseSensitive(line, "message");
    uint32_t asked = ((const struct state *)pass->state)->message;
    if (cJSON_IsNumber(number) && number->valuedouble == asked)
        return true;
    if (cJSON_IsNumber(number))
        fail(pass, "answered message %.15g instead of %u", number->valuedouble, asked);
    else
        fail(pass, "sent %s: expected %u, the number of the message that is answered",
             number ? "a \"message\" that is no number" : "a line without \"message\"", asked);
    return false;
}

/* The member that a line must have beside the number of the message; the program may say "fail"
   instead of it. NULL after fail. */
static const cJSON *only_member(const struct easim_pass *pass, const cJSON *line,
                                const char *name) {
    const char *other = NULL;
    const cJSON *sorry = cJSON_GetObjectItemCaseSensitive(line, "fail");
    const cJSON *member = cJSON_GetObjectItemCaseSensitive(line, name);
    if (cJSON_IsString(sorry))
        fail(pass, "gives up: %s", sorry->valuestring);
    else if (!only_keys(line, name, "message", &other))
        fail(pass, "sent an unknown member \"%.40s\", expected \"%s\"", other, name);
    else if (!member)
        fail(pass, "sent a line without \"%s\"", name);
    else
        return member;
    return NULL;
}

/* --- the policy --- */

/* Sends s->text and parses the answer; NULL after fail. Release with cJSON_Delete. */
static cJSON *ask(const struct easim_pass *pass, double timeout_s) {
    struct state *s = pass->state;
    if (s->text.failed || s->answers.failed) {
        fail(pass, "cannot be asked: out of memory");
        return NULL;
    }
    char *line = process_exchange(&s->process, s->text.at, s->text.length, timeout_s);
    if (line)
        return parse(pass, line);
    fail(pass, "%s", s->process.problem);
    return NULL;
}

static int decide(const struct easim_pass *pass) {
    struct state *s = pass->state;
    write_message(pass);
    cJSON *line = ask(pass, ((const struct params *)pass->params)->timeout);
    const cJSON *actions = line ? only_member(pass, line, "actions") : NULL;
    int r = actions && answers_message(pass, line) ? 0 : -1, number = 0;
    s->answers.length = 0;
    s->acted_count = 0;
    if (r == 0 && !cJSON_IsArray(actions))
        r = fail(pass, "sent actions: expected a list");
    for (const cJSON *action = r == 0 ? actions->child : NULL; action && r == 0;
         action = action->next)
        r = act(pass, action, number++);
    cJSON_Delete(line);
    return r;
}

static int say_hello(const struct easim_pass *pass) {
    struct state *s = pass->state;
    message_hello(&s->text, pass->view);
    cJSON *line = ask(pass, ((const struct params *)pass->params)->startup_timeout);
    const cJSON *ready = line ? only_member(pass, line, "ready") : NULL;
    int r = -1;
    if (ready && (!cJSON_IsNumber(ready) || ready->valuedouble != EXEC_PROTOCOL))
        fail(pass, "sent ready: expected %d, the number of the protocol", EXEC_PROTOCOL);
    else if (ready && answers_message(pass, line))
        r = 0;
    cJSON_Delete(line);
    return r;
}

static int init(const struct easim_pass *pass) {
    struct state *s = pass->state;
    const struct easim_view *view = pass->view;
    const struct params *p = pass->params;
    s->forecast_s = NAN;
    if (p->command[strspn(p->command, " \t\n")] == '\0') {
        pass->host->fail(pass->plan, "the parameter command is empty: expected a program");
        return -1;
    }
    s->jobs = calloc(view->job_count + 1, sizeof *s->jobs);
    s->changed = calloc(view->job_count + 1, sizeof *s->changed);
    s->nodes = calloc(view->node_count + 1, sizeof *s->nodes);
    s->user_messages = calloc(view->user_count + 1, sizeof *s->user_messages);
    if (!s->jobs || !s->changed || !s->nodes || !s->user_messages)
        return fail(pass, "cannot be started: out of memory");
    if (process_start(&s->process, p->command) < 0)
        return fail(pass, "%s", s->process.problem);
    return say_hello(pass);
}

static void finish(const struct easim_pass *pass) {
    char last[60];
    struct state *s = pass->state;
    int length =
        snprintf(last, sizeof last, "{\"type\":\"finish\",\"message\":%u}\n", s->message + 1);
    process_stop(&s->process, last, s->failed ? 0 : (size_t)length, s->failed ? 0 : GRACE_S);
    free(s->text.at);
    free(s->answers.at);
    free(s->jobs);
    free(s->nodes);
    free(s->user_messages);
    free(s->changed);
    free(s->acted);
}

static const struct easim_param params[] = {
    {"command", "", "the program and its arguments, as for sh; required", EASIM_PARAM_TEXT,
     offsetof(struct params, command), 0, 0, 0, false, NULL},
    {"timeout", "s", "wall-clock time for each answer", EASIM_PARAM_DURATION,
     offsetof(struct params, timeout), 1, 1e6, 10, false, NULL},
    {"startup_timeout", "s", "wall-clock time until it is ready", EASIM_PARAM_DURATION,
     offsetof(struct params, startup_timeout), 1, 1e6, 60, false, NULL},
};

EASIM_EXPORT const struct easim_policy easim_policy = {
    EASIM_POLICY_ABI,
    .name = "exec",
    .version = "2.0",
    .summary = "a program of yours decides, over lines of JSON",
    .help =
        "Runs `exec COMMAND` in /bin/sh and sends it a line of JSON for each decision, with what has changed\n"
        "since the last; it answers with a line of actions. docs/exec-policy.md is the protocol,\n"
        "policies/exec/fcfs.py an example. "
        "A program that ends, stays silent or answers anything else ends the\n"
        "run as failed. Starts over a power cap are not refused: the program sees cap and power.",
    .capabilities = EASIM_CAPABILITY_PREEMPT | EASIM_CAPABILITY_RESIZE | EASIM_CAPABILITY_TICK |
                    EASIM_CAPABILITY_FREQUENCY | EASIM_CAPABILITY_FORECAST,
    .state_size = sizeof(struct state),
    .params_size = sizeof(struct params),
    .params = params,
    .param_count = 3,
    .decide = decide,
    .init = init,
    .finish = finish,
};
