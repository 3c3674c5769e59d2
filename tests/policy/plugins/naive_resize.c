/* naive_resize: pollux or zeus with resizing as semantics 7 words it and nothing done to be fast:
   every pass sorts all waiting jobs, and when nobody waits tries every configuration of every
   running job, in the order of submission.
 */
#include <easim/policy.h>
#include <stdlib.h>

struct params {
    double tau, resize_gain, resize_interval_s;
    bool by_edp;
};

struct rank {
    double key;
    uint32_t job;
};

static double objective_of(const struct easim_pass *pass, const struct easim_choice *choice) {
    return ((const struct params *)pass->params)->by_edp ? choice->edp_js : choice->time_s;
}

/* fewer GPUs, lower k * P, earlier GPU type, smaller batch */
static bool wins_tie(const struct easim_choice *a, const struct easim_choice *b) {
    if (a->k != b->k)
        return a->k < b->k;
    if (a->k * a->power_w != b->k * b->power_w)
        return a->k * a->power_w < b->k * b->power_w;
    if (a->gpu_type != b->gpu_type)
        return a->gpu_type < b->gpu_type;
    return a->batch < b->batch;
}

/* The best configuration that try_config can place now, without the present one; config EASIM_NONE:
 * none. */
static struct easim_choice best_now(const struct easim_pass *pass, const struct easim_job *job) {
    struct easim_choice best = {.config = EASIM_NONE};
    for (uint32_t c = job->first_config; c < job->first_config + job->config_count; c++) {
        int span = c == job->config ? EASIM_NOFIT
                                    : pass->host->try_config(pass->plan, job->index, c, NULL);
        if (span < 0)
            continue;
        struct easim_choice choice = job->state == EASIM_JOB_RUNNING
                                         ? easim_predict_resized(pass->view, job, c, (uint32_t)span)
                                         : easim_predict(pass->view, job, c, (uint32_t)span);
        double o = objective_of(pass, &choice), least = objective_of(pass, &best);
        if (best.config == EASIM_NONE || o < least || (o == least && wins_tie(&choice, &best)))
            best = choice;
    }
    return best;
}

static int by_key(const void *left, const void *right) {
    const struct rank *a = left, *b = right;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return a->job < b->job ? -1 : 1;
}

static void start_waiting(const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    const struct params *p = pass->params;
    struct rank *ranks = pass->host->scratch(pass->plan, (view->waiting_count + 1) * sizeof *ranks);
    uint32_t count = 0;
    for (uint32_t i = view->first_waiting; i != EASIM_NONE;
         i = easim_view_job(view, i)->next_waiting) {
        const struct easim_job *job = easim_view_job(view, i);
        double value = p->by_edp ? sqrt(job->edp_best_js) : job->time_best_s;
        ranks[count++] = (struct rank){value / (1 + easim_job_age_s(view, job) / p->tau), i};
    }
    qsort(ranks, count, sizeof *ranks, by_key);
    for (uint32_t i = 0; i < count; i++) {
        struct easim_choice best = best_now(pass, easim_view_job(view, ranks[i].job));
        if (best.config != EASIM_NONE)
            pass->host->plan_start(pass->plan, ranks[i].job, best.config);
    }
}

static void resize(const struct easim_pass *pass, const struct easim_job *job) {
    const struct params *p = pass->params;
    if (!job || job->state != EASIM_JOB_RUNNING ||
        pass->view->now_s < job->resized_s + p->resize_interval_s)
        return;
    struct easim_choice now = easim_predict_running(pass->view, job), best = best_now(pass, job);
    double saved = objective_of(pass, &now) - objective_of(pass, &best);
    if (best.config != EASIM_NONE && saved > p->resize_gain * objective_of(pass, &now) &&
        (p->by_edp || saved > job->restart_s))
        pass->host->plan_resize(pass->plan, job->index, best.config);
}

static int decide(const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    start_waiting(pass);
    for (uint32_t i = 0; i < view->job_count && view->waiting_count == 0 && view->free_gpus > 0;
         i++)
        resize(pass, easim_view_job(view, i));
    return 0;
}

static const struct easim_param params[] = {
    {"tau", "s", "of ageing", EASIM_PARAM_DURATION, offsetof(struct params, tau), 1e-3, 1e9, 3600,
     false, NULL, EASIM_ROLE_NONE},
    {"resize_gain", "", "as for list policies", EASIM_PARAM_REAL,
     offsetof(struct params, resize_gain), 0, 1, 0.1, false, NULL, EASIM_ROLE_NONE},
    {"resize_interval_s", "s", "likewise", EASIM_PARAM_DURATION,
     offsetof(struct params, resize_interval_s), 0, 1e9, 300, false, NULL, EASIM_ROLE_NONE},
    {"by_edp", "", "zeus instead of pollux", EASIM_PARAM_BOOL, offsetof(struct params, by_edp), 0,
     1, 0, false, NULL, EASIM_ROLE_NONE},
};

EASIM_EXPORT const struct easim_policy easim_policy = {EASIM_POLICY_ABI,
                                                       .name = "naive_resize",
                                                       .version = "1",
                                                       .summary = "resizing the slow way",
                                                       .capabilities = EASIM_CAPABILITY_RESIZE,
                                                       .params_size = sizeof(struct params),
                                                       .params = params,
                                                       .param_count =
                                                           sizeof params / sizeof *params,
                                                       .decide = decide};
