/* Growth of running jobs: see grow.h. By the premise of growth_gpus a job without a configuration
   that pays is left out until it starts again; others are looked at only when the free GPUs suffice
   for one. */
#include "policy/list/grow.h"

#include "cluster/cluster.h"
#include "policy/interface.h"
#include "policy/list/start.h"

#include <stdlib.h>

/* --- resize --- */

bool resize_possible(const struct easim_view *view, const struct easim_job *job) {
    bool has_another = job->config_count > 1 || job->first_config != job->config;
    return job->state == EASIM_JOB_RUNNING && has_another &&
           easim_view_config(view, job->config)->milli == 0;
}

double resize_due_s(const struct rules *rules, const struct easim_job *job) {
    return job->resized_s + rules->options->resize_interval_s;
}

struct easim_choice resize_present(const struct easim_view *view, const struct easim_job *job) {
    struct easim_job as_wished = *job;
    const struct easim_config *c = easim_view_config(view, job->config);
    if (view->cap_is_enforced) {
        as_wished.remaining = easim_job_remaining(view, job);
        as_wished.rate_s = view->now_s;
        as_wished.goodput_now = c->goodput[job->span];
        as_wished.power_now_w = c->power_w[job->span];
    }
    return easim_predict_running(view, &as_wished);
}

bool resize_may(const struct rules *rules, const struct easim_view *view,
                const struct easim_job *job) {
    return resize_possible(view, job) && view->now_s >= resize_due_s(rules, job);
}

double resize_least_saving(const struct rules *rules, const struct easim_pass *pass,
                           const struct easim_job *job, double now_objective) {
    double least = rules_resize_least(rules, pass, job);
    return isnan(least) ? least : fmax(least, rules->options->resize_gain * now_objective);
}

/* --- growth gpus --- */

#define SLACK 1e-9 /* of an objective: more than what rounding does to it */

/* What a resize would cost now, as easim_predict_resized has it, but for one thing: of a job in
   set-up, the rest of the checkpoint that its last resize began is left out. That rest shrinks as
   time passes, and a configuration that pays once it is written must not be missed. */
struct costs {
    double remaining, lost, setup_s; /* work still to do; to do again; set-up */
};

static struct costs costs_of(const struct easim_view *view, const struct easim_job *job) {
    struct costs costs = {easim_job_remaining(view, job), 0, job->restart_s};
    if (easim_job_computing_s(view, job) == 0)
        return costs;
    costs.lost = easim_job_lost_work(view, job);
    if (job->checkpoint_interval_s == 0)
        costs.setup_s += job->checkpoint_s;
    return costs;
}

/* Objective after a resize to config with so much work to do, with the better placement. */
static double hoped_objective(const struct rules *rules, const struct easim_pass *pass,
                              const struct easim_job *job, uint32_t config, double work,
                              double setup_s) {
    const struct easim_config *c = easim_view_config(pass->view, config);
    double best = INFINITY;
    for (uint32_t span = 0; span < c->span_count; span++) {
        bool as_before = span > 0 && c->goodput[span] == c->goodput[span - 1] &&
                         c->power_w[span] == c->power_w[span - 1];
        if (!(c->goodput[span] > 0) || as_before)
            continue;
        struct easim_choice choice = easim_predict_work(pass->view, work, setup_s, config, span);
        double objective = rules_objective(rules, pass, job, &choice, false);
        if (isnan(objective))
            return NAN;
        best = fmin(best, objective);
    }
    return best;
}

/* Whether that much less is enough; in doubt, yes. */
static bool may_pay(double now_objective, double objective, double least_saving) {
    double saving = now_objective - objective;
    return saving > least_saving || saving > least_saving - SLACK * now_objective;
}

int growth_gpus_find(const struct rules *rules, const struct easim_pass *pass,
                     const struct easim_job *job, struct growth_gpus *growth) {
    struct easim_choice now = resize_present(pass->view, job);
    double now_objective = rules_objective(rules, pass, job, &now, false);
    double least_saving = resize_least_saving(rules, pass, job, now_objective);
    if (isnan(least_saving) && !isnan(now_objective))
        return rules_fail(pass, "resize_least", job);
    struct costs costs = costs_of(pass->view, job);
    double work = costs.remaining + costs.lost;
    for (uint32_t c = job->first_config; c < job->first_config + job->config_count; c++) {
        const struct easim_config *config = easim_view_config(pass->view, c);
        double hoped = c == job->config
                           ? INFINITY
                           : hoped_objective(rules, pass, job, c, costs.remaining, costs.setup_s);
        if (isnan(hoped) || isnan(now_objective))
            return rules_fail(pass, "objective", job);
        if (!may_pay(now_objective, hoped, least_saving))
            continue;
        if (costs.lost > 0 &&
            !may_pay(now_objective, hoped_objective(rules, pass, job, c, work, costs.setup_s),
                     least_saving)) {
            growth->after_checkpoint = true;
            continue;
        }
        uint32_t own = config->gpu_type == now.gpu_type ? now.k : 0;
        uint32_t need = config->k > own ? config->k - own : 0;
        uint32_t *least = &growth->needs[config->gpu_type];
        *least = need < *least ? need : *least;
    }
    return 0;
}

/* --- grow --- */

void grow_init(struct grow *grow, const struct rules *rules, uint32_t job_count) {
    *grow = (struct grow){.rules = rules, .job_count = job_count};
    idset_init(&grow->in_asleep, job_count);
}

void grow_finish(struct grow *grow) {
    for (size_t i = 0; i < grow->classes.count; i++)
        idset_finish(&grow->classes.at[i].jobs);
    free(grow->classes.at);
    free(grow->fresh.at);
    timeheap_finish(&grow->asleep);
    idset_finish(&grow->in_asleep);
    *grow = (struct grow){0};
}

void grow_note_start(struct grow *grow, uint32_t job) {
    if (grow->rules && grow->rules->options->resize)
        array_push(&grow->fresh, job);
}

/* --- where a job stands --- */

static void leave_classes(struct grow *grow, uint32_t job) {
    for (size_t i = 0; i < grow->classes.count; i++)
        idset_remove(&grow->classes.at[i].jobs, job);
}

static void join_class(struct grow *grow, uint32_t job, uint32_t gpu_type, uint32_t need) {
    size_t i = 0;
    while (i < grow->classes.count &&
           (grow->classes.at[i].gpu_type != gpu_type || grow->classes.at[i].need != need))
        i++;
    if (i == grow->classes.count) {
        array_push(&grow->classes, ((struct grow_class){.gpu_type = gpu_type, .need = need}));
        idset_init(&grow->classes.at[i].jobs, grow->job_count);
    }
    idset_insert(&grow->classes.at[i].jobs, job);
}

static void sleep_until(struct grow *grow, uint32_t job, double time_s) {
    if (idset_has(&grow->in_asleep, job))
        return; /* it wakes for the same reason, or earlier */
    idset_insert(&grow->in_asleep, job);
    timeheap_push(&grow->asleep, time_s, job);
}

/* When a running job writes its next periodic checkpoint, at the latest. */
static double next_checkpoint_s(const struct easim_view *view, const struct easim_job *job) {
    double done = floor(easim_job_computing_s(view, job) / job->checkpoint_interval_s);
    return (job->start_s + job->setup_s + (done + 1) * job->checkpoint_interval_s) * (1 - 1e-12);
}

/* Moves job to the best configuration that fits, if that saves enough. 1: moved; 0; negative:
 * failed. */
static int grow_job(const struct rules *rules, const struct easim_pass *pass,
                    const struct easim_job *job) {
    struct easim_choice now = resize_present(pass->view, job);
    struct choice_best best = CHOICE_NONE_YET;
    double now_objective = rules_objective(rules, pass, job, &now, false);
    for (uint32_t c = job->first_config; c < job->first_config + job->config_count; c++) {
        int span = c == job->config ? EASIM_NOFIT
                                    : pass->host->try_config(pass->plan, job->index, c, NULL);
        if (span < 0 || !rules_allow(rules, pass, job, c))
            continue;
        struct easim_choice choice = easim_predict_resized(pass->view, job, c, (uint32_t)span);
        double objective = rules_objective(rules, pass, job, &choice, false);
        if (isnan(objective))
            return rules_fail(pass, "objective", job);
        choice_keep_better(&best, &choice, objective);
    }
    return best.choice.config != EASIM_NONE &&
           now_objective - best.objective > resize_least_saving(rules, pass, job, now_objective) &&
           pass->host->plan_resize(pass->plan, job->index, best.choice.config) == EASIM_OK;
}

/* --- the pass --- */

static bool any_need_met(const struct easim_view *view, const struct growth_gpus *growth) {
    for (uint32_t h = 0; h < view->gpu_type_count; h++)
        if (growth->needs[h] <= easim_view_gpu_type(view, h)->free)
            return true;
    return false;
}

/* Looks at a job: resizes it if `act`, and puts it where it is found when that may pay again. */
static int look_at_job(struct grow *grow, const struct easim_pass *pass,
                       const struct easim_job *job, bool act) {
    const struct easim_view *view = pass->view;
    uint32_t needs[CLUSTER_MAX_TYPES];
    struct growth_gpus growth = {.needs = needs};
    memset(needs, 0xff, sizeof needs); /* EASIM_NONE */
    leave_classes(grow, job->index);
    if (!resize_possible(view, job))
        return 0;
    if (!resize_may(grow->rules, view, job)) {
        sleep_until(grow, job->index, resize_due_s(grow->rules, job));
        return 0;
    }
    if (growth_gpus_find(grow->rules, pass, job, &growth) < 0)
        return -1;
    int grown = act && any_need_met(view, &growth) ? grow_job(grow->rules, pass, job) : 0;
    if (grown > 0)
        array_push(&grow->fresh,
                   job->index); /* as if it had started: its costs and its interval are new */
    if (grown != 0)
        return grown < 0 ? -1 : 0;
    for (uint32_t h = 0; h < view->gpu_type_count; h++)
        if (needs[h] != EASIM_NONE)
            join_class(grow, job->index, h, needs[h]);
    if (growth.after_checkpoint)
        sleep_until(grow, job->index, next_checkpoint_s(view, job));
    return 0;
}

/* Finds the classes of jobs that have started or woken up. */
static int sort_in_fresh(struct grow *grow, const struct easim_pass *pass) {
    uint32_t job;
    while (timeheap_pop_due(&grow->asleep, pass->view->now_s, &job)) {
        idset_remove(&grow->in_asleep, job);
        array_push(&grow->fresh, job);
    }
    size_t count = grow->fresh.count;
    for (size_t i = 0; i < count; i++) {
        idset_remove(&grow->in_asleep, grow->fresh.at[i]); /* its old times mean nothing now */
        if (look_at_job(grow, pass, host_job(pass->view, grow->fresh.at[i]), false) < 0)
            return -1;
    }
    grow->fresh.count = 0;
    return 0;
}

/* The first job from `from` on that could do with the free GPUs; IDSET_NONE. */
static uint64_t next_candidate(const struct grow *grow, const struct easim_view *view,
                               uint64_t from) {
    uint64_t first = IDSET_NONE;
    for (size_t i = 0; i < grow->classes.count; i++) {
        const struct grow_class *class = &grow->classes.at[i];
        uint64_t job = class->need <= easim_view_gpu_type(view, class->gpu_type)->free
                           ? idset_next(&class->jobs, from)
                           : IDSET_NONE;
        first = job < first ? job : first;
    }
    return first;
}

static bool has_reason_to_wait(const struct easim_view *view) {
    return view->waiting_count > 0 || view->checkpointing_count > 0 || view->free_gpus == 0;
}

int grow_plainly(struct grow *grow, const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    if (has_reason_to_wait(view))
        return 0;
    uint32_t count = view->running_count;
    uint32_t *running = pass->host->scratch(pass->plan, count * sizeof *running + 1);
    for (uint32_t i = 0; i < count; i++)
        running[i] = easim_view_running(view, i)->job;
    sort_array(running, count, by_uint32);
    for (uint32_t i = 0; i < count && view->free_gpus > 0; i++) {
        const struct easim_job *job = host_job(view, running[i]);
        if (resize_may(grow->rules, view, job) && grow_job(grow->rules, pass, job) < 0)
            return -1;
    }
    return 0;
}

int grow_decide(struct grow *grow, const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    if (has_reason_to_wait(view))
        return 0;
    if (sort_in_fresh(grow, pass) < 0)
        return -1;
    uint64_t job = 0;
    while (view->free_gpus > 0 && (job = next_candidate(grow, view, job)) != IDSET_NONE) {
        if (look_at_job(grow, pass, host_job(view, (uint32_t)job), true) < 0)
            return -1;
        job++;
    }
    return 0;
}
