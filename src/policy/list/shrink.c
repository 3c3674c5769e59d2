/* Shrinking of running jobs: see shrink.h. At most one job per pass gives GPUs back. */
#include "policy/list/shrink.h"

#include "policy/host_job.h"
#include "policy/list/choice.h"
#include "policy/list/resize.h"
#include "policy/list/start.h"

/* What all questions of one decision are about. */
struct question {
    const struct rules *rules;
    const struct easim_pass *pass;
    const struct easim_job *first; /* the first waiting job */
    const struct easim_key *key;   /* its key */
};

/* A running job in a smaller configuration. */
struct offer {
    uint32_t job, config; /* config EASIM_NONE: there is none */
    double loss_s;        /* by how much it would end later */
};

/* Whether the first waiting job could start in config once `freed` more GPUs of its type are free,
   at a committed power of power_w. -1: its objective is NaN. */
static int could_start(const struct question *question, uint32_t config, uint32_t freed,
                       double power_w) {
    const struct easim_view *view = question->pass->view;
    const struct easim_config *c = easim_view_config(view, config);
    const struct start_hope hope = {config, easim_view_gpu_type(view, c->gpu_type)->free + freed,
                                    0};
    struct easim_choice choice;
    int can = start_could(question->rules, question->pass, question->first, question->key, &hope,
                          &choice);
    if (can <= 0)
        return can;
    double added_w = easim_config_gpus(c) * (fmax(choice.power_w, choice.ctx_w) - choice.idle_w);
    return !question->rules->keeps_cap || power_w + added_w <= view->power_cap_w;
}

/* Whether the first waiting job could start if job moved to config; -1: failed. */
static int lets_start(const struct question *question, const struct easim_job *job,
                      uint32_t config) {
    const struct easim_view *view = question->pass->view;
    const struct easim_config *c = easim_view_config(view, config);
    uint32_t freed = easim_view_config(view, job->config)->k - c->k;
    double power_w;
    int can = 0;
    if (question->pass->host->try_config(question->pass->plan, job->index, config, &power_w) < 0 ||
        !rules_allow(question->rules, question->pass, job, config))
        return 0;
    uint32_t end = question->first->first_config + question->first->config_count;
    for (uint32_t i = question->first->first_config; i < end && can == 0; i++)
        if (easim_view_config(view, i)->gpu_type == c->gpu_type)
            can = could_start(question, i, freed, power_w);
    return can;
}

/* The best configuration of job, by its objective, with fewer GPUs of the same type that lets the
   first waiting job start. Negative: failed. */
static int best_offer(const struct question *question, const struct easim_job *job,
                      struct offer *offer) {
    const struct easim_view *view = question->pass->view;
    const struct easim_config *now = easim_view_config(view, job->config);
    struct choice_best best = CHOICE_NONE_YET;
    for (uint32_t i = job->first_config; i < job->first_config + job->config_count; i++) {
        const struct easim_config *c = easim_view_config(view, i);
        int can = c->gpu_type == now->gpu_type && c->k < now->k ? lets_start(question, job, i) : 0;
        if (can < 0)
            return -1;
        if (can == 0)
            continue;
        int span = question->pass->host->try_config(question->pass->plan, job->index, i, NULL);
        struct easim_choice choice = easim_predict_resized(view, job, i, (uint32_t)span);
        double objective = rules_objective(question->rules, question->pass, job, &choice, false);
        if (isnan(objective))
            return rules_fail(question->pass, "objective", job);
        choice_keep_better(&best, &choice, objective);
    }
    *offer = (struct offer){job->index, best.choice.config,
                            best.choice.time_s - easim_predict_running(view, job).time_s};
    return 0;
}

/* More than what rounding does to a time, as a share of all that is added up. */
#define SLACK 1e-9

/* Whether an offer of the job could be taken at all: in no smaller configuration would it lose less
   than what is gained, even placed as it is best. Cheap, and mostly the answer is no: a resize
   costs a restart, and the next job is expected to end before that. */
static bool could_pay(const struct rules *rules, const struct easim_view *view,
                      const struct easim_job *job, double gain_s) {
    const struct easim_config *now = easim_view_config(view, job->config);
    double now_s = easim_predict_running(view, job).time_s;
    double least_s = fmax(job->restart_s, rules->options->resize_gain * now_s);
    double most_s = now_s + gain_s - least_s;
    most_s += SLACK * (now_s + fabs(gain_s) + least_s);
    for (uint32_t i = job->first_config; i < job->first_config + job->config_count; i++) {
        const struct easim_config *c = easim_view_config(view, i);
        for (uint32_t span = 0; span < c->span_count; span++)
            if (c->gpu_type == now->gpu_type && c->k < now->k && c->goodput[span] > 0 &&
                easim_predict_resized(view, job, i, span).time_s < most_s)
                return true;
    }
    return false;
}

/* Jobs that got GPUs at this very instant, perhaps by this very plan, keep them. */
static bool may_shrink(const struct rules *rules, const struct easim_view *view,
                       const struct easim_job *job) {
    return resize_may(rules, view, job) && job->preemptible && job->start_s < view->now_s;
}

/* Whether an offer costs its job less than another: ties by index. */
static bool costs_less(const struct offer *offer, const struct offer *other) {
    if (other->config == EASIM_NONE || offer->loss_s != other->loss_s)
        return other->config == EASIM_NONE || offer->loss_s < other->loss_s;
    return offer->job < other->job;
}

/* Keeps the offer of a job if it pays and costs less. Negative: failed. */
static int consider(const struct question *question, const struct easim_job *job, double gain_s,
                    struct offer *best) {
    const struct easim_view *view = question->pass->view;
    const struct rules *rules = question->rules;
    struct offer offer = {.config = EASIM_NONE};
    if (may_shrink(rules, view, job) && could_pay(rules, view, job, gain_s) &&
        best_offer(question, job, &offer) < 0)
        return -1;
    if (offer.config == EASIM_NONE)
        return 0;
    double time_s = easim_predict_running(view, job).time_s;
    double least_s = fmax(job->restart_s, rules->options->resize_gain * time_s);
    if (offer.loss_s + least_s < gain_s && costs_less(&offer, best))
        *best = offer;
    return 0;
}

/* Whether no running job has a better offer than those among the candidates. Negative: failed. */
static int recheck_offers(const struct question *question, double gain_s,
                          const struct offer *found) {
    const struct easim_pass *pass = question->pass;
    const struct easim_view *view = pass->view;
    struct offer best = {.config = EASIM_NONE};
    for (uint32_t i = 0; i < view->running_count; i++)
        if (consider(question, host_job(view, easim_view_running(view, i)->job), gain_s, &best) < 0)
            return -1;
    if (best.config == found->config && (best.config == EASIM_NONE || best.job == found->job))
        return 0;
    pass->host->fail(pass->plan, "check: shrinking has overlooked a job that would lose less");
    return -1;
}

int shrink_decide(struct shrink *shrink, const struct easim_pass *pass,
                  const struct easim_job *first, const struct easim_key *key, uint32_t *ret_job) {
    const struct easim_view *view = pass->view;
    const struct question question = {shrink->rules, pass, first, key};
    struct offer best = {.config = EASIM_NONE};
    double gain_s = candidates_gain_s(&shrink->candidates, view);
    candidates_find(&shrink->candidates, view, gain_s);
    for (size_t i = 0; i < shrink->candidates.found.count; i++) {
        const struct easim_job *job = host_job(view, shrink->candidates.found.at[i]);
        if (consider(&question, job, gain_s, &best) < 0)
            return -1;
    }
    if (shrink->recheck && recheck_offers(&question, gain_s, &best) < 0)
        return -1;
    *ret_job = best.job;
    return best.config != EASIM_NONE &&
           pass->host->plan_resize(pass->plan, best.job, best.config) == EASIM_OK;
}

void shrink_init(struct shrink *shrink, const struct rules *rules, uint32_t job_count) {
    *shrink = (struct shrink){.rules = rules};
    const struct list_options *options = rules->options;
    if (options->resize && options->shrink && !list_options_in_rounds(options))
        candidates_init(&shrink->candidates, job_count);
}

void shrink_finish(struct shrink *shrink) {
    candidates_finish(&shrink->candidates);
    *shrink = (struct shrink){0};
}

void shrink_note(struct shrink *shrink, uint32_t job) {
    candidates_note(&shrink->candidates, job);
}
