/* memory.c: what the policy remembers of each job. A job is started in its fastest configuration;
   once it has been passed over ten times it takes whatever fits. */
#include <easim/policy.h>

enum { PATIENCE = 10 };

struct memory {
    uint32_t passed_over; /* 0 when the job is submitted */
};

/* The configuration of least predicted time that fits now, or EASIM_NONE. */
static uint32_t fastest_that_fits(const struct easim_view *view, const struct easim_job *job) {
    uint32_t best = EASIM_NONE;
    double best_s = INFINITY;
    for (uint32_t c = job->first_config; c < job->first_config + job->config_count; c++) {
        int span = easim_fit(view, easim_view_config(view, c));
        double time_s = span >= 0 ? easim_predict(view, job, c, (uint32_t)span).time_s : INFINITY;
        if (time_s < best_s) {
            best = c;
            best_s = time_s;
        }
    }
    return best;
}

static int decide(const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    for (uint32_t i = view->first_waiting, next; i != EASIM_NONE; i = next) {
        const struct easim_job *job = easim_view_job(view, i);
        struct memory *memory = (struct memory *)easim_job_memory(pass, i);
        next = job->next_waiting; /* before the start, which takes the job out of the list */
        uint32_t config = job->best_config;
        if (easim_fit(view, easim_view_config(view, config)) < 0)
            config = memory->passed_over < PATIENCE ? EASIM_NONE : fastest_that_fits(view, job);
        if (config == EASIM_NONE || pass->host->plan_start(pass->plan, i, config) != EASIM_OK)
            memory->passed_over++;
    }
    return 0;
}

EASIM_EXPORT const struct easim_policy easim_policy = {EASIM_POLICY_ABI,
                                                       .name = "memory",
                                                       .version = "1.0",
                                                       .summary =
                                                           "the fastest configuration, for a while",
                                                       .reads = EASIM_READS_RUN_TIMES,
                                                       .decide = decide,
                                                       .job_memory_size = sizeof(struct memory)};
