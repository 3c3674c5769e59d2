/* reads_view: a list policy of which one callback looks at what it may not: at what runs, the time
   or other jobs; or falls where it says that it grows; or draws random numbers, which it may; or
   gives NaN where nobody asked before. */
#include <easim/policy.h>

enum {
    NOTHING,
    OBJECTIVE,
    MAXIMUM,
    VALUE,
    TIER,
    TIME,
    ALLOW,
    RANDOM,
    FACTOR,
    NAN_FACTOR,
    NAN_DISPLACE,
    NAN_LATER,
    NAN_ROOM
};
static const char *const whats[] = {"nothing",      "objective", "maximum",  "value",  "tier",
                                    "time",         "allow",     "random",   "factor", "nan_factor",
                                    "nan_displace", "nan_later", "nan_room", NULL};

struct params {
    int32_t what;
};

static bool is(const struct easim_pass *pass, int32_t what) {
    return ((const struct params *)pass->params)->what == what;
}

static bool runs(const struct easim_pass *pass) {
    return pass->view->running_count > 0;
}

static void key(const struct easim_pass *pass, const struct easim_job *job, double best,
                struct easim_key *ret) {
    bool later = is(pass, NAN_LATER) && job->index == 1 && pass->view->now_s > 1;
    *ret = (struct easim_key){.tier = is(pass, TIER) && runs(pass) && job->index == 1,
                              .value = is(pass, VALUE) && runs(pass) ? -best
                                       : is(pass, TIME)              ? -pass->view->now_s
                                       : is(pass, RANDOM) ? pass->host->uniform(pass->plan)
                                       : later            ? NAN
                                                          : best,
                              .may_displace = is(pass, NAN_DISPLACE) || is(pass, NAN_ROOM),
                              .objective_max = is(pass, MAXIMUM) && runs(pass) ? best / 2 : 0};
}

/* Runs jobs alone. */
static double objective(const struct easim_pass *pass, const struct easim_job *job,
                        const struct easim_choice *choice) {
    (void)job;
    if (is(pass, NAN_ROOM) && !runs(pass) && pass->view->now_s > 0)
        return NAN;
    return is(pass, OBJECTIVE) && runs(pass) ? INFINITY : choice->time_s;
}

static void minimise(const struct easim_pass *pass, struct easim_objective *ret) {
    (void)pass;
    ret->kind = EASIM_MINIMISE_OWN;
    ret->objective = objective;
}

static bool allow_start(const struct easim_pass *pass, const struct easim_job *job,
                        uint32_t config) {
    (void)config;
    return !is(pass, ALLOW) || job->index != 1;
}

static double user_factor(const struct easim_pass *pass, uint32_t user) {
    return is(pass, FACTOR)       ? 1 / (1 + easim_user_usage_s(pass->view, user))
           : is(pass, NAN_FACTOR) ? NAN
                                  : 1;
}

static double displace(const struct easim_pass *pass, const struct easim_job *job,
                       const struct easim_job *other) {
    (void)job, (void)other;
    return is(pass, NAN_DISPLACE) ? NAN : is(pass, NAN_ROOM);
}

static const struct easim_param params[] = {{"what", "", "which callback", EASIM_PARAM_CHOICE,
                                             offsetof(struct params, what), 0, NAN_ROOM, NOTHING,
                                             false, whats, EASIM_ROLE_NONE}};

static const struct easim_list list = {.struct_size = sizeof list,
                                       .key = key,
                                       .minimise = minimise,
                                       .allow_start = allow_start,
                                       .user_factor = user_factor,
                                       .displace = displace,
                                       .factor_grows = true};

EASIM_EXPORT const struct easim_policy easim_policy = {EASIM_POLICY_ABI,
                                                       .name = "reads_view",
                                                       .version = "1",
                                                       .summary = "looks at what it may not",
                                                       .capabilities = EASIM_CAPABILITY_PREEMPT,
                                                       .params_size = sizeof(struct params),
                                                       .params = params,
                                                       .param_count = 1,
                                                       .list = &list};
