/* Decisions in rounds: see rounds.h. Numbers of GPUs, and the power that an enforced cap admits,
   decide who gets how many of which type; jobs
   that keep their configuration keep their GPUs, and the others find theirs when they start, after
   the checkpoints of those before them are written. */
#include "policy/list/rounds.h"

#include "base/units.h"
#include "cluster/cluster.h"
#include "policy/interface.h"
#include "policy/list/grow.h"

#include <stdlib.h>

void rounds_init(struct rounds *rounds, const struct rules *rules) {
    *rounds = (struct rounds){.rules = rules, .number = -1, .asked = -1};
    if (list_options_in_rounds(rules->options))
        rounds->round_ns = units_ns(rules->options->round_s);
}

void rounds_finish(struct rounds *rounds) {
    free(rounds->jobs.at);
    free(rounds->parts.at);
    *rounds = (struct rounds){0};
}

/* --- who competes, in which order --- */

/* T* and EDP* of a job with the work and set-up that it has here. */
static void find_best(const struct easim_view *view, struct easim_job *job) {
    job->time_best_s = job->edp_best_js = INFINITY;
    for (uint32_t c = job->first_config; c < job->first_config + job->config_count; c++) {
        const struct easim_config *config = easim_view_config(view, c);
        if (!(config->goodput[config->empty_span] > 0) || config->power_limit_w < INFINITY)
            continue;
        struct easim_choice choice = easim_predict(view, job, c, config->empty_span);
        job->time_best_s = fmin(job->time_best_s, choice.time_s);
        job->edp_best_js = fmin(job->edp_best_js, choice.edp_js);
    }
}

/* A running job as if it waited, with what is left of its work and set-up. */
static struct easim_job as_waiting(const struct easim_view *view, const struct easim_job *job) {
    struct easim_job waiting = *job;
    waiting.held_gpu_s = easim_job_held_gpu_s(view, job);
    waiting.kept_s = easim_job_kept_s(view, job);
    waiting.kept_gpu_s = easim_job_kept_gpu_s(view, job);
    waiting.remaining = easim_job_remaining(view, job);
    waiting.setup_s = fmax(0, job->start_s + job->setup_s - view->now_s);
    waiting.state = EASIM_JOB_WAITING;
    waiting.goodput_now = waiting.power_now_w = 0;
    waiting.config = waiting.span = waiting.running_slot = waiting.next_waiting = EASIM_NONE;
    find_best(view, &waiting);
    return waiting;
}

static int add_job(struct rounds *rounds, const struct easim_pass *pass,
                   const struct easim_job *job) {
    const struct easim_list *ops = rounds->rules->ops;
    bool runs = job->state == EASIM_JOB_RUNNING;
    const struct easim_job shown = runs ? as_waiting(pass->view, job) : *job;
    double best = ops->key ? rules_best_objective(rounds->rules, pass, &shown) : 0;
    struct round_job added = {.rank = {.job = job->index}, .runs = runs};
    if (isnan(best))
        return rules_fail_objective(rounds->rules, pass, job, false);
    if (rules_key(rounds->rules, pass, &shown, best, &added.key) < 0)
        return -1;
    double factor = ops->key && ops->user_factor ? ops->user_factor(pass, job->user) : 1;
    if (!(factor > 0 && factor < INFINITY))
        return rules_fail_as(pass, "user_factor of the user", job,
                             "is not a positive, finite number");
    double age =
        added.key.ageing_s > 0 ? 1 + easim_job_age_s(pass->view, job) / added.key.ageing_s : 1;
    added.rank.tier = added.key.tier;
    added.rank.value = added.key.value / age * factor;
    array_push(&rounds->jobs, added);
    return 0;
}

ORDER_BY(compare_jobs, struct round_job,
         THEN(index_before(&b->rank, &a->rank) - index_before(&a->rank, &b->rank)))

/* Jobs that must not be preempted keep their GPUs without competing. */
static int gather_jobs(struct rounds *rounds, const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    int r = 0;
    rounds->jobs.count = 0;
    for (uint32_t i = view->first_waiting; i != EASIM_NONE && r == 0;
         i = host_job(view, i)->next_waiting)
        r = add_job(rounds, pass, host_job(view, i));
    for (uint32_t i = 0; i < view->running_count && r == 0; i++) {
        const struct easim_job *job = host_job(view, easim_view_running(view, i)->job);
        r = job->preemptible ? add_job(rounds, pass, job) : 0;
    }
    if (r == 0)
        sort_array(rounds->jobs.at, rounds->jobs.count, compare_jobs);
    return r;
}

/* --- who gets what --- */

/* GPUs that may be given, by type: the free ones and those of running jobs that compete. And the
   power below an enforced cap. */
struct supply {
    uint32_t gpus[CLUSTER_MAX_TYPES], all;
    int64_t nw; /* INT64_MAX: no cap is enforced now */
};

static struct supply count_supply(const struct rounds *rounds, const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    struct supply supply = {.all = view->free_gpus, .nw = start_room_nw(rounds->rules)};
    for (uint32_t h = 0; h < view->gpu_type_count; h++)
        supply.gpus[h] = easim_view_gpu_type(view, h)->free;
    for (size_t i = 0; i < rounds->jobs.count; i++) {
        const struct easim_job *job = host_job(view, rounds->jobs.at[i].rank.job);
        if (!rounds->jobs.at[i].runs)
            continue;
        const struct easim_config *config = easim_view_config(view, job->config);
        supply.gpus[config->gpu_type] += config->k;
        supply.all += config->k;
        if (supply.nw < INT64_MAX)
            supply.nw += start_need_nw(rounds->rules, pass, job, job->config);
    }
    return supply;
}

static bool supply_has(const struct supply *supply, const struct rounds *rounds,
                       const struct easim_pass *pass, const struct easim_job *job,
                       uint32_t config) {
    const struct easim_config *c = easim_view_config(pass->view, config);
    return c->milli == 0 && c->k <= supply->gpus[c->gpu_type] &&
           (supply->nw == INT64_MAX ||
            start_need_nw(rounds->rules, pass, job, config) <= supply->nw);
}

/* Whether all power domains admit config, after what is chosen already and without those that run
   and have not been asked yet. */
static bool domains_admit(struct rounds *rounds, const struct easim_pass *pass,
                          const struct round_job *asking, uint32_t config) {
    const struct easim_power *cap = rounds->rules->cap;
    bool takes = false;
    rounds->parts.count = 0;
    for (size_t i = 0; i < rounds->jobs.count && cap && cap->domain_count > 0; i++) {
        const struct round_job *other = &rounds->jobs.at[i];
        uint32_t job = other->rank.job, own = host_job(pass->view, job)->config,
                 to = other == asking ? config : other->config;
        bool gets = other == asking || other->chosen.k > 0;
        struct easim_part part = {!gets         ? EASIM_PART_PREEMPT
                                  : other->runs ? EASIM_PART_RESIZE
                                                : EASIM_PART_START,
                                  job, to, true};
        if (other->runs ? gets && to == own : !gets)
            continue;
        takes = takes || gets;
        array_push(&rounds->parts, part);
    }
    return !takes || easim_power_admits(cap, pass, rounds->parts.at, (uint32_t)rounds->parts.count);
}

/* What config would cost the job: a restart and what it loses, if it runs in another. */
static struct easim_choice predict_in(const struct easim_view *view, const struct easim_job *job,
                                      uint32_t config) {
    uint32_t span = easim_view_config(view, config)->empty_span;
    return job->state == EASIM_JOB_RUNNING ? easim_predict_restarted(view, job, config, span)
                                           : easim_predict(view, job, config, span);
}

/* Keeps config in best if it is admitted and better. */
static int try_other(const struct rules *rules, const struct easim_pass *pass,
                     const struct round_job *asking, uint32_t config, struct choice_best *best) {
    const struct easim_job *job = host_job(pass->view, asking->rank.job);
    const struct easim_config *c = easim_view_config(pass->view, config);
    bool urgent = rules_is_urgent(&asking->key);
    if (!(c->goodput[c->empty_span] > 0))
        return 0;
    struct easim_job shown = *job;
    shown.state = EASIM_JOB_WAITING; /* bounds hold for a job that would start */
    struct easim_choice choice = predict_in(pass->view, job, config);
    double objective = rules_objective(rules, pass, &shown, &choice, urgent);
    if (isnan(objective))
        return rules_fail_objective(rules, pass, job, urgent);
    if (rules_admit(pass, &asking->key, &choice, objective))
        choice_keep_better(best, &choice, objective);
    return 0;
}

/* The present configuration of a running job, which needs no admission. */
static int try_present(const struct rules *rules, const struct easim_pass *pass,
                       const struct round_job *asking, struct choice_best *best) {
    const struct easim_job *job = host_job(pass->view, asking->rank.job);
    bool urgent = rules_is_urgent(&asking->key);
    struct easim_choice choice = resize_present(pass->view, job);
    double objective = rules_objective(rules, pass, job, &choice, urgent);
    if (isnan(objective))
        return rules_fail_objective(rules, pass, job, urgent);
    *best = (struct choice_best){choice, objective};
    return 0;
}

/* The best configuration that the supply has. */
static int choose_one(struct rounds *rounds, const struct easim_pass *pass, struct supply *supply,
                      struct round_job *asking) {
    const struct rules *rules = rounds->rules;
    const struct easim_job *job = host_job(pass->view, asking->rank.job);
    struct choice_best best = CHOICE_NONE_YET;
    int r = 0;
    if (asking->runs && supply_has(supply, rounds, pass, job, job->config) &&
        domains_admit(rounds, pass, asking, job->config))
        r = try_present(rules, pass, asking, &best);
    for (uint32_t c = job->first_config; c < job->first_config + job->config_count && r == 0; c++)
        if (c != job->config && supply_has(supply, rounds, pass, job, c) &&
            domains_admit(rounds, pass, asking, c))
            r = try_other(rules, pass, asking, c, &best);
    if (r < 0 || best.choice.config == EASIM_NONE)
        return r;
    asking->keeps = asking->runs && best.choice.config == job->config;
    asking->chosen = (struct start_limit){best.choice.gpu_type, best.choice.k};
    asking->config = best.choice.config;
    supply->gpus[best.choice.gpu_type] -= best.choice.k;
    supply->all -= best.choice.k;
    if (supply->nw < INT64_MAX)
        supply->nw -= start_need_nw(rules, pass, job, best.choice.config);
    return 0;
}

static int choose_all(struct rounds *rounds, const struct easim_pass *pass) {
    struct supply supply = count_supply(rounds, pass);
    for (size_t i = 0; i < rounds->jobs.count && supply.all > 0; i++) {
        struct round_job *asking = &rounds->jobs.at[i];
        if (choose_one(rounds, pass, &supply, asking) < 0)
            return -1;
        if (asking->chosen.k == 0 && rounds->rules->options->strict)
            break;
    }
    return 0;
}

/* --- and what is done about it --- */

/* Whether a decision at this very instant is needed: for those that are in the queue again, with
   nothing to write, and start in another configuration. */
static bool preempt_others(const struct rounds *rounds, const struct easim_pass *pass) {
    bool again = false;
    for (size_t i = 0; i < rounds->jobs.count; i++) {
        const struct round_job *asking = &rounds->jobs.at[i];
        if (!asking->runs || asking->keeps)
            continue;
        double writes_s = easim_job_writes_s(pass->view, host_job(pass->view, asking->rank.job));
        pass->host->plan_preempt(pass->plan, asking->rank.job, false);
        again = again || (asking->chosen.k > 0 && writes_s == 0);
    }
    return again;
}

static int start_chosen(struct rounds *rounds, const struct easim_pass *pass) {
    size_t kept = 0;
    for (size_t i = 0; i < rounds->jobs.count; i++) {
        struct round_job *asking = &rounds->jobs.at[i];
        const struct easim_job *job = host_job(pass->view, asking->rank.job);
        if (asking->keeps || asking->chosen.k == 0)
            continue;
        int started = job->state != EASIM_JOB_WAITING
                          ? 0
                          : start_try(rounds->rules, pass, job, &asking->key, &asking->chosen);
        if (started < 0)
            return -1;
        if (started == 0)
            rounds->jobs.at[kept++] = *asking; /* once there is room for it */
    }
    rounds->jobs.count = kept;
    return 0;
}

/* If the cap has fallen below the entry draws of the jobs that run, none can start: all go on,
   slowed by the host. */
static int decide_round(struct rounds *rounds, const struct easim_pass *pass) {
    if (start_room_nw(rounds->rules) < 0)
        return 0;
    if (rounds->rules->ops->begin)
        rounds->rules->ops->begin(pass);
    if (gather_jobs(rounds, pass) < 0 || choose_all(rounds, pass) < 0)
        return -1;
    if (preempt_others(rounds, pass))
        pass->host->plan_wake_at(pass->plan, pass->view->now_s);
    return 0;
}

/* --- when --- */

static bool timer_rang(const struct easim_view *view) {
    uint32_t i = 0;
    while (i < view->event_count && easim_view_event(view, i)->kind != EASIM_EVENT_TIMER)
        i++;
    return i < view->event_count;
}

static double start_of(const struct rounds *rounds, int64_t number) {
    return units_s(number * rounds->round_ns);
}

/* Asks for the next round, unless there is nobody to decide about or the last one, just now, has
   left all GPUs empty: then something else has to happen first. */
static void ask_for_next(struct rounds *rounds, const struct easim_pass *pass, bool decided) {
    const struct easim_view *view = pass->view;
    bool busy = view->running_count + view->checkpointing_count > 0;
    if (!busy && (decided || view->waiting_count == 0))
        return;
    int64_t number = (view->now_ns + rounds->round_ns - 1) / rounds->round_ns;
    number = number > rounds->number ? number : rounds->number + 1;
    if (number <= rounds->asked || start_of(rounds, number) > TIME_MAX_S)
        return;
    rounds->asked = number;
    pass->host->plan_wake_at(pass->plan, start_of(rounds, number));
}

int rounds_decide(struct rounds *rounds, const struct easim_pass *pass) {
    bool due = rounds->asked > rounds->number && timer_rang(pass->view) &&
               pass->view->now_s >= start_of(rounds, rounds->asked);
    if (due) {
        rounds->number = rounds->asked;
        if (decide_round(rounds, pass) < 0)
            return -1;
    }
    if (start_chosen(rounds, pass) < 0)
        return -1;
    ask_for_next(rounds, pass, due);
    return 0;
}
