/* What the program asks for: actions, and in protocol 3 tries, which change nothing. Both are lists
   of objects, of which each has one verb, the name of a member, and perhaps one member more. */
#include "answer.h"
#include "program.h"
#include "services.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct item;

struct verb {
    const char *name, *second; /* its members; NULL: it has no second */
    uint32_t protocol;         /* from which on it is there */
    /* Negative after program_fail. */
    int (*act)(const struct easim_pass *pass, const struct item *item);
};

/* One object of a list. */
struct item {
    const struct verb *verb;
    char place[80]; /* "actions[3]", for messages */
    const cJSON *value, *more;
};

/* --- answers --- */

static const char *const answer_names[] = {"ok", "nofit", "invalid", "cap"}; /* by minus answer */

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

/* Adds {"answer": "ok"}, without its end. */
static void begin_answer(struct text *text, int answer) {
    text_printf(text, "{\"answer\":\"%s\"", answer_names[-answer]);
}

/* Of an exchange that was refused: the part that is to blame, null: the set. */
static void add_part(struct text *text, uint32_t part) {
    if (part == EASIM_NONE)
        text_add(text, ",\"part\":null");
    else
        text_printf(text, ",\"part\":%u", part);
}

/* Keeps the answer to an action for the next message; of a refused exchange with its part. */
static void keep_answer_of(struct program *s, int answer, const uint32_t *part) {
    text_add(&s->answers, s->answers.length > 0 ? "," : "");
    if (s->protocol < 3) {
        text_printf(&s->answers, "\"%s\"", answer_names[-answer]);
        return;
    }
    begin_answer(&s->answers, answer);
    if (part && answer != EASIM_OK)
        add_part(&s->answers, *part);
    text_add(&s->answers, "}");
}

static void keep_answer(struct program *s, int answer, uint32_t job) {
    keep_answer_of(s, answer, NULL);
    if (answer == EASIM_OK && job != EASIM_NONE)
        note_acted(s, job);
}

/* --- items --- */

/* "start, preempt or resize": the verbs of a table, as far as the protocol has them. */
static void list_verbs(struct text *text, const struct verb *verbs, uint32_t protocol) {
    size_t count = 0;
    while (verbs[count].name && verbs[count].protocol <= protocol)
        count++;
    for (size_t i = 0; i < count; i++)
        text_printf(text, "%s%s", i == 0 ? "" : i + 1 == count ? " or " : ", ", verbs[i].name);
}

/* Finds the verb of an object, by a table that ends with a row without a name. */
static int read_item(const struct easim_pass *pass, const cJSON *object, const struct verb *verbs,
                     struct item *item) {
    uint32_t protocol = ((const struct program *)pass->state)->protocol;
    const char *other = NULL;
    if (!cJSON_IsObject(object) || !object->child)
        return program_fail(
            pass, "sent %s: expected an object such as {\"start\": 0, \"config\": 3}", item->place);
    item->verb = NULL;
    for (const struct verb *v = verbs; v->name && v->protocol <= protocol && !item->verb; v++)
        if (cJSON_GetObjectItemCaseSensitive(object, v->name))
            item->verb = v;
    if (!item->verb) {
        struct text names = {0};
        list_verbs(&names, verbs, protocol);
        program_fail(pass, "sent %s: expected %s, got \"%.40s\"", item->place,
                     names.failed ? "an action" : names.at, object->child->string);
        free(names.at);
        return -1;
    }
    item->value = cJSON_GetObjectItemCaseSensitive(object, item->verb->name);
    item->more =
        item->verb->second ? cJSON_GetObjectItemCaseSensitive(object, item->verb->second) : NULL;
    if (!answer_has_only(object, item->verb->name, item->verb->second, &other))
        return program_fail(pass, "sent %s: %s takes no \"%.40s\"", item->place, item->verb->name,
                            other);
    return 0;
}

static int read_job(const struct easim_pass *pass, const struct item *item, uint32_t *ret_job) {
    const struct program *s = pass->state;
    *ret_job = answer_index(item->value, pass->view->job_count);
    if (*ret_job == EASIM_NONE || s->jobs[*ret_job].state == EASIM_JOB_PENDING)
        return program_fail(pass, "sent %s.%s: expected the number of a job that has arrived",
                            item->place, item->verb->name);
    return 0;
}

static int read_config(const struct easim_pass *pass, const struct item *item,
                       uint32_t *ret_config) {
    *ret_config = answer_index(item->more, pass->view->config_count);
    if (*ret_config == EASIM_NONE)
        return program_fail(pass, "sent %s.config: expected 0..%u", item->place,
                            pass->view->config_count - 1);
    return 0;
}

/* A start, a resize or a preemption. */
static int read_part(const struct easim_pass *pass, const struct item *item,
                     struct easim_part *part) {
    *part = (struct easim_part){.action = strcmp(item->verb->name, "start") == 0 ? EASIM_PART_START
                                          : strcmp(item->verb->name, "preempt") == 0
                                              ? EASIM_PART_PREEMPT
                                              : EASIM_PART_RESIZE};
    if (read_job(pass, item, &part->job) < 0)
        return -1;
    if (part->action != EASIM_PART_PREEMPT)
        return read_config(pass, item, &part->config);
    if (item->more && !cJSON_IsBool(item->more))
        return program_fail(pass, "sent %s.at_once: expected true or false", item->place);
    part->at_once = cJSON_IsTrue(item->more);
    return 0;
}

static const struct verb part_verbs[] = {{"start", "config", 2, NULL},
                                         {"preempt", "at_once", 2, NULL},
                                         {"resize", "config", 2, NULL},
                                         {0}};

/* [starts, preemptions, resizes], in scratch memory. NULL after program_fail. */
static struct easim_part *read_parts(const struct easim_pass *pass, const struct item *item,
                                     uint32_t *ret_count) {
    uint32_t count = cJSON_IsArray(item->value) ? (uint32_t)cJSON_GetArraySize(item->value) : 0;
    uint32_t i = 0;
    if (count == 0) {
        program_fail(pass, "sent %s.exchange: expected a list of starts, preemptions and resizes",
                     item->place);
        return NULL;
    }
    struct easim_part *parts = pass->host->scratch(pass->plan, count * sizeof *parts);
    for (const cJSON *object = item->value->child; object; object = object->next, i++) {
        struct item part;
        snprintf(part.place, sizeof part.place, "%.50s.exchange[%u]", item->place, i);
        if (read_item(pass, object, part_verbs, &part) < 0 || read_part(pass, &part, &parts[i]) < 0)
            return NULL;
    }
    *ret_count = count;
    return parts;
}

/* --- actions --- */

/* To the configuration that the job has: nothing happens, and protocol 2 calls it invalid. */
static bool is_invalid_stay(const struct easim_pass *pass, const struct easim_part *part) {
    const struct easim_job *job = easim_view_job(pass->view, part->job);
    return ((const struct program *)pass->state)->protocol < 3 &&
           part->action == EASIM_PART_RESIZE && job && job->state == EASIM_JOB_RUNNING &&
           job->config == part->config;
}

static int act_on_job(const struct easim_pass *pass, const struct item *item) {
    const struct easim_host *host = pass->host;
    struct easim_part part;
    if (read_part(pass, item, &part) < 0)
        return -1;
    int answer =
        is_invalid_stay(pass, &part)       ? (int)EASIM_INVAL
        : part.action == EASIM_PART_START  ? host->plan_start(pass->plan, part.job, part.config)
        : part.action == EASIM_PART_RESIZE ? host->plan_resize(pass->plan, part.job, part.config)
                                           : host->plan_preempt(pass->plan, part.job, part.at_once);
    keep_answer(pass->state, answer, part.job);
    return 0;
}

static int reject(const struct easim_pass *pass, const struct item *item) {
    struct program *s = pass->state;
    uint32_t job;
    if (read_job(pass, item, &job) < 0)
        return -1;
    if (item->more && !cJSON_IsString(item->more))
        return program_fail(pass, "sent %s.reason: expected a text", item->place);
    int answer =
        pass->host->plan_reject(pass->plan, job, item->more ? item->more->valuestring : NULL);
    s->jobs[job].rejected |= answer == EASIM_OK;
    keep_answer(s, answer, job);
    return 0;
}

/* One answer for all. */
static int exchange(const struct easim_pass *pass, const struct item *item) {
    struct program *s = pass->state;
    uint32_t count = 0, part = EASIM_NONE;
    const struct easim_part *parts = read_parts(pass, item, &count);
    if (!parts)
        return -1;
    int answer = easim_plan_exchange(pass, parts, count, &part);
    keep_answer_of(s, answer, &part);
    for (uint32_t i = 0; i < count && answer == EASIM_OK; i++)
        note_acted(s, parts[i].job);
    return 0;
}

static int scale(const struct easim_pass *pass, const struct item *item) {
    char problem[SERVICES_PROBLEM_BYTES];
    int answer = EASIM_INVAL;
    if (services_scale(pass, item->verb->name, item->value, &answer, problem) < 0)
        return program_fail(pass, "sent %s.%s: %s", item->place, item->verb->name, problem);
    keep_answer(pass->state, answer, EASIM_NONE);
    return 0;
}

static int limit(const struct easim_pass *pass, const struct item *item) {
    uint32_t job;
    if (!(((const struct program *)pass->state)->asked & EXEC_ASKS_POWER))
        return program_fail(pass, "sent %s.limit, but does not ask for power/1", item->place);
    if (read_job(pass, item, &job) < 0)
        return -1;
    if (!cJSON_IsNumber(item->more))
        return program_fail(pass, "sent %s.watts: expected a power limit in W", item->place);
    keep_answer(pass->state, power_of(pass)->plan_limit(pass->plan, job, item->more->valuedouble),
                job);
    return 0;
}

static int wake_at(const struct easim_pass *pass, const struct item *item) {
    if (!cJSON_IsNumber(item->value))
        return program_fail(pass, "sent %s.wake_at: expected a time in seconds", item->place);
    keep_answer(pass->state, pass->host->plan_wake_at(pass->plan, item->value->valuedouble),
                EASIM_NONE);
    return 0;
}

static int wake_clear(const struct easim_pass *pass, const struct item *item) {
    if (!cJSON_IsTrue(item->value))
        return program_fail(pass, "sent %s.wake_clear: expected true", item->place);
    keep_answer(pass->state, pass->host->plan_wake_clear(pass->plan), EASIM_NONE);
    return 0;
}

static int count(const struct easim_pass *pass, const struct item *item) {
    if (!cJSON_IsString(item->value) || !*item->value->valuestring)
        return program_fail(pass, "sent %s.count: expected a text", item->place);
    if (item->more && !cJSON_IsString(item->more))
        return program_fail(pass, "sent %s.name: expected a text", item->place);
    pass->host->count(pass->plan, item->value->valuestring,
                      item->more ? item->more->valuestring : NULL);
    keep_answer(pass->state, EASIM_OK, EASIM_NONE);
    return 0;
}

/* For the story of a job, which is not always told. */
static int reason(const struct easim_pass *pass, const struct item *item) {
    uint32_t job;
    if (read_job(pass, item, &job) < 0)
        return -1;
    if (!cJSON_IsString(item->more))
        return program_fail(pass, "sent %s.text: expected a text", item->place);
    if (easim_told(pass, job))
        pass->host->reason(pass->plan, job, item->more->valuestring);
    keep_answer(pass->state, EASIM_OK, EASIM_NONE);
    return 0;
}

/* Those of protocol 2 first. */
static const struct verb action_verbs[] = {
    {"start", "config", 2, act_on_job},
    {"preempt", "at_once", 2, act_on_job},
    {"resize", "config", 2, act_on_job},
    {"reject", "reason", 2, reject},
    {"exchange", NULL, 2, exchange},
    {"scale_up", NULL, 2, scale},
    {"scale_down", NULL, 2, scale},
    {"wake_at", NULL, 2, wake_at},
    {"wake_clear", NULL, 3, wake_clear},
    {"count", "name", 3, count},
    {"reason", "text", 3, reason},
    {"limit", "watts", 3, limit},
    {0},
};

int program_act(const struct easim_pass *pass, const cJSON *action, int number) {
    struct item item;
    snprintf(item.place, sizeof item.place, "actions[%d]", number);
    return read_item(pass, action, action_verbs, &item) < 0 ? -1 : item.verb->act(pass, &item);
}

/* --- tries --- */

static struct text *text_of(const struct easim_pass *pass) {
    return &((struct program *)pass->state)->text;
}

/* As for the action, but for what is counted: a start is one of a job that waits, a resize one of a
   job that runs. */
static int try_part(const struct easim_pass *pass, const struct item *item) {
    struct text *text = text_of(pass);
    struct easim_part part;
    double power_w = NAN;
    if (read_part(pass, item, &part) < 0)
        return -1;
    const struct easim_job *job = easim_view_job(pass->view, part.job);
    uint32_t state = part.action == EASIM_PART_START ? EASIM_JOB_WAITING : EASIM_JOB_RUNNING;
    int span = job && job->state == state
                   ? pass->host->try_config(pass->plan, part.job, part.config, &power_w)
                   : (int)EASIM_INVAL;
    begin_answer(text, span < 0 ? span : EASIM_OK);
    if (span >= 0)
        text_printf(text, ",\"span\":%d", span);
    if (span >= 0 || span == EASIM_CAP) {
        text_add(text, ",");
        text_real(text, "power_w", power_w);
    }
    text_add(text, "}");
    return 0;
}

static int try_exchange(const struct easim_pass *pass, const struct item *item) {
    struct text *text = text_of(pass);
    uint32_t count = 0, part = EASIM_NONE;
    double power_w = NAN;
    const struct easim_part *parts = read_parts(pass, item, &count);
    if (!parts)
        return -1;
    int answer = easim_try_exchange(pass, parts, count, &part, &power_w);
    begin_answer(text, answer);
    if (answer != EASIM_OK)
        add_part(text, part);
    if (answer == EASIM_OK || answer == EASIM_CAP) {
        text_add(text, ",");
        text_real(text, "power_w", power_w);
    }
    text_add(text, "}");
    return 0;
}

static int ask_remaining(const struct easim_pass *pass, const struct item *item) {
    uint32_t job;
    if (read_job(pass, item, &job) < 0)
        return -1;
    double remaining = pass->host->remaining(pass->plan, job);
    begin_answer(text_of(pass), isnan(remaining) ? EASIM_INVAL : EASIM_OK);
    text_add(text_of(pass), ",");
    text_real(text_of(pass), "remaining", remaining);
    text_add(text_of(pass), "}");
    return 0;
}

/* Of a job without GPUs: none. */
static int ask_nodes(const struct easim_pass *pass, const struct item *item) {
    struct text *text = text_of(pass);
    uint32_t job;
    if (read_job(pass, item, &job) < 0)
        return -1;
    uint32_t count = pass->host->job_nodes(pass->plan, job, NULL, 0);
    struct easim_job_node *nodes = pass->host->scratch(pass->plan, (count + 1) * sizeof *nodes);
    pass->host->job_nodes(pass->plan, job, nodes, count);
    begin_answer(text, EASIM_OK);
    text_add(text, ",\"nodes\":[");
    for (uint32_t i = 0; i < count; i++)
        text_printf(text, "%s{\"node\":%u,\"gpus\":%u}", i ? "," : "", nodes[i].node,
                    nodes[i].gpus);
    text_add(text, "]}");
    return 0;
}

static int ask_figures(const struct easim_pass *pass, const struct item *item) {
    char problem[SERVICES_PROBLEM_BYTES];
    begin_answer(text_of(pass), EASIM_OK);
    if (services_figures(pass, item->value, item->more, text_of(pass), problem) < 0)
        return program_fail(pass, "sent %s.%s: %s", item->place, item->verb->name, problem);
    text_add(text_of(pass), "}");
    return 0;
}

static const struct verb try_verbs[] = {
    {"start", "config", 3, try_part},
    {"resize", "config", 3, try_part},
    {"exchange", NULL, 3, try_exchange},
    {"remaining", NULL, 3, ask_remaining},
    {"job_nodes", NULL, 3, ask_nodes},
    {"replica_figures", "load", 3, ask_figures},
    {0},
};

int program_try(const struct easim_pass *pass, const cJSON *list) {
    struct program *s = pass->state;
    struct item item;
    int number = 0;
    if (!cJSON_IsArray(list) || !list->child)
        return program_fail(pass, "sent try: expected a list of what to try");
    s->message++;
    s->text.length = 0;
    text_printf(&s->text, "{\"type\":\"tried\",\"message\":%u,\"answers\":[", s->message);
    for (const cJSON *object = list->child; object; object = object->next) {
        snprintf(item.place, sizeof item.place, "try[%d]", number);
        text_add(&s->text, number++ > 0 ? "," : "");
        if (read_item(pass, object, try_verbs, &item) < 0 || item.verb->act(pass, &item) < 0)
            return -1;
    }
    text_add(&s->text, "]}\n");
    return 0;
}
