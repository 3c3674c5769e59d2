/* exchange.c: a preemption and a start, both or neither (PREEMPT), and memory of each job. A job
   starts in its fastest configuration; a running job gives way, once, to one that needs at most a
   quarter of what it has left. */
#include <easim/policy.h>

struct memory {
    bool gave_way;
};

/* Seconds that a running job still needs; negative: it has given way already. */
static double left_s(const struct easim_pass *pass, const struct easim_job *job) {
    const struct memory *memory = (const struct memory *)easim_job_memory(pass, job->index);
    const struct easim_config *config = easim_view_config(pass->view, job->config);
    return memory->gave_way
               ? -1
               : pass->host->remaining(pass->plan, job->index) / config->goodput[job->span];
}

/* Starts job in place of the running one that has most left; both or neither. */
static void make_way(const struct easim_pass *pass, const struct easim_job *job) {
    const struct easim_job *longest = NULL;
    for (uint32_t i = 0; i < pass->view->running_count; i++) {
        const struct easim_job *other =
            easim_view_job(pass->view, easim_view_running(pass->view, i)->job);
        if (other->preemptible && (!longest || left_s(pass, other) > left_s(pass, longest)))
            longest = other;
    }
    if (!longest || left_s(pass, longest) < 4 * job->time_best_s)
        return;
    const struct easim_part parts[] = {{EASIM_PART_PREEMPT, longest->index, 0, true},
                                       {EASIM_PART_START, job->index, job->best_config, false}};
    if (easim_try_exchange(pass, parts, 2, NULL, NULL) == EASIM_OK &&
        easim_plan_exchange(pass, parts, 2, NULL) == EASIM_OK)
        ((struct memory *)easim_job_memory(pass, longest->index))->gave_way = true;
}

static int decide(const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    for (uint32_t i = view->first_waiting; i != EASIM_NONE;) {
        const struct easim_job *job = easim_view_job(view, i);
        i = job->next_waiting;
        if (easim_fit(view, easim_view_config(view, job->best_config)) >= 0)
            pass->host->plan_start(pass->plan, job->index, job->best_config);
        else
            make_way(pass, job);
    }
    return 0;
}

EASIM_EXPORT const struct easim_policy easim_policy = {EASIM_POLICY_ABI,
                                                       .name = "exchange",
                                                       .version = "1.0",
                                                       .summary =
                                                           "long jobs give way to short ones",
                                                       .capabilities = EASIM_CAPABILITY_PREEMPT,
                                                       .decide = decide,
                                                       .job_memory_size = sizeof(struct memory)};
