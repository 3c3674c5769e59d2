/* wakes: starts jobs in order and asks to be woken as `kind` says: for 5 twice, 7 and again 5; for
   5 and 6, of which 6 is taken back at 5 and 9 asked for; or every `step` seconds. Counts the
   timers by time. wakes_list is in rounds, the last job first, and takes its wake-ups back in each.
 */
#include <easim/policy.h>
#include <stdio.h>

enum kind { EQUAL, CLEAR, ENDLESS, KINDS };
static const char *const kinds[] = {"equal", "clear", "endless", NULL};

struct params {
    int32_t kind;
    double step;
};

static void ask(const struct easim_pass *pass) {
    static const double equal_s[] = {5, 5, 7, 5, 5 - 1e-10}, clear_s[] = {6, 5, 0, 0, 0};
    const struct params *p = pass->params;
    double now_s = pass->view->now_s;
    for (int i = 0; i < 5 && now_s == 0 && p->kind != ENDLESS; i++) {
        double at_s = p->kind == EQUAL ? equal_s[i] : clear_s[i];
        if (at_s > 0)
            pass->host->plan_wake_at(pass->plan, at_s);
    }
    if (p->kind == CLEAR && now_s == 5) {
        pass->host->plan_wake_clear(pass->plan);
        pass->host->plan_wake_at(pass->plan, 9);
        pass->host->plan_wake_at(pass->plan, 6); /* it is no more there: a new one */
        pass->host->plan_wake_clear(pass->plan);
        pass->host->plan_wake_at(pass->plan, 9);
    }
    if (p->kind == ENDLESS)
        pass->host->plan_wake_at(pass->plan, now_s + p->step);
}

__attribute__((unused)) static int decide(const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    const struct params *p = pass->params;
    for (uint32_t i = 0; i < view->event_count && p->kind != ENDLESS; i++)
        if (easim_view_event(view, i)->kind == EASIM_EVENT_TIMER) {
            char name[30];
            snprintf(name, sizeof name, "%.9g", view->now_s);
            pass->host->count(pass->plan, "timers", name);
        }
    for (uint32_t i = view->first_waiting; i != EASIM_NONE;) {
        const struct easim_job *job = easim_view_job(view, i);
        i = job->next_waiting;
        if (easim_fits(pass, job, job->first_config) >= 0)
            pass->host->plan_start(pass->plan, job->index, job->first_config);
    }
    ask(pass);
    return 0;
}

static const struct easim_param params[] = {
    {"kind", "", "what to ask for", EASIM_PARAM_CHOICE, offsetof(struct params, kind), 0, KINDS - 1,
     EQUAL, false, kinds, EASIM_ROLE_NONE},
    {"step", "s", "between wake-ups", EASIM_PARAM_REAL, offsetof(struct params, step), 0, 1e9, 1,
     false, NULL, EASIM_ROLE_NONE},
};

#ifdef AS_LIST
static void begin(const struct easim_pass *pass) {
    pass->host->plan_wake_at(pass->plan, pass->view->now_s + 7);
    pass->host->plan_wake_clear(pass->plan);
}
static double objective(const struct easim_pass *pass, const struct easim_job *job,
                        const struct easim_choice *choice) {
    (void)job;
    pass->host->plan_wake_clear(pass->plan); /* also between rounds */
    return choice->time_s;
}
static void minimise(const struct easim_pass *pass, struct easim_objective *ret) {
    (void)pass;
    *ret = (struct easim_objective){.kind = EASIM_MINIMISE_OWN, .objective = objective};
}
static void key(const struct easim_pass *pass, const struct easim_job *job, double best,
                struct easim_key *ret) {
    (void)pass, (void)best;
    ret->value = -(double)job->index;
}
static const struct easim_list list = {
    .struct_size = sizeof list, .key = key, .minimise = minimise, .begin = begin, .round_s = 60};
#define NAME "wakes_list"
#define HALF .list = &list
#else
#define NAME "wakes"
#define HALF .decide = decide
#endif

EASIM_EXPORT const struct easim_policy easim_policy = {EASIM_POLICY_ABI,
                                                       .name = NAME,
                                                       .version = "1",
                                                       .summary = "asks to be woken",
                                                       .capabilities = EASIM_CAPABILITY_TICK,
                                                       .params_size = sizeof(struct params),
                                                       .params = params,
                                                       .param_count = 2,
                                                       HALF};
