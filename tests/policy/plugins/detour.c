/* detour: starts waiting jobs in order, each in the configuration that fits now and takes longest
   (worst) or shortest; but the start of number `at`, counted over all that are accepted, as
   `place` says: the configuration of that place among those of the job, or -1: not in this
   decision. With fails, it gives up where it is refused what fits. */
#include <easim/policy.h>

struct params {
    bool worst, fails;
    int64_t at, place;
};

struct state {
    int64_t starts; /* so far, with the one that was left out */
};

static uint32_t choose(const struct easim_pass *pass, const struct easim_job *job) {
    const struct params *p = pass->params;
    uint32_t best = EASIM_NONE;
    double best_s = 0;
    for (uint32_t c = job->first_config; c < job->first_config + job->config_count; c++) {
        int span = easim_fit(pass->view, easim_view_config(pass->view, c));
        if (span < 0)
            continue;
        double time_s = easim_predict(pass->view, job, c, (uint32_t)span).time_s;
        if (best == EASIM_NONE || (p->worst ? time_s > best_s : time_s < best_s)) {
            best = c;
            best_s = time_s;
        }
    }
    return best;
}

static int decide(const struct easim_pass *pass) {
    const struct params *p = pass->params;
    struct state *s = pass->state;
    for (uint32_t i = pass->view->first_waiting; i != EASIM_NONE;) {
        const struct easim_job *job = easim_view_job(pass->view, i);
        uint32_t config = choose(pass, job);
        i = job->next_waiting;
        if (config == EASIM_NONE)
            continue;
        if (++s->starts == p->at && p->place < 0)
            continue;
        if (s->starts == p->at)
            config = job->first_config + (uint32_t)p->place;
        if (pass->host->plan_start(pass->plan, job->index, config) != EASIM_OK && p->fails)
            return -1;
    }
    return 0;
}

static const struct easim_param params[] = {
    {"worst", "", "the longest", EASIM_PARAM_BOOL, offsetof(struct params, worst), 0, 1, 0, false,
     NULL},
    {"fails", "", "gives up", EASIM_PARAM_BOOL, offsetof(struct params, fails), 0, 1, 0, false,
     NULL},
    {"at", "", "which start, 0: none", EASIM_PARAM_INT, offsetof(struct params, at), 0, 1e9, 0,
     false, NULL},
    {"place", "", "of a configuration", EASIM_PARAM_INT, offsetof(struct params, place), -1, 1e9, 0,
     false, NULL},
};

EASIM_EXPORT const struct easim_policy easim_policy = {EASIM_POLICY_ABI,
                                                       .name = "detour",
                                                       .version = "1",
                                                       .summary = "one start another way",
                                                       .state_size = sizeof(struct state),
                                                       .params_size = sizeof(struct params),
                                                       .params = params,
                                                       .param_count = 4,
                                                       .decide = decide};
