/* refuses: a list policy that refuses jobs for good whose deadline cannot be met any more behind
   the running ones, in begin or where it is asked for their key. */
#include <easim/policy.h>

static const char *const places[] = {"begin", "key", NULL};

struct params {
    int32_t where;
};

static bool is_late(const struct easim_view *view, const struct easim_job *job) {
    int64_t free_ns = view->now_ns;
    for (uint32_t i = 0; i < view->running_count; i++) {
        int64_t end_ns = easim_view_running(view, i)->predicted_end_ns;
        free_ns = end_ns > free_ns ? end_ns : free_ns;
    }
    return (double)free_ns * 1e-9 + job->time_best_s > job->deadline_s;
}

static void refuse(const struct easim_pass *pass, uint32_t job) {
    pass->host->plan_reject(pass->plan, job, "its deadline is too close");
}

static void begin(const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    for (uint32_t i = view->first_waiting; i != EASIM_NONE;) {
        const struct easim_job *job = easim_view_job(view, i);
        i = job->next_waiting;
        if (((const struct params *)pass->params)->where == 0 && is_late(view, job))
            refuse(pass, job->index);
    }
}

static void key(const struct easim_pass *pass, const struct easim_job *job, double best,
                struct easim_key *ret) {
    if (((const struct params *)pass->params)->where == 1 && is_late(pass->view, job) &&
        job->state == EASIM_JOB_WAITING)
        refuse(pass, job->index);
    ret->value = best;
}

static const struct easim_param params[] = {{"where", "", "where it refuses", EASIM_PARAM_CHOICE,
                                             offsetof(struct params, where), 0, 1, 0, false, places,
                                             EASIM_ROLE_NONE}};
static const struct easim_list list = {.struct_size = sizeof list, .key = key, .begin = begin};

EASIM_EXPORT const struct easim_policy easim_policy = {EASIM_POLICY_ABI,
                                                       .name = "refuses",
                                                       .version = "1",
                                                       .summary = "refuses what comes too late",
                                                       .capabilities = EASIM_CAPABILITY_REJECT,
                                                       .params_size = sizeof(struct params),
                                                       .params = params,
                                                       .param_count = 1,
                                                       .list = &list};
