/* allox: least mean completion time of the oldest jobs, after AlloX (Le et al., EuroSys'20): its
   matching of jobs to places in the queues of machines is, on machines that are alike, the shortest
   first. */
#include <easim/policy.h>

struct params {
    double alpha;
};

struct state {
    uint32_t last; /* of the oldest waiting jobs; EASIM_NONE: there are none */
};

enum { TIER_RUNNING, TIER_OLDEST, TIER_OTHERS };

/* The share alpha of those that wait, and at least as many as there are free GPUs. */
static void begin(const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    const struct params *p = pass->params;
    struct state *s = pass->state;
    double count = fmax(floor(p->alpha * view->waiting_count), view->free_gpus);
    s->last = EASIM_NONE;
    for (uint32_t i = view->first_waiting; i != EASIM_NONE && count-- >= 1;
         i = easim_view_job(view, i)->next_waiting)
        s->last = i;
}

static void key(const struct easim_pass *pass, const struct easim_job *job, double best,
                struct easim_key *ret) {
    const struct state *s = pass->state;
    const struct easim_job *real = easim_view_job(pass->view, job->index);
    bool runs = real && real->state == EASIM_JOB_RUNNING, /* in rounds `job` seems to wait */
        oldest = s->last != EASIM_NONE && job->index <= s->last;
    ret->tier = runs ? TIER_RUNNING : oldest ? TIER_OLDEST : TIER_OTHERS;
    ret->value = best;
    ret->ask_again_s = 1e-9; /* always: it depends on the others */
}

static const struct easim_param params[] = {
    {"alpha", "", "share of the waiting jobs, the oldest, that go before the others",
     EASIM_PARAM_REAL, offsetof(struct params, alpha), 0, 1, 0.2, false, NULL, EASIM_ROLE_NONE},
};

static const struct easim_list list = {
    .struct_size = sizeof(struct easim_list),
    .strict = true,
    .key = key,
    .begin = begin,
    .round_s = 120,
};

EASIM_EXPORT const struct easim_policy easim_policy = {
    EASIM_POLICY_ABI,
    .name = "allox",
    .version = "1.0",
    .summary = "least mean completion time of the oldest jobs, in rounds",
    .help =
        "At every multiple of round_s running jobs come first: each keeps its configuration or moves to a better one.\n"
        "Then come the oldest of the waiting ones, the share alpha of them and at least as many as there are free GPUs,\n"
        "by the least time in which they could end on the empty cluster; then the others, likewise. "
        "With strict, the default, nobody overtakes a job whose turn it is.\n"
        "On GPUs of one type and for jobs of one GPU that is what the matching of AlloX (Le et al., EuroSys 2020)\n"
        "starts; GPU types are chosen job by job in that order, not by the matching. "
        "No job is preempted for one that waits, as in the\n"
        "simulator of Gavel (OSDI 2020). alpha 0.2 is assumed, and strict was chosen among variants that had been\n"
        "compared with one physical run: agreement with that run is no evidence.",
    .capabilities = EASIM_CAPABILITY_FRACTIONAL_GPU,
    .state_size = sizeof(struct state),
    .params_size = sizeof(struct params),
    .params = params,
    .param_count = sizeof params / sizeof *params,
    .list = &list,
    .reads = EASIM_READS_RUN_TIMES,
};
