/* Resizing of running jobs: see resize.h. */
#include "policy/resize.h"

/* Whether job may be resized at all now. */
static bool may_resize(const struct list *l, const struct easim_view *view, const struct easim_job *job) {
    return job->state == EASIM_JOB_RUNNING && job->config_count > 1 &&
           view->now_s >= job->resized_s + l->options->resize_interval_s;
}

/* Moves job to the best configuration that fits, if that saves enough. 0, or negative: failed. */
static int grow(struct list *l, const struct easim_pass *pass, const struct easim_job *job) {
    struct easim_choice now = easim_predict_running(pass->view, job), best = {.config = EASIM_NONE};
    double now_objective = list_objective(l, pass, job, &now, false), best_objective = INFINITY;
    for (uint32_t c = job->first_config; c < job->first_config + job->config_count; c++) {
        int span = c == job->config ? EASIM_NOFIT : pass->host->try_config(pass->plan, job->index, c, NULL);
        if (span < 0 || (l->ops->allow && !l->ops->allow(pass, job, c)))
            continue;
        struct easim_choice choice = easim_predict_resized(pass->view, job, c, (uint32_t)span);
        double objective = list_objective(l, pass, job, &choice, false);
        if (isnan(objective) || isnan(now_objective))
            return list_fail(pass, "objective", job);
        if (objective < best_objective ||
            (objective == best_objective && best.config != EASIM_NONE && list_choice_before(&choice, &best))) {
            best = choice;
            best_objective = objective;
        }
    }
    double least = l->ops->resize_least ? l->ops->resize_least(pass, job) : l->ops->objective ? 0 : job->restart_s;
    if (best.config != EASIM_NONE &&
        now_objective - best_objective > fmax(least, l->options->resize_gain * now_objective))
        pass->host->plan_resize(pass->plan, job->index, best.config);
    return 0;
}

int resize_decide(struct list *l, const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    if (view->waiting_count > 0 || view->free_gpus == 0)
        return 0;
    for (uint32_t i = 0; i < view->running_count; i++) {
        const struct easim_job *job = easim_view_job(view, easim_view_running(view, i)->job);
        if (may_resize(l, view, job) && grow(l, pass, job) < 0)
            return -1;
    }
    return 0;
}
