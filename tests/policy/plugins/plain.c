/* plain_NAME: the pass of list policy NAME once more and without the host's index: all keys, one
   sort, a visit to each job in order (semantics 5.1). The build names the source of the policy in
   POLICY_SOURCE. The pass runs in `begin`, so that the host's options and usage are those of a list
   policy; after it the host itself finds nothing allowed.
 */
#define easim_policy wrapped_policy
#include POLICY_SOURCE
#undef easim_policy

#include <stdlib.h>
#include <string.h>

#define PLAIN_PARAMS_MOST 32

struct plain_rank {
    struct easim_key key;
    double value;
    const struct easim_job *job;
};

static size_t plain_strict_offset(void) {
    return (wrapped_policy.params_size + 7) / 8 * 8;
}

static bool plain_is_strict(const struct easim_pass *pass) {
    return *(const bool *)((const char *)pass->params + plain_strict_offset());
}

static double plain_objective_of(const struct easim_pass *pass, const struct easim_job *job,
                                 const struct easim_choice *choice, bool urgent) {
    const struct easim_list *ops = wrapped_policy.list;
    struct easim_objective objective = {.kind = EASIM_MINIMISE_TIME};
    if (urgent && ops->minimise_urgent)
        ops->minimise_urgent(pass, &objective);
    else if (ops->minimise)
        ops->minimise(pass, &objective);
    return objective.kind == EASIM_MINIMISE_TIME ? choice->time_s
           : objective.kind == EASIM_MINIMISE_OWN
               ? objective.objective(pass, job, choice)
               : easim_choice_edp(choice, objective.exponent, objective.marginal);
}

static double plain_best_of(const struct easim_pass *pass, const struct easim_job *job) {
    double best = INFINITY;
    for (uint32_t c = job->first_config; c < job->first_config + job->config_count; c++) {
        const struct easim_config *config = easim_view_config(pass->view, c);
        if (!(config->goodput[config->empty_span] > 0))
            continue;
        struct easim_choice choice = easim_predict(pass->view, job, c, config->empty_span);
        best = fmin(best, plain_objective_of(pass, job, &choice, false));
    }
    return best;
}

static struct plain_rank plain_rank_of(const struct easim_pass *pass, const struct easim_job *job) {
    const struct easim_list *ops = wrapped_policy.list;
    struct plain_rank rank = {.job = job};
    if (!ops->key)
        return rank;
    ops->key(pass, job, plain_best_of(pass, job), &rank.key);
    rank.value = rank.key.value;
    if (rank.key.ageing_s > 0)
        rank.value /= 1 + easim_job_age_s(pass->view, job) / rank.key.ageing_s;
    if (ops->user_factor)
        rank.value *= ops->user_factor(pass, job->user);
    return rank;
}

static int plain_compare(const void *left, const void *right) {
    const struct plain_rank *a = left, *b = right;
    if (a->key.tier != b->key.tier)
        return a->key.tier < b->key.tier ? -1 : 1;
    if (a->value != b->value)
        return a->value < b->value ? -1 : 1;
    return a->job->index < b->job->index ? -1 : 1;
}

/* True if a is the better one; equal objectives: fewer GPUs, lower k * P, earlier type, smaller
   batch, higher limit. */
static bool plain_better(const struct easim_choice *a, double objective_a,
                         const struct easim_choice *b, double objective_b) {
    if (b->config == EASIM_NONE || objective_a != objective_b)
        return b->config == EASIM_NONE || objective_a < objective_b;
    if (a->k != b->k || a->power_w != b->power_w)
        return a->k != b->k ? a->k < b->k : a->power_w < b->power_w;
    if (a->gpu_type != b->gpu_type || a->batch != b->batch)
        return a->gpu_type != b->gpu_type ? a->gpu_type < b->gpu_type : a->batch < b->batch;
    return a->power_limit_w > b->power_limit_w;
}

static bool plain_keeps_cap(const struct easim_pass *pass, const struct easim_job *job,
                            uint32_t config) {
    return !(wrapped_policy.capabilities & EASIM_CAPABILITY_POWER_CAP) ||
           pass->host->try_config(pass->plan, job->index, config, NULL) >= 0;
}

static bool plain_start(const struct easim_pass *pass, const struct plain_rank *rank) {
    const struct easim_job *job = rank->job;
    const struct easim_key *key = &rank->key;
    struct easim_choice best = {.config = EASIM_NONE};
    double least = INFINITY;
    for (uint32_t c = job->first_config; c < job->first_config + job->config_count; c++) {
        int span = easim_fit(pass->view, easim_view_config(pass->view, c));
        const struct easim_list *ops = wrapped_policy.list;
        if (span < 0 || !plain_keeps_cap(pass, job, c) ||
            (ops->allow_start && !ops->allow_start(pass, job, c)))
            continue;
        struct easim_choice choice = easim_predict(pass->view, job, c, (uint32_t)span);
        double objective = plain_objective_of(pass, job, &choice, key->finish_by_s != 0);
        bool late = key->finish_by_s != 0 && pass->view->now_s + choice.time_s > key->finish_by_s;
        bool dear =
            objective == INFINITY || (key->objective_max != 0 && objective > key->objective_max);
        if (!late && !dear && plain_better(&choice, objective, &best, least)) {
            best = choice;
            least = objective;
        }
    }
    return best.config != EASIM_NONE &&
           pass->host->plan_start(pass->plan, job->index, best.config) == EASIM_OK;
}

/* The pass at the level of now, and what the key says at it. */
static struct easim_pass plain_at_level(const struct easim_pass *pass, struct plain_rank *rank) {
    const struct easim_list *ops = wrapped_policy.list;
    struct easim_pass at = *pass;
    at.level = ops->level ? ops->level(pass) : 0;
    if (ops->key) {
        rank->key = (struct easim_key){0};
        ops->key(&at, rank->job, plain_best_of(&at, rank->job), &rank->key);
    }
    return at;
}

/* Whether a job may have room made for it. */
static bool plain_asks(const struct plain_rank *rank, bool refused) {
    return wrapped_policy.list->make_room &&
           (rank->key.finish_by_s != 0 || (rank->key.may_displace && !refused));
}

static bool plain_visit(const struct easim_pass *pass, struct plain_rank *rank, bool *refused) {
    struct easim_pass at = plain_at_level(pass, rank);
    if (plain_start(&at, rank))
        return true;
    if (!plain_asks(rank, *refused))
        return false;
    bool started = false;
    if (wrapped_policy.list->make_room(&at, rank->job)) {
        at = plain_at_level(pass, rank);
        started = plain_start(&at, rank);
    }
    *refused = *refused || (!started && rank->key.finish_by_s == 0);
    return started;
}

static void plain_begin(const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    const struct easim_list *ops = wrapped_policy.list;
    if (ops->begin)
        ops->begin(pass);
    uint32_t count = 0;
    struct plain_rank *ranks =
        pass->host->scratch(pass->plan, (view->waiting_count + 1) * sizeof *ranks);
    for (uint32_t i = view->first_waiting; i != EASIM_NONE;
         i = easim_view_job(view, i)->next_waiting)
        ranks[count++] = plain_rank_of(pass, easim_view_job(view, i));
    qsort(ranks, count, sizeof *ranks, plain_compare);
    bool refused = false;
    for (uint32_t i = 0; i < count; i++) {
        bool room = view->free_gpus > 0 || view->shared_free_milli > 0;
        if (!room && !plain_asks(&ranks[i], refused))
            return;
        if (!plain_visit(pass, &ranks[i], &refused) && plain_is_strict(pass))
            return;
    }
}

static bool plain_allow_nothing(const struct easim_pass *pass, const struct easim_job *job,
                                uint32_t config) {
    (void)pass;
    (void)job;
    (void)config;
    return false;
}

extern EASIM_EXPORT struct wrapped_policy easim_policy;
struct wrapped_policy easim_policy;

static struct easim_list plain_list = {
    .struct_size = sizeof plain_list, .begin = plain_begin, .allow_start = plain_allow_nothing};
static struct easim_param plain_params[PLAIN_PARAMS_MOST];

/* On loading: everything as wrapped, beside a parameter `plain_strict` and the pass. */
__attribute__((constructor)) static void plain_wrap(void) {
    easim_policy = wrapped_policy;
    if (wrapped_policy.param_count > 0)
        memcpy(plain_params, wrapped_policy.params,
               wrapped_policy.param_count * sizeof *plain_params);
    plain_params[wrapped_policy.param_count] =
        (struct easim_param){.name = "plain_strict",
                             .unit = "",
                             .help = "strict, of the plain pass",
                             .type = EASIM_PARAM_BOOL,
                             .offset = plain_strict_offset(),
                             .max = 1,
                             .default_value = wrapped_policy.list->strict};
    plain_list.strict = true; /* the host looks at one job only */
    plain_list.key =
        wrapped_policy.list->key; /* by which the host rejects jobs under a constant cap */
    plain_list.minimise = wrapped_policy.list->minimise;
    plain_list.minimise_urgent = wrapped_policy.list->minimise_urgent;
    plain_list.user_factor = wrapped_policy.list->user_factor;
    plain_list.levels = wrapped_policy.list->levels;
    plain_list.level = wrapped_policy.list->level;
    plain_list.end = wrapped_policy.list->end;
    easim_policy.params = plain_params;
    easim_policy.param_count = wrapped_policy.param_count + 1;
    easim_policy.params_size = plain_strict_offset() + 8;
    easim_policy.list = &plain_list;
}
