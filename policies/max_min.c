/* max_min: max-min fairness in rounds after Gavel (Narayanan et al., OSDI'20): each job has a share
   of time, such that the least is as large as it can be, and goes first the more it lacks of it. */
#include <easim/policy.h>

struct state {
    double level; /* GPUs that each job gets on average, at most; INFINITY: all that it wants */
};

/* GPUs that a job wants: those of its fastest configuration on the empty cluster. */
static double wanted(const struct easim_view *view, const struct easim_job *job) {
    return easim_config_gpus(easim_view_config(view, job->best_config));
}

/* What jobs get together if none gets more than `level` GPUs. */
struct filling {
    double level, given;
    uint32_t more; /* jobs that want more */
};

static void fill_job(struct filling *f, const struct easim_view *view, uint32_t index) {
    double gpus = wanted(view, easim_view_job(view, index));
    f->given += fmin(gpus, f->level);
    f->more += gpus > f->level;
}

/* All waiting and running jobs. */
static struct filling fill_to(const struct easim_view *view, double level) {
    struct filling f = {.level = level};
    for (uint32_t i = view->first_waiting; i != EASIM_NONE;
         i = easim_view_job(view, i)->next_waiting)
        fill_job(&f, view, i);
    for (uint32_t i = 0; i < view->running_count; i++)
        fill_job(&f, view, easim_view_running(view, i)->job);
    return f;
}

/* Water filling: the level rises until all GPUs are given. Every step either ends it or lets some
   job have all that it wants. */
static void begin(const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    struct state *s = pass->state;
    uint32_t before = 0;
    struct filling f = fill_to(view, 0);
    while (f.more > 0 && f.more != before && f.given < view->gpus) {
        before = f.more;
        f = fill_to(view, f.level + (view->gpus - f.given) / f.more);
    }
    s->level = f.more > 0 ? f.level : INFINITY;
}

static void key(const struct easim_pass *pass, const struct easim_job *job, double best,
                struct easim_key *ret) {
    const struct state *s = pass->state;
    double age_s = easim_job_age_s(pass->view, job);
    /* f / X = kept / (age X), in this order: whole numbers that are equal give equal keys */
    double due_s = fmax(job->kept_s, job->kept_s * wanted(pass->view, job) / s->level);
    (void)best;
    ret->value = age_s > 0 ? due_s / age_s : 0;
    ret->ask_again_s = 1e-9; /* always: it depends on the others */
}

static const struct easim_list list = {
    .struct_size = sizeof(struct easim_list),
    .key = key,
    .begin = begin,
    .round_s = 120,
};

EASIM_EXPORT const struct easim_policy easim_policy = {
    EASIM_POLICY_ABI,
    .name = "max_min",
    .version = "1.0",
    .summary = "max-min fair shares of time, in rounds",
    .help =
        "Each job has a share X = min(1, L / k) of the time, k the GPUs of its fastest configuration and L such that\n"
        "all shares together take all GPUs, sum of min(k, L) = GPUs, or 1 where they suffice. "
        "At every multiple of\n"
        "round_s jobs go by ascending f / X, f the part of its time since submission that a job has computed (work that a\n"
        "preemption would lose does not count): the priority X / f of the rounds of Gavel (Narayanan et al., OSDI 2020).\n"
        "GPU types count alike.",
    .capabilities = EASIM_CAPABILITY_FRACTIONAL_GPU,
    .state_size = sizeof(struct state),
    .list = &list,
    .reads = EASIM_READS_RUN_TIMES,
};
