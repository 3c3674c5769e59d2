/* A policy that does what its parameter says, when it says so, and nothing else: "0 start 0 1, 20
   resize 0 2, 25 stop 0" starts job 0 in its configuration 1 (counted from its first) at 0, and so
   on. Actions of one time are one decision. Who includes it says what actions there are. */
#include <easim/policy.h>
#include <stdio.h>
#include <string.h>

struct params {
    const char *actions;
};

struct state {
    size_t at; /* of the next action */
    double asked_s;
};

/* Does one action, with the number behind the job, or 0. Negative: the run fails. */
static int act(const struct easim_pass *pass, const char *what, uint32_t index, double number);

static int decide(const struct easim_pass *pass) {
    const struct params *p = pass->params;
    struct state *s = pass->state;
    double time_s, number = 0, now_s = pass->view->now_s;
    char what[16];
    unsigned job;
    while (sscanf(p->actions + s->at, " %lf %15s %u %lf", &time_s, what, &job, &number) >= 3 &&
           time_s <= now_s + 0.5e-9) {
        if (act(pass, what, job, number) < 0)
            return -1;
        s->at += strcspn(p->actions + s->at, ",");
        s->at += p->actions[s->at] == ',';
        number = 0;
    }
    if (p->actions[s->at] && s->asked_s != time_s &&
        pass->host->plan_wake_at(pass->plan, time_s) != EASIM_OK)
        return -1;
    s->asked_s = time_s;
    return 0;
}

static const struct easim_param params[] = {
    {"actions", "", "times, actions, jobs and numbers", EASIM_PARAM_TEXT,
     offsetof(struct params, actions), 0, 0, 0, false, NULL, EASIM_ROLE_NONE},
};

#define SCRIPTED_CAPABILITIES \
    (EASIM_CAPABILITY_PREEMPT | EASIM_CAPABILITY_RESIZE | EASIM_CAPABILITY_TICK | \
     EASIM_CAPABILITY_FRACTIONAL_GPU)
/* Members of the policy; of one that does more in a decision, all but that. */
#define SCRIPTED_BUT_DECIDE \
    .version = "1", .state_size = sizeof(struct state), .params_size = sizeof(struct params), \
    .params = params, .param_count = sizeof params / sizeof *params
#define SCRIPTED SCRIPTED_BUT_DECIDE, .decide = decide
