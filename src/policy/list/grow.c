/* Growth of running jobs: see resize.h. What a resize to a configuration saves, nothing being lost,
   falls with the work that is left (include/easim/policy.h demands it of objectives). So a job that
   has no configuration that would pay is out of the question until it starts again; and one that
   has some is looked at only when the free GPUs suffice for one of them. */
#include "policy/list/grow.h"

#include "cluster/cluster.h"
#include "policy/list/list.h"

#include <stdlib.h>

#define SLACK 1e-9 /* of an objective: more than what rounding does to it */

void grow_init(struct grow *r, uint32_t job_count) {
    *r = (struct grow){.job_count = job_count};
    idset_init(&r->in_asleep, job_count);
}

void grow_finish(struct grow *r) {
    for (size_t i = 0; i < r->classes.count; i++)
        idset_finish(&r->classes.at[i].jobs);
    free(r->classes.at);
    free(r->fresh.at);
    timeheap_finish(&r->asleep);
    idset_finish(&r->in_asleep);
    *r = (struct grow){0};
}

void grow_note_start(struct list *l, uint32_t job) {
    if (l->options && l->options->resize)
        array_push(&l->resize.fresh, job);
}

/* Whether a job runs and has another configuration, and does not share a GPU. */
static bool may_change(const struct easim_view *view, const struct easim_job *job) {
    return job->state == EASIM_JOB_RUNNING && job->config_count > 1 &&
           easim_view_config(view, job->config)->milli == 0;
}

bool resize_may(const struct list *l, const struct easim_view *view, const struct easim_job *job) {
    return may_change(view, job) && view->now_s >= job->resized_s + l->options->resize_interval_s;
}

double resize_least_saving(const struct list *l, const struct easim_pass *pass,
                           const struct easim_job *job, double now_objective) {
    double least = l->ops->resize_least ? l->ops->resize_least(pass, job)
                   : l->ops->objective  ? 0
                                        : job->restart_s;
    return isnan(least) ? least : fmax(least, l->options->resize_gain * now_objective);
}

/* --- where a job stands --- */

static void leave_classes(struct grow *r, uint32_t job) {
    for (size_t i = 0; i < r->classes.count; i++)
        idset_remove(&r->classes.at[i].jobs, job);
}

static void join_class(struct grow *r, uint32_t job, uint32_t gpu_type, uint32_t need) {
    size_t i = 0;
    while (i < r->classes.count &&
           (r->classes.at[i].gpu_type != gpu_type || r->classes.at[i].need != need))
        i++;
    if (i == r->classes.count) {
        array_push(&r->classes, ((struct grow_class){.gpu_type = gpu_type, .need = need}));
        idset_init(&r->classes.at[i].jobs, r->job_count);
    }
    idset_insert(&r->classes.at[i].jobs, job);
}

static void sleep_until(struct grow *r, uint32_t job, double time_s) {
    if (idset_has(&r->in_asleep, job))
        return; /* it wakes for the same reason, or earlier */
    idset_insert(&r->in_asleep, job);
    timeheap_push(&r->asleep, time_s, job);
}

/* When a running job writes its next periodic checkpoint, at the latest. */
static double next_checkpoint_s(const struct easim_view *view, const struct easim_job *job) {
    double done = floor(easim_job_computing_s(view, job) / job->checkpoint_interval_s);
    return (job->start_s + job->setup_s + (done + 1) * job->checkpoint_interval_s) * (1 - 1e-12);
}

/* --- what a job could gain --- */

/* What a resize would cost now: as easim_predict_resized, but in set-up as if no checkpoint were
   left to write, of which there is less and less. */
struct costs {
    double remaining, lost, setup_s; /* work still to do; to do again; set-up */
};

static struct costs costs_now(const struct easim_view *view, const struct easim_job *job) {
    struct costs costs = {easim_job_remaining(view, job), 0, job->restart_s};
    if (easim_job_computing_s(view, job) == 0)
        return costs;
    costs.lost = easim_job_lost_s(view, job, false) *
                 easim_view_config(view, job->config)->goodput[job->span];
    if (job->checkpoint_interval_s == 0)
        costs.setup_s += job->checkpoint_s;
    return costs;
}

/* Objective after a resize to config with so much work to do, with the better placement. */
static double hoped_objective(const struct list *l, const struct easim_pass *pass,
                              const struct easim_job *job, uint32_t config, double work,
                              double setup_s) {
    const struct easim_config *c = easim_view_config(pass->view, config);
    bool alike = c->goodput[0] == c->goodput[1] && c->power_w[0] == c->power_w[1];
    double best = INFINITY;
    for (uint32_t span = 0; span < (alike ? 1 : 2); span++) {
        if (!(c->goodput[span] > 0))
            continue;
        struct easim_choice choice = easim_predict_work(pass->view, work, setup_s, config, span);
        double objective = list_objective(l, pass, job, &choice, false);
        if (isnan(objective))
            return NAN;
        best = fmin(best, objective);
    }
    return best;
}

/* What a job may hope for. */
struct outlook {
    bool ever, after_checkpoint; /* some configuration may pay; one that does not now may after a
                                    checkpoint */
    uint32_t *needs; /* by GPU type: least number of more GPUs for one that pays now; EASIM_NONE */
};

/* Whether that much less is enough; in doubt, yes. */
static bool may_pay(double now_objective, double objective, double least_saving) {
    double saving = now_objective - objective;
    return saving > least_saving || saving > least_saving - SLACK * now_objective;
}

static int look_ahead(struct list *l, const struct easim_pass *pass, const struct easim_job *job,
                      struct outlook *outlook) {
    struct easim_choice now = easim_predict_running(pass->view, job);
    double now_objective = list_objective(l, pass, job, &now, false);
    double least_saving = resize_least_saving(l, pass, job, now_objective);
    if (isnan(least_saving) && !isnan(now_objective))
        return list_fail(pass, "resize_least", job);
    struct costs costs = costs_now(pass->view, job);
    double work = costs.remaining + costs.lost;
    for (uint32_t c = job->first_config; c < job->first_config + job->config_count; c++) {
        const struct easim_config *config = easim_view_config(pass->view, c);
        double hoped = c == job->config
                           ? INFINITY
                           : hoped_objective(l, pass, job, c, costs.remaining, costs.setup_s);
        if (isnan(hoped) || isnan(now_objective))
            return list_fail(pass, "objective", job);
        if (!may_pay(now_objective, hoped, least_saving))
            continue;
        outlook->ever = true;
        if (costs.lost > 0 &&
            !may_pay(now_objective, hoped_objective(l, pass, job, c, work, costs.setup_s),
                     least_saving)) {
            outlook->after_checkpoint = true;
            continue;
        }
        uint32_t own = config->gpu_type == now.gpu_type ? now.k : 0;
        uint32_t need = config->k > own ? config->k - own : 0;
        uint32_t *least = &outlook->needs[config->gpu_type];
        *least = need < *least ? need : *least;
    }
    return 0;
}

/* Moves job to the best configuration that fits, if that saves enough. 1: moved; 0; negative:
 * failed. */
static int grow(struct list *l, const struct easim_pass *pass, const struct easim_job *job) {
    struct easim_choice now = easim_predict_running(pass->view, job);
    struct list_best best = LIST_BEST_NONE;
    double now_objective = list_objective(l, pass, job, &now, false);
    for (uint32_t c = job->first_config; c < job->first_config + job->config_count; c++) {
        int span = c == job->config ? EASIM_NOFIT
                                    : pass->host->try_config(pass->plan, job->index, c, NULL);
        if (span < 0 || (l->ops->allow && !l->ops->allow(pass, job, c)))
            continue;
        struct easim_choice choice = easim_predict_resized(pass->view, job, c, (uint32_t)span);
        double objective = list_objective(l, pass, job, &choice, false);
        if (isnan(objective))
            return list_fail(pass, "objective", job);
        list_keep_better(&best, &choice, objective);
    }
    return best.choice.config != EASIM_NONE &&
           now_objective - best.objective > resize_least_saving(l, pass, job, now_objective) &&
           pass->host->plan_resize(pass->plan, job->index, best.choice.config) == EASIM_OK;
}

/* --- the pass --- */

static bool any_need_met(const struct easim_view *view, const struct outlook *outlook) {
    for (uint32_t h = 0; h < view->gpu_type_count; h++)
        if (outlook->needs[h] <= easim_view_gpu_type(view, h)->free)
            return true;
    return false;
}

/* Looks at a job: resizes it if `act`, and puts it where it will be found when that may be worth
 * while again. */
static int look_at(struct list *l, const struct easim_pass *pass, const struct easim_job *job,
                   bool act) {
    const struct easim_view *view = pass->view;
    struct grow *r = &l->resize;
    uint32_t needs[CLUSTER_MAX_TYPES];
    struct outlook outlook = {.needs = needs};
    memset(needs, 0xff, sizeof needs); /* EASIM_NONE */
    leave_classes(r, job->index);
    if (!may_change(view, job))
        return 0;
    if (!resize_may(l, view, job)) {
        sleep_until(r, job->index, job->resized_s + l->options->resize_interval_s);
        return 0;
    }
    if (look_ahead(l, pass, job, &outlook) < 0)
        return -1;
    int grown = act && any_need_met(view, &outlook) ? grow(l, pass, job) : 0;
    if (grown > 0)
        array_push(&r->fresh,
                   job->index); /* as if it had started: its costs and its interval are new */
    if (grown != 0)
        return grown < 0 ? -1 : 0;
    for (uint32_t h = 0; h < view->gpu_type_count; h++)
        if (needs[h] != EASIM_NONE)
            join_class(r, job->index, h, needs[h]);
    if (outlook.after_checkpoint)
        sleep_until(r, job->index, next_checkpoint_s(view, job));
    return 0;
}

/* Finds the classes of jobs that have started or woken up. */
static int sort_in(struct list *l, const struct easim_pass *pass) {
    struct grow *r = &l->resize;
    uint32_t job;
    while (timeheap_pop_due(&r->asleep, pass->view->now_s, &job)) {
        idset_remove(&r->in_asleep, job);
        array_push(&r->fresh, job);
    }
    size_t count = r->fresh.count;
    for (size_t i = 0; i < count; i++) {
        idset_remove(&r->in_asleep, r->fresh.at[i]); /* its old times mean nothing now */
        if (look_at(l, pass, easim_view_job(pass->view, r->fresh.at[i]), false) < 0)
            return -1;
    }
    r->fresh.count = 0;
    return 0;
}

/* The first job from `from` on that could do with the free GPUs; IDSET_NONE. */
static uint64_t next_candidate(const struct grow *r, const struct easim_view *view, uint64_t from) {
    uint64_t first = IDSET_NONE;
    for (size_t i = 0; i < r->classes.count; i++) {
        const struct grow_class *class = &r->classes.at[i];
        uint64_t job = class->need <= easim_view_gpu_type(view, class->gpu_type)->free
                           ? idset_next(&class->jobs, from)
                           : IDSET_NONE;
        first = job < first ? job : first;
    }
    return first;
}

int grow_decide(struct list *l, const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    if (view->waiting_count > 0 || view->checkpointing_count > 0 || view->free_gpus == 0)
        return 0;
    if (sort_in(l, pass) < 0)
        return -1;
    uint64_t job = 0;
    while (view->free_gpus > 0 && (job = next_candidate(&l->resize, view, job)) != IDSET_NONE) {
        if (look_at(l, pass, easim_view_job(view, (uint32_t)job), true) < 0)
            return -1;
        job++;
    }
    return 0;
}
