/* exec: a program of the user's decides. It gets one line of JSON per decision and answers with one
   line of actions; docs/reference/program-policy.md is the protocol. The rule that a policy uses no
   processes, clocks and heap of its own is lifted for this one: talking to a program is its
   purpose, and the clock only bounds how long it waits. Whether two runs decide alike is up to the
   program. */
#include "exec/answer.h"
#include "exec/program.h"
#include "exec/services.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define GRACE_S    2.0  /* between the finish message and SIGTERM */
#define MOST_TRIES 1000 /* messages of them, in one decision */

int program_fail(const struct easim_pass *pass, const char *format, ...) {
    struct text text = {0};
    const struct program_params *p = pass->params;
    va_list arguments;
    text_printf(&text, "program \"%s\" ", p->command[0] ? p->command : p->socket);
    va_start(arguments, format);
    text_vprintf(&text, format, arguments);
    va_end(arguments);
    pass->host->fail(pass->plan, text.failed ? "out of memory" : text.at);
    free(text.at);
    ((struct program *)pass->state)->failed = true;
    return -1;
}

/* --- the answer --- */

/* A line as one JSON object; NULL after program_fail. */
static cJSON *parse(const struct easim_pass *pass, const char *line) {
    const char *end = NULL;
    cJSON *object = cJSON_ParseWithOpts(line, &end, false);
    if (object)
        end += strspn(end, " \t\r");
    const char *name = object ? answer_repeated_name(object) : NULL;
    if (object && cJSON_IsObject(object) && *end == '\0' && !name)
        return object;
    if (name)
        program_fail(pass, "sent \"%.40s\" twice in one object", name);
    else if (object && *end != '\0')
        program_fail(pass, "sent text behind the JSON value: \"%.60s\"", end);
    else
        program_fail(pass, "sent a line that is not a JSON object: \"%.60s\"", line);
    cJSON_Delete(object);
    return NULL;
}

/* Whether a line repeats the number of the message that it answers: an answer too many would be
   taken for that to the next message. False after program_fail. */
static bool answers_message(const struct easim_pass *pass, const cJSON *line) {
    const cJSON *number = cJSON_GetObjectItemCaseSensitive(line, "message");
    uint32_t asked = ((const struct program *)pass->state)->message;
    if (cJSON_IsNumber(number) && number->valuedouble == asked)
        return true;
    if (cJSON_IsNumber(number))
        program_fail(pass, "answered message %.15g instead of %u", number->valuedouble, asked);
    else
        program_fail(pass, "sent %s: expected %u, the number of the message that is answered",
                     number ? "a \"message\" that is no number" : "a line without \"message\"",
                     asked);
    return false;
}

/* The member that a line must have beside the number of the message, of this name or the other one
   (NULL: none); the program may say "fail" instead of it. NULL after program_fail. */
static const cJSON *only_member(const struct easim_pass *pass, const cJSON *line, const char *name,
                                const char *or_name) {
    const char *other = NULL;
    const cJSON *sorry = cJSON_GetObjectItemCaseSensitive(line, "fail");
    const cJSON *member = cJSON_GetObjectItemCaseSensitive(line, name);
    const char *more = or_name && !member ? or_name : NULL, *quote = or_name ? "\" or \"" : "";
    if (more)
        member = cJSON_GetObjectItemCaseSensitive(line, more);
    if (cJSON_IsString(sorry))
        program_fail(pass, "gives up: %s", sorry->valuestring);
    else if (!answer_has_only(line, member && more ? more : name, "message", &other))
        program_fail(pass, "sent an unknown member \"%.40s\", expected \"%s%s%s\"", other, name,
                     quote, or_name ? or_name : "");
    else if (!member)
        program_fail(pass, "sent a line without \"%s%s%s\"", name, quote, or_name ? or_name : "");
    else
        return member;
    return NULL;
}

/* --- the policy --- */

/* Sends s->text and parses the answer; NULL after program_fail. Release with cJSON_Delete. */
static cJSON *ask(const struct easim_pass *pass, double timeout_s) {
    struct program *s = pass->state;
    if (s->text.failed || s->answers.failed) {
        program_fail(pass, "cannot be asked: out of memory");
        return NULL;
    }
    char *line = process_exchange(&s->process, s->text.at, s->text.length, timeout_s);
    if (line)
        return parse(pass, line);
    program_fail(pass, "%s", s->process.problem);
    return NULL;
}

/* Sends the decide message and, as long as the program only tries, what came of that. The line with
   its actions, which release with cJSON_Delete; NULL after program_fail. */
static cJSON *ask_for_actions(const struct easim_pass *pass) {
    struct program *s = pass->state;
    double timeout_s = ((const struct program_params *)pass->params)->timeout;
    program_tell(pass);
    for (int tries = 0;; tries++) {
        cJSON *line = ask(pass, timeout_s);
        const cJSON *member =
            line ? only_member(pass, line, "actions", s->protocol >= 3 ? "try" : NULL) : NULL;
        bool is_answer = member && answers_message(pass, line);
        if (is_answer && strcmp(member->string, "actions") == 0)
            return line;
        int r = !is_answer ? -1
                : tries == MOST_TRIES
                    ? program_fail(pass, "sent try more than %d times in one decision", MOST_TRIES)
                    : program_try(pass, member);
        cJSON_Delete(line);
        if (r < 0)
            return NULL;
    }
}

static int decide(const struct easim_pass *pass) {
    struct program *s = pass->state;
    if (s->steps.frame)
        return steps_decide(&s->steps, pass, &s->process,
                            ((const struct program_params *)pass->params)->timeout) < 0
                   ? program_fail(pass, "%s", s->process.problem)
                   : 0;
    cJSON *line = ask_for_actions(pass);
    const cJSON *actions = line ? cJSON_GetObjectItemCaseSensitive(line, "actions") : NULL;
    int r = actions ? 0 : -1, number = 0;
    s->answers.length = 0;
    s->acted_count = 0;
    if (r == 0 && !cJSON_IsArray(actions))
        r = program_fail(pass, "sent actions: expected a list");
    for (const cJSON *action = r == 0 ? actions->child : NULL; action && r == 0;
         action = action->next)
        r = program_act(pass, action, number++);
    cJSON_Delete(line);
    return r;
}

/* --- hello --- */

/* What may be in a list of hello's answer, which the scenario must grant by a parameter of this
   name; NULL: it is for everybody. */
struct wish {
    const char *list, *name;
    uint32_t bit;
    const char *param;
    size_t offset;
};

static const struct wish wishes[] = {
    {"capabilities", "power_cap", EXEC_ASKS_POWER_CAP, "power_cap",
     offsetof(struct program_params, power_cap)},
    {"capabilities", "fractional_gpu", EXEC_ASKS_FRACTIONAL_GPU, "fractional_gpu",
     offsetof(struct program_params, fractional_gpu)},
    {"capabilities", "power_limits", EXEC_ASKS_POWER_LIMITS, "power_limits",
     offsetof(struct program_params, power_limits)},
    {"capabilities", "uniform", EXEC_ASKS_UNIFORM, NULL, 0},
    {"extensions", "services/1", EXEC_ASKS_SERVICES, "services",
     offsetof(struct program_params, services)},
    {"extensions", "forecast/1", EXEC_ASKS_FORECAST, NULL, 0},
    {"extensions", "power/1", EXEC_ASKS_POWER, NULL, 0},
};

#define WISH_COUNT (sizeof wishes / sizeof *wishes)

/* "power_cap, uniform": the names of a list. */
static void name_wishes(struct text *text, const char *list) {
    const char *comma = "";
    for (size_t i = 0; i < WISH_COUNT; i++) {
        if (strcmp(wishes[i].list, list) != 0)
            continue;
        text_printf(text, "%s%s", comma, wishes[i].name);
        comma = ", ";
    }
}

static int read_wish(const struct easim_pass *pass, const char *list, const cJSON *name,
                     int number) {
    struct program *s = pass->state;
    struct text names = {0};
    size_t i = 0;
    while (i < WISH_COUNT && (strcmp(wishes[i].list, list) != 0 || !cJSON_IsString(name) ||
                              strcmp(wishes[i].name, name->valuestring) != 0))
        i++;
    if (i < WISH_COUNT && (s->asked & wishes[i].bit))
        return program_fail(pass, "sent %s[%d]: %s is there already", list, number, wishes[i].name);
    if (i < WISH_COUNT) {
        s->asked |= wishes[i].bit;
        return 0;
    }
    name_wishes(&names, list);
    program_fail(pass, "sent %s[%d]: expected one of %s, got %s%.40s%s", list, number,
                 names.failed ? "its names" : names.at, cJSON_IsString(name) ? "\"" : "",
                 cJSON_IsString(name) ? name->valuestring : "no text",
                 cJSON_IsString(name) ? "\"" : "");
    free(names.at);
    return -1;
}

/* A list of names, which may be left out. */
static int read_wishes(const struct easim_pass *pass, const char *list, const cJSON *names) {
    int number = 0, r = 0;
    if (names && ((const struct program *)pass->state)->protocol < 3)
        return program_fail(pass, "sent %s, which needs \"ready\": 3", list);
    if (names && !cJSON_IsArray(names))
        return program_fail(pass, "sent %s: expected a list of names", list);
    for (const cJSON *name = names ? names->child : NULL; name && r == 0; name = name->next)
        r = read_wish(pass, list, name, number++);
    return r;
}

/* The scenario's parameters say what a program may do, because results depend on it; the program
   says what it is made for. */
static int check_wishes(const struct easim_pass *pass) {
    const struct program *s = pass->state;
    for (size_t i = 0; i < WISH_COUNT && s->protocol >= 3; i++) {
        const struct wish *wish = &wishes[i];
        bool granted = wish->param && *(const bool *)((const char *)pass->params + wish->offset);
        bool asked = s->asked & wish->bit;
        if (wish->param && asked && !granted)
            return program_fail(pass, "asks for %s: set policy.params.%s: true", wish->name,
                                wish->param);
        if (granted && !asked)
            return program_fail(pass, "does not ask for %s, but policy.params.%s is true",
                                wish->name, wish->param);
    }
    if ((s->asked & EXEC_ASKS_POWER) && !(s->asked & EXEC_ASKS_POWER_LIMITS))
        return program_fail(pass, "asks for power/1, which needs power_limits, too");
    return s->steps.frame && (s->asked & EXEC_ASKS_UNIFORM)
               ? program_fail(pass, "asks for uniform, which frames do not have")
               : 0;
}

static int read_ready(const struct easim_pass *pass, const cJSON *ready) {
    struct program *s = pass->state;
    if (!cJSON_IsNumber(ready) ||
        (ready->valuedouble != EXEC_PROTOCOL && ready->valuedouble != EXEC_NEWEST_PROTOCOL))
        return program_fail(pass, "sent ready: expected %d or %d, the number of the protocol",
                            EXEC_PROTOCOL, EXEC_NEWEST_PROTOCOL);
    s->protocol = (uint32_t)ready->valuedouble;
    return 0;
}

static int read_steps(const struct easim_pass *pass, const cJSON *steps) {
    struct program *s = pass->state;
    s->steps.adds_wakes = s->protocol < 3;
    return steps && steps_begin(&s->steps, steps, pass) < 0
               ? program_fail(pass, "%s", s->steps.problem)
               : 0;
}

static int say_hello(const struct easim_pass *pass) {
    static const char *const optional[] = {"steps", "capabilities", "extensions"};
    struct program *s = pass->state;
    cJSON *more[3] = {NULL};
    message_hello(&s->text, pass);
    services_hello(&s->text, pass);
    text_add(&s->text, "}\n");
    cJSON *line = ask(pass, ((const struct program_params *)pass->params)->startup_timeout);
    for (int i = 0; i < 3 && line; i++)
        more[i] = cJSON_DetachItemFromObjectCaseSensitive(line, optional[i]);
    const cJSON *ready = line ? only_member(pass, line, "ready", NULL) : NULL;
    int r = ready && read_ready(pass, ready) == 0 && answers_message(pass, line) &&
                    read_steps(pass, more[0]) == 0 &&
                    read_wishes(pass, optional[1], more[1]) == 0 &&
                    read_wishes(pass, optional[2], more[2]) == 0
                ? check_wishes(pass)
                : -1;
    cJSON_Delete(line);
    for (int i = 0; i < 3; i++)
        cJSON_Delete(more[i]);
    return r;
}

static int init(const struct easim_pass *pass) {
    struct program *s = pass->state;
    const struct easim_view *view = pass->view;
    const struct program_params *p = pass->params;
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
        return program_fail(pass, "cannot be started: out of memory");
    if ((starts ? process_start(&s->process, p->command)
                : process_connect(&s->process, p->socket)) < 0)
        return program_fail(pass, "%s", s->process.problem);
    return say_hello(pass);
}

static void finish(const struct easim_pass *pass) {
    struct program *s = pass->state;
    s->text.length = 0;
    message_finish(&s->text, s->message + 1, pass->view);
    if (s->steps.frame)
        steps_end(&s->steps, pass);
    const char *last = s->steps.frame ? (const char *)s->steps.frame : s->text.at;
    size_t length = s->steps.frame ? s->steps.bytes : s->text.length;
    s->failed = s->failed || s->text.failed;
    process_stop(&s->process, last, s->failed ? 0 : length, s->failed ? 0 : GRACE_S);
    steps_finish(&s->steps);
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
     offsetof(struct program_params, command), 0, EASIM_TEXT_PROGRAM, 0, false, NULL,
     EASIM_ROLE_NONE},
    {"timeout", "s", "wall-clock time for each answer", EASIM_PARAM_DURATION,
     offsetof(struct program_params, timeout), 1, 1e6, 10, false, NULL, EASIM_ROLE_NONE},
    {"startup_timeout", "s", "wall-clock time until it is ready", EASIM_PARAM_DURATION,
     offsetof(struct program_params, startup_timeout), 1, 1e6, 60, false, NULL, EASIM_ROLE_NONE},
    {"progress", "", "tell the work left of each running job at every decision", EASIM_PARAM_BOOL,
     offsetof(struct program_params, progress), 0, 1, 0, false, NULL, EASIM_ROLE_NONE},
    {"socket", "", "path of a Unix socket on which a program listens already", EASIM_PARAM_TEXT,
     offsetof(struct program_params, socket), 0, EASIM_TEXT_SOCKET, 0, false, NULL,
     EASIM_ROLE_NONE},
    {"services", "", "it scales services itself, in place of the host", EASIM_PARAM_BOOL,
     offsetof(struct program_params, services), 0, 1, 0, false, NULL, EASIM_ROLE_SERVICES},
    {"power_cap", "", "starts over the power cap are refused", EASIM_PARAM_BOOL,
     offsetof(struct program_params, power_cap), 0, 1, 0, false, NULL, EASIM_ROLE_CAP},
    {"fractional_gpu", "", "jobs that ask for a part of a GPU may share it", EASIM_PARAM_BOOL,
     offsetof(struct program_params, fractional_gpu), 0, 1, 0, false, NULL, EASIM_ROLE_SHARES},
    {"power_limits", "",
     "configurations may have power limits: measured ones, else by limit_law of the GPU type",
     EASIM_PARAM_BOOL, offsetof(struct program_params, power_limits), 0, 1, 0, false, NULL,
     EASIM_ROLE_LIMITS},
};

static const struct easim_extension extensions[] = {[EXEC_FORECAST] = EASIM_FORECAST(false),
                                                    [EXEC_SERVICES] = EASIM_SERVICES(false),
                                                    [EXEC_POWER] = EASIM_POWER(false)};

EASIM_EXPORT const struct easim_policy easim_policy = {
    EASIM_POLICY_ABI,
    .name = "exec",
    .version = "2.2",
    .summary = "a program of yours decides, over lines of JSON",
    .help =
        "Runs `exec COMMAND` in /bin/sh and sends it a line of JSON for each decision, with what has changed\n"
        "since the last; it answers with a line of actions. docs/reference/program-policy.md is the protocol,\n"
        "policies/exec/fcfs.py an example. A program that ends, stays silent or answers anything else ends the\n"
        "run as failed. Starts over a power cap are refused with power_cap: true alone.",
    .capabilities = EASIM_CAPABILITY_PREEMPT | EASIM_CAPABILITY_RESIZE | EASIM_CAPABILITY_TICK |
                    EASIM_CAPABILITY_FREQUENCY | EASIM_CAPABILITY_REJECT |
                    EASIM_CAPABILITY_POWER_CAP | EASIM_CAPABILITY_FRACTIONAL_GPU,
    .state_size = sizeof(struct program),
    .params_size = sizeof(struct program_params),
    .params = params,
    .param_count = sizeof params / sizeof *params,
    .decide = decide,
    .init = init,
    .finish = finish,
    .extensions = extensions,
    .extension_count = sizeof extensions / sizeof *extensions,
    .extension_bytes = sizeof *extensions,
    .reads = EASIM_READS_CARBON | EASIM_READS_PRICE | EASIM_READS_DEADLINES | EASIM_READS_USERS |
             EASIM_READS_FORECASTS | EASIM_READS_RUN_TIMES,
};
