/* easim/predict.h: figures that follow from the view by formulas: usage of users, progress of jobs,
   and the cost of a job in a configuration. They are inline, so that policies and the host compute
   the same doubles. docs/reference/semantics.md has the formulas. */
#ifndef EASIM_PREDICT_H
#define EASIM_PREDICT_H

#include <easim/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* GPU-seconds that a user has held (semantics 5.3), including set-up and lost work. With a
   half-life, older ones count less. */
static inline double easim_user_usage_s(const struct easim_view *view, uint32_t user) {
    const struct easim_user *u = easim_view_user(view, user);
    double since_s = view->now_s - u->as_of_s;
    double held = u->allocated_gpus + (double)u->shared_milli / 1000;
    if (view->usage_half_life_s == INFINITY)
        return u->gpu_s + held * since_s;
    double fade = exp2(-since_s / view->usage_half_life_s);
    return u->gpu_s * fade +
           held * (1 - fade) * view->usage_half_life_s / 0.69314718055994531; /* ln 2 */
}
static inline double easim_job_age_s(const struct easim_view *view, const struct easim_job *job) {
    return view->now_s - job->submit_s;
}

/* Seconds that a running job has computed on its present GPUs. */
static inline double easim_job_computing_s(const struct easim_view *view,
                                           const struct easim_job *job) {
    return fmax(0, view->now_s - job->start_s - job->setup_s);
}
/* The part of these seconds since rate_s; all of them if rate_s is 0. */
static inline double easim_job_rate_computing_s(const struct easim_view *view,
                                                const struct easim_job *job) {
    return fmin(easim_job_computing_s(view, job), view->now_s - job->rate_s);
}
/* Work still to do, as predicted; for a running job as of now. host->remaining measures it. */
static inline double easim_job_remaining(const struct easim_view *view,
                                         const struct easim_job *job) {
    if (job->state != EASIM_JOB_RUNNING)
        return job->remaining;
    return fmax(0, job->remaining - easim_job_rate_computing_s(view, job) * job->goodput_now);
}
static inline double easim_job_lost_s(const struct easim_view *view, const struct easim_job *job,
                                      bool at_once) {
    double computing_s = easim_job_computing_s(view, job), interval_s = job->checkpoint_interval_s;
    return interval_s > 0 ? fmod(computing_s, interval_s) : at_once ? computing_s : 0;
}
/* Work that a running job loses if it stops now, with time for a checkpoint. */
static inline double easim_job_lost_work(const struct easim_view *view,
                                         const struct easim_job *job) {
    double lost_s = easim_job_lost_s(view, job, false),
           rate_s = easim_job_rate_computing_s(view, job);
    return lost_s > rate_s ? rate_s * job->goodput_now + job->unsaved_work
                           : lost_s * job->goodput_now;
}
/* Seconds that a job still holds its GPUs if it is preempted now, but not at once: it writes a
   checkpoint, or the rest of the checkpoint of a resize. */
static inline double easim_job_writes_s(const struct easim_view *view,
                                        const struct easim_job *job) {
    double new_s = easim_job_computing_s(view, job) > 0 ? job->checkpoint_s : 0;
    return job->checkpoint_interval_s > 0 ? 0 : fmax(new_s, job->saved_at_s - view->now_s);
}

/* The time at which a running job should end: as predicted, or now + 1 ns if it has overrun
   that. */
static inline int64_t easim_predicted_end_ns(const struct easim_view *view,
                                             int64_t predicted_end_ns) {
    return predicted_end_ns > view->now_ns ? predicted_end_ns : view->now_ns + 1;
}

/* GPUs that a job in this configuration holds: k, or a part of one. */
static inline double easim_config_gpus(const struct easim_config *config) {
    return config->milli ? config->milli / 1000.0 : config->k;
}

/* Totals of a job up to now: GPU-seconds held (attained service), computing time whose work is kept
   or would be kept after a preemption now, and GPU-seconds of that time. */
static inline double easim_job_held_gpu_s(const struct easim_view *view,
                                          const struct easim_job *job) {
    bool holds = job->state == EASIM_JOB_RUNNING || job->state == EASIM_JOB_CHECKPOINTING;
    if (!holds || job->config == EASIM_NONE)
        return job->held_gpu_s;
    double gpus = easim_config_gpus(easim_view_config(view, job->config));
    return job->held_gpu_s + gpus * (view->now_s - job->start_s);
}
static inline double easim_job_kept_s(const struct easim_view *view, const struct easim_job *job) {
    if (job->state != EASIM_JOB_RUNNING)
        return job->kept_s;
    return job->kept_s + easim_job_computing_s(view, job) - easim_job_lost_s(view, job, false);
}
static inline double easim_job_kept_gpu_s(const struct easim_view *view,
                                          const struct easim_job *job) {
    if (job->state != EASIM_JOB_RUNNING)
        return job->kept_gpu_s;
    double gpus = easim_config_gpus(easim_view_config(view, job->config));
    return job->kept_gpu_s + gpus * (easim_job_kept_s(view, job) - job->kept_s);
}

/* A configuration for a job with its predicted cost (semantics 4). */
struct easim_choice {
    size_t struct_size;    /* of struct easim_choice where it was made: policy or host */
    uint32_t config, span; /* index in the view's table; enum easim_span of the prediction */
    uint32_t k, gpu_type;
    double batch;
    double power_w, ctx_w, idle_w; /* power of one GPU: computing, in set-up, free */
    double setup_s;
    double time_s;                /* T = set-up + remaining / goodput */
    double energy_j;              /* E = gpus * (ctx_w * set-up + power_w * remaining / goodput) */
    double edp_js, power_limit_w; /* E * T; that of the configuration */
    double gpus;                  /* held: k, or a part of one */
};

/* Placement that k GPUs, or `milli` thousandths of one, would get now: the lowest span in which one
   place has enough free GPUs, or EASIM_NOFIT. */
static inline int easim_room(const struct easim_view *view, uint32_t gpu_type, uint32_t k,
                             uint32_t milli) {
    const struct easim_gpu_type *type = easim_view_gpu_type(view, gpu_type);
    int span = EASIM_ACROSS_NODES;
    if (k <= type->node_free_max || (milli && milli <= type->shared_free_max_milli))
        return EASIM_ONE_NODE;
    if (k > type->free)
        return EASIM_NOFIT;
    while ((uint32_t)span + 1 < view->span_count && k > type->span_free_max[span])
        span++;
    return span;
}

/* Placement that a configuration would get now, or EASIM_NOFIT if none, or if its speed there is
   not known. */
static inline int easim_fit(const struct easim_view *view, const struct easim_config *config) {
    int span = easim_room(view, config->gpu_type, config->k, config->milli);
    return span >= 0 && config->goodput[span] > 0 ? span : (int)EASIM_NOFIT;
}

/* The highest span that a configuration may get once k GPUs of its type are free, for every choice
   of these GPUs. EASIM_NOFIT: it might be a span in which its speed is not known. */
static inline int easim_fit_later(const struct easim_view *view,
                                  const struct easim_config *config) {
    const struct easim_gpu_type *type = easim_view_gpu_type(view, config->gpu_type);
    bool certain = config->k <= type->node_free_max || type->node_gpus_max == type->gpus;
    int span = EASIM_ONE_NODE;
    if (!certain && config->k <= type->node_gpus_max && !(config->goodput[EASIM_ONE_NODE] > 0))
        return EASIM_NOFIT;
    for (span += !certain; !certain && (uint32_t)span + 1 < view->span_count; span++) {
        if (config->k <= type->span_free_max[span] || type->span_gpus_max[span] == type->gpus)
            break;
        if (config->k <= type->span_gpus_max[span] && !(config->goodput[span] > 0))
            return EASIM_NOFIT;
    }
    return config->goodput[span] > 0 ? span : (int)EASIM_NOFIT;
}

/* Prediction for setup_s of set-up and computing_s of computing in configuration `config` (an
   index), if each GPU draws power_w while it computes. */
static inline struct easim_choice easim_predict_computing(const struct easim_view *view,
                                                          double setup_s, double computing_s,
                                                          uint32_t config, uint32_t span,
                                                          double power_w) {
    const struct easim_config *c = easim_view_config(view, config);
    const struct easim_gpu_type *type = easim_view_gpu_type(view, c->gpu_type);
    struct easim_choice choice;
    choice.struct_size = sizeof choice;
    choice.config = config;
    choice.span = span;
    choice.k = c->k;
    choice.gpu_type = c->gpu_type;
    choice.batch = c->batch;
    choice.power_w = power_w;
    choice.ctx_w = type->ctx_w;
    choice.idle_w = type->idle_w;
    choice.setup_s = setup_s;
    choice.time_s = setup_s + computing_s;
    choice.gpus = easim_config_gpus(c);
    choice.energy_j = choice.gpus * (type->ctx_w * setup_s + power_w * computing_s);
    choice.edp_js = choice.energy_j * choice.time_s;
    choice.power_limit_w = c->power_limit_w;
    return choice;
}
/* Prediction for `remaining` work after a set-up, placed as `span`. */
static inline struct easim_choice easim_predict_work(const struct easim_view *view,
                                                     double remaining, double setup_s,
                                                     uint32_t config, uint32_t span) {
    const struct easim_config *c = easim_view_config(view, config);
    return easim_predict_computing(view, setup_s, remaining / c->goodput[span], config, span,
                                   c->power_w[span]);
}

/* Whether two configurations differ in their power limit alone. */
static inline bool easim_config_same_gpus(const struct easim_config *a,
                                          const struct easim_config *b) {
    return a->k == b->k && a->gpu_type == b->gpu_type && a->batch == b->batch &&
           a->milli == b->milli;
}

/* Four predictions: for a waiting job, for a running job that stays as it is (at its present
   goodput and power), for a running job that restarts now, which adds restart_s, a checkpoint and
   lost work, and for one that is resized now: the same unless only its power limit changes in
   place. */
static inline struct easim_choice easim_predict(const struct easim_view *view,
                                                const struct easim_job *job, uint32_t config,
                                                uint32_t span) {
    return easim_predict_work(view, job->remaining, job->setup_s, config, span);
}
static inline struct easim_choice easim_predict_running(const struct easim_view *view,
                                                        const struct easim_job *job) {
    double setup_s = fmax(0, job->start_s + job->setup_s - view->now_s);
    return easim_predict_computing(view, setup_s, easim_job_remaining(view, job) / job->goodput_now,
                                   job->config, job->span, job->power_now_w);
}
static inline struct easim_choice easim_predict_restarted(const struct easim_view *view,
                                                          const struct easim_job *job,
                                                          uint32_t config, uint32_t span) {
    double lost = easim_job_lost_work(view, job);
    double writes_s = fmin(job->checkpoint_s, easim_job_writes_s(view, job));
    return easim_predict_work(view, easim_job_remaining(view, job) + lost,
                              job->restart_s + writes_s, config, span);
}
static inline struct easim_choice easim_predict_resized(const struct easim_view *view,
                                                        const struct easim_job *job,
                                                        uint32_t config, uint32_t span) {
    if (!view->limits_in_place || !easim_config_same_gpus(easim_view_config(view, job->config),
                                                          easim_view_config(view, config)))
        return easim_predict_restarted(view, job, config, span);
    return easim_predict_work(view, easim_job_remaining(view, job),
                              fmax(0, job->start_s + job->setup_s - view->now_s), config,
                              job->span);
}

/* E * T^exponent; with `marginal`, E counts only power above idle. */
static inline double easim_choice_edp(const struct easim_choice *choice, double exponent,
                                      bool marginal) {
    double energy_j =
        choice->energy_j - (marginal ? choice->gpus * choice->idle_w * choice->time_s : 0);
    return energy_j * (exponent == 1 ? choice->time_s : pow(choice->time_s, exponent));
}

#ifdef __cplusplus
}
#endif

#endif
