/* parts: a list policy with one parameter for each component, so that a mixture of two settings is
 * a setting too. It fails where it is shown the extensions of another.
 */
#include <easim/policy.h>

struct params {
    double tau, least_run_s;
    int64_t most_k;
    int32_t order, wish;
};

enum { ORDER_TIME, ORDER_SIZE };
enum { WISH_TIME, WISH_ENERGY };

static void key(const struct easim_pass *pass, const struct easim_job *job, double best,
                struct easim_key *ret) {
    const struct params *p = pass->params;
    (void)best;
    *ret = (struct easim_key){.value = pass->extensions[0]      ? NAN
                                       : p->order == ORDER_SIZE ? -job->time_best_s + 1e9
                                                                : job->time_best_s,
                              .ageing_s = p->tau};
}

/* E T^0 is E. */
static void minimise(const struct easim_pass *pass, struct easim_objective *ret) {
    const struct params *p = pass->params;
    ret->kind = p->wish == WISH_ENERGY ? EASIM_MINIMISE_EDP : EASIM_MINIMISE_TIME;
}

static bool allow(const struct easim_pass *pass, const struct easim_job *job, uint32_t config) {
    const struct params *p = pass->params;
    (void)job;
    return (int64_t)easim_view_config(pass->view, config)->k <= p->most_k;
}

/* Whoever has run that long gives way to the queue, once. */
static void begin(const struct easim_pass *pass) {
    const struct params *p = pass->params;
    const struct easim_view *view = pass->view;
    if (p->least_run_s == 0 || view->waiting_count == 0)
        return;
    for (uint32_t i = 0; i < view->job_count; i++) {
        const struct easim_job *job = easim_view_job(view, i);
        if (job && job->state == EASIM_JOB_RUNNING && job->preemptible && job->preemptions == 0 &&
            easim_job_computing_s(view, job) > p->least_run_s)
            pass->host->plan_preempt(pass->plan, i, true);
    }
}

static const char *const orders[] = {"time", "size", NULL};
static const char *const wishes[] = {"time", "energy", NULL};

static const struct easim_param params[] = {
    {"order", "", "key: short or long jobs first", EASIM_PARAM_CHOICE,
     offsetof(struct params, order), 0, 1, 0, false, orders, EASIM_ROLE_NONE},
    {"wish", "", "objective", EASIM_PARAM_CHOICE, offsetof(struct params, wish), 0, 1, 0, false,
     wishes, EASIM_ROLE_NONE},
    {"most_k", "", "admission: GPUs of a job", EASIM_PARAM_INT, offsetof(struct params, most_k), 1,
     1024, 1024, false, NULL, EASIM_ROLE_NONE},
    {"tau", "s", "ageing", EASIM_PARAM_DURATION, offsetof(struct params, tau), 1e-3, 1e9, 3600,
     false, NULL, EASIM_ROLE_NONE},
    {"least_run_s", "s", "preemption: after so much computing; 0: never", EASIM_PARAM_DURATION,
     offsetof(struct params, least_run_s), 0, 1e9, 0, false, NULL, EASIM_ROLE_NONE},
};

static const struct easim_extension extensions[] = {{"easim.unheard_of", 1, 8, true}};

static const struct easim_list list = {.struct_size = sizeof(struct easim_list),
                                       .key = key,
                                       .minimise = minimise,
                                       .allow_start = allow,
                                       .allow_resize = allow,
                                       .begin = begin};

EASIM_EXPORT const struct easim_policy easim_policy = {
    EASIM_POLICY_ABI,
    .name = "parts",
    .version = "1.0",
    .summary = "one parameter for each component",
    .capabilities = EASIM_CAPABILITY_PREEMPT | EASIM_CAPABILITY_FREQUENCY,
    .params_size = sizeof(struct params),
    .params = params,
    .param_count = sizeof params / sizeof *params,
    .list = &list,
    .extensions = extensions,
    .extension_count = 1,
    .extension_bytes = sizeof *extensions,
};
