/* lean: shortest job first, each in the configuration of least E * T^a, with an exponent a that
   falls as jobs wait; who finds nothing may displace jobs with much longer to go:
   docs/studies/lean.md. */
#include <easim/policy.h>
#include <inttypes.h>
#include <stdio.h>

enum { TIER_URGENT, TIER_OTHER, QUEUE_LEVELS = 4, PRICE_LEVELS = 3 };
static const double price_factors[PRICE_LEVELS] = {1, 2, 0.5}; /* of energy_price */

#define USUAL_PRICE   0.1  /* per kWh: the exponents are meant for it */
#define LIMIT_HOLDS_S 60   /* the least time between two power limits of a job */
#define MOST_EXPONENT 10   /* so that powers of times stay finite */
#define MARGIN_S      1e-6 /* more than what rounding does to a time */
#define MARGIN_LEFT_S 1e-3 /* the same, for times of many years */

struct params {
    double exponent_idle, exponent_busy, slack, displace, displace_age, preempt_slack_s;
    double energy_price;
    int64_t busy_jobs;
    bool deadlines, price_series;
    int32_t limits; /* 1: live */
};

struct state {
    double exponents[QUEUE_LEVELS * PRICE_LEVELS]; /* a, by level */
    /* With live limits: whether jobs waited when running jobs were looked at last, and when they
       may be looked at again for another reason. */
    bool waits;
    double look_s;
};

/* Level 0 is that of nobody else waiting, at energy_price. */
static double exponent_at(const struct params *p, uint32_t level) {
    double busy = level % QUEUE_LEVELS / (QUEUE_LEVELS - 1.0);
    double price = p->energy_price / USUAL_PRICE * price_factors[level / QUEUE_LEVELS];
    double exponent = p->exponent_idle + (p->exponent_busy - p->exponent_idle) * busy;
    return exponent / price < MOST_EXPONENT ? exponent / price : MOST_EXPONENT;
}

static double exponent_of(const struct easim_pass *pass) {
    return ((const struct state *)pass->state)->exponents[pass->level];
}

/* With live limits jobs start at full power while others wait. */
static double worth(const struct easim_pass *pass, const struct easim_job *job,
                    const struct easim_choice *choice) {
    (void)job;
    if (pass->level % QUEUE_LEVELS > 0 && choice->power_limit_w < INFINITY)
        return INFINITY;
    return easim_choice_edp(choice, exponent_of(pass), false);
}

static void minimise(const struct easim_pass *pass, struct easim_objective *ret) {
    const struct params *p = pass->params;
    ret->kind = p->limits ? EASIM_MINIMISE_OWN : EASIM_MINIMISE_EDP;
    ret->exponent = exponent_of(pass);
    ret->objective = worth;
}

static uint32_t level(const struct easim_pass *pass) {
    const struct params *p = pass->params;
    const struct easim_view *view = pass->view;
    double others = view->waiting_count > 0 ? view->waiting_count - 1 : 0;
    double queue = round((QUEUE_LEVELS - 1) * fmin(1, others / (double)p->busy_jobs));
    if (p->limits && others > 0)
        queue = fmax(1, queue);
    double ratio = p->price_series ? view->price_per_mwh / 1000 / p->energy_price : 1;
    uint32_t price = ratio >= sqrt(2) ? 1 : ratio <= sqrt(0.5) ? 2 : 0;
    return price * QUEUE_LEVELS + (uint32_t)queue;
}

/* Whether a job that takes time_s from now on meets its deadline. */
static bool is_in_time(const struct easim_pass *pass, const struct easim_job *job, double time_s) {
    const struct params *p = pass->params;
    return p->deadlines && isfinite(job->deadline_s) &&
           pass->view->now_s + time_s <= job->deadline_s;
}

static void tell(const struct easim_pass *pass, const struct easim_job *job, double best);

static void key(const struct easim_pass *pass, const struct easim_job *job, double best,
                struct easim_key *ret) {
    const struct params *p = pass->params;
    if (easim_told(pass, job->index))
        tell(pass, job, best);
    if (is_in_time(pass, job, job->time_best_s)) {
        ret->tier = TIER_URGENT;
        ret->value = job->deadline_s;
        ret->finish_by_s = job->deadline_s; /* 0, any time, of what takes none at t = 0 */
        ret->ask_again_s = job->deadline_s - job->time_best_s - MARGIN_S;
        return;
    }
    ret->tier = TIER_OTHER;
    ret->value = job->time_best_s;
    ret->objective_max = p->slack < EASIM_OFF ? p->slack * best : 0;
    ret->may_displace = p->displace < EASIM_OFF;
}

/* A running job is not resized into missing a deadline that it meets as it is; its limit alone is
   for `end`. */
static bool allow_resize(const struct easim_pass *pass, const struct easim_job *job,
                         uint32_t config) {
    const struct easim_view *view = pass->view;
    if (easim_config_same_gpus(easim_view_config(view, config),
                               easim_view_config(view, job->config)))
        return false;
    if (!is_in_time(pass, job, easim_predict_running(pass->view, job).time_s))
        return true;
    int span = pass->host->try_config(pass->plan, job->index, config, NULL);
    return span >= 0 &&
           is_in_time(pass, job,
                      easim_predict_resized(pass->view, job, config, (uint32_t)span).time_s);
}

/* Whether a running job that has so much to go gives way, by parameters displace and displace_age,
   to one of that T*. */
static bool is_displaced(const struct easim_pass *pass, double time_best_s,
                         const struct easim_job *other, double left_s) {
    const struct params *p = pass->params;
    return left_s > p->displace * time_best_s &&
           easim_job_age_s(pass->view, other) <= p->displace_age * left_s;
}

/* At least what a running job has to go: cheaper than to predict it. */
static double most_left_s(const struct easim_view *view, const struct easim_job *job) {
    return (double)(job->predicted_end_ns - view->now_ns) / 1e9 + MARGIN_LEFT_S;
}

/* Whether the host keeps a cap that is below what all GPUs may draw. */
static bool is_capped(const struct easim_view *view) {
    double most_w = 0;
    for (uint32_t h = 0; h < view->gpu_type_count; h++)
        most_w += easim_view_gpu_type(view, h)->gpus * easim_view_gpu_type(view, h)->tdp_w;
    return view->cap_is_enforced && view->power_cap_w < most_w;
}

/* Whether a running job, back in the queue, would go before one of that T*. A cap lets jobs start
   with few GPUs and slows them, so that they have long to go although their T* is short: displaced,
   they would take the GPUs back from the next. */
static bool would_go_first(const struct easim_view *view, double time_best_s,
                           const struct easim_job *other) {
    double work = easim_job_remaining(view, other) + easim_job_lost_work(view, other);
    uint32_t c = other->first_config, end = c + other->config_count;
    for (; c < end; c++) {
        const struct easim_config *config = easim_view_config(view, c);
        if (other->restart_s + work / config->goodput[config->empty_span] <= time_best_s)
            break;
    }
    return c < end;
}

/* Those who are to run longest give way. */
static double displace(const struct easim_pass *pass, const struct easim_job *job,
                       const struct easim_job *other) {
    const struct params *p = pass->params;
    if (!p->deadlines &&
        !is_displaced(pass, job->time_best_s, other, most_left_s(pass->view, other)))
        return 0;
    double left_s = easim_predict_running(pass->view, other).time_s;
    bool is_urgent = is_in_time(pass, job, job->time_best_s);
    bool may = is_urgent ? !is_in_time(pass, job, job->time_best_s + p->preempt_slack_s)
                         : is_displaced(pass, job->time_best_s, other, left_s);
    may = may && !other->sla && !is_in_time(pass, other, left_s);
    bool back = may && !is_urgent && is_capped(pass->view) &&
                would_go_first(pass->view, job->time_best_s, other);
    return may && !back ? left_s : 0;
}

/* The least E * T^a of what fits now; INFINITY: nothing does. */
static double least_that_fits(const struct easim_pass *pass, const struct easim_job *job) {
    double least = INFINITY;
    for (uint32_t c = job->first_config; c < job->first_config + job->config_count; c++) {
        int span = easim_fit(pass->view, easim_view_config(pass->view, c));
        if (span < 0)
            continue;
        const struct easim_choice choice = easim_predict(pass->view, job, c, (uint32_t)span);
        least = fmin(least, worth(pass, job, &choice));
    }
    return least;
}

/* The story of a job that waits: what fits costs too much, or nothing fits and who runs stays. */
static void tell(const struct easim_pass *pass, const struct easim_job *job, double best) {
    const struct params *p = pass->params;
    const struct easim_view *view = pass->view;
    double least = least_that_fits(pass, job);
    char text[200];
    uint32_t gives_way = 0;
    for (uint32_t i = 0; i < view->running_count; i++) {
        const struct easim_job *other = easim_view_job(view, easim_view_running(view, i)->job);
        gives_way += other->preemptible && displace(pass, job, other) > 0;
    }
    if (least == INFINITY && p->displace < EASIM_OFF)
        snprintf(text, sizeof text,
                 gives_way > 0 ? "of the running jobs %" PRIu32
                                 " would give way to it, too few or not yet"
                               : "no running job gives way to it",
                 gives_way);
    else if (least < INFINITY && least > p->slack * best)
        snprintf(text, sizeof text,
                 "the best that fits has %.3g times its least E * T^%.3g, and slack is %.3g",
                 least / best, exponent_of(pass), p->slack);
    else
        return;
    pass->host->reason(pass->plan, job->index, text);
}

/* --- live limits --- */

/* What a running job minimizes: energy among the limits that meet its deadline, else the rule for
   starts; while jobs wait it has full power. */
static double cost_of(const struct easim_pass *pass, const struct easim_job *job,
                      const struct easim_choice *choice, bool is_met) {
    if (pass->view->waiting_count > 0)
        return choice->power_limit_w < INFINITY ? INFINITY : 0;
    return is_met ? choice->energy_j : worth(pass, job, choice);
}

/* The configuration with the GPUs of a running job and the limit that it should have now. */
static uint32_t best_limit(const struct easim_pass *pass, const struct easim_job *job) {
    const struct easim_view *view = pass->view;
    const struct easim_config *own = easim_view_config(view, job->config);
    uint32_t best = job->config;
    bool best_met = false;
    double least = INFINITY;
    uint32_t c = job->config, end = job->first_config + job->config_count;
    if (c < job->first_config || c >= end)
        return c;
    while (c > job->first_config && easim_config_same_gpus(easim_view_config(view, c - 1), own))
        c--;
    for (; c < end && easim_config_same_gpus(easim_view_config(view, c), own); c++) {
        const struct easim_choice choice = easim_predict_resized(view, job, c, job->span);
        bool is_met = view->waiting_count == 0 && isfinite(job->deadline_s) &&
                      view->now_s + choice.time_s <= job->deadline_s;
        double cost = cost_of(pass, job, &choice, is_met);
        if (is_met > best_met || (is_met == best_met && cost < least)) {
            best_met = is_met;
            least = cost;
            best = c;
        }
    }
    return best;
}

/* Sets the limits of running jobs whose last one was a minute ago; when to do so for the next one,
   INFINITY: all are as they should be. */
static double set_limits(const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    double next_s = INFINITY;
    for (uint32_t i = 0; i < view->running_count; i++) {
        const struct easim_job *job = easim_view_job(view, easim_view_running(view, i)->job);
        double may_s = fmax(job->start_s, job->resized_s) + LIMIT_HOLDS_S;
        uint32_t best = best_limit(pass, job);
        if (best == job->config)
            continue;
        if (may_s <= view->now_s && pass->host->try_config(pass->plan, job->index, best, NULL) >= 0)
            pass->host->plan_resize(pass->plan, job->index, best);
        else /* too early, or an enforced cap forbids it now */
            next_s = fmin(next_s, may_s > view->now_s ? may_s : view->now_s + LIMIT_HOLDS_S);
    }
    return next_s;
}

/* Running jobs are looked at when the queue becomes empty or stops being so, and in other decisions
   at most once a minute: jobs may have started. While jobs wait, no decision is asked for but to
   set a limit, since in each one jobs may displace others. */
static void end(const struct easim_pass *pass) {
    const struct params *p = pass->params;
    const struct easim_view *view = pass->view;
    struct state *s = pass->state;
    if (!p->limits || !view->limits_in_place)
        return;
    struct easim_pass at = *pass;
    at.level = level(pass);
    bool waits = view->waiting_count > 0;
    double next_s = waits ? INFINITY : s->look_s;
    if (waits != s->waits || view->now_s >= s->look_s) {
        next_s = set_limits(&at);
        s->waits = waits;
        s->look_s = fmin(next_s, view->now_s + LIMIT_HOLDS_S);
    }
    if (next_s < INFINITY)
        pass->host->plan_wake_at(pass->plan, next_s);
}

static int init(const struct easim_pass *pass) {
    const struct params *p = pass->params;
    struct state *s = pass->state;
    for (uint32_t level = 0; level < QUEUE_LEVELS * PRICE_LEVELS; level++)
        s->exponents[level] = exponent_at(p, level);
    if (p->price_series && isnan(pass->view->price_per_mwh))
        pass->host->count(pass->plan, "price_series has no effect: there is no price", NULL);
    if (p->limits && !pass->view->limits_in_place)
        pass->host->count(pass->plan,
                          "limits of running jobs stay: jobs share network or storage here", NULL);
    return 0;
}

static const char *const limits_choices[] = {"off", "live", NULL};

static const struct easim_param params[] = {
    {"exponent_idle", "", "a while no other job waits", EASIM_PARAM_REAL,
     offsetof(struct params, exponent_idle), 0, 10, 0.5, false, NULL, EASIM_ROLE_NONE},
    {"exponent_busy", "", "a while busy_jobs others wait; linear in between", EASIM_PARAM_REAL,
     offsetof(struct params, exponent_busy), 0, 10, 0.25, false, NULL, EASIM_ROLE_NONE},
    {"busy_jobs", "", "see exponent_busy", EASIM_PARAM_INT, offsetof(struct params, busy_jobs), 1,
     1e6, 3, false, NULL, EASIM_ROLE_NONE},
    {"slack", "", "admit only configurations of at most slack times the least E * T^a",
     EASIM_PARAM_REAL, offsetof(struct params, slack), 1, 1e9, 2, true, NULL, EASIM_ROLE_NONE},
    {"displace", "", "who finds nothing displaces jobs with more than displace T* to go",
     EASIM_PARAM_REAL, offsetof(struct params, displace), 1, 1e9, 3, true, NULL, EASIM_ROLE_NONE},
    {"displace_age", "", "and of at most that age, in multiples of what they have to go",
     EASIM_PARAM_REAL, offsetof(struct params, displace_age), 0, 1e9, 2, false, NULL,
     EASIM_ROLE_NONE},
    {"deadlines", "", "jobs whose deadline can still be met go first", EASIM_PARAM_BOOL,
     offsetof(struct params, deadlines), 0, 1, 0, false, NULL, EASIM_ROLE_NONE},
    {"preempt_slack_s", "s", "of those, who has less slack may displace others",
     EASIM_PARAM_DURATION, offsetof(struct params, preempt_slack_s), 0, 1e9, 1200, false, NULL,
     EASIM_ROLE_DISPLACE},
    {"energy_price", "", "price of a kWh: at twice 0.1 the exponents are half", EASIM_PARAM_REAL,
     offsetof(struct params, energy_price), 1e-6, 1e6, USUAL_PRICE, false, NULL, EASIM_ROLE_NONE},
    {"price_series", "", "the price of the scenario counts, as 1/2, 1 or 2 times energy_price",
     EASIM_PARAM_BOOL, offsetof(struct params, price_series), 0, 1, 0, false, NULL,
     EASIM_ROLE_NONE},
    {"limits", "", "live: while no job waits, running jobs have lower power limits",
     EASIM_PARAM_CHOICE, offsetof(struct params, limits), 0, 1, 0, false, limits_choices,
     EASIM_ROLE_LIMITS},
};

static const struct easim_list list = {
    .struct_size = sizeof(struct easim_list),
    .key = key,
    .minimise = minimise,
    .allow_resize = allow_resize,
    .resize = true,
    .shrink = true,
    .levels = QUEUE_LEVELS * PRICE_LEVELS,
    .level = level,
    .displace = displace,
    .end = end,
};

EASIM_EXPORT const struct easim_policy easim_policy = {
    EASIM_POLICY_ABI,
    .name = "lean",
    .version = "1.0",
    .summary = "least energy at little delay, and room for short jobs",
    .help =
        "Order: T*, the least completion time on the empty cluster, without ageing. Each job starts in the configuration\n"
        "of least E * T^a that fits, if that is at most slack times its least on the empty cluster: a is exponent_idle\n"
        "while no other job waits and exponent_busy while busy_jobs others do (in quarters), divided by the price of\n"
        "energy over 0.1 per kWh. "
        "A job that finds nothing displaces preemptible best-effort jobs with more than displace T*\n"
        "to go and no older than displace_age times that, those with most to go first. Under an enforced cap that is less\n"
        "than all GPUs may draw, these are not jobs that would go before it in the queue, and their power has to suffice. "
        "Running jobs grow and shrink (resize,\n"
        "shrink). With deadlines: jobs that can still be in time go first, by deadline, only in configurations that are,\n"
        "and with less slack than preempt_slack_s displace others; who is in time is neither displaced nor resized into\n"
        "missing its deadline.\n"
        "With limits: live configurations also have power limits: the measured ones, or five of even speed from floor_w\n"
        "to tdp_w. A job starts under the limit of least E * T^a, but at full power if others wait. When the queue becomes\n"
        "empty or stops being so, and in other decisions at most once a minute, lean looks at running jobs. While jobs\n"
        "wait, they get full power. Else a job gets the limit of least energy among those that meet its deadline, and if there is\n"
        "none that of least E * T^a, both for the work that it has left. A limit holds for a minute at least.\n"
        "docs/studies/lean.md says what each parameter brings.",
    .capabilities = EASIM_CAPABILITY_PREEMPT | EASIM_CAPABILITY_FRACTIONAL_GPU |
                    EASIM_CAPABILITY_FREQUENCY | EASIM_CAPABILITY_TICK,
    .state_size = sizeof(struct state),
    .params_size = sizeof(struct params),
    .params = params,
    .param_count = sizeof params / sizeof *params,
    .list = &list,
    .init = init,
    .reads = EASIM_READS_PRICE | EASIM_READS_DEADLINES | EASIM_READS_RUN_TIMES,
};
