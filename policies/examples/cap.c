/* cap.c: the power cap (POWER_CAP). Jobs start in order of submission, each in the fastest
   configuration that fits below the cap. If the cap falls, the jobs that started last go. */
#include <easim/policy.h>

/* The running job that started last and may be preempted, or EASIM_NONE. */
static uint32_t newest(const struct easim_view *view) {
    uint32_t found = EASIM_NONE;
    double start_s = -INFINITY;
    for (uint32_t r = 0; r < view->running_count; r++) {
        const struct easim_job *job = easim_view_job(view, easim_view_running(view, r)->job);
        if (job->preemptible && job->start_s > start_s) {
            found = job->index;
            start_s = job->start_s;
        }
    }
    return found;
}

/* OK from the host takes GPUs and power: try_config asks first. */
static uint32_t fastest_below_cap(const struct easim_pass *pass, const struct easim_job *job) {
    uint32_t best = EASIM_NONE;
    double best_s = INFINITY;
    for (uint32_t c = job->first_config; c < job->first_config + job->config_count; c++) {
        int span = pass->host->try_config(pass->plan, job->index, c, NULL);
        double time_s =
            span >= 0 ? easim_predict(pass->view, job, c, (uint32_t)span).time_s : INFINITY;
        if (time_s < best_s) {
            best = c;
            best_s = time_s;
        }
    }
    return best;
}

static int decide(const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    uint32_t job;
    while (view->power_w > view->power_cap_w && (job = newest(view)) != EASIM_NONE)
        if (pass->host->plan_preempt(pass->plan, job, true) != EASIM_OK)
            break;
    for (uint32_t i = view->first_waiting; i != EASIM_NONE;) {
        const struct easim_job *waiting = easim_view_job(view, i);
        uint32_t config = fastest_below_cap(pass, waiting);
        i = waiting->next_waiting;
        if (config == EASIM_NONE)
            break;
        pass->host->plan_start(pass->plan, waiting->index, config);
    }
    return 0;
}

EASIM_EXPORT const struct easim_policy easim_policy = {
    EASIM_POLICY_ABI,
    .name = "cap",
    .version = "1.0",
    .summary = "in order of submission, below the power cap",
    .capabilities = EASIM_CAPABILITY_POWER_CAP | EASIM_CAPABILITY_PREEMPT,
    .reads = EASIM_READS_RUN_TIMES,
    .keeps = EASIM_KEEPS_CAP,
    .decide = decide};
