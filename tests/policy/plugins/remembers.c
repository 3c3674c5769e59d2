/* remembers: counts in the memory of each job how often it was seen, and fails the run where that
   is not what it was; then the waiting jobs start in order. What it finds at first must be zero.
   "behind" writes a byte more than it has. */
#include <easim/policy.h>
#include <string.h>

#ifndef BYTES
#define BYTES sizeof(struct memory)
#endif

struct memory {
    double first_s; /* when it was seen first */
    uint32_t seen, preemptions;
};

enum kind { COUNTS, BEHIND };
static const char *const kinds[] = {"counts", "behind", NULL};

struct params {
    int32_t kind;
};

static int visit(const struct easim_pass *pass, const struct easim_job *job) {
    struct memory *m = easim_job_memory(pass, job->index);
    bool first = m->seen == 0;
    if (first && (m->first_s != 0 || m->preemptions != 0)) {
        pass->host->fail(pass->plan, "the memory of a new job is not zero");
        return -1;
    }
    if (!first && m->first_s != job->submit_s) {
        pass->host->fail(pass->plan, "the memory of a job is another's");
        return -1;
    }
    m->first_s = job->submit_s;
    m->preemptions = job->preemptions;
    m->seen++;
    if (((const struct params *)pass->params)->kind == BEHIND)
        ((char *)m)[BYTES] = 1;
    return 0;
}

static int decide(const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    int r = 0;
    for (uint32_t i = view->job_count; i < view->job_count + 2; i++)
        if (easim_job_memory(pass, i) || easim_job_memory(pass, EASIM_NONE)) {
            pass->host->fail(pass->plan, "there is memory of a job that is none");
            return -1;
        }
    for (uint32_t i = 0; i < view->job_count && r == 0; i++) {
        const struct easim_job *job = easim_view_job(view, i);
        r = job ? visit(pass, job) : 0;
    }
    for (uint32_t i = 0; i < view->running_count && r == 0; i++) { /* once each, when it was seen */
        uint32_t job = easim_view_running(view, i)->job;
        if (((const struct memory *)easim_job_memory(pass, job))->seen == 3)
            pass->host->plan_preempt(pass->plan, job, false);
    }
    for (uint32_t i = view->first_waiting; i != EASIM_NONE && r == 0;) {
        const struct easim_job *job = easim_view_job(view, i);
        i = job->next_waiting;
        if (easim_fit(view, easim_view_config(view, job->first_config)) < 0)
            break;
        pass->host->plan_start(pass->plan, job->index, job->first_config);
    }
    return r;
}

static void finish(const struct easim_pass *pass) {
    for (uint32_t i = 0; i < pass->view->job_count; i++) {
        const struct memory *m = easim_job_memory(pass, i);
        if (m && m->preemptions > 0)
            pass->host->count(pass->plan, "jobs are remembered as preempted", NULL);
    }
}

static const struct easim_param params[] = {{"kind", "", "what to do", EASIM_PARAM_CHOICE,
                                             offsetof(struct params, kind), 0, 1, 0, false, kinds,
                                             EASIM_ROLE_NONE}};

EASIM_EXPORT const struct easim_policy easim_policy = {EASIM_POLICY_ABI,
                                                       .name = "remembers",
                                                       .version = "1",
                                                       .summary = "counts in the memory of jobs",
                                                       .capabilities = EASIM_CAPABILITY_PREEMPT,
                                                       .params_size = sizeof(struct params),
                                                       .params = params,
                                                       .param_count = 1,
                                                       .decide = decide,
                                                       .finish = finish,
                                                       .job_memory_size = BYTES};
