/* exec: a program of the user's decides. It gets one line of JSON per decision and answers with one
   line of actions; docs/exec-policy.md is the protocol. The rule that a policy uses no processes,
   clocks and heap of its own is lifted for this one: talking to a program is its purpose, and the
   clock only bounds how long it waits. Whether two runs decide alike is up to the program. */
#include "exec/answer.h"
#include "exec/message.h"
#include "exec/process.h"
#include "exec/services.h"
#include "exec/steps.h"

#include <cjson/cJSON.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GRACE_S 2.0 /* between the finish message and SIGTERM */

struct params {
    const char *command, *socket; /* one of them; the other is empty */
    double timeout, startup_timeout;
    bool progress, services;
};

/* What the program has been told of a job. Index 0 of enum easim_job_state, PENDING: nothing yet.
 */
struct told_job {
    uint32_t state;
    uint32_t message; /* number of the last message that names it */
    uint32_t user, phase;
    bool rejected; /* by itself */
};

struct state {
    struct process process;
    struct steps steps;
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
    const struct params *p = pass->params;
    va_list arguments;
    text_printf(&text, "program \"%s\" ", p->command[0] ? p->command : p->socket);
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
    if (s->jobs[job].message == s->message || s->jobs[job].state == EASIM_JOB_FINISHED ||
        (s->jobs[job].rejected && s->jobs[job].state == EASIM_JOB_REJECTED))
        return;
    s->jobs[job].message = s->message;
    s->changed[s->changed_count++] = job;
}

/* A job that it knows and that is not to be seen any more has finished, or it has rejected it. */
static uint32_t state_of(const struct easim_pass *pass, uint32_t job) {
    const struct state *s = pass->state;
    const struct easim_job *seen = easim_view_job(pass->view, job);
    return seen ? seen->state : s->jobs[job].rejected ? EASIM_JOB_REJECTED : EASIM_JOB_FINISHED;
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
                      event->kind != EASIM_EVENT_TIMER && event->kind != EASIM_EVENT_SERVICE);
    }
    for (uint32_t i = 0; i < s->acted_count; i++)
        note_job(s, s->acted[i]);
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
        uint32_t index = s->changed[i], state = state_of(pass, index);
        const struct easim_job *job = easim_view_job(pass->view, index);
        struct told_job *told = &s->jobs[index];
        text_add(&s->text, i ? "," : "");
        if (job)
            message_job(&s->text, job, job->phase != told->phase);
        else
            message_job_over(&s->text, index, state);
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

/* Checkpoints that are being written and, if wanted, the work left of each running job. */
static void add_present(const struct easim_pass *pass) {
    struct text *text = &((struct state *)pass->state)->text;
    const struct easim_view *view = pass->view;
    text_add(text, "],\"checkpointing\":[");
    for (uint32_t i = 0; i < view->checkpointing_count; i++) {
        const struct easim_checkpointing *c = easim_view_checkpointing(view, i);
        text_printf(text, "%s{\"job\":%u,\"end_ns\":%lld}", i ? "," : "", c->job,
                    (long long)c->end_ns);
    }
    text_add(text, "]");
    if (!((const struct params *)pass->params)->progress)
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
    struct state *s = pass->state;
    const char *comma = "";
    text_add(&s->text, ",\"gpu_types\":[");
    for (uint32_t i = 0; i < pass->view->gpu_type_count; i++) {
        text_add(&s->text, i ? "," : "");
        message_gpu_type(&s->text, pass->view, i);
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
    message_decide(&s->text, s->message, view);
    services_present(&s->text, view);
    text_printf(&s->text, ",\"answers\":[%s],\"events\":[", s->answers.length ? s->answers.at : "");
    for (uint32_t i = 0; i < view->event_count; i++) {
        text_add(&s->text, i ? "," : "");
        message_event(&s->text, easim_view_event(view, i));
    }
    text_add(&s->text, "]");
    add_forecast(pass);
    find_changed(pass);
    add_jobs(pass);
    add_users(pass);
    add_present(pass);
    add_cluster(pass);
}

/* --- the answer --- */

static void note_acted(struct state *s, uint32_t job) {
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

static void keep_answer(struct state *s, int answer, uint32_t job) {
    static const char *const names[] = {"\"ok\"", "\"nofit\"", "\"invalid\"", "\"cap\""};
    if (s->answers.length > 0)
        text_add(&s->answers, ",");
    text_add(&s->answers, names[-answer]);
    if (answer == EASIM_OK && job != EASIM_NONE)
        note_acted(s, job);
}

/* What one action says of one job. */
struct said {
    const char *verb;
    uint32_t job, config;
    bool at_once;
    const char *reason; /* of a rejection, or NULL */
};

static const char *const verbs[] = {"start", "preempt", "resize", "reject"};

/* The member beside the verb. */
static const char *second_of(const char *verb) {
    return strcmp(verb, "preempt") == 0  ? "at_once"
           : strcmp(verb, "reject") == 0 ? "reason"
                                         : "config";
}

/* start, resize: {"VERB": job, "config": index}. preempt: {"preempt": job, "at_once": false}.
   reject: {"reject": job, "reason": "why"}. */
static int read_action(const struct easim_pass *pass, const cJSON *action, const char *place,
                       const char *verb, struct said *said) {
    const struct state *s = pass->state;
    const char *second = second_of(verb), *other = NULL;
    const cJSON *more = cJSON_GetObjectItemCaseSensitive(action, second);
    *said = (struct said){
        .verb = verb,
        .job = answer_index(cJSON_GetObjectItemCaseSensitive(action, verb), pass->view->job_count)};
    if (!answer_has_only(action, verb, second, &other))
        return fail(pass, "sent %s: %s takes no \"%.40s\"", place, verb, other);
    if (said->job == EASIM_NONE || s->jobs[said->job].state == EASIM_JOB_PENDING)
        return fail(pass, "sent %s.%s: expected the number of a job that has arrived", place, verb);
    if (strcmp(second, "at_once") == 0 && more && !cJSON_IsBool(more))
        return fail(pass, "sent %s.at_once: expected true or false", place);
    if (strcmp(second, "reason") == 0 && more && !cJSON_IsString(more))
        return fail(pass, "sent %s.reason: expected a text", place);
    said->at_once = cJSON_IsTrue(more);
    said->reason = cJSON_IsString(more) ? more->valuestring : NULL;
    said->config = strcmp(second, "config") == 0 ? answer_index(more, pass->view->config_count) : 0;
    if (said->config == EASIM_NONE)
        return fail(pass, "sent %s.config: expected 0..%u", place, pass->view->config_count - 1);
    return 0;
}

static const char *verb_of(const cJSON *action) {
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (cJSON_IsObject(action) && cJSON_GetObjectItemCaseSensitive(action, verbs[i]))
            return verbs[i];
    return NULL;
}

static int act_on_job(const struct easim_pass *pass, const struct said *said) {
    const struct easim_host *host = pass->host;
    if (strcmp(said->verb, "preempt") == 0)
        return host->plan_preempt(pass->plan, said->job, said->at_once);
    if (strcmp(said->verb, "reject") == 0) {
        int answer = host->plan_reject(pass->plan, said->job, said->reason);
        ((struct state *)pass->state)->jobs[said->job].rejected |= answer == EASIM_OK;
        return answer;
    }
    return strcmp(said->verb, "start") == 0
               ? host->plan_start(pass->plan, said->job, said->config)
               : host->plan_resize(pass->plan, said->job, said->config);
}

/* {"exchange": [starts, preemptions, resizes]}: one answer for all. */
static int act_exchange(const struct easim_pass *pass, const cJSON *list, const char *place) {
    struct state *s = pass->state;
    uint32_t count = cJSON_IsArray(list) ? (uint32_t)cJSON_GetArraySize(list) : 0, i = 0;
    char part_place[80];
    if (count == 0)
        return fail(pass, "sent %s.exchange: expected a list of starts, preemptions and resizes",
                    place);
    struct easim_part *parts = pass->host->scratch(pass->plan, count * sizeof *parts);
    for (const cJSON *item = list->child; item; item = item->next, i++) {
        struct said said;
        const char *verb = verb_of(item);
        snprintf(part_place, sizeof part_place, "%s.exchange[%u]", place, i);
        if (!verb || strcmp(verb, "reject") == 0)
            return fail(pass, "sent %s: expected start, preempt or resize", part_place);
        if (read_action(pass, item, part_place, verb, &said) < 0)
            return -1;
        parts[i] = (struct easim_part){.action = strcmp(verb, "start") == 0     ? EASIM_PART_START
                                                 : strcmp(verb, "preempt") == 0 ? EASIM_PART_PREEMPT
                                                                                : EASIM_PART_RESIZE,
                                       .job = said.job,
                                       .config = said.config,
                                       .at_once = said.at_once};
    }
    int answer = easim_plan_exchange(pass, parts, count, NULL);
    keep_answer(s, answer, EASIM_NONE);
    for (i = 0; i < count && answer == EASIM_OK; i++)
        note_acted(s, parts[i].job);
    return 0;
}

static int act_wake(const struct easim_pass *pass, const cJSON *action, const char *place) {
    const cJSON *wake = cJSON_GetObjectItemCaseSensitive(action, "wake_at");
    const char *other = NULL;
    if (!answer_has_only(action, "wake_at", NULL, &other))
        return fail(pass, "sent %s: wake_at takes no \"%.40s\"", place, other);
    if (!cJSON_IsNumber(wake))
        return fail(pass, "sent %s.wake_at: expected a time in seconds", place);
    keep_answer(pass->state, pass->host->plan_wake_at(pass->plan, wake->valuedouble), EASIM_NONE);
    return 0;
}

static int act(const struct easim_pass *pass, const cJSON *action, int number) {
    char place[40];
    struct said said;
    const char *verb = verb_of(action), *other = NULL;
    snprintf(place, sizeof place, "actions[%d]", number);
    if (!cJSON_IsObject(action) || !action->child)
        return fail(pass, "sent %s: expected an object such as {\"start\": 0, \"config\": 3}",
                    place);
    if (verb) {
        if (read_action(pass, action, place, verb, &said) < 0)
            return -1;
        keep_answer(pass->state, act_on_job(pass, &said), said.job);
        return 0;
    }
    const cJSON *exchange = cJSON_GetObjectItemCaseSensitive(action, "exchange");
    if (exchange && !answer_has_only(action, "exchange", NULL, &other))
        return fail(pass, "sent %s: exchange takes no \"%.40s\"", place, other);
    if (exchange)
        return act_exchange(pass, exchange, place);
    if (cJSON_GetObjectItemCaseSensitive(action, "wake_at"))
        return act_wake(pass, action, place);
    char problem[SERVICES_PROBLEM_BYTES];
    int answer = EASIM_INVAL;
    if (!services_act(pass, action, &answer, problem))
        return fail(
            pass,
            "sent %s: expected start, preempt, resize, reject, exchange, scale_up, scale_down or wake_at, got \"%.40s\"",
            place, action->child->string);
    if (problem[0])
        return fail(pass, "sent %s%s", place, problem);
    keep_answer(pass->state, answer, EASIM_NONE);
    return 0;
}

/* A line as one JSON object; NULL after fail. */
static cJSON *parse(const struct easim_pass *pass, const char *line) {
    const char *end = NULL;
    cJSON *object = cJSON_ParseWithOpts(line, &end, false);
    if (object)
        end += strspn(end, " \t\r");
    const char *name = object ? answer_repeated_name(object) : NULL;
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
    else if (!answer_has_only(line, name, "message", &other))
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
    double timeout_s = ((const struct params *)pass->params)->timeout;
    if (s->steps.frame)
        return steps_decide(&s->steps, pass, &s->process, timeout_s) < 0
                   ? fail(pass, "%s", s->process.problem)
                   : 0;
    write_message(pass);
    cJSON *line = ask(pass, timeout_s);
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
    services_hello(&s->text, pass);
    text_add(&s->text, "}\n");
    cJSON *line = ask(pass, ((const struct params *)pass->params)->startup_timeout);
    cJSON *steps = line ? cJSON_DetachItemFromObjectCaseSensitive(line, "steps") : NULL;
    const cJSON *ready = line ? only_member(pass, line, "ready") : NULL;
    int r = -1;
    if (ready && steps && steps_begin(&s->steps, steps, pass->view) < 0)
        fail(pass, "%s", s->steps.problem);
    else if (ready && (!cJSON_IsNumber(ready) || ready->valuedouble != EXEC_PROTOCOL))
        fail(pass, "sent ready: expected %d, the number of the protocol", EXEC_PROTOCOL);
    else if (ready && answers_message(pass, line))
        r = 0;
    cJSON_Delete(line);
    cJSON_Delete(steps);
    return r;
}

static int init(const struct easim_pass *pass) {
    struct state *s = pass->state;
    const struct easim_view *view = pass->view;
    const struct params *p = pass->params;
    s->forecast_s = NAN;
    bool starts = p->command[strspn(p->command, " \t\n")] != '\0';
    if (starts == (p->socket[0] != '\0')) {
        pass->host->fail(pass->plan, starts
                                         ? "the parameters command and socket: expected one of them"
                                         : "the parameter command is empty: expected a program");
        return -1;
    }
    s->jobs = calloc(view->job_count + 1, sizeof *s->jobs);
    s->changed = calloc(view->job_count + 1, sizeof *s->changed);
    s->nodes = calloc(view->node_count + 1, sizeof *s->nodes);
    s->user_messages = calloc(view->user_count + 1, sizeof *s->user_messages);
    if (!s->jobs || !s->changed || !s->nodes || !s->user_messages)
        return fail(pass, "cannot be started: out of memory");
    if ((starts ? process_start(&s->process, p->command)
                : process_connect(&s->process, p->socket)) < 0)
        return fail(pass, "%s", s->process.problem);
    return say_hello(pass);
}

static void finish(const struct easim_pass *pass) {
    struct state *s = pass->state;
    s->text.length = 0;
    message_finish(&s->text, s->message + 1, pass->view);
    if (s->steps.frame)
        steps_end(&s->steps, pass->view);
    const char *last = s->steps.frame ? (const char *)s->steps.frame : s->text.at;
    size_t length = s->steps.frame ? s->steps.bytes : s->text.length;
    s->failed = s->failed || s->text.failed;
    process_stop(&s->process, last, s->failed ? 0 : length, s->failed ? 0 : GRACE_S);
    free(s->steps.frame);
    free(s->text.at);
    free(s->answers.at);
    free(s->jobs);
    free(s->nodes);
    free(s->user_messages);
    free(s->changed);
    free(s->acted);
}

static const struct easim_param params[] = {
    {"command", "", "the program and its arguments, as for sh; this or socket", EASIM_PARAM_TEXT,
     offsetof(struct params, command), 0, EASIM_TEXT_PROGRAM, 0, false, NULL},
    {"timeout", "s", "wall-clock time for each answer", EASIM_PARAM_DURATION,
     offsetof(struct params, timeout), 1, 1e6, 10, false, NULL},
    {"startup_timeout", "s", "wall-clock time until it is ready", EASIM_PARAM_DURATION,
     offsetof(struct params, startup_timeout), 1, 1e6, 60, false, NULL},
    {"progress", "", "tell the work left of each running job at every decision", EASIM_PARAM_BOOL,
     offsetof(struct params, progress), 0, 1, 0, false, NULL},
    {"socket", "", "path of a Unix socket on which a program listens already", EASIM_PARAM_TEXT,
     offsetof(struct params, socket), 0, EASIM_TEXT_SOCKET, 0, false, NULL},
    {"services", "", "it scales services itself, in place of the host", EASIM_PARAM_BOOL,
     offsetof(struct params, services), 0, 1, 0, false, NULL},
};

EASIM_EXPORT const struct easim_policy easim_policy = {
    EASIM_POLICY_ABI,
    .name = "exec",
    .version = "2.2",
    .summary = "a program of yours decides, over lines of JSON",
    .help =
        "Runs `exec COMMAND` in /bin/sh and sends it a line of JSON for each decision, with what has changed\n"
        "since the last; it answers with a line of actions. docs/exec-policy.md is the protocol,\n"
        "policies/exec/fcfs.py an example. A program that ends, stays silent or answers anything else ends the\n"
        "run as failed. Starts over a power cap are not refused: the program sees cap and power.",
    .capabilities = EASIM_CAPABILITY_PREEMPT | EASIM_CAPABILITY_RESIZE | EASIM_CAPABILITY_TICK |
                    EASIM_CAPABILITY_FREQUENCY | EASIM_CAPABILITY_REJECT |
                    EASIM_CAPABILITY_FORECAST | EASIM_CAPABILITY_SERVICES,
    .state_size = sizeof(struct state),
    .params_size = sizeof(struct params),
    .params = params,
    .param_count = 6,
    .decide = decide,
    .init = init,
    .finish = finish,
    .reads = EASIM_READS_CARBON | EASIM_READS_PRICE | EASIM_READS_DEADLINES | EASIM_READS_USERS |
             EASIM_READS_FORECASTS | EASIM_READS_RUN_TIMES,
};
