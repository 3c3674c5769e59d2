/* exchanges: at 5 s tries one exchange that must be refused, and fails the run unless it is, for
   the reason and the part that it should, and leaves the view as it was. "swap" and "cycle" are in
   order. Jobs 0 and 1 start when they come, each in its first configuration; others when told. */
#include <easim/policy.h>
#include <stdio.h>
#include <string.h>

#ifndef CAPABILITIES
#define CAPABILITIES EASIM_CAPABILITY_PREEMPT | EASIM_CAPABILITY_RESIZE | EASIM_CAPABILITY_TICK
#define NAME         "exchanges"
#endif

struct params {
    const char *parts;
    int64_t answer, part, bytes, count;
};

struct state {
    bool done, asked;
};

#define MOST 8

/* "s2.1 p0 k1 r1.0": start job 2 in its configuration 1, preempt job 0, kill 1, resize 1. */
static uint32_t read_parts(const struct easim_pass *pass, const char *at,
                           struct easim_part parts[MOST]) {
    uint32_t count = 0;
    for (char what; count < MOST && sscanf(at, " %c", &what) == 1; count++) {
        unsigned job = 0, config = 0;
        sscanf(at, " %*c%u.%u", &job, &config);
        const struct easim_job *j = easim_view_job(pass->view, job);
        parts[count] = (struct easim_part){.action = what == 's'   ? EASIM_PART_START
                                                     : what == 'r' ? EASIM_PART_RESIZE
                                                     : what == '?' ? 17
                                                                   : EASIM_PART_PREEMPT,
                                           .job = job,
                                           .config = (j ? j->first_config : 0) + config,
                                           .at_once = what == 'k'};
        at += strspn(at, " ");
        at += strcspn(at, " ");
    }
    return count;
}

static int fail(const struct easim_pass *pass, const char *what, int answer, uint32_t part) {
    char text[160];
    snprintf(text, sizeof text, "%s: answer %d, part %d, power %.17g", what, answer, (int)part,
             pass->view->power_w);
    pass->host->fail(pass->plan, text);
    return -1;
}

static int exchange(const struct easim_pass *pass) {
    const struct params *p = pass->params;
    struct easim_part parts[MOST];
    uint32_t part = 77, count = read_parts(pass, p->parts, parts);
    struct easim_view before = *pass->view;
    double power_w = -1;
    const struct easim_part *passed = p->count == -1 ? NULL : parts;
    count = p->count > 0 ? (uint32_t)p->count : count;
    size_t bytes = p->bytes > 0 ? (size_t)p->bytes : sizeof *parts;
    uint32_t tried_part = 78;
    int tried = pass->host->try_exchange(pass->plan, passed, count, bytes, &tried_part, &power_w);
    if (memcmp(&before, pass->view, sizeof before) != 0)
        return fail(pass, "the trial has changed the view", tried, 0);
    int answer = pass->host->plan_exchange(pass->plan, passed, count, bytes, &part);
    if (tried != answer || tried_part != part || answer != p->answer ||
        (int64_t)(int32_t)part != p->part)
        return fail(pass, tried == answer ? "answered otherwise" : "tried otherwise", answer, part);
    if (answer != EASIM_OK && memcmp(&before, pass->view, sizeof before) != 0)
        return fail(pass, "a refused exchange has changed the view", answer, part);
    if (answer == EASIM_OK && power_w != pass->view->power_w)
        return fail(pass, "another power than tried", answer, part);
    return 0;
}

static int decide(const struct easim_pass *pass) {
    struct state *s = pass->state;
    const struct easim_view *view = pass->view;
    for (uint32_t i = 0; i < 2; i++) {
        const struct easim_job *job = easim_view_job(view, i);
        if (job && job->state == EASIM_JOB_WAITING && !s->done)
            pass->host->plan_start(pass->plan, i, job->first_config);
    }
    if (!s->asked)
        pass->host->plan_wake_at(pass->plan, 5);
    s->asked = true;
    if (view->now_s >= 5 && !s->done) {
        s->done = true;
        return exchange(pass);
    }
    for (uint32_t i = view->first_waiting; i != EASIM_NONE && view->now_s >= 20;) {
        const struct easim_job *job = easim_view_job(view, i);
        i = job->next_waiting;
        if (easim_fit(view, easim_view_config(view, job->first_config)) >= 0)
            pass->host->plan_start(pass->plan, job->index, job->first_config);
    }
    return 0;
}

static const struct easim_param params[] = {
    {"parts", "", "what is exchanged", EASIM_PARAM_TEXT, offsetof(struct params, parts), 0, 0, 0,
     false, NULL, EASIM_ROLE_NONE},
    {"answer", "", "expected", EASIM_PARAM_INT, offsetof(struct params, answer), -9, 0, 0, false,
     NULL, EASIM_ROLE_NONE},
    {"part", "", "expected to blame", EASIM_PARAM_INT, offsetof(struct params, part), -1, 99, -1,
     false, NULL, EASIM_ROLE_NONE},
    {"bytes", "", "of a part, 0: right", EASIM_PARAM_INT, offsetof(struct params, bytes), 0, 99, 0,
     false, NULL, EASIM_ROLE_NONE},
    {"count", "", "of parts, 0: right, -1: no array", EASIM_PARAM_INT,
     offsetof(struct params, count), -1, 1e9, 0, false, NULL, EASIM_ROLE_NONE},
};

EASIM_EXPORT const struct easim_policy easim_policy = {EASIM_POLICY_ABI,
                                                       .name = NAME,
                                                       .version = "1",
                                                       .summary = "one exchange at 5 s",
                                                       .capabilities = CAPABILITIES,
                                                       .state_size = sizeof(struct state),
                                                       .params_size = sizeof(struct params),
                                                       .params = params,
                                                       .param_count = 5,
                                                       .decide = decide};
