/* Growth of running jobs: see grow.h. By the premise of outlook.h a job that has no configuration
   that would pay is out of the question until it starts again; one that has some is looked at only
   when the free GPUs suffice for one of them. */
#include "policy/list/grow.h"

#include "cluster/cluster.h"
#include "policy/host_job.h"
#include "policy/list/choice.h"
#include "policy/list/outlook.h"
#include "policy/list/resize.h"

#include <stdlib.h>

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
    struct easim_choice now = easim_predict_running(pass->view, job);
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

static bool any_need_met(const struct easim_view *view, const struct outlook *outlook) {
    for (uint32_t h = 0; h < view->gpu_type_count; h++)
        if (outlook->needs[h] <= easim_view_gpu_type(view, h)->free)
            return true;
    return false;
}

/* Looks at a job: resizes it if `act`, and puts it where it will be found when that may be worth
 * while again. */
static int look_at_job(struct grow *grow, const struct easim_pass *pass,
                       const struct easim_job *job, bool act) {
    const struct easim_view *view = pass->view;
    uint32_t needs[CLUSTER_MAX_TYPES];
    struct outlook outlook = {.needs = needs};
    memset(needs, 0xff, sizeof needs); /* EASIM_NONE */
    leave_classes(grow, job->index);
    if (!resize_possible(view, job))
        return 0;
    if (!resize_may(grow->rules, view, job)) {
        sleep_until(grow, job->index, resize_due_s(grow->rules, job));
        return 0;
    }
    if (outlook_find(grow->rules, pass, job, &outlook) < 0)
        return -1;
    int grown = act && any_need_met(view, &outlook) ? grow_job(grow->rules, pass, job) : 0;
    if (grown > 0)
        array_push(&grow->fresh,
                   job->index); /* as if it had started: its costs and its interval are new */
    if (grown != 0)
        return grown < 0 ? -1 : 0;
    for (uint32_t h = 0; h < view->gpu_type_count; h++)
        if (needs[h] != EASIM_NONE)
            join_class(grow, job->index, h, needs[h]);
    if (outlook.after_checkpoint)
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

int grow_decide(struct grow *grow, const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    if (view->waiting_count > 0 || view->checkpointing_count > 0 || view->free_gpus == 0)
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
