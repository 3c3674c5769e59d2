/* max_min: max-min fairness in rounds after Gavel (Narayanan et al., OSDI'20): each job has a share
   of time, such that the least is as large as it can be, and goes first the more it lacks of it. */
#include <easim/policy.h>

struct state {
    double level; /* GPUs that each job gets on average, at most; INFINITY: all that it wants */
};

/* GPUs that a job wants: those of its fastest configuration on the empty cluster. */
static double wanted(const struct easim_view *view, const struct easim_job *job) {
    return easim_config_gpus(easim_view_config(view, job->best_config));
}

/* GPUs that all waiting and running jobs get together at most `level` each; the number of those
   that want more. */
static double given_at(const struct easim_view *view, double level, uint32_t *ret_more) {
    double given = 0;
    *ret_more = 0;
    for (uint32_t i = view->first_waiting; i != EASIM_NONE;) {
        const struct easim_job *job = easim_view_job(view, i);
        given += fmin(wanted(view, job), level);
        *ret_more += wanted(view, job) > level;
        i = job->next_waiting;
    }
    for (uint32_t i = 0; i < view->running_count; i++) {
        const struct easim_job *job = easim_view_job(view, easim_view_running(view, i)->job);
        given += fmin(wanted(view, job), level);
        *ret_more += wanted(view, job) > level;
    }
    return given;
}

/* Water filling: the level rises until all GPUs are given. Every step either ends it or lets some
   job have all that it wants. */
static void begin(const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    struct state *s = pass->state;
    uint32_t more, before = 0;
    double given = 0;
    for (s->level = 0;; before = more) {
        given = given_at(view, s->level, &more);
        if (more == 0 || more == before || !(given < view->gpus))
            break;
        s->level += (view->gpus - given) / more;
    }
    if (more == 0)
        s->level = INFINITY;
}

static void key(const struct easim_pass *pass, const struct easim_job *job, double best,
                struct easim_key *ret) {
    const struct state *s = pass->state;
    double share = fmin(1, s->level / wanted(pass->view, job)),
           age_s = easim_job_age_s(pass->view, job);
    (void)best;
    ret->value = age_s > 0 ? job->kept_s / age_s / share : 0;
    ret->ask_again_s = 1e-9; /* always: it depends on the others */
}

static const struct easim_list list = {
    .struct_size = sizeof(struct easim_list),
    .key = key,
    .begin = begin,
    .round_s = 120,
};

EASIM_EXPORT const struct easim_policy easim_policy = {
    EASIM_POLICY_ABI,
    .name = "max_min",
    .version = "1.0",
    .summary = "max-min fair shares of time, in rounds",
    .help =
        "Each job has a share X = min(1, L / k) of the time, k the GPUs of its fastest configuration and L such that\n"
        "all shares together take all GPUs, sum of min(k, L) = GPUs, or 1 where they suffice. "
        "At every multiple of\n"
        "round_s jobs go by ascending f / X, f the part of its time since submission that a job has computed (work that a\n"
        "preemption would lose does not count): the priority X / f of the rounds of Gavel (Narayanan et al., OSDI 2020).\n"
        "GPU types count alike.",
    .capabilities = EASIM_CAPABILITY_FRACTIONAL_GPU,
    .state_size = sizeof(struct state),
    .list = &list,
};
