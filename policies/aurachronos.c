/* aurachronos: deadlines that can still be met first, by slack, each in the configuration of least
   energy-delay product that is in time; a job about to miss its deadline displaces best-effort
   jobs, those that waste the least energy; all other jobs fill the rest by energy-delay product.
   After AuraChronos of the EAS-Sim study. */
#include "edp/edp.h"

#include <easim/power.h>
#include <stdlib.h>

enum { POWER }; /* places of extensions */
enum { URGENT_EDP, URGENT_TIME };
enum { TIER_URGENT, TIER_OTHER };

#define MARGIN_S 1e-6 /* more than what rounding does to a time */

struct params {
    struct edp edp;
    double tau, deadline_margin_s, preempt_slack_s;
    int64_t max_preemptions;
    int32_t urgent_objective;
};

/* A running job that may be displaced: what that wastes, and how long it would still hold its GPUs.
 */
struct victim {
    uint32_t job, gpu_type, k;
    int64_t nw; /* below an enforced cap */
    double wasted_j, checkpoint_s;
};

/* Those of one GPU type, or of all if they also free power, by wasted energy, then submission. */
struct victims {
    struct victim *at; /* NULL: not looked for yet in this pass */
    uint32_t count;
    uint32_t gpus; /* of all that have not been displaced in this pass */
};

struct state {
    struct victims *types; /* by GPU type; NULL: nobody has been looked at in this pass yet */
    uint32_t *may_go;      /* running jobs of any type that may be displaced */
    uint32_t may_go_count;
    uint32_t *chosen;         /* places of victims in their list */
    struct easim_part *parts; /* what is tried: a start, and those that go for it */
    int64_t quiet_until_ns;   /* GPUs of displaced jobs come free then: displace nobody before */
};

/* What it takes to start a job in a configuration: the victims with a place in `chosen`. */
struct displacement {
    uint32_t config, count;
    double wasted_j, end_s;
};

/* --- the list policy --- */

/* best is EDP*. Slack falls equally fast for all jobs, so deadline - T* orders them as deadline -
 * now - T* does. */
static void key(const struct easim_pass *pass, const struct easim_job *job, double best,
                struct easim_key *ret) {
    const struct params *p = pass->params;
    double latest_start_s = job->deadline_s - job->time_best_s;
    double finish_by_s = job->deadline_s - p->deadline_margin_s;
    if (isfinite(job->deadline_s) && pass->view->now_s + job->time_best_s <= finish_by_s) {
        ret->tier = TIER_URGENT;
        ret->value = latest_start_s;
        ret->ask_again_s = finish_by_s - job->time_best_s - MARGIN_S;
        ret->finish_by_s = finish_by_s; /* 0, any time, of what takes none at t = 0 */
        ret->room_from_s = latest_start_s - p->preempt_slack_s - MARGIN_S;
        return;
    }
    ret->tier = TIER_OTHER;
    ret->value = sqrt(best);
    ret->ageing_s = p->tau;
    ret->objective_max = edp_most(&p->edp, best);
}

static void minimise(const struct easim_pass *pass, struct easim_objective *ret) {
    const struct params *p = pass->params;
    *ret = edp_objective(&p->edp);
}

static void minimise_urgent(const struct easim_pass *pass, struct easim_objective *ret) {
    const struct params *p = pass->params;
    if (p->urgent_objective != URGENT_TIME)
        minimise(pass, ret);
}

/* A running job is not resized into missing a deadline that it meets as it is. */
static bool allow_resize(const struct easim_pass *pass, const struct easim_job *job,
                         uint32_t config) {
    const struct params *p = pass->params;
    double left_s = job->deadline_s - p->deadline_margin_s - pass->view->now_s;
    if (!isfinite(left_s) || easim_predict_running(pass->view, job).time_s > left_s)
        return true;
    int span = pass->host->try_config(pass->plan, job->index, config, NULL);
    return span >= 0 &&
           easim_predict_resized(pass->view, job, config, (uint32_t)span).time_s <= left_s;
}

/* --- preemption --- */

static void begin(const struct easim_pass *pass) {
    struct state *s = pass->state;
    s->types = NULL; /* memory of the last pass */
}

/* A job that got its GPUs at this very instant is left alone: perhaps this very plan gave them to
   it. So is one that shares a GPU: it would free no whole one. */
static bool may_displace(const struct easim_pass *pass, const struct easim_job *job) {
    const struct params *p = pass->params;
    return job->preemptible && !job->sla && job->preemptions < p->max_preemptions &&
           job->start_s < pass->view->now_s &&
           easim_view_config(pass->view, job->config)->milli == 0;
}

/* Wasted: the work since the last checkpoint, the set-up to come, and a checkpoint written on
 * demand. */
static struct victim judge(const struct easim_pass *pass, const struct easim_job *job) {
    const struct easim_view *view = pass->view;
    const struct easim_power *power = easim_power_of(pass, POWER);
    const struct easim_config *config = easim_view_config(view, job->config);
    double ctx_w = easim_view_gpu_type(view, config->gpu_type)->ctx_w;
    double checkpoint_s = easim_job_writes_s(view, job);
    double lost_j = config->power_w[job->span] * easim_job_lost_s(view, job, false);
    return (struct victim){.job = job->index,
                           .gpu_type = config->gpu_type,
                           .k = config->k,
                           .nw = power ? easim_power_at(power, job->index)->entry_nw : 0,
                           .wasted_j =
                               config->k * (lost_j + ctx_w * (job->restart_s + checkpoint_s)),
                           .checkpoint_s = checkpoint_s};
}

static int compare(const void *left, const void *right) {
    const struct victim *a = left, *b = right;
    if (a->wasted_j != b->wasted_j)
        return a->wasted_j < b->wasted_j ? -1 : 1;
    return a->job < b->job ? -1 : a->job > b->job;
}

/* Who may be displaced is found once per pass: those who start in it may not. */
static struct victims *look_at_running(const struct easim_pass *pass) {
    struct state *s = pass->state;
    const struct easim_view *view = pass->view;
    size_t most = view->running_count + 1;
    if (s->types)
        return s->types;
    s->types = pass->host->scratch(pass->plan, (view->gpu_type_count + 1) * sizeof *s->types);
    s->chosen = pass->host->scratch(pass->plan, most * sizeof *s->chosen);
    s->parts = pass->host->scratch(pass->plan, most * sizeof *s->parts);
    s->may_go = pass->host->scratch(pass->plan, most * sizeof *s->may_go);
    s->may_go_count = 0;
    for (uint32_t i = 0; i < view->running_count; i++) {
        const struct easim_running *running = easim_view_running(view, i);
        if (!may_displace(pass, easim_view_job(view, running->job)))
            continue;
        s->types[running->gpu_type].gpus += running->k;
        s->may_go[s->may_go_count++] = running->job;
    }
    return s->types;
}

/* The victims of a GPU type, or of all under an enforced cap, found once per pass. */
static struct victims *find_victims(const struct easim_pass *pass, uint32_t gpu_type) {
    const struct state *s = pass->state;
    const struct easim_view *view = pass->view;
    bool any = view->cap_is_enforced;
    struct victims *v = &look_at_running(pass)[any ? view->gpu_type_count : gpu_type];
    if (v->at)
        return v;
    v->at = pass->host->scratch(pass->plan, (s->may_go_count + 1) * sizeof *v->at);
    for (uint32_t i = 0; i < s->may_go_count; i++) {
        const struct easim_job *job = easim_view_job(view, s->may_go[i]);
        if (job && job->config != EASIM_NONE &&
            (any || easim_view_config(view, job->config)->gpu_type == gpu_type))
            v->at[v->count++] = judge(pass, job);
    }
    qsort(v->at, v->count, sizeof *v->at, compare);
    return v;
}

/* GPUs and power that a configuration lacks; at most 0: it does not. */
struct lack {
    int64_t gpus, nw;
};

static struct lack find_lack(const struct easim_pass *pass, const struct easim_job *job,
                             uint32_t c) {
    const struct easim_config *config = easim_view_config(pass->view, c);
    const struct easim_power *power = easim_power_of(pass, POWER);
    uint32_t free = easim_view_gpu_type(pass->view, config->gpu_type)->free;
    struct lack lack = {.gpus = (int64_t)config->k - free};
    if (power && pass->view->cap_is_enforced && power->room_nw < INT64_MAX)
        lack.nw = power->start_nw(pass->plan, job->index, c) - power->room_nw;
    return lack;
}

/* sign 1: the victim goes; -1: it stays after all. */
static struct lack change_lack(struct lack lack, const struct victim *victim, uint32_t gpu_type,
                               int sign) {
    lack.gpus -= victim->gpu_type == gpu_type ? sign * (int64_t)victim->k : 0;
    lack.nw -= sign * victim->nw;
    return lack;
}

static bool suffices(struct lack lack) {
    return lack.gpus <= 0 && lack.nw <= 0;
}

/* As suffices, and power domains admit the first `count` parts. */
static bool admits(const struct easim_pass *pass, struct lack lack, uint32_t count) {
    const struct state *s = pass->state;
    return suffices(lack) && easim_power_admits(easim_power_of(pass, POWER), pass, s->parts, count);
}

/* The victims that free GPUs and power for a configuration, as places in s->chosen: by ascending
   waste until they suffice, then without those that are not needed, the most wasteful first to be
   left out. */
static struct displacement displace(const struct easim_pass *pass, const struct easim_job *job,
                                    uint32_t c) {
    const struct state *s = pass->state;
    const struct easim_config *config = easim_view_config(pass->view, c);
    const struct victims *v = find_victims(pass, config->gpu_type);
    struct displacement d = {.config = c, .end_s = INFINITY};
    int span = easim_fit_later(pass->view, config);
    if (span < 0)
        return d;
    struct lack lack = find_lack(pass, job, c);
    uint32_t taken = 0;
    s->parts[0] = (struct easim_part){EASIM_PART_START, job->index, c, false};
    for (; taken < v->count && !admits(pass, lack, taken + 1); taken++) {
        lack = change_lack(lack, &v->at[taken], config->gpu_type, 1);
        s->parts[taken + 1] =
            (struct easim_part){EASIM_PART_PREEMPT, v->at[taken].job, EASIM_NONE, true};
    }
    if (taken == 0 || !admits(pass, lack, taken + 1))
        return d;
    double wait_s = 0;
    for (uint32_t count = taken + 1; taken > 0; taken--) {
        struct lack without = change_lack(lack, &v->at[taken - 1], config->gpu_type, -1);
        struct easim_part part = s->parts[taken];
        s->parts[taken] = s->parts[count - 1];
        if (admits(pass, without, count - 1)) {
            lack = without;
            count--;
            continue;
        }
        s->parts[taken] = part;
        s->chosen[d.count++] = taken - 1;
        d.wasted_j += v->at[taken - 1].wasted_j;
        wait_s = fmax(wait_s, v->at[taken - 1].checkpoint_s);
    }
    d.end_s = pass->view->now_s + wait_s + easim_predict(pass->view, job, c, (uint32_t)span).time_s;
    return d;
}

/* The configuration whose victims waste the least energy among those that are in time; ties: the
   earlier end, then the order of the table (GPU type, k, batch). Those that fit the free GPUs and
   the power left have been refused before. */
static uint32_t choose(const struct easim_pass *pass, const struct easim_job *job) {
    const struct params *p = pass->params;
    struct displacement best = {.config = EASIM_NONE};
    for (uint32_t c = job->first_config; c < job->first_config + job->config_count; c++) {
        int fit = easim_fits(pass, job, c);
        if (fit != EASIM_NOFIT && fit != EASIM_CAP)
            continue;
        struct displacement d = displace(pass, job, c);
        if (d.end_s <= job->deadline_s - p->deadline_margin_s &&
            (best.config == EASIM_NONE || d.wasted_j < best.wasted_j ||
             (d.wasted_j == best.wasted_j && d.end_s < best.end_s)))
            best = d;
    }
    return best.config;
}

/* Takes the chosen victims' GPUs and forgets them as victims; returns the time after which all GPUs
 * are free. */
static double take(const struct easim_pass *pass, struct victims *v, uint32_t count) {
    const struct state *s = pass->state;
    double wait_s = 0;
    for (uint32_t i = 0; i < count;
         i++) { /* places fall, so removing one leaves the next in place */
        struct victim *victim = &v->at[s->chosen[i]];
        wait_s = fmax(wait_s, victim->checkpoint_s);
        pass->host->plan_preempt(pass->plan, victim->job, false);
        s->types[victim->gpu_type].gpus -= victim->k;
        v->count--;
        for (uint32_t j = s->chosen[i]; j < v->count; j++)
            v->at[j] = v->at[j + 1];
    }
    return wait_s;
}

/* While somebody writes a checkpoint nobody is displaced; after that all who may be could go. */
static uint32_t room_most(const struct easim_pass *pass, uint32_t gpu_type) {
    const struct state *s = pass->state;
    const struct easim_view *view = pass->view;
    if (view->now_ns < s->quiet_until_ns)
        return 0;
    return easim_view_gpu_type(view, gpu_type)->free + look_at_running(pass)[gpu_type].gpus;
}

static bool make_room(const struct easim_pass *pass, const struct easim_job *job) {
    const struct params *p = pass->params;
    const struct easim_view *view = pass->view;
    struct state *s = pass->state;
    if (!(job->deadline_s - view->now_s - job->time_best_s < p->preempt_slack_s) ||
        view->now_ns < s->quiet_until_ns)
        return false;
    uint32_t c = choose(pass, job);
    if (c == EASIM_NONE)
        return false;
    const struct easim_config *config = easim_view_config(view, c);
    uint32_t count = displace(pass, job, c).count;
    double wait_s = take(pass, find_victims(pass, config->gpu_type), count);
    if (suffices(find_lack(pass, job, c)))
        return true;
    s->quiet_until_ns =
        view->now_ns + (int64_t)(wait_s * 1e9); /* somebody writes a checkpoint first */
    return false;
}

/* --- the module --- */

static const char *const urgent_objectives[] = {"edp", "time", NULL};

static const struct easim_param params[] = {
    TAU_PARAM(" of the other jobs"),
    {"urgent_objective", "", "of urgent jobs: edp, or time", EASIM_PARAM_CHOICE,
     offsetof(struct params, urgent_objective), 0, 1, URGENT_EDP, false, urgent_objectives,
     EASIM_ROLE_URGENT},
    {"deadline_margin_s", "s", "urgent jobs are to end this long before their deadline",
     EASIM_PARAM_DURATION, offsetof(struct params, deadline_margin_s), 0, 1e9, 0, false, NULL,
     EASIM_ROLE_NONE},
    {"preempt_slack_s", "s", "urgent jobs with less slack may displace best-effort jobs; 0: never",
     EASIM_PARAM_DURATION, offsetof(struct params, preempt_slack_s), 0, 1e9, 600, false, NULL,
     EASIM_ROLE_DISPLACE},
    {"max_preemptions", "", "a job that has been preempted so often is not displaced",
     EASIM_PARAM_INT, offsetof(struct params, max_preemptions), 0, 1e6, 3, false, NULL,
     EASIM_ROLE_CALM},
    EDP_PARAMS("other jobs: ", ""),
};

static const struct easim_extension extensions[] = {EASIM_POWER(true)};

static const struct easim_list list = {
    .struct_size = sizeof(struct easim_list),
    .key = key,
    .minimise = minimise,
    .minimise_urgent = minimise_urgent,
    .allow_resize = allow_resize,
    .begin = begin,
    .make_room = make_room,
    .room_most = room_most,
};

EASIM_EXPORT const struct easim_policy easim_policy = {
    EASIM_POLICY_ABI,
    .name = "aurachronos",
    .version = "1.1",
    .summary = "deadlines first by slack and least energy-delay product, with preemption",
    .help =
        "Tier 0: jobs whose deadline can still be met (now + T* + deadline_margin_s <= deadline), by slack =\n"
        "deadline - now - T*, each in the configuration of least EDP with now + T + deadline_margin_s <= deadline;\n"
        "without one the job is skipped and later jobs may take the GPUs. "
        "Tier 1: all others by sqrt(EDP*) / A, A = 1 + age/tau, in the\n"
        "configuration of least EDP, if edp_slack admits it. "
        "A tier-0 job that nothing free serves in time, or that an enforced cap leaves no power, with\n"
        "slack < preempt_slack_s, displaces running preemptible best-effort jobs: those that waste the least\n"
        "energy (work since the last checkpoint, restart, checkpoint on demand) while it still ends in time. "
        "GPUs\n"
        "that a checkpoint holds come free later; until then nobody else is displaced. "
        "Jobs that share a GPU are\n"
        "not displaced.",
    .capabilities = EASIM_CAPABILITY_PREEMPT | EASIM_CAPABILITY_FRACTIONAL_GPU,
    .state_size = sizeof(struct state),
    .params_size = sizeof(struct params),
    .params = params,
    .param_count = sizeof params / sizeof *params,
    .list = &list,
    .extensions = extensions,
    .extension_count = 1,
    .extension_bytes = sizeof *extensions,
    .reads = EASIM_READS_DEADLINES | EASIM_READS_RUN_TIMES,
};
