/* Shrinking of running jobs: see shrink.h. At most one job per pass gives GPUs back. */
#include "policy/list/shrink.h"

/* A running job in a smaller configuration. */
struct offer {
    uint32_t job, config;
    double loss_s; /* by how much it would end later */
};

/* Whether the first waiting job could start in config once `freed` more GPUs of its type are free,
   at a committed power of power_w. One node only if that is certain. -1: its objective is NaN. */
static int could_start(const struct list *l, const struct easim_pass *pass, uint32_t config,
                       uint32_t freed, double power_w) {
    const struct easim_view *view = pass->view;
    const struct easim_job *job = easim_view_job(view, l->first_left.job);
    const struct easim_config *c = easim_view_config(view, config);
    const struct easim_gpu_type *type = easim_view_gpu_type(view, c->gpu_type);
    if (c->k > type->free + freed)
        return 0;
    bool one_node = c->k <= type->node_free_max || type->node_gpus_max == type->gpus;
    uint32_t span = one_node ? EASIM_ONE_NODE : EASIM_ACROSS_NODES;
    if (!(c->goodput[span] > 0) ||
        (!(c->goodput[EASIM_ONE_NODE] > 0) && c->k <= type->node_gpus_max))
        return 0; /* not known there, or not once a node happens to have room */
    struct easim_choice choice = easim_predict(view, job, config, span);
    double objective = list_objective(l, pass, job, &choice, list_is_urgent(&l->first_left.key));
    if (isnan(objective))
        return list_fail_objective(l, pass, job, list_is_urgent(&l->first_left.key));
    double added_w = easim_config_gpus(c) * (fmax(choice.power_w, choice.ctx_w) - choice.idle_w);
    return list_admits(pass, &l->first_left.key, &choice, objective) &&
           (!l->keeps_cap || power_w + added_w <= view->power_cap_w);
}

/* Whether the first waiting job could start if job moved to config. */
static int lets_start(const struct list *l, const struct easim_pass *pass,
                      const struct easim_job *job, uint32_t config) {
    const struct easim_job *first = easim_view_job(pass->view, l->first_left.job);
    const struct easim_config *c = easim_view_config(pass->view, config);
    uint32_t freed = easim_view_config(pass->view, job->config)->k - c->k;
    double power_w;
    int can = 0;
    if (pass->host->try_config(pass->plan, job->index, config, &power_w) < 0 ||
        (l->ops->allow && !l->ops->allow(pass, job, config)))
        return 0;
    for (uint32_t i = first->first_config;
         i < first->first_config + first->config_count && can == 0; i++)
        if (easim_view_config(pass->view, i)->gpu_type == c->gpu_type)
            can = could_start(l, pass, i, freed, power_w);
    return can;
}

/* The best configuration of job, by its objective, with fewer GPUs of the same type that lets the
   first waiting job start; config EASIM_NONE if there is none. */
static int best_offer(const struct list *l, const struct easim_pass *pass,
                      const struct easim_job *job, struct offer *offer) {
    const struct easim_view *view = pass->view;
    const struct easim_config *now = easim_view_config(view, job->config);
    struct list_best best = LIST_BEST_NONE;
    for (uint32_t i = job->first_config; i < job->first_config + job->config_count; i++) {
        const struct easim_config *c = easim_view_config(view, i);
        int can = c->gpu_type == now->gpu_type && c->k < now->k ? lets_start(l, pass, job, i) : 0;
        if (can < 0)
            return -1;
        if (can == 0)
            continue;
        int span = pass->host->try_config(pass->plan, job->index, i, NULL);
        struct easim_choice choice = easim_predict_resized(view, job, i, (uint32_t)span);
        double objective = list_objective(l, pass, job, &choice, false);
        if (isnan(objective))
            return list_fail(pass, "objective", job);
        list_keep_better(&best, &choice, objective);
    }
    *offer = (struct offer){job->index, best.choice.config,
                            best.choice.time_s - easim_predict_running(view, job).time_s};
    return 0;
}

/* What the first waiting job gains: else it could start when the next running job ends, at the
 * earliest. */
static double gain_s(const struct easim_view *view) {
    int64_t first_ns = INT64_MAX;
    for (uint32_t i = 0; i < view->running_count; i++) {
        int64_t end_ns =
            easim_predicted_end_ns(view, easim_view_running(view, i)->predicted_end_ns);
        first_ns = end_ns < first_ns ? end_ns : first_ns;
    }
    return (double)(first_ns - view->now_ns) / 1e9;
}

/* Jobs that got GPUs at this very instant, perhaps by this very plan, keep them. */
static bool may_shrink(const struct list *l, const struct easim_view *view,
                       const struct easim_job *job) {
    return resize_may(l, view, job) && job->preemptible && job->start_s < view->now_s;
}

int shrink_decide(struct list *l, const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    struct offer best = {.config = EASIM_NONE};
    double gain = gain_s(view);
    for (uint32_t i = 0; i < view->running_count; i++) {
        const struct easim_job *job = easim_view_job(view, easim_view_running(view, i)->job);
        struct offer offer = {.config = EASIM_NONE};
        if (may_shrink(l, view, job) && best_offer(l, pass, job, &offer) < 0)
            return -1;
        if (offer.config == EASIM_NONE)
            continue;
        double time_s = easim_predict_running(view, job).time_s;
        double least_s = fmax(job->restart_s, l->options->resize_gain * time_s);
        if (offer.loss_s + least_s < gain &&
            (best.config == EASIM_NONE || offer.loss_s < best.loss_s ||
             (offer.loss_s == best.loss_s && offer.job < best.job)))
            best = offer;
    }
    if (best.config == EASIM_NONE ||
        pass->host->plan_resize(pass->plan, best.job, best.config) != EASIM_OK)
        return 0;
    grow_note_start(l, best.job);
    return list_try_start(l, pass, easim_view_job(view, l->first_left.job), &l->first_left.key) < 0
               ? -1
               : 0;
}
