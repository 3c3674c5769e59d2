/* unruly: a list policy that uses everything a list policy may, by chance: ties, tiers, ageing,
   urgent jobs between others, keys to ask again, admission, preemption, levels. UNRULY_MEEK leaves
   the callbacks out that may make room or forbid, UNRULY_LINED those that keep jobs out of the
   line.
 */
#include <easim/policy.h>

enum {
    AGEING = 1 << 0,
    TIERS = 1 << 1,
    URGENT = 1 << 2,
    ROOM = 1 << 3,
    ALLOW = 1 << 4,
    PREEMPT = 1 << 5,
    FACTOR = 1 << 6,
    NEVER = 1 << 7,
    TIES = 1 << 8,
    SLACK = 1 << 9,
    LEVELS = 1 << 10,
    DISPLACE = 1 << 11
};

struct params {
    int64_t bits;
    double tau;
};

static bool has(const struct easim_pass *pass, int64_t bit) {
    const struct params *p = pass->params;
    return p->bits & bit;
}

static uint32_t level_of(const struct easim_pass *pass) {
    return has(pass, LEVELS) ? pass->level : 0;
}

static uint32_t mix(uint32_t x) {
    x = (x ^ x >> 16) * 0x45d9f3bu;
    return x ^ x >> 15;
}

static double objective(const struct easim_pass *pass, const struct easim_job *job,
                        const struct easim_choice *choice) {
    if (has(pass, NEVER) && choice->k > 1 &&
        mix(job->model + 2 * choice->k + choice->span + 97 * level_of(pass)) % 3 == 0)
        return INFINITY; /* also in one node and not across: groups that open late in a pass */
    return choice->time_s;
}

static void minimise(const struct easim_pass *pass, struct easim_objective *ret) {
    (void)pass;
    ret->kind = EASIM_MINIMISE_OWN;
    ret->objective = objective;
}

static void key(const struct easim_pass *pass, const struct easim_job *job, double best,
                struct easim_key *ret) {
    const struct params *p = pass->params;
    double least_s = has(pass, LEVELS) ? job->time_best_s : best; /* the same at every level */
    ret->value = has(pass, TIES) ? floor(log2(1 + least_s)) : least_s;
    ret->may_displace = has(pass, DISPLACE) && mix(job->index) % 3 != 0;
    if (has(pass, AGEING))
        ret->ageing_s = job->user % 3 == 2 ? 0 : p->tau * (1 + job->user % 2);
    if (has(pass, TIERS))
        ret->tier = (int32_t)(mix(job->index) % 3) - 1;
    if (has(pass, SLACK))
        ret->objective_max = (2 - 0.3 * level_of(pass)) * best;
    double latest_start_s = job->deadline_s - least_s;
    if (has(pass, URGENT) && isfinite(job->deadline_s) && pass->view->now_s < latest_start_s) {
        ret->finish_by_s = job->deadline_s;
        ret->ask_again_s = latest_start_s;
        ret->ageing_s = 0;
    }
}

static uint32_t level(const struct easim_pass *pass) {
    return has(pass, LEVELS) ? (pass->view->waiting_count + pass->view->free_gpus) % 4 : 0;
}

#ifndef UNRULY_LINED
static double user_factor(const struct easim_pass *pass, uint32_t user) {
    return has(pass, FACTOR) ? 1 + easim_user_usage_s(pass->view, user) / 977 : 1;
}
#endif

#ifndef UNRULY_MEEK
static bool preempt_one(const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    if (view->running_count == 0)
        return false;
    uint32_t slot = (uint32_t)(pass->host->uniform(pass->plan) * view->running_count);
    const struct easim_job *job = easim_view_job(view, easim_view_running(view, slot)->job);
    if (!job->preemptible || job->preemptions > 2 || job->start_s == view->now_s)
        return false;
    bool at_once = pass->host->uniform(pass->plan) < 0.5;
    if (pass->host->plan_preempt(pass->plan, job->index, at_once) != EASIM_OK)
        return false;
    pass->host->plan_wake_at(pass->plan, view->now_s + 1);
    return true;
}

#ifndef UNRULY_LINED
static bool allow(const struct easim_pass *pass, const struct easim_job *job, uint32_t config) {
    const struct easim_view *view = pass->view;
    (void)job;
    return !has(pass, ALLOW) || view->running_count == 0 ||
           mix(config * 31 + view->free_gpus) % 4 != 0;
}
#endif

static bool make_room(const struct easim_pass *pass, const struct easim_job *job) {
    (void)job;
    return has(pass, ROOM) && pass->host->uniform(pass->plan) < 0.3 && preempt_one(pass);
}

static void begin(const struct easim_pass *pass) {
    if (has(pass, PREEMPT) && pass->host->uniform(pass->plan) < 0.1)
        preempt_one(pass);
}
#endif

static const struct easim_param params[] = {
    {"bits", "", "what is used", EASIM_PARAM_INT, offsetof(struct params, bits), 0, 4095, 0, false,
     NULL, EASIM_ROLE_NONE},
    {"tau", "s", "ageing", EASIM_PARAM_DURATION, offsetof(struct params, tau), 1e-9, 1e12, 3600,
     false, NULL, EASIM_ROLE_NONE},
};

static const struct easim_list list = {
    .struct_size = sizeof(struct easim_list),
    .key = key,
    .minimise = minimise,
    .levels = 4,
    .level = level,
#ifndef UNRULY_LINED
    .user_factor = user_factor,
#endif
#ifndef UNRULY_MEEK
#ifndef UNRULY_LINED
    .allow_start = allow,
    .allow_resize = allow,
#endif
    .begin = begin,
    .make_room = make_room,
#endif
};

EASIM_EXPORT const struct easim_policy easim_policy = {
    EASIM_POLICY_ABI,
    .name = "unruly",
    .version = "1",
    .summary = "everything a list policy may do, by chance",
    .capabilities = EASIM_CAPABILITY_PREEMPT | EASIM_CAPABILITY_POWER_CAP | EASIM_CAPABILITY_TICK |
                    EASIM_CAPABILITY_FRACTIONAL_GPU,
    .params_size = sizeof(struct params),
    .params = params,
    .param_count = 2,
    .list = &list,
};
