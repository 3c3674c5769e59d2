/* What the program asks for: actions, read from JSON and handed to the host. */
#include "answer.h"
#include "program.h"
#include "services.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void note_acted(struct program *s, uint32_t job) {
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

static void keep_answer(struct program *s, int answer, uint32_t job) {
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
    const struct program *s = pass->state;
    const char *second = second_of(verb), *other = NULL;
    const cJSON *more = cJSON_GetObjectItemCaseSensitive(action, second);
    *said = (struct said){
        .verb = verb,
        .job = answer_index(cJSON_GetObjectItemCaseSensitive(action, verb), pass->view->job_count)};
    if (!answer_has_only(action, verb, second, &other))
        return program_fail(pass, "sent %s: %s takes no \"%.40s\"", place, verb, other);
    if (said->job == EASIM_NONE || s->jobs[said->job].state == EASIM_JOB_PENDING)
        return program_fail(pass, "sent %s.%s: expected the number of a job that has arrived",
                            place, verb);
    if (strcmp(second, "at_once") == 0 && more && !cJSON_IsBool(more))
        return program_fail(pass, "sent %s.at_once: expected true or false", place);
    if (strcmp(second, "reason") == 0 && more && !cJSON_IsString(more))
        return program_fail(pass, "sent %s.reason: expected a text", place);
    said->at_once = cJSON_IsTrue(more);
    said->reason = cJSON_IsString(more) ? more->valuestring : NULL;
    said->config = strcmp(second, "config") == 0 ? answer_index(more, pass->view->config_count) : 0;
    if (said->config == EASIM_NONE)
        return program_fail(pass, "sent %s.config: expected 0..%u", place,
                            pass->view->config_count - 1);
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
        ((struct program *)pass->state)->jobs[said->job].rejected |= answer == EASIM_OK;
        return answer;
    }
    return strcmp(said->verb, "start") == 0
               ? host->plan_start(pass->plan, said->job, said->config)
               : host->plan_resize(pass->plan, said->job, said->config);
}

/* {"exchange": [starts, preemptions, resizes]}: one answer for all. */
static int act_exchange(const struct easim_pass *pass, const cJSON *list, const char *place) {
    struct program *s = pass->state;
    uint32_t count = cJSON_IsArray(list) ? (uint32_t)cJSON_GetArraySize(list) : 0, i = 0;
    char part_place[80];
    if (count == 0)
        return program_fail(
            pass, "sent %s.exchange: expected a list of starts, preemptions and resizes", place);
    struct easim_part *parts = pass->host->scratch(pass->plan, count * sizeof *parts);
    for (const cJSON *item = list->child; item; item = item->next, i++) {
        struct said said;
        const char *verb = verb_of(item);
        snprintf(part_place, sizeof part_place, "%s.exchange[%u]", place, i);
        if (!verb || strcmp(verb, "reject") == 0)
            return program_fail(pass, "sent %s: expected start, preempt or resize", part_place);
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
        return program_fail(pass, "sent %s: wake_at takes no \"%.40s\"", place, other);
    if (!cJSON_IsNumber(wake))
        return program_fail(pass, "sent %s.wake_at: expected a time in seconds", place);
    keep_answer(pass->state, pass->host->plan_wake_at(pass->plan, wake->valuedouble), EASIM_NONE);
    return 0;
}

int program_act(const struct easim_pass *pass, const cJSON *action, int number) {
    char place[40];
    struct said said;
    const char *verb = verb_of(action), *other = NULL;
    snprintf(place, sizeof place, "actions[%d]", number);
    if (!cJSON_IsObject(action) || !action->child)
        return program_fail(
            pass, "sent %s: expected an object such as {\"start\": 0, \"config\": 3}", place);
    if (verb) {
        if (read_action(pass, action, place, verb, &said) < 0)
            return -1;
        keep_answer(pass->state, act_on_job(pass, &said), said.job);
        return 0;
    }
    const cJSON *exchange = cJSON_GetObjectItemCaseSensitive(action, "exchange");
    if (exchange && !answer_has_only(action, "exchange", NULL, &other))
        return program_fail(pass, "sent %s: exchange takes no \"%.40s\"", place, other);
    if (exchange)
        return act_exchange(pass, exchange, place);
    if (cJSON_GetObjectItemCaseSensitive(action, "wake_at"))
        return act_wake(pass, action, place);
    char problem[SERVICES_PROBLEM_BYTES];
    int answer = EASIM_INVAL;
    if (!services_act(pass, action, &answer, problem))
        return program_fail(
            pass,
            "sent %s: expected start, preempt, resize, reject, exchange, scale_up, scale_down or wake_at, got \"%.40s\"",
            place, action->child->string);
    if (problem[0])
        return program_fail(pass, "sent %s%s", place, problem);
    keep_answer(pass->state, answer, EASIM_NONE);
    return 0;
}
