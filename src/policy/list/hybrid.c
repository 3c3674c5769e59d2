/* A list policy made of two: see hybrid.h. Invariant: the host asks for the key of a job before it
   tries a configuration for it, so what the key admits is known by then. */
#include "policy/list/hybrid.h"

#include "base/mem.h"
#include "policy/interface.h"
#include "policy/list/rules.h"

#include <stdlib.h>
#include <string.h>

const char *const component_names[COMPONENT_COUNT] = {
    "key", "objective", "admission", "ageing", "resize", "preemption", "power_limits"};

/* What is known of a waiting job. */
struct known {
    double remaining, setup_s; /* with which it was asked for */
    uint32_t level;            /* at which */
    double best[2];            /* least objective of each side on the empty cluster */
    double objective_max;      /* of the side that admits, in its own objective; 0: no bound */
    bool valid;
};

/* The hybrid's own part of its state; those of the sides follow. */
struct state {
    struct known *jobs;
    struct minimised *minimised[2]; /* what each side minimises, by its level */
};

static const struct hybrid *hybrid_of(const struct easim_pass *pass) {
    return pass->params;
}

static const struct easim_list *list_of(const struct hybrid *hybrid, unsigned side) {
    return hybrid->sides[side]->policy->list;
}

static uint32_t level_count(const struct hybrid *hybrid, unsigned side) {
    return rules_level_count(list_of(hybrid, side));
}

/* The pass as one side sees it. The hybrid has a level for each pair of theirs. */
static struct easim_pass pass_of(const struct easim_pass *pass, unsigned side) {
    const struct hybrid *hybrid = hybrid_of(pass);
    struct easim_pass own = *pass;
    own.params = hybrid->sides[side]->own;
    own.state = (char *)pass->state + hybrid->state_at[side];
    own.job_memory = hybrid->sides[side]->policy->job_memory_size > 0
                         ? (char *)pass->job_memory + hybrid->memory_at[side]
                         : NULL;
    own.extensions += side == 0 ? 0 : hybrid->sides[0]->policy->extension_count;
    own.level =
        side == 0 ? pass->level / level_count(hybrid, 1) : pass->level % level_count(hybrid, 1);
    return own;
}

static struct rules rules_of(const struct easim_pass *pass, unsigned side) {
    const struct state *s = pass->state;
    return (struct rules){.ops = list_of(hybrid_of(pass), side),
                          .has_limits = hybrid_of(pass)->params.power_limits,
                          .minimised = s->minimised[side]};
}

static double objective_of(const struct easim_pass *pass, unsigned side,
                           const struct easim_job *job, const struct easim_choice *choice,
                           bool urgent) {
    const struct rules rules = rules_of(pass, side);
    const struct easim_pass own = pass_of(pass, side);
    return rules_objective(&rules, &own, job, choice, urgent);
}

/* --- keys and admission --- */

/* NaN, where an objective is: the host finds it when it tries the configuration. */
static double best_of(const struct easim_pass *pass, unsigned side, const struct easim_job *job) {
    const struct rules rules = rules_of(pass, side);
    const struct easim_pass own = pass_of(pass, side);
    return rules_best_objective(&rules, &own, job);
}

static struct known *known_of(const struct easim_pass *pass, const struct easim_job *job) {
    const struct state *s = pass->state;
    struct known *k = &s->jobs[job->index];
    if (!k->valid || k->remaining != job->remaining || k->setup_s != job->setup_s ||
        k->level != pass->level)
        *k = (struct known){.remaining = job->remaining,
                            .setup_s = job->setup_s,
                            .level = pass->level,
                            .best = {best_of(pass, 0, job), best_of(pass, 1, job)},
                            .valid = true};
    return k;
}

/* NaN if an objective of that side is. */
static struct easim_key key_of(const struct easim_pass *pass, unsigned side,
                               const struct easim_job *job, const struct known *known) {
    const struct easim_list *ops = list_of(hybrid_of(pass), side);
    const struct easim_pass own = pass_of(pass, side);
    struct easim_key key = {.struct_size = sizeof key};
    if (ops->key && isnan(known->best[side]))
        key = (struct easim_key){.value = NAN, .ageing_s = NAN, .objective_max = NAN};
    else if (ops->key)
        ops->key(&own, job, known->best[side], &key);
    return key;
}

/* What is not a number stays so: the host finds it in the key. */
static double earlier_s(double a_s, double b_s) {
    return a_s == 0 || b_s == 0 || isnan(a_s) || isnan(b_s) ? a_s + b_s : fmin(a_s, b_s);
}

/* Bounds on an objective that is not the one minimised are kept by bounded_objective(). */
static void mixed_key(const struct easim_pass *pass, const struct easim_job *job, double best,
                      struct easim_key *ret) {
    const struct hybrid *hybrid = hybrid_of(pass);
    struct known *known = known_of(pass, job);
    struct easim_key keys[2] = {key_of(pass, 0, job, known), key_of(pass, 1, job, known)};
    const struct easim_key *order = &keys[hybrid->from[COMPONENT_KEY]];
    const struct easim_key *admits = &keys[hybrid->from[COMPONENT_ADMISSION]];
    bool ages = order->value >= 0,
         bounds = hybrid->from[COMPONENT_ADMISSION] == hybrid->from[COMPONENT_OBJECTIVE];
    (void)best; /* of this objective: the sides want their own */
    known->objective_max = admits->objective_max;
    *ret = (struct easim_key){
        .tier = order->tier,
        .value = order->value,
        .ageing_s = ages ? keys[hybrid->from[COMPONENT_AGEING]].ageing_s : 0,
        .ask_again_s = earlier_s(keys[0].ask_again_s, keys[1].ask_again_s),
        .finish_by_s = admits->finish_by_s,
        .objective_max = bounds || isnan(admits->objective_max) ? admits->objective_max : 0,
        .may_displace = keys[hybrid->from[COMPONENT_PREEMPTION]].may_displace,
        .room_from_s = keys[hybrid->from[COMPONENT_PREEMPTION]].room_from_s,
    };
}

static double bounded_objective(const struct easim_pass *pass, const struct easim_job *job,
                                const struct easim_choice *choice, bool urgent) {
    const struct hybrid *hybrid = hybrid_of(pass);
    const struct state *s = pass->state;
    unsigned admits = hybrid->from[COMPONENT_ADMISSION],
             chooses = hybrid->from[COMPONENT_OBJECTIVE];
    double objective = objective_of(pass, chooses, job, choice, urgent);
    const struct known *known = &s->jobs[job->index];
    if (admits == chooses || job->state != EASIM_JOB_WAITING || !known->valid ||
        known->objective_max == 0)
        return objective;
    double bounded = objective_of(pass, admits, job, choice, urgent);
    return isnan(bounded) ? NAN : bounded > known->objective_max ? INFINITY : objective;
}

static double mixed_own(const struct easim_pass *pass, const struct easim_job *job,
                        const struct easim_choice *choice) {
    return bounded_objective(pass, job, choice, false);
}

static double mixed_urgent_own(const struct easim_pass *pass, const struct easim_job *job,
                               const struct easim_choice *choice) {
    return bounded_objective(pass, job, choice, true);
}

/* The objective of one side alone, unless the other keeps bounds on another one. */
static struct easim_objective mixed_objective(const struct easim_pass *pass, bool urgent) {
    const struct hybrid *hybrid = hybrid_of(pass);
    unsigned chooses = hybrid->from[COMPONENT_OBJECTIVE];
    const struct rules rules = rules_of(pass, chooses);
    const struct easim_pass own = pass_of(pass, chooses);
    struct easim_objective objective = *rules_minimised(&rules, &own, urgent);
    if (chooses != hybrid->from[COMPONENT_ADMISSION] || objective.kind == EASIM_MINIMISE_OWN)
        objective = (struct easim_objective){.kind = EASIM_MINIMISE_OWN,
                                             .objective = urgent ? mixed_urgent_own : mixed_own};
    return objective;
}

/* Whenever the host asks, it begins with this at level 0. */
static void mixed_minimise(const struct easim_pass *pass, struct easim_objective *ret) {
    const struct state *s = pass->state;
    bool asked = true;
    for (unsigned side = 0; side < 2 && pass->level == 0; side++) {
        const struct easim_pass own = pass_of(pass, side);
        asked = asked &&
                rules_ask_minimise(list_of(hybrid_of(pass), side), &own, s->minimised[side]) == 0;
    }
    *ret = asked ? mixed_objective(pass, false) : (struct easim_objective){.kind = UINT32_MAX};
}

static void mixed_minimise_urgent(const struct easim_pass *pass, struct easim_objective *ret) {
    *ret = mixed_objective(pass, true);
}

/* --- what one side alone decides --- */

static double mixed_user_factor(const struct easim_pass *pass, uint32_t user) {
    unsigned side = hybrid_of(pass)->from[COMPONENT_KEY];
    const struct easim_pass own = pass_of(pass, side);
    return list_of(hybrid_of(pass), side)->user_factor(&own, user);
}

static bool mixed_allow_start(const struct easim_pass *pass, const struct easim_job *job,
                              uint32_t config) {
    unsigned side = hybrid_of(pass)->from[COMPONENT_ADMISSION];
    const struct easim_pass own = pass_of(pass, side);
    return list_of(hybrid_of(pass), side)->allow_start(&own, job, config);
}

static bool mixed_allow_resize(const struct easim_pass *pass, const struct easim_job *job,
                               uint32_t config) {
    unsigned side = hybrid_of(pass)->from[COMPONENT_ADMISSION];
    const struct easim_pass own = pass_of(pass, side);
    return list_of(hybrid_of(pass), side)->allow_resize(&own, job, config);
}

static bool mixed_make_room(const struct easim_pass *pass, const struct easim_job *job) {
    unsigned side = hybrid_of(pass)->from[COMPONENT_PREEMPTION];
    const struct easim_pass own = pass_of(pass, side);
    return list_of(hybrid_of(pass), side)->make_room(&own, job);
}

static uint32_t mixed_room_most(const struct easim_pass *pass, uint32_t gpu_type) {
    unsigned side = hybrid_of(pass)->from[COMPONENT_PREEMPTION];
    const struct easim_pass own = pass_of(pass, side);
    return list_of(hybrid_of(pass), side)->room_most(&own, gpu_type);
}

static uint32_t mixed_level(const struct easim_pass *pass) {
    const struct hybrid *hybrid = hybrid_of(pass);
    uint32_t level = 0;
    for (unsigned side = 0; side < 2; side++) {
        const struct easim_pass own = pass_of(pass, side);
        const struct easim_list *list = list_of(hybrid, side);
        uint32_t count = level_count(hybrid, side), at = count > 1 ? list->level(&own) : 0;
        if (at >= count)
            return UINT32_MAX; /* which the host refuses */
        level = level * count + at;
    }
    return level;
}

static double mixed_displace(const struct easim_pass *pass, const struct easim_job *job,
                             const struct easim_job *other) {
    unsigned side = hybrid_of(pass)->from[COMPONENT_PREEMPTION];
    const struct easim_pass own = pass_of(pass, side);
    return list_of(hybrid_of(pass), side)->displace(&own, job, other);
}

static double mixed_resize_least(const struct easim_pass *pass, const struct easim_job *job) {
    unsigned side = hybrid_of(pass)->from[COMPONENT_OBJECTIVE];
    const struct rules rules = rules_of(pass, side);
    const struct easim_pass own = pass_of(pass, side);
    return rules_resize_least(&rules, &own, job);
}

/* A side that does not act may still keep its state: both are called, and the actions of the other
   one are refused. */
static void call_both(const struct easim_pass *pass, enum component acts,
                      void (*const calls[2])(const struct easim_pass *)) {
    bool refused = plan_head(pass->plan)->refuses;
    for (unsigned side = 0; side < 2; side++) {
        const struct easim_pass own = pass_of(pass, side);
        plan_head(pass->plan)->refuses = refused || side != hybrid_of(pass)->from[acts];
        if (calls[side])
            calls[side](&own);
    }
    plan_head(pass->plan)->refuses = refused;
}

static void mixed_begin(const struct easim_pass *pass) {
    const struct hybrid *hybrid = hybrid_of(pass);
    call_both(pass, COMPONENT_PREEMPTION,
              (void (*const[])(const struct easim_pass *)){list_of(hybrid, 0)->begin,
                                                           list_of(hybrid, 1)->begin});
}

static void mixed_end(const struct easim_pass *pass) {
    const struct hybrid *hybrid = hybrid_of(pass);
    call_both(pass, COMPONENT_POWER_LIMITS,
              (void (*const[])(const struct easim_pass *)){list_of(hybrid, 0)->end,
                                                           list_of(hybrid, 1)->end});
}

static int mixed_init(const struct easim_pass *pass) {
    const struct hybrid *hybrid = hybrid_of(pass);
    struct state *s = pass->state;
    s->jobs = mem_zalloc(pass->view->job_count, sizeof *s->jobs);
    for (unsigned side = 0; side < 2; side++) {
        const struct easim_pass own = pass_of(pass, side);
        const struct easim_list *ops = list_of(hybrid, side);
        s->minimised[side] = mem_zalloc(level_count(hybrid, side), sizeof *s->minimised[side]);
        int r = hybrid->sides[side]->policy->init ? hybrid->sides[side]->policy->init(&own) : 0;
        if (r < 0 || rules_ask_minimise(ops, &own, s->minimised[side]) < 0)
            return -1;
    }
    return 0;
}

static void mixed_finish(const struct easim_pass *pass) {
    const struct hybrid *hybrid = hybrid_of(pass);
    struct state *s = pass->state;
    for (unsigned side = 0; side < 2; side++) {
        const struct easim_pass own = pass_of(pass, side);
        if (hybrid->sides[side]->policy->finish)
            hybrid->sides[side]->policy->finish(&own);
        free(s->minimised[side]);
    }
    free(s->jobs);
}

/* --- making one --- */

static size_t round_up_to_alignment(size_t bytes) {
    const size_t unit = _Alignof(max_align_t);
    return (bytes + unit - 1) / unit * unit;
}

static const struct easim_list *side_that_gives(const struct hybrid *hybrid,
                                                enum component component) {
    return list_of(hybrid, hybrid->from[component]);
}

static struct easim_list make_list(const struct hybrid *hybrid) {
    const struct easim_list *a = list_of(hybrid, 0), *b = list_of(hybrid, 1);
    const struct easim_list *preempts = side_that_gives(hybrid, COMPONENT_PREEMPTION);
    bool asks = side_that_gives(hybrid, COMPONENT_KEY)->key ||
                side_that_gives(hybrid, COMPONENT_ADMISSION)->key ||
                (rules_make_room(preempts) && preempts->key);
    const struct easim_list *chooses = side_that_gives(hybrid, COMPONENT_OBJECTIVE),
                            *admits = side_that_gives(hybrid, COMPONENT_ADMISSION);
    return (struct easim_list){
        .struct_size = sizeof hybrid->list,
        .strict = hybrid->params.list.strict,
        .key = asks ? mixed_key : NULL,
        .minimise = mixed_minimise,
        .minimise_urgent =
            chooses->minimise_urgent || admits->minimise_urgent ? mixed_minimise_urgent : NULL,
        .user_factor =
            side_that_gives(hybrid, COMPONENT_KEY)->user_factor ? mixed_user_factor : NULL,
        .factor_grows = side_that_gives(hybrid, COMPONENT_KEY)->factor_grows,
        .allow_start = admits->allow_start ? mixed_allow_start : NULL,
        .allow_resize = admits->allow_resize ? mixed_allow_resize : NULL,
        .begin = a->begin || b->begin ? mixed_begin : NULL,
        .end = a->end || b->end ? mixed_end : NULL,
        .make_room =
            side_that_gives(hybrid, COMPONENT_PREEMPTION)->make_room ? mixed_make_room : NULL,
        .room_most = preempts->room_most ? mixed_room_most : NULL,
        .displace = preempts->displace ? mixed_displace : NULL,
        .resize_least = mixed_resize_least,
        .levels = level_count(hybrid, 0) * level_count(hybrid, 1),
        .level = a->level || b->level ? mixed_level : NULL,
    };
}

static struct list_options make_options(const struct hybrid *hybrid) {
    struct list_options options = hybrid->sides[hybrid->from[COMPONENT_RESIZE]]->list;
    options.strict = hybrid->sides[hybrid->from[COMPONENT_ADMISSION]]->list.strict;
    options.half_life_s = hybrid->sides[hybrid->from[COMPONENT_KEY]]->list.half_life_s;
    options.round_s = hybrid->sides[hybrid->from[COMPONENT_PREEMPTION]]->list.round_s;
    return options;
}

/* Permissions are those of both, for a callback acts only where it may. POWER_CAP also makes the
   host refuse, and with FRACTIONAL_GPU both must expect parts of GPUs. */
static uint32_t make_capabilities(const struct hybrid *hybrid) {
    uint32_t both = hybrid->sides[0]->policy->capabilities | hybrid->sides[1]->policy->capabilities;
    uint32_t admits = hybrid->sides[hybrid->from[COMPONENT_ADMISSION]]->policy->capabilities;
    uint32_t each = hybrid->sides[0]->policy->capabilities & hybrid->sides[1]->policy->capabilities;
    return (both & ~(EASIM_CAPABILITY_POWER_CAP | EASIM_CAPABILITY_FRACTIONAL_GPU)) |
           (admits & EASIM_CAPABILITY_POWER_CAP) | (each & EASIM_CAPABILITY_FRACTIONAL_GPU);
}

void hybrid_init(struct hybrid *hybrid, const struct policy_params *first,
                 const struct policy_params *second, unsigned second_mask) {
    *hybrid = (struct hybrid){.sides = {first, second}};
    for (unsigned c = 0; c < COMPONENT_COUNT; c++)
        hybrid->from[c] = second_mask >> c & 1;
    hybrid->state_at[0] = round_up_to_alignment(sizeof(struct state));
    hybrid->state_at[1] = hybrid->state_at[0] + round_up_to_alignment(first->policy->state_size);
    hybrid->memory_at[1] = round_up_to_alignment(first->policy->job_memory_size);
    hybrid->params = (struct policy_params){
        .policy = &hybrid->policy, .own = hybrid, .list = make_options(hybrid)};
    hybrid->params.power_limits = params_have(hybrid->sides[hybrid->from[COMPONENT_POWER_LIMITS]],
                                              EASIM_CAPABILITY_FREQUENCY);
    hybrid->list = make_list(hybrid);
    hybrid->policy = (struct easim_policy){
        EASIM_POLICY_ABI,
        .name = "hybrid",
        .version = "1.0",
        .summary = "components of two list policies",
        .capabilities = make_capabilities(hybrid),
        .state_size = hybrid->state_at[1] + round_up_to_alignment(second->policy->state_size),
        .params_size = sizeof *hybrid,
        .list = &hybrid->list,
        .init = mixed_init,
        .finish = mixed_finish,
        .job_memory_size = hybrid->memory_at[1] + second->policy->job_memory_size,
        .extensions = hybrid->extensions,
        .extension_bytes = sizeof *hybrid->extensions,
    };
    for (unsigned side = 0; side < 2; side++)
        for (uint32_t i = 0; i < hybrid->sides[side]->policy->extension_count; i++)
            hybrid->extensions[hybrid->policy.extension_count++] =
                hybrid->sides[side]->policy->extensions[i];
}

/* --- what two policies have in common --- */

/* No module has the functions of another. */
static bool same_functions(const struct easim_list *a, const struct easim_list *b) {
    return a->key == b->key && a->minimise == b->minimise &&
           a->minimise_urgent == b->minimise_urgent && a->user_factor == b->user_factor &&
           a->allow_start == b->allow_start && a->allow_resize == b->allow_resize &&
           a->begin == b->begin && a->make_room == b->make_room && a->displace == b->displace &&
           a->level == b->level && a->resize_least == b->resize_least && a->end == b->end;
}

static bool equal_params(const struct policy_params *a, const struct policy_params *b) {
    struct str first = {0}, second = {0};
    bool equal = same_functions(a->policy->list, b->policy->list) &&
                 a->policy->param_count == b->policy->param_count;
    for (size_t i = 0; equal && i < a->policy->param_count; i++) {
        first.length = second.length = 0;
        params_write_value(a, i, &first);
        params_write_value(b, i, &second);
        equal = slice_is((struct slice){first.text, first.length}, second.text ? second.text : "");
    }
    str_finish(&first);
    str_finish(&second);
    return equal;
}

static bool equal_resize(const struct list_options *a, const struct list_options *b) {
    return (!a->resize && !b->resize) ||
           (a->resize == b->resize && a->shrink == b->shrink && a->resize_gain == b->resize_gain &&
            a->resize_interval_s == b->resize_interval_s);
}

bool hybrid_same(const struct policy_params *first, const struct policy_params *second,
                 enum component component) {
    const struct easim_list *a = first->policy->list, *b = second->policy->list;
    bool equal = equal_params(first, second);
    bool no_key = !a->key && !b->key, limits[] = {params_have(first, EASIM_CAPABILITY_FREQUENCY),
                                                  params_have(second, EASIM_CAPABILITY_FREQUENCY)};
    switch (component) {
    case COMPONENT_KEY:
        return (equal || (no_key && !a->user_factor && !b->user_factor)) &&
               first->list.half_life_s == second->list.half_life_s;
    case COMPONENT_OBJECTIVE:
        return equal || (!a->minimise && !b->minimise && !a->minimise_urgent &&
                         !b->minimise_urgent && !a->resize_least && !b->resize_least);
    case COMPONENT_ADMISSION:
        return first->list.strict == second->list.strict &&
               ((first->policy->capabilities ^ second->policy->capabilities) &
                EASIM_CAPABILITY_POWER_CAP) == 0 &&
               (equal || (no_key && !a->allow_start && !b->allow_start && !a->allow_resize &&
                          !b->allow_resize));
    case COMPONENT_AGEING:
        return equal || no_key;
    case COMPONENT_RESIZE:
        return equal_resize(&first->list, &second->list);
    case COMPONENT_POWER_LIMITS:
        return limits[0] == limits[1] && (!limits[0] || equal || (!a->end && !b->end));
    default:
        return (equal || (!a->begin && !b->begin && !rules_make_room(a) && !rules_make_room(b))) &&
               first->list.round_s == second->list.round_s;
    }
}
