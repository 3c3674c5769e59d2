/* backfill.c: later jobs may pass the first one if that does not delay it. The first job that does
   not fit is promised its fastest configuration at the time when enough running jobs have ended; a
   later job starts if it ends before, or uses another GPU type. */
#include <easim/policy.h>

/* When k GPUs of the type will be free, by the predicted ends of what runs and writes checkpoints.
 */
static double free_at_s(const struct easim_view *view, uint32_t gpu_type, uint32_t k) {
    uint32_t free = easim_view_gpu_type(view, gpu_type)->free;
    int64_t at_ns = view->now_ns;
    while (free < k) { /* the next end, and all jobs that end then */
        int64_t next_ns = INT64_MAX;
        for (uint32_t r = 0; r < view->running_count; r++) {
            const struct easim_running *run = easim_view_running(view, r);
            int64_t end_ns = easim_predicted_end_ns(view, run->predicted_end_ns);
            if (run->gpu_type == gpu_type && end_ns > at_ns && end_ns < next_ns)
                next_ns = end_ns;
        }
        if (next_ns == INT64_MAX)
            return INFINITY; /* GPUs that failed are missing */
        at_ns = next_ns;
        for (uint32_t r = 0; r < view->running_count; r++) {
            const struct easim_running *run = easim_view_running(view, r);
            if (run->gpu_type == gpu_type &&
                easim_predicted_end_ns(view, run->predicted_end_ns) == at_ns)
                free += run->k;
        }
    }
    return (double)at_ns / 1e9;
}

static int decide(const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    uint32_t promised_type = EASIM_NONE;
    double promised_s = INFINITY;
    for (uint32_t i = view->first_waiting; i != EASIM_NONE;) {
        const struct easim_job *job = easim_view_job(view, i);
        const struct easim_config *config = easim_view_config(view, job->best_config);
        int span = easim_fit(view, config);
        i = job->next_waiting;
        bool passes =
            span >= 0 &&
            (promised_type != config->gpu_type ||
             view->now_s + easim_predict(view, job, job->best_config, (uint32_t)span).time_s <=
                 promised_s);
        if (passes)
            pass->host->plan_start(pass->plan, job->index, job->best_config);
        else if (promised_type == EASIM_NONE) {
            promised_type = config->gpu_type;
            promised_s = free_at_s(view, config->gpu_type, config->k);
        }
    }
    return 0;
}

EASIM_EXPORT const struct easim_policy easim_policy = {EASIM_POLICY_ABI,
                                                       .name = "backfill",
                                                       .version = "1.0",
                                                       .summary = "backfilling behind one promise",
                                                       .reads = EASIM_READS_RUN_TIMES,
                                                       .decide = decide};
